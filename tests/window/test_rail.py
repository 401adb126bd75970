"""The rail at the left leads to all pages, the words in the top bar to the modes of one."""

from itertools import pairwise

import pytest
from fitting import SIZES, unreadable
from instant_recorder import load_once
from pictures import process_events
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication

from guiapp.analysis.doctor.findings import ERROR, HINT, WARNING, Finding
from guiapp.analysis.sessions.name import PAGES as SESSION_PAGES
from guiapp.window.pages import PAGES

LEFT, CTRL, Key = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, Qt.Key
ENTRIES = ["Text", "Compare", "Chat", "Data", "Vocabulary", "Doctor", "Tree", "Steps", "Bench"]
FIRST_PAGES = ["inspect", "compare", "chat", "data", "vocabulary", "doctor", "tree", "steps", "bench"]


@pytest.fixture
def window(share_shell):
    window = share_shell(b"one two three", "demo:bpe", load_once).window
    window.resize(1280, 800)
    return window


def press(qtbot, key):
    qtbot.keyClick(QApplication.focusWidget(), key)


def checked(window):
    return [word for word, entry in window.rail.entries.items() if entry.isChecked()]


def modes(window):
    buttons = window.top_bar.modes.buttons
    return [f"[{b.text()}]" if b.isChecked() else b.text() for b in buttons.values() if b.isVisible()]


def test_a_click_or_a_key_leads_to_each_page_in_the_order_of_the_rail(window, qtbot):
    assert list(window.rail.entries) == ENTRIES
    for number, (word, page) in enumerate(zip(ENTRIES, FIRST_PAGES, strict=True), 1):
        entry = window.rail.entries[word]
        assert entry.toolTip() == f"{word} (Ctrl+{number})"
        qtbot.mouseClick(entry, LEFT)
        qtbot.mouseClick(entry, LEFT)  # where people are already, nothing changes
        assert (window.pages.current_name, checked(window)) == (page, [word])
        window.actions_table["start"].trigger()
        assert checked(window) == []
        qtbot.keyClick(window, Key(Key.Key_0 + number), CTRL)
        assert (window.pages.current_name, checked(window)) == (page, [word])


def test_a_page_with_modes_has_them_in_the_top_bar_and_remembers_the_last(window, qtbot):
    buttons, model = window.top_bar.modes.buttons, window.top_bar.model_button
    window.actions_table["compare"].trigger()
    assert modes(window) == ["[Models]", "Texts", "Vocabularies", "Languages", "Hunt"]
    process_events()
    left = buttons["compare"].mapTo(window, buttons["compare"].rect().topLeft()), model.geometry()
    qtbot.mouseClick(buttons["hunt"], LEFT)
    assert (window.pages.current_name, modes(window)) == (
        "hunt",
        ["Models", "Texts", "Vocabularies", "Languages", "[Hunt]"],
    )
    qtbot.mouseClick(window.rail.entries["Vocabulary"], LEFT)
    assert modes(window) == ["[Tokens]", "Special tokens"]
    process_events()
    first = buttons["vocabulary"]
    assert (first.mapTo(window, first.rect().topLeft()), model.geometry()) == left
    qtbot.mouseClick(window.rail.entries["Tree"], LEFT)
    assert modes(window) == []
    qtbot.mouseClick(window.rail.entries["Compare"], LEFT)
    assert window.pages.current_name == "hunt"


def test_the_rail_is_one_stop_of_tab_and_arrows_walk_it(window, qtbot):
    entries = window.rail.entries
    window.top_bar.palette_button.setFocus()
    for _ in range(40):
        press(qtbot, Key.Key_Tab)
        if QApplication.focusWidget() is entries["Text"]:
            break
    assert QApplication.focusWidget() is entries["Text"]
    for key, word in ((Key.Key_Down, "Compare"), (Key.Key_End, "Bench"), (Key.Key_Up, "Steps")):
        press(qtbot, key)
        assert (QApplication.focusWidget().text(), window.pages.current_name) == (word, "inspect")
    press(qtbot, Key.Key_Return)
    assert window.pages.current_name == "steps"
    entries["Tree"].setFocus()
    press(qtbot, Key.Key_Space)
    assert window.pages.current_name == "tree"


def test_the_current_page_is_exposed_to_screen_readers(window):
    read = {word: QAccessible.queryAccessibleInterface(entry) for word, entry in window.rail.entries.items()}
    names = [each.text(QAccessible.Text.Name) for each in read.values()]
    assert [name.partition(",")[0] for name in names] == ENTRIES  # the doctor's has what was found
    assert [word for word, each in read.items() if each.state().checked] == ["Text"]


def test_a_low_window_drops_the_names_and_a_lower_one_scrolls(window, qtbot):
    entries = window.rail.entries.values()
    assert {entry.height() for entry in entries} == {62}
    window.resize(1280, 690)
    qtbot.waitUntil(lambda: max(entry.height() for entry in entries) < 50)
    window.resize(1280, 480)
    window.actions_table["bench"].trigger()
    qtbot.waitUntil(lambda: window.rail.entries["Bench"].visibleRegion().boundingRect().height() > 30)


@pytest.mark.parametrize("severity", [ERROR, WARNING, HINT, None])
def test_the_doctor_counts_errors_and_warnings_in_the_colour_of_the_worst(window, monkeypatch, severity):
    findings = tuple(Finding("code", each, "what", "") for each in (severity, HINT) if severity)
    monkeypatch.setattr(type(window.doctor), "findings", findings)
    entry = window.rail.entries["Doctor"]
    window.doctor.changed.emit()
    named = {ERROR: "Doctor, 1 error in ", WARNING: "Doctor, 1 warning in "}
    model = "byte-level BPE" if severity in named else ""
    assert entry.accessibleName() == named.get(severity, "Doctor") + model, "hints are no alarm"
    assert ("byte-level BPE" in entry.toolTip()) is (severity in named)
    image = entry.grab().toImage()
    reds = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert (window.setting.theme_source.theme.bad.name() in reds) is (severity == ERROR)


def test_top_bar_parts_neither_overlap_nor_move_with_badge_texts(window):
    bar, session = window.top_bar, window.setting.session
    window.setUpdatesEnabled(False)  # it is laid out, not painted
    for size in SIZES:
        window.resize(*size)
        for page in FIRST_PAGES:
            window.actions_table[page].trigger()
            lefts = set()
            for encoder in ("greedy", None):
                session.set_encoder(encoder)
                bar.exactness.show_state("approximate 100.0 %" if encoder else "exact", "good", "check", "")
                process_events()
                shown = [each for each in bar.modes.buttons.values() if each.isVisible()]
                parts = [bar.model_button, *shown, bar.exactness, bar.round_trip, bar.encoder_button]
                edges = [
                    (edge(part.rect().topLeft(), part), edge(part.rect().topRight(), part)) for part in parts
                ]
                assert all(one[1] < other[0] for one, other in pairwise(edges)), (size, page)
                assert edge(bar.palette_button.rect().topRight(), bar.palette_button) < window.width()
                lefts.add((edges[0], *edges[1 : 1 + len(shown)]))
            assert len(lefts) == 1, (size, page)
    window.setUpdatesEnabled(True)
    window.actions_table["compare"].trigger()
    assert unreadable(window) == []


def edge(point, part):
    return part.mapTo(part.window(), point).x()


def test_sessions_and_screenshots_know_every_page():
    assert {*SESSION_PAGES, "start"} == {row.name for row in PAGES}
