"""A button that saves what is shown as a file in one of some forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from PySide6.QtWidgets import QWidget

from guiapp.kit.state.background import Progress
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.widgets.file_names import ask_for_file
from guiapp.kit.widgets.menu_button import MenuButton
from guiapp.kit.widgets.theme import ThemeSource

Make = Callable[[Progress], bytes]


class Form(NamedTuple):
    """What a form of file is called, and how its names end."""

    title: str
    ending: str


CSV, JSON, MARKDOWN, TEXT = (
    Form("CSV", ".csv"),
    Form("JSON", ".json"),
    Form("Markdown", ".md"),
    Form("Text", ".txt"),
)


class ExportButton(MenuButton):
    """Lists forms by their keys; `export(key)` is what makes the file.

    name  of the file, without an ending
    """

    def __init__(
        self,
        theme_source: ThemeSource,
        saving: FileSaving,
        name: str,
        forms: Mapping[str, Form],
        export: Callable[[str], Make],
        tip: str,
    ) -> None:
        super().__init__(theme_source, "Export", tip=tip)
        self._saving, self._name, self._export = saving, name, export
        menu = self.new_menu()
        for key, form in forms.items():
            menu.addAction(f"{form.title}…", partial(self._save, key, form))

    def _save(self, key: str, form: Form) -> None:
        make = self._export(key)  # of now: what is shown may change meanwhile
        ask_and_save(self, self._saving, self._name, form, make)


def ask_and_save(window: QWidget, saving: FileSaving, name: str, form: Form, make: Make) -> None:
    """Ask where to save something in a form, and have that done."""
    title, ending = form
    formats = {ending: f"{title} (*{ending})"}
    if path := ask_for_file(window, f"Save as {title}", f"{name}{ending}", formats):
        saving.save(path, make)
