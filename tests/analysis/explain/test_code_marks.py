"""Code in sentences is found again, whatever backticks it has itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.analysis.explain.spelling import MarkedPart, code, parts, without_marks


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("ĠN", "`ĠN`"),
        ("`", "`` ` ``"),
        ("a``b", "``` a``b ```"),
        ("", "`  `"),
        (" a ", "`  a  `"),
        ("a ", "`a `"),
        (" a", "` a`"),
        ("\t ", "`\t `"),
        ("aa", "`aa`"),
        ("\ta\t", "`\ta\t`"),
    ],
)
def test_a_text_stands_between_marks_that_it_does_not_have(text, marked):
    assert code(text) == marked
    assert without_marks(f"{marked} is {marked}.") == f"{text} is {text}."


def test_sentences_fall_into_parts():
    told = list(parts(f"{code('`')} + {code('a')} → {code('`a')}, rank 3."))
    assert [part.text for part in told if part.is_code] == ["`", "a", "`a"]
    assert told[-1] == MarkedPart(", rank 3.", False)
    assert list(parts("` ``  `")) == [MarkedPart("`` ", True)]
    assert list(parts("` `")) == [MarkedPart(" ", True)]
    assert list(parts("an ` alone, and `` two")) == [MarkedPart("an ` alone, and `` two", False)]


@given(st.lists(st.tuples(st.text("ab ,", min_size=1), st.text("`a ")), max_size=4))
def test_what_is_marked_is_found_again(pairs):
    sentence = "".join(f"{words}{code(text)}" for words, text in pairs)
    expected = [part for words, text in pairs for part in (MarkedPart(words, False), MarkedPart(text, True))]
    assert list(parts(sentence)) == expected
