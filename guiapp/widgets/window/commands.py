"""What the actions of the window do, and the notices about what failed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QWidget

from guiapp.core.demo import DEMO_MODELS, LESSONS, PREFIX, SAMPLES, sample_text
from guiapp.core.explain.spelling import Spelling
from guiapp.core.session_files.name import is_session
from guiapp.core.sources.locate import kept_name, lasting_name
from guiapp.core.sources.own_folders import add_folder
from guiapp.core.trace.places import Place
from guiapp.viewmodels.background import LatestJob, Progress
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.models.loader import display_name
from guiapp.viewmodels.models.pre_choices import can_choose
from guiapp.viewmodels.session_opener import SessionOpener
from guiapp.viewmodels.settings import Settings
from guiapp.viewmodels.shelf import Shelf
from guiapp.viewmodels.steps.lesson_progress import LessonProgress
from guiapp.viewmodels.text.files import is_model_file
from guiapp.widgets.inspect.hidden_card import HiddenCard, chip_facts
from guiapp.widgets.shared.theme import CHOICES, TEXT_FONT_PX, ThemeSource
from guiapp.widgets.spans.clipboard import put_on_clipboard
from guiapp.widgets.spans.editor import SpanEditor
from guiapp.widgets.window.about_dialog import AboutDialog
from guiapp.widgets.window.command_palette import CommandPalette
from guiapp.widgets.window.focus_ring import holds
from guiapp.widgets.window.kept_texts_menu import KeptTextsMenu
from guiapp.widgets.window.main_window import MainWindow
from guiapp.widgets.window.model_picker import ModelPicker
from guiapp.widgets.window.page_actions import PageActions
from guiapp.widgets.window.pages import PAGES
from guiapp.widgets.window.pre_picker import PrePicker
from guiapp.widgets.window.recent_menu import RecentMenu
from guiapp.widgets.window.session_commands import SessionCommands
from guiapp.widgets.window.utf16_notice import Utf16Notice

if TYPE_CHECKING:
    from guiapp.core.doctor.findings import TemplateLine
    from guiapp.core.vocabulary_list.figures import Ids
    from guiapp.widgets.steps.page import StepsPage

Take = Callable[[str, str | None], object]


class WindowCommands(QObject):
    """Connects the table of actions with the models and the window."""

    def __init__(
        self,
        window: MainWindow,
        session: ModelSession,
        settings: Settings,
        shelf: Shelf,
        theme_source: ThemeSource,
        opener: SessionOpener,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._settings = settings
        recent, recent_texts = self._recent, self._recent_texts = shelf.recent, shelf.recent_texts
        self._theme_source = theme_source
        self._last_model = ""
        self._picking: tuple[QWidget, Take] = (window.top_bar.model_button, session.loader.open)
        self._sorting = LatestJob[Dropped](self)
        self._sorting.done.connect(self._open_sorted)
        self._actions = window.actions_table
        self._page_actions = PageActions(window.pages, self._actions, self)
        self._editor = window.inspect_page.editor
        self.palette = CommandPalette(self._actions, theme_source, window)
        self.installed = shelf.installed
        self.picker = ModelPicker(session.loader, recent, self.installed, theme_source, window)
        self._utf16 = Utf16Notice(window.notices, session.text, self._actions["from_utf16"])
        self.pre_picker = PrePicker(session.loader, theme_source, window)
        kept_menu = self._actions.menus["File/Kept texts"]
        self.kept_texts = KeptTextsMenu(kept_menu, window.kept_texts, session.text, window.questions)
        recent_menu = RecentMenu(self._actions.menus["File/Open recent"], session, recent, recent_texts)
        self.sessions = SessionCommands(window, opener, settings, shelf)
        recent_menu.model_chosen.connect(self.open)
        recent_menu.text_chosen.connect(self.open_text_file)
        window.requests.text_chosen.connect(self.open_text_file)
        self._connect_actions()
        self._connect_options()
        window.top_bar.model_button.clicked.connect(self.choose_model)
        window.inspect_page.ids_panel.decode_action.triggered.connect(self._actions["decode_ids"].trigger)
        window.files_dropped.connect(self.open_files)
        self.picker.chosen.connect(self._take)
        self.pre_picker.chosen.connect(self._use_pre)
        self.picker.browse_requested.connect(self._browse)
        window.requests.model_wanted.connect(self._pick)
        window.requests.token_wanted.connect(self._show_in_tree)
        window.requests.tokens_wanted.connect(self._show_all_in_tree)
        window.requests.template_wanted.connect(self._show_template)
        window.requests.comparison_wanted.connect(self._compare_vocabularies)
        window.requests.building_wanted.connect(self._show_building)
        window.requests.stop_wanted.connect(self._stop_at_token)
        window.requests.why_wanted.connect(self._tell_why)
        window.requests.step_wanted.connect(self._show_step)
        window.requests.race_wanted.connect(self._show_race)
        window.requests.model_chosen.connect(self.open)
        window.requests.lessons_wanted.connect(self._show_lessons)
        window.requests.measuring_wanted.connect(self._measure)
        window.requests.left.connect(self._go_back)
        self.picker.folder_requested.connect(self.add_folder)
        session.loader.model_changed.connect(self._remember_model)
        session.text.file_changed.connect(self._remember_text)
        session.text.pointed_out.connect(self._point_out)
        self._editor.open_invisible_by(self.open_hidden_card)

    # Files

    def open(self, model: str) -> None:
        """Open a model; one whose pre-tokenizer was chosen by hand last time is split like that again."""
        self._session.loader.open(model, self._recent.chosen_pre(model))

    def open_last(self, first: str) -> None:
        """Open the model of the last time, or `first` where that fails; then it is not tried again.

        No server is asked: what was fetched then is kept.
        """
        last = self._last_model = self._settings.last_model
        self._settings.last_model = ""
        name, pre = kept_name(last or first), self._settings.last_pre if last else ""
        self._session.loader.open(name, pre or self._recent.chosen_pre(name))
        if last and last != first:
            self._model_instead = first
            self._session.loader.loading_changed.connect(self._open_instead)

    def stop(self) -> None:
        """For closing: no reason not to try the model of the last time again if it is being loaded."""
        self._page_actions.stop()
        self.installed.stop()
        self._recent.stop()
        self._recent_texts.stop()
        self._sorting.wait()
        self._utf16.stop()
        loading = self._session.loader.loading_name
        if loading is not None and loading == kept_name(self._last_model):
            self._settings.last_model = self._last_model

    def _open_instead(self) -> None:
        """Open a model that surely works if nothing came of the one of the last time."""
        loader = self._session.loader
        if loader.loading_name is None:
            loader.loading_changed.disconnect(self._open_instead)
            if loader.model is None:
                self.open(self._model_instead)

    def choose_model(self) -> None:
        self._pick(self._window.top_bar.model_button, self._session.loader.open)

    def _pick(self, widget: QWidget, take: Take) -> None:
        """Let people choose a model for somebody."""
        self._picking = (widget, take)
        self.picker.open_under(widget)

    def _take(self, name: str) -> None:
        self._picking[1](name, self._recent.chosen_pre(name))

    def _browse(self) -> None:
        if (path := self._window.questions.model_to_open()) is not None:
            self._take(str(path))

    def open_model(self) -> None:
        if (path := self._window.questions.model_to_open()) is not None:
            self.open(str(path))

    def open_folder(self) -> None:
        """Open what is in a folder, such as a snapshot of a repository."""
        if (folder := self._window.questions.chosen_folder("Open model folder")) is not None:
            self.open(str(folder))

    def add_folder(self) -> None:
        """Look for models in one more folder, and show what is there."""
        if (folder := self._window.questions.chosen_folder("Folder with models")) is not None:
            try:
                add_folder(folder)
            except OSError as error:
                self._window.notices.show_notice("folder", f"The folder cannot be kept: {error.strerror}.")
            self.picker.open_under(self._picking[0])

    def choose_pre(self) -> None:
        self.pre_picker.open_under(self._window.top_bar.model_button)

    def open_text(self) -> None:
        if (path := self._window.questions.text_to_open()) is not None:
            self._session.text.open(path)

    def open_text_file(self, path: Path) -> None:
        """Open a text, or a session by the end of its name."""
        if is_session(path):
            self.sessions.open(path)
        else:
            self._session.text.open(path)

    def open_files(self, paths: list[Path]) -> None:
        """Open what was dropped: models, sessions, lessons, and all else as text; the last of a kind counts.

        A session has a model and a text of its own.
        """
        self._sorting.start(partial(_last_of_each_kind, paths))

    def _open_sorted(self, found: Dropped) -> None:
        model, text, lesson, session = found
        if session is not None:
            self.sessions.open(session)
            return
        if model is not None:
            self.open(str(model))
        if text is not None:
            self._session.text.open(text)
        if lesson is not None:
            self._steps_page().lessons.open(lesson)

    def _ask_for_lesson(self) -> None:
        self._steps_page().lessons.ask_and_open()

    def _write_lesson(self) -> None:
        self._show_lessons()
        self._steps_page().lessons.show_author()

    def _show_lessons(self) -> None:
        self._steps_page().show_lessons()

    def _measure(self) -> None:
        from guiapp.widgets.bench.page import BenchPage

        self._show_page("bench")
        page = self._window.pages.current
        assert isinstance(page, BenchPage)
        page.model.run()

    def _go_back(self) -> None:
        self._show_page(self._window.pages.name_before)

    def _begin_lesson(self, name: str) -> None:
        self._steps_page().player.begin(name)
        self._mark_lessons()

    def _mark_lessons(self) -> None:
        """Tick those that are finished."""
        progress = LessonProgress(self._settings)
        for lesson in LESSONS:
            is_finished = progress.is_finished(lesson.name, lesson.n_steps)
            self._actions[f"lesson:{lesson.name}"].setChecked(is_finished)

    def _open_palette(self) -> None:
        self._mark_lessons()
        self.palette.open()

    def save_text(self) -> None:
        if self._session.text.path is None:
            self.save_text_as()
        else:
            self._session.text.save(self._session.text.path)

    def save_text_as(self) -> None:
        path = self._window.questions.where_to_save(self._session.text.path)
        if path is not None:
            self._session.text.save(path)

    def _show_sample(self, name: str) -> None:
        self._session.text.show(sample_text(name))

    def _use_pre(self, pre: str) -> None:
        """Open the model that waits for a choice, or else the present one again."""
        loader = self._session.loader
        model = loader.refused or loader.model
        if model is not None:
            loader.open(model.name, pre or None)

    def _remember_model(self) -> None:
        model = self._session.loader.model
        if model is None:
            return
        self._settings.last_model = lasting_name(model.name)
        self._settings.last_pre = model.tokenizer.vocabulary.chosen_pre
        if not model.name.startswith(PREFIX):
            self._recent.add(model.name, model.tokenizer.vocabulary, display_name(model))

    def _remember_text(self) -> None:
        """Each text that was just opened or saved."""
        path = self._session.text.path
        if path is not None and not self._session.text.is_modified:
            self._recent_texts.add(path)

    def _forget_recent(self) -> None:
        self._recent.clear()
        self._recent_texts.clear()
        self._last_model = ""
        self._settings.last_model = ""

    # Actions

    def _connect_actions(self) -> None:
        page = self._window.inspect_page
        self._actions.connect_all(
            {
                "choose_model": self.choose_model,
                "open_model": self.open_model,
                "open_folder": self.open_folder,
                "choose_pre": self.choose_pre,
                "inexact_next": partial(self._show_inexact, 1),
                "inexact_previous": partial(self._show_inexact, -1),
                "round_trip_difference": self._show_round_trip_difference,
                "open_text": self.open_text,
                "save_text": self.save_text,
                "save_text_as": self.save_text_as,
                "forget_recent": self._forget_recent,
                "open_session": self.sessions.ask_and_open,
                "save_session": self.sessions.ask_and_save,
                "session_notes": self.sessions.show_notes,
                "delete_kept": self.kept_texts.delete_all,
                "quit": self._window.close,
                "undo": self._undo,
                "redo": self._redo,
                "cut": partial(self._edit, SpanEditor.cut),
                "copy": partial(self._edit, SpanEditor.copy),
                "paste": partial(self._edit, SpanEditor.paste),
                "select_all": partial(self._edit, SpanEditor.select_all),
                "find": page.text_panel.ask,
                "find_next": partial(page.text_panel.find_again, 1),
                "find_previous": partial(page.text_panel.find_again, -1),
                "find_token": page.text_panel.find_token,
                "hidden_next": partial(self._window.hidden.step, 1),
                "hidden_previous": partial(self._window.hidden.step, -1),
                "hidden_remove": self._window.hidden.remove,
                "hidden_copy": self._copy_without_hidden,
                "copy_ids": page.ids_panel.copy_ids,
                "decode_ids": page.show_decoder,
                "palette": self._open_palette,
                "open_lesson": self._ask_for_lesson,
                "write_lesson": self._write_lesson,
                **{f"lesson:{each.name}": partial(self._begin_lesson, each.name) for each in LESSONS},
                "next_panel": partial(self._move_focus, 1),
                "previous_panel": partial(self._move_focus, -1),
                "whitespace": self._show_whitespace,
                "look_alikes": self._mark_look_alikes,
                "zoom_in": partial(self._editor.zoom, 1),
                "zoom_out": partial(self._editor.zoom, -1),
                "zoom_reset": partial(self._editor.set_font_px, TEXT_FONT_PX),
                "add_special": self._set_switches,
                "parse_special": self._set_switches,
                "signs": self._show_signs,
                "shortcuts": self._show_shortcuts,
                "about": self._show_about,
                **{page.name: partial(self._show_page, page.name) for page in PAGES},
                **{
                    f"spelling:{each.value}": partial(self._settings.spelling.choose, each)
                    for each in Spelling
                },
                **{f"theme:{choice}": partial(self._choose_theme, choice) for choice in CHOICES},
                **{
                    f"demo:{demo.name}": partial(self._session.loader.open, PREFIX + demo.name)
                    for demo in DEMO_MODELS
                },
                **{f"sample:{sample.name}": partial(self._show_sample, sample.name) for sample in SAMPLES},
                **{
                    row.name: partial(self._session.set_encoder, row.name.removeprefix("encoder:"))
                    for row, _ in self._actions
                    if row.group == "encoder"
                },
            }
        )

    def _edit(self, do: Callable[[SpanEditor], None]) -> None:
        """Have the editor do something in which people type, else that of the Inspect page."""
        focused = QApplication.focusWidget()
        do(focused if isinstance(focused, SpanEditor) else self._editor)

    def _undo(self) -> None:
        """Take back the last step on the page, or else in the text."""
        steps = self._window.pages.current.undo_steps
        if steps is None:
            self._edit(SpanEditor.undo)
        elif steps.undo is not None:
            steps.undo()

    def _redo(self) -> None:
        steps = self._window.pages.current.undo_steps
        if steps is None:
            self._edit(SpanEditor.redo)
        elif steps.redo is not None:
            steps.redo()

    def _connect_options(self) -> None:
        """Show the state of options and settings in the actions, and keep it."""
        self._session.options_changed.connect(self._follow_options)
        self._session.document.undo_changed.connect(self._follow_undo)
        self._window.hidden.changed.connect(self._follow_hidden)
        self._recent.changed.connect(self._follow_recent)
        self._recent_texts.changed.connect(self._follow_recent)
        self._session.encoder_check.changed.connect(self._follow_checks)
        self._session.round_trip.changed.connect(self._follow_checks)
        self._session.loader.refused_changed.connect(self._follow_loader)
        self._session.loader.model_changed.connect(self._follow_loader)
        self._theme_source.changed.connect(self._follow_theme)
        self._editor.zoom_changed.connect(self._keep_zoom)
        self._window.pages.page_changed.connect(self._follow_page)
        self._window.pages.page_changed.connect(self._follow_undo)
        self._window.pages.undo_changed.connect(self._follow_undo)
        self._actions.menus["Help/Lessons"].aboutToShow.connect(self._mark_lessons)
        self._settings.spelling.changed.connect(self._follow_spelling)
        self._actions["whitespace"].setChecked(self._settings.shows_whitespace)
        self._editor.set_shows_whitespace(self._settings.shows_whitespace)
        self._actions["look_alikes"].setChecked(self._settings.marks_look_alikes)
        self._editor.set_marks_look_alikes(self._settings.marks_look_alikes)
        self._editor.set_font_px(self._settings.font_px or TEXT_FONT_PX)
        search = self._window.inspect_page.text_panel.search
        search.set_matches_case(self._settings.finds_by_case)
        search.query_changed.connect(self._keep_search)
        panel, settings = self._window.inspect_page.ids_panel, self._settings
        _keep_choice(panel.format_actions, settings.ids_format, partial(setattr, settings, "ids_format"))
        _keep_choice(panel.view_actions, settings.ids_view, partial(setattr, settings, "ids_view"))
        for name in ("cut", "copy", "paste", "select_all", "undo", "redo"):
            self._actions[name].setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            self._editor.addAction(self._actions[name])
        self._follow_options()
        self._follow_undo()
        self._follow_hidden()
        self._follow_recent()
        self._follow_theme()
        self._follow_spelling()
        self._follow_page()
        self._follow_loader()
        self._follow_checks()

    def _follow_options(self) -> None:
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

    def _follow_loader(self) -> None:
        self._actions["choose_pre"].setEnabled(can_choose(self._session.loader))

    def _follow_checks(self) -> None:
        agreement, round_trip = self._session.encoder_check.result, self._session.round_trip.result
        for name in ("inexact_next", "inexact_previous"):
            self._actions[name].setEnabled(bool(agreement and agreement.parting))
        self._actions["round_trip_difference"].setEnabled(bool(round_trip and not round_trip.is_same))

    def _follow_undo(self) -> None:
        document, steps = self._session.document, self._window.pages.current.undo_steps
        can_undo = document.can_undo if steps is None else steps.undo is not None
        can_redo = document.can_redo if steps is None else steps.redo is not None
        self._actions["undo"].setEnabled(can_undo)
        self._actions["redo"].setEnabled(can_redo)

    def _follow_hidden(self) -> None:
        for name in ("hidden_next", "hidden_previous", "hidden_remove", "hidden_copy"):
            self._actions[name].setEnabled(self._window.hidden.n_characters > 0)

    def open_hidden_card(self, start: int, end: int, place: QPoint) -> None:
        actions, hidden = (self._actions["hidden_remove"], self._actions["hidden_copy"]), self._window.hidden
        facts = chip_facts(self._session, hidden, start, end)
        HiddenCard(facts, hidden, actions, self._theme_source, self._editor).open_at(place)

    def _copy_without_hidden(self) -> None:
        put_on_clipboard(self._window.hidden.text_without())

    def _follow_recent(self) -> None:
        self._actions["forget_recent"].setEnabled(bool(self._recent.files or self._recent_texts.paths))

    def _follow_theme(self) -> None:
        self._actions[f"theme:{self._theme_source.choice}"].setChecked(True)

    def _follow_spelling(self) -> None:
        self._actions[f"spelling:{self._settings.spelling.now.value}"].setChecked(True)

    def _keep_zoom(self) -> None:
        self._settings.font_px = self._editor.font_px
        for page in self._window.pages.pages.values():
            page.set_text_size(self._editor.font_px)

    def _keep_search(self) -> None:
        search = self._window.inspect_page.text_panel.search
        self._settings.finds_by_case = search.matches_case

    def _set_switches(self) -> None:
        self._session.set_add_special(self._actions["add_special"].isChecked())
        self._session.set_parse_special(self._actions["parse_special"].isChecked())

    def _choose_theme(self, choice: str) -> None:
        self._theme_source.choose(choice)
        self._settings.theme = choice

    def _show_whitespace(self) -> None:
        shows = self._actions["whitespace"].isChecked()
        self._editor.set_shows_whitespace(shows)
        self._settings.shows_whitespace = shows

    def _mark_look_alikes(self) -> None:
        marks = self._actions["look_alikes"].isChecked()
        self._editor.set_marks_look_alikes(marks)
        self._settings.marks_look_alikes = marks

    def _show_page(self, name: str) -> None:
        page = self._window.pages.show_page(name)
        if not holds(page, QApplication.focusWidget()):
            page.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _follow_page(self) -> None:
        self._actions[self._window.pages.current_name].setChecked(True)

    def _show_inexact(self, by: int) -> None:
        """Go to the next tokens behind the selection that the exact encoder does not give, or back."""
        session = self._session
        found = session.exact.next_from(session.tokens, *session.document.selection, by)
        if found is not None:
            self._point_out(*found)

    def _show_round_trip_difference(self) -> None:
        result = self._session.round_trip.result
        if result is not None and result.worst is not None:
            start = self._session.document.caret_stop(result.worst.start)
            self._point_out(start, max(self._session.document.next_grapheme(start), result.worst.end))

    def _point_out(self, start: int, end: int) -> None:
        """Select a stretch of the text where people see it."""
        self._show_page("inspect")
        self._session.text.select(start, end)
        self._editor.reveal(start, end)
        self._editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_in_tree(self, token_id: int) -> None:
        """Find a token in the tree, as by typing its number there."""
        from guiapp.widgets.tree.page import TreePage

        self._show_page("tree")
        page = self._window.pages.current
        assert isinstance(page, TreePage)
        page.bar.query.setText(f"#{token_id}")

    def _show_all_in_tree(self, title: str, tokens: Ids) -> None:
        """Light some tokens in the tree, and list them there."""
        from guiapp.widgets.tree.page import TreePage

        self._show_page("tree")
        page = self._window.pages.current
        assert isinstance(page, TreePage)
        page.search.list_tokens(title, tokens)

    def _compare_vocabularies(self, query: str) -> None:
        """Filter the vocabularies of the window's model and of another one."""
        from guiapp.widgets.compare_vocabularies.page import VocabulariesPage

        self._show_page("compare_vocabularies")
        page = self._window.pages.current
        assert isinstance(page, VocabulariesPage)
        page.model.look_for(query)

    def _show_building(self, token_id: int) -> None:
        """Find a token in the tree, with room for its three trees."""
        from guiapp.widgets.tree.page import TreePage

        self._show_in_tree(token_id)
        page = self._window.pages.current
        assert isinstance(page, TreePage)
        page.open_three_trees()

    def _show_template(self, line: TemplateLine) -> None:
        """Show a chat template at a line, with the prompt that it makes of the messages there."""
        from guiapp.widgets.chat.page import ChatPage

        self._show_page("chat")
        page = self._window.pages.current
        assert isinstance(page, ChatPage)
        page.show_line(line.template, line.number)

    def _stop_at_token(self, token_id: int, offset: int) -> None:
        """Show the step that forms a token of the text, and keep a breakpoint there."""
        self._steps_page().stop_where_formed(token_id, offset)

    def _tell_why(self, index: int) -> None:
        """Show why a token of the text is there, unless a menu was open while the text lost it."""
        if index >= len(self._session.tokens):
            return
        self._show_page("inspect")
        self._session.select_token(index)
        self._window.inspect_page.show_why()

    def _show_step(self, place: Place) -> None:
        """Step through the text up to a place."""
        self._steps_page().go_where(place)

    def _show_race(self, rival: ModelSession, offset: int) -> None:
        """Step through what the window's model and another one do."""
        self._steps_page().race_with(rival, offset)

    def _steps_page(self) -> StepsPage:
        """The Steps page, brought to the front."""
        from guiapp.widgets.steps.page import StepsPage

        self._show_page("steps")
        page = self._window.pages.current
        assert isinstance(page, StepsPage)
        return page

    def _show_signs(self) -> None:
        """Explain the signs of the page that is shown."""
        from guiapp.widgets.window.page_signs import signs_of
        from guiapp.widgets.window.signs_card import SignsCard

        lists = signs_of(self._window.pages.current_name)
        card = SignsCard(lists, self._settings.spelling, self._theme_source, self._window)
        card.open_in(self._window, self._window.top_bar)

    def _show_shortcuts(self) -> None:
        from guiapp.widgets.window.shortcuts_dialog import ShortcutsDialog

        dialog = self._window.findChild(ShortcutsDialog)
        if dialog is None:
            dialog = ShortcutsDialog(self._actions, self._theme_source, self._window)
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def _show_about(self) -> None:
        AboutDialog(self._window).show()

    def _move_focus(self, step: int) -> None:
        """Go to the next panel of the page, or the one before; the bar at the top is one of them."""
        page = self._window.pages.current
        panels = [self._window.top_bar.model_button, *page.panels]
        focused = QApplication.focusWidget()
        at = next((i for i, panel in enumerate(panels) if holds(panel, focused)), 0)
        panel = panels[(at + step) % len(panels)]
        panel.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._window.focus_ring.surround(panel)


Dropped = tuple[Path | None, Path | None, Path | None, Path | None]
"""A model, a text, a lesson, and a session."""


def _last_of_each_kind(paths: list[Path], progress: Progress) -> Dropped:
    """Each file is read, which may take a while."""
    from guiapp.core.lessons.lesson import is_lesson_file  # time that starting does not have

    model = text = lesson = session = None
    for done, path in enumerate(paths):
        progress(done / len(paths))
        if is_session(path):
            session = path
        elif is_model_file(path):
            model = path
        elif is_lesson_file(path):
            lesson = path
        else:
            text = path
    return model, text, lesson, session


def _keep_choice(actions: Mapping[str, QAction], kept: str, keep: Callable[[str], None]) -> None:
    """Check the one of a group of actions that was chosen last time, and keep what is chosen from now on."""
    if kept in actions:
        actions[kept].setChecked(True)
    for name, action in actions.items():
        action.toggled.connect(partial(_keep_if, keep, name))


def _keep_if(keep: Callable[[str], None], name: str, is_chosen: bool) -> None:
    if is_chosen:
        keep(name)
