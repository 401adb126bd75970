"""The other text, or the ids that somebody pasted, with what people do to get them there."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QStackedWidget, QWidget

from guiapp.core.vocabulary.quoting import quoted
from guiapp.kit.spans.editor import EditorLink, SpanEditor
from guiapp.kit.spans.view import SpanView
from guiapp.kit.widgets.controls import SegmentedTabs, tool_button
from guiapp.kit.widgets.layouts import in_column, in_splitter
from guiapp.kit.widgets.notices import dropped_files
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, ThemeSource, plain_label
from guiapp.pages.compare.texts import ComparedTexts
from guiapp.pages.compare.texts_head import SideHead
from guiapp.pages.compare.texts_words import size

KINDS = ("Text", "Ids")
TEXT_PLACEHOLDER = "Type, paste, or drop a file here."
IDS_PLACEHOLDER = "Paste ids: 1, 2, 3 or [1, 2, 3]"
DECODED_PLACEHOLDER = "What they stand for"
KEPT = "kept until the window closes"
LONGEST_NAME = 60
LONGEST_FAILURE = 300


class RightSide(QWidget):
    """A head, and below it one of both kinds; a file that is dropped here is opened here."""

    def __init__(self, compared: ComparedTexts, theme_source: ThemeSource) -> None:
        super().__init__()
        self._compared = compared
        self.kinds = SegmentedTabs(KINDS)
        if (row := self.kinds.layout()) is not None:
            row.setContentsMargins(0, 0, 0, 0)
        self.open_button = tool_button("Open text…", self.ask_for_text, tip="Read a file as the other text")
        self.copy_button = tool_button(
            "Copy left text", self._copy_left, tip="Begin with the left text, to change it here"
        )
        self.head = SideHead(theme_source, self.kinds, self.open_button, self.copy_button)
        self._failure = plain_label("bad", wraps=True)
        self._failure.setContentsMargins(MARGIN_PX, GAP_PX, MARGIN_PX, GAP_PX)
        self.editor = SpanEditor(compared.second.document, compared.right, theme_source)
        self.editor.setAccessibleName("Other text")
        self.editor.set_placeholder(TEXT_PLACEHOLDER)
        EditorLink(self.editor, compared.second)
        self.numbers = SpanEditor(compared.ids.text.document, compared.numbers, theme_source)
        self.numbers.setAccessibleName("Ids")
        self.numbers.setAccessibleDescription("A list of token ids, editable")
        self.numbers.set_placeholder(IDS_PLACEHOLDER)
        self.decoded = SpanView(compared.decoded.document, compared.decoded, theme_source)
        self.decoded.setAccessibleName("Text of the ids")
        self.decoded.set_placeholder(DECODED_PLACEHOLDER)
        self._ids = in_splitter(
            self.numbers, self.decoded, sizes=(280, 520), grows=1, way=Qt.Orientation.Vertical
        )
        self._stack = QStackedWidget()
        for widget in (self.editor, self._ids):
            self._stack.addWidget(widget)
        in_column(self.head, self._failure, (self._stack, 1), on=self, spacing=0)
        self.setAcceptDrops(True)
        self._connect()
        self._refresh()
        self._show_failure("")

    def _connect(self) -> None:
        compared = self._compared
        self.kinds.chosen.connect(self._choose)
        for one, other in ((self.numbers, self.decoded), (self.decoded, self.numbers)):
            one.hovered.connect(other.set_hovered_token)
        compared.changed.connect(self._refresh)
        compared.second.text.failed.connect(self._show_failure)
        compared.second.spans.failed.connect(self._show_failure)
        compared.second.text.file_changed.connect(self._refresh)
        compared.second.tokens_changed.connect(self._forget_failure)

    @property
    def shown(self) -> SpanView:
        """The text that stands beside the left one."""
        return self.decoded if self._compared.takes_ids else self.editor

    @property
    def field(self) -> SpanEditor:
        """Where people type."""
        return self.numbers if self._compared.takes_ids else self.editor

    @property
    def views(self) -> tuple[SpanView, ...]:
        return self.editor, self.numbers, self.decoded

    def ask_for_text(self) -> None:
        """Let people choose a file, and read it."""
        name = QFileDialog.getOpenFileName(self, "Open the other text")[0]
        if name:
            self._compared.second.text.open(Path(name))

    def _copy_left(self) -> None:
        self._compared.copy_left()
        self.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def _choose(self, kind: int) -> None:
        self._compared.take_ids(KINDS[kind] == "Ids")
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _refresh(self) -> None:
        compared = self._compared
        self.kinds.choose(int(compared.takes_ids))
        self._stack.setCurrentIndex(int(compared.takes_ids))
        for button in (self.open_button, self.copy_button):
            button.setVisible(not compared.takes_ids)
        side = compared.sides[1]
        path = compared.second.text.path
        name = [] if path is None or compared.takes_ids else [quoted(path.name, LONGEST_NAME)]
        texts = [[*name, size(side), KEPT], [*name, size(side)], [size(side)]]
        self.head.show_size(*(" · ".join(text) for text in texts))

    # What went wrong

    def _show_failure(self, failure: str) -> None:
        self._failure.setText(quoted(failure, LONGEST_FAILURE))
        self._failure.setVisible(bool(failure))

    def _forget_failure(self) -> None:
        if len(self._compared.second.tokens) or not self._compared.second.document.size:
            self._show_failure("")

    # Files that are dropped

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if not self._compared.takes_ids:
            dropped_files(event)

    def dropEvent(self, event: QDropEvent) -> None:
        if paths := dropped_files(event):
            self._compared.second.text.open(paths[-1])
