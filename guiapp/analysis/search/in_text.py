"""Find stretches of a text: by characters, by bytes in hex digits, or by a regular expression.

Places are looked for by numpy, which lets other threads run; a regular expression is tried in a process
that can be ended at any time.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from operator import and_, or_
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.search import in_text_worker as regex_places_worker
from guiapp.analysis.search.queries import LONGEST_S, QueryError, bytes_of, tried_apart
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.checkpoint import Progress

LONGEST_FOLDING = 3  # characters that one character becomes
LAST_WITH_CASES = 0x1FFFF
DOTTED_CAPITAL_I = "\u0130"  # becomes i with a dot above; people also type it as i
MOST_MATCHES = 1_000_000
CHUNK_BYTES = 1 << 18  # looked through at once: so much stays near the processor
HEAD_CHARACTERS = 3  # compared at every place; the rest only where these fit
HEX_MARKS = re.compile("0x|,", re.IGNORECASE)
TOKEN_ID = re.compile(r"#?([0-9]{1,12})")
NO_PLACES = np.zeros(0, np.int64)

Kind = Literal["text", "bytes", "regex"]
Steps = Mapping[tuple[int, int], Sequence[bytes]]  # what may stand here, by its length and what comes next
Pattern = Sequence[Steps]  # from the first to behind the last
Places = tuple[NDArray[np.int64], NDArray[np.int64]]  # starts and ends


@dataclass(frozen=True)
class Query:
    """What to find; `matches_case` counts for texts and expressions."""

    kind: Kind
    needle: str
    matches_case: bool


class TextMatches(NamedTuple):
    """Stretches of a text from front to back that do not overlap.

    starts, ends  int64[k]  match i is text[starts[i] : ends[i]], never empty
    is_all        whether there are no more than so many
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    is_all: bool


NO_MATCHES = TextMatches(NO_PLACES, NO_PLACES, True)


def find(text: bytes, query: Query, progress: Progress) -> TextMatches:
    """Where a text has what is asked for.  Raises QueryError."""
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
    """The tokens that people mean by an id, by the text they stand for, or by how the file spells them."""
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
        raise QueryError("No token has this text. An id is a number.")
    return result


def _exactly(parts: Iterable[bytes]) -> Pattern:
    return [{(len(part), at + 1): [part]} for at, part in enumerate(parts)]


def _in_any_case(needle: str, text: bytes) -> Pattern:
    """For characters that become the same; rare ones, such as ß for ss, only where the text has them."""
    folded, others, is_ascii = needle.casefold(), characters_by_folding(), text.isascii()
    is_in_text = cache(lambda spelling: not is_ascii and spelling in text)
    pattern = []
    for at, character in enumerate(folded):
        steps = defaultdict(list, {(len(_encoded(character)), at + 1): [_encoded(character)]})
        for behind in range(at + 1, min(at + LONGEST_FOLDING, len(folded)) + 1):
            for spelling in map(_encoded, others.get(folded[at:behind], ())):
                if (len(spelling), behind) in steps or is_in_text(spelling):
                    steps[len(spelling), behind].append(spelling)
        pattern.append(steps)
    return pattern


def _find_pattern(data: NDArray[np.uint8], pattern: Pattern, progress: Progress) -> TextMatches:
    deadline = time.monotonic() + LONGEST_S
    longest = sum(max(length for length, _ in steps) for steps in pattern)
    result, n_found = [(NO_PLACES, NO_PLACES)], 0
    for first in range(0, len(data), CHUNK_BYTES):
        progress(first / len(data))
        if time.monotonic() > deadline:
            raise QueryError(f"The search takes more than {LONGEST_S:g} seconds. Look for less.")
        starts, ends = _places_in(data[first : first + CHUNK_BYTES + longest], pattern, longest)
        result.append((starts + first, ends + first))
        n_found += len(starts)
        if n_found > MOST_MATCHES:
            break
    starts, ends = (each[:MOST_MATCHES] for each in _joined(result))
    kept = _apart(starts, ends)
    return TextMatches(starts[kept], ends[kept], n_found <= MOST_MATCHES)


def _places_in(data: NDArray[np.uint8], pattern: Pattern, longest: int) -> Places:
    """Where the pattern fits in data that begins in a chunk, overlapping places too."""
    n_places = min(len(data), CHUNK_BYTES)
    padded = data if len(data) == CHUNK_BYTES + longest else np.pad(data, (0, longest))
    starts, head, length = _heads_in(padded, n_places, pattern)
    reached: list[list[Places]] = [[] for _ in range(len(pattern) + 1)]
    reached[head].append((starts, starts + length))
    for steps, places in zip(pattern[head:], reached[head:], strict=False):
        starts, ends = _joined(places)
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


def _heads_in(data: NDArray[np.uint8], n_places: int, pattern: Pattern) -> tuple[NDArray[np.int64], int, int]:
    """Where the pattern may fit, by its first characters; how many of them fit for sure, and their length."""
    fits = np.ones(n_places, np.bool_)
    offset = 0
    for at, steps in enumerate(pattern[:HEAD_CHARACTERS]):
        columns = [data[offset + column :][:n_places] for column in range(max(steps)[0])]
        fits &= reduce(or_, [_is_one_of(columns[:length], each) for (length, _), each in steps.items()])
        if len(steps) > 1:  # what comes next is not at the same place everywhere
            return np.flatnonzero(fits), at, offset
        offset += len(columns)
    return np.flatnonzero(fits), min(len(pattern), HEAD_CHARACTERS), offset


def _joined(places: Sequence[Places]) -> Places:
    if len(places) == 1:
        return places[0]
    starts, ends = zip((NO_PLACES, NO_PLACES), *places, strict=True)
    return np.concatenate(starts), np.concatenate(ends)


def _is_one_of(columns: Sequence[NDArray[np.uint8]], spellings: Sequence[bytes]) -> NDArray[np.bool_]:
    """For each place whether its bytes, one from each column, are one of the spellings."""
    return reduce(
        or_,
        [
            reduce(and_, [column == byte for column, byte in zip(columns, spelling, strict=True)])
            for spelling in spellings
        ],
    )


def _apart(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which places stay where none may overlap, as a search from front to back finds them.

    Follows the way from each place to the next beyond it with steps twice as long each round.
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
    request = regex_places_worker.request(query.needle, query.matches_case, MOST_MATCHES, text)
    answer = tried_apart(query.needle, regex_places_worker.__name__, request, progress)
    places = np.frombuffer(answer, np.int64).reshape(-1, 2)
    starts, ends = places[:MOST_MATCHES, 0].copy(), places[:MOST_MATCHES, 1].copy()
    return TextMatches(starts, ends, len(places) <= MOST_MATCHES)


@cache
def characters_by_folding() -> Mapping[str, tuple[str, ...]]:
    """The characters that become something else, by what they become: "ss" has ß and ẞ."""
    result: dict[str, list[str]] = defaultdict(list)
    for character in map(chr, range(LAST_WITH_CASES + 1)):
        folded = character.casefold()
        if folded != character:
            result[folded].append(character)
    result["i"].append(DOTTED_CAPITAL_I)
    return {folded: tuple(characters) for folded, characters in result.items()}
