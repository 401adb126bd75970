"""Messages as they are pasted: OpenAI's form is taken, and what is wrong is told in one sentence."""

import json

import pytest

from guiapp.analysis.chat.messages import (
    ChatSettings,
    conversation_of,
    request_of,
    settings_of,
)
from guiapp.errors import ChatError

USER = {"role": "user", "content": "Hello"}
TOOL = {"type": "function", "function": {"name": "add"}}


@pytest.mark.parametrize(
    "given",
    [
        [USER],
        (USER,),
        USER,
        json.dumps([USER]),
        json.dumps([USER]).encode(),
        {"model": "x", "messages": [USER]},
        [{**USER, "name": None}],
    ],
)
def test_messages_come_as_values_as_json_and_as_a_request(given):
    assert conversation_of(given).messages == (USER,)


IMAGE = {"type": "image_url", "image_url": {"url": "data:"}}
DEEP = {}
for _ in range(40):
    DEEP = {"a": DEEP}


@pytest.mark.parametrize(
    ("given", "expected_message"),
    [
        ("[", "The messages are not valid JSON"),
        ("[" * 99_999, "nested too deeply"),
        (b"\xff", "The messages are not valid JSON"),
        (5, "Messages must be a list"),
        ([], "There are no messages"),
        ([5], "Message 1 is not an object"),
        ([USER, {"content": "x"}], "Message 2 has no role"),
        ([{"role": 5}], "Message 1 has no role"),
        ([{"role": "user", "content": 5}], "The content of message 1 must be"),
        ([{"role": "user", "content": [5]}], "A part of message 1 is not an object"),
        ([{"role": "user", "content": [IMAGE]}], "Message 1 has a part of type image_url. Only text"),
        ([{"role": "user", "content": [{"type": "text"}]}], "A part of message 1 has no text"),
        ([USER] * 5000, "There are 5,000 messages"),
        ([{"role": "user", "content": "x" * (5 << 20)}], "The messages are too long"),
        ([{**USER, "more": list(range(300_000))}], "The messages are too long"),
        ([{**USER, "more": DEEP}], "nested deeper than 32 levels"),
        ({"messages": [USER], "tools": 5}, "Tools must be a list of objects"),
        ({"messages": [USER], "tools": [TOOL] * 2000}, "There are 2,000 tools"),
    ],
    ids=lambda value: None if isinstance(value, str) and len(value) < 60 else "",
)
def test_an_invalid_conversation_is_reported_in_one_sentence(given, expected_message):
    with pytest.raises(ChatError) as error:
        conversation_of(given)
    assert expected_message in str(error.value)
    assert "\n" not in str(error.value)


def nested(levels):
    value = "x"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("given", "tools", "is_taken", "is_typed"),
    [
        ([USER] * 4096, None, True, True),
        ([USER] * 4097, None, False, True),
        ([USER], [TOOL] * 1024, True, True),
        ([USER], [TOOL] * 1025, False, False),
        ([{"role": "user", "content": "x" * ((4 << 20) - 15)}], None, True, True),
        ([{"role": "user", "content": "x" * ((4 << 20) - 14)}], None, False, True),
        ([{**USER, "more": [1] * (200_000 - 5)}], None, True, True),
        ([{**USER, "more": [1] * (200_000 - 4)}], None, False, True),
        ([{**USER, "more": nested(30)}], None, True, True),
        ([{**USER, "more": nested(31)}], None, False, False),
    ],
)
def test_so_much_is_taken_and_no_more(given, tools, is_taken, is_typed):
    for is_limited, expected in ((True, is_taken), (False, is_typed)):
        if expected:
            conversation_of(given, tools, is_limited)
        else:
            with pytest.raises(ChatError):
                conversation_of(given, tools, is_limited)


@pytest.mark.parametrize("kind", ["text", "input_text", "output_text", None])
def test_texts_come_in_parts_of_any_of_these_types(kind):
    part = {"text": "a"} if kind is None else {"type": kind, "text": "a"}
    message = {"role": "user", "content": [part, {"type": "refusal", "refusal": "No."}]}
    conversation = conversation_of([message, {"role": "tool"}])
    assert conversation.messages == (message, {"role": "tool"})
    assert [conversation.role(number) for number in (0, 1)] == ["user", "tool"]


MESSAGES = [{"role": "user", "content": "Größe\n"}]
TOOLS = [{"type": "function", "function": {"name": "f"}}]


@pytest.mark.parametrize("tools", [None, TOOLS])
@pytest.mark.parametrize(
    "settings",
    [
        ChatSettings(),
        ChatSettings("tool_use", add_generation_prompt=False),
        ChatSettings(
            "{{ messages }}", as_text=True, variables={"enable_thinking": False, "names": ["a\ud800"]}
        ),
    ],
)
def test_a_request_is_read_as_it_was(tools, settings):
    conversation = conversation_of(MESSAGES, tools)
    request = request_of(conversation, settings)
    assert conversation_of(request) == conversation
    assert settings_of(request) == settings_of(request.encode()) == settings


@pytest.mark.parametrize(
    ("request_", "expected_message"),
    [
        ("{", "not valid JSON"),
        ('{"chat_template": 3}', "“chat_template” in the request must be of type str."),
        ('{"add_generation_prompt": 1}', "“add_generation_prompt” in the request must be of type bool."),
        ('{"chat_template_kwargs": []}', "“chat_template_kwargs” in the request must be of type dict."),
    ],
)
def test_an_invalid_request_is_refused(request_, expected_message):
    with pytest.raises(ChatError, match=expected_message):
        settings_of(request_)
