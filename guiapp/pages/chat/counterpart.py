"""What the prompt of the Chat page is compared with, and both as cells to draw, turn by turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.core.open_model import open_model
from guiapp.core.text.numbers_in_words import quoted
from guiapp.kit.session.loader import Load
from guiapp.kit.state.background import LatestJob, Progress, Working
from guiapp.pages.chat.model import ChatModel, hue_of

if TYPE_CHECKING:
    from guiapp.analysis.chat.chat import Chat, Turn
    from guiapp.analysis.chat.report import ChatComparison
    from guiapp.core.encode.tokenizer import Tokenizer

LONGEST_ALIKE, KEPT = 240, 60  # tokens in a row that both have, of longer ones those at the ends
MOST_CELLS = 3_000  # of a turn
MOST_IN_ALL = 40_000


class PromptVariant(Enum):
    """In what the other prompt differs: content is text, the generation prompt is or is not there …"""

    AS_TEXT = "text"
    NO_PROMPT = "prompt"
    TEMPLATE = "template"
    MODEL = "model"
    LLAMA_CPP = "llama.cpp"


@dataclass(frozen=True)
class Counterpart:
    """One that may be chosen: the name of a template, its file or its text, or that of a model."""

    way: PromptVariant
    name: str = ""
    pre: str | None = None


@dataclass(frozen=True)
class ComparedPrompts:
    """What became of it.

    tokenizer   of another model, to be kept
    description        of llama.cpp, in what its prompt is another; "" for nothing
    """

    counterpart: Counterpart
    comparison: ChatComparison
    turns: tuple[ComparedTurn, ...]
    tokenizer: Tokenizer | None = None
    description: str = ""


class PromptComparison(Working):
    """Compares the prompt that is shown, as long as something is chosen.

    counterpart    what is chosen, None for nothing
    compared  the last comparison with it; None before the first
    failure   why there is none of the prompt as it is now

    Signals:
        changed(): something of this is new.
    """

    changed = Signal()

    def __init__(self, model: ChatModel, load: Load = open_model, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.model, self._load = model, load
        self.counterpart: Counterpart | None = None
        self.compared: ComparedPrompts | None = None
        self.failure = ""
        self._of: Chat | None = None
        self._job = LatestJob[ComparedPrompts](self, self._take, self._fail)
        self._job.busy_changed.connect(self.changed)
        model.result_changed.connect(self._compare)

    @property
    def is_busy(self) -> bool:
        return self._job.is_busy

    def choose(self, counterpart: Counterpart | None) -> None:
        if counterpart == self.counterpart:
            return
        self.counterpart, self.compared, self.failure, self._of = counterpart, None, "", None
        self._job.cancel()
        self._compare()
        self.changed.emit()

    def _compare(self) -> None:
        chat = self.model.chat
        if self.counterpart is None or chat is self._of:
            return
        self._of = chat
        if chat is None:
            self._job.cancel()
            self.compared = None
            self.changed.emit()
            return
        kept = None if self.compared is None else self.compared.tokenizer
        self._job.start(partial(_compared, chat, self.counterpart, kept, self._load))

    def _take(self, compared: ComparedPrompts) -> None:
        self.compared, self.failure = compared, ""
        self.changed.emit()

    def _fail(self, reason: str) -> None:
        self.compared, self.failure = None, reason
        self.changed.emit()


def _compared(
    chat: Chat, counterpart: Counterpart, tokenizer: Tokenizer | None, load: Load, progress: Progress
) -> ComparedPrompts:
    from guiapp.analysis.chat.chat import chat_of
    from guiapp.analysis.chat.llama_cpp import llama_prompt
    from guiapp.analysis.chat.report import ChatComparison, as_text_of, in_model

    checkpoint, settings, description = partial(progress, 0.0), chat.settings, ""
    match counterpart.way:
        case PromptVariant.AS_TEXT:
            chat, other = as_text_of(chat, False), as_text_of(chat)
        case PromptVariant.NO_PROMPT:
            settings = replace(settings, add_generation_prompt=not settings.add_generation_prompt)
            other = chat_of(chat.tokenizer, chat.conversation, settings, checkpoint)
        case PromptVariant.TEMPLATE:
            settings = replace(settings, template=counterpart.name)
            other = chat_of(chat.tokenizer, chat.conversation, settings, checkpoint)
        case PromptVariant.MODEL:
            tokenizer = tokenizer or load(counterpart.name, counterpart.pre, progress)
            other = in_model(chat, tokenizer, settings, None, checkpoint)
        case PromptVariant.LLAMA_CPP:
            prompt = llama_prompt(chat, checkpoint)
            other, description = prompt.chat, prompt.difference(chat)
    comparison = ChatComparison(chat, other)
    return ComparedPrompts(counterpart, comparison, tuple(compared_turns(comparison)), tokenizer, description)


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
        first = _cells(compared.first, pair.first, compared.is_shared[0])
        second = _cells(compared.second, pair.second, compared.is_shared[1])
        n_cells += len(first) + len(second)
        number = 0 if turn.message is None else turn.message + 1
        hue = hue_of(turn.role) if turn.role else -1
        found.append(ComparedTurn(number, hue, _absence(turn), (first, second)))
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
    others = (np.flatnonzero(~is_shared[turn.start : turn.end]) + turn.start).tolist()
    found, first = list[tuple[int, int]](), turn.start
    for other in (*others, turn.end):
        if other - first > LONGEST_ALIKE:
            found += ((index, 0) for index in range(first, first + KEPT))
            found.append((first + KEPT, other - first - 2 * KEPT))
            first = other - KEPT
        found += ((index, 0) for index in range(first, min(other + 1, turn.end)))
        first = other + 1
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
