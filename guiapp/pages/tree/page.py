"""The Tree page: the whole vocabulary as a picture, and details of one node on the right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import product

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QKeySequence, QPainterPath, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QFrame,
    QLayout,
    QSizePolicy,
    QSplitter,
    QWidget,
)

from guiapp.core.text.numbers_in_words import counted, elided
from guiapp.core.text.visible_text import isolate
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.token_details import hover_text
from guiapp.kit.spans.editor import EditorLink, SpanEditor
from guiapp.kit.spans.token_menu import TokenMenu
from guiapp.kit.state.background import later
from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.controls import TabbedPanels
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import RoomySplitter, framed, in_column, in_row, in_splitter
from guiapp.kit.widgets.menu_button import SavingBar
from guiapp.kit.widgets.page_base import Page, PageSetting
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    TEXT_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    color_again,
    heading,
    plain_label,
    set_role,
)
from guiapp.kit.widgets.token_card import SIDE_BY_SIDE_PX
from guiapp.pages.tree.appearance import TreePaint
from guiapp.pages.tree.bar import TreeBar, WalkBar
from guiapp.pages.tree.legend import LEGEND, MiniMap, TreeLegend
from guiapp.pages.tree.model import FOUND, TreeModel, TreeSearch, TreeWalk
from guiapp.pages.tree.panels import glance, node_card
from guiapp.pages.tree.results import FiguresPanel, ResultsPanel
from guiapp.pages.tree.saving_view import TreeExport
from guiapp.pages.tree.view import TreeView

NEAREST_PX, STEP_PX = 14, 16  # from the pointer to the card, and the increment of further attempts
APART_PX = 4  # from the card to its node
ELIDED = 28
TITLE_PX = 15
SIDES = (*product((1, -1), (1, -1)), (0, 1), (0, -1), (1, 0), (-1, 0))  # below right first
LIES = {"sunburst": "is outside", "icicle": "is below"}
SIDE_PX = 330
PICTURE_SHARE = 0.75  # of the presentation's text size, for labels, which have to fit into nodes
THREE_TREES_SHARE = 0.6  # of the page, if the three trees are side by side
TEXT_PX, LEAST_TEXT_PX, LOW_TEXT_PX = 168, 72, 44  # the last for a low page
SMALL_HEIGHT_PX, LOW_SHARE = 480, 0.2  # a page below this height is low; the text's share of it


class TreePage(Page):
    """Builds the picture and its panels, and links them with the session."""

    legend = {"In the tree": LEGEND, **Page.legend}

    def __init__(self, session: ModelSession, theme_source: ThemeSource, settings: Settings) -> None:
        super().__init__()
        self._session = session
        self._settings = settings
        self.theme_source = theme_source
        self.model = TreeModel(session, self)
        self.model.set_shape(settings.tree_shape)
        self.search = TreeSearch(self.model, settings, self)
        self.walk = TreeWalk(self.model, session, self)
        self._zoom, self._text_px = TextZoom(self), TEXT_FONT_PX
        self.paint = TreePaint(self.model, self.search, theme_source, self)
        self.view = TreeView(self.model, self.search, self.paint, theme_source)
        self.view.is_animated = settings.animates_tree
        self.export = TreeExport(self.view, self.model, self)
        self.bar = TreeBar(self.model, self.search, theme_source, self.export.actions)
        self.head = TreeHead(self.model, self.search, self._zoom)
        self.color_legend = TreeLegend(self.model, self.paint, theme_source, self._zoom)
        self.mini_map = MiniMap(self.model, self.paint, theme_source)
        self.card = TreeCard(self.view, self._zoom)
        self.editor = SpanEditor(session.document, session, theme_source)
        self.walk_bar = WalkBar(self.walk, self.model, theme_source)
        self.node_panel = node_card(self.model, self.walk, session, theme_source)
        self.results_panel = ResultsPanel(self.search, theme_source)
        self.figures_panel = FiguresPanel(self.search, theme_source)
        self.saving_bar = SavingBar(self.export.saving, theme_source)
        self.splitter = RoomySplitter(Qt.Orientation.Horizontal)
        self.text_splitter = RoomySplitter(Qt.Orientation.Vertical, SMALL_HEIGHT_PX, LOW_SHARE)
        self._fits = later(self, 0, self.text_splitter.fit)
        self._build_layout()
        self._connect()

    @property
    def panels(self) -> list[QWidget]:
        return [self.view, self.editor, self.bar.query, self.side.current]

    @property
    def is_ready(self) -> bool:
        return self.model.counts is not None and self.view.is_stable

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"tree": self.splitter, "tree_text": self.text_splitter}

    def resizeEvent(self, event: QResizeEvent) -> None:
        is_low = event.size().height() < SMALL_HEIGHT_PX
        self.editor.setMinimumHeight(LOW_TEXT_PX if is_low else LEAST_TEXT_PX)
        self.walk_bar.set_low(is_low)
        self._fits.start()
        super().resizeEvent(event)

    def stop(self) -> None:
        self.walk.close()
        self.export.saving.close()
        self.paint.close()
        self.results_panel.table.saving.close()
        self.figures_panel.figures.close()
        self.search.close()
        self.model.close()

    def set_text_size(self, size_px: int) -> None:
        self._text_px = size_px
        self._enlarge()

    def show_token(self, token: int) -> None:
        """Search for a token by its id, bring it into view and show its details."""
        self.bar.query.setText(f"#{token}")
        self.search.step(1)
        self.side.turn_to("Token")

    def set_presented(self, is_presented: bool) -> None:
        """Show the picture alone, with large type; the focus leaves hidden widgets."""
        for part in (self.bar, self.side, self._text, self.head.title):
            part.setHidden(is_presented)
        if is_presented:
            self.view.setFocus()
        self._enlarge()

    def _enlarge(self) -> None:
        self._zoom.set_factor(self._text_px / TEXT_FONT_PX if self.side.isHidden() else 1.0)
        self.view.enlarge(max(1.0, PICTURE_SHARE * self._zoom.factor))

    def show_three_trees(self) -> None:
        """Make room for the three trees of the chosen token side by side; or undo that."""
        left, right = self.splitter.sizes()
        widest = max(SIDE_BY_SIDE_PX, round(THREE_TREES_SHARE * (left + right)))
        side = SIDE_PX if right >= SIDE_BY_SIDE_PX else widest
        self.splitter.setSizes([left + right - side, side])
        self.side.turn_to("Token")

    def open_three_trees(self) -> None:
        if self.splitter.sizes()[1] < SIDE_BY_SIDE_PX:
            self.show_three_trees()

    def _build_layout(self) -> None:
        legend = framed(in_row((self.color_legend, 1), self.mini_map, GAP_PX, spacing=0), "ground")
        tree = framed(in_column(self.head, (self.view, 1), self.saving_bar, legend, spacing=0))
        self._text = framed(in_column(self.walk_bar, (self.editor, 1), spacing=0), "panel")
        in_splitter(tree, self._text, on=self.text_splitter, sizes=(480, TEXT_PX))
        self.text_splitter.setStretchFactor(0, 3)
        self.text_splitter.setStretchFactor(1, 1)
        panels = {"Token": self.node_panel, FOUND: self.results_panel, "Figures": self.figures_panel}
        self.side = TabbedPanels(panels)
        in_splitter(self.text_splitter, self.side, on=self.splitter, sizes=(1100, SIDE_PX))
        in_column(self.bar, (self.splitter, 1), on=self, spacing=0)
        self.setFocusProxy(self.view)

    def _connect(self) -> None:
        self.watched.connect(self.search.set_active)
        self.model.shape_changed.connect(self._keep_shape)
        self.view.hovered.connect(self._on_hovered)
        self.export.animated.toggled.connect(partial(setattr, self._settings, "animates_tree"))
        self.view.typed.connect(self._begin_search)
        self.search.shown_changed.connect(self._on_search_changed)
        self.figures_panel.listed.connect(partial(self.side.turn_to, FOUND))
        EditorLink(self.editor, self._session)
        inside = Qt.ShortcutContext.WidgetWithChildrenShortcut
        for keys, go in (("Alt+Left", self.model.go_back), ("Alt+Right", self.model.go_forward)):
            QShortcut(QKeySequence(keys), self, context=inside).activated.connect(go)
        self.bar.query.come_by_keys(self)

    def _keep_shape(self) -> None:
        self._settings.tree_shape = self.model.shape

    def _begin_search(self, text: str) -> None:
        if not self.bar.isHidden():
            self.bar.query.setFocus()
            self.bar.query.setText(text)

    def _on_search_changed(self) -> None:
        """Show the list of a given title; a search leaves the current panel."""
        if self.search.title not in ("", FOUND):
            self.side.turn_to(FOUND)

    def _on_hovered(self, node: int | None) -> None:
        if node is None:
            self.card.hide()
            return
        picture, point = self.model.picture, self.view.pointer
        assert picture is not None
        assert point is not None
        facts = glance(picture, node, self.model.counts, self.model.spelling.now)
        self.card.show_near(self.view.outline(node), point, *facts)


def make_page(setting: PageSetting) -> TreePage:
    page = TreePage(setting.session, setting.theme_source, setting.settings)
    TokenMenu(page.editor, setting.session, setting.requests)
    page.editor.set_token_tip(partial(hover_text, setting.session, None))
    setting.actions.connect_all({"three_trees": page.show_three_trees})
    return page


def about(shape: str) -> tuple[str, ...]:
    first = f"A token {LIES[shape]} the longest token that it begins with."
    return f"{first} Wide ones begin many tokens. Click a token.", f"{first} Click a token.", first


class TreeHead(QFrame):
    """One line of status or help, at a fixed height."""

    def __init__(self, model: TreeModel, search: TreeSearch, zoom: TextZoom) -> None:
        super().__init__()
        self._search = search
        self._model = model
        set_role(self, "ground")
        self.line = zoom.fit(FittedLabel(elides=True), SMALL_FONT_PX)
        self.line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.title = heading("Token tree")
        in_row(self.title, (self.line, 1), on=self, margins=(MARGIN_PX, UNIT_PX), spacing=3 * UNIT_PX)
        search.shown_changed.connect(self._refresh)
        search.chosen_changed.connect(self._refresh)
        search.source_changed.connect(self._refresh)
        search.listing.changed.connect(self._refresh)
        model.view_changed.connect(self._refresh)
        model.chosen_changed.connect(self._refresh)
        model.shape_changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        search = self._search
        if not (search.query.strip() or search.title):
            self._show_line("dim", *about(self._model.shape))
        elif problem := search.shown.problem:
            self._show_line("warning", f"⚠ {problem}")
        elif not search.is_listed:
            self._show_line("dim", "Searching …")
        elif not len(search.result_nodes):
            self._show_line("", "No token matches.")
        else:
            self._show_line("", *self._match_summary())

    def _show_line(self, role: str, *texts: str) -> None:
        if role != self.line.property("role"):
            self.line.setProperty("role", role)
            color_again(self.line)
        self.line.set_texts(list(texts))

    def _match_summary(self) -> tuple[str, ...]:
        search, n_found = self._search, len(self._search.result_nodes)
        if search.current is not None and search.current_node == self._model.chosen:
            position = f"{search.current + 1:,} of {n_found:,}"
            return (
                f"{position}, outlined in the picture. Enter: next, Escape: end the search.",
                f"{position} found",
            )
        found = counted(n_found, "token") if search.title == FOUND else f"{search.title}: {n_found:,}"
        where = "highlighted, and listed in" if search.is_in_view else "not in view, but listed in"
        go = "Enter goes to the first one."
        return f"{found} found: {where} “Found”. {go}", f"{found} found. {go}", f"{found} found"


class TreeCard(QFrame):
    """A card next to the hovered node; transparent for the mouse."""

    def __init__(self, parent: QWidget, zoom: TextZoom) -> None:
        super().__init__(parent)
        self._area = parent
        set_role(self, "card")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._title = zoom.fit(plain_label(), TITLE_PX, Theme.mono_font)
        self._lines = zoom.fit(plain_label("dim"), SMALL_FONT_PX)
        layout = in_column(self._title, self._lines, on=self, margins=(GAP_PX, UNIT_PX), spacing=2)
        layout.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        self.hide()

    def show_near(self, node: QPainterPath, point: QPointF, title: str, lines: tuple[str, ...]) -> None:
        """Describe a node near a point of it; hide if the node takes all the room."""
        self._title.setText(isolate(elided(title, ELIDED)))
        self._lines.setText("\n".join(lines))
        layout = self.layout()
        assert layout is not None
        layout.activate()  # resize to the new text
        room = self._area.rect().adjusted(UNIT_PX, UNIT_PX, -UNIT_PX, -UNIT_PX)
        corner = corner_near(room, self.sizeHint(), point.toPoint(), _clear_of(node))
        if corner is None:
            self.hide()
            return
        self.move(corner)
        self.show()
        self.raise_()


def corner_near(room: QRect, size: QSize, point: QPoint, is_free: Callable[[QRect], bool]) -> QPoint | None:
    """The corner of a free box near a point, not over it; None if there is none in the room."""
    for way in range(NEAREST_PX, room.width() + room.height(), STEP_PX):
        for right, down in SIDES:
            x = point.x() + right * way - (size.width() * (1 - right)) // 2
            y = point.y() + down * way - (size.height() * (1 - down)) // 2
            x = min(max(x, room.left()), room.right() + 1 - size.width())
            y = min(max(y, room.top()), room.bottom() + 1 - size.height())
            box = QRect(QPoint(x, y), size)
            if room.contains(box) and not box.contains(point) and is_free(box):
                return box.topLeft()
    return None


def _clear_of(node: QPainterPath) -> Callable[[QRect], bool]:
    def is_free(box: QRect) -> bool:
        return not node.intersects(QRectF(box).adjusted(-APART_PX, -APART_PX, APART_PX, APART_PX))

    return is_free
