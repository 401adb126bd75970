"""Models on their way: what is told, and what comes of those that are given up."""

import threading

import pytest
from conftest import PATIENCE_S
from fake_tokenizer import FakeTokenizer
from main_window_driver import load
from PySide6.QtWidgets import QApplication
from signals import record_signals

from guiapp.kit.session.loader import ModelLoader, OpenModel, RefusedModel, display_name


@pytest.fixture
def loader():
    made = ModelLoader(load)
    yield made
    made.wait()


def test_opening_a_model_emits_its_signals(loader, qtbot):
    signals = []
    loader.loading_changed.connect(lambda: signals.append(loader.loading_name))
    with qtbot.waitSignal(loader.model_changed):
        loader.open("fake.gguf")
    assert signals == ["fake.gguf", None]
    assert (loader.model.name, loader.refused) == ("fake.gguf", None)


def test_a_failed_open_leaves_the_previous_model_open(loader, qtbot):
    with qtbot.waitSignal(loader.model_changed):
        loader.open("fake.gguf")
    with qtbot.waitSignal(loader.failed) as signals:
        loader.open("broken.gguf")
    assert signals.args[0] == "broken.gguf"
    assert "no GGUF file" in signals.args[1]
    assert (loader.model.name, loader.loading_name) == ("fake.gguf", None)


def test_a_shared_model_takes_the_place_of_what_is_being_loaded(loader, qtbot):
    shared = OpenModel("shared.gguf", FakeTokenizer())
    loader.open("fake.gguf")
    signals, models = record_signals(loader), []
    loader.loading_changed.connect(lambda: models.append(loader.model))
    loader.share(shared)
    loader.share(shared)
    assert models == [shared]  # or somebody opens another one in its stead
    assert loader.model is shared
    assert loader.loading_name is None
    assert sorted(signals) == ["loading_changed", "model_changed"]


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
def test_a_model_is_shown_by_its_name_unless_it_is_meaningless(in_file, shown):
    assert display_name(OpenModel("/models/model.gguf", FakeTokenizer(in_file))) == shown
