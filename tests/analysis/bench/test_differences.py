"""The text and the place where a contender first differs."""

from dataclasses import replace

import pytest

from guiapp import open_model
from guiapp.analysis.bench.differences import first_difference
from guiapp.analysis.bench.plan import Plan
from guiapp.analysis.bench.run_results import BenchResult
from guiapp.analysis.libraries.contender import FirstIdDifference

TEXT = b"one two three four"
RESULT = BenchResult("throughput", "encode", "greedy", "text", len(TEXT), 1)


@pytest.fixture(scope="module")
def tokenizer():
    return open_model("demo:bpe")


@pytest.fixture
def plan(tmp_path):
    (tmp_path / "text").write_bytes(TEXT)
    return Plan("demo:bpe", (str(tmp_path / "text"),))


def result(tokenizer, **changes):
    (two,) = tokenizer.encode(" two", add_special=False).token_ids.tolist()
    return replace(RESULT, **{"first_difference": FirstIdDifference(0, 3, two)} | changes)


def test_the_place_is_the_span_of_the_exact_token(tokenizer, plan):
    place = first_difference(result(tokenizer), plan, tokenizer)
    assert (place.text, place.text[place.start : place.end]) == (TEXT, b" two")


def test_of_several_texts_the_one_that_differs_is_given(tokenizer, plan):
    in_the_second = FirstIdDifference(0, 20)
    short = result(
        tokenizer, scenario="short", operation="encode each", size_bytes=16, first_difference=in_the_second
    )
    place = first_difference(short, plan, tokenizer)
    assert (len(place.text), place.start, place.end) == (16, 4, 5)


@pytest.mark.parametrize(("byte_offset", "start", "end"), [(0, 0, 1), (17, 17, 18), (18, 18, 18)])
def test_where_no_token_is_expected_one_byte_is_shown(tokenizer, plan, byte_offset, start, end):
    where = FirstIdDifference(0, byte_offset)
    place = first_difference(result(tokenizer, first_difference=where), plan, tokenizer)
    assert (place.start, place.end) == (start, end)
