"""The tokens of each line beside the text."""

import numpy as np
import pytest
from pictures import paintings_of
from PySide6.QtCore import Qt

from guiapp import open_model
from guiapp.core.counting.cost import line_costs

TEXT = b"A line of words.\n\nkey 4f9c1e7a-2b60-4d8e\nand more (of) it"


def open_demo(name, pre, progress):
    return open_model(name)


@pytest.mark.parametrize("model", ["demo:bpe", "demo:wordpiece"])
def test_the_margin_tells_the_tokens_of_each_line_and_marks_the_dear_one(make_shell, qtbot, model):
    shell = make_shell(TEXT, model, open_demo)
    margin, action = shell.window.inspect_page.text_panel.margin, shell.window.actions_table["line_tokens"]
    assert not margin.isVisible()
    action.trigger()
    assert (margin.isVisible(), shell.settings.shows_line_tokens) == (True, True)
    encoding = shell.session.tokenizer.encode(TEXT)
    starts, ends = encoding.spans.T
    wanted = line_costs(np.frombuffer(TEXT, np.uint8), starts, ends)
    drawn = paintings_of(margin)
    numbers = [text.strip() for text, _ in drawn.texts]
    assert numbers == ["1", *map(str, wanted.n_tokens.tolist())]  # the first beside BOS
    costs = [
        margin.cost_of(int(start), int(end)) for start, end in zip(wanted.starts, wanted.ends, strict=True)
    ]
    assert [cost.is_dear for cost in costs] == [False, False, True, False] == (wanted.steps >= 2).tolist()
    assert costs[2].share == 1.0
    shell.session.document.set_caret(0)
    qtbot.keyClick(shell.window.inspect_page.editor, Qt.Key.Key_X)
    assert margin.cost_of(0, 18).n_tokens >= 1
    action.trigger()
    assert not margin.isVisible()
