"""What the token panels read and say: the tokens of the present text, and which of them is pointed at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import SignalInstance

if TYPE_CHECKING:
    from guiapp.core.editing.token_store import TokenStore
    from guiapp.core.tokenizer import Tokenizer
    from guiapp.core.vocab.vocabulary import Vocabulary
    from guiapp.viewmodels.spelling import SharedSpelling
    from guiapp.viewmodels.text.document import TextDocument
    from guiapp.viewmodels.text.exact_twin import Instead


class ToldTokens(Protocol):
    """Tokens of a text that can be told about."""

    @property
    def tokenizer(self) -> Tokenizer | None: ...

    @property
    def vocabulary(self) -> Vocabulary | None: ...

    @property
    def spelling(self) -> SharedSpelling: ...

    @property
    def document(self) -> TextDocument:
        """The text."""

    @property
    def tokens(self) -> TokenStore:
        """Those of the text, to read from until the next `tokens_changed`."""

    def exact_instead(self, index: int) -> Instead | None:
        """What the exact encoder gives in place of a token; None where that is the same, or not known."""


class TokenSource(ToldTokens, Protocol):
    """The part of a `ModelSession` that the token panels need.

    Token indexes count from 0 over all tokens, BOS and the like included; spans are byte ranges of the
    text.  After `tokens_changed` the same index may be another token.
    """

    @property
    def tokens_changed(self) -> SignalInstance:
        """Carries the edit that changed them, None where the text is the same, and the tokens."""

    @property
    def vocabulary_changed(self) -> SignalInstance: ...

    @property
    def selected_token_changed(self) -> SignalInstance: ...

    @property
    def hovered_token_changed(self) -> SignalInstance: ...

    @property
    def tokens_of_selected_text(self) -> tuple[int, int] | None:
        """The tokens [start, end) that the selection is in, also in part; None where there is none."""

    @property
    def is_encoding(self) -> bool:
        """Whether the tokens of the text as it is now are still being made."""

    @property
    def selected_token(self) -> int | None: ...

    @property
    def hovered_token(self) -> int | None: ...

    def select_token(self, index: int | None) -> None: ...

    def hover_token(self, index: int | None) -> None: ...
