"""Which characters, or which parts of them, a stretch of bytes holds."""

from __future__ import annotations

import unicodedata
from itertools import groupby

import numpy as np

from guiapp.core.text.figures import counted
from guiapp.core.text.visible_text import INVISIBLE

LISTED = 3
CONTROLS = {  # those that texts have; unicodedata finds them by these names, but does not name them
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
LEAST_FIRST_BYTE = -64  # as signed numbers, the bytes 0x80 to 0xBF, which continue a character, are below


def characters_of(text: bytes, start: int, end: int) -> str:
    """Say what text[start:end] is in characters, looking at the bytes around it for those cut in two.

    `U+6C49 汉 · CJK UNIFIED IDEOGRAPH-6C49`, `bytes 1–2 of 3 of U+6C49 汉`, `5 characters`,
    `1 byte that is not UTF-8`; empty for an empty stretch.
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
    """Each character on a line of its own, equal neighbours on one: `U+200B ZERO WIDTH SPACE ×3`."""
    runs = [(character, len(list(equal))) for character, equal in groupby(text)]
    lines = [
        f"U+{ord(character):04X} {_long_name(character)}" + (f" ×{n_times:,}" if n_times > 1 else "")
        for character, n_times in runs[:most]
    ]
    if n_more := sum(n_times for _, n_times in runs[most:]):
        lines.append(f"… and {n_more:,} more")
    return lines


def n_characters(text: bytes | memoryview) -> int:
    """The characters that begin in `text`."""
    return int(np.count_nonzero(np.frombuffer(text, np.int8) >= LEAST_FIRST_BYTE))


def _cut_character(text: bytes, at: int, start: int, end: int) -> tuple[int, int] | None:
    """The character around byte `at`, where it does not lie wholly inside [start, end)."""
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
    """As Unicode has it; control characters have aliases only."""
    return unicodedata.name(character, "") or CONTROLS.get(character, "without a name")


def _name(character: str) -> str:
    code = f"U+{ord(character):04X}"
    is_seen = unicodedata.category(character)[0] not in "CZM" and not INVISIBLE.match(character)
    return f"{code} {character}" if is_seen else code
