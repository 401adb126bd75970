"""A folder of parallel texts in tokens of the compared models, and the names of its languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QLocale, QObject, Signal

from guiapp.analysis.compare.comparison import ModelSide
from guiapp.analysis.languages.languages import Languages, compare_languages, usual_reference
from guiapp.core.text.numbers_in_words import quoted
from guiapp.kit.session.model_session import ComparedModels, ModelSession
from guiapp.kit.state.background import Background, Progress, Working
from guiapp.pages.compare.models import model_names

WIDER = {
    "als": "sqi", "arb": "ara", "azj": "aze", "gaz": "orm", "khk": "mon", "kmr": "kur", "lvs": "lav",
    "npi": "nep", "ory": "ori", "pbt": "pus", "pes": "fas", "plt": "mlg", "quy": "que", "swh": "swa",
    "tgl": "fil", "twi": "aka", "uzn": "uzb", "ydd": "yid", "zsm": "msa",
}  # fmt: skip
"""By ISO 639-3 codes that Qt does not know, the code of the macrolanguage, or of an equivalent language."""


class LanguagesModel(Working):
    """Counts again when the folder, the models or their encoders change.

    folder   None until one is chosen
    row      the row of the current model

    Signals:
        changed(): `compared`, `row`, or the state of counting is new.
    """

    changed = Signal()

    def __init__(self, models: ComparedModels, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._models = models
        self.folder: Path | None = None
        self._reference, self._row = "", 0
        self._basis: list[object] = []
        self._sessions: list[ModelSession] = []
        self.counting = Background[Languages](self, self._prepare)
        self.counting.changed.connect(self.changed)
        models.models_changed.connect(self._on_models_changed)
        self._on_models_changed()

    @property
    def compared(self) -> Languages | None:
        """The counts, with premiums relative to the chosen language, if it is among them."""
        value = self.counting.value
        return value.against(self._reference) if value and self._reference in value.languages else value

    @property
    def row(self) -> int:
        return self._row if self.compared and self._row < len(self.compared.models) else 0

    @property
    def is_opening(self) -> bool:
        return any(session.loader.loading_name is not None for session in self._sessions)

    def open_folder(self, folder: Path) -> None:
        self.folder = folder
        self.count_again()

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
        self.counting.forget()
        self.counting.refresh()
        self.changed.emit()

    def _on_models_changed(self) -> None:
        for session in self._models.sessions:
            if session not in self._sessions:
                session.options_changed.connect(self._count_if_needed)
        self._sessions = [*self._models.sessions]
        self._count_if_needed()

    def _count_if_needed(self) -> None:
        """Count once all models are open; options for special tokens make no difference."""
        basis = [(session.tokenizer, session.options.encoder) for session in self._sessions]
        if basis != self._basis and not self.is_opening:
            self._basis = [*basis]
            self.count_again()
        else:
            self.changed.emit()

    def _prepare(self) -> Callable[[Progress], Languages] | None:
        names = model_names(self._sessions)
        sides = [
            ModelSide(name, session.tokenizer, session.options.encoder)
            for session, name in zip(self._sessions, names, strict=True)
            if session.tokenizer is not None
        ]
        return partial(_counted, sides, self.folder, self._reference) if self.folder and sides else None


def _counted(sides: Sequence[ModelSide], folder: Path, reference: str, progress: Progress) -> Languages:
    return compare_languages(sides, folder, usual_reference(folder, reference), progress)


def language_names(codes: Sequence[str]) -> dict[str, str]:
    """`Thai` for `tha_Thai`, with the script if two names would be equal; unknown codes are unchanged."""
    names = {code: _name(code) for code in codes}
    times = Counter(names.values())
    return {code: f"{name} {_script(code)}" if times[name] > 1 else name for code, name in names.items()}


def _name(code: str) -> str:
    part = code.partition("_")[0].lower()
    language = QLocale.codeToLanguage(WIDER.get(part, part))
    is_known = language not in (QLocale.Language.AnyLanguage, QLocale.Language.C)
    return QLocale.languageToString(language) if is_known else quoted(code)


def _script(code: str) -> str:
    """The script of a code, in parentheses, to distinguish equal names."""
    script = QLocale.codeToScript(code.partition("_")[2])
    return f"({quoted(code) if script is QLocale.Script.AnyScript else QLocale.scriptToString(script)})"
