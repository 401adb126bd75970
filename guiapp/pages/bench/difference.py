"""From a contender whose ids differ to the place in its text where they do first."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.bench.differences import Place, first_difference
from guiapp.analysis.bench.measurement import Record
from guiapp.analysis.bench.plan import Plan, whole_path
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import LatestJob, Working


class DifferenceFinder(Working):
    """Puts the text of a result into the session, and selects the place.

    Signals:
        failed(str): why it cannot.
    """

    failed = Signal(str)

    def __init__(self, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._job = LatestJob[Place](self, self._show, self.failed)

    def open(self, result: Record, plan: Plan) -> None:
        tokenizer, model = self._session.tokenizer, self._session.loader.model
        if tokenizer is None or model is None or whole_path(str(model.name)) != whole_path(plan.model):
            self.failed.emit(f"This run is of {plan.model}. Open that model to see where tokens differ.")
            return
        if tokenizer.vocabulary.chosen_pre != (plan.pre or ""):
            split = f"as “{plan.pre}”, chosen by hand" if plan.pre else "as the file asks"
            self.failed.emit(f"This run split text {split}. Choose the same to see where tokens differ.")
            return
        self._job.start(lambda _: first_difference(result, plan, tokenizer))

    def _show(self, place: Place) -> None:
        document = self._session.document
        if document.text() != place.text:
            self._session.text.show(place.text)
        end = document.next_grapheme(place.start)  # tokens may hold part of a character
        self._session.text.point_out(place.start, max(place.end, end))
