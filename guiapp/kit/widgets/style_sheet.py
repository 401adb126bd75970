"""The one style sheet: flat panels, hairlines, visible focus."""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QColor, QFontDatabase
from PySide6.QtWidgets import QLabel, QWidget

from guiapp.core.demo import resources_folder

if TYPE_CHECKING:
    from guiapp.kit.widgets.theme import Theme

W = TypeVar("W", bound=QWidget)

_TEMPLATE = Template("""
QWidget { color: $text; }
QMainWindow, QDialog, QMenuBar, QMenu, QMessageBox { background: $panel; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QToolTip { background: $raised; color: $text; border: 1px solid $line; padding: 4px 6px; }

QMenuBar { border-bottom: 1px solid $line; }
QMenuBar::item { padding: 4px 10px; background: transparent; color: $dim; }
QMenuBar::item:selected { background: $raised; color: $text; border-radius: 5px; }
QMenu { border: 1px solid $line; padding: 4px; }
QMenu::item { padding: 5px 22px 5px 22px; border-radius: 5px; }
QMenu::item:selected { background: $selected; color: $text; }
QMenu::item:disabled { color: $faint; }
QMenu::separator { height: 1px; background: $line; margin: 4px 6px; }

QFrame[role="panel"] { background: $panel; border: none; }
QFrame[role="card"] { background: $raised; border: 1px solid $line; border-radius: 8px; }
QFrame[role="message"] { background: transparent; border: 1px solid transparent; border-radius: 8px; }
QFrame[role="message here"] { background: $raised; border: 1px solid transparent; border-radius: 8px; }
QFrame[role="ground"] { background: $background; border: none; }
QFrame[role="door"] { background: $panel; border: 1px solid $line; border-radius: 8px; }
QFrame[role="door"]:hover { border-color: $faint; }
QFrame[role="popup"] { background: $panel; border: 1px solid $line; border-radius: 8px; }
QFrame[role="hairline"] { background: $line; border: none; }

QFrame[role="bar"] { background: $panel; border: none; border-bottom: 1px solid $line; }
QFrame[role="status"] { background: $panel; border: none; border-top: 1px solid $line; }
QFrame[role="notice"] {
    background: $raised; border: none; border-left: 3px solid $bad; border-bottom: 1px solid $line; }
QFrame[role="hint"] {
    background: $panel; border: none; border-left: 3px solid $warning; border-bottom: 1px solid $line; }

QLabel { background: transparent; }
QLabel[role="heading"] { color: $dim; font-size: 12px; font-weight: 600; }
QLabel[role="title"], QLabel[role="good title"] { font-size: 20px; font-weight: 600; }
QLabel[role="good"], QLabel[role="good title"] { color: $good; }
QLabel[role="warning"], QLabel[role="more"] { color: $warning; }
QLabel[role="bad"] { color: $bad; }
QLabel[role="welcome"] { font-size: 26px; font-weight: 600; }
QLabel[role="dim"] { color: $dim; }
QLabel[role="about"] { color: $dim; font-size: 12px; }
QLabel[role="strong"] { font-weight: 600; }
QLabel[role="number"], QLabel[role="more"] { font-family: "$mono"; }
QLabel[role="time"] { font-family: "$mono"; font-size: 17px; font-weight: 600; }
QLabel[role="seconds"] { font-family: "$mono"; font-size: 12px; color: $dim; }

QPushButton, QToolButton { background: transparent; border: 1px solid transparent; border-radius: 7px;
    padding: 5px 9px; color: $text; }
QPushButton, QPushButton[role="raised"], QToolButton[role="raised"] {
    background: $raised; border-color: $line; }
QPushButton[role="quiet"], QToolButton[role="quiet"] {
    background: transparent; border-color: transparent; color: $dim; }
QToolButton[role="link"] { background: transparent; border-color: transparent; color: $dim; padding: 3px 0; }
QToolButton[role="link"]:hover { border-color: transparent; color: $text; text-decoration: underline; }
QToolButton[role="search"] { background: $panel; border-color: $line; color: $dim; }
QToolButton[role="name"] { font-weight: 600; padding: 3px 6px; }
QToolButton[role="door"] { font-size: 17px; font-weight: 600; padding: 3px 8px; }
QToolButton[role="door"]:hover { border-color: transparent; }
QToolButton[role="name"]:disabled { color: $text; border-color: transparent; }
QPushButton:hover, QToolButton:hover { border-color: $faint; color: $text; }
QPushButton[role="quiet"]:hover, QToolButton[role="quiet"]:hover {
    background: $raised; border-color: transparent; }
QPushButton:pressed, QToolButton:pressed, QToolButton:open { background: $selected; }
QPushButton:checked, QToolButton:checked { background: $raised; color: $text; }
QPushButton:disabled, QToolButton:disabled { color: $faint; border-color: $line; }
QPushButton[role="quiet"]:disabled, QToolButton[role="quiet"]:disabled {
    color: $faint; border-color: transparent; }
QPushButton:focus, QToolButton:focus, QPushButton[role="quiet"]:focus, QToolButton[role="quiet"]:focus {
    border-color: $accent; }
QToolButton[role="next"] { background: $raised; border-color: $accent; color: $accent; }
QToolButton[role="next"]:hover { border-color: $accent; color: $text; }
QPushButton[role="primary"] { background: $accent; color: $on_accent; border-color: $accent; }
QPushButton[role="primary"]:focus { border-color: $text; }
QPushButton[role="primary"]:disabled { background: $raised; color: $faint; border-color: $line; }
QToolButton::menu-indicator { image: none; }
QPushButton::menu-indicator { image: none; }

QToolButton[role="subtab"] { color: $dim; padding: 5px 6px; }
QToolButton[role="tab"] { color: $dim; padding: 6px 13px; border-bottom: 2px solid transparent; }
QToolButton[role="tab"]:hover { color: $text; }
QToolButton[role="tab"]:checked { background: $raised; color: $text; border-bottom: 2px solid $accent; }
QToolButton[role="tab"]:focus { border-color: $accent; }

QToolButton[role="badge"] {
    border: 1px solid $line; border-radius: 13px; padding: 3px 2px 3px 6px; color: $dim; }
QToolButton[role="badge"][state="good"] { border-color: $good; color: $good; }
QToolButton[role="badge"][state="warning"] { border-color: $warning; color: $warning; }
QToolButton[role="badge"][state="bad"] { border-color: $bad; color: $bad; }
QToolButton[role="badge"]:hover { background: $raised; }
QToolButton[role="badge"]:focus { border: 2px solid $accent; }

QToolButton[role="hidden"] { border: none; border-radius: 5px; padding: 2px 5px; color: $warning; }
QToolButton[role="hidden"]:hover { background: $raised; }
QToolButton[role="hidden"]:focus { border: 1px solid $accent; padding: 1px 4px; }

QLineEdit, QPlainTextEdit, QTextEdit, QTextBrowser {
    background: $background; border: 1px solid $line; border-radius: 7px;
    padding: 5px 8px; selection-background-color: $accent; selection-color: $on_accent; }
QTextEdit[role="plain"], QPlainTextEdit[role="plain"] {
    background: transparent; border: none; border-radius: 0; padding: 0; }
QPlainTextEdit[role="code"] { background: $panel; border: none; border-radius: 0; padding: 0; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QTextBrowser:focus { border-color: $accent; }

QComboBox {
    background: $raised; border: 1px solid $line; border-radius: 7px; padding: 5px 9px; color: $text; }
QComboBox:hover { border-color: $faint; }
QComboBox:focus { border-color: $accent; }
QComboBox::drop-down { border: none; width: 24px; }
QComboBox::down-arrow { image: url("$icons/combo-arrow-$name.svg"); width: 16px; height: 16px; }
QComboBox QAbstractItemView { background: $panel; border: 1px solid $line; padding: 4px; }

QCheckBox { spacing: 7px; }
QCheckBox:disabled { color: $faint; }
QCheckBox::indicator {
    width: 14px; height: 14px; border: 1px solid $dim; border-radius: 4px; background: $background; }
QCheckBox::indicator:hover, QCheckBox::indicator:focus { border-color: $accent; }
QCheckBox::indicator:disabled { border-color: $line; background: $panel; }
QCheckBox::indicator:checked {
    border-color: $accent; background: $accent; image: url("$icons/tick-$name.svg"); }
QCheckBox::indicator:checked:focus { border-color: $text; }
QCheckBox::indicator:checked:disabled { border-color: $faint; background: $faint; }

QAbstractItemView { background: $panel; border: none; outline: none; selection-background-color: $selected;
    selection-color: $text; alternate-background-color: $panel; }
QListView::item { padding: 6px 8px; border-radius: 6px; }
QListView::item:selected, QTableView::item:selected { background: $selected; color: $text; }
QListView::item:disabled { color: $faint; }
QTableView { gridline-color: $line; border: 1px solid transparent; }
QTableView:focus { border-color: $accent; }
QTableView[role="cells"] { border: none; }
QHeaderView::section {
    background: $panel; color: $dim; border: none; border-bottom: 1px solid $line; padding: 5px 8px; }

QTableView[role="cells"] QHeaderView::up-arrow, QTableView[role="cells"] QHeaderView::down-arrow {
    width: 0; height: 0; }
QAbstractScrollArea[role="tokens"] { border: 1px solid transparent; }
QAbstractScrollArea[role="tokens"]:focus { border-color: $accent; }
QAbstractScrollArea::corner { background: transparent; border: none; }

QSplitter::handle { background: $line; }
QSplitter::handle:hover { background: $accent; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }

QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $line; border-radius: 4px; margin: 1px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: $faint; }
QScrollBar::handle:disabled { background: transparent; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QProgressBar {
    background: $raised; border: 1px solid $line; border-radius: 4px; text-align: center; max-height: 8px; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }
QStatusBar { background: $panel; border-top: 1px solid $line; }
QStatusBar::item { border: none; }
""")


def style_sheet(theme: Theme) -> str:
    """The style sheet of the application in the theme's colours."""
    colors = {name: value.name() for name, value in vars(theme).items() if isinstance(value, QColor)}
    icons = (resources_folder() / "icons").as_posix()
    mono = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
    return _TEMPLATE.substitute(
        colors,
        name=theme.name,
        icons=icons,
        mono=mono,
        selected=blend(theme.raised, theme.accent, 0.24).name(),
    )


def blend(below: QColor, above: QColor, amount: float) -> QColor:
    """`above` painted over `below` with an opacity from 0 to 1."""

    def mix(low: int, high: int) -> int:
        return round(low + (high - low) * amount)

    return QColor(
        mix(below.red(), above.red()), mix(below.green(), above.green()), mix(below.blue(), above.blue())
    )


def set_role(widget: W, role: str) -> W:
    """Choose one of these looks, also for a widget that is already shown; return the widget.

    QFrame   panel    flat, the colour of panels           card     raised, rounded, with a hairline
             door     rounded, a click anywhere opens      ground   the colour behind the text
             message  one of several below each other      message here  the one that is typed in
    QLabel   heading  small bold dim capitals              dim      secondary
             number   monospaced                           title    larger and bold
             about    secondary and small, under a heading
             strong   bold                                 good title  of good news
             welcome  the largest
             bad, warning, good  in that colour            more     monospaced, too much
             time     monospaced, large and bold           seconds  monospaced, small and secondary
    QTableView cells  shows the focus in its present cell, and arrows of sorting in titles
    QTextEdit, QPlainTextEdit plain  of no ground or border of its own
    QPlainTextEdit code  of the colour of panels, without a border
    buttons  raised   a control that opens something       quiet    flat until hovered
             next     the one that goes on                 name     a quiet one with a name, bold
             tab      a page of the window                 primary  the one to press
             subtab   a part of a page
             badge    a pill with a state                  hidden   a word of warning in the status line
             door     a bold title to click                search   opens a line to type in
             link     a word at the end of a heading
    """
    widget.setProperty("role", role)
    if widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
        widget.style().unpolish(widget)
        widget.style().polish(widget)
    return widget


def color_again(widget: QWidget) -> None:
    """Choose the colours for a widget anew after one of its properties has changed.

    Unlike `set_role`, this leaves out the style's Python type, which PySide needs 10 ms to make.
    """
    if widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
        QCoreApplication.sendEvent(widget, QEvent(QEvent.Type.Polish))


READABLE = Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
"""For words to select and to copy."""


def plain_label(role: str = "", *, wraps: bool = False) -> QLabel:
    """A label for words from anywhere: nothing in them is taken for markup."""
    label = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=wraps)
    return set_role(label, role) if role else label


def sentence(text: str) -> QLabel:
    """What is told to somebody who sees the section under such a heading for the first time."""
    label = set_role(QLabel(text, wordWrap=True), "about")
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


def heading(text: str) -> QLabel:
    """A small bold dim line in capitals over a section."""
    label = set_role(QLabel(text.upper()), "heading")
    label.setAccessibleName(text)
    return label
