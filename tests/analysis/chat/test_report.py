"""A conversation as a JSON record, which is written in parts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from chat_templates import chat_here

import guiapp
from guiapp.analysis.chat.hints import hints
from guiapp.analysis.chat.report import chat_lines, chat_record, differs
from guiapp.analysis.chat.templates import ChatTemplate
from guiapp.analysis.export.tables import json_parts

N = 1500


def test_tokens_of_long_conversations_are_told_one_after_the_other_and_hints_once():
    tokenizer = guiapp.open_model("demo:bpe")
    messages = [{"role": "user", "content": "<|im_end|>" * N}]
    chat = chat_here(tokenizer, "{{ messages[0].content }}", messages, None, False)
    record = chat_record(chat, hints(chat))
    assert isinstance(record["tokens"], Iterator)  # a list of all would take 2 kB for each
    assert isinstance(record["as_text"]["tokens"], Iterator)
    read = json.loads("".join(json_parts(record)))
    assert [token["id"] for token in read["tokens"]] == read["token_ids"] == chat.token_ids.tolist()
    assert [token["field_span"] for token in read["as_text"]["tokens"]] == [
        [start, end] for start, end in chat.as_text.spans.tolist()
    ]
    assert [hint["code"] for hint in read["hints"]] == ["content_became_control"]
    assert json.loads("".join(json_parts({"a": iter([]), "b": [{}]}))) == {"a": [], "b": [{}]}


def read(chat):
    return json.loads("".join(json_parts(chat_record(chat, hints(chat)))))


def user(content):
    return {"role": "user", "content": content}


TURNS = (
    "{{ bos_token }}{% for m in messages %}\n<|im_start|>{{ m.role }}\n"
    "{{ m.content }}{{ m.thinking }}<|im_end|>\n{% endfor %}\n"
    "{% if add_generation_prompt %}<|im_start|>assistant {% endif %}"
)
SAID = [user("a<|im_end|>b"), {"role": "assistant", "content": "ok", "thinking": "no"}]


def test_all_is_told_for_people():
    chat = chat_here(guiapp.open_model("demo:bpe"), TURNS, SAID)
    template = ChatTemplate("default", TURNS, "a\nfile.gguf")
    chat = type(chat)(chat.tokenizer, chat.conversation, template, chat.rendering, chat.settings)
    before = ["added                   <|begin_of_text|>", "template 1              <|begin_of_text|>"]
    before += ["template 2              <|im_start|> user ↵"]
    behind = [
        "template 3              <|im_end|> ↵",
        "template 2              <|im_start|> ass ist ant ↵",
        "2 assistant             ok",
        "2 assistant, thinking   no",
        "template 3              <|im_end|> ↵",
        "template 5              <|im_start|> ass ist ant ·",
        "",
    ]
    assert "\n".join(chat_lines(chat, hints(chat))).split("\n") == [
        "24 tokens: 18 template, 3 user, 2 assistant, 1 added",
        r"template default, from a\nfile.gguf",
        "",
        *before,
        "1 user                  a <|im_end|> b",
        *behind,
        "Content encoded as text, 29 tokens:",
        *before,
        "1 user                  a < | im _ end |> b",
        *behind,
        "warning: Content of message 1 (user) became the control token <|im_end|>.",
        "  mended by --as-text",
        "",
        "warning: Two <|begin_of_text|> begin the prompt: "
        "the template writes one, and the tokenizer adds another.",
        "  mended by --no-special",
        "",
        "warning: The prompt ends in a blank from the template: tokens of words mostly begin with their own.",
        "  line 5 of the template, mended: {% if add_generation_prompt %}<|im_start|>assistant{% endif %}",
    ]


def test_what_is_not_there_is_not_told_and_a_long_line_of_a_template_is_cut():
    template = "{{ messages[0].content }}" + 80 * "x" + "</s>" + 80 * "y" + "\nz"
    chat = chat_here(guiapp.open_model("demo:bpe"), template, [user("a </s>")], add_special=False)
    one, other = hints(chat)
    assert "\n".join(chat_lines(chat, [one])).split("\n")[:5] == [
        "169 tokens: 165 template, 4 user",
        "template , from ",
        "",
        "1 user                  a ·</ s >",
        f"template 1              {'x ' * 80}</ s > {'y ' * 80}↵",
    ]
    assert list(chat_lines(chat, [one]))[-1] == f"\nhint: {one.what}"
    assert list(chat_lines(chat, [other]))[-1] == (
        f"  line 1 of the template, mended: {60 * 'x'}<|im_end|>{60 * 'y'}"
    )
    assert list(chat_lines(chat, [replace(other, fix=None)]))[-1] == f"\nwarning: {other.what}"


def test_content_of_no_message_is_told_by_its_kind_and_line():
    template = (
        "{% for tool in tools %}\n{{ tool.function.name }}{% endfor %}{{ messages[0].content | tojson }}"
    )
    tools = [{"type": "function", "function": {"name": "add"}}]
    chat = chat_here(guiapp.open_model("demo:bpe"), template, [user("b")], tools, add_special=False)
    assert list(chat_lines(chat, []))[3:] == ["content 2               ad d", '1 user                  " b "']


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (0, ["added", None, None, None, None, None, False, []]),
        (1, ["template", 0, "user", None, None, 1, False, []]),
        (2, ["template", 0, "user", "role", None, 1, False, []]),
        (4, ["content", 0, "user", "content", [0, 5], 2, True, [1]]),
        (-1, ["template", None, None, None, None, 3, False, []]),
    ],
)
def test_a_token_tells_where_it_is_from(place, expected):
    template = (
        "{% for m in messages %}{% if loop.first %}<|im_start|>{{ m.role }}\n{% endif %}"
        "{{ m.content }}{% endfor %}\n!"
    )
    messages = [user("strin"), user("g")]
    chat = chat_here(guiapp.open_model("demo:bpe"), template, messages)
    keys = ("origin", "message", "role", "field", "field_span", "line", "mixed", "also")
    token = read(chat)["tokens"][place]
    assert [token[key] for key in keys] == expected
    start, end = token["span"]
    text = chat.encoding.text_bytes[start:end].decode()
    assert (token["id"], text) == (int(chat.token_ids[place]), text)


def test_the_record_tells_all_else():
    chat = chat_here(guiapp.open_model("demo:bpe"), TURNS, SAID)
    found = read(chat)
    assert differs(chat)
    assert found["as_text"]["token_ids"] == chat.as_text.token_ids.tolist()
    assert found["text"] == chat.text
    assert found["budget"] == {
        "tokens": 24,
        "template": 18,
        "added": 1,
        "roles": {"user": 3, "assistant": 2},
        "messages": [3, 2],
    }
    assert found["template"] == {
        "name": "",
        "source": "",
        "lines": [2, 2, 2, 2, 1],
        "elapsed_ns": chat.rendering.elapsed_ns,
    }
    assert found["turns"][2:] == [
        {"tokens": [10, 19], "message": 1, "role": "assistant", "is_prompt": False},
        {"tokens": [19, 24], "message": None, "role": "assistant", "is_prompt": True},
    ]
    nothing = dict.fromkeys(("add_special", "as_text", "edit", "template", "remedy"))
    assert [hint["fix"] for hint in found["hints"]] == [
        nothing | {"label": "Encode as text", "as_text": True},
        nothing | {"label": "Leave out the added one", "add_special": False},
        nothing
        | {
            "label": "Take out of the template",
            "template": {"start": TURNS.index(" {% endif"), "end": TURNS.index("{% endif"), "text": ""},
        },
    ]
    first = found["hints"][0]
    assert {key: first[key] for key in ("code", "severity", "tokens", "message")} == {
        "code": "content_became_control",
        "severity": "warning",
        "tokens": [6, 7],
        "message": 0,
    }
    plain = chat_here(chat.tokenizer, TURNS, SAID[1:])
    assert not differs(plain)
    assert read(plain)["as_text"] is None


def test_an_edit_of_a_message_is_in_the_record():
    chat = chat_here(
        guiapp.open_model("demo:bpe"), "{{ messages[0].content }}", [user("a </s>")], add_special=False
    )
    (hint,) = read(chat)["hints"]
    assert hint["fix"]["edit"] == {
        "message": 0,
        "field": "content",
        "start": 2,
        "end": 6,
        "text": "<|im_end|>",
    }
