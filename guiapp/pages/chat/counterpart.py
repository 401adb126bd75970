"""What the prompt of the Chat page is compared with, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from guiapp.core.open_model import open_model
from guiapp.kit.session.loader import Load
from guiapp.kit.state.background import LatestJob, Progress, Working
from guiapp.pages.chat.hint_list import BECAME_CONTROL
from guiapp.pages.chat.model import ChatModel, ChatResult, tints_of

if TYPE_CHECKING:
    from guiapp.analysis.chat.chat import Chat, TokenOrigin
    from guiapp.analysis.chat.hints import Hint
    from guiapp.analysis.chat.report import ChatComparison
    from guiapp.core.encode.encoding import Encoding
    from guiapp.core.encode.tokenizer import Tokenizer
    from guiapp.kit.session.model_session import ModelSession


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

    sides        both prompts, with those hints that are marked in them
    tokenizer    of another model, to be kept
    description  of llama.cpp, in what its prompt is another; "" for nothing
    """

    counterpart: Counterpart
    comparison: ChatComparison
    sides: tuple[ChatResult, ChatResult]
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
    len(comparison.changes.rows), comparison.turns, comparison.counts  # rather than in the window's thread
    return ComparedPrompts(counterpart, comparison, (_shown(chat), _shown(other)), tokenizer, description)


def _shown(chat: Chat) -> ChatResult:
    from guiapp.analysis.chat.hints import hints

    marked = tuple(hint for hint in hints(chat) if hint.code == BECAME_CONTROL)
    return ChatResult(chat=chat, hints=marked, token_tints=tints_of(chat))


class ComparedPrompt(QObject):
    """One of both prompts, as `PromptView` and `ChatSpans` show it.

    session         the window's, for the spelling of tokens
    shown           the prompt; None while there is none
    is_outdated     whether a newer one is on its way
    selected_token  one of `encoding`

    Signals:
        result_changed(): `shown` or `is_outdated` is new.
        selected_changed(): `selected_token` is new.
    """

    result_changed = Signal()
    selected_changed = Signal()

    def __init__(self, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.shown: ChatResult | None = None
        self.is_outdated = False
        self.selected_token: int | None = None

    @property
    def failure(self) -> str:
        return "Comparing…" if self.is_outdated else ""

    @property
    def chat(self) -> Chat | None:
        return None if self.shown is None else self.shown.chat

    @property
    def hints(self) -> tuple[Hint, ...]:
        return () if self.shown is None else self.shown.hints

    @property
    def encoding(self) -> Encoding | None:
        return None if self.chat is None else self.chat.encoding

    @property
    def origins(self) -> Sequence[TokenOrigin]:
        return [] if self.chat is None else self.chat.origins

    def show(self, shown: ChatResult | None, is_outdated: bool) -> None:
        self.is_outdated = is_outdated
        if shown is not self.shown:
            self.shown = shown
            self.select_token(None)
        self.result_changed.emit()

    def select_token(self, index: int | None) -> None:
        if index != self.selected_token:
            self.selected_token = index
            self.selected_changed.emit()
