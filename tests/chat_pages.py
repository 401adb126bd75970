"""The Chat page in the real window, for tests."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication


def settle(page, qtbot):
    """Wait until the page shows the results of its work."""
    qtbot.waitUntil(lambda: page.isVisible() and page.is_ready, timeout=20_000)
    QApplication.processEvents()
