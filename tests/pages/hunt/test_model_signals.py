"""What the Hunt page's model tells, in which order, and what it leaves alone."""

import threading
from dataclasses import replace
from functools import partial

import pytest
from fake_hunt import DIGITS, MERGE, START, batch_of, find_of
from PySide6.QtWidgets import QApplication
from told import told_by

from guiapp.kit.state.background import is_any_job_running
from guiapp.pages.hunt import model as module

DROPPED = ["state_changed", "selected_changed", "likely_changed"]


@pytest.fixture
def model(make_model, engine, pair, monkeypatch):
    monkeypatch.setattr(module, "likely_pre", lambda plan, finds: "qwen2")
    made = make_model(engine, *pair)
    made.heard = told_by(made)
    return made


@pytest.fixture
def tells(model, qtbot):
    def tell(act, *given, until=lambda: True):
        model.heard.clear()
        act(*given)
        qtbot.waitUntil(lambda: bool(until()))
        return list(model.heard)

    return tell


def test_a_hunt_is_told_from_its_begin_to_its_reason(model, tells, engine):
    begun = [*DROPPED, "running_changed", "state_changed"]
    assert tells(model.run, until=lambda: engine.plans) == begun
    state = START.with_batch(batch_of(find_of(b"12"), find_of(b"345")))
    seen = ["state_changed", "selected_changed"]
    assert tells(engine.tell, state, until=lambda: model.state == state) == seen
    last = replace(state.with_batch(batch_of(find_of(b"ab", MERGE))), is_over=True)
    ended = ["state_changed", "running_changed", "state_changed", "likely_changed"]
    assert tells(engine.tell, last, until=lambda: model.likely) == ended
    selects = tells(model.select, DIGITS, 1), tells(model.select, DIGITS, 1), tells(model.go, 1)
    assert selects == (["selected_changed"], [], ["selected_changed"])
    chosen = replace(model.choices, seed=3)
    assert (tells(model.choose, chosen), tells(model.choose, chosen)) == (["choices_changed"], [])
    assert tells(model.run) == begun
    assert tells(model.sides.choose_file, "other.gguf") == ["running_changed", *DROPPED]
    for act in (partial(model.sides.choose_file, "another.gguf"), model.report, model.stop, model.show_text):
        assert tells(act) == []


def test_the_reason_of_what_is_no_longer_shown_is_not_told(model, engine, qtbot, monkeypatch):
    goes_on = threading.Event()
    monkeypatch.setattr(module, "likely_pre", lambda plan, finds: goes_on.wait() and "qwen2")
    model.run()
    engine.tell(replace(START, is_over=True).with_batch(batch_of(find_of(b"12"))))
    qtbot.waitUntil(lambda: not model.is_running)
    model.sides.choose_file("other.gguf")
    goes_on.set()
    qtbot.waitUntil(lambda: not is_any_job_running())
    QApplication.processEvents()
    assert model.likely == ""
