"""Pictures of the token tree alone, made without a window or a display."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtWidgets import QApplication

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.tree.reports import Subtree
from guiapp.core.open_model import open_model
from guiapp.core.text.visible_text import visible_text
from guiapp.errors import TokenloupeError
from guiapp.kit.document.files import write_text
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.state.spelling import SharedSpelling
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.tree.appearance import TreePaint
from guiapp.pages.tree.geometry import View
from guiapp.pages.tree.model import TreeModel, TreeSearch
from guiapp.pages.tree.saving_view import Drawing, save_picture, svg_of
from guiapp.pages.tree.view import TreeView
from guiapp.window.app import make_application
from guiapp.window.screenshots import PATIENCE_MS, UNFINISHED

TICK_MS = 20


@dataclass(frozen=True)
class TreeImageOptions:
    """How a picture of the tree looks; `coloring` is a name of COLORINGS."""

    shape: str = "sunburst"
    theme: str = "dark"
    coloring: str = "script"
    size: tuple[int, int] = (1600, 1000)
    scale: float = 1.0
    spelling: Spelling = Spelling.SIGNS


def save_tree_picture(
    model: str, pre: str | None, prefix: bytes, style: TreeImageOptions, path: Path
) -> None:
    """Draw the tokens that begin with `prefix`: shapes and text if the path ends in .svg, else pixels.

    `pre` as in `open_model`.
    """
    tokenizer = open_model(model, pre)
    branch = Subtree(tokenizer.vocabulary, prefix)
    if prefix and not len(branch.tokens):
        raise TokenloupeError(f"No token begins with “{visible_text(prefix)}”.")
    application = make_application()
    spelling = SharedSpelling(style.spelling)
    session = ModelSession(TextSession(b""), load=lambda *asked: tokenizer, spelling=spelling)
    tree = TreeModel(session)
    search = TreeSearch(tree)
    theme_source = ThemeSource(application, style.theme)
    paint = TreePaint(tree, search, theme_source)
    view = TreeView(tree, search, paint, theme_source)
    view.set_animated(False)
    view.resize(*style.size)
    tree.set_shape(style.shape)
    tree.set_coloring(style.coloring)
    try:
        session.loader.open(model)
        _wait_until(application, lambda: view.geometry_now is not None and paint.is_current)
        if prefix:
            tree.set_view(_view_of(tree, branch))
        view.show_at_once()
        geometry = view.geometry_now
        if path.suffix.lower() == ".svg" and geometry is not None:
            write_text(path, svg_of(Drawing.of(view, tree, geometry)))
        else:
            save_picture(view, style.scale, str(path))
    finally:
        for part in (paint, search, tree, session):
            part.close()


def _view_of(tree: TreeModel, branch: Subtree) -> View:
    """What all tokens of a branch lie in."""
    assert tree.picture is not None
    spans = [
        tree.picture.span(tree.picture.node(token)) for token in branch.tokens[branch.levels == 1].tolist()
    ]
    return float(min(start for start, _ in spans)), float(max(end for _, end in spans))


def _wait_until(application: QApplication, is_done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while not is_done() and time.monotonic() < deadline:
        application.processEvents()
        time.sleep(TICK_MS / 1000)
    if not is_done():
        raise TokenloupeError(UNFINISHED.format(PATIENCE_MS // 1000))
