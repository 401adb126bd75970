"""All that is said of one special token, and nothing where there is nothing to say."""

from dataclasses import replace

import pytest

from guiapp.analysis.vocabulary_list.special_tokens import TOKENIZER_KEYS, SpecialToken, TokenReach, TokenRole
from guiapp.pages.vocabulary.special_page import facts_of

PLAIN = SpecialToken(
    7,
    "<x>",
    "control",
    (),
    "",
    TokenReach.PARSED,
    b"<x>",
    "",
    "",
    False,
    (),
    in_template=False,
    is_reserved=False,
)
BASE = {
    "id": "7",
    "kind": "control",
    "from text": "its own text does while special tokens are parsed",
    "end of generation": "no",
    "in this text": "not once",
}
UNUSED = "yes, and nothing in the files uses it"
SAID = [
    ({}, {}),
    ({"kind": ""}, {"kind": None}),
    ({"reach": TokenReach.TEXT}, {"from text": "always: its own text leads to it"}),
    ({"reach": TokenReach.NEVER}, {"from text": "its own text does not lead to it"}),
    ({"mark": "special: true"}, {"the file says": "special: true"}),
    ({"affix_position": "before"}, {"around texts": "stands before each"}),
    ({"end": "its text"}, {"end of generation": "yes, from its text"}),
    ({"end": f"EOS by {TOKENIZER_KEYS}eos"}, {"end of generation": "yes, as EOS by eos"}),
    ({"is_end_like": True}, {"end of generation": "no, though it looks like one: llama.cpp goes on"}),
    (
        {"strips": ("lstrip", "rstrip")},
        {"white space": "takes the blanks before it along\ntakes the blanks behind it along"},
    ),
    ({"in_template": True}, {"chat template": "writes it"}),
    ({"is_reserved": True}, {"reserved": UNUSED}),
    (
        {"is_reserved": True, "in_template": True},
        {"chat template": "writes it", "reserved": "by its name, but it is used"},
    ),
    (
        {
            "roles": (
                TokenRole("fim_pre", "its text"),
                TokenRole("bos", "usual in files"),
                TokenRole("eos", f"{TOKENIZER_KEYS}eos"),
            )
        },
        {"role": "FIM PRE, from its text\nBOS, usual in files\nEOS, by eos"},
    ),
]


@pytest.mark.parametrize(("changes", "said"), SAID, ids=lambda each: ", ".join(each))
def test_each_fact_is_said_where_it_is_one(changes, said):
    wanted = {name: text for name, text in {**BASE, **said}.items() if text}
    assert facts_of(replace(PLAIN, **changes), True, 0) == wanted


def test_only_what_is_parsed_can_be_switched_off_and_uses_are_counted():
    off = f"{BASE['from text']}, which is switched off now"
    assert facts_of(PLAIN, False, 2) == {**BASE, "from text": off, "in this text": "2 times"}
    always = replace(PLAIN, reach=TokenReach.TEXT)
    assert facts_of(always, False, 0) == facts_of(always, True, 0)
