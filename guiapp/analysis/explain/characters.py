"""Describe the characters of a byte span or a token: whole, partial or hidden ones, and classes."""

from __future__ import annotations

import unicodedata
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.visible_text import INVISIBLE, decoded, hidden_spans, kinds_of, without
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import SCORED, Vocabulary

if TYPE_CHECKING:
    from guiapp.core.encode.tokenizer import Tokenizer

KINDS = ("letters", "digits", "signs", "white space", "bytes", "special")
LETTERS, DIGITS, SIGNS, WHITE_SPACE, BYTES, SPECIAL = range(len(KINDS))
RARITIES = ("first 1 %", "to 10 %", "to 40 %", "later")  # of all tokens, in the order of `is_by_score`
RARITY_ENDS = 0.01, 0.1, 0.4
NAMED = Attribute.CONTROL | Attribute.UNKNOWN | Attribute.USER_DEFINED
UNSEEN = 255
LISTED = 3
CONTROLS = {  # the usual ones; unicodedata looks them up by these names, but does not return the names
    "\0": "NULL",
    "\a": "ALERT",
    "\b": "BACKSPACE",
    "\t": "CHARACTER TABULATION",
    "\n": "LINE FEED",
    "\v": "LINE TABULATION",
    "\f": "FORM FEED",
    "\r": "CARRIAGE RETURN",
    "\x1b": "ESCAPE",
    "\x7f": "DELETE",
    "\x85": "NEXT LINE",
}
LEAST_FIRST_BYTE = -64  # continuation bytes, 0x80 to 0xBF, are below as signed numbers


def characters_of(text: bytes, start: int, end: int) -> str:
    """Describe text[start:end] in characters, using the bytes around it for characters cut in two.

    `U+6C49 汉 · CJK UNIFIED IDEOGRAPH-6C49`, `bytes 1–2 of 3 of U+6C49 汉`, `5 characters`,
    `1 byte not of valid UTF-8`; "" for an empty span.
    """
    if start >= end:
        return ""
    parts = []
    middle_start, middle_end = start, end
    if (whole := _cut_character(text, start, start, end)) is not None:
        parts.append(_part(text, whole, start, end))
        middle_start = min(whole[1], end)
    if middle_start < end and (whole := _cut_character(text, end - 1, start, end)) is not None:
        middle_end = whole[0]
        parts.append(_part(text, whole, start, end))
    if middle_start < middle_end:
        at = 1 if middle_start > start else 0
        parts.insert(at, _whole(text[middle_start:middle_end], is_all=not parts))
    return ", ".join(parts)


def code_points(text: str, most: int) -> list[str]:
    """A line for each character, one line for equal neighbours: `U+200B ZERO WIDTH SPACE ×3`."""
    runs = [(character, len(list(equal))) for character, equal in groupby(text)]
    lines = [
        f"U+{ord(character):04X} {_long_name(character)}" + (f" ×{n_times:,}" if n_times > 1 else "")
        for character, n_times in runs[:most]
    ]
    if n_more := sum(n_times for _, n_times in runs[most:]):
        lines.append(f"… and {n_more:,} more")
    return lines


def n_characters(text: bytes | memoryview) -> int:
    """The number of characters that begin in `text`."""
    return int(np.count_nonzero(np.frombuffer(text, np.int8) >= LEAST_FIRST_BYTE))


def _cut_character(text: bytes, at: int, start: int, end: int) -> tuple[int, int] | None:
    """The character around byte `at`, unless it is wholly inside [start, end)."""
    for begin in range(at, max(at - 4, -1), -1):
        for stop in range(at + 1, min(begin + 4, len(text)) + 1):
            try:
                is_character = len(text[begin:stop].decode()) == 1
            except UnicodeDecodeError:
                continue
            if is_character:
                return (begin, stop) if begin < start or stop > end else None
    return None


def _part(text: bytes, whole: tuple[int, int], start: int, end: int) -> str:
    begin, stop = whole
    first, last = max(start, begin) - begin + 1, min(end, stop) - begin
    which = f"byte {first}" if first == last else f"bytes {first}–{last}"
    return f"{which} of {stop - begin} of {_name(text[begin:stop].decode())}"


def _whole(data: bytes, is_all: bool) -> str:
    characters = data.decode("utf-8", "surrogateescape")
    n_stray = sum("\udc80" <= character <= "\udcff" for character in characters)
    phrases = []
    if n_characters := len(characters) - n_stray:
        if n_characters == 1 and not n_stray and is_all:
            return f"{_name(characters)} · {_long_name(characters)}"
        if n_characters <= LISTED and not n_stray:
            return ", ".join(map(_name, characters))
        phrases.append(counted(n_characters, "character"))
    if n_stray:
        phrases.append(f"{counted(n_stray, 'byte')} not of valid UTF-8")
    return ", ".join(phrases)


def _long_name(character: str) -> str:
    """The name in Unicode; control characters have only aliases."""
    return unicodedata.name(character, "") or CONTROLS.get(character, "without a name")


def _name(character: str) -> str:
    code = f"U+{ord(character):04X}"
    is_seen = unicodedata.category(character)[0] not in "CZM" and not INVISIBLE.match(character)
    return f"{code} {character}" if is_seen else code


# Hidden characters of a text and their cost in tokens, for the command line


class HiddenRun(NamedTuple):
    """A run of hidden characters.

    start, end  in bytes
    line        from 1
    tokens      the number of tokens with some of its bytes
    kinds       of the characters, the most frequent first
    says        the text that tags or selectors spell, or ""
    """

    start: int
    end: int
    line: int
    characters: int
    tokens: int
    kinds: list[str]
    says: str


class HiddenReport(NamedTuple):
    """All hidden runs, and the numbers of tokens of the text with and without them."""

    tokens: int
    tokens_without: int
    characters: int
    places: list[HiddenRun]


def hidden_report(tokenizer: Tokenizer, text: bytes, add_special: bool, parse_special: bool) -> HiddenReport:
    """Report the hidden characters of a text; it is encoded twice if there are any."""
    encoding = tokenizer.encode(text, add_special, parse_special)
    hits = hidden_spans(text)
    if not hits.n_characters:
        return HiddenReport(len(encoding.token_ids), len(encoding.token_ids), 0, [])
    starts, ends = encoding.spans[:, 0], encoding.spans[:, 1]
    tokens = np.searchsorted(starts, hits.ends) - np.searchsorted(ends, hits.starts, "right")
    newlines = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
    lines = np.searchsorted(newlines, hits.starts) + 1
    runs, columns = [], (hits.starts, hits.ends, lines, hits.counts, tokens)
    for start, end, line, count, n_tokens in zip(*(each.tolist() for each in columns), strict=True):
        hidden = text[start:end].decode()
        runs.append(HiddenRun(start, end, line, count, n_tokens, kinds_of(hidden), decoded(hidden)))
    rest = tokenizer.encode(without(text, hits), add_special, parse_special)
    return HiddenReport(len(encoding.token_ids), len(rest.token_ids), hits.n_characters, runs)


# Classes of tokens to colour them by: kinds of characters, and rarity


class TokenClasses:
    """The classes of the tokens of one vocabulary; kinds are computed on demand."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._kinds = np.full(len(vocabulary), UNSEEN, np.uint8)

    def kinds(self, ids: NDArray[np.int32]) -> NDArray[np.uint8]:
        """For each id an index into KINDS; letters take precedence over digits, and digits over signs."""
        kinds: NDArray[np.uint8] = self._kinds[ids]
        if UNSEEN in kinds:
            for token_id in {*ids[kinds == UNSEEN].tolist()}:
                self._kinds[token_id] = self._kind(token_id)
            kinds = self._kinds[ids]
        return kinds

    def rarities(self, ids: NDArray[np.int32]) -> NDArray[np.uint8]:
        """For each id an index into RARITIES."""
        ranks = ids if self._ranks_by_score is None else self._ranks_by_score[ids]
        return np.digitize(ranks, [end * len(self._vocabulary) for end in RARITY_ENDS]).astype(np.uint8)

    @property
    def is_by_score(self) -> bool:
        """Whether rarity is by score, the highest first; else by id.

        With pair merging, ids are in the order of the merges.
        """
        return self._vocabulary.type in SCORED

    @cached_property
    def _ranks_by_score(self) -> NDArray[np.int64] | None:
        if not self.is_by_score:
            return None
        ranks = np.empty(len(self._vocabulary), np.int64)
        ranks[np.argsort(-self._vocabulary.scores, kind="stable")] = np.arange(len(ranks))
        return ranks

    def _kind(self, token_id: int) -> int:
        attributes = self._vocabulary.attributes[token_id]
        if attributes & NAMED:
            return SPECIAL
        try:
            text = self._vocabulary.token_bytes(token_id).decode().replace("▁", " ")
        except UnicodeDecodeError:
            return BYTES
        if any(map(str.isalpha, text)):
            return LETTERS
        if any(map(str.isnumeric, text)):
            return DIGITS
        return WHITE_SPACE if not text.strip() else SIGNS
