"""Models of the Hunt page over real files, with an engine that a test leads or with the real one."""

from __future__ import annotations

import planted
import pytest
from fake_hunt import FakeEngine
from instant_recorder import load_once

from guiapp.kit.session.model_session import ComparedModels, ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.pages.hunt.model import HuntModel


@pytest.fixture
def pair(tmp_path_factory):
    """Paths of two that cut numbers otherwise."""
    folder = tmp_path_factory.mktemp("pair")
    paths = planted.Plant("", "demo:bpe", "gguf", planted.set_part(pre="qwen2"), ()).write(folder)
    return tuple(map(str, paths))


@pytest.fixture
def engine():
    return FakeEngine()


@pytest.fixture
def make_model(qtbot):
    """Models of the page over a text, with some files as the window's and those beside it."""
    made = []

    def make(engine, *names, text=b"one 1984\n\ntwo 12\n"):
        session = ModelSession(TextSession(text), load=load_once)
        compared = ComparedModels(session, load_once)
        model = HuntModel(compared, *([engine] if engine is not None else []))
        made.append((model, compared, session))
        for at, name in enumerate(names):
            loader = (compared.add(name) if at else session).loader
            if not at:
                loader.open(name)
            qtbot.waitUntil(lambda loader=loader: loader.model is not None)
        model.compared, model.session = compared, session
        return model

    yield make
    for model, compared, session in made:
        model.close()
        compared.stop()
        session.close()
        session.text.close()
