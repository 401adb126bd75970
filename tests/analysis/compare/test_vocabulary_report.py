"""All that is told of two small vocabularies that differ in everything: tables, record and CSV in full."""

import json
from dataclasses import replace
from hashlib import sha256
from types import SimpleNamespace

import numpy as np
import pytest
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.compare.settings import ComparedSetting, Wording, described, settings_of
from guiapp.analysis.compare.vocabularies import compare_vocabularies
from guiapp.analysis.compare.vocabulary_report import csv_rows, csv_text, page_text, record, tables, verdict
from guiapp.analysis.tree.picture import SCRIPT_NAMES
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds, VocabType

CONTROL = Attribute.CONTROL
COMMON = {"<s>": CONTROL, "</s>": CONTROL}
FIRST = {"a": 0.0, "b": 0.0, "c": 0.0, "ab": 0.0, "bc": 0.0, "abc": 0.0} | COMMON
SECOND = {"b": 0.0, "a": 0.0, "c": 0.0, "ab": Attribute.USER_DEFINED, "bc": 0.0, "ca": 0.0, "cc": 0.0}
SECOND |= {"<s>": CONTROL | Attribute.LSTRIP, "</s>": CONTROL}


def bpe(tokens, merges, roles, eog, **changes):
    vocabulary = toy_vocabulary(tokens, VocabType.BPE, merges, Rules(byte_encoding=True), roles, eog=eog)
    return Tokenizer(replace(vocabulary, **changes))


@pytest.fixture(scope="module")
def found():
    first = bpe(FIRST, ("a b", "b c", "ab c", "a bc"), SpecialIds(bos=6, eos=7, sep=2), [7])
    roles = SpecialIds(bos=7, eos=7, sep=2, pad=99)
    second = bpe(SECOND, ("b c", "a b", "c c", "c a"), roles, [8, 99], pre="qwen2")
    return compare_vocabularies(first, second)


NAMED = ("A", "B")
VERDICT = (
    "Not identical: tokens only in A 1, tokens only in B 2, tokens with another id 4, "
    "tokens of another kind 1, "
    "tokens searched for otherwise 1, merges only in A 2, merges only in B 2, merges in another order 1, "
    "roles of special tokens 3, rules 2."
)


def test_tables_list_the_first_of_each_kind(found):
    told = {table.title: table.rows for table in tables(found, NAMED, 1)}
    assert list(told)[-1] == "Tokens by script"
    assert told.pop("Tokens by script")[:3] == [
        ["", "in both", "only in A", "only in B"],
        ["Latin", "5", "1", "2"],
        ["Bytes of characters", "0", "0", "0"],
    ]
    assert told == {
        "Counts": [
            ["", "A", "B"],
            ["type", "BPE", "BPE"],
            ["tokens", "8", "9"],
            ["in both", "7", "7"],
            ["only here", "1", "2"],
            ["with another id", "4", "4"],
            ["of another kind", "1", "1"],
            ["searched for otherwise", "1", "1"],
            ["with another score", "0", "0"],
            ["merge rules", "4", "4"],
            ["merge rules only here", "2", "2"],
            ["merge rules in another order", "1", "1"],
        ],
        "Tokens that differ, the first of each kind": [
            ["", "text", "id", "id", "kind", "kind", "score", "score"],
            ["only in A", "abc", "5", "", "normal", "", "0", ""],
            ["only in B", "ca", "", "5", "", "normal", "", "0"],
            ["other kind", "ab", "3", "3", "normal", "user-defined", "0", "0"],
            ["searched for otherwise, other id", "<s>", "6", "7", "control", "control", "0", "0"],
            ["other id", "a", "0", "1", "normal", "normal", "0", "0"],
        ],
        "Merge rules that differ, the first of each kind": [
            ["", "rule", "place", "place"],
            ["only in A", "ab + c", "2", ""],
            ["only in B", "c + c", "", "2"],
            ["in another order", "a + b", "0", "1"],
        ],
        "Roles of special tokens that differ": [
            ["", "A", "B"],
            ["bos", "6 <s>", "7 <s>"],
            ["eos", "7 </s>", "7 <s>"],
            ["pad", "–", "99 ?"],
        ],
        "Rules that differ": [
            ["", "A", "B"],
            ["ends a generation", "7 </s>", "8 </s>, 99 ?"],
            ["pre-tokenizer", "llama-bpe", "qwen2"],
        ],
    }


def test_a_page_has_the_verdict_and_the_first_four_of_each_kind(found):
    page = page_text(found, NAMED, is_markdown=True)
    assert verdict(found, NAMED) == VERDICT
    assert page.startswith(VERDICT) or VERDICT in page.splitlines()
    for table in tables(found, NAMED, 4):
        assert table.title in page
    assert page != page_text(found, NAMED, is_markdown=False)


def test_the_record_has_all(found):
    told = json.loads(json.dumps(record(found, NAMED)))
    rules = {rule["name"]: rule for rule in told.pop("rules")}
    lengths = told.pop("lengths")
    assert lengths[:5] == [[0, 0, 0], [3, 0, 0], [2, 0, 2], [1, 1, 0], [1, 0, 0]]
    assert {tuple(each) for each in lengths[5:]} == {(0, 0, 0)}
    assert rules["pre-tokenizer"] == {
        "name": "pre-tokenizer",
        "first": "llama-bpe",
        "second": "qwen2",
        "is_equal": False,
    }
    assert [name for name, rule in rules.items() if not rule["is_equal"]] == [
        "ends a generation",
        "pre-tokenizer",
    ]
    assert told == {
        "models": [
            {"model": "A", "type": "BPE", "tokens": 8}, {"model": "B", "type": "BPE", "tokens": 9}
        ],
        "identical": False,
        "verdict": VERDICT,
        "counts": {
            "tokens only in the first": 1,
            "tokens only in the second": 2,
            "tokens with another id": 4,
            "tokens of another kind": 1,
            "tokens searched for otherwise": 1,
            "tokens with another score": 0,
            "merges only in the first": 2,
            "merges only in the second": 2,
            "merges in another order": 1,
            "roles of special tokens": 3,
            "rules": 2,
        },
        "both": 7,
        "only": [[5], [5, 6]],
        "other_id": [[0, 1], [1, 0], [6, 7], [7, 8]],
        "other_kind": [[3, 3]],
        "other_search": [[6, 7]],
        "other_score": [],
        "merges": {"both": 2, "only": [[2, 3], [2, 3]], "other_order": [[0, 1]]},
        "roles": [
            {"name": "bos", "first": 6, "second": 7, "differs": True},
            {"name": "eos", "first": 7, "second": 7, "differs": True},
            {"name": "sep", "first": 2, "second": 2, "differs": False},
            {"name": "pad", "first": None, "second": 99, "differs": True},
        ],
        "scripts": {"Special tokens": [2, 0, 0], "Latin": [5, 1, 2]},
    }  # fmt: skip


CSV = """\
what,text,first_id,second_id,first_kind,second_kind,first_score,second_score
only in A,abc,5,,normal,,0,
only in B,ca,,5,,normal,,0
only in B,cc,,6,,normal,,0
other kind,ab,3,3,normal,user-defined,0,0
"searched for otherwise, other id",<s>,6,7,control,control,0,0
other id,a,0,1,normal,normal,0,0
other id,b,1,0,normal,normal,0,0
other id,</s>,7,8,control,control,0,0
merge only in A,ab + c,2,
merge only in A,a + bc,3,
merge only in B,c + c,,2
merge only in B,c + a,,3
merge in another order,a + b,0,1
"""


def test_csv_has_a_line_for_each(found):
    shares = []
    assert csv_text(found, NAMED, shares.append) == CSV
    assert shares == [0.0]
    assert next(",".join(row) for row in csv_rows(found, NAMED)) == CSV.split("\n")[0]


def test_scripts_beyond_twelve_are_summed_up(found):
    (table,) = (table for table in tables(found, NAMED, 1) if table.title == "Tokens by script")
    assert [row[0] for row in table.rows[2:-1]] == [name for name in SCRIPT_NAMES if name != "Latin"][:11]
    assert table.rows[-1] == ["all others", "0", "0", "0"]


def test_without_merge_rules_none_are_told_of():
    tokenizer = Tokenizer(toy_vocabulary({"a": -1.0, "b": -2.0}))
    same = compare_vocabularies(tokenizer, tokenizer)
    assert verdict(same, NAMED) == "Identical: 2 tokens, special tokens and all rules are the same."
    assert [row[0] for row in next(tables(same, NAMED, 1)).rows[-2:]] == [
        "searched for otherwise", "with another score"
    ]  # fmt: skip
    assert record(same, NAMED)["merges"] is None
    assert csv_text(same, NAMED).count("\n") == 1
    other = compare_vocabularies(tokenizer, Tokenizer(toy_vocabulary({"a": -1.5, "b": -2.0})))
    assert verdict(other, NAMED) == "Not identical: tokens with another score 1."
    assert csv_text(other, NAMED).split("\n")[1] == "other score,a,0,0,normal,normal,-1,-1.5"


def test_settings_are_told_in_words(found):
    told = {setting.name: (setting.first, setting.second) for setting in settings_of(*found.tokenizers)}
    assert told["type"] == ("BPE", "BPE")
    assert told["put before a text"] == told["put behind a text"] == ("none", "none")
    assert told["chat template"] == told["character map"] == ("none", "none")
    assert told["byte encoding"] == ("True", "True")
    assert told["add bos"] == ("False", "False")
    assert told["patterns"][0].startswith("“(?:'[sS]|")
    adding = bpe(FIRST, (), SpecialIds(bos=6, eos=7), [7], rules=Rules(add_bos=True, add_eos=True))
    template = replace(adding.vocabulary, metadata={"tokenizer.chat_template": "{{ x }}", "pre": "qwen2"})
    told = {
        setting.name: (setting.second, setting.is_equal)
        for setting in settings_of(adding, Tokenizer(template))
    }
    assert told["put before a text"] == ("6 <s>", True)
    assert told["put behind a text"] == ("7 </s>", True)
    assert told["chat template"] == (f"7 characters {sha256(b'{{ x }}').hexdigest()[:12]}", False)


class Plain(SimpleNamespace):
    pass


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (None, "none"),
        (True, "True"),
        (1.5, "1.5"),
        ("a b", "“a·b”"),
        (b"", "none"),
        ("x" * 100, f"“{'x' * 100}”"),
        (VocabType.BPE, "BPE"),
        ({"a": 1, "b": "c"}, "a: 1, b: “c”"),
        ({}, "none"),
        ((1, "b", None), "1, “b”, none"),
        ((), "none"),
        (np.zeros(0, np.uint8), "none"),
        (np.zeros(2, np.uint8), f"2 × uint8 {sha256(bytes(2)).hexdigest()[:12]}"),
        (Wording(()), "none"),
        (Wording(("a b", "c")), "a b, c"),
        (PRE_TOKENIZERS["qwen2"].patterns[0]._replace(source="a b", view="classes"), "“a·b” (classes)"),
        (
            ComparedSetting("a", "b", "", None),
            "ComparedSetting(name=“a”, first=“b”, second=none, is_equal=none)",
        ),
        (Plain(_hidden=1, shown=2), "Plain(shown=2)"),
        (Plain(_hidden=1), "Plain"),
    ],
)
def test_parts_are_described(part, words):
    assert described(part) == words
