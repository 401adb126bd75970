"""Where a pre-tokenizer cuts a text, and by which of its rules, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from guiapp.core.errors import TokenloupeError
from guiapp.core.split import pre_tokenizers as known
from guiapp.core.split.pre_tokenizers import Pattern
from guiapp.core.split.regex import seen, translated
from guiapp.core.split.splitter import splitter_of
from guiapp.core.vocab.vocabulary import VocabType, Vocabulary

IN_WORDS = {
    known.CONTRACTION: "a contraction such as 's or 'll",
    known.WORD: "letters, and one space or sign before them",
    r" ?\p{L}+": "letters, and a space before them",
    r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+": "letters and marks, and one space or sign before them",
    r" ?\p{N}+": "digits, and a space before them",
    r"\p{N}+": "digits",
    r"\p{N}{1,3}": "up to three digits",
    r"\p{N}": "one digit",
    r" ?[^\s\p{L}\p{N}]+": "signs, and a space before them",
    known.SYMBOLS: "signs, a space before them, line ends behind them",
    known.LINE_ENDS: "line ends, and white space before them",
    r"\s+(?!\S)": "white space, but for the last before a word",
    r"\s+": "white space",
    **dict.fromkeys(("'s", "'t", "'re", "'ve", "'m", "'ll", "'d"), "a contraction such as 's or 'll"),
}


def piece_ends(patterns: tuple[Pattern, ...], text: bytes, text_ends: list[int]) -> NDArray[np.int64]:
    """The ends of the pieces of texts that lie one behind the other, all valid UTF-8 and none empty."""
    data = np.frombuffer(text, np.uint8)
    return splitter_of(patterns).split_each(data, np.array(text_ends, np.int64))


def certain(patterns: tuple[Pattern, ...], text: bytes) -> tuple[int, int]:
    """Between which places pieces are the same whatever precedes a text and follows it."""
    data, splitter = np.frombuffer(text, np.uint8), splitter_of(patterns)
    return splitter.restart_after(data, 0), splitter.restart_before(data, len(data))


def patterns_of(vocabulary: Vocabulary) -> tuple[Pattern, ...]:
    """Those that cut the text itself; none where it is made into another one first."""
    is_plain = vocabulary.type is VocabType.BPE and vocabulary.parts is None
    is_plain = is_plain and vocabulary.model != "whitespace" and not vocabulary.rules.escape_spaces
    return vocabulary.patterns if is_plain else ()


def rule_of(patterns: tuple[Pattern, ...], text: str, start: int, end: int) -> str:
    """The rule that made the piece text[start:end], in words or as it stands; "" where none is known."""
    for pattern in reversed(patterns):
        shown = "".join(map(chr, seen(pattern.view, np.array([*map(ord, text)]))))
        for source, expression in _options(pattern):
            if (match := expression.match(shown, start)) is not None and match.end() == end:
                return IN_WORDS.get(source, source)
    return ""


@cache
def _options(pattern: Pattern) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The alternatives of a pattern; none where it is no plain choice, or cuts beyond expressions."""
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
    """The parts of an expression between the bars that stand in no group."""
    first, depth = 0, 0
    for part in re.finditer(r"\\.|\[(?:\\.|[^\]\\])*\]|[()|]", source):
        depth += (part[0] == "(") - (part[0] == ")")
        if part[0] == "|" and not depth:
            yield source[first : part.start()]
            first = part.end()
    yield source[first:]
