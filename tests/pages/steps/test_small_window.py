"""All of the page is in sight in small windows, and it grows with the text."""

import pytest
from fitting import unreadable
from instant_recorder import load_once
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QScrollArea

from guiapp.kit.widgets.theme import TEXT_FONT_PX
from guiapp.pages.steps.race_view import RaceBox

SMALL = 1024, 597  # without menu, bar and status line
LARGE = 1440, 797
TEXT = b"How do lions sleep in New York? I wonder where they stay at night."


@pytest.fixture
def show(qtbot):
    """Gives a page another size, and waits until all in it have theirs."""

    def resize(page, size):
        page.window().resize(*size)
        qtbot.waitUntil(lambda: (page.width(), page.height()) == size)
        qtbot.wait(50)

    return resize


def n_hidden_px(page):
    areas = [area for area in page.findChildren(QScrollArea) if area.isVisible()]
    assert areas
    return max(area.verticalScrollBar().maximum() for area in areas)


@pytest.mark.parametrize(
    ("model", "encoder"), [("bpe", "heap"), ("bpe", "greedy"), ("unigram", "viterbi"), ("rwkv", None)]
)
def test_steps_need_no_scrolling(show_steps_page, show, model, encoder):
    page = show_steps_page(model, TEXT, encoder)
    show(page, SMALL)
    for share in range(5):
        page.model.go_to(page.model.n_steps * share // 4)
        assert n_hidden_px(page) == 0


@pytest.mark.parametrize(
    ("model", "encoder"),
    [
        *((("bpe"), each) for each in ("heap", "scan", "table", "backtrack", "greedy", "fewest", "words")),
        *(("wordpiece", "wordpiece"), ("unigram", "viterbi"), ("rwkv", "rwkv"), ("spm", None)),
    ],
)
@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_nothing_moves_from_step_to_step(show_steps_page, show, model, encoder, size):
    page = show_steps_page(model, TEXT, encoder)
    show(page, size)
    trace = page.trace
    parts = trace.timeline, trace.flow, trace.sentence, trace.picture, trace.code, trace.side.history
    places = {}
    n_steps = page.model.n_steps
    for position in sorted({*range(0, n_steps + 1, max(n_steps // 12, 1)), 1, n_steps}):
        page.model.go_to(position)
        QApplication.processEvents()
        place = tuple((*part.mapTo(page, QPoint()).toTuple(), *part.size().toTuple()) for part in parts)
        places.setdefault(place, position)
    assert list(places.values()) == [0]


def test_all_words_can_be_read_in_a_window_of_any_size(make_shell, qtbot):
    shell = make_shell(TEXT, "demo:bpe", load_once)
    shell.window.actions_table["steps"].trigger()
    page = shell.window.pages.current
    qtbot.waitUntil(lambda: page.is_ready and page.model.n_steps > 0)
    page.model.go_to(page.model.n_steps // 2)
    assert unreadable(shell.window) == []


@pytest.mark.parametrize("wish", ["bpe:290:3", "unigram:300:1"])
def test_trainings_need_no_scrolling(show_steps_page, qtbot, show, wish):
    page = show_steps_page(text=TEXT * 3)
    page.begin_training(wish)
    qtbot.waitUntil(lambda: page.is_ready and page.training.model.n_steps > 0)
    show(page, SMALL)
    assert n_hidden_px(page) == 0


def test_in_a_race_the_other_encoder_takes_the_place_of_the_code(show_steps_page, qtbot, show):
    page = show_steps_page("bpe", TEXT, "heap")
    show(page, SMALL)
    page.model.race.choose("words")
    qtbot.waitUntil(lambda: page.model.race.difference is not None)
    qtbot.wait(50)
    assert n_hidden_px(page) == 0
    assert page.trace.race_card.isVisible()
    assert not page.trace.code_card.isVisible()
    show(page, LARGE)
    assert n_hidden_px(page) == 0
    assert page.trace.code_card.isVisible()
    heights = [card.mapTo(page, QPoint()).y() for card in (page.trace.race_card, page.trace.code_card)]
    assert heights[0] < heights[1]
    show(page, SMALL)
    page.model.race.choose("")
    assert page.trace.code_card.isVisible()


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080)])
def test_a_presented_race_shows_both_texts_and_their_work_without_scrolling(
    show_steps_page, qtbot, show, size
):
    page = show_steps_page("bpe", TEXT, "heap")
    show(page, size)
    page.set_presented(True)
    page.set_text_size(round(TEXT_FONT_PX * min(size[0] / 600, size[1] / 410)))
    page.model.race.choose("greedy")
    card = page.trace.race_card
    qtbot.waitUntil(card.lanes.isVisible)
    qtbot.wait(50)
    assert n_hidden_px(page) == 0
    assert card.flow.isVisible()
    assert not page.trace.picture.isVisible()
    page.model.to_difference()
    assert "DIFFERENCE 1 OF" in card.title.text() or card.title.text().endswith("FIRST DIFFERENCE")


@pytest.mark.parametrize("width", [827, 1207])  # of the page in windows of 900 and 1280
def test_train_stands_in_the_first_row(show_steps_page, show, width):
    page = show_steps_page()
    page.modes.choose(1)
    show(page, (width, 600))
    assert page.training.form.button.y() < page.training.form.algorithm.geometry().bottom()


def test_the_size_of_steps_and_the_race_are_chosen_where_steps_are_shown(show_steps_page):
    page = show_steps_page()
    box = page.findChild(RaceBox)
    assert box.isVisible()
    page.modes.choose(1)
    assert not box.isVisible()
    page.modes.choose(0)
    assert box.isVisible()
