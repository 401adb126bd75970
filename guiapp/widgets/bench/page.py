"""The Bench page: the plan at the left, charts that follow the run, and who differs or is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from html import escape
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QSplitter, QStackedWidget, QWidget

from guiapp.core.bench.measurement import Record
from guiapp.core.bench.plan import BenchError
from guiapp.core.bench.remarks import missing_lines
from guiapp.core.bench.scenarios import SCENARIOS
from guiapp.core.explain.figures import counted, percent
from guiapp.viewmodels.bench.history import RUNS, SUFFIX, RunHistory
from guiapp.viewmodels.bench.model import BenchModel
from guiapp.widgets.bench.bar import CHANGES, CHARTS, FIGURES, PUBLISHED, BenchBar
from guiapp.widgets.bench.bars import BarChart
from guiapp.widgets.bench.charts import Chart, showing_of
from guiapp.widgets.bench.chooser import Chooser
from guiapp.widgets.bench.curves import CurveChart
from guiapp.widgets.bench.exactness import ExactnessChart
from guiapp.widgets.bench.grid import CardGrid
from guiapp.widgets.bench.labels import UNITS
from guiapp.widgets.bench.plan import PlanPanel
from guiapp.widgets.bench.saving import BenchExport
from guiapp.widgets.bench.scenarios import chart_of, rows_of, texts_of
from guiapp.widgets.bench.tables import NOTHING_MEASURED, TablesView, changed, figures, published
from guiapp.widgets.shared.layouts import framed, in_column, in_splitter
from guiapp.widgets.shared.style_sheet import set_role
from guiapp.widgets.shared.theme import GAP_PX, MARGIN_PX, ThemeSource
from guiapp.widgets.window.input_watch import InputWatch
from guiapp.widgets.window.notices import NoticeArea
from guiapp.widgets.window.pages import Page, PageSetting

PLAN_WIDTH_PX = 250
CHANGES_LINK, FIGURES_LINK = "changes", "figures"
MOST_MISSING = 1
FRAME_MS = 150  # between two pictures of a run
EMPTY = "Tick encoders and libraries at the left, choose texts, and press Run."
LINKS = Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
RUN, CUT_OFF = "run", "cut off"  # the subjects of notices
BASELINE = "fast"  # until another is chosen
BY_TEXT = [name for name, row in SCENARIOS.items() if row.by_text and not row.own_texts]
OTHERS = [name for name in SCENARIOS if name not in ("throughput", "scaling")]


class BenchPage(Page):
    """Puts plan and charts together and redraws them a few times a second while a run is going."""

    def __init__(self, model: BenchModel, theme_source: ThemeSource) -> None:
        super().__init__()
        self.model = model
        self._theme_source = theme_source
        self.plan = PlanPanel(model, theme_source)
        self.notices = NoticeArea(theme_source)
        self.bars = BarChart("throughput", theme_source)
        self.scaling = CurveChart("scaling", theme_source)
        self.exactness = ExactnessChart(theme_source)
        self.others = {name: chart_of(name, theme_source) for name in OTHERS}
        self.scenario_card = QStackedWidget()
        for chart in self.others.values():
            self.scenario_card.addWidget(chart)
        self.grid = CardGrid(self._cards)
        self.tables = TablesView(theme_source)
        self.views = QStackedWidget()
        self._view = CHARTS
        self.texts = Chooser("Text")
        self.units = Chooser("Unit")
        for key, unit in UNITS.items():
            self.units.addItem(unit, key)
        self.baselines = Chooser("Baseline", BASELINE)
        self.scenarios = Chooser("Scenario")
        self.worst_texts = Chooser("Worst-case text")
        choosers = self.scenarios, self.worst_texts, self.texts, self.units, self.baselines
        self.bar = BenchBar(model, theme_source, choosers)
        self.progress = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.notes = set_role(QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText), "dim")
        self.notes.setTextInteractionFlags(LINKS)
        self.export = BenchExport(model, self)
        self._frames = QTimer(self, interval=FRAME_MS, singleShot=True)
        self._frames.timeout.connect(self.redraw)
        self._input_watch = InputWatch(parent=self)
        self._input_watch.noticed.connect(model.hold)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        self.setAcceptDrops(True)
        self._lay_out()
        self._connect()
        self.redraw()

    @property
    def panels(self) -> list[QWidget]:
        return [self.plan.presets, *(chart for chart in self.charts if chart.has_results)]

    @property
    def is_ready(self) -> bool:
        return not self._frames.isActive()

    @property
    def charts(self) -> list[Chart]:
        return [self.scaling, self.exactness, self.bars, *self.others.values()]

    @property
    def _cards(self) -> tuple[QWidget, ...]:
        return self.scaling, self.exactness, self.bars, self.scenario_card

    @property
    def shown_charts(self) -> list[Chart]:
        """Those that are in front."""
        return [chart for chart in self.charts if chart.isVisibleTo(self)]

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"bench": self.splitter}

    @property
    def baseline(self) -> str:
        return self.baselines.currentText() or BASELINE

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.redraw()  # nothing is drawn while other pages are in front

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        event.setAccepted(_dropped_run(event) is not None)

    def dropEvent(self, event: QDropEvent) -> None:
        if (path := _dropped_run(event)) is not None:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            self.model.open_run(path)

    def stop(self) -> None:
        self._frames.stop()
        self.export.stop()
        self.model.close()

    def show_only(self, name: str) -> None:
        """Enlarge one chart, by its scenario or as "exactness"; raises BenchError if it is not there."""
        self.redraw()
        cards = {"throughput": self.bars, "scaling": self.scaling, "exactness": self.exactness}
        if name not in cards and (index := self.scenarios.findData(name)) < 0:
            raise BenchError(f"This run has no chart “{name}”.")
        if name not in cards:
            self.scenarios.setCurrentIndex(index)
        self.redraw()
        self._enlarge(cards.get(name, self.scenario_card), True)

    def save_report(self) -> None:
        if self._can_report():
            self.export.save_report(self.baseline)

    def save_pictures(self) -> None:
        if self._can_report():
            self.export.save_pictures(self.baseline)

    def _can_report(self) -> bool:
        """Whether there is anything to write; says so where there is not: keys reach this at any time."""
        if not self.model.can_report:
            self.model.tell(NOTHING_MEASURED)
        return self.model.can_report

    def redraw(self) -> None:
        """Draw what is in front with the results that there are now; none is planned any more."""
        self._frames.stop()
        results = self.model.results
        self._follow_progress()
        self.bar.report_button.setEnabled(self.model.can_report)
        if self._view == CHARTS:
            self._draw_charts(results)
        else:
            self._fill_tables()
        self._tell()

    def _say_why_empty(self) -> None:
        """What charts say that have nothing to show."""
        for chart in self.charts:
            chart.set_empty(self.model.why_empty(chart.scenario.name))

    def _draw_charts(self, results: list[Record]) -> None:
        measured = {row["scenario"] for row in results}
        self._offer_scenarios([name for name in OTHERS if name in measured])
        name = self.scenarios.currentData() or OTHERS[0]
        self.texts.offer([row["corpus"] for row in results if row["scenario"] in BY_TEXT])
        self.worst_texts.offer(texts_of(results, name) if SCENARIOS[name].own_texts else [])
        self.baselines.offer([row["contender"] for row in results if row["mb_per_s"]])
        self.units.setVisible(bool(results))
        comparison = self.model.comparison
        changes = () if comparison is None else tuple(comparison.changes)
        choices = {"baseline": self.baseline, "unit": self.units.currentData(), "changes": changes}
        showing = showing_of(self.model.record, **choices)
        text = (self.worst_texts if SCENARIOS[name].own_texts else self.texts).currentText()
        self.others[name].show_results(rows_of(results, name, text), showing)
        self.scenario_card.setCurrentWidget(self.others[name])
        one_text = rows_of(results, "throughput", self.texts.currentText())
        self.bars.show_results(one_text, showing)
        self.exactness.show_results(one_text, showing)
        self.scaling.show_results(rows_of(results, "scaling", ""), showing)
        self._say_why_empty()

    def _offer_scenarios(self, names: list[str]) -> None:
        """Those that were measured, in a list."""
        if names != [self.scenarios.itemData(index) for index in range(self.scenarios.count())]:
            chosen = self.scenarios.currentData()
            with QSignalBlocker(self.scenarios):
                self.scenarios.clear()
                for name in names:
                    self.scenarios.addItem(SCENARIOS[name].label, name)
                self.scenarios.setCurrentIndex(max(self.scenarios.findData(chosen), 0))
        self.scenarios.setVisible(bool(names))

    def _fill_tables(self) -> None:
        """Those of the view that is chosen, of finished results."""
        if self._view == PUBLISHED:
            self.tables.show_tables(*published(self.model.record))
        elif self._view == CHANGES:
            self.tables.show_tables(*changed(self.model.comparison))
        else:
            self.tables.show_tables(*figures(self.model.record, self.baseline))

    def _choose_view(self, view: int) -> None:
        self._view = view
        self.views.setCurrentIndex(int(view != CHARTS))
        self.bar.choosers.setVisible(view == CHARTS)
        self.redraw()

    def _connect(self) -> None:
        self.model.results_changed.connect(self._plan_frame)
        self.model.plan_changed.connect(self._plan_frame)
        self.model.progress_changed.connect(self._follow_progress)
        self.model.failed.connect(self._show_failure)
        for done in (self.model.compared, self.model.kept.opened):
            done.connect(self._forget_failure)
        self.model.kept.cut_off_changed.connect(self._offer_cut_off)
        self.model.running_changed.connect(self._follow_running)
        self.model.isolated_changed.connect(self._follow_isolated)
        self.notes.linkActivated.connect(self._follow_link)
        self._theme_source.changed.connect(self._follow_theme)
        for chart in self.charts:
            chart.contender_clicked.connect(self.model.isolate)
            card = self.scenario_card if chart in self.others.values() else chart
            chart.enlarge_clicked.connect(partial(self._enlarge, card))
        for box in (self.texts, self.units, self.baselines, self.scenarios, self.worst_texts):
            box.activated.connect(self.redraw)
        self.bar.view_chosen.connect(self._choose_view)
        self.bar.report_button.clicked.connect(self.save_report)

    def _lay_out(self) -> None:
        self.views.addWidget(self.grid)
        self.views.addWidget(self.tables)
        parts = self.bar, self.notices, (self.views, 1), self.progress, self.notes
        right = framed(in_column(*parts, margins=(MARGIN_PX, GAP_PX)))
        in_splitter(self.splitter, self.plan, right, sizes=(PLAN_WIDTH_PX, 1100), grows=1)
        in_column(self.splitter, on=self)
        self.setFocusProxy(self.plan.run_button)

    def _enlarge(self, card: QWidget, is_alone: bool) -> None:
        """Show this card alone, or all in their places."""
        self.grid.show_alone(card if is_alone else None)
        for chart in self.charts:
            chart.enlarge_button.setChecked(is_alone)

    def _plan_frame(self) -> None:
        if self.isVisible() and not self._frames.isActive():
            self._frames.start()

    def _follow_theme(self) -> None:
        """A label keeps the colour of its links until it has other words."""
        self.notes.clear()
        self._tell()

    def _follow_isolated(self) -> None:
        for chart in self.charts:
            chart.isolate(self.model.isolated)

    def _follow_progress(self) -> None:
        """How the run goes, and how noisy it is; nobody looks while other pages are in front."""
        if not self.isVisible():
            return
        model = self.model
        to_do = EMPTY if model.ours else ""  # without a model the plan says what to do
        told = ("Paused" if model.is_paused else "", model.progress or to_do, model.noise)
        self.progress.setText(" · ".join(filter(None, told)))

    def _follow_running(self) -> None:
        if (window := self.window().windowHandle()) is not None:
            act = window.installEventFilter if self.model.is_running else window.removeEventFilter
            act(self._input_watch)
        if self.model.is_running:
            self.notices.clear_notice(RUN)
            self.notices.clear_notice(CUT_OFF)
            if self._view == CHANGES:  # there are none before the run is over
                self.bar.views.choose(CHARTS)
        self._follow_progress()

    def _show_failure(self, message: str) -> None:
        self.notices.show_notice(RUN, message)

    def _forget_failure(self) -> None:
        """What went wrong before is of no interest any more."""
        self.notices.clear_notice(RUN)

    def _offer_cut_off(self) -> None:
        """Say that there is something left of a run whose program was killed."""
        if not (runs := self.model.kept.cut_off):
            return
        newest, others = runs[-1], len(runs) - 1
        told = f"The program ended while this run went on, and what it had measured is kept: {newest.title}"
        told += f" (and {others} more)." if others else "."
        remedy = QAction("Open", self)
        remedy.triggered.connect(partial(self.model.open_run, newest.path))
        self.notices.show_notice(CUT_OFF, told, str(newest.path), remedy)

    def _tell(self) -> None:
        """What changed since the last run, who differs from the exact ids, and who takes no part."""
        missing = list(missing_lines(self.model.left_out))
        plain = [_unbroken(escape(note)) for note in (*self.model.warnings, *missing[:MOST_MISSING])]
        if more := missing[MOST_MISSING:]:
            plain.append(f'<a href="{FIGURES_LINK}">{counted(len(more), "more reason")}</a>')
        notes = [*self._changes(), *self._deviations(), *plain]
        self.notes.setText(" &nbsp; ".join(notes))
        self.notes.setVisible(bool(notes))

    def _deviations(self) -> Iterator[str]:
        """Whose ids differ, how far on the text of the charts, and links to the first difference."""
        by_text: dict[str, list[str]] = {}
        for contender, row in self.model.deviations(self.texts.currentText()).items():
            name = escape(contender)
            told = f"{name} ≈ {percent(row['agreement'], 1)}".replace(" ", "&nbsp;")
            by_text.setdefault(row["corpus"], []).append(f'<a href="{name}">{told}</a>')
        for text, links in by_text.items():
            yield f"Equal spans on {escape(text)}, a click opens the first difference: {', '.join(links)}."

    def _changes(self) -> Iterator[str]:
        """How many results surely differ from those of the run that this one is compared with."""
        comparison = self.model.comparison
        if comparison is None:
            return
        if comparison.drift:
            yield f"{escape(comparison.drift)}."
        if comparison.busy:
            yield f"{comparison.busy}."
        if comparison.changes:
            verdicts = Counter(change.verdict for change in comparison.changes)
            told = ", ".join(f"{count} surely {verdict}" for verdict, count in sorted(verdicts.items()))
            link = f'<a href="{CHANGES_LINK}">changes</a>'
            yield f"{told} than in {escape(comparison.title)}, {link}"

    def _follow_link(self, link: str) -> None:
        views = {CHANGES_LINK: CHANGES, FIGURES_LINK: FIGURES}
        if link in views:
            self.bar.views.choose(views[link])
        else:
            self.model.open_difference(link, self.texts.currentText())


def _unbroken(note: str) -> str:
    """No line ends between a number and its sign."""
    return note.replace(" %", "&nbsp;%").replace("± ", "±&nbsp;")


def _dropped_run(event: QDropEvent) -> Path | None:
    """The run that is dropped; other files are the window's."""
    paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
    return paths[0] if len(paths) == 1 and paths[0].suffix == SUFFIX else None


def make_page(setting: PageSetting) -> BenchPage:
    model = BenchModel(setting.session, history=RunHistory(setting.settings.folder / RUNS))
    page = BenchPage(model, setting.theme_source)
    setting.actions.connect_all(
        {
            "bench_run": page.plan.run_button.click,
            "bench_pause": page.plan.pause_button.click,
            "bench_report": page.save_report,
            "bench_pictures": page.save_pictures,
            "bench_open": page.bar.open_run,
            "bench_compare": page.bar.compare_with_run,
            "bench_runs": page.bar.show_kept_runs,
        }
    )
    return page
