"""The status line at the bottom: counts of the text and the selection, running work, switches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QProgressBar, QSizePolicy, QWidget

from guiapp.core.text.numbers_in_words import counted, with_prefix
from guiapp.core.vocabulary.opening import stage_of
from guiapp.kit.document.search import HiddenCharacters
from guiapp.kit.document.statistics import SelectionStatistics, format_duration, format_speed
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.session_opener import SessionOpener
from guiapp.kit.state.background import later
from guiapp.kit.widgets.controls import tool_button
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import Part, in_row
from guiapp.kit.widgets.menu_button import IconButton
from guiapp.kit.widgets.theme import MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource, set_role
from guiapp.window.pages import SHOW_TEXT, PageStack

ICON_PX = 14
HEIGHT_PX = 30
FULL_WIDTH_PX = 1100  # below this width, hidden characters are described in two words
BAR_WIDTH_PX, SHORT_BAR_PX = 120, 40
CANCEL_KEY = "Esc"
BENCH = "bench"  # the page's name
CLICK_FOR_BUDGET = "Click to show the token budget, to cut the text or to split it into chunks."
HOW_FAST = "Speed: one encoding of this text, with spans, measured once. For exact numbers, use Bench."


class StatusLine(QFrame):
    """Figures on the left, progress in the middle, selection and switches on the right.

    If space is short, figures are omitted first, from the last to the first; then progress and selection are
    shortened. The number of tokens always stays.
    """

    def __init__(
        self,
        session: ModelSession,
        activity: Activity,
        hidden: HiddenButton,
        legend: QAction,
        budget: QAction,
        switches: list[QAction],
        pages: PageStack,
    ) -> None:
        super().__init__()
        self._session, self._budget = session, budget
        self._pages = pages
        self._hidden = hidden
        self._shown: object = None
        set_role(self, "status")
        self.setFixedHeight(HEIGHT_PX)
        self.setAccessibleName("Status")
        self._tokens, self._selection = FittedLabel(is_needed=True), FittedLabel(is_needed=True)
        self._figures = FittedLabel()
        for label in (self._tokens, self._figures, self._selection):
            label.setFont(Theme.mono_font(SMALL_FONT_PX))
        self._figures.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        set_role(self._tokens, "strong")
        for label in (self._figures, self._selection):
            set_role(label, "dim")
        figures: tuple[Part, ...] = self._tokens, (self._figures, 1), ActivityView(activity)
        self.legend_button = tool_button(
            "?", legend.trigger, tip=f"{legend.text()} ({legend.shortcut().toString()})"
        )
        in_row(
            *figures,
            self._selection,
            hidden,
            *map(_Switch, switches),
            self.legend_button,
            on=self,
            margins=(MARGIN_PX, 0),
            spacing=MARGIN_PX + UNIT_PX,
        )
        session.statistics_changed.connect(self._refresh)
        session.spans.job.busy_changed.connect(self._refresh)
        pages.page_changed.connect(self._refresh)
        pages.figures_changed.connect(self._refresh)
        self._refresh()

    @property
    def text(self) -> str:
        """All figures, as read out by a screen reader."""
        return " ".join(label.whole_text for label in (self._tokens, self._figures, self._selection))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Show or hide the budget after a click on the number of tokens."""
        if self._tokens.tip and self._tokens.geometry().contains(event.position().toPoint()):
            self._budget.trigger()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._hidden.set_short(self.width() < FULL_WIDTH_PX)
        super().resizeEvent(event)

    def _refresh(self) -> None:
        """Show the figures of the page, or of the text if the page shows or measures it."""
        name = self._pages.current_name
        figures = self._pages.current.figures if name else None
        if name and name not in (*SHOW_TEXT, BENCH) and figures is None:
            figures = ["", ""]
        if figures is not None:
            self._shown, self._figures.tip, self._tokens.tip = None, "", ""
            self._tokens.unsetCursor()
            self._tokens.set_texts(figures[:1])
            self._figures.set_texts(figures[1:])
            self._selection.set_texts([""])
            return
        statistics, is_known = self._session.statistics, not self._session.is_encoding
        selection = self._session.selection_statistics
        shown = statistics, is_known, selection, self._pages.current_name
        if shown == self._shown:  # one edit may emit several signals
            return
        self._shown = shown
        self._tokens.tip = CLICK_FOR_BUDGET
        self._tokens.setCursor(Qt.CursorShape.PointingHandCursor)
        self._tokens.set_texts([counted(statistics.n_tokens, "token") if is_known else "… tokens"])
        characters, size = counted(statistics.n_characters, "character"), counted(statistics.n_bytes, "byte")
        density = speed = ""
        if is_known and statistics.characters_per_token is not None:
            density = f"{statistics.characters_per_token:.2f} characters/token"
        is_bench = self._pages.current_name == BENCH  # Bench measures another speed
        if (mb_per_s := statistics.speed_mb_per_s) is not None and not is_bench:
            tokens = f"{with_prefix(statistics.speed_tokens_per_s or 0.0)} tokens/s"
            speed = f"{format_duration(statistics.elapsed_ns)} · {tokens} · {format_speed(mb_per_s)}"
        parts = [part for part in (characters, size, density, speed) if part]
        self._figures.tip = HOW_FAST if speed else ""
        self._figures.set_texts(["   ".join(parts[:n_parts]) for n_parts in range(len(parts), 0, -1)])
        self._selection.set_texts(_selected(selection))


class ActivityView(QWidget):
    """The running background work, shown after a short delay, with a way to stop it."""

    SHOWN_AFTER_MS = 100

    def __init__(self, activity: Activity) -> None:
        super().__init__()
        self._activity = activity
        self._label = set_role(FittedLabel(is_needed=True, elides=True), "dim")
        self._bar = QProgressBar(textVisible=False)
        self._bar.setMinimumWidth(SHORT_BAR_PX)
        self._bar.setMaximumWidth(BAR_WIDTH_PX)
        self._bar.setAccessibleName("Progress")
        self.cancel_button = tool_button("Cancel", self._cancel, tip=f"Cancel ({CANCEL_KEY})")
        self.cancel_button.setShortcut(CANCEL_KEY)
        in_row(self._label, self._bar, self.cancel_button, on=self)
        self._due = later(self, self.SHOWN_AFTER_MS, self.show)
        activity.changed.connect(self._refresh)
        self.hide()
        self._refresh()

    def _cancel(self) -> None:
        if (work := self._activity.now) is not None and work.cancel is not None:
            work.cancel()

    def _refresh(self) -> None:
        if (work := self._activity.now) is None:
            self._due.stop()
            self.hide()
            return
        self._label.set_texts([work.title, work.title.partition(" ")[0]])
        self._bar.setRange(0, 1000 if work.progress > 0 else 0)
        self._bar.setValue(round(work.progress * 1000))
        self.cancel_button.setVisible(work.cancel is not None)
        if self.isHidden() and not self._due.isActive():
            self._due.start()


class _Switch(QCheckBox):
    """A check box for a checkable action."""

    def __init__(self, action: QAction) -> None:
        super().__init__(action.text())
        self.setObjectName(f"switch:{action.objectName()}")
        self.setFont(Theme.ui_font(SMALL_FONT_PX))
        self.setChecked(action.isChecked())
        self.clicked.connect(action.trigger)
        action.toggled.connect(self.setChecked)


def _selected(selection: SelectionStatistics | None) -> list[str]:
    """The counts of a selection, from long to short."""
    if selection is None:
        return [""]
    characters = counted(selection.n_characters, "character")
    if not selection.is_exact and not selection.n_tokens:  # not encoded yet, or no model is open
        return [f"selected: {characters}", f"{selection.n_characters:,} selected"]
    tokens = counted(selection.n_tokens, "token")
    words = f"{tokens} when encoded alone" if selection.is_exact else f"touches {tokens}"
    return [f"selected: {characters} · {words}", f"selected: {words}", f"selected: {tokens}"]


class HiddenButton(IconButton):
    """A button that is visible only if there are hidden characters.

    is_short  whether it shows only their number
    """

    def __init__(self, hidden: HiddenCharacters, go_on: QAction, themes: ThemeSource) -> None:
        click, size_px = go_on.trigger, ICON_PX
        super().__init__(themes, "eye", click, text=" ", role="hidden", color="warning", size_px=size_px)
        self._hidden = hidden
        self._is_short = False
        self.setFont(Theme.ui_font(SMALL_FONT_PX))
        key = go_on.shortcut().toString()
        self.setToolTip(f"Characters that only a model can see. Click to go to the next one ({key}).")
        hidden.changed.connect(self._refresh)
        self._refresh()

    def set_short(self, is_short: bool) -> None:
        if is_short != self._is_short:
            self._is_short = is_short
            self._refresh()

    def _refresh(self) -> None:
        n_characters, n_spans = self._hidden.n_characters, self._hidden.n_spans
        whole = f"Hidden characters: {n_characters:,} in {counted(n_spans, 'place')}"
        text = f"{n_characters:,} hidden" if self._is_short else whole
        if text != self.text():
            self.setText(text)
            self.setAccessibleName(whole)
        self.setVisible(n_characters > 0)


# The one running task that the user may wait for, out of all background work


class Work(NamedTuple):
    """Running work.

    progress  the share done, 0 to 1; 0 also if unknown
    cancel    stops it and keeps the previous state; None if it cannot be stopped
    """

    title: str
    progress: float
    cancel: Callable[[], object] | None


class Activity(QObject):
    """Loading a model, opening a session, reading a text, or encoding; the first of these that runs.

    Signals:
        changed(): `now` is new.
    """

    changed = Signal()

    def __init__(self, session: ModelSession, opener: SessionOpener) -> None:
        super().__init__()
        self._session = session
        self._opening = opener.reading
        loader = session.loader
        for signal in (loader.loading_changed, loader.progress_changed):
            signal.connect(self.changed)
        for job in (self._opening, session.text.reading, session.spans.job):
            job.busy_changed.connect(self.changed)
            job.progress_changed.connect(self.changed)

    @property
    def now(self) -> Work | None:
        """The running work, or None."""
        loader, opening, reading = self._session.loader, self._opening, self._session.text.reading
        encoding = self._session.spans.job
        if loader.loading_name is not None:
            title = f"Opening {Path(loader.loading_name).name}: {stage_of(loader.job.progress)}"
            return Work(title, loader.job.progress, loader.cancel)
        if opening.is_busy:
            return Work("Opening the session", opening.progress, opening.cancel)
        if reading.is_busy:
            return Work("Reading the text", reading.progress, reading.cancel)
        return Work("Encoding", encoding.progress, None) if encoding.is_busy else None
