"""What can be copied of a conversation."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from guiapp.analysis.chat.messages import is_text
from guiapp.kit.widgets.menu_button import MenuButton
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.chat.edited_conversation import as_json
from guiapp.pages.chat.model import ChatModel


class CopyButton(MenuButton):
    """Lists the forms."""

    def __init__(self, model: ChatModel, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Copy", tip="Copy the prompt, the template or the messages")
        self._model = model
        self.fill_on_open(self._list)

    def _list(self, menu: QMenu) -> None:
        forms: tuple[tuple[str, Callable[[], str], bool], ...] = (
            ("Prompt", self._prompt, self._model.chat is not None),
            ("Token ids", self._ids, self._model.chat is not None),
            ("Template", self._template, self._model.chat is not None),
            ("Messages as JSON", self._messages, bool(self._model.edited.messages)),
            ("Python for transformers", self._python, bool(self._model.edited.messages)),
        )
        for title, form, is_there in forms:
            menu.addAction(title, partial(_copy, form)).setEnabled(is_there)

    def _prompt(self) -> str:
        return "" if self._model.chat is None else self._model.chat.text

    def _ids(self) -> str:
        encoding = self._model.encoding
        return json.dumps([] if encoding is None else encoding.token_ids.tolist())

    def _template(self) -> str:
        return "" if self._model.chat is None else self._model.chat.template.text

    def _messages(self) -> str:
        return as_json(self._model.edited.conversation)

    def _python(self) -> str:
        conversation, settings = self._model.edited.conversation, self._model.settings
        given = settings.template
        lines = [
            "from transformers import AutoTokenizer",
            "",
            'tokenizer = AutoTokenizer.from_pretrained("…")',
            f"messages = {list(conversation.messages)!r}",
            f"tools = {None if conversation.tools is None else list(conversation.tools)!r}",
            "ids = tokenizer.apply_chat_template(",
            f"    messages, tools=tools, add_generation_prompt={settings.add_generation_prompt!r}",
            *([f"    chat_template={given!r},"] if given is not None and is_text(given) else []),
            ")",
        ]
        return "\n".join(lines) + "\n"


def _copy(form: Callable[[], str]) -> None:
    QGuiApplication.clipboard().setText(form())
