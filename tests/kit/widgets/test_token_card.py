"""The detail column."""

from __future__ import annotations

import pytest
from hands import turn_wheel
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea
from toy_source import ToySource
from toy_vocabulary import toy_vocabulary

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import VocabType
from guiapp.kit.session.token_details import FACTS, TokenDetailsModel
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.labels import StyledText
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.kit.widgets.token_card import BUILDING, EMPTY_TEXT, FactTable, MergeTreeView, TokenCard

HOSTILE = "<h1>x</h1>&amp;\u202eשלום\x00\n"
HUGE = "z" * 10_000
TOKENS = dict.fromkeys(["Ġ", "Y", "o", "ĠY", "ĠYo", "ĠYoY"], 0.0) | {
    HOSTILE: Attribute.USER_DEFINED,
    HUGE: 0.0,
    "<s>": Attribute.CONTROL,
}


@pytest.fixture
def source():
    vocabulary = toy_vocabulary(TOKENS, VocabType.BPE, ["Ġ Y", "ĠY o"])
    return ToySource(vocabulary, [4, 6, 7, 8])


@pytest.fixture
def details(source):
    model = TokenDetailsModel(source)
    yield model
    model.close()


@pytest.fixture
def select(source, details, qtbot):
    """A function that selects a token and waits until all is said about it."""

    def select(index: int) -> None:
        with qtbot.waitSignal(details.details_changed):
            source.select_token(index)

    return select


@pytest.fixture
def card(details, qtbot):
    zoom = TextZoom()
    widget = TokenCard(details, ThemeSource(QApplication.instance(), "light"), zoom)
    widget.zoom = zoom
    qtbot.addWidget(widget)
    widget.resize(320, 700)
    widget.show()
    qtbot.waitUntil(lambda: details.explainer is not None)
    return widget


def texts(card) -> dict[str, str]:
    return {
        part.accessibleName(): part.toPlainText()
        for part in card.findChildren(StyledText)
        if part.isVisible()
    }


def labels(card) -> list[str]:
    return [label.text() for label in card.findChildren(QLabel) if label.isVisible()]


def test_without_a_token_a_hint_is_shown(card):
    assert labels(card) == ["TOKEN", EMPTY_TEXT]


def test_it_shows_the_selected_token(select, card):
    select(0)
    assert "TOKEN 1 OF 4" in labels(card)
    shown = texts(card)
    assert shown["Token text"] == "·Yo"
    assert (shown["id"], shown["merge rank"]) == ("4", "1")
    assert shown["Path in the tree"].replace("\u2068", "").replace("\u2069", "") == "· › ·Y › ·Yo › ·YoY"
    assert card.findChild(MergeTreeView).as_text() == "·Yo = ·Y + o (1)\n·Y = · + Y (0)"


def test_hostile_texts_are_shown_as_they_are(select, card):
    select(1)
    assert texts(card)["Token text"].startswith("<h1>x</h1>&amp;<U+202E>שלום<U+0000>↵")
    assert not card.grab().isNull()


def test_a_huge_token_is_elided(select, card):
    select(2)
    shown = texts(card)
    assert shown["Token text"] == "z" * 200 + "…"
    assert shown["bytes"].endswith("… (10,000 bytes)")
    assert any("too many to draw" in label for label in labels(card))


def test_everything_can_be_copied(select, card, qtbot):
    select(0)
    card.setFocus()
    qtbot.keySequence(card, QKeySequence(QKeySequence.StandardKey.Copy))
    lines = QApplication.clipboard().text().splitlines()
    assert lines[:2] == ["id\t4", "bytes\t20 59 6F"]
    assert lines[-1] == "·Y = · + Y (0)"


def test_the_wheel_with_ctrl_asks_for_another_size_over_all_of_it(select, card, qtbot):
    steps = []
    card.zoom.stepped.connect(steps.append)
    select(0)
    drawing = next(
        area for area in card.findChildren(QScrollArea) if area.accessibleName() == "How it is built"
    )
    control = Qt.KeyboardModifier.ControlModifier
    for angle in (120, -120):
        assert turn_wheel(card.viewport(), QPoint(5, 5), angle, control)
        assert not turn_wheel(drawing.viewport(), QPoint(5, 5), angle, control)  # left to the card
    turn_wheel(card.viewport(), QPoint(5, 5), 120)
    assert steps == [1, -1]


def test_without_a_token_nothing_is_copied_and_only_known_facts_have_names(
    select, source, details, card, qtbot
):
    QApplication.clipboard().setText("before")
    card.copy()
    assert QApplication.clipboard().text() == "before"
    select(0)
    shown = texts(card)
    names = {label for label in labels(card) if label in FACTS}
    assert names == {name for name, _ in details.details.facts} == shown.keys() & set(FACTS)
    with qtbot.waitSignal(details.details_changed):
        source.select_token(None)
    assert labels(card) == ["TOKEN", EMPTY_TEXT]


def test_the_note_of_a_section_is_shown_only_with_merges(details, select, qtbot):
    widget = TokenCard(details, ThemeSource(QApplication.instance(), "light"), about={BUILDING: "Two parts"})
    qtbot.addWidget(widget)
    widget.show()
    qtbot.waitUntil(lambda: details.explainer is not None)
    is_noted = []
    for index in (0, 3):  # `·Yo` and `<s>`
        select(index)
        is_noted.append("Two parts" in labels(widget))
    assert is_noted == [True, False]


def test_whether_a_table_is_stacked_depends_only_on_its_width(qtbot):
    table = FactTable(["id", "a long name"], TextZoom())
    qtbot.addWidget(table)
    for width in range(100, 400):
        table.fit_into(10_000)
        table.fit_into(width)
        was_stacked = table.is_stacked
        table.fit_into(10)
        table.fit_into(width)
        assert table.is_stacked == was_stacked
