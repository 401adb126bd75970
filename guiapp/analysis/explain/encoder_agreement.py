"""How many tokens of a text an approximate and the exact encoder share, and the first difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from guiapp.core.demo import sample_text
from guiapp.core.encode.encoding import Encoding
from guiapp.core.encode.tokenizer import Tokenizer

WINDOW = 64  # tokens in which to search for the offset where both agree again
SAMPLES = ("english", "code", "languages")
SAMPLE_BYTES = 3_000  # of each
Piece = tuple[int, bytes]  # a token's id, and the text that it comes from


@dataclass(frozen=True)
class FirstDifference:
    """The first span of the text, [start, end), with different tokens."""

    start: int
    end: int
    approximated: tuple[Piece, ...]
    exact: tuple[Piece, ...]


@dataclass(frozen=True)
class EncoderAgreement:
    """The agreement of two encoders, with tokens as sets of (start, end, id).

    n_shared  tokens that both encoders give
    n_exact   tokens of the exact encoder
    n_approximated   tokens of the approximate one
    first_difference   None if both give the same tokens
    """

    n_shared: int
    n_exact: int
    n_approximated: int
    first_difference: FirstDifference | None

    @property
    def n_differing(self) -> int:
        """The number of tokens that only the approximate encoder gives."""
        return self.n_approximated - self.n_shared

    @property
    def share(self) -> float:
        """The share of exact tokens that the other encoder also gives, truncated to thousandths."""
        return self.n_shared * 1000 // self.n_exact / 1000 if self.n_exact else 1.0


def compare(approximated: Encoding, exact: Encoding) -> EncoderAgreement:
    """Compare two encodings of one text."""
    found_rows, exact_rows = _row_sets(approximated, exact)
    n_shared = len(np.intersect1d(found_rows, exact_rows, assume_unique=True))
    difference = _first_difference(approximated, exact)
    return EncoderAgreement(n_shared, len(exact_rows), len(found_rows), difference)


class TokenSpans(Protocol):
    """Consecutive tokens: int32[k], and int64[k] twice."""

    @property
    def ids(self) -> NDArray[np.int32]: ...

    @property
    def starts(self) -> NDArray[np.int64]: ...

    @property
    def ends(self) -> NDArray[np.int64]: ...


def differing(approximated: TokenSpans, exact: TokenSpans) -> NDArray[np.bool_]:
    """bool[k]: which tokens of the first are not among the second; False for tokens without text.

    Both are ordered by position.  Spans with text do not overlap, so their starts are distinct.
    """
    has_text = approximated.ends > approximated.starts
    rows = np.flatnonzero(exact.ends > exact.starts)
    if not len(rows):
        return has_text
    at = rows[np.minimum(np.searchsorted(exact.starts[rows], approximated.starts), len(rows) - 1)]
    is_same = (exact.starts[at] == approximated.starts) & (exact.ends[at] == approximated.ends)
    is_same &= exact.ids[at] == approximated.ids
    differs: NDArray[np.bool_] = has_text & ~is_same
    return differs


def _row_sets(approximated: Encoding, exact: Encoding) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct (start, end, id) of each encoding as sorted numbers."""
    spans = np.concatenate([approximated.spans, exact.spans])
    ids = np.concatenate([approximated.token_ids, exact.token_ids])
    _, span_numbers = np.unique(spans[:, 0] << 32 | spans[:, 1], return_inverse=True)
    rows = span_numbers.astype(np.int64) << 32 | ids
    return np.unique(rows[: len(approximated)]), np.unique(rows[len(approximated) :])


def _first_difference(approximated: Encoding, exact: Encoding) -> FirstDifference | None:
    size = min(len(approximated), len(exact))
    differs = (approximated.spans[:size] != exact.spans[:size]).any(axis=1)
    differs |= approximated.token_ids[:size] != exact.token_ids[:size]
    first = int(differs.argmax()) if differs.any() else size
    if first == max(len(approximated), len(exact)):
        return None
    windows = [each.spans[first : first + WINDOW] for each in (approximated, exact)]
    start = min(int(window[0, 0]) for window in windows if len(window))
    ends = np.intersect1d(windows[0][:, 1], windows[1][:, 1])
    ends = ends[ends > start]
    end = int(ends[0]) if len(ends) else max(int(window[-1, 1]) for window in windows if len(window))
    return FirstDifference(start, end, _pieces(approximated, first, end), _pieces(exact, first, end))


def _pieces(encoding: Encoding, first: int, end: int) -> tuple[Piece, ...]:
    """The tokens from `first` on that end at or before `end`, at most WINDOW."""
    ids, spans = (each[first : first + WINDOW].tolist() for each in (encoding.token_ids, encoding.spans))
    rows = zip(ids, spans, strict=True)
    return tuple((token, encoding.text_bytes[start:stop]) for token, (start, stop) in rows if stop <= end)


def measured_agreement(tokenizer: Tokenizer) -> dict[str, dict[str, float]]:
    """By approximate encoder and sample, the share of exact tokens that it also gives."""
    texts = {name: sample_text(name)[:SAMPLE_BYTES] for name in SAMPLES}
    exact = {name: tokenizer.encode(text, False, False) for name, text in texts.items()}
    agreement: dict[str, dict[str, float]] = {}
    for encoder, algorithm in tokenizer.encoders.items():
        if not algorithm.exact:
            agreement[encoder] = {}
            for name, text in texts.items():
                both = compare(tokenizer.encode(text, False, False, encoder), exact[name])
                agreement[encoder][name] = round(both.n_shared / max(both.n_exact, 1), 4)
    return agreement
