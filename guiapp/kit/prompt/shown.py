"""The model of a shown prompt, and the colour of each token by its origin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.chat.as_text import is_control
from guiapp.kit.document.coloured_spans import CONTROL_SHADE, ORIGIN_SHADE, PLAIN_SHADE
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import Working

if TYPE_CHECKING:
    from guiapp.analysis.chat.chat import Chat, TokenOrigin
    from guiapp.analysis.chat.hints import Hint
    from guiapp.analysis.chat.templates import ChatTemplate
    from guiapp.core.encode.encoding import Encoding
    from guiapp.core.encode.tokenizer import Tokenizer

HUES = ("user", "tool", "system", "assistant", "other")
HUE_OF = {"developer": "system", "tools": "tool", "function": "tool", "model": "assistant"}


@dataclass(frozen=True, eq=False)
class ChatResult:
    """The result of rendering messages.

    template  the chosen template, None if there is none
    chat      None if there is no prompt; `failure` is the reason
    token_tints     uint8[n], see `tints_of`
    """

    templates: tuple[ChatTemplate, ...] = ()
    template: ChatTemplate | None = None
    chat: Chat | None = None
    hints: tuple[Hint, ...] = ()
    token_tints: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))
    failure: str = ""
    failed_line: int = 0


class ShownPrompt(Working):
    """A prompt in tokens, and the selected token.

    session         the window's, for the spelling of tokens
    shown           the prompt; None while there is none
    selected_token  an index in `encoding`

    Signals:
        result_changed(): `shown` is new.
        late_changed(): `is_late` may be new.
        selected_changed(): `selected_token` is new.
    """

    result_changed = Signal()
    late_changed = Signal()
    selected_changed = Signal()

    def __init__(self, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.shown: ChatResult | None = None
        self.selected_token: int | None = None

    @property
    def is_late(self) -> bool:
        """Whether the prompt is outdated, because the messages have changed, and must be shown as such."""
        return False

    @property
    def chat(self) -> Chat | None:
        """The last prompt, None if this model has never had one."""
        return None if self.shown is None else self.shown.chat

    @property
    def tokenizer(self) -> Tokenizer | None:
        """The tokenizer of the prompt, or of the session while there is no prompt."""
        return self.session.tokenizer if self.chat is None else self.chat.tokenizer

    @property
    def hints(self) -> tuple[Hint, ...]:
        return () if self.shown is None else self.shown.hints

    @property
    def encoding(self) -> Encoding | None:
        return None if self.chat is None else self.chat.encoding

    @property
    def origins(self) -> Sequence[TokenOrigin]:
        return [] if self.chat is None else self.chat.origins

    def select_token(self, index: int | None) -> None:
        if index != self.selected_token:
            self.selected_token = index
            self.selected_changed.emit()


def hue_of(role: str) -> int:
    """The index of a role's hue in HUES."""
    hue = HUE_OF.get(role, role)
    return HUES.index(hue if hue in HUES else "other")


def tints_of(chat: Chat) -> NDArray[np.uint8]:
    """uint8[n]: the tint of each token; tokens of content alternate between two strengths."""
    vocabulary, origins = chat.tokenizer.vocabulary, chat.origins
    hues = [hue_of(each.role) if each.is_content else -1 for each in chat.runs.of_runs]
    content = np.array(hues, np.int64)[origins.rows]
    own = np.where(is_control(vocabulary)[chat.token_ids], CONTROL_SHADE, PLAIN_SHADE)
    strengths = np.cumsum(content >= 0) % 2
    return np.where(content >= 0, ORIGIN_SHADE + 2 * content + strengths, own).astype(np.uint8)
