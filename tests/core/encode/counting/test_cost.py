"""What words and lines cost: compared with counting by hand."""

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import guiapp
from guiapp.core.encode.counting.cost import STEPS, costly_texts, line_costs, steps_of, word_costs

MODELS = ("demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram")
TEXTS = st.text("ab Ü中é\u200d.\n\t\r😍7-", max_size=60)
KEY = "4f9c1e7a-2b60-4d8e-9a3f-c07d15e2b884"


@pytest.mark.parametrize("model", MODELS)
@given(text=TEXTS)
@example(text="")
@example(text="\n")
@example(text=f"Ticket {KEY},\n opened\r\n")
def test_words_and_lines_cost_what_counting_by_hand_gives(model, text):
    encoding = guiapp.open_model(model).encode(text)
    data, spans = encoding.text_bytes, [span for span in encoding.spans.tolist() if span[0] < span[1]]
    array = np.frombuffer(data, np.uint8)
    words = word_costs(array, *encoding.spans.T)
    by_hand = [
        (
            *found.span(),
            len(found[0].decode()),
            sum(start < found.end() and end > found.start() for start, end in spans),
        )
        for found in re.finditer(rb"[^ \t\n\v\f\r]+", data)
    ]
    assert list(zip(*(column.tolist() for column in words), strict=True)) == by_hand
    lines = line_costs(array, *encoding.spans.T)
    number_of = Counter(data.count(b"\n", 0, start) for start, _ in spans)
    assert lines.n_tokens.tolist() == [number_of[line] for line in range(data.count(b"\n") + 1)]
    assert (
        lines.n_characters.tolist()
        == [len(line) for line in re.findall("[^\n]*\n|[^\n]*$", text)][: len(lines.starts)]
    )


def test_a_word_of_one_token_is_never_dear_and_others_by_characters_a_token():
    n_characters, n_tokens = np.array([1, 6, 5, 4, 3, 2, 0]), np.array([1, 2, 2, 2, 2, 2, 2])
    assert [STEPS[step] for step in steps_of(n_characters, n_tokens)] == [
        "3 or more", "3 or more", "2 to 3", "2 to 3", "1.5 to 2", "under 1.5", "under 1.5",
    ]  # fmt: skip


def test_hidden_characters_of_what_is_dear_are_counted_not_spelt():
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "spells this")
    text = f"pay\u00adment: this.{tags}{tags} {tags}one\u200b\u2060two"
    words = [word.text for word in costly_texts(guiapp.open_model("demo:bpe").encode(text), 3).words]
    assert words == ["this.[22 hidden]", "[11 hidden]one[2 hidden]two", "pay<U+00AD>ment:"]


def test_the_dearest_words_and_lines_are_told_once_with_how_often_they_are_there():
    tokenizer = guiapp.open_model("demo:bpe")
    text = f"a {KEY} b\nx {KEY}\n   a {KEY} b\nplain"
    found = costly_texts(tokenizer.encode(text), 2)
    word, start = found.words[0], text.index(KEY)
    assert (word.text, word.n_times, word.start, word.end) == (KEY, 3, start, start + len(KEY))
    assert word.n_tokens > 3 * 10
    assert [(line.text, line.n_times, line.start) for line in found.lines] == [
        (f"a·{KEY}·b", 2, 0),
        (f"x·{KEY}↵"[:-1], 1, text.index("x ")),
    ]
    assert found.n_tokens == len(tokenizer.encode(text))


def test_a_long_word_is_shown_shortened():
    text = "a" * 100 + "\u200b\u200b" + "b" * 100 + "\u200b\u200bc"
    (word,) = costly_texts(guiapp.open_model("demo:bpe").encode(text), 3).words
    assert (word.start, word.end) == (0, len(text.encode()))
    assert word.text.startswith("a" * 59)
    assert word.text.count("[2 hidden]") == 1
    assert len(word.text) < 140


def test_costs_tell_how_dear_each_is():
    text = np.frombuffer(b"ab cd", np.uint8)
    costs = word_costs(text, np.array([0, 3, 4]), np.array([2, 4, 5]))
    assert costs.n_tokens.tolist() == [1, 2]
    assert [STEPS[step] for step in costs.steps] == ["3 or more", "under 1.5"]
