"""What words and lines cost: compared with counting by hand."""

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from model_files import opened

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
    encoding = opened(model).encode(text)
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
