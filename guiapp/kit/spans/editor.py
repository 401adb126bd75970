"""The editable text with its tokens coloured in place, and a margin with token counts next to its lines."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import (
    QBasicTimer,
    QEvent,
    QMimeData,
    QObject,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimerEvent,
)
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication

from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.analysis.explain.characters import n_characters
from guiapp.core.text.numbers_in_words import counted
from guiapp.kit.document.document import TextDocument
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.spans.accessibility import SpanAccessibility
from guiapp.kit.spans.frame import LINE_ALPHA, PointedOut
from guiapp.kit.spans.layout import SpanSource
from guiapp.kit.spans.moves import (
    CaretMoves,
    input_method_value,
    is_plain,
    preedit_of,
    span_to_replace,
    types_text,
    utf8,
)
from guiapp.kit.spans.painter import faded
from guiapp.kit.spans.rows import MARGIN_PX
from guiapp.kit.spans.view import SIDE_PX, SpanView
from guiapp.kit.state.background import later
from guiapp.kit.widgets.notices import BYTES_FORMAT, copy_text, leave_plain_text, on_clipboard
from guiapp.kit.widgets.painting import RIGHT, Painted, fill, write
from guiapp.kit.widgets.theme import SMALL_FONT_PX, Theme, ThemeSource

WIDTH_PX = 50  # of the margin next to the lines
NUMBER_SIDE_PX = 6
CAPTION_PX, CAPTION_FONT_PX = 14, 10
BAR_PX = 3
BAR_ROOM_PX = WIDTH_PX - NUMBER_SIDE_PX - 4
LEAST_BAR_PX = 2
CARET_PX = 2
AUTOSCROLL_MS = 30
Key = QKeySequence.StandardKey


class SpanEditor(SpanView):
    """A text editor; see `SpanView` for its content and its other signals.

    Actions that are added to it form its context menu.
    """

    def __init__(
        self, document: TextDocument, spans: SpanSource, themes: ThemeSource, side_px: int = SIDE_PX
    ) -> None:
        super().__init__(document, spans, themes, side_px)
        self.installEventFilter(self)
        self._moves = CaretMoves(document, self.rows)
        self._caret_shows = True
        self._blinking = QBasicTimer()
        self._autoscroll = QBasicTimer()
        self._pressed_at: QPointF | None = None
        self._dragged_to = QPointF()
        self._clicked_ms = 0
        self._selected_word: tuple[int, int] | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.viewport().setAcceptDrops(True)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.setAccessibleName("Text")
        self.setAccessibleDescription("The text to tokenize, editable")
        if (application := QGuiApplication.instance()) is not None:
            application.aboutToQuit.connect(leave_plain_text)
        SpanAccessibility(self, document, spans)
        document.selection_changed.connect(self._on_caret_moved)

    def _on_tokens_changed(self, edit: TextEdit | None) -> None:
        if edit is not None:
            self._moves.forget()
        super()._on_tokens_changed(edit)

    def _on_caret_moved(self) -> None:
        self._restart_blinking()
        self.updateMicroFocus()
        self._repaint_changes()

    def set_font_px(self, size_px: int) -> None:
        """Set the font size; a visible caret stays visible."""
        if size_px == self.font_px:  # as at the start of the program: skip the layout
            return
        is_in_sight = self.rows.shows(self._document.caret)
        super().set_font_px(size_px)
        if is_in_sight:
            self._reveal_caret()

    # Clipboard and undo

    def copy(self) -> None:
        if self._document.has_selection:
            data = self._document.slice(*self._document.selection)
            copy_text(self, data, counted(n_characters(data), "character"))

    def cut(self) -> None:
        if self._document.has_selection:
            self.copy()
            self._edit(b"")

    def paste(self) -> None:
        if (mime := on_clipboard()) is not None:
            self._insert_mime_data(mime)

    def undo(self) -> None:
        self._document.undo()
        self._reveal_caret()

    def redo(self) -> None:
        self._document.redo()
        self._reveal_caret()

    def select_all(self) -> None:
        self._document.select_all()

    def _insert_mime_data(self, mime: QMimeData) -> None:
        if mime.hasFormat(BYTES_FORMAT):
            self._edit(bytes(mime.data(BYTES_FORMAT).data()))
        elif mime.hasText():
            self.type_text(mime.text())

    def type_text(self, text: str) -> None:
        self._edit(utf8(text))

    def _edit(self, new: bytes) -> None:
        self._document.insert(new)
        self._reveal_caret()

    def _erase_to(self, offset: int) -> None:
        self._document.erase_to(offset)
        self._reveal_caret()

    def erase_grapheme_before(self) -> None:
        self._erase_to(self._document.previous_grapheme(self._document.caret))

    def erase_grapheme_after(self) -> None:
        self._erase_to(self._document.next_grapheme(self._document.caret))

    def erase_word_before(self) -> None:
        self._erase_to(self._document.previous_word(self._document.caret))

    def erase_word_after(self) -> None:
        self._erase_to(self._document.next_word(self._document.caret))

    # Keyboard

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_override = watched is self and event.type() == QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and self._takes(event):
            event.accept()
            return True
        return super().eventFilter(watched, event)

    def _takes(self, event: QKeyEvent) -> bool:
        return types_text(event) or bool(self._moves.move_for(event) or self._command_for(event))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if is_plain(event) and types_text(event):  # most keys: skip the search for a command
            self.type_text(event.text())
            return
        move = self._moves.move_for(event)
        command = self._command_for(event)
        if move is not None:
            self._moves.page_px = self.viewport().height()
            move()
            self._reveal_caret()
        elif command is not None:
            command(self)
        elif types_text(event):
            self.type_text(event.text())
        else:
            event.ignore()

    def _command_for(self, event: QKeyEvent) -> Command | None:
        for standard_key, command in COMMANDS:
            if event.matches(standard_key):
                return command
        return PLAIN_KEYS.get(event.key()) if is_plain(event) else None

    def _reveal_caret(self) -> None:
        before = self.rows.top
        self.rows.reveal(self._document.caret, self._moves.at_row_end)
        self._scrolled_from(before)
        self._repaint_changes()

    # Mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        point = event.position()
        if self._selected_word is not None and self._is_again(event):
            self._select_line(point)
            return
        self._selected_word = None
        self._pressed_at = self._dragged_to = point
        extend = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self._moves.to_point(point.x() - self._side_px, point.y(), extend)
        token = self.token_at(point)
        if token >= 0:
            self.token_clicked.emit(token)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            offset = self._byte_at(event.position())
            if offset < 0:
                offset = self._document.caret
            self._selected_word = self._document.word_span(self._document.character_start(offset))
            self._clicked_ms = event.timestamp()
            self._pressed_at = self._dragged_to = event.position()
            self._document.select(*self._selected_word)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed_at is None:
            self._hover(self.token_at(event.position()))
            return
        distance = (event.position() - self._pressed_at).manhattanLength()
        if distance < QApplication.startDragDistance() and not self._autoscroll.isActive():
            return
        self._dragged_to = event.position()
        self._drag()
        outside = not 0 <= event.position().y() < self.viewport().height()
        if outside and not self._autoscroll.isActive():
            self._autoscroll.start(AUTOSCROLL_MS, self)
        elif not outside:
            self._autoscroll.stop()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pressed_at is not None and self._document.selection[0] == self._document.selection[1]:
            self.open_chip(event.position())
        self._pressed_at = None
        self._autoscroll.stop()

    def _drag(self) -> None:
        if self._selected_word is None:
            self._moves.to_point(self._dragged_to.x() - self._side_px, self._dragged_to.y(), extend=True)
            return
        row = self.rows.row_at(self._dragged_to.y())
        offset, _ = self.rows.caret_at(*row, self._dragged_to.x() - self._side_px)
        start, end = self._selected_word
        under = self._document.word_span(min(offset, max(self._document.size - 1, 0)))
        if under[0] < start:
            self._document.select(end, under[0])
        else:
            self._document.select(start, max(end, under[1]))

    def _select_line(self, point: QPointF) -> None:
        offset, _ = self.rows.caret_at(*self.rows.row_at(point.y()), point.x() - self._side_px)
        self._document.select(*self._document.line_span(self._document.line_of(offset)))
        self._selected_word = None

    def _is_again(self, event: QMouseEvent) -> bool:
        waited_ms = event.timestamp() - self._clicked_ms
        near = (event.position() - self._dragged_to).manhattanLength() < QApplication.startDragDistance()
        return near and waited_ms <= QApplication.doubleClickInterval()

    def timerEvent(self, event: QTimerEvent) -> None:
        if event.timerId() == self._autoscroll.timerId():
            y, height = self._dragged_to.y(), self.viewport().height()
            self._scroll(y if y < 0 else max(0.0, y - height))
            self._drag()
        elif event.timerId() == self._blinking.timerId():
            self._caret_shows = not self._caret_shows
            self.viewport().update(self._caret_rect().toAlignedRect())
        else:
            super().timerEvent(event)

    # Drag and drop

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        self._accept_text(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self._accept_text(event)

    def dropEvent(self, event: QDropEvent) -> None:
        if self._accept_text(event):
            self._moves.to_point(event.position().x() - self._side_px, event.position().y(), extend=False)
            self._insert_mime_data(event.mimeData())
            self.setFocus(Qt.FocusReason.MouseFocusReason)

    def _accept_text(self, event: QDropEvent) -> bool:
        """Accept text; leave files to the window."""
        takes = event.mimeData().hasText() and not event.mimeData().hasUrls()
        if takes:
            event.acceptProposedAction()
        else:
            event.ignore()
        return takes

    # Input methods

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self.rows.set_preedit(None)
        if event.commitString() or event.replacementLength():
            if event.replacementLength():
                self._document.select(*span_to_replace(self._document, event))
            self.type_text(event.commitString())
        if event.preeditString():
            self.rows.set_preedit(preedit_of(self._document.caret, event))
        self._fit_rows()
        self._reveal_caret()
        event.accept()

    def inputMethodQuery(self, query: Qt.InputMethodQuery) -> object:
        names = Qt.InputMethodQuery
        if query == names.ImEnabled:
            return True
        if query == names.ImCursorRectangle:
            return self._caret_rect().translated(self.viewport().pos().toPointF())
        if query == names.ImFont:
            return self.rows.metrics.font
        known = input_method_value(self._document, query)
        return super().inputMethodQuery(query) if known is None else known

    # The caret

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._restart_blinking()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._blinking.stop()
        self._repaint_changes()
        super().focusOutEvent(event)

    def _restart_blinking(self) -> None:
        self._caret_shows = True
        flash_ms = QGuiApplication.styleHints().cursorFlashTime()
        if flash_ms > 0 and self.hasFocus():
            self._blinking.start(flash_ms // 2, self)
        else:
            self._blinking.stop()

    def _caret_rect(self) -> QRectF:
        position = self.rows.position_of(self._document.caret, self._moves.at_row_end)
        return QRectF(
            self._side_px + position.x - CARET_PX / 2,
            position.y + 1,
            CARET_PX,
            self.rows.metrics.row_height - 2,
        )

    def _shown_caret(self) -> QRectF | None:
        return self._caret_rect() if self._caret_shows and self.hasFocus() else None


Command = Callable[[SpanEditor], None]
COMMANDS: tuple[tuple[Key, Command], ...] = (
    (Key.Copy, SpanEditor.copy),
    (Key.Cut, SpanEditor.cut),
    (Key.Paste, SpanEditor.paste),
    (Key.Undo, SpanEditor.undo),
    (Key.Redo, SpanEditor.redo),
    (Key.SelectAll, SpanEditor.select_all),
    (Key.DeleteStartOfWord, SpanEditor.erase_word_before),
    (Key.DeleteEndOfWord, SpanEditor.erase_word_after),
    (Key.Backspace, SpanEditor.erase_grapheme_before),
    (Key.Delete, SpanEditor.erase_grapheme_after),
)
PLAIN_KEYS: dict[int, Command] = {
    Qt.Key.Key_Backspace: SpanEditor.erase_grapheme_before,
    Qt.Key.Key_Tab: lambda editor: editor.type_text("\t"),
    Qt.Key.Key_Return: lambda editor: editor.type_text("\n"),
    Qt.Key.Key_Enter: lambda editor: editor.type_text("\n"),
}


class EditorLink(QObject):
    """Synchronizes hovered and selected tokens of an editor and a session; lives as long as the editor."""

    def __init__(self, editor: SpanEditor, session: ModelSession) -> None:
        super().__init__(editor)
        self._editor = editor
        self._session = session
        self._revealing = later(self, 0, self._reveal)
        editor.hovered.connect(self._hover)
        editor.token_clicked.connect(session.select_token)
        session.hovered_token_changed.connect(self._on_hovered_changed)
        session.selected_token_changed.connect(self._on_selection_changed)
        self._on_selection_changed()

    def _hover(self, index: int) -> None:
        self._session.hover_token(None if index < 0 else index)

    def _on_hovered_changed(self) -> None:
        index = self._session.hovered_token
        self._editor.set_hovered_token(-1 if index is None else index)

    def _on_selection_changed(self) -> None:
        index = self._session.selected_token
        self._editor.set_selected_token(-1 if index is None else index)
        self._revealing.start()  # once, even if the selection moves again before that

    def _reveal(self) -> None:
        """Scroll to a token selected elsewhere; an editor with the focus follows its caret instead."""
        index = self._session.selected_token
        if index is not None and not self._editor.hasFocus():
            self._editor.reveal(*self._session.tokens.span(index))


class LineCost(NamedTuple):
    """The tokens of a line; a note before the number if it is expensive; the length of its bar, 0 to 1."""

    n_tokens: int
    is_expensive: bool = False
    note: str = ""
    share: float = 0.0


class LineMargin(Painted):
    """A number next to each line of a text, amber with a bar if the line is expensive.

    caption  what the numbers count, written above them
    """

    ground = "background"
    caption = "tokens"

    def __init__(self, document: TextDocument, editor: SpanEditor, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Tokens per line")
        self._document = document
        self._editor = editor
        self._pointed_out: PointedOut | None = None
        self.setFixedWidth(WIDTH_PX)
        editor.moved.connect(self._on_moved)

    @abstractmethod
    def cost_of(self, start: int, end: int) -> LineCost | None:
        """The cost to write next to a line of the text; None for nothing."""

    def n_before(self) -> int | None:
        """The number next to the row above the text; None for no number."""
        return 0

    def point_out(self, target: PointedOut | None) -> None:
        """Mark a line, as the editor does."""
        if target != self._pointed_out:
            self._pointed_out = target
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(WIDTH_PX, 0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._editor.wheelEvent(event)

    def _on_moved(self, moved_px: int) -> None:
        """Scroll the pixels along with the rows, as the editor does, and paint the exposed part."""
        if moved_px:
            self.scroll(0, moved_px)
            self.update(0, 0, self.width(), CAPTION_PX + max(moved_px, 0))  # the caption does not scroll
        else:
            self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        painter.setFont(Theme.mono_font(SMALL_FONT_PX))
        rows, document = self._editor.rows, self._document
        row_px = rows.metrics.row_height
        if rows.has_header and (n_before := self.n_before()) is not None:
            self._draw(painter, theme, MARGIN_PX - rows.scroll_y, row_px, LineCost(n_before))
        area = painter.clipBoundingRect()
        for block in rows.visible():
            if not area.top() < block.bottom or not block.y < area.bottom():
                continue
            start, end = document.line_span(document.line_of(block.start))
            if self._pointed_out is not None and start == self._pointed_out.line_start:
                ground = QRectF(0, block.y, self.width(), block.bottom - block.y)
                painter.fillRect(ground, faded(theme.accent, LINE_ALPHA))
            if start == block.start and (cost := self.cost_of(start, end)) is not None:
                self._draw(painter, theme, block.y, row_px, cost)

        top = QRectF(0, 0, self.width(), CAPTION_PX)
        painter.fillRect(top, theme.background)
        top.setRight(self.width() - NUMBER_SIDE_PX)
        write(painter, top, self.caption, theme.dim, RIGHT, Theme.ui_font(CAPTION_FONT_PX))

    def _draw(self, painter: QPainter, theme: Theme, y: float, row_px: int, cost: LineCost) -> None:
        room = QRectF(0, y, self.width() - NUMBER_SIDE_PX, row_px - BAR_PX)
        if not cost.is_expensive:
            write(painter, room, f"{cost.n_tokens:,}", theme.dim, RIGHT)
            return
        number = f" {cost.n_tokens:,}"
        write(painter, room, number, theme.text if cost.note else theme.warning, RIGHT)
        width = painter.fontMetrics().horizontalAdvance(number)
        write(painter, room.adjusted(0, 0, -width, 0), cost.note, theme.warning, RIGHT)
        bar = max(round(cost.share * BAR_ROOM_PX), LEAST_BAR_PX)
        rect = QRect(self.width() - NUMBER_SIDE_PX - bar, round(y) + row_px - BAR_PX - 2, bar, BAR_PX)
        fill(painter, rect, theme.warning, BAR_PX / 2)
