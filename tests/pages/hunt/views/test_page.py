"""The Hunt page in the real window: start and stop, what is found, and what can be done with it."""

from __future__ import annotations

import json
import multiprocessing
from dataclasses import replace

from fake_hunt import DIGITS, START, batch_of, find_of, lines_of, some_mismatches, tell
from fitting import unreadable
from main_window_driver import CTRL, SHIFT, press
from menus import offered, take
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLabel

from guiapp.analysis.compare.reasons import Cause, Reason
from guiapp.analysis.hunt.generators import ALL_NAMES
from guiapp.analysis.hunt.mismatches import Find
from guiapp.analysis.hunt.pair import HuntError
from guiapp.analysis.hunt.report import markdown
from guiapp.kit.widgets.painting import color_of
from guiapp.kit.widgets.tables import ROW_PX
from guiapp.kit.widgets.theme import DARK, LIGHT

LEFT = Qt.MouseButton.LeftButton
HOSTILE = "<b>\u202e\x07&amp;`\n\u200b".encode() + b"\xff"


def click_chip(qtbot, page, row, chip):
    place = page.causes.chips(row)[chip][0].center().toPoint()
    qtbot.mouseClick(page.causes.viewport(), LEFT, pos=place)


def words(page):
    return page.words.title.text(), page.words.text.text()


def test_without_another_model_the_page_offers_to_choose_one(open_page, engine, pair, qtbot):
    page = open_page(pair[0])
    assert "Choose B: another model" in words(page)[1]
    assert not page.status.button.isEnabled()
    asked = []
    page.shell.window.requests.model_wanted.connect(lambda widget, take: asked.append((widget, take)))
    qtbot.mouseClick(page.words.choose, LEFT)
    ((widget, take),) = asked
    assert widget is page.head.sides[1].button
    take(pair[1], None)
    picker = page.shell.commands.files.picker
    picker.close()
    qtbot.mouseClick(page.head.sides[0].button, LEFT)
    assert picker.isVisible(), "for the model of the window"
    picker.close()
    qtbot.waitUntil(lambda: page.status.button.isEnabled())
    assert page.head.sides[1].button.text() == "second"
    assert page.words.choose.isHidden()


def test_one_button_starts_and_stops_and_statistics_are_updated(page, engine, qtbot):
    assert page.status.button.text() == "Stop"
    tell(qtbot, page, engine, START.with_batch(replace(batch_of(), n_texts=2000)))
    assert words(page)[0] == "No mismatch yet"
    state = replace(some_mismatches(page, engine), seconds=4.0)
    tell(qtbot, page, engine, state)
    numbers = [figure.number.text() for figure in page.status.figures]
    assert numbers == ["2,000", "500", "5", "2"]
    assert page.status.time.text() == "0:04 of 1:00"
    assert page.status.bar.captions[1] == "trying: your own texts"
    qtbot.mouseClick(page.status.button, LEFT)
    qtbot.waitUntil(lambda: not page.model.is_running)
    assert page.status.button.text() == "Start"
    assert len(page.model.finds) == 2


def test_shortcuts_start_stop_and_step_through_mismatches(page, engine, qtbot):
    tell(qtbot, page, engine, some_mismatches(page, engine))
    shell = page.shell
    assert page.panels == [page.status.button, page.causes, page.panel.copy_button]
    assert page.focusProxy() is page.status.button
    seen = []
    for _ in range(3):
        seen.append(page.model.selected.text)
        press(qtbot, shell, Qt.Key.Key_Down, CTRL)
    assert seen == [b"12", b"345", b"ab"]
    press(qtbot, shell, Qt.Key.Key_Up, CTRL)
    assert page.model.selected.text == b"ab"
    press(qtbot, shell, Qt.Key.Key_H, CTRL | SHIFT)
    qtbot.waitUntil(lambda: not page.model.is_running)


def test_a_text_is_chosen_by_a_click_or_the_arrow_keys(page, engine, qtbot):
    tell(qtbot, page, engine, some_mismatches(page, engine))
    click_chip(qtbot, page, 0, 1)
    assert page.model.selected.text == b"345"
    assert page.panel.title.whole_text == "TEXT 2 OF 2 · PRE-TOKENIZER: DIGITS"
    page.causes.setFocus()
    for key, text in (
        ("Left", b"12"),
        ("Left", b"12"),
        ("Down", b"ab"),
        ("Down", b"ab"),
        ("Home", b"12"),
        ("End", b"ab"),
    ):
        qtbot.keyClick(page.causes, getattr(Qt.Key, f"Key_{key}"))
        assert page.model.selected.text == text
    assert page.causes.accessibleDescription() == "Merge: order: ab"
    qtbot.mouseClick(page.causes.viewport(), LEFT, pos=QPoint(30, ROW_PX // 2))
    assert page.model.selected.text == b"12"


def test_the_panel_shows_both_cuts_the_reason_and_the_user_s_lines(page, engine, qtbot):
    tell(qtbot, page, engine, some_mismatches(page, engine))
    assert page.panel.reason.toPlainText() == "A splits 1 | 2."
    for theme in (LIGHT, DARK):
        page.shell.theme_source.choose(theme.name)
        html = page.panel.reason.toHtml()
        assert color_of(0, theme).name() in html
        assert theme.text.name() in html
    assert page.panel.grid.isVisible()
    first, second = page.panel.grid.layouts
    assert [box.token_id for box in first.tokens] == ["1", "2"]
    assert [box.token_id for box in second.tokens] == ["3"]
    assert len(page.panel.grid.layouts[0].apart) == 1
    assert [button.accessibleName() for button in page.panel.location_buttons] == [
        "Line 1: one·1984",
        "Line 2: two·12",
    ]
    qtbot.mouseClick(page.panel.location_buttons[1], LEFT)
    assert page.shell.window.pages.current_name == "inspect"
    assert page.shell.session.document.selection == (13, 14)


def test_the_report_is_copied_and_saved_as_the_engine_writes_it(page, engine, tmp_path, qtbot, monkeypatch):
    state = some_mismatches(page, engine, is_over=True)
    tell(qtbot, page, engine, state)
    qtbot.mouseClick(page.panel.copy_button, LEFT)
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() == markdown(state))
    place = tmp_path / "missing" / "hunt.md"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *asked: (str(place), ""))
    take(page.export.menu(), "Markdown…")
    qtbot.waitUntil(lambda: "cannot be" in page.saving.failure)
    place.parent.mkdir()
    page.shell.window.actions_table["hunt_save"].trigger()
    qtbot.waitUntil(lambda: page.saving.saved == place)
    assert place.read_text() == markdown(state)
    take(page.export.menu(), "JSON…")
    qtbot.waitUntil(lambda: page.saving.saved not in (place, None))
    assert json.loads(page.saving.saved.read_text())["tried"] == state.tried
    QGuiApplication.clipboard().clear()
    page.shell.window.actions_table["hunt_report"].trigger()
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() == markdown(state))


def test_a_find_is_shown_in_compare_with_b_as_a_column(open_page, engine, pair, qtbot):
    page = open_page(pair[0])
    page.model.sides.choose_file(pair[1])
    qtbot.waitUntil(page.status.button.isEnabled)
    page.model.run()
    qtbot.waitUntil(lambda: bool(engine.plans))
    tell(qtbot, page, engine, some_mismatches(page, engine, is_over=True))
    click_chip(qtbot, page, 0, 1)
    qtbot.mouseClick(page.panel.compare_button, LEFT)
    shell = page.shell
    assert shell.session.document.text() == b"345"
    assert shell.window.pages.current_name == "compare"
    (_, added) = shell.compared.sessions
    qtbot.waitUntil(lambda: added.loader.model is not None)
    assert added.loader.model.name == pair[1]


def test_a_notice_is_shown_if_compare_has_no_room_for_b(open_page, engine, pair, qtbot):
    page = open_page(*[pair[0]] * 4)
    page.model.sides.choose_file(pair[1])
    page.model.run()
    qtbot.waitUntil(lambda: bool(engine.plans))
    tell(qtbot, page, engine, some_mismatches(page, engine, is_over=True))
    qtbot.mouseClick(page.panel.step_button, LEFT)
    (notice,) = page.notices.notices
    assert "no room for B" in notice.message
    assert page.shell.window.pages.current is page
    assert page.shell.session.document.text() != b"12"


def test_compare_shows_a_and_b_alone_and_undo_brings_the_text_back(open_page, engine, pair, qtbot):
    page = open_page(*[pair[0]] * 4)
    before = page.shell.session.document.text()
    page.model.sides.choose_file(pair[1])
    page.model.run()
    qtbot.waitUntil(lambda: bool(engine.plans))
    tell(qtbot, page, engine, some_mismatches(page, engine, is_over=True))
    qtbot.mouseClick(page.panel.compare_button, LEFT)
    (_, added) = page.shell.compared.sessions
    assert added.loader.asked[0] == pair[1]
    assert page.shell.session.document.text() == b"12"
    page.shell.window.actions_table["undo"].trigger()
    assert page.shell.session.document.text() == before


def test_a_mismatch_is_opened_in_the_debugger_together_with_b(page, engine, qtbot):
    tell(qtbot, page, engine, some_mismatches(page, engine, is_over=True))
    asked = []
    page.shell.window.requests.race_wanted.connect(lambda session, at: asked.append((session, at)))
    qtbot.mouseClick(page.panel.step_button, LEFT)
    assert asked == [(page.shell.compared.sessions[1], 0)]
    assert page.shell.session.document.text() == b"12"


def test_generators_and_texts_are_ticked_in_menus(open_page, engine, pair, tmp_path, qtbot, monkeypatch):
    page = open_page(*pair)
    own, folder = tmp_path / "a&b.txt", tmp_path / "mine"
    own.write_bytes(b"12")
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(own)], ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))
    generators, texts = page.head.generators, page.head.texts
    titles = [f"{name[0].upper()}{name[1:]}" for name in ALL_NAMES]
    assert generators.text() == "texts of 13 generators"
    assert offered(generators.menu()) == ["All | off", "", *(f"{title} | checked" for title in titles)]
    take(generators.menu(), "Digits")
    assert generators.text() == "texts of 12 of 13 generators"
    assert page.model.choices.generators == tuple(name for name in ALL_NAMES if name != "digits")
    ticked = [title if title == "Digits" else f"{title} | checked" for title in titles]
    assert offered(generators.menu()) == ["All", "", *ticked]
    take(generators.menu(), "All")
    assert page.model.choices.generators == ALL_NAMES
    labels = []
    for title in ("Add files", "Add a folder", "The open text", "a&&b.txt", "mine"):
        labels.append(texts.text())
        take(texts.menu(), title)
    more = "and your text", "and your text and 1 more", "and your text and 2 more", "and a&&b.txt and 1 more"
    assert [*labels, texts.text()] == [*more, "and mine", "none of your texts"]
    take(texts.menu(), "a&&b.txt")
    assert offered(texts.menu()) == [
        *("The open text", "a&&b.txt | checked", "mine", "", "Add files…", "Add a folder…")
    ]
    take(page.status.time.menu(), "30 seconds")
    page.status.seed.setText("")
    qtbot.keyClicks(page.status.seed, "41")
    assert (page.model.choices.seconds, page.model.choices.seed) == (30.0, 41)


def test_b_is_a_model_of_compare_or_a_library_which_has_no_column(open_page, engine, pair, qtbot):
    page = open_page(*pair)
    menu, title = page.head.sides[1].button.menu(), "tokenizers"

    def checked():
        return [row.partition("  ")[0] for row in offered(menu) if row.endswith("checked")]

    assert offered(menu)[0].startswith("second")
    assert checked() == ["second"]
    take(menu, title)
    assert checked() == [title]
    page.model.run()
    qtbot.waitUntil(lambda: bool(engine.plans))
    tell(qtbot, page, engine, some_mismatches(page, engine, is_over=True))
    buttons = page.panel.compare_button, page.panel.step_button
    assert {(button.isEnabled(), button.toolTip()) for button in buttons} == {
        (False, "tokenizers is a library and cannot be a column")
    }
    take(menu, "second")
    page.model.run()
    qtbot.waitUntil(lambda: len(engine.plans) == 2)
    tell(qtbot, page, engine, some_mismatches(page, engine, is_over=True))
    assert {(button.isEnabled(), button.toolTip()) for button in buttons} == {(True, "")}


def test_a_library_that_cannot_take_part_is_grey_with_the_reason(open_page, engine):
    page = open_page("demo:rwkv")
    menu = page.head.sides[1].button.menu()
    menu.aboutToShow.emit()
    action = next(each for each in menu.actions() if each.text().startswith("tiktoken"))
    assert not action.isEnabled()
    assert "RWKV" in action.toolTip()
    asked = []
    page.shell.window.requests.model_wanted.connect(lambda widget, take: asked.append(widget))
    next(each for each in menu.actions() if each.text() == "Another model…").trigger()
    assert len(asked) == 1
    page.shell.commands.files.picker.close()


def test_the_reason_for_an_empty_or_failed_hunt_is_shown(page, engine, qtbot):
    tell(qtbot, page, engine, replace(START, seconds=9.0, tried=182_440, is_over=True))
    qtbot.waitUntil(lambda: not page.model.is_running)
    assert words(page)[0] == "No mismatch found"
    assert "182,440 texts in 9 s" in words(page)[1]
    assert not page.panel.copy_button.isVisible()
    qtbot.mouseClick(page.status.button, LEFT)
    tell(qtbot, page, engine, replace(START, seconds=9.0, tried=52, is_over=True))
    qtbot.waitUntil(lambda: not page.model.is_running)
    assert words(page)[0] == "Inconclusive"
    assert "Hunt longer" in words(page)[1]
    qtbot.mouseClick(page.status.button, LEFT)
    engine.tell(HuntError("It cannot be."))
    qtbot.waitUntil(lambda: not page.model.is_running)
    assert words(page) == ("The hunt failed", "It cannot be.")


def test_hostile_texts_and_names_are_shown_and_never_obeyed(page, engine, qtbot):
    find = find_of(HOSTILE, sentence="`first.gguf` splits `<b>\u2066x` | `&amp;`. <i>no</i>")
    file = engine.plans[0].files[0]
    state = replace(START, is_over=True).with_batch(batch_of(find))
    state = state.with_batch(lines_of(file, DIGITS, (1, 0, HOSTILE, 3)))
    tell(qtbot, page, engine, state)
    ((_, label),) = page.causes.chips(0)
    shown = [label, *(cell.text for cell in page.panel.grid.layouts[0].cells)]
    shown.append(page.panel.location_buttons[0].accessibleName())
    for text in shown:
        assert not {*"\u202e\x07\n\u200b"} & {*text}
    assert "<b>" in label
    assert "<i>no</i>" in page.panel.reason.toPlainText()
    for part in page.findChildren(QLabel):
        assert part.textFormat() is not Qt.TextFormat.RichText


# With the engine itself


def test_a_hunt_runs_by_clicks_and_leaves_no_process_running(open_page, pair, qtbot):
    before = set(multiprocessing.active_children())
    page = open_page(*pair)
    qtbot.mouseClick(page.status.button, LEFT)
    qtbot.waitUntil(lambda: DIGITS in page.model.kinds, timeout=60_000)
    assert set(multiprocessing.active_children()) - before
    qtbot.mouseClick(page.status.button, LEFT)
    qtbot.waitUntil(lambda: not page.model.is_running)
    qtbot.waitUntil(lambda: page.likely.isVisible(), timeout=60_000)
    assert page.likely.button.text() == "Hunt again with qwen2"
    qtbot.mouseClick(page.likely.button, LEFT)
    qtbot.waitUntil(lambda: page.model.state is not None and page.model.state.tried > 0, timeout=60_000)
    assert page.model.kinds == []
    assert "split as qwen2" in page.head.sides[0].about.whole_text
    page.shell.window.close()
    assert not set(multiprocessing.active_children()) - before


def test_all_words_can_be_read_in_a_window_of_any_size(page, engine, qtbot):
    assert unreadable(page.window()) == []
    tell(qtbot, page, engine, some_mismatches(page, engine))
    press(qtbot, page.shell, Qt.Key.Key_Down, CTRL)
    assert unreadable(page.window()) == []


def test_of_unlike_vocabularies_it_shows_no_figures_and_leads_to_what_they_hold(page, engine, qtbot):
    sentence = "These vocabularies have too little in common: 0 % of `second.gguf` is in `first.gguf`."
    reason = Reason(Cause.OTHER_VOCABULARY, "vocabularies", sentence)
    find = Find(b"", (None, None), 0, reason)
    tell(qtbot, page, engine, replace(START, is_over=True).with_find(find))
    qtbot.waitUntil(lambda: not page.model.is_running)
    assert words(page) == ("These vocabularies have too little in common", "0 % of B is in A.")
    assert page.model.kinds == []
    assert not any(figure.isVisible() for figure in page.status.figures)
    qtbot.mouseClick(page.words.compare, LEFT)
    assert page.shell.window.pages.current_name == "compare_vocabularies"
