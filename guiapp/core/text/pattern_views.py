r"""What a pattern gets to see of a text, and how it is written for that.

llama.cpp runs most patterns over a copy of the text with one byte per character: ASCII as it is, all else
as a stand-in for its category.  `\p{…}` in a pattern then means that stand-in and some of ASCII.
"""

from __future__ import annotations

from collections.abc import Callable

from guiapp.core.text import unicode_tables
from guiapp.core.text.pattern_table import Pattern, View
from guiapp.core.text.unicode_tables import categories, han, whitespace

VERTICAL_TAB = 0x0B
OTHER, HAN_LETTER, HAN_OTHER = 0xD0, 0xD6, 0xD7
STAND_INS = {
    unicode_tables.NUMBER: 0xD1,
    unicode_tables.LETTER: 0xD2,
    unicode_tables.PUNCTUATION: 0xD3,
    unicode_tables.MARK: 0xD4,
    unicode_tables.SYMBOL: 0xD5,
}

LETTERS = "\xd2\xd6A-Za-z"
MEMBERS = {
    "N": "\xd10-9",
    "L": LETTERS,
    "Lu": LETTERS,
    "Ll": LETTERS,
    "Lt": LETTERS,
    "Lm": LETTERS,
    "Lo": LETTERS,
    "P": "\xd3!-#%-*,-/:;?@\\[\\\\\\]_{}",
    "M": "\xd4",
    "S": "\xd5$+<=>\\^`|~",
    "Han": "\xd6\xd7",
}


def symbol_in(view: View) -> Callable[[int], int]:
    """What stands for a code point in a view."""
    return {"codes": _seen_as_code, "han": _seen_with_han}.get(view, _seen_as_class)


def translated(pattern: Pattern) -> str:
    r"""The pattern for its view, in the syntax of `re` with re.ASCII: no `\p`, and `\Z` for `$`."""
    source, at, in_class, parts = pattern.source, 0, False, list[str]()
    while at < len(source):
        part = source[at]
        if source.startswith("\\p{", at):
            end = source.index("}", at)
            members = MEMBERS[source[at + 3 : end]]
            parts.append(members if in_class else f"[{members}]")
            at = end + 1
            continue
        if part == "\\":
            part = source[at : at + 2]
        elif part == "[":
            part, in_class = ("\\[" if in_class else "["), True
        elif part == "]":
            in_class = False
        elif part == "$" and not in_class:
            part = "\\Z"
        parts.append(part)
        at += 2 if part[0] == "\\" and source[at] == "\\" else 1
    return "".join(parts)


def _seen_as_code(code: int) -> int:
    return VERTICAL_TAB if code >= 0x80 and code in whitespace() else code


def _seen_as_class(code: int) -> int:
    if code < 0x80:
        return code
    if code in whitespace():
        return VERTICAL_TAB
    return STAND_INS.get(categories()[code], OTHER)


def _seen_with_han(code: int) -> int:
    if code in han():
        return HAN_LETTER if categories()[code] == unicode_tables.LETTER else HAN_OTHER
    return _seen_as_class(code)
