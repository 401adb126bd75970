"""The chips of tokens."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.widgets.tables import draw_chip
from guiapp.kit.widgets.theme import DARK, LIGHT, Theme

KINDS = Attribute.NORMAL, Attribute.CONTROL, Attribute.USER_DEFINED, Attribute.BYTE, Attribute.UNKNOWN


def picture(theme: Theme, attributes: Attribute) -> bytes:
    image = QImage(60, 24, QImage.Format.Format_RGB32)
    image.fill(theme.panel)
    with QPainter(image) as painter:
        draw_chip(painter, theme, QRectF(1, 1, 58, 22), "12", attributes, theme.span_color(0))
    return bytes(image.constBits())


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_no_two_kinds_of_tokens_look_alike(qapp, theme):
    assert len({picture(theme, kind) for kind in KINDS}) == len(KINDS)
