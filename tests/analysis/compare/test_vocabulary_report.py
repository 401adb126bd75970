"""All that is told of two small vocabularies that differ in everything: tables, record and CSV in full."""

import json
from dataclasses import replace

import pytest
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.compare.vocabularies import compare_vocabularies
from guiapp.analysis.compare.vocabulary_report import csv_rows, record
from guiapp.analysis.export.tables import csv_lines
from guiapp.core.demo import SAMPLES
from guiapp.core.encode.tokenizer import Tokenizer
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
def comparison():
    first = bpe(FIRST, ("a b", "b c", "ab c", "a bc"), SpecialIds(bos=6, eos=7, sep=2), [7])
    roles = SpecialIds(bos=7, eos=7, sep=2, pad=99)
    second = bpe(SECOND, ("b c", "a b", "c c", "c a"), roles, [8, 99], pre="qwen2")
    return compare_vocabularies(first, second)


NAMED = ("A", "B")


def test_the_record_has_all(comparison):
    report = json.loads(json.dumps(record(comparison, NAMED)))
    rules = {rule["name"]: rule for rule in report.pop("rules")}
    assert report.pop("samples") == {"texts": len(SAMPLES), "different": comparison.differing_samples}
    lengths, _ = report.pop("lengths"), report.pop("verdict")
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
    assert report == {
        "models": [
            {"model": "A", "type": "BPE", "tokens": 8}, {"model": "B", "type": "BPE", "tokens": 9}
        ],
        "identical": False,
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


def test_csv_has_a_line_for_each(comparison):
    assert csv_lines(csv_rows(comparison, NAMED)) == CSV
