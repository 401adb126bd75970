"""The search on the Tree page: what was found, and which of it is looked at."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal

from guiapp.core.tree.search import find_tokens
from guiapp.core.vocab.token_tree import TokenTree
from guiapp.viewmodels.background import LatestJob, Progress
from guiapp.viewmodels.tree_model import TreeModel

NONE_FOUND = np.zeros(0, np.int32)
PAUSE_MS = 120  # a search begins when typing pauses


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
        self._found = NONE_FOUND
        self._is_lit: NDArray[np.bool_] | None = None
        self._current: int | None = None
        self._problem = ""
        self.job = LatestJob[NDArray[np.int32]](self)
        self.job.done.connect(self._take)
        self.job.failed.connect(self._fail)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._start)
        model.picture_changed.connect(self._start)

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

    def _start(self) -> None:
        self._pause.stop()
        picture = self._model.picture
        if picture is None or not self._query:
            self.job.cancel()
            self._set(NONE_FOUND, "")
        else:
            self.job.start(partial(_search, picture.tree, self._query))

    def _take(self, tokens: NDArray[np.int32]) -> None:
        picture = self._model.picture
        assert picture is not None
        nodes = picture.arrays.nodes[tokens]
        arrays = picture.arrays
        self._set(nodes[np.lexsort((nodes, arrays.starts[nodes]))], "")

    def _fail(self, problem: str) -> None:
        self._set(NONE_FOUND, problem)

    def _set(self, found: NDArray[np.int32], problem: str) -> None:
        self._found, self._problem, self._current = found, problem, None
        self._is_lit = self._lit() if self._query and not problem else None
        self.found_changed.emit()

    def _lit(self) -> NDArray[np.bool_] | None:
        """Found nodes, and all above them."""
        picture = self._model.picture
        if picture is None:
            return None
        is_lit = np.zeros(len(picture), np.bool_)
        reached = self._found
        while len(reached):
            is_lit[reached] = True
            above = picture.arrays.parents[reached]
            reached = np.unique(above[above >= 0])
            reached = reached[~is_lit[reached]]
        return is_lit


def _search(tree: TokenTree, query: str, progress: Progress) -> NDArray[np.int32]:
    return find_tokens(tree, query, progress)
