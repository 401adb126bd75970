"""Installed models and models by name in the real window: found, shown, chosen, remembered."""

import threading

import pytest
from controls_in_words import controls_of
from installed_models import fill_home, move_home, put
from loopback import file, serving, status
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from guiapp.core.demo import demo_model_path
from guiapp.core.formats import table
from guiapp.core.formats.table import Glance
from guiapp.core.sources import cached
from guiapp.kit.widgets.choice_list import CHOICE_ROLE
from guiapp.window.app import _load

pytestmark = pytest.mark.slow


SEEN = Glance("GGUF", "BPE", "", 7)


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    return move_home(tmp_path / "home", monkeypatch)


@pytest.fixture
def shell(make_shell):
    return make_shell(model="demo:bpe", load=_load)


def opened_picker(qtbot, shell):
    qtbot.mouseClick(shell.window.top_bar.model_button, Qt.MouseButton.LeftButton)
    picker = QApplication.activePopupWidget()
    qtbot.waitUntil(lambda: not shell.commands.files.installed._job.is_busy, timeout=30_000)
    return picker


def choices(picker):
    items = picker.choices.rows.model()
    rows = [items.index(at, 0) for at in range(items.rowCount())]
    return [row.data(CHOICE_ROLE) or row.data() for row in rows]


def sections(picker):
    return [row for row in choices(picker) if isinstance(row, str)]


def test_installed_models_are_shown_by_place_and_open_by_a_click(qtbot, shell, home):
    fill_home(home)
    picker = opened_picker(qtbot, shell)
    assert sections(picker) == [
        "OLLAMA", "LM STUDIO", "HUGGING FACE CACHE", "LLAMA.CPP CACHE", "JAN", "GPT4ALL", "DEMO",
    ]  # fmt: skip
    (at,) = [at for at, row in enumerate(choices(picker)) if getattr(row, "title", "") == "llama3.2:1b"]
    assert choices(picker)[at].detail == "SPM · 3,000 · 63.2 kB"
    assert choices(picker)[at].location.startswith("~/.ollama/models/blobs/sha256-")
    rows = picker.choices.rows
    rows.scrollTo(rows.model().index(at, 0))
    with qtbot.waitSignal(shell.session.loader.model_changed):
        place = rows.visualRect(rows.model().index(at, 0)).center()
        qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert shell.session.loader.model.name == "ollama:llama3.2:1b"
    assert shell.settings.last_model == "ollama:llama3.2:1b"
    picker = opened_picker(qtbot, shell)
    recent, *others = [row for row in choices(picker) if getattr(row, "is_current", False)]
    assert (recent.section, recent.detail) == ("Recent", "SPM · 3,000 · ollama:llama3.2:1b")
    assert [row.section for row in others] == ["Ollama"]
    picker.close()


def test_typing_filters_the_installed_models(qtbot, shell, home):
    fill_home(home)
    picker = opened_picker(qtbot, shell)
    qtbot.keyClicks(picker.choices.filter, "spm gpt4all")
    assert [row if isinstance(row, str) else row.name for row in choices(picker)] == [
        "GPT4ALL", "gpt4all:orca.gguf",
    ]  # fmt: skip
    with qtbot.waitSignal(shell.session.loader.model_changed):
        qtbot.keyClick(picker.choices.filter, Qt.Key.Key_Return)
    assert len(shell.session.vocabulary) == 3000


def test_an_address_that_is_typed_is_fetched_and_forgotten_again(qtbot, shell, home):
    with serving() as server:
        url = server.serves("/toy.gguf", file(demo_model_path("toy").read_bytes()))
        picker = opened_picker(qtbot, shell)
        qtbot.keyClicks(picker.choices.filter, url)
        assert sections(picker) == ["BY NAME"]
        with qtbot.waitSignal(shell.session.loader.model_changed):
            qtbot.keyClick(picker.choices.filter, Qt.Key.Key_Return)
    assert len(shell.session.vocabulary) == 9
    assert cached.size_bytes() > 791
    picker = opened_picker(qtbot, shell)
    assert picker.clear_button.text() == f"Delete {cached.size_bytes()} B of downloads"
    qtbot.mouseClick(picker.clear_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not picker.clear_button.isVisible())
    assert cached.size_bytes() == 0
    picker.close()


def test_a_refused_download_is_reported_and_the_old_model_remains(qtbot, shell):
    with serving() as server:
        url = server.serves("/x.gguf", status(403))
        with qtbot.waitSignal(shell.session.loader.failed) as failure:
            shell.commands.files.open(url)
    assert "HF_TOKEN" in failure.args[1]
    assert shell.session.loader.model.name == "demo:bpe"


def test_a_folder_is_added_and_its_models_are_offered(qtbot, shell, tmp_path):
    own = tmp_path / "own"
    put(own / "mine.gguf", demo_model_path("toy").read_bytes())
    shell.window.questions.folder = own
    picker = opened_picker(qtbot, shell)
    qtbot.mouseClick(picker.folder_button, Qt.MouseButton.LeftButton)
    assert picker.isVisible()
    qtbot.waitUntil(lambda: sections(picker) == [f"Folder {own}", "DEMO"])
    picker.close()


def test_a_recent_name_stands_in_the_menu_as_it_is(qtbot, shell, home):
    fill_home(home)
    with qtbot.waitSignal(shell.session.loader.model_changed):
        shell.commands.files.open("jan:author/llama")
    menu = shell.window.actions_table.menus["File/Open recent"]
    menu.aboutToShow.emit()
    first = menu.actions()[0]
    assert (first.text(), first.isChecked(), first.isEnabled()) == ("jan:author/llama", True, True)
    QTest.qWait(50)
    assert first.isEnabled()


def test_the_next_session_opens_what_was_fetched_without_asking_anybody(qtbot, make_shell):
    with serving() as server:
        url = server.serves("/toy.gguf", file(demo_model_path("toy").read_bytes()))
        before = make_shell(model=url, load=_load)
        assert before.settings.last_model == url
        before.stop()
        n_asked = len(server.asked)
        shell = make_shell(model=None, load=_load)
        with qtbot.waitSignal(shell.session.loader.model_changed):
            shell.commands.files.open_last("demo:bpe")
        assert (len(shell.session.vocabulary), len(server.asked)) == (9, n_asked)
    assert shell.settings.last_model == url
    picker = opened_picker(qtbot, shell)
    current = [(row.section, row.title) for row in choices(picker) if getattr(row, "is_current", False)]
    assert current == [("Recent", "toy BPE"), ("Fetched", url)]
    picker.close()
    shell.stop()
    cached.clear()
    shell = make_shell(model=None, load=_load)
    with qtbot.waitSignal(shell.session.loader.failed) as failure:
        shell.commands.files.open_last("demo:bpe")
    assert failure.args[1] == f"{url} is not cached. Open it by this name to download it."
    qtbot.waitUntil(lambda: shell.session.loader.model is not None)
    assert shell.session.loader.model.name == "demo:bpe"


def test_the_list_shows_that_models_are_being_searched(qtbot, shell, home, monkeypatch):
    fill_home(home)
    may_go_on = threading.Event()
    monkeypatch.setattr(table, "glances_apart", lambda paths, _progress: may_go_on.wait(60) and [SEEN] * 12)
    qtbot.mouseClick(shell.window.top_bar.model_button, Qt.MouseButton.LeftButton)
    picker = QApplication.activePopupWidget()
    assert "Looking for models on this machine…" in controls_of(picker)
    qtbot.waitUntil(lambda: "OLLAMA" in sections(picker))
    qtbot.keyClicks(picker.choices.filter, "jan")
    assert [row.name for row in choices(picker) if not isinstance(row, str)] == ["jan:author/llama"]
    may_go_on.set()
    qtbot.waitUntil(lambda: "12 models found on this machine" in controls_of(picker))
    assert [row.detail for row in choices(picker) if not isinstance(row, str)] == ["BPE · 7 · 77.8 kB"]
    picker.close()
