"""Menus as people read them, and a choice in one."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu


def offered(menu: QMenu) -> list[str]:
    """Its rows as it opens: "title | off | checked", as far as they are; "" between two parts of it."""
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
    """Choose the first row whose title begins so."""
    menu.aboutToShow.emit()
    row = next(each for each in menu.actions() if each.text().startswith(title))
    assert row.isEnabled()
    row.trigger()
