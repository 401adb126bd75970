"""What stands beside the tree: the chosen node with its three trees, found tokens, figures, and the card."""

import itertools

import numpy as np
import pytest
from pictures import badly_placed, paintings_of
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QInputDialog, QLabel, QSplitter, QToolTip, QWidget

from guiapp.core.explain.merge_tree import MergeNode
from guiapp.core.explain.visible_text import visible_text
from guiapp.core.tree.picture import ROOT
from guiapp.viewmodels.background import LatestJob
from guiapp.viewmodels.tree.details import NODE_FACTS, NodeDetails, describe_node, merge_story
from guiapp.widgets.shared.styled_text import StyledText
from guiapp.widgets.shared.text_zoom import TextZoom
from guiapp.widgets.shared.theme import ThemeSource
from guiapp.widgets.tree.card import TreeCard
from guiapp.widgets.tree.figures import FigureRow
from guiapp.widgets.tree.merge_tree_view import MergeTreeView
from guiapp.widgets.tree.page import make_page
from guiapp.widgets.tree.panels import NOTHING
from guiapp.widgets.tree.prefix_tree_view import PrefixTreeView
from guiapp.widgets.tree.saving import MOST_PX
from guiapp.widgets.window.actions import Actions
from guiapp.widgets.window.pages import PageSetting

LEFT = Qt.MouseButton.LeftButton
A, B, C = MergeNode(b"a"), MergeNode(b"b"), MergeNode(b"c")
ROOTS = (MergeNode(b"abc", 50, (A, MergeNode(b"bc", 3, (B, C)))), MergeNode(b"ba", 7, (B, A)))


def plain(text):
    return text.strip("\u2068\u2069")


def action_of(widget, text):
    return next(action for action in widget.actions() if action.text() == text)


def told(panel):
    """The facts that show, and all texts with names of their own."""
    texts = {text.accessibleName(): text for text in panel.findChildren(StyledText) if text.isVisible()}
    facts = {name: texts[name].toPlainText() for name in NODE_FACTS if name in texts}
    names = {label.text() for label in panel.findChildren(QLabel) if label.isVisible()}
    assert names & set(NODE_FACTS) == set(facts)
    return facts, {name: plain(text.toPlainText()) for name, text in texts.items() if name not in NODE_FACTS}


def test_the_panel_tells_what_is_known_of_each_kind_of_node(page, qtbot):
    picture, workspace, panel = page.model.picture, page._workspace, page.node_panel
    merges = panel.findChild(MergeTreeView)
    is_leaf = [not len(picture.children(node)) for node in range(len(picture))]
    special = picture.node(workspace.vocabulary.special_ids.bos)
    longest = max(range(1, len(picture)), key=lambda node: len(page.model.label(node, is_whole=True)))
    crowd = max(range(1, len(picture)), key=lambda node: len(picture.children(node)))
    for node in (ROOT, 1, crowd, special, longest, is_leaf.index(True)):
        page.model.choose(node)
        details = describe_node(picture, node, workspace.tokenizer, page.model.counts)
        qtbot.waitUntil(lambda details=details: told(panel)[0] == dict(details.facts))
        texts, children = told(panel)[1], picture.children(node)
        assert texts["Token text"] == details.text
        assert NOTHING not in texts.values()
        parts = texts["Path in the tree"].split(" › ")
        assert len(parts) == len(picture.path(node))
        n_named = 0 if "nothing longer" in parts[-1] else parts[-1].count(", ") + 1
        assert n_named == min(len(children), 12)
        assert (f" and {len(children) - 12:,} more" in parts[-1]) == (len(children) > 12)
        story = details.token is not None and merge_story(
            picture.vocabulary, workspace.tokenizer, details.token
        )
        assert merges.isVisible() == bool(story and story.roots)
        assert ("Remark" in texts) == bool(not story or not story.roots or story.remark)
        assert not story or story.remark in texts.get("Remark", "")
        action_of(panel, "Copy details").trigger()
        lines = QApplication.clipboard().text().splitlines()
        assert lines[: len(details.facts)] == ["\t".join(fact) for fact in details.facts]
        assert lines[len(details.facts) :] == merges.as_text().splitlines()
    unnamed = [text for text in panel.findChildren(StyledText) if not text.accessibleName()]
    assert [text.toPlainText() for text in unnamed] == [NOTHING]


@pytest.fixture
def drawing(qtbot, qapp):
    zoom = TextZoom()
    view = MergeTreeView(ThemeSource(qapp, "dark"), zoom)
    qtbot.addWidget(view)
    view.zoom_ = zoom
    view.set_roots(ROOTS)
    view.resize(400, view.sizeHint().height())
    return view


def test_merges_are_drawn_below_what_they_make_and_told_as_text(drawing):
    texts = [(plain(text), box) for text, box in paintings_of(drawing).texts if plain(text)]
    ranks = {"50", "3", "7"}
    labels = [(text, box) for text, box in texts if text not in ranks]
    assert sorted(text for text, _ in labels) == ["a", "a", "abc", "b", "b", "ba", "bc", "c"]
    assert {text for text, _ in texts} >= ranks
    places = {text: box.center() for text, box in texts}
    assert places["abc"].y() < places["50"].y() < places["bc"].y() < places["3"].y() < places["c"].y()
    for made, rank in (("abc", "50"), ("bc", "3"), ("ba", "7")):
        assert places[made].x() == pytest.approx(places[rank].x(), abs=1.5)
    lines = [shape for shape in paintings_of(drawing).shapes if shape.height() > 5 and shape.width() < 60]
    assert len([line for line in lines if line.top() > places["abc"].y()]) >= 6
    assert badly_placed(drawing) == []
    assert drawing.as_text() == "abc = a + bc (50)\nbc = b + c (3)\nba = b + a (7)"
    assert drawing.accessibleDescription() == drawing.as_text()
    action_of(drawing, "Copy merges").trigger()
    assert QApplication.clipboard().text() == drawing.as_text()
    assert drawing.focusPolicy() & Qt.FocusPolicy.TabFocus


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_merges_are_smaller_where_room_is_scarce_and_larger_with_the_text(drawing, factor):
    drawing.zoom_.set_factor(1.5)
    drawing.zoom_.set_factor(factor)
    whole, boxes = drawing.sizeHint(), []
    assert drawing.minimumWidth() == whole.width()
    drawing.setMinimumWidth(0)
    for share in (3, 1, 0.8, 0.3):
        width = round(whole.width() * share)
        drawing.resize(width, whole.height())
        texts = {plain(text): box for text, box in paintings_of(drawing).texts}
        left, right = texts["abc"].left(), texts["ba"].right()
        boxes.append((right - left, texts["abc"].height()))
        if share >= 1:
            assert (left + right) / 2 == pytest.approx(width / 2, abs=12 * factor)
    assert boxes[0] == pytest.approx(boxes[1])
    assert boxes[1][0] > boxes[2][0] > boxes[3][0] > boxes[1][0] / 2
    drawing.set_roots(ROOTS[:1])
    assert whole.width() / 4 < drawing.minimumWidth() < drawing.sizeHint().width() < whole.width()
    drawing.set_roots(())
    assert (drawing.minimumWidth(), drawing.as_text()) == (0, "")
    assert paintings_of(drawing).texts == []


def test_pointing_at_a_merge_tells_its_bytes(drawing):
    places = {plain(text): box.center().toPoint() for text, box in paintings_of(drawing).texts}
    for text in ("", "abc", "bc", "c", "ba"):
        place = places.get(text, QPoint(1, 1)) if text else QPoint(1, 1)
        event = QHelpEvent(QEvent.Type.ToolTip, place, drawing.mapToGlobal(place))
        assert QApplication.sendEvent(drawing, event)
        assert text.encode().hex(" ").upper() in QToolTip.text()
        assert bool(text) == bool(QToolTip.text())


def test_each_prefix_of_the_text_has_its_last_token_below_the_one_before(page, qtbot):
    view = page.node_panel.findChild(PrefixTreeView)
    page._workspace.select_token(3)
    tree, vocabulary = page.walk.prefix_tree(), page._workspace.vocabulary
    ends = [end for end in range(1, len(tree.token_ids)) if tree.token_ids[end] >= 0]
    qtbot.waitUntil(lambda: len(paintings_of(view).texts) == len(ends) > 3)
    texts = paintings_of(view).texts
    depths = {0: 0}
    for end, (text, box) in zip(ends, texts, strict=True):
        depths[end] = depths[int(tree.parents[end])] + 1
        token = int(tree.token_ids[end])
        assert text == visible_text(vocabulary.token_bytes(token), 24)
        assert round(box.center().y() // (view.height() / (len(tree.token_ids) - 1))) == end - 1
        qtbot.mouseClick(view, LEFT, pos=box.center().toPoint())
        assert page.model.chosen_token == token
    by_depth = sorted((depths[end], box.left()) for end, (_, box) in zip(ends, texts, strict=True))
    steps = {(right[1] - left[1], right[0] - left[0]) for left, right in itertools.pairwise(by_depth)}
    assert {width for width, n in steps if n == 0} == {0}
    assert len({width for width, n in steps if n == 1}) == 1
    chosen = page.model.chosen
    view.setFixedHeight(view.height() + 40)
    qtbot.mouseClick(view, LEFT, pos=QPoint(20, view.height() - 2))
    assert page.model.chosen == chosen


def test_figures_are_told_as_they_are_counted_and_bars_are_as_long_as_there_are_tokens(page, qtbot):
    panel = page.findings_panel
    page.tabs.choose(2)
    seen = [[label.text() for label in panel.findChildren(QLabel)]]
    page.findings.changed.connect(
        lambda: seen.append([label.text() for label in panel.widget().findChildren(QLabel)])
    )
    qtbot.waitUntil(lambda: page.findings.unreached is not None)
    assert seen[0] == ["Counting …"]
    assert any("Trying" in text for texts in seen for text in texts)
    assert not any("Trying" in text for text in seen[-1])
    findings = [
        *page.findings.findings,
        *(bar for each in page.findings.statistics.distributions for bar in each.bars),
    ]
    rows = panel.widget().findChildren(FigureRow)
    assert len(rows) == len(findings)
    theme, lengths = page.theme_source.theme, {}
    for row, finding in zip(rows, findings, strict=True):
        assert finding.value in row.accessibleName()
        assert finding.name in row.accessibleName()
        assert row.toolTip() == finding.remark
        assert row.isEnabled() == bool(len(finding.tokens))
        pointing = row.cursor().shape() is Qt.CursorShape.PointingHandCursor
        assert pointing == row.isEnabled()
        image = row.grab().toImage()
        line = [image.pixelColor(x, row.height() // 2) == theme.contenders[0] for x in range(row.width())]
        lengths.setdefault(row.accessibleName().partition(":")[0], []).append(
            (len(finding.tokens), sum(line))
        )
    bars = {title: each for title, each in lengths.items() if len(each) > 1}
    assert len(bars) == len(page.findings.statistics.distributions)
    for each in bars.values():
        assert [length for _, length in sorted(each)] == sorted(length for _, length in each)
        most = max(length for _, length in each)
        for n_tokens, length in each:
            wanted = np.log1p(n_tokens) / np.log1p(max(each)[0])
            assert length == pytest.approx(most * wanted, abs=4)
    row = next(row for row in rows if row.isEnabled())
    before = row.grab().toImage()
    page.activateWindow()
    row.setFocus()
    qtbot.waitUntil(row.hasFocus)
    assert row.grab().toImage() != before
    page.resize(page.width(), 400)
    page.grab()
    panel.verticalScrollBar().setValue(90)
    page.findings.changed.emit()
    assert panel.verticalScrollBar().value() == 90
    page.findings.problem = "No memory."
    page.findings.changed.emit()
    assert "No memory." in [label.text() for label in panel.widget().findChildren(QLabel)]


def test_found_tokens_are_offered_to_be_saved_and_looked_at(page, qtbot, tmp_path):
    panel = page.found_panel
    page.tabs.choose(1)

    def state():
        hint, buttons = panel._hint, (panel.clear, panel._save, panel.view)
        return hint.text() if hint.isVisible() else "", *(button.isVisible() for button in buttons)

    how, *shown = state()
    assert "search field" in how
    assert shown == [False, False, False]
    page.bar.query.setText("zzqqzz")
    qtbot.waitUntil(lambda: page.search.title != "")
    assert state() == ("No token matches.", True, False, False)
    page.bar.query.setText("/(/")
    qtbot.waitUntil(lambda: bool(page.search.problem))
    assert state() == (page.search.problem, False, False, False)
    page.bar.query.setText("th")
    qtbot.waitUntil(lambda: len(page.search.found_nodes) > 3)
    assert state() == ("", True, True, True)
    panel._ask_where = lambda title, suggested: ""
    panel._save.click()
    assert list(tmp_path.glob("*.tsv")) == []
    panel._ask_where = lambda title, suggested: str(tmp_path / suggested)
    panel._save.click()
    (saved,) = tmp_path.glob("*.tsv")
    assert len(saved.read_text().splitlines()) == len(page.search.found_nodes) + 1
    panel.view.selectRow(2)  # not by somebody who looks at the table
    assert page.search.current is None
    action_of(panel, "Copy rows").trigger()
    assert QApplication.clipboard().text().splitlines()[1] == saved.read_text().splitlines()[3]
    panel.clear.click()
    assert page.bar.query.text() == ""
    assert state() == (how, False, False, False)
    widths = [panel.view.columnWidth(at) for at in range(4)]
    assert len(set(widths)) == 4


def test_the_card_stays_in_its_room_beside_the_pointer(qtbot):
    around = QWidget()
    qtbot.addWidget(around)
    around.resize(500, 300)
    around.show()
    card, facts = TreeCard(around), (("id", "1"), ("raw", "long " * 40))
    for x in range(0, 500, 50):
        for y in range(0, 300, 30):
            card.show_at(NodeDetails(None, "word " * 40, facts), QPoint(x, y))
            assert around.rect().contains(card.geometry()) or card.x() < 0 < x < card.width() + 20
            assert not QRectF(card.geometry()).contains(QPointF(x, y)) or y - card.height() < 20
    labels = [plain(label.text()) for label in card.findChildren(QLabel) if label.isVisible()]
    assert sum(text.endswith("…") for text in labels) == 2
    assert max(map(len, labels)) < 50


def test_the_page_asks_where_and_how_large_and_waits_for_all_its_work(page, monkeypatch, qtbot):
    asked = []
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *given: (asked.append(given), ("/a", ""))[1])
    assert page.ask_where("Save it", "tree.png") == "/a"
    assert asked == [(page, "Save it", "tree.png")]
    for is_given in (True, False):
        monkeypatch.setattr(
            QInputDialog, "getDouble", lambda *given, ok=is_given: (asked.append(given), (2.5, ok))[1]
        )
        assert page.ask_scale() == (2.5 if is_given else None)
        first, least, most = asked[-1][3:6]
        assert 0 < least < first < most == MOST_PX / max(page.view.width(), page.view.height())
    assert set(page.splitters.values()) == set(page.findChildren(QSplitter))
    assert page.focusProxy() is page.view
    setting = PageSetting(page._workspace, page._settings, Actions(page), page.theme_source)
    page._settings.tree_shape, page._settings.animates_tree = "icicle", False
    other = make_page(setting)
    qtbot.addWidget(other)
    other.resize(1400, 800)
    other.show()
    assert (other.model.shape, other.view.is_animated) == ("icicle", False)
    assert not other.is_ready
    qtbot.waitUntil(lambda: other.is_ready)
    other.tabs.choose(2)
    setting.actions["three_trees"].trigger()
    qtbot.waitUntil(lambda: other.node_panel.is_side_by_side)
    assert other.side.currentWidget() is other.node_panel
    waited = set()
    wait = LatestJob.wait
    monkeypatch.setattr(LatestJob, "wait", lambda job: (waited.add(job), wait(job)))
    other.stop()
    assert set(other.findChildren(LatestJob)) == waited
