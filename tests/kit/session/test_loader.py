"""Models on their way: what is told, and what comes of those that are given up."""

import threading

import pytest
from conftest import PATIENCE_S
from fake_tokenizer import FakeTokenizer
from main_window_driver import load
from PySide6.QtWidgets import QApplication
from told import told_by

from guiapp.kit.session.loader import ModelLoader, OpenModel, RefusedModel, display_name


@pytest.fixture
def loader():
    made = ModelLoader(load)
    yield made
    made.wait()


def test_a_model_is_told_when_it_is_open(loader, qtbot):
    told = []
    loader.loading_changed.connect(lambda: told.append(loader.loading_name))
    with qtbot.waitSignal(loader.model_changed):
        loader.open("fake.gguf")
    assert told == ["fake.gguf", None]
    assert (loader.model.name, loader.refused) == ("fake.gguf", None)


def test_what_was_open_stays_open_where_another_cannot_be(loader, qtbot):
    with qtbot.waitSignal(loader.model_changed):
        loader.open("fake.gguf")
    with qtbot.waitSignal(loader.failed) as told:
        loader.open("broken.gguf")
    assert told.args[0] == "broken.gguf"
    assert "no GGUF file" in told.args[1]
    assert (loader.model.name, loader.loading_name) == ("fake.gguf", None)


def test_a_shared_model_takes_the_place_of_what_is_being_loaded(loader, qtbot):
    shared = OpenModel("shared.gguf", FakeTokenizer())
    loader.open("fake.gguf")
    told, found = told_by(loader), []
    loader.loading_changed.connect(lambda: found.append(loader.model))
    loader.share(shared)
    loader.share(shared)
    assert found == [shared]  # or somebody opens another one in its stead
    assert loader.model is shared
    assert loader.loading_name is None
    assert sorted(told) == ["loading_changed", "model_changed"]


def test_a_model_waits_for_its_pre_tokenizer(loader, qtbot):
    with qtbot.waitSignal(loader.refused_changed):
        loader.open("odd.gguf")
    reason, likely = loader.refused.reason, loader.refused.likely
    assert loader.refused == RefusedModel("odd.gguf", "llama-bpe-9", reason, likely)
    assert likely[0] == "llama-bpe"
    assert (loader.loading_name, loader.model) == (None, None)
    with qtbot.waitSignals([loader.refused_changed, loader.model_changed]):
        loader.open("odd.gguf", "gpt-2")
    assert loader.refused is None
    assert loader.model.tokenizer.chosen_pre == "gpt-2"


@pytest.mark.parametrize("way", ["cancel", "another"])
def test_a_model_that_is_given_up_does_not_arrive(qtbot, way):
    gate = threading.Event()

    def hang(name, pre, progress):
        if name == "slow.gguf":
            gate.wait(PATIENCE_S)
        return FakeTokenizer(name)

    loader = ModelLoader(hang)
    loader.open("slow.gguf")
    slow = loader.job
    if way == "cancel":
        loader.cancel()
    else:
        loader.open("quick.gguf")
    assert loader.loading_name == (None if way == "cancel" else "quick.gguf")
    gate.set()
    slow.finish(PATIENCE_S)
    QApplication.processEvents()
    qtbot.waitUntil(lambda: loader.loading_name is None)
    assert (loader.model and loader.model.name) == (None if way == "cancel" else "quick.gguf")
    loader.wait()


@pytest.mark.parametrize(
    ("in_file", "shown"), [("Llama", "Llama"), ("", "model"), ("0" * 32, "model"), ("0" * 31, "0" * 31)]
)
def test_a_model_is_called_by_its_name_unless_that_says_nothing(in_file, shown):
    assert display_name(OpenModel("/models/model.gguf", FakeTokenizer(in_file))) == shown
