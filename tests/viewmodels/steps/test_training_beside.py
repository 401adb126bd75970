"""A text cut twice: what is told, and what does not arrive."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import PATIENCE_S
from format_samples import SAMPLES
from PySide6.QtWidgets import QApplication
from told import told_by

import guiapp
from guiapp.core.demo import resources_folder
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.steps import training_beside
from guiapp.viewmodels.steps.training_beside import Side, TrainingBeside
from guiapp.viewmodels.text_session import TextSession


@pytest.fixture
def session(qtbot):
    made = ModelSession(TextSession(b""), load=lambda model, pre, progress: guiapp.open_model(model))
    with qtbot.waitSignal(made.vocabulary_changed):
        made.loader.open("demo:toy")
    yield made
    made.close()


@pytest.fixture
def beside(session):
    toy = next(Path(resources_folder()).rglob("toy.gguf"))
    made = TrainingBeside(SimpleNamespace(model_file=toy), session)
    yield made
    made.stop()


def test_both_sides_are_told_as_they_are(beside, session, qtbot):
    told = told_by(beside)
    assert (beside.result, beside.failure, beside.is_busy) == (None, "", False)
    beside.compare(b"abacbb")
    assert (told, beside.is_busy) == ([], True)
    qtbot.waitUntil(lambda: not beside.is_busy)
    size = len(session.vocabulary)
    tokens = (("ab", 3, 0, 2), ("acbb", 8, 2, 6))
    assert beside.result.trained == beside.result.real == Side(session.vocabulary.name, size, tokens)
    assert (beside.result.n_bytes, told) == (6, ["changed"])


def test_a_token_that_is_put_before_the_text_is_told_by_its_own(beside, session, qtbot, tmp_path):
    (sample,) = [each for each in SAMPLES if each.format == "tokenizer.bin"]
    sample.write(tmp_path / sample.name)
    with qtbot.waitSignal(session.vocabulary_changed):
        session.loader.open(str(tmp_path / sample.name))
    beside.compare(sample.text)
    qtbot.waitUntil(lambda: not beside.is_busy)
    texts = [(text, start, end) for text, _, start, end in beside.result.real.tokens]
    assert texts[:3] == [("·", 0, 0), ("the", 0, 3), ("th", 3, 5)]


@pytest.mark.parametrize("limit", [6, 5, 4])
def test_only_whole_characters_of_the_beginning_are_compared(beside, qtbot, monkeypatch, limit):
    monkeypatch.setattr(training_beside, "LONGEST_TEXT", limit)
    asked = []
    monkeypatch.setattr(training_beside, "_compare", lambda trained, real, text, progress: asked.append(text))
    with qtbot.waitSignal(beside.changed):
        beside.compare("abc€d".encode())
    assert asked == ["abc€".encode() if limit == 6 else b"abc"]


def test_what_is_forgotten_does_not_arrive(beside, hold, qtbot):
    gate = hold(training_beside, "open_model")
    beside.compare(b"ab")
    told = told_by(beside)
    beside.forget()
    assert (told, beside.is_busy) == (["changed"], False)
    gate.set()
    beside._job.finish(PATIENCE_S)
    QApplication.processEvents()
    assert (told, beside.result) == (["changed"], None)


def test_nothing_is_compared_without_both(beside, session, monkeypatch):
    beside._training.model_file = None
    beside.compare(b"ab")
    assert not beside.is_busy
    beside._training.model_file = Path("trained.gguf")
    monkeypatch.setattr(session.loader, "model", None)
    beside.compare(b"ab")
    assert not beside.is_busy


def test_a_failure_takes_the_place_of_the_result_and_the_other_way(beside):
    told = told_by(beside)
    beside._take("a result")
    assert (beside.result, beside.failure) == ("a result", "")
    beside._fail("odd")
    assert (beside.result, beside.failure) == (None, "odd")
    beside._take("a result")
    assert (beside.result, beside.failure, told) == ("a result", "", ["changed"] * 3)
