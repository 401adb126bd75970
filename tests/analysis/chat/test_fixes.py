"""Fixes change what they say, and nothing else."""

import pytest

from guiapp.analysis.chat.hints import Edit, Fix, TemplateEdit, apply_fix, text_of
from guiapp.analysis.chat.messages import ChatSettings, conversation_of
from guiapp.analysis.chat.templates import ChatTemplate

CALL = {"function": {"name": "add", "arguments": {"a.b": "one", "a": {"b": "two"}, "c": ["x", "three"]}}}
MESSAGES = [
    {"role": "user", "content": [{"type": "text", "text": "zero"}]},
    {"role": "assistant", "content": "four", "tool_calls": [CALL]},
]
TEMPLATE = ChatTemplate("default", "{{ messages }}", "")
ARGUMENTS = "tool_calls[0].function.arguments"


@pytest.mark.parametrize(
    ("message", "field", "text"),
    [
        (0, "content[0].text", "zero"),
        (1, "content", "four"),
        (1, f"{ARGUMENTS}.a.b", "one"),
        (1, f"{ARGUMENTS}.c[1]", "three"),
    ],
)
def test_an_edit_replaces_the_characters_of_its_field_in_a_copy(message, field, text):
    conversation, settings = conversation_of(MESSAGES), ChatSettings()
    edit = Edit(message, field, 1, 3, "🦄")
    assert text_of(conversation, edit) == text
    changed, same = apply_fix(conversation, settings, TEMPLATE, Fix("Replace", edit=edit))
    assert text_of(changed, edit._replace(end=2)) == f"{text[0]}🦄{text[3:]}"
    assert same == settings
    assert conversation == conversation_of(MESSAGES)
    assert changed.messages[1 - message] == conversation.messages[1 - message]
    back, _ = apply_fix(changed, settings, TEMPLATE, Fix("", edit=Edit(message, field, 1, 2, text[1:3])))
    assert back == conversation


@pytest.mark.parametrize(
    "edit",
    [
        Edit(2, "content", 0, 1, ""),
        Edit(0, "content", 0, 1, ""),
        Edit(1, "content", 0, 9, ""),
        Edit(1, "tool_calls[1].function", 0, 1, ""),
        Edit(1, "content.more", 0, 1, ""),
    ],
)
def test_an_edit_of_what_has_gone_changes_nothing(edit):
    conversation = conversation_of(MESSAGES)
    assert text_of(conversation, edit) is None
    assert apply_fix(conversation, ChatSettings(), TEMPLATE, Fix("Replace", edit=edit))[0] == conversation


def test_other_fixes_change_settings():
    conversation, settings = conversation_of(MESSAGES), ChatSettings("x", variables={"a": 1})
    assert apply_fix(conversation, settings, TEMPLATE, Fix("", add_special=False)) == (
        conversation, ChatSettings("x", add_special=False, variables={"a": 1})
    )  # fmt: skip
    assert apply_fix(conversation, settings, TEMPLATE, Fix("", as_text=True))[1].as_text
    fix = Fix("", template=TemplateEdit(3, 11, "tools"))
    assert apply_fix(conversation, settings, TEMPLATE, fix)[1].template == "{{ tools }}"
