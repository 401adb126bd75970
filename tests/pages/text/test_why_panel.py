"""Why the selected token is there, and from each line to its step, by real clicks."""

import pytest
from editor_hands import place_of_byte
from instant_recorder import load_once
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton

pytestmark = pytest.mark.slow


LEFT = Qt.MouseButton.LeftButton
TEXT = "The tokenization of Zürich 🦄<|im_end|> ends".encode()


@pytest.fixture
def open_on(share_shell, qtbot):
    """Opens a window, clicks on the token that has a byte, then on “Why”; the shell and the panel."""

    def make(offset, text=TEXT, model="demo:bpe"):
        shell = share_shell(text, model, load_once)
        page = shell.window.inspect_page
        qtbot.mouseClick(page.editor.viewport(), LEFT, pos=place_of_byte(page.editor, offset))
        (tab,) = (each for each in page.side.findChildren(QToolButton) if each.text() == "Why")
        qtbot.mouseClick(tab, LEFT)
        wait_until_current(qtbot, page.why_panel)
        return shell, page.why_panel

    return make


def wait_until_current(qtbot, panel):
    qtbot.waitUntil(lambda: panel._model.is_current and panel._shown == panel._model.value)


def explained(panel):
    return panel._shown.explanation


def click(qtbot, panel, row):
    panel.ensureWidgetVisible(row)
    QApplication.processEvents()
    qtbot.mouseClick(row, LEFT)


def steps_model(shell, qtbot):
    model = shell.window.pages.current.model
    qtbot.waitUntil(lambda: model.debugger is not None and model._pending_seek is None)
    return model


def test_from_a_token_to_the_merge_that_made_it_in_three_clicks(open_on, qtbot):
    shell, panel = open_on(TEXT.index(b"kenization"))
    explanation = explained(panel)
    assert (explanation.start, explanation.end) == shell.session.tokens.span(shell.session.selected_token)
    for merge_line in explanation.merges[-1:] + explanation.merges[:1]:
        row = next(each for each in panel.rows if each.line == merge_line)
        click(qtbot, panel, row)
        model = steps_model(shell, qtbot)
        columns, step = model.debugger.trace.columns, model.position
        assert model.debugger.trace.operation(step) == "merge"
        recorded_values = [
            column[step] for column in (columns.left, columns.right, columns.result, columns.rank)
        ]
        assert recorded_values == [*merge_line.merged[:4]]
        assert (columns.position[step], columns.end[step]) == (merge_line.merged.start, merge_line.merged.end)
        shell.window.actions_table["inspect"].trigger()
        wait_until_current(qtbot, panel)


def test_each_line_of_each_stage_shows_its_step(open_on, qtbot):
    shell, panel = open_on(TEXT.index(b"kenization"))
    for number in range(len(panel.rows)):
        row = panel.rows[number]
        place = row.line.step_key
        click(qtbot, panel, row)
        model = steps_model(shell, qtbot)
        trace = model.debugger.trace
        expected = {"": "special", "normalise": "piece"}.get(place.operation, place.operation)
        assert trace.operation(model.position) == expected
        shell.window.actions_table["inspect"].trigger()
        wait_until_current(qtbot, panel)


def test_the_token_menu_opens_the_panel_which_shows_the_selection(open_on, qtbot):
    shell, panel = open_on(0)
    page = shell.window.inspect_page
    page.side.tabs.choose(0)
    place = place_of_byte(page.editor, TEXT.index(b"<|im"))
    target = page.editor.viewport()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, target.mapToGlobal(place))
    QApplication.sendEvent(target, event)
    menu = QApplication.activePopupWidget()
    action = next(each for each in menu.actions() if each.text() == "Why this token")
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())
    assert panel.isVisible()
    wait_until_current(qtbot, panel)
    assert [stage.name for stage in explained(panel).stages] == ["bytes", "partition", "token"]
    row = next(each for each in panel.rows if "special token" in each.text())
    click(qtbot, panel, row)
    model = steps_model(shell, qtbot)
    assert model.debugger.trace.operation(model.position) == "special"
    shell.window.actions_table["inspect"].trigger()
    part = shell.session.tokens.first_ending_after(TEXT.index("🦄".encode()))
    shell.session.select_token(part)
    wait_until_current(qtbot, panel)
    assert explained(panel).index == part
    shell.session.select_token(0)
    wait_until_current(qtbot, panel)
    assert panel.rows[1].text().endswith("as the file specifies.")


def test_long_lists_are_folded_and_open_on_a_click(open_on, qtbot):
    shell, panel = open_on(5, b"unbelievablenessification", "demo:wordpiece")
    shell.session.select_token(1)
    wait_until_current(qtbot, panel)
    lines = next(stage.lines for stage in explained(panel).stages if stage.name == "encode")
    n_before = len(panel.rows)
    QApplication.processEvents()  # shows what is new
    (more,) = (each for each in panel.findChildren(QPushButton) if each.isVisible())
    assert more.text() == f"{len(lines) - 6} more"
    panel.ensureWidgetVisible(more)
    QApplication.processEvents()
    qtbot.mouseClick(more, LEFT)
    assert len(panel.rows) == n_before + len(lines) - 6
    assert [row.line for row in panel.rows if row.line in lines] == [*lines]


@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm", "demo:unigram"])
def test_in_a_long_text_only_the_context_of_the_token_is_examined(open_on, qtbot, model):
    text = TEXT.replace(b"<|im_end|>", b"\n") * 1_000
    shell, panel = open_on(5, text, model)
    index = shell.session.tokens.first_ending_after(text.index(b"tokenization", len(text) // 2) + 3)
    shell.session.select_token(index)
    wait_until_current(qtbot, panel)
    explanation = explained(panel)
    assert (explanation.index, [explanation.start, explanation.end]) == (
        index,
        [*shell.session.tokens.span(index)],
    )
    encode = next(stage for stage in explanation.stages if stage.name == "encode")
    row = next(each for each in panel.rows if each.line in encode.lines)
    click(qtbot, panel, row)
    steps = steps_model(shell, qtbot)
    columns, step, start = steps.debugger.trace.columns, steps.position, steps.recording.text_start
    assert steps.debugger.trace.operation(step) == row.line.step_key.operation
    assert columns.position[step] + start == row.line.step_key.start
    assert columns.end[step] + start == row.line.step_key.end


def test_the_explanation_is_copied(open_on, qtbot):
    _, panel = open_on(TEXT.index(b"kenization"))
    panel.setFocus()
    qtbot.keyClick(panel, "c", Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text().splitlines()
    assert copied[0].startswith(f"token {explained(panel).index}, bytes ")
    assert all(any(line.text.split("`")[0] in each for each in copied) for line in explained(panel).merges)
