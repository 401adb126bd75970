"""Actions of the window that are neither about files nor about one page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from guiapp.analysis.explain.spelling import Spelling
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.session_opener import SessionOpener
from guiapp.kit.spans.editor import SpanEditor
from guiapp.kit.state.qt_exceptions import protect_overrides
from guiapp.kit.widgets.notices import copy_text
from guiapp.kit.widgets.theme import CHOICES, TEXT_FONT_PX
from guiapp.window.file_commands import FileCommands
from guiapp.window.main_window import MainWindow
from guiapp.window.page_commands import PageCommands
from guiapp.window.pages import SHOW_TEXT

if TYPE_CHECKING:
    from guiapp.window.command_palette import CommandPalette

UNDOING = *SHOW_TEXT, "special_tokens", "start"  # pages on which edits of the text can be undone


class WindowCommands(QObject):
    """Editing, options and settings, and help; `files` opens and saves."""

    def __init__(self, window: MainWindow, opener: SessionOpener) -> None:
        super().__init__(window)
        setting = window.setting
        self._window, self._compared = window, setting.compared
        self._session, self._settings, self._actions = setting.session, setting.settings, window.actions_table
        self._theme_source = setting.theme_source
        self._editor = window.inspect_page.editor
        self._pages = PageCommands(window)
        self.files = FileCommands(window, opener, self._pages)
        setting.requests.manual_wanted.connect(self.show_manual)
        self._connect_actions()
        self._connect_choices()
        self._connect_options()
        self._show_settings()
        window.inspect_page.ids_panel.decode_action.triggered.connect(self._actions["decode_ids"].trigger)
        self._editor.open_invisible_by(self.open_hidden_card)

    @cached_property
    def palette(self) -> CommandPalette:
        """The command palette, created on first use."""
        from guiapp.window.command_palette import CommandPalette

        protect_overrides()
        return CommandPalette(self._actions, self._theme_source, self._window, self._set_budget)

    def stop(self) -> None:
        """Stop all pending and running work."""
        self._pages.page_actions.stop()
        self.files.stop()

    # Actions

    def _connect_actions(self) -> None:
        page, hidden = self._window.inspect_page, self._window.hidden
        self._actions.connect_all(
            {
                **{name: partial(self._take_step, name) for name in ("undo", "redo")},
                "cut": partial(self._edit, SpanEditor.cut),
                "copy": partial(self._edit, SpanEditor.copy),
                "paste": partial(self._edit, SpanEditor.paste),
                "select_all": partial(self._edit, SpanEditor.select_all),
                "find": page.text_panel.ask,
                "find_next": partial(page.text_panel.find_again, 1),
                "find_previous": partial(page.text_panel.find_again, -1),
                "find_token": page.text_panel.find_token,
                "hidden_next": partial(hidden.step, 1),
                "hidden_previous": partial(hidden.step, -1),
                "hidden_remove": hidden.remove,
                "hidden_copy": self._copy_without_hidden,
                "copy_ids": page.ids_panel.copy_ids,
                "decode_ids": page.show_decoder,
                "palette": self._open_palette,
                "zoom_in": partial(self._editor.zoom, 1),
                "zoom_out": partial(self._editor.zoom, -1),
                "zoom_reset": partial(self._editor.set_font_px, TEXT_FONT_PX),
                "add_special": self._set_switches,
                "parse_special": self._set_switches,
                "legend": self._show_legend,
                "manual": lambda: self.show_manual(),
                "shortcuts": self._show_shortcuts,
                "about": self._show_about,
            }
        )

    def _connect_choices(self) -> None:
        """Connect the groups of actions of which one is checked."""
        choose = self._settings.spelling.choose
        encoders = [row.name for row, _ in self._actions if row.group == "encoder"]
        self._actions.connect_all(
            {
                **{f"spelling:{each.value}": partial(choose, each) for each in Spelling},
                **{f"theme:{choice}": partial(self._choose_theme, choice) for choice in CHOICES},
                **{
                    name: partial(self._session.set_encoder, name.removeprefix("encoder:"))
                    for name in encoders
                },
            }
        )

    def _edit(self, do: Callable[[SpanEditor], None]) -> None:
        """Apply `do` to the focused span editor, or else to the editor of the Text page."""
        focused = QApplication.focusWidget()
        do(focused if isinstance(focused, SpanEditor) else self._editor)

    def _take_step(self, name: str) -> None:
        """Undo or redo the last step of the page, or else of the text."""
        steps = self._window.pages.current.undo_steps
        if steps is None:
            self._edit(getattr(SpanEditor, name))
        elif (take := getattr(steps, name)) is not None:
            take()

    def _set_budget(self, n_tokens: int) -> None:
        self._actions["inspect"].trigger()
        self._window.inspect_page.set_budget(n_tokens)

    def _open_palette(self) -> None:
        self._pages.mark_lessons()
        self.palette.open()

    def open_hidden_card(self, start: int, end: int, point: QPoint) -> None:
        from guiapp.pages.text.hidden_card import HiddenCard

        actions, hidden = (self._actions["hidden_remove"], self._actions["hidden_copy"]), self._window.hidden
        card = HiddenCard(self._session, hidden, (start, end), actions, self._theme_source, self._editor)
        card.open_at(point)

    def _copy_without_hidden(self) -> None:
        copy_text(self._window, self._window.hidden.text_without(), "the text without hidden characters")

    # Options and settings

    def _connect_options(self) -> None:
        """Listen to options and settings, and save them."""
        pages = self._window.pages
        self._editor.zoom_changed.connect(self._keep_zoom)
        here = ("cut", "copy", "paste", "select_all")  # other fields have their own
        for name in here:
            self._actions[name].setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._editor.addActions([self._actions[name] for name in (*here, "undo", "redo")])
        for changed, refresh in (
            (self._session.options_changed, self._on_options_changed),
            (self._session.document.undo_changed, self._on_undo_changed),
            (pages.page_changed, self._on_undo_changed),
            (pages.undo_changed, self._on_undo_changed),
            (self._window.hidden.changed, self._on_hidden_changed),
            (self._theme_source.changed, self._on_theme_changed),
            (self._settings.spelling.changed, self._on_spelling_changed),
        ):
            changed.connect(refresh)
            refresh()

    def _show_settings(self) -> None:
        """Apply the saved settings."""
        settings, panel = self._settings, self._window.inspect_page.ids_panel
        for name, key, switch in (
            ("whitespace", "shows_whitespace", self._editor.set_shows_whitespace),
            ("look_alikes", "marks_look_alikes", self._editor.set_marks_confusables),
        ):
            self._actions[name].toggled.connect(switch)
            self._actions[name].toggled.connect(partial(setattr, settings, key))
            self._actions[name].setChecked(getattr(settings, key))
            switch(getattr(settings, key))
        self._editor.set_font_px(settings.font_px or TEXT_FONT_PX)
        search = self._window.inspect_page.text_panel.search
        search.set_matches_case(settings.finds_by_case)
        search.query_changed.connect(self._keep_search)
        _keep_choice(panel.format_actions, settings.ids_format, partial(setattr, settings, "ids_format"))
        _keep_choice(panel.view_actions, settings.ids_view, partial(setattr, settings, "ids_view"))

    def _on_options_changed(self) -> None:
        options, offered = self._session.options, self._session.encoders
        self._actions["add_special"].setChecked(options.add_special)
        self._actions["parse_special"].setChecked(options.parse_special)
        algorithm = self._session.algorithm
        for row, action in self._actions:
            if row.group == "encoder":
                name = row.name.removeprefix("encoder:")
                action.setVisible(name in offered)
                action.setEnabled(name in offered)
                action.setChecked(algorithm is not None and name == algorithm.name)
        self._settings.set_options(options.add_special, options.parse_special, options.encoder)

    def _on_undo_changed(self) -> None:
        """Enable undo and redo only on pages that show what they change."""
        document, pages = self._session.document, self._window.pages
        steps, shows_text = pages.current.undo_steps, pages.current_name in UNDOING
        can_undo = shows_text and document.can_undo if steps is None else steps.undo is not None
        can_redo = shows_text and document.can_redo if steps is None else steps.redo is not None
        self._actions["undo"].setEnabled(can_undo)
        self._actions["redo"].setEnabled(can_redo)

    def _on_hidden_changed(self) -> None:
        for name in ("hidden_next", "hidden_previous", "hidden_remove", "hidden_copy"):
            self._actions[name].setEnabled(self._window.hidden.n_characters > 0)

    def _on_theme_changed(self) -> None:
        self._actions[f"theme:{self._theme_source.choice}"].setChecked(True)

    def _on_spelling_changed(self) -> None:
        self._actions[f"spelling:{self._settings.spelling.now.value}"].setChecked(True)

    def _keep_zoom(self) -> None:
        if not self._window.is_presented:
            self._settings.font_px = self._editor.font_px
        self._window.pages.set_text_size(self._editor.font_px)

    def _keep_search(self) -> None:
        search = self._window.inspect_page.text_panel.search
        self._settings.finds_by_case = search.matches_case

    def _set_switches(self) -> None:
        """Apply the switches to all columns of Compare, each of which also has its own in its menu."""
        for name, switch in (
            ("add_special", ModelSession.set_add_special),
            ("parse_special", ModelSession.set_parse_special),
        ):
            chosen = self._actions[name].isChecked()
            if chosen != getattr(self._session.options, name):
                for session in self._compared.sessions:
                    switch(session, chosen)

    def _choose_theme(self, choice: str) -> None:
        self._theme_source.choose(choice)
        self._settings.theme = choice

    # Help

    def _show_legend(self) -> None:
        from guiapp.window.help import LegendCard

        legend = self._window.pages.current.legend
        card = LegendCard(legend, self._settings.spelling, self._theme_source, self._window)
        card.open_below(self._window.top_bar)

    def show_manual(self, topic: str = "") -> None:
        """Show a topic of the manual, or the chapter about the current page."""
        from guiapp.window.manual import ManualReader, chapter_of  # imported here to keep the start fast

        window = self._window
        if (reader := window.findChild(ManualReader)) is None:
            reader = ManualReader(self._theme_source, window)
            reader.addAction(self._actions["manual"])  # so that its key works in a floating window
        reader.open(topic or chapter_of(window.pages.rows[window.pages.current_name]))

    def _show_shortcuts(self) -> None:
        from guiapp.window.help import ShortcutsDialog

        dialog = self._window.findChild(ShortcutsDialog)
        if dialog is None:
            dialog = ShortcutsDialog(self._actions, self._theme_source, self._window)
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def _show_about(self) -> None:
        from guiapp.window.help import AboutDialog

        AboutDialog(self._window).show()


def _keep_choice(actions: Mapping[str, QAction], chosen_name: str, keep: Callable[[str], None]) -> None:
    """Check the saved choice in a group of actions, and save later choices."""
    if chosen_name in actions:
        actions[chosen_name].setChecked(True)
    for name, action in actions.items():
        action.toggled.connect(partial(_keep_if, keep, name))


def _keep_if(keep: Callable[[str], None], name: str, is_chosen: bool) -> None:
    if is_chosen:
        keep(name)
