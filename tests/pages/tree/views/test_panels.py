"""What stands beside the tree: the chosen node with its three trees, found tokens, figures, and the card."""

import numpy as np
import pytest
from full_disk import full_disk
from pictures import badly_placed, paintings_of
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QHelpEvent, QPainterPath
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QInputDialog,
    QLabel,
    QSplitter,
    QToolTip,
    QWidget,
)

from guiapp.analysis.explain.merge_tree import MergeNode
from guiapp.analysis.tree.picture import ROOT
from guiapp.core.text.visible_text import visible_text
from guiapp.kit.state.background import LatestJob
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.labels import StyledText
from guiapp.kit.widgets.page_base import PageSetting
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.kit.widgets.token_card import MergeTreeView
from guiapp.pages.tree.page import TreeCard, make_page
from guiapp.pages.tree.panels import NODE_FACTS, NOTHING, PrefixTreeView, describe_node, merge_story
from guiapp.pages.tree.saving_view import MOST_PX
from guiapp.window.actions import ActionTable

LEFT = Qt.MouseButton.LeftButton
A, B, C = MergeNode(b"a"), MergeNode(b"b"), MergeNode(b"c")
ROOTS = (MergeNode(b"abc", 50, (A, MergeNode(b"bc", 3, (B, C)))), MergeNode(b"ba", 7, (B, A)))


def plain(text):
    return text.strip("\u2068\u2069")


def run(widget, text):
    """Do what an entry of the context menu says; what is on the clipboard then."""
    next(action for action in widget.actions() if action.text() == text).trigger()
    return QApplication.clipboard().text()


def test_the_panel_tells_what_is_known_of_each_kind_of_node(page, qtbot):
    picture, session, panel = page.model.picture, page._session, page.node_panel
    merges = panel.findChild(MergeTreeView)

    def told():
        texts = {text.accessibleName(): text for text in panel.findChildren(StyledText) if text.isVisible()}
        return {name: plain(text.toPlainText()) for name, text in texts.items()}

    crowd = max(range(1, len(picture)), key=lambda node: len(picture.children(node)))
    special = picture.node(session.vocabulary.special_ids.bos)
    for node in (ROOT, 1, crowd, special, len(picture) - 1):
        page.model.choose(node)
        written, facts = describe_node(picture, node, session.tokenizer, page.model.counts)
        qtbot.waitUntil(lambda facts=facts: set(facts.items()) <= set(told().items()))
        texts, children = told(), picture.children(node)
        assert len(texts.keys() & set(NODE_FACTS)) == len(facts)
        names = {label.text() for label in panel.findChildren(QLabel) if label.isVisible()}
        assert names & set(NODE_FACTS) == facts.keys()
        assert texts["Token text"] == written
        assert NOTHING not in texts.values()
        *way, below = texts["Path in the tree"].split(" › ")
        assert len(way) == len(picture.path(node)) - 1
        assert (f" and {len(children) - 12:,} more" in below) == (len(children) > 12)
        assert (below == "nothing longer") == (len(children) == 0)
        assert len(children) == 0 or below.count(", ") + 1 == min(len(children), 12)
        story = picture.token(node) is not None and merge_story(
            picture.vocabulary, session.tokenizer, picture.token(node)
        )
        assert merges.isVisible() == bool(story and story.roots)
        assert ("Remark" in texts) == bool(not story or not story.roots or story.note)
        lines = ["\t".join(fact) for fact in facts.items()] + merges.as_text().splitlines()
        assert run(panel, "Copy details").splitlines() == lines


@pytest.fixture
def drawing(qtbot, qapp):
    drawing = MergeTreeView(ThemeSource(qapp, "dark"), zoom := TextZoom())
    qtbot.addWidget(drawing)
    drawing.set_factor = zoom.set_factor
    drawing.set_roots(ROOTS)
    drawing.resize(400, drawing.sizeHint().height())
    return drawing


def test_merges_are_drawn_below_what_they_make_and_told_as_text(drawing):
    paintings = paintings_of(drawing)
    texts = [plain(text) for text, _ in paintings.texts if plain(text)]
    assert sorted(texts) == ["3", "50", "7", "a", "a", "abc", "b", "b", "ba", "bc", "c"]
    places = {plain(text): box.center() for text, box in paintings.texts}
    heights = [places[text].y() for text in ("abc", "50", "bc", "3", "c")]
    assert heights == sorted(set(heights))
    for made, rank in (("abc", "50"), ("bc", "3"), ("ba", "7")):
        assert places[made].x() == pytest.approx(places[rank].x(), abs=1.5)
    assert sum(shape.height() > 20 for shape in paintings.shapes) == 6  # from what is made to its parts
    assert badly_placed(drawing) == []
    wanted = "abc = a + bc (50)\nbc = b + c (3)\nba = b + a (7)"
    assert drawing.as_text() == drawing.accessibleDescription() == run(drawing, "Copy merges") == wanted
    assert drawing.focusPolicy() & Qt.FocusPolicy.TabFocus
    for text in ("", "abc", "bc", "c", "ba"):
        place = places[text].toPoint() if text else QPoint(1, 1)
        QApplication.sendEvent(drawing, QHelpEvent(QEvent.Type.ToolTip, place, drawing.mapToGlobal(place)))
        assert text.encode().hex(" ").upper() in QToolTip.text()
        assert bool(text) == bool(QToolTip.text())


def test_each_prefix_of_the_text_has_its_last_token_below_the_one_before(page, qtbot):
    view, vocabulary = page.node_panel.findChild(PrefixTreeView), page._session.vocabulary
    page._session.select_token(3)
    tree = page.walk.prefix_tree()
    ends = [end for end in range(1, len(tree.token_ids)) if tree.token_ids[end] >= 0]
    qtbot.waitUntil(lambda: len(paintings_of(view).texts) == len(ends) > 3)
    row_px, depths, lefts = view.height() / (len(tree.token_ids) - 1), {0: 0}, []
    for end, (text, box) in zip(ends, paintings_of(view).texts, strict=True):
        depths[end], token = depths[int(tree.parents[end])] + 1, int(tree.token_ids[end])
        lefts.append(box.left())
        assert text == visible_text(vocabulary.token_bytes(token), 24)
        assert box.center().y() // row_px == end - 1
        qtbot.mouseClick(view, LEFT, pos=box.center().toPoint())
        assert page.model.chosen_token == token
    is_chosen = [mark.pen == page.theme_source.theme.text.name() for mark in paintings_of(view).written]
    assert is_chosen == [end in tree.chosen() for end in ends]
    assert 0 < sum(is_chosen) < len(is_chosen)
    indents = np.array([depths[end] for end in ends])
    assert lefts == pytest.approx(np.polyval(np.polyfit(indents, lefts, 1), indents))
    assert np.corrcoef(indents, lefts)[0, 1] > 0.99
    view.setFixedHeight(view.height() + 40)
    qtbot.mouseClick(view, LEFT, pos=QPoint(20, view.height() - 2))
    assert page.model.chosen_token == token


def test_found_tokens_are_offered_to_be_saved_and_looked_at(page, qtbot, tmp_path):
    panel, query, states = page.results_panel, page.bar.query, []
    page.tabs.choose(1)
    for text, is_done in (
        ("", lambda: True),
        ("zzqqzz", lambda: page.search.title),
        ("/(/", lambda: page.search.problem),
        ("th", lambda: len(page.search.result_nodes) > 3),
    ):
        query.setText(text)
        qtbot.waitUntil(lambda is_done=is_done: bool(is_done()))
        parts = panel._hint, panel.clear, panel._save, panel.view
        states.append([part.isVisible() for part in parts])
    nothing, unfound = [True, False, False, False], [True, True, False, False]
    assert states == [nothing, unfound, nothing, [False, True, True, True]]
    for place in ("", str(tmp_path / "tokens.tsv")):
        panel._ask_where = lambda title, suggested, place=place: place
        panel._save.click()
        qtbot.waitUntil(lambda: not page.export.saving.is_busy)
        assert (tmp_path / "tokens.tsv").exists() == bool(place)
    lines = (tmp_path / "tokens.tsv").read_text().splitlines()
    with full_disk():
        qtbot.mouseClick(panel._save, LEFT)
        qtbot.waitUntil(lambda: not page.export.saving.is_busy)
    assert page.saving_bar.message.text() == "tokens.tsv cannot be saved: File too large."
    assert (tmp_path / "tokens.tsv").read_text().splitlines() == lines
    assert len(lines) == len(page.search.result_nodes) + 1
    panel.view.selectRow(2)  # by nobody who looks at the table
    assert page.search.current is None
    assert run(panel.view, "Copy rows").splitlines() == [lines[0], lines[3]]
    panel.clear.click()
    assert (query.text(), panel._hint.isVisible(), panel.view.isVisible()) == ("", True, False)
    assert len({panel.view.columnWidth(at) for at in range(4)}) == 4


def test_the_card_stays_in_its_room_beside_the_pointer(qtbot):
    around = QWidget()
    qtbot.addWidget(around)
    around.resize(1000, 300)
    around.show()
    card = TreeCard(around)
    for place in (QPointF(x, y) for x in range(0, 1000, 50) for y in range(0, 300, 30)):
        node = QPainterPath()
        node.addRect(QRectF(place, place).adjusted(-60, -20, 60, 20))
        card.show_near(node, place, "word " * 40, ("id 1",))
        assert around.rect().contains(card.geometry())
        assert not node.intersects(QRectF(card.geometry()))
    title, lines = card.findChildren(QLabel)
    assert (plain(title.text())[-1], lines.text()) == ("…", "id 1")
    assert len(title.text()) < 40
    node.addRect(QRectF(around.rect()))
    card.show_near(node, place, "all", ())
    assert not card.isVisible()  # there is no room beside it


def test_the_page_asks_where_and_how_large_and_waits_for_all_its_work(page, monkeypatch, qtbot):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *given: (given, ""))
    assert page.ask_where("Save it", "tree.png") == (page, "Save it", "tree.png")
    for is_given in (True, False):
        monkeypatch.setattr(QInputDialog, "getDouble", lambda *given, ok=is_given: (given[3:6], ok))
        assert (page.ask_scale() is not None) == is_given
    monkeypatch.setattr(QInputDialog, "getDouble", lambda *given: (given[3:6], True))
    first, least, most = page.ask_scale()
    assert 0 < least < first < most == MOST_PX / max(page.view.width(), page.view.height())
    assert set(page.splitters.values()) == set(page.findChildren(QSplitter))
    assert page.focusProxy() is page.view
    setting = PageSetting(
        page._session, None, page._settings, ActionTable(page), None, page.theme_source, None, None
    )
    page._settings.tree_shape, page._settings.animates_tree = "icicle", False
    other = make_page(setting)
    qtbot.addWidget(other)
    other.resize(1400, 800)
    other.show()
    assert (other.model.shape, other.view.is_animated, other.is_ready) == ("icicle", False, False)
    qtbot.waitUntil(lambda: other.is_ready)
    other.tabs.choose(2)
    setting.actions["three_trees"].trigger()
    qtbot.waitUntil(lambda: other.node_panel.is_side_by_side)
    assert other.side.currentWidget() is other.node_panel
    waited, wait = set(), LatestJob.wait
    monkeypatch.setattr(LatestJob, "wait", lambda job: (waited.add(job), wait(job)))
    other.stop()
    assert set(other.findChildren(LatestJob)) == waited
