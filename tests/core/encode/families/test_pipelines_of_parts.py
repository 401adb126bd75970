"""Pipelines of drawn parts of a tokenizer.json: every encoder gives what `tokenizers` gives."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from benchmarks.growth import growth_with_spans
from format_samples import READ_IN_TWO_WAYS
from fuzzing import SEED
from hugging_face_equality import Pair
from hypothesis import assume, given, seed, settings
from hypothesis import strategies as st
from random_tokenizers import DOCUMENTS, TEXTS

from guiapp.core.open_model import open_model
from guiapp.errors import VocabError

PARTS = dict.fromkeys(("normalizer", "pre_tokenizer", "post_processor", "decoder")) | {"version": "1.0"}
NAMES_OF_BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def test_encoders_and_their_references_match_the_library(tmp_path):
    @seed(SEED + 1)
    @settings(max_examples=60)
    @given(DOCUMENTS, st.lists(TEXTS, min_size=1, max_size=5))
    def compare(document, texts):
        path = tmp_path / "tokenizer.json"
        path.write_text(json.dumps(document))
        try:
            pair = Pair(path)
        except VocabError:  # added tokens that are normalised away
            assume(False)
        assume("takes one of them by chance" not in "".join(pair.ours.vocabulary.warnings))
        for text in texts:
            pair.check(text)
            pair.check_twin(text)

    compare()


@pytest.mark.parametrize("merges", [[], ["a a"], ["<0xC3> <0xA9>"], ["a <0xC3>"]])
@pytest.mark.parametrize("lacks", [None, "<0xC3>"])
def test_bytes_of_unknown_characters_are_merged_by_matching_rules(tmp_path, merges, lacks):
    tokens = [*(name for name in NAMES_OF_BYTES if name != lacks), "a", "<unk>"]
    merges = [merge for merge in merges if lacks is None or lacks not in merge]
    tokens += [merge.replace(" ", "") for merge in merges]
    vocab = {token: row for row, token in enumerate(tokens)}
    model = {"type": "BPE", "vocab": vocab, "merges": merges, "byte_fallback": True, "unk_token": "<unk>"}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"added_tokens": [], "model": model} | PARTS))
    pair = Pair(path)
    for text in ("aé", "éa", "aaé aé世", "Ãa"):
        pair.check(text)
        pair.check_twin(text)


@pytest.mark.parametrize("unit", [b" ", b"a", "▁".encode()])
def test_time_grows_with_the_length_of_a_repeated_character(tmp_path, unit):
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(PARTS | READ_IN_TWO_WAYS))
    assert growth_with_spans(open_model(path), unit, 50_000, 500_000) < 20


def test_memory_grows_with_the_number_of_added_tokens_in_a_text(tmp_path):
    """Also where these are searched for in text that its normalizer has left as it was."""
    added = {**READ_IN_TWO_WAYS["added_tokens"][0], "normalized": True}
    document = READ_IN_TWO_WAYS | PARTS | {"added_tokens": [added], "normalizer": {"type": "Lowercase"}}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(document))
    tokenizer, peaks = open_model(path), []
    for count in (500, 2000):
        tracemalloc.start()
        assert len(tokenizer.encode("<s>a" * count)) == 2 * count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 8 * peaks[0]  # 16 if it were quadratic
