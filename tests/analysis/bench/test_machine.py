"""What a run notes of the machine, the texts and the vocabulary."""

from __future__ import annotations

import hashlib
import json

import guiapp
from guiapp.analysis.bench import machine
from guiapp.analysis.bench.corpus import BenchText


def test_texts_and_vocabularies_are_noted_with_their_sums():
    text = b"some text"
    assert machine.corpus_record(BenchText("name", text)) == {
        "name": "name", "size_bytes": 9, "sha256": hashlib.sha256(text).hexdigest(),
    }  # fmt: skip
    vocabulary = guiapp.open_model("demo:bpe").vocabulary
    noted = machine.vocabulary_record(vocabulary)
    assert noted["sha256"] == hashlib.sha256(vocabulary.path.read_bytes()).hexdigest()
    assert (noted["path"], noted["tokens"], noted["type"]) == (str(vocabulary.path), len(vocabulary), "BPE")
    json.dumps(noted)
