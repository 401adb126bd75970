"""Two prompts side by side as what is drawn: cells by turn, long stretches that are alike left out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.vocabulary.quoting import quoted
from guiapp.pages.chat.token_tints import hue_of

if TYPE_CHECKING:
    from guiapp.analysis.chat.chat import Chat, Turn
    from guiapp.analysis.chat.report import ChatComparison

LONGEST_ALIKE, KEPT = 240, 60  # tokens in a row that both have, of longer ones those at the ends
MOST_CELLS = 3_000  # of a turn
MOST_IN_ALL = 40_000


class TokenCell(NamedTuple):
    """A token, or `n_more` that are not drawn from that one on.

    hue        of the role whose content it is, -1 for what the template writes
    step       of two strengths
    is_control  whether it is a control token; `became_control`: of content
    is_shared  whether the other prompt has it, too
    """

    token: int
    token_id: int
    hue: int = -1
    step: int = 0
    is_control: bool = False
    became_control: bool = False
    is_shared: bool = True
    n_more: int = 0

    @property
    def n_shared(self) -> int:
        """How many tokens it stands for that both have."""
        return self.n_more or int(self.is_shared)


class ComparedTurn(NamedTuple):
    """A turn in both.

    number  of the message, from 1; 0 for none
    hue     of its role, -1 for none
    absence  what a prompt without it is told to have
    sides   the cells of both, () of one that has no such turn
    """

    number: int
    hue: int
    absence: str
    sides: tuple[tuple[TokenCell, ...], tuple[TokenCell, ...]]


def compared_turns(compared: ChatComparison) -> list[ComparedTurn]:
    """Those of a comparison, from the beginning up to as many cells as may be drawn."""
    found, n_cells = list[ComparedTurn](), 0
    for pair in compared.turns:
        turn = pair.first or pair.second
        if turn is None or n_cells > MOST_IN_ALL:
            break
        sides = [
            _cells(chat, each, shared)
            for chat, each, shared in zip(
                (compared.first, compared.second), pair, compared.is_shared, strict=True
            )
        ]
        n_cells += len(sides[0]) + len(sides[1])
        number = 0 if turn.message is None else turn.message + 1
        hue = hue_of(turn.role) if turn.role else -1
        found.append(ComparedTurn(number, hue, _absence(turn), (sides[0], sides[1])))
    return found


def _absence(turn: Turn) -> str:
    if turn.is_prompt:
        return "no generation prompt"
    return f"no message of {quoted(turn.role)}" if turn.message is not None else "nothing"


def _cells(chat: Chat, turn: Turn | None, is_shared: NDArray[np.bool_]) -> tuple[TokenCell, ...]:
    from guiapp.analysis.chat.as_text import is_control

    if turn is None:
        return ()
    control = is_control(chat.tokenizer.vocabulary)[chat.token_ids[turn.start : turn.end]].tolist()
    cells, step = list[TokenCell](), 0
    for index, n_more in _shown(turn, is_shared):
        origin, token_id = chat.origins[index], int(chat.token_ids[index])
        hue = hue_of(origin.role) if origin.is_content else -1
        step = 1 - step if origin.is_content else step
        signs = control[index - turn.start], bool(chat.became_control[index])
        cells.append(TokenCell(index, token_id, hue, step, *signs, bool(is_shared[index]), n_more))
        if len(cells) == MOST_CELLS and turn.end > index + 1:
            cells.append(TokenCell(index + 1, 0, n_more=turn.end - index - 1))
            break
    return tuple(cells)


def _shown(turn: Turn, is_shared: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Tokens, each with 0, and where some are left out the first of them with their number."""
    bounds = [
        turn.start,
        *(np.flatnonzero(~is_shared[turn.start : turn.end]) + turn.start).tolist(),
        turn.end,
    ]
    found = list[tuple[int, int]]()
    for at, (last, following) in enumerate(pairwise(bounds)):
        first = last + (at > 0)
        if at > 0:
            found.append((last, 0))
        if following - first > LONGEST_ALIKE:
            found += ((index, 0) for index in range(first, first + KEPT))
            found.append((first + KEPT, following - first - 2 * KEPT))
            found += ((index, 0) for index in range(following - KEPT, following))
        else:
            found += ((index, 0) for index in range(first, following))
    return found


class TurnDifference(NamedTuple):
    """A stretch that is not in both: its turn, how many that both have come before, side, first token."""

    turn: int
    n_before: int
    side: int
    token: int


def differences(turns: Sequence[ComparedTurn]) -> list[TurnDifference]:
    """All, in order; of what differs in both prompts at one place, that at the left."""
    found = list[TurnDifference]()
    for number, turn in enumerate(turns):
        firsts = dict[int, TurnDifference]()  # by how many both have before it
        for side, cells in enumerate(turn.sides):
            n_before = 0
            for cell in cells:
                if not cell.is_shared:
                    firsts.setdefault(n_before, TurnDifference(number, n_before, side, cell.token))
                n_before += cell.n_shared
        found += (firsts[n_before] for n_before in sorted(firsts))
    return found


class CellPosition(NamedTuple):
    """Where a cell is drawn: from the left, in units, in which row, and how wide."""

    left: float
    row: int
    width: float


def flowed(widths: Sequence[float], ends_row: Sequence[bool], room: float) -> list[CellPosition]:
    """Cells one after another in rows of some room; what is wider has a row of its own, and is cut."""
    placed, left, row = list[CellPosition](), 0.0, 0
    for width, is_end in zip(widths, ends_row, strict=True):
        width = min(width, room)
        if left and left + width > room:
            left, row = 0.0, row + 1
        placed.append(CellPosition(left, row, width))
        left += width
        if is_end:
            left, row = 0.0, row + 1
    return placed
