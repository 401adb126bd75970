"""Finding commands by some of their letters."""

import pytest

from guiapp.window.command_palette import score

COMMANDS = ("Open model file…", "Open text file…", "Dark theme", "Undo", "Redo", "Command palette")
COMMANDS += ("fast: All of it, soon", "fewest: As few tokens as possible")


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("omf", "Open model file…"),
        ("dark", "Dark theme"),
        ("cp", "Command palette"),
        ("und", "Undo"),
        ("fast", "fast: All of it, soon"),
    ],
)
def test_the_command_that_is_meant_comes_first(query, first):
    scores = {text: score(query, text) for text in COMMANDS}
    found = {text: points for text, points in scores.items() if points is not None}
    assert max(found, key=found.__getitem__) == first


def test_letters_must_come_in_order():
    assert score("kd", "Dark theme") is None


def test_nothing_typed_fits_everything():
    assert all(score("", text) is not None for text in COMMANDS)


def test_spaces_and_case_do_not_matter():
    assert score("DARK", "Dark theme") == score("dark ", "Dark theme")
    assert score("darkth", "Dark theme") is not None


def test_letters_side_by_side_count_more_than_letters_apart():
    assert score("ed", "redo") > score("eo", "redo")


@pytest.mark.parametrize(
    ("query", "points"),
    [("dt", 8 + 8), ("ak", 1 + 1), ("rk", 1 + 4), ("the", 8 + 4 + 4 + 3 * 8), ("dm", 8 + 1)],
)
def test_a_letter_counts_by_what_is_before_it(query, points):
    assert score(query, "Dark theme") == points
