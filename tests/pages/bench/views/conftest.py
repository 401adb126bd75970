"""What the tests of the Bench page share."""

from contextlib import ExitStack

import pytest
from fake_engine import SilentRunner
from instant_recorder import load_once
from PySide6.QtWidgets import QApplication
from view_fixtures import delete_now

from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.bench.choice import ENGLISH
from guiapp.pages.bench.model import BenchModel
from guiapp.pages.bench.page import BenchPage


@pytest.fixture
def theme_source(qapp):
    return ThemeSource(QApplication.instance(), "dark")


@pytest.fixture
def runner(qapp):
    return SilentRunner()


@pytest.fixture
def model(qtbot, runner):
    """Of an open model, with nowhere to keep what is typed."""
    session = ModelSession(TextSession(b"some text"), load=load_once)
    with qtbot.waitSignal(session.vocabulary_changed):
        session.loader.open("demo:bpe")
    model = BenchModel(session, runner)
    model.choice.set_texts([ENGLISH])
    yield model
    model.close()
    session.close()


@pytest.fixture
def make_page(qtbot, theme_source):
    """Bench pages without a model, in the same theme."""
    with ExitStack() as ending:

        def make():
            session = ModelSession(TextSession(b"text"), load=load_once)
            ending.callback(session.close)
            return shown(BenchModel(session))

        def shown(model):
            page = BenchPage(model, theme_source)
            ending.callback(page.stop)
            qtbot.addWidget(page)
            page.resize(1280, 720)
            page.show()
            return page

        make.of = shown
        yield make


@pytest.fixture
def page(make_page):
    return make_page()


@pytest.fixture(scope="module")
def page_of_module(qapp):
    theme_source = ThemeSource(qapp, "dark", dresses_later=True)
    session = ModelSession(TextSession(b"text"), load=load_once)
    page = BenchPage(BenchModel(session), theme_source)
    theme_source.dress(page)
    page.show()
    yield page
    page.stop()
    session.close()
    delete_now(page)


@pytest.fixture
def shared_page(page_of_module):
    """One page without a model for all tests of a module that show a run first; its choosers are reset."""
    page, results = page_of_module, page_of_module.results
    page.resize(1280, 720)
    page.setUpdatesEnabled(True)
    page.model.isolate("")
    for box in (results.texts, results.baselines, results.units, results.quantities):
        box.setCurrentIndex(0)
    results.choose("throughput")
    return page


@pytest.fixture
def open_page(make_page, model):
    """With an open model."""
    return make_page.of(model)
