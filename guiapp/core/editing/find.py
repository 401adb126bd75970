"""Find stretches of a text: by characters, by bytes in hex digits, or by a regular expression.

Places are looked for by numpy, which lets other threads run; a regular expression is tried in a process
that can be ended at any time.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.editing import regex_places_worker
from guiapp.core.queries import LONGEST_S, QueryError, bytes_of, tried_apart
from guiapp.core.vocab.vocabulary import Vocabulary

MOST_MATCHES = 1_000_000
CHUNK_BYTES = 1 << 18  # looked through at once: so much stays near the processor
HEAD_CHARACTERS = 3  # compared at every place; the rest only where these fit
HEX_MARKS = re.compile("0x|,", re.IGNORECASE)
TOKEN_ID = re.compile(r"#?([0-9]{1,12})")
NO_PLACES = np.zeros(0, np.int64)

Kind = Literal["text", "bytes", "regex"]
Progress = Callable[[float], None]
Pattern = Sequence[Sequence[bytes]]  # for each character, the bytes that may stand there, of one length


@dataclass(frozen=True)
class Query:
    """What to find; `matches_case` counts for texts and expressions."""

    kind: Kind
    wanted: str
    matches_case: bool


class Matches(NamedTuple):
    """Stretches of a text from front to back that do not overlap.

    starts, ends  int64[k]  match i is text[starts[i] : ends[i]], never empty
    is_all        whether there are no more than so many
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    is_all: bool


NO_MATCHES = Matches(NO_PLACES, NO_PLACES, True)


def find(text: bytes, query: Query, progress: Progress) -> Matches:
    """Where a text has what is asked for.  Raises QueryError."""
    if not query.wanted:
        return NO_MATCHES
    if query.kind == "regex":
        return _find_expression(text, query, progress)
    if query.kind == "bytes":
        pattern: Pattern = [[bytes([byte])] for byte in bytes_of(HEX_MARKS.sub("", query.wanted))]
    else:
        pattern = [_spellings(character, query.matches_case) for character in query.wanted]
    return _find_pattern(np.frombuffer(text, np.uint8), pattern, progress)


def tokens_named(vocabulary: Vocabulary, name: str) -> list[int]:
    """The tokens that people mean by an id, by the text they stand for, or by how the file spells them."""
    if match := TOKEN_ID.fullmatch(name):
        token_id = int(match[1])
        if token_id >= len(vocabulary):
            raise QueryError(f"There is no token {token_id:,}; the ids end at {len(vocabulary) - 1:,}.")
        return [token_id]
    wanted = np.frombuffer(_encoded(name), np.uint8)
    data, offsets = vocabulary.token_bytes_table
    tokens = np.flatnonzero(np.diff(offsets) == len(wanted))
    for at, byte in enumerate(wanted.tolist()):
        tokens = tokens[data[offsets[tokens] + at] == byte]
    spelled = vocabulary.find(_encoded(name))
    found = sorted({*tokens.tolist(), *([] if spelled is None else [spelled])})
    if not found:
        raise QueryError("No token has this text. An id is a number.")
    return found


def _find_pattern(data: NDArray[np.uint8], pattern: Pattern, progress: Progress) -> Matches:
    length = sum(len(spellings[0]) for spellings in pattern)
    deadline = time.monotonic() + LONGEST_S
    n_places = len(data) - length + 1
    found, n_found = [NO_PLACES], 0
    for first in range(0, n_places, CHUNK_BYTES):
        progress(first / n_places)
        if time.monotonic() > deadline:
            raise QueryError(f"The search takes more than {LONGEST_S:g} seconds. Look for less.")
        places = _places_in(data[first : first + CHUNK_BYTES + length - 1], pattern, length)
        found.append(places + first)
        n_found += len(places)
        if n_found > MOST_MATCHES:
            break
    starts = _apart(np.concatenate(found)[:MOST_MATCHES], length)
    return Matches(starts, starts + length, n_found <= MOST_MATCHES)


def _places_in(data: NDArray[np.uint8], pattern: Pattern, length: int) -> NDArray[np.int64]:
    """Where the pattern fits, overlapping places too."""
    n_places, offset, places = len(data) - length + 1, 0, NO_PLACES
    fits = np.ones(n_places, np.bool_)
    for spellings in pattern[:HEAD_CHARACTERS]:
        fits &= _is_one_of([data[offset + at :][:n_places] for at in range(len(spellings[0]))], spellings)
        offset += len(spellings[0])
    places = np.flatnonzero(fits)
    for spellings in pattern[HEAD_CHARACTERS:]:
        if not len(places):
            break
        columns = [data[places + offset + at] for at in range(len(spellings[0]))]
        places = places[_is_one_of(columns, spellings)]
        offset += len(spellings[0])
    return places


def _is_one_of(columns: Sequence[NDArray[np.uint8]], spellings: Sequence[bytes]) -> NDArray[np.bool_]:
    """For each place whether its bytes, one from each column, are one of the spellings."""
    return reduce(
        or_,
        [
            reduce(and_, [column == byte for column, byte in zip(columns, spelling, strict=True)])
            for spelling in spellings
        ],
    )


def _apart(starts: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """Without the places that overlap the last one that stays, as a search from front to back finds them.

    Follows the way from each place to the next beyond it with steps twice as long each round.
    """
    if (np.diff(starts) >= length).all():
        return starts
    beyond = np.append(np.searchsorted(starts, starts + length), len(starts))
    is_kept = np.zeros(len(starts) + 1, np.bool_)
    is_kept[0] = True
    n_kept = 0
    while n_kept != (n_kept := int(np.count_nonzero(is_kept))):
        is_kept[beyond[np.flatnonzero(is_kept)]] = True
        beyond = beyond[beyond]
    return starts[is_kept[:-1]]


def _spellings(character: str, matches_case: bool) -> list[bytes]:
    """The character and, where case does not count, its other cases as far as they have as many bytes."""
    exact = _encoded(character)
    if matches_case:
        return [exact]
    forms = {character.lower(), character.upper(), character.title(), character.casefold()}
    others = {_encoded(form) for form in forms if len(form) == 1} - {exact}
    return [exact, *sorted(other for other in others if len(other) == len(exact))]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _find_expression(text: bytes, query: Query, progress: Progress) -> Matches:
    request = regex_places_worker.request(query.wanted, query.matches_case, MOST_MATCHES, text)
    answer = tried_apart(query.wanted, regex_places_worker.__name__, request, progress)
    places = np.frombuffer(answer, np.int64).reshape(-1, 2)
    starts, ends = places[:MOST_MATCHES, 0].copy(), places[:MOST_MATCHES, 1].copy()
    return Matches(starts, ends, len(places) <= MOST_MATCHES)
