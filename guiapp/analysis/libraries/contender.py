"""A common interface for timing tokenizers: our encoders and other libraries.

A contender takes text in the form that its library needs without conversion (bytes or str) and returns the
library's own result, so that no conversions are timed.  No special tokens are added; only `parse_special`
parses them.  `compare` checks the ids.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.counting.growing import AppendEncoder
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.normalized import n_equal_from_start
from guiapp.errors import TokenloupeError

Batch = Callable[[list[Any], int], Iterable[Any]]  # texts, threads
ParseSpecial = Callable[[Mapping[str, int]], Callable[[Any], Any]]
Appender = Callable[[bytes], tuple[list[int], NDArray[np.int32]]]

MOST_ID = np.iinfo(np.int32).max
APPENDED_BYTES = 4  # at a time: about one token, like the output of a model

UNSPLIT = " (unsplit)"  # ends the names of contenders that do not split a text


def split_name(name: str) -> tuple[str, bool]:
    """The name of a contender's encoder or library, and whether it splits texts first."""
    return name.removesuffix(UNSPLIT), not name.endswith(UNSPLIT)


class UnavailableError(TokenloupeError):
    """A contender cannot take part; the message states the reason."""


@dataclass(frozen=True)
class ContenderTokens:
    """The tokens of a text; `spans` is None if the contender returns only ids."""

    ids: NDArray[np.int32]
    spans: NDArray[np.int64] | None


@dataclass(frozen=True)
class Contender:
    """One tokenizer, ready to be timed.

    encode        encodes a text from `take_text`; returns the library's own result
    take_text     converts UTF-8 to the input of `encode`; not timed
    tokens        the ids, and spans if known, in a result of `encode`; not timed
    decode        decodes ids from `take_ids`; None if the library cannot
    encode_batch  encodes many texts on some threads, a result for each; None if the library cannot
    row_tokens    `tokens` for one result of `encode_batch`; None if it is like a result of `encode`
    appender      appends a text, APPENDED_BYTES at a time; returns the number of tokens after each step, and
                  the ids at the end
    other_vocabulary  the vocabulary that it uses instead of the loaded one, "" if that one
    encode_special    `encode`, but special tokens are parsed and, with the flag, BOS and EOS added; None if
                      the library or its source has no special tokens
    offsets           the character spans of the ids of `encode_special` without added tokens; None if the
                      library does not return them
    parse_special     given texts and ids of special tokens, returns an `encode` that parses them; None if
                      the library cannot
    special_texts     special tokens of `encode_special` that are not in the vocabulary
    is_apart          encoding runs in another process, so that memory cannot be measured here
    """

    encode: Callable[[Any], Any]
    take_text: Callable[[bytes], Any]
    tokens: Callable[[Any], ContenderTokens]
    decode: Callable[[Any], object] | None = None
    take_ids: Callable[[NDArray[np.int32]], Any] = lambda ids: ids.tolist()
    encode_batch: Batch | None = None
    row_tokens: Callable[[Any], ContenderTokens] | None = None
    appender: Appender | None = None
    other_vocabulary: str = ""
    encode_special: Callable[[Any, bool], Any] | None = None
    offsets: Callable[[Any], Sequence[tuple[int, int]]] | None = None
    parse_special: ParseSpecial | None = None
    special_texts: tuple[str, ...] = ()
    is_apart: bool = False

    def parsing(self, special: Mapping[str, int]) -> Contender:
        """The contender with these special tokens parsed; raises UnavailableError if it cannot parse any."""
        if self.parse_special is None:
            raise UnavailableError("It does not parse special tokens.")
        return replace(self, encode=self.parse_special(special))


def as_str(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def ids_only(ids: Any) -> ContenderTokens:
    """The tokens in a sequence of ids; raises UnavailableError if it is not a sequence of valid ids."""
    try:
        array = np.asarray(ids)
    except ValueError:  # lists of different lengths
        array = np.asarray(None)
    if array.ndim != 1 or (len(array) and array.dtype.kind not in "iu"):
        raise UnavailableError(f"It returned {_in_words(ids)} instead of ids.")
    outside = array[(array < 0) | (array > MOST_ID)]
    if len(outside):
        raise UnavailableError(f"It returned {outside[0]}, which cannot be an id.")
    return ContenderTokens(array.astype(np.int32), None)


def _in_words(result: Any) -> str:
    """The type of a library's result, and for a list the type of the first entry that is not an id."""
    if isinstance(result, np.ndarray):
        return f"an array of {result.dtype}, {result.ndim}-dimensional"
    if isinstance(result, (list, tuple)):
        kinds = (
            type(each) for each in result if type(each) is bool or not isinstance(each, (int, np.integer))
        )
        wrong = getattr(next(kinds, None), "__name__", "more than 64 bits")
        return f"a {type(result).__name__} with {wrong} in it"
    return "None" if result is None else f"something of the type {type(result).__name__}"


def ids_of_object(encoded: Any) -> ContenderTokens:
    """The tokens in an object with ids."""
    return ids_only(encoded.ids)


def on_threads(encode: Callable[[Any], Any]) -> Batch:
    """A batch on threads, for a function that releases Python's lock (GIL)."""

    def encode_batch(texts: list[Any], n_threads: int) -> list[Any]:
        if n_threads == 1:
            return [encode(text) for text in texts]
        with ThreadPoolExecutor(n_threads) as threads:
            return list(threads.map(encode, texts, chunksize=max(1, len(texts) // (8 * n_threads))))

    return encode_batch


def as_split(tokenizer: Tokenizer, is_split: bool) -> Tokenizer:
    """The tokenizer itself, or one that does not split texts."""
    return tokenizer if is_split else tokenizer.without_splitting()


def our_contender(tokenizer: Tokenizer, encoder: str) -> Contender:
    """One of our encoders through the public method, spans included, one thread for each text.

    Only the default encoder has an appender.
    """
    tokenizer = tokenizer.with_threads(1)
    tokenizer.make_tables()  # part of loading, as with other libraries
    encode = partial(tokenizer.encode, add_special=False, parse_special=False, encoder=encoder)
    parse = partial(tokenizer.encode, add_special=False, parse_special=True, encoder=encoder)
    is_default = encoder == next(iter(tokenizer.encoders))

    def append(text: bytes) -> tuple[list[int], NDArray[np.int32]]:
        growing, counts = AppendEncoder(tokenizer, add_special=False, parse_special=False), []
        for start in range(0, len(text), APPENDED_BYTES):
            growing.append(text[start : start + APPENDED_BYTES])
            counts.append(growing.count)
        return counts, growing.token_ids

    return Contender(
        encode,
        take_text=bytes,
        tokens=lambda encoding: ContenderTokens(encoding.token_ids, encoding.spans),
        decode=tokenizer.decode_bytes,
        take_ids=np.ascontiguousarray,
        encode_batch=lambda texts, n: tokenizer.with_threads(n).encode_each(texts, False, False, encoder),
        row_tokens=ids_only,
        appender=append if is_default else None,
        parse_special=lambda special: parse,
    )


# Compare ids with the reference


@dataclass(frozen=True)
class FirstIdDifference:
    """The first token that differs: its position in the text, and both ids (None after the last token)."""

    index: int
    byte_offset: int
    expected_id: int | None = None
    found_id: int | None = None


@dataclass(frozen=True)
class Agreement:
    """How ids compare with the reference.

    share  the share of the reference's spans that the contender has too
    """

    exact: bool
    share: float
    first_difference: FirstIdDifference | None


def compare(
    reference: ContenderTokens, actual: ContenderTokens, token_lengths: NDArray[np.int64]
) -> Agreement:
    """Compare ids, and spans if the ids differ.

    If a contender returns only ids, its spans are computed from token lengths; the reference's spans then
    too, so that text added by a normalizer has the same effect on both.
    """
    index = n_equal_from_start(reference.ids, actual.ids)
    if index == len(reference.ids) == len(actual.ids):
        return Agreement(True, 1.0, None)
    if reference.spans is not None and actual.spans is not None:
        reference_spans, spans = reference.spans, actual.spans
    else:
        reference_spans, spans = (_added_up(each.ids, token_lengths) for each in (reference, actual))
    return Agreement(
        False, _share(reference_spans, spans), _difference(index, reference, actual, reference_spans)
    )


def _difference(
    index: int, reference: ContenderTokens, actual: ContenderTokens, spans: NDArray[np.int64]
) -> FirstIdDifference:
    real = spans if reference.spans is None else reference.spans
    at_end = int(real[-1, 1]) if len(real) else 0
    return FirstIdDifference(
        index,
        int(real[index, 0]) if index < len(real) else at_end,
        int(reference.ids[index]) if index < len(reference.ids) else None,
        int(actual.ids[index]) if index < len(actual.ids) else None,
    )


def _added_up(ids: NDArray[np.int32], token_lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    known = np.clip(ids, 0, len(token_lengths) - 1)
    ends = np.cumsum(token_lengths[known])
    return np.stack([ends - token_lengths[known], ends], axis=1)


def _share(reference_spans: NDArray[np.int64], spans: NDArray[np.int64]) -> float:
    """The share of the rows of `reference_spans` that are rows of `spans`."""
    if not len(reference_spans):
        return 0.0
    keys = [each[:, 0] << 32 | each[:, 1] for each in (reference_spans, spans)]
    return float(np.isin(keys[0], keys[1]).mean())
