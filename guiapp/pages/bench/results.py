"""Charts and tables of a run in tabs; throughput and exactness share one tab."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QResizeEvent, QTextOption
from PySide6.QtWidgets import (
    QComboBox,
    QScrollArea,
    QSizePolicy,
    QTextBrowser,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from guiapp.analysis.bench.plan import SCENARIOS
from guiapp.analysis.bench.report import (
    ALMOST,
    CONTENDER,
    EQUAL,
    WRONG,
    change_table,
    measured_tables,
    published_tables,
)
from guiapp.analysis.bench.run_results import BenchResult, BenchRun
from guiapp.analysis.export.html import Html, rendered
from guiapp.analysis.export.tables import Table, csv_lines, markdown_table, sorted_by
from guiapp.kit.charts.bars import LEAST_ROW_PX, MOST_ROW_PX
from guiapp.kit.charts.chart import DIMMED, Chart
from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.controls import ChoiceBox, tool_button
from guiapp.kit.widgets.layouts import STRETCH, WrappingRow, in_column, in_row, scroll_down
from guiapp.kit.widgets.notices import copy_text
from guiapp.kit.widgets.theme import (
    GAP_PX,
    SMALL_FONT_PX,
    UI_FONT_PX,
    Theme,
    ThemeSource,
    blend,
    set_role,
)
from guiapp.pages.bench.charts import (
    BASELINE,
    EXACTNESS,
    SWATCH_PX,
    UNITS,
    LoadingBar,
    Showing,
    chart_class,
    data_of,
    marker_image,
    rows_of,
    scenario_of,
    showing_of,
    source_of,
    texts_of,
)
from guiapp.pages.bench.choice import THROUGHPUT
from guiapp.pages.bench.history import RunComparison
from guiapp.pages.bench.model import BenchModel

NOTHING_MEASURED = "Nothing measured yet. Press Run, or open a run under “Runs”."
COPIES: Mapping[str, tuple[str, Callable[[Table], str]]] = {
    "csv": ("Copy as CSV", lambda table: csv_lines(table.rows)),
    "markdown": ("Markdown", lambda table: markdown_table(table) + "\n"),
}
SORT = "sort"
ROUNDING_PX = 6  # Qt rounds up columns, so a table may be this much too wide
ARROWS = {False: " ↑", True: " ↓"}
FIGURES, PUBLISHED, CHANGES = "figures", "published", "changes"
TABLES = {FIGURES: "Figures", PUBLISHED: "Published", CHANGES: "Changes"}
BOTH = "Throughput and exactness"
CALM = (THROUGHPUT, EXACTNESS)  # shown together; both are wide and low
WIDE_PX = 800  # from this width, two charts fit next to each other
LEAST_TABLE_PX, MOST_CHOOSER_PX = 120, 180
NOTHING_YET = "Nothing measured yet"
HAVE_PLANNED_TEXTS = [name for name, row in SCENARIOS.items() if row.by_text and not row.own_texts]
HEAD_PX, EXACTNESS_PX, LEAST_EXACTNESS_PX = 70, 250, 170
COLUMN_SHARES = {THROUGHPUT: 30, EXACTNESS: 20}  # of the height
HAVE_SPEEDS = "bars", "groups", "curves"
QWIDGETSIZE_MAX = (1 << 24) - 1
QUANTITIES = {"Speed": True, "Time": False}


class Sheet(QScrollArea):
    """A scroll area that fits its column into the visible height if possible; a part below it scrolls.

    Signals:
        resized(): the visible area has another size.
    """

    resized = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._inside = _Inside(self)
        scroll_down(self, self._inside)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)
        self._inside.setAutoFillBackground(False)

    def set_layout(self, column: QVBoxLayout, below: QWidget) -> None:
        self._inside.column.setLayout(column)
        self._inside.below = below
        in_column((self._inside.column, 1), below, on=self._inside, spacing=0)

    def room_for(self, part: QWidget) -> int:
        """The height available to the last part of the column without scrolling."""
        below = self._inside.column.contentsRect().bottom() - part.geometry().bottom()
        return self.viewport().height() - part.y() - max(below, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._inside.updateGeometry()
        self.resized.emit()


class _Inside(QWidget):
    def __init__(self, area: QScrollArea) -> None:
        super().__init__()
        self._area, self.column, self.below = area, QWidget(), QWidget()

    def heightForWidth(self, width: int) -> int:
        """The visible height, or the minimum if that is more; Qt's default is the preferred height."""
        layout, room_px = self.column.layout(), self._area.viewport().height()
        least_px = 0 if layout is None else layout.minimumHeightForWidth(width)
        below_px = 0 if self.below.isHidden() else self.below.heightForWidth(width)
        return max(least_px + below_px, room_px)


class ResultsView(QWidget):
    """The charts and tables of a run, chosen by tabs; at first throughput and exactness.

    keys  available charts and tables, in the order of the tabs
    """

    def __init__(
        self, model: BenchModel, theme_source: ThemeSource, sheet: Sheet, settings: Settings | None = None
    ) -> None:
        super().__init__()
        self._model, self._theme_source, self._sheet, self._settings = model, theme_source, sheet, settings
        self._drawn: dict[str, object] = {}  # the state that each chart shows
        self._preferred: tuple[str, ...] = CALM  # the one chosen first
        self._arrangement: object = None
        self._is_dimmed = False
        self._factor = 1.0
        self.keys: list[str] = []
        self.tabs: dict[str, QToolButton] = {}
        self.charts: dict[str, Chart] = {}
        self.texts, self.own_texts = Chooser("Text", model.title_of), Chooser("Text of this chart")
        self.units = ChoiceBox("Unit", {title: key for key, title in UNITS.items()})
        self.baselines = Chooser("Baseline of speeds", "vs. {}".format, BASELINE)
        self.quantities = ChoiceBox("Quantity of curves", QUANTITIES)
        if settings is not None:
            self.units.show_choice(settings.bench_unit)
        self.tables = TablesView(theme_source)
        self.tables.setMinimumHeight(LEAST_TABLE_PX)
        choosers = self.texts, self.own_texts, self.quantities, self.units, self.baselines
        at_end = QWidget()
        in_row(*choosers, on=at_end)
        self.bar = WrappingRow([], at_end)
        self._charts_box = in_row(spacing=2 * GAP_PX)
        self._body = in_column(self._charts_box, (self.tables, 1), STRETCH, spacing=2 * GAP_PX)
        in_column(self.bar, (self._body, 1), on=self, spacing=GAP_PX)
        for chooser in choosers:
            chooser.activated.connect(self.redraw)
        self.units.activated.connect(self._save_unit)
        theme_source.changed.connect(self.redraw)
        model.isolated_changed.connect(self._on_isolated_changed)
        sheet.resized.connect(self._fit)
        self.redraw()

    # What is shown

    def _list_keys(self) -> list[str]:
        model = self._model
        measured = {row.scenario for row in model.results}
        if not measured:
            return [THROUGHPUT]
        names = [name for name in SCENARIOS if name in measured]
        charts = [key for name in names for key in (CALM if name == THROUGHPUT else [name])]
        is_there = {
            FIGURES: model.can_report,
            PUBLISHED: not model.is_running and any(published_tables(model.measured)),
            CHANGES: model.comparison is not None,
        }
        return [*charts, *(name for name in TABLES if is_there[name])]

    @property
    def shown(self) -> tuple[str, ...]:
        """The keys in front: the choice, else throughput and exactness, else the first key."""
        keys = self.keys
        tries = ([key for key in each if key in keys] for each in (self._preferred, CALM, keys[:1]))
        return tuple(next(filter(None, tries)))

    @property
    def shown_charts(self) -> list[Chart]:
        return [self.charts[key] for key in self.shown if key not in TABLES]

    @property
    def text(self) -> str:
        """The text of the charts and of the verdict."""
        return self.texts.name

    @property
    def baseline(self) -> str:
        return self.baselines.name or BASELINE

    def choose(self, key: str) -> None:
        """Show a chart or table; throughput and exactness appear together."""
        self._preferred = CALM if key in CALM else (key,)
        self.redraw()

    def show_alone(self, key: str) -> None:
        self._preferred = (key,)
        self.redraw()

    def set_factor(self, factor: float) -> None:
        """Scale charts and tables for an audience; tabs and choosers are hidden unless it is 1."""
        if factor == self._factor:
            return
        self._factor = factor
        for chart in self.charts.values():
            chart.set_factor(factor)
        self.tables.set_style(self._is_dimmed, factor)
        self.redraw()

    def set_dimmed(self, is_dimmed: bool) -> None:
        """Dim charts and tables whose results are not those of the open model and the chosen text."""
        if is_dimmed != self._is_dimmed:
            self._is_dimmed = is_dimmed
            for chart in self.charts.values():
                chart.set_dimmed(is_dimmed)
            self.tables.set_style(is_dimmed, self._factor)

    @property
    def is_column(self) -> bool:
        """Whether charts are arranged in a column, even if that needs scrolling."""
        return self.shown == CALM and (self.width() < WIDE_PX * self._factor or self._fits_column)

    @property
    def _room_px(self) -> int:
        """The height visible without scrolling, which may be less than the height of the view."""
        return self._sheet.room_for(self)

    @property
    def _fits_column(self) -> bool:
        model = self._model
        names = {row.contender for row in model.results} | {*model.measured.loading, *model.failed_to_open}
        n_rows = len(names | {*model.awaited} if model.is_running else names)
        needed_px = HEAD_PX + n_rows * LEAST_ROW_PX + LEAST_EXACTNESS_PX
        return self._room_px >= self.bar.height() + needed_px * self._factor

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if (self.shown, self.is_column) != self._arrangement:
            self.redraw()

    def redraw(self) -> None:
        model = self._model
        self.keys = self._list_keys()
        self._offer(self.shown)
        shown = self.shown  # needs the height that the choosers leave
        self._arrange(shown)
        showing = self._showing  # depends on the choosers
        n_rows = len({row.contender for row in self._rows(THROUGHPUT)}) + len(showing.loading)
        for key, height_px in zip(CALM, (n_rows * MOST_ROW_PX + HEAD_PX, EXACTNESS_PX), strict=True):
            if key in self.charts:  # the rest of the height stays empty at the end
                self.charts[key].setMaximumHeight(
                    round(height_px * self._factor) if self.is_column else QWIDGETSIZE_MAX
                )
        for key in shown:
            if key == FIGURES:
                finished = sorted(model.measured.finished, key=lambda row: row.corpus != self.text)
                self.tables.show_tables(
                    "", list(measured_tables(finished, self.baseline, model.measured.planned))
                )
            elif key == PUBLISHED:
                self.tables.show_tables(*published(model.measured))
            elif key == CHANGES and model.comparison is not None:
                self.tables.show_tables(*changed(model.comparison))
            else:
                self._show(key, self._rows(key), showing)

    def _show(self, key: str, rows: Sequence[BenchResult], showing: Showing) -> None:
        """Draw these records unless the chart shows them; times change only with their number."""
        chart = self.charts[key]
        chart.source = source_of(self._model.measured, rows[0].corpus) if rows else ""
        chart.set_reason("" if rows or (showing.loading and key != EXACTNESS) else NOTHING_YET)
        shows = [(id(row), row.n) for row in rows], showing
        if shows != self._drawn.get(key) and not chart.reason:
            self._drawn[key] = shows
            chart.show_data(data_of(key, rows, showing))

    def _offer(self, shown: Sequence[str]) -> None:
        keys, results = self.keys, self._model.results
        offered = [key for key in keys if key != EXACTNESS]
        for key in offered:
            if key not in self.tabs:
                self.tabs[key] = self._tab(key)
        for key, tab in self.tabs.items():
            tab.setVisible(key in offered)
            tab.setChecked(key in shown or (key == THROUGHPUT and EXACTNESS in shown))
        self.texts.offer([row.corpus for row in results if row.scenario in HAVE_PLANNED_TEXTS])
        scenarios = [SCENARIOS[key] for key in shown if key in SCENARIOS]
        own = next((each.name for each in scenarios if each.own_texts), "")
        self.own_texts.offer(texts_of(results, own) if own else [])
        kinds = {each.chart for each in scenarios}
        has_speeds = not kinds.isdisjoint(HAVE_SPEEDS) or EXACTNESS in shown
        self.units.setVisible(has_speeds)
        self.quantities.setVisible("curves" in kinds)
        self.baselines.offer([row.contender for row in results if row.mb_per_s])
        self.baselines.setVisible((has_speeds or FIGURES in shown) and self.baselines.count() > 1)
        self.bar.setVisible(self._factor == 1.0)
        self.bar.show_widgets(
            [self.tabs[key] for key in offered]
        )  # fits the height to the tabs and the choosers

    def _tab(self, key: str) -> QToolButton:
        title = TABLES.get(key) or (BOTH if key in CALM else SCENARIOS[key].label)
        return tool_button(title, partial(self.choose, key), role="subtab", is_checkable=True)

    def _arrange(self, shown: tuple[str, ...]) -> None:
        """Arrange the charts that are shown, and hide the others."""
        box, is_column = self._charts_box, self.is_column
        if (shown, is_column) == self._arrangement:
            return
        self._arrangement = shown, is_column
        for chart in self.charts.values():
            box.removeWidget(chart)
            chart.hide()
        box.setDirection(box.Direction.TopToBottom if is_column else box.Direction.LeftToRight)
        for key in shown:
            if key not in TABLES:
                box.addWidget(self.chart(key), COLUMN_SHARES[key] if is_column else 1)
                self.chart(key).show()
        self._body.setStretch(0, int(box.count() > 0))  # an empty box would take its share too
        self.tables.setVisible(not box.count())

    def chart(self, key: str) -> Chart:
        """The chart of a scenario or of exactness, made when first needed."""
        if key not in self.charts:
            name = "Speed × exactness" if key == EXACTNESS else SCENARIOS[key].title
            chart = self.charts[key] = chart_class(key)(self._theme_source, name)
            chart.setParent(self)
            chart.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)  # equal halves
            chart.set_reason(NOTHING_YET)
            chart.clicked.connect(self._on_chart_clicked)
            chart.emphasize(self._model.isolated)
            chart.set_dimmed(self._is_dimmed)
            chart.set_factor(self._factor)
        return self.charts[key]

    @property
    def _showing(self) -> Showing:
        model = self._model
        loading = [
            LoadingBar(name, each.share or None, each.stage) for name, each in model.measured.loading.items()
        ]
        if model.is_running or not model.results:  # the other contenders will take part
            names = model.awaited if model.is_running else model.choice.contenders
            loading += [LoadingBar(name, None) for name in names if name not in model.measured.loading]
        missing = {**self._left_out_of_throughput(), **model.failed_to_open}
        loading += [LoadingBar(name, None, why, True) for name, why in missing.items()]
        return showing_of(
            model.measured,
            self._theme_source.theme,
            baseline=self.baseline,
            unit=self.units.currentData(),
            is_speed=self.quantities.currentData(),
            loading=tuple(loading),
            changes=() if model.comparison is None else model.comparison.changes,
        )

    def _left_out_of_throughput(self) -> dict[str, str]:
        """Why contenders have no result on the shown text, for example because a call takes too long."""
        measured = {row.contender for row in self._rows(THROUGHPUT)}
        return {
            each.contender: each.reason
            for each in self._model.measured.left_out
            if (each.scenario, each.corpus) == (THROUGHPUT, self.text) and each.contender not in measured
        }

    def _rows(self, key: str) -> list[BenchResult]:
        has_own = bool(scenario_of(key).own_texts)
        return rows_of(self._model.results, key, self.own_texts.name if has_own else self.text)

    def _on_isolated_changed(self) -> None:
        for chart in self.charts.values():
            chart.emphasize(self._model.isolated)

    def _on_chart_clicked(self, name: str | None, _part: object) -> None:
        """Fade the other contenders; a second click, or one on empty ground, restores them."""
        self._model.isolate(name or "")

    def _save_unit(self) -> None:
        if self._settings is not None:
            self._settings.bench_unit = self.units.currentData()


class Chooser(QComboBox):
    """Lists names as they arrive; chooses the preferred name once it is listed, until then the first.

    It is hidden if there is nothing to choose.
    """

    def __init__(self, title: str, title_of: Callable[[str], str] = str, preferred: str = "") -> None:
        super().__init__(sizeAdjustPolicy=QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setAccessibleName(title)
        self.setToolTip(title)
        self._title_of, self._preferred = title_of, preferred
        self.activated.connect(self._prefer)

    @property
    def name(self) -> str:
        """The chosen name, "" if none."""
        return self.currentData() or ""

    def offer(self, names: Sequence[str]) -> None:
        """Replace the list by these names, each once."""
        listed = list(dict.fromkeys(names))
        if listed != [self.itemData(index) for index in range(self.count())]:
            with QSignalBlocker(self):
                self.clear()
                for name in listed:
                    self.addItem(self._title_of(name), name)
                self.setCurrentIndex(max(self.findData(self._preferred), 0))
        self.setVisible(len(listed) > 1)

    def sizeHint(self) -> QSize:
        return super().sizeHint().boundedTo(QSize(MOST_CHOOSER_PX, QWIDGETSIZE_MAX))

    def minimumSizeHint(self) -> QSize:
        """The present size hint: Qt caches the minimum of the previous names."""
        return self.sizeHint()

    def _prefer(self) -> None:
        self._preferred = self.name


# Tables, to read, to sort and to copy


class TablesView(QTextBrowser):
    """Shows tables in the theme's colours; keeps the scroll position and sort order on updates.

    A click on a header sorts by that column, a second reverses the order; links copy the sorted table.
    """

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__()
        self._theme_source = theme_source
        self._opacity = self._factor = 1.0
        self._tables: Sequence[Table] = ()
        self._intro = ""
        self._orders: dict[str, tuple[int, bool]] = {}  # by title: sort column, and whether descending
        set_role(self, "plain")
        self.setWordWrapMode(QTextOption.WrapMode.WordWrap)  # not within words: wider tables scroll
        self.document().setDocumentMargin(0)
        self.setLineWrapMode(QTextBrowser.LineWrapMode.FixedPixelWidth)
        self.setAccessibleName("Tables")
        self.setOpenLinks(False)
        self.anchorClicked.connect(self._on_link_clicked)
        theme_source.changed.connect(self._draw)

    def set_style(self, is_dimmed: bool, factor: float) -> None:
        self._opacity, self._factor = DIMMED if is_dimmed else 1.0, factor
        self._draw()

    def show_tables(self, intro: str, tables: Sequence[Table]) -> None:
        if (intro, tables) != (self._intro, self._tables):
            self._intro, self._tables = intro, tables
            self._draw()

    def _on_link_clicked(self, link: QUrl) -> None:
        """Handle `sort:TABLE:COLUMN`, or KEY:TABLE with a key of COPIES."""
        act, *numbers = link.toString().split(":")
        table = self._tables[int(numbers[0])]
        if act == SORT:
            column = int(numbers[1])
            before, falls = self._order_of(table)
            self._orders[table.title] = column, not falls if column == before else column > 0
            self._draw()
        else:
            copy_text(
                self,
                COPIES[act][1](self._in_order(table)),
                f"the table as {COPIES[act][0].removeprefix('Copy as ')}",
            )

    def _order_of(self, table: Table) -> tuple[int, bool]:
        """The sort column and whether it is descending; column -1 for the original order."""
        return self._orders.get(table.title, (-1, False))

    def _in_order(self, table: Table) -> Table:
        return sorted_by(table, *self._orders[table.title]) if table.title in self._orders else table

    def _draw(self) -> None:
        scroll_position = self.verticalScrollBar().value()
        self.document().setDefaultStyleSheet(_style(self._theme_source.theme, self._opacity, self._factor))
        orders = [self._order_of(table) for table in self._tables]
        values = {
            "intro": self._intro,
            "tables": [
                (self._in_order(table), column, ARROWS[falls])
                for table, (column, falls) in zip(self._tables, orders, strict=True)
            ],
            "copies": [(kind, title) for kind, (title, _) in COPIES.items()],
            "mark": self._mark,
            "EQUAL": EQUAL,
            "ALMOST": ALMOST,
            "WRONG": WRONG,
        }
        self.setHtml(rendered("bench_tables.html", values))
        self.verticalScrollBar().setValue(scroll_position)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Allow for what Qt rounds up, so that only tables that are too wide scroll sideways."""
        self.setLineWrapColumnOrWidth(self.viewport().width() - ROUNDING_PX)
        is_wider = self.document().idealWidth() > self.viewport().width()
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if is_wider else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setHorizontalScrollBarPolicy(policy)

    def _mark(self, table: Table, name: str) -> Html:
        """The marker before the name of a contender; empty for other tables."""
        if table.rows[0][0] != CONTENDER:
            return Html()
        return Html(f"{marker_image(name, self._theme_source.theme, SWATCH_PX)}&nbsp;&nbsp;")


def _style(theme: Theme, opacity: float, factor: float) -> str:
    colors = theme.text, theme.dim, theme.good, theme.warning, theme.bad
    text, dim, good, warning, bad = (blend(theme.background, each, opacity).name() for each in colors)
    font_px, small_px = round(UI_FONT_PX * factor), round(SMALL_FONT_PX * factor)
    return (
        f"body {{ font-size: {font_px}px; color: {text} }} p, span, a {{ color: {dim} }} "
        f"a {{ text-decoration: none }} td {{ color: {text}; font-size: {font_px}px }} "
        f"td {{ border-bottom: 1px solid {theme.line.name()}; padding: 3px 0 3px 6px }} "
        f"th {{ border-bottom: 1px solid {theme.line.name()}; padding: 3px 0 3px 6px; "
        f"font-size: {small_px}px; font-weight: 400 }} "
        ".cell { white-space: nowrap } "
        f".plain {{ border: none; padding: 4px 0 }} .name {{ padding-left: 0 }} "
        f".copy {{ text-decoration: underline }} "
        f".good {{ color: {good} }} .warning {{ color: {warning} }} .bad {{ color: {bad} }}"
    )


def published(run: BenchRun) -> tuple[str, list[Table]]:
    intro = "Other machines, texts and vocabularies: compare ratios, not absolute figures."
    return intro, list(published_tables(run))


def changed(comparison: RunComparison) -> tuple[str, list[Table]]:
    table = change_table(comparison.changes, f"Changed since {comparison.title}")
    return f"Compared with the run {comparison.title}. {comparison}.", [table] if comparison.changes else []
