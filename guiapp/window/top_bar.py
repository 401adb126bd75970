"""The bar at the top: the model, the pages, the encoder, and how far to trust the tokens."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QMenu, QToolButton, QWidget

from guiapp.core.encode.catalogue import ALGORITHMS
from guiapp.kit.session.doctor_model import DoctorModel
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.widgets.icons import icon
from guiapp.kit.widgets.layouts import in_row
from guiapp.kit.widgets.menu_button import MenuButton
from guiapp.kit.widgets.style_sheet import set_role
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, ThemeSource
from guiapp.window.actions import Actions
from guiapp.window.badges import WORDS_FROM_PX, ExactnessBadge, RoundTripBadge
from guiapp.window.model_picker import ModelButton

HEIGHT_PX = 48
SEARCH_PX, SHORT_SEARCH_PX = 122, 34
AROUND_NAME_PX = 46  # of an encoder: arrow and margins


class TopBar(QFrame):
    """Three groups: model at the left, pages in the middle, encoder and badges at the right.

    What changes its width stands left of what does not, so that nothing moves that people have just clicked.
    """

    def __init__(
        self,
        session: ModelSession,
        doctor: DoctorModel,
        tabs: QWidget,
        actions: Actions,
        theme_source: ThemeSource,
    ) -> None:
        super().__init__()
        set_role(self, "bar")
        self.setFixedHeight(HEIGHT_PX)
        self.model_button = ModelButton(session.loader, theme_source)
        self.encoder_button = EncoderButton(session, actions, theme_source)
        remedies = actions["inexact_next"], actions["choose_pre"], actions["doctor"]
        self.exactness = ExactnessBadge(session, doctor, theme_source, *remedies)
        self.round_trip = RoundTripBadge(session, theme_source, [actions["round_trip_difference"]])
        self.palette_button = PaletteButton(actions, theme_source)
        right: list[QWidget] = [self.exactness, self.round_trip, self.encoder_button, self.palette_button]
        layout = QGridLayout(self)
        layout.setContentsMargins(MARGIN_PX - 2, 0, MARGIN_PX - 4, 0)
        groups: list[list[QWidget]] = [[self.model_button], [tabs], right]
        sides = (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignCenter, Qt.AlignmentFlag.AlignRight)
        for column, (widgets, side) in enumerate(zip(groups, sides, strict=True)):
            layout.addLayout(
                in_row(*widgets, spacing=GAP_PX), 0, column, side | Qt.AlignmentFlag.AlignVCenter
            )
        layout.setColumnStretch(0, 1)
        layout.setColumnStretch(2, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_short = self.width() < WORDS_FROM_PX
        self.palette_button.set_short(is_short)
        self.exactness.set_room(self.width())


class EncoderButton(MenuButton):
    """Names the encoder in use; a click lists those that the vocabulary offers.  It is as wide for each."""

    def __init__(self, session: ModelSession, actions: Actions, theme_source: ThemeSource) -> None:
        super().__init__(theme_source)
        self._session = session
        menu = QMenu(self, toolTipsVisible=True)
        menu.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        for row, action in actions:
            if row.group == "encoder":
                menu.addAction(action)
        self.setMenu(menu)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        session.options_changed.connect(self._follow)
        self._follow()

    def sizeHint(self) -> QSize:
        """With room for the longest name."""
        longest = max(map(self.fontMetrics().horizontalAdvance, ALGORITHMS))
        return QSize(longest + AROUND_NAME_PX, super().sizeHint().height())

    def _follow(self) -> None:
        algorithm = self._session.algorithm
        self.setVisible(algorithm is not None)
        if algorithm is not None:
            self.setText(algorithm.name)
            mark = "exact" if algorithm.exact else "approximate"
            self.setToolTip(f"{algorithm.title} ({mark}), {algorithm.complexity}\n{algorithm.source}")
            self.setAccessibleName(f"Encoder: {algorithm.name}, {mark}")


class PaletteButton(QToolButton):
    """Opens the command palette, and looks like the line in it; without its word where room is scarce."""

    def __init__(self, actions: Actions, theme_source: ThemeSource) -> None:
        super().__init__()
        self._theme_source = theme_source
        set_role(self, "search")
        action = actions["palette"]
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        self.setText("Commands")
        self.setToolTip(f"{action.text()} ({keys})")
        self.setAccessibleName(action.text())
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(action.trigger)
        theme_source.changed.connect(self._color)
        self._color()
        self.set_short(False)

    def set_short(self, is_short: bool) -> None:
        style = Qt.ToolButtonStyle
        self.setToolButtonStyle(style.ToolButtonIconOnly if is_short else style.ToolButtonTextBesideIcon)
        self.setFixedWidth(SHORT_SEARCH_PX if is_short else SEARCH_PX)

    def _color(self) -> None:
        self.setIcon(icon("search", self._theme_source.theme.dim))
