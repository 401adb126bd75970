"""Which characters are the same where upper and lower case do not count, by Unicode's full case folding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache

LONGEST_FOLDING = 3  # characters that one character becomes
LAST_WITH_CASES = 0x1FFFF
DOTTED_CAPITAL_I = "\u0130"  # becomes i with a dot above; people also type it as i


@cache
def characters_by_folding() -> Mapping[str, tuple[str, ...]]:
    """The characters that become something else, by what they become: "ss" has ß and ẞ."""
    found: dict[str, list[str]] = defaultdict(list)
    for character in map(chr, range(LAST_WITH_CASES + 1)):
        folded = character.casefold()
        if folded != character:
            found[folded].append(character)
    found["i"].append(DOTTED_CAPITAL_I)
    return {folded: tuple(characters) for folded, characters in found.items()}
