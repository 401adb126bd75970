"""An argument that must be a whole number and is not raises an error with a clear message."""

import numpy as np
import pytest

import guiapp
from guiapp.core.encode.counting.chunks import chunk_text
from guiapp.errors import EncodeError

TOKENIZER = guiapp.open_model("demo:unigram")
CALLS = {
    "segmentations": lambda number: [
        segmentation.score for segmentation in TOKENIZER.segmentations("a", number)
    ],
    "tokens": lambda number: chunk_text(TOKENIZER, "hello world", number),
    "tokens that overlap": lambda number: chunk_text(TOKENIZER, "hello world", 10, number),
    "threads": lambda number: TOKENIZER.with_threads(number).encode("a").token_ids.tolist(),
    "seed": lambda number: (
        guiapp.open_model("demo:bpe").with_dropout(0.5, number).encode("a").token_ids.tolist()
    ),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("number", [1.5, 2.0, "2", None, [2]])
def test_it_is_named(call, number):
    with pytest.raises(EncodeError) as failure:
        call(number)
    assert str(failure.value).startswith(f"“{number}” is not a ")
    assert str(failure.value).endswith(". Give a whole number.")


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_those_of_numpy_will_do(call):
    assert call(np.int64(2)) == call(2)
