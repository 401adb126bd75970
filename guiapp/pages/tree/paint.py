"""The colours that the nodes of the tree are painted in, made off the GUI thread."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.tree.coloring import NodeValues
from guiapp.analysis.tree.painting import NodeColors
from guiapp.analysis.tree.picture import TreePicture
from guiapp.kit.state.background import LatestJob, Progress, Working
from guiapp.kit.widgets.theme import Theme, ThemeSource
from guiapp.pages.tree.colors import dimmed, node_colors, number
from guiapp.pages.tree.model import TreeModel
from guiapp.pages.tree.search import TreeSearch


class TreePaint(Working):
    """The colours for what a model shows and a search found, in the present theme.

    Signals:
        changed(): `colors` is new.
    """

    changed = Signal()

    def __init__(
        self, model: TreeModel, search: TreeSearch, theme_source: ThemeSource, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._search = search
        self._theme_source = theme_source
        self._colors: NodeColors | None = None
        self._lit_class: int | None = None
        self._title = ""  # of what the classes are
        self.job = LatestJob[NodeColors](self, self._take)
        model.values_changed.connect(self._start)
        model.picture_changed.connect(self._begin_anew)
        search.found_changed.connect(self._start)
        model.chosen_changed.connect(self._follow_chosen)
        theme_source.changed.connect(self._start)
        self._start()

    @property
    def colors(self) -> NodeColors | None:
        """Those of the present picture; None until they are made."""
        return self._colors

    @property
    def is_current(self) -> bool:
        """Whether no newer colours are on their way."""
        return not (self.job.is_busy or self._model.evaluating.is_busy)

    @property
    def lit_class(self) -> int | None:
        """The only class that is not dimmed; None where all are shown."""
        return self._lit_class

    def light_class(self, number: int | None) -> None:
        """Dim all nodes but those of one class, as long as the tree is coloured by such classes."""
        if number != self._lit_class:
            self._lit_class = number
            self._start()

    def _begin_anew(self) -> None:
        self._colors = None
        self.changed.emit()
        self._start()

    def _follow_chosen(self) -> None:
        """Where a search dims all else, leave the way to what is looked at as bright as it was."""
        if self._search.is_lit is not None:
            self._start()

    def _start(self) -> None:
        picture, values = self._model.picture, self._model.values
        if picture is None or values is None:
            self.job.cancel()
        else:
            if values.title != self._title:
                self._title, self._lit_class = values.title, None
            is_lit, theme = self._search.is_lit, self._theme_source.theme
            if is_lit is not None:
                is_lit = is_lit.copy()
                is_lit[self._model.chosen_path] = True
            self.job.start(partial(_paint, picture, values, is_lit, self._lit_class, theme))

    def _take(self, colors: NodeColors) -> None:
        self._colors = colors
        self.changed.emit()


def _paint(
    picture: TreePicture,
    values: NodeValues,
    is_lit: NDArray[np.bool_] | None,
    lit_class: int | None,
    theme: Theme,
    progress: Progress,
) -> NodeColors:
    colors = node_colors(picture, values, theme)
    if lit_class is not None:
        is_of_class = values.classes == lit_class
        is_lit = is_of_class if is_lit is None else is_of_class & is_lit
    if is_lit is not None:
        colors = dimmed(colors, is_lit, theme)
    progress(0.5)
    made = NodeColors(picture, colors, number(theme.background), is_lit)
    _ = made.painter  # made here rather than in the first frame
    return made
