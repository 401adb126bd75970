"""The button that runs and stops: it means what it meant when the finger moved."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton

from guiapp.kit.state.background import later
from guiapp.kit.widgets.theme import set_role
from guiapp.pages.bench.model import BenchModel

SETTLING_MS = 600  # for which it does nothing when what it does has changed: longer than a double click


class RunButton(QPushButton):
    """Starts what a `BenchModel` has chosen, and stops it."""

    def __init__(self, model: BenchModel) -> None:
        super().__init__()
        self._model = model
        self._was_running, self._is_stopping = False, False
        self._settling = later(self, SETTLING_MS, self._refresh)
        self.clicked.connect(self._run_or_stop)
        model.choice.changed.connect(self._refresh)
        model.running_changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        """Say what it does now; right after that has changed, it does nothing and says why it did."""
        model = self._model
        if model.is_running != self._was_running:
            self._was_running, self._is_stopping = model.is_running, False
            self._settling.start()
        settled = "Stopping …" if self._is_stopping else "Stop" if model.is_running else "Run"
        settling = "Starting …" if model.is_running else "Done"
        self.setText(settling if self._settling.isActive() else settled)
        self.setEnabled(model.is_running or model.can_run)
        role = "raised" if model.is_running else "primary"
        if self.property("role") != role:
            set_role(self, role)

    def _run_or_stop(self) -> None:
        if self._settling.isActive():
            self._settling.start()  # it waits until whoever meant what it did before has let go
        elif self._model.is_running:
            self._is_stopping = True
            self._model.stop()
            self._refresh()
        else:
            self._model.run()
