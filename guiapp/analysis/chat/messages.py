"""Messages in OpenAI's form, as people paste them: checked once, then plain JSON; and how to encode them."""

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
AS_TEXT = "content_as_text"  # no server has it
STRINGS = {str}
HALVES = re.compile("[\ud800-\udfff]")  # of characters, which no file can have
KINDS = {TEMPLATE: str, PROMPT: bool, VARIABLES: dict, AS_TEXT: bool}
EMPTY_COMMENT = "{# +#}"  # adds nothing to what is rendered, and its plus keeps a newline behind it
MOST_MESSAGES, MOST_TOOLS, MOST_VALUES = 4_096, 1_024, 200_000
MOST_CHARACTERS = 4 << 20
MOST_DEPTH = 32
TEXT_PARTS = ("text", "input_text", "output_text", "refusal")
REASONING = ("reasoning_content", "thinking", "reasoning")

Message = dict[str, Any]


@dataclass(frozen=True)
class Conversation:
    """What a template is given.

    messages  as in the JSON, but for entries that are null, which count as missing
    tools     None where there are none
    """

    messages: tuple[Message, ...]
    tools: tuple[dict[str, Any], ...] | None = None

    def role(self, message: int) -> str:
        return str(self.messages[message]["role"])


def conversation_of(messages: object, tools: object = None, is_limited: bool = True) -> Conversation:
    """Messages that were pasted or read, or an object with `messages` and `tools`, as a request has them.

    Either may be JSON as text or bytes.  Raises ChatError with one sentence for what is none, or too much;
    unless `is_limited`, not for what can be typed message by message, though no template is given that much.
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
        is_list = type(given) is list and {*map(type, given)} <= {dict}  # as JSON has it
        return given if is_list else [dict(each) if isinstance(each, Mapping) else each for each in given]
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
    """Not deeper than JSON is written, and not more than a template could handle within its limits."""
    others, n_values, n_written = list[object](), 0, 0
    for value in values:
        if _is_plain(value):  # as most are
            n_values += 2 * len(value)
            n_written += sum(map(len, value)) + sum(map(len, value.values()))
        else:
            others.append(value)
    for text, depth in _leaves(others or [""]):
        n_values, n_written = n_values + 1, n_written + len(text)
        if depth > MOST_DEPTH:
            raise ChatError(f"The messages are nested deeper than {MOST_DEPTH} levels.")
        if is_limited and (n_written > MOST_CHARACTERS or n_values > MOST_VALUES):
            raise ChatError(
                f"The messages are too long. The limit is {MOST_CHARACTERS:,} characters in {MOST_VALUES:,} "
                "values."
            )


def _is_plain(value: Mapping[str, Any]) -> bool:
    """Whether all entries are texts."""
    return {*map(type, value), *map(type, value.values())} <= STRINGS


def _leaves(value: object) -> Iterator[tuple[str, int]]:
    """All that is not made of parts, as texts, and how deep each lies."""
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
    """A message with its reasoning under each of the names that templates read, as in `transformers`."""
    raw = next((message[key] for key in REASONING if message.get(key) is not None), None)
    return message if raw is None else {"thinking": raw, **message, "reasoning_content": raw}


def texts_of(message: Message) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Content and reasoning: which of both, the fields that templates may read it from, and the text."""
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
    """What tools, or calls of them, are about: each is {"function": {…}}, or the function itself."""
    listed = entries if isinstance(entries, list | tuple) else ()
    functions = (each.get("function", each) for each in listed if isinstance(each, dict))
    return [each for each in functions if isinstance(each, dict)]


def with_arguments(message: Message, change: Callable[[Any], Any]) -> Message:
    """A copy of a message in which the arguments of its tool calls are changed."""
    changed: Message = copy.deepcopy(message)
    for function in functions_of(changed.get("tool_calls")):
        if "arguments" in function:
            function["arguments"] = change(function["arguments"])
    return changed


def arguments_as_object(arguments: Any) -> Any:
    """Those that are an object as JSON in a text; others as they are."""
    with suppress(ValueError):
        if isinstance(arguments, str) and isinstance(value := read_json(arguments), dict):
            return value
    return arguments


def arguments_as_text(arguments: Any) -> Any:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


# How a conversation becomes tokens


def is_text(template: str) -> bool:
    """Whether a template is given as its text, rather than by a name or a file."""
    return any(mark in template for mark in ("{{", "{%", "{#"))


def marked_as_text(template: str) -> str:
    """A template's text so that `is_text` knows it for one, also where it is nothing but words."""
    return template if is_text(template) else EMPTY_COMMENT + template


@dataclass(frozen=True)
class ChatSettings:
    """What people choose besides messages and tools.

    template               a name of one of the model's, a file, or a text; None is what `transformers` takes
    add_generation_prompt  whether a turn of the assistant is begun at the end
    add_special            whether the tokenizer puts its BOS, EOS and the like around the text
    as_text                whether content stays text where it looks like a control token
    variables              what the template is given besides, such as `enable_thinking`
    """

    template: str | None = None
    add_generation_prompt: bool = True
    add_special: bool = True
    as_text: bool = False
    variables: Mapping[str, object] = field(default_factory=dict)


# A conversation with its settings as one JSON object, named as servers name the parts of a request


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
        raise ChatError("The request is not valid JSON.") from None
    if not isinstance(document, dict):  # messages alone
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
