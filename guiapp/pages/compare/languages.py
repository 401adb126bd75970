"""A folder of parallel texts in tokens of the compared models, and what its languages are called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QLocale, QObject, Signal

from guiapp.analysis.compare.comparison import ModelSide
from guiapp.analysis.languages.languages import Languages, compare_languages, usual_reference
from guiapp.core.text.numbers_in_words import quoted
from guiapp.kit.session.model_session import ComparedModels, ModelSession
from guiapp.kit.state.background import Background, NotReadyError, Progress, Working
from guiapp.pages.compare.models import model_names

WIDER = {
    "als": "sqi", "arb": "ara", "azj": "aze", "gaz": "orm", "khk": "mon", "kmr": "kur", "lvs": "lav",
    "npi": "nep", "ory": "ori", "pbt": "pus", "pes": "fas", "plt": "mlg", "quy": "que", "swh": "swa",
    "tgl": "fil", "twi": "aka", "uzn": "uzb", "ydd": "yid", "zsm": "msa",
}  # fmt: skip
"""By codes of ISO 639-3 that Qt does not know, those of the languages that they belong to."""


class LanguagesModel(Working):
    """Counts again when models, their encoders or the folder are others; the newest counts win.

    folder   None until one is chosen
    row      which model is looked at

    Signals:
        changed(): `compared`, `row`, or how the counting goes is new.
    """

    changed = Signal()

    def __init__(self, models: ComparedModels, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._models = models
        self.folder: Path | None = None
        self._reference, self._row = "", 0
        self._basis: tuple[object, ...] = ()
        self._followed: list[ModelSession] = []
        self.counting = Background[Languages](self, self._prepare)
        self.counting.changed.connect(self.changed)
        models.models_changed.connect(self._on_models_changed)
        self._on_models_changed()

    @property
    def compared(self) -> Languages | None:
        """The counts, with premiums against the language that was chosen, if it is among them."""
        value = self.counting.value
        return value.against(self._reference) if value and self._reference in value.languages else value

    @property
    def row(self) -> int:
        return self._row if self.compared and self._row < len(self.compared.models) else 0

    def open_folder(self, folder: Path) -> None:
        self.folder = folder
        self.counting.forget()
        self.counting.refresh()
        self.changed.emit()

    def choose_model(self, row: int) -> None:
        self._row = row
        self.changed.emit()

    def choose_reference(self, language: str) -> None:
        self._reference = language
        self.changed.emit()

    def cancel(self) -> None:
        self.counting.cancel()
        self.changed.emit()

    def count_again(self) -> None:
        self.counting.refresh()
        self.changed.emit()

    def _on_models_changed(self) -> None:
        sessions = self._models.sessions
        for session in sessions:
            if session not in self._followed:
                session.options_changed.connect(self._count_if_needed)
        self._followed = [*sessions]
        self._count_if_needed()

    def _count_if_needed(self) -> None:
        """Switches for special tokens make no difference."""
        loaders = [session.loader for session in self._models.sessions]
        basis = tuple(
            (session.tokenizer, session.options.encoder, session.loader.loading_name)
            for session in self._models.sessions
        )
        if basis != self._basis and not any(loader.loading_name for loader in loaders):
            self.counting.refresh()
        self._basis = basis
        self.changed.emit()

    def _prepare(self) -> Callable[[Progress], Languages] | None:
        if any(session.loader.loading_name is not None for session in self._models.sessions):
            raise NotReadyError
        sessions = [session for session in self._models.sessions if session.tokenizer is not None]
        if self.folder is None or not sessions:
            return None
        sides = [
            ModelSide(name, session.tokenizer, session.options.encoder)
            for session, name in zip(sessions, model_names(sessions), strict=True)
            if session.tokenizer is not None
        ]
        return partial(_counted, sides, self.folder, self._reference)


def _counted(sides: Sequence[ModelSide], folder: Path, reference: str, progress: Progress) -> Languages:
    return compare_languages(sides, folder, usual_reference(folder, reference), progress)


def language_names(codes: Sequence[str]) -> dict[str, str]:
    """`Thai` for `tha_Thai`, with the script where two would be alike; a code that nobody knows stays."""
    names = {code: _name(code) for code in codes}
    found = list(names.values())
    return {
        code: f"{name} ({_script(code)})" if found.count(name) > 1 and _script(code) else name
        for code, name in names.items()
    }


def _name(code: str) -> str:
    part = code.partition("_")[0].lower()
    language = QLocale.codeToLanguage(WIDER.get(part, part))
    is_known = language not in (QLocale.Language.AnyLanguage, QLocale.Language.C)
    return QLocale.languageToString(language) if is_known else quoted(code)


def _script(code: str) -> str:
    script = QLocale.codeToScript(code.partition("_")[2])
    return "" if script is QLocale.Script.AnyScript else QLocale.scriptToString(script)
