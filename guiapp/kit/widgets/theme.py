"""Every colour, font and margin of the window, for light and dark, and the one style sheet.

A widget that paints reads `ThemeSource.theme` in its paintEvent and calls `update` when `changed` comes.
What style sheets can do is said once, in `style_sheet.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from string import Template
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QLabel, QWidget

from guiapp.core.demo import resources_folder

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
UNIT_PX = 4  # distances are multiples of this
GAP_PX = 2 * UNIT_PX
MARGIN_PX = 4 * UNIT_PX
RADIUS_PX = 7
UI_FONT_PX = 13
SMALL_FONT_PX = 12
TEXT_FONT_PX = 16  # text, ids and bytes at 100 % zoom

N_ROLES = 5
BARS_ON_DARK, BARS_ON_LIGHT = (0.34, 0.42), (0.55, 0.66)  # saturation and lightness
SECOND_STRENGTH = 0.62  # of a colour, where neighbours share one

CHOICES = ("system", "light", "dark")


@dataclass(frozen=True)
class Theme:
    """One set of colours.

    background .. raised   three depths: behind the text, panels, what lies on a panel
    line                   hairlines
    text .. faint          for reading, for labels, and for marks that need not be read (space and newline)
    accent                 what is selected or happens now, and nothing else
    on_accent              text on the accent colour
    span_text              text on any of `span_colors`, which tokens take in turn
    costs, rarities        spans by a scale, from the least on; text on them is `text_on`
    contenders             lines of a chart
    """

    name: str
    background: QColor
    panel: QColor
    raised: QColor
    line: QColor
    text: QColor
    dim: QColor
    faint: QColor
    accent: QColor
    on_accent: QColor
    good: QColor
    warning: QColor
    bad: QColor
    span_text: QColor
    span_colors: tuple[QColor, ...]
    costs: tuple[QColor, ...]
    rarities: tuple[QColor, ...]
    contenders: tuple[QColor, ...]

    def span_color(self, tint: int) -> QColor:
        return self.span_colors[tint % len(self.span_colors)]

    @property
    def shades(self) -> tuple[QColor, ...]:
        """Colours that tell something, in the order of the tints in `kit.document.coloured_spans`."""
        return *self.costs, *self.rarities, *self.span_colors

    @property
    def origins(self) -> tuple[QColor, ...]:
        """Those of a prompt, after the others: none for what the template writes, then for each role two."""
        nothing = QColor(Qt.GlobalColor.transparent)
        hues = self.span_colors[:N_ROLES]
        pairs = ((hue, blend(self.background, hue, SECOND_STRENGTH)) for hue in hues)
        return nothing, nothing, *(color for pair in pairs for color in pair)

    @property
    def roles(self) -> tuple[QColor, ...]:
        """The same hues for bars and dots, which are small and hold no text."""
        saturation, lightness = BARS_ON_DARK if self.span_text.lightness() > 128 else BARS_ON_LIGHT
        hues = (hue.hslHueF() for hue in self.span_colors[:N_ROLES])
        return tuple(QColor.fromHslF(max(hue, 0.0), saturation, lightness) for hue in hues)

    def text_on(self, fill: QColor) -> QColor:
        """Text on a span of this colour, dark where that is light."""
        return (
            self.span_text if self.span_text.lightness() < 128 or fill.lightness() < 128 else self.background
        )

    @staticmethod
    def mono_font(size_px: int = TEXT_FONT_PX) -> QFont:
        """The system's monospaced font, for text, ids, bytes and figures."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPixelSize(size_px)
        return font

    @staticmethod
    def ui_font(size_px: int = UI_FONT_PX) -> QFont:
        """The system's interface font."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
        font.setPixelSize(size_px)
        return font


def _colors(values: str) -> tuple[QColor, ...]:
    return tuple(QColor(value) for value in values.split())


_CONTENDERS = _colors("#4e9bd8 #e0a13a #49b48a #c97bb6 #d56a4f #8a8fe0 #9aa35a")

DARK = Theme(
    name="dark",
    background=QColor("#14161b"),
    panel=QColor("#1b1e25"),
    raised=QColor("#232732"),
    line=QColor("#2e3340"),
    text=QColor("#e6e8ee"),
    dim=QColor("#9aa2b1"),
    faint=QColor("#6b7383"),
    accent=QColor("#7aa2f7"),
    on_accent=QColor("#14161b"),
    good=QColor("#7bc98a"),
    warning=QColor("#e5b567"),
    bad=QColor("#f07c7c"),
    span_text=QColor("#e6e8ee"),
    span_colors=_colors("#2f4a6d #58482a #403f73 #285348 #5b3655 #42512a"),
    costs=_colors("#20242d #3f3620 #5c4416 #e5b567"),
    rarities=_colors("#20242d #2b2f5c #44408c #a9a7ea"),
    contenders=_CONTENDERS,
)

LIGHT = Theme(
    name="light",
    background=QColor("#f6f7f9"),
    panel=QColor("#ffffff"),
    raised=QColor("#eef0f4"),
    line=QColor("#d9dde5"),
    text=QColor("#1b1f27"),
    dim=QColor("#5a6372"),
    faint=QColor("#8b93a1"),
    accent=QColor("#2f5fd0"),
    on_accent=QColor("#ffffff"),
    good=QColor("#25783c"),
    warning=QColor("#946000"),
    bad=QColor("#c23b3b"),
    span_text=QColor("#1b1f27"),
    span_colors=_colors("#cfe3fb #fbe3b5 #dcd9fa #c5eddd #f3d3ec #e1efb9"),
    costs=_colors("#e9ecf1 #f7e6c0 #f0cc85 #dfa23c"),
    rarities=_colors("#e9ecf1 #d5d4f5 #bfbef0 #a9a7ea"),
    contenders=_CONTENDERS,
)


class ThemeSource(QObject):
    """The theme in use, by the user's choice or the system's.

    dresses_later  the style sheet waits for `dress`

    Signals:
        changed(): `theme` is new; palette and style sheet already follow it.
    """

    changed = Signal()

    def __init__(
        self, application: QGuiApplication, choice: str = "system", dresses_later: bool = False
    ) -> None:
        super().__init__()
        self._application = application
        self._dressed: QGuiApplication | QWidget = application
        self.choice = choice
        self.theme = self._chosen()
        self._colour()
        if not dresses_later:
            self._put_on()
        application.styleHints().colorSchemeChanged.connect(self._refresh)

    def choose(self, choice: str) -> None:
        """Take one of CHOICES."""
        self.choice = choice
        self._refresh()

    def _chosen(self) -> Theme:
        if self.choice != "system":
            return DARK if self.choice == "dark" else LIGHT
        scheme = self._application.styleHints().colorScheme()
        return DARK if scheme == Qt.ColorScheme.Dark else LIGHT

    def _refresh(self) -> None:
        theme = self._chosen()
        if theme is self.theme:
            return
        self.theme = theme
        self._colour()
        self._put_on()
        self.changed.emit()

    def _colour(self) -> None:
        self._application.setFont(Theme.ui_font())
        self._application.setPalette(palette(self.theme))

    def dress(self, window: QWidget) -> None:
        """Give the style sheet to a window and all in it, from now on, rather than to the application.

        What is built is put together before it becomes part of the window, and dressed once then.  By
        the application's style sheet it would be dressed again with each step, for twice the time and more.
        """
        self._dressed = window
        self.setParent(window)  # and goes with it: nobody dresses a window that is gone
        self._put_on()

    def _put_on(self) -> None:
        set_style_sheet = getattr(self._dressed, "setStyleSheet", None)
        if set_style_sheet is not None:
            set_style_sheet(style_sheet(self.theme))


def palette(theme: Theme) -> QPalette:
    """The theme as Qt's palette, for whatever the style sheet does not reach."""
    role = QPalette.ColorRole
    uses = (
        (theme.background, (role.Base, role.Shadow)),
        (theme.panel, (role.Window, role.AlternateBase)),
        (theme.raised, (role.Button, role.ToolTipBase)),
        (theme.line, (role.Light, role.Midlight, role.Mid, role.Dark)),
        (theme.text, (role.WindowText, role.Text, role.ButtonText, role.ToolTipText)),
        (theme.dim, (role.PlaceholderText,)),
        (theme.bad, (role.BrightText,)),
        (theme.accent, (role.Highlight, role.Accent, role.Link, role.LinkVisited)),
        (theme.on_accent, (role.HighlightedText,)),
    )
    result = QPalette()
    for color, color_roles in uses:
        for color_role in color_roles:
            result.setColor(color_role, color)
    for color_role in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, color_role, theme.faint)
    return result


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
