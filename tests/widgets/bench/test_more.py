"""The panel behind "More": every list in sight, and what each thing in it adds."""

from __future__ import annotations

import pytest
from fitting import unreadable
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel

from guiapp.core.bench.scenarios import SCENARIOS
from guiapp.viewmodels.bench.choice import AIMS, CODE, ENGLISH, THROUGHPUT
from guiapp.viewmodels.bench.custom import CustomContenders
from guiapp.viewmodels.bench.entrants import Entrant
from guiapp.viewmodels.bench.forecast import duration_text
from guiapp.viewmodels.bench.model import BenchModel
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.settings import Settings
from guiapp.viewmodels.text_session import TextSession
from guiapp.widgets.bench.contender_look import look_of
from guiapp.widgets.bench.custom_dialog import CustomDialog
from guiapp.widgets.bench.more import LimitsCard, MorePanel
from guiapp.widgets.bench.text_button import size_of
from guiapp.widgets.shared.plain_tip import plain_tip
from guiapp.widgets.shared.popover import Explanation
from guiapp.widgets.shared.theme import DARK

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(qtbot, model, theme_source):
    panel = MorePanel(model, theme_source)
    qtbot.addWidget(panel)
    panel.resize(panel.width(), 690)
    panel.show()
    choice = model.choice
    qtbot.waitUntil(lambda: None not in map(choice.size_of, choice.known_texts))
    settle(qtbot, panel)
    return panel


def settle(qtbot, panel: MorePanel) -> None:
    qtbot.waitUntil(lambda: not panel._counting.isActive())


def test_all_words_can_be_read_in_a_window_of_any_size(open_page, model, qtbot):
    qtbot.mouseClick(open_page.footer.more_button, LEFT)
    choice = model.choice
    qtbot.waitUntil(lambda: None not in map(choice.size_of, choice.known_texts))
    settle(qtbot, open_page.more)
    assert unreadable(open_page) == []


def test_all_that_can_be_chosen_is_listed_with_what_it_adds(panel, model):
    choice = model.choice
    assert list(panel.contenders.boxes) == [each.name for each in choice.entrants]
    assert list(panel.scenarios.boxes) == list(SCENARIOS)
    assert list(panel.texts.boxes) == list(choice.known_texts)
    for ticks, chosen in (
        (panel.contenders, choice.contenders),
        (panel.scenarios, choice.scenarios),
        (panel.texts, choice.texts),
    ):
        for name, box in ticks.boxes.items():
            assert box.isChecked() == (name in chosen)
            assert ticks._adds[name].text().startswith("+ ") == (name not in chosen)
    assert panel.time.text() == duration_text(choice.expected_s)
    assert panel.what.text() == f"{len(choice.contenders)} contenders, 1 scenario, 1 text"
    for name, row in SCENARIOS.items():
        assert (panel.scenarios.boxes[name].text(), panel.scenarios.boxes[name].toolTip()) == (
            row.label,
            row.help,
        )


def test_contenders_and_scenarios_are_in_sight_together_in_a_low_window(panel):
    for ticks in (panel.contenders, panel.scenarios, panel.texts):
        for box in ticks.boxes.values():
            assert not box.visibleRegion().isEmpty(), box.text()


def test_a_tick_changes_the_plan_keeps_the_focus_and_tells_the_new_time(qtbot, panel, model):
    panel.activateWindow()
    box, before = panel.contenders.boxes["heap"], panel.time.text()
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    qtbot.keyClick(box, Qt.Key.Key_Space)
    settle(qtbot, panel)
    assert panel.contenders.boxes["heap"] is box
    assert box.hasFocus()
    qtbot.mouseClick(panel.scenarios.boxes["worst"], LEFT, pos=QPoint(8, 8))
    qtbot.mouseClick(panel.texts.boxes[CODE], LEFT, pos=QPoint(8, 8))
    settle(qtbot, panel)
    choice = model.choice
    assert "heap" in choice.contenders
    assert (choice.scenarios, choice.texts) == ((THROUGHPUT, "worst"), (ENGLISH, CODE))
    assert panel.time.text() == duration_text(choice.expected_s) != before


def test_the_last_scenario_and_text_stay_ticked(qtbot, panel):
    for box in (panel.scenarios.boxes[THROUGHPUT], panel.texts.boxes[ENGLISH]):
        qtbot.mouseClick(box, LEFT, pos=QPoint(8, 8))
        settle(qtbot, panel)
        assert box.isChecked()


def test_boxes_show_the_markers_of_charts(panel, model, runner):
    for _ in range(2):
        for name, box in panel.contenders.boxes.items():
            mode = QIcon.Mode.Normal if box.isEnabled() else QIcon.Mode.Disabled
            image = box.icon().pixmap(12, 12, mode).toImage()
            assert image.pixelColor(image.width() // 2, image.height() // 2) == look_of(name, DARK).color
        model.run()
        panel._follow()
        assert not panel.contenders.isEnabled()


def test_who_is_not_here_is_told_with_the_way_to_get_it(qtbot, panel, model):
    choice = model.choice
    choice._peers = [Entrant("gone", "", "gone is not installed. Install it with: pip install gone")]
    choice.changed.emit()
    settle(qtbot, panel)
    assert panel.missing_button.text() == "1 more is not here: why?"
    qtbot.mouseClick(panel.missing_button, LEFT)
    (card,) = panel.findChildren(Explanation)
    assert "gone: not installed. Install it with: pip install gone" in card._label.text()
    card.close()
    choice._peers = []
    choice.changed.emit()
    settle(qtbot, panel)
    assert not panel.missing_button.isVisible()


def test_limits_are_chosen_by_keys_in_a_card(qtbot, panel, model):
    qtbot.mouseClick(panel.limits_button, LEFT)
    (card,) = panel.findChildren(LimitsCard)
    for name, box in card.boxes.items():
        assert box.currentData() == card._values[name]
        for key in (Qt.Key.Key_End, Qt.Key.Key_Home):
            qtbot.keyClick(box, key)
            assert card._values[name] == box.currentData()
    assert (model.choice.seconds_each, model.choice.plan.threads) == (5.0, (1,))
    card.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert panel.findChildren(LimitsCard) == []


def test_purposes_are_in_a_menu(qtbot, panel, model):
    menu = panel.aims_button.menu()
    menu.aboutToShow.emit()
    assert [action.text() for action in menu.actions()] == [aim.title for aim in AIMS]
    menu.actions()[1].trigger()
    settle(qtbot, panel)
    assert panel.scenarios.boxes["worst"].isChecked()
    assert all(box.isChecked() for box in panel.contenders.boxes.values())


def test_nothing_is_counted_while_nobody_looks(qtbot, panel, model):
    panel.hide()
    told = panel.time.text()
    model.choice.set_scenario("worst", True)
    assert not panel._counting.isActive()
    panel.show()
    assert panel.time.text() != told


def test_each_thing_to_tick_says_what_it_is_and_rests_while_it_is_measured(panel, model, runner):
    choice = model.choice
    for each in choice.entrants:
        box = panel.contenders.boxes[each.name]
        assert box.toolTip() == plain_tip(each.tip or each.note)
        assert box.text() == box.accessibleName() == each.name
    for name, title in choice.known_texts.items():
        box = panel.texts.boxes[name]
        assert (box.text(), box.toolTip()) == (title, f"{title}, {size_of(choice, name)}")
    lists = panel.contenders, panel.scenarios, panel.texts
    buttons = panel.aims_button, panel.limits_button, panel.own_button
    assert [part.isEnabled() for part in (*lists, *buttons)] == [True] * 6
    assert not panel.own_button.isVisible(), "nobody remembers one's own"
    assert not panel.missing_button.isVisible() or choice.missing
    model.run()
    panel._follow()
    assert [part.isEnabled() for part in (*lists, *buttons)] == [False] * 6
    titles = [label.accessibleName() for label in panel.findChildren(QLabel) if label.accessibleName()]
    assert [title for title in titles if title in ("Contenders", "Scenarios", "Texts")] == [
        "Contenders",
        "Scenarios",
        "Texts",
    ]


def test_files_and_folders_become_texts(qtbot, panel, model, monkeypatch, tmp_path):
    names = [tmp_path / "one.txt", tmp_path / "folder"]
    names[0].write_text("one")
    names[1].mkdir()
    (names[1] / "two.txt").write_text("two")
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *asked: ([str(names[0])], ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *asked: str(names[1]))
    for button, path in zip((panel.files_button, panel.folder_button), names, strict=True):
        qtbot.mouseClick(button, LEFT)
        settle(qtbot, panel)
        assert any(str(path) in text or path.name in text for text in model.choice.texts)
        assert model.choice.texts[-1] in panel.texts.boxes
        assert panel.texts.boxes[model.choice.texts[-1]].isChecked()
    before = model.choice.texts
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *asked: "")
    qtbot.mouseClick(panel.folder_button, LEFT)
    assert model.choice.texts == before
    with qtbot.waitSignal(panel.closed):
        qtbot.mouseClick(panel.close_button, LEFT)


def test_a_contender_of_ones_own_takes_part_once_it_is_written_down(qtbot, theme_source, runner, tmp_path):
    session = ModelSession(TextSession(b"text"))
    with qtbot.waitSignal(session.vocabulary_changed):
        session.loader.open("demo:bpe")
    model = BenchModel(session, runner, own=CustomContenders(Settings(tmp_path / "settings.ini")))
    panel = MorePanel(model, theme_source)
    qtbot.addWidget(panel)
    panel.show()
    for is_added in (False, True):
        qtbot.mouseClick(panel.own_button, LEFT)
        (dialog,) = panel.findChildren(CustomDialog)
        assert dialog.isVisible()
        if is_added:
            qtbot.keyClicks(dialog.target, "echo 1 2")
            qtbot.mouseClick(dialog.add_button, LEFT)
            added = dialog.chosen.name
            assert added in model.choice.contenders
        else:
            dialog.reject()
        qtbot.waitUntil(lambda: not panel.findChildren(CustomDialog))
    settle(qtbot, panel)
    assert panel.contenders.boxes[added].isChecked()
    model.close()
    session.close()
