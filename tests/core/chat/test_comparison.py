"""Two prompts side by side: turns of the same message together, and what they have in common."""

import numpy as np
import pytest
from chat_templates import CONVERSATIONS, TEMPLATES, chat_here

import guiapp
from guiapp.core.chat import comparison
from guiapp.core.chat.comparison import ChatComparison

PLAIN = CONVERSATIONS["plain"]


def prompt(template="concatenation", model="demo:bpe", **settings):
    return chat_here(guiapp.open_model(model), TEMPLATES[template], *PLAIN, **settings)


def unshared(compared):
    """What only one has, as texts."""
    chats = compared.first, compared.second
    return [
        b"".join(
            chat.encoding.text_bytes[start:end] for start, end in chat.encoding.spans[~shared].tolist()
        ).decode()
        for chat, shared in zip(chats, compared.is_shared, strict=True)
    ]


def test_a_prompt_has_all_in_common_with_itself():
    compared = ChatComparison(prompt(), prompt())
    assert compared.has_same_ids
    assert all(first == second for first, second in compared.turns)
    assert unshared(compared) == ["", ""]
    assert all(first == second for _, first, second in compared.counts)


def test_without_a_generation_prompt_only_that_is_missing():
    first = prompt()
    compared = ChatComparison(first, prompt(prompt=False))
    assert [turn.is_prompt for turn, other in compared.turns if other is None] == [True]
    assert unshared(compared) == ["<|im_start|>assistant\n", ""]
    differences = {name: one - other for name, one, other in compared.counts if one != other}
    assert differences == {"template": (~compared.is_shared[0]).sum()}


@pytest.mark.parametrize("most", [comparison.MOST_PAIRS, 0])
def test_of_two_templates_content_is_shared_and_what_both_write(monkeypatch, most):
    monkeypatch.setattr(comparison, "MOST_PAIRS", most)
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


def test_each_token_counts_once():
    compared = ChatComparison(prompt(), prompt("text between tags", "demo:spm"))
    totals = [sum(column) for column in list(zip(*compared.counts, strict=True))[1:]]
    assert totals == [len(compared.first.encoding), len(compared.second.encoding)]
