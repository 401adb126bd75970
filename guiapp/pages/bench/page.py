"""The Bench page: an answer in three clicks, and all other choices in the More panel."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from urllib.parse import quote, unquote

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPen, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from guiapp.analysis.bench.findings import LinkedNote
from guiapp.analysis.bench.plan import BenchError
from guiapp.core.text.numbers_in_words import counted
from guiapp.kit.charts.curves import DASHED
from guiapp.kit.charts.markers import pattern
from guiapp.kit.spans.legend import LegendEntry, characters, line
from guiapp.kit.state.background import later
from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.controls import tool_button
from guiapp.kit.widgets.event_filters import InputWatch
from guiapp.kit.widgets.layouts import STRETCH, framed, in_column, in_row
from guiapp.kit.widgets.notices import NoticeArea
from guiapp.kit.widgets.page_base import Page, PageSetting
from guiapp.kit.widgets.painting import icon
from guiapp.kit.widgets.theme import GAP_PX, UNIT_PX, Theme, ThemeSource, set_role
from guiapp.pages.bench.bar import BenchBar
from guiapp.pages.bench.choice import THROUGHPUT, CustomContenders
from guiapp.pages.bench.headline import Headline, sentences_of, title_of, warning_of
from guiapp.pages.bench.history import RUNS, RunHistory
from guiapp.pages.bench.model import BenchModel
from guiapp.pages.bench.more import WIDTH_PX, MorePanel
from guiapp.pages.bench.results import CHANGES, NOTHING_MEASURED, QWIDGETSIZE_MAX, ResultsView, Sheet
from guiapp.pages.bench.saving import BenchExport

LINKS = Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
READABLE = LINKS | Qt.TextInteractionFlag.TextSelectableByMouse
FRAME_MS = 220  # between two redraws during a run
BOTH_PX = 1000  # width with room for the More panel next to the results
LOW_PX = 560  # below this height, spacing is smaller
SIDE_PX = 28  # margin at each side of the page
PRESENTED_PX, LEAST_FACTOR = (1000, 600), 1.25  # size that is scaled to the screen, and the least scale
RUN = "run"  # the subject of notices


def _hatched(painter: QPainter, theme: Theme, box: QRectF) -> None:
    painter.setPen(theme.contenders[0])
    painter.setBrush(pattern(theme.contenders[0], True))
    painter.drawRect(box.adjusted(8, 5, -8, -5))


LEGEND = (
    LegendEntry(characters("├───┤"), "95 % confidence interval of the median, like the band of a curve"),
    LegendEntry(_hatched, "Ids differ from Tokenloupe's"),
    LegendEntry(line(lambda theme: QPen(theme.contenders[0], 2, DASHED)), "The same, on a curve"),
    LegendEntry(characters("●  ○"), "Points: all ids are equal; some differ"),
    LegendEntry(characters("≈ 97.2 %"), "Share of tokens equal to Tokenloupe's; ✗ below half"),
    LegendEntry(characters("once"), "Measured only once, so without an interval"),
    LegendEntry(characters("▲  ▼"), "Clearly faster or slower than in the other run"),
)


class BenchPage(Page):
    """Combines the parts, and redraws results a few times a second during a run."""

    legend = {"On the charts": LEGEND}

    def __init__(
        self, model: BenchModel, theme_source: ThemeSource, settings: Settings | None = None
    ) -> None:
        super().__init__()
        self.model = model
        self.notices = NoticeArea(theme_source)
        self.bar = BenchBar(model, theme_source)
        self.headline = Headline(theme_source)
        self._sheet = Sheet()
        self.results = ResultsView(model, theme_source, self._sheet, settings)
        self.footer = Footer(theme_source)
        self.more = MorePanel(model, theme_source)
        self.more.hide()
        self.export = BenchExport(model, self)
        self._is_presented = False
        self._frames = later(self, FRAME_MS, self.redraw)
        self._until_unfolded = later(self, 0, self._scroll_to_notes)
        self._input_watch = InputWatch(parent=self)
        self._input_watch.noticed.connect(model.hold)
        self._input_watch.noticed.connect(self._put_off_frame)
        self._build_layout()
        self._connect()
        self.redraw()

    def _build_layout(self) -> None:
        parts = self.bar, self.headline, (self.results, 1)
        self._body = in_column(*parts, margins=(SIDE_PX, 2 * GAP_PX), spacing=2 * GAP_PX)
        self._sheet.set_layout(self._body, self.footer.notes)
        self._right = framed(in_column(self.notices, (self._sheet, 1), self.footer, spacing=0), "ground")
        in_row(self.more, (self._right, 1), on=self, spacing=1)
        self.setFocusProxy(self.bar.run_button)

    def _connect(self) -> None:
        model = self.model
        for signal in (model.results_changed, model.choice.changed):
            signal.connect(self._plan_frame)
        model.progress_changed.connect(self._on_progress_changed)
        model.failed.connect(self._show_failure)
        for done in (model.compared, model.saved.opened):
            done.connect(self._forget_failure)
        model.compared.connect(self._show_changes)
        model.running_changed.connect(self._on_running_changed)
        self.bar.report_button.clicked.connect(self.save_report)
        self.bar.more.triggered.connect(self.open_more)
        self.footer.more_button.clicked.connect(self._toggle_more)
        self.more.close_button.clicked.connect(self.close_more)
        self.footer.notes.linkActivated.connect(self._open_link)
        self.footer.notes_button.clicked.connect(self._until_unfolded.start)
        for chooser in (self.results.texts, self.results.baselines):
            chooser.activated.connect(self.redraw)

    # The interface for the window

    @property
    def panels(self) -> list[QWidget]:
        first = self.bar.text_button if self.more.isHidden() else self.more.close_button
        return [first, *(chart for chart in self.results.shown_charts if not chart.reason)]

    @property
    def is_ready(self) -> bool:
        return not self._frames.isActive()

    def set_presented(self, is_presented: bool) -> None:
        self._is_presented = is_presented
        if is_presented:
            self._show_more(False)
        for part in (self.bar, self.footer):
            part.setHidden(is_presented)
        self._enlarge()

    def _enlarge(self) -> None:
        """Scale the headline and the charts to the screen in a presentation."""
        factor = min(self.width() / PRESENTED_PX[0], self.height() / PRESENTED_PX[1])
        self.headline.set_factor(max(factor, 1.0) if self._is_presented else 1.0)
        self.results.set_factor(max(factor, LEAST_FACTOR) if self._is_presented else 1.0)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.bar.text_button.show_choice()  # the length of the text may have changed
        self.redraw()  # a hidden page is not redrawn

    def stop(self) -> None:
        self._frames.stop()
        self.export.stop()
        self.model.close()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Collapse the notes on Escape."""
        if event.key() == Qt.Key.Key_Escape and self.footer.notes.isVisible():
            self.footer.notes_button.click()
        else:
            super().keyPressEvent(event)

    # More, and less

    def open_more(self) -> None:
        """Show the More panel at the left."""
        self._show_more(True)
        self.more.close_button.setFocus()

    def close_more(self) -> None:
        self._show_more(False)
        self.footer.more_button.setFocus()

    def _toggle_more(self) -> None:
        (self.open_more if self.more.isHidden() else self.close_more)()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_low = self.height() < LOW_PX
        gap_px = GAP_PX if is_low else 2 * GAP_PX
        self._body.setSpacing(gap_px)
        self._body.setContentsMargins(SIDE_PX, gap_px, SIDE_PX, gap_px)
        self.bar.set_small(is_low and self.width() < BOTH_PX)
        self._fit_more()
        if self._is_presented:
            self._enlarge()

    def _fit_more(self) -> None:
        """Show the More panel next to the results, or in their place if there is no room for both."""
        is_narrow = self.width() < BOTH_PX
        self.more.setMaximumWidth(QWIDGETSIZE_MAX if is_narrow else WIDTH_PX)
        self._right.setHidden(is_narrow and not self.more.isHidden())

    def _show_more(self, is_open: bool) -> None:
        self.more.setVisible(is_open)
        self._fit_more()
        self.bar.run_button.setHidden(is_open)
        self.footer.more.setHidden(is_open)
        self.setFocusProxy((self.more if is_open else self.bar).run_button)
        self.redraw()

    # The run

    def show_only(self, name: str) -> None:
        """Show one chart (a scenario or "exactness") or one table; raises BenchError if the run has none."""
        self.redraw()
        if name not in self.results.keys:
            raise BenchError(f"This run has no chart “{name}”.")
        self.results.show_alone(name)

    def run_or_stop(self) -> None:
        (self.bar if self.more.isHidden() else self.more).run_button.click()

    def save_report(self) -> None:
        if self._can_report():
            self.export.save_report(self.results.baseline)

    def save_pictures(self) -> None:
        if self._can_report():
            self.export.save_pictures(self.results.baseline)

    def _can_report(self) -> bool:
        if not self.model.can_report:
            self.model.set_progress(NOTHING_MEASURED)
        return self.model.can_report

    def redraw(self) -> None:
        """Draw the present results at once, and cancel a planned redraw."""
        self._frames.stop()
        self.bar.report_button.setEnabled(self.model.can_report)
        self.results.redraw()
        self._on_progress_changed()
        self.footer.show_notes(list(map(linked, self.model.notes)))

    def _plan_frame(self) -> None:
        if self.isVisible() and not self._frames.isActive():
            self._frames.start()

    def _put_off_frame(self) -> None:
        """Delay the redraw while the user types, scrolls or drags."""
        if self._frames.isActive():
            self._frames.start()

    def _on_progress_changed(self) -> None:
        """Show the verdict and the progress, if the page is visible."""
        if self.isVisible():
            model, results = self.model, self.results
            text = results.text
            verdict, warning = model.verdict(text, results.baseline), warning_of(model, text)
            title, sentences = title_of(model, verdict, text), sentences_of(model, verdict, text)
            self.headline.show_verdict(title, sentences, warning)
            results.set_dimmed(bool(warning))

    def _on_running_changed(self) -> None:
        if (window := self.window().windowHandle()) is not None:
            act = window.installEventFilter if self.model.is_running else window.removeEventFilter
            act(self._input_watch)
        if self.model.is_running:
            if self._right.isHidden():
                self.close_more()  # shows the results of the new run
            self.notices.clear_notice(RUN)
            if CHANGES in self.results.shown:  # there is no comparison before the run is over
                self.results.choose(THROUGHPUT)
        self._on_progress_changed()

    def _show_changes(self) -> None:
        self.results.show_alone(CHANGES)
        self.redraw()

    def _show_failure(self, message: str) -> None:
        self.notices.show_notice(RUN, message)

    def _forget_failure(self) -> None:
        self.notices.clear_notice(RUN)

    def _scroll_to_notes(self) -> None:
        """Scroll to the notes once they are laid out below the charts; or back to the top."""
        notes = self.footer.notes
        self._sheet.verticalScrollBar().setValue(notes.y() if notes.isVisible() else 0)

    def _open_link(self, link: str) -> None:
        self.model.open_difference(*map(unquote, link.split("/")))


class Footer(QFrame):
    """One line with the buttons for the More panel and for notes on the run.

    notes  label that the page shows below its charts while the notes button is checked
    """

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__()
        set_role(self, "status")
        self._theme_source = theme_source
        self._notes: list[str] = []
        self.more_button = tool_button("More", role="name")
        what = set_role(QLabel("encoders, scenarios, texts, sizes, threads"), "dim")
        self.more = QWidget()
        in_row(self.more_button, what, on=self.more)
        self.notes_button = tool_button("", self._draw, role="name", is_checkable=True)
        for button in (self.more_button, self.notes_button):
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.notes = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.notes.setTextInteractionFlags(READABLE)
        self.notes.setContentsMargins(SIDE_PX, 0, SIDE_PX, 2 * GAP_PX)
        self.notes.hide()
        parts = self.more, (STRETCH, 1), self.notes_button
        in_row(*parts, on=self, margins=(SIDE_PX - GAP_PX, UNIT_PX))
        theme_source.changed.connect(self._draw)
        self._draw()

    def show_notes(self, notes: Sequence[str]) -> None:
        if list(notes) != self._notes:
            self._notes = list(notes)
            self._draw()

    def _draw(self) -> None:
        dim, is_open = self._theme_source.theme.dim, self.notes_button.isChecked()
        self.more_button.setIcon(icon("chevron-right", dim))
        self.notes_button.setIcon(icon("chevron-down" if is_open else "chevron-right", dim))
        self.notes_button.setText(counted(len(self._notes), "note"))
        self.notes_button.setVisible(bool(self._notes))
        self.notes.setText("")  # a label keeps the colour of its links until its text changes
        self.notes.setText("".join(f"<p style='margin: 0 0 6px 0'>{note}</p>" for note in self._notes))
        self.notes.setVisible(is_open and bool(self._notes))


def linked(note: str) -> str:
    """A note as rich text, with links to the first differences of ids."""
    if not isinstance(note, LinkedNote):
        return escape(note)
    target = quote(note.contender, safe="")
    return "".join(
        f'<a href="{target}/{quote(text, safe="")}">{escape(words)}</a>' if text else escape(words)
        for words, text in note.parts
    )


def make_page(setting: PageSetting) -> BenchPage:
    history, own = RunHistory(setting.settings.folder / RUNS), CustomContenders(setting.settings)
    model = BenchModel(setting.session, history=history, own=own)
    own.setParent(model)
    page = BenchPage(model, setting.theme_source, setting.settings)
    setting.actions.connect_all(
        {
            "bench_run": page.run_or_stop,
            "bench_pause": page.model.toggle_pause,
            "bench_report": page.save_report,
            "bench_pictures": page.save_pictures,
            "bench_open": page.bar.runs_button.open_run,
            "bench_compare": page.bar.runs_button.compare_with_run,
            "bench_runs": page.bar.runs_button.show_saved_runs,
        }
    )
    return page
