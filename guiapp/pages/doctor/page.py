"""The Doctor page: what is wrong with the model's files, how it affects text, and how to fix it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QLabel, QSplitter, QWidget

from guiapp.analysis.doctor.doctor import count, is_command
from guiapp.analysis.doctor.findings import ERROR, HINT, WARNING, Finding, TemplateLine, TokenizationChange
from guiapp.analysis.explain.spelling import code
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.text.visible_text import isolate
from guiapp.kit.session.choice import joined
from guiapp.kit.session.doctor_model import ICONS, DoctorModel
from guiapp.kit.session.loader import title_of
from guiapp.kit.side_by_side.details import ItemDetails, sentence_spans
from guiapp.kit.side_by_side.grid import CUTS, GridRow
from guiapp.kit.spans.legend import Draw, LegendEntry
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.widgets.controls import push_button, tool_button
from guiapp.kit.widgets.labels import Span, StyledText
from guiapp.kit.widgets.layouts import (
    STRETCH,
    Contents,
    WrappingRow,
    card,
    framed,
    head_row,
    in_column,
    in_row,
    in_splitter,
)
from guiapp.kit.widgets.menu_button import JSON, MARKDOWN, ExportButton, SavingBar
from guiapp.kit.widgets.notices import copy_text
from guiapp.kit.widgets.page_base import Page, PageSetting
from guiapp.kit.widgets.painting import LEFT, ShareBar, bold, elided, icon, write
from guiapp.kit.widgets.tables import ROW_PX, PaintedRows
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    blend,
    heading,
    plain_label,
    set_role,
)
from guiapp.pages.doctor.fixing import FixBar, ask_and_fix

LEAST_PX = 320
NAMES = "now", "fixed"
MOST_LINES = 40
FORMS = {"markdown": MARKDOWN, "json": JSON}
OF_ORIGINAL, ABOUT_ORIGINAL = "original_", "original_remark"  # prefix of codes of differences; code of a note
ORIGINAL_TIP = "Compare the model with its original, such as tokenizer.json"
BAR_PX = 160
QUOTED = re.compile("“([^“”]+)”(\\.?)")  # text from a file, quoted in a sentence
ICON_PX = 18
TEXT_PX = 2 * MARGIN_PX + ICON_PX  # where the text begins
WHOLE_FILE = "The whole file"
LIST_PX, PANEL_PX = 400, 700
NOTHING = (
    "Nothing to fix. Doctor has checked the normalizer, the pre-tokenizer, merge rules, kinds, scores, "
    "bytes, special tokens, ends of turns, sizes, look-alikes, hidden characters, templates and decoding."
)


def _icon(severity: str) -> Draw:
    name, color = ICONS[severity]
    return lambda painter, theme, box: icon(name, getattr(theme, color)).paint(painter, box.toRect())


LEGEND = (
    LegendEntry(_icon(ERROR), "Error: texts get other ids than in training, or no ids"),
    LegendEntry(_icon(WARNING), "Warning: some texts may get wrong ids"),
    LegendEntry(_icon(HINT), "Hint: unusual but harmless"),
    *CUTS,
)


class FindingList(PaintedRows):
    """The findings of the diagnosis. The current row is the finding shown in the panel."""

    def __init__(self, model: DoctorModel, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Findings")
        self._model = model
        self.setMinimumSize(240, ROW_PX)
        model.walk.changed.connect(self._refresh)
        self._refresh()

    @property
    def n_rows(self) -> int:
        return len(self._model.findings)

    @property
    def chosen_row(self) -> int:
        return -1 if self._model.walk.current is None else self._model.walk.current

    def choose_row(self, row: int) -> None:
        self._model.walk.go_to(row)

    def _refresh(self) -> None:
        self.show_chosen()
        finding = self._model.finding
        self.setAccessibleDescription("" if finding is None else f"{finding.severity}: {finding.what}")

    def paint_row(self, painter: QPainter, theme: Theme, row: int, rect: QRect) -> None:
        finding = self._model.findings[row]
        name, color = ICONS[finding.severity]
        sign = QRect(MARGIN_PX, rect.top() + 12, ICON_PX, ICON_PX)
        icon(name, getattr(theme, color), ICON_PX).paint(painter, sign)
        upper = rect.adjusted(TEXT_PX, 12, -MARGIN_PX, -ROW_PX // 2)
        lower = rect.adjusted(TEXT_PX, ROW_PX // 2, -MARGIN_PX, -12)
        small, large = Theme.ui_font(SMALL_FONT_PX), bold(Theme.ui_font())
        write(painter, upper, elided(finding.title, large, upper.width()), theme.text, LEFT, large)
        subject = elided(finding.subject or WHOLE_FILE, small, lower.width())
        write(painter, lower, isolate(subject), theme.dim, LEFT, small)


class DoctorPage(Page):
    """The verdict at the top, the findings below it, and the current finding on the right."""

    legend = {"Findings": LEGEND, **Page.legend}

    def __init__(self, setting: PageSetting) -> None:
        super().__init__()
        self.model, theme_source = setting.doctor, setting.theme_source
        self.saving = FileSaving(self)
        self.head = DoctorHead(self.model, self.saving, setting)
        self.list = FindingList(self.model, theme_source)
        self.panel = FindingPanel(self.model, setting)
        self.splitter = in_splitter(self.list, self.panel, sizes=(LIST_PX, PANEL_PX), grows=(0, 1))
        self.contents = Contents(self, self.splitter)
        self.fix_bar = FixBar(self.model, setting.requests, theme_source)
        bars = SavingBar(self.saving, theme_source), self.fix_bar
        in_column(self.head, *bars, (self.contents, 1), on=self, spacing=0)
        self.watched.connect(self.model.set_active)
        self.model.changed.connect(self._refresh)
        self._refresh()

    @property
    def panels(self) -> list[QWidget]:
        found = [self.list, self.panel.reason] if self.model.findings else []
        return [*found, self.head.original]

    @property
    def is_ready(self) -> bool:
        return not self.model.examined.is_busy

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"doctor": self.splitter}

    def stop(self) -> None:
        self.saving.close()

    def _refresh(self) -> None:
        is_well = self.model.diagnosis is not None and not self.model.examined.is_busy
        if self.model.findings:
            self.contents.show_inside(self.list)
        else:
            begin = None if self.model.is_of_failed_file else self.head.original
            self.contents.show_message(NOTHING if is_well else "", begin=begin)


make_page = DoctorPage


class DoctorHead(QFrame):
    """A summary of the findings, in a few words."""

    def __init__(self, model: DoctorModel, saving: FileSaving, setting: PageSetting) -> None:
        super().__init__()
        set_role(self, "bar")
        self._model, self._requests, theme_source = model, setting.requests, setting.theme_source
        self.verdict = plain_label("title")
        self.about = plain_label("dim", wraps=True)
        self.bar = ShareBar("Progress of the checks", BAR_PX)
        self.cancel = push_button("Cancel", model.cancel)
        self.again = push_button("Examine", model.examined.refresh)
        self.leave = push_button("Back to the open model", model.leave_file)
        self.original = push_button("", self._ask_original, tip=ORIGINAL_TIP)
        drop = partial(model.set_original, "")
        self.drop = tool_button("✕", drop, tip="Remove the original")
        self.export = ExportButton(theme_source, saving, "findings", FORMS, model.export, "Save the findings")
        self.fix = push_button("", self._ask_fixes, role="primary", tip="Write a copy without these faults")
        titles = in_column(self.verdict, self.about, spacing=UNIT_PX)
        tools = self.bar, self.cancel, self.again, self.leave, self.original, self.drop, self.export, self.fix
        in_row((titles, 1), *tools, on=self, margins=(MARGIN_PX, 3 * UNIT_PX), spacing=GAP_PX)
        model.changed.connect(self._refresh)
        model.examined.progress_changed.connect(self._show_progress)
        self._refresh()

    def _show_progress(self) -> None:
        self.bar.show_share(self._model.examined.progress)

    def _ask_original(self) -> None:
        self._requests.model_wanted.emit(self.original, self._model.set_original)

    def _ask_fixes(self) -> None:
        ask_and_fix(self._model, [each.code for each in self._model.fixes if each.is_certain], self)

    def _refresh(self) -> None:
        model = self._model
        has_found = model.diagnosis is not None
        self.verdict.setText(_verdict(model))
        self.about.setText(_about(model))
        for part in (self.bar, self.cancel):
            part.setVisible(model.examined.is_busy)
        self._show_progress()
        self.again.setVisible(bool(model.name) and not has_found and not model.examined.is_busy)
        self.leave.setVisible(model.is_of_failed_file)
        name = quoted(title_of(model.original), 30)
        self.original.setText(f"Original: {name}" if model.original else "Compare with original…")
        can_open = model.diagnosis is None or model.diagnosis.tokenizer is not None
        self.original.setEnabled(bool(model.name) and can_open)
        self.original.setHidden(model.is_of_failed_file)
        self.drop.setVisible(bool(model.original))
        self.export.setEnabled(has_found)
        self.fix.setVisible(bool(model.fixes))
        n_fixes = len(model.fixes)
        self.fix.setText(f"Save a copy with {n_fixes} fix{'es' * (n_fixes != 1)}…")


def _verdict(model: DoctorModel) -> str:
    if model.examined.is_busy:
        return "Examining …"
    if model.diagnosis is None:
        return "Not examined" if model.name else "No model"
    return count(model.findings)


def _about(model: DoctorModel) -> str:
    if not model.name:
        return "Open a model to check its files."
    if model.examined.problem:
        return model.examined.problem
    return joined(quoted(model.title), model.file, _compared(model))


def _compared(model: DoctorModel) -> str:
    """A summary of how the file differs from its original, after the comparison."""
    if not model.original or model.diagnosis is None or model.examined.is_busy:
        return ""
    codes = [each.code for each in model.diagnosis.findings if each.code != ABOUT_ORIGINAL]
    n_differences = sum(code.startswith(OF_ORIGINAL) for code in codes)
    what = counted(n_differences, "difference") if n_differences else "no difference"
    return f"compared with {quoted(title_of(model.original), 30)}: {what} found"


class FindingPanel(ItemDetails):
    """The chosen finding, with buttons that lead to what it is about."""

    def __init__(self, model: DoctorModel, setting: PageSetting) -> None:
        super().__init__(setting.theme_source, "Finding", LEAST_PX, model.walk, "finding")
        self._model = model
        self._requests, self._text_page = setting.requests, setting.actions["inspect"]
        self._sign = QLabel(alignment=Qt.AlignmentFlag.AlignTop)
        self.reason.setAccessibleName("Problem")
        self.remedy = StyledText(Theme.ui_font(), MOST_LINES, "Fix")
        self.template = StyledText(Theme.mono_font(SMALL_FONT_PX), MOST_LINES, "Lines of the template")
        self.copy_button = push_button("Copy", self.copy_remedy, role="quiet", tip="Copy the fix")
        self.try_button = push_button("", model.try_pre, role="primary")
        self.text_button = push_button("Open in Text", self._show_text)
        self.tree_button = push_button("Show token in tree", self._want_tokens)
        self.chat_button = push_button("Show template in Chat", self._want_template)
        self.manual_button = push_button("What this means", self._want_manual)
        self.fix_button = push_button("Save a fixed copy…", self._ask_fix, role="raised")
        self._in_template = heading("Template")
        head, row = head_row("Fix", self.copy_button), in_row(self.fix_button, STRETCH)
        self._fixes = framed(in_column(head, self.remedy, row, spacing=UNIT_PX))
        self._lines = framed(in_column(self._in_template, self.template, spacing=UNIT_PX))
        self.arrange(
            self.head,
            card(in_row(self._sign, (self.reason, 1), spacing=GAP_PX), self.grid),
            WrappingRow(
                [self.try_button, self.text_button, self.tree_button, self.chat_button, self.manual_button]
            ),
            self._fixes,
            self._lines,
            STRETCH,
        )
        model.walk.changed.connect(self._refresh)
        self._theme_source.changed.connect(self._refresh)
        self._refresh()

    def copy_remedy(self) -> None:
        if (finding := self._model.finding) is not None:
            copy_text(self, finding.remedy, "the fix")

    def _ask_fix(self) -> None:
        if (finding := self._model.finding) is not None:
            ask_and_fix(self._model, [finding.code], self)

    def _want_template(self) -> None:
        if (finding := self._model.finding) is not None and finding.line is not None:
            self._requests.template_wanted.emit(finding.line)

    def _want_manual(self) -> None:
        if (finding := self._model.finding) is not None:
            self._requests.manual_wanted.emit(f"doctor#{finding.code}")

    def _show_text(self) -> None:
        self._model.show_text()
        self._text_page.trigger()

    def _want_tokens(self) -> None:
        if (finding := self._model.finding) is None:
            return
        if len(finding.tokens) == 1:
            self._requests.token_wanted.emit(finding.tokens[0])
        else:
            self._requests.tokens_wanted.emit(finding.title, np.array(finding.tokens, np.int32))

    def _refresh(self) -> None:
        finding = self._model.finding
        if finding is not None:
            self._show(finding, self._theme_source.theme)

    def _show(self, finding: Finding, theme: Theme) -> None:
        walk = self._model.walk
        self.title.set_texts([f"{finding.severity} · {(walk.current or 0) + 1} of {walk.n_all}".upper()])
        name, color = ICONS[finding.severity]
        self._sign.setPixmap(icon(name, getattr(theme, color), ICON_PX).pixmap(ICON_PX, ICON_PX))
        self.show_reason([*sentence_spans(_with_code_marks(finding.what), theme)])
        self.grid.setVisible(finding.changes is not None)
        if finding.changes is not None:
            self.grid.show_rows(_grid_rows(finding.changes))
        self._fixes.setVisible(bool(finding.remedy))
        is_code = is_command(finding.remedy)
        self.remedy.set_font(Theme.mono_font(SMALL_FONT_PX) if is_code else Theme.ui_font())
        self.remedy.set_spans([Span(isolate(finding.remedy), theme.text)])
        self._show_line(finding.line, theme)
        self._offer(finding)

    def _show_line(self, line: TemplateLine | None, theme: Theme) -> None:
        self._lines.setVisible(line is not None)
        if line is not None:
            self._in_template.setText(f"TEMPLATE, LINE {line.number}")
            self.template.set_spans(_line_spans(line, theme))

    def _offer(self, finding: Finding) -> None:
        self.fix_button.setVisible(finding.code in (each.code for each in self._model.fixes))
        is_in_use = finding.pre == self._chosen_pre
        self.try_button.setVisible(bool(finding.pre))
        self.try_button.setEnabled(not is_in_use)
        self.try_button.setText(f"{finding.pre} is in use" if is_in_use else f"Try {finding.pre}")
        self.text_button.setVisible(finding.changes is not None)
        self.tree_button.setText("Show tokens in tree" if len(finding.tokens) > 1 else "Show token in tree")
        self.chat_button.setVisible(finding.line is not None and self._model.is_of_open_model)
        self.tree_button.setVisible(bool(finding.tokens) and self._model.is_of_open_model)

    @property
    def _chosen_pre(self) -> str:
        tokenizer = self._model.session.tokenizer
        return "" if tokenizer is None else tokenizer.vocabulary.chosen_pre


def _with_code_marks(sentence: str) -> str:
    """The sentence with text from a file between code marks instead of quotation marks."""
    return QUOTED.sub(_with_one_stop, sentence)


def _with_one_stop(match: re.Match[str]) -> str:
    """Omit the full stop after quoted text that ends in one itself."""
    return code(match[1]) + ("" if match[1].endswith((".", "!", "?")) else match[2])


def _line_spans(line: TemplateLine, theme: Theme) -> Iterator[Span]:
    width = len(str(line.first + len(line.context)))
    for number, text in enumerate(line.context, line.first):
        is_meant = number == line.number
        ground = blend(theme.panel, theme.accent, 0.24) if is_meant else None
        end = "" if number == line.first + len(line.context) - 1 else "\n"
        yield Span(f"{number:>{width}}  ", theme.dim)
        color = theme.text if is_meant else theme.dim
        yield Span(isolate(quoted(text, 4 * len(text))), color, ground)
        yield Span(end, theme.dim)


def _grid_rows(change: TokenizationChange) -> list[GridRow]:
    """A text before a fault is fixed, and after it unless only a conversion can show that."""
    text = change.text.encode("utf-8", "replace")
    sides = zip(NAMES, range(2), (change.before, change.after), strict=True)
    return [GridRow(name, at, text, side.ids, side.spans) for name, at, side in sides if side is not None]
