"""An editor and the session agree on the token under the pointer and on the selected one."""

from __future__ import annotations

from PySide6.QtCore import QObject

from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.spans.editor import SpanEditor
from guiapp.kit.state.later import later


class EditorLink(QObject):
    """Lives as long as its editor."""

    def __init__(self, editor: SpanEditor, session: ModelSession) -> None:
        super().__init__(editor)
        self._editor = editor
        self._session = session
        self._revealing = later(self, 0, self._reveal)
        editor.hovered.connect(self._hover)
        editor.token_clicked.connect(session.select_token)
        session.hovered_token_changed.connect(self._follow_hover)
        session.selected_token_changed.connect(self._follow_selection)
        self._follow_selection()

    def _hover(self, index: int) -> None:
        self._session.hover_token(None if index < 0 else index)

    def _follow_hover(self) -> None:
        index = self._session.hovered_token
        self._editor.set_hovered_token(-1 if index is None else index)

    def _follow_selection(self) -> None:
        index = self._session.selected_token
        self._editor.set_selected_token(-1 if index is None else index)
        self._revealing.start()  # once, however often the selection moves until then

    def _reveal(self) -> None:
        """Show the token that was selected elsewhere; where people type, the editor follows the caret."""
        index = self._session.selected_token
        if index is not None and not self._editor.hasFocus():
            self._editor.reveal(*self._session.tokens.span(index))
