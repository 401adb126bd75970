"""One finding: what is wrong, which text shows it, what mends it, and where to look at it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QStackedWidget, QWidget

from guiapp.analysis.doctor.findings import Finding, TemplateLine, TokenizationChange
from guiapp.analysis.doctor.report import is_command
from guiapp.core.text.visible_text import isolate
from guiapp.core.vocabulary.quoting import quoted
from guiapp.kit.session.doctor_model import DoctorModel
from guiapp.kit.widgets.controls import push_button, tool_button
from guiapp.kit.widgets.find_picture import CutTwice, FindPicture
from guiapp.kit.widgets.labels import Span, StyledText
from guiapp.kit.widgets.layouts import (
    STRETCH,
    WrappingRow,
    card,
    in_column,
    in_row,
    scroll_across,
    scroll_down,
)
from guiapp.kit.widgets.painting import icon
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UI_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    blend,
    heading,
    plain_label,
    set_role,
)
from guiapp.pages.doctor.words import ICONS, sentence_parts, title_of

LEAST_PX, ICON_PX = 320, 18
NAMES = "now", "mended"
EMPTY = "Here each finding is shown: what is wrong, a text that it changes, and what mends it."
MOST_LINES = 40


class FindingPanel(QFrame):
    """The finding that is chosen.

    Signals:
        token_wanted(int): show this token in its tree.
        tokens_wanted(str, Ids): light these tokens in the tree, under a title.
        template_wanted(TemplateLine): show this line of a chat template with what it writes.
        text_shown(): the text of the finding is the window's: show it.
    """

    token_wanted = Signal(object)
    tokens_wanted = Signal(str, object)
    template_wanted = Signal(object)
    text_shown = Signal()

    def __init__(self, model: DoctorModel, theme_source: ThemeSource) -> None:
        super().__init__()
        set_role(self, "panel")
        self.setMinimumWidth(LEAST_PX)
        self._model, self._theme_source = model, theme_source
        self.number = heading("")
        self.previous = tool_button("‹", partial(self._go, -1), tip="Previous finding")
        self.next = tool_button("›", partial(self._go, 1), tip="Next finding")
        self._sign = QLabel()
        self.title = plain_label("strong")
        self.what = self._text(Theme.ui_font(UI_FONT_PX + 1), "What is wrong")
        self.picture = FindPicture(theme_source, NAMES)
        self.remedy = self._text(Theme.ui_font(), "Remedy")
        self.template = self._text(Theme.mono_font(SMALL_FONT_PX), "Lines of the template")
        self.copy_button = push_button("Copy", self.copy_remedy, role="quiet", tip="Copy the remedy")
        self.try_button = push_button("", model.try_pre, role="primary")
        self.text_button = push_button("Open text in Inspect", self._show_text)
        self.tree_button = push_button("Show token in tree", self._want_tokens)
        self.chat_button = push_button("Show template in Chat", self._want_template)
        self._views = QStackedWidget()
        self._build_layout()
        model.chosen_changed.connect(self._refresh)
        theme_source.changed.connect(self._refresh)
        self._refresh()

    def copy_remedy(self) -> None:
        if (finding := self._model.finding) is not None:
            QGuiApplication.clipboard().setText(finding.remedy)

    def _want_template(self) -> None:
        if (finding := self._model.finding) is not None and finding.line is not None:
            self.template_wanted.emit(finding.line)

    def _text(self, font: QFont, name: str) -> StyledText:
        made = StyledText(font, MOST_LINES)
        made.setAccessibleName(name)
        return made

    def _build_layout(self) -> None:
        area = QScrollArea()
        scroll_across(area, self.picture)
        area.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)  # else its card grows
        self._area = area
        self._in_template = heading("Template")
        self._mends = QWidget()
        in_column(
            in_row(heading("Remedy"), STRETCH, self.copy_button), self.remedy, on=self._mends, spacing=UNIT_PX
        )
        self._lines = QWidget()
        in_column(self._in_template, self.template, on=self._lines, spacing=UNIT_PX)
        head = in_row((self.number, 1), self.previous, self.next, spacing=0)
        inner = QWidget()
        in_column(
            head,
            card(in_row(self._sign, (self.title, 1), spacing=GAP_PX), self.what, area),
            WrappingRow([self.try_button, self.text_button, self.tree_button, self.chat_button]),
            self._mends,
            self._lines,
            STRETCH,
            on=inner,
            margins=MARGIN_PX,
            spacing=3 * UNIT_PX,
        )
        shown = QScrollArea()
        scroll_down(shown, inner)
        for part in (inner, shown.viewport()):
            part.setAutoFillBackground(False)
        empty = QLabel(EMPTY, wordWrap=True)
        self._views.addWidget(_at_top(set_role(empty, "dim")))
        self._views.addWidget(shown)
        in_column(self._views, on=self)

    def _go(self, by: int) -> None:
        self._model.choose(self._model.chosen + by)

    def _show_text(self) -> None:
        self._model.show_text()
        self.text_shown.emit()

    def _want_tokens(self) -> None:
        if (finding := self._model.finding) is None:
            return
        if len(finding.tokens) == 1:
            self.token_wanted.emit(finding.tokens[0])
        else:
            self.tokens_wanted.emit(title_of(finding), np.array(finding.tokens, np.int32))

    def _refresh(self) -> None:
        finding = self._model.finding
        self._views.setCurrentIndex(int(finding is not None))
        if finding is not None:
            self._show(finding, self._theme_source.theme)

    def _show(self, finding: Finding, theme: Theme) -> None:
        at, n_findings = self._model.chosen, len(self._model.findings)
        self.number.setText(f"{finding.severity} · {at + 1} of {n_findings}".upper())
        self.previous.setEnabled(at > 0)
        self.next.setEnabled(at + 1 < n_findings)
        name, color = ICONS[finding.severity]
        self._sign.setPixmap(icon(name, getattr(theme, color), ICON_PX).pixmap(ICON_PX, ICON_PX))
        self.title.setText(title_of(finding))
        self.what.set_spans(_spans(finding.what, theme))
        self._area.setVisible(finding.changes is not None)
        if finding.changes is not None:
            self.picture.show_find(_cuts_of(finding.changes))
            self._area.setFixedHeight(self.picture.height() + 12)
        self._mends.setVisible(bool(finding.remedy))
        self.remedy.set_font(
            Theme.mono_font(SMALL_FONT_PX) if is_command(finding.remedy) else Theme.ui_font()
        )
        self.remedy.set_spans([Span(isolate(finding.remedy), theme.text)])
        self._show_line(finding.line, theme)
        self._offer(finding)

    def _show_line(self, line: TemplateLine | None, theme: Theme) -> None:
        self._lines.setVisible(line is not None)
        if line is not None:
            self._in_template.setText(f"TEMPLATE, LINE {line.number}")
            self.template.set_spans(_line_spans(line, theme))

    def _offer(self, finding: Finding) -> None:
        is_in_use = finding.pre == self._chosen_pre
        self.try_button.setVisible(bool(finding.pre))
        self.try_button.setEnabled(not is_in_use)
        self.try_button.setText(f"{finding.pre} is in use" if is_in_use else f"Try with {finding.pre}")
        self.text_button.setVisible(finding.changes is not None)
        self.tree_button.setText("Show tokens in tree" if len(finding.tokens) > 1 else "Show token in tree")
        self.chat_button.setVisible(finding.line is not None and self._model.is_of_open_model)
        self.tree_button.setVisible(bool(finding.tokens) and self._model.is_of_open_model)

    @property
    def _chosen_pre(self) -> str:
        tokenizer = self._model.session.tokenizer
        return "" if tokenizer is None else tokenizer.vocabulary.chosen_pre


def _at_top(widget: QWidget) -> QWidget:
    context = QWidget()
    in_column(widget, STRETCH, on=context, margins=MARGIN_PX)
    return context


def _spans(sentence: str, theme: Theme) -> Iterator[Span]:
    """What a file says is on a ground of its own."""
    ground = blend(theme.raised, theme.text, 0.1)
    for said in sentence_parts(sentence):
        if said.text:
            yield Span(isolate(said.text), theme.text, ground if said.is_quoted else None)


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


def _cuts_of(change: TokenizationChange) -> CutTwice:
    """A text before and after a fault is mended; None where only a conversion can tell."""
    before, after = change.before, change.after
    ids = before.ids, None if after is None else after.ids
    return CutTwice(
        change.text.encode("utf-8", "replace"), ids, (before.spans, None if after is None else after.spans)
    )
