"""What is said of keys of a component that are missing, or of another type or size than they must be."""

from guiapp.core.hugging_face.spec import (
    LONGEST_CONTENT,
    Spec,
)


def said(**values):
    return Spec("normalizer", {"type": "Odd", **values})


def test_what_is_right_is_given_up_to_the_largest():
    longest = "é" * LONGEST_CONTENT
    assert said(x=longest).text("x") == longest
    assert said(x="\ud7ff\ue000").text("x") == "\ud7ff\ue000"
    assert said(x="ab").text("x", longest=2) == "ab"
    assert said(x="a").character("x") == "a"
    assert [said(x=count).count("x") for count in (0, (1 << 64) - 1)] == [0, (1 << 64) - 1]
    assert said(x="b").choice("x", ("a", "b")) == "b"
    assert [said(x=on).flag("x", not on) for on in (True, False)] == [True, False]
    assert [said(pattern={kind: "a+"}).pattern() for kind in ("String", "Regex")] == [
        ("a+", False),
        ("a+", True),
    ]
