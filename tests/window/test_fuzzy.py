"""Which commands people mean by what they type."""

import pytest

from guiapp.window.actions import ROWS
from guiapp.window.command_palette import rank

TEXTS = {row.name: row for row in ROWS}


def matching_names(typed, keys=()):
    """The names of the actions that fit, the best first."""
    ranks = {name: rank(typed.split(), row, list(keys)) for name, row in TEXTS.items()}
    return sorted((name for name, fit in ranks.items() if fit is not None), key=ranks.__getitem__)


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("dark", "theme:dark"),
        ("darkth", "theme:dark"),
        ("theme dark", "theme:dark"),
        ("omf", "open_model"),
        ("und", "undo"),
        ("tree", "tree"),
        ("hunt", "hunt"),
        ("palette", "palette"),
        ("grep", "find"),
    ],
)
def test_the_command_that_is_meant_comes_first(typed, first):
    assert matching_names(typed)[0] == first


@pytest.mark.parametrize("typed", ["kd", "opnmdl", "tkn", "zq", "alte"])
def test_letters_that_are_scattered_over_a_name_find_nothing(typed):
    assert not matching_names(typed)


def test_all_words_must_fit_each_by_itself():
    assert "open_model" in matching_names("model open")
    assert "open_model" not in matching_names("model open nowhere")


def test_a_shortcut_ranks_its_own_command_first():
    row = TEXTS["find"]
    by_words = [fit for each in ROWS if (fit := rank(["f"], each, [])) is not None]
    assert rank(["f"], row, ["ctrl+f"]) <= min(by_words)
    assert rank(["ctrl+f"], row, ["ctrl+f"]) is not None
    assert rank(["ctrl+j"], row, ["ctrl+f"]) is None


def test_a_name_that_begins_so_comes_before_names_that_have_the_word():
    assert matching_names("lesson")[0] == "lessons"
