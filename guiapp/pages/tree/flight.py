"""The way from one view of the tree to the next, and from one shape to the other."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QVariantAnimation, Signal

from guiapp.kit.state.background import later
from guiapp.pages.tree.geometry import View, on_the_way
from guiapp.pages.tree.model import TreeModel

MOVE_MS = 180
BEND_MS = 320
SETTLE_MS = 90  # after the last movement


class TreeFlight(QObject):
    """Follows the view and the shape of a model, in steps where `may_fly` allows it.

    Signals:
        moved(): `view` is new.
        bent(): `roundness` is new.
        settled(): nothing has moved for a moment.
    """

    moved = Signal()
    bent = Signal()
    settled = Signal()

    def __init__(self, model: TreeModel, may_fly: Callable[[], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._may_fly = may_fly
        self._view = self._start = model.view
        self._roundness = self._target_roundness
        self._moving = self._animation(MOVE_MS, self._move)
        self._bending = self._animation(BEND_MS, self._bend)
        self._settling = later(self, SETTLE_MS, self.settled)
        model.view_changed.connect(self._on_view_changed)
        model.shape_changed.connect(self._on_shape_changed)

    @property
    def view(self) -> View:
        """What is in view at this moment, on the way to the model's view."""
        return self._view

    @property
    def roundness(self) -> float:
        """0 for an icicle, 1 for a sunburst, on the way from one to the other in between."""
        return self._roundness

    @property
    def is_bending(self) -> bool:
        return 0.0 < self._roundness < 1.0

    @property
    def is_moving(self) -> bool:
        """Whether something moved a moment ago."""
        return self._settling.isActive()

    @property
    def is_stable(self) -> bool:
        stopped = QVariantAnimation.State.Stopped
        return self._moving.state() == self._bending.state() == stopped and not self.is_moving

    def land(self) -> None:
        """Be where the model is, at once."""
        for movement in (self._moving, self._bending, self._settling):
            movement.stop()
        self._view, self._roundness = self._model.view, self._target_roundness

    @property
    def _target_roundness(self) -> float:
        return 1.0 if self._model.shape == "sunburst" else 0.0

    def _animation(self, duration_ms: int, step: Callable[[object], None]) -> QVariantAnimation:
        animation = QVariantAnimation(self, startValue=0.0, endValue=1.0, duration=duration_ms)
        animation.valueChanged.connect(step)
        return animation

    def _on_view_changed(self) -> None:
        self._moving.stop()
        if self._may_fly():
            self._start = self._view
            self._moving.start()
        else:
            self._move(1.0)

    def _move(self, share: object) -> None:
        assert isinstance(share, float)
        eased = 1 - (1 - share) ** 3
        self._view = self._model.view if share >= 1 else on_the_way(self._start, self._model.view, eased)
        self._settling.start()
        self.moved.emit()

    def _on_shape_changed(self) -> None:
        self._bending.stop()
        if self._may_fly() and self._model.picture is not None:
            self._bending.start()
        else:
            self.land()
            self.bent.emit()

    def _bend(self, share: object) -> None:
        assert isinstance(share, float)
        eased = share * share * (3 - 2 * share)
        self._roundness = eased if self._model.shape == "sunburst" else 1 - eased
        self.bent.emit()
