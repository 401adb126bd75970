"""The tokens of each line beside the text."""

import random

import numpy as np
import pytest
from editor_hands import wheel
from pictures import paintings_of, settle
from PySide6.QtCore import Qt

from guiapp import open_model
from guiapp.core.encode.counting.cost import line_costs
from guiapp.kit.spans.frame import PointedOut

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
    assert (
        [cost.is_expensive for cost in costs] == [False, False, True, False] == (wanted.steps >= 2).tolist()
    )
    assert costs[2].share == 1.0
    shell.session.document.set_caret(0)
    qtbot.keyClick(shell.window.inspect_page.editor, Qt.Key.Key_X)
    assert margin.cost_of(0, 18).n_tokens >= 1
    action.trigger()
    assert not margin.isVisible()


@pytest.mark.parametrize("seed", range(2))
def test_the_margin_on_screen_is_what_painting_all_anew_would_show(make_shell, seed):
    shell = make_shell(b"".join(b"line %d%s\n" % (at, b" word" * (at % 60)) for at in range(300)))
    shell.window.actions_table["line_tokens"].trigger()
    panel, document, rng = shell.window.inspect_page.text_panel, shell.session.document, random.Random(seed)
    margin, editor = panel.margin, shell.window.inspect_page.editor

    def point_out():
        line = document.line_span(document.line_of(document.caret))
        margin.point_out(PointedOut(*line, *line))

    acts = {
        "wheel": lambda: wheel(editor, rng.choice((-2, -1, -1, -0.1, 1))),
        "type": lambda: editor.type_text(rng.choice(("a", "\n", "key 4f9c1e7a-2b60"))),
        "caret": lambda: document.set_caret(editor.rows.visible()[-2].start),
        "place": lambda: editor.place(rng.randrange(document.size), rng.randrange(200)),
        "count": lambda: panel.margin._costs._count(),
        "point out": point_out,
    }
    for step in range(60):
        name = rng.choice(list(acts))
        acts[name]()
        if step % 3 == 0:
            settle()
            shown = margin.screen().grabWindow(margin.winId()).toImage()
            anew = margin.grab().toImage().convertToFormat(shown.format())
            assert shown == anew, f"after step {step}, {name}"
