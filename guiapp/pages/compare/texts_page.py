"""Compare › Texts: the window's text next to another text or a list of ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QLabel, QMenu, QSplitter, QStackedWidget, QWidget

from guiapp.analysis.compare.id_changes import as_text
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.kit.session.token_details import hover_text
from guiapp.kit.side_by_side.head import SideHead
from guiapp.kit.side_by_side.linked import LinkedViews, map_changes, pointed_out
from guiapp.kit.spans.editor import EditorLink, SpanEditor
from guiapp.kit.spans.frame import Divisions, PointedOut
from guiapp.kit.spans.source import TokenizedText
from guiapp.kit.spans.token_menu import Kind, TokenMenu
from guiapp.kit.spans.view import SpanView
from guiapp.kit.widgets.controls import SegmentedTabs, WalkButtons, tool_button
from guiapp.kit.widgets.file_dialogs import ask_for_folder, ask_to_open
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import STRETCH, framed, in_column, in_row, in_splitter
from guiapp.kit.widgets.menu_button import MenuButton, add_choice
from guiapp.kit.widgets.notices import NoticeArea, copy_text, dropped_files
from guiapp.kit.widgets.page_base import Page, PageRequests, PageSetting
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, UNIT_PX, ThemeSource, plain_label, set_role
from guiapp.pages.compare.texts import ComparedTexts
from guiapp.pages.compare.texts_details import LEGEND, TextsDetails, size

KINDS = ("Text", "Ids")
TEXT_PLACEHOLDER = "Type, paste, or drop a file here."
IDS_PLACEHOLDER = "Paste ids: 1, 2, 3 or [1, 2, 3]"
DECODED_PLACEHOLDER = "Text of these ids"
KEPT = "not saved in a file"
EDITING = ("undo", "redo", "cut", "copy", "paste", "select_all")
LONGEST_FAILURE = 300
DETAILS_PX, LEAST_SIDE_PX = 320, 262
LONGEST_NAME, MOST_LISTED = 60, 40
FRAME_MS = 8.0  # a frame, for new rows, on each side
PLACEHOLDER = "Type or paste a text, or drop a file here."


class TextsPage(Page):
    """Both sides and the details; the sides scroll to the same part of the texts."""

    legend = {"Two texts": LEGEND, **Page.legend}

    def __init__(self, setting: PageSetting) -> None:
        super().__init__()
        self.compared = compared = ComparedTexts(setting.session)
        themes = self._themes = setting.theme_source
        self.left = SpanEditor(compared.first.document, compared.left, themes)
        self.left.set_placeholder(PLACEHOLDER)
        EditorLink(self.left, compared.first)
        self._left_name = set_role(FittedLabel(), "strong")
        self.left_head = SideHead(themes, self._left_name)
        self.right = RightSide(compared, themes)
        self.details = TextsDetails(compared, themes)
        left = framed(in_column(self.left_head, (self.left, 1), spacing=0))
        for side in (left, self.right):  # same width, however large the number of tokens
            side.setMinimumWidth(LEAST_SIDE_PX)
        self.splitter = in_splitter(
            left, self.right, self.details, sizes=(480, 480, DETAILS_PX), grows=(0, 1)
        )
        self.notices = notices = NoticeArea(themes)
        notices.watch_files(compared.first.text, "left")
        notices.watch_files(compared.second.text, "right")
        in_column(notices, self._make_tools(setting), (self.splitter, 1), on=self, spacing=0)
        self.setFocusProxy(self.left)
        self.links = LinkedViews(setting.actions["whitespace"], self._sync, self)
        for view in (self.left, *self.right.views):
            self.links.add(view, FRAME_MS)
        for editor in (self.left, self.right.editor, self.right.numbers):
            editor.addActions([setting.actions[name] for name in EDITING])
        self._describe_tokens(setting.requests)
        self._connect()
        self._refresh()

    def open_texts(self, paths: Sequence[Path]) -> None:
        """Open files, or the texts of folders, that were dropped on the window; see `ComparedTexts`."""
        self.compared.open_texts(paths)

    @property
    def panels(self) -> list[QWidget]:
        ids = [self.right.numbers, self.right.decoded] if self.compared.takes_ids else [self.right.editor]
        return [self.left, *ids, self.details.list]

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"compare_texts": self.splitter}

    @property
    def is_ready(self) -> bool:
        is_compared = self.compared.report is not None or not self.compared.has_second
        shown = self.left, self.right.shown, self.right.field
        is_painted = all(view.is_painted for view in shown)
        return is_compared and is_painted and not (self.compared.is_outdated or self.details.is_outdated)

    def set_text_size(self, size_px: int) -> None:
        self.links.set_font_px(size_px)

    def stop(self) -> None:
        self.compared.stop()

    def _make_tools(self, setting: PageSetting) -> QWidget:
        self.next, self.previous = (setting.actions[f"texts_{name}"] for name in ("next", "previous"))
        self.next.triggered.connect(partial(self._step, 1))
        self.previous.triggered.connect(partial(self._step, -1))
        self.walking = WalkButtons(self.previous, self.next, "Change")
        tip = "Copy the report of `tokenloupe compare`"
        self.copy = tool_button("Copy as Markdown", self._copy, role="raised", tip=tip)
        return framed(in_row(self.walking, STRETCH, self.copy, margins=(GAP_PX, UNIT_PX)), "bar")

    def _describe_tokens(self, requests: PageRequests) -> None:
        """Add tooltips and menus of tokens, as on the Text page."""
        compared, right = self.compared, self.right
        views: tuple[tuple[SpanView, TokenizedText, Kind], ...] = (
            (self.left, compared.first, Kind.STEPPED),
            (right.editor, compared.second, Kind.OTHER),
            (right.numbers, compared.ids.numbers, Kind.IDS),
            (right.decoded, compared.ids.decoded, Kind.OTHER),
        )
        for view, tokens, kind in views:
            view.set_token_tip(partial(hover_text, tokens, None))
            TokenMenu(view, tokens, requests, kind=kind)

    def _connect(self) -> None:
        compared = self.compared
        self.watched.connect(compared.watch)
        compared.changed.connect(self._refresh)
        compared.first.text.file_changed.connect(self._refresh)
        compared.report_changed.connect(self._on_report_changed)
        compared.walk.changed.connect(self._on_walk_changed)
        compared.walk.moved.connect(self._show_current)

    # The result

    def _refresh(self) -> None:
        compared = self.compared
        outcome, has_second = compared.outcome, compared.is_shown
        n_tokens = len(outcome.first), len(outcome.second)
        n_common = outcome.n_common if has_second else 0
        n_more = n_tokens[0] - n_tokens[1] if has_second else 0
        self.left_head.show_counts(n_tokens[0], n_more, n_common, max(n_tokens))
        self.right.head.show_counts(n_tokens[1], -n_more, n_common, max(n_tokens))
        self.left_head.show_size(size(compared.left))
        path = compared.first.text.path
        name = [] if path is None else [f"Left text · {quoted(path.name, LONGEST_NAME)}"]
        self._left_name.set_texts([*name, "Left text"])
        adds = [bool(len(each.tokens)) and each.tokens.span(0)[1] == 0 for each in compared.sides]
        for view in (self.left, self.right.shown):
            view.keep_rows_for_added(has_second and any(adds), False)
        is_parting = compared.n_changes > 0
        for view, side in ((self.left, compared.left), (self.right.shown, compared.sides[1])):
            view.set_divisions(Divisions.at(side.common_end) if is_parting else None)
        self.walking.setVisible(has_second)
        self._on_report_changed()

    def _on_report_changed(self) -> None:
        self.copy.setEnabled(self.compared.report is not None)
        if self.compared.report is not None or not self.compared.is_shown:  # not while the user types
            for view, side in ((self.left, self.compared.left), (self.right.shown, self.compared.sides[1])):
                map_changes(view, side, self._themes)

    def _copy(self) -> None:
        if (report := self.compared.report) is not None:
            copied = as_text(report, is_markdown=True, spelling=self.compared.first.spelling.now)
            copy_text(self, copied + "\n", "the report as Markdown")

    # The current change

    def _step(self, by: int, *_: object) -> None:
        self.compared.step(by, int(self.right.editor.hasFocus()))

    def _show_current(self) -> None:
        """Move the carets to the current change, and scroll both texts to it."""
        compared = self.compared
        if (change := compared.current_change) is None:
            return
        left, right = (side.byte_span(change) for side in compared.sides)
        compared.first.text.select(left[0], left[0])
        if compared.takes_ids:
            self.right.numbers.reveal(*compared.numbers.byte_span(change))
        else:
            compared.second.text.select(right[0], right[0])
        for view, byte_span in ((self.left, left), (self.right.editor, right)):
            if byte_span[0] == byte_span[1]:
                view.set_selected_token(-1)  # the token at the caret is not part of the change
        self.left.reveal(*left)
        shown = self.right.shown  # lower than the left one if the ids are above it
        lowest = shown.viewport().height() - shown.rows.metrics.row_height
        self.links.show_at(shown, right[0], min(self.left.rows.position_of(left[0]).y, lowest))

    def _on_walk_changed(self) -> None:
        compared, change = self.compared, self.compared.current_change
        self.walking.show_index(compared.walk.current, compared.n_changes)
        for view, side in ((self.left, compared.left), (self.right.shown, compared.sides[1])):
            view.point_out(None if change is None else pointed_out(side.document, *side.byte_span(change)))
        if compared.takes_ids:
            numbers = None if change is None else compared.numbers.byte_span(change)
            target = None if numbers is None else PointedOut(*numbers, *numbers)  # its line is often all
            self.right.numbers.point_out(target)

    def _sync(self, leader: SpanView, view: SpanView) -> None:
        """Scroll the other text to the counterpart of this text's top."""
        left, right = self.compared.sides
        pairs = {(self.left, self.right.shown): (left, right), (self.right.shown, self.left): (right, left)}
        if self.compared.has_second and (sides := pairs.get((leader, view))):
            offset, y = leader.top
            view.show_at(sides[0].counterpart_offset(sides[1], offset), y)


make_page = TextsPage


class RightSide(QWidget):
    """A head above the text or the ids; opens a file that is dropped here."""

    def __init__(self, compared: ComparedTexts, theme_source: ThemeSource) -> None:
        super().__init__()
        self._compared = compared
        self.kinds = SegmentedTabs(KINDS)
        if (row := self.kinds.layout()) is not None:
            row.setContentsMargins(0, 0, 0, 0)
        tip = "Open a file, or the texts of a folder"
        self.open_button = MenuButton(theme_source, "Open", role="quiet", tip=tip)
        self.open_button.fill_on_open(self._list_files)
        tip = "Copy the left text here to change it"
        self.copy_button = tool_button("Copy left text", self._copy_left, tip=tip)
        title = framed(in_row(set_role(QLabel("Right"), "strong"), (self.kinds, 1), spacing=MARGIN_PX))
        self.head = SideHead(theme_source, title, self.open_button, self.copy_button)
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
        way = Qt.Orientation.Vertical
        self._stack = QStackedWidget()
        self._stack.addWidget(self.editor)
        self._stack.addWidget(in_splitter(self.numbers, self.decoded, sizes=(280, 520), grows=(1,), way=way))
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
        return self.decoded if self._compared.takes_ids else self.editor

    @property
    def field(self) -> SpanEditor:
        return self.numbers if self._compared.takes_ids else self.editor

    @property
    def views(self) -> tuple[SpanView, ...]:
        return self.editor, self.numbers, self.decoded

    def ask_for_text(self) -> None:
        if path := ask_to_open(self, "Open the other text"):
            self._compared.open_texts([path])

    def _ask_for_folder(self) -> None:
        if folder := ask_for_folder(self, "Open the texts of a folder"):
            self._compared.open_texts([folder])

    def _list_files(self, menu: QMenu) -> None:
        menu.addAction("File…", self.ask_for_text)
        menu.addAction("Folder…", self._ask_for_folder)
        menu.addSeparator()
        text = self._compared.second.text
        for path in self._compared.files[:MOST_LISTED]:
            add_choice(menu, quoted(path.name, LONGEST_NAME), path == text.path, partial(text.open, path))
        if (n_more := len(self._compared.files) - MOST_LISTED) > 0:
            menu.addAction(f"{counted(n_more, 'more file')}: use “File…”").setEnabled(False)

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

    def _show_failure(self, failure: str) -> None:
        self._failure.setText(quoted(failure, LONGEST_FAILURE))
        self._failure.setVisible(bool(failure))

    def _forget_failure(self) -> None:
        if len(self._compared.second.tokens) or not self._compared.second.document.size:
            self._show_failure("")

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if not self._compared.takes_ids:
            dropped_files(event)

    def dropEvent(self, event: QDropEvent) -> None:
        if paths := dropped_files(event):
            self._compared.open_texts(paths)
