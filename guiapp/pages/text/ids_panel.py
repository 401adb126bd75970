"""The ids of the text: as a strip or as a table, to copy in several formats, and the way back."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QAction, QActionGroup, QGuiApplication
from PySide6.QtWidgets import QFrame, QLabel, QStackedWidget, QToolButton

from guiapp.analysis.explain.id_lists import FORMATS
from guiapp.core.text.figures import counted
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.spans.token_menu import copy_action
from guiapp.kit.state.background import LatestJob, later
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row
from guiapp.kit.widgets.theme import MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource, heading, set_role
from guiapp.pages.text.token_strip import TokenStrip

if TYPE_CHECKING:
    from guiapp.pages.text.token_table_view import TokenTableView

NOTICE_MS = 2000
AT_ONCE = 1 << 14  # ids that are written within a frame


class IdsPanel(QFrame):
    """A header with actions over the strip or the table.

    format_actions  each puts the selected ids, or all where fewer than two are selected, on the clipboard;
                    the one that was used last is checked
    decode_action   for the window to connect: paste ids to decode
    """

    def __init__(
        self,
        source: ModelSession,
        strip: TokenStrip,
        make_table: Callable[[], TokenTableView],
        theme_source: ThemeSource,
    ) -> None:
        super().__init__()
        set_role(self, "panel")
        self._source = source
        self.strip = strip
        self._make_table = make_table
        self._views = QStackedWidget()
        self._notice = set_role(QLabel(), "dim")
        self._notice_over = later(self, NOTICE_MS, self._notice.clear)
        self._writing = LatestJob[tuple[str, int]](self, self._put_on_clipboard)
        QGuiApplication.clipboard().dataChanged.connect(self._give_way)
        self.format_actions = self._choices(list(FORMATS))
        self.view_actions = self._choices(["strip", "table"])
        for name, action in self.format_actions.items():
            action.setToolTip(f"Copy the ids of the selected tokens, or all: {name}")
            action.triggered.connect(self.copy_ids)
        self.decode_action = QAction("Decode", self, toolTip="Paste token ids and see their text")
        strip.addAction(copy_action(strip, "Copy ids", self.copy_ids))
        self._build_layout()
        for action in self.view_actions.values():
            action.toggled.connect(self._show_view)

    @cached_property
    def table(self) -> TokenTableView:
        """Made when it is shown for the first time; until then nobody needs it."""
        table = self._make_table()
        self._views.addWidget(table)
        return table

    @property
    def format_name(self) -> str:
        return next(name for name, action in self.format_actions.items() if action.isChecked())

    def copy_ids(self) -> None:
        """Copy in the format that was used last: the ids or the text that is selected, or all ids."""
        start, end = self.strip.selected_range
        if end - start < 2:
            start, end = self._source.tokens_of_selected_text or (0, len(self._source.tokens))
        write = partial(_written, self.format_name, self._source.tokens.ids(start, end))
        if end - start <= AT_ONCE:
            self._writing.cancel()
            self._put_on_clipboard(write(None))
        else:
            self._notice_over.stop()
            self._notice.setText(f"copying {counted(end - start, 'id')} …")
            self._writing.start(write)

    def stop(self) -> None:
        """Copy nothing any more."""
        self._writing.wait()

    def _put_on_clipboard(self, written: tuple[str, int]) -> None:
        text, n_ids = written
        QGuiApplication.clipboard().setText(text)
        self._notice.setText(f"{counted(n_ids, 'id')} copied")
        self._notice_over.start()

    def _give_way(self) -> None:
        """Something else was copied while ids were written."""
        if self._writing.is_busy:
            self._writing.cancel()
            self._notice.clear()

    def _choices(self, names: list[str]) -> dict[str, QAction]:
        group = QActionGroup(self)
        actions = {name: QAction(name[0].upper() + name[1:], group, checkable=True) for name in names}
        actions[names[0]].setChecked(True)
        return actions

    def _build_layout(self) -> None:
        copy_as = set_role(QLabel("Copy as"), "dim")
        copy_as.setFont(Theme.ui_font(SMALL_FONT_PX))
        header = in_row(
            heading("Ids"),
            4 * UNIT_PX,
            copy_as,
            UNIT_PX,
            *map(_button, self.format_actions.values()),
            3 * UNIT_PX,
            _button(self.decode_action),
            self._notice,
            STRETCH,
            *map(_button, self.view_actions.values()),
            margins=(MARGIN_PX, UNIT_PX, MARGIN_PX, 0),
            spacing=0,
        )
        self._views.addWidget(self.strip)
        in_column(header, self._views, on=self, spacing=UNIT_PX)

    def _show_view(self) -> None:
        self._views.setCurrentWidget(self.table if self.view_actions["table"].isChecked() else self.strip)


def _written(format_name: str, token_ids: NDArray[np.int32], _: object) -> tuple[str, int]:
    """Ids as text, and how many they are."""
    return FORMATS[format_name](token_ids), len(token_ids)


def _button(action: QAction) -> QToolButton:
    button = set_role(QToolButton(), "quiet")
    button.setDefaultAction(action)
    button.setFont(Theme.ui_font(SMALL_FONT_PX))
    return button
