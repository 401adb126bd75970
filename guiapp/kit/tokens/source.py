"""Whose tokens can be told about: those of a model and a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from guiapp.analysis.editing.token_store import TokenStore
    from guiapp.core.encode.tokenizer import Tokenizer
    from guiapp.core.vocabulary.vocabulary import Vocabulary
    from guiapp.kit.document.document import TextDocument
    from guiapp.kit.document.exact_spans import Instead
    from guiapp.kit.state.spelling import SharedSpelling


class TokenSource(Protocol):
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
