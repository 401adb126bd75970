"""The style sheet fits the themes."""

import pytest
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QMessageBox, QProxyStyle, QStyle, QWidget

from guiapp.core.demo import resources_folder
from guiapp.kit.widgets.painting import RIGHT, Painted, bold, clear_pixmap, fill, write
from guiapp.kit.widgets.theme import DARK, LIGHT, Theme, ThemeSource, blend, heading, style_sheet
from guiapp.window.top_bar import Badge


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize(("icon", "color"), [("combo-arrow", "dim"), ("tick", "on_accent")])
def test_arrows_and_ticks_have_their_colour_of_the_theme(theme, icon, color, qapp):
    path = resources_folder() / "icons" / f"{icon}-{theme.name}.svg"
    assert path.as_posix() in style_sheet(theme)
    assert getattr(theme, color).name() in path.read_text()


def test_colours_are_mixed_and_headings_are_capitals(qapp):
    black, white = QColor(0, 10, 200), QColor(255, 110, 0)
    assert [blend(black, white, share).getRgb()[:3] for share in (0, 0.5, 1)] == [
        (0, 10, 200),
        (128, 60, 100),
        (255, 110, 0),
    ]
    label = heading("Title")
    assert (label.text(), label.accessibleName(), label.property("role")) == ("TITLE", "Title", "heading")


def test_what_paints_itself_is_painted_anew_in_each_theme(qtbot, qapp):
    class Square(Painted):
        ground = "panel"

        def paint(self, painter, theme):
            fill(painter, QRectF(10, 10, 20, 20), theme.accent, 6)
            write(painter, QRect(0, 40, 100, 20), "MMMM", theme.bad, RIGHT, bold(Theme.ui_font()))
            write(painter, QRect(40, 0, 60, 40), "MMMM", theme.good)

    themes = ThemeSource(qapp, "dark")
    square = Square(themes, "A square")
    qtbot.addWidget(square)
    square.resize(100, 60)
    square.show()
    qtbot.waitExposed(square)
    assert square.accessibleName() == "A square"
    assert square.testAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
    for theme in (LIGHT, DARK):
        with qtbot.waitSignal(themes.changed):
            themes.choose(theme.name)
        painted = square.grab().toImage()
        colors = [painted.pixelColor(x, y) for x, y in ((20, 20), (10, 10), (29, 29), (50, 2))]
        assert colors == [theme.accent, theme.panel, theme.panel, theme.panel]
        points = [(x, y) for x in range(100) for y in range(60)]
        at_right, at_left = (
            [at for at in points if painted.pixelColor(*at) == c] for c in (theme.bad, theme.good)
        )
        assert min(at_right)[0] > 40
        assert 40 <= min(at_left)[0] < 46
        assert {y // 10 for _, y in at_left} == {1, 2}
    shown = []
    monkey = square.paintEvent
    square.paintEvent = lambda event: (shown.append(event.rect()), monkey(event))
    themes.choose("light")
    qtbot.waitUntil(lambda: shown == [square.rect()])


def test_no_painter_is_left_open_where_painting_fails(qtbot, qapp):
    painters = []

    class Failing(Painted):
        def paint(self, painter, theme):
            painters.append(painter)
            raise ValueError("spoiled")

    failing = Failing(ThemeSource(qapp, "dark"))
    qtbot.addWidget(failing)
    with pytest.raises(ValueError, match="spoiled"):
        failing.grab()
    assert not any(painter.isActive() for painter in painters)


def test_pictures_to_draw_on_are_as_sharp_as_the_screen_and_clear(qapp):
    picture = clear_pixmap(10.4, 0.1, 2)
    assert (picture.width(), picture.height(), picture.devicePixelRatio()) == (21, 1, 2)
    assert picture.toImage().pixelColor(0, 0).alpha() == 0
    assert clear_pixmap(1, 1, 1, DARK.bad).toImage().pixelColor(0, 0) == DARK.bad


def pixels_of(badge):
    badge.resize(badge.sizeHint())
    return bytes((image := badge.grab().toImage()).constBits()), image.size().toTuple()


@pytest.mark.parametrize("name", ["dark", "light"])
def test_a_badge_that_changes_its_state_looks_like_one_that_always_had_it(name, qapp, qtbot):
    themes, window = ThemeSource(qapp, name), QWidget()
    qtbot.addWidget(window)
    badges = [Badge("Exactness", themes, parent=window) for _ in range(3)]
    badges[0].show_state("exact", "good", "check", "")
    badges[2].show_state("exact", "warning", "warning", "")
    themes.dress(window)
    window.show()
    qtbot.waitExposed(window)
    for badge in badges:
        badge.ensurePolished()
    looks = [pixels_of(badges[0])]
    badges[1].show_state("exact", "good", "check", "")
    looks.append(pixels_of(badges[1]))
    badges[1].show_state("exact", "warning", "warning", "")
    assert looks[0] == looks[1]
    assert pixels_of(badges[1]) == pixels_of(badges[2]) != looks[0]


class WithIcons(QProxyStyle):
    """As on desktops that ask for icons on the buttons of boxes."""

    def styleHint(self, hint, option=None, widget=None, data=None):
        is_asked = hint is QStyle.StyleHint.SH_DialogButtonBox_ButtonsHaveIcons
        return 1 if is_asked else super().styleHint(hint, option, widget, data)


def test_buttons_of_boxes_have_words_only(qapp, qtbot):
    usual, button, have_icons = qapp.style().name(), QMessageBox.StandardButton, []
    qapp.setStyle(WithIcons(usual))
    for sheet in ("", style_sheet(DARK)):
        window = QWidget(styleSheet=sheet)
        qtbot.addWidget(window)
        box = QMessageBox(QMessageBox.Icon.Question, "Save run", "Which?", button.Save | button.Yes, window)
        box.addButton(button.Cancel)
        have_icons.append({not each.icon().isNull() for each in box.buttons()})
    qapp.setStyle(usual)
    assert have_icons == [{True}, {False}]
