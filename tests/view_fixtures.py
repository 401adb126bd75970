"""Fixtures for the tests of pages."""

from contextlib import ExitStack

import pytest
from instant_recorder import InstantRecorder, load_once
from main_window_driver import Answers, load
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QDialog, QMainWindow

from guiapp.analysis.editing.token_store import Options
from guiapp.analysis.sessions.session_file import SessionFile
from guiapp.kit.session.model_session import ComparedModels, ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.theme import TEXT_FONT_PX, ThemeSource
from guiapp.pages.steps.lesson_player import LessonPlayer
from guiapp.pages.steps.model import StepsModel
from guiapp.pages.steps.page import StepsPage
from guiapp.pages.tree.page import TreePage
from guiapp.window.actions import ActionTable
from guiapp.window.app import build

TREE_TEXT = b"Welcome to the tree, the whole tree."


def open_steps_page(qtbot, ending, folder, name, text, encoder, theme):
    """A Steps page in a window of its own, ready for clicks."""
    session = ModelSession(TextSession(text), load=load_once)
    ending.callback(session.close)
    with qtbot.waitSignal(session.tokens_changed):
        session.loader.open(f"demo:{name}")
    session.set_encoder(encoder)
    theme_source = ThemeSource(QApplication.instance(), theme, dresses_later=True)
    window = QMainWindow()
    actions = ActionTable(window)
    model = StepsModel(session, Settings(folder / "settings.ini"), InstantRecorder())
    player_settings = Settings(folder / "settings.ini")
    player = LessonPlayer(player_settings, InstantRecorder())
    compared = ComparedModels(session)
    ending.callback(compared.stop)
    page = StepsPage(model, player, compared, actions, theme_source)
    ending.callback(page.stop)
    window.setCentralWidget(page)
    theme_source.dress(window)
    for row, action in actions:
        if row.menu != "Edit":  # those of Edit belong to the editor
            window.addAction(action)
    window.resize(1280, 800)
    window.show()
    qtbot.waitExposed(window)
    qtbot.waitUntil(lambda: page.is_ready)
    page.kept, page.actions_, page.kept_session, page.compared = window, actions, session, compared
    page.kept_settings = player_settings
    return page


STEPS_TEXT = b"How do lions sleep in New York?"


@pytest.fixture
def make_steps_page(qtbot, tmp_path):
    """Makes Steps pages in windows of their own."""
    ending = ExitStack()  # also for pages that never get ready

    def make(name="bpe", text=STEPS_TEXT, encoder=None, theme="dark"):
        page = open_steps_page(qtbot, ending, tmp_path, name, text, encoder, theme)
        qtbot.addWidget(page.window())
        return page

    with ending:
        yield make


@pytest.fixture(scope="module")
def steps_page_of_module():
    pages = []
    with ExitStack() as ending:
        yield ending, pages
    for page in pages:
        delete_now(page.window())


@pytest.fixture
def show_steps_page(steps_page_of_module, qtbot, tmp_path_factory):
    """Shows one Steps page to all tests of a module, with a model and a text as if just opened.

    No lesson has begun, no breakpoint is set, nothing runs beside.
    """
    ending, pages = steps_page_of_module

    def show(name="bpe", text=STEPS_TEXT, encoder=None):
        if not pages:
            folder = tmp_path_factory.mktemp("settings")
            pages.append(open_steps_page(qtbot, ending, folder, name, text, encoder, "dark"))
            return pages[0]
        (page,) = pages
        session = page.kept_session
        for other in page.compared.sessions[1:]:
            page.compared.remove(other)
        page.resume(SessionFile(name, text))
        page.set_presented(False)
        page.set_text_size(TEXT_FONT_PX)
        page.window().resize(1280, 800)
        page.window().activateWindow()
        if name_of(session) != f"demo:{name}":
            with qtbot.waitSignal(session.vocabulary_changed):
                session.loader.open(f"demo:{name}")
        session.set_options(Options(True, True, encoder))
        session.text.show(text)
        qtbot.waitUntil(lambda: page.is_ready and not session.is_encoding)
        return page

    return show


@pytest.fixture
def open_tree_page(qtbot, tmp_path):
    """Opens a Tree page for a tokenizer and a text, and waits until it is stable."""
    ending = ExitStack()  # also for pages that never get stable

    def make(tokenizer, text=TREE_TEXT):
        session = ModelSession(TextSession(text), load=lambda *asked: tokenizer)
        theme_source = ThemeSource(QApplication.instance(), "dark", dresses_later=True)
        page = TreePage(session, theme_source, Settings(tmp_path / "settings.ini"))
        theme_source.dress(page)
        page.kept_session = session
        ending.callback(session.close)
        ending.callback(page.stop)
        page.view.is_animated = False
        qtbot.addWidget(page)
        page.resize(1000, 700)
        page.show()
        session.loader.open("demo:bpe")
        qtbot.waitUntil(
            lambda: page.view.geometry_now is not None and (len(session.tokens) > 0 or not text),
        )
        qtbot.waitUntil(lambda: page.view.is_stable)
        QApplication.processEvents()  # lays out the page if no waiting was needed
        return page, session

    with ending:
        yield make


@pytest.fixture
def tree_page(open_tree_page):
    """The Tree page of the demo model."""
    return open_tree_page(load_once("demo:bpe"))[0]


def open_shell(qapp, qtbot, folder, text, model, load):
    settings = Settings(folder / "settings.ini")
    settings.theme = "dark"
    shell = build(qapp, settings, text, load, Answers())
    shell.window.show()
    qtbot.waitExposed(shell.window)
    shell.window.activateWindow()
    if model is not None:
        with qtbot.waitSignal(shell.session.spans.encoded):
            shell.session.loader.open(model)
    return shell


@pytest.fixture
def make_shell(qapp, qtbot, tmp_path):
    """Opens the real window."""
    shells = []

    def make(text=b"one two three", model="fake.gguf", load=load):
        shells.append(open_shell(qapp, qtbot, tmp_path, text, model, load))
        qtbot.addWidget(shells[-1].window)
        return shells[-1]

    yield make
    for shell in shells:
        shell.stop()


@pytest.fixture
def shell(make_shell):
    return make_shell()


def close_dialogs(shell):
    while (popup := QApplication.activePopupWidget()) is not None:
        popup.close()
    for dialog in shell.window.findChildren(QDialog):
        dialog.close()


def put_text(qtbot, session, text):
    if session.document.text() != text or session.text.is_modified:
        session.text.show(text)
        qtbot.waitUntil(lambda: not session.is_encoding)
    session.document.set_caret(0)


@pytest.fixture(scope="module")
def shells_of_module():
    shells = {}
    yield shells
    for shell in shells.values():
        shell.stop()
        delete_now(shell.window)


def delete_now(window):
    """Delete a window before a later test gives the application a style sheet, which would style it, too."""
    window.deleteLater()
    QCoreApplication.sendPostedEvents(window, QEvent.Type.DeferredDelete)


@pytest.fixture
def share_shell(shells_of_module, qapp, qtbot, tmp_path_factory):
    """Opens the real window once for all tests of a module; restores text and page after each."""
    used = []

    def share(text=b"one two three", model="fake.gguf", load=load):
        if (text, model) not in shells_of_module:
            folder = tmp_path_factory.mktemp("settings")
            shells_of_module[text, model] = open_shell(qapp, qtbot, folder, text, model, load)
        shell = shells_of_module[text, model]
        used.append((text, shell))
        shell.window.activateWindow()
        qtbot.waitUntil(lambda: QApplication.activeWindow() is shell.window)
        shell.window.inspect_page.editor.setFocus()
        put_text(qtbot, shell.session, text)
        return shell

    yield share
    for text, shell in used:
        close_dialogs(shell)
        shell.window.actions_table["present"].setChecked(False)
        shell.window.actions_table["theme:dark"].trigger()
        shell.window.actions_table["spelling:signs"].trigger()
        shell.window.actions_table["inspect"].trigger()
        shell.session.set_options(Options(True, True, None))
        put_text(qtbot, shell.session, text)


@pytest.fixture
def show_page(shells_of_module, qapp, qtbot, tmp_path_factory):
    """Shows a page of one window for all tests of a module, with a text and models.

    No `model` leaves the window's as it is.  What a page itself keeps stays, too: its fixtures reset that.
    """

    def show(page_name, model, text=b"text", load=load_once, size=(1280, 800), compared=()):
        if load not in shells_of_module:
            folder = tmp_path_factory.mktemp("settings")
            shells_of_module[load] = open_shell(qapp, qtbot, folder, text, model, load)
        shell = shells_of_module[load]
        session, window = shell.session, shell.window
        window.resize(*size)
        if model is not None and name_of(session) != model:
            with qtbot.waitSignal(session.vocabulary_changed):
                session.loader.open(model)
        if list(map(name_of, shell.compared.sessions[1:])) != list(compared):
            for other in shell.compared.sessions[1:]:
                shell.compared.remove(other)
            for name in compared:
                shell.compared.add(name)
        for each in shell.compared.sessions:
            each.set_options(Options(True, True, None))
        put_text(qtbot, session, text)
        window.actions_table[page_name].trigger()
        window.activateWindow()
        page = window.pages.current
        page.shell = shell
        page.setFocus()
        return page

    yield show
    for shell in shells_of_module.values():
        close_dialogs(shell)


def name_of(session):
    return session.loader.model and session.loader.model.name
