"""Whether llama.cpp makes the same of the conversation, looked at while nobody types."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from guiapp.analysis.chat.llama_cpp import is_installed, llama_prompt
from guiapp.kit.state.background import LatestJob, Progress, Working, later
from guiapp.kit.widgets.controls import tool_button
from guiapp.kit.widgets.event_filters import wrapped_tip
from guiapp.kit.widgets.layouts import in_row
from guiapp.kit.widgets.theme import ThemeSource, set_role
from guiapp.pages.chat.model import ChatModel

if TYPE_CHECKING:
    from guiapp.analysis.chat.chat import Chat

EQUAL, EQUAL_TEXT, DIFFERS = "equal to llama.cpp", "text equal to llama.cpp", "differs from llama.cpp"
ABOUT_EQUAL = "llama.cpp itself, given these messages, makes the same text and the same ids of them."
ABOUT_TEXT = "llama.cpp itself makes the same text of these messages. It does not read this model's file."
IDLE_MS = 2_000


@dataclass(frozen=True)
class LlamaVerdict:
    """What came of it.

    difference  in what its prompt is another, or why there is none; "" for none
    has_ids     whether ids were compared, too: llama.cpp may not read the model's file
    """

    difference: str
    has_ids: bool = True


class LlamaCheck(Working):
    """Compares the prompt that is shown some time after it changed, while somebody looks at it.

    verdict  about the prompt as it is shown; None where there is none yet, or llama.cpp is not installed

    Signals:
        changed(): `verdict` is new.
    """

    changed = Signal()

    def __init__(self, model: ChatModel, parent: QObject | None = None, idle_ms: int = IDLE_MS) -> None:
        super().__init__(parent)
        self._model = model
        self.verdict: LlamaVerdict | None = None
        self._of: Chat | None = None
        self._is_active = False
        self._delay = later(self, idle_ms, self._start)
        self._job = LatestJob[LlamaVerdict](self, self._take, self._fail)
        if is_installed():
            model.result_changed.connect(self._refresh)
            model.edited.changed.connect(self._refresh)

    def set_active(self, is_active: bool) -> None:
        """Nothing is compared while nobody sees it."""
        self._is_active = is_active
        if is_installed():
            self._refresh()

    def _refresh(self) -> None:
        chat, is_outdated = self._model.chat, self._model.is_outdated
        if self._of is not None and (chat is not self._of or is_outdated):
            self._of = None
            self._job.cancel()
            self._set(None)
        if not self._is_active or chat is None or is_outdated or chat.settings.as_text:
            self._delay.stop()
        elif self._of is None:
            self._delay.start()

    def _start(self) -> None:
        if (chat := self._model.chat) is not None and not self._model.is_outdated:
            self._of = chat
            self._job.start(partial(_compared, chat))

    def _take(self, verdict: LlamaVerdict) -> None:
        self._set(verdict)

    def _fail(self, reason: str) -> None:
        self._set(LlamaVerdict(reason))

    def _set(self, verdict: LlamaVerdict | None) -> None:
        if verdict != self.verdict:
            self.verdict = verdict
            self.changed.emit()


def _compared(chat: Chat, progress: Progress) -> LlamaVerdict:
    prompt = llama_prompt(chat, partial(progress, 0.0))
    return LlamaVerdict(prompt.difference(chat), prompt.token_ids is not None)


class LlamaBadge(QWidget):
    """Nothing, as long as nothing is known."""

    def __init__(self, check: LlamaCheck, theme_source: ThemeSource) -> None:
        super().__init__()
        self._check, self._theme_source = check, theme_source
        self.equal = set_role(QLabel(textFormat=Qt.TextFormat.RichText), "dim")
        self.differs = tool_button(DIFFERS, role="raised")
        in_row(self.equal, self.differs, on=self, spacing=0)
        check.changed.connect(self._refresh)
        theme_source.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        verdict = self._check.verdict
        said = EQUAL if verdict is None or verdict.has_ids else EQUAL_TEXT
        good = self._theme_source.theme.good.name()
        self.equal.setText(f'{said} <span style="color:{good}">✓</span>')
        self.equal.setAccessibleName(said)
        self.equal.setToolTip(ABOUT_EQUAL if said == EQUAL else ABOUT_TEXT)
        self.equal.setVisible(verdict is not None and not verdict.difference)
        self.differs.setVisible(verdict is not None and bool(verdict.difference))
        self.differs.setToolTip("" if verdict is None else wrapped_tip(verdict.difference))
