"""The Hunt page in the real window, with an engine that tells what a test says."""

from functools import partial

import planted
import pytest
from fake_hunt import FakeEngine
from instant_recorder import load_once
from PySide6.QtCore import Qt

from guiapp.pages.hunt.model import HuntModel

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """Paths of two that cut numbers otherwise."""
    folder = tmp_path_factory.mktemp("pair")
    paths = planted.Plant("", "demo:bpe", "gguf", planted.set_part(pre="qwen2"), ()).write(folder)
    return tuple(map(str, paths))


@pytest.fixture
def open_page(make_shell, qtbot):
    """The page in the real window, with these models."""

    def make(*names, text=b"one 1984\ntwo 12\n"):
        shell = make_shell(text, names[0] if names else None, load_once)
        for name in names[1:]:
            session = shell.compared.add(name)
            qtbot.waitUntil(lambda session=session: session.loader.model is not None)
        shell.window.actions_table["hunt"].trigger()
        page = shell.window.pages.current
        page.shell = shell
        return page

    return make


@pytest.fixture
def engine(monkeypatch):
    """One that tells what the test says."""
    fake = FakeEngine()
    monkeypatch.setattr("guiapp.pages.hunt.page.HuntModel", partial(HuntModel, engine=fake))
    return fake


@pytest.fixture
def page(open_page, engine, pair, qtbot):
    """With a hunt that goes on."""
    page = open_page(*pair)
    qtbot.mouseClick(page.status.button, LEFT)
    qtbot.waitUntil(lambda: bool(engine.plans))
    return page
