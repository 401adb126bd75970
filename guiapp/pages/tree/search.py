"""What was found on the Tree page, by a search or by a figure, and which of it is looked at."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.search.matches import distances, find_tokens
from guiapp.analysis.tree.picture import TreePicture
from guiapp.kit.state.background import LatestJob, Progress, Working, later
from guiapp.pages.tree.model import TreeModel

PAUSE_MS = 120  # a search begins when typing pauses


class _Results(NamedTuple):
    """What was found, and under which title; see TreeSearch."""

    title: str
    nodes: NDArray[np.int32]
    is_lit: NDArray[np.bool_] | None


NOTHING = _Results("", np.zeros(0, np.int32), None)
FOUND = "Found"


class TreeSearch(Working):
    """Finds tokens of the tree, or has those that were found elsewhere.

    problem  why nothing could be searched
    current  which of the found nodes is looked at, from 0

    Signals:
        found_changed(): `title`, `result_nodes`, `is_lit` and `problem` are new.
        current_changed(): `current` is new.
    """

    found_changed = Signal()
    current_changed = Signal()

    def __init__(self, model: TreeModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._query = ""
        self._results = NOTHING
        self._awaited: tuple[str, NDArray[np.int32]] | None = None  # what to list once there is a picture
        self.current: int | None = None
        self.problem = ""
        self.job = LatestJob[_Results](self, self._take, self._fail)
        self._pause = later(self, PAUSE_MS, self._start)
        model.picture_changed.connect(self._on_picture_changed)

    @property
    def query(self) -> str:
        return self._query

    @property
    def title(self) -> str:
        """What the tokens are that were found; "" where nothing was looked for."""
        return self._results.title

    @property
    def result_nodes(self) -> NDArray[np.int32]:
        """The nodes of the tokens that were found: by a search the nearest first, from left to right."""
        return self._results.nodes

    @property
    def is_lit(self) -> NDArray[np.bool_] | None:
        """For each node whether it was found or leads to what was; None where nothing is searched."""
        return self._results.is_lit

    @property
    def current_node(self) -> int | None:
        return None if self.current is None else int(self.result_nodes[self.current])

    @property
    def is_in_view(self) -> bool:
        """Whether any of what was found can be seen without going there."""
        picture, (left, right) = self._model.picture, self._model.view
        if picture is None:
            return False
        starts, ends = picture.layout.starts[self.result_nodes], picture.layout.ends[self.result_nodes]
        return bool(((starts < right) & (ends > left)).any())

    def set_query(self, query: str) -> None:
        """Search for something when typing pauses; nothing is searched for "", and no list is kept."""
        if query == self._query and not (self.title and not query):
            return
        self._query = query
        if query:
            self._pause.start()
        else:
            self._start()

    def end(self) -> None:
        """Look for nothing any more."""
        self.set_query("")

    def list_tokens(self, title: str, tokens: NDArray[np.int32]) -> None:
        """Take some tokens for what was found, and look at the first; where there is no picture, later."""
        self._pause.stop()
        self._query = ""
        if self._model.picture is None:
            self._awaited = title, tokens
        else:
            self.job.start(partial(_list, self._model.picture, title, tokens))

    def step(self, by: int) -> None:
        """Look at the next of what was found, or the one before."""
        n_found = len(self.result_nodes)
        if n_found:
            first = 0 if by > 0 else n_found - 1
            self.go_to_result(first if self.current is None else (self.current + by) % n_found)

    def go_to_result(self, index: int) -> None:
        """Go to one of what was found."""
        if index != self.current:
            self.current = index
            self.current_changed.emit()
        node = int(self.result_nodes[index])
        self._model.choose(node)
        self._model.reveal(node)

    def _on_picture_changed(self) -> None:
        self._take(NOTHING)
        awaited, self._awaited = self._awaited, None  # of another vocabulary, where there is no picture again
        if awaited is not None and self._model.picture is not None:
            self.list_tokens(*awaited)
        else:
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

    def _take(self, results: _Results, problem: str = "") -> None:
        self._results = results
        self.problem, self.current = problem, None
        self.found_changed.emit()
        if results.title not in ("", FOUND) and len(results.nodes):
            self.go_to_result(0)


def _search(picture: TreePicture, query: str, progress: Progress) -> _Results:
    tokens = find_tokens(picture.tree, query, progress)
    nodes = picture.layout.nodes[tokens]
    nodes = nodes[np.lexsort((nodes, picture.layout.starts[nodes], distances(picture.tree, query, tokens)))]
    return _Results(FOUND, nodes, _lit(picture, nodes))


def _list(picture: TreePicture, title: str, tokens: NDArray[np.int32], progress: Progress) -> _Results:
    nodes = picture.layout.nodes[tokens]
    nodes = nodes[nodes >= 0]
    return _Results(title, nodes, _lit(picture, nodes))


def _lit(picture: TreePicture, nodes: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Some nodes, and all above them."""
    is_lit = np.zeros(len(picture), np.bool_)
    reached = nodes
    while len(reached):
        is_lit[reached] = True
        above = picture.layout.parents[reached]
        reached = np.unique(above[above >= 0])
        reached = reached[~is_lit[reached]]
    return is_lit
