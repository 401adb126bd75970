"""What is said of keys of a component that are missing, or of another type or size than they must be."""

import pytest

from guiapp.core.hugging_face.spec import (
    LONGEST_CONTENT,
    ComponentError,
    Spec,
)


def spec_of(**values):
    return Spec("normalizer", {"type": "Odd", **values})


WHOSE = "has a normalizer “Odd” whose “x” "
CASES = {
    "no object": (lambda: Spec("decoder", "x"), "has a decoder that is not a JSON object"),
    "no type": (lambda: Spec("decoder", {}), "has a decoder without a type"),
    "odd type": (lambda: Spec("decoder", {"type": 1}), "has a decoder whose “type” is not text"),
    "unknown": (lambda: raised(spec_of().unknown()), "uses a normalizer “Odd”, which is unknown"),
    "missing": (lambda: spec_of().flag("x"), "has a normalizer “Odd” without “x”"),
    "no flag": (lambda: spec_of(x=1).flag("x"), "has a normalizer whose “x” is not true or false"),
    "no text": (lambda: spec_of(x=None).text("x", "y"), "has a normalizer whose “x” is not text"),
    "long": (
        lambda: spec_of(x="é" * (LONGEST_CONTENT + 1)).text("x"),
        f"{WHOSE}is too long (65,537 characters)",
    ),
    "longer than asked for": (
        lambda: spec_of(x="abc").text("x", longest=2),
        f"{WHOSE}is too long (3 characters)",
    ),
    "first surrogate": (lambda: spec_of(x="a\ud800").text("x"), f"{WHOSE}is not valid Unicode"),
    "last surrogate": (lambda: spec_of(x="\udfffa").text("x"), f"{WHOSE}is not valid Unicode"),
    "no character": (lambda: spec_of(x="").character("x"), f"{WHOSE}is not a single character"),
    "two characters": (lambda: spec_of(x="ab").character("x"), f"{WHOSE}is not a single character"),
    "no number": (lambda: spec_of(x=1.0).count("x"), "has a normalizer whose “x” is not a whole number"),
    "a flag": (lambda: spec_of(x=True).count("x"), f"{WHOSE}is not a whole number"),
    "below zero": (lambda: spec_of(x=-1).count("x"), f"{WHOSE}is not a whole number"),
    "too many": (lambda: spec_of(x=1 << 64).count("x"), f"{WHOSE}is not a whole number"),
    "no choice": (
        lambda: spec_of(x="c").choice("x", ("a", "b")),
        f"{WHOSE}has the unknown value “c”",
    ),
    "no pattern": (
        lambda: spec_of(pattern="x").pattern(),
        "has a normalizer whose “pattern” is not a pattern",
    ),
    "no list": (lambda: spec_of(x={}).parts("x"), "has a normalizer whose “x” is not a list"),
    "no part": (lambda: spec_of(x=[1]).parts("x"), "has a normalizer that is not a JSON object"),
    **{
        f"pattern of {[*pattern]}": (
            lambda pattern=pattern: spec_of(pattern=pattern).pattern(),
            "has a normalizer “Odd” whose “pattern” is neither a String nor a Regex",
        )
        for pattern in ({}, {"Other": "a"}, {"String": "a", "Regex": "a"})
    },
    "odd pattern": (
        lambda: spec_of(pattern={"Regex": 1}).pattern(),
        "has a normalizer whose “Regex” is not text",
    ),
}


def raised(error):
    raise error


@pytest.mark.parametrize(("ask", "sentence"), CASES.values(), ids=CASES)
def test_what_is_wrong_is_a_sentence(ask, sentence):
    with pytest.raises(ComponentError) as error:
        ask()
    assert str(error.value) == sentence


def test_what_is_right_is_given_up_to_the_largest():
    longest = "é" * LONGEST_CONTENT
    assert spec_of(x=longest).text("x") == longest
    assert spec_of(x="\ud7ff\ue000").text("x") == "\ud7ff\ue000"
    assert spec_of(x="ab").text("x", longest=2) == "ab"
    assert spec_of(x="a").character("x") == "a"
    assert [spec_of(x=count).count("x") for count in (0, (1 << 64) - 1)] == [0, (1 << 64) - 1]
    assert spec_of(x="b").choice("x", ("a", "b")) == "b"
    assert [spec_of(x=on).flag("x", not on) for on in (True, False)] == [True, False]
    assert [spec_of(pattern={kind: "a+"}).pattern() for kind in ("String", "Regex")] == [
        ("a+", False),
        ("a+", True),
    ]
