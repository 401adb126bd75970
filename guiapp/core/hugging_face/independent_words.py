"""Where the parts of a tokenizer.json make of a text what they make of both sides of a space."""

from __future__ import annotations

from collections.abc import Sequence as Many
from functools import cache
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from guiapp.core.hugging_face.characters import UnicodeForm, members, of_ranges
from guiapp.core.hugging_face.matching import Literal, Matcher, RegexMatcher
from guiapp.core.hugging_face.normalizers import (
    NMT_SPACES,
    Lowercase,
    Nmt,
    Normalizer,
    Precompiled,
    Replace,
    StripAccents,
)
from guiapp.core.hugging_face.pre_tokenizers import (
    GPT2,
    ByteLevel,
    Characters,
    Metaspace,
    PreTokenizer,
    Split,
    Whitespace,
    WhitespaceSplit,
)
from guiapp.core.hugging_face.spec import flattened
from guiapp.core.pretokenize.pre_tokenizers import Pattern
from guiapp.core.pretokenize.splitter import splitter_of
from guiapp.core.text.unicode_tables import N_CODES, ranges_of
from guiapp.core.vocabulary.parts import AddedToken

N_FIRST = 1 << 16  # code points
SPACE = " "
ALONE = UnicodeForm, Lowercase, StripAccents, Nmt  # change each character, or join none to a space before it
RUNS = " {2,}", " +", r"\s+", r"\s{2,}"


def word_ends(
    normalizer: Normalizer, pre_tokenizer: PreTokenizer, added: Many[AddedToken]
) -> NDArray[np.bool_] | None:
    """bool[65536]: behind which characters a space begins what does not depend on the text before; or None.

    Nor does the text up to there depend on what follows.  `added` tokens are searched for between the two.

    That holds for the first of several spaces where what stands before it is no white space and does not
    become any, so that all which is done to a run of spaces is done on one side; and where all that cuts by
    expressions does cut there, whatever stands around.
    """
    if any(token.rstrip or set(token.searched) & set(map(chr, range(33))) for token in added):
        return None
    parts = flattened(pre_tokenizer)
    symbols = [part.replacement for part in parts if isinstance(part, Metaspace) and len(parts) == 1]
    if not all(_is_independent(part, [SPACE, *symbols]) for part in flattened(normalizer)):
        return None
    if any(isinstance(part, Metaspace | ByteLevel) for part in parts[:-1]):
        return None
    cuts = list(map(_cuts, parts))
    return _ends() if any(cuts) and None not in cuts else None


def _is_independent(part: object, spaces: list[str]) -> bool:
    match part:
        case Replace(RegexMatcher(pattern=Pattern(source=source)), content):
            return source in RUNS and content in spaces
        case Precompiled(charsmap=charsmap):
            return not len(charsmap.units) or (bool(charsmap.spaces[ord(SPACE)]) and _leaves_letters(part))
    return isinstance(part, ALONE)


def _leaves_letters(part: Precompiled) -> bool:
    """Whether letters and the like never become white space, nor nothing."""
    outputs = part.outputs(np.flatnonzero(_ends()))
    return not part.outputs(np.flatnonzero(members("prepending"))) and all(map(_is_word, outputs))


def _is_word(text: str) -> bool:
    """Whether a text has something that stays, and no white space."""
    stays = _visible() & ~members("combining")
    return not any(map(str.isspace, text)) and any(stays[ord(each)] for each in text)


def _cuts(part: object) -> bool | None:
    """Whether a part cuts before a space; None where it may depend on the other side."""
    match part:
        case WhitespaceSplit() | Whitespace() | Metaspace(splits=True):
            return True
        case Split(matcher, "Isolated" | "Removed"):
            return True if _always_cuts(matcher) else None
        case ByteLevel(uses_expression=True):
            return True if _always_cuts(RegexMatcher(GPT2)) else None
        case Characters() | ByteLevel() | Metaspace():
            return False
    return None


def _always_cuts(matcher: Matcher) -> bool:
    if isinstance(matcher, Literal):
        return matcher.target == SPACE.encode()
    machine = splitter_of((matcher.pattern,)).machine
    return bool(machine.cuts[machine.classes[_visible()], machine.classes[ord(SPACE)]].all())


@cache
def _visible() -> NDArray[np.bool_]:
    """bool[0x110000]: letters, marks, numbers, punctuation and symbols."""
    result = np.zeros(N_CODES, np.bool_)
    for first, last in (each for category in "LMNPS" for each in ranges_of(category)):
        result[first : last + 1] = True
    return result


@cache
def _ends() -> NDArray[np.bool_]:
    """Those of which something visible is left whatever their accents and forms."""
    result = _visible() & ~of_ranges(NMT_SPACES)
    for name in ("combining", "nonspacing", "control", "prepending"):
        result &= ~members(name)
    for code in np.flatnonzero(result & members("NFKD"))[:N_FIRST].tolist():
        result[code] = _is_word(normalize("NFKD", chr(code)))
    return result[:N_FIRST]
