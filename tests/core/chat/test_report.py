"""A conversation as a JSON record, which is written in parts."""

from __future__ import annotations

import json
from collections.abc import Iterator

from chat_templates import chat_here

import guiapp
from guiapp.core.chat.hints import hints
from guiapp.core.chat.report import chat_record
from guiapp.core.export.json_text import json_parts

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
