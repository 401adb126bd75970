"""Two prompts side by side: turns of the same message together, and what they have in common."""

import numpy as np
import pytest
from chat_templates import CONVERSATIONS, TEMPLATES, chat_here
from model_files import opened

import guiapp
from guiapp.analysis.chat.messages import ChatSettings
from guiapp.analysis.chat.report import ChatComparison, in_model
from guiapp.analysis.chat.templates import templates_of

PLAIN = CONVERSATIONS["plain"]


def prompt(template="concatenation", model="demo:bpe", **settings):
    return chat_here(opened(model), TEMPLATES[template], *PLAIN, **settings)


def unshared(compared):
    """What only one has, as texts."""
    chats = compared.first, compared.second
    return [
        b"".join(
            chat.encoding.text_bytes[start:end] for start, end in chat.encoding.spans[~shared].tolist()
        ).decode()
        for chat, shared in zip(chats, compared.is_shared, strict=True)
    ]


def test_of_two_templates_content_is_shared_and_what_both_write():
    compared = ChatComparison(prompt(), prompt("text between tags"))
    only_first, only_second = unshared(compared)
    assert "Be careful" not in only_first + only_second
    assert "<|im_start|>" in only_first
    assert [first.message for first, second in compared.turns if first and second] == [None, 0, 1, 2, 3]


def test_of_two_models_tokens_of_the_same_text_are_shared():
    compared = ChatComparison(prompt(), prompt(model="demo:unigram"))
    assert [(first.message, second.message) for first, second in compared.turns if first and second]
    for chat, other, shared in (
        (compared.first, compared.second, compared.is_shared[0]),
        (compared.second, compared.first, compared.is_shared[1]),
    ):
        there = {(each.message, each.start, each.end) for each in other.origins if each.kind == "content"}
        for origin, is_shared in zip(chat.origins, shared, strict=True):
            content = chat.conversation.messages[origin.message or 0]["content"]
            if origin.kind == "content" and content[origin.start : origin.end].isascii():
                assert is_shared == ((origin.message, origin.start, origin.end) in there)
    assert not np.all(compared.is_shared[0])


@pytest.mark.parametrize(
    ("model", "template", "expected"),
    [
        ("demo:toy", None, "[Why?]"),  # which has none of its own
        ("demo:toy", "<{{ messages[0].content }}>", "<Why?>"),
        ("demo:bpe", "<{{ messages[0].content }}>", "<Why?>"),
        ("demo:bpe", None, None),
    ],
)
def test_in_another_model_its_own_template_is_taken_or_else_that_of_the_chat(model, template, expected):
    chat = guiapp.chat("demo:spm", [{"role": "user", "content": "Why?"}], "[{{ messages[0].content }}]")
    other = opened(model)
    result = in_model(chat, other, ChatSettings(add_special=False), template)
    assert result.tokenizer is other
    assert result.conversation == chat.conversation
    assert not result.settings.add_special
    if expected is None:
        assert result.text == guiapp.chat(model, chat.conversation.messages).text
        assert result.template == templates_of(other.vocabulary)[0]
    else:
        assert result.text == expected
