"""The picture of the token tree: a custom-painted widget, moved by mouse, wheel, touch and keys."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPointF, QRect, QSize, Qt, QVariantAnimation, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QResizeEvent,
    QTransform,
    QWheelEvent,
)
from PySide6.QtWidgets import QGestureEvent, QMenu, QPinchGesture, QWidget

from guiapp.analysis.tree.picture import NodeColors
from guiapp.kit.state.background import later
from guiapp.kit.widgets.painting import CENTER, find_fonts, in_shared_size, write
from guiapp.kit.widgets.theme import Theme, ThemeSource
from guiapp.pages.tree.appearance import TreePaint, node_outline, paint_marks, paint_outlines
from guiapp.pages.tree.canvas import (
    NEW_PER_FRAME_S,
    NEW_WHILE_MOVING_S,
    NO_TIME_S,
    TreeCanvas,
)
from guiapp.pages.tree.geometry import (
    Geometry,
    Icicle,
    Sunburst,
    View,
    on_the_way,
    within,
    zoomed,
)
from guiapp.pages.tree.model import TreeModel, TreeSearch

MOVE_MS = 180
BEND_MS = 320
SETTLE_MS = 90  # after the last movement
WHEEL_FACTOR = 1.25
NOTCH = 120
DRAG_PX = 4
LEAST_PX = 8
PREPARING = "Laying out the tree …"
NO_MODEL = "Open a model to see its tokens as a tree."
KEYS = {
    Qt.Key.Key_Up: "parent",
    Qt.Key.Key_Down: "child",
    Qt.Key.Key_Left: "previous",
    Qt.Key.Key_Right: "next",
}


class TreeView(QWidget):
    """Shows the tree of a model; movements are animated.

    Signals:
        hovered(object): the node under the pointer; None for none.
        typed(str): typed letters, to search for.
    """

    hovered = Signal(object)
    typed = Signal(str)

    def __init__(
        self, model: TreeModel, search: TreeSearch, paint: TreePaint, theme_source: ThemeSource
    ) -> None:
        super().__init__()
        self._model = model
        self._search = search
        self._paint = paint
        self._theme_source = theme_source
        self.is_animated = True
        self.factor = 1.0  # scales everything, for a presentation
        self._flight = TreeFlight(model, self._may_fly, self)
        self._layer: QImage | None = None
        self._geometry: Geometry | None = None
        self._hovered: int | None = None
        self._pressed: QPointF | None = None
        self.pointer: QPointF | None = None  # the mouse position, now or when it last moved the picture
        self._dragged: View | None = None
        self._canvas = TreeCanvas(model.label)
        find_fonts(in_shared_size(Theme.ui_font())[0], self)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.grabGesture(Qt.GestureType.PinchGesture)
        self.installEventFilter(self)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Token tree")
        model.picture_changed.connect(self._take_picture)
        model.spelling.changed.connect(self._spell)
        model.preparing_changed.connect(self.update)
        self._flight.moved.connect(self._repaint_moved)
        self._flight.bent.connect(self._repaint_layer)
        self._flight.settled.connect(self._repaint_sharply)
        model.chosen_changed.connect(self._on_chosen_changed)
        search.chosen_changed.connect(self.update)
        paint.changed.connect(self._recolor)
        self._take_picture()
        self._recolor()

    def sizeHint(self) -> QSize:
        return QSize(900, 600)

    def set_animated(self, is_animated: bool) -> None:
        """Animate movements, or jump."""
        self.is_animated = is_animated

    def enlarge(self, factor: float) -> None:
        """Scale everything by a factor."""
        self.factor = factor
        self._repaint_layer()

    # Contents

    @property
    def geometry_now(self) -> Geometry | None:
        """The present geometry, unscaled; None without a picture, or if the widget is too small."""
        if self._model.picture is None or self._canvas.colors is None:
            return None
        if min(self.width(), self.height()) < LEAST_PX:
            return None
        shape = Sunburst if self._flight.roundness >= 0.5 else Icicle
        width, height = self.width() / self.factor, self.height() / self.factor
        geometry = shape(self._model.picture, self._flight.view, width, height)
        if geometry != self._geometry:
            self._geometry = geometry  # reuse it, since it caches its results
        return self._geometry

    @property
    def is_stable(self) -> bool:
        is_still = self._flight.is_stable and self._paint.is_current
        return is_still and self._layer is not None and self._canvas.is_complete

    def outline(self, node: int) -> QPainterPath:
        """The outline of a node on the widget."""
        geometry = self.geometry_now
        assert geometry is not None
        return QTransform.fromScale(self.factor, self.factor).map(node_outline(geometry, node))

    def node_at(self, point: QPointF) -> int | None:
        geometry = self.geometry_now
        hit = None if geometry is None else geometry.hit(point.x() / self.factor, point.y() / self.factor)
        if hit is None or self._model.picture is None:
            return None
        return self._model.picture.node_at(*hit)

    @property
    def notice(self) -> str:
        """The message in place of the tree, while there is none."""
        return PREPARING if self._model.is_preparing else NO_MODEL

    def show_at_once(self) -> None:
        self._flight.land()
        self._repaint_layer()

    def image(self, scale: float) -> QImage:
        """An image of the picture with all labels, at `scale` image pixels per screen pixel."""
        canvas, geometry, image = self._canvas.another(), self.geometry_now, self.plain_image(scale)
        if geometry is not None and not self._flight.is_bending:
            with QPainter(image) as painter:
                canvas.paint_labels(painter, geometry, scale)
                self._paint_above(painter, geometry)
        return image

    def plain_image(self, scale: float) -> QImage:
        """The picture without labels, path and marks, as a separate image."""
        return self._paint_layer(self._canvas.another(), scale, is_coarse=False).copy()

    @property
    def colors(self) -> NodeColors | None:
        return self._canvas.colors

    def _take_picture(self) -> None:
        self._geometry = None  # it refers to the previous picture
        self._flight.land()
        self._canvas.forget_labels()
        self._set_hovered(None)

    def _spell(self) -> None:
        self._canvas.forget_labels()
        self._set_hovered(None)
        self.update()

    def _recolor(self) -> None:
        self._canvas.colors = self._paint.colors
        self._repaint_layer()

    def _on_chosen_changed(self) -> None:
        chosen = self._model.chosen
        self.setAccessibleDescription("" if chosen is None else self._model.label(chosen))
        self.update()

    def _repaint_layer(self) -> None:
        self._layer = None
        self.update()

    def _repaint_picture(self) -> None:
        """Paint the same picture in another view; around a sunburst nothing changes."""
        self._layer = None
        self._update_picture()

    def _update_picture(self) -> None:
        geometry = self.geometry_now
        if isinstance(geometry, Sunburst) and self.factor == 1.0:
            self.update(QRect(*geometry.corner, geometry.size_px, geometry.size_px))
        else:
            self.update()

    # Movement

    def _may_fly(self) -> bool:
        return self.is_animated and self.isVisible() and self._dragged is None

    def _repaint_moved(self) -> None:
        """Paint coarsely; a sharp repaint follows when the movement has ended."""
        self._set_hovered(None)
        self._repaint_picture()

    def _repaint_sharply(self) -> None:
        self._repaint_picture()
        if self.pointer is not None:
            self._set_hovered(self.node_at(self.pointer))

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        is_new, is_moving, geometry = self._layer is None, self._flight.is_moving, self.geometry_now
        scale = self.devicePixelRatioF() * self.factor
        if is_new and geometry is not None:
            self._layer = self._paint_layer(self._canvas, scale, is_moving)
        with QPainter(self) as painter:
            if self._layer is None or geometry is None:
                painter.fillRect(self.rect(), self._theme_source.theme.background)
                write(painter, self.rect(), self.notice, self._theme_source.theme.dim, CENTER)
                return
            painter.scale(self.factor, self.factor)
            painter.drawImage(0, 0, self._layer)
            if self._flight.is_bending:
                return
            still_s = NO_TIME_S if is_new else NEW_PER_FRAME_S
            self._canvas.paint_labels(
                painter, geometry, scale, NEW_WHILE_MOVING_S if is_moving else still_s, is_moving
            )
            self._paint_above(painter, geometry, is_moving)
            if not self._canvas.is_complete and not is_moving:
                self._update_picture()

    def _paint_above(self, painter: QPainter, geometry: Geometry, is_coarse: bool = False) -> None:
        theme = self._theme_source.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, not is_coarse)
        search, path = self._search, self._model.chosen_path
        paint_marks(painter, geometry, search.result_nodes, search.current_node, path, theme)
        paint_outlines(painter, geometry, path, self._hovered, theme)

    def _paint_layer(self, canvas: TreeCanvas, scale: float, is_coarse: bool) -> QImage:
        geometry = self.geometry_now
        assert geometry is not None
        if self._flight.is_bending:
            return canvas.bent_image(geometry, self._flight.roundness)
        return canvas.image(geometry, scale, is_coarse)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_hovered(None)
        self._repaint_layer()

    # Input

    def wheelEvent(self, event: QWheelEvent) -> None:
        geometry, turned = self.geometry_now, event.angleDelta()
        if geometry is None:
            return
        self.pointer = event.position()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or abs(turned.x()) > abs(turned.y()):
            turn = (turned.x() or turned.y()) / NOTCH
            self._pan(-0.08 * turn)
        else:
            self._zoom(geometry, event.position(), WHEEL_FACTOR ** (turned.y() / NOTCH))
        event.accept()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Zoom with two fingers: on a touch pad (a native gesture) or on the screen."""
        if isinstance(event, QNativeGestureEvent):
            if event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
                self._pinch(event.position(), 1 + event.value())
                event.accept()
                return True
        elif isinstance(event, QGestureEvent):
            pinch = event.gesture(Qt.GestureType.PinchGesture)
            if isinstance(pinch, QPinchGesture):
                self._pinch(self.mapFromGlobal(pinch.centerPoint()), pinch.scaleFactor())
                event.accept(pinch)
                return True
        return super().eventFilter(watched, event)

    def _pinch(self, point: QPointF, factor: float) -> None:
        self._pressed = self._dragged = None
        geometry = self.geometry_now
        if geometry is not None and factor > 0:
            self._zoom(geometry, point, factor)

    def _zoom(self, geometry: Geometry, point: QPointF, factor: float) -> None:
        share = geometry.share_at(point.x() / self.factor, point.y() / self.factor)
        target = zoomed(geometry.picture, self._model.view, share, factor)
        self._model.set_view(target, remember=False)

    def _pan(self, share: float) -> None:
        left, right = self._model.view
        way = share * (right - left)
        self._model.set_view((left + way, right + way), remember=False)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = event.position()
        elif event.button() == Qt.MouseButton.BackButton:
            self._model.go_back()
        elif event.button() == Qt.MouseButton.ForwardButton:
            self._model.go_forward()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            self.pointer = event.position()
            self._set_hovered(self.node_at(event.position()))
            return
        moved = event.position() - self._pressed
        if self._dragged is None and moved.manhattanLength() < DRAG_PX:
            return
        geometry = self.geometry_now
        if geometry is not None:
            self._drag(geometry, event.position())

    def _drag(self, geometry: Geometry, point: QPointF) -> None:
        assert self._pressed is not None
        if self._dragged is None:
            self._dragged = self._model.view
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        before, now = self._pressed / self.factor, point / self.factor
        way = geometry.share_at(before.x(), before.y()) - geometry.share_at(now.x(), now.y())
        if isinstance(geometry, Sunburst):
            way = (way + 0.5) % 1.0 - 0.5
        left, right = self._model.view
        self._pressed = point
        target = (left + way * (right - left), right + way * (right - left))
        self._model.set_view(within(geometry.picture, target), remember=False)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._pressed is None:
            return
        was_dragged, self._pressed, self._dragged = self._dragged is not None, None, None
        self.unsetCursor()
        if not was_dragged and (node := self.node_at(event.position())) is not None:
            self._click(node)

    def _click(self, node: int) -> None:
        """Choose a node and let it fill the view; if it does already, go up one level."""
        assert self._model.picture is not None
        start, end = self._model.picture.span(node)
        parent = self._model.picture.parent(node)
        if self._model.view == (start, end) and self._model.chosen == node and parent is not None:
            node = parent
        self._model.choose(node)
        self._model.show(node)

    def leaveEvent(self, event: QEvent) -> None:
        self.pointer = None
        self._set_hovered(None)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, text, self.pointer = event.key(), event.text(), None
        if key in KEYS and event.modifiers() & Qt.KeyboardModifier.AltModifier:
            moves = {Qt.Key.Key_Left: self._model.go_back, Qt.Key.Key_Right: self._model.go_forward}
            moves.get(Qt.Key(key), self._model.fit)()
        elif key in KEYS:
            self._model.walk(KEYS[Qt.Key(key)])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._model.chosen is not None:
            self._model.show(self._model.chosen)
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_Escape):
            self._model.fit()
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Minus):
            self._zoom_middle(WHEEL_FACTOR if key == Qt.Key.Key_Plus else 1 / WHEEL_FACTOR)
        elif (
            text.isprintable() and text.strip() and not event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier
        ):
            self.typed.emit(text)
        else:
            super().keyPressEvent(event)

    def _zoom_middle(self, factor: float) -> None:
        if self._model.picture is not None:
            target = zoomed(self._model.picture, self._model.view, 0.5, factor)
            self._model.set_view(target, remember=False)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.addActions(self.actions())
        menu.exec(event.globalPos())

    def _set_hovered(self, node: int | None) -> None:
        if node != self._hovered:
            self._hovered = node
            self.hovered.emit(node)
            self.update()


class TreeFlight(QObject):
    """Animates changes of the view and shape of a model, if `may_fly` permits.

    Signals:
        moved(): `view` is new.
        bent(): `roundness` is new.
        settled(): nothing has moved for a short time.
    """

    moved = Signal()
    bent = Signal()
    settled = Signal()

    def __init__(self, model: TreeModel, may_fly: Callable[[], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._may_fly = may_fly
        self.view = self._start = model.view  # the present view, which moves to the model's
        self.roundness = self._target_roundness  # 0 for an icicle, 1 for a sunburst
        self._moving = self._animation(MOVE_MS, self._move)
        self._bending = self._animation(BEND_MS, self._bend)
        self._settling = later(self, SETTLE_MS, self.settled)
        model.view_changed.connect(self._on_view_changed)
        model.shape_changed.connect(self._on_shape_changed)

    @property
    def is_bending(self) -> bool:
        return 0.0 < self.roundness < 1.0

    @property
    def is_moving(self) -> bool:
        return self._settling.isActive()

    @property
    def is_stable(self) -> bool:
        stopped = QVariantAnimation.State.Stopped
        return self._moving.state() == self._bending.state() == stopped and not self.is_moving

    def land(self) -> None:
        for movement in (self._moving, self._bending, self._settling):
            movement.stop()
        self.view, self.roundness = self._model.view, self._target_roundness

    @property
    def _target_roundness(self) -> float:
        return 1.0 if self._model.shape == "sunburst" else 0.0

    def _animation(self, duration_ms: int, step: Callable[[object], None]) -> QVariantAnimation:
        animation = QVariantAnimation(self, startValue=0.0, endValue=1.0, duration=duration_ms)
        animation.valueChanged.connect(step)
        return animation

    def _on_view_changed(self) -> None:
        self._moving.stop()
        if self._may_fly():
            self._start = self.view
            self._moving.start()
        else:
            self._move(1.0)

    def _move(self, share: object) -> None:
        assert isinstance(share, float)
        eased = 1 - (1 - share) ** 3
        self.view = self._model.view if share >= 1 else on_the_way(self._start, self._model.view, eased)
        self._settling.start()
        self.moved.emit()

    def _on_shape_changed(self) -> None:
        self._bending.stop()
        if self._may_fly() and self._model.picture is not None:
            self._bending.start()
        else:
            self.land()
            self.bent.emit()

    def _bend(self, share: object) -> None:
        assert isinstance(share, float)
        eased = share * share * (3 - 2 * share)
        self.roundness = eased if self._model.shape == "sunburst" else 1 - eased
        self.bent.emit()
