"""Messages in OpenAI's form, checked once and then plain JSON; and the settings to encode them."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.text.outside_json import read_json
from guiapp.errors import ChatError

TEMPLATE, PROMPT, VARIABLES = "chat_template", "add_generation_prompt", "chat_template_kwargs"
AS_TEXT = "content_as_text"  # our own: no server has it
HALVES = re.compile("[\ud800-\udfff]")  # surrogates, which UTF-8 cannot encode
KINDS = {TEMPLATE: str, PROMPT: bool, VARIABLES: dict, AS_TEXT: bool}
EMPTY_COMMENT = "{# +#}"  # renders nothing; the plus preserves a newline after it
MOST_MESSAGES, MOST_TOOLS, MOST_VALUES = 4_096, 1_024, 200_000
MOST_CHARACTERS = 4 << 20
MOST_DEPTH = 32
TEXT_PARTS = ("text", "input_text", "output_text", "refusal")
REASONING = ("reasoning_content", "thinking", "reasoning")

Message = dict[str, Any]


@dataclass(frozen=True)
class Conversation:
    """The messages and tools that a template receives.

    messages  as in the JSON, without entries that are null
    tools     None if there are none
    """

    messages: tuple[Message, ...]
    tools: tuple[dict[str, Any], ...] | None = None

    def role(self, message: int) -> str:
        return str(self.messages[message]["role"])


def conversation_of(messages: object, tools: object = None, is_limited: bool = True) -> Conversation:
    """Check messages, or an object with `messages` and `tools` such as a request.

    Either may be JSON as text or bytes.  Raises ChatError, with one sentence, if invalid or too long.
    Without `is_limited`, their number and length do not matter, for editing: no template takes that much.
    """
    raw = _plain(messages, "messages")
    if isinstance(raw, dict) and "messages" in raw:
        tools = raw.get("tools") if tools is None else tools
        raw = raw["messages"]
    if isinstance(raw, dict):
        raw = [raw]
    if not isinstance(raw, list):
        raise ChatError('Messages must be a list, such as [{"role": "user", "content": "Hello"}].')
    if not raw:
        raise ChatError("There are no messages. Give at least one.")
    if is_limited and len(raw) > MOST_MESSAGES:
        raise ChatError(f"There are {len(raw):,} messages. Give at most {MOST_MESSAGES:,}.")
    checked = tuple(_message(message, number) for number, message in enumerate(raw, 1))
    conversation = Conversation(checked, _tools(_plain(tools, "tools")))
    _check_size([*conversation.messages, *(conversation.tools or ())], is_limited)
    return conversation


def _plain(given: object, what: str) -> object:
    if isinstance(given, Sequence) and not isinstance(given, str | bytes):
        return [dict(each) if isinstance(each, Mapping) else each for each in given]
    if not isinstance(given, str | bytes):
        return given
    try:
        return read_json(given)
    except ValueError as error:
        raise ChatError(f"The {what} are not valid JSON: {quoted(str(error), 100)}.") from None


def _message(raw: object, number: int) -> Message:
    if not isinstance(raw, dict):
        raise ChatError(f'Message {number} is not an object such as {{"role": "user", "content": "Hello"}}.')
    message = {key: value for key, value in raw.items() if value is not None}
    if not isinstance(message.get("role"), str):
        raise ChatError(f'Message {number} has no role. Give it one, such as "role": "user".')
    content = message.get("content", "")
    if isinstance(content, list):
        for part in content:
            _check_part(part, number)
    elif not isinstance(content, str):
        raise ChatError(f"The content of message {number} must be a text or a list of parts.")
    return message


def _check_part(part: object, number: int) -> None:
    if not isinstance(part, dict):
        raise ChatError(
            f'A part of message {number} is not an object such as {{"type": "text", "text": "Hi"}}.'
        )
    kind = part.get("type", "text")
    if kind not in TEXT_PARTS:
        raise ChatError(
            f"Message {number} has a part of type {quoted(str(kind))}. "
            "Only text is supported: remove images, audio and other parts."
        )
    if not isinstance(part.get("text", part.get("refusal")), str):
        raise ChatError(f"A part of message {number} has no text.")


def _tools(raw: object) -> tuple[dict[str, Any], ...] | None:
    if raw is None or raw == []:
        return None
    if not isinstance(raw, list) or not all(isinstance(tool, dict) for tool in raw):
        raise ChatError('Tools must be a list of objects, such as [{"type": "function", "function": {…}}].')
    if len(raw) > MOST_TOOLS:
        raise ChatError(f"There are {len(raw):,} tools. Give at most {MOST_TOOLS:,}.")
    return tuple(raw)


def _check_size(values: list[dict[str, Any]], is_limited: bool) -> None:
    """Raise ChatError for values nested too deeply, or for more than a template could handle."""
    n_values = n_written = 0
    for text, depth in _leaves(values):
        n_values, n_written = n_values + 1, n_written + len(text)
        if depth > MOST_DEPTH:
            raise ChatError(f"The messages are nested deeper than {MOST_DEPTH} levels.")
        if is_limited and (n_written > MOST_CHARACTERS or n_values > MOST_VALUES):
            raise ChatError(
                f"The messages are too long. The limit is {MOST_CHARACTERS:,} characters in {MOST_VALUES:,} "
                "values."
            )


def _leaves(value: object) -> Iterator[tuple[str, int]]:
    """All values that are no list or dict, as text ("" unless a string), each with its depth."""
    todo: list[tuple[object, int]] = [(value, 0)]
    while todo:
        value, depth = todo.pop()
        if depth > MOST_DEPTH or not isinstance(value, dict | list):
            yield value if isinstance(value, str) else "", depth
        elif isinstance(value, dict):
            todo += [(each, depth + 1) for entry in value.items() for each in entry]
        else:
            todo += [(each, depth + 1) for each in value]


def with_reasoning(message: Message) -> Message:
    """A message with its reasoning under all names that templates read, as in `transformers`."""
    raw = next((message[key] for key in REASONING if message.get(key) is not None), None)
    return message if raw is None else {"thinking": raw, **message, "reasoning_content": raw}


def texts_of(message: Message) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Content and reasoning: each with its name, the fields that templates may read it from, and the text."""
    content = message.get("content", "")
    for row, part in enumerate(content if isinstance(content, list) else []):
        key = "text" if "text" in part else "refusal"
        yield "content", (f"content[{row}].{key}", "content"), part[key]
    if isinstance(content, str):
        yield "content", ("content",), content
    reasoning = next((message[key] for key in REASONING if key in message), None)
    if isinstance(reasoning, str):
        yield "reasoning", REASONING, reasoning


def functions_of(entries: object) -> list[dict[str, Any]]:
    """The functions of tools or of tool calls: each entry is {"function": {…}}, or the function itself."""
    listed = entries if isinstance(entries, list | tuple) else ()
    functions = (each.get("function", each) for each in listed if isinstance(each, dict))
    return [each for each in functions if isinstance(each, dict)]


def with_arguments(message: Message, change: Callable[[Any], Any]) -> Message:
    """A copy of a message with `change` applied to the arguments of its tool calls."""
    changed: Message = copy.deepcopy(message)
    for function in functions_of(changed.get("tool_calls")):
        if "arguments" in function:
            function["arguments"] = change(function["arguments"])
    return changed


def arguments_as_object(arguments: Any) -> Any:
    """Parse arguments that are a JSON object in a string; return others unchanged."""
    with suppress(ValueError):
        if isinstance(arguments, str) and isinstance(value := read_json(arguments), dict):
            return value
    return arguments


def arguments_as_text(arguments: Any) -> Any:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


# The settings of rendering and encoding


def is_text(template: str) -> bool:
    """Whether this is the text of a template rather than a name or a file."""
    return any(mark in template for mark in ("{{", "{%", "{#"))


def marked_as_text(template: str) -> str:
    """A template's text that `is_text` recognizes, even if it consists of words only."""
    return template if is_text(template) else EMPTY_COMMENT + template


@dataclass(frozen=True)
class ChatSettings:
    """The user's choices other than messages and tools.

    template               the name of a template of the model, a file, or a text; None as in `transformers`
    add_generation_prompt  whether to begin a turn of the assistant at the end
    add_special            whether the tokenizer adds its BOS, EOS and the like to the text
    as_text                whether content stays text even if it looks like a control token
    variables              more that the template receives, such as `enable_thinking`
    """

    template: str | None = None
    add_generation_prompt: bool = True
    add_special: bool = True
    as_text: bool = False
    variables: Mapping[str, object] = field(default_factory=dict)


# A conversation with its settings as one JSON object, with the names of a server's request


def request_of(conversation: Conversation, settings: ChatSettings) -> str:
    """The JSON that `conversation_of` and `settings_of` read; `add_special` is not in it."""
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
    """The settings in a request, with defaults for missing ones.  Raises ChatError if it is invalid."""
    try:
        document = read_json(request)
    except ValueError:
        raise ChatError("The request is not valid JSON.") from None
    if not isinstance(document, dict):  # only messages
        return ChatSettings()
    found = {key: document[key] for key in KINDS if document.get(key) is not None}
    for key, value in found.items():
        if not isinstance(value, KINDS[key]):
            raise ChatError(f"“{key}” in the request must be of type {KINDS[key].__name__}.")
    return ChatSettings(
        found.get(TEMPLATE),
        found.get(PROMPT, True),
        as_text=found.get(AS_TEXT, False),
        variables=found.get(VARIABLES, {}),
    )
