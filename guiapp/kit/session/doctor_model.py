"""The doctor's findings about the window's model, computed in the background for the page and the badge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.doctor.findings import ERROR, HINT, WARNING, Finding
from guiapp.kit.session.loader import file_of, title_of
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.side_by_side.walk import ItemWalk
from guiapp.kit.state.background import Background, Progress, Working
from guiapp.kit.state.saving import Saving

if TYPE_CHECKING:
    from guiapp.analysis.doctor.doctor import Diagnosis
    from guiapp.analysis.doctor.fixed_copy import Fixed
    from guiapp.analysis.doctor.fixes import FileFix
    from guiapp.core.encode.tokenizer import Tokenizer

AFTER_OPENING_MS = 1500  # delay, so that the first tokens appear earlier
ICONS = {ERROR: ("error", "bad"), WARNING: ("warning", "warning"), HINT: ("hint", "dim")}
"""Icon and colour of the theme, by severity."""


class DoctorModel(Working):
    """The findings about the open model, or about the one that waits for the choice of a pre-tokenizer.

    A file that does not open is examined instead if the user asks for it, or if no model is open.

    examined   the diagnosis, the reason if it fails, and its progress
    original   the name of the file that the model was converted from, "" if none was given
    walk       steps through the findings
    fixing     writes fixed copies

    Signals:
        changed(): `examined` or `original` is new.
    """

    changed = Signal()

    def __init__(self, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.original = ""
        self._original_pre: str | None = None
        self._examined = ""  # the name of the model
        self._failed = ""  # the name of a file that could not be opened, if it is examined instead
        self._is_active = False
        self._shown: Diagnosis | None = None  # the one whose findings `walk` steps through
        self.walk = ItemWalk(self._numbers, self)
        self.examined = Background["Diagnosis"](self, self._examining, is_watched=True)
        self.examined.changed.connect(self._on_examined)
        self.fixing = Saving["Fixed"](self)
        session.vocabulary_changed.connect(self._on_model_changed)
        session.loader.refused_changed.connect(self._on_model_changed)
        session.loader.failed.connect(self._on_failed)
        session.loader.loading_changed.connect(self.leave_file)

    # What is examined

    @property
    def name(self) -> str:
        """The name of the examined model, "" if there is none."""
        model = self.session.loader.refused or self.session.loader.model
        return self._failed or ("" if model is None else model.name)

    @property
    def title(self) -> str:
        loader = self.session.loader
        return loader.title if self._has_opened else title_of(self.name)

    @property
    def file(self) -> str:
        """The file name of the model, see `file_of`."""
        model = self.session.loader.model
        return "" if model is None or not self._has_opened else file_of(model)

    @property
    def _has_opened(self) -> bool:
        """Whether the examined model is open in the session."""
        return not self._failed and self.session.loader.refused is None

    @property
    def is_of_failed_file(self) -> bool:
        """Whether a file that could not be opened is examined while a model is open."""
        return bool(self._failed) and self.session.loader.model is not None

    @property
    def diagnosis(self) -> Diagnosis | None:
        """The diagnosis, None until it is ready."""
        return self.examined.value

    @property
    def findings(self) -> tuple[Finding, ...]:
        return () if self.diagnosis is None else self.diagnosis.findings

    @property
    def is_of_open_model(self) -> bool:
        """Whether there are findings, and they are about the model that the window shows."""
        if self.diagnosis is None or self.diagnosis.tokenizer is None:
            return False
        return bool(self.findings) and self.diagnosis.tokenizer is self.session.tokenizer

    @property
    def worst(self) -> tuple[Finding, ...]:
        """All findings of the worst severity, unless they are only hints."""
        worst = self.findings[0].severity if self.findings else HINT
        return tuple(each for each in self.findings if each.severity == worst != HINT)

    @property
    def finding(self) -> Finding | None:
        return None if self.walk.current is None else self.findings[self.walk.current]

    def _numbers(self) -> range:
        return range(len(self.findings))

    def set_active(self, is_active: bool) -> None:
        """Set whether the page is visible, so that findings are computed without delay."""
        self._is_active = is_active
        if is_active and self.examined.is_busy:
            self.examined.watch(True)  # at once

    def set_original(self, name: str, pre: str | None = None) -> None:
        """Compare with this file from now on; with none if the name is empty."""
        self.original, self._original_pre = name, pre
        self.examined.refresh()
        self.changed.emit()

    def examine_file(self, name: str) -> None:
        """Examine a file that could not be opened, until another model is opened or `leave_file`."""
        self._failed = name
        self._on_model_changed()
        self.examined.watch(True)

    def leave_file(self) -> None:
        """Examine the model again."""
        if self._failed:
            self._failed = ""
            self._on_model_changed()

    def _examining(self) -> partial[Diagnosis] | None:
        self._examined, load = self.name, self.session.loader.load
        if not self.name:
            return None
        tokenizer = self.session.tokenizer if self._has_opened else None
        original = partial(load, self.original, self._original_pre) if self.original else None
        return partial(_examine, self.name, tokenizer, original)

    def close(self) -> None:
        super().close()
        self.fixing.close()

    def cancel(self) -> None:
        self.examined.cancel()
        self.changed.emit()

    # Actions on findings

    def try_pre(self) -> None:
        """Open the model again with the pre-tokenizer that the finding suggests."""
        if self.finding is not None and self.finding.pre:
            self.session.loader.open(self.name, self.finding.pre)

    def show_text(self) -> None:
        """Show the text of the finding's difference in the window."""
        if self.finding is not None and self.finding.changes is not None:
            self.session.text.show(self.finding.changes.text.encode("utf-8", "replace"))

    @property
    def fixes(self) -> list[FileFix]:
        """The fixes that a fixed copy can contain."""
        return (
            [] if self.diagnosis is None else [each for each in self.diagnosis.fixes.values() if each.options]
        )

    def save_fixed(self, path: Path, names: Sequence[str]) -> None:
        """Write a copy with these fixes, named as for `--only`; overwrites an existing file."""
        assert self.diagnosis is not None
        self.fixing.write(partial(_fix, self.name, self.diagnosis, path, names, self.original or None))

    def export(self, form: str) -> Callable[[Progress], bytes]:
        """A function that makes the bytes of a file with the findings; `form` is "json" or "markdown"."""
        assert self.diagnosis is not None
        return partial(_exported, form, self.title, self.diagnosis)

    # Following the window

    def _on_model_changed(self) -> None:
        """Start again: another model is open, or the same one with another pre-tokenizer."""
        if self.name != self._examined:
            self.original, self._original_pre = "", None
            if not self.fixing.is_busy:
                self.fixing.dismiss()
        self.examined.forget()
        if self.name:
            self.examined.refresh(0 if self._is_active else AFTER_OPENING_MS)
        self.changed.emit()

    def _on_failed(self, name: str) -> None:
        if self.session.loader.model is None:
            self._failed = name
            self._on_model_changed()

    def _on_examined(self) -> None:
        self.changed.emit()
        if self.diagnosis is not self._shown:
            self._shown = self.diagnosis
            self.walk.go_to(0) if self.findings else self.walk.leave()


def _examine(
    name: str,
    tokenizer: Tokenizer | None,
    load_original: Callable[[Progress], Tokenizer] | None,
    progress: Progress,
) -> Diagnosis:
    from guiapp.analysis.doctor.doctor import doctor, examine  # imported late for a fast start

    original = None if load_original is None else load_original(progress)
    if tokenizer is None:
        return doctor(name, original, progress)
    return examine(tokenizer, original, progress)


def _fix(
    name: str,
    diagnosis: Diagnosis,
    path: Path,
    names: Sequence[str],
    original: str | None,
    progress: Progress,
) -> Fixed:
    from guiapp.analysis.doctor.fixed_copy import save_fixed

    return save_fixed(name, diagnosis, path, names, original, force=True, progress=progress)


def _exported(form: str, title: str, diagnosis: Diagnosis, progress: Progress) -> bytes:
    from guiapp.analysis.doctor.doctor import markdown, record
    from guiapp.analysis.export.tables import json_text

    if form == "json":
        return f"{json_text(record(diagnosis))}\n".encode("utf-8", "surrogateescape")
    return markdown(title, diagnosis).encode("utf-8", "replace")
