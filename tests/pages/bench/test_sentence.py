"""What stands at the top of the Bench page, in words."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

import pytest
from bench_runs import record, run_with

from guiapp.analysis.bench.findings import YOUR_TEXT, Verdict
from guiapp.analysis.bench.statistics import Ratio
from guiapp.pages.bench.choice import CODE, ENGLISH
from guiapp.pages.bench.headline import sentences_of, title_of, warning_of
from guiapp.pages.bench.model import MOST_HASHED, BenchRunner

SURE = Verdict("Tokenloupe", "heap", Ratio(1.3, 1.2, 1.4), True, False, 2, 2, 7)


@pytest.fixture
def model(make_model):
    return make_model()


def show(model, planned, measured=(), left_out=(), **head) -> None:
    """A run as it is at some moment."""
    gone = [{"contender": name, "reason": "It crashed."} for name in left_out]
    rows = [record("throughput", name, 10, 1e-4) for name in measured]
    model.show_run(run_with(*rows, plan={"contenders": planned}, left_out=gone, **head))
    model.set_progress("")


def first_sentence(model, verdict) -> str:
    return sentences_of(model, verdict, "english")[0]


def test_encoders_not_yet_or_never_measured_are_reported(model, monkeypatch):
    alone = replace(SURE, competitor="")
    show(model, ["Tokenloupe", "heap", "scan"], ["Tokenloupe"], left_out=["scan"])
    assert str(title_of(model, alone, "english")).startswith("Tokenloupe alone was measured")
    assert first_sentence(model, alone) == "1 encoder not measured."
    monkeypatch.setattr(BenchRunner, "is_running", True)
    assert str(title_of(model, alone, "english")).startswith("Tokenloupe is ready first")
    show(model, ["Tokenloupe"], ["Tokenloupe"])
    assert title_of(model, alone, "english") == alone


def test_a_verdict_names_its_text_and_what_is_left_to_measure(model, monkeypatch):
    rows = [record("throughput", "heap", 10, 1e-4, corpus=corpus) for corpus in (ENGLISH, CODE)]
    model.show_run(run_with(*rows, plan={"contenders": ["heap", "scan"]}))
    assert str(title_of(model, SURE, CODE)).startswith("Code: Tokenloupe is 1.3 ×")
    monkeypatch.setattr(BenchRunner, "is_running", True)
    assert str(title_of(model, SURE, ENGLISH)).startswith("English, so far: Tokenloupe is")
    assert "1 encoder still to measure." in sentences_of(model, SURE, ENGLISH)


def test_results_of_another_model_or_text_are_marked(model, session, monkeypatch):
    path, text = str(session.vocabulary.path), b"some text"
    used = {"name": YOUR_TEXT, "size_bytes": len(text), "sha256": sha256(text).hexdigest()}

    def another(path=path, shown=YOUR_TEXT, **corpus) -> tuple[str, bool]:
        show(model, ["Tokenloupe"], ["Tokenloupe"], vocabulary={"path": path}, corpora=[{**used, **corpus}])
        return (model.measured_another(shown), bool(warning_of(model, shown)))

    model.choice.set_texts([YOUR_TEXT])
    assert another() == ("", False)
    assert another("elsewhere.gguf") == ("model", True)
    assert another(sha256="of a text of the same length") == ("changed", True)
    assert another(size_bytes=10) == ("changed", True)
    assert another(size_bytes=MOST_HASHED + 1) == ("", False), "so long a text is not looked through"
    assert another(shown=ENGLISH) == ("", False), "whoever opens a run knows what it is of"
    model.choice.set_texts([CODE])
    assert (model.measured_another(ENGLISH), model.measured_another(CODE)) == ("text", "")
    model.choice.set_texts([YOUR_TEXT, ENGLISH])
    assert model.measured_another(ENGLISH) == ""
    monkeypatch.setattr(BenchRunner, "is_running", True)
    assert another("elsewhere.gguf") == ("", False), "a run that goes on is known to be of what was open"
    monkeypatch.setattr(BenchRunner, "is_running", False)
    another()
    session.document.replace(0, 4, b"more")
    assert model.measured_another(YOUR_TEXT) == "changed"
