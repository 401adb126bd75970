"""The detail column: what the selected token is, how it is built, and where it stands in the tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtGui import QGuiApplication, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QWidget

from guiapp.analysis.explain.merge_tree import MergeTree, TokenPath
from guiapp.core.text.visible_text import isolate, visible_runs
from guiapp.kit.spans.token_menu import offer_copying
from guiapp.kit.tokens.details import FACTS, TokenDetails
from guiapp.kit.widgets.fact_table import FactTable
from guiapp.kit.widgets.layouts import CARD_MARGIN_PX, STRETCH, card, framed, in_column, scroll_down
from guiapp.kit.widgets.merge_tree_view import MergeTreeView
from guiapp.kit.widgets.style_sheet import heading, plain_label, set_role
from guiapp.kit.widgets.styled_text import Span, StyledText
from guiapp.kit.widgets.text_zoom import TextZoom
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource

TOKEN_FONT_PX = 24
TITLE = "TOKEN"
PREPARING = "Preparing the merges of this vocabulary …"
EMPTY_TEXT = "Choose a token, in the text or among its ids, to see what it is."


class Described(Protocol):
    """Has the details of one token, or None, and says how others are written."""

    @property
    def details(self) -> TokenDetails | None: ...

    @property
    def details_changed(self) -> SignalInstance: ...

    def visible(self, token_id: int) -> str: ...

    def part(self, data: bytes, limit: int) -> str: ...


class TokenCard(QScrollArea):
    """Everything about one token, to read and to copy."""

    def __init__(
        self,
        model: Described,
        theme_source: ThemeSource,
        zoom: TextZoom | None = None,
        facts: Sequence[str] = FACTS,
        empty: str = EMPTY_TEXT,
    ) -> None:
        super().__init__()
        self._zoom = zoom or TextZoom(self)
        self._model = model
        self._theme_source = theme_source
        self._title = heading("Token")
        self._empty = set_role(QLabel(empty, wordWrap=True), "dim")
        self._token = StyledText(Theme.mono_font(TOKEN_FONT_PX), 3)
        self._token.setAccessibleName("Token text")
        self._facts = FactTable(facts, self._zoom)
        self._tree = MergeTreeView(theme_source, self._zoom)
        self._tree_area = _WideDrawing(self._tree)
        self._tree_area.setAccessibleName("How it is built")
        self._remark = plain_label("dim", wraps=True)
        self._path = StyledText(Theme.mono_font(SMALL_FONT_PX), 6)
        self._path.setAccessibleName("Path in the tree")
        self._sections = QWidget()
        self._build_layout()
        offer_copying(self, "Copy details", self.copy)
        model.details_changed.connect(self._show_details)
        theme_source.changed.connect(self._show_details)
        self._zoom.changed.connect(self._on_zoom_changed)
        self._on_zoom_changed()

    def copy(self) -> None:
        """Put all facts and merges on the clipboard, one a line."""
        details = self._model.details
        if details is not None:
            lines = [f"{name}\t{value}" for name, value in details.facts]
            QGuiApplication.clipboard().setText("\n".join([*lines, self._tree.as_text()]).rstrip() + "\n")

    def _build_layout(self) -> None:
        facts = card(self._token, self._facts)
        building = heading("How it is built"), card(self._tree_area, self._remark)
        path = heading("Path in the tree"), card(self._path)
        in_column(facts, GAP_PX, *building, GAP_PX, *path, on=self._sections)
        parts = self._title, self._empty, self._sections, (STRETCH, 1)
        scroll_down(self, framed(in_column(*parts, margins=MARGIN_PX, spacing=GAP_PX), "panel"))
        self.setMinimumWidth(260)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self._zoom.take(event):
            super().wheelEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_facts()

    def _fit_facts(self) -> None:
        """By the width of the whole, as a scroll bar comes and goes with the height of the facts."""
        self._facts.fit_into(self.width() - 2 * MARGIN_PX - 2 * CARD_MARGIN_PX)

    def _on_zoom_changed(self) -> None:
        self._token.set_font(self._zoom.mono_font(TOKEN_FONT_PX))
        self._path.set_font(self._zoom.mono_font(SMALL_FONT_PX))
        self._fit_facts()
        self._show_details()

    def _show_details(self) -> None:
        details = self._model.details
        if details is None:
            self._title.setText(TITLE)
        else:
            self._fill(details)
        self._empty.setVisible(details is None)
        self._sections.setVisible(details is not None)  # now that all is in them: they are laid out once

    def _fill(self, details: TokenDetails) -> None:
        theme = self._theme_source.theme
        place = "" if details.index is None else f" {details.index + 1:,} OF {details.n_tokens:,}"
        self._title.setText(f"{TITLE}{place}")
        self._token.set_spans(self._token_spans(details))
        self._facts.show_facts(dict(details.facts), theme.text)
        tree = details.tree or MergeTree((), PREPARING)
        self._tree.set_roots(tree.roots, self._model.part)
        self._tree_area.setVisible(bool(tree.roots))
        self._tree_area.setFixedHeight(self._tree.sizeHint().height() + 3 * UNIT_PX)
        self._remark.setText(tree.note)
        self._remark.setVisible(bool(tree.note))
        self._path.set_spans(self._path_spans(details.token_id, details.path or TokenPath((), (), 0)))

    def _token_spans(self, details: TokenDetails) -> Iterator[Span]:
        theme = self._theme_source.theme
        background = None if details.is_special else theme.span_color(details.tint)
        color = theme.warning if details.is_special else theme.span_text
        for run in visible_runs(details.shown):
            yield Span(run.text, theme.dim if run.is_symbol else color, background)

    def _path_spans(self, token_id: int, path: TokenPath) -> Iterator[Span]:
        theme = self._theme_source.theme
        for prefix in path.prefixes:
            yield Span(isolate(self._model.visible(prefix)), theme.text)
            yield Span(" › ", theme.dim)
        yield Span(isolate(self._model.visible(token_id)), theme.accent, is_bold=True)
        for number, continuation in enumerate(path.continuations):
            yield Span(", " if number else " › ", theme.dim)
            yield Span(isolate(self._model.visible(continuation)), theme.dim)
        if more := path.n_continuations - len(path.continuations):
            yield Span(f" and {more:,} more", theme.dim)


class _WideDrawing(QScrollArea):
    """Room for a drawing that may be too wide; high enough never to scroll vertically."""

    def __init__(self, inside: QWidget) -> None:
        super().__init__()
        self.setViewport(QWidget())
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inside.setAutoFillBackground(False)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
        else:
            super().wheelEvent(event)
