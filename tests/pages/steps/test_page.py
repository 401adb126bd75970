"""The Steps page with real clicks and keys."""

from functools import partial

import pytest
from hands import turn_wheel
from pictures import process_events
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QToolButton,
)

from guiapp.pages.steps.recording import Recording
from guiapp.pages.steps.timeline import GranularityBox

pytestmark = pytest.mark.slow


LEFT = Qt.MouseButton.LeftButton


def test_keys_step_run_and_break(make_steps_page, qtbot):
    page = make_steps_page()
    window, model = page.window(), page.model
    model.restart()
    qtbot.keyClick(window, Qt.Key.Key_F10)
    assert model.position == 1
    qtbot.keyClick(window, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    assert model.position == 0
    model.breakpoints.add("operation merge")
    qtbot.keyClick(window, Qt.Key.Key_F5)
    assert model.debugger.trace.operation(model.position) == "merge"
    qtbot.keyClick(window, Qt.Key.Key_F9)
    assert len(model.breakpoints.rows) == 2
    qtbot.keyClick(window, Qt.Key.Key_F11, Qt.KeyboardModifier.ShiftModifier)
    assert model.debugger.trace.operation(model.position) == "done"


def test_breakpoints_are_typed_and_mistakes_shown_at_their_place(make_steps_page, qtbot):
    page = make_steps_page()
    listed = page.trace.side.breakpoints
    qtbot.keyClicks(listed.field.line, "rank < 5 and colour > 3")
    qtbot.keyClick(listed.field.line, Qt.Key.Key_Return)
    assert "no column “colour”" in listed.field.error.text()
    assert listed.field.line.cursorPosition() == len("rank < 5 and ")
    listed.field.line.clear()
    qtbot.keyClicks(listed.field.line, "operation merge")
    qtbot.keyClick(listed.field.line, Qt.Key.Key_Return)
    (row,) = listed.row_widgets
    assert not listed.field.error.isVisible()
    qtbot.mouseClick(row.switch, LEFT)
    assert not page.model.breakpoints.rows[0].is_enabled
    qtbot.mouseClick(listed.row_widgets[0].label, LEFT)
    assert listed.field.line.text() == "operation merge"
    listed.field.line.setText("operation stale")
    qtbot.keyClick(listed.field.line, Qt.Key.Key_Return)
    assert [row.title for row in page.model.breakpoints.rows] == ["operation stale"]
    qtbot.mouseClick(listed.row_widgets[0].remove, LEFT)
    assert page.model.breakpoints.rows == ()


def test_log_points_list_the_steps_that_a_run_passes(make_steps_page, qtbot):
    page = make_steps_page()
    model, side = page.model, page.trace.side
    assert not side.notes.isVisible()
    model.restart()
    side.breakpoints.field.line.setText("operation merge log {left} and {right}")
    qtbot.keyClick(side.breakpoints.field.line, Qt.Key.Key_Return)
    merges = model.hits[0].tolist()
    qtbot.keyClick(page.window(), Qt.Key.Key_F5)
    assert model.position == model.n_steps
    rows = side.messages
    assert side.notes.isVisible()
    assert [entry.step for entry in rows.entries] == merges[-len(rows.entries) :]
    assert " and " in rows.accessibleDescription()
    qtbot.mouseClick(rows, LEFT, pos=QPoint(20, 5))
    assert model.position == rows.entries[0].step
    qtbot.mouseClick(side.clear_button, LEFT)
    assert not side.notes.isVisible()
    model.go_to(merges[1] - 1)
    qtbot.keyClick(page.window(), Qt.Key.Key_F10)
    assert [entry.step for entry in rows.entries] == [merges[1]]
    side.breakpoints.row_widgets[0].switch.click()


@pytest.mark.parametrize(
    ("name", "encoder", "theme"),
    [
        *(("bpe", None, "dark"), ("bpe", "scan", "light"), ("spm", "heap", "dark")),
        *(("unigram", None, "light"), ("wordpiece", None, "dark"), ("rwkv", None, "light")),
    ],
)
def test_every_step_can_be_painted(make_steps_page, qtbot, name, encoder, theme):
    page = make_steps_page(name, "New York 😍 lions".encode(), encoder, theme)
    for position in range(0, page.model.n_steps + 1, 3):
        page.model.go_to(position)
        assert not page.grab().isNull()
    assert page.trace.sentence.text()


def test_a_lesson_on_training_shows_words_and_ties(make_steps_page, qtbot):
    page = make_steps_page()
    page.player.begin("3-training-by-hand")
    page.player.go_on()
    qtbot.waitUntil(lambda: page.player.is_ready)
    assert "tied with" in page.lesson_training.sentence.text()
    assert page.lesson_training.isVisible()
    assert not page.trace.isVisible()
    page.actions_["debug_step"].trigger()
    assert page.player.training.position == 2
    while page.player.lesson is not None:
        page.player.go_on()
    assert not page.lesson_bar.isVisible()
    assert page.lessons.isVisible()
    page.modes.choose(0)
    assert page.trace.isVisible()


def test_editing_what_is_switched_off_leaves_it_off(make_steps_page, qtbot):
    page = make_steps_page()
    model, listed = page.model, page.trace.side.breakpoints
    model.breakpoints.add("operation merge")
    model.breakpoints.add("operation done")
    qtbot.mouseClick(listed.row_widgets[0].switch, LEFT)
    qtbot.mouseClick(listed.row_widgets[0].label, LEFT)
    listed.field.line.clear()
    qtbot.keyClicks(listed.field.line, "operation stale")
    qtbot.keyClick(listed.field.line, Qt.Key.Key_Return)
    rows = [(row.title, row.is_enabled) for row in model.breakpoints.rows]
    assert rows == [("operation stale", False), ("operation done", True)]


@pytest.mark.parametrize("way", ["list", "box", "undo", "itself", "switch"])
def test_the_breakpoint_in_the_line_is_the_one_that_return_changes(make_steps_page, qtbot, way):
    page = make_steps_page()
    model, listed, flow = page.model, page.trace.side.breakpoints, page.trace.flow
    box = flow.boxes[0].rect.center().toPoint()
    qtbot.mouseClick(flow, LEFT, pos=box)
    for text in ("operation merge", "operation done"):
        model.breakpoints.add(text)
    if way == "undo":
        model.breakpoints.remove(0)
    at = 0 if way == "undo" else 1
    qtbot.mouseClick(listed.row_widgets[at].label, LEFT)
    qtbot.keyClicks(listed.field.line, " once")
    if way == "list":
        qtbot.mouseClick(listed.row_widgets[0].remove, LEFT)
    elif way == "box":
        qtbot.mouseClick(flow, LEFT, pos=box)
    elif way == "undo":
        qtbot.mouseClick(listed.removed.undo, LEFT)
    elif way == "itself":
        qtbot.mouseClick(listed.row_widgets[1].remove, LEFT)
    else:
        qtbot.mouseClick(listed.row_widgets[1].switch, LEFT)
    qtbot.keyClick(listed.field.line, Qt.Key.Key_Return)
    titles = [row.title for row in model.breakpoints.rows]
    assert (
        titles
        == {
            "list": ["operation merge once", "operation done"],
            "box": ["operation merge once", "operation done"],
            "undo": ["byte 0", "operation merge once", "operation done"],
            "itself": ["byte 0", "operation done", "operation merge once"],
            "switch": ["byte 0", "operation merge once", "operation done"],
        }[way]
    )


def test_a_click_on_another_breakpoint_edits_that_one(make_steps_page, qtbot):
    page = make_steps_page()
    listed = page.trace.side.breakpoints
    for text in ("operation merge", "operation done", "operation stale"):
        page.model.breakpoints.add(text)
    for index in (0, 2):
        qtbot.mouseClick(listed.row_widgets[index].label, LEFT)
    qtbot.keyClicks(listed.field.line, " once")
    qtbot.keyClick(listed.field.line, Qt.Key.Key_Return)
    titles = [row.title for row in page.model.breakpoints.rows]
    assert titles == ["operation merge", "operation done", "operation stale once"]


def test_every_button_has_a_text_or_an_icon(make_steps_page):
    page = make_steps_page()
    buttons = page.findChildren(QAbstractButton)
    assert len(buttons) > 20
    assert [each.accessibleName() for each in buttons if not each.text() and each.icon().isNull()] == []


def test_each_button_goes_to_the_right_step(make_steps_page, qtbot):
    page = make_steps_page()
    model = page.model
    model.breakpoints.add("step in (3, 9)")
    buttons = {button.text(): button for button in page.trace.findChildren(QToolButton)}
    backwards = (
        ("⇥", model.n_steps),
        ("◀ run", 9),
        ("◁ back", 8),
        ("◁ back", 7),
        ("◀ run", 3),
    )
    for text, target in (*backwards, ("⇤", 0), ("step ▷", 1), ("run ▶", 3), ("run ▶", 9)):
        qtbot.mouseClick(buttons[text], LEFT)
        assert (text, model.position) == (text, target)


def test_a_removed_breakpoint_is_brought_back(make_steps_page, qtbot):
    page = make_steps_page()
    listed = page.trace.side.breakpoints
    page.model.breakpoints.add("operation merge")
    qtbot.mouseClick(listed.row_widgets[0].remove, LEFT)
    assert listed.removed.isVisible()
    assert "operation merge" in listed.removed.label.text()
    qtbot.mouseClick(listed.removed.undo, LEFT)
    assert [row.title for row in page.model.breakpoints.rows] == ["operation merge"]
    assert not listed.removed.isVisible()
    page.trace.timeline.setFocus()
    page.undo_steps.undo()  # as Ctrl+Z in the window
    assert page.model.breakpoints.rows == ()
    page.undo_steps.redo()
    assert len(page.model.breakpoints.rows) == 1


def test_part_of_a_long_text_is_recorded_and_more_is_offered(make_steps_page, qtbot):
    page = make_steps_page(text=b"lions " * 40_000)
    bar, document = page.trace.recording, page.kept_session.document
    assert bar.isVisible()
    assert page.model.debugger.trace.text == b"lions " * 3332 + b"lions"
    assert "bytes 0–19,997 of 240,000" in bar.message.text()
    assert "25 s and 50 MB" in bar.everything.toolTip()
    assert not bar.selection.isEnabled()
    document.select(60_000, 60_600)
    qtbot.mouseClick(bar.selection, LEFT)
    assert page.model.debugger.trace.text == b"lions " * 100
    assert "bytes 60,000–60,600" in bar.message.text()
    document.select_all()
    document.insert(b"lions")
    qtbot.waitUntil(lambda: page.is_ready)
    assert not bar.isVisible()


def test_the_arrow_keys_step_as_soon_as_a_lesson_begins(make_steps_page, qtbot):
    page = make_steps_page()
    page.modes.choose(2)
    page.lessons.buttons["4-encoding-by-merges"].setFocus()
    qtbot.keyClick(page.lessons.buttons["4-encoding-by-merges"], Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: page.player.is_ready)
    assert page.player.steps.debugger.sentence() == page.player.step.says
    assert QApplication.focusWidget() is page.lesson_bar.buttons["lesson_reveal"]
    assert not page.lesson_trace.sentence.isVisible()
    assert page.lesson_trace.cover.isVisible()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Space)
    assert page.lesson_trace.sentence.isVisible()
    assert QApplication.focusWidget() is page.lesson_trace.timeline
    before = page.player.steps.position
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Right)
    assert page.player.steps.position == before + 1


def test_a_lesson_is_ready_only_with_its_model_and_switches(make_steps_page, qtbot):
    page = make_steps_page()
    page.player.begin("7-wordpiece", 0)
    qtbot.waitUntil(lambda: page.player.is_ready)
    assert page.player.steps.debugger.sentence() == page.player.step.says
    page.player.begin("9-special-tokens-and-injection", 1)
    qtbot.waitUntil(lambda: page.player.is_ready)
    page.player.go_on()
    assert not page.player.is_ready
    qtbot.waitUntil(lambda: page.player.is_ready)
    assert len(page.player.steps.debugger.trace.result.ids) == 9


def test_a_breakpoint_on_a_missing_token_shows_the_reason(make_steps_page, qtbot):
    page = make_steps_page("toy", b"abacbb")
    listed = page.trace.side.breakpoints
    listed.field.line.setText("token 2500")
    qtbot.keyClick(listed.field.line, Qt.Key.Key_Return)
    (row,) = listed.row_widgets
    qtbot.waitUntil(row.absence.isVisible)
    assert row.absence.text() == "The model has no token 2500: its last id is 8."
    listed.field.line.setText("token 8")
    qtbot.keyClick(listed.field.line, Qt.Key.Key_Return)
    lacking, other = listed.row_widgets
    qtbot.waitUntil(lacking.absence.isVisible)
    assert not other.absence.isVisible()


def test_the_wheel_shows_tokens_that_are_out_of_sight(make_steps_page):
    page = make_steps_page(text=b"How do the lions sleep in New York? " * 8)
    page.resize(900, 500)
    page.model.to_end()
    QApplication.processEvents()
    flow = page.trace.flow
    last = max(box.element.end for box in flow.boxes)

    def is_seen(end):
        box = next(box for box in flow.boxes if box.element.end == end)
        return flow.rect().contains(box.rect.toRect())

    assert not is_seen(last)
    assert sum(turn_wheel(flow, QPoint(200, 30), -120) for _ in range(20)) > 1
    assert is_seen(last)
    assert not turn_wheel(flow, QPoint(200, 30), -120)  # the page may scroll on
    page.model.restart()
    page.model.to_end()
    assert not is_seen(last)


@pytest.mark.parametrize("mode", [0, 1])
def test_every_action_goes_to_the_right_step(make_steps_page, qtbot, mode):
    page = make_steps_page(text=b"How do lions sleep in New York? Lions sleep in New York." * 2)
    if mode == 1:
        page.begin_training("bpe:270:1")
        qtbot.waitUntil(lambda: page.is_ready and page.training.model.n_steps > 10)
    model, actions = page.training.model if mode else page.model, page.actions_
    model.breakpoints.add("step in (3, 9)")
    n_steps = model.n_steps
    way = [("restart", 0), ("step", 1), ("into", 2), ("run", 3), ("run", 9), ("reverse", 3), ("back", 2)]
    way += [("end", n_steps), ("restart", 0)]
    for name, position in way:
        actions[f"debug_{name}"].trigger()
        assert (name, model.position) == (name, position)
    actions["debug_play"].trigger()
    assert model.clock.is_playing
    actions["debug_play"].trigger()
    assert not model.clock.is_playing
    if mode == 0:
        first_steps = model.debugger.trace.pieces.first_step.tolist()
        model.go_to(first_steps[1] + 1)
        for name, position in (("over", first_steps[2]), ("back_over", first_steps[1])):
            actions[f"debug_{name}"].trigger()
            assert (name, model.position) == (name, position)
        actions["debug_out"].trigger()
        assert model.debugger.trace.operation(model.position) == "done"
    actions["debug_step"].trigger()
    actions["debug_breakpoint"].trigger()
    assert len(model.breakpoints.rows) == 2
    page.panels[0].setFocus()
    for n_rows in (1, 0):
        page.undo_steps.undo()
        assert len(model.breakpoints.rows) == n_rows
    other = page.model if mode else page.training.model
    assert other.breakpoints.rows == ()
    document = page.kept_session.document
    document.select(30, 30)
    page.model.restart()
    actions["debug_caret"].trigger()
    assert (page.model.position > 0) is (mode == 0)
    if mode == 0:
        columns = page.model.debugger.trace.columns
        assert columns.position[page.model.position] <= 30 < columns.end[page.model.position]


def test_what_is_asked_for_at_the_start_is_begun(make_steps_page, qtbot):
    page = make_steps_page("toy", b"abacb abacb")
    page.begin("", "")
    page.begin_training("")
    page.stop_at("")
    assert page.trace.isVisible()
    page.stop_at("operation merge")
    assert [row.title for row in page.model.breakpoints.rows] == ["operation merge"]
    assert page.model.position == page.model.hits[0][0]
    page.begin("greedy", "")
    assert page.model.race.encoder == "greedy"
    qtbot.waitUntil(lambda: page.is_ready)
    page.begin("", "5-why-greedy-is-not-exact:2")
    assert page.player.number == 1
    assert page.lesson_bar.isVisible()
    qtbot.waitUntil(lambda: page.is_ready)
    page.begin("", "5-why-greedy-is-not-exact:0")
    assert page.player.number == 0
    page.begin_training("bpe:260:2")
    assert page.training.isVisible()
    assert not page.is_ready
    qtbot.waitUntil(lambda: page.is_ready)
    assert page.training.model.position == 2


def test_who_opens_something_else_leaves_the_lesson(make_steps_page, qtbot):
    page = make_steps_page()
    page.player.begin("5-why-greedy-is-not-exact")
    page.kept_session.text.left.emit()
    assert page.player.lesson is None
    assert page.trace.isVisible()
    page.player.begin("5-why-greedy-is-not-exact")
    page.kept_session.loader.open("demo:toy")
    assert page.player.lesson is None
    page.player.begin("5-why-greedy-is-not-exact")
    page.modes.choose(1)
    page.kept_session.text.left.emit()
    assert page.player.lesson is not None
    assert page.training.isVisible()
    assert not page.lesson_bar.isVisible()


def test_the_wheel_with_a_key_asks_for_other_sizes(make_steps_page, monkeypatch):
    page = make_steps_page()
    asked = []
    for name in ("zoom_in", "zoom_out"):
        page.actions_[name].triggered.connect(partial(asked.append, name))
    for angle in (120, -120):
        turn_wheel(page.trace.code, QPoint(20, 20), angle, Qt.KeyboardModifier.ControlModifier)
    assert asked == ["zoom_in", "zoom_out"]


def test_the_step_size_is_synchronised_with_its_box(make_steps_page):
    page = make_steps_page()
    (box,) = page.findChildren(GranularityBox)
    sizes = [box.itemData(index) for index in range(box.count())]
    assert len(sizes) > 2
    for index, size in enumerate(sizes):
        box.setCurrentIndex(index)
        assert page.model.granularity is size
    for size in sizes:
        page.model.set_granularity(size)
        assert box.currentData() is size
    tips = {button.text(): button.toolTip() for button in page.trace.findChildren(QToolButton)}
    assert "(F10)" in tips["step ▷"]
    assert "(Shift+F5)" in tips["◀ run"]


def test_playing_pauses_while_the_steps_are_hidden(make_steps_page, qtbot):
    page = make_steps_page()
    page.model.restart()
    page.model.play()
    page.modes.choose(1)
    assert not page.model.clock.is_playing
    page.kept_session.text.show(b"another text")
    qtbot.wait(50)
    assert page.model.debugger is None
    page.modes.choose(0)
    qtbot.waitUntil(lambda: page.is_ready)
    assert page.model.debugger.trace.text == b"another text"
    assert page.trace.number.text().endswith(f"step {page.model.position} of {page.model.n_steps}")


def test_a_recording_shows_its_progress_and_can_be_restarted(make_steps_page, qtbot, monkeypatch):
    page = make_steps_page(text=b"lions " * 40_000)
    panel, recording = page.trace.recording, page.model.recording
    document, loader = page.kept_session.document, page.kept_session.loader
    buttons = panel.cancel, panel.part, panel.selection, panel.everything

    def shown():
        return [button.isVisible() for button in buttons]

    page.model.show(None)
    qtbot.waitUntil(lambda: not page.trace.timeline.isVisible())
    assert panel.isVisible()
    recording.changed.emit()
    assert panel.message.text() == "Preparing …"
    assert shown() == [False] * 4
    assert not panel.bar.isVisible()
    with monkeypatch.context() as patch:
        patch.setattr(Recording, "is_busy", True)
        patch.setattr(Recording, "progress", 0.25)
        recording.changed.emit()
        assert shown() == [True, False, False, False]
        assert panel.bar.isVisible()
        assert panel.bar.value() == 0.25 * panel.bar.maximum()
        assert "25" in panel.message.text()
    qtbot.mouseClick(panel.cancel, LEFT)
    assert panel.message.text() == recording.failure == "Recording was cancelled."
    assert shown() == [False, True, True, True]
    assert not panel.selection.isEnabled()
    document.select(60_000, 60_600)
    assert panel.selection.isEnabled()
    begun = []
    monkeypatch.setattr(Recording, "_record", lambda recording, *part: begun.append(part))
    for button in buttons[1:]:
        qtbot.mouseClick(button, LEFT)
    assert begun == [(60_000, 60_600), (60_000, 60_600), (0, 240_000)]
    begun.clear()
    page.trace.recording.everything.click()
    assert begun == [(0, 240_000)]
    recording.failure = ""
    monkeypatch.setattr(type(page.kept_session), "tokenizer", None)
    loader.loading_changed.emit()
    assert panel.message.text().startswith("Open a model")
    recording.failure = "No."
    document.select_all()
    document.insert(b"lions")
    recording.failure = "No."
    recording.changed.emit()
    assert shown() == [False, False, False, True]


def assert_repainted(page, when):
    """That what is on the screen is what all parts would paint now."""
    window = page.window()
    if focus := QApplication.focusWidget():
        focus.clearFocus()  # carets blink
    process_events()
    seen = window.screen().grabWindow(window.winId()).toImage()
    assert seen == window.grab().toImage().convertToFormat(seen.format()), when


@pytest.mark.parametrize("name", ["heap", "scan", "backtrack", "unigram"])
def test_every_change_is_seen_at_once(make_steps_page, qtbot, name):
    page = make_steps_page(
        "unigram" if name == "unigram" else "toy", b"abacb abacb", None if name == "unigram" else name
    )
    page.window().resize(1280, 1000)
    model, trace = page.model, page.trace
    flow, breakpoints = trace.flow, model.breakpoints
    for position in range(model.n_steps + 1):
        model.go_to(position)
        assert_repainted(page, position)
    model.go_to(3)
    changes = {
        "byte": lambda: breakpoints.add("byte 0"),
        "operation": lambda: breakpoints.add("operation done"),
        "off": lambda: breakpoints.enable(0, False),
        "logs": lambda: breakpoints.add("step > 1 log {step}"),
        "run": lambda: model.run(),
        "notes": lambda: model.forget_notes(),
        "removed": lambda: breakpoints.remove(0),
        "watch": lambda: model.add_watch("step"),
        "larger": lambda: page.set_text_size(20),
        "race": lambda: model.race.choose(model.race.encoders[0]),
        "raced": lambda: qtbot.waitUntil(lambda: page.is_ready),
        "back": lambda: model.back(),
        "text": lambda: (
            page.kept_session.text.show(b"acb " * 200),
            qtbot.waitUntil(lambda: page.is_ready),
        ),
        "end": lambda: model.to_end(),
        "wheel": lambda: turn_wheel(flow, QPoint(200, 30), -120),
        "nothing": lambda: (
            model.show(None),
            qtbot.waitUntil(trace.recording.isVisible),
        ),
    }
    for when, change in changes.items():
        change()
        assert_repainted(page, when)


def test_text_and_encoder_change_while_the_old_steps_are_shown(make_steps_page, qtbot):
    page = make_steps_page("bpe", b"lions")
    session, editor, encoder = page.kept_session, page.input.editor, page.input.encoder
    assert "byte-level BPE" in page.input.model.accessibleName()
    names = [encoder.itemText(index) for index in range(encoder.count())]
    assert encoder.currentText() == "heap"
    assert "fast" not in names
    session.document.set_caret(5)
    qtbot.keyClicks(editor, " do")
    assert session.document.text() == b"lions do"
    assert page.model.debugger is None
    assert page.trace.flow.isVisible()
    qtbot.waitUntil(lambda: page.model.debugger is not None)
    assert page.model.debugger.trace.text == b"lions do"
    encoder.setCurrentIndex(names.index("greedy"))
    qtbot.waitUntil(lambda: page.model.debugger is not None and page.model.debugger.trace.encoder == "greedy")
    encoder.setCurrentIndex(names.index("heap"))
    assert session.options.encoder is None
    chosen = []
    page.actions_["choose_model"].triggered.connect(lambda: chosen.append(1))
    qtbot.mouseClick(page.input.model, LEFT)
    assert chosen == [1]
