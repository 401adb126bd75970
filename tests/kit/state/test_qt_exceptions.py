"""Which methods are protected; `test_mistakes.py` shows that mistakes in them are reported."""

import sys

import pytest
from PySide6.QtWidgets import QWidget

from guiapp.kit.state.qt_exceptions import protect_overrides


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="exceptions are always objects")
def test_overrides_of_qt_are_protected_once_and_nothing_else(qapp):
    def override(self, event):
        return [][3]

    def own(self):
        return None

    ours = type("Ours", (QWidget,), {"__module__": "guiapp.made", "paintEvent": override, "own": own})
    theirs = type("Theirs", (QWidget,), {"__module__": "made", "paintEvent": override})
    protect_overrides()
    protected = ours.paintEvent
    assert protected.__wrapped__ is override
    with pytest.raises(IndexError):
        ours().paintEvent(None)
    protect_overrides()
    assert ours.paintEvent is protected
    assert ours.own is own
    assert theirs.paintEvent is override
