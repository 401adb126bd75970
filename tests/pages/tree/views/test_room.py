"""What the Tree page does with the room it has: nothing covers, moves, or is too small to be read."""

import itertools

import numpy as np
import pytest
from conftest import VOCABS
from fitting import unreadable
from instant_recorder import load_once
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from guiapp.pages.tree.appearance import node_outline
from guiapp.pages.tree.canvas import fitting_form, label_widths
from guiapp.pages.tree.geometry import label_slots

READABLE_PX = 12
SIZES = ((860, 376), (1280, 696), (1920, 976))  # of the page in windows of 860x480, 1280x800 and 1920x1080
MODELS = [
    *(pytest.param(f"demo:{name}", id=name) for name in ("toy", "bpe", "wordpiece")),
    pytest.param(str(VOCABS / "ggml-vocab-gemma-4.gguf"), id="gemma-4", marks=pytest.mark.real_vocabs),
]


@pytest.fixture(params=MODELS)
def any_page(request, open_tree_page):
    return open_tree_page(load_once(request.param))[0]


def shown(page, size, shape):
    """The geometry of the whole tree in a page of a size."""
    page.resize(*size)
    page.model.set_shape(shape)
    QApplication.processEvents()
    page.view.show_at_once()
    return page.view.geometry_now


def point_at(page, x, y):
    none, no_keys = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    place = QPointF(x, y)
    QApplication.sendEvent(page.view, QMouseEvent(QEvent.Type.MouseMove, place, place, none, none, no_keys))


@pytest.mark.parametrize("shape", ["sunburst", "icicle"])
def test_the_card_never_covers_the_node_that_it_is_about(any_page, shape):
    page, n_hovered, n_cards = any_page, 0, 0
    for size in SIZES:
        shown(page, size, shape)
        for share in (1.0, 0.02):
            width = page.model.picture.width
            page.model.set_view((0.3 * width, (0.3 + 0.7 * share) * width) if share < 1 else (0.0, width))
            page.view.show_at_once()
            geometry, room = page.view.geometry_now, page.view.rect()
            labelled = {slot.node: slot for slot in label_slots(geometry)}
            for across, down in itertools.product(np.linspace(0.02, 0.98, 9), np.linspace(0.03, 0.97, 9)):
                x, y = across * room.width(), down * room.height()
                node = page.view.node_at(QPointF(x, y))
                point_at(page, x, y)
                n_hovered += node is not None
                n_cards += page.card.isVisible()
                if not page.card.isVisible():
                    continue
                card = QRectF(page.card.geometry())
                assert room.contains(page.card.geometry())
                assert not card.contains(x, y)
                assert not node_outline(geometry, node).intersects(card)
                if node in labelled:
                    assert not card.contains(labelled[node].x, labelled[node].y)
                assert (card.width(), card.height()) < (260, 100)
    assert n_cards > 0.8 * n_hovered > 50


def test_all_words_can_be_read_in_a_window_of_any_size(make_shell, qtbot):
    shell = make_shell(b"the tree", "demo:bpe", load_once)
    shell.window.actions_table["tree"].trigger()
    page = shell.window.pages.current
    qtbot.waitUntil(lambda: page.is_ready)
    shell.session.select_token(1)
    qtbot.waitUntil(lambda: page.is_ready)
    assert unreadable(shell.window) == []


@pytest.mark.parametrize("shape", ["sunburst", "icicle"])
def test_no_label_is_too_small_to_be_read(any_page, shape):
    page, n_labels = any_page, 0
    for size in SIZES:
        shown(page, size, shape)
        for left, right in ((0.0, 1.0), (0.4, 0.45), (0.2, 0.2005)):
            width = page.model.picture.width
            page.model.set_view((left * width, right * width))
            page.view.show_at_once()
            for place in label_slots(page.view.geometry_now):
                form = fitting_form(place, *label_widths(page.model.label(place.node, place.is_middle)))
                n_labels += form is not None
                assert form is None or form.size_px >= READABLE_PX
    assert n_labels > 10


def wait_until_stable(page, qtbot):
    """Wait for all that follows when somebody pauses."""
    timers = [timer for timer in page.findChildren(QTimer) if timer.isSingleShot()]
    qtbot.waitUntil(lambda: not any(timer.isActive() for timer in timers))
    qtbot.waitUntil(lambda: page.paint.is_current and page.search.is_up_to_date and page.view.is_stable)
    QApplication.processEvents()


def arrangement(page):
    """Where all parts of a page are that are to be seen, and what the picture shows."""
    within = page.bar.query.findChildren(QWidget)  # the field: a button to clear it
    parts = [part for part in page.findChildren(QWidget) if part.isVisible() and part not in within]
    boxes = {part: (part.mapTo(page, part.rect().topLeft()), part.size()) for part in parts}
    return [boxes, page.model.view, page.side.current]


@pytest.mark.parametrize("size", SIZES)
def test_typing_a_search_moves_neither_panels_nor_picture(open_tree_page, qtbot, size):
    page, session = open_tree_page(load_once("demo:bpe"))
    page.resize(*size)
    session.select_token(1)
    for _ in range(3):
        page.walk.move(1)
    wait_until_stable(page, qtbot)
    before, path = arrangement(page), page.model.chosen_path
    for query in ("t", "th", "thzz", "/(/", "#3", ""):
        page.bar.query.setFocus()
        page.bar.query.clear()
        qtbot.keyClicks(page.bar.query, query)
        wait_until_stable(page, qtbot)
        boxes, *rest = arrangement(page)
        assert {part: box for part, box in boxes.items() if box != before[0].get(part)} == {}
        assert (boxes.keys(), rest) == (before[0].keys(), before[1:])
        assert page.model.chosen_path == path
        assert page.view.colors.lit is None or page.view.colors.lit[path].all()  # the way stays bright
