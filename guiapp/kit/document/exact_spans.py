"""What the exact encoder makes of the text, at each moment, while an approximate one is in use."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.analysis.editing.token_store import Options, TokenStore
from guiapp.kit.document.document import TextDocument
from guiapp.kit.document.live_spans import LiveSpans

if TYPE_CHECKING:
    from guiapp.analysis.explain.encoder_agreement import TokenSpans
    from guiapp.core.encode.tokenizer import Tokenizer

AT_ONCE = 1 << 14  # tokens that are looked through for the next one that differs
MOST_INSTEAD = 64  # tokens that are told in place of one


class Instead(NamedTuple):
    """The smallest stretch [start, end) at whose ends both encoders cut, and where the exact one does within.

    spans  of its first tokens, at most MOST_INSTEAD
    """

    start: int
    end: int
    spans: tuple[tuple[int, int], ...]


class ExactSpans(QObject):
    """A second encoding of a document, which follows edits as the one that is shown does.

    Signals:
        changed(): by no edit, `is_known` or the tokens are new.
    """

    changed = Signal()

    def __init__(self, document: TextDocument, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._spans = LiveSpans(document, self, is_timed=False)
        self._spans.encoded.connect(self.changed)

    @property
    def is_known(self) -> bool:
        """Whether an approximate encoder is in use, and the exact one is done with the text."""
        return self._spans.is_known

    @property
    def version(self) -> tuple[TokenStore, int] | None:
        """Equal as long as the tokens are the same; None while they are not known."""
        tokens = self._spans.tokens
        return (tokens, tokens.replaced.n_changes) if self.is_known else None

    def use(self, tokenizer: Tokenizer | None, options: Options) -> None:
        """From now on beside this encoder; without a tokenizer, and beside an exact one, there is no need."""
        algorithm = None if tokenizer is None else tokenizer.encoders.get(options.encoder or "")
        is_needed = algorithm is not None and not algorithm.exact
        self._spans.use(tokenizer if is_needed else None, replace(options, encoder=None))

    def apply_edit(self, edit: TextEdit) -> None:
        self._spans.apply_edit(edit)

    def catch_up(self) -> None:
        """Have the whole text encoded in the background, if that is to be done."""
        self._spans.catch_up()

    def expect_edit(self) -> None:
        """The next edit may be at the caret: prepare for it in a moment."""
        if self.is_known:
            self._spans.expect_edit()

    def close(self) -> None:
        """Stop all work; nothing is delivered any more."""
        self._spans.close()

    def differing(self, shown_tokens: TokenSpans) -> NDArray[np.bool_]:
        """bool[k]: which of some tokens that follow each other have text, and the exact encoder has not."""
        if not self.is_known or not len(shown_tokens.ids):
            return np.zeros(len(shown_tokens.ids), np.bool_)
        from guiapp.analysis.explain.encoder_agreement import differing  # time that starting does not have

        tokens = self._spans.tokens
        first = tokens.first_ending_from(int(shown_tokens.starts[0]))
        return differing(shown_tokens, tokens.between(first, tokens.first_after(int(shown_tokens.ends[-1]))))

    def next_from(self, shown_tokens: TokenStore, start: int, end: int, by: int) -> tuple[int, int] | None:
        """The next place with a token that differs behind a stretch, or the last one before it, as bytes.

        At both ends of a place both encoders cut.  From the last one it goes on with the first; None where
        there is none.
        """
        n_tokens = len(shown_tokens)
        at = shown_tokens.first_from(end) if by > 0 else shown_tokens.first_ending_after(start)
        for first, last in _chunks(at, n_tokens) if by > 0 else reversed([*_chunks(at, n_tokens)]):
            rows = np.flatnonzero(self.differing(shown_tokens.between(first, last)))
            if len(rows):
                return self._common_span(shown_tokens, first + int(rows[0 if by > 0 else -1]))
        return None

    def instead_of(self, shown_tokens: TokenStore, index: int) -> Instead | None:
        """What the exact encoder gives where a token is; None where that is the same one."""
        if not self.differing(shown_tokens.between(index, index + 1)).any():
            return None
        tokens, (start, end) = self._spans.tokens, self._common_span(shown_tokens, index)
        first, last = tokens.indexes_in(start, end)
        last = min(last, first + MOST_INSTEAD)
        return Instead(start, end, tuple(tokens.span(at) for at in range(first, last)))

    def _common_span(self, shown_tokens: TokenStore, index: int) -> tuple[int, int]:
        """The smallest one around a token at whose ends both encoders cut."""
        from guiapp.analysis.compare.spans import aligned_span  # time that starting does not have

        return aligned_span((shown_tokens, self._spans.tokens), *shown_tokens.span(index))


def _chunks(at: int, n_tokens: int) -> list[tuple[int, int]]:
    """All tokens from one on, and then those before it, in stretches of AT_ONCE."""
    behind = pairwise([*range(at, n_tokens, AT_ONCE), n_tokens])
    return [*behind, *pairwise([*range(0, at, AT_ONCE), at])]
