"""The Chat page: messages, the prompt that a template makes from them, and the template itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QSplitter, QWidget

from guiapp.analysis.chat.hints import Hint
from guiapp.analysis.chat.messages import is_text
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.kit.document.statistics import format_duration
from guiapp.kit.prompt.spans import ChatSpans, line_of, origin_descriptions
from guiapp.kit.prompt.view import LEGEND, PromptView, TokenLine
from guiapp.kit.session.token_details import hover_text
from guiapp.kit.spans.token_menu import Kind, TokenMenu
from guiapp.kit.widgets.controls import SegmentedTabs, push_button, tool_button
from guiapp.kit.widgets.layouts import WrappingRow, framed, in_column, in_row, in_splitter
from guiapp.kit.widgets.menu_button import MenuButton
from guiapp.kit.widgets.notices import copy_text
from guiapp.kit.widgets.page_base import Page, PageSetting, UndoSteps
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, ThemeSource, plain_label
from guiapp.pages.chat.budget import BudgetStrip
from guiapp.pages.chat.compare_view import CompareView, LlamaBadge
from guiapp.pages.chat.counterpart import Counterpart, PromptComparison, PromptVariant
from guiapp.pages.chat.hint_list import HintList
from guiapp.pages.chat.message_list import MessageList
from guiapp.pages.chat.model import ChatModel, SavedConversation, as_json
from guiapp.pages.chat.template_panel import TemplatePanel

if TYPE_CHECKING:
    from guiapp.analysis.chat.chat import Chat
    from guiapp.analysis.chat.messages import Conversation

MESSAGES_PX, PROMPT_PX, TEMPLATE_PX = 300, 660, 320
LEAST_PROMPT_PX = 280  # the buttons of a hint fit side by side
WIDE_PX = 1100  # in less width, the template is hidden at first
BADGE_FROM_PX = 1060  # in less width, the badge has no room among the tools
WAYS = ("Origin", "Tokens")
LONGEST_FAILURE = 400
FORMS: dict[str, Callable[[Chat], str]] = {
    "Prompt": lambda chat: chat.text,
    "Token ids": lambda chat: json.dumps(chat.encoding.token_ids.tolist()),
    "Template": lambda chat: chat.template.text,
}
EMPTY = "Type a message on the left, or try the sample."


class ChatPage(Page):
    """Messages, prompt and template side by side."""

    legend = {"In prompts": LEGEND, **Page.legend}

    def __init__(self, setting: PageSetting) -> None:
        super().__init__()
        self.model = model = ChatModel(setting.session)
        self._saved = SavedConversation(model, setting.settings.folder)
        themes = setting.theme_source
        self.spans = ChatSpans(model, self)
        self.budget = BudgetStrip(model, themes)
        self.messages = MessageList(model, themes)
        self.hints = HintList(model, themes)
        self.prompt = PromptView(model, self.spans, themes)
        self.prompt.installEventFilter(self.messages)
        self.prompt.set_token_tip(self._describe_token)
        TokenMenu(self.prompt, self.spans, setting.requests, kind=Kind.OTHER)
        self.token_line = TokenLine(model, self.spans, setting.requests, themes)
        self.template = TemplatePanel(model, themes)
        self.counterpart = PromptComparison(model, parent=self)
        self.llama = LlamaBadge(model, themes)
        self.compare = CompareView(self.counterpart, setting)
        self._failure = plain_label("bad", wraps=True)
        self.example = push_button("Try ChatML", self.template.try_example, role="raised")
        self.template_file = push_button("Choose a file…", self.template.ask_for_file, role="raised")
        buttons = self.template_file, self.example
        problem = in_row((self._failure, 1), *buttons, margins=(MARGIN_PX, GAP_PX), spacing=GAP_PX)
        self._problem = framed(problem, "bar")
        self._shows_template: bool | None = None
        self._single = framed(in_column(self.hints, (self.prompt, 1), self.token_line, spacing=0))
        head = in_row((self._make_tools(setting), 1), margins=(GAP_PX, GAP_PX))
        parts = head, self._problem, (self._single, 1), (self.compare, 1)
        middle = framed(in_column(*parts, spacing=0), "panel")
        middle.setMinimumWidth(LEAST_PROMPT_PX)
        sizes = MESSAGES_PX, PROMPT_PX, TEMPLATE_PX
        self.splitter = in_splitter(self.messages, middle, self.template, sizes=sizes, grows=(1, 2))
        in_column(self.budget, (self.splitter, 1), on=self, spacing=0)
        self.prompt.hovered.connect(self.template.view.point_at)
        self.hints.pointed_at.connect(self._point_at)
        self.hints.keys_left.connect(self.prompt.setFocus)
        self.hints.both_requested.connect(partial(self._compare_with, Counterpart(PromptVariant.AS_TEXT)))
        self.llama.clicked.connect(partial(self._compare_with, Counterpart(PromptVariant.LLAMA_CPP)))
        self.watched.connect(self.llama.verdict.watch)
        self.counterpart.changed.connect(self._fold)
        self.compare.left.connect(partial(self._compare_with, None))
        self.template.fold.clicked.connect(partial(self.show_template, False))
        model.result_changed.connect(self._refresh)
        model.late_changed.connect(self.figures_changed)
        model.settings_changed.connect(self._refresh)
        edited = model.edited
        for changed in (edited.changed, edited.settings_changed, edited.add_special_changed):
            changed.connect(self.undo_changed)
        self._whitespace = setting.actions["whitespace"]
        self._whitespace.toggled.connect(self.prompt.set_shows_whitespace)
        self.prompt.set_shows_whitespace(self._whitespace.isChecked())
        self._refresh()
        self.setFocusProxy(self.messages.first_editor)

    @property
    def panels(self) -> list[QWidget]:
        prompt = self.prompt if self.counterpart.counterpart is None else self.compare
        sides = (self.messages, self.messages.first_editor), (self.template, self.template.view)
        messages, template = ([part] if not side.isHidden() else [] for side, part in sides)
        return [*messages, prompt, *template]

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"chat": self.splitter}

    @property
    def is_ready(self) -> bool:
        is_painted = self.prompt.is_painted and self.compare.is_painted
        return not self.model.is_busy and not self.counterpart.is_busy and is_painted

    @property
    def figures(self) -> list[str]:
        chat = self.model.chat
        if chat is None or self.model.encoding is None:
            return ["no prompt yet", ""]
        if self.model.is_late:
            return ["no prompt" if self.model.failure else "rendering …", ""]
        parts = [
            counted(len(chat.text), "character"),
            counted(len(chat.conversation.messages), "message"),
            f"rendered in {format_duration(chat.rendering.elapsed_ns)}, in a sandbox",
        ]
        shorter = [*(parts[:length] for length in (3, 2, 1)), []]
        return [counted(len(self.model.encoding), "token"), *("   ".join(each) for each in shorter)]

    @property
    def undo_steps(self) -> UndoSteps:
        edited = self.model.edited
        return UndoSteps(edited.undo if edited.can_undo else None, edited.redo if edited.can_redo else None)

    def set_text_size(self, size_px: int) -> None:
        self.prompt.set_font_px(size_px - 1)
        self.compare.links.set_font_px(size_px - 1)

    def stop(self) -> None:
        self.model.close()
        self.counterpart.close()
        self.llama.verdict.close()
        self._saved.stop()

    def _make_tools(self, setting: PageSetting) -> QWidget:
        self.ways = SegmentedTabs(WAYS)
        self.ways.chosen.connect(self._choose_way)
        self.parsed = tool_button("Parse content", self._parse, role="raised")
        self.parsed.setToolTip("Content is now encoded as text. Parse control tokens in it again")
        self.unfold = tool_button("Template", self._switch_sides, role="raised")
        self.unfold.hide()
        self.copy = CopyButton(self.model, setting.theme_source)
        buttons = self.parsed, self.unfold, self.compare.menu, self.copy
        return WrappingRow([self.ways, *buttons, self.llama])  # it appears late: last, it moves nothing

    def _compare_with(self, counterpart: Counterpart | None, *_: object) -> None:
        self.counterpart.choose(counterpart)
        (self.prompt if counterpart is None else self.compare).setFocus()

    def _choose_way(self, way: int) -> None:
        self.spans.show_by_origin(WAYS[way] == "Origin")

    def _parse(self) -> None:
        self.model.choose(replace(self.model.settings, as_text=False))

    def show_template(self, is_shown: bool) -> None:
        """Show the template, or give its room to the prompt."""
        self._shows_template = is_shown
        self._fold()

    def _switch_sides(self) -> None:
        self.show_template(self.template.isHidden())

    def show_line(self, template: str, line: int) -> None:
        """Choose one of the model's templates, and scroll to one of its lines."""
        shown = None if self.model.result is None else self.model.result.template
        if shown is None or shown.name != template:
            self.model.choose(replace(self.model.settings, template=template))
        self.counterpart.choose(None)
        self.show_template(True)
        self.template.view.go_to(template, line)
        self.template.view.setFocus()

    def show_prompt(self, conversation: Conversation, template: str | None, line: int) -> None:
        """Replace the messages, without a generation prompt, and show a line of the template."""
        settings = replace(self.model.settings, template=template, add_generation_prompt=False)
        self.model.edited.take(conversation, settings)
        self.counterpart.choose(None)
        self.show_template(True)
        self.template.view.go_to_line(line)

    def _fold(self) -> None:
        """Show the template by the user's choice, or else if there is room; two prompts need the whole width.

        If it is narrow, the template replaces the messages.
        """
        is_single = self.counterpart.counterpart is None
        self._single.setVisible(is_single)
        self.compare.setVisible(not is_single)
        self.ways.setVisible(is_single)
        self.llama.set_room(is_single and self.width() >= BADGE_FROM_PX)
        is_wide = self.width() >= WIDE_PX
        is_shown = is_wide if self._shows_template is None else self._shows_template
        is_shown = is_shown and is_single
        self.template.setVisible(is_shown)
        self.messages.setVisible(is_wide or (is_single and not is_shown))
        self.unfold.setText("Messages" if is_shown else "Template")
        self.unfold.setVisible(is_single and not (is_wide and is_shown))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.hints.set_room(self.height() // 3)
        self._fold()

    def _refresh(self) -> None:
        failure, result = self.model.failure, self.model.result
        has_none = result is not None and result.template is None
        self._failure.setText(quoted(failure, LONGEST_FAILURE))
        self._problem.setVisible(bool(failure))
        for button in (self.example, self.template_file):
            button.setVisible(has_none)
        self.prompt.set_placeholder("" if self.model.edited.messages else EMPTY)
        self.parsed.setVisible(self.model.settings.as_text)
        self.figures_changed.emit()

    def _describe_token(self, index: int) -> str:
        origin = self.model.origins[index]
        lines = (hover_text(self.spans, None, index), origin_descriptions(origin)[0], line_of(origin))
        return "\n".join(filter(None, lines))

    def _point_at(self, hint: Hint) -> None:
        if hint.tokens[0] < hint.tokens[1]:
            self.prompt.go_to(hint.tokens[0])
        elif hint.message is not None and hint.message < len(self.messages.cards):
            self.messages.cards[hint.message].editor.setFocus()


make_page = ChatPage


class CopyButton(MenuButton):
    """Lists the forms in which a conversation can be copied."""

    def __init__(self, model: ChatModel, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Copy", tip="Copy the prompt, the template or the messages")
        self._model = model
        self.fill_on_open(self._list)

    def _list(self, menu: QMenu) -> None:
        is_current = self._model.chat is not None and not self._model.failure  # of the present messages
        for title, form in FORMS.items():
            menu.addAction(title, partial(self._copy, title, form)).setEnabled(is_current)
        has_messages = bool(self._model.edited.messages)
        menu.addAction("Messages as JSON", self._copy_messages).setEnabled(has_messages)
        menu.addAction("Python for transformers", self._copy_python).setEnabled(has_messages)

    def _copy(self, title: str, form: Callable[[Chat], str]) -> None:
        if self._model.chat is not None:
            copy_text(self, form(self._model.chat), f"the {title[0].lower()}{title[1:]}")

    def _copy_messages(self) -> None:
        copy_text(self, as_json(self._model.edited.conversation), "the messages as JSON")

    def _copy_python(self) -> None:
        conversation, settings = self._model.edited.conversation, self._model.settings
        tools = None if conversation.tools is None else list(conversation.tools)
        lines = [
            "from transformers import AutoTokenizer",
            "",
            'tokenizer = AutoTokenizer.from_pretrained("…")',
            f"messages = {list(conversation.messages)!r}",
            "ids = tokenizer.apply_chat_template(",
            f"    messages, tools={tools!r}, add_generation_prompt={settings.add_generation_prompt!r},",
            *([f"    chat_template={settings.template!r},"] if is_text(settings.template or "") else []),
            ")",
        ]
        copy_text(self, "\n".join(lines) + "\n", "the Python code for transformers")
