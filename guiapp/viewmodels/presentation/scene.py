"""A step in large type: letters in blocks, what it joins or tries, and the text around.

Made of what the Steps page draws, so that both show the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, groupby
from typing import NamedTuple

from guiapp.core.explain.figures import counted
from guiapp.core.explain.visible_text import visible_text
from guiapp.core.trace.candidates import Waiting
from guiapp.core.trace.debugger import Debugger
from guiapp.core.trace.operations import FORMS
from guiapp.core.training.record import TrainingRecord
from guiapp.core.training.telling import ToldMerge, amount
from guiapp.viewmodels.presentation.letters import Letter, letters_of
from guiapp.viewmodels.steps.flow import Element, Part, Role, flow
from guiapp.viewmodels.steps.tries import VERDICTS

MOST_COVERED_BYTES = 2000
MOST_AROUND = 60  # tokens or characters of the text around a piece
LETTER_PLACES = 1000  # of a word in a training: more than it has letters
WHOLE = (Part.CONTROL, Part.USER_DEFINED)  # never made of letters
LABELS = {"stale": "gone meanwhile", "lost": "no token"} | VERDICTS


class Block(NamedTuple):
    """Letters that are one to the encoder; `below` stands under them.

    is_marked  the step is about it
    is_joined  it becomes one with the block before
    is_apart   a word begins with it
    """

    letters: tuple[Letter, ...]
    part: Part
    color: int = 0
    below: str = ""
    is_marked: bool = False
    is_joined: bool = False
    is_apart: bool = False


class Mark(NamedTuple):
    """What comes of the blocks that are marked, in a word or a number; or what does not.

    wins  over others that are in sight
    """

    label: str
    succeeds: bool
    wins: bool = False


class Around(NamedTuple):
    """The text around a piece: what is a token already, what is on the stage, and what is to come."""

    done: list[Element]
    now: str
    to_come: str


class Scene(NamedTuple):
    """What is to be seen.

    ranks       of the pairs that could merge, by the number of their second block
    is_one_row  what happens is within a piece: its letters keep their places in a row
    """

    blocks: list[Block]
    mark: Mark | None = None
    ranks: dict[int, str] = {}
    around: Around | None = None
    is_one_row: bool = False


EMPTY = Scene([])


def scene(debugger: Debugger, waiting: Waiting | None = None, is_covered: bool = False) -> Scene:
    """What there is at the present step, and what happens to it unless that is covered."""
    position = debugger.position
    piece = debugger.trace.piece_at(position)
    if position >= debugger.n_steps:
        return _text(debugger) if is_covered else Scene(_blocks(flow(debugger).elements, with_ids=True))
    elements = flow(debugger).elements
    around = None
    if piece >= 0:
        start, end = (
            int(column[piece]) for column in (debugger.trace.pieces.start, debugger.trace.pieces.end)
        )
        inner = [each for each in elements if _is_within(each, start, end)]
        around = _around(debugger, elements, inner, start, end)
        elements = inner
    if is_covered:
        return Scene(_blocks(_covered(elements)), around=around, is_one_row=piece >= 0)
    operation = debugger.trace.operation(position)
    blocks = _blocks(elements, joins=operation == "merge")
    mark, ranks = _mark(debugger, operation), _ranks(elements, waiting)
    if mark is not None and operation == "merge":
        mark = mark._replace(wins=bool(ranks))
    return Scene(blocks, mark, ranks, around, piece >= 0)


def _is_within(element: Element, start: int, end: int) -> bool:
    return start <= element.start and element.end <= end and element.part in (Part.TOKEN, Part.TEXT)


def _text(debugger: Debugger) -> Scene:
    """The text alone: how it is cut would be the answer."""
    text = debugger.trace.text[:MOST_COVERED_BYTES]
    return Scene([Block(letters_of(visible_text(text, MOST_COVERED_BYTES), 0, len(text)), Part.TEXT)])


def _covered(elements: list[Element]) -> list[Element]:
    """Without roles, and text without the cuts that the step would make."""
    found: list[Element] = []
    for each in elements:
        plain = each._replace(role=Role.NONE)
        if found and each.part is found[-1].part is Part.TEXT and each.start == found[-1].end:
            before = found.pop()
            plain = before._replace(text=before.text + each.text, end=each.end)
        found.append(plain)
    return found


def _blocks(elements: Sequence[Element], *, joins: bool = False, with_ids: bool = False) -> list[Block]:
    blocks = []
    before = Role.NONE
    for each in elements:
        if each.part in WHOLE:
            letters: tuple[Letter, ...] = (Letter(each.text, each.start, True),)
        else:
            letters = letters_of(each.text, each.start, each.end)
        is_marked = each.role is not Role.NONE
        is_joined = joins and is_marked and before is not Role.NONE
        below = each.below if with_ids else ""
        blocks.append(Block(letters, each.part, each.color, below, is_marked, is_joined))
        before = each.role
    return blocks


def _mark(debugger: Debugger, operation: str) -> Mark | None:
    step, columns = debugger.position, debugger.trace.columns
    if operation in LABELS and operation != "take":
        return Mark(LABELS[operation], succeeds=False)
    if operation in ("merge", "push"):
        return Mark(f"rank {debugger.teller.worth(step)}", succeeds=operation == "merge")
    if operation in ("reach", "worse"):
        worth = debugger.teller.worth(step)
        return Mark("noted" if worth == "nan" else worth, succeeds=operation == "reach")
    if FORMS[columns.operation[step]]:
        made = int(columns.result[step])
        is_token = 0 <= made < len(debugger.vocabulary)
        return Mark(f"id {made}" if is_token else "no token", succeeds=is_token)
    if operation == "done":
        return Mark(counted(int(columns.depth[step]), "token"), succeeds=True)
    return None


def _ranks(elements: Sequence[Element], waiting: Waiting | None) -> dict[int, str]:
    """Over the gap of each pair that waits, but for the one that the step is about."""
    if waiting is None:
        return {}
    seconds = {each.start: at for at, each in enumerate(elements) if each.part is Part.TOKEN}
    ends = {at: each.end for at, each in enumerate(elements)}
    ranks = {}
    for candidate in waiting.candidates:
        at = seconds.get(candidate.right_position)
        if at and not candidate.is_stale and ends[at] == candidate.end:
            is_now = elements[at].role is Role.RIGHT
            if not is_now:
                rank = candidate.rank
                ranks[at] = f"{rank:,.0f}" if float(rank).is_integer() else f"{rank:,.2f}".replace("-", "−")
    return ranks


def _around(
    debugger: Debugger, elements: Sequence[Element], inner: Sequence[Element], start: int, end: int
) -> Around | None:
    """None where there is nothing before the piece, nor behind it."""
    text = debugger.trace.text
    done = [each for each in elements if each not in inner and each.end <= start]
    if not done and end == len(text):
        return None
    now, to_come = text[start:end], text[end : end + 4 * MOST_AROUND]
    return Around(done[-MOST_AROUND:], visible_text(now, MOST_AROUND), visible_text(to_come, MOST_AROUND))


def training_scene(record: TrainingRecord, position: int, is_covered: bool = False) -> Scene:
    """The words of a training after a step, what it made marked; their counts below."""
    told = record.step(position) if position and not is_covered else None
    made = told.left + told.right if isinstance(told, ToldMerge) else ""
    blocks = []
    for number, (cut, count, is_changed) in enumerate(record.words(position)):
        at = number * LETTER_PLACES
        for index, symbol in enumerate(cut):
            letters = letters_of(record.write(symbol), at, at + len(symbol))
            below = f"×{count:,}" if count > 1 and index == len(cut) - 1 else ""
            is_new = is_changed and symbol == made
            blocks.append(Block(letters, Part.TOKEN, 0, below, is_new, is_apart=index == 0 < number))
            at += len(symbol)
    mark = Mark(amount(told.worth), succeeds=True) if isinstance(told, ToldMerge) else None
    return Scene(blocks, mark)


def groups(blocks: Sequence[Block]) -> list[list[int]]:
    """The numbers of the blocks that share a box."""
    numbers = list(accumulate(not block.is_joined for block in blocks))
    return [list(members) for _, members in groupby(range(len(blocks)), key=numbers.__getitem__)]
