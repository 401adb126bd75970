"""Where two texts part."""

import pytest

import guiapp
from guiapp.viewmodels.text.round_trip import RoundTripInput, compare, first_difference


@pytest.mark.parametrize(
    ("one", "other", "offset"),
    [
        (b"", b"", None),
        (b"same", b"same", None),
        (b"abc", b"abd", 2),
        (b"abc", b"ab", 2),
        (b"", b"a", 0),
        (b"\xff1", b"\xfe1", 0),
    ],
)
def test_the_first_difference_is_found(one, other, offset):
    assert first_difference(one, other) == offset


@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm"])
def test_the_space_that_a_tokenizer_puts_in_front_is_no_difference(model):
    tokenizer = guiapp.open_model(model)
    text = b"Hello  world\n"
    ids = tokenizer.encode(text, add_special=False).token_ids
    assert compare(RoundTripInput(tokenizer, text, ids)).is_same
