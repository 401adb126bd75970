"""What signs mean is one click away on each page."""

import pytest
from main_window_driver import SHIFT, press
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from guiapp import open_model
from guiapp.core.demo import demo_model_path
from guiapp.widgets.window.page_signs import PAGES, signs_of
from guiapp.widgets.window.signs_card import SignList, SignsCard

LEFT, Key = Qt.MouseButton.LeftButton, Qt.Key


@pytest.fixture
def shell(make_shell):
    return make_shell(b"words", str(demo_model_path("bpe")), lambda name, pre, progress: open_model(name))


@pytest.mark.parametrize("page", ["inspect", *PAGES])
def test_a_click_opens_the_signs_of_the_page_inside_the_window(shell, qtbot, page):
    shell.window.pages.show_page(page)
    qtbot.mouseClick(shell.window.status_line.signs_button, LEFT)
    card = QApplication.activePopupWidget()
    assert isinstance(card, SignsCard)
    lists = card.findChildren(SignList)
    told = ["; ".join(sign.meaning for sign in signs) for _, signs in signs_of(page)]
    assert [each.accessibleName() for each in lists] == told
    assert shell.window.frameGeometry().contains(card.frameGeometry())
    qtbot.keyClick(card, Key.Key_Escape)
    assert QApplication.activePopupWidget() is None


def test_it_has_a_key(shell, qtbot):
    press(qtbot, shell, Key.Key_F1, SHIFT)
    assert isinstance(QApplication.activePopupWidget(), SignsCard)
    QApplication.activePopupWidget().close()


@pytest.mark.parametrize("name", ["light", "dark"])
def test_no_two_signs_look_alike(shell, name):
    shell.theme_source.choose(name)
    for signs in (signs for page in PAGES for _, signs in signs_of(page)):
        pictures = set()
        for sign in (None, *signs):  # and none like one that draws nothing
            image = QImage(100, 30, QImage.Format.Format_RGB32)
            image.fill(shell.theme_source.theme.panel)
            if sign is not None:
                with QPainter(image) as painter:
                    sign.draw(painter, shell.theme_source.theme, QRectF(4, 4, 92, 22))
            pictures.add(bytes(image.constBits()))
        assert len(pictures) == len(signs) + 1
        assert len({sign.meaning for sign in signs}) == len(signs)
