"""What the token panels read and say: the tokens of the present text, and which of them is pointed at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import SignalInstance

if TYPE_CHECKING:
    from guiapp.core.tokenizer import Tokenizer
    from guiapp.core.vocab.vocabulary import Vocabulary


class TokenSource(Protocol):
    """The part of the session that the token panels need.

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
    def tokenizer(self) -> Tokenizer | None: ...

    @property
    def vocabulary(self) -> Vocabulary | None: ...

    @property
    def n_tokens(self) -> int: ...

    @property
    def n_bytes(self) -> int:
        """The length of the text."""

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

    def token_ids(self, start: int, end: int) -> NDArray[np.int32]:
        """The ids of the tokens [start, end)."""

    def tints(self, start: int, end: int) -> NDArray[np.uint8]:
        """Which colours the tokens [start, end) have: numbers that differ between neighbours."""

    def n_times(self, token_id: int) -> int:
        """How often a token occurs."""

    def span(self, index: int) -> tuple[int, int]:
        """Where a token came from, as a byte range of the text."""

    def text_slice(self, start: int, end: int) -> bytes:
        """A stretch of the text."""

    def n_characters_before(self, offset: int) -> int:
        """How many characters of the text begin before `offset`."""
