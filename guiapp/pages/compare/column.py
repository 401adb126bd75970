"""One of the models that are compared: its head, and below that the text with its tokens."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QFrame, QStackedWidget

from guiapp.kit.spans.editor import SpanEditor
from guiapp.kit.spans.editor_link import EditorLink
from guiapp.kit.widgets.buttons import push_button
from guiapp.kit.widgets.layouts import STRETCH, framed, in_column, in_row
from guiapp.kit.widgets.share_bar import ShareBar
from guiapp.kit.widgets.style_sheet import READABLE, plain_label, set_role
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, ThemeSource
from guiapp.pages.compare.column_menu import ColumnMenu
from guiapp.pages.compare.column_state import ColumnState
from guiapp.pages.compare.compared_spans import ComparedSpans
from guiapp.pages.compare.figures import ComparedFigures
from guiapp.pages.compare.head import ColumnHead
from guiapp.pages.compare.margin import LineCounts

SIDE_PX = 16  # beside the text
TWO_ROWS_PX = 64  # the least height of the text


class ColumnNotice(QFrame):
    """In place of the text: why there are no tokens, and what to do."""

    def __init__(self, state: ColumnState, menu: ColumnMenu) -> None:
        super().__init__()
        set_role(self, "panel")
        self._state = state
        self._message = plain_label(wraps=True)
        self._message.setTextInteractionFlags(READABLE)
        self._progress = ShareBar("Progress of opening")
        self._pre = push_button("Choose pre-tokenizer…", menu.choose_pre, role="primary")
        self._other = push_button("Choose a model…", menu.choose_model)
        buttons = in_column(self._pre, self._other, spacing=GAP_PX)  # beside each other they may not fit
        for button in (self._pre, self._other):
            buttons.setAlignment(button, Qt.AlignmentFlag.AlignLeft)
        in_column(self._message, self._progress, buttons, STRETCH, on=self, margins=MARGIN_PX, spacing=GAP_PX)
        state.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        progress = self._state.progress
        self._message.setText(self._state.message)
        self._progress.setVisible(progress is not None)
        self._progress.show_share(progress or 0)
        self._pre.setVisible(self._state.needs_pre)
        self._other.setVisible(progress is None)


class ModelColumn(QFrame):
    """A head over an editor; `focus_changed` of the editor shows in the head."""

    def __init__(
        self,
        column: ComparedSpans,
        figures: ComparedFigures,
        menu: ColumnMenu,
        state: ColumnState,
        theme_source: ThemeSource,
    ) -> None:
        super().__init__()
        set_role(self, "column")
        self.column = column
        self.state = state
        self.menu = menu
        state.setParent(self)
        session = column.session
        self.head = ColumnHead(state, figures, theme_source)
        self.head.name_button.setMenu(menu)
        menu.setParent(self.head.name_button, menu.windowFlags())
        self.editor = SpanEditor(session.document, column, theme_source, SIDE_PX)
        self.editor.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.margin = LineCounts(column, figures, self.editor, theme_source)
        EditorLink(self.editor, session)
        text = framed(in_row((self.editor, 1), self.margin, spacing=0))
        self.notice = ColumnNotice(state, menu)
        self._body = QStackedWidget()
        for part in (text, self.notice):
            self._body.addWidget(part)
        self._body.setMinimumHeight(TWO_ROWS_PX)  # else the notice's, and the head would be cut off
        in_column(self.head, (self._body, 1), on=self, spacing=0)
        self.editor.installEventFilter(self)
        self.setFocusProxy(self.editor)
        state.changed.connect(self._follow)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.head.is_focused = event.type() is QEvent.Type.FocusIn
            self.head.update()
        return False

    def set_number(self, number: int) -> None:
        """Which one it is, from the left."""
        self.head.number = number
        self.head.follow()
        self._follow()

    def _follow(self) -> None:
        is_own = self.head.number == 0  # the window's: without a model its text is edited all the same
        self._body.setCurrentIndex(0 if is_own or self.state.has_model else 1)
        self.editor.setAccessibleName(f"Text with the tokens of {self.state.name}")
