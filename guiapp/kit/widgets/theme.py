"""Every colour, font and margin of the window, for light and dark, and the one style sheet.

A widget that paints reads `ThemeSource.theme` in its paintEvent and calls `update` on `changed`.
All that a style sheet can express is in `resources/style.qss`.
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
UNIT_PX = 4  # distances are multiples of this
GAP_PX = 2 * UNIT_PX
MARGIN_PX = 4 * UNIT_PX
RADIUS_PX = 7
UI_FONT_PX = 13
SMALL_FONT_PX = 12
TEXT_FONT_PX = 16  # text, ids and bytes at 100 % zoom

N_ROLES = 5
BARS_ON_DARK, BARS_ON_LIGHT = (0.34, 0.42), (0.55, 0.66)  # saturation and lightness
SECOND_STRENGTH = 0.62  # of the second colour of a hue, for its neighbours

CHOICES = ("system", "light", "dark")


@dataclass(frozen=True)
class Theme:
    """A set of colours.

    background .. raised   three levels: behind the text, panels, items on a panel
    line                   hairlines
    text .. faint          for reading, for labels, and for marks that need not be read (space and newline)
    control                tokens without text, such as BOS
    accent                 only for the selection and current activity
    on_accent              text on the accent colour
    span_text              text on any of `span_colors`, which tokens use in turn
    costs, rarities        spans on a scale, from the lowest on; text on them is `text_on`
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
    control: QColor
    span_text: QColor
    span_colors: tuple[QColor, ...]
    costs: tuple[QColor, ...]
    rarities: tuple[QColor, ...]
    contenders: tuple[QColor, ...]

    def span_color(self, tint: int) -> QColor:
        return self.span_colors[tint % len(self.span_colors)]

    def tint_color(self, tint: int) -> QColor:
        """The colour of a span in the text: one of the alternating `span_colors`, or one with a meaning."""
        n_colors = len(self.span_colors)
        return self.span_colors[tint] if tint < n_colors else self.shades[tint - n_colors]

    @property
    def shades(self) -> tuple[QColor, ...]:
        """Colours with a meaning, in the order of the tints in `kit.document.coloured_spans`."""
        return *self.costs, *self.rarities, *self.span_colors

    @property
    def origins(self) -> tuple[QColor, ...]:
        """The colours of a prompt, after `shades`: transparent for template text, then two for each role."""
        nothing = QColor(Qt.GlobalColor.transparent)
        hues = self.span_colors[:N_ROLES]
        pairs = ((hue, blend(self.background, hue, SECOND_STRENGTH)) for hue in hues)
        return nothing, nothing, *(color for pair in pairs for color in pair)

    @property
    def roles(self) -> tuple[QColor, ...]:
        """The same hues for bars and dots, which are small and contain no text."""
        saturation, lightness = BARS_ON_DARK if self.span_text.lightness() > 128 else BARS_ON_LIGHT
        hues = (hue.hslHueF() for hue in self.span_colors[:N_ROLES])
        return tuple(QColor.fromHslF(max(hue, 0.0), saturation, lightness) for hue in hues)

    def text_on(self, fill: QColor) -> QColor:
        """The text colour on a span of this colour, dark on a light one."""
        return (
            self.span_text if self.span_text.lightness() < 128 or fill.lightness() < 128 else self.background
        )

    @staticmethod
    def mono_font(size_px: int = TEXT_FONT_PX) -> QFont:
        """The system's monospaced font, for text, ids, bytes and numbers."""
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
_MORE_ON_DARK = _colors("#5fd0dc #ead968 #f29db0 #a9dc6b #a470ee #b58a66 #c6ccd8")
_MORE_ON_LIGHT = _colors("#0f8a9c #a68b00 #c22f5f #5c8f14 #6f35b5 #7d5233 #4c5564")

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
    control=QColor("#c99af0"),
    span_text=QColor("#e6e8ee"),
    span_colors=_colors("#2f4a6d #58482a #403f73 #285348 #5b3655 #42512a"),
    costs=_colors("#20242d #3f3620 #5c4416 #e5b567"),
    rarities=_colors("#20242d #2b2f5c #44408c #a9a7ea"),
    contenders=(*_CONTENDERS, *_MORE_ON_DARK),
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
    control=QColor("#7d3cb8"),
    span_text=QColor("#1b1f27"),
    span_colors=_colors("#cfe3fb #fbe3b5 #dcd9fa #c5eddd #f3d3ec #e1efb9"),
    costs=_colors("#e9ecf1 #f7e6c0 #f0cc85 #dfa23c"),
    rarities=_colors("#e9ecf1 #d5d4f5 #bfbef0 #a9a7ea"),
    contenders=(*_CONTENDERS, *_MORE_ON_LIGHT),
)


class ThemeSource(QObject):
    """The theme in use, by the user's choice or the system's.

    dresses_later  whether the style sheet is set only by `dress`

    Signals:
        changed(): `theme` is new; palette and style sheet are already updated.
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
        """Set the style sheet on a window from now on, instead of on the application.

        Widgets are then built first and styled once, when they are added to the window.  An application style
        sheet would style them again at each step, which takes more than twice as long.
        """
        self._dressed = window
        self.setParent(window)  # deleted with it: never style a deleted window
        self._put_on()

    def _put_on(self) -> None:
        set_style_sheet = getattr(self._dressed, "setStyleSheet", None)
        if set_style_sheet is not None:
            set_style_sheet(style_sheet(self.theme))


def palette(theme: Theme) -> QPalette:
    """The theme as Qt's palette, for all that the style sheet does not cover."""
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
    colors = {name: value.name() for name, value in vars(theme).items() if isinstance(value, QColor)}
    icons = (resources_folder() / "icons").as_posix()
    mono = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
    template = (resources_folder() / "style.qss").read_text(encoding="utf-8")
    return Template(template).substitute(
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
    """Set a style of resources/style.qss, even on a visible widget; return the widget."""
    widget.setProperty("role", role)
    if widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
        widget.style().unpolish(widget)
        widget.style().polish(widget)
    return widget


def color_again(widget: QWidget) -> None:
    """Apply a widget's colours again after one of its properties has changed.

    Unlike `set_role`, this does not create the Python type of the style, which takes PySide 10 ms.
    """
    if widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
        QCoreApplication.sendEvent(widget, QEvent(QEvent.Type.Polish))


READABLE = Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
"""Flags for text that can be selected and copied."""


def plain_label(role: str = "", *, wraps: bool = False) -> QLabel:
    """A label for any text: nothing in it is treated as markup."""
    label = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=wraps)
    return set_role(label, role) if role else label


def sentence(text: str) -> QLabel:
    """An explanation of a section for new users, below its heading."""
    label = set_role(QLabel(text, wordWrap=True), "about")
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


def heading(text: str) -> QLabel:
    """A small bold dim line in capitals above a section."""
    label = set_role(QLabel(text.upper()), "heading")
    label.setAccessibleName(text)
    return label
