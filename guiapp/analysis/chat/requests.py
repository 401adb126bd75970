"""A conversation with its settings as one JSON object, named as servers name the parts of a request."""

from __future__ import annotations

import json
import re
from typing import Any

from guiapp.analysis.chat.messages import Conversation
from guiapp.analysis.chat.settings import ChatSettings
from guiapp.core.text.outside_json import read_json
from guiapp.errors import ChatError

TEMPLATE, PROMPT, VARIABLES = "chat_template", "add_generation_prompt", "chat_template_kwargs"
AS_TEXT = "content_as_text"  # no server has it
HALVES = re.compile("[\ud800-\udfff]")  # of characters, which no file can have
KINDS = {TEMPLATE: str, PROMPT: bool, VARIABLES: dict, AS_TEXT: bool}


def request_of(conversation: Conversation, settings: ChatSettings) -> str:
    """As JSON, for `conversation_of` and `settings_of`; without `add_special`, which is no template's."""
    document: dict[str, Any] = {"messages": conversation.messages, PROMPT: settings.add_generation_prompt}
    optional = {
        "tools": conversation.tools,
        TEMPLATE: settings.template,
        VARIABLES: dict(settings.variables),
        AS_TEXT: settings.as_text,
    }
    document |= {key: value for key, value in optional.items() if value}
    return HALVES.sub(lambda half: f"\\u{ord(half[0]):x}", json.dumps(document, ensure_ascii=False, indent=2))


def settings_of(request: str | bytes) -> ChatSettings:
    """Those in a request, the usual ones where it has none; raises ChatError for what cannot be one."""
    try:
        document = read_json(request)
    except ValueError:
        raise ChatError("The request is no JSON.") from None
    if not isinstance(document, dict):  # messages alone
        return ChatSettings()
    found = {key: document[key] for key in KINDS if document.get(key) is not None}
    for key, value in found.items():
        if not isinstance(value, KINDS[key]):
            raise ChatError(f"“{key}” in the request is not of the type {KINDS[key].__name__}.")
    return ChatSettings(
        found.get(TEMPLATE),
        found.get(PROMPT, True),
        as_text=found.get(AS_TEXT, False),
        variables=found.get(VARIABLES, {}),
    )
