"""Letters that pass for those of another script, within one word: Cyrillic а in a Latin word, and the like.

The table is our own.  It has letters of Cyrillic, Greek, Armenian and Cherokee whose usual shape is that of
a basic Latin letter, as in common fonts nobody tells them apart; not those that are only like one (α, к, я).
Not covered: words wholly of another script, digits and signs, Latin letters that are like each other, and
mathematical letters, which are drawn differently.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from guiapp.core.text.character_starts import decode, encode

PASS_FOR_LATIN = {
    "Cyrillic": (
        "аеорсухіјѕԁԛԝһӏѵАВЕЅІЈКМНОРСТУХҮԌԚԜӀѴ",
        "aeopcyxijsdqwhlvABESIJKMHOPCTYXYGQWIV",
    ),
    "Greek": ("οϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿνρ", "ocjABEZHIKMNOPTYXCJvp"),
    "Armenian": ("օոսհզցյՕՏՍԼ", "onuhqgjOSUL"),
    "Cherokee": ("ᎠᎡᎢᎪᎫᎬᎳᎷᎻᏀᏃᏚᏞᏟᏢᏦᏴᏔ", "DRTAJEWMHGZSLCPKBW"),
}
_LETTERS = {
    "Latin": "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1e00-\u1eff",
    "Greek": "\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f\u0386\u0388-\u03ff\u1f00-\u1fff",
    "Cyrillic": "\u0400-\u0481\u048a-\u052f",
    "Armenian": "\u0531-\u0556\u0561-\u0587",
    "Cherokee": "\u13a0-\u13fd\uab70-\uabbf",
}
_SEEMS = {
    script: dict(zip(letters, latin, strict=True)) for script, (letters, latin) in PASS_FOR_LATIN.items()
}
_PASSES = {script: {latin: own for own, latin in seems.items()} for script, seems in _SEEMS.items()}
_IN = {script: re.compile(f"[{ranges}]") for script, ranges in _LETTERS.items()}
_OTHERS = "".join(ranges for script, ranges in _LETTERS.items() if script != "Latin")
_WORD = re.compile(f"[{_LETTERS['Latin']}{_OTHERS}\u0300-\u036f]+")
_MEETING = re.compile(
    f"[{_LETTERS['Latin']}][\u0300-\u036f]*[{_OTHERS}]|[{_OTHERS}][\u0300-\u036f]*[{_LETTERS['Latin']}]"
)


class Confusable(NamedTuple):
    """A letter of a text, by its bytes [start, end), and the one of the word's script that it passes for."""

    start: int
    end: int
    letter: str
    passes_for: str


@lru_cache(maxsize=256)
def confusables(text: bytes) -> tuple[Confusable, ...]:
    """Those in words of Latin and one other script, of the one that has fewer letters there."""
    if text.isascii():
        return ()
    characters = decode(text)
    if not _MEETING.search(characters):
        return ()
    matches: list[Confusable] = []
    at_character = at_byte = 0
    for word in _WORD.finditer(characters):
        if not (odd := _odd_letters(word[0])):
            continue
        for place, letter in enumerate(word[0], word.start()):
            if (other := odd.get(letter)) is not None:
                at_byte += len(encode(characters[at_character:place]))
                at_character = place
                matches.append(Confusable(at_byte, at_byte + len(letter.encode()), letter, other))
    return tuple(matches)


def _odd_letters(word: str) -> dict[str, str]:
    """The letters of a word that pass for others in it, with those."""
    counts = {script: len(letters.findall(word)) for script, letters in _IN.items()}
    n_latin = counts.pop("Latin")
    script = max(counts, key=counts.__getitem__)
    if not n_latin or not counts[script]:
        return {}
    return _SEEMS[script] if counts[script] <= n_latin else _PASSES[script]
