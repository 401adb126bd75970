"""What a search or a figure found on the Tree page, as a table to go through, copy and save."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QLabel, QWidget

from guiapp.kit.widgets.buttons import push_button
from guiapp.kit.widgets.layouts import AS_AROUND, STRETCH, in_column, in_row
from guiapp.kit.widgets.style_sheet import heading, sentence, set_role
from guiapp.kit.widgets.tables import RowsView
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX
from guiapp.pages.tree.found_table import FoundTableModel
from guiapp.pages.tree.model import TreeModel
from guiapp.pages.tree.saving import TreeSaving
from guiapp.pages.tree.search import FOUND, TreeSearch

HOW_TO_SEARCH = "Type in the search field: text, #9906 for an id, 0x20 E6 for bytes, /^the?$/ for a pattern."
ABOUT = "What the search or a figure found, the nearest first. A row shows its token in the tree."
NOT_FOUND = "No token matches."
COLUMN_WIDTHS_PX = {"id": 66, "token": 116, "below": 56, "bytes": 156}
USUAL_WIDTH_PX = 100


class FoundPanel(QWidget):
    """Tokens in a table; the present row is what is looked at in the tree."""

    def __init__(
        self,
        model: TreeModel,
        search: TreeSearch,
        ask_where: Callable[[str, str], str],
        saving: TreeSaving,
    ) -> None:
        super().__init__()
        self._model = model
        self._search = search
        self._ask_where = ask_where
        self._saving = saving
        self._table = FoundTableModel(model.spelling, self)
        self._title = heading(FOUND)
        self._title.setWordWrap(True)
        self._hint = set_role(QLabel(wordWrap=True), "dim")
        self.view = RowsView(self._table, "Found tokens", self._widths)
        self.clear = push_button("Clear", search.end, tip="Show all tokens alike again (Escape)")
        self._save = push_button("Save…", self.save, tip="Save all rows as lines with tabs")
        head = in_row((self._title, 1), self.clear, self._save)
        parts = head, sentence(ABOUT), self._hint, (self.view, 1), STRETCH
        in_column(*parts, on=self, margins=(MARGIN_PX, GAP_PX), spacing=AS_AROUND)
        self.view.looked_at.connect(self._go)
        search.found_changed.connect(self._follow_search)
        search.current_changed.connect(self._follow_current)
        self._follow_search()

    def save(self) -> None:
        if path := self._ask_where("Save tokens", "tokens.tsv"):
            data = self._table.as_text(range(self._table.rowCount())).encode()
            self._saving.save(Path(path), lambda _progress: data)

    def _widths(self, _room_px: int) -> list[int]:
        return [COLUMN_WIDTHS_PX.get(column.title, USUAL_WIDTH_PX) for column in self._table.columns]

    def _go(self, row: int) -> None:
        if self.view.hasFocus():
            self._search.look_at(row)

    def _follow_search(self) -> None:
        search, picture, n_found = self._search, self._model.picture, len(self._search.found_nodes)
        title = f"{search.title or FOUND} · {n_found:,}" if search.title or search.query else FOUND
        self._title.setText(title.upper())
        tokens = np.zeros(0, np.int32) if picture is None else picture.layout.tokens[search.found_nodes]
        self._table.show(picture, tokens)
        self.clear.setVisible(bool(search.title))
        self._save.setVisible(n_found > 0)
        self.view.setVisible(n_found > 0)
        self._hint.setVisible(n_found == 0)
        self._hint.setText(search.problem or (NOT_FOUND if search.query else HOW_TO_SEARCH))

    def _follow_current(self) -> None:
        if self._search.current is not None:
            self.view.go_to(self._search.current)
