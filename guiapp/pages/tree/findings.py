"""The statistics of the tree, counted in the background when somebody looks at them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.tree.statistics import Finding, TreeStatistics, tree_statistics, unreached_finding
from guiapp.analysis.tree.trials import Ids, unreached_apart
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import LatestJob, Working
from guiapp.pages.tree.model import TreeModel


class TreeFindings(Working):
    """Figures about the tree of a model.

    statistics  None until they are wanted and counted
    unreached   the tokens that none of the trials led to; None until they were made
    problem     why `unreached` will not follow; "" while it may

    Signals:
        changed(): `statistics`, `findings` or `problem` is new.
    """

    changed = Signal()

    def __init__(self, model: TreeModel, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._session = session
        self.statistics: TreeStatistics | None = None
        self._is_wanted = False
        self.job = LatestJob[TreeStatistics](self, self._take)
        self.unreached: Ids | None = None
        self.trying = LatestJob[Ids](self, self._take_unreached, self._fail)
        self.problem = ""
        model.picture_changed.connect(self._begin_anew)
        model.preparing_changed.connect(self.changed)

    @property
    def is_coming(self) -> bool:
        """Whether statistics follow; else there is no model."""
        return self.statistics is None and self._model.is_preparing

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All figures; the last one follows later, when `unreached` is known."""
        if self.statistics is None:
            return ()
        more = () if self.unreached is None else (unreached_finding(self.unreached),)
        return self.statistics.findings + more

    def want(self) -> None:
        """Count them, if that was not done yet."""
        self._is_wanted = True
        picture = self._model.picture
        if picture is not None and self.statistics is None and not self.job.is_busy:
            self.job.start(lambda _: tree_statistics(picture))

    def _begin_anew(self) -> None:
        self.job.cancel()
        self.trying.cancel()
        self.statistics = self.unreached = None
        self.problem = ""
        self.changed.emit()
        if self._is_wanted:
            self.want()

    def _take(self, statistics: TreeStatistics) -> None:
        self.statistics = statistics
        tokenizer = self._session.tokenizer
        if tokenizer is not None:
            self.trying.start(partial(unreached_apart, tokenizer))
        self.changed.emit()

    def _fail(self, problem: str) -> None:
        self.problem = problem
        self.changed.emit()

    def _take_unreached(self, unreached: Ids) -> None:
        self.unreached = unreached
        self.changed.emit()
