"""Messages about what failed: they stay in the window beside it until somebody closes them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAction, QGuiApplication
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from guiapp.core.versions import versions, versions_text
from guiapp.kit.state.background import LatestJob, Progress
from guiapp.kit.widgets.buttons import tool_button
from guiapp.kit.widgets.icons import icon
from guiapp.kit.widgets.layouts import in_column, in_row
from guiapp.kit.widgets.style_sheet import set_role
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, UNIT_PX, ThemeSource


class Notice(QFrame):
    """One message, which is copied with details and with what runs here, and an action that helps.

    A hint is about something that works and may not be meant: nothing to copy for others.
    """

    def __init__(
        self,
        message: str,
        details: str,
        theme_source: ThemeSource,
        parent: QWidget,
        remedy: QAction | None = None,
        is_hint: bool = False,
    ) -> None:
        super().__init__(parent)
        self.message = message
        self._details = [message, details] if details else [message]
        self._theme_source = theme_source
        self._versions = LatestJob[str](self, self._put_on_clipboard)
        self._is_hint = is_hint
        set_role(self, "hint" if is_hint else "notice")
        self.setAccessibleName(f"{'Hint' if is_hint else 'Notice'}: {message}")
        self._icon = QLabel()
        label = QLabel(message, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.remedy_button = tool_button(role="raised")
        if remedy is not None:
            self.remedy_button.setText(remedy.text())
            self.remedy_button.clicked.connect(remedy.trigger)
        self.copy_button = tool_button("Copy details", self.copy_details)
        self.close_button = tool_button(tip="Dismiss", name="Dismiss notice")
        buttons = self.remedy_button, self.copy_button, self.close_button
        for button in buttons:
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        in_row(self._icon, (label, 1), *buttons, on=self, margins=(MARGIN_PX, GAP_PX, GAP_PX, GAP_PX))
        self.remedy_button.setVisible(remedy is not None)
        self.copy_button.setHidden(is_hint)
        theme_source.changed.connect(self._color)
        self._color()

    def copy_details(self) -> None:
        self._versions.start(_collect_versions)

    def _put_on_clipboard(self, versions: str) -> None:
        QGuiApplication.clipboard().setText("\n\n".join([*self._details, versions]))

    def _color(self) -> None:
        theme = self._theme_source.theme
        sign = icon("warning", theme.warning) if self._is_hint else icon("error", theme.bad)
        self._icon.setPixmap(sign.pixmap(16, 16))
        self.close_button.setIcon(icon("close", theme.dim))


class NoticeArea(QWidget):
    """The notices that are open, at most one about each subject.

    Signals:
        dismissed(str): somebody has closed the notice about this subject.
    """

    dismissed = Signal(str)

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__()
        self._theme_source = theme_source
        self._notices: dict[str, Notice] = {}
        self._layout = in_column(on=self, spacing=UNIT_PX)

    @property
    def notices(self) -> list[Notice]:
        """The oldest first."""
        return list(self._notices.values())

    def show_notice(
        self,
        subject: str,
        message: str,
        details: str = "",
        remedy: QAction | None = None,
        is_hint: bool = False,
    ) -> None:
        """Say that something failed, or may not be meant, in place of what was said about the subject."""
        self.clear_notice(subject)
        notice = Notice(message, details, self._theme_source, self, remedy, is_hint)
        notice.close_button.clicked.connect(partial(self._dismiss, subject))
        notice.destroyed.connect(self.updateGeometry)
        self._notices[subject] = notice
        self._layout.addWidget(notice)
        notice.show()
        QAccessible.updateAccessibility(QAccessibleEvent(notice, QAccessible.Event.Alert))

    def clear_notice(self, subject: str) -> None:
        """It works again, or people have read it."""
        if (notice := self._notices.pop(subject, None)) is not None:
            notice.hide()
            notice.deleteLater()

    def _dismiss(self, subject: str) -> None:
        self.clear_notice(subject)
        self.dismissed.emit(subject)


def _collect_versions(_: Progress) -> str:
    return versions_text(versions())
