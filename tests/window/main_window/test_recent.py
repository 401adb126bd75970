"""The menu of files that were opened last, in the real window."""

import pytest
from PySide6.QtWidgets import QApplication

from guiapp.kit.state.recent import RecentTexts
from guiapp.kit.state.settings import Settings

pytestmark = pytest.mark.slow


@pytest.fixture
def files(tmp_path):
    """Two texts, one of them with a name that menus could misread."""
    paths = [tmp_path / "one.txt", tmp_path / "R&D \u202e.txt"]
    for path in paths:
        path.write_text(path.name)
    return paths


def open_text(qtbot, shell, path):
    with qtbot.waitSignal(shell.session.text.reading.done):
        shell.session.text.open(path)


def listed(shell):
    """What the menu offers, by its texts, as it is when it opens."""
    menu = shell.window.actions_table.menus["File/Open recent"]
    menu.aboutToShow.emit()
    return {action.text(): action for action in menu.actions() if not action.isSeparator()}


def test_nothing_was_opened_yet(make_shell):
    rows = listed(make_shell(model=None))
    assert {text: row.isEnabled() for text, row in rows.items()} == {
        "None": False,
        "Forget recent files": False,
    }


def test_texts_are_listed_the_newest_first_and_open_again(shell, qtbot, files):
    for path in files:
        open_text(qtbot, shell, path)
    texts = [text for text in listed(shell) if ".txt" in text]
    assert texts[0].startswith("R&&D \\u202e.txt – ")
    assert listed(shell)[texts[0]].isChecked()
    listed(shell)[texts[1]].trigger()
    qtbot.waitUntil(lambda: shell.session.text.path == files[0])
    assert [text for text in listed(shell) if ".txt" in text] == texts[::-1]


def test_models_are_listed_too(shell, qtbot):
    rows = listed(shell)
    model = next(text for text in rows if text.startswith("fake.gguf"))
    with qtbot.waitSignal(shell.session.vocabulary_changed):
        rows[model].trigger()


def test_what_is_gone_is_grey_and_saving_brings_it_back(shell, qtbot, files):
    open_text(qtbot, shell, files[0])
    files[0].unlink()
    rows = listed(shell)
    row = next(rows[text] for text in rows if ".txt" in text)
    qtbot.waitUntil(lambda: not row.isEnabled())
    shell.session.text.save(files[0])
    rows = listed(shell)
    row = next(rows[text] for text in rows if ".txt" in text)
    qtbot.waitUntil(row.isEnabled)


def test_all_are_forgotten_with_one_command(shell, qtbot, files, tmp_path):
    open_text(qtbot, shell, files[0])
    shell.settings.save()
    assert RecentTexts(Settings(tmp_path / "settings.ini")).paths == (str(files[0]),)
    shell.window.actions_table["forget_recent"].trigger()
    assert list(listed(shell)) == ["None", "Forget recent files"]
    shell.settings.save()
    assert RecentTexts(Settings(tmp_path / "settings.ini")).paths == ()


def test_an_edited_text_is_remembered_when_it_is_saved(shell, qtbot, files):
    qtbot.keyClicks(QApplication.focusWidget() or shell.window.inspect_page.editor, "x")
    assert not any(".txt" in text for text in listed(shell))
    shell.session.text.save(files[0])
    assert any(".txt" in text for text in listed(shell))
