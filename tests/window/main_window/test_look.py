"""Theme, sizes and what fits in the real window."""

import pytest
from hands import turn_wheel
from main_window_driver import CTRL
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication

from guiapp.analysis.explain.id_lists import FORMATS
from guiapp.core.text.numbers_in_words import with_prefix
from guiapp.kit.document.statistics import format_speed
from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.labels import FittedLabel, StyledText
from guiapp.window.activity import Activity
from guiapp.window.main_window import SMALLEST_SIZE
from guiapp.window.status_line import ActivityView

pytestmark = pytest.mark.slow


def test_the_window_is_no_larger_than_the_screen(shell):
    shell.window.resize(1280, 800)
    shell.window.fit_into(QSize(960, 1200))
    assert (shell.window.width(), shell.window.height()) == (952, 800)


@pytest.mark.parametrize(("name", "larger"), [("zoom_in", True), ("zoom_out", False)])
def test_zoom_changes_the_text_size_and_is_kept(shell, qtbot, tmp_path, name, larger):
    editor = shell.window.inspect_page.editor
    before = editor.font_px
    shell.window.actions_table[name].trigger()
    assert (editor.font_px > before) is larger
    qtbot.waitUntil(lambda: Settings(tmp_path / "settings.ini").font_px == editor.font_px)
    shell.window.actions_table["zoom_reset"].trigger()
    assert editor.font_px == before


def test_what_was_chosen_last_time_is_chosen_again(make_shell, tmp_path):
    format_name = list(FORMATS)[-1]
    chosen = {
        "shows_whitespace": False,
        "finds_by_case": True,
        "font_px": 21,
        "ids_format": format_name,
        "ids_view": "table",
    }
    settings = Settings(tmp_path / "settings.ini")
    for name, value in chosen.items():
        setattr(settings, name, value)
    settings.save()
    shell = make_shell()
    page = shell.window.inspect_page
    assert not shell.window.actions_table["whitespace"].isChecked()
    assert page.text_panel.search.matches_case
    assert page.editor.font_px == 21
    assert page.ids_panel.format_actions[format_name].isChecked()
    assert page.ids_panel.view_actions["table"].isChecked()
    assert {name: getattr(shell.settings, name) for name in chosen} == chosen


@pytest.mark.parametrize("panel", ["strip", "card"])
def test_the_wheel_zooms_over_any_panel(shell, panel):
    page = shell.window.inspect_page
    before = page.editor.font_px
    area = page.card if panel == "card" else page.ids_panel.strip
    turn_wheel(area.viewport(), area.viewport().rect().center(), 120, CTRL)
    assert page.editor.font_px > before


def test_all_panels_follow_the_size_of_the_text(shell, qtbot):
    page = shell.window.inspect_page
    page.ids_panel.view_actions["table"].trigger()
    parts = (page.ids_panel.table, page.card.findChildren(StyledText)[0])
    before = [part.font().pixelSize() for part in parts]
    chip, row = page.ids_panel.strip.chip_rect(0).height(), page.ids_panel.table.rowHeight(0)
    for _ in range(3):
        shell.window.actions_table["zoom_in"].trigger()
    assert all(part.font().pixelSize() > size for part, size in zip(parts, before, strict=True))
    assert page.ids_panel.strip.chip_rect(0).height() > chip
    assert page.ids_panel.table.rowHeight(0) > row
    shell.window.actions_table["zoom_reset"].trigger()
    assert [part.font().pixelSize() for part in parts] == before


@pytest.mark.parametrize("width", [760, 1000, 1280])
def test_figures_are_left_out_rather_than_cut_off(shell, width):
    shell.window.resize(width, 600)
    QApplication.processEvents()
    figures = shell.window.status_line.findChild(FittedLabel)
    assert figures.fontMetrics().horizontalAdvance(figures.text()) <= figures.width()
    assert figures.text()
    assert "characters" in shell.window.status_line.text


def test_the_status_line_tells_figures_of_the_text_and_of_a_selection(shell, qtbot):
    line, session = shell.window.status_line, shell.session
    assert line.text.startswith("4 tokens 13 characters   13 bytes   3.25 characters/token   ")
    tokens = f"{with_prefix(session.statistics.speed_tokens_per_s)} tokens/s"
    assert line.text.endswith(f" · {tokens} · {format_speed(session.statistics.speed_mb_per_s)} ")
    session.document.select(0, 7)
    assert line.text.endswith(" selected: 2 tokens · 7 characters")
    with qtbot.waitSignal(session.spans.encoded):
        session.set_encoder("slow")
        assert line.text.startswith("… tokens 13 characters")
    assert " selected: about 3 tokens · 7 characters" in line.text
    session.document.set_caret(0)
    assert "selected" not in line.text


def test_tokens_and_what_goes_on_are_readable_in_the_smallest_window(make_shell, qtbot, monkeypatch):
    shell = make_shell(b"one two three " * 999)
    shell.window.resize(SMALLEST_SIZE)
    title = f"Opening {'a name that goes on ' * 9}"
    monkeypatch.setattr(Activity, "title", title)
    monkeypatch.setattr(Activity, "can_cancel", True)
    shell.session.document.select(0, shell.session.document.size)
    shell.session.loader.progress_changed.emit()
    qtbot.waitUntil(shell.window.findChild(ActivityView).isVisible)
    QApplication.processEvents()
    tokens, figures, under_way, selection = shell.window.status_line.findChildren(FittedLabel)
    assert (tokens.text(), figures.text()) == (f"{shell.session.statistics.n_tokens:,} tokens", "")
    assert selection.text() == f"{shell.session.selection_statistics.n_tokens:,} selected"
    assert under_way.text().startswith("Opening")
    for label in (tokens, under_way, selection):
        assert label.fontMetrics().horizontalAdvance(label.text()) <= label.width()


def test_size_and_options_come_back_at_the_next_start(make_shell):
    first = make_shell()
    first.window.resize(860, 500)
    first.window.actions_table["parse_special"].trigger()
    first.window.actions_table["whitespace"].trigger()
    first.window.close()
    first.stop()
    second = make_shell(model=None)
    assert (second.window.width(), second.window.height()) == (860, 500)
    assert not second.session.options.parse_special
    assert not second.window.actions_table["parse_special"].isChecked()
    assert not second.window.actions_table["whitespace"].isChecked()


def test_how_ids_are_shown_and_copied_is_kept(make_shell):
    shell = make_shell()
    panel = shell.window.inspect_page.ids_panel
    assert (panel.format_name, panel.table.isVisible()) == ("plain", False)
    panel.format_actions["JSON"].trigger()
    panel.view_actions["table"].trigger()
    shell.settings.save()
    again = make_shell().window.inspect_page.ids_panel
    assert (again.format_name, again.table.isVisible()) == ("JSON", True)
