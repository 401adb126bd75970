"""The editable text with its line margins, and the bars for search, budget and chunks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import (
    QAction,
    QHideEvent,
    QKeyEvent,
    QPainter,
    QRegularExpressionValidator,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QSizePolicy, QWidget

from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.core.text.numbers_in_words import counted
from guiapp.kit.document.document import TextDocument
from guiapp.kit.document.search import Kind, TextSearch
from guiapp.kit.document.statistics import MOST_BUDGET, LineCosts, TextChunks, TokenBudget
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.spans.editor import LineCost, LineMargin, SpanEditor
from guiapp.kit.spans.frame import Divisions
from guiapp.kit.state.saving import FileSaving, SavedData
from guiapp.kit.widgets.controls import SearchField, push_button, tool_button
from guiapp.kit.widgets.event_filters import SeenWatch
from guiapp.kit.widgets.file_dialogs import ask_for_folder, ask_to_save
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row
from guiapp.kit.widgets.menu_button import ChoiceButton, IconButton, MenuButton
from guiapp.kit.widgets.notices import announce, copy_text
from guiapp.kit.widgets.painting import Painted, fill
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    UI_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    heading,
    set_role,
)

if TYPE_CHECKING:
    from guiapp.core.encode.counting.chunks import Chunk, Level

BUDGET_FIELD_PX, OVERLAP_FIELD_PX = 96, 48
NUMBER = "[1-9][0-9,]{0,15}"
USUAL_NUMBER = "99,999"  # reserves width, so that the next field does not move while the user types
MODELS_OWN = "Use the context length of the model"
BAR_PX = 10
HEIGHT_PX = 44
TITLE_FROM_PX = 640  # in a narrower bar, the model's budget replaces the title
FIELD_PX = (110, 380)  # minimum and maximum width
COUNT_PX = 84  # minimum width
NOT_FOUND = "not found"
CHUNK_ENDS: dict[str, Level] = {
    "anywhere": "character",
    "word": "word",
    "sentence": "sentence",
    "line": "line",
}
LONGEST_TAKEN_BYTES = 200  # of a selection that becomes the query


class TextPanel(QWidget):
    """An editor with a search bar and line margins."""

    def __init__(self, editor: SpanEditor, session: ModelSession, theme_source: ThemeSource) -> None:
        super().__init__()
        self._editor = editor
        self._session = session
        self._theme_source = theme_source
        self.search = TextSearch(session, self)
        self.margin = TextLineMargin(session.document, LineCosts(session, self), editor, theme_source)
        self.margin.hide()
        self.line_numbers = LineNumbers(session.document, editor, theme_source)
        self.line_numbers.setAccessibleName("Line numbers")
        self.line_numbers.hide()
        columns = in_row(self.line_numbers, self.margin, (editor, 1), spacing=0)
        self._layout = in_column((columns, 1), on=self, spacing=0)
        editor.show_matches(self.search)
        self.search.query_changed.connect(self._on_query_changed)
        self.search.current_changed.connect(self._reveal)

    @cached_property
    def find_bar(self) -> FindBar:
        """Created for the first search."""
        made = FindBar(self.search, self._theme_source)
        self._layout.addWidget(made)
        return made

    def ask(self) -> None:
        """Open the search; a short selection becomes the query."""
        kind, wanted = self._selected()
        if wanted:
            self.search.search_for(kind, wanted, self._session.document.selection[0])
        elif not self.search.is_open:
            self.search.open()
        self.find_bar.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.find_bar.field.selectAll()

    def find_again(self, by: int) -> None:
        """Go to the next match, or the previous one; open the search if there is no query."""
        if not self.search.query:
            self.ask()
        elif self.search.is_open:
            self.search.step(by)
        else:
            self.search.open(by)

    def find_token(self) -> None:
        index, token_id = self._session.selected_token, self._session.selected_id
        if index is not None and token_id is not None:
            self.search.search_for("token", str(token_id), self._session.tokens.span(index)[0])

    def _selected(self) -> tuple[Kind, str]:
        """The selection as a query: bytes if it is not UTF-8, empty if it is long."""
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
            self.search.end()
        else:
            super().keyPressEvent(event)

    def _on_query_changed(self) -> None:
        if self.search.is_open:
            self.find_bar.show()
        elif "find_bar" in self.__dict__ and self.find_bar.isVisible():
            self._editor.setFocus(Qt.FocusReason.OtherFocusReason)
            self.find_bar.hide()

    def _reveal(self) -> None:
        """Scroll to the current match, from its beginning."""
        if self.search.current is not None:
            self._editor.reveal(*self._session.document.selection)


class TextLineMargin(LineMargin):
    """The number of tokens at the first row of each line, while the margin is shown."""

    def __init__(
        self, document: TextDocument, costs: LineCosts, editor: SpanEditor, theme_source: ThemeSource
    ) -> None:
        super().__init__(document, editor, theme_source)
        self.costs = costs
        self.setToolTip("Tokens per line; amber: fewer than 2 characters per token")
        costs.changed.connect(self.update)
        SeenWatch(self, costs.set_shown)

    def n_before(self) -> int:
        return self.costs.session.n_affixes[0]

    def cost_of(self, start: int, end: int) -> LineCost:
        n_tokens, is_expensive = self.costs.of_line(start, end)
        return LineCost(n_tokens, is_expensive, "", n_tokens / max(self.costs.most, n_tokens, 1))


class LineNumbers(LineMargin):
    """Line numbers, from 1."""

    caption = "line"

    def n_before(self) -> None:
        return None

    def cost_of(self, start: int, end: int) -> LineCost:
        return LineCost(self._document.line_of(start) + 1)


KINDS: dict[Kind, tuple[str, str]] = {  # the title in the menu, and the placeholder of the field
    "text": ("Text", "Find in the text"),
    "bytes": ("Bytes", "Hex digits, such as E2 82 AC"),
    "regex": ("Regex", "A pattern, such as ^\\w+"),
    "token": ("Token", "Id or text of a token"),
}


class FindBar(QFrame):
    """The search bar, shown while a search is open; when closed, the text gets the focus."""

    def __init__(self, search: TextSearch, theme_source: ThemeSource) -> None:
        super().__init__()
        self._search = search
        self._theme_source = theme_source
        set_role(self, "status")
        self.setAccessibleName("Find")
        self.field = SearchField(search, tip="", width_px=None)
        self.field.setFont(Theme.mono_font(UI_FONT_PX))
        self.field.setAccessibleName("Find in the text")
        kinds = {title: kind for kind, (title, _) in KINDS.items()}
        self.kind = ChoiceButton(theme_source, "", kinds, "What to find")
        self.case = tool_button("Aa", self._choose_case, role="tab", tip="Match case", is_checkable=True)
        self.count = FittedLabel(elides=True)
        back, on = partial(search.step, -1), partial(search.step, 1)
        self.previous = IconButton(theme_source, "chevron-up", back, tip="Previous match (Shift+F3)")
        self.next = IconButton(theme_source, "chevron-down", on, tip="Next match (F3)")
        self.close_button = IconButton(theme_source, "close", search.end, tip="Close (Escape)")
        self._build_layout()
        self.kind.chosen.connect(self._choose_kind)
        search.query_changed.connect(self._on_query_changed)
        search.found_changed.connect(self._on_matches_changed)
        search.current_changed.connect(self._on_matches_changed)
        theme_source.changed.connect(self._on_matches_changed)
        self._on_query_changed()

    def _build_layout(self) -> None:
        self.setFixedHeight(HEIGHT_PX)
        self.field.setMinimumWidth(FIELD_PX[0])
        self.field.setMaximumWidth(FIELD_PX[1])
        self.count.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.count.setMinimumWidth(COUNT_PX)
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        what = self.kind, (self.field, 10), self.case, (self.count, 8)
        parts = *what, self.previous, self.next, self.close_button
        in_row(*parts, on=self, margins=(MARGIN_PX, 0, GAP_PX, 0), spacing=UNIT_PX)

    def _choose_kind(self, kind: Kind) -> None:
        self._search.set_kind(kind)
        self.field.setFocus()
        self.field.selectAll()

    def _choose_case(self) -> None:
        self._search.set_matches_case(self.case.isChecked())

    def _on_query_changed(self) -> None:
        search = self._search
        self.kind.show_choice(search.kind)
        self.field.show_query(search.query)
        self.field.setPlaceholderText(KINDS[search.kind][1])
        self.case.setChecked(search.matches_case)
        self.case.setVisible(search.kind in ("text", "regex"))
        self._on_matches_changed()

    def _on_matches_changed(self) -> None:
        words = self._words()
        theme = self._theme_source.theme
        is_bad = bool(self._search.problem) or words == NOT_FOUND
        style = f"color: {(theme.bad if is_bad else theme.dim).name()};"
        if style != self.count.styleSheet():
            self.count.setStyleSheet(style)
        self.field.setAccessibleDescription(words)
        self.count.set_texts([words])
        for button in (self.previous, self.next):
            button.setEnabled(self._search.n_matches > 0)

    def _words(self) -> str:
        search, n_matches = self._search, self._search.n_matches
        number = f"{n_matches:,}" if search.has_all else f"{n_matches:,}+"
        if not search.query:
            return ""
        if search.is_searching and search.kind == "regex":  # may take seconds
            return "searching …"
        if search.problem:
            return "⚠ " + search.problem
        if search.current is not None:
            return f"{search.current + 1:,} of {number}"
        if n_matches:
            return f"{number} found"
        return "searching …" if search.is_searching else NOT_FOUND


class _Bar(Painted):
    """The whole budget, or the text if that is longer; the part that does not fit is amber."""

    ground = "panel"

    def __init__(self, budget: TokenBudget, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Share of the budget that is used")
        self._budget = budget
        self.setFixedHeight(BAR_PX)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        most, used = self._budget.n_most, self._budget.n_used
        scale = self.width() / max(most, used)
        radius = BAR_PX / 2
        fill(painter, self.rect(), theme.raised, radius)
        if used > most:
            fill(painter, QRectF(0, 0, used * scale, BAR_PX), theme.warning, radius)
            painter.fillRect(QRectF(most * scale, 0, 2, BAR_PX), theme.text)
        within = min(used, most) * scale
        if within:
            fill(painter, QRectF(0, 0, max(within, BAR_PX), BAR_PX), theme.faint, radius)
            if used > most:  # a straight end where the budget ends
                painter.fillRect(QRectF(max(within - radius, 0), 0, min(radius, within), BAR_PX), theme.faint)


class BudgetBar(QFrame):
    """`BUDGET 651 of [8,192]  context length of the model …  7,541 tokens left  [Cut ⌄]`.

    While the text is split into chunks, a row about chunks is below that.
    """

    def __init__(
        self,
        session: ModelSession,
        budget: TokenBudget,
        editor: SpanEditor,
        cutting: Mapping[str, QAction],
        theme_source: ThemeSource,
    ) -> None:
        """`cutting` maps the names of this bar's methods to the window's actions."""
        super().__init__()
        set_role(self, "panel")
        self._session, self._document = session, session.document
        self._budget = budget
        self._editor = editor
        self._splits = cutting["split"]
        self.chunks = TextChunks(session, budget, self)
        self.chunk_row = ChunkRow(self.chunks, session, theme_source)
        self._used = set_role(QLabel(), "number")
        self._used.setFont(Theme.mono_font(UI_FONT_PX))
        self.field = number_field("Budget in tokens", self._use_own)
        self._source = set_role(FittedLabel(), "dim")
        self.of_model = push_button("", self._use_model, role="quiet", tip=MODELS_OWN)
        self._left = set_role(FittedLabel(is_needed=True), "dim")
        self._bar = _Bar(budget, theme_source)
        menu_button = MenuButton(theme_source, "Cut", tip="Cut, copy or split the text by the budget")
        menu_button.new_menu().addActions([*cutting.values()])
        self._title = heading("Budget")
        parts = self._title, self._used, QLabel("of"), self.field, self._source, self.of_model
        row = in_row(*parts, STRETCH, self._left, menu_button, spacing=GAP_PX)
        in_column(row, self._bar, self.chunk_row, on=self, margins=(MARGIN_PX, GAP_PX), spacing=GAP_PX)
        for name, action in cutting.items():
            action.triggered.connect(getattr(self, name))
        self.chunk_row.hide()
        budget.changed.connect(self._refresh)
        self.chunks.changed.connect(self._mark)
        session.tokens_changed.connect(self._on_tokens_changed)
        theme_source.changed.connect(self._bar.update)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._editor.set_divisions(None)

    def stop(self) -> None:
        self.chunks.close()
        self.chunk_row.saving.close()

    # Actions

    def select_rest(self) -> None:
        """Select the part that does not fit."""
        if (cut := self._cut()) is not None:
            self._session.text.point_out(cut, self._document.size)

    def cut_here(self) -> None:
        """Erase the part that does not fit; undo restores it."""
        if (cut := self._cut()) is not None:
            self._document.select(cut, self._document.size)
            self._document.insert(b"")
            announce(self, f"Cut to {self._tokens}. To restore the rest, undo (Ctrl+Z).")

    def copy_beginning(self) -> None:
        """Copy the part that fits."""
        if (cut := self._cut()) is not None:
            copy_text(self, self._document.slice(0, cut), f"the first {self._tokens}")

    def split(self) -> None:
        """Show or hide the chunks of the text."""
        self.chunk_row.setVisible(self._splits.isChecked())
        self._bar.setHidden(self._splits.isChecked())  # the height for the text stays the same
        self.chunks.watch(self._splits.isChecked())
        self._refresh()

    @property
    def _tokens(self) -> str:
        return counted(self._budget.n_most, "token")

    def _cut(self) -> int | None:
        """The end of the part that fits; announces why if there is none."""
        cut = None if self._session.is_encoding else self._budget.beginning()
        if cut is None:
            why = "is still being encoded" if self._session.is_encoding else f"fits in {self._tokens}"
            announce(self, f"The text {why}")
        return cut

    def _use_own(self, number: int) -> None:
        self._budget.choose(min(number, MOST_BUDGET))

    def _use_model(self) -> None:
        self._budget.choose(None)

    # Contents

    def _on_tokens_changed(self, edit: TextEdit | None) -> None:
        if edit is not None and self.chunks.is_watched and self._editor.divisions is not None:
            self._editor.set_divisions(self._editor.divisions.moved(edit))

    def _refresh(self) -> None:
        if not self.isVisible():
            return
        budget = self._budget
        self._mark()
        self._used.setText(f"{budget.n_used:>{len(USUAL_NUMBER)},}")
        if not self.field.isModified():
            self.field.setText(f"{budget.n_most:,}")
        model = budget.of_model
        of_file = "context length of the model" if model else "tokens; the file sets no context length"
        self._source.set_texts(["tokens, your limit" if budget.own else of_file, ""])
        self.of_model.setText(f"Use {model:,}" if model else "")
        can_reset = model is not None and budget.own not in (None, model)
        self.of_model.setVisible(can_reset)
        self._title.setHidden(can_reset and self.width() < TITLE_FROM_PX)
        left = budget.n_most - budget.n_used
        rest = "left" if left >= 0 else "over"
        words = [f"{counted(abs(left), 'token')} {rest}", f"{abs(left):,} {rest}"]
        self._left.set_texts([""] if self._splits.isChecked() else words)  # each chunk fits
        self._bar.update()

    def _mark(self) -> None:
        """Mark the end of the budget, or the chunks; outdated marks only move with the text."""
        if self.isVisible() and not self._splits.isChecked():
            cut, size = self._budget.cut, self._document.size
            self._editor.set_divisions(None if cut is None else Divisions.at(cut, self._tokens, size))
        elif self.isVisible() and self.chunks.is_current:
            self._editor.set_divisions(chunk_divisions(self.chunks.value or ()))


def chunk_divisions(chunks: Sequence[Chunk]) -> Divisions:
    """A line where each chunk begins; its overlap with the previous chunk is shaded."""
    starts, ends = (np.array([getattr(each, side) for each in chunks], np.int64) for side in ("start", "end"))
    shared = np.stack((starts[1:], ends[:-1]), axis=1)

    def label(at: int) -> str:
        return f"{at + 1:,} · {counted(chunks[at].n_tokens, 'token')}"

    return Divisions(starts, label, shaded=shared[shared[:, 0] < shared[:, 1]])


def number_field(name: str, take: Callable[[int], object], pattern: str = NUMBER) -> QLineEdit:
    """A field for a number with optional commas; calls `take` with the number that the user enters."""
    field = QLineEdit()
    field.setAccessibleName(name)
    field.setValidator(QRegularExpressionValidator(pattern, field))
    field.setFixedWidth(BUDGET_FIELD_PX)

    def finish() -> None:
        if field.isModified():
            field.setModified(False)
            take(int(field.text().replace(",", "")))

    field.editingFinished.connect(finish)
    return field


class ChunkRow(QWidget):
    """`12 chunks, each without BOS and EOS  overlap [0]  [end: anywhere ⌄]  [Save ⌄]`."""

    def __init__(self, chunks: TextChunks, session: ModelSession, theme_source: ThemeSource) -> None:
        super().__init__()
        self._chunks, self._document = chunks, session.document
        self.saving = FileSaving(self)
        self._count = set_role(FittedLabel(is_needed=True), "dim")
        self.overlap = number_field("Chunk overlap in tokens", self._set_overlap, "[0-9][0-9,]{0,15}")
        self.overlap.setText("0")
        self.by = ChoiceButton(theme_source, "end: ", CHUNK_ENDS, "Where chunks may end")
        self.by.fix_width()
        self.by.show_choice(chunks.by)
        self.save_button = MenuButton(theme_source, "Save")
        menu = self.save_button.new_menu()
        menu.addAction("JSON Lines…", self._save_lines)
        menu.addAction("One file per chunk…", self._save_files)
        self.overlap.setFixedWidth(OVERLAP_FIELD_PX)
        self.overlap.setToolTip("How many tokens of a chunk the next one repeats")
        parts = self._count, STRETCH, QLabel("overlap"), self.overlap
        in_row(*parts, self.by, self.save_button, on=self, spacing=GAP_PX)
        self.by.chosen.connect(self._set_by)
        for signal in (chunks.changed, chunks.progress_changed):
            signal.connect(self._refresh)
        self.saving.changed.connect(self._on_saved)
        self._refresh()

    def _set_overlap(self, overlap: int) -> None:
        self._chunks.divide(overlap, self._chunks.by)

    def _set_by(self, by: Level) -> None:
        self.by.show_choice(by)
        self._chunks.divide(self._chunks.overlap, by)

    def _save_lines(self) -> None:
        from guiapp.core.encode.counting.chunks import chunks_as_lines  # a late import: faster start

        formats = {".jsonl": "JSON Lines (*.jsonl)"}
        if path := ask_to_save(self, "Save chunks", "chunks.jsonl", formats):
            self._save(path, chunks_as_lines)

    def _save_files(self) -> None:
        from guiapp.core.encode.counting.chunks import chunks_as_files  # a late import: faster start

        if folder := ask_for_folder(self, "Save chunks"):
            self._save(folder, chunks_as_files)

    def _save(self, path: Path, write: Callable[[bytes, Sequence[Chunk]], SavedData]) -> None:
        write_chunks = partial(write, self._document.text(), self._chunks.value or ())
        self.saving.save(path, lambda _: write_chunks())

    def _on_saved(self) -> None:
        if self.saving.saved is not None or self.saving.failure:
            announce(self, self.saving.failure or f"Saved {self.saving.saved}")

    def _refresh(self) -> None:
        chunks = self._chunks
        number = counted(len(chunks.value or ()), "chunk")
        words = [chunks.problem, "⚠"] if chunks.problem else [f"{number}, each without BOS and EOS", number]
        share = f" {chunks.progress:.0%}" if chunks.progress else ""
        self._count.set_texts([f"Splitting …{share}"] if chunks.is_busy else words)
        self.save_button.setEnabled(chunks.is_current and bool(chunks.value))
