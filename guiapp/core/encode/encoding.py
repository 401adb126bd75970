"""The token ids of a text, and the bytes that each token came from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.numbers_in_words import counted
from guiapp.errors import EncodeError
from guiapp.native.checkpoint import checkpoint

LONGEST_TEXT = (1 << 31) - 1  # bytes
Offsets = NDArray[np.int64]


class FragmentTokens:
    """The tokens of one fragment of text between special tokens.

    ids     int32[k]  rows of the vocabulary
    starts  int64[k]  token i came from fragment[starts[i] : ends[i]]; starts and ends never decrease,
    ends    int64[k]  and starts[i + 1] >= ends[i]: tokens do not overlap

    With `later`, starts and ends are computed when first needed: callers that want only ids do not wait.
    """

    __slots__ = ("_bounds", "_make_bounds", "ids")

    _make_bounds: Callable[[], tuple[Offsets, Offsets] | FragmentTokens]

    def __init__(self, ids: NDArray[np.int32], starts: Offsets, ends: Offsets) -> None:
        self.ids = ids
        self._bounds: tuple[Offsets, Offsets] | None = (starts, ends)

    @classmethod
    def later(
        cls, ids: NDArray[np.int32], make_bounds: Callable[[], tuple[Offsets, Offsets] | FragmentTokens]
    ) -> FragmentTokens:
        """Tokens whose starts and ends `make_bounds` computes, as arrays or as other tokens."""
        tokens = cls.__new__(cls)
        tokens.ids, tokens._bounds, tokens._make_bounds = ids, None, make_bounds
        return tokens

    @classmethod
    def tiles(cls, ids: NDArray[np.int32], make_bounds: Callable[[], Offsets]) -> FragmentTokens:
        """Adjacent tokens whose common edges `make_bounds` returns, int64[k + 1]."""

        def bounds() -> tuple[Offsets, Offsets]:
            edges = make_bounds()
            return edges[:-1], edges[1:]

        return cls.later(ids, bounds)

    @property
    def starts(self) -> Offsets:
        return self._known_bounds()[0]

    @property
    def ends(self) -> Offsets:
        return self._known_bounds()[1]

    def _known_bounds(self) -> tuple[Offsets, Offsets]:
        if self._bounds is None:
            checkpoint()
            made = self._make_bounds()
            self._bounds = made if isinstance(made, tuple) else made._known_bounds()
        return self._bounds

    def __iter__(self) -> Iterator[NDArray[np.int32] | Offsets]:
        """Iterate over the three columns."""
        return iter((self.ids, self.starts, self.ends))

    def moved(self, by: int) -> FragmentTokens:
        """The same tokens shifted by so many bytes; offsets below 0 become 0."""
        return FragmentTokens.later(
            self.ids, lambda: (np.maximum(self.starts + by, 0), np.maximum(self.ends + by, 0))
        )


NO_TOKENS = FragmentTokens(np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.int64))


def join_tokens(parts: Sequence[FragmentTokens]) -> FragmentTokens:
    """The tokens of all parts, concatenated."""
    if len(parts) == 1:
        return parts[0]

    def bounds() -> tuple[Offsets, Offsets]:
        starts = np.concatenate([part.starts for part in parts])
        checkpoint()
        return starts, np.concatenate([part.ends for part in parts])

    return FragmentTokens.later(np.concatenate([part.ids for part in parts]), bounds)


class Encoding:
    """The result of encoding one text.

    text_bytes  the original text as UTF-8, or the bytes as given
    token_ids   int32[n]     rows of the vocabulary
    spans       int64[n, 2]  token i came from text_bytes[spans[i, 0] : spans[i, 1]]; empty for tokens
                that the tokenizer adds, such as BOS.  Spans never overlap and never go back; text that
                a normaliser drops (spaces in WordPiece, say) belongs to no span
    encoder     the name of the algorithm

    Bytes and spans may be computed when they are first needed.
    """

    __slots__ = ("_spans", "_text", "encoder", "token_ids")

    def __init__(
        self,
        text: str | bytes,
        token_ids: NDArray[np.int32],
        spans: Offsets | Callable[[Encoding], Offsets],
        encoder: str,
    ) -> None:
        self._text = text
        self.token_ids = token_ids
        self._spans = spans
        self.encoder = encoder

    @property
    def text_bytes(self) -> bytes:
        if isinstance(self._text, str):
            self._text = as_bytes(self._text)
        return self._text

    @property
    def spans(self) -> Offsets:
        if not isinstance(self._spans, np.ndarray):
            self._spans = self._spans(self)
        return self._spans

    def __len__(self) -> int:
        return len(self.token_ids)

    def __repr__(self) -> str:
        n_bytes = counted(len(self.text_bytes), "byte")
        return f"<Encoding: {counted(len(self), 'token')} of {n_bytes}>"

    def _repr_html_(self) -> str:
        """The tokens as HTML, for notebooks."""
        from guiapp.core.text.token_html import tokens_html  # only notebooks need it

        return tokens_html(self.text_bytes, self.token_ids, self.spans)

    def __reduce__(self) -> tuple[type[Encoding], tuple[object, ...]]:
        return Encoding, (self._text, self.token_ids, self.spans, self.encoder)


def assembled(
    text: bytes, tokens: FragmentTokens, affixes: tuple[Sequence[int], Sequence[int]], encoder: str
) -> Encoding:
    """The encoding of a text from its tokens, with the ids of `affixes` before and after them."""
    before, after = affixes
    ids = tokens.ids
    if before or after:
        ids = np.concatenate([np.array(before, np.int32), ids, np.array(after, np.int32)])

    def spans(_: Encoding) -> Offsets:
        inner = slice(len(before), len(ids) - len(after))
        return spans_with_affixes((tokens.starts, tokens.ends), inner, len(ids), len(text))

    return Encoding(text, ids, spans, encoder)


def spans_with_affixes(bounds: tuple[Offsets, Offsets], inner: slice, n_tokens: int, size: int) -> Offsets:
    """All spans in a text of `size` bytes, from the starts and ends of the tokens in the middle."""
    made = bounds[0].base
    if made is not None and made is bounds[1].base and made.shape == (n_tokens, 2):
        return made  # `bounds` are its columns, and there are no other tokens
    spans = np.zeros((n_tokens, 2), np.int64)
    spans[inner.stop :] = size
    for side, column in enumerate(bounds):
        checkpoint()
        spans[inner, side] = column
    return spans


def _bytes_of(text: object) -> bytes:
    """The bytes of a bytearray, a memoryview or an array of bytes; bytes(3) would be three zeros."""
    try:
        view = memoryview(text)  # type: ignore[arg-type]  # it raises TypeError for other types
    except TypeError:
        raise TypeError(f"A text is a str or bytes, not {type(text).__name__}.") from None
    if view.itemsize != 1:
        raise TypeError(f"A text is a str or bytes, not numbers of {view.itemsize} bytes. decode takes ids.")
    return bytes(view)


def as_bytes(text: str | bytes) -> bytes:
    """The bytes that llama.cpp would receive for this text.

    Raises EncodeError if there are too many for it, and TypeError unless `text` is a str or bytes-like.
    """
    if isinstance(text, str):
        data = text.encode("utf-8", "surrogatepass")
    else:
        data = text if isinstance(text, bytes) else _bytes_of(text)
    if len(data) > LONGEST_TEXT:
        raise EncodeError(
            f"The text has {len(data):,} bytes. llama.cpp counts them in 32 bits and takes at most "
            f"{LONGEST_TEXT:,}. Encode it in parts."
        )
    return data
