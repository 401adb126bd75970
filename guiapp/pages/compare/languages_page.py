"""Compare › Languages: what the same text costs in each language, as bars, curves and a table."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QFrame, QStackedWidget, QTableView, QWidget

from guiapp.analysis.export.tables import Table, json_text, markdown_table
from guiapp.analysis.languages.languages import Languages
from guiapp.analysis.languages.report import (
    LanguageColumn,
    by_premium,
    columns_of,
    csv_text,
    finding,
    html_text,
    page_text,
    parity_finding,
    record,
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
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import Contents, framed, in_column, in_row, scrolling
from guiapp.kit.widgets.menu_button import (
    CSV,
    JSON,
    MARKDOWN,
    ExportButton,
    Form,
    Make,
    MenuButton,
    SavingBar,
)
from guiapp.kit.widgets.notices import copy_text, dropped_files
from guiapp.kit.widgets.page_base import Page, PageSetting
from guiapp.kit.widgets.painting import ShareBar, color_of
from guiapp.kit.widgets.tables import LEFT, RIGHT, Column, RowTable, show_rows
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UI_FONT_PX,
    UNIT_PX,
    Theme,
    plain_label,
    set_role,
)
from guiapp.pages.compare.languages import LanguagesModel, language_names

VIEWS = ("Bars", "Curves", "Table")
FORMS = {form.ending: form for form in (CSV, JSON, MARKDOWN, Form("Page", ".html"))}
NO_FOLDER = (
    "Open a folder of parallel texts: a file for each language, with the same sentences, such as "
    "eng_Latn.txt and tha_Thai.txt. You see what each language costs in tokens, compared with English."
)
NO_MODEL = "Open a model to count the texts with."
CANCELLED = "Nothing was counted: you cancelled."
LONGEST_NAME, LEAST_CHART_PX, MOST_LABELLED = 24, 200, 40


class LanguagesPage(Page):
    """Puts the bar, the charts and the table together, or says what is missing."""

    def __init__(self, setting: PageSetting) -> None:
        super().__init__()
        themes, self._setting = setting.theme_source, setting
        self.model = model = LanguagesModel(setting.compared, self)
        self.saving = FileSaving(self)
        self.views = SegmentedTabs(VIEWS)
        self.models = MenuButton(themes, role="quiet", tip="Choose whose tokens the bars and the table show")
        self.references = MenuButton(themes, role="quiet", tip="Choose the language that premiums refer to")
        for button, choose in ((self.models, model.choose_model), (self.references, model.choose_reference)):
            button.new_menu().triggered.connect(partial(_choose, choose))
        self.add = tool_button("Add model…", self._ask_model, tip="Count with one more model")
        self.folder = tool_button("Folder…", self.ask_for_folder, tip="Open a folder of parallel texts")
        tip = "Save the counts of all models"
        self.export = ExportButton(themes, self.saving, "languages", FORMS, self._report, tip)
        set_role(self.export, "quiet")
        self.note = set_role(FittedLabel(elides=True), "dim")
        self.bars = RowChart(themes, "Premiums")
        self.curves = CurveChart(themes, "Premiums of all models")
        self.bars.ground = self.curves.ground = "panel"
        self.table = LanguageTable(self)
        self.view = LanguageView(self.table)
        self._stack = QStackedWidget()
        for part in (scrolling(self.bars, LEAST_CHART_PX), self.curves, self.view):
            self._stack.addWidget(framed(in_column((part, 1), margins=(MARGIN_PX, GAP_PX))))
        self.help = push_button("Open folder…", self._help, role="primary")
        self.contents = Contents(self, self._stack, self.help)
        self.progress = CountingBar(model)
        self._bar = self._make_bar()
        in_column(
            self._bar,
            SavingBar(self.saving, themes),
            self.progress,
            (self.contents, 1),
            on=self,
            spacing=0,
        )
        self.setAcceptDrops(True)
        self.views.chosen.connect(self._stack.setCurrentIndex)
        self.views.chosen.connect(self._on_view_chosen)
        for chart in (self.bars, self.curves):
            chart.clicked.connect(partial(_emphasize, chart))
        self.watched.connect(model.counting.watch)
        model.changed.connect(self._refresh)
        themes.changed.connect(self._refresh)
        setting.actions["open_languages"].triggered.connect(self.ask_for_folder)
        self._refresh()

    def _make_bar(self) -> QWidget:
        choices = self.models, self.references, self.export
        row = in_row(self.views, *choices, margins=(0, UNIT_PX, MARGIN_PX, 0), spacing=UNIT_PX)
        below = in_row((self.note, 1), self.add, self.folder, margins=(MARGIN_PX, 0, MARGIN_PX, UNIT_PX))
        return framed(in_column(row, below, spacing=0), "bar")

    @property
    def panels(self) -> list[QWidget]:
        return [self._panel] if self.model.compared else [self.help]

    @property
    def _panel(self) -> QWidget:
        return (self.bars, self.curves, self.view)[self._stack.currentIndex()]

    @property
    def is_ready(self) -> bool:
        return not self.model.counting.is_busy

    def stop(self) -> None:
        self.model.close()
        self.saving.close()

    def open_folder(self, folder: Path) -> None:
        self.model.open_folder(folder)

    def ask_for_folder(self) -> None:
        if name := QFileDialog.getExistingDirectory(self, "Open a folder of parallel texts"):
            self.open_folder(Path(name))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take a folder; the window takes all else."""
        paths = dropped_files(event)
        event.setAccepted(len(paths) == 1 and paths[0].is_dir())

    def dropEvent(self, event: QDropEvent) -> None:
        self.open_folder(dropped_files(event)[0])

    def _help(self) -> None:
        model = self.model
        if model.folder is not None and not self._has_model:
            self._setting.requests.model_wanted.emit(self.help, self._setting.session.loader.open)
        elif model.folder is not None and not model.counting.problem:
            model.count_again()
        else:
            self.ask_for_folder()

    @property
    def _has_model(self) -> bool:
        return any(session.tokenizer is not None for session in self._setting.compared.sessions)

    def _ask_model(self) -> None:
        self._setting.requests.model_wanted.emit(self.add, self._add)

    def _add(self, name: str, pre: str | None) -> None:
        if self._setting.compared.can_add:
            self._setting.compared.add(name, pre)

    def _report(self, ending: str) -> Make:
        compared = self.model.compared
        assert compared is not None  # else there is no button
        folder = "" if self.model.folder is None else str(self.model.folder)
        return lambda _: report(compared, folder, ending).encode("utf-8", "surrogateescape")

    def _on_view_chosen(self) -> None:
        if self.model.compared is not None:
            self.contents.show_inside(self._panel)

    def _refresh(self) -> None:
        model, compared = self.model, self.model.compared
        self.add.setEnabled(self._setting.compared.can_add)
        self._bar.setVisible(compared is not None)
        if compared is None:
            is_busy = model.counting.is_busy or (model.folder is not None and self._is_opening)
            self.contents.show_message(self._message(is_busy), helps=not is_busy)
            return
        names = language_names(compared.languages)
        self._show_choices(compared, names)
        where = "" if model.folder is None else f" in {shown_path(model.folder)}"
        about = f"{counted(len(compared.languages), 'language')}{where}"
        self.note.set_texts([" · ".join([about, *compared.notes])])
        self.bars.show_data(bars_of(compared, model.row, names, self.bars.theme))
        self.curves.show_data(curves_of(compared, model.row, names, self.curves.theme))
        self.table.show_languages(compared, model.row, names)
        self.contents.show_inside(self._panel)

    @property
    def _is_opening(self) -> bool:
        return any(session.loader.loading_name is not None for session in self._setting.compared.sessions)

    def _message(self, is_busy: bool) -> str:
        model = self.model
        if model.folder is None:
            self.help.setText("Open folder…")
            return NO_FOLDER
        if is_busy:
            return "Counting …"
        if not self._has_model:
            self.help.setText("Open model…")
            return NO_MODEL
        self.help.setText("Another folder…" if model.counting.problem else "Count again")
        return model.counting.problem or CANCELLED

    def _show_choices(self, compared: Languages, names: dict[str, str]) -> None:
        models = {quoted(name): row for row, name in enumerate(compared.models)}
        self.models.list_choices({title.replace("&", "&&"): row for title, row in models.items()})
        self.models.check(self.model.row)
        self.models.setText(quoted(compared.models[self.model.row], LONGEST_NAME).replace("&", "&&"))
        by_name = sorted(compared.languages, key=lambda code: names[code].casefold())
        self.references.list_choices({names[code].replace("&", "&&"): code for code in by_name})
        self.references.check(compared.reference)
        reference = quoted(names[compared.reference], LONGEST_NAME).replace("&", "&&")
        self.references.setText(f"Reference: {reference}")


def make_page(setting: PageSetting) -> LanguagesPage:
    return LanguagesPage(setting)


def _choose(choose: object, action: QAction) -> None:
    assert callable(choose)
    choose(action.data())


def _emphasize(chart: Chart, key: object, _part: object) -> None:
    """Fade all but what was clicked, until it is clicked again."""
    chart.emphasize(None if chart.is_emphasized(key) else key)


def report(compared: Languages, folder: str, ending: str) -> str:
    """What a file holds that ends so, as the command line writes it."""
    match ending:
        case ".csv":
            return csv_text(compared)
        case ".json":
            return json_text(record(compared)) + "\n"
        case ".html":
            return html_text(compared, [*compared.models], folder)
    return page_text(compared, is_markdown=True) + "\n"


class CountingBar(QFrame):
    """How far the counting is, while it goes on over counts that are shown or not, and a button to cancel."""

    def __init__(self, model: LanguagesModel) -> None:
        super().__init__()
        self._counting = model.counting
        self._words, self._share = plain_label("dim"), ShareBar("Progress of counting")
        self.cancel = tool_button("Cancel", model.cancel, role="raised", tip="Stop counting")
        parts = self._words, (self._share, 1), self.cancel
        in_row(*parts, on=self, margins=(MARGIN_PX, UNIT_PX), spacing=GAP_PX)
        for signal in (model.changed, model.counting.progress_changed):
            signal.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        self.setVisible(self._counting.is_busy)
        self._words.setText(f"Counting: {percent(self._counting.progress)}")
        self._share.show_share(self._counting.progress)


# The charts


def bars_of(compared: Languages, row: int, names: dict[str, str], theme: Theme) -> RowsData:
    """Grey up to what the reference costs, amber beyond; the most expensive language is on top."""
    columns = columns_of(compared)
    values = [column.values(compared)[row] for column in columns]
    rows = []
    for at in by_premium(compared, row):
        language = compared.languages[at]
        cells = [column.cell(each[at]) for column, each in zip(columns, values, strict=True)]
        premium = float(np.nan_to_num(compared.premiums[row, at]))
        parts = [BarPart(0.0, min(premium, 1.0), theme.faint)]
        parts += [BarPart(1.0, premium, theme.warning)] if premium > 1 else []
        facts = (f"{column.title}: {cell}" for column, cell in zip(columns, cells, strict=True))
        rows.append(
            BarRow(
                language,
                quoted(names[language]),
                parts=parts,
                value=cells[1],
                cells=[(cell, theme.dim) for cell in (cells[0], *cells[2:])],
                tip="\n".join([f"{quoted(names[language])} ({quoted(language)})", *facts]),
            )
        )
    reference = quoted(names[compared.reference])
    return RowsData(
        _titles(compared, row, names),
        [f"Tokens for each token of {reference}: grey as many, amber more", ""],
        rows,
        [columns[0].title, *(column.title for column in columns[2:])],
        Scale(f"tokens for each token of {reference}", tick_text),
    )


def _titles(compared: Languages, row: int, names: dict[str, str]) -> list[str]:
    whole = finding(compared, row, lambda code: quoted(names[code])).removesuffix(".")
    return [whole, whole.partition(" with ")[0], "Premiums"]


def curves_of(compared: Languages, row: int, names: dict[str, str], theme: Theme) -> CurvesData:
    """All languages with all models, in the order of the premiums of one."""
    order = by_premium(compared, row)[::-1]
    places = np.arange(len(order), dtype=np.float64)
    curves = []
    for number, model in enumerate(compared.models):
        premiums = np.maximum(np.nan_to_num(compared.premiums[number][order]), 0.01)
        tips = [
            f"{quoted(names[compared.languages[at]])}, {model}\n{premium:.2f} × {names[compared.reference]}"
            for at, premium in zip(order, premiums.tolist(), strict=True)
        ]
        style = MarkerStyle(color_of(number, theme), MARKERS[number % len(MARKERS)])
        details = [f"mean {compared.mean_premiums[number]:.2f}×"]
        curves.append(Curve(number, model, style, places, premiums, premiums, premiums, tips, details))
    curves.sort(key=lambda curve: curve.key != row)
    step = -(-len(order) // MOST_LABELLED)
    labels = {float(place): names[compared.languages[at]] for place, at in enumerate(order)}
    return CurvesData(
        [parity_finding(compared, lambda code: quoted(names[code])), "Premiums of all models"],
        [f"Languages from left to right by their premium with {compared.models[row]}", ""],
        curves,
        Scale("languages", lambda place: labels[place], values=[*labels][::step]),
        Scale(f"tokens for each of {names[compared.reference]}", lambda value: f"{value:g}×", is_log=True),
    )


# The table


class LanguageTable(RowTable[int]):
    """A row for each language; sorted by a column, at first by the premium, the highest first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._compared: Languages | None = None
        self._rows: list[int] = []
        self._heads: list[Column[int]] = []
        self._keys: list[list[str] | list[float]] = []
        self._sorted_by = "premium", True

    def show_languages(self, compared: Languages, row: int, names: dict[str, str]) -> None:
        self.beginResetModel()
        self._compared, columns = compared, columns_of(compared)
        values = [column.values(compared)[row].tolist() for column in columns]
        titles = [names[code] for code in compared.languages]
        codes = [quoted(code) for code in compared.languages]
        self._heads = [
            Column("language", LEFT, titles.__getitem__),
            Column("file", LEFT, codes.__getitem__),
            *(
                Column(column.title, RIGHT, partial(_cell, column, each))
                for column, each in zip(columns, values, strict=True)
            ),
        ]
        self._keys = [[title.casefold() for title in titles], codes, *values]
        self._sort()
        self.endResetModel()

    @property
    def columns(self) -> list[Column[int]]:
        return self._heads

    @property
    def n_rows(self) -> int:
        return len(self._rows)

    @property
    def order(self) -> tuple[str, bool]:
        return self._sorted_by

    def row(self, index: int) -> int:
        return self._rows[index]

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if 0 <= column < len(self._heads):
            self.layoutAboutToBeChanged.emit()
            self._sorted_by = self._heads[column].title, order is Qt.SortOrder.DescendingOrder
            self._sort()
            self.layoutChanged.emit()

    def _sort(self) -> None:
        title, is_descending = self._sorted_by
        titles = [head.title for head in self._heads]
        keys = self._keys[titles.index(title) if title in titles else 0]
        self._rows = sorted(range(len(keys)), key=keys.__getitem__, reverse=is_descending)

    def markdown(self, rows: Iterable[int]) -> str:
        lines = [[head.text(self._rows[row]) for head in self._heads] for row in rows]
        return markdown_table(Table("", [[head.title for head in self._heads], *lines])) + "\n"


def _cell(column: LanguageColumn, values: list[float], at: int) -> str:
    return column.cell(values[at])


class LanguageView(QTableView):
    """Rows to sort and to copy."""

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
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self._sort_by)
        self.addAction(copy_action(self, "Copy rows", partial(self._copy, table.as_text)))
        markdown = QAction("Copy as Markdown", self)
        markdown.triggered.connect(partial(self._copy, table.markdown))
        self.addAction(markdown)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def _sort_by(self, column: int) -> None:
        """Numbers the highest first, words from A on; a second click turns that round."""
        title, is_descending = self._table.order
        is_same = title == self._table.columns[column].title
        goes_down = not is_descending if is_same else column > 1
        self._table.sort(column, Qt.SortOrder.DescendingOrder if goes_down else Qt.SortOrder.AscendingOrder)

    def _copy(self, write: object, *_: object) -> None:
        """The rows that are selected, or else all."""
        assert callable(write)
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        rows = rows or [*range(self._table.n_rows)]
        copy_text(self, write(rows), counted(len(rows), "row"))
