"""What a run tells of its machine: read where Linux says it, left out where nobody does."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime

import pytest

import guiapp
from guiapp.core.bench import environment
from guiapp.core.bench.corpus import Corpus

CPU_INFO = """processor\t: 0
model name\t: Some Processor: 3000
cpu MHz\t\t: 1000.0
processor\t: 1
model name\t: Another
cpu MHz\t\t: 2000.5
"""


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Files as Linux has them, in a folder of their own."""
    processors = tmp_path / "cpuinfo"
    processors.write_text(CPU_INFO)
    monkeypatch.setattr(environment, "PROCESSORS", processors)
    monkeypatch.setattr(environment, "FREQUENCIES", (str(tmp_path), "cpu[0-9]*/cur"))
    return tmp_path


def test_the_processor_is_named_as_linux_names_it(machine):
    told = environment.environment("thread_time")
    assert told["processor"] == "Some Processor: 3000"
    assert (told["mhz_before"], told["clock"]) == (1500.2, "thread_time")
    assert told["cores"] >= 1
    assert abs(datetime.fromisoformat(told["started"]).timestamp() - datetime.now().timestamp()) < 60


def test_the_frequency_of_this_moment_counts_more(machine):
    for core, khz in enumerate((800_000, 1_200_000, 1_600_000)):
        (machine / f"cpu{core}").mkdir()
        (machine / f"cpu{core}" / "cur").write_text(f"{khz}\n")
    assert environment.noise_now()["mhz"] == 1200.0
    assert environment.environment_after(0.16, 0.123456) | {"ended": "", "load_after": []} == {
        "held_s": 0.2, "ended": "", "load_after": [], "mhz_after": 1200.0, "stolen_share": 0.1235,
    }  # fmt: skip


def test_what_nobody_tells_is_left_open(machine):
    (machine / "cpuinfo").write_text("processor: 0\n")
    assert environment.noise_now()["mhz"] is None
    (machine / "cpuinfo").unlink()
    told = environment.environment("thread_time")
    assert told["mhz_before"] is None
    assert told["processor"]
    assert environment.environment_after(0.0, None)["stolen_share"] is None


def test_the_load_is_that_of_the_system(machine, monkeypatch):
    monkeypatch.setattr("os.getloadavg", lambda: (1.239, 2.0, 3.001), raising=False)
    assert environment.environment("x")["load_before"] == environment.environment_after(0, 0)["load_after"]
    assert environment.environment("x")["load_before"] == [1.24, 2.0, 3.0]
    assert environment.noise_now()["load"] == 1.24
    monkeypatch.delattr("os.getloadavg")
    assert environment.noise_now()["load"] is None


def test_texts_and_vocabularies_are_told_by_their_sums():
    text = b"some text"
    assert environment.corpus_record(Corpus("name", text)) == {
        "name": "name", "size_bytes": 9, "sha256": hashlib.sha256(text).hexdigest(),
    }  # fmt: skip
    vocabulary = guiapp.open_model("demo:bpe").vocabulary
    told = environment.vocabulary_record(vocabulary)
    assert told["sha256"] == hashlib.sha256(vocabulary.path.read_bytes()).hexdigest()
    assert (told["path"], told["tokens"]) == (str(vocabulary.path), len(vocabulary))
    assert (told["type"], told["pre"], told["chosen_pre"]) == (
        "BPE",
        vocabulary.pre,
        vocabulary.chosen_pre,
    )
    json.dumps(told)
