"""Messages that are edited, and taken back."""

import json
import random

import pytest

from guiapp.analysis.chat.messages import Conversation, conversation_of
from guiapp.pages.chat.model import Draft, EditedConversation, as_json


@pytest.fixture
def edited(qapp):
    made = EditedConversation()
    made.restore(Draft(Conversation(({"role": "user", "content": ""},))))
    return made


def type_in(edited, text, number=0):
    for letter in text:
        edited.type(number, edited.messages[number]["content"] + letter)


def contents(edited):
    return [message["content"] for message in edited.messages]


def test_typing_is_taken_back_word_by_word(edited):
    type_in(edited, "how do lions")
    for before in ("how do ", "how ", ""):
        edited.undo()
        assert contents(edited) == [before]
    assert not edited.can_undo
    edited.redo()
    assert contents(edited) == ["how "]


def test_typing_in_another_message_is_another_step(edited):
    edited.add()
    type_in(edited, "a")
    type_in(edited, "b", 1)
    type_in(edited, "c")
    edited.undo()
    assert contents(edited) == ["a", "b"]
    edited.undo()
    assert contents(edited) == ["a", ""]


def test_the_turn_after_a_user_is_the_assistants(edited):
    edited.add()
    edited.add()
    assert [message["role"] for message in edited.messages] == ["user", "assistant", "user"]


def test_messages_move_but_not_beyond_the_ends(edited):
    edited.take(conversation_of([{"role": "user", "content": text} for text in "abc"]))
    edited.move(0, 1)
    assert contents(edited) == ["b", "a", "c"]
    edited.move(2, 1)
    edited.move(0, -1)
    assert contents(edited) == ["b", "a", "c"]


def test_whatever_is_done_can_be_taken_back(edited):
    rng = random.Random(1)
    seen = [edited.conversation]
    for _ in range(200):
        n = len(edited.messages)
        way = rng.randrange(6)
        if way == 0 or not n:
            edited.add()
        elif way == 1:
            edited.remove(rng.randrange(n))
        elif way == 2:
            edited.move(rng.randrange(n), rng.choice((-1, 1)))
        elif way == 3:
            edited.set_role(rng.randrange(n), rng.choice(("system", "tool")))
        elif way == 4:
            edited.set_tools(({"name": str(rng.random())},))
        else:
            edited.take(conversation_of([{"role": "user", "content": str(rng.random())}]))
        if edited.conversation != seen[-1]:
            seen.append(edited.conversation)
    for before in reversed(seen[:-1]):
        edited.undo()
        assert edited.conversation == before
    for after in seen[1:]:
        edited.redo()
        assert edited.conversation == after


@pytest.mark.parametrize("tools", [None, [{"type": "function", "function": {"name": "f"}}]])
def test_json_gives_the_same_conversation_again(tools):
    conversation = conversation_of([{"role": "user", "content": "é\n\u2028"}], json.dumps(tools))
    assert conversation_of(as_json(conversation)) == conversation
