"""Find spans of a text, and tokens: by characters, by bytes in hex digits, or by a regular expression.

Text and bytes are found with NumPy, which lets other threads run; regular expressions run in a process that
can be killed at any time.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial, reduce
from operator import and_, or_
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.search import in_text_worker, in_tokens_worker
from guiapp.core.processes import ApartError, PersistentProcess, answer_of
from guiapp.core.vocabulary.vocabulary import TokenTree, Vocabulary
from guiapp.errors import TokenloupeError
from guiapp.native.checkpoint import Progress

LONGEST_S = 8.0
LONGEST_FOLDING = 3  # characters in the case folding of one character
LAST_WITH_CASES = 0x1FFFF
DOTTED_CAPITAL_I = "\u0130"  # folds to i with a dot above; users also type i for it
MOST_MATCHES = 1_000_000
CHUNK_BYTES = 1 << 18  # searched at once: so much fits in the processor's cache
HEAD_CHARACTERS = 3  # compared at every position; the rest only where these match
HEX_MARKS = re.compile("0x|,", re.IGNORECASE)
TOKEN_ID = re.compile(r"#?([0-9]{1,12})")
NO_OFFSETS = np.zeros(0, np.int64)
Kind = Literal["text", "bytes", "regex"]
Steps = Mapping[tuple[int, int], Sequence[bytes]]  # possible spellings, by their length and the next step
Pattern = Sequence[Steps]  # the match is complete at step len(pattern)
Spans = tuple[NDArray[np.int64], NDArray[np.int64]]  # starts and ends


class QueryError(TokenloupeError):
    """A query is not valid, or takes too long."""


# In a text


@dataclass(frozen=True)
class Query:
    """A search; `matches_case` applies to texts and expressions."""

    kind: Kind
    needle: str
    matches_case: bool


class TextMatches(NamedTuple):
    """Spans of a text in ascending order that do not overlap.

    starts, ends  int64[k]  match i is text[starts[i] : ends[i]], never empty
    is_all        whether there are no further matches
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    is_all: bool


NO_MATCHES = TextMatches(NO_OFFSETS, NO_OFFSETS, True)


def find(text: bytes, query: Query, progress: Progress) -> TextMatches:
    """The matches of a query in a text.  Raises QueryError."""
    if not query.needle:
        return NO_MATCHES
    if query.kind == "regex":
        return _find_expression(text, query, progress)
    if query.kind == "bytes":
        pattern = _exactly(bytes([byte]) for byte in bytes_of(HEX_MARKS.sub("", query.needle)))
    elif query.matches_case:
        pattern = _exactly(map(_encoded, query.needle))
    else:
        pattern = _in_any_case(query.needle, text)
    return _find_pattern(np.frombuffer(text, np.uint8), pattern, progress)


def tokens_named(vocabulary: Vocabulary, name: str) -> list[int]:
    """The tokens with this id, this text, or this spelling in the file.  Raises QueryError."""
    if match := TOKEN_ID.fullmatch(name):
        token_id = int(match[1])
        if token_id >= len(vocabulary):
            raise QueryError(f"There is no token {token_id:,}; the ids end at {len(vocabulary) - 1:,}.")
        return [token_id]
    needle = np.frombuffer(_encoded(name), np.uint8)
    data, offsets = vocabulary.token_bytes_table
    tokens = np.flatnonzero(np.diff(offsets) == len(needle))
    for at, byte in enumerate(needle.tolist()):
        tokens = tokens[data[offsets[tokens] + at] == byte]
    spelled = vocabulary.find(_encoded(name))
    result = sorted({*tokens.tolist(), *([] if spelled is None else [spelled])})
    if not result:
        raise QueryError("No token has this text. To search for an id, enter a number.")
    return result


def _exactly(parts: Iterable[bytes]) -> Pattern:
    return [{(len(part), at + 1): [part]} for at, part in enumerate(parts)]


def _in_any_case(needle: str, text: bytes) -> Pattern:
    """A pattern for any case; rare equivalents, such as ß for ss, are included only if the text has them."""
    folded, others, is_ascii = needle.casefold(), characters_by_folding(), text.isascii()
    is_in_text = cache(lambda spelling: not is_ascii and spelling in text)
    pattern = []
    for at, character in enumerate(folded):
        steps = defaultdict(list, {(len(_encoded(character)), at + 1): [_encoded(character)]})
        for after in range(at + 1, min(at + LONGEST_FOLDING, len(folded)) + 1):
            for spelling in map(_encoded, others.get(folded[at:after], ())):
                if (len(spelling), after) in steps or is_in_text(spelling):
                    steps[len(spelling), after].append(spelling)
        pattern.append(steps)
    return pattern


@cache
def characters_by_folding() -> Mapping[str, tuple[str, ...]]:
    """The characters changed by case folding, by their folded form: "ss" has ß and ẞ."""
    result: dict[str, list[str]] = defaultdict(list)
    for character in map(chr, range(LAST_WITH_CASES + 1)):
        folded = character.casefold()
        if folded != character:
            result[folded].append(character)
    result["i"].append(DOTTED_CAPITAL_I)
    return {folded: tuple(characters) for folded, characters in result.items()}


def _find_pattern(data: NDArray[np.uint8], pattern: Pattern, progress: Progress) -> TextMatches:
    deadline = time.monotonic() + LONGEST_S
    longest = sum(max(length for length, _ in steps) for steps in pattern)
    result, n_found = [(NO_OFFSETS, NO_OFFSETS)], 0
    for first in range(0, len(data), CHUNK_BYTES):
        progress(first / len(data))
        if time.monotonic() > deadline:
            raise QueryError(f"The search took more than {LONGEST_S:g} seconds. Make it simpler.")
        starts, ends = _matches_in(data[first : first + CHUNK_BYTES + longest], pattern, longest)
        result.append((starts + first, ends + first))
        n_found += len(starts)
        if n_found > MOST_MATCHES:
            break
    starts, ends = (each[:MOST_MATCHES] for each in _joined(result))
    kept = _apart(starts, ends)
    return TextMatches(starts[kept], ends[kept], n_found <= MOST_MATCHES)


def _matches_in(data: NDArray[np.uint8], pattern: Pattern, longest: int) -> Spans:
    """All matches, also overlapping ones, that begin in the chunk at the start of `data`."""
    n_starts = min(len(data), CHUNK_BYTES)
    padded = data if len(data) == CHUNK_BYTES + longest else np.pad(data, (0, longest))
    starts, head, length = _heads_in(padded, n_starts, pattern)
    reached: list[list[Spans]] = [[] for _ in range(len(pattern) + 1)]
    reached[head].append((starts, starts + length))
    for steps, spans in zip(pattern[head:], reached[head:], strict=False):
        starts, ends = _joined(spans)
        for (length, then), spellings in steps.items():
            fits = _is_one_of([padded[ends + at] for at in range(length)], spellings)
            reached[then].append((starts[fits], ends[fits] + length))
    starts, ends = _joined(reached[-1])
    if (starts[1:] < starts[:-1]).any():
        in_order = np.argsort(starts, kind="stable")
        starts, ends = starts[in_order], ends[in_order]
    if padded is data:
        return starts, ends
    is_inside = ends <= len(data)
    return starts[is_inside], ends[is_inside]


def _heads_in(data: NDArray[np.uint8], n_starts: int, pattern: Pattern) -> tuple[NDArray[np.int64], int, int]:
    """Starts of possible matches; how many first characters are certain to match there; their length."""
    fits = np.ones(n_starts, np.bool_)
    offset = 0
    for at, steps in enumerate(pattern[:HEAD_CHARACTERS]):
        columns = [data[offset + column :][:n_starts] for column in range(max(steps)[0])]
        fits &= reduce(or_, [_is_one_of(columns[:length], each) for (length, _), each in steps.items()])
        if len(steps) > 1:  # the offset of the next character varies
            return np.flatnonzero(fits), at, offset
        offset += len(columns)
    return np.flatnonzero(fits), min(len(pattern), HEAD_CHARACTERS), offset


def _joined(spans: Sequence[Spans]) -> Spans:
    if len(spans) == 1:
        return spans[0]
    starts, ends = zip((NO_OFFSETS, NO_OFFSETS), *spans, strict=True)
    return np.concatenate(starts), np.concatenate(ends)


def _is_one_of(columns: Sequence[NDArray[np.uint8]], spellings: Sequence[bytes]) -> NDArray[np.bool_]:
    """For each position, whether its bytes, one from each column, are one of the spellings."""
    return reduce(
        or_,
        [
            reduce(and_, [column == byte for column, byte in zip(columns, spelling, strict=True)])
            for spelling in spellings
        ],
    )


def _apart(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which matches a search from front to back keeps, as matches must not overlap.

    Follows the links from each match to the next one after it; each round doubles the length of links.
    """
    is_kept = np.ones(len(starts), np.bool_)
    if (starts[1:] >= ends[:-1]).all():
        return is_kept
    beyond = np.append(np.searchsorted(starts, ends), len(starts))
    is_kept = np.zeros(len(starts) + 1, np.bool_)
    is_kept[0] = True
    n_kept = 0
    while n_kept != (n_kept := int(np.count_nonzero(is_kept))):
        is_kept[beyond[np.flatnonzero(is_kept)]] = True
        beyond = beyond[beyond]
    return is_kept[:-1]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _find_expression(text: bytes, query: Query, progress: Progress) -> TextMatches:
    request = in_text_worker.request(query.needle, query.matches_case, MOST_MATCHES, text)
    worker = in_text_worker.__name__
    answer = tried(query.needle, lambda longest_s: answer_of(worker, request, progress, longest_s))
    spans = np.frombuffer(answer, np.int64).reshape(-1, 2)
    starts, ends = spans[:MOST_MATCHES, 0].copy(), spans[:MOST_MATCHES, 1].copy()
    return TextMatches(starts, ends, len(spans) <= MOST_MATCHES)


# In a vocabulary


def contains(tree: TokenTree, needle: bytes, data: NDArray[np.uint8] | None = None) -> NDArray[np.bool_]:
    """For each token, whether it contains these bytes; takes 5 ms for 262,144 tokens.

    data  searched instead of the tokens' bytes, of the same length
    """
    data = tree.data if data is None else data
    n_starts = len(data) - len(needle) + 1
    if not needle or n_starts <= 0:
        return np.zeros(len(tree.offsets) - 1, np.bool_)
    begins = data[:n_starts] == needle[0]
    for at, byte in enumerate(needle[1:], 1):
        begins &= data[at : at + n_starts] == byte
    before = np.zeros(len(data) + 1, np.int32)  # the number of matches that begin before each offset
    np.cumsum(begins, out=before[1 : n_starts + 1])
    before[n_starts + 1 :] = before[n_starts]
    starts, ends = tree.offsets[:-1], tree.offsets[1:]
    has: NDArray[np.bool_] = before[np.maximum(ends - len(needle) + 1, starts)] > before[starts]
    return has


def distances_from(
    tree: TokenTree, needle: bytes, tokens: NDArray[np.int32], has_space: bool = False
) -> NDArray[np.int64]:
    """How close tokens are to bytes that they contain: int64[n], for sorting the closest first.

    0 for the exact bytes, 1 for a space and the bytes, or vice versa if the text `has_space` before them;
    2 and 3 for tokens that begin like these, and 4 for all others.
    """
    found = np.full(len(tokens), 4)
    starts, ends = tree.offsets[tokens], tree.offsets[tokens + 1]
    forms = (needle, b" " + needle) if has_space else (b" " + needle, needle)
    for worst, begun in zip((3, 2), forms, strict=True):
        rows = np.flatnonzero(ends - starts >= len(begun))
        for at, byte in enumerate(begun):
            rows = rows[tree.data[starts[rows] + at] == byte]
        found[rows] = np.where(ends[rows] - starts[rows] == len(begun), worst - 2, worst)
    return found


class RegexTokenMatcher:
    """Finds the tokens that a regular expression matches, in a process that can be killed at any time.

    The process runs until `close`, as further searches of the same tokens take a tenth of the time.
    """

    def __init__(self) -> None:
        self._process = PersistentProcess(in_tokens_worker.__name__)
        self._tree: TokenTree | None = None  # the tokens that the process has

    def matching(
        self, tree: TokenTree, expression: str, progress: Callable[[float], None]
    ) -> NDArray[np.int32]:
        """The ids of the tokens that an expression matches.  Raises QueryError."""
        answer = tried(expression, partial(self._answer, tree, expression, progress))
        return np.frombuffer(bytearray(answer), np.int32)

    def close(self) -> None:
        """End the process; the next search starts another."""
        self._process.close()

    def _answer(
        self, tree: TokenTree, expression: str, progress: Callable[[float], None], longest_s: float
    ) -> bytes:
        if tree is not self._tree or not self._process.is_running:
            self._process.close()
            self._process.answer(in_tokens_worker.request(tree.data, tree.offsets), progress, longest_s)
            self._tree = tree
        return self._process.answer(expression.encode("utf-8", "surrogatepass"), progress, longest_s)


# For both


def bytes_of(digits: str) -> bytes:
    """The bytes of hex digits, with or without white space between them.  Raises QueryError."""
    digits = "".join(digits.split())
    if not re.fullmatch("[0-9a-fA-F]*", digits):
        raise QueryError("Write bytes as hex digits, such as E2 82 AC.")
    if len(digits) % 2:
        raise QueryError("Two hex digits make a byte: one is missing.")
    return bytes.fromhex(digits)


def tried(expression: str, answer: Callable[[float], bytes]) -> bytes:
    """Call `answer` with a time limit in seconds; raises QueryError for an invalid or slow expression."""
    try:
        re.compile(expression)
    except (re.error, OverflowError, RecursionError) as error:
        raise QueryError(f"The regular expression is not valid: {error}.") from error
    try:
        return answer(LONGEST_S)
    except TimeoutError:
        message = f"The regular expression took more than {LONGEST_S:g} seconds. Make it simpler."
        raise QueryError(message) from None
    except ApartError:
        raise QueryError("The regular expression could not be run. Make it simpler.") from None
