"""Training on the Steps page with real clicks: the form, the steps, the result."""

import json

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox

import guiapp
from guiapp.kit.session.model_session import MOST_COMPARED
from guiapp.pages.steps.timeline import PlayControls
from guiapp.pages.steps.training_pictures import arrange_words, why_none
from guiapp.pages.steps.training_view import BESIDE_TIPS, FIRST_SIZES, TEXTBOOK
from guiapp.pages.steps.walk_model import TrainingWish

pytestmark = pytest.mark.slow


LEFT = Qt.MouseButton.LeftButton
TEXT = b"This is insane! This is impossible. How do lions sleep in this weather? " * 3


def trained(page, qtbot, algorithm="bpe", n_tokens=280):
    form = page.training.form
    page.modes.choose(1)
    form.choose(algorithm, n_tokens)
    qtbot.mouseClick(form.button, LEFT)
    qtbot.waitUntil(lambda: not page.training.model.is_busy)
    return page.training


def test_the_textbook_run_is_stepped_through(make_steps_page, qtbot):
    page = make_steps_page()
    page.modes.choose(1)
    form, stage = page.training.form, page.training.stage
    assert not stage.isVisible()
    form.source.setCurrentIndex(1)
    form.symbols.setCurrentIndex(1)
    assert form.own_text.isVisible()
    qtbot.mouseClick(form.button, LEFT)
    qtbot.waitUntil(lambda: not page.training.model.is_busy)
    assert stage.count.text() == "step 1 of 4"
    assert "4 times: tied with" in stage.sentence.text()
    qtbot.keyClick(page.window(), Qt.Key.Key_F10)
    assert stage.count.text() == "step 2 of 4"
    qtbot.keyClick(page.window(), Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(stage.scrubber, Qt.Key.Key_Home)
    assert "smallest symbols" in stage.sentence.text()
    page.actions_["debug_end"].trigger()
    assert stage.count.text() == "step 4 of 4"
    assert page.training.save_button.isEnabled()
    assert "the space after a word is its mark" in form.end_mark_note.text()
    assert form.end_mark_note.isVisible()
    form.symbols.setCurrentIndex(0)
    assert not form.end_mark_note.isVisible()


def test_steps_are_copied_and_saved(make_steps_page, qtbot, tmp_path, monkeypatch):
    page = make_steps_page(text=b"This is insane! This is impossible")
    page.modes.choose(1)
    assert page.shown_run() is None
    page.actions_["debug_copy"].trigger()
    page.training.form.symbols.setCurrentIndex(1)
    training = trained(page, qtbot, n_tokens=400)
    page.actions_["debug_copy"].trigger()
    assert json.loads(QApplication.clipboard().text())["index"] == 1
    path = tmp_path / "run.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *arguments: (str(path), ""))

    def press():
        buttons = QApplication.activeModalWidget().buttons()
        next(button for button in buttons if "This step" in button.text()).click()

    QTimer.singleShot(0, press)
    qtbot.mouseClick(training.steps_button, LEFT)
    qtbot.waitUntil(lambda: not page.export.saving.is_busy)
    assert (page.export.saving.failure, page.export.saving.saved) == ("", path)
    assert [row["index"] for row in json.loads(path.read_text())["steps"]] == [1]


@pytest.mark.parametrize(
    ("algorithm", "theme"), [("bpe", "dark"), ("wordpiece", "light"), ("unigram", "dark")]
)
def test_every_step_can_be_painted(make_steps_page, qtbot, algorithm, theme):
    page = make_steps_page(text=TEXT, theme=theme)
    training = trained(page, qtbot, algorithm, {"bpe": 280, "wordpiece": 40, "unigram": 30}[algorithm])
    assert training.model.n_steps > 3
    for position in range(0, training.model.n_steps + 1, 2):
        training.model.go_to(position)
        assert not page.grab().isNull()


def test_the_result_is_saved_and_becomes_the_model(make_steps_page, qtbot, tmp_path):
    page = make_steps_page(text=TEXT)
    training = trained(page, qtbot)
    assert training.save(tmp_path / "a.gguf")
    session = page.kept_session
    with qtbot.waitSignal(session.loader.model_changed):
        training.save_and_open(tmp_path / "b.gguf")
    assert session.vocabulary.name == "Trained byte-level BPE"
    assert len(guiapp.open_model(tmp_path / "a.gguf").vocabulary) == len(session.vocabulary)


def open_comparison(page, qtbot):
    """The models that are compared when the button was clicked."""
    shown = []
    page.actions_["compare"].triggered.connect(lambda: shown.append(True))
    qtbot.mouseClick(page.training.compare_button, LEFT)
    assert len(shown) == 1
    sessions = page.compared.sessions
    qtbot.waitUntil(lambda: sessions[-1].tokenizer is not None)
    return sessions


def test_the_result_is_compared_with_the_open_model(make_steps_page, qtbot):
    page = make_steps_page(text=b"typed by somebody")
    training = page.training
    training.form.source.setCurrentIndex(1)
    trained(page, qtbot, n_tokens=262)
    sessions = open_comparison(page, qtbot)
    assert [session.vocabulary.name for session in sessions][1:] == ["Trained byte-level BPE"]
    assert sessions[0].document.text() == b"typed by somebody"
    assert open_comparison(page, qtbot) is sessions
    assert len(sessions) == 2, "as it is open already"
    trained(page, qtbot, "wordpiece", 60)
    names = [session.vocabulary.name for session in open_comparison(page, qtbot)]
    assert names[1:] == ["Trained byte-level BPE", "Trained WordPiece"]


def test_a_result_is_compared_on_its_training_text_if_none_is_open(make_steps_page, qtbot):
    page = make_steps_page(text=TEXT)
    trained(page, qtbot)
    page.kept_session.text.show(b"")
    sessions = open_comparison(page, qtbot)
    assert sessions[0].document.text() == TEXT
    qtbot.waitUntil(lambda: len(sessions[1].tokens) > 0)


def test_a_result_is_not_added_to_a_full_comparison(make_steps_page, qtbot):
    page = make_steps_page(text=TEXT)
    compared, button = page.compared, page.training.compare_button
    trained(page, qtbot, n_tokens=262)
    for _ in range(MOST_COMPARED - 1):
        compared.add("demo:toy")
    assert not button.isEnabled()
    assert button.toolTip() == BESIDE_TIPS[False]
    compared.remove(compared.sessions[-1])
    assert button.isEnabled()
    open_comparison(page, qtbot)
    assert (compared.can_add, button.isEnabled(), button.toolTip()) == (False, True, BESIDE_TIPS[True])
    trained(page, qtbot, n_tokens=263)
    assert not button.isEnabled()


def test_a_size_that_cannot_be_trained_is_reported(make_steps_page, qtbot):
    page = make_steps_page(text=TEXT)
    training = trained(page, qtbot, n_tokens=5)
    assert training.form.message.isVisible()
    assert "take 257 tokens" in training.form.message.text()
    assert training.empty.isVisible()


def test_an_invalid_size_is_reported_and_the_last_result_remains(make_steps_page, qtbot):
    training = trained(make_steps_page(text=TEXT), qtbot)
    model, record = training.model, training.model.record
    for size in ("5", "", "0", "999999"):
        training.form.n_tokens.selectAll()
        qtbot.keyClicks(training.form.n_tokens, size) if size else training.form.n_tokens.clear()
        qtbot.keyClick(training.form.n_tokens, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: not model.is_busy)
        assert training.form.message.isVisible()
        assert model.record is record
        assert training.stage.isVisible()
        assert training.save_button.isEnabled()


def test_breakpoints_stop_a_training_and_come_back(make_steps_page, qtbot):
    page = make_steps_page(text=TEXT)
    training = trained(page, qtbot, "bpe", 300)
    field = training.breakpoints.field
    qtbot.keyClicks(field.line, "candidates > 3")
    qtbot.keyClick(field.line, Qt.Key.Key_Return)
    assert "no column “candidates”" in field.error.text()
    field.line.clear()
    qtbot.keyClicks(field.line, "rank 7..")
    qtbot.keyClick(field.line, Qt.Key.Key_Return)
    (row,) = training.breakpoints.row_widgets
    assert int(row.hits.text()) == training.model.n_steps - 7
    page.actions_["debug_run"].trigger()
    assert training.model.position == 8
    assert row.label.font().bold()
    page.actions_["debug_breakpoint"].trigger()
    assert len(training.model.breakpoints.rows) == 2
    assert page.model.training_breakpoints == training.model.breakpoints.rows
    assert page.model.breakpoints.rows == ()


@pytest.mark.parametrize("has_end_marks", [False, True])
@pytest.mark.parametrize(
    ("algorithm", "n_tokens"), [("bpe", 9_000), ("wordpiece", 9_000), ("unigram", 9_000)]
)
def test_message_panels_steps_and_exports_count_the_same_tokens(
    make_steps_page, qtbot, algorithm, n_tokens, has_end_marks
):
    page = make_steps_page(text=TEXT + b"low lower lowest newer new wide wider")
    page.training.form.symbols.setCurrentIndex(int(has_end_marks))
    training = trained(page, qtbot, algorithm, n_tokens)
    size = len(guiapp.open_model(training.model.model_file).vocabulary)
    page.actions_["debug_end"].trigger()
    assert training.form.message.text().startswith(f"{size:,} tokens instead of")
    page.actions_["debug_copy"].trigger()
    assert json.loads(QApplication.clipboard().text())["size"] == size
    assert page.shown_run().record(training.model.n_steps)["size"] == size
    qtbot.keyClicks(training.breakpoints.field.line, f"size == {size} once")
    qtbot.keyClick(training.breakpoints.field.line, Qt.Key.Key_Return)
    (row,) = training.breakpoints.row_widgets
    assert int(row.hits.text()) >= 1
    assert len(guiapp.open_model(training.model.model_file).vocabulary) == size


def test_a_training_that_ends_early_is_reported_next_to_the_size(make_steps_page, qtbot):
    page = make_steps_page(text=TEXT)
    training = trained(page, qtbot, n_tokens=100_000)
    message = training.form.message
    assert message.isVisible()
    assert "tokens instead of 100,000: no pair occurs twice." in message.text()
    trained(page, qtbot, n_tokens=270)
    assert not message.isVisible()


def test_without_a_pair_to_merge_the_reason_is_reported(make_steps_page, qtbot):
    training = trained(make_steps_page(text=b"abc"), qtbot, n_tokens=257)
    assert "choose more tokens" in why_none(training.model)
    training = trained(make_steps_page(text=b"abc"), qtbot, n_tokens=300)
    assert "No pair occurs twice" in why_none(training.model)
    assert training.form.message.text().startswith("257 tokens instead of 300")
    assert not training.grab().isNull()


def test_the_play_button_is_labelled_with_its_action(make_steps_page, qtbot):
    page = make_steps_page(encoder="heap")
    (controls,) = page.trace.findChildren(PlayControls)
    page.model.restart()
    for word in ("play", "pause", "play"):
        assert controls.button.text() == word
        controls.button.click()
    controls.button.click()
    for index in range(controls.speed.count()):
        controls.speed.setCurrentIndex(index)
        assert page.model.clock.speed == controls.speed.itemData(index)


def test_the_form_starts_and_stops_the_training_it_describes(make_steps_page, qtbot):
    page = make_steps_page(text=TEXT)
    page.modes.choose(1)
    form, model = page.training.form, page.training.model
    for name, size in FIRST_SIZES.items():
        form.algorithm.setCurrentIndex(form.algorithm.findData(name))
        assert form.n_tokens.text() == str(size)
        assert form.symbols.isVisible() is (name == "bpe")
        form.symbols.setCurrentIndex(1)
        assert form.wish == TrainingWish(name, TEXT, size, name == "bpe")
        assert form.end_mark_note.isVisible() is (name == "bpe")
        form.symbols.setCurrentIndex(0)
    form.n_tokens.clear()
    assert form.wish.n_tokens == 0
    form.source.setCurrentIndex(1)
    assert form.wish.text == form.own_text.toPlainText().encode() == TEXTBOOK.encode()
    form.own_text.setPlainText("abc")
    assert form.wish.text == b"abc"
    form.source.setCurrentIndex(0)
    assert not form.own_text.isVisible()
    page.kept_session.text.show(TEXT * 100)
    assert form.button.text() == "Train"
    form.choose("unigram", 100)
    qtbot.keyClick(form.n_tokens, Qt.Key.Key_Return)
    assert model.is_busy
    assert form.button.text() == "Stop"
    assert not page.is_ready
    qtbot.mouseClick(form.button, LEFT)
    assert not model.is_busy
    assert "cancelled" in form.message.text()


def test_the_result_is_saved_where_people_choose(make_steps_page, qtbot, tmp_path, monkeypatch):
    page = make_steps_page(text=TEXT)
    training = page.training
    page.modes.choose(1)
    made = training.compare_button, training.save_button, training.open_button
    assert [button.isVisible() for button in (*made, training.steps_button)] == [False] * 4
    trained(page, qtbot)
    assert [button.isVisible() and button.isEnabled() for button in (*made, training.steps_button)] == [
        True
    ] * 4
    answers = ["", str(tmp_path / "no" / "a.gguf"), str(tmp_path / "a.gguf")]
    warned = []
    monkeypatch.setattr(QMessageBox, "warning", lambda *box_arguments: warned.append(box_arguments[-1]))
    for button in (training.save_button, training.open_button):
        for answer in answers:
            monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *asked, answer=answer: (answer, ""))
            warned.clear()
            qtbot.mouseClick(button, LEFT)
            assert bool(warned) is ("no" in answer)
            assert (tmp_path / "a.gguf").exists() is (answer == answers[2])
        (tmp_path / "a.gguf").rename(tmp_path / "b.gguf")
    assert page.kept_session.loader.loading_name is not None


def test_steps_of_another_choice_or_text_are_dimmed_and_arrow_keys_step_at_once(make_steps_page, qtbot):
    page = make_steps_page(text=TEXT)
    page.modes.choose(1)
    form, training = page.training.form, page.training
    form.choose("bpe", 280)
    form.button.setFocus()
    qtbot.mouseClick(form.button, LEFT)
    qtbot.waitUntil(lambda: training.model.record is not None and not training.model.is_busy)
    position = training.model.position
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Right)
    assert training.model.position == position + 1
    assert not training.stale.isVisible()
    form.algorithm.setCurrentIndex(2)
    assert training.stale.isVisible()
    assert training.stage.words.is_dimmed
    form.choose("bpe", 280)
    assert not training.stale.isVisible()
    page.kept_session.document.set_text(b"another text")
    assert training.stale.isVisible()


def test_words_do_not_move_between_steps(make_steps_page, qtbot):
    training = trained(make_steps_page(text=TEXT), qtbot)
    record = training.model.record
    starts = set()
    for position in range(record.n_steps + 1):
        boxes = iter(arrange_words(record, position, 500.0))
        places = []
        for cut, count, _ in record.words(position):
            symbols = [next(boxes) for _ in range(len(cut) + (count > 1))]
            places.append(symbols[0].rect.topLeft().toTuple())
        starts.add(tuple(places))
    assert len(starts) == 1
