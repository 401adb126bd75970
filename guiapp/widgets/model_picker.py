"""The button that names the model that is open, and the popup to open another."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from guiapp.viewmodels.model_choice import ModelRow, facts, model_rows, summary
from guiapp.viewmodels.model_loader import ModelLoader, display_name
from guiapp.viewmodels.recent_files import RecentFiles
from guiapp.widgets.icons import icon
from guiapp.widgets.popover import Popover
from guiapp.widgets.style_sheet import blend, heading, set_role
from guiapp.widgets.theme import GAP_PX, MARGIN_PX, RADIUS_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource

ROW_ROLE = Qt.ItemDataRole.UserRole
LIST_SIZE = QSize(400, 430)
FACTS_WIDTH_PX = 300
LONGEST_NAME_PX = 280
LIST_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class ModelButton(QToolButton):
    """`name  type · pre · size ▾`; a click opens the picker."""

    def __init__(self, loader: ModelLoader, theme_source: ThemeSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._loader = loader
        self._theme_source = theme_source
        set_role(self, "raised")
        self._icon, self._name, self._summary, self._arrow = QLabel(), QLabel(), QLabel(), QLabel()
        self._name.setStyleSheet("font-weight: 600")
        set_role(self._summary, "dim")
        self._layout = layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 0, 9, 0)
        layout.setSpacing(GAP_PX)
        for label in (self._icon, self._name, self._summary, self._arrow):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            layout.addWidget(label)
        loader.model_changed.connect(self._follow)
        loader.loading_changed.connect(self._follow)
        theme_source.changed.connect(self._color)
        self._color()
        self._follow()

    def sizeHint(self) -> QSize:
        return self._layout.sizeHint().expandedTo(QSize(0, 30))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _follow(self) -> None:
        model = self._loader.model
        name = "No model" if model is None else display_name(model)
        details = "open one" if model is None else summary(model)
        elided = self._name.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, LONGEST_NAME_PX)
        self._name.setText(elided)
        self._summary.setText(details)
        self.setToolTip(f"{name}\n{details}" if model is None else f"{name}\n{details}\n{model.name}")
        self.setAccessibleName(f"Model: {name}, {details}")
        self.updateGeometry()

    def _color(self) -> None:
        theme = self._theme_source.theme
        self._icon.setPixmap(icon("model", theme.dim).pixmap(16, 16))
        self._arrow.setPixmap(icon("chevron-down", theme.dim).pixmap(16, 16))


class ModelPicker(Popover):
    """Recent files and demo models to filter and choose from, beside what is known of the open model.

    Signals:
        chosen(str): open this model: a path or `demo:<name>`.
        browse_requested(): ask for a file.
    """

    chosen = Signal(str)
    browse_requested = Signal()

    def __init__(
        self, loader: ModelLoader, recent: RecentFiles, theme_source: ThemeSource, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._loader = loader
        self._recent = recent
        self.setAccessibleName("Choose a model")
        self.filter = QLineEdit(placeholderText="Filter models", clearButtonEnabled=True)
        self.filter.setAccessibleName("Filter models")
        self.list = QListView()
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setAccessibleName("Models")
        self.list.setItemDelegate(_RowDelegate(theme_source, self.list))
        self._rows = QStandardItemModel(self)
        self.list.setModel(self._rows)
        self.open_button = QPushButton("Open file…")
        self._facts = QFrame()
        set_role(self._facts, "card")
        self._facts_layout = QFormLayout(self._facts)
        self._lay_out()
        self.filter.textChanged.connect(self._fill)
        self.filter.installEventFilter(self)
        self.filter.returnPressed.connect(self._choose_current)
        self.list.clicked.connect(self._choose)
        self.list.activated.connect(self._choose)
        self.open_button.clicked.connect(self._browse)
        recent.changed.connect(self._fill)
        loader.model_changed.connect(self._fill)

    def open_under(self, widget: QWidget) -> None:
        self.filter.clear()
        self._fill()
        self._show_facts()
        super().open_under(widget)
        self.filter.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the arrow keys move in the list while the filter has the focus."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in LIST_KEYS:
            self.list.keyPressEvent(event)
            return True
        return super().eventFilter(watched, event)

    def _lay_out(self) -> None:
        self._facts.setFixedWidth(FACTS_WIDTH_PX)
        self._facts_layout.setContentsMargins(MARGIN_PX, MARGIN_PX, MARGIN_PX, MARGIN_PX)
        self._facts_layout.setHorizontalSpacing(MARGIN_PX)
        self._facts_layout.setVerticalSpacing(UNIT_PX)
        self.list.setFixedSize(LIST_SIZE)
        self.list.setMouseTracking(True)
        left, right = QVBoxLayout(), QVBoxLayout()
        left.addWidget(self.filter)
        left.addWidget(self.list)
        right.addWidget(heading("Open now"))
        right.addWidget(self._facts)
        right.addStretch()
        right.addWidget(self.open_button)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(MARGIN_PX, MARGIN_PX, MARGIN_PX, MARGIN_PX)
        layout.setSpacing(MARGIN_PX)
        layout.addLayout(left)
        layout.addLayout(right)

    def _fill(self) -> None:
        current = None if self._loader.model is None else self._loader.model.name
        wanted = self.filter.text().casefold().split()
        self._rows.clear()
        section = ""
        for row in model_rows(self._recent.files, current):
            described = f"{row.title} {row.detail} {row.name}"
            if not all(word in described.casefold() for word in wanted):
                continue
            if row.section != section:
                section = row.section
                title = QStandardItem(section.upper())
                title.setFlags(Qt.ItemFlag.NoItemFlags)
                self._rows.appendRow(title)
            self._rows.appendRow(_item(row))
        first = next((at for at in range(self._rows.rowCount()) if self._rows.item(at).isEnabled()), -1)
        self.list.setCurrentIndex(self._rows.index(first, 0))

    def _show_facts(self) -> None:
        while self._facts_layout.rowCount():
            self._facts_layout.removeRow(0)
        if self._loader.model is None:
            self._facts_layout.addRow(QLabel("No model is open yet."))
            return
        for name, value in facts(self._loader.model):
            label, text = QLabel(name), QLabel(value, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
            set_role(label, "dim")
            text.setFont(Theme.mono_font(SMALL_FONT_PX))
            text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._facts_layout.addRow(label, text)

    def _choose_current(self) -> None:
        self._choose(self.list.currentIndex())

    def _choose(self, index: QModelIndex) -> None:
        row = index.data(ROW_ROLE)
        if isinstance(row, ModelRow) and not row.is_missing:
            self.close()
            self.chosen.emit(row.name)

    def _browse(self) -> None:
        self.close()
        self.browse_requested.emit()


class _RowDelegate(QStyledItemDelegate):
    """Two lines a model, one line a section."""

    def __init__(self, theme_source: ThemeSource, parent: QObject) -> None:
        super().__init__(parent)
        self._theme_source = theme_source

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:  # type: ignore[override]
        return QSize(0, 44 if index.data(ROW_ROLE) else 26)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:  # type: ignore[override]
        theme = self._theme_source.theme
        row = index.data(ROW_ROLE)
        rect: QRect = option.rect
        inner = rect.adjusted(GAP_PX, 0, -GAP_PX, 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not isinstance(row, ModelRow):
            font = Theme.ui_font(SMALL_FONT_PX)
            font.setBold(True)
            painter.setFont(font)
            painter.setPen(theme.dim)
            painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, str(index.data()))
        else:
            if _is_pointed_at(option):
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(blend(theme.raised, theme.accent, 0.24))
                painter.drawRoundedRect(rect.adjusted(0, 1, 0, -1), RADIUS_PX, RADIUS_PX)
            _draw_row(painter, theme, row, inner)
        painter.restore()


def _is_pointed_at(option: QStyleOptionViewItem) -> bool:
    state: int = option.state.value
    return bool(state & (QStyle.StateFlag.State_Selected.value | QStyle.StateFlag.State_MouseOver.value))


def _draw_row(painter: QPainter, theme: Theme, row: ModelRow, rect: QRect) -> None:
    half = rect.height() // 2
    upper, lower = rect.adjusted(0, 4, 0, -half), rect.adjusted(0, half, 0, -4)
    painter.setFont(Theme.ui_font())
    if row.is_current:
        icon("check", theme.accent).paint(painter, QRect(upper.topRight() - QPoint(16, -2), QSize(16, 16)))
    painter.setPen(theme.faint if row.is_missing else theme.text)
    _draw_elided(painter, upper.adjusted(0, 0, -24, 0), row.title)
    painter.setFont(Theme.ui_font(SMALL_FONT_PX))
    painter.setPen(theme.faint if row.is_missing else theme.dim)
    _draw_elided(painter, lower, f"not found: {row.name}" if row.is_missing else row.detail)


def _draw_elided(painter: QPainter, rect: QRect, text: str) -> None:
    elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
    painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, elided)


def _item(row: ModelRow) -> QStandardItem:
    item = QStandardItem(row.title)
    item.setData(row, ROW_ROLE)
    item.setData(f"{row.title}, {row.detail}", Qt.ItemDataRole.AccessibleTextRole)
    item.setToolTip(row.name)
    item.setEnabled(not row.is_missing)
    return item
