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


def test_of_long_texts_each_sixteenth_letter_costs_a_point():
    assert [score("dark", "dark" + " " * n) for n in (0, 11, 12, 28)] == [84, 84, 83, 82]


@pytest.mark.parametrize(
    ("query", "points"),
    [("dt", 8 + 8), ("ak", 1 + 1), ("rk", 1 + 4), ("the", 8 + 4 + 4 + 3 * 8), ("dm", 8 + 1)],
)
def test_a_letter_counts_by_what_is_before_it(query, points):
    assert score(query, "Dark theme") == points


@pytest.mark.parametrize(
    ("query", "text", "points"),
    [
        ("", "", 0),
        ("", "x" * 32, -2),
        ("a", "", None),
        ("a", "a", 8 + 16),
        ("a", "ab", 8 + 8),
        ("a", "ba", 1),
        ("a", "b-a", 8 + 16),
        ("ab", "axab", 8 + 1),
        ("ab", "a xab", 8 + 1),
        ("bc", "abc bxc", 8 + 1),
        ("aa", "aa", 8 + 4 + 32),
        ("aa", "a", None),
        ("a b", "a b", 8 + 8 + 48),
        (" a ", "xa a", 8 + 16),
        (".", ".", 8 + 16),
        ("b", "a_b", 8),
    ],
)
def test_scores_are_exact(query, text, points):
    assert score(query, text) == points
