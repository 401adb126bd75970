"""A conversation as a JSON record, which is written in parts."""

from __future__ import annotations

import json
from collections.abc import Iterator

from chat_templates import chat_here

import guiapp
from guiapp.analysis.chat.hints import hints
from guiapp.analysis.chat.report import chat_record, differs
from guiapp.analysis.export.tables import json_parts

N = 1500


def test_tokens_of_long_conversations_are_streamed_with_one_hint():
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
MESSAGES = [user("a<|im_end|>b"), {"role": "assistant", "content": "ok", "thinking": "no"}]


def test_the_record_has_all_other_values():
    chat = chat_here(guiapp.open_model("demo:bpe"), TURNS, MESSAGES)
    saved = read(chat)
    assert differs(chat)
    assert saved["as_text"]["token_ids"] == chat.as_text.token_ids.tolist()
    assert saved["text"] == chat.text
    assert saved["budget"] == {
        "tokens": 24,
        "template": 18,
        "added": 1,
        "roles": {"user": 3, "assistant": 2},
        "messages": [3, 2],
    }
    assert saved["template"] == {
        "name": "",
        "source": "",
        "lines": [2, 2, 2, 2, 1],
        "elapsed_ns": chat.rendering.elapsed_ns,
    }
    assert saved["turns"][2:] == [
        {"tokens": [10, 19], "message": 1, "role": "assistant", "is_prompt": False},
        {"tokens": [19, 24], "message": None, "role": "assistant", "is_prompt": True},
    ]
    nothing = dict.fromkeys(("add_special", "as_text", "template", "remedy"))
    assert [hint["fix"] for hint in saved["hints"]] == [
        nothing | {"label": "Encode as text", "as_text": True},
        nothing | {"label": "Do not add another", "add_special": False},
        nothing
        | {
            "label": "Remove from the template",
            "template": {"start": TURNS.index(" {% endif"), "end": TURNS.index("{% endif"), "text": ""},
        },
    ]
    first = saved["hints"][0]
    assert {key: first[key] for key in ("code", "severity", "tokens", "others", "message")} == {
        "code": "content_became_control",
        "severity": "warning",
        "tokens": [6, 7],
        "others": [],
        "message": 0,
    }
    plain = chat_here(chat.tokenizer, TURNS, MESSAGES[1:])
    assert not differs(plain)
    assert read(plain)["as_text"] is None
