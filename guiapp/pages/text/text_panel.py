"""The editable text, beside it the tokens of its lines, and below it the bar to find something in it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from guiapp.kit.document.line_costs import LineCosts
from guiapp.kit.document.search import Kind, TextSearch
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.spans.editor import SpanEditor
from guiapp.kit.widgets.layouts import in_column, in_row
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.text.find_bar import FindBar
from guiapp.pages.text.line_margin import TextLineMargin

LONGEST_TAKEN_BYTES = 200  # of a selection that becomes what to find


class TextPanel(QWidget):
    """An editor that can be searched."""

    def __init__(self, editor: SpanEditor, session: ModelSession, theme_source: ThemeSource) -> None:
        super().__init__()
        self._editor = editor
        self._session = session
        self._theme_source = theme_source
        self._find_bar: FindBar | None = None
        self.search = TextSearch(session, self)
        self.margin = TextLineMargin(session.document, LineCosts(session, self), editor, theme_source)
        self.margin.hide()
        self._layout = in_column((in_row(self.margin, (editor, 1), spacing=0), 1), on=self, spacing=0)
        editor.show_matches(self.search)
        self.search.query_changed.connect(self._follow_query)
        self.search.current_changed.connect(self._reveal)

    @property
    def find_bar(self) -> FindBar:
        """Made when somebody looks for something for the first time."""
        if self._find_bar is None:
            self._find_bar = FindBar(self.search, self._theme_source)
            self._layout.addWidget(self._find_bar)
        return self._find_bar

    def ask(self) -> None:
        """Ask what to find: at first what is selected, if that is short."""
        kind, wanted = self._selected()
        if wanted:
            self.search.look_for(kind, wanted, self._session.document.selection[0])
        elif not self.search.is_open:
            self.search.open()
        self.find_bar.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.find_bar.field.selectAll()

    def find_again(self, by: int) -> None:
        """Go to the next match, or the one before; ask what to find if nobody did."""
        if not self.search.query:
            self.ask()
        elif self.search.is_open:
            self.search.step(by)
        else:
            self.search.open(by)

    def find_token(self) -> None:
        """Find the selected token wherever it is in the text."""
        index, token_id = self._session.selected_token, self._session.selected_id
        if index is not None and token_id is not None:
            self.search.look_for("token", str(token_id), self._session.tokens.span(index)[0])

    def _selected(self) -> tuple[Kind, str]:
        """The selection as what to find: as bytes where it is no text; nothing if it is long."""
        start, end = self._session.document.selection
        if end - start > LONGEST_TAKEN_BYTES:
            return "text", ""
        selected = self._session.document.slice(start, end)
        try:
            return "text", selected.decode()
        except UnicodeDecodeError:
            return "bytes", selected.hex(" ").upper()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.search.is_open:
            self.search.close()
        else:
            super().keyPressEvent(event)

    def _follow_query(self) -> None:
        if self.search.is_open:
            self.find_bar.show()
        elif self._find_bar is not None and self._find_bar.isVisible():
            self._editor.setFocus(Qt.FocusReason.OtherFocusReason)
            self._find_bar.hide()

    def _reveal(self) -> None:
        """Show the match that is looked at, from its beginning."""
        if self.search.current is not None:
            self._editor.reveal(*self._session.document.selection)
