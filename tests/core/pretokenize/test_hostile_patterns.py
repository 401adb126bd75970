"""Patterns come from files: neither splitting by one nor making its tables may take long."""

from __future__ import annotations

import random
import time
from contextlib import nullcontext
from functools import cache

import numpy as np
import pytest
from arrays import as_array
from pace import slowness

from guiapp.core.pretokenize.pre_tokenizers import Pattern
from guiapp.core.pretokenize.regex import DEAD, Automaton
from guiapp.core.pretokenize.splitter import Splitter
from guiapp.core.pretokenize.unicode_patterns import PatternError

READ_IN_VAIN = {  # what follows is looked for at each place, up to the end of the text
    "(?:ab)*c": "ab",
    "a*b": "a",
    "a*b|a": "a",
    "(?:ab)*c|a|b": "ab",
    "(?:a{100})*b|a": "a",
    "(?:é中)*c|é": "é中",
    "[a-z ]*!|[a-z]+": "ab ",
    r"(?:\p{L}{50} )*!|\p{L}": "a" * 50 + " ",
    r"\s*b|\s": " ",
    "(?:a{30}|b)*c|a|(?:a{31})*b": "a",
    "a{300}b|a": "a",
}


@cache
def splitter_for(*sources: str) -> Splitter:
    return Splitter(tuple(Pattern(source, "oniguruma") for source in sources))


@pytest.mark.parametrize("source", READ_IN_VAIN)
def test_what_a_pattern_reads_in_vain_it_does_not_read_at_each_place(source):
    splitter, unit = splitter_for(source), READ_IN_VAIN[source].encode()
    data = as_array(unit * (200_000 // len(unit)))
    start = time.thread_time()
    ends = splitter.split(data)
    matched_ends, _ = splitter.native.split_matches(data, np.array([len(data)]))
    assert time.thread_time() - start < 3 * slowness()  # by far less; without a memory, half a minute
    assert ends.tolist() == matched_ends.tolist()


ATOMS = [
    "a",
    "b",
    "c",
    "é",
    "中",
    "[ab]",
    "[^c]",
    "(?:ab)",
    "(?:a中)",
    r"\s",
    r"\p{L}",
    "(?:a{9}|b)",
    "(?:a|bé)",
]
FIXED = ["", "", "", "{2}", "{5}", "{17}"]  # other repetitions of repeated parts take Python's `re` forever


def random_pattern(source: random.Random) -> str:
    def option() -> str:
        first = source.choice(ATOMS) + source.choice(["*", "+", "?", "{0,3}"])
        parts = [source.choice(ATOMS) + source.choice(FIXED) for _ in range(source.randint(1, 3))]
        looped = f"(?:{''.join(parts)})*" if source.random() < 0.5 else first + parts[0]
        return looped + source.choice(["a", "b", "c", "!", "中", r"a(?!\S)"])

    return "|".join(option() for _ in range(source.randint(1, 4)))


def random_run(source: random.Random) -> str:
    """Few characters, again and again, so that attempts get far and meet each other."""
    units = ["".join(source.choices("aabcé中 ", k=source.randint(1, 3))) for _ in range(2)]
    return "".join(source.choice(units) * source.choice([1, 3, 20, 50]) for _ in range(source.randint(1, 5)))


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(1, 40))]
)
def test_native_and_reference_agree_on_long_match_attempts(seed):
    source = random.Random(seed)
    for _ in range(25):
        patterns = [random_pattern(source) for _ in range(source.choice([1, 1, 1, 2]))]
        try:
            splitter = splitter_for(*patterns)
        except PatternError:  # too large an automaton
            continue
        texts = [random_run(source).encode() for _ in range(6)]
        expected = [splitter.split_readable(text) for text in texts]
        assert [splitter.split(as_array(text)).tolist() for text in texts] == expected, patterns
        text_ends = np.cumsum([*map(len, texts)])
        ends = splitter.split_each(as_array(b"".join(texts)), text_ends).tolist()
        starts = [0, *text_ends.tolist()]
        assert ends == [start + end for start, each in zip(starts, expected, strict=False) for end in each]
        if len(patterns) == 1:
            matched_ends, _ = splitter.native.split_matches(as_array(b"".join(texts)), text_ends)
            assert matched_ends.tolist() == ends, patterns


FEW = "".join(map(chr, range(0x4E00, 0x4E00 + 250)))
LARGE = {  # what each of them would take was seconds, or hundreds of megabytes
    "each place may be skipped": "(?:a?){1000}b",
    "counted in counted": "(?:[ab]{1,60}){30}c",
    "options in a loop": "(?:" + "|".join(f"{each}{each}?" for each in FEW[:120]) + "){15}z",
    "both look ahead": "(?:(?=[ab])(?!c)(?:a|b)?){800}c",
    "wide classes": r"[^\w]" * 2000,
    "classes in classes": ("[" * 40 + r"\w" + "]" * 40) * 150,
    "classes met by classes": r"[\w\p{L}&&[^\p{Han}]]" * 600,
    "all characters of a script": "".join(map(chr, range(0x4E00, 0x4E00 + 16_000))),
}
LARGE_ENOUGH = {
    "counted letters": r"\p{L}{900}",
    "many states and classes": "".join(f"[^{each}]" for each in FEW) + "(?:a{800}){2}",
    "words": "|".join(f"{one}{two}x" for one in "abcdefghijklmnop" for two in FEW[:60]),
}


@pytest.mark.parametrize("name", [*LARGE, *LARGE_ENOUGH])
def test_tables_are_made_in_a_second_or_refused(name):
    pattern = Pattern((LARGE | LARGE_ENOUGH)[name], "oniguruma")
    refusal = "needs too large an automaton|classes are too large|too many kinds of characters"
    start = time.thread_time()
    with pytest.raises(PatternError, match=refusal) if name in LARGE else nullcontext():
        Splitter((pattern,))
    assert time.thread_time() - start < 1.5 * slowness()


def test_a_pattern_of_rank_files_may_not_have_too_large_classes():
    with pytest.raises(PatternError, match="its classes are too large"):
        Splitter((Pattern(r"\PL" * 5000, "unicode"),))


@pytest.mark.parametrize("seed", range(20))
def test_what_can_and_what_must_match_are_fixed_points(seed):
    source = np.random.default_rng(seed)
    shape = int(source.integers(2, 40)), int(source.integers(1, 4))
    following = np.where(source.random(shape) < 0.3, DEAD, source.integers(1, shape[0], shape)).astype(
        np.int32
    )
    accepts = source.random(shape) < source.random() / 2
    following[DEAD], accepts[DEAD] = DEAD, False
    automaton = Automaton(following, accepts)
    can, must = accepts.any(axis=1), np.arange(shape[0]) != DEAD
    for _ in range(shape[0]):
        can |= can[following].any(axis=1)
        must &= (accepts | must[following]).all(axis=1)
    assert automaton.can_match.tolist() == can.tolist()
    assert automaton.must_match.tolist() == must.tolist()
