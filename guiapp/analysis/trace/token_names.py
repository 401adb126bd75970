"""How people name a token in a breakpoint or a condition."""

from __future__ import annotations

import re


def unquoted(text: str) -> str:
    is_quoted = len(text) >= 2 and text[0] == text[-1] == '"'
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if is_quoted else text


def is_hexadecimal(text: str) -> bool:
    return re.fullmatch(r"(?:0x[0-9A-Fa-f]{2}\s*)+", text) is not None
