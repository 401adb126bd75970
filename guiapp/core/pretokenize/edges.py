"""Where a pre-tokenizer splits a text, and by which of its rules, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.pretokenize import pre_tokenizers as known
from guiapp.core.pretokenize.pre_tokenizers import Pattern
from guiapp.core.pretokenize.regex import seen, translated
from guiapp.core.pretokenize.splitter import splitter_of
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary
from guiapp.errors import TokenloupeError

ESCAPES = {ord("\n"): r"\n", ord("\r"): r"\r", ord("\t"): r"\t"}  # some files have the raw characters
CONTRACTIONS = "a contraction such as 's or 'll"
SIGNS = "symbols, with a space before and line ends after them"
CASED = "letters, capitals first, with one space or symbol before them"
IN_WORDS = {
    known.CONTRACTION: CONTRACTIONS,
    known.WORD: "letters, with one space or symbol before them",
    r" ?\p{L}+": "letters, with a space before them",
    r"\s?\p{L}+": "letters, with white space before them",
    r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+": "letters and marks, with one space or symbol before them",
    known.WORD_WITH_MARKS: "letters and marks, with one space before them",
    known.ASCII_SYMBOL_AND_WORD: "a symbol, with the ASCII letters after it",
    r" ?\p{N}+": "digits, with a space before them",
    r"\p{N}+": "digits",
    r"\p{N}{1,3}": "up to three digits",
    **dict.fromkeys((r"\p{N}", r"\p{N}{1}"), "one digit"),
    "[0-9][0-9][0-9]": "three digits",
    r" ?[^\s\p{L}\p{N}]+": "symbols, with a space before them",
    r" ?[\p{P}\p{S}]+": "symbols, with a space before them",
    **dict.fromkeys(
        (
            known.SYMBOLS,
            known.SYMBOLS_AND_SLASHES,
            r" ?[\p{P}\p{S}]+[\r\n]*",
            r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*",
        ),
        SIGNS,
    ),
    known.LINE_ENDS: "line ends, with white space before them",
    r"\s*[\r\n]": "a line end, with white space before it",
    r"[\r\n]": "a line end",
    r"[\n]+": "line ends",
    r"[^\n]+": "all up to a line end",
    r"\s+(?!\S)": "white space, except the last before a word",
    r"\s+": "white space",
    r"\s+$": "white space at the end",
    r"\S+": "all up to white space",
    r"\p{Han}+": "Chinese characters",
    **dict.fromkeys(("'s", "'t", "'re", "'ve", "'m", "'ll", "'d"), CONTRACTIONS),
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)": CONTRACTIONS,
    "'(?i:[sdmt]|ll|ve|re)": CONTRACTIONS,
    r"'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])": CONTRACTIONS,
    **{
        option: CASED
        for upper, lower in (
            (known.UPPER, known.LOWER),
            (known.UPPER_OR_MARK, known.LOWER_OR_MARK),
            (known.UPPER_CATEGORIES, known.LOWER_CATEGORIES),
        )
        for ending in ("", f"{known.CONTRACTION}?")
        for option in known.cased(upper, lower, ending)
    },
}


class PatternBranch(NamedTuple):
    """An alternative of one of several patterns.

    pattern  the number of the pattern, from 0
    source   the alternative, with line ends escaped
    option   its number among `n_options`, from 0
    words    a description of its matches, "" if there is none
    """

    pattern: int
    source: str
    option: int
    n_options: int
    words: str


def piece_ends(patterns: tuple[Pattern, ...], text: bytes, text_ends: list[int]) -> NDArray[np.int64]:
    """The ends of the pieces of concatenated texts, all valid UTF-8 and not empty."""
    data = np.frombuffer(text, np.uint8)
    return splitter_of(patterns).split_each(data, np.array(text_ends, np.int64))


def certain(patterns: tuple[Pattern, ...], text: bytes) -> tuple[int, int]:
    """The range in which pieces are the same whatever text comes before and after."""
    data, splitter = np.frombuffer(text, np.uint8), splitter_of(patterns)
    return splitter.restart_after(data, 0), splitter.restart_before(data, len(data))


def patterns_of(vocabulary: Vocabulary) -> tuple[Pattern, ...]:
    """The patterns that split the text itself; none if it is changed first."""
    is_plain = vocabulary.type is VocabType.BPE and vocabulary.parts is None
    is_plain = is_plain and vocabulary.model != "whitespace" and not vocabulary.rules.escape_spaces
    return vocabulary.patterns if is_plain else ()


def rule_of(patterns: tuple[Pattern, ...], text: str, start: int, end: int) -> str:
    """The rule that made the piece text[start:end], in words or as its source; "" if it is unknown."""
    branch = branch_of(patterns, text, start, end)
    return "" if branch is None else branch.words or branch.source


def branch_of(patterns: tuple[Pattern, ...], text: str, start: int, end: int) -> PatternBranch | None:
    """The alternative that made the piece text[start:end]; None if it is unknown."""
    for number, pattern in reversed([*enumerate(patterns)]):
        shown = "".join(map(chr, seen(pattern.view, np.array([*map(ord, text)]))))
        options = _options(pattern)
        for option, (source, expression) in enumerate(options):
            if (match := expression.match(shown, start)) is not None and match.end() == end:
                shown_source = source.translate(ESCAPES)
                return PatternBranch(
                    number, shown_source, option, len(options), IN_WORDS.get(shown_source, "")
                )
    return None


@cache
def _options(pattern: Pattern) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The alternatives of a pattern; none if it is not a plain choice or not a regular expression."""
    if not pattern.source:
        return ()
    sources = [*_alternatives(pattern.source)]
    try:
        return tuple(
            (source, re.compile(translated(pattern._replace(source=source)), re.ASCII)) for source in sources
        )
    except (re.error, TokenloupeError):
        return ()


def _alternatives(source: str) -> Iterator[str]:
    """The parts of an expression between bars outside of groups."""
    first, depth = 0, 0
    for part in re.finditer(r"\\.|\[(?:\\.|[^\]\\])*\]|[()|]", source):
        depth += (part[0] == "(") - (part[0] == ")")
        if part[0] == "|" and not depth:
            yield source[first : part.start()]
            first = part.end()
    yield source[first:]
