"""Compared demo models over a text, for tests of the summary table and of its model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import guiapp
from guiapp.analysis.editing.token_store import Options
from guiapp.kit.session.model_session import ComparedModels, ModelSession
from guiapp.kit.session.text_session import TextSession

TEXT = "Hello worlds, naïve 汉字 don't\nпривет мир\n".encode()


class Opened:
    """Opens models, and counts how often each was opened."""

    def __init__(self):
        self.times = Counter()

    def __call__(self, name, pre=None, progress=lambda share: None):
        self.times[name] += 1
        return guiapp.open_model(name, pre, progress)


@contextmanager
def compared_over(text, load=None, options=None) -> Iterator[ComparedModels]:
    """Compared models with only the window's own, not yet open, over a text."""
    load = load or Opened()
    compared = ComparedModels(ModelSession(TextSession(text), options or Options(), load), load)
    yield compared
    close(compared)


def compared_models(qtbot, models, text=TEXT, load=None):
    """Open and compare models; the first is the window's own."""
    load = load or Opened()
    session = ModelSession(TextSession(text), load=load)
    compared = ComparedModels(session, load)
    sessions = [session]
    with qtbot.waitSignal(session.tokens_changed):
        session.loader.open(models[0])
    for model in models[1:]:
        sessions.append(compared.add(model))
    qtbot.waitUntil(lambda: all(each.tokenizer is not None for each in sessions))
    return compared


def close(compared):
    compared.stop()
    compared.sessions[0].close()
    compared.sessions[0].text.close()
