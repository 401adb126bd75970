"""One record: its tokens as on the Chat page, trained tokens underlined, and the reason for each."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QFrame, QMenu, QPlainTextEdit, QToolButton

from guiapp.analysis.chat.as_text import is_control
from guiapp.analysis.data.examined import DataRecord
from guiapp.analysis.data.export import as_python, record_line
from guiapp.analysis.data.findings import KINDS, Noticed, noticed
from guiapp.analysis.data.masks import Why, tokens_of
from guiapp.analysis.data.rows import searched_texts, title_of
from guiapp.analysis.data.summary import DIFFERENT, DataRecords
from guiapp.core.encode.encoding import Encoding
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.outside_json import read_json
from guiapp.errors import ChatError
from guiapp.kit.document.coloured_spans import CONTROL_SHADE, ORIGIN_SHADE, PLAIN_SHADE
from guiapp.kit.prompt.shown import ChatResult, ShownPrompt, hue_of
from guiapp.kit.prompt.spans import ChatSpans, origin_descriptions
from guiapp.kit.prompt.view import PromptView, TokenLine, ring_hint
from guiapp.kit.session.doctor_model import ICONS
from guiapp.kit.session.token_details import hover_text
from guiapp.kit.spans.legend import LegendEntry, characters, ringed, token
from guiapp.kit.spans.token_menu import Kind, TokenMenu
from guiapp.kit.state.background import Background, Progress
from guiapp.kit.widgets.controls import SegmentedTabs, push_button, tool_button
from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import WrappingRow, framed, in_column, in_row, take_away
from guiapp.kit.widgets.menu_button import MenuButton
from guiapp.kit.widgets.notices import copy_text
from guiapp.kit.widgets.page_base import PageSetting
from guiapp.kit.widgets.painting import fill, icon
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme, plain_label, set_role
from guiapp.pages.data.model import DataModel

ASSISTANT = "assistant"
LINE_PX, BELOW_PX = 2.5, 1.0  # the underline of trained tokens
COLORINGS = ("Trained", "Tokens")
LEAST_PX = 320
NOTHING = "Select a record in the list."
MESSAGE = re.compile(r"messages? (\d+)")
LONGEST_RAW, MOST_DETAILS = 20_000, 3
NO_TOKEN = "Select a token to see whether it is trained, and why.", "Select a token."


def _underlined(painter: QPainter, theme: Theme, box: QRectF) -> None:
    fill(painter, box, theme.origins[2 + 2 * hue_of(ASSISTANT)], 4)
    _draw_underline(painter, box, theme.roles[hue_of(ASSISTANT)])


def _draw_underline(painter: QPainter, box: QRectF, color: QColor) -> None:
    line = QRectF(box.left(), box.bottom() + BELOW_PX, box.width() - 1, LINE_PX)
    fill(painter, line, color, LINE_PX / 2)


def _draw_strike(painter: QPainter, theme: Theme, box: QRectF) -> None:
    painter.fillRect(QRectF(box.left(), box.center().y(), box.width(), 1), theme.dim)


def _struck(painter: QPainter, theme: Theme, box: QRectF) -> None:
    characters("cut off", "dim")(painter, theme, box)
    _draw_strike(painter, theme, box)


def _trained_control(painter: QPainter, theme: Theme, box: QRectF) -> None:
    token("<end>", None, 0)(painter, theme, box)
    _draw_underline(painter, box, theme.roles[hue_of(ASSISTANT)])


LEGEND = (
    LegendEntry(_underlined, "Trained: in full colour, with a line below"),
    LegendEntry(_trained_control, "A control token that is trained, such as the end of a turn"),
    LegendEntry(characters("text", "dim"), "Not trained"),
    LegendEntry(_struck, "Cut off by the maximum length"),
    LegendEntry(token("<end>", ringed(lambda theme: theme.bad), 0), "Content that became a control token"),
)


@dataclass(frozen=True, eq=False)
class ShownRecord(ChatResult):
    """A record in tokens.

    record  the record, or None
    hues    int8[n]: the index in `HUES` of each token, by its role
    findings  the findings in this record, except those that depend on other records
    """

    record: DataRecord | None = None
    hues: NDArray[np.int8] | None = None
    findings: tuple[Noticed, ...] = ()


class RecordModel(ShownPrompt):
    """The record chosen in the list, examined again to find the origin of each token."""

    def __init__(self, model: DataModel) -> None:
        super().__init__(model.session, model)
        self.model = model
        self._given: tuple[DataRecords, int] | None = None
        self._wanted: int | None = None  # the token to select once the record is ready
        self.showing = Background[ShownRecord](self, self._prepare)
        self.showing.changed.connect(self._on_shown)
        model.chosen_changed.connect(self._refresh)
        model.data_changed.connect(self._refresh)
        model.token_wanted.connect(self._want)

    @property
    def record(self) -> DataRecord | None:
        return self.shown.record if isinstance(self.shown, ShownRecord) else None

    @property
    def encoding(self) -> Encoding | None:
        return None if self.record is None else self.record.encoding

    @property
    def tokenizer(self) -> Tokenizer | None:
        return super().tokenizer if self.record is None else self.record.setting.tokenizer

    def hue(self, token: int) -> int:
        assert isinstance(self.shown, ShownRecord)
        return -1 if self.shown.hues is None else int(self.shown.hues[token])

    @property
    def findings(self) -> list[Noticed]:
        """The findings in the record."""
        if not isinstance(self.shown, ShownRecord) or self.record is None:
            return []
        rows, row = self.model.source, self.record.number - 1
        if rows is None or self.model.data is None or row >= len(rows) or DIFFERENT not in rows.codes_of(row):
            return [*self.shown.findings]
        return [*self.shown.findings, self.model.data.repeated(row)]

    def _refresh(self) -> None:
        data, row = self.model.data, self.model.chosen
        given = None if data is None or row is None else (data.records, row)
        if given != self._given:
            self._given = given
            self.showing.refresh()

    def tokens_of_message(self, number: int) -> int | None:
        """The first token of a message, counted from 1, or None if unknown."""
        turns = () if self.chat is None else self.chat.turns
        return next((turn.start for turn in turns if turn.message == number - 1), None)

    def _want(self, token: int | None) -> None:
        self._wanted = token
        if not self.showing.is_busy:
            self._select_wanted()

    def _select_wanted(self) -> None:
        """Select the token of a finding, or else the text that the filter searches for."""
        wanted = self._searched() if self._wanted is None else self._wanted
        if wanted is not None and self.encoding is not None and wanted < len(self.encoding):
            self.select_token(wanted)
        self._wanted = None

    def _searched(self) -> int | None:
        record, texts = self.record, searched_texts(self.model.query)
        if record is None or record.encoding is None or not texts:
            return None
        start = record.text.lower().find(texts[0].lower())
        if start < 0 or len(record.text.lower()) != len(record.text):
            return None
        return tokens_of(record.encoding, record.text, [(start, start + len(texts[0]))])[0][0]

    def _prepare(self) -> Callable[[Progress], ShownRecord] | None:
        if self._given is None or self._given[1] >= len(self._given[0]):
            return None
        return partial(_shown, *self._given)

    def _on_shown(self) -> None:
        if self.showing.is_current and not self.showing.is_busy and self.showing.value is not self.shown:
            self.shown = self.showing.value
            self.select_token(None)
            self.result_changed.emit()
            self._select_wanted()


def _shown(records: DataRecords, row: int, progress: Progress) -> ShownRecord:
    record = records[row]
    try:
        chat = record.chat
    except ChatError:  # with origins, it takes too long
        chat = None
    if chat is not None and len(chat.encoding) != len(record.token_ids):
        chat = None
    if chat is not None:
        len(chat.origins), chat.turns, chat.became_control  # computed here, not in the GUI thread
    n_tokens = len(record.token_ids)
    hues = np.full(n_tokens, hue_of(ASSISTANT), np.int8)
    if chat is not None:
        runs = [hue_of(run.role if run.is_content else ASSISTANT) for run in chat.runs.of_runs]
        hues = np.array(runs, np.int8)[chat.origins.rows]
    strengths = np.cumsum(record.is_trained) % 2
    control = is_control(record.setting.tokenizer.vocabulary)[record.token_ids]
    plain = np.where(control, CONTROL_SHADE, PLAIN_SHADE)
    tints = np.where(record.is_trained, ORIGIN_SHADE + 2 * hues + strengths, plain).astype(np.uint8)
    findings = tuple(noticed(record))
    return ShownRecord(chat=chat, token_tints=tints, record=record, hues=hues, findings=findings)


class RecordView(PromptView):
    """Trained tokens are underlined, cut tokens struck out; content that became control tokens is red."""

    def __init__(self, model: RecordModel, spans: ChatSpans, setting: PageSetting) -> None:
        super().__init__(model, spans, setting.theme_source)
        self._record_model = model
        self.setAccessibleName("Record")
        self.set_token_tip(self._tip)

    def words_of(self, token: int) -> tuple[list[str], list[str]]:
        return record_words(self._record_model, token)

    def _tip(self, token: int) -> str:
        where, line = self.words_of(token)
        return "\n".join(filter(None, (hover_text(self._chat_spans, None, token), where[0], line[0])))

    def draw_marks(self, painter: QPainter, theme: Theme, first: int, last: int) -> None:
        record = self._record_model.record
        if record is None or not len(record.why):
            return
        is_trained, is_cut, colors = record.is_trained, record.why == Why.CUT, theme.roles
        became = None if self._record_model.chat is None else self._record_model.chat.became_control
        for index, rect in self.token_rects(first, last):
            if became is not None and became[index]:
                ring_hint(painter, rect, theme.bad)
            if is_trained[index]:
                _draw_underline(painter, rect, colors[self._record_model.hue(index)])
            elif is_cut[index]:
                _draw_strike(painter, theme, rect)


def record_words(model: RecordModel, token: int) -> tuple[list[str], list[str]]:
    """The reason why a token is trained or not, and its origin."""
    record, origins = model.record, model.origins
    if record is None:
        return [""], [""]
    why = Why(int(record.why[token])).sentence
    if token >= len(origins):
        return [why, why.partition(":")[0]], [""]
    origin = origins[token]
    owner = origin_descriptions(origin)[-1]
    shorter = [f"{why}  {owner[0].upper()}{owner[1:]}.", why, why.partition(":")[0]]
    return shorter, [f"template line {origin.line}" if origin.line else ""]


class RecordPanel(QFrame):
    """A header with the findings in the record, the record, and a description of the selected token."""

    def __init__(self, model: RecordModel, setting: PageSetting) -> None:
        super().__init__()
        set_role(self, "panel")
        self.model, self._setting = model, setting
        themes = setting.theme_source
        self.spans = ChatSpans(model, self)
        self.view = RecordView(model, self.spans, setting)
        TokenMenu(self.view, self.spans, setting.requests, kind=Kind.OTHER)
        words_of = partial(record_words, model)
        self.token_line = TokenLine(model, self.spans, setting.requests, themes, words_of, NO_TOKEN)
        self.title, self.about = plain_label("strong"), set_role(FittedLabel(elides=True), "dim")
        steps = [
            tool_button("‹", partial(model.model.step, -1), tip="Previous record in the list"),
            tool_button("›", partial(model.model.step, 1), tip="Next record in the list"),
        ]
        self.colors = SegmentedTabs(COLORINGS)
        self.colors.chosen.connect(lambda way: self.spans.show_by_origin(way == 0))
        self.template = push_button("Template line", self._show_template, role="raised")
        self.template.setToolTip("Show the line of the template that wrote the selected token, in Chat")
        self.copy = MenuButton(themes, "Copy", tip="Copy this record's ids and labels, or the code for them")
        self.copy.fill_on_open(self._list_copies)
        head = in_row(*steps, self.title, (self.about, 1), self.copy, spacing=GAP_PX)
        self.findings = WrappingRow([], self.colors)
        self.problem, self.details = plain_label("bad", wraps=True), plain_label("dim", wraps=True)
        self.raw = set_role(QPlainTextEdit(readOnly=True), "code")
        self.raw.setFrameShape(QFrame.Shape.NoFrame)
        self.raw.setFont(Theme.mono_font(SMALL_FONT_PX))
        self.raw.setAccessibleName("Record as it is in the file")
        margins = MARGIN_PX, GAP_PX, MARGIN_PX, GAP_PX
        top = framed(
            in_column(head, self.findings, self.details, self.problem, margins=margins, spacing=UNIT_PX),
            "bar",
        )
        in_column(top, (self.view, 1), (self.raw, 1), self.token_line, on=self, spacing=0)
        self.setMinimumWidth(LEAST_PX)
        model.result_changed.connect(self._refresh)
        model.model.data_changed.connect(self._list_findings)
        model.selected_changed.connect(self._on_selected_changed)
        themes.changed.connect(self._on_theme_changed)
        self._listed: list[Noticed] | None = None
        self._buttons: list[QToolButton] = []
        self._refresh()

    def _refresh(self) -> None:
        record = self.model.record
        self.title.setText("" if record is None else f"Record {record.number:,}")
        self.about.set_texts([""] if record is None else _figures(record))
        self.problem.setText("" if record is None else record.error)
        has_error = bool(self.problem.text())
        self.problem.setVisible(has_error)
        self.raw.setVisible(has_error)
        self.view.setVisible(not has_error)
        self.raw.setPlainText(_raw_text(record) if record is not None and has_error else "")
        if self.model.selected_token is None:
            self.view.reveal(0, 0)
        for part in (self.colors, self.copy):
            part.setEnabled(record is not None and record.encoding is not None)
        self.view.set_placeholder(NOTHING if record is None else "")
        self._list_findings()
        self._on_selected_changed()

    def _on_theme_changed(self) -> None:
        self._listed = None
        self._list_findings()

    def _list_findings(self) -> None:
        findings = [] if self.model.record is None or self.model.record.error else self.model.findings
        if findings == self._listed:
            return
        self._listed = findings
        take_away(*self._buttons)
        self._buttons = [self._finding_button(each) for each in findings]
        self.findings.show_widgets([*self._buttons, self.template])
        details = [f"{title_of(each.code)}: {each.detail}" for each in findings if each.detail]
        self.details.setText("\n".join(f"{line[:1].upper()}{line[1:]}" for line in details[:MOST_DETAILS]))
        self.details.setVisible(bool(details))

    def _finding_button(self, finding: Noticed) -> QToolButton:
        kind, theme = KINDS[finding.code], self._setting.theme_source.theme
        name, color = ICONS[kind.severity]
        button = tool_button(title_of(finding.code), partial(self._show_finding, finding), role="part")
        button.setIcon(icon(name, getattr(theme, color), 14))
        button.setToolButtonStyle(button.toolButtonStyle().ToolButtonTextBesideIcon)
        detail = f"{finding.detail[:1].upper()}{finding.detail[1:]}" if finding.detail else ""
        button.setToolTip(plain_tip("\n".join(filter(None, (detail, kind.remedy)))))
        button.setAccessibleName(f"{kind.severity}: {title_of(finding.code)}")
        return button

    def _show_finding(self, finding: Noticed) -> None:
        token, named = finding.token, MESSAGE.search(finding.detail)
        if token is None and named is not None:
            token = self.model.tokens_of_message(int(named[1]))
        self.view.go_to(token or 0)

    def _on_selected_changed(self) -> None:
        index = self.model.selected_token
        if index is not None and self.model.encoding is not None:
            self.view.reveal(*self.model.encoding.spans[index].tolist())
        self.template.setEnabled(self._line > 0)

    @property
    def _line(self) -> int:
        """The line of the template that the selected token or the error refers to, or 0."""
        index, record, origins = self.model.selected_token, self.model.record, self.model.origins
        if record is not None and record.error:
            return record.line
        return origins[index].line if index is not None and index < len(origins) else 0

    def _show_template(self) -> None:
        record = self.model.record
        conversation = None if record is None or record.record is None else record.record.conversation
        if record is not None and conversation is not None:
            template = record.setting.options.template
            self._setting.requests.prompt_wanted.emit(conversation, template, self._line)

    def _list_copies(self, menu: QMenu) -> None:
        menu.addAction("Ids and labels as JSON", self._copy_line)
        menu.addAction("Python for transformers", self._copy_python)

    def _copy_line(self) -> None:
        if (record := self.model.record) is not None:
            copy_text(self, record_line(record), "ids and labels")

    def _copy_python(self) -> None:
        if (record := self.model.record) is not None:
            opened = self.model.session.loader.model
            name = "" if opened is None else opened.name.removeprefix("hf:")
            copy_text(self, as_python(record, name), "the Python code for transformers")


def _raw_text(record: DataRecord) -> str:
    """The record as it is in the file, indented if it can be parsed."""
    content = record.raw.content
    text = (
        content[: 4 * LONGEST_RAW].decode("utf-8", "replace") if isinstance(content, bytes) else str(content)
    )
    if record.record is not None and isinstance(content, bytes) and len(content) <= LONGEST_RAW:
        text = json.dumps(read_json(content), ensure_ascii=False, indent=2)
    return text if len(text) <= LONGEST_RAW else f"{text[:LONGEST_RAW]} …"


def _figures(record: DataRecord) -> list[str]:
    """The record's amounts, in a long and a short form."""
    n_trained = int(np.count_nonzero(record.is_trained))
    figures = [f"{counted(len(record.token_ids), 'token')}", f"{n_trained:,} trained"]
    if record.encoding is None:
        figures = []
    if record.n_used < len(record.token_ids):
        figures.append(f"{len(record.token_ids) - record.n_used:,} cut off")
    line = [f"line {record.raw.line:,}"] if record.raw.line else []
    return [" · ".join([*figures, *line]), " · ".join(figures), *figures[1:2]] if figures else line or [""]
