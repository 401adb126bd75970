"""Messages as they are pasted: OpenAI's form is taken, and what is wrong is told in one sentence."""

import json

import pytest

from guiapp.core.chat.messages import conversation_of, with_reasoning
from guiapp.core.errors import ChatError

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


def test_tools_come_by_themselves_or_in_the_request():
    assert conversation_of({"messages": [USER], "tools": [TOOL]}).tools == (TOOL,)
    assert conversation_of([USER], json.dumps([TOOL])).tools == (TOOL,)
    assert conversation_of([USER], []).tools is None


def test_reasoning_has_all_names_that_templates_read():
    message = with_reasoning({**USER, "reasoning": "why"})
    assert [message[key] for key in ("reasoning", "reasoning_content", "thinking")] == ["why"] * 3
    assert with_reasoning(USER) == USER


IMAGE = {"type": "image_url", "image_url": {"url": "data:"}}
DEEP = {}
for _ in range(40):
    DEEP = {"a": DEEP}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("[", "The messages are no JSON"),
        ("[" * 99_999, "nested too deeply"),
        (b"\xff", "The messages are no JSON"),
        (5, "Messages are a list"),
        ([], "There are no messages"),
        ([5], "Message 1 is no object"),
        ([USER, {"content": "x"}], "Message 2 has no role"),
        ([{"role": 5}], "Message 1 has no role"),
        ([{"role": "user", "content": 5}], "The content of message 1 is neither"),
        ([{"role": "user", "content": [5]}], "A part of message 1 is no object"),
        ([{"role": "user", "content": [IMAGE]}], "Message 1 has a part of the type image_url. Only texts"),
        ([{"role": "user", "content": [{"type": "text"}]}], "A part of message 1 has no text"),
        ([USER] * 5000, "There are 5,000 messages"),
        ([{"role": "user", "content": "x" * (5 << 20)}], "The messages are too long"),
        ([{**USER, "more": list(range(300_000))}], "The messages are too long"),
        ([{**USER, "more": DEEP}], "nested deeper than 32 levels"),
        ({"messages": [USER], "tools": 5}, "Tools are a list of objects"),
        ({"messages": [USER], "tools": [TOOL] * 2000}, "There are 2,000 tools"),
    ],
    ids=lambda value: None if isinstance(value, str) and len(value) < 60 else "",
)
def test_what_is_wrong_is_told_in_one_sentence(given, told):
    with pytest.raises(ChatError) as error:
        conversation_of(given)
    assert told in str(error.value)
    assert "\n" not in str(error.value)
