"""Among the texts for two vocabularies are some on which they differ, however small the difference is."""

from __future__ import annotations

import planted
import pytest

import guiapp
from guiapp.analysis.hunt.generators import LONGEST, batch, special_texts, texts_of_differences
from guiapp.analysis.hunt.pair import FileSide, SidePair
from guiapp.analysis.hunt.searching import material_of

CHANGES = (
    ("gguf", planted.drop_merge(1)),
    ("gguf", planted.swap_merges(2)),
    ("json", planted.drop_merge(3)),
    ("json", planted.swap_merges(4)),
    ("gguf", planted.rename_token("Ġthe".encode(), "Ġthz".encode())),
    ("gguf", planted.retype(b"<think>", 1)),
)


@pytest.mark.parametrize(("kind", "change"), CHANGES)
def test_a_small_difference_is_exercised(kind, change, tmp_path):
    first, second = map(guiapp.open_model, planted.Plant("", "demo:bpe", kind, change, ()).write(tmp_path))
    texts = texts_of_differences(first, second)
    pairs = zip(first.encode_each(texts), second.encode_each(texts), strict=True)
    assert any(mine.tolist() != other.tolist() for mine, other in pairs)


def test_the_same_vocabulary_in_two_formats_has_no_differences(tmp_path):
    _, document = planted.Plant("", "demo:bpe", "json", lambda said: None, ()).write(tmp_path)
    assert texts_of_differences(guiapp.open_model("demo:bpe"), guiapp.open_model(document)) == []


def test_special_texts_are_those_that_are_cut_out():
    texts = special_texts(guiapp.open_model("demo:bpe"))
    assert {b"<|im_end|>", b"<think>"} <= set(texts)


def test_tokens_that_are_far_too_long_are_in_no_text(tmp_path):
    longest = b"x" * 100_000

    def add_long(parts) -> None:
        parts["tokens"][5:7] = [longest, longest + b"y"]

    first, second = map(
        guiapp.open_model, planted.Plant("", "demo:spm", "gguf", add_long, ()).write(tmp_path)
    )
    pair = SidePair(FileSide("A", first), FileSide("B", second))
    material = material_of(pair, first, ())
    texts = [text for number in range(30) for text in batch(material, 0, number)[1]]
    assert max(map(len, texts)) < 10 * LONGEST
    assert max(map(len, material.tokens)) <= LONGEST
