"""The panel behind "More": every list in sight, and what each thing in it adds."""

from __future__ import annotations

import pytest
from fitting import unreadable
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from guiapp.analysis.bench.plan import SCENARIOS
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.state.settings import Settings
from guiapp.pages.bench.choice import (
    AIMS,
    CODE,
    ENGLISH,
    THROUGHPUT,
    BenchCandidate,
    CustomContenders,
    duration_text,
)
from guiapp.pages.bench.model import BenchModel
from guiapp.pages.bench.more import CustomDialog, LimitsCard, MissingCard, MorePanel

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(qtbot, model, theme_source):
    panel = MorePanel(model, theme_source)
    qtbot.addWidget(panel)
    panel.resize(panel.width(), 690)
    panel.show()
    choice = model.choice
    qtbot.waitUntil(lambda: None not in map(choice.size_of, choice.known_texts))
    wait_until_counted(qtbot)
    return panel


def wait_until_counted(qtbot) -> None:
    qtbot.wait(1)  # it counts when there is nothing else to do


def test_all_words_can_be_read_in_a_window_of_any_size(open_page, model, qtbot):
    qtbot.mouseClick(open_page.footer.more_button, LEFT)
    choice = model.choice
    qtbot.waitUntil(lambda: None not in map(choice.size_of, choice.known_texts))
    wait_until_counted(qtbot)
    assert unreadable(open_page) == []


def test_all_that_can_be_chosen_is_listed_and_rests_while_it_is_measured(panel, model, qtbot):
    choice = model.choice
    lists = {
        panel.contenders: choice.contenders,
        panel.scenarios: choice.scenarios,
        panel.texts: choice.texts,
    }
    everything = [each.name for each in choice.candidates], list(SCENARIOS), list(choice.known_texts)
    for (ticks, chosen), names in zip(lists.items(), everything, strict=True):
        assert {name: box.isChecked() for name, box in ticks.boxes.items()} == {
            name: name in chosen for name in names
        }
    assert panel.time.text() == duration_text(choice.expected_s)
    model.run()
    wait_until_counted(qtbot)
    assert not any(part.isEnabled() for part in (*lists, panel.aims_button, panel.limits_button))


def test_ticking_a_box_updates_the_plan_and_its_expected_time(qtbot, panel, model):
    panel.activateWindow()
    box, before = panel.contenders.boxes["heap"], panel.time.text()
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    qtbot.keyClick(box, Qt.Key.Key_Space)
    wait_until_counted(qtbot)
    assert panel.contenders.boxes["heap"] is box
    assert box.hasFocus()
    qtbot.mouseClick(panel.scenarios.boxes["worst"], LEFT, pos=QPoint(8, 8))
    qtbot.mouseClick(panel.texts.boxes[CODE], LEFT, pos=QPoint(8, 8))
    wait_until_counted(qtbot)
    choice = model.choice
    assert "heap" in choice.contenders
    assert (choice.scenarios, choice.texts) == ((THROUGHPUT, "worst"), (ENGLISH, CODE))
    assert panel.time.text() == duration_text(choice.expected_s) != before


def test_unavailable_libraries_are_listed_with_an_install_command(qtbot, panel, model):
    choice = model.choice
    choice.libraries = [
        BenchCandidate("gone", "", "gone is not installed. Install it with: pip install gone"),
        BenchCandidate("more", "", "more is not installed. Install it with: pip install more"),
        BenchCandidate("other", "", "other takes SPM only."),
    ]
    choice.changed.emit()
    wait_until_counted(qtbot)
    assert panel.missing_button.text() == "3 more not available: why?"
    qtbot.mouseClick(panel.missing_button, LEFT)
    (card,) = panel.findChildren(MissingCard)
    assert card.reasons.text() == "Not installed: gone, more.\nother takes SPM only."
    qtbot.mouseClick(card.copy_button, LEFT)
    assert QGuiApplication.clipboard().text().endswith(" -m pip install gone more")
    qtbot.mouseClick(card.again_button, LEFT)
    assert "gone" not in [each.name for each in choice.missing], "what is there now was found"
    card.close()
    choice.libraries = []
    choice.changed.emit()
    wait_until_counted(qtbot)
    assert not panel.missing_button.isVisible()


def test_limits_are_chosen_by_keys_in_a_card(qtbot, panel, model):
    def limit(name: str) -> object:
        choice = model.choice
        return getattr(choice.limits, name)

    qtbot.mouseClick(panel.limits_button, LEFT)
    (card,) = panel.findChildren(LimitsCard)
    for name, box in card.boxes.items():
        assert box.currentData() == limit(name)
        for key in (Qt.Key.Key_End, Qt.Key.Key_Home):
            qtbot.keyClick(box, key)
            assert limit(name) == box.currentData()
    assert (model.choice.limits.time_budget_s, model.choice.plan.threads) == (5.0, (1,))
    card.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert panel.findChildren(LimitsCard) == []


def test_purposes_are_in_a_menu(qtbot, panel, model):
    menu = panel.aims_button.menu()
    menu.aboutToShow.emit()
    assert [action.text() for action in menu.actions()] == [aim.title for aim in AIMS]
    menu.actions()[1].trigger()
    wait_until_counted(qtbot)
    assert panel.scenarios.boxes["worst"].isChecked()
    assert all(box.isChecked() for box in panel.contenders.boxes.values())


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
    wait_until_counted(qtbot)
    assert panel.contenders.boxes[added].isChecked()
    model.close()
    session.close()
