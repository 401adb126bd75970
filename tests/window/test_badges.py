"""The badge of exactness: what it says at each width, its state, and the remedies it offers."""

from types import SimpleNamespace

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLabel

from guiapp.analysis.doctor.findings import ERROR
from guiapp.core.encode.exactness import REFUSED
from guiapp.kit.widgets.controls import Explanation
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.window.top_bar import MOST_REMARKS, ExactnessBadge

WIDE, MIDDLE, NARROW = 1440, 1439, 1199


class FakeSession(QObject):
    vocabulary_changed, options_changed = Signal(), Signal()

    def __init__(self, check):
        super().__init__()
        self.exactness = self.tokenizer = self.vocabulary = None
        self.encoder_check = check

    def open(self, level, warnings=(), readings=()):
        self.exactness = SimpleNamespace(level=level, reason="The reason.")
        self.vocabulary = SimpleNamespace(warnings=warnings, parts=SimpleNamespace(readings=readings))
        self.tokenizer = SimpleNamespace(vocabulary=self.vocabulary, exactness=self.exactness)
        self.vocabulary_changed.emit()


class FakeCheck(QObject):
    changed = Signal()
    result = None

    def agree(self, share):
        self.result = None if share is None else SimpleNamespace(share=share)
        self.changed.emit()


class FakeDoctor(QObject):
    changed = Signal()
    worst, is_of_open_model = (), True

    def find(self, severity, count):
        self.worst = [SimpleNamespace(severity=severity, what="What is wrong.")] * count
        self.changed.emit()


@pytest.fixture
def parts(qapp, qtbot):
    check, doctor = FakeCheck(), FakeDoctor()
    session = FakeSession(check)
    actions = [QAction(name, session) for name in ("next inexact", "choose pre", "show doctor")]
    badge = ExactnessBadge(session, doctor, ThemeSource(qapp, "dark"), *actions)
    qtbot.addWidget(badge)
    return SimpleNamespace(badge=badge, session=session, check=check, doctor=doctor, actions=actions)


def said(parts):
    texts = []
    for width in (WIDE, MIDDLE, NARROW, WIDE):
        parts.badge.set_room(width)
        texts.append(parts.badge.text().replace("\u202f", " ").replace("\xa0", " "))
    assert texts[3] == texts[0]
    return texts[:3]


def test_it_says_less_in_less_room(parts):
    assert parts.badge.isHidden()
    parts.session.open("exact")
    assert not parts.badge.isHidden()
    assert said(parts) == ["exact"] * 3
    parts.doctor.find(ERROR, 2)
    assert said(parts) == ["exact · 2 errors", "2 errors", "error"]
    parts.session.open("approximate")
    parts.check.agree(0.975)
    assert said(parts) == ["approximate 97.5 % · 2 errors", "2 errors · 97.5 %", "error"]
    parts.doctor.find("warning", 1)
    assert said(parts)[0] == "approximate 97.5 % · 1 warning"
    parts.doctor.find("", 0)
    assert said(parts) == ["approximate 97.5 %"] * 2 + ["97.5 %"]
    parts.check.agree(None)
    assert said(parts) == ["approximate"] * 3
    assert parts.badge.accessibleName() == "Exactness: approximate"


def test_its_state_is_that_of_the_level_unless_the_file_has_errors_or_warnings(parts):
    states = {"exact": "good", "approximate": "warning", "unknown pre": "warning", REFUSED: "warning"}
    for level, state in states.items():
        parts.session.open(level)
        assert parts.badge.property("state") == state
    for level in states:
        parts.session.open(level)
        for severity, state in (("warning", "warning"), (ERROR, "bad")):
            parts.doctor.find(severity, 1)
            assert parts.badge.property("state") == state
            assert severity in parts.badge.accessibleName()
            assert parts.badge.accessibleDescription().endswith(f"1 {severity} in the file. What is wrong.")
        parts.doctor.find("", 0)
        assert parts.badge.property("state") == states[level]


def test_the_reason_has_the_first_remarks_about_the_file(parts):
    remarks = tuple(f"Remark {number}." for number in range(MOST_REMARKS + 2))
    parts.session.open("exact", remarks)
    told = "\n\n".join(("The reason.", *remarks[:MOST_REMARKS]))
    assert parts.badge.accessibleDescription() == told


def test_remedies_are_those_that_may_help(parts):
    inexact, pre, doctor = parts.actions
    offered = parts.badge.remedies
    assert offered() == [inexact, doctor]
    for level, readings, offers_pre in (
        ("exact", (), False),
        ("exact", ("two",), True),
        ("unknown pre", (), True),
        ("approximate", (), True),
        (REFUSED, (), False),
    ):
        parts.session.open(level, readings=readings)
        assert (pre in offered()) is offers_pre
    parts.session.vocabulary.parts = None
    assert offered() == [inexact, doctor]
    parts.doctor.is_of_open_model = False
    assert offered() == [inexact]
    inexact.setEnabled(False)
    assert offered() == []


def test_the_explanation_follows_while_it_is_open(parts, qtbot):
    parts.session.open("approximate")
    parts.badge.show()
    qtbot.mouseClick(parts.badge, Qt.MouseButton.LeftButton)
    card = QApplication.activePopupWidget()
    assert isinstance(card, Explanation)
    assert [button.text() for button in card.buttons] == ["next inexact", "choose pre", "show doctor"]
    parts.actions[0].setEnabled(False)
    parts.doctor.find(ERROR, 3)
    assert [button.text() for button in card.buttons] == ["choose pre", "show doctor"]
    assert any("The doctor found 3 errors" in label.text() for label in card.findChildren(QLabel))
    card.close()
