"""Pipelines that a tokenizer.json puts together of parts drawn at random give what `tokenizers` gives."""

from __future__ import annotations

import json
import random

from hugging_face_equality import Pair
from random_tokenizers import random_text, random_tokenizer

from guiapp.core.errors import VocabError


def test_every_encoder_and_its_twin_give_the_ids_of_the_library(tmp_path):
    rng, path, opened = random.Random(20), tmp_path / "tokenizer.json", 0
    for _ in range(100):
        path.write_text(json.dumps(random_tokenizer(rng)))
        try:
            pair = Pair(path)
        except VocabError:  # merges of what is no token
            continue
        opened += 1
        for _ in range(6):
            text = random_text(rng)
            pair.check(text)
            pair.check_twin(text)
    assert opened > 50
