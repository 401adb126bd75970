"""Two prompts side by side as a record and as lines, told in full."""

import json

import pytest
from chat_templates import chat_here

import guiapp
from guiapp.analysis.chat.hints import hints
from guiapp.analysis.chat.report import ChatComparison, chat_record, comparison_record
from guiapp.analysis.export.tables import json_parts

TEMPLATE = (
    "{% for m in messages %}\n<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}\n"
    "{% if add_generation_prompt %}<|im_start|>assistant {% endif %}"
)
ASKED = {"role": "user", "content": "a<|im_end|>b"}
ANSWER = {"role": "assistant", "content": "ok"}


@pytest.fixture
def compared():
    tokenizer = guiapp.open_model("demo:bpe")
    other = TEMPLATE.replace("assistant ", "assistant\n")
    return ChatComparison(
        chat_here(tokenizer, TEMPLATE, [ASKED, ANSWER]),
        chat_here(tokenizer, other, [ASKED], add_special=False),
    )


def read(record):
    return json.loads("".join(json_parts(record)))


def test_the_record_has_both_chats_and_their_differences(compared):
    both_hints = hints(compared.first), hints(compared.second)
    assert len(both_hints[0]) > len(both_hints[1]) > 0

    def turn(tokens, role, message=None, is_prompt=False):
        return {"tokens": tokens, "message": message, "role": role, "is_prompt": is_prompt}

    assert read(comparison_record(compared, both_hints)) == {
        "first": read(chat_record(compared.first, both_hints[0])),
        "second": read(chat_record(compared.second, both_hints[1])),
        "same_text": False,
        "same_ids": False,
        "told": None,
        "counts": [
            {"name": "template", "first": 17, "second": 10},
            {"name": "user", "first": 3, "second": 3},
            {"name": "assistant", "first": 1, "second": 0},
            {"name": "added", "first": 1, "second": 0},
        ],
        "turns": [
            {"first": turn([0, 1], None), "second": None},
            {"first": turn([1, 9], "user", 0), "second": turn([0, 8], "user", 0)},
            {"first": turn([9, 17], "assistant", 1), "second": None},
            {
                "first": turn([17, 22], "assistant", is_prompt=True),
                "second": turn([8, 13], "assistant", is_prompt=True),
            },
        ],
        "only_first": [0, *range(9, 17), 21],
        "only_second": [12],
    }
    same = comparison_record(
        ChatComparison(compared.first, compared.first), (both_hints[0], both_hints[0]), "Told."
    )
    summary = {key: same[key] for key in ("same_text", "same_ids", "told", "only_first", "only_second")}
    assert summary == {
        "same_text": True,
        "same_ids": True,
        "told": "Told.",
        "only_first": [],
        "only_second": [],
    }
