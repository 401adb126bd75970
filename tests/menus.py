"""The rows of a menu as text, and a choice in a menu."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu


def offered(menu: QMenu) -> list[str]:
    """Open a menu; return its rows as "title | off | checked", without absent parts; "" is a separator."""
    menu.aboutToShow.emit()
    return [
        " | ".join(
            filter(
                None,
                (
                    action.text(),
                    "" if action.isEnabled() or action.isSeparator() else "off",
                    "checked" if action.isChecked() else "",
                ),
            )
        )
        for action in menu.actions()
    ]


def take(menu: QMenu, title: str) -> None:
    """Choose the first row whose title begins with `title`."""
    menu.aboutToShow.emit()
    row = next(each for each in menu.actions() if each.text().startswith(title))
    assert row.isEnabled()
    row.trigger()
