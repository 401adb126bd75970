"""Words by script, and the tokens that they take."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.analysis.compare import words as words_module
from guiapp.analysis.compare.words import NO_LETTER, count_words, words_of
from guiapp.analysis.tree.picture import SCRIPT_NAMES
from guiapp.native.checkpoint import at_checkpoints


def by_name(counts):
    return {SCRIPT_NAMES[script]: int(count) for script, count in enumerate(counts) if count}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("don't stop, naïve cafe\u0301 foo_bar2baz", {"Latin": 7}),
        ("‘tis the ’end’", {"Latin": 3}),
        ("汉字かなABCไม่ได้", {"Han": 2, "Kana": 2, "Latin": 1, "Thai": 4}),
        ("می\u200cخواهم है। नमस्ते", {"Arabic": 1, "Devanagari": 2}),
        ("Привет, мир", {"Cyrillic": 2}),
        ("1,000 + 2 = 👩‍👩‍👧 ❤\ufe0f!", {}),
        ("\u0301", {"Other letters": 1}),
        ("", {}),
    ],
)
def test_words_are_runs_of_letters_of_one_script(text, expected):
    assert by_name(words_of(text.encode()).counts) == expected


def test_an_apostrophe_is_part_of_a_word_between_letters_only():
    words = words_of("d'a d' 'a 'я'a".encode())
    assert words.starts.tolist() == [0, 1, 2, 4, 8, 11, 14]


def test_tokens_count_for_the_script_of_their_first_letter_or_part_of_one():
    text = "a1 汉b!".encode()  # a 0, 1 1, space 2, 汉 3–6, b 6, ! 7
    spans = np.array([(0, 0), (0, 1), (1, 3), (2, 4), (4, 5), (5, 7), (6, 8), (7, 8), (8, 8)])
    words, [tokens, backwards] = count_words(text, [spans, spans[::-1]])
    assert by_name(tokens) == by_name(backwards) == {"Latin": 2, "Han": 3}
    assert by_name(words) == {"Latin": 2, "Han": 1}
    assert by_name(count_words(b"12", [np.array([(0, 2)])])[1][0]) == {}


@given(
    st.text(alphabet="aбの汉\u0301' \n1é", max_size=40).map(str.encode) | st.binary(max_size=40),
    st.lists(st.integers(0, 40), max_size=20),
    st.integers(0, 8),
)
def test_short_stretches_count_what_the_whole_text_does(text, cuts, stretch_bytes):
    ends = sorted({min(cut, len(text)) for cut in cuts} | {len(text)})
    spans = np.array([(0, 0), *pairwise([0, *ends]), (0, 0)], np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words_module, "STRETCH_BYTES", max(stretch_bytes, 1))
        n_words, [n_tokens] = count_words(text, [spans])
    whole = words_of(text)
    scripts = whole.first_scripts(*spans.T)
    expected = np.bincount(scripts[scripts != NO_LETTER], minlength=len(SCRIPT_NAMES))
    assert by_name(n_words) == by_name(whole.counts)
    assert by_name(n_tokens) == by_name(expected)


def test_counting_can_be_given_up():
    def give_up() -> None:
        raise InterruptedError

    with at_checkpoints(give_up), pytest.raises(InterruptedError):
        count_words(b"a", [])


@given(st.binary(max_size=20))
def test_letters_lie_where_they_are_also_in_broken_text(data):
    words = words_of(data)
    decoded = data.decode("utf-8", "surrogateescape")
    letters = [data[start:end] for start, end in zip(words.starts, words.ends, strict=True)]
    assert [letter for letter in letters if letter.isalpha()] == [
        sign.encode() for sign in decoded if sign.isascii() and sign.isalpha()
    ]
