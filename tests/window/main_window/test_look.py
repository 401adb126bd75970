"""Theme, sizes and what fits in the real window."""

import pytest
from hands import turn_wheel
from instant_recorder import load_once
from main_window_driver import CTRL
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QComboBox, QLineEdit, QTabBar

from guiapp.core.text.numbers_in_words import with_prefix
from guiapp.kit.document.statistics import format_speed
from guiapp.kit.state.settings import Settings
from guiapp.window.main_window import SMALLEST_SIZE

pytestmark = pytest.mark.slow

CONTROLS = QAbstractButton, QComboBox, QLineEdit, QTabBar


def is_cut_off(control):
    """Whether a control is not to be seen as a whole, and no scroll bar leads to the rest."""
    ancestor = control.parentWidget()
    while ancestor is not None:
        if isinstance(ancestor, QAbstractScrollArea):
            return False
        ancestor = ancestor.parentWidget()
    return control.visibleRegion().boundingRect() != control.rect()


def test_no_page_cuts_off_a_control_in_the_smallest_window(make_shell, qtbot):
    shell = make_shell(b"one two three", "demo:bpe", load_once)
    shell.window.resize(SMALLEST_SIZE)
    for name in shell.window.pages.rows:
        shell.window.pages.show_page(name)
        controls = [each for kind in CONTROLS for each in shell.window.findChildren(kind)]
        qtbot.waitUntil(
            lambda shown=controls: not any(each.isVisible() and is_cut_off(each) for each in shown)
        )


@pytest.mark.parametrize(("name", "larger"), [("zoom_in", True), ("zoom_out", False)])
def test_zoom_changes_the_text_size_and_is_saved(shell, qtbot, tmp_path, name, larger):
    editor = shell.window.inspect_page.editor
    before = editor.font_px
    shell.window.actions_table[name].trigger()
    assert (editor.font_px > before) is larger
    qtbot.waitUntil(lambda: Settings(tmp_path / "settings.ini").font_px == editor.font_px)
    shell.window.actions_table["zoom_reset"].trigger()
    assert editor.font_px == before


@pytest.mark.parametrize("panel", ["strip", "card"])
def test_the_wheel_zooms_over_any_panel(shell, panel):
    page = shell.window.inspect_page
    before = page.editor.font_px
    area = page.card if panel == "card" else page.ids_panel.strip
    turn_wheel(area.viewport(), area.viewport().rect().center(), 120, CTRL)
    assert page.editor.font_px > before


def test_the_status_line_shows_statistics_of_text_and_selection(shell, qtbot):
    line, session = shell.window.status_line, shell.session
    assert line.text.startswith("4 tokens 13 characters   13 bytes   3.25 characters/token   ")
    tokens = f"{with_prefix(session.statistics.speed_tokens_per_s)} tokens/s"
    assert line.text.endswith(f" · {tokens} · {format_speed(session.statistics.speed_mb_per_s)} ")
    session.document.select(0, 7)
    assert line.text.endswith(" selected: 7 characters · 2 tokens when encoded alone")
    with qtbot.waitSignal(session.spans.encoded):
        session.set_encoder("slow")
        assert line.text.startswith("… tokens 13 characters")
    assert " selected: 7 characters · touches 3 tokens" in line.text
    shell.window.actions_table["doctor"].trigger()
    assert not line.text.strip(), "the text is out of sight"
    shell.window.actions_table["inspect"].trigger()
    session.document.set_caret(0)
    assert line.text.startswith("6 tokens")
    assert "selected" not in line.text


def test_the_status_line_shows_no_speed_on_the_bench_page(shell, qtbot):
    shell.window.pages.show_page("bench")
    qtbot.waitUntil(lambda: "tokens/s" not in shell.window.status_line.text)
    shell.window.pages.show_page("inspect")
    qtbot.waitUntil(lambda: "tokens/s" in shell.window.status_line.text)


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


def test_the_format_and_view_of_ids_are_saved(make_shell):
    shell = make_shell()
    panel = shell.window.inspect_page.ids_panel
    assert (panel.format_name, panel.table.isVisible()) == ("plain", False)
    panel.format_actions["JSON"].trigger()
    panel.view_actions["table"].trigger()
    shell.settings.save()
    again = make_shell().window.inspect_page.ids_panel
    assert (again.format_name, again.table.isVisible()) == ("JSON", True)
