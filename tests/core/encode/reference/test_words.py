"""Words looked up whole, with the space before them where that is a token."""

import pytest

from guiapp.core.encode.reference.longest_match import Miss, Take, word_steps

IDS = {b"one": 1, b" one": 2, b"two": 3}


@pytest.mark.parametrize("unknown_id", [0, None])
def test_each_word_is_taken_or_unknown(unknown_id):
    told = list(word_steps(b"one one\ttwo  odd", IDS.get, unknown_id))
    unknown = [] if unknown_id is None else [Take(unknown_id, 13, 16)]
    assert told == [Take(1, 0, 3), Take(2, 3, 7), Take(3, 8, 11), Miss(12, 16), Miss(13, 16), *unknown]
