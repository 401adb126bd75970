"""The tree of the vocabulary that is small enough to know by heart: a b c ab cb ac bb cbb acbb."""

import pytest

import guiapp
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.text_session import TextSession
from guiapp.viewmodels.tree.model import TreeModel

TEXT = b"abacbb"  # ab acbb


@pytest.fixture
def session(qtbot):
    made = ModelSession(TextSession(TEXT), load=lambda name, pre, progress: guiapp.open_model(name))
    made.loader.open("demo:toy")
    qtbot.waitUntil(lambda: len(made.tokens) == 2)
    yield made
    made.close()


@pytest.fixture
def model(session, qtbot):
    made = TreeModel(session)
    qtbot.waitUntil(lambda: made.picture is not None)
    yield made
    made.close()


@pytest.fixture
def node_of(model):
    """The node of the token with some bytes."""
    tree = model.picture.tree
    ids = {tree.token_bytes(token): token for token in range(len(model.picture.vocabulary))}
    return lambda token_bytes: model.picture.node(ids[token_bytes])
