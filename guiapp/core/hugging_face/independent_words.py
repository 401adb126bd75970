"""Find the spaces at which a tokenizer.json treats both sides of a text independently."""

from __future__ import annotations

from collections.abc import Sequence as Many
from functools import cache
from typing import NamedTuple
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from guiapp.core.hugging_face.characters import CharacterSet, UnicodeForm, members, of_ranges
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
from guiapp.core.hugging_face.pre_tokenizers import normalize as normalized
from guiapp.core.hugging_face.spec import flattened
from guiapp.core.pretokenize.pre_tokenizers import Pattern
from guiapp.core.pretokenize.splitter import splitter_of
from guiapp.core.text.unicode_tables import N_CODES, ranges_of
from guiapp.core.vocabulary.parts import AddedToken

N_FIRST = 1 << 16  # code points
WHITE_SPACE = " \n\t\r"
ALONE = UnicodeForm, Lowercase, StripAccents, Nmt  # change single characters, or join none to a space before
INFIRM: tuple[CharacterSet, ...] = ("combining", "nonspacing", "control", "prepending")
RUNS = " {2,}", " +", r"\s+", r"\s{2,}"


class WordEdges(NamedTuple):
    """Positions where the text before and the text after do not affect each other.

    Such a position is before a run of spaces, after a character that is not and does not become white space,
    so that all changes to the run happen on one side.  All splitting expressions must cut there in any
    context.

    starts  bool[256]: white space that may begin the independent part
    ends    bool[65536]: characters that may stand before it
    """

    starts: NDArray[np.bool_]
    ends: NDArray[np.bool_]


def word_edges(
    normalizer: Normalizer, pre_tokenizer: PreTokenizer, added: Many[AddedToken]
) -> WordEdges | None:
    """The word edges, if `added` tokens are searched for in the normalized text; None if there are none."""
    parts = flattened(pre_tokenizer)
    symbols = [part.replacement for part in parts if isinstance(part, Metaspace) and len(parts) == 1]
    if (
        any(token.rstrip or set(token.searched) & set(map(chr, range(33))) for token in added)
        or any(isinstance(part, Metaspace | ByteLevel) for part in parts[:-1])
        or not all(_is_independent(part, [" ", *symbols]) for part in flattened(normalizer))
    ):
        return None
    starts = np.zeros(256, np.bool_)
    for space in WHITE_SPACE:
        made = normalized(normalizer, f"a{space}a".encode(), False).text()[1:-1]
        if made in (" ", space, *symbols):
            cuts = [_cuts(part, made) for part in parts]
            starts[ord(space)] = any(cuts) and None not in cuts
    return WordEdges(starts, _ends()) if starts.any() else None


def _is_independent(part: object, spaces: list[str]) -> bool:
    match part:
        case Replace(RegexMatcher(pattern=Pattern(source=source)), content):
            return source in RUNS and content in spaces
        case Precompiled(charsmap=charsmap):
            is_known = charsmap.spaces[list(map(ord, WHITE_SPACE))].all()
            return not len(charsmap.units) or (bool(is_known) and _leaves_letters(part))
    return isinstance(part, ALONE)


def _leaves_letters(part: Precompiled) -> bool:
    """Whether letters and similar characters never become white space or disappear."""
    outputs = part.outputs(np.flatnonzero(_ends()))
    return not part.outputs(np.flatnonzero(members("prepending"))) and all(map(_is_word, outputs))


def _is_word(text: str) -> bool:
    """Whether a text has a character that is never removed, and no white space."""
    return not any(map(str.isspace, text)) and any(_firm()[ord(each)] for each in text)


def _cuts(part: object, space: str) -> bool | None:
    """Whether a part cuts before white space; None if it may depend on the other side."""
    match part:
        case ByteLevel(adds_prefix_space=True) if space != " ":  # it would add a space before it
            return None
        case WhitespaceSplit() | Whitespace():
            return space.isspace()
        case Split(matcher, "Isolated" | "Removed"):
            return _always_cuts(matcher, space) or None
        case ByteLevel(uses_expression=True):
            return _always_cuts(RegexMatcher(GPT2), space) or None
        case Metaspace(replacement, _, True):
            return space in (" ", replacement)
        case Characters() | ByteLevel() | Metaspace():
            return False
    return None


def _always_cuts(matcher: Matcher, space: str) -> bool:
    if isinstance(matcher, Literal):
        return matcher.target == space.encode()
    machine = splitter_of((matcher.pattern,)).machine
    return bool(machine.cuts[machine.classes[_visible()], machine.classes[ord(space)]].all())


@cache
def _visible() -> NDArray[np.bool_]:
    """bool[0x110000]: letters, marks, numbers, punctuation and symbols."""
    result = np.zeros(N_CODES, np.bool_)
    for first, last in (each for category in "LMNPS" for each in ranges_of(category)):
        result[first : last + 1] = True
    return result


@cache
def _firm() -> NDArray[np.bool_]:
    """The visible characters that no normalizer removes, turns into white space or joins to the next one."""
    result = _visible() & ~of_ranges(NMT_SPACES)
    for name in INFIRM:
        result &= ~members(name)
    return result


@cache
def _ends() -> NDArray[np.bool_]:
    """bool[65536]: the firm characters of which something visible remains in every normal form."""
    result = _firm()[:N_FIRST].copy()
    for code in np.flatnonzero(result & members("NFKD")[:N_FIRST]).tolist():
        result[code] = _is_word(normalize("NFKD", chr(code)))
    return result
