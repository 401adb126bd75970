"""Everything that can be timed, in one form: our encoders and other people's tokenizers.

A contender takes text in the form that costs its library no conversion (bytes or str), so that none is
timed for another's convenience, and gives what its library gives.  No special tokens are added, and they are
parsed by `parse_special` alone.
`compare` says whether its ids are right.
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
APPENDED_BYTES = 4  # at a time: about a token, as models give them

UNSPLIT = " (unsplit)"  # behind the names of contenders that take a text as one piece


def split_name(name: str) -> tuple[str, bool]:
    """The encoder or peer that a contender is, and whether it splits texts first."""
    return name.removesuffix(UNSPLIT), not name.endswith(UNSPLIT)


class UnavailableError(TokenloupeError):
    """A contender that cannot take part; the message says why."""


@dataclass(frozen=True)
class ContenderTokens:
    """What a contender made of a text; `spans` is None where it tells ids only."""

    ids: NDArray[np.int32]
    spans: NDArray[np.int64] | None


@dataclass(frozen=True)
class Contender:
    """One tokenizer, ready to be timed.

    encode        a text, as `take_text` gives it, to whatever its library returns
    take_text     UTF-8 to what `encode` wants; not timed
    tokens        the ids, and spans where known, of what `encode` returned; not timed
    decode        ids, as `take_ids` gives them, to text; None where the library cannot
    encode_batch  many texts on some threads, to what there is of each; None where the library cannot
    row_tokens    `tokens` of what that gives for one text; None where it is what `encode` returns
    appender      appends a text, APPENDED_BYTES at a time; gives the number of tokens after each, and the ids
                  at the end
    other_vocabulary  what it uses in place of the loaded vocabulary, "" if that one
    encode_special    `encode`, but special tokens are parsed and, if the flag says so, put around; None where
                      the library, or what it was made from, knows none
    offsets           the characters that each id of `encode_special` came from, where nothing is put around;
                      None where the library does not tell
    parse_special     given the texts and ids of special tokens: `encode`, but these are parsed; None where
                      the library cannot
    special_texts     of the tokens that `encode_special` cuts out, as far as they are not the vocabulary's
    is_apart          another process than this one encodes, so that memory here says nothing
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
        """The same, but these special tokens are parsed; raises UnavailableError where it cannot."""
        if self.parse_special is None:
            raise UnavailableError("It does not parse special tokens.")
        return replace(self, encode=self.parse_special(special))


def as_str(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def ids_only(ids: Any) -> ContenderTokens:
    """The tokens of a library that returns a sequence of ids; raises UnavailableError for what is none."""
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
    """What kind of thing a library returned, with the first part of a list that is no id."""
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
    """The tokens of a library that returns an object with ids."""
    return ids_only(encoded.ids)


def on_threads(encode: Callable[[Any], Any]) -> Batch:
    """Many texts through a function that releases Python's lock."""

    def encode_batch(texts: list[Any], n_threads: int) -> list[Any]:
        if n_threads == 1:
            return [encode(text) for text in texts]
        with ThreadPoolExecutor(n_threads) as threads:
            return list(threads.map(encode, texts, chunksize=max(1, len(texts) // (8 * n_threads))))

    return encode_batch


def as_split(tokenizer: Tokenizer, is_split: bool) -> Tokenizer:
    """The tokenizer itself, or the same for texts as one piece."""
    return tokenizer if is_split else tokenizer.without_splitting()


def our_contender(tokenizer: Tokenizer, encoder: str) -> Contender:
    """One of our encoders through the public call, spans included, each text on one thread.

    Appending belongs to the default one.
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


# Whether a contender gives the right ids, and if not, how nearly


@dataclass(frozen=True)
class FirstIdDifference:
    """The first token that differs: where it begins in the text, and both ids (None behind the last one)."""

    index: int
    byte_offset: int
    expected_id: int | None = None
    found_id: int | None = None


@dataclass(frozen=True)
class Agreement:
    """How ids compare with the reference.

    share  of the reference's spans, how many the contender has too
    """

    exact: bool
    share: float
    first_difference: FirstIdDifference | None


def compare(
    reference: ContenderTokens, actual: ContenderTokens, token_lengths: NDArray[np.int64]
) -> Agreement:
    """Compare ids, and where they differ spans.

    The spans of contenders that tell ids only are what the lengths of their tokens add up to; the
    reference's are then taken in the same way, so that what a normaliser adds counts for both.
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
