"""Compare › Languages: the cost of the same text in each language, as bars, curves and a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from operator import itemgetter
from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QStackedWidget, QTableView, QWidget

from guiapp.analysis.export.tables import Table, sorted_by
from guiapp.analysis.languages.languages import Languages
from guiapp.analysis.languages.languages_report import (
    by_premium,
    figure_text,
    finding,
    model_table,
    parity_finding,
    report,
)
from guiapp.core.text.numbers_in_words import counted, percent, quoted
from guiapp.kit.charts.bars import BarPart, BarRow, RowChart, RowsData
from guiapp.kit.charts.chart import Chart
from guiapp.kit.charts.curves import Curve, CurveChart, CurvesData
from guiapp.kit.charts.markers import MARKERS, MarkerStyle
from guiapp.kit.charts.scales import Scale, tick_text
from guiapp.kit.session.choice import shown_path
from guiapp.kit.spans.token_menu import copy_action
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.token_table.table_view import CELLS
from guiapp.kit.widgets.controls import SegmentedTabs, push_button, tool_button
from guiapp.kit.widgets.file_dialogs import ask_for_folder
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import Contents, framed, in_column, in_row, scrolling
from guiapp.kit.widgets.menu_button import (
    CSV,
    JSON,
    MARKDOWN,
    ChoiceButton,
    ExportButton,
    Form,
    Make,
    SavingBar,
)
from guiapp.kit.widgets.notices import copy_text, dropped_files
from guiapp.kit.widgets.page_base import Page, PageSetting
from guiapp.kit.widgets.painting import color_of
from guiapp.kit.widgets.tables import LEFT, RIGHT, Column, RowTable, show_rows
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, UI_FONT_PX, UNIT_PX, Theme, set_role
from guiapp.pages.compare.languages import LanguagesModel, language_names

VIEWS = ("Bars", "Curves", "Table")
FORMS = {form.ending: form for form in (CSV, JSON, MARKDOWN, Form("Page", ".html"))}
NO_FOLDER = (
    "Open a folder of parallel texts: a file for each language, with the same sentences, such as "
    "eng_Latn.txt and tha_Thai.txt. You see what each language costs in tokens, compared with English."
)
NO_MODEL = "Open a model to count the texts with."
CANCELLED = "Nothing was counted: you cancelled."
LEAST_CHART_PX, LONGEST_TITLE, MOST_LABELLED = 200, 28, 40
LOWEST = 0.01  # the lowest premium on a logarithmic scale


class LanguagesPage(Page):
    """The tool bar, charts and a table; or a message about what is missing."""

    def __init__(self, setting: PageSetting) -> None:
        super().__init__()
        themes, self._setting = setting.theme_source, setting
        self.model = LanguagesModel(setting.compared, self)
        self.saving = FileSaving(self)
        self.views = SegmentedTabs(VIEWS)
        self.models = ChoiceButton(themes, "", {}, "Model of the bars and the table")
        self.references = ChoiceButton(themes, "Reference: ", {}, "Language that premiums refer to")
        self.add = tool_button("Add model…", self._ask_model, tip="Count with one more model")
        self.folder = tool_button("Folder…", self.ask_for_folder, tip="Open a folder of parallel texts")
        tip = "Save the counts of all models"
        self.export = ExportButton(themes, self.saving, "languages", FORMS, self._report, tip)
        self.note = set_role(FittedLabel(elides=True), "dim")
        self.bars, self.curves = RowChart(themes, "Premiums"), CurveChart(themes, "Premiums of all models")
        self.bars.ground = self.curves.ground = "panel"
        self.table = LanguageTable(self)
        self.view = LanguageView(self.table)
        self._stack = QStackedWidget()
        for part in (scrolling(self.bars, LEAST_CHART_PX), self.curves, self.view):
            self._stack.addWidget(framed(in_column((part, 1), margins=(MARGIN_PX, GAP_PX))))
        self.help = push_button("", self._help, role="primary")
        self.contents = Contents(self, self._stack, self.help)
        self._bar = self._make_bar()
        in_column(self._bar, SavingBar(self.saving, themes), (self.contents, 1), on=self, spacing=0)
        self.setAcceptDrops(True)
        self._connect()
        self._refresh()

    def _make_bar(self) -> QWidget:
        choices = self.models, self.references, self.export
        row = in_row(self.views, *choices, margins=(0, UNIT_PX, MARGIN_PX, 0), spacing=UNIT_PX)
        margins = MARGIN_PX, 0, MARGIN_PX, UNIT_PX
        below = in_row((self.note, 1), self.add, self.folder, margins=margins)
        return framed(in_column(row, below, spacing=0), "bar")

    def _connect(self) -> None:
        model, setting = self.model, self._setting
        self.views.chosen.connect(self._stack.setCurrentIndex)
        self.views.chosen.connect(self._refresh)
        self.models.chosen.connect(model.choose_model)
        self.references.chosen.connect(model.choose_reference)
        for chart in (self.bars, self.curves):
            chart.clicked.connect(partial(_emphasize, chart))
        self.watched.connect(model.counting.watch)
        model.changed.connect(self._refresh)
        model.counting.progress_changed.connect(self._refresh)
        setting.theme_source.changed.connect(self._refresh)
        setting.actions["open_languages"].triggered.connect(self.ask_for_folder)

    @property
    def panels(self) -> list[QWidget]:
        return [self._panel if self.model.compared else self.help]

    @property
    def _panel(self) -> QWidget:
        return (self.bars, self.curves, self.view)[self._stack.currentIndex()]

    @property
    def is_ready(self) -> bool:
        return not self.model.counting.is_busy

    def stop(self) -> None:
        self.model.close()
        self.saving.close()

    def ask_for_folder(self) -> None:
        if folder := ask_for_folder(self, "Open a folder of parallel texts"):
            self.model.open_folder(folder)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept a folder; the window accepts everything else."""
        paths = dropped_files(event)
        event.setAccepted(len(paths) == 1 and paths[0].is_dir())

    def dropEvent(self, event: QDropEvent) -> None:
        self.model.open_folder(dropped_files(event)[0])

    def _ask_model(self) -> None:
        self._setting.requests.model_wanted.emit(self.add, self._add)

    def _add(self, name: str, pre: str | None) -> None:
        if self._setting.compared.can_add:
            self._setting.compared.add(name, pre)

    def _report(self, ending: str) -> Make:
        compared, folder = self.model.compared, str(self.model.folder)
        assert compared is not None  # otherwise the button is hidden
        return lambda _: report(compared, ending[1:], compared.models, folder).encode(
            "utf-8", "surrogateescape"
        )

    # The contents

    def _refresh(self) -> None:
        compared = self.model.compared
        self._bar.setVisible(compared is not None)
        if compared is None:
            message, title, self._help_now = self._message()
            self.help.setText(title)
            self.contents.show_message(message, helps=bool(title))
            return
        names, row, theme = language_names(compared.languages), self.model.row, self.bars.theme
        by_name = sorted(names, key=lambda code: names[code].casefold())
        self.models.list_choices(_choices(zip(compared.models, range(len(compared.models)), strict=True)))
        self.models.show_choice(row)
        self.references.list_choices(_choices((names[code], code) for code in by_name))
        self.references.show_choice(compared.reference)
        self.add.setEnabled(self._setting.compared.can_add)
        about = f"{counted(len(names), 'language')} in {shown_path(self.model.folder or Path())}"
        self.note.set_texts([" · ".join([about, *compared.notes])])
        self.bars.show_data(bars_of(compared, row, names, theme))
        self.curves.show_data(curves_of(compared, row, names, theme))
        self.table.show_table(model_table(compared, row, lambda code: f"{names[code]} ({quoted(code)})"))
        self.contents.show_inside(self._panel)

    def _message(self) -> tuple[str, str, Callable[[], object]]:
        """Why nothing is shown, the title of a button that helps, and its slot."""
        model, setting = self.model, self._setting
        if model.folder is None:
            return NO_FOLDER, "Open folder…", self.ask_for_folder
        if model.counting.is_busy:
            return f"Counting: {percent(model.counting.progress)}", "Cancel", model.cancel
        if model.is_opening:
            return "Opening …", "", model.cancel
        if all(session.tokenizer is None for session in setting.compared.sessions):
            ask, take = setting.requests.model_wanted.emit, setting.session.loader.open
            return NO_MODEL, "Open model…", partial(ask, self.help, take)
        if model.counting.problem:
            return model.counting.problem, "Open folder…", self.ask_for_folder
        return CANCELLED, "Count again", model.count_again

    def _help(self) -> None:
        self._help_now()


make_page = LanguagesPage


def _choices(named: Iterable[tuple[str, object]]) -> dict[str, object]:
    """Values by distinct titles for a menu."""
    choices: dict[str, object] = {}
    for name, value in named:
        title = quoted(name, LONGEST_TITLE).replace("&", "&&")
        choices[title if title not in choices else f"{title} {len(choices) + 1}"] = value
    return choices


def _emphasize(chart: Chart, key: object, _part: object) -> None:
    """Fade all but the clicked item, until it is clicked again."""
    chart.emphasize(None if chart.is_emphasized(key) else key)


def bars_of(compared: Languages, row: int, names: dict[str, str], theme: Theme) -> RowsData:
    """Bars that are grey up to the reference's cost, amber beyond; the most expensive language on top."""
    head, *lines = model_table(compared, row, names.__getitem__).rows
    reference, drawn = names[compared.reference], []
    for at, cells in zip(by_premium(compared, row), lines, strict=True):
        premium = float(np.nan_to_num(compared.premium[row, at]))
        parts = [BarPart(0.0, min(premium, 1.0), theme.faint), BarPart(1.0, premium, theme.warning)]
        facts = (f"{title}: {cell}" for title, cell in zip(head[1:], cells[1:], strict=True))
        drawn.append(
            BarRow(
                *(compared.languages[at], cells[0]),
                parts=parts if premium > 1 else parts[:1],
                value=cells[2],
                cells=[(cell, theme.dim) for cell in (cells[1], *cells[3:])],
                tip="\n".join([f"{cells[0]} ({quoted(compared.languages[at])})", *facts]),
            )
        )
    whole = finding(compared, row, names.__getitem__)
    return RowsData(
        [whole, whole.partition(" with ")[0], "Premiums"],
        [f"Tokens for each token of {reference}: grey as many, amber more", ""],
        drawn,
        [head[1], *head[3:]],
        Scale(f"tokens for each token of {reference}", tick_text),
    )


def curves_of(compared: Languages, row: int, names: dict[str, str], theme: Theme) -> CurvesData:
    """Curves of all models over all languages, in the order of one model's premiums."""
    order, reference = by_premium(compared, row)[::-1], names[compared.reference]
    titles, positions = (
        [names[compared.languages[at]] for at in order],
        np.arange(len(order), dtype=np.float64),
    )
    curves = []
    for number, model in enumerate(compared.models):
        premiums = np.maximum(np.nan_to_num(compared.premium[number][order]), LOWEST)
        figures = zip(titles, premiums.tolist(), strict=True)
        tips = [f"{title}, {model}\n{premium:.2f} × {reference}" for title, premium in figures]
        style = MarkerStyle(color_of(number, theme), MARKERS[number % len(MARKERS)])
        mean = f"mean {figure_text(compared.mean_premium[number])}×"
        curves.append(Curve(number, model, style, positions, premiums, premiums, premiums, tips, [mean]))
    curves.sort(key=lambda curve: curve.key != row)
    labelled = positions[:: -(-len(order) // MOST_LABELLED)].tolist()
    return CurvesData(
        [parity_finding(compared, names.__getitem__), "Premiums of all models"],
        [f"Languages from left to right by their premium with {compared.models[row]}", ""],
        curves,
        Scale("languages", lambda position: titles[int(position)], values=labelled),
        Scale(f"tokens for each of {reference}", "{:g}×".format, is_log=True),
    )


class LanguageTable(RowTable[list[str]]):
    """A row for each language, sorted by a column, at first by the premium in descending order."""

    order = "premium", True
    _table = Table("", [[]])

    def show_table(self, table: Table) -> None:
        titles = table.rows[0]
        titles[0] = "language"
        title, is_descending = self.order
        self.beginResetModel()
        self._table = sorted_by(table, titles.index(title) if title in titles else 0, is_descending)
        self.endResetModel()

    @property
    def columns(self) -> list[Column[list[str]]]:
        titles = enumerate(self._table.rows[0])
        return [Column(title, RIGHT if at else LEFT, itemgetter(at)) for at, title in titles]

    @property
    def n_rows(self) -> int:
        return len(self._table.rows) - 1

    def row(self, index: int) -> list[str]:
        return self._table.rows[index + 1]

    def sort_by(self, column: int) -> None:
        """Sort numbers in descending order, names in ascending order; a second call reverses the order."""
        title = self._table.rows[0][column]
        self.order = title, not self.order[1] if title == self.order[0] else column > 0
        self.show_table(self._table)


class LanguageView(QTableView):
    """The table; its rows can be sorted and copied."""

    def __init__(self, table: LanguageTable) -> None:
        super().__init__()
        self._table = table
        self.setModel(table)
        show_rows(self)
        set_role(self, "cells")
        self.setStyleSheet(CELLS)
        self.setFont(Theme.mono_font(UI_FONT_PX))
        self.setAccessibleName("Languages")
        header = self.horizontalHeader()
        header.setFont(Theme.ui_font(SMALL_FONT_PX))
        header.setSectionResizeMode(header.ResizeMode.Stretch)
        header.sectionClicked.connect(table.sort_by)
        table.modelReset.connect(self._fit_names)
        self.addAction(copy_action(self, "Copy rows", partial(self._copy, table.as_text)))
        self.addAction("Copy as Markdown", partial(self._copy, table.markdown))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def _fit_names(self) -> None:
        header = self.horizontalHeader()
        header.setSectionResizeMode(0, header.ResizeMode.ResizeToContents)

    def _copy(self, write: Callable[[Iterable[int]], str]) -> None:
        """Copy the selected rows, or all if none is selected."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        rows = rows or [*range(self._table.n_rows)]
        copy_text(self, write(rows), counted(len(rows), "row"))
