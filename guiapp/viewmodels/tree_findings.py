"""The statistics of the tree, counted in the background when somebody looks at them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from guiapp.core.tree.picture import TreePicture
from guiapp.core.tree.statistics import TreeStatistics, tree_statistics
from guiapp.core.vocab.merges import PairMerging
from guiapp.viewmodels.background import LatestJob, Progress
from guiapp.viewmodels.tree_model import TreeModel
from guiapp.viewmodels.workspace import Workspace


class TreeFindings(QObject):
    """Figures about the tree of a model.

    Signals:
        changed(): `statistics` is new.
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
        model.picture_changed.connect(self._begin_anew)

    @property
    def statistics(self) -> TreeStatistics | None:
        """None until they are wanted and counted."""
        return self._statistics

    def want(self) -> None:
        """Count them, if that was not done yet."""
        self._is_wanted = True
        picture, tokenizer = self._model.picture, self._workspace.tokenizer
        if picture is not None and self._statistics is None and not self.job.is_busy:
            merging = None if tokenizer is None else tokenizer.merging
            self.job.start(partial(_count, picture, merging))

    def close(self) -> None:
        """Stop all work; nothing is delivered any more."""
        self.job.wait()

    def _begin_anew(self) -> None:
        self.job.cancel()
        self._statistics = None
        self.changed.emit()
        if self._is_wanted:
            self.want()

    def _take(self, statistics: TreeStatistics) -> None:
        self._statistics = statistics
        self.changed.emit()


def _count(picture: TreePicture, merging: PairMerging | None, progress: Progress) -> TreeStatistics:
    return tree_statistics(picture, merging)
