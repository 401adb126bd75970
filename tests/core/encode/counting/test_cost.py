"""What words and lines cost: compared with counting by hand."""

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from model_files import opened

from guiapp.core.encode.counting import cost
from guiapp.core.encode.counting.cost import costly_texts, line_costs, word_costs

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
            *match.span(),
            len(match[0].decode()),
            sum(start < match.end() and end > match.start() for start, end in spans),
        )
        for match in re.finditer(rb"[^ \t\n\v\f\r]+", data)
    ]
    assert list(zip(*(column.tolist() for column in words), strict=True)) == by_hand
    lines = line_costs(array, *encoding.spans.T)
    number_of = Counter(data.count(b"\n", 0, start) for start, _ in spans)
    assert lines.n_tokens.tolist() == [number_of[line] for line in range(data.count(b"\n") + 1)]
    assert (
        lines.n_characters.tolist()
        == [len(line) for line in re.findall("[^\n]*\n|[^\n]*$", text)][: len(lines.starts)]
    )


@given(text=TEXTS, n_bytes=st.integers(1, 9))
def test_the_most_expensive_are_the_same_however_the_text_is_divided(text, n_bytes):
    encoding = opened("demo:bpe").encode(text)
    whole = costly_texts(encoding, 50)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cost, "BLOCK_BYTES", n_bytes)
        assert costly_texts(encoding, 50) == whole
