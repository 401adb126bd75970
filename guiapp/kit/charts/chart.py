"""The base of all charts: a finding above a plot that can be read by mouse and keys, zoomed and saved."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any, NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QEvent,
    QMargins,
    QMimeData,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QImage,
    QImageWriter,
    QKeyEvent,
    QPaintDevice,
    QPainter,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import (
    QGraphicsItem,
    QGridLayout,
    QMenu,
    QScrollArea,
    QStyleOptionGraphicsItem,
    QToolTip,
    QWidget,
)

from guiapp.core.sources.files import replace_file
from guiapp.errors import not_written
from guiapp.kit.charts.scales import NO_SCALE, Range, Scale
from guiapp.kit.widgets.event_filters import wrapped_tip
from guiapp.kit.widgets.file_dialogs import ask_to_save
from guiapp.kit.widgets.layouts import in_row
from guiapp.kit.widgets.menu_button import MenuButton
from guiapp.kit.widgets.notices import announce
from guiapp.kit.widgets.painting import CENTER, RIGHT, WRAP, bold, fill, ring, write
from guiapp.kit.widgets.theme import GAP_PX, LIGHT, MARGIN_PX, UI_FONT_PX, UNIT_PX, Theme, ThemeSource, blend

PLAIN, BOLD, NUMBER, STRONG, TITLE, SUBTITLE = "plain", "bold", "number", "strong", "title", "subtitle"
TITLE_FONT_PX = 14
NEAR_PX = 14  # greatest distance between the mouse and the value that it points at
DIMMED = 0.45  # opacity of a dimmed chart
FADED = 50  # alpha, of 255, if something else is emphasized
TICK_GAP_PX, TICK_DISTANCE_PX, ROW_DISTANCE_PX = 6, 84, 34
FOCUS_PX, BUTTON_PX = 1.5, 22
DRAGGED, HIGHLIGHT = 0.25, 0.24  # strength of the accent: in a dragged rectangle, behind selected items
LEAST_DRAG = 0.02  # of an axis; a drag that is shorter along it zooms only the other axis
ZOOMED = "Double-click to zoom out."
EMPHASIZED = "Click it again to show the others."
BY_MOUSE = "{} or drag to zoom. Click a name to fade the others.", "{} to zoom, click to fade others."
HINT_EVENTS = QEvent.Type.Enter, QEvent.Type.Leave, QEvent.Type.FocusIn, QEvent.Type.FocusOut
BY_KEYS = "Arrow keys read values, Enter fades other series."
FREE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip
Key = Qt.Key
WHITE = QColor("white")
PAPER = replace(LIGHT, background=WHITE, panel=WHITE, raised=WHITE)
SCALE = 2  # of PNG, for print and projectors
SOURCE_PX = 20  # height of the line below a saved chart
MARGINS = QMargins(MARGIN_PX, MARGIN_PX, MARGIN_PX, MARGIN_PX)
FORMATS = {".png": "Picture (*.png)", ".svg": "Drawing (*.svg)"}


class Word(NamedTuple):
    """Text at a point in pixels; `align` is the share of its width left of it; a click emits `key`."""

    text: str
    at: QPointF
    color: QColor
    font: str = PLAIN
    align: float = 0.0
    key: Hashable = None


class Value(NamedTuple):
    """A value that can be read by pointing at it.

    key     emitted by a click
    x, y    positions on the axes: logarithms on a logarithmic scale
    tip     the details, in a few lines
    series  Left and Right move within a series, Up and Down to the next one
    """

    key: Hashable
    x: float
    y: float
    tip: str
    series: int = 0


class ZoomBox(pg.ViewBox):
    """A view box that zooms by wheel and by drag."""

    def __init__(self) -> None:
        super().__init__(enableMenu=False, defaultPadding=0.0)
        self.setMouseMode(self.RectMode)
        self.disableAutoRange()

    def updateScaleBox(self, p1: QPointF, p2: QPointF) -> None:
        """Show the area that a drag will zoom into."""
        shown = self._extended(QRectF(p1, p2), self.rect())
        super().updateScaleBox(shown.topLeft(), shown.bottomRight())

    def showAxRect(self, ax: QRectF, **options: object) -> None:
        """Zoom into the dragged rectangle."""
        super().showAxRect(self._extended(ax, self.viewRect()), **options)

    def _extended(self, dragged: QRectF, whole: QRectF) -> QRectF:
        """Extend a rectangle to the whole of an axis that cannot be zoomed, or was hardly dragged along."""
        (can_x, can_y), dragged = self.state["mouseEnabled"], dragged.normalized()
        if not can_x or dragged.width() < LEAST_DRAG * whole.width():
            dragged = QRectF(whole.left(), dragged.top(), whole.width(), dragged.height())
        if not can_y or dragged.height() < LEAST_DRAG * whole.height():
            dragged = QRectF(dragged.left(), whole.top(), dragged.width(), whole.height())
        return dragged

    def keyPressEvent(self, ev: QKeyEvent) -> None:
        ev.ignore()


class _View(pg.GraphicsView):
    """Leaves keys and context menus to the chart, and the wheel to a page that it can scroll."""

    def wheelEvent(self, ev: QWheelEvent) -> None:
        if self.parent().leaves_wheel and not ev.modifiers() & Qt.KeyboardModifier.ControlModifier:
            ev.ignore()
        else:
            super().wheelEvent(ev)

    def keyPressEvent(self, ev: QKeyEvent) -> None:
        ev.ignore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        event.ignore()

    def viewportEvent(self, event: QEvent) -> bool:
        """Do not pass tooltip events to the scene, which would hide the tooltip of the chart."""
        return event.type() == QEvent.Type.ToolTip or super().viewportEvent(event)


class _Layer(QGraphicsItem):
    """Paints for the chart in pixels, below or above the items of pyqtgraph."""

    def __init__(self, chart: Chart, is_front: bool) -> None:
        super().__init__()
        self._chart, self._is_front = chart, is_front
        self.setZValue(100 if is_front else -200)  # view boxes have -100
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)

    def boundingRect(self) -> QRectF:
        return QRectF(self._chart.rect())

    def resize(self) -> None:
        self.prepareGeometryChange()

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self._is_front:
            self._chart.paint_back(painter)
        elif not self._chart.reason:
            self._chart.paint_front(painter)


class Chart(QWidget):
    """A plot of some values.  Without a theme source it is for paper: light theme on white, no button.

    data           the data; each kind of chart has its own type
    source         origin of the data, written below a saved picture; "" if unknown
    reason         why there is nothing to show; "" if there is something
    area           of the plot, in pixels
    values, words  values to read and texts to paint; set by `draw` and `arrange_words`
    selected       the key of the selected item, whose details are listed elsewhere
    factor         size of fonts and markers relative to the usual size
    shows_tips     whether a tooltip shows the details of a value; `read` is emitted in any case

    Signals:
        clicked(object, object): the key of the clicked item, None for none, and the number of its part.
        read(str): details of the value under the mouse or chosen by keys, "" for none.
    """

    clicked = Signal(object, object)
    read = Signal(str)
    data: Any = None
    ground = "background"
    n_head_lines = 2
    has_button = shows_tips = True
    least_size = QSize(200, 150)  # in a smaller chart, scales and names overlap

    def __init__(self, theme_source: ThemeSource | None, name: str) -> None:
        super().__init__()
        self._theme_source, self.name = theme_source, name
        self.title, self.subtitle, self.reason, self.source = name, "", "", ""
        self.area, self.scales = QRectF(0, 0, 1, 1), (NO_SCALE, NO_SCALE)
        self.values: list[Value] = []
        self.words: list[Word] = []
        self.selected: Hashable = None
        self._emphasis: Hashable = None
        self._current: int | None = None  # of `values`
        self._home: tuple[Range, Range] = ((0.0, 1.0), (0.0, 1.0))
        self.is_zoomed = self._is_drawing = self._is_picture = self._is_dimmed = False
        self.factor = 1.0
        self.view = _View(self)
        self.view.setFocusProxy(self)
        self.box = ZoomBox()
        self.view.addItem(self.box)
        self._layers = _Layer(self, False), _Layer(self, True)
        for layer in self._layers:
            self.view.addItem(layer)
        self._menu = QMenu(self)
        for text, act in (
            ("Copy picture", _copy_picture),
            ("Copy as SVG", _copy_svg),
            ("Save picture…", _save),
        ):
            self._menu.addAction(text, partial(act, self))
        self._reset = self._menu.addAction("Show all (double-click)", self.reset_zoom)
        self._controls = QWidget()
        self._control_row = in_row(on=self._controls, spacing=UNIT_PX)
        if self.has_button and theme_source is not None:
            tip = "Copy or save this chart"
            button = MenuButton(theme_source, "Save", role="quiet", tip=tip)
            button.setMenu(self._menu)
            button.setFixedHeight(BUTTON_PX)
            self._control_row.addWidget(button)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.addWidget(self.view, 0, 0)
        grid.addWidget(self._controls, 0, 0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.box.sigRangeChanged.connect(self._on_range_changed)
        self.box.sigRangeChangedManually.connect(self._on_zoomed)
        self.view.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self.view.scene().sigMouseClicked.connect(self._on_mouse_clicked)
        if theme_source is not None:
            theme_source.changed.connect(self.redraw)

    def show_data(self, data: Any) -> None:
        self.data = data
        self.redraw()

    # For subclasses to implement

    @abstractmethod
    def draw(self) -> None:
        """Set titles, `frame`, `show_range` and `values`; not called if there is a `reason`."""

    def arrange_words(self) -> None:
        """Set `words` for the visible range."""

    def paint_front(self, painter: QPainter) -> None:
        """Paint the words; subclasses paint what is below them first."""
        for word in self.words:
            write(painter, self.rect_of(word), word.text, word.color, FREE, self._fonts[word.font])

    # Sizes and letters

    @property
    def theme(self) -> Theme:
        return PAPER if self._theme_source is None else self._theme_source.theme

    @property
    def ground_color(self) -> QColor:
        color: QColor = getattr(self.theme, self.ground)
        return color

    def set_factor(self, factor: float) -> None:
        """Enlarge fonts and markers for presentations, and hide the buttons."""
        if factor != self.factor:
            self.factor = factor
            self._controls.setVisible(factor == 1.0)
            self.redraw()

    def set_font_px(self, size_px: int) -> None:
        ui, mono, factor = Theme.ui_font, Theme.mono_font, self.factor
        self._fonts: dict[str, QFont] = {
            PLAIN: ui(size_px),
            BOLD: bold(ui(size_px)),
            NUMBER: mono(size_px - 1),
            STRONG: bold(mono(size_px + 2)),
            TITLE: bold(ui(round(TITLE_FONT_PX * factor))),
            SUBTITLE: ui(round(UI_FONT_PX * factor)),
        }
        self._metrics = {name: QFontMetricsF(font) for name, font in self._fonts.items()}

    def width_px(self, text: str, font: str = PLAIN) -> float:
        return self._metrics[font].horizontalAdvance(text)

    def elided(self, text: str, room_px: float, font: str = PLAIN) -> str:
        return self._metrics[font].elidedText(text, Qt.TextElideMode.ElideMiddle, room_px)

    @property
    def line_px(self) -> float:
        return int(self._metrics[PLAIN].height()) + 1

    @property
    def head_px(self) -> float:
        """The height of title and subtitle."""
        lines_px = self.n_head_lines * (self._metrics[TITLE].height() + 1) if self.n_head_lines else 0
        return lines_px + GAP_PX

    @property
    def controls_px(self) -> float:
        return self._controls.sizeHint().width() + GAP_PX if self._control_row.count() else 0

    def set_titles(
        self, titles: Sequence[str], subtitles: Sequence[str] = ("",), margin_px: float = 0.0
    ) -> None:
        """Set title (the finding) and subtitle: the first of each that fits left of controls and margin."""
        room = float(self.width() - self.controls_px)
        fits = (title for title in titles if self.width_px(title, TITLE) <= room)
        self.title = next(fits, titles[-1])
        room = self._subtitle_px = min(room, self.width() - margin_px)
        self.subtitle = next((each for each in subtitles if self.width_px(each, SUBTITLE) <= room), "")
        self.setAccessibleName(titles[0])
        self._describe("")

    def frame(self, left_px: float, right_px: float, scales: tuple[Scale, Scale] | None = None) -> None:
        """Set `area` with margins at the left and right; `scales` are the x and y scales."""
        self.scales = scales or (NO_SCALE, NO_SCALE)
        below_px = 2 * self.line_px + TICK_GAP_PX if self.scales[0].title else 0
        width_px, height_px = self.width() - left_px - right_px, self.height() - self.head_px - below_px
        self.area = QRectF(left_px, self.head_px, max(width_px, 1), max(height_px, 1))

    def frame_scales(self, x: Scale, y: Scale, y_range: Range, right_px: float) -> None:
        """Set `area`, with room for the numbers of the y scale at the left."""
        ticks = y.ticks(*y_range, 8)
        left_px = 2 * GAP_PX + max((self.width_px(text, NUMBER) for _, text in ticks), default=0)
        self.frame(left_px, right_px, (x, y))

    def show_range(self, x: Range, y: Range, zooms: tuple[bool, bool] = (True, True)) -> None:
        """Set the range without zoom, and the axes that can be zoomed."""
        self.box.setGeometry(self.area)
        if (x, y) != self._home or not self.is_zoomed:
            self._home = x, y
            self.box.setLimits(xMin=x[0], xMax=x[1], yMin=y[0], yMax=y[1])
            self.box.setMouseEnabled(*zooms)
        if not self.is_zoomed:
            self.box.setRange(xRange=x, yRange=y, padding=0)

    def pixel(self, x: float, y: float) -> QPointF:
        area, ((left, right), (bottom, top)) = self.area, self.box.viewRange()
        return QPointF(
            area.left() + (x - left) / (right - left) * area.width(),
            area.bottom() - (y - bottom) / (top - bottom) * area.height(),
        )

    def write_below(self, text: str, shorter: str) -> None:
        """Add `text`, or `shorter` if there is no room, to the right of the x scale's title."""
        room_px = self.width() - self.area.center().x() - self.width_px(self.scales[0].label, SUBTITLE) / 2
        text = text if self.width_px(text, SUBTITLE) <= room_px - GAP_PX else shorter
        at = QPointF(self.width(), self.area.bottom() + TICK_GAP_PX + 1.5 * self.line_px)
        self.words.append(Word(text, at, self.theme.dim, SUBTITLE, align=1.0))

    def rect_of(self, word: Word) -> QRectF:
        width, height = self.width_px(word.text, word.font), self._metrics[word.font].height()
        return QRectF(word.at.x() - word.align * width, word.at.y() - height / 2, width, height)

    def minimumSizeHint(self) -> QSize:
        return self.least_size

    def sizeHint(self) -> QSize:
        return QSize(480, 300)

    # Drawing

    def redraw(self) -> None:
        """Lay out everything again after a change of data, theme or size."""
        self.set_font_px(round(UI_FONT_PX * self.factor))
        ground = self.ground_color
        if self.view.backgroundBrush().color() != ground:  # setting it always would paint everything twice
            self.view.setBackground(ground)
            self.box.rbScaleBox.setPen(pg.mkPen(self.theme.accent))
            self.box.rbScaleBox.setBrush(blend(ground, self.theme.accent, DRAGGED))
        self.values, self.words = [], []
        self._is_drawing = True
        self.box.setVisible(not self.reason)
        if self.reason:
            self.set_titles([self.name])
        else:
            self.draw()
            self.arrange_words()
            self.view.scene().prepareForPaint()  # during painting, this would cause a second painting
        self._is_drawing = False
        if self._current is not None and self._current >= len(self.values):
            self._point_at(None)
        elif self.current is not None:  # the value under the mouse may be new
            self._describe(self.current.tip)
            self.read.emit(self.current.tip)
        self._update()

    def set_reason(self, reason: str) -> None:
        """Set why there is nothing to show; "" if there is something."""
        if reason != self.reason:
            self.reason = reason
            self.redraw()

    def select(self, key: Hashable) -> None:
        if key != self.selected:
            self.selected = key
            self._update()

    def set_dimmed(self, is_dimmed: bool) -> None:
        """Dim a chart that is not current; it can be read nevertheless."""
        self._is_dimmed = is_dimmed
        for item in (self.box, *self._layers):
            item.setOpacity(DIMMED if is_dimmed else 1.0)

    @contextmanager
    def as_picture(self) -> Iterator[None]:
        """Within this context, the chart is painted without dimming and hints."""
        is_dimmed, self._is_picture = self._is_dimmed, True
        self.set_dimmed(False)
        yield
        self.set_dimmed(is_dimmed)
        self._is_picture = False

    def emphasize(self, key: Hashable) -> None:
        """Fade everything that does not have this key; nothing for None."""
        if key != self._emphasis:
            self._emphasis = key
            self.redraw()

    def is_emphasized(self, key: Hashable) -> bool:
        return self._emphasis == key

    def is_faded(self, key: Hashable) -> bool:
        return self._emphasis not in (None, "", key)

    def color(self, color: QColor, key: Hashable) -> QColor:
        """The colour, faint if something else is emphasized."""
        result = QColor(color)
        result.setAlphaF(min(color.alphaF(), FADED / 255 if self.is_faded(key) else 1.0))
        return result

    def word_color(self, key: Hashable, color: QColor | None = None) -> QColor:
        """`color`, by default the colour of text; faint if something else is emphasized."""
        if self.is_faded(key):
            return self.theme.faint
        return self.theme.text if color is None else color

    def paint_back(self, painter: QPainter) -> None:
        """Paint the titles, and either the scales with grid lines or the reason for an empty chart."""
        theme, fonts = self.theme, self._fonts
        line = QRectF(0, 0, self.width() - self.controls_px, self._metrics[TITLE].height() + 1)
        if self.n_head_lines:
            title = self._metrics[TITLE].elidedText(self.title, Qt.TextElideMode.ElideRight, line.width())
            write(painter, line, title, theme.text, font=fonts[TITLE])
            line.translate(0, line.height())
            write(painter, line, self._hint or self.subtitle, theme.dim, FREE, fonts[SUBTITLE])
        if self.reason:
            room = QRectF(self.rect().adjusted(40, 0, -40, 0))
            write(painter, room, self.reason, theme.dim, CENTER | WRAP, fonts[PLAIN])
        else:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            self._paint_scales(painter)
            for word in self.words:
                if self.area.contains(word.at):  # clear the grid lines below words
                    fill(painter, self.rect_of(word), self.ground_color, 0)

    @property
    def _hint(self) -> str:
        """A hint about mouse or keys that replaces the subtitle; "" without mouse or focus on the chart."""
        if self.is_zoomed or self._emphasis:
            return ZOOMED if self.is_zoomed else EMPHASIZED
        is_used = bool(self.values) and self.n_head_lines > 1 and not self._is_picture
        by_mouse = (hint.format("Ctrl+scroll" if self.leaves_wheel else "Scroll") for hint in BY_MOUSE)
        hints = by_mouse if self.underMouse() else (BY_KEYS,) if self.hasFocus() else ()
        fitting = (hint for hint in hints if self.width_px(hint, SUBTITLE) <= self._subtitle_px)
        return next(fitting, "") if is_used else ""

    def _paint_scales(self, painter: QPainter) -> None:
        (x_scale, y_scale), area, theme = self.scales, self.area, self.theme
        (left, right), (bottom, top) = self.box.viewRange()
        height, number, taken_px, written_px = self.line_px, self._fonts[NUMBER], 0.0, -inf
        for y, text in y_scale.ticks(bottom, top, int(area.height() / ROW_DISTANCE_PX)):
            at = self.pixel(left, y).y()
            if abs(at - written_px) < height:
                continue
            written_px = at
            painter.setPen(theme.line)
            painter.drawLine(QPointF(area.left(), at), QPointF(area.right(), at))
            room = QRectF(0, at - height / 2, area.left() - TICK_GAP_PX, height)
            write(painter, room, text, theme.dim, RIGHT | Qt.TextFlag.TextDontClip, number)
        for x, text in x_scale.ticks(left, right, int(area.width() / TICK_DISTANCE_PX)):
            at, half = self.pixel(x, bottom).x(), self.width_px(text, NUMBER) / 2
            painter.setPen(theme.line)
            painter.drawLine(QPointF(at, area.top()), QPointF(at, area.bottom()))
            if at - half >= taken_px:
                left_px = min(at - half, self.width() - 2 * half)
                room = QRectF(left_px, area.bottom() + TICK_GAP_PX, 2 * half, height)
                write(painter, room, text, theme.dim, FREE, number)
                taken_px = at + half + GAP_PX
        if x_scale.title:
            room = QRectF(area.left(), area.bottom() + TICK_GAP_PX + height, area.width(), height)
            write(painter, room, x_scale.label, theme.dim, CENTER, self._fonts[SUBTITLE])

    def paint_ring(self, painter: QPainter) -> None:
        if (value := self.current) is not None:
            painter.setPen(pg.mkPen(self.theme.text, width=FOCUS_PX))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(self.pixel(value.x, value.y), NEAR_PX / 2, NEAR_PX / 2)

    def paint_light(self, painter: QPainter, rect: QRectF, value: Value) -> None:
        """Highlight the background of a bar that is selected or pointed at."""
        if value.key == self.selected and value.key is not None:
            fill(painter, rect, blend(self.theme.panel, self.theme.accent, HIGHLIGHT), 4)
        elif value is self.current:
            fill(painter, rect, self.theme.raised, 4)
            if self.hasFocus():
                ring(painter, rect, self.theme.accent, 4)

    @property
    def current(self) -> Value | None:
        return None if self._current is None else self.values[self._current]

    def _update(self) -> None:
        for layer in self._layers:
            layer.update()

    # Zoom

    @property
    def leaves_wheel(self) -> bool:
        """Whether the wheel scrolls the page around the chart: unless the chart is zoomed or has focus."""
        parent = self.parentWidget()
        while parent is not None and not isinstance(parent, QScrollArea):
            parent = parent.parentWidget()
        can_scroll = parent is not None and parent.verticalScrollBar().maximum() > 0
        return can_scroll and not (self.is_zoomed or self.hasFocus())

    def reset_zoom(self) -> None:
        """Show everything again."""
        self.is_zoomed = False
        self.redraw()

    def _on_zoomed(self, _: object) -> None:
        self.is_zoomed = any(
            abs(now - home) > 1e-6 * (pair[1] - pair[0])
            for pair, seen in zip(self._home, self.box.viewRange(), strict=True)
            for now, home in zip(seen, pair, strict=True)
        )

    def _on_range_changed(self, *_: object) -> None:
        if not self._is_drawing:
            self.words = []
            self.arrange_words()
            self._update()

    # Mouse and keys

    def value_at(self, position: QPointF) -> int | None:
        """The index of the value nearest to a pixel, if it is within NEAR_PX."""
        pixels = (self.pixel(value.x, value.y) - position for value in self.values)
        distances = [(pixel.manhattanLength(), index) for index, pixel in enumerate(pixels)]
        distance, index = min(distances, default=(NEAR_PX, 0))
        return index if distance < NEAR_PX else None

    def key_at(self, position: QPointF) -> Hashable:
        """The key that a click on a pixel emits."""
        for word in self.words:
            if word.key is not None and self.rect_of(word).contains(position):
                return word.key
        index = self.value_at(position)
        return None if index is None else self.values[index].key

    def part_at(self, position: QPointF) -> int | None:
        return None

    def _on_mouse_moved(self, position: QPointF) -> None:
        self._point_at(self.value_at(position), self.mapToGlobal(position.toPoint()))
        can_zoom = any(self.box.state["mouseEnabled"]) and self.area.contains(position)
        beside = Qt.CursorShape.CrossCursor if can_zoom else Qt.CursorShape.ArrowCursor
        self.view.setCursor(beside if self.key_at(position) is None else Qt.CursorShape.PointingHandCursor)

    def _on_mouse_clicked(self, event: Any) -> None:  # a MouseClickEvent of pyqtgraph
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self.clicked.emit(self.key_at(event.scenePos()), self.part_at(event.scenePos()))
        if event.double():
            self.reset_zoom()  # the second click has already undone the effect of the first one

    def event(self, event: QEvent) -> bool:
        if event.type() in HINT_EVENTS:
            self._update()
        return super().event(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._point_at(None)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._point_at(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Key(event.key())
        if key in (Key.Key_Left, Key.Key_Right, Key.Key_Up, Key.Key_Down) and self.values:
            index = 0 if self._current is None else self.walked(self._current, key)
            value = self.values[index]
            self._point_at(index, self.mapToGlobal(self.pixel(value.x, value.y).toPoint()))
        elif key in (Key.Key_Return, Key.Key_Enter, Key.Key_Space) and self.current is not None:
            self.clicked.emit(self.current.key, None)
        elif key == Key.Key_Escape and (self.is_zoomed or self._emphasis not in (None, "")):
            self.reset_zoom()
            self.clicked.emit(None, None)
        else:
            super().keyPressEvent(event)

    def walked(self, index: int, key: Key) -> int:
        """The index to which an arrow key moves: next in its series, or nearest in the next series."""
        step = 1 if key in (Key.Key_Right, Key.Key_Down) else -1
        value, series = self.values[index], {each.series for each in self.values}
        if key in (Key.Key_Left, Key.Key_Right) or len(series) == 1:
            to = max(0, min(index + step, len(self.values) - 1))
            return to if self.values[to].series == value.series else index
        others = [at for at, each in enumerate(self.values) if each.series == value.series + step]
        return min(others, key=lambda at: abs(self.values[at].x - value.x), default=index)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._reset.setEnabled(self.is_zoomed)
        self._menu.popup(event.globalPos())

    def _point_at(self, index: int | None, at: QPoint | None = None) -> None:
        if index == self._current:
            return
        self._current = index
        tip = "" if index is None else self.values[index].tip
        self._describe(tip)
        self.read.emit(tip)
        if self.shows_tips and tip and at is not None:
            QToolTip.showText(at, wrapped_tip(tip), self)
        elif self.shows_tips:
            QToolTip.hideText()
        self._layers[1].update()

    def _describe(self, tip: str) -> None:
        self.setAccessibleDescription(tip or self.reason or self.subtitle)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.view.resize(self.size())
        for layer in self._layers:
            layer.resize()
        self.redraw()


# Charts as pictures


def svg_of(chart: Chart) -> str:
    """A chart as an SVG document, as large as on screen."""
    buffer, size = QBuffer(), _size_of(chart)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(chart.logicalDpiX())  # otherwise the scale is silently wrong
    generator.setSize(size)
    generator.setViewBox(QRect(QPoint(0, 0), size))
    generator.setTitle(chart.title)
    _paint(chart, generator)
    return bytes(buffer.data().data()).decode()


def image_of(chart: Chart) -> QImage:
    """A chart at SCALE times the resolution on screen."""
    image = QImage(_size_of(chart) * SCALE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(SCALE)
    _paint(chart, image)
    return image


def png_of(chart: Chart) -> bytes:
    buffer = QBuffer()
    QImageWriter(buffer, b"png").write(image_of(chart))
    return bytes(buffer.data().data())


def _size_of(chart: Chart) -> QSize:
    """The size of a saved chart: with margins and a line for `source`."""
    return chart.size().grownBy(MARGINS) + QSize(0, SOURCE_PX if chart.source else 0)


def _paint(chart: Chart, device: QPaintDevice) -> None:
    scene, source = chart.view.scene(), QRectF(chart.rect())
    exporting = [item for item in scene.items() if hasattr(item, "setExportMode")]
    for item in exporting:  # markers as outlines, not as pixels
        item.setExportMode(True, {"antialias": True, "resolutionScale": 1.0})
    with QPainter(device) as painter, chart.as_picture():
        painter.fillRect(QRect(QPoint(), _size_of(chart)), chart.ground_color)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scene.prepareForPaint()
        scene.render(painter, source.translated(MARGINS.left(), MARGINS.top()), source)
        line = QRectF(MARGIN_PX, chart.height() + MARGIN_PX, chart.width(), SOURCE_PX)
        write(painter, line, chart.source, chart.theme.dim, FREE, Theme.ui_font(UI_FONT_PX))
    for item in exporting:
        item.setExportMode(False)


def file_name(title: str) -> str:
    """A file name made from a title, without suffix."""
    return re.sub(r"\W+", "-", title.lower()).strip("-")


def _copy_picture(chart: Chart) -> None:
    QGuiApplication.clipboard().setImage(image_of(chart))
    announce(chart, "Copied the chart as a picture")


def _copy_svg(chart: Chart) -> None:
    svg, data = svg_of(chart), QMimeData()
    data.setText(svg)
    data.setData("image/svg+xml", QByteArray(svg.encode()))
    QGuiApplication.clipboard().setMimeData(data)
    announce(chart, "Copied the chart as SVG")


def _save(chart: Chart) -> None:
    path = ask_to_save(chart.window(), "Save chart", f"{file_name(chart.name)}.png", FORMATS)
    if path is None:
        return
    try:
        replace_file(path, svg_of(chart).encode() if path.suffix.lower() == ".svg" else png_of(chart))
    except OSError as error:
        announce(chart, not_written(path, error))
    else:
        announce(chart, f"Saved {path}")
