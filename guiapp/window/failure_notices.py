"""Turns what is wrong in the session into notices, and takes them away once it is right again."""

from __future__ import annotations

import os.path
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from guiapp.core.sources.locate import is_plain
from guiapp.kit.document.autosaved_texts import AutosavedTexts
from guiapp.kit.session.doctor_model import DoctorModel
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.notices import NoticeArea


class FailureNotices(QObject):
    """One notice each about the model, the text file, the tokens, settings and kept texts."""

    def __init__(
        self,
        area: NoticeArea,
        session: ModelSession,
        settings: Settings,
        autosaved_texts: AutosavedTexts,
        choose_pre: QAction,
        doctor: DoctorModel,
        show_doctor: QAction,
    ) -> None:
        super().__init__(area)
        self._doctor, self._show_doctor = doctor, show_doctor
        self._failed = ""
        self._examine = QAction("Examine", self)
        self._examine.triggered.connect(self._examine_failed)
        self._choose_pre = choose_pre
        self._area = area
        self._session = session
        session.loader.failed.connect(self._show_model_failure)
        session.loader.refused_changed.connect(self._show_refused_model)
        session.loader.loading_changed.connect(self._clear_model_failure)
        session.text.failed.connect(partial(area.show_notice, "text file"))
        session.text.file_changed.connect(partial(area.clear_notice, "text file"))
        session.spans.failed.connect(partial(self._show_with_circumstances, "encoding"))
        session.tokens_changed.connect(self._on_tokens_changed)
        session.round_trip.failed.connect(partial(self._show_with_circumstances, "decoding"))
        session.round_trip.changed.connect(partial(area.clear_notice, "decoding"))
        settings.failed.connect(partial(area.show_notice, "settings"))
        autosaved_texts.failed.connect(partial(area.show_notice, "kept text"))
        if (path := settings.unreadable) is not None:
            area.show_notice("settings", f"The settings could not be read. What was there is in {path}.")

    def _show_model_failure(self, name: str, message: str) -> None:
        self._failed = name
        is_there = is_plain(name) and os.path.exists(name)
        self._area.show_notice("model", message, f"Model: {name}", self._examine if is_there else None)

    def _examine_failed(self) -> None:
        self._area.clear_notice("model")  # the page says the same
        self._doctor.examine_file(self._failed)
        self._show_doctor.trigger()

    def _show_refused_model(self) -> None:
        refused = self._session.loader.refused
        if refused is not None:
            self._area.show_notice("model", refused.reason, f"Model: {refused.name}", self._choose_pre)

    def _clear_model_failure(self) -> None:
        if self._session.loader.loading_name is not None:
            self._area.clear_notice("model")

    def _on_tokens_changed(self) -> None:
        if not self._session.is_encoding:
            self._area.clear_notice("encoding")

    def _show_with_circumstances(self, subject: str, message: str) -> None:
        model = self._session.loader.model
        circumstances = f"Model: {model.name if model else 'none'}\nOptions: {self._session.options}"
        self._area.show_notice(subject, message, circumstances)
