"""A Steps page that follows a change of theme, size or model looks as one that was made after the change."""

import pytest
from pictures import badly_placed, picture_of, settle

from guiapp.widgets.shared.painting import Painted
from guiapp.widgets.shared.theme import TEXT_FONT_PX

TEXT = b"How do lions sleep in New York?"


def to_the_middle(page, qtbot):
    page.model.breakpoints.add("operation merge")
    page.model.add_watch("step")
    page.model.go_to(page.model.n_steps // 2)


def race(page, qtbot):
    page.model.race.choose("greedy")
    qtbot.waitUntil(lambda: page.is_ready)


def train(page, qtbot, kind="bpe"):
    page.begin_training(f"{kind}:300:20")
    qtbot.waitUntil(lambda: page.is_ready and page.training.model.record is not None)


def lesson(page, qtbot, number=2):
    page.begin("", f"4-encoding-by-merges:{number}")
    qtbot.waitUntil(lambda: page.is_ready)


def lessons(page, qtbot):
    page.modes.choose(2)


CASES = {
    "heap": ("bpe", "heap", to_the_middle),
    "backtrack": ("bpe", "backtrack", to_the_middle),
    "unigram": ("unigram", None, to_the_middle),
    "wordpiece": ("wordpiece", None, to_the_middle),
    "race": ("bpe", "heap", race),
    "training": ("bpe", None, train),
    "lesson": ("bpe", None, lesson),
    "lessons": ("bpe", None, lessons),
}


@pytest.mark.parametrize("case", CASES)
def test_another_theme_and_size_reach_everything(make_steps_page, qtbot, tmp_path, case):
    name, encoder, go_on = CASES[case]
    pictures = []
    for follows in (False, True):
        (tmp_path / "settings.json").unlink(missing_ok=True)
        page = make_steps_page(name, TEXT, encoder, "dark" if follows else "light")
        page.set_text_size(TEXT_FONT_PX if follows else 2 * TEXT_FONT_PX)
        go_on(page, qtbot)
        picture_of(page)
        page._drawing.theme_source.choose("light")
        page.set_text_size(2 * TEXT_FONT_PX)
        pictures.append(picture_of(page))
    assert pictures[0].differences(pictures[1]) == []


@pytest.mark.parametrize("case", CASES)
def test_all_texts_and_shapes_have_room_of_their_own(make_steps_page, qtbot, case):
    name, encoder, go_on = CASES[case]
    page = make_steps_page(name, TEXT, encoder)
    page.window().resize(1280, 1100)
    go_on(page, qtbot)
    settle()
    painted = [view for view in page.findChildren(Painted) if view.isVisible()]
    assert "\n".join(fault for view in painted for fault in badly_placed(view)) == ""


@pytest.mark.parametrize("case", ["heap", "training"])
def test_larger_text_and_back_leaves_no_trace(make_steps_page, qtbot, case):
    name, encoder, go_on = CASES[case]
    page = make_steps_page(name, TEXT, encoder)
    page.window().resize(1600, 1100)
    go_on(page, qtbot)
    pictures = []
    for factor in (1, 2, 1):
        page.set_text_size(factor * TEXT_FONT_PX)
        pictures.append(picture_of(page))
    assert pictures[0].differences(pictures[2]) == []
