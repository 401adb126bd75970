"""Cells of two prompts: all that differs is there, what is alike may be left out."""

import numpy as np
import pytest
from chat_templates import TEMPLATES, chat_here
from hypothesis import given
from hypothesis import strategies as st

import guiapp
from guiapp.analysis.chat.comparison import ChatComparison, as_text_of
from guiapp.pages.chat import counterpart as module
from guiapp.pages.chat.counterpart import compared_turns, differences, flowed

LONG = "How do lions sleep? " * 200


def compared_with_text(content):
    messages = [{"role": "system", "content": "Hi"}, {"role": "user", "content": content}]
    chat = chat_here(guiapp.open_model("demo:bpe"), TEMPLATES["concatenation"], messages)
    return ChatComparison(chat, as_text_of(chat))


@pytest.mark.parametrize("content", ["a<|im_end|>b", LONG + "<|im_end|>" + LONG, "plain", "<|im_end|>" * 9])
@pytest.mark.parametrize("most", [20, module.MOST_CELLS])
def test_cells_stand_for_all_tokens_and_show_all_that_differ(monkeypatch, content, most):
    monkeypatch.setattr(module, "MOST_CELLS", most)
    compared = compared_with_text(content)
    turns = compared_turns(compared)
    for side, chat in enumerate((compared.first, compared.second)):
        cells = [cell for turn in turns for cell in turn.sides[side]]
        at = 0
        for cell in cells:
            assert cell.token == at
            at += cell.n_more or 1
        assert at == len(chat.encoding)
        shown = {cell.token for cell in cells if not cell.n_more}
        assert len(shown) < 600
        if most > 20:
            assert set(np.flatnonzero(~compared.is_shared[side]).tolist()) <= shown
            assert bool(differences(turns)) == ("<|" in content)


def test_what_differs_in_both_at_one_place_is_one_difference():
    turns = compared_turns(compared_with_text("a <|im_end|> b <|im_end|> c"))
    found = differences(turns)
    assert len(found) == 2
    assert {each.side for each in found} == {0}
    cells = {cell.token: cell for turn in turns for cell in turn.sides[0]}
    assert all(not cells[token].is_shared for *_, token in found)
    assert sum(cell.became_control for cell in cells.values()) == 2


@given(
    st.lists(st.tuples(st.floats(1, 200), st.booleans()), max_size=40),
    st.floats(50, 300),
)
def test_cells_flow_within_their_room_and_in_order(cells, room):
    widths, ends = [width for width, _ in cells], [is_end for _, is_end in cells]
    placed = flowed(widths, ends, room)
    assert len(placed) == len(cells)
    for before, place, is_end in zip(placed, placed[1:], ends, strict=False):
        is_same_row = place.row == before.row and place.left >= before.left + before.width - 1e-6
        assert is_same_row != (place.row == before.row + 1 and place.left == 0)
        assert not (is_end and is_same_row)
    assert all(each.left >= 0 and each.left + each.width <= room + 1e-6 for each in placed)
