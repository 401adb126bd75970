"""One difference planted in a copy of a real vocabulary is found, made short, and named right.

The table of all is printed by tests/benchmarks/planted_hunts.py.
"""

from __future__ import annotations

import json

import pytest
from benchmarks.planted_hunts import MOST_CHARACTERS, hunt_for, row
from conftest import VOCABS
from planted import PLANTS, document

import guiapp
from guiapp.analysis.hunt.engine import HuntPlan, hunt
from guiapp.analysis.hunt.generators import batch
from guiapp.analysis.hunt.mismatches import Find
from guiapp.analysis.hunt.pair import FileSide, SidePair
from guiapp.analysis.hunt.searching import HuntTask, HuntWorker, Searcher, material_of
from guiapp.core.encode.tokenizer import Tokenizer

pytestmark = pytest.mark.real_vocabs

SOME = [plant for plant in PLANTS if plant.model in ("gpt-2", "llama-spm", "bert-bge")][::3]
MOST_BATCHES = 60
LEAST_FOUND, LEAST_RIGHT = 38, 34


@pytest.mark.parametrize("plant", SOME, ids=str)
def test_a_planted_difference_is_found_in_the_first_batches(plant, tmp_path):
    first, second = plant.write(tmp_path)
    worker = HuntWorker(HuntTask(str(first), str(second), ("A", "B"), 0, ()))
    all_mismatches = list(worker.load().finds)
    for number in range(MOST_BATCHES):
        all_mismatches += worker.batch(number).finds
        if all_mismatches:
            break
    assert all_mismatches
    shortest = min(all_mismatches, key=lambda find: len(find.text))
    assert len(shortest.text.decode()) <= MOST_CHARACTERS
    assert shortest.reason.cause in plant.causes


class OnlyIds(FileSide):
    """A file as a library shows it: nothing but ids and decoded text."""

    def __init__(self, name: str, tokenizer: Tokenizer) -> None:
        super().__init__(name, tokenizer)
        self.tokenizer = None


@pytest.mark.parametrize("plant", [plant for plant in PLANTS if plant.model == "gpt-2"][:2], ids=str)
def test_a_merge_difference_is_found_from_ids_alone(plant, tmp_path):
    first, second = map(guiapp.open_model, plant.write(tmp_path))
    pair = SidePair(FileSide("A", first), OnlyIds("B", second))
    searcher, material = Searcher(pair), material_of(pair, first, ())
    assert not material.differences
    all_mismatches: list[Find] = []
    for number in range(4 * MOST_BATCHES):
        name, texts = batch(material, 0, number)
        all_mismatches += searcher.search(texts, name).finds
        if all_mismatches:
            break
    assert all_mismatches[0].reason.cause in plant.causes
    assert len(all_mismatches[0].text.decode()) <= MOST_CHARACTERS


@pytest.mark.exhaustive
def test_nearly_all_planted_differences_are_found_in_a_minute(capsys):
    results = [hunt_for(plant, 60.0) for plant in PLANTS]
    with capsys.disabled():
        print("", *map(row, results), sep="\n")
    successes = [result for result in results if result.text is not None]
    assert len(successes) >= LEAST_FOUND
    assert all(result.is_short for result in successes)
    assert sum(result.is_right for result in successes) >= LEAST_RIGHT


@pytest.mark.exhaustive
@pytest.mark.parametrize("model", ["qwen2", "llama-spm"])
def test_equal_tokenizers_have_no_mismatch_in_ten_minutes(model, tmp_path):
    """The GGUF and the tokenizer.json of one vocabulary, in both orders."""
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(document(model), ensure_ascii=False))
    paths = [str(VOCABS / f"ggml-vocab-{model}.gguf"), str(path)]
    for first, second in (paths, paths[::-1]):
        *_, state = hunt(HuntPlan(first, second, seconds=300.0))
        assert state.finds == ()
        assert state.tried > 10_000
