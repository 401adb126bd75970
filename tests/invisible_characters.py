"""All characters that draw nothing or only a blank, from sources other than the program's own table."""

import sys
import unicodedata
from functools import cache

WITHOUT_INK = "\u2800\U0001d159\ufff9\ufffa\ufffb"
IGNORED_LETTERS = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"
UNASSIGNED = (0x2065, *range(0xFFF0, 0xFFF9), 0xE0000, *range(0xE0080, 0xE0100), *range(0xE01F0, 0xE1000))
SEEN_FORMATS = ("ARABIC", "SYRIAC", "KAITHI", "EGYPTIAN")
"""Scripts in which characters of the format category are visible."""


@cache
def invisible_characters() -> tuple[str, ...]:
    """Format characters, separators except the space, variation selectors, and the listed characters."""
    listed = {*WITHOUT_INK, *IGNORED_LETTERS, *map(chr, UNASSIGNED)}
    characters = listed.union(filter(_is_blank_by_kind, map(chr, range(sys.maxunicode + 1))))
    return tuple(sorted(characters))


def _is_blank_by_kind(character: str) -> bool:
    kind, name = unicodedata.category(character), unicodedata.name(character, "")
    if kind == "Cf":
        return not name.startswith(SEEN_FORMATS) or name == "ARABIC LETTER MARK"
    return (kind in ("Zs", "Zl", "Zp") and character != " ") or "VARIATION SELECTOR" in name
