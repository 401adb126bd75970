"""Tables of the Bench page, to read and to copy: published figures beside measured ones, and changes."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtWidgets import QTextBrowser

from guiapp.core.bench.beside import n_missing
from guiapp.core.bench.measurement import Record
from guiapp.core.bench.tables import change_table, measured_tables, notes, published_tables
from guiapp.core.export.tables import Table
from guiapp.viewmodels.bench.history import Comparison
from guiapp.widgets.shared.theme import SMALL_FONT_PX, UI_FONT_PX, ThemeSource

NOTHING_PUBLISHED = (
    "No published figure belongs to what this run measured. The preset “The papers' tables” measures what "
    "TokenTree, rust-gems bpe, gigatoken and the C++ tutorial print figures of."
)
NOTHING_COMPARED = "Choose a run under “Runs” to see what is surely faster or slower than in it."
NOTHING_MEASURED = "Nothing measured yet. Press Run, or open a run under “Runs”."


class TablesView(QTextBrowser):
    """Shows tables in the theme's colours; the same ones again keep their place."""

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__()
        self._theme_source = theme_source
        self._tables: Sequence[Table] = ()
        self._intro = ""
        self.setAccessibleName("Tables")
        theme_source.changed.connect(self._draw)

    def show_tables(self, intro: str, tables: Sequence[Table]) -> None:
        if (intro, tables) != (self._intro, self._tables):
            self._intro, self._tables = intro, tables
            self._draw()

    def _draw(self) -> None:
        place = self.verticalScrollBar().value()
        self.document().setDefaultStyleSheet(self._style())
        self.setHtml(f"<p>{escape(self._intro)}</p>" + "".join(map(_html, self._tables)))
        self.verticalScrollBar().setValue(place)

    def _style(self) -> str:
        theme = self._theme_source.theme
        return (
            f"body {{ font-size: {UI_FONT_PX}px }} p {{ color: {theme.dim.name()} }} "
            f"h3 {{ font-size: {UI_FONT_PX}px; margin-top: 20px }} table {{ border-collapse: collapse }} "
            f"th {{ color: {theme.dim.name()}; text-align: left; font-size: {SMALL_FONT_PX}px }} "
            f"td, th {{ border-bottom: 1px solid {theme.line.name()}; padding: 4px 12px 4px 0 }}"
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


def changed(comparison: Comparison | None) -> tuple[str, list[Table]]:
    """An introduction, and what surely differs."""
    if comparison is None:
        return NOTHING_COMPARED, []
    table = change_table(comparison.changes, f"Against {comparison.title}")
    intro = ". ".join(filter(None, (str(comparison), comparison.drift)))
    return f"{intro}.", [table] if comparison.changes else []


def figures(run: Record, baseline: str) -> tuple[str, list[Table]]:
    """All that was measured and what is to be known about it, as reports have it."""
    found = list(measured_tables(run, baseline))
    if lines := [line.strip() for line in notes(run) if line]:
        found.append(Table("Notes", [[""], *([line] for line in lines)]))
    return ("" if run["results"] else NOTHING_MEASURED), found


def _html(table: Table) -> str:
    head, *body = table.rows
    lines = ["".join(f"<th>{escape(cell)}</th>" for cell in head)]
    lines += ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in body]
    rows = "".join(f"<tr>{line}</tr>" for line in lines)
    note = f"<p>{escape(table.note)}</p>" if table.note else ""
    return f'<h3>{escape(table.title)}</h3>{note}<table cellspacing="0">{rows}</table>'
