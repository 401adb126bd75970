"""Texts with marks: they are equal to plain ones whatever is done, and marks follow their characters."""

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.analysis.chat.traced import (
    CHANGED,
    CONTENT,
    TEMPLATE,
    CharacterOrigin,
    Origins,
    Traced,
    joined,
)

TEXTS = st.text(alphabet="ab \n.Äß", max_size=12)
OPERATIONS = {
    "add": lambda text, other: [text + other, other + text, text + text],
    "times": lambda text, other: [text * 3, 2 * text],
    "slice": lambda text, other: [text[1:], text[:-1], text[::2], text[::-1], *text[:1]],
    "characters": lambda text, other: [*list(text), *list(reversed(text))],
    "strip": lambda text, other: [
        text.strip(),
        text.lstrip(),
        text.rstrip(),
        text.strip("ab"),
        text.lstrip(" a"),
    ],
    "affixes": lambda text, other: [text.removeprefix(other), text.removesuffix(other)],
    "split": lambda text, other: [*text.split(), *text.split("a"), *text.split("a", 1), *text.split(None, 1)],
    "rsplit": lambda text, other: [
        *text.rsplit(),
        *text.rsplit("a"),
        *text.rsplit("a", 1),
        *text.rsplit(None, 1),
    ],
    "lines": lambda text, other: [*text.splitlines(), *text.splitlines(True)],
    "partition": lambda text, other: [*text.partition("a"), *text.rpartition("a")],
    "replace": lambda text, other: [
        text.replace("a", other),
        text.replace("a", "", 1),
        text.replace("b.", text),
    ],
    "join": lambda text, other: [text.join([other, "x", text]), text.join([]), text.join(text)],
    "letters": lambda text, other: [text.upper(), text.lower(), text.title(), text.capitalize()],
}


def numbered(text, first):
    """A Traced whose marks are the places of its characters, from `first`."""
    marks = Origins()
    marks._next = first
    return marks.entry(text, CharacterOrigin(CONTENT, 0, "content"))


@pytest.mark.parametrize("name", OPERATIONS)
@given(text=TEXTS, other=TEXTS)
def test_what_is_made_is_equal_to_plain_and_each_mark_is_of_its_character(name, text, other):
    made = OPERATIONS[name](numbered(text, 100), numbered(other, 200))
    assert made == OPERATIONS[name](text, other)
    sources = {100: text, 200: other}
    for each in made:
        if not isinstance(each, Traced):
            assert name in ("letters", "replace")
            continue
        assert len(each._marks) == len(each)
        for character, mark in zip(str.__str__(each), each._marks, strict=True):
            if mark:
                source = sources[mark // 100 * 100][mark % 100]
                assert source == character or (
                    name == "letters" and source.casefold() == character.casefold()
                )
            else:
                assert character in "x"


def test_all_that_makes_texts_of_a_str_keeps_marks_or_is_known_to_lose_them():
    """A method of a later Python is to be looked at: what it makes may need marks."""
    losing = {
        "casefold", "center", "encode", "expandtabs", "format", "format_map", "ljust", "rjust", "swapcase",
        "translate", "zfill", "maketrans", "count", "endswith", "find", "index", "rfind", "rindex",
        "startswith",
    }  # fmt: skip
    public = {name for name, _ in inspect.getmembers(str) if not name.startswith(("_", "is"))}
    assert public - losing == {name for name in vars(Traced) if not name.startswith("_")}


def test_runs_are_maximal_and_have_their_origins():
    origins = Origins()
    content = origins.entry("Hello", CharacterOrigin(CONTENT, 1, "content"))
    taken = origins.taken(content, 7, 20)
    own = Traced("<>", [origins.mark(CharacterOrigin(TEMPLATE, None, "", 3))] * 2)
    changed = Traced("xy", [origins.mark(CharacterOrigin(CHANGED, 1, "content", 8))] * 2)
    text = joined([own, taken[:3], taken[3:], own, taken[2:4], changed])
    assert [(run.start, run.origin.kind, run.origin.line, run.offset) for run in origins.runs(text)] == [
        (0, TEMPLATE, 3, 0),
        (2, CONTENT, 7, 0),
        (7, TEMPLATE, 3, 0),
        (9, CONTENT, 7, 2),
        (11, CHANGED, 8, 0),
    ]
    for n in (1, 2, 3, 4, 7, 1000):
        runs = list(origins.runs(joined([taken, *[own[:1]] * n, *[taken[1:]] * n])))
        assert [run.start for run in runs] == [0, 5, *range(5 + n, 5 + n + 4 * n, 4)]
    assert origins.taken(taken, 9, 30) is taken
    assert origins.taken(content, 7, 20) is taken
    assert {origin.kind for origin in origins.within([own, {"a": [changed]}])} == {CHANGED}
