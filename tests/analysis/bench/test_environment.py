"""What a run tells of its machine: read where Linux says it, left out where nobody does."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime

import guiapp
from guiapp.analysis.bench import measurement as environment
from guiapp.analysis.bench.corpus import BenchText


def test_the_processor_is_named_as_linux_names_it_or_as_python_does(tmp_path, monkeypatch):
    processors = tmp_path / "cpuinfo"
    monkeypatch.setattr(environment, "PROCESSORS", processors)
    assert environment.environment("wall")["processor"]
    processors.write_text("processor\t: 0\nmodel name\t: Some Processor: 3000\n")
    told = environment.environment("wall")
    assert (told["processor"], told["clock"]) == ("Some Processor: 3000", "wall")
    assert abs(datetime.fromisoformat(told["started"]).timestamp() - datetime.now().timestamp()) < 60


def test_the_load_is_that_of_the_system_where_it_tells(monkeypatch):
    monkeypatch.setattr("os.getloadavg", lambda: (1.239, 2.0, 3.001), raising=False)
    assert environment.environment("x")["load_before"] == environment.environment_after(0)["load_after"]
    assert environment.load_now() == 1.24
    monkeypatch.delattr("os.getloadavg")
    assert environment.load_now() is None


def test_texts_and_vocabularies_are_told_by_their_sums():
    text = b"some text"
    assert environment.corpus_record(BenchText("name", text)) == {
        "name": "name", "size_bytes": 9, "sha256": hashlib.sha256(text).hexdigest(),
    }  # fmt: skip
    vocabulary = guiapp.open_model("demo:bpe").vocabulary
    told = environment.vocabulary_record(vocabulary)
    assert told["sha256"] == hashlib.sha256(vocabulary.path.read_bytes()).hexdigest()
    assert (told["path"], told["tokens"], told["type"]) == (str(vocabulary.path), len(vocabulary), "BPE")
    json.dumps(told)
