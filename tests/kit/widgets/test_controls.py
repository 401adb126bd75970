"""Controls that several pages share: what a click, a key and the wheel do, and what is seen then."""

from pathlib import Path

import pytest
from fake_tokenizer import FakeTokenizer
from hands import turn_wheel
from PySide6.QtCore import QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QImage, QKeySequence, QTextDocument
from PySide6.QtWidgets import QFrame, QMainWindow, QPushButton, QToolButton, QWidget

from guiapp.kit.session.choice import Choice
from guiapp.kit.session.loader import ModelLoader
from guiapp.kit.spans.token_menu import copy_action
from guiapp.kit.widgets.choice_list import ChoiceList
from guiapp.kit.widgets.controls import ChoiceBox, Explanation, SegmentedTabs
from guiapp.kit.widgets.event_filters import TextZoom, plain_tip
from guiapp.kit.widgets.menu_button import SavingBar
from guiapp.kit.widgets.painting import ImageError, image_bytes, save_image
from guiapp.kit.widgets.theme import DARK, LIGHT, ThemeSource
from guiapp.window.model_picker import ModelButton

LEFT, Key = Qt.MouseButton.LeftButton, Qt.Key
CHOICES = [
    Choice("near", "one", "Uno", "first of all"),
    Choice("near", "two", "Due", "second", is_there=False),
    Choice("far", "three", "Tre", "third of all", is_current=True),
]


@pytest.fixture
def choices(theme_source, show):
    made = ChoiceList("Things", theme_source)
    made.rows.setFixedSize(QSize(300, 250))
    made.show_choices(CHOICES)
    return show(made)


@pytest.fixture
def chosen(choices):
    names = []
    choices.chosen.connect(names.append)
    return names


def rows(choices):
    model = choices.rows.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def click_row(qtbot, choices, row):
    place = choices.rows.visualRect(choices.rows.model().index(row, 0)).center()
    qtbot.mouseClick(choices.rows.viewport(), LEFT, pos=place)


def test_choices_stand_under_their_sections_and_typing_leaves_those_that_fit(choices, chosen, qtbot):
    assert rows(choices) == ["NEAR", "Uno", "Due", "FAR", "Tre"]
    qtbot.keyClicks(choices.filter, "of all")
    assert rows(choices) == ["NEAR", "Uno", "FAR", "Tre"]
    choices.filter.setText("third")
    qtbot.keyClick(choices.filter, Key.Key_Return)
    assert chosen == ["three"]


def test_arrows_and_enter_choose_without_leaving_the_line(choices, chosen, qtbot):
    choices.setFocus()
    assert choices.focusProxy() is choices.filter
    for key in (Key.Key_Down, Key.Key_Return, Key.Key_Up, Key.Key_Return, Key.Key_X, Key.Key_Return):
        qtbot.keyClick(choices.filter, key)
    assert chosen == ["three", "one"]  # nothing fits “x”
    assert choices.filter.text() == "x"


@pytest.mark.parametrize(("row", "names"), [(1, ["one"]), (2, []), (0, []), (4, ["three"])])
def test_a_click_chooses_what_is_there(choices, chosen, qtbot, row, names):
    click_row(qtbot, choices, row)
    assert chosen == names


def test_the_keys_of_a_list_move_in_it_from_the_line(choices, chosen, qtbot):
    choices.show_choices([Choice("", str(number), f"{number} " * 90, "") for number in range(50)])
    for key in (Key.Key_PageDown, Key.Key_Return, Key.Key_PageUp, Key.Key_Return):
        qtbot.keyClick(choices.filter, key)
    assert (int(chosen[0]) > 2, chosen[1]) == (True, "0")
    assert choices.filter.accessibleName() == choices.filter.placeholderText() == "Filter things"


def test_what_is_renewed_keeps_the_row_and_the_place(choices):
    many = [Choice("", str(number), f"Title {number}", "") for number in range(50)]
    choices.show_choices(many)
    choices.rows.setCurrentIndex(choices.rows.model().index(30, 0))
    scrolled = choices.rows.verticalScrollBar().value()
    assert scrolled > 0
    choices.renew_choices([Choice("", "new", "New", ""), *many])
    assert choices.rows.currentIndex().data() == "Title 30"
    assert choices.rows.verticalScrollBar().value() == scrolled
    choices.show_choices(many)
    assert choices.rows.verticalScrollBar().value() == 0


def test_choosing_a_segment_is_emitted_once(show, qtbot):
    segments = show(SegmentedTabs(("First", "Second", "Third")))
    seen = []
    segments.chosen.connect(seen.append)
    buttons = segments.findChildren(QToolButton)
    assert [button.text() for button in buttons if button.isChecked()] == ["First"]
    qtbot.mouseClick(buttons[2], LEFT)
    segments.choose(1)
    segments.choose(1)
    assert seen == [2, 1]
    assert [button.isChecked() for button in buttons] == [False, True, False]


def test_a_button_of_an_explanation_acts_and_closes_it(show, qtbot):
    window, done, action = show(QMainWindow(), 600, 300), [], QAction("Do it")
    button = QPushButton("i", window)
    action.triggered.connect(lambda: done.append(1))
    seen = Explanation("Title", "Words " * 40, window, [action])
    seen.open_under(button)
    assert seen.isVisible()
    with qtbot.waitSignal(seen.destroyed):
        qtbot.mouseClick(seen.buttons[0], LEFT)
        assert (done, seen.isVisible()) == ([1], False)


class FakeSaving(QObject):
    changed = Signal()
    is_busy, progress, saved, failure = False, 0.0, None, ""

    def __init__(self):
        super().__init__()
        self.asked = []

    def cancel(self):
        self.asked.append("cancel")

    def dismiss(self):
        self.asked.append("dismiss")

    def be(self, **state):
        vars(self).update({"is_busy": False, "progress": 0.0, "saved": None, "failure": ""} | state)
        self.changed.emit()


def test_the_line_about_saving_shows_how_it_goes_and_went(theme_source, show, qtbot):
    saving = FakeSaving()
    bar = SavingBar(saving, theme_source)
    assert bar.isHidden()
    show(bar).hide()
    for state, shown in (
        ({"is_busy": True, "progress": 0.25}, ("Saving: 25 %", True, "Cancel", DARK.text)),
        ({"failure": "No room."}, ("No room.", False, "Dismiss", DARK.bad)),
    ):
        saving.be(**state)
        text, is_moving, button, color = shown
        assert bar.isVisible()
        assert (bar.message.text().replace("\u202f", " ").replace("\xa0", " "), bar.button.text()) == (
            text,
            button,
        )
        assert (bar.bar.isVisible(), bar.bar.value()) == (is_moving, 250 if is_moving else 0)
        assert color.name() in bar.message.styleSheet()
        qtbot.mouseClick(bar.button, LEFT)
    assert saving.asked == ["cancel", "dismiss"]
    theme_source.choose("light")
    assert LIGHT.bad.name() in bar.message.styleSheet()
    saving.be(saved=Path("tree.png"))
    assert bar.isHidden()
    assert any("tree.png" in each.accessibleName() for each in bar.findChildren(QFrame))


def test_copying_acts_where_its_panel_has_the_focus(show, qtbot):
    both = show(QWidget())
    panel, other = QPushButton("panel", both), QPushButton("other", both)
    done = []
    panel.addAction(copy_action(panel, "Copy", lambda: done.append(1), QKeySequence.StandardKey.Copy))
    for button in (other, panel):
        button.show()
        button.setFocus()
        qtbot.waitUntil(button.hasFocus)
        qtbot.keyClick(button, Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert done == [1]
    assert panel.actions()[0].text() == "Copy"


def test_the_wheel_zooms_while_ctrl_is_held(show):
    zoom, widget, steps = TextZoom(), show(QWidget()), []
    zoom.stepped.connect(steps.append)
    zoom.watch(widget)
    assert not turn_wheel(widget, QPoint(5, 5), 120), "it scrolls"
    for angle in (120, -120, 0):
        assert turn_wheel(widget, QPoint(5, 5), angle, Qt.KeyboardModifier.ControlModifier)
    assert steps == [1, -1]


def test_a_drop_down_emits_only_changes_by_the_user(show, qtbot):
    box = show(ChoiceBox("Speed", {"slow": 1, "fast": 2}, "How fast"))
    seen = []
    box.currentIndexChanged.connect(seen.append)
    box.show_choice(2)
    assert (box.currentText(), seen, box.accessibleName(), box.toolTip()) == ("fast", [], "Speed", "How fast")
    qtbot.keyClick(box, Key.Key_Up)
    assert (box.currentData(), seen) == (1, [0])


def test_images_are_saved_or_refused_with_an_error(tmp_path):
    image = QImage(3, 2, QImage.Format.Format_RGB32)
    image.fill(DARK.accent)
    path = tmp_path / "picture.PNG"
    save_image(image, path)
    assert QImage(str(path)).pixelColor(1, 1) == DARK.accent
    with pytest.raises(ImageError, match="picture format"):
        image_bytes(image, tmp_path / "picture.xyz")
    with pytest.raises(ImageError, match="cannot be written"):
        save_image(image, tmp_path / "nowhere" / "picture.png")


@pytest.mark.parametrize("text", ["<b>bold</b> & so on", '<img src="x">', "a  <\n b>"])
def test_all_of_a_text_is_seen(qapp, text):
    shown = QTextDocument()
    shown.setHtml(plain_tip(text))
    assert shown.toPlainText() == text


def test_a_text_that_cannot_be_html_is_unchanged(qapp):
    assert plain_tip("R&D, 3 > 2") == "R&D, 3 > 2"


def test_the_name_in_a_model_file_is_no_html(qtbot, qapp):
    loader = ModelLoader(lambda *asked: FakeTokenizer("<h1>name</h1>"))
    button = ModelButton(loader, ThemeSource(qapp, "dark"))
    qtbot.addWidget(button)
    with qtbot.waitSignal(loader.model_changed):
        loader.open("model.gguf")
    assert "&lt;h1&gt;" in button.toolTip()


HIGHEST = [0.0, 0.02, 1, 2, 9, 10, 94, 1_258, 280_146]
