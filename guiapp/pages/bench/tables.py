"""Tables of the Bench page, to read, to sort and to copy: what was measured, published figures, changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QTextBrowser

from guiapp.analysis.bench.measurement import Record
from guiapp.analysis.bench.published import n_missing
from guiapp.analysis.bench.tables import (
    ALMOST,
    CONTENDER,
    EQUAL,
    change_table,
    measured_tables,
    published_tables,
)
from guiapp.analysis.export.tables import Table, csv_lines, markdown_table, sorted_by
from guiapp.kit.widgets.theme import SMALL_FONT_PX, UI_FONT_PX, Theme, ThemeSource, set_role
from guiapp.pages.bench.history import RunComparison
from guiapp.pages.bench.markers import SWATCH_PX, marker_image, marker_style_of

NOTHING_PUBLISHED = (
    "No published figure belongs to what this run measured. “The papers' tables”, under More and Choose, "
    "measures what TokenTree, rust-gems bpe, gigatoken and the C++ tutorial print figures of."
)
NOTHING_COMPARED = "Choose a run under “Runs” to see what is surely faster or slower than in it."
NOTHING_MEASURED = "Nothing measured yet. Press Run, or open a run under “Runs”."
COPIES: Mapping[str, tuple[str, Callable[[Table], str]]] = {
    "csv": ("Copy as CSV", lambda table: csv_lines(table.rows)),
    "markdown": ("Markdown", lambda table: markdown_table(table) + "\n"),
}
SORT, COPIED = "sort", "Copied"
ROUNDING_PX = 6  # by which Qt may lay out tables wider than the whole, as it rounds up their columns
ARROWS = {False: " ↑", True: " ↓"}


class TablesView(QTextBrowser):
    """Shows tables in the theme's colours; the same ones again keep their place and order.

    A click on a head sorts by that column, another one turns the order; links copy a table as it is sorted.
    """

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__()
        self._theme_source = theme_source
        self._tables: Sequence[Table] = ()
        self._intro = ""
        self._orders: dict[str, tuple[int, bool]] = {}  # column and whether it falls, by the title of a table
        self._copied = ""
        set_role(self, "plain")
        self.document().setDocumentMargin(0)
        self.setLineWrapMode(QTextBrowser.LineWrapMode.FixedPixelWidth)
        self.setAccessibleName("Tables")
        self.setOpenLinks(False)
        self.anchorClicked.connect(self._on_link_clicked)
        theme_source.changed.connect(self._draw)

    def show_tables(self, intro: str, tables: Sequence[Table]) -> None:
        if (intro, tables) != (self._intro, self._tables):
            self._intro, self._tables, self._copied = intro, tables, ""
            self._draw()

    def _on_link_clicked(self, link: QUrl) -> None:
        """`sort:TABLE:COLUMN`, or a key of COPIES and the number of a table."""
        act, *numbers = link.toString().split(":")
        table = self._tables[int(numbers[0])]
        if act == SORT:
            column = int(numbers[1])
            before, falls = self._order_of(table)
            self._orders[table.title] = column, not falls if column == before else column > 0
            self._copied = ""
        else:
            QGuiApplication.clipboard().setText(COPIES[act][1](self._in_order(table)))
            self._copied = link.toString()
        self._draw()

    def _order_of(self, table: Table) -> tuple[int, bool]:
        """The column that somebody chose, or the first by which the rows are sorted as they came."""
        tries = ((column, falls) for column in range(1, len(table.rows[0])) for falls in ARROWS)
        as_it_came = next((each for each in tries if sorted_by(table, *each) == table), (-1, False))
        return self._orders.get(table.title, as_it_came)

    def _in_order(self, table: Table) -> Table:
        return sorted_by(table, *self._orders[table.title]) if table.title in self._orders else table

    def _draw(self) -> None:
        place = self.verticalScrollBar().value()
        self.document().setDefaultStyleSheet(_style(self._theme_source.theme))
        parts = (self._html(number, table) for number, table in enumerate(self._tables))
        intro = f"<p>{escape(self._intro)}</p>" if self._intro else ""
        self.setHtml(intro + "<p></p>".join(parts))
        self.verticalScrollBar().setValue(place)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Leave what Qt rounds up, so that only tables without room are scrolled to the side."""
        self.setLineWrapColumnOrWidth(self.viewport().width() - ROUNDING_PX)
        is_wider = self.document().idealWidth() > self.viewport().width()
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if is_wider else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setHorizontalScrollBarPolicy(policy)

    def _html(self, number: int, table: Table) -> str:
        links = (
            COPIED
            if self._copied == f"{key}:{number}"
            else f'<a class="copy" href="{key}:{number}">{title}</a>'
            for key, (title, _) in COPIES.items()
        )
        heading = f"<b>{escape(table.title)}</b> &nbsp; <span>{escape(table.note)}</span>"
        column, falls = self._order_of(table)
        heads = [
            f'<a href="{SORT}:{number}:{index}">{escape(head)}</a>{ARROWS[falls] if index == column else ""}'
            for index, head in enumerate(table.rows[0])
        ]
        lines = [_line("th", heads)]
        for name, *cells in self._in_order(table).rows[1:]:
            lines.append(_line("td", [self._marked(table, name), *map(escape, cells)]))
        return (
            f'<table width="100%" cellspacing="0"><tr><td class="plain">{heading}</td>'
            f'<td class="plain" align="right">{" &nbsp; &nbsp; ".join(links)}</td></tr></table>'
            f'<table width="100%" cellspacing="0">{"".join(lines)}</table>'
        )

    def _marked(self, table: Table, name: str) -> str:
        """A name, behind its marker if it is a contender's."""
        if table.rows[0][0] != CONTENDER:
            return escape(name)
        image = marker_image(marker_style_of(name, self._theme_source.theme), SWATCH_PX)
        return f"{image}&nbsp;&nbsp;{escape(name)}"


def _line(kind: str, cells: Sequence[str]) -> str:
    """The name to the left, all else to the right, whole; exact and deviating ids in their colours."""
    name, *others = cells
    told = (
        f'<{kind} align="right" class="{_class_of(cell)}"><nobr>{cell}</nobr></{kind}>' for cell in others
    )
    return f'<tr><{kind} align="left" class="name">{name}</{kind}>{"".join(told)}</tr>'


def _class_of(cell: str) -> str:
    return "good" if cell == EQUAL else "warning" if cell.startswith(ALMOST) else ""


def _style(theme: Theme) -> str:
    dim = theme.dim.name()
    return (
        f"body {{ font-size: {UI_FONT_PX}px }} p, span, a {{ color: {dim} }} a {{ text-decoration: none }} "
        f"td {{ border-bottom: 1px solid {theme.line.name()}; padding: 3px 0 3px 8px }} "
        f"th {{ border-bottom: 1px solid {theme.line.name()}; padding: 3px 0 3px 8px; "
        f"font-size: {SMALL_FONT_PX}px; font-weight: 400 }} "
        f".plain {{ border: none; padding: 4px 0 }} .name {{ padding-left: 0 }} "
        f".copy {{ text-decoration: underline }} "
        f".good {{ color: {theme.good.name()} }} .warning {{ color: {theme.warning.name()} }}"
    )


def published(run: Record) -> tuple[str, list[Table]]:
    """An introduction, and a table for each source."""
    found = list(published_tables(run))
    if not found:
        return NOTHING_PUBLISHED, []
    intro = "Other machines, texts and vocabularies: ratios may be compared, absolute figures may not."
    if missing := n_missing(run):
        intro += f" {missing} published figures have no counterpart in this run."
    return intro, found


def changed(comparison: RunComparison | None) -> tuple[str, list[Table]]:
    """An introduction, and what surely differs."""
    if comparison is None:
        return NOTHING_COMPARED, []
    table = change_table(comparison.changes, f"Changed since {comparison.title}")
    against = f"Against the run {comparison.title}"
    intro = ". ".join(filter(None, (against, str(comparison))))
    return f"{intro}.", [table] if comparison.changes else []


def figures(run: Record, baseline: str) -> tuple[str, list[Table]]:
    """All that was measured."""
    return ("" if run["results"] else NOTHING_MEASURED), list(measured_tables(run, baseline))
