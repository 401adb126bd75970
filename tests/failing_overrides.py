"""Makes each override of a Qt method in guiapp fail under C++; prints unreported failures and their number.

Run in a process of its own, which may crash.  Python calls Qt, which calls the override.
"""

import pkgutil
import sys
from functools import partial
from importlib import import_module
from inspect import isfunction, unwrap

from PySide6 import QtCore, QtWidgets
from PySide6 import QtGui as Gui
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QSize, Qt

import guiapp
from guiapp.kit.state.qt_exceptions import protect_overrides

application = QtWidgets.QApplication(["", "-platform", "offscreen"])
AT, LEFT, NONE = QPointF(1, 1), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
MIME, COPY, Type = QtCore.QMimeData(), Qt.DropAction.CopyAction, QEvent.Type
MOUSE, DRAG, WHEEL = (AT, AT, LEFT, LEFT, NONE), (COPY, MIME, LEFT, NONE), (LEFT, NONE, Qt.ScrollPhase(0))
EVENTS = {
    "event": QEvent(Type.LayoutRequest),
    "paintEvent": Gui.QPaintEvent(QRect(0, 0, 9, 9)),
    "resizeEvent": Gui.QResizeEvent(QSize(9, 9), QSize(8, 8)),
    "keyPressEvent": Gui.QKeyEvent(Type.KeyPress, Qt.Key.Key_A, NONE),
    "mousePressEvent": Gui.QMouseEvent(Type.MouseButtonPress, *MOUSE),
    "mouseReleaseEvent": Gui.QMouseEvent(Type.MouseButtonRelease, *MOUSE),
    "mouseDoubleClickEvent": Gui.QMouseEvent(Type.MouseButtonDblClick, *MOUSE),
    "mouseMoveEvent": Gui.QMouseEvent(Type.MouseMove, *MOUSE),
    "wheelEvent": Gui.QWheelEvent(AT, AT, QPoint(), QPoint(0, 120), *WHEEL, False),
    "showEvent": Gui.QShowEvent(),
    "hideEvent": Gui.QHideEvent(),
    "closeEvent": Gui.QCloseEvent(),
    "timerEvent": QtCore.QTimerEvent(1),
    "inputMethodEvent": Gui.QInputMethodEvent(),
    "enterEvent": Gui.QEnterEvent(AT, AT, AT),
    "leaveEvent": QEvent(Type.Leave),
    "changeEvent": QEvent(Type.FontChange),
    "focusInEvent": Gui.QFocusEvent(Type.FocusIn),
    "focusOutEvent": Gui.QFocusEvent(Type.FocusOut),
    "dragEnterEvent": Gui.QDragEnterEvent(QPoint(), *DRAG),
    "dragMoveEvent": Gui.QDragMoveEvent(QPoint(), *DRAG),
    "dragLeaveEvent": Gui.QDragLeaveEvent(),
    "dropEvent": Gui.QDropEvent(AT, *DRAG),
    "contextMenuEvent": Gui.QContextMenuEvent(Gui.QContextMenuEvent.Reason.Mouse, QPoint(), QPoint()),
}
OTHERS = "eventFilter", "sizeHint", "paint", "data", "rowCount", "columnCount"
owners = []  # kept alive: PySide crashes when classes are deleted


def below(kind):
    return {each for child in kind.__subclasses__() for each in (child, *below(child))}


def call(owner, name):
    """Have Qt call a method."""
    if name == "event":
        QtWidgets.QApplication.sendEvent(owner, EVENTS[name])
    elif isinstance(owner, QtWidgets.QGraphicsWidget):
        QtWidgets.QGraphicsWidget.sceneEvent(owner, EVENTS[name])
    elif name in EVENTS:
        if isinstance(owner, QtWidgets.QAbstractScrollArea):
            QtWidgets.QAbstractScrollArea.viewportEvent(owner, EVENTS[name])
        QtWidgets.QWidget.event(owner, EVENTS[name])
    elif name == "eventFilter":
        watched = QtCore.QObject()
        watched.installEventFilter(owner)
        QtWidgets.QApplication.sendEvent(watched, EVENTS["event"])
    elif isinstance(owner, QtWidgets.QWidget):
        owner.adjustSize()  # to its sizeHint
    elif isinstance(owner, QtWidgets.QAbstractItemDelegate):
        view = QtWidgets.QListView()
        view.setModel(QtCore.QStringListModel(["a"]))
        view.setItemDelegate(owner)
        view.grab()
    elif name == "data":
        owner.createIndex(0, 0).data()
    else:
        proxy = QtCore.QIdentityProxyModel()
        proxy.setSourceModel(owner)
        getattr(proxy, name)()


def fail(kind, qt, name):
    """Have Qt call a failing method of an object without attributes of its own."""
    owners.append(type("Bare", (kind,), {"__init__": lambda self: qt.__init__(self)})())
    function = unwrap(vars(kind)[name])
    code, free = function.__code__, function.__code__.co_freevars
    function.__code__ = (lambda *_: [][3]).__code__.replace(co_freevars=free, co_name=name)
    try:
        call(owners[-1], name)
    finally:
        function.__code__ = code


for floor in ("kit", "pages", "window"):
    for module in pkgutil.walk_packages([f"{guiapp.__path__[0]}/{floor}"], f"guiapp.{floor}."):
        import_module(module.name)
protect_overrides()
reported, n_tried = [], 0
sys.excepthook = lambda kind, error, trace: reported.append(kind)
for kind in (each for each in below(QtCore.QObject) if each.__module__.startswith("guiapp.")):
    qt = next(base for base in kind.__mro__ if base.__module__.startswith("PySide6."))
    for name in vars(kind).keys() & {*EVENTS, *OTHERS}:
        if isfunction(vars(kind)[name]) and hasattr(qt, name):
            reported.clear()
            QtCore.QTimer.singleShot(0, partial(fail, kind, qt, name))
            application.processEvents()
            n_tried += 1
            if IndexError not in reported:
                print(kind, name, reported)
print(n_tried)
