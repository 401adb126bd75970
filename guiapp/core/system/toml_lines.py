"""Where the entries of a TOML file stand: readers tell lines of what they refuse, and of nothing else.

All that is looked at is how lines begin, once texts of several lines are blank.
"""

from __future__ import annotations

import re

STRING = re.compile(
    r'"""(?:\\.?|[^\\])*?(?:"{3,5}|\Z)'
    r"|'''.*?(?:'{3,5}|\Z)"
    r'|"(?:\\.|[^"\\\n])*"?'
    r"|'[^'\n]*'?|#[^\n]*",
    re.DOTALL,
)
STEP = re.compile(r"""\s*\[\[\s*(["']?)step\1\s*\]\]""")
KEY = re.compile(r"""\s*(["']?)([^"'=\s]+)\1\s*=""")


def without_strings(text: str) -> str:
    """TOML without its strings and comments, line for line."""
    return STRING.sub(lambda found: "\n" * found[0].count("\n"), text)


def lines_of_keys(text: str) -> list[dict[str, int]]:
    """For the head of a valid lesson file, and for each of its steps, the lines of its keys, from 1.

    The key "" has the line where the part begins.
    """
    found: list[dict[str, int]] = [{"": 1}]
    plain = STRING.sub(_blank_if_long, text)
    for number, line in enumerate(plain.split("\n"), 1):
        if STEP.match(line):
            found[0].setdefault("step", number)
            found.append({"": number})
        elif key := KEY.match(line):
            found[-1].setdefault(key[2], number)
    return found


def _blank_if_long(found: re.Match[str]) -> str:
    n_breaks = found[0].count("\n")
    return "\n" * n_breaks if n_breaks else found[0]
