"""Tokens by turn: they tile the prompt, and headers and ends are with the content that they are for."""

from itertools import product

import pytest
from chat_templates import CONVERSATIONS, TEMPLATES, chat_here
from model_files import opened

import guiapp

SYSTEM, USER = {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}
ASSISTANT, EMPTY = {"role": "assistant", "content": "Hello"}, {"role": "assistant", "content": ""}
S, E = "<|im_start|>", "<|im_end|>\n"
IN_LOOP = "{% for m in messages %}" + S + "{{ m.role }}\n{{ m.content }}" + E + "{% endfor %}"
PROMPT = "{% if add_generation_prompt %}" + S + "assistant\n{% endif %}"


def texts(chat):
    """Of each turn; of the tokenizer's own tokens "+"."""
    spans, text = chat.encoding.spans.tolist(), chat.encoding.text_bytes
    turns = [(turn, spans[turn.start][0], spans[turn.end - 1][1]) for turn in chat.turns]
    return [
        ("prompt" if turn.is_prompt else turn.message, text[start:end].decode()) for turn, start, end in turns
    ]


@pytest.mark.parametrize(
    ("template", "messages", "expected"),
    [
        (
            "{{ bos_token }}" + IN_LOOP + PROMPT,
            [USER, ASSISTANT],
            [
                (None, "<|begin_of_text|>"),
                (0, f"{S}user\nHi{E}"),
                (1, f"{S}assistant\nHello{E}"),
                ("prompt", f"{S}assistant\n"),
            ],
        ),
        (  # the system message outside the loop
            f"{S}system\n{{{{ messages[0].content }}}}{E}" + IN_LOOP.replace("messages", "messages[1:]"),
            [SYSTEM, USER],
            [(0, f"{S}system\nBe brief.{E}"), (1, f"{S}user\nHi{E}")],
        ),
        (  # one of the template's own, written when the loop is at the first message
            IN_LOOP.replace("%}", "%}{% if loop.first %}" + f"{S}system\nHelp.{E}" + "{% endif %}", 1),
            [USER, EMPTY],
            [(None, f"{S}system\nHelp.{E}"), (0, f"{S}user\nHi{E}"), (1, f"{S}assistant\n{E}")],
        ),
        (
            IN_LOOP.replace("%}", "%}{% if loop.first %}" + f"{S}system\nHelp.{E}" + "{% endif %}", 1),
            [EMPTY, USER],
            [(None, f"{S}system\nHelp.{E}"), (0, f"{S}assistant\n{E}"), (1, f"{S}user\nHi{E}")],
        ),
        (  # one within the other
            "[INST] <<{{ messages[0].content }}>>\n{{ messages[1].content }} [/INST]",
            [SYSTEM, USER],
            [(0, "[INST] <<Be brief."), (1, ">>\nHi [/INST]")],
        ),
        ("nothing", [USER], [(None, "nothing")]),
        ("", [USER], []),
    ],
)
def test_headers_and_ends_are_with_their_content(template, messages, expected):
    chat = chat_here(guiapp.open_model("demo:bpe"), template.replace("\n{%", "\n{%"), messages)
    assert texts(chat)[1:] == [(message, text) for message, text in expected if text != "<|begin_of_text|>"]


@pytest.mark.parametrize(
    ("model", "name"),
    [
        *product(["demo:bpe"], CONVERSATIONS),
        *product(["demo:spm", "demo:wordpiece"], ["tools", "several system messages"]),
    ],
)
def test_turns_tile_the_prompt_and_have_the_content_of_their_message_only(model, name):
    tokenizer = opened(model)
    for template in TEMPLATES.values():
        try:
            chat = chat_here(tokenizer, template, *CONVERSATIONS[name])
        except KeyError:  # what this template does not take
            continue
        ends = [0, *(turn.end for turn in chat.turns)]
        assert [turn.start for turn in chat.turns] == ends[:-1]
        assert ends[-1] == len(chat.encoding)
        for turn in chat.turns:
            for origin in chat.origins[turn.start : turn.end]:
                assert not origin.is_content or origin.message in (turn.message, None)
            assert turn.message is None or turn.role == chat.conversation.role(turn.message)
