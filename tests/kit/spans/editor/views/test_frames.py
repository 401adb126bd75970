"""What is painted again after a change, and that nothing is missed."""

import gc
import random

import numpy as np
import pytest
from editor_hands import wheel
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from guiapp.kit.spans.block import BlockLayout
from guiapp.kit.spans.frame import Divisions, PointedOut

TEXT = "\n".join(
    f"{number} lines of شعر and 漢字 in words that may reach a second row" for number in range(60)
)


def finish_painting(editor):
    for _ in range(3):
        QApplication.processEvents()
    while not editor.is_painted:
        QApplication.processEvents()


def on_screen(editor):
    """The pixels that were painted so far."""
    return editor.screen().grabWindow(editor.winId()).toImage().convertToFormat(QImage.Format.Format_RGB32)


def repainted(editor):
    return editor.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


@pytest.mark.parametrize("seed", range(8))
def test_the_screen_matches_a_full_repaint(opened, seed):
    editor = opened(TEXT if seed % 2 else "one two\nthree " * seed)
    editor.set_frame_time(seed % 3 / 2, goes_gently=seed % 4 > 1)
    rng, document = random.Random(seed), editor.document

    def place():
        return document.caret_stop(rng.randrange(document.size + 1))

    def a_line():
        line = document.line_span(document.line_of(place()))
        return PointedOut(*sorted(rng.choices(line, k=2)), *line)

    def some_divisions():
        cuts, *parts = (np.sort([place() for _ in range(2 * rng.randrange(4))]) for _ in range(3))
        return Divisions(
            cuts.astype(int), "{} tokens".format, *(each.reshape(-1, 2).astype(int) for each in parts)
        )

    acts = {
        "type": lambda: editor.type_text(rng.choice(("a", " ", "\n", "字", "word " * 20))),
        "erase": lambda: editor.erase_word_before(),
        "caret": lambda: document.set_caret(place()),
        "reveal": lambda: editor.reveal(document.caret, document.caret),
        "select": lambda: document.select(place(), place()),
        "undo": lambda: editor.undo() if document.can_undo else None,
        "token": lambda: editor.set_selected_token(rng.randrange(40)),
        "hover": lambda: editor.set_hovered_token(rng.randrange(40)),
        "wheel": lambda: wheel(editor, rng.choice((-1, 1, -5, 5))),
        "zoom": lambda: editor.zoom(rng.choice((-1, 1))),
        "resize": lambda: editor.resize(rng.randrange(300, 700), rng.randrange(100, 400)),
        "divide": lambda: editor.set_divisions(rng.choice((None, some_divisions()))),
        "point out": lambda: editor.point_out(rng.choice((None, a_line()))),
        "place": lambda: editor.show_at(place(), rng.randrange(200)),
        "frames": lambda: finish_painting(editor),
        "pixels": lambda: editor.grab(),
    }
    for step in range(60):
        name = rng.choice(list(acts))
        acts[name]()
        if step % 3 == 0:
            finish_painting(editor)
            assert on_screen(editor) == repainted(editor), f"after step {step}, {name}"


def test_blocks_that_were_typed_over_are_let_go(opened, monkeypatch):
    monkeypatch.setattr("guiapp.kit.spans.rows.MOST_LAYOUTS", 3)
    editor = opened("شعر")

    def n_layouts():
        gc.collect()
        return sum(isinstance(each, BlockLayout) for each in gc.get_objects())

    def type_words(count):
        for _ in range(count):
            editor.type_text("ش ")
            finish_painting(editor)

    type_words(5)
    before = n_layouts()
    type_words(30)
    assert n_layouts() <= before
