"""A button that says on which text contenders run, and lists others to choose from."""

from __future__ import annotations

from functools import partial

from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from guiapp.core.text.figures import counted, in_bytes
from guiapp.kit.widgets.menu_button import MenuButton, add_choice
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.bench.choice import BenchChoice

LONGEST_TITLE = 28  # characters


class TextButton(MenuButton):
    """Chooses one text; several are chosen where everything is."""

    def __init__(self, choice: BenchChoice, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, tip="The text that is encoded")
        self._choice = choice
        self.fill_on_open(self._fill)
        choice.changed.connect(self.show_choice)
        choice.forecast.changed.connect(self.show_choice)
        self.show_choice()

    def show_choice(self) -> None:
        """Say what is chosen and how long it is, which changes with each key in the editor."""
        texts = self._choice.texts
        if len(texts) == 1:
            title = self._choice.known_texts[texts[0]]
            shown = title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 1]}…"
            self.setText(f"{shown}  {size_of(self._choice, texts[0])}")
        else:
            self.setText(counted(len(texts), "text"))

    def _fill(self, menu: QMenu) -> None:
        choice, group = self._choice, QActionGroup(menu)
        for name, title in choice.known_texts.items():
            told, choose = f"{title}\t{size_of(choice, name)}", partial(choice.set_texts, [name])
            group.addAction(add_choice(menu, told, name in choice.texts, choose))
        menu.addSeparator()
        menu.addAction("Files…", partial(add_files, choice, self))
        menu.addAction("Folder…", partial(add_folder, choice, self))


def size_of(choice: BenchChoice, text: str) -> str:
    size = choice.size_of(text)
    return "" if size is None else in_bytes(size).replace(".0 ", " ")


def add_files(choice: BenchChoice, window: QWidget) -> None:
    """Ask for files and choose them."""
    choice.add_texts(QFileDialog.getOpenFileNames(window, "Texts to encode")[0])


def add_folder(choice: BenchChoice, window: QWidget) -> None:
    """Ask for a folder and choose all that is in it, as one text."""
    if name := QFileDialog.getExistingDirectory(window, "A folder of texts"):
        choice.add_texts([name])
