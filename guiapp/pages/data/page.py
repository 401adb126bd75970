"""The Data page: the records of a file on the left; on the right the tokens of one, and which are trained."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QMenu, QSplitter, QWidget

from guiapp.analysis.chat.messages import is_text
from guiapp.analysis.chat.templates import CHATML, templates_of
from guiapp.analysis.data.batches import batches
from guiapp.analysis.data.export import NPZ, data_lines, data_record, write_labels
from guiapp.analysis.data.masks import BETWEEN, KINDS, MARKER
from guiapp.analysis.data.records import SHAPES
from guiapp.analysis.data.summary import TrainingData
from guiapp.analysis.export.tables import json_text
from guiapp.core.demo import sample_data_path
from guiapp.core.text.numbers_in_words import counted, percent, quoted
from guiapp.errors import TokenloupeError
from guiapp.kit.prompt.view import LEGEND as PROMPT_LEGEND
from guiapp.kit.state.background import Progress
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.token_table.table_view import FORMS, TokenTable
from guiapp.kit.widgets.controls import TabbedPanels, push_button
from guiapp.kit.widgets.file_dialogs import ask_to_open, ask_to_save
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import Contents, WrappingRow, framed, in_column, in_row, in_splitter
from guiapp.kit.widgets.menu_button import ChoiceButton, Form, MenuButton, SavingBar, add_choice, ask_and_save
from guiapp.kit.widgets.notices import announce
from guiapp.kit.widgets.page_base import Page, PageSetting
from guiapp.kit.widgets.painting import ShareBar
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, UNIT_PX, ThemeSource, plain_label, set_role
from guiapp.pages.data.model import DataModel
from guiapp.pages.data.overview import MOST_TOKENS, Amounts, DataFindingList, LengthChart
from guiapp.pages.data.record import LEGEND, RecordModel, RecordPanel

LIST_PX, RECORD_PX, PANELS_PX, TABLE_PX = 520, 680, 240, 240
ROOM_FOR_CHART_PX, ROOM_FOR_PANELS_PX = 520, 420  # heights
LENGTH_PX, MARKER_PX, BAR_PX = 120, 130, 140
DATA_FILES = "Training data (*.jsonl *.json *.ndjson *.gz *.parquet);;All files (*)"
TEMPLATES = "Templates (*.jinja *.jinja2 *.j2 *.txt *.json);;All files (*)"
EXAMPLE = "ChatML example"
MASKS = {
    "auto": "The template's generation tags if it has them, else derived; of texts, the completion, or all",
    "generation": "What the template has between its generation tags",
    "derived": "What the assistant writes after each generation prompt, with the end of the turn",
    "completion": "The completion of a prompt; of messages, the assistant's turns in it",
    "all": "Every token",
    MARKER: "What follows one text, up to and with another",
}
FILTER_HINT = "Filter: text, tokens:>4096, trained:0, finding:cut_off"
FILTER_TIP = (
    'refund, "order number": records whose text contains this\n'
    "tokens:>4096, trained:0, messages:4.., record:100..200: by figures\n"
    "finding:cut_off, finding:warning: records with a finding\n"
    "A record must match every word. A minus before a word excludes its matches."
)
NO_FILE = (
    "Open a file of training data: JSON lines, a JSON array or Parquet, with messages, prompts and "
    "completions, or texts. You see which tokens the loss is computed on, and what is wrong with the records."
)
NO_MODEL = "Open a model first: training data is shown in its tokens."


class DataPage(Page):
    """A header with the options and the records below it, or a sentence about what to open."""

    legend = {"In a record": (*LEGEND, *PROMPT_LEGEND[:1]), **Page.legend}

    def __init__(self, setting: PageSetting) -> None:
        super().__init__()
        themes = setting.theme_source
        self._session, self._recent = setting.session, setting.recent_items.recent_texts
        self._remembered: Path | None = None
        self.model = DataModel(setting.session, setting.settings, self)
        self.record_model = RecordModel(self.model)
        self.saving = FileSaving(self)
        saving_bar = SavingBar(self.saving, themes)  # before the head, which announces more
        self.head = DataHead(self.model, self.saving, themes)
        self.chart = LengthChart(self.model, themes)
        self.findings, self.amounts = DataFindingList(self.model, themes), Amounts(self.model, themes)
        self.panels_below = TabbedPanels({"Findings": self.findings, "How much": self.amounts})
        self.list = TokenTable(
            self.model,
            themes,
            "Records",
            "records",
            bar=(),
            forms=FORMS[:2],
            hint=FILTER_HINT,
            tip=FILTER_TIP,
            counts=False,
        )
        self.record = RecordPanel(self.record_model, setting)
        self._chart = framed(in_column(self.chart, margins=(GAP_PX, GAP_PX, GAP_PX, 0)), "panel")
        parts = self.panels_below, self.list
        self.lists = in_splitter(
            *parts, sizes=(PANELS_PX, TABLE_PX), grows=(0, 1), way=Qt.Orientation.Vertical
        )
        left = framed(in_column(self._chart, (self.lists, 1), spacing=0))
        self.splitter = in_splitter(left, self.record, sizes=(LIST_PX, RECORD_PX), grows=(0, 1))
        self.open = push_button("Open data…", self.ask_for_file, role="primary")
        self.sample = push_button("Try the sample", self._open_sample, role="raised")
        self.contents = Contents(self, self.splitter, self.open, self.sample)
        in_column(self.head, saving_bar, (self.contents, 1), on=self, spacing=0)
        setting.actions["open_data"].triggered.connect(self.ask_for_file)
        self.head.file.clicked.connect(self.ask_for_file)
        self._whitespace = setting.actions["whitespace"]
        self._whitespace.toggled.connect(self.record.view.set_shows_whitespace)
        self.record.view.set_shows_whitespace(self._whitespace.isChecked())
        for watch in (self.model.set_active, self.model.listing.watch, self.record_model.showing.watch):
            self.watched.connect(watch)
        self.model.data_changed.connect(self._refresh)
        self.model.options_changed.connect(self._refresh)
        self._refresh()

    @property
    def panels(self) -> list[QWidget]:
        if self.model.data is None or not self.model.data.n_records:
            return [self.open]
        chart = [] if self._chart.isHidden() else [self.chart]
        lists = self.panels_below.current, self.list.view
        return [self.head.mask_choice, *chart, *lists, self.record.view]

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"data": self.splitter, "data_list": self.lists}

    @property
    def is_ready(self) -> bool:
        is_busy = self.record_model.showing.is_busy or self.model.packing.is_busy
        return self.model.is_up_to_date and not is_busy and self.record.view.is_painted

    @property
    def figures(self) -> list[str]:
        data = self.model.data
        if data is None:
            return ["no data yet", ""]
        return [counted(data.n_used, "token"), f"{_trained_share(data)} trained", ""]

    def set_text_size(self, size_px: int) -> None:
        self.record.view.set_font_px(size_px - 1)

    def stop(self) -> None:
        self.saving.close()
        self.list.saving.close()
        self.record_model.close()
        self.model.close()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._chart.setVisible(self.height() >= ROOM_FOR_CHART_PX)
        self.head.why.setVisible(self.height() >= ROOM_FOR_CHART_PX)
        self.panels_below.setVisible(self.height() >= ROOM_FOR_PANELS_PX)

    def _open_sample(self) -> None:
        self.model.open(sample_data_path())

    def ask_for_file(self) -> None:
        if path := ask_to_open(self, "Open data", DATA_FILES):
            self.model.open(path)

    def _refresh(self) -> None:
        for part in (self.chart, self.findings, self.amounts):
            part.refresh()
        has_model = self._session.tokenizer is not None
        data = self.model.data
        if data is not None and not data.n_records and (self.model.is_complete or self.model.problem):
            problem = f"No record could be examined. {self.model.problem}"
            self.contents.show_message("This file has no records." if self.model.is_complete else problem)
        elif data is not None:
            self.contents.show_inside(self.list.view)
        elif self.model.path is None or not has_model:
            self.contents.show_message(NO_FILE if has_model else NO_MODEL, helps=has_model)
        else:
            self.contents.show_message(self.model.problem or "Reading …")
        self.head.setVisible(self.model.path is not None)
        self._remember()
        self.figures_changed.emit()

    def _remember(self) -> None:
        """Add the file to the recent files once it has been opened."""
        path, is_open = self.model.path, self.model.data is not None
        if path is not None and is_open and path not in (self._remembered, sample_data_path()):
            self._remembered = path
            self._recent.add(path, is_data=True)


make_page = DataPage


class DataHead(QFrame):
    """The file, the progress of examining it, and which tokens are trained and why."""

    def __init__(self, model: DataModel, saving: FileSaving, themes: ThemeSource) -> None:
        super().__init__()
        set_role(self, "bar")
        self._model, self._saving = model, saving
        self.title, self.about = plain_label("title"), set_role(FittedLabel(elides=True), "dim")
        self.bar = ShareBar("Progress of examining", BAR_PX)
        self.stop = push_button("Stop", self._stop_or_go_on)
        self.file = push_button("Open data…", lambda: None)
        self.export = MenuButton(
            themes, "Export data", tip="Export ids and labels of all records, or the report"
        )
        self.export.fill_on_open(self._list_exports)
        masks = {kind if kind != MARKER else "between markers": kind for kind in KINDS}
        self.mask_choice = ChoiceButton(themes, "Mask: ", masks, "Which tokens are trained")
        self.mask_choice.chosen.connect(self._choose_mask)
        self.mask_choice.menu().setToolTipsVisible(True)
        for action in self.mask_choice.menu().actions():
            action.setToolTip(MASKS[str(action.data())])
        self.first, self.last = (QLineEdit(placeholderText=hint) for hint in ("begins after", "ends with"))
        for field, name in ((self.first, "First marker"), (self.last, "Last marker")):
            field.setAccessibleName(name)
            field.setFixedWidth(MARKER_PX)
            field.editingFinished.connect(self._set_markers)
        self.template = MenuButton(themes, tip="Which template renders conversations")
        self.template.fill_on_open(self._list_templates)
        shapes: dict[str, object] = {"automatic": None, **{shape: shape for shape in SHAPES}}
        self.shape = ChoiceButton(themes, "Shape: ", shapes, "How records are read")
        self.shape.chosen.connect(self._choose_shape)
        self.most = QLineEdit(placeholderText="no maximum")
        self.most.setAccessibleName("Maximum length in tokens")
        self.most.setToolTip("Cut records after so many tokens. You can also drag the line in the chart.")
        self.most.setFixedWidth(LENGTH_PX)
        self.most.editingFinished.connect(self._set_most)
        self.why = set_role(FittedLabel(elides=True), "dim")
        self.problem = plain_label("bad", wraps=True)
        self.example = push_button("Use ChatML", partial(self._choose_template, CHATML), role="raised")
        self.template_file = push_button("Choose a file…", self._ask_for_template, role="raised")
        label = plain_label("dim")
        label.setText("Maximum length")
        most = framed(in_row(label, self.most, spacing=GAP_PX))
        options = WrappingRow([self.mask_choice, self.first, self.last, self.template, self.shape, most])
        titles = in_column(self.title, self.about, spacing=UNIT_PX)
        first = in_row((titles, 1), self.bar, self.stop, self.file, self.export, spacing=GAP_PX)
        parts = (self.problem, 1), self.example, self.template_file
        self._failed = framed(in_row(*parts, spacing=GAP_PX))
        margins = MARGIN_PX, 2 * UNIT_PX, MARGIN_PX, 2 * UNIT_PX
        in_column(first, options, self.why, self._failed, on=self, margins=margins, spacing=GAP_PX)
        model.data_changed.connect(self._refresh)
        model.options_changed.connect(self._refresh)
        self._has_markers = False
        self._exported: tuple[int, int] | None = None  # records with and without tokens, until reported
        saving.changed.connect(self._describe_export)
        self._refresh()

    # Display

    def _refresh(self) -> None:
        model, options = self._model, self._model.options
        data = model.data
        self.title.setText("" if model.path is None else quoted(model.path.name, 60))
        self.about.set_texts(_about(model))
        self.bar.setVisible(model.is_running)
        self.bar.show_share(0.0 if data is None else data.share)
        goes_on = data is not None and not model.is_complete and (data.n_records or not model.problem)
        self.stop.setVisible(model.is_running or bool(goes_on))
        self.stop.setText("Stop" if model.is_running else "Continue")
        self.export.setEnabled(data is not None and data.n_records > 0)
        kind = options.mask.partition(":")[0]
        self.mask_choice.show_choice(MARKER if self._has_markers else kind)
        for field in (self.first, self.last):
            field.setVisible(self._has_markers or kind == MARKER)
        self.template.setText(f"Template: {_template_name(options.template)}")
        self.shape.show_choice(options.shape)
        if not self.most.hasFocus() or self.most.text() != self._most_text:
            self.most.setText(self._most_text)
        self.why.set_texts(_why(model))
        self.problem.setText(model.problem)
        for button in (self.example, self.template_file):
            button.setVisible("no chat template" in model.problem)
        self._failed.setVisible(bool(model.problem))

    @property
    def _most_text(self) -> str:
        most = self._model.options.max_length
        return "" if most is None else f"{most:,}"

    # Choices

    def _stop_or_go_on(self) -> None:
        if self._model.is_running:
            self._model.stop()
        else:
            self._model.go_on()

    def _choose_mask(self, kind: str) -> None:
        self._has_markers = kind == MARKER
        if kind == MARKER:
            self._refresh()
            self._set_markers()
            self.first.setFocus()
        else:
            self._model.set_options(replace(self._model.options, mask=kind))

    def _set_markers(self) -> None:
        first, last = self.first.text(), self.last.text()
        if first and last:
            mask = f"{MARKER}:{first}{BETWEEN[0]}{last}"
            self._model.set_options(replace(self._model.options, mask=mask))

    def _choose_shape(self, shape: str | None) -> None:
        self._model.set_options(replace(self._model.options, shape=shape))

    def _set_most(self) -> None:
        digits = "".join(filter(str.isdecimal, self.most.text()))[:9]
        self._model.set_max_length(min(int(digits), MOST_TOKENS) if digits.strip("0") else None)
        self.most.setText(self._most_text)

    def _list_templates(self, menu: QMenu) -> None:
        tokenizer, chosen = self._model.session.tokenizer, self._model.options.template
        own = [] if tokenizer is None else [each.name for each in templates_of(tokenizer.vocabulary)]
        choices: dict[str, str | None] = {
            "default": None,
            **{name: name for name in own[1:]},
            EXAMPLE: CHATML,
        }
        for title, template in choices.items():
            add_choice(menu, title, chosen == template, partial(self._choose_template, template))
        menu.addSeparator()
        menu.addAction("Choose a file…", self._ask_for_template)

    def _choose_template(self, template: str | None) -> None:
        self._model.set_options(replace(self._model.options, template=template))

    def _ask_for_template(self) -> None:
        if path := ask_to_open(self, "Open template", TEMPLATES):
            self._choose_template(str(path))

    # Export

    def _list_exports(self, menu: QMenu) -> None:
        menu.addAction("Ids and labels as JSON lines…", partial(self._export, "JSON lines", ".jsonl"))
        menu.addAction("Ids and labels as NPZ…", partial(self._export, "NumPy arrays", NPZ))
        menu.addSeparator()
        menu.addAction("Report as JSON…", partial(self._save_report, Form("JSON", ".json"), _json_report))
        menu.addAction("Report as text…", partial(self._save_report, Form("Text", ".txt"), _text_report))

    @property
    def _name(self) -> str:
        return "data" if self._model.path is None else self._model.path.name.partition(".")[0]

    def _describe_export(self) -> None:
        """Report how many records the export contains, and how many it leaves out."""
        if self._saving.saved is not None and self._exported is not None:
            (n_written, n_left), self._exported = self._exported, None
            left = f"; {counted(n_left, 'record')} that cannot be used left out" if n_left else ""
            announce(self, f"Saved {self._saving.saved}: {counted(n_written, 'record')}{left}")

    def _export(self, title: str, ending: str) -> None:
        formats = {ending: f"{title} (*{ending})"}
        path = ask_to_save(self, f"Save as {title}", f"{self._name}-labels{ending}", formats)
        if path is not None:
            self._exported = None
            self._saving.write(partial(self._write_labels, path))

    def _write_labels(self, path: Path, progress: Progress) -> Path:
        """Examine all records again to get their ids, and write them to `path`."""
        data = self._model.data
        assert data is not None
        try:
            with closing(batches(data.examiner, data.source, with_ids=True)) as examined:
                done = write_labels(path, examined, lambda done: progress(done / max(len(data.source), 1)))
        except OSError as error:
            raise TokenloupeError(f"{path.name} cannot be saved: {error.strerror or error}.") from error
        self._exported = done
        return path

    def _save_report(self, form: Form, make: Callable[[DataModel], bytes]) -> None:
        ask_and_save(self, self._saving, f"{self._name}-report", form, lambda _: make(self._model))


def _json_report(model: DataModel) -> bytes:
    assert model.data is not None
    return f"{json_text(data_record(model.data, model.batch_size))}\n".encode()


def _text_report(model: DataModel) -> bytes:
    assert model.data is not None
    return "".join(f"{line}\n" for line in data_lines(model.data)).encode()


def _trained_share(data: TrainingData) -> str:
    """The trained tokens as a share of the tokens within the maximum length."""
    return percent(data.tokens["trained"] / data.n_used, 1) if data.n_used else "0 %"


def _about(model: DataModel) -> list[str]:
    """The amounts of data, in a long and a short form."""
    data = model.data
    if data is None or not data.n_records:
        return [""]
    tokens = data.tokens
    share = _trained_share(data)
    parts = [counted(data.n_records, "record"), counted(tokens["total"], "token"), f"{share} trained"]
    if data.n_used < tokens["total"]:
        parts[1:] = [f"{data.n_used:,} of {parts[1]} kept", f"{share} of these trained"]
    lengths = [f"{name} {tokens[name]:,}" for name in ("p50", "p90", "p99", "max")]
    if not model.is_complete:
        parts.append(f"{percent(data.share)} of the file")
    return [" · ".join([*parts, *lengths]), " · ".join(parts), " · ".join(parts[:1])]


def _why(model: DataModel) -> list[str]:
    data = model.data
    if data is None or not data.n_records:
        return [""]
    if data.n_without_tokens == data.n_records:
        return ["No record can be used: this may not be training data."]
    mask = data.examiner.mask
    whole = f"Trained ({mask.kind}): {mask.why}."
    if mask.transformers_result:
        return [f"{whole} In transformers, assistant_masks are {mask.transformers_result}.", whole]
    return [whole]


def _template_name(template: str | None) -> str:
    if template is None:
        return "default"
    if is_text(template):
        return EXAMPLE
    return quoted(Path(template).name, 30)
