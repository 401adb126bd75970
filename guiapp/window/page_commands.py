"""Actions that show a page, and requests of one page to another."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from guiapp.core.demo import LESSONS
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.widgets.page_base import Page
from guiapp.pages.steps.lesson_progress import LessonProgress
from guiapp.window.actions import ActionTable
from guiapp.window.focus_ring import holds
from guiapp.window.main_window import MainWindow
from guiapp.window.pages import PAGES, PageStack

if TYPE_CHECKING:
    from guiapp.analysis.chat.messages import Conversation
    from guiapp.analysis.doctor.findings import TemplateLine
    from guiapp.analysis.trace.trace import StepKey
    from guiapp.analysis.vocabulary_list.listing import Ids
    from guiapp.pages.bench.page import BenchPage
    from guiapp.pages.chat.page import ChatPage
    from guiapp.pages.compare.texts_page import TextsPage
    from guiapp.pages.compare.vocabularies_page import VocabulariesPage
    from guiapp.pages.data.page import DataPage
    from guiapp.pages.steps.page import StepsPage
    from guiapp.pages.tree.page import TreePage

TICK_MS = 50


class PageCommands(QObject):
    """Shows pages and passes them requests. Must be created before other objects connect to the actions."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._session, self._settings = window.setting.session, window.setting.settings
        self._actions = window.actions_table
        self.page_actions = PageActions(window.pages, self._actions, self)
        self._connect_actions()
        self._connect()
        self._on_page_changed()
        self._on_checks_changed()

    def _connect_actions(self) -> None:
        self._actions.connect_all(
            {
                "inexact_next": partial(self._show_inexact, 1),
                "inexact_previous": partial(self._show_inexact, -1),
                "round_trip_difference": self._show_round_trip_difference,
                "lessons": self._show_lessons,
                "open_lesson": self._ask_for_lesson,
                "write_lesson": self._write_lesson,
                "next_panel": partial(self._move_focus, 1),
                "previous_panel": partial(self._move_focus, -1),
                **{f"lesson:{each.name}": partial(self._begin_lesson, each.name) for each in LESSONS},
                **{page.name: partial(self.show, page.name) for page in PAGES},
            }
        )

    def _connect(self) -> None:
        requests = self._window.requests
        requests.token_wanted.connect(self._show_in_tree)
        requests.tokens_wanted.connect(self._show_all_in_tree)
        requests.template_wanted.connect(self._show_template)
        requests.prompt_wanted.connect(self._show_prompt)
        requests.comparison_wanted.connect(self._compare_vocabularies)
        requests.building_wanted.connect(self._show_building)
        requests.stop_wanted.connect(self._stop_at_token)
        requests.why_wanted.connect(self._show_why)
        requests.step_wanted.connect(self._show_step)
        requests.race_wanted.connect(self._show_race)
        requests.lessons_wanted.connect(self._show_lessons)
        requests.measuring_wanted.connect(self._measure)
        requests.left.connect(self._go_back)
        self._session.text.pointed_out.connect(self._point_out)
        for check in (self._session.encoder_check, self._session.round_trip):
            check.changed.connect(self._on_checks_changed)
        self._window.pages.page_changed.connect(self._on_page_changed)
        self._actions.menus["Help/Lessons"].aboutToShow.connect(self.mark_lessons)

    def show(self, name: str) -> Page:
        """Show a page and focus it."""
        page = self._window.pages.show_page(name)
        if not holds(page, QApplication.focusWidget()):
            page.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return page

    def steps(self) -> StepsPage:
        """Show the Steps page and return it."""
        return cast("StepsPage", self.show("steps"))

    def _tree(self) -> TreePage:
        return cast("TreePage", self.show("tree"))

    def _chat(self) -> ChatPage:
        return cast("ChatPage", self.show("chat"))

    def _bench(self) -> BenchPage:
        return cast("BenchPage", self.show("bench"))

    def _on_page_changed(self) -> None:
        self._actions[self._window.pages.current_name].setChecked(True)

    def _go_back(self) -> None:
        self.show(self._window.pages.name_before)

    def _move_focus(self, step: int) -> None:
        """Focus the next or previous panel of the page; the top bar is one of them."""
        page = self._window.pages.current
        panels = [self._window.top_bar.model_button, *page.panels]
        focused = QApplication.focusWidget()
        at = next((i for i, panel in enumerate(panels) if holds(panel, focused)), 0)
        panel = panels[(at + step) % len(panels)]
        panel.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._window.focus_ring.surround(panel)

    # The text

    def _on_checks_changed(self) -> None:
        agreement, round_trip = self._session.encoder_check.value, self._session.round_trip.value
        for name in ("inexact_next", "inexact_previous"):
            self._actions[name].setEnabled(bool(agreement and agreement.first_difference))
        self._actions["round_trip_difference"].setEnabled(bool(round_trip and not round_trip.is_same))

    def _show_inexact(self, by: int) -> None:
        """Select the next or previous tokens that the exact encoder does not give."""
        session = self._session
        found = session.exact.next_from(session.tokens, *session.document.selection, by)
        if found is not None:
            self._point_out(*found)

    def _show_round_trip_difference(self) -> None:
        result = self._session.round_trip.value
        if result is not None and result.worst is not None:
            start = self._session.document.caret_stop(result.worst.start)
            self._point_out(start, max(self._session.document.next_grapheme(start), result.worst.end))

    def _point_out(self, start: int, end: int) -> None:
        """Select a range of the text on the Text page and scroll to it."""
        self.show("inspect")
        self._session.text.select(start, end)
        self._window.inspect_page.editor.reveal(start, end)
        self._window.inspect_page.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_why(self, index: int) -> None:
        """Explain a token of the text, unless the text lost it while a menu was open."""
        if index >= len(self._session.tokens):
            return
        self.show("inspect")
        self._session.select_token(index)
        self._window.inspect_page.show_why()

    # Other pages

    def _show_in_tree(self, token_id: int) -> None:
        """Find a token in the tree, as if its id was typed there."""
        self._tree().show_token(token_id)

    def _show_all_in_tree(self, title: str, tokens: Ids) -> None:
        """Highlight tokens in the tree, and list them there."""
        self._tree().search.list_tokens(title, tokens)

    def _show_building(self, token_id: int) -> None:
        """Find a token in the tree, and make room for its three trees."""
        self._show_in_tree(token_id)
        self._tree().open_three_trees()

    def _compare_vocabularies(self, query: str) -> None:
        """Filter the compared vocabularies of the window's model and another one."""
        cast("VocabulariesPage", self.show("compare_vocabularies")).model.search_all(query)

    def _measure(self) -> None:
        self._bench().model.run()

    def _show_template(self, line: TemplateLine) -> None:
        """Show a line of a chat template, with the prompt for the messages on the Chat page."""
        self._chat().show_line(line.template, line.number)

    def _show_prompt(self, conversation: Conversation, template: str | None, line: int) -> None:
        """Show messages on the Chat page, replacing those there; undo restores them."""
        self._chat().show_prompt(conversation, template, line)

    def _stop_at_token(self, token_id: int, offset: int) -> None:
        """Show the step that forms a token of the text, and set a breakpoint there."""
        self.steps().stop_where_formed(token_id, offset)

    def _show_step(self, step_key: StepKey) -> None:
        """Step through the text up to a step."""
        self.steps().go_where(step_key)

    def _show_race(self, other_session: ModelSession, offset: int) -> None:
        """Step through the text with the window's model and another one."""
        self.steps().race_with(other_session, offset)

    # Files

    def show_texts(self, paths: list[Path]) -> None:
        """Compare several texts. The first becomes the window's text."""
        cast("TextsPage", self.show("compare_texts")).open_texts(paths)

    def show_run(self, path: Path) -> None:
        """Show a saved run of Bench."""
        self._bench().model.open_run(path)

    def show_messages(self, path: Path) -> None:
        """Show the prompt of the messages in a file."""
        self._chat().model.open(path)

    def show_data(self, path: Path) -> None:
        """Show the training data in a file."""
        cast("DataPage", self.show("data")).model.open(path)

    def show_template_file(self, path: Path) -> None:
        """Render the messages with the template in a file."""
        model = self._chat().model
        model.choose(replace(model.settings, template=str(path)))

    def show_steps_of(self, text: str, encoder: str) -> None:
        """Step through a text, with this encoder if the model has it."""
        self._session.text.show(text.encode("utf-8", "replace"))
        if encoder in self._session.encoders:
            self._session.set_encoder(encoder)
        self.steps()

    # Lessons

    def _ask_for_lesson(self) -> None:
        self.steps().lessons.ask_and_open()

    def _write_lesson(self) -> None:
        self._show_lessons()
        self.steps().lessons.show_author()

    def _show_lessons(self) -> None:
        self.steps().show_lessons()

    def _begin_lesson(self, name: str) -> None:
        self.steps().player.begin(name)
        self.mark_lessons()

    def mark_lessons(self) -> None:
        """Check the finished lessons in the menu."""
        progress = LessonProgress(self._settings)
        for lesson in LESSONS:
            is_finished = progress.is_finished(lesson.name, lesson.n_steps)
            self._actions[f"lesson:{lesson.name}"].setChecked(is_finished)


class PageActions(QObject):
    """Shows the page of an action before the action runs.

    Must be created before other objects connect to the actions: slots are called in the order of connection.
    Several pages may use the same keys.
    """

    def __init__(self, pages: PageStack, actions: ActionTable, parent: QObject) -> None:
        super().__init__(parent)
        self._pages = pages
        self._actions = actions
        self._due: tuple[str, QAction] | None = None
        self._ticks = QTimer(self, interval=TICK_MS)
        self._ticks.timeout.connect(self._act_if_ready)
        for row, action in actions:
            if row.page:
                action.triggered.connect(partial(self._go, row.page, action))
        pages.page_changed.connect(self._update_shortcuts)
        self._update_shortcuts()

    def stop(self) -> None:
        """Cancel a pending action."""
        self._ticks.stop()

    def _go(self, page: str, action: QAction) -> None:
        """Show the page. A new page missed the signal and may not be ready: repeat the action later."""
        is_new = page not in self._pages.pages
        if page != self._pages.current_name:
            self._actions[page].trigger()
        if is_new:
            self._due = page, action
            self._ticks.start()

    def _act_if_ready(self) -> None:
        assert self._due is not None
        page, action = self._due
        is_left = page != self._pages.current_name
        if is_left or self._pages.current.is_ready:
            self._ticks.stop()
        if not is_left and self._pages.current.is_ready:
            action.trigger()

    def _update_shortcuts(self) -> None:
        """Let keys work only on their page; on other pages, they would need the focus on the menu bar."""
        current, contexts = self._pages.current_name, Qt.ShortcutContext
        for row, action in self._actions:
            if row.page:
                is_here = row.page == current
                action.setShortcutContext(contexts.WindowShortcut if is_here else contexts.WidgetShortcut)
