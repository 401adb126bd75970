"""The template, and the menu to choose it: the default, a named one, a file, or an example."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QFrame, QMenu, QPlainTextEdit, QTextEdit, QWidget

from guiapp.analysis.chat.fixes import TemplateEdit
from guiapp.analysis.chat.templates import AS_GIVEN, CHATML, GIVEN, WITH_TOOLS
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.kit.document.document import n_units
from guiapp.kit.widgets.controls import tool_button
from guiapp.kit.widgets.file_dialogs import ask_to_open
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row
from guiapp.kit.widgets.menu_button import MenuButton, add_choice
from guiapp.kit.widgets.painting import RIGHT, Painted, write
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    Theme,
    ThemeSource,
    blend,
    heading,
    set_role,
)
from guiapp.pages.chat.model import ChatModel

NUMBERS_PX = 92
NUMBER_PX, TIMES_PX, RAN_PX = 34, 36, 2
LONGEST_LINE, MOST_LINES = 10_000, 2_000  # most characters and lines shown
LIT, LIT_PART = 0.22, 0.5
LONGEST_NAME = 24
KINDS = "Templates (*.jinja *.jinja2 *.j2 *.txt *.json);;All files (*)"


class TemplatePanel(QFrame):
    """A head above the template's lines; the page connects the button that folds it."""

    def __init__(self, model: ChatModel, theme_source: ThemeSource) -> None:
        super().__init__()
        set_role(self, "panel")
        self._model = model
        self.choice = MenuButton(theme_source, role="link", tip="Choose a template")
        self.choice.fill_on_open(self._list)
        self._n_ran = set_role(FittedLabel(), "dim")
        self.fold = tool_button("»", role="link", tip="Hide the template")
        self.view = TemplateView(model, theme_source)
        parts = heading("Template"), self.choice, STRETCH, self._n_ran, self.fold
        head = in_row(*parts, margins=(MARGIN_PX, GAP_PX), spacing=GAP_PX)
        in_column(head, (self.view, 1), on=self, spacing=0)
        model.result_changed.connect(self._refresh)
        model.settings_changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        result, chosen = self._model.result, self._model.settings.template
        template = None if result is None else result.template
        if chosen == CHATML:
            name = "ChatML, an example"
        elif template is not None and template.source == AS_GIVEN:
            name = "not the model's"
        elif chosen is not None and template is not None and chosen != template.name:
            name = quoted(Path(chosen).name, LONGEST_NAME)
        elif template is None:
            name = "none"
        else:
            name = "in the file" if template.name == "default" else quoted(template.name, LONGEST_NAME)
        self.choice.setText(name)
        self.choice.setAccessibleName(f"Template: {name}")
        lines = self.view.lines
        n_all, n_ran = sum(count is not None for count in lines), sum(bool(count) for count in lines)
        short = f"{n_ran:,} of {n_all:,}"
        self._n_ran.set_texts([f"{short} lines ran", f"{short} ran", ""] if n_all else [""])

    def _list(self, menu: QMenu) -> None:
        templates, chosen = self._model.templates, self._model.settings.template
        names: list[str | None] = [each.name for each in templates]
        titles = [f"{quoted(each.name, LONGEST_NAME)} – {quoted(each.source, 40)}" for each in templates]
        if WITH_TOOLS in names[1:]:  # which one is used depends on the tools
            names, titles = [None, *names], [f"The model's default, {WITH_TOOLS} with tools", *titles]
        elif names:
            chosen = None if chosen == names[0] else chosen
            names[0], titles[0] = None, f"The model's default – {quoted(templates[0].source, 40)}"
        for title, template in zip((*titles, "ChatML, an example"), (*names, CHATML), strict=True):
            add_choice(menu, title, chosen == template, partial(self._use, template))
        menu.addSeparator()
        menu.addAction("A file…", self.ask_for_file)

    def ask_for_file(self) -> None:
        if path := ask_for_template(self):
            self._use(str(path))

    def try_example(self) -> None:
        self._use(CHATML)

    def _use(self, template: str | None) -> None:
        self._model.choose(replace(self._model.settings, template=template))


def ask_for_template(window: QWidget) -> Path | None:
    return ask_to_open(window, "Open a chat template", KINDS)


class _Faint(QSyntaxHighlighter):
    """Dims lines that did not run."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self.lines: tuple[int | None, ...] = ()
        self.look = QTextCharFormat()

    def highlightBlock(self, text: str) -> None:
        number = self.currentBlock().blockNumber()
        if number < len(self.lines) and self.lines[number] == 0:
            self.setFormat(0, len(text), self.look)


class _Margin(Painted):
    """Line numbers, counts, and a bar next to lines that ran."""

    ground = "panel"

    def __init__(self, view: TemplateView, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, parent=view)
        self._view = view

    def paint(self, painter: QPainter, theme: Theme) -> None:
        view = self._view
        painter.setFont(Theme.mono_font(SMALL_FONT_PX - 1))
        for block, top, height in view.shown_blocks():
            number = block.blockNumber()
            count = view.lines[number] if number < len(view.lines) else None
            is_lit = number + 1 in (view.lit_line, view.asked_line, view.failed_line)
            if is_lit:
                color = theme.bad if number + 1 == view.failed_line else theme.accent
                painter.fillRect(QRectF(0, top, self.width(), height), blend(theme.panel, color, LIT))
            line_px = block.layout().lineAt(0).height()
            row = QRectF(0, top, NUMBER_PX, line_px)
            write(painter, row, f"{number + 1}", theme.text if is_lit else theme.dim, RIGHT)
            if count:
                if count > 1:
                    times = QRectF(NUMBER_PX, top, TIMES_PX, line_px)
                    write(painter, times, f"×{count:,}", theme.dim, RIGHT)
                rect = QRectF(NUMBERS_PX - 14, top, RAN_PX, height)
                painter.fillRect(rect, theme.accent if is_lit else theme.faint)


class TemplateView(QPlainTextEdit):
    """The template's text, to read and to copy."""

    def __init__(self, model: ChatModel, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model, self._theme_source = model, theme_source
        self.lines: tuple[int | None, ...] = ()
        self.lit_line = self.failed_line = 0
        self._pointed: int | None = None  # the token under the mouse
        self._lit_part: tuple[int, int] | None = None
        self._asked: tuple[str | None, int] | None = None  # template name, None for the next one; line
        self._text = ""
        set_role(self, "code")
        self.setReadOnly(True)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.setFont(Theme.mono_font(SMALL_FONT_PX))
        self.setAccessibleName("Template, read-only")
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)  # read-only: no caret
        self.setTabChangesFocus(True)
        self._margin = _Margin(self, theme_source)
        self._faint = _Faint(self.document())
        self.setViewportMargins(NUMBERS_PX, 0, 0, 0)
        self.updateRequest.connect(self._margin.update)
        model.result_changed.connect(self._refresh)
        model.selected_changed.connect(self._on_selected_changed)
        model.template_edited.connect(self._show_edit)
        theme_source.changed.connect(self._recolour)
        self._recolour()
        self._refresh()

    def point_at(self, token: int) -> None:
        """Highlight the part that wrote the token under the mouse; a negative number is none."""
        self._pointed = token if token >= 0 else None
        self._mark_lines()

    @property
    def asked_line(self) -> int:
        """The requested line, while its template is shown and no token is selected; else 0."""
        result, asked = self._model.result, self._asked
        template = None if result is None else result.template
        if asked is None or template is None or self._model.is_busy:
            return 0
        return asked[1] if asked[0] in (None, template.name) else 0

    def _show_edit(self, edit: TemplateEdit) -> None:
        """Scroll to the edit of a fix as soon as the template with it is shown."""
        text = self._model.settings.template or ""
        self.go_to(GIVEN, text.count("\n", 0, edit.start) + 1)

    def go_to(self, template: str, line: int) -> None:
        """Scroll to a line of a template as soon as that template is shown."""
        self._asked = template, line
        self._show_asked()
        self._mark_lines()

    def go_to_line(self, line: int) -> None:
        """Scroll to a line of the template that is shown next."""
        self._asked = None, line
        self._show_asked()
        self._mark_lines()

    def shown_blocks(self) -> list[tuple[QTextBlock, float, float]]:
        """The visible lines, their tops in the viewport, and their heights without the document's margin."""
        found, block = [], self.firstVisibleBlock()
        while block.isValid():
            rect = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if rect.top() > self.viewport().height():
                break
            found.append((block, rect.top(), block.layout().boundingRect().height()))
            block = block.next()
        return found

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._margin.setGeometry(0, 0, NUMBERS_PX, self.viewport().height())
        if self.lit_line or self.failed_line:
            self._bring_into_view()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self._margin.update()

    def _recolour(self) -> None:
        self._faint.look.setForeground(self._theme_source.theme.faint)
        self._faint.rehighlight()
        self._on_selected_changed()

    def _refresh(self) -> None:
        result = self._model.result
        template = None if result is None else result.template
        text = "" if template is None else template.text.removesuffix("\n")
        if text != self._text:
            self._text = text
            self.setPlainText(shown_of(text))
            self._show_asked()
        made = self._model.shown
        chat = None if made is None or made.template != template else made.chat
        lines = () if chat is None else chat.rendering.lines
        failed = 0 if result is None else result.failed_line
        if failed != self.failed_line:
            self.failed_line = failed
            self._show_line(failed)
        if lines != self.lines:
            self.lines = lines
            self._faint.lines = lines
            self._faint.rehighlight()
        self._on_selected_changed()

    def _on_selected_changed(self) -> None:
        index = self._model.selected_token
        line = self._line_of(index)
        part = self._model.part_that_wrote(index) if index is not None and line else None
        if (line, part) != (self.lit_line, self._lit_part):
            self.lit_line, self._lit_part, self._asked = line, part, None
            self._show_line(line)
            if (cursor := self._cursor_over(index)) is not None:
                cursor.setPosition(cursor.selectionStart())
                self.setTextCursor(cursor)
        self._mark_lines()

    def _line_of(self, token: int | None) -> int:
        """The line that wrote a token; 0 while another template is shown than the prompt's."""
        origins = self._model.origins
        return origins[token].line if self.lines and token is not None and token < len(origins) else 0

    def _cursor_over(self, token: int | None) -> QTextCursor | None:
        """A cursor that selects the part of a line that wrote a token, as far as the line is shown."""
        if token is None or not self._line_of(token) or self._model.chat is None:
            return None
        if (part := self._model.part_that_wrote(token)) is None:
            return None
        source, (start, end) = self._model.chat.template.source_text, part
        block = self.document().findBlockByNumber(source.count("\n", 0, start))
        first = n_units(source[source.rfind("\n", 0, start) + 1 : start])
        last = min(first + n_units(source[start:end]), block.length() - 1)
        if not block.isValid() or last <= first:
            return None
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + first)
        cursor.setPosition(block.position() + last, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _show_asked(self) -> None:
        self._show_line(self.asked_line, self.centerCursor)

    def _show_line(self, line: int, scroll: Callable[[], None] | None = None) -> None:
        block = self.document().findBlockByNumber(line - 1)
        if line and block.isValid():
            cursor = QTextCursor(block)
            self.setTextCursor(cursor)
            (scroll or self._bring_into_view)()

    def _bring_into_view(self) -> None:
        """Scroll the cursor into view, but not to the edge, where adjacent lines are hidden."""
        edge_px = 2 * self.fontMetrics().height()
        if not self.viewport().rect().adjusted(0, edge_px, 0, -edge_px).contains(self.cursorRect()):
            self.centerCursor()

    def _failed_part(self, line: str) -> tuple[int, int]:
        """The range of the tag with the template's error message; (0, 0) for the whole line."""
        at = line.find(self._model.failure.partition(": ")[2].rstrip(".") or "\n")
        start, end = line.rfind("{{", 0, max(at, 0)), line.find("}}", at)
        return (n_units(line[:start]), n_units(line[: end + 2])) if 0 <= start < end else (0, 0)

    def _mark_lines(self) -> None:
        theme, marks = self._theme_source.theme, list[QTextEdit.ExtraSelection]()
        tokens = (self._pointed, theme.faint), (self._model.selected_token, theme.accent)
        lines = (
            (self._line_of(self._pointed), theme.faint),
            (self.lit_line, theme.accent),
            (self.asked_line, theme.accent),
            (self.failed_line, theme.bad),
        )
        for line, color in lines:
            block = self.document().findBlockByNumber(line - 1)
            if line and block.isValid():
                whole = QTextCursor(block)
                start, end = self._failed_part(block.text()) if color is theme.bad else (0, 0)
                whole.setPosition(block.position() + start)
                whole.setPosition(
                    block.position() + (end or block.length() - 1), QTextCursor.MoveMode.KeepAnchor
                )
                marks.append(_mark(whole, blend(theme.panel, color, LIT)))
                marks[-1].format.setProperty(QTextCharFormat.Property.FullWidthSelection, not end)
        for token, color in tokens:
            if (part := self._cursor_over(token)) is not None:
                marks.append(_mark(part, blend(theme.panel, color, LIT_PART)))
        self.setExtraSelections(marks)
        self._margin.update()


def _mark(cursor: QTextCursor, ground: QColor) -> QTextEdit.ExtraSelection:
    mark = QTextEdit.ExtraSelection()
    mark.cursor = cursor
    mark.format.setBackground(ground)
    return mark


def shown_of(template: str) -> str:
    """The beginning of a template, shortened to what the view can show."""
    lines = template.split("\n", MOST_LINES)
    shown = [line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…" for line in lines[:MOST_LINES]]
    if len(lines) > MOST_LINES:
        shown.append(f"… {counted(template.count(chr(10)) + 1 - MOST_LINES, 'more line')}")
    return "\n".join(shown)
