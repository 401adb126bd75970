"""The template beside the prompt: its lines, how often each ran, and which one wrote the selected token."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import (
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from guiapp.viewmodels.chat.model import ChatModel
from guiapp.widgets.shared.painting import RIGHT, Painted, write
from guiapp.widgets.shared.style_sheet import blend, set_role
from guiapp.widgets.shared.theme import SMALL_FONT_PX, Theme, ThemeSource

MARGIN_PX = 92
NUMBER_PX, TIMES_PX, RAN_PX = 34, 36, 2
LONGEST_LINE = 2_000  # characters that are shown
LIT = 0.22


class _Faint(QSyntaxHighlighter):
    """Lines that did not run are dim."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self.lines: tuple[int | None, ...] = ()
        self.look = QTextCharFormat()

    def highlightBlock(self, text: str) -> None:
        number = self.currentBlock().blockNumber()
        if number < len(self.lines) and self.lines[number] == 0:
            self.setFormat(0, len(text), self.look)


class _Margin(Painted):
    """Numbers, counts, and a line beside what ran."""

    ground = "panel"

    def __init__(self, view: TemplateView, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, parent=view)
        self._view = view

    def sizeHint(self) -> QSize:
        return QSize(MARGIN_PX, 0)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        view = self._view
        painter.setFont(Theme.mono_font(SMALL_FONT_PX - 1))
        for block, top, height in view.shown_blocks():
            number = block.blockNumber()
            count = view.lines[number] if number < len(view.lines) else None
            is_lit = number + 1 in (view.lit_line, view.failed_line)
            if is_lit:
                color = theme.bad if number + 1 == view.failed_line else theme.accent
                painter.fillRect(QRectF(0, top, self.width(), height), blend(theme.panel, color, LIT))
            row = QRectF(0, top, NUMBER_PX, height)
            write(painter, row, f"{number + 1}", theme.text if is_lit else theme.dim, RIGHT)
            if count:
                if count > 1:
                    times = QRectF(NUMBER_PX, top, TIMES_PX, height)
                    write(painter, times, f"×{count:,}", theme.dim, RIGHT)
                place = QRectF(MARGIN_PX - 14, top, RAN_PX, height)
                painter.fillRect(place, theme.accent if is_lit else theme.faint)


class TemplateView(QPlainTextEdit):
    """Text to read and to copy."""

    def __init__(self, model: ChatModel, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model, self._theme_source = model, theme_source
        self.lines: tuple[int | None, ...] = ()
        self.lit_line = self.failed_line = 0
        self._text = ""
        set_role(self, "code")
        self.setReadOnly(True)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(Theme.mono_font(SMALL_FONT_PX))
        self.setAccessibleName("Template")
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self._margin = _Margin(self, theme_source)
        self._faint = _Faint(self.document())
        self.setViewportMargins(MARGIN_PX, 0, 0, 0)
        self.updateRequest.connect(self._margin.update)
        model.result_changed.connect(self._follow)
        model.selected_changed.connect(self._follow_selected)
        theme_source.changed.connect(self._recolour)
        self._recolour()
        self._follow()

    def shown_blocks(self) -> list[tuple[QTextBlock, float, float]]:
        """The lines that show, with their tops and heights in the viewport."""
        found, block = [], self.firstVisibleBlock()
        while block.isValid():
            place = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if place.top() > self.viewport().height():
                break
            found.append((block, place.top(), place.height()))
            block = block.next()
        return found

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._margin.setGeometry(0, 0, MARGIN_PX, self.viewport().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self._margin.update()

    def _recolour(self) -> None:
        self._faint.look.setForeground(self._theme_source.theme.faint)
        self._faint.rehighlight()
        self._follow_selected()

    def _follow(self) -> None:
        result = self._model.result
        template = None if result is None else result.template
        text = "" if template is None else template.text.removesuffix("\n")
        if text != self._text:
            self._text = text
            self.setPlainText("\n".join(_shortened(line) for line in text.split("\n")))
        shown = self._model.shown
        chat = None if shown is None or shown.template != template else shown.chat
        lines = () if chat is None else chat.rendering.lines
        failed = 0 if result is None else result.failed_line
        if failed != self.failed_line:
            self.failed_line = failed
            self._show_line(failed)
        if lines != self.lines:
            self.lines = lines
            self._faint.lines = lines
            self._faint.rehighlight()
        self._follow_selected()

    def _follow_selected(self) -> None:
        index = self._model.selected_token
        line = 0 if index is None else self._model.origins[index].line
        if line != self.lit_line:
            self.lit_line = line
            self._show_line(line)
        self._mark_lines()

    def _show_line(self, line: int) -> None:
        block = self.document().findBlockByNumber(line - 1)
        if line and block.isValid():
            cursor = QTextCursor(block)
            self.setTextCursor(cursor)
            self.ensureCursorVisible()

    def _mark_lines(self) -> None:
        theme, marks = self._theme_source.theme, []
        for line, color in ((self.lit_line, theme.accent), (self.failed_line, theme.bad)):
            block = self.document().findBlockByNumber(line - 1)
            if line and block.isValid():
                mark = QTextEdit.ExtraSelection()
                mark.cursor = QTextCursor(block)
                mark.format.setBackground(blend(theme.panel, color, LIT))
                mark.format.setProperty(QTextCharFormat.Property.FullWidthSelection, True)
                marks.append(mark)
        self.setExtraSelections(marks)
        self._margin.update()


def _shortened(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"
