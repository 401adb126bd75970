"""Bytes as text that a person can see: nothing in it is blank, invisible, or changes the text around it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from guiapp.core.text.hidden import INVISIBLE, emoji_sequences, unassigned

SIGNS = {" ": "·", "\n": "↵", "\t": "→", "\r": "␍"}
FIRST_RIGHT_TO_LEFT = "\u0590"
UNSEEN = {"Cc", "Cf", "Zl", "Zp", "Zs"}
FIRST_ESCAPED_BYTE, LAST_ESCAPED_BYTE = "\udc80", "\udcff"  # what "surrogateescape" makes of a stray byte


class VisibleRun(NamedTuple):
    """A stretch of visible text; `is_symbol` where it stands for something else (`·`, `↵`, `<E2 82>`)."""

    text: str
    is_symbol: bool


def visible_text(data: bytes, limit: int = 200) -> str:
    """`data` as one visible line of at most about `limit` characters, `…` behind it where it was cut."""
    if len(data) <= limit and (plain := _plain(data)) is not None:
        return plain
    return "".join(run.text for run in visible_runs(data, limit))


def visible_runs(data: bytes, limit: int = 200) -> list[VisibleRun]:
    """Like `visible_text`, with the signs kept apart from the characters that stand for themselves."""
    head = data[: 4 * limit].decode("utf-8", "surrogateescape")  # 4 bytes per character at most
    runs = list(_runs(head[:limit]))
    if len(head) > limit or len(data) > 4 * limit:
        runs.append(VisibleRun("…", True))
    return runs


def isolate(text: str) -> str:
    """Keep right-to-left text from reordering what stands around it (first strong isolate)."""
    return f"\u2068{text}\u2069" if max(text, default="") >= FIRST_RIGHT_TO_LEFT else text


def _plain(data: bytes) -> str | None:
    """The usual case, fast: characters that stand for themselves, and spaces."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    if not text.isprintable() or INVISIBLE.search(text) or _begins_with_mark(text):
        return None
    return text.replace(" ", SIGNS[" "])


def _runs(text: str) -> Iterator[VisibleRun]:
    if _begins_with_mark(text):
        yield VisibleRun("◌", True)  # a combining mark needs something to stand on
    at = 0
    for emoji in emoji_sequences(text):
        yield from _signed(text[at : emoji.start()])
        yield VisibleRun(emoji[0], False)  # with joiners that are part of the picture
        at = emoji.end()
    yield from _signed(text[at:])


def _signed(text: str) -> Iterator[VisibleRun]:
    for is_stray, characters in groupby(text, _is_stray_byte):
        segment = "".join(characters)
        if is_stray:
            yield VisibleRun(f"<{segment.encode('utf-8', 'surrogateescape').hex(' ').upper()}>", True)
            continue
        for is_symbol, symbols in groupby(segment, _needs_symbol):
            shown = "".join(symbols)
            yield VisibleRun("".join(map(_symbol_for, shown)) if is_symbol else shown, is_symbol)


def _begins_with_mark(text: str) -> bool:
    return text != "" and unicodedata.category(text[0])[0] == "M" and not INVISIBLE.match(text)


def _is_stray_byte(character: str) -> bool:
    return FIRST_ESCAPED_BYTE <= character <= LAST_ESCAPED_BYTE


def _needs_symbol(character: str) -> bool:
    is_unseen = unicodedata.category(character) in UNSEEN or bool(INVISIBLE.match(character))
    return character in SIGNS or is_unseen or bool(unassigned().match(character))


def _symbol_for(character: str) -> str:
    return SIGNS.get(character) or f"<U+{ord(character):04X}>"
