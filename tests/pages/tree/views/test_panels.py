"""What stands beside the tree: the chosen node with its three trees, found tokens, figures, and the card."""

import pytest
from full_disk import full_disk
from menus import take
from pictures import paintings_of
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QLabel,
    QToolTip,
)

from guiapp.analysis.explain.merge_tree import MergeNode
from guiapp.analysis.tree.picture import ROOT
from guiapp.core.text.visible_text import visible_text
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.labels import ISOLATES, StyledText
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.kit.widgets.token_card import MergeTreeView
from guiapp.pages.tree.panels import PrefixTreeView, node_details

LEFT = Qt.MouseButton.LeftButton
A, B, C = MergeNode(b"a"), MergeNode(b"b"), MergeNode(b"c")
ROOTS = (MergeNode(b"abc", 50, (A, MergeNode(b"bc", 3, (B, C)))), MergeNode(b"ba", 7, (B, A)))


def plain(text):
    return text.strip("\u2068\u2069")


def run(widget, text):
    """Do what an entry of the context menu says; what is on the clipboard then."""
    next(action for action in widget.actions() if action.text() == text).trigger()
    return QApplication.clipboard().text()


def test_the_panel_describes_each_kind_of_node(page, qtbot):
    model, session, panel = page.model, page.kept_session, page.node_panel
    picture, merges = model.picture, panel.findChild(MergeTreeView)

    def texts_by_name():
        texts = {text.accessibleName(): text for text in panel.findChildren(StyledText) if text.isVisible()}
        return {name: text.toPlainText().translate(ISOLATES) for name, text in texts.items()}

    crowd = max(range(1, len(picture)), key=lambda node: len(picture.children(node)))
    special = picture.node(session.vocabulary.special_ids.bos)
    for node in (ROOT, 1, crowd, special, len(picture) - 1):
        model.choose(node)
        expected = node_details(picture, node, model.explainer, session.tokenizer.merging, model.counts)
        qtbot.waitUntil(lambda expected=expected: set(expected.facts) <= set(texts_by_name().items()))
        texts, path = texts_by_name(), expected.path
        assert texts["Token text"] == (expected.name or visible_text(expected.shown))
        assert texts["Path in the tree"].startswith(" › ".join((*path.prefixes, path.own)))
        more = path.n_continuations - len(path.continuations)
        assert (f" and {more:,} more" in texts["Path in the tree"]) == (more > 0)
        assert merges.isVisible() == bool(expected.tree.roots)
        assert expected.tree.note in {label.text() for label in panel.findChildren(QLabel)}
        lines = ["\t".join(fact) for fact in expected.facts] + merges.as_text().splitlines()
        assert run(panel, "Copy details").splitlines() == lines


@pytest.fixture
def drawing(qtbot, qapp):
    drawing = MergeTreeView(ThemeSource(qapp, "dark"), zoom := TextZoom())
    qtbot.addWidget(drawing)
    drawing.set_factor = zoom.set_factor
    drawing.set_roots(ROOTS)
    drawing.resize(400, drawing.heightForWidth(400))
    return drawing


def test_merges_are_described_as_text(drawing):
    expected = "abc = a + bc (50)\nbc = b + c (3)\nba = b + a (7)"
    assert drawing.as_text() == drawing.accessibleDescription() == run(drawing, "Copy merges") == expected
    assert drawing.focusPolicy() & Qt.FocusPolicy.TabFocus
    places = {plain(text): box.center() for text, box in paintings_of(drawing).texts}
    for text in ("", "abc", "bc", "c", "ba"):
        place = places[text].toPoint() if text else QPoint(1, 1)
        QApplication.sendEvent(drawing, QHelpEvent(QEvent.Type.ToolTip, place, drawing.mapToGlobal(place)))
        assert text.encode().hex(" ").upper() in QToolTip.text()
        assert bool(text) == bool(QToolTip.text())


def test_a_click_on_a_prefix_of_the_text_chooses_its_last_token(page, qtbot):
    view, vocabulary = page.node_panel.findChild(PrefixTreeView), page.kept_session.vocabulary
    page.kept_session.select_token(3)
    tokens = [token for token in page.walk.prefix_tree().token_ids[1:] if token >= 0]
    qtbot.waitUntil(lambda: len(paintings_of(view).texts) == len(tokens) > 3)
    for token, (text, box) in zip(tokens, paintings_of(view).texts, strict=True):
        assert text == visible_text(vocabulary.token_bytes(token), 24)
        qtbot.mouseClick(view, LEFT, pos=box.center().toPoint())
        assert page.model.chosen_token == token


def test_results_can_be_exported_and_selected(page, qtbot, tmp_path, monkeypatch):
    panel, query, path = page.results_panel, page.bar.query, tmp_path / "tokens.csv"
    export, saving = panel.table.export, panel.table.saving
    page.side.tabs.choose(1)
    query.setText("th")
    qtbot.waitUntil(lambda: page.search.is_up_to_date and len(page.search.result_nodes) > 3)
    for place in ("", str(path)):
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *given, place=place, **_: (place, ""))
        take(export.menu(), "Save: CSV")
        qtbot.waitUntil(lambda: not saving.is_busy)
        assert path.exists() == bool(place)
    lines = path.read_text().splitlines()
    with full_disk():
        take(export.menu(), "Save: CSV")
        qtbot.waitUntil(lambda: not saving.is_busy)
    assert saving.failure == "tokens.csv cannot be saved: File too large."
    assert path.read_text().splitlines() == lines
    assert len(lines) == len(page.search.result_nodes) + 1
    panel.view.selectRow(2)
    assert page.search.current == 2
    assert [line.split("\t")[0] for line in run(panel.view, "Copy rows").splitlines()] == [
        line.split(",")[0] for line in (lines[0], lines[3])
    ]
    panel.clear.click()
    assert (query.text(), export.isVisible(), panel.view.isVisible()) == ("", False, False)
