"""What a run notes of the machine, the texts and the vocabulary."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime

import guiapp
from guiapp.analysis.bench import machine
from guiapp.analysis.bench.corpus import BenchText


def test_the_processor_is_named_as_linux_names_it_or_as_python_does(tmp_path, monkeypatch):
    processors = tmp_path / "cpuinfo"
    monkeypatch.setattr(machine, "PROCESSORS", processors)
    assert machine.environment("wall")["processor"]
    processors.write_text("processor\t: 0\nmodel name\t: Some Processor: 3000\n")
    noted = machine.environment("wall")
    assert (noted["processor"], noted["clock"]) == ("Some Processor: 3000", "wall")
    assert abs(datetime.fromisoformat(noted["started"]).timestamp() - datetime.now().timestamp()) < 60


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
