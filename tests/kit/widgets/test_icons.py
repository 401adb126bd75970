"""Icons say by their looks whether an action can be chosen."""

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QIcon

from guiapp.kit.widgets.painting import icon
from guiapp.kit.widgets.theme import DARK, LIGHT


def ink(pixmap):
    """How much is painted, whatever the colour."""
    image = pixmap.toImage()
    return sum(image.pixelColor(x, y).alpha() for x in range(image.width()) for y in range(image.height()))


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_an_icon_fades_where_its_action_cannot_be_chosen(qapp, theme):
    drawn = icon("close", theme.dim)
    normal, disabled = (
        ink(drawn.pixmap(QSize(16, 16), 1.0, mode)) for mode in (QIcon.Mode.Normal, QIcon.Mode.Disabled)
    )
    assert 0 < disabled < 0.5 * normal
