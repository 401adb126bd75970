"""The top of the Bench page: the text, a chip for each contender, runs, the report, and the button to run."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from guiapp.core.text.figures import counted
from guiapp.kit.widgets.buttons import tool_button
from guiapp.kit.widgets.icons import icon
from guiapp.kit.widgets.layouts import in_row
from guiapp.kit.widgets.menu_button import MenuButton
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.kit.widgets.wrapping_row import WrappingRow
from guiapp.pages.bench.chips import ContenderChip
from guiapp.pages.bench.contender_look import look_of
from guiapp.pages.bench.markers import swatch
from guiapp.pages.bench.model import BenchModel
from guiapp.pages.bench.run_button import RunButton
from guiapp.pages.bench.runs_button import RunsButton
from guiapp.pages.bench.text_button import TextButton

MOST_CHIPS = 8  # that are easily looked over


class BenchBar(QWidget):
    """What most people need, in one row.

    Signals:
        more_wanted(): choose among everything.
    """

    more_wanted = Signal()

    def __init__(self, model: BenchModel, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model, self._theme_source = model, theme_source
        self.text_button = TextButton(model.choice, theme_source)
        self.chips: list[ContenderChip] = []
        self.add_button = MenuButton(theme_source, "Add", role="quiet", tip="Let another contender take part")
        self.add_button.setLayoutDirection(self.layoutDirection())  # the plus goes before the word
        self.add_button.list_anew(self._list_others)
        self.rest_button = tool_button("", self.more_wanted.emit, tip="Show all that take part")
        self.choices = WrappingRow([])
        self.runs_button = RunsButton(model, theme_source)
        self.report_button = QPushButton("Report…")
        self.run_button = RunButton(model)
        self._row = in_row(
            *((self.choices, 1), self.runs_button, self.report_button, self.run_button), on=self
        )
        model.choice.changed.connect(self._follow)
        model.running_changed.connect(self._follow)
        model.isolated_changed.connect(self._follow_isolated)
        theme_source.changed.connect(self._follow_theme)
        self._follow_theme()
        self._follow()

    def lead_with(self, widget: QWidget) -> None:
        """Show this at the left, in place of what is chosen."""
        for control in (self.choices, self.run_button):
            control.setVisible(False)
        self._row.insertWidget(0, widget, 1)

    def show_choices(self) -> None:
        for control in (self.choices, self.run_button):
            control.setVisible(True)

    def _follow(self) -> None:
        """Show those that are chosen, with the chips that there are: one of them may have the focus."""
        names, model = self._model.choice.contenders, self._model
        shown = names if len(names) <= MOST_CHIPS else names[: MOST_CHIPS - 1]
        old = {chip.text(): chip for chip in self.chips}
        self.chips = [old.pop(name) if name in old else self._chip(name) for name in shown]
        for chip in self.chips:
            chip.can_be_removed = not model.is_running
            chip.update()
        self.rest_button.setText(f"and {counted(len(names) - len(shown), 'other')}")
        self.rest_button.setVisible(len(shown) < len(names))
        for control in (self.text_button, self.add_button):
            control.setEnabled(not model.is_running)
        self.add_button.setVisible(bool(model.choice.entrants))
        self.choices.show_widgets([self.text_button, *self.chips, self.rest_button, self.add_button])
        for chip in old.values():
            chip.deleteLater()
        self._follow_isolated()

    def _chip(self, name: str) -> ContenderChip:
        chip = ContenderChip(name, self._theme_source)
        chip.clicked.connect(partial(self._model.isolate, name))
        chip.removed.connect(self._remove)
        return chip

    def _remove(self, name: str) -> None:
        self._model.choice.set_contender(name, False)

    def _list_others(self, menu: QMenu) -> None:
        choice, theme = self._model.choice, self._theme_source.theme
        for each in choice.entrants:
            if each.name not in choice.contenders:
                action = menu.addAction(
                    f"{each.name}\t{each.note}", partial(choice.set_contender, each.name, True)
                )
                action.setIcon(swatch(look_of(each.name, theme)))
        menu.addSeparator()
        menu.addAction("More…", self.more_wanted.emit)

    def _follow_isolated(self) -> None:
        for chip in self.chips:
            chip.setChecked(chip.text() == self._model.isolated)

    def _follow_theme(self) -> None:
        self.add_button.setIcon(icon("plus", self._theme_source.theme.dim))
