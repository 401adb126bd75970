"""What there is to draw at a step of a trace: the text as growing tokens, lattices, stacks, what was made."""

from __future__ import annotations

import re
from enum import Enum
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from guiapp.core.explain.visible_text import visible_text
from guiapp.core.trace.debugger import Debugger
from guiapp.core.trace.operations import EFFECTS, FORMS, MADE_TOKENS, NUMBERS
from guiapp.core.trace.trace import Tokens

TOKENS_BEFORE = 16  # finished tokens shown before the piece, and of a long text before the step
TOKENS_AROUND = 40  # of a long piece, on either side of the step
LONG_TEXT_BYTES = 500  # more than is shown at once
PIECES_BEHIND = 20
LONGEST_RAW = 160  # bytes of text behind the piece
LATTICE_PLACES = 22
MOST_RAW = 4  # times that, around a step outside of pieces
WORD = re.compile(rb"[ \r\n\t]*(?:[^ \r\n\t\x80-\xff]|[\xc0-\xff][\x80-\xbf]*|[\x80-\xbf]){1,24}|[ \r\n\t]+")
PAIR_STEPS = ("merge", "push", "stale")
TRIES = ("miss", "fail", "reject", "dead end", "rule out", "back")


class Part(Enum):
    """What an element of the text is."""

    FINISHED = "a token of a finished piece"
    CONTROL = "a control token"
    USER_DEFINED = "a user-defined token"
    TOKEN = "a symbol or token of this piece"
    TEXT = "text that is not encoded yet"


SPECIAL_PARTS = {"control": Part.CONTROL, "user-defined": Part.USER_DEFINED}


class Role(Enum):
    """What the present step has to do with an element."""

    NONE = ""
    LEFT = "left part of the pair"
    RIGHT = "right part of the pair"
    OVER = "what the step is about"


class Element(NamedTuple):
    """A box of the text: bytes [start, end), how it is written, its id below; `color` counts."""

    text: str
    below: str
    start: int
    end: int
    part: Part
    role: Role
    color: int


class Flow(NamedTuple):
    """The text around the present step, and what the step makes of the elements with a role."""

    elements: list[Element]
    made: str
    made_below: str
    is_cut_before: bool
    is_cut_behind: bool


def flow(debugger: Debugger) -> Flow:
    """The boxes to draw; their number does not grow with the text."""
    trace, position = debugger.trace, debugger.position
    if position >= debugger.n_steps:
        return _result(debugger)
    columns = trace.columns
    start, end = int(columns.position[position]), int(columns.end[position])
    piece = trace.piece_at(position)
    if piece < 0:
        return _stage(debugger, start, end)
    piece_start, piece_end = int(trace.pieces.start[piece]), int(trace.pieces.end[piece])
    n_before = TOKENS_BEFORE if len(trace.text) > LONG_TEXT_BYTES else TOKENS_AROUND
    tokens, is_cut_inside = _around(
        debugger.states.piece_tokens(position, piece, (start, end)), start, n_before
    )
    if debugger.states.has_slots(piece) and len(tokens.ids):  # symbols fill the piece
        is_cut_inside = int(tokens.starts[0]) > piece_start, int(tokens.ends[-1]) < piece_end
    now = _now(debugger)
    at = piece_start if not is_cut_inside[0] else int(tokens.starts[0])
    elements, is_cut = _before(debugger, piece) if not is_cut_inside[0] else ([], True)
    first = len(elements)
    for token_id, token_start, token_end in zip(*(column.tolist() for column in tokens), strict=True):
        if at < token_start:
            elements += _text(debugger, at, token_start, now)
        role = _role(now, token_start, token_end)
        text = debugger.teller.label(token_id, token_start, token_end)
        below = _id(debugger, token_id)
        elements.append(Element(text, below, token_start, token_end, Part.TOKEN, role, first))
        at = max(at, token_end)
    if not is_cut_inside[1]:
        elements += _text(debugger, at, piece_end, now)
    behind, is_cut_behind = _behind(debugger, piece) if not is_cut_inside[1] else ([], True)
    made = _made(debugger) if now.is_pair or columns.result[position] >= 0 else ("", "")
    return Flow(elements + behind, *made, is_cut, is_cut_behind)


def _made(debugger: Debugger) -> tuple[str, str]:
    step = debugger.position
    return debugger.teller.made(step), _id(debugger, int(debugger.trace.columns.result[step]))


def _id(debugger: Debugger, token_id: int) -> str:
    return str(token_id) if 0 <= token_id < len(debugger.vocabulary) else "no token"


class _Now(NamedTuple):
    """What the present step is about: bytes [start, end), for a pair with its right symbol at `middle`."""

    start: int
    middle: int
    end: int
    is_pair: bool
    is_over_text: bool


def _now(debugger: Debugger) -> _Now:
    columns, step = debugger.trace.columns, debugger.position
    start, middle = int(columns.position[step]), int(columns.right_position[step])
    operation = debugger.trace.operation(step)
    is_pair = operation in PAIR_STEPS
    return _Now(start, middle, int(columns.end[step]), is_pair, not is_pair and operation != "done")


def _role(now: _Now, start: int, end: int) -> Role:
    """What the present step has to do with a token of the piece."""
    if start < now.start or end > now.end:
        return Role.NONE
    if now.is_pair:
        is_left = start < now.middle or end <= now.middle  # a space in front of the text takes no bytes
        return Role.LEFT if is_left else Role.RIGHT
    return Role.OVER if now.is_over_text else Role.NONE


def _finished(debugger: Debugger, token_id: int, start: int, end: int, index: int) -> Element:
    """A token that stays, as the other pages show it."""
    kind = debugger.vocabulary.kind(token_id) if 0 <= token_id < len(debugger.vocabulary) else ""
    text = debugger.teller.shown(token_id, start, end)
    part = SPECIAL_PARTS.get(kind, Part.FINISHED)
    return Element(text, _id(debugger, token_id), start, end, part, Role.NONE, index)


def _text(debugger: Debugger, start: int, end: int, now: _Now) -> list[Element]:
    """Text without tokens, cut where the present step begins and ends."""
    if start >= end:
        return []
    inner = sorted({start, end, *(at for at in (now.start, now.end) if start < at < end)})
    found = []
    for first, last in pairwise(inner):
        text = debugger.trace.text[first:last]
        is_over = now.is_over_text and now.start <= first and last <= now.end
        if is_over:
            found.append(Element(visible_text(text, LONGEST_RAW), "", first, last, Part.TEXT, Role.OVER, 0))
        else:
            found += _words(text[: MOST_RAW * LONGEST_RAW], first)
    return found


def _words(text: bytes, start: int) -> list[Element]:
    """Text that is not encoded yet, in parts that rows can be broken between."""
    return [
        Element(
            visible_text(match[0]), "", start + match.start(), start + match.end(), Part.TEXT, Role.NONE, 0
        )
        for match in WORD.finditer(text)
    ]


def _around(tokens: Tokens, start: int, n_before: int) -> tuple[Tokens, tuple[bool, bool]]:
    """The tokens around a place, and whether there are more before and behind."""
    at = int(np.searchsorted(tokens.starts, start))
    first, last = max(0, at - n_before), at + TOKENS_AROUND
    n_tokens = len(tokens.ids)
    return Tokens(*(column[first:last] for column in tokens)), (first > 0, last < n_tokens)


def _before(debugger: Debugger, piece: int) -> tuple[list[Element], bool]:
    """The last tokens of the pieces before, and special ones between these."""
    trace, last = debugger.trace, debugger.trace.piece_tokens(piece).start
    first = max(0, last - TOKENS_BEFORE)
    columns = (column[first:last].tolist() for column in trace.made)
    elements = [
        _finished(debugger, token_id, start, end, first + at)
        for at, (token_id, start, end) in enumerate(zip(*columns, strict=True))
    ]
    n_special = int(trace.special.starts.searchsorted(trace.pieces.start[piece]))
    special = _special(debugger, max(0, n_special - TOKENS_BEFORE), n_special)
    elements = sorted(elements + special, key=_start)[-TOKENS_BEFORE:]
    return elements, last + n_special > len(elements)


def _behind(debugger: Debugger, piece: int) -> tuple[list[Element], bool]:
    """The next pieces, as text, and special tokens between them."""
    trace, first = debugger.trace, piece + 1
    pieces, text = trace.pieces, trace.text
    bounds = zip(
        *(column[first : first + PIECES_BEHIND].tolist() for column in (pieces.start, pieces.end)),
        strict=True,
    )
    elements = []
    for number, (start, piece_end) in enumerate(bounds, first):
        end = min(piece_end, start + LONGEST_RAW)
        shown = visible_text(text[start:end], LONGEST_RAW)
        elements.append(Element(shown, "", start, end, Part.TEXT, Role.NONE, number))
    n_special = int(trace.special.starts.searchsorted(pieces.end[piece]))
    special = _special(debugger, n_special, n_special + PIECES_BEHIND)
    elements = sorted(elements + special, key=_start)[:PIECES_BEHIND]
    n_behind = trace.n_pieces - first + len(trace.special.ids) - n_special
    return elements, n_behind > len(elements)


def _special(debugger: Debugger, first: int, last: int) -> list[Element]:
    """Some of the special tokens that were cut out of the text."""
    columns = (column[first:last].tolist() for column in debugger.trace.special)
    return [
        _finished(debugger, token_id, start, end, 0) for token_id, start, end in zip(*columns, strict=True)
    ]


def _start(element: Element) -> int:
    return element.start


def _stage(debugger: Debugger, start: int, end: int) -> Flow:
    """Before and behind encoding: what is a token already, and text around the present step."""
    text = debugger.trace.text
    first, last = max(0, start - LONGEST_RAW), min(len(text), max(end, start + 1) + MOST_RAW * LONGEST_RAW)
    tokens = debugger.states.tokens(debugger.position, (first, last))
    near = (tokens.ends >= first) & (tokens.starts <= last)
    elements: list[Element] = []
    at, now = first, _now(debugger)
    columns = (column[near][: 3 * TOKENS_AROUND].tolist() for column in tokens)
    for index, (token_id, token_start, token_end) in enumerate(zip(*columns, strict=True)):
        elements += _text(debugger, at, token_start, now)
        elements.append(_finished(debugger, token_id, token_start, token_end, index))
        at = max(at, token_end)
    elements += _text(debugger, at, last, now)
    made = _made(debugger) if debugger.trace.columns.result[debugger.position] >= 0 else ("", "")
    return Flow(elements, *made, first > 0, last < len(text))


def _result(debugger: Debugger) -> Flow:
    """The end: all tokens, as far as there is room for them."""
    tokens = debugger.trace.result
    most = 6 * TOKENS_AROUND
    columns = (column[:most].tolist() for column in tokens)
    elements = [
        _finished(debugger, token_id, start, end, index)
        for index, (token_id, start, end) in enumerate(zip(*columns, strict=True))
    ]
    return Flow(elements, "", "", False, len(tokens.ids) > most)


class Place(NamedTuple):
    """A node of a lattice: the character that begins there, and what the best way to it is worth."""

    text: str
    worth: str
    is_reached: bool


class Edge(NamedTuple):
    """A token of a lattice between two places.

    kind     "way", "chosen", "now" or "worse"
    is_left  whether the way that it is part of leads to the left
    """

    first: int
    last: int
    text: str
    kind: str
    is_left: bool = False


class Lattice(NamedTuple):
    """The places of a piece around the present step, and the best way to each."""

    places: list[Place]
    edges: list[Edge]


def lattice(debugger: Debugger) -> Lattice:
    """What Viterbi and the like know before the present step."""
    trace, position = debugger.trace, debugger.position
    piece = trace.piece_at(position)
    if piece < 0 or debugger.states.has_slots(piece):
        return Lattice([], [])
    columns = trace.columns
    work = trace.piece_work(piece)
    bounds = np.flatnonzero(np.frombuffer(work + b"\n", np.uint8) & 0xC0 != 0x80)  # its end included
    middle = int(bounds.searchsorted(_offset(debugger, piece)))
    first = max(0, min(middle - LATTICE_PLACES // 2, len(bounds) - LATTICE_PLACES))
    shown = bounds[first : first + LATTICE_PLACES].tolist()
    ways = debugger.states.ways(position, piece, slice(shown[0], shown[-1] + 1)).tolist()
    number = {offset: index for index, offset in enumerate(shown)}
    places, edges = [], []
    for index, offset in enumerate(shown):
        end = int(bounds[first + index + 1]) if first + index + 1 < len(bounds) else offset
        step = ways[offset - shown[0]]
        worth = _worth(float(columns.rank[step])) if step >= 0 else ""
        places.append(Place(visible_text(work[offset:end]), worth, step >= 0))
        origin = int(columns.other_cell[step]) if step >= 0 else -1
        if step >= 0 and origin in number:
            edges.append(_edge(debugger, step, number[origin], index, "way"))
    edges += _chosen(debugger, piece, number)
    cell, other = int(columns.cell[position]), int(columns.other_cell[position])
    if trace.operation(position) in ("reach", "worse", "reject") and cell in number and other in number:
        kind = "now" if trace.operation(position) == "reach" else "worse"
        edges.append(_edge(debugger, position, number[other], number[cell], kind))
    return Lattice(places, edges)


def _offset(debugger: Debugger, piece: int) -> int:
    """The place of a piece that the present step reaches, or where the token ends that it is about."""
    columns, step = debugger.trace.columns, debugger.position
    if columns.cell[step] >= 0 and EFFECTS[columns.operation[step]] not in MADE_TOKENS:
        return int(columns.cell[step])
    starts = debugger.trace.cells.start[debugger.trace.piece_cells(piece)]
    return int(starts.searchsorted(columns.end[step]))


def _edge(debugger: Debugger, step: int, first: int, last: int, kind: str) -> Edge:
    text = debugger.teller.made(step) if debugger.trace.columns.result[step] >= 0 else "bytes"
    return Edge(min(first, last), max(first, last), text, kind, last < first)


def _chosen(debugger: Debugger, piece: int, number: dict[int, int]) -> list[Edge]:
    """The tokens of the best way that were followed so far, the one of the present step marked."""
    columns, position = debugger.trace.columns, debugger.position
    is_made_now = EFFECTS[columns.operation[position]] in MADE_TOKENS
    steps = debugger.states.makers(position + is_made_now, piece)
    if not len(steps):
        return []
    last = len(debugger.trace.piece_work(piece))
    goes_back = debugger.states.goes_back(steps)
    if not goes_back:
        starts = debugger.trace.cells.start[debugger.trace.piece_cells(piece)]
        last = int(starts.searchsorted(columns.end[steps[-1]]))
    bounds = [*columns.other_cell[steps].tolist(), last]
    edges = []
    for step, (start, end) in zip(steps.tolist(), pairwise(bounds), strict=True):
        if start in number and end in number:
            way = (number[end], number[start]) if goes_back else (number[start], number[end])
            edges.append(_edge(debugger, step, *way, "now" if step == position else "chosen"))
    return edges


def _worth(worth: float) -> str:
    if np.isnan(worth):
        return "✓"
    return f"{worth:,.0f}" if worth.is_integer() else f"{worth:,.2f}".replace("-", "−")


class Try(NamedTuple):
    """Something that was tried at this place; `verdict` says what came of it."""

    text: str
    verdict: str


class Stack(NamedTuple):
    """The tokens taken so far, the last one last, and what was tried for the next."""

    taken: list[Try]
    tries: list[Try]


VERDICTS = {
    "miss": "no token",
    "fail": "goes no further",
    "reject": "cannot follow",
    "dead end": "nothing can follow",
    "rule out": "left out",
    "back": "taken back",
    "take": "taken",
}


def stack(debugger: Debugger, n_taken: int = 12) -> Stack:
    """What an encoder that takes tokens one by one has done in this piece."""
    trace, position = debugger.trace, debugger.position
    piece = trace.piece_at(position)
    if piece < 0:
        return Stack([], [])
    tokens = debugger.states.piece_tokens(position, piece)
    columns = (column[-n_taken:].tolist() for column in tokens)
    taken = [
        Try(debugger.teller.label(token_id, start, end), f"{start:,}–{end:,}")
        for token_id, start, end in zip(*columns, strict=True)
    ]
    first = position
    while first > 0 and trace.operation(first - 1) in TRIES:
        first -= 1
    last = position + 1 if position < len(trace) and trace.operation(position) in VERDICTS else position
    tries = [
        Try(debugger.teller.made(step), VERDICTS[trace.operation(step)])
        for step in range(max(first, last - n_taken), last)
    ]
    return Stack(taken, tries)


class Made(NamedTuple):
    """A token or symbol that an earlier step made."""

    step: int
    text: str
    worth: str


def made_so_far(debugger: Debugger, limit: int = 9) -> list[Made]:
    """The last steps before the present one that made something, the newest last."""
    columns, position = debugger.trace.columns, debugger.position
    first = max(0, position - 5000)
    steps = np.flatnonzero(FORMS[columns.operation[first:position]])[-limit:] + first
    found = []
    is_merge = (columns.operation[steps] == NUMBERS["merge"]).tolist()
    for step, joins in zip(steps.tolist(), is_merge, strict=True):
        text, worth = debugger.teller.made(step), debugger.teller.worth(step)
        if joins:
            text = f"{' + '.join(debugger.teller.joined(step))} → {text}"
        found.append(Made(step, text, "" if worth == "nan" else worth))
    return found
