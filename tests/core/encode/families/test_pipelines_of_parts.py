"""Pipelines of drawn parts of a tokenizer.json: every encoder gives what `tokenizers` gives."""

from __future__ import annotations

import json

import pytest
from fuzzing import SEED
from hugging_face_equality import Pair
from hypothesis import assume, given, seed, settings
from hypothesis import strategies as st
from random_tokenizers import DOCUMENTS, TEXTS

from guiapp.errors import VocabError

PARTS = dict.fromkeys(("normalizer", "pre_tokenizer", "post_processor", "decoder")) | {"version": "1.0"}
NAMES_OF_BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def test_every_encoder_and_its_twin_give_the_ids_of_the_library(tmp_path):
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
def test_bytes_of_unknown_characters_are_merged_where_rules_say_so(tmp_path, merges, lacks):
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
