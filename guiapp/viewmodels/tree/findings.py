"""The statistics of the tree, counted in the background when somebody looks at them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from guiapp.core.tree.picture import TreePicture
from guiapp.core.tree.producible import Producible
from guiapp.core.tree.producible_worker import producible_apart
from guiapp.core.tree.statistics import Finding, TreeStatistics, producible_findings, tree_statistics
from guiapp.viewmodels.background import LatestJob, Progress
from guiapp.viewmodels.tree.model import TreeModel
from guiapp.viewmodels.workspace import Workspace


class TreeFindings(QObject):
    """Figures about the tree of a model.

    Signals:
        changed(): `statistics`, `findings` or `problem` is new.
    """

    changed = Signal()

    def __init__(self, model: TreeModel, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._workspace = workspace
        self._statistics: TreeStatistics | None = None
        self._is_wanted = False
        self.job = LatestJob[TreeStatistics](self)
        self.job.done.connect(self._take)
        self._producible: Producible | None = None
        self.trying = LatestJob[Producible](self)
        self.trying.done.connect(self._take_producible)
        self.trying.failed.connect(self._fail)
        self._problem = ""
        model.picture_changed.connect(self._begin_anew)
        model.preparing_changed.connect(self.changed)

    @property
    def statistics(self) -> TreeStatistics | None:
        """None until they are wanted and counted."""
        return self._statistics

    @property
    def is_coming(self) -> bool:
        """Whether statistics follow; else there is no model."""
        return self._statistics is None and self._model.is_preparing

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All figures; the last ones follow later, when `producible` is known."""
        if self._statistics is None:
            return ()
        more = () if self._producible is None else producible_findings(self._producible)
        return self._statistics.findings + more

    @property
    def producible(self) -> Producible | None:
        """Which tokens no text leads to; None until that was tried."""
        return self._producible

    @property
    def problem(self) -> str:
        """Why `producible` will not follow; "" while it may."""
        return self._problem

    def want(self) -> None:
        """Count them, if that was not done yet."""
        self._is_wanted = True
        picture = self._model.picture
        if picture is not None and self._statistics is None and not self.job.is_busy:
            self.job.start(partial(_count, picture))

    def close(self) -> None:
        """Stop all work; nothing is delivered any more."""
        self.job.wait()
        self.trying.wait()

    def _begin_anew(self) -> None:
        self.job.cancel()
        self.trying.cancel()
        self._statistics = self._producible = None
        self._problem = ""
        self.changed.emit()
        if self._is_wanted:
            self.want()

    def _take(self, statistics: TreeStatistics) -> None:
        self._statistics = statistics
        tokenizer = self._workspace.tokenizer
        if tokenizer is not None:
            self.trying.start(partial(producible_apart, tokenizer))
        self.changed.emit()

    def _fail(self, problem: str) -> None:
        self._problem = problem
        self.changed.emit()

    def _take_producible(self, found: Producible) -> None:
        self._producible = found
        self.changed.emit()


def _count(picture: TreePicture, progress: Progress) -> TreeStatistics:
    return tree_statistics(picture)
