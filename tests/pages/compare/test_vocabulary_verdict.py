"""What is said first: in which respects two vocabularies are the same."""

import pytest
from conftest import VOCABS
from planted import PLANTS, document
from planted import _write_json as write_json
from vocabulary_pairs import PAIR

import guiapp
from guiapp.analysis.compare.vocabularies import compare_vocabularies
from guiapp.analysis.compare.vocabulary_rows import GROUPS, groups_of
from guiapp.pages.compare.vocabularies import (
    RULES,
    first_difference,
    respects,
    verdict_summary,
    verdict_title,
)

SAME = {"Tokens": True, "Merge rules": True, "Special tokens": True, "Rules": True}
DIFFERENCES = {
    "same": ({}, "Identical", "all"),
    "swapped": ({"Merge rules": False}, "Not identical", "moved"),
    "other": ({"Tokens": False, "Merge rules": False}, "Not identical", "first"),
    "ruled": ({"Rules": False}, "Not identical", RULES),
}


@pytest.mark.parametrize(("second", "expected"), DIFFERENCES.items(), ids=DIFFERENCES)
def test_each_respect_is_the_same_or_not(second, expected):
    comparison = compare_vocabularies(PAIR["one"](), PAIR[second]())
    aspects = respects(comparison, groups_of(comparison))
    differing, title, target = expected
    assert {each.name: each.is_equal for each in aspects} == SAME | differing
    assert (verdict_title(comparison), first_difference(aspects)) == (title, target)
    for name in differing:
        assert name.lower() in verdict_summary(aspects).lower().partition(" differ.")[0]


def test_parts_count_the_rows_of_their_groups():
    for second in PAIR:
        comparison = compare_vocabularies(PAIR["one"](), PAIR[second]())
        for respect in respects(comparison, groups_of(comparison)):
            for part in respect.parts:
                if part.target in GROUPS:
                    assert f"{len(GROUPS[part.target].rows(comparison)):,} " in part.text, part


@pytest.mark.real_vocabs
def test_one_swapped_merge_of_a_real_file_is_the_only_difference(tmp_path):
    [plant] = [each for each in PLANTS if str(each) == "gpt-2.gguf: one merge swapped"]
    comparison = compare_vocabularies(*map(guiapp.open_model, plant.write(tmp_path)))
    aspects = respects(comparison, groups_of(comparison))
    assert {each.name: each.is_equal for each in aspects} == SAME | {"Merge rules": False}
    assert verdict_summary(aspects) == "Merge rules differ. Tokens, special tokens and rules are the same."
    moved = GROUPS["moved"].rows(comparison)
    assert len(moved) in (1, 2)
    assert first_difference(aspects) == "moved"


@pytest.mark.real_vocabs
def test_a_gguf_and_its_tokenizer_json_differ_in_nothing_that_can_be_compared(tmp_path):
    path = write_json(tmp_path / "gpt-2.tokenizer.json", document("gpt-2"))
    comparison = compare_vocabularies(
        guiapp.open_model(VOCABS / "ggml-vocab-gpt-2.gguf"), guiapp.open_model(path)
    )
    aspects = respects(comparison, groups_of(comparison))
    same = {each.name: each.is_equal for each in aspects}
    assert (same["Tokens"], same["Merge rules"], same["Rules"]) == (True, True, None)
    assert "Rules cannot be fully compared." in verdict_summary(aspects)
