"""The start page: what it leads to, what it lists, and when it gives way."""

from pathlib import Path

import pytest
from controls_in_words import controls_of
from fitting import unreadable
from instant_recorder import load_once
from main_window_driver import press
from PySide6.QtCore import QPoint, Qt

from guiapp.core.demo import LESSONS
from guiapp.window.start_page import StartRow

LEFT = Qt.MouseButton.LeftButton


def open_demo(name, pre, progress):
    return load_once(name if name.startswith("demo:") else "demo:toy", pre)


@pytest.fixture
def at_start(make_shell, monkeypatch, qtbot):
    """On a machine without models."""
    monkeypatch.setattr("guiapp.kit.state.recent.installed_models", lambda folders: [])
    shell = make_shell(b"one two three", "demo:bpe", open_demo)
    shell.window.resize(1280, 800)
    shell.window.actions_table["start"].trigger()
    qtbot.waitUntil(lambda: shell.window.pages.current.is_ready)
    return shell


def rows(page):
    return {row.text(): row for row in page.findChildren(StartRow) if row.isVisibleTo(page)}


def test_it_is_not_in_the_rail_and_escape_leads_back(at_start, qtbot):
    window = at_start.window
    entries = window.rail.entries.values()
    assert [entry.text() for entry in entries if entry.isChecked()] == []
    press(qtbot, at_start, Qt.Key.Key_Escape)
    assert window.pages.current_name == "inspect"
    assert [entry.text() for entry in entries if entry.isChecked()] == ["Text"]
    window.actions_table["tree"].trigger()
    press(qtbot, at_start, Qt.Key.Key_Home, Qt.KeyboardModifier.AltModifier)
    assert window.pages.current_name == "start"
    press(qtbot, at_start, Qt.Key.Key_Escape)
    assert window.pages.current_name == "tree"


def test_all_words_can_be_read_in_a_window_of_any_size(at_start):
    assert unreadable(at_start.window) == []


@pytest.mark.parametrize(
    ("card", "page"),
    [("looking", "inspect"), ("learning", "steps"), ("comparing", "compare"), ("measuring", "bench")],
)
def test_a_click_anywhere_on_a_card_leads_there(at_start, qtbot, card, page):
    qtbot.mouseClick(getattr(at_start.window.pages.current, card), LEFT, pos=QPoint(60, 60))
    assert at_start.window.pages.current_name == page
    if card == "learning":
        assert at_start.window.pages.current.lessons.isVisible()


def test_examples_run_by_one_click(at_start, qtbot):
    window, start = at_start.window, at_start.window.pages.current
    qtbot.mouseClick(start.looking.example, LEFT)
    assert window.pages.current_name == "inspect"
    assert b"Tokenloupe" in at_start.session.document.text()
    window.actions_table["start"].trigger()
    qtbot.mouseClick(start.comparing.example, LEFT)
    assert window.pages.current_name == "compare"
    names = [
        session.loader.loading_name or session.loader.model.name for session in at_start.compared.sessions
    ]
    assert names == ["demo:bpe", "demo:rwkv"]
    window.actions_table["start"].trigger()
    qtbot.mouseClick(start.measuring.example, LEFT)
    bench = window.pages.current.model
    assert bench.is_running
    window.actions_table["start"].trigger()
    qtbot.mouseClick(start.measuring.example, LEFT)
    assert bench.is_running  # it goes on
    bench.stop()
    window.actions_table["start"].trigger()
    qtbot.mouseClick(start.learning.example, LEFT)
    assert window.pages.current.player.lesson.name == LESSONS[0].name


def test_lessons_show_how_far_people_got(at_start, qtbot):
    window, start = at_start.window, at_start.window.pages.current
    assert list(rows(start))[: len(LESSONS)] == [lesson.title for lesson in LESSONS]
    assert start.learning.example.accessibleName() == "Begin lesson 1"
    at_start.settings.lessons = '{"3-training-by-hand": 3, "4-encoding-by-merges": 1}'
    for name in ("inspect", "start"):
        window.actions_table[name].trigger()
    qtbot.waitUntil(lambda: LESSONS[2].title in rows(start))
    assert start.learning.example.accessibleName() == "Resume lesson 4"
    names = {title: row.accessibleName() for title, row in rows(start).items()}
    assert names["Training a tokenizer by hand"].endswith(", finished")
    assert names["Encoding by merges"].endswith(", step 2 of 5")
    qtbot.mouseClick(start.present, LEFT)
    steps = window.pages.current
    assert steps.player.lesson.name == LESSONS[3].name
    assert window.is_presented
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.is_presented
    window.actions_table["start"].trigger()
    qtbot.waitUntil(lambda: "Encoding by merges" in rows(start))
    qtbot.mouseClick(rows(start)["Encoding by merges"], LEFT)
    assert (window.pages.current.player.lesson.name, window.pages.current.player.number) == (
        LESSONS[3].name,
        1,
    )


def test_recent_texts_and_models_open_by_a_click(at_start, qtbot, tmp_path):
    window, start, text = at_start.window, at_start.window.pages.current, tmp_path / "own.txt"
    text.write_bytes(b"own words")
    for path in (Path("/not/there.txt"), text):
        at_start.commands.files._recent_texts.add(path)
    qtbot.waitUntil(lambda: {"own.txt", "there.txt"} <= set(rows(start)))
    start._setting.recent_items.recent_texts.check_missing()
    qtbot.waitUntil(lambda: "there.txt" in rows(start) and not rows(start)["there.txt"].isEnabled())
    qtbot.mouseClick(rows(start)["own.txt"], LEFT)
    qtbot.waitUntil(lambda: at_start.session.document.text() == b"own words")
    assert window.pages.current_name == "inspect"
    window.actions_table["start"].trigger()
    with qtbot.waitSignal(at_start.session.vocabulary_changed):
        qtbot.mouseClick(rows(start)["Demo: Unigram"], LEFT)
    assert (window.pages.current_name, at_start.session.loader.model.name) == ("inspect", "demo:unigram")


def test_two_demo_models_are_compared_whatever_is_open(at_start, qtbot):
    """With four columns, the click showed those, without a word."""
    with qtbot.waitSignal(at_start.session.vocabulary_changed):
        at_start.commands.files.open("own")
    for name in ("second", "third", "fourth"):
        at_start.compared.add(name)
    at_start.window.actions_table["start"].trigger()
    qtbot.mouseClick(at_start.window.pages.current.comparing.example, LEFT)
    assert at_start.window.pages.current_name == "compare"
    loaders = [session.loader for session in at_start.compared.sessions]
    qtbot.waitUntil(lambda: [each.model and each.model.name for each in loaders] == ["demo:bpe", "demo:rwkv"])


def test_what_an_example_replaces_is_one_undo_away_wherever_the_focus_is(at_start, qtbot):
    window, document = at_start.window, at_start.session.document
    qtbot.mouseClick(window.pages.current.looking.example, LEFT)
    assert "undo (Ctrl+Z)" in " ".join(controls_of(window))
    for widget in (window.top_bar.encoder_button, window.inspect_page.ids_panel.strip):
        widget.setFocus()
        press(qtbot, at_start, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert document.text() == b"one two three"
        document.redo()
    window.actions_table["tree"].trigger()
    press(qtbot, at_start, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert document.text() != b"one two three", "no page changes a text that it does not show"


def test_it_gives_way_to_what_is_opened_by_menus(at_start, qtbot):
    window = at_start.window
    for name in ("sample:code", "demo:toy"):
        window.actions_table["start"].trigger()
        window.actions_table[name].trigger()
        assert window.pages.current_name == "inspect"
