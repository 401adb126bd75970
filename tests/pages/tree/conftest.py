"""The tree of the vocabulary that is small enough to know by heart: a b c ab cb ac bb cbb acbb."""

import pytest

from guiapp.pages.tree.model import TreeModel

TEXT = b"abacbb"  # ab acbb


@pytest.fixture
def session(make_session):
    return make_session(TEXT, "demo:toy")


@pytest.fixture
def model(session, qtbot):
    made = TreeModel(session)
    qtbot.waitUntil(lambda: made.counts is not None)
    yield made
    made.close()


@pytest.fixture
def node_of(model):
    """The node of the token with some bytes."""
    tree = model.picture.tree
    ids = {tree.token_bytes(token): token for token in range(len(model.picture.vocabulary))}
    return lambda token_bytes: model.picture.node(ids[token_bytes])
