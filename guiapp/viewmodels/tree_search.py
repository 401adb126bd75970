"""The search on the Tree page: what was found, and which of it is looked at."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal

from guiapp.core.tree.picture import TreePicture
from guiapp.core.tree.search import find_tokens
from guiapp.viewmodels.background import LatestJob, Progress
from guiapp.viewmodels.tree_model import TreeModel

PAUSE_MS = 120  # a search begins when typing pauses


class _Found(NamedTuple):
    """What a search found; see TreeSearch."""

    nodes: NDArray[np.int32]
    is_lit: NDArray[np.bool_] | None


NOTHING = _Found(np.zeros(0, np.int32), None)


class TreeSearch(QObject):
    """Finds tokens of the tree.

    Signals:
        found_changed(): `found_nodes`, `is_lit` and `problem` are new.
        current_changed(): `current` is new.
    """

    found_changed = Signal()
    current_changed = Signal()

    def __init__(self, model: TreeModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._query = ""
        self._found = NOTHING.nodes
        self._is_lit: NDArray[np.bool_] | None = None
        self._current: int | None = None
        self._problem = ""
        self.job = LatestJob[_Found](self)
        self.job.done.connect(self._take)
        self.job.failed.connect(self._fail)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._start)
        model.picture_changed.connect(self._begin_anew)

    @property
    def query(self) -> str:
        return self._query

    @property
    def found_nodes(self) -> NDArray[np.int32]:
        """The nodes of the tokens that were found, from left to right."""
        return self._found

    @property
    def is_lit(self) -> NDArray[np.bool_] | None:
        """For each node whether it was found or leads to what was; None where nothing is searched."""
        return self._is_lit

    @property
    def problem(self) -> str:
        """Why nothing could be searched."""
        return self._problem

    @property
    def current(self) -> int | None:
        """Which of the found nodes is looked at, from 0."""
        return self._current

    @property
    def current_node(self) -> int | None:
        return None if self._current is None else int(self._found[self._current])

    def set_query(self, query: str) -> None:
        """Search for something when typing pauses; nothing is searched for ""."""
        if query == self._query:
            return
        self._query = query
        if query:
            self._pause.start()
        else:
            self._start()

    def step(self, by: int) -> None:
        """Look at the next of what was found, or the one before."""
        if not len(self._found):
            return
        first = 0 if by > 0 else len(self._found) - 1
        self.look_at(first if self._current is None else (self._current + by) % len(self._found))

    def look_at(self, index: int) -> None:
        """Go to one of what was found."""
        self._current = index
        self.current_changed.emit()
        self._model.choose(int(self._found[index]))
        self._model.reveal(int(self._found[index]))

    def close(self) -> None:
        """Stop all work; nothing is delivered any more."""
        self._pause.stop()
        self.job.wait()

    def _begin_anew(self) -> None:
        self._take(NOTHING)
        self._start()

    def _start(self) -> None:
        self._pause.stop()
        picture = self._model.picture
        if picture is None or not self._query:
            self.job.cancel()
            self._take(NOTHING)
        else:
            self.job.start(partial(_search, picture, self._query))

    def _fail(self, problem: str) -> None:
        self._take(NOTHING, problem)

    def _take(self, found: _Found, problem: str = "") -> None:
        self._found, self._is_lit = found
        self._problem, self._current = problem, None
        self.found_changed.emit()


def _search(picture: TreePicture, query: str, progress: Progress) -> _Found:
    nodes = picture.arrays.nodes[find_tokens(picture.tree, query, progress)]
    nodes = nodes[np.lexsort((nodes, picture.arrays.starts[nodes]))]
    return _Found(nodes, _lit(picture, nodes))


def _lit(picture: TreePicture, nodes: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Some nodes, and all above them."""
    is_lit = np.zeros(len(picture), np.bool_)
    reached = nodes
    while len(reached):
        is_lit[reached] = True
        above = picture.arrays.parents[reached]
        reached = np.unique(above[above >= 0])
        reached = reached[~is_lit[reached]]
    return is_lit
