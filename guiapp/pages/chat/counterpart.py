"""The prompt to compare the Chat page's prompt with, and the result of the comparison."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from guiapp.core.open_model import open_model
from guiapp.kit.prompt.shown import ChatResult, ShownPrompt, tints_of
from guiapp.kit.prompt.view import BECAME_CONTROL
from guiapp.kit.session.loader import Load
from guiapp.kit.state.background import Background, Progress
from guiapp.pages.chat.model import ChatModel

if TYPE_CHECKING:
    from guiapp.analysis.chat.chat import Chat
    from guiapp.analysis.chat.report import ChatComparison
    from guiapp.core.encode.tokenizer import Tokenizer


class PromptVariant(Enum):
    """How the other prompt is made: content as text, with or without generation prompt, …"""

    AS_TEXT = "text"
    NO_PROMPT = "prompt"
    TEMPLATE = "template"
    MODEL = "model"
    LLAMA_CPP = "llama.cpp"


@dataclass(frozen=True)
class Counterpart:
    """A prompt to compare with; `name` is a template's name, file or text, or a model's name."""

    way: PromptVariant
    name: str = ""
    pre: str | None = None


@dataclass(frozen=True)
class ComparedPrompts:
    """The result of a comparison.

    sides        both prompts, with the hints that are marked in them
    tokenizer    another model's tokenizer, to reuse
    description  how llama.cpp's prompt differs; "" if it does not
    """

    counterpart: Counterpart
    comparison: ChatComparison
    sides: tuple[ChatResult, ChatResult]
    tokenizer: Tokenizer | None = None
    description: str = ""


class PromptComparison(Background[ComparedPrompts]):
    """Compares the shown prompt with another one while a counterpart is chosen.

    counterpart  the chosen one, None for none
    """

    def __init__(self, model: ChatModel, load: Load = open_model, parent: QObject | None = None) -> None:
        super().__init__(parent, self._prepare_comparison, is_watched=True)
        self.model, self._load = model, load
        self.counterpart: Counterpart | None = None
        self._of: Chat | None = None
        model.result_changed.connect(self._on_result_changed)

    def choose(self, counterpart: Counterpart | None) -> None:
        """Compare with a counterpart, None for none; a file is read again."""
        if counterpart is not None or self.counterpart is not None:
            self.counterpart = counterpart
            self.forget()
            self.refresh()
            self.changed.emit()

    def _on_result_changed(self) -> None:
        if self.counterpart is not None and self.model.chat is not self._of:
            self.refresh()
            self.changed.emit()

    def _prepare_comparison(self) -> Callable[[Progress], ComparedPrompts] | None:
        chat = self._of = self.model.chat
        if chat is None or self.counterpart is None:
            return None
        tokenizer = None if self.value is None else self.value.tokenizer
        return partial(_compared, chat, self.counterpart, tokenizer, self._load)


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
    len(comparison.changes.rows), comparison.turns, comparison.counts  # rather than in the GUI thread
    return ComparedPrompts(counterpart, comparison, (_shown(chat), _shown(other)), tokenizer, description)


def _shown(chat: Chat) -> ChatResult:
    from guiapp.analysis.chat.hints import hints

    marked = tuple(hint for hint in hints(chat) if hint.code == BECAME_CONTROL)
    return ChatResult(chat=chat, hints=marked, token_tints=tints_of(chat))


class ComparedPrompt(ShownPrompt):
    """One of both prompts."""

    _is_outdated = False

    @property
    def is_late(self) -> bool:
        return self._is_outdated

    def show(self, shown: ChatResult | None, is_outdated: bool) -> None:
        """Show a prompt; `is_outdated` if a newer one is being computed."""
        self._is_outdated = is_outdated
        if shown is not self.shown:
            self.shown = shown
            self.select_token(None)
        self.result_changed.emit()
