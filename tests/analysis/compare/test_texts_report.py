"""All that is told of two small models and two short texts: tables, record, CSV and words of a drawing."""

import json
import re
from dataclasses import replace

import pytest
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.compare.comparison import ModelSide
from guiapp.analysis.compare.texts import compare_texts, count_texts
from guiapp.analysis.compare.texts_report import Terms, csv_text, record, svg_text, tables
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.vocabulary import VocabType

TEXTS = [("x.TXT", "ab ab é\n".encode()), ("y.py", b"b\nab 1\n"), ("none", b"")]


def side(name, tokens, merges=(), metadata=None):
    vocabulary = toy_vocabulary(dict.fromkeys(tokens, 0.0), VocabType.BPE, merges)
    return ModelSide(name, Tokenizer(replace(vocabulary, metadata=metadata or {})))


@pytest.fixture(scope="module")
def sides():
    bytes_alone = ["a", "b", "Ġ", "Ċ", "1", "Ã", "©"]
    return side("A", [*bytes_alone, "ab"], ["a b"], {"x.context_length": 100}), side("B", bytes_alone)


@pytest.fixture(scope="module")
def compared(sides):
    return compare_texts(sides, TEXTS)


def table_named(compared, begin, terms=Terms()):  # noqa: B008
    (table_rows,) = (table.rows for table in tables(compared, terms) if table.title.startswith(begin))
    return table_rows


@pytest.mark.parametrize(
    ("terms", "head", "cells"),
    [
        (Terms(200), ["of context"], [["6.50 %"], ["8.00 %"]]),
        (Terms(1), ["of context"], [["13×"], ["16×"]]),
        (Terms(None, (2.0,)), ["of context", "cost"],
         [["13.00 %", "0.000026 $"], ["–", "0.000032 $"]]),
        (Terms(200, (2.0, 1e6)), ["of context", "cost"],
         [["6.50 %", "0.000026 $"], ["8.00 %", "16.00 $"]]),
        (Terms(200, (None, 0.0)), ["of context", "cost"],
         [["6.50 %", "–"], ["8.00 %", "0 $"]]),
    ],
)  # fmt: skip
def test_context_and_costs_follow_the_terms(compared, terms, head, cells):
    rows = table_named(compared, "3 texts", terms)
    assert [row[5:-1] for row in rows] == [head, *cells]


def test_the_record_has_all(compared):
    why = [
        {"others": [1], "cause": "token", "subject": "only in the first", "reason": "B has no token `ab`."}
    ]
    ids = [[7], [0, 1]]
    common = {"encoder": "fast", "pre": "llama-bpe", "exactness": "exact", "bytes": 16, "characters": 15}
    assert json.loads(json.dumps(record(compared, Terms(None, (2.0,))))) == {
        "models": [
            common
            | {
                "model": "A",
                "tokens": 13,
                "equal_spans": 10,
                "own_spans": 3,
                "ratio": 1.0,
                "tokens_per_word": 1.2,
                "unknown_tokens": 0,
                "context_length": 100,
                "cost": 13 * 2 / 1e6,
                "scripts": {"Latin": {"words": 5, "tokens": 6}},
                "file_types": {
                    ".txt": {"tokens": 7, "bytes": 9, "characters": 8},
                    ".py": {"tokens": 6, "bytes": 7, "characters": 7},
                    "": {"tokens": 0, "bytes": 0, "characters": 0},
                },
            },
            common
            | {
                "model": "B",
                "tokens": 16,
                "equal_spans": 10,
                "own_spans": 6,
                "ratio": 16 / 13,
                "tokens_per_word": 1.8,
                "unknown_tokens": 0,
                "context_length": None,
                "cost": 16 * 2 / 1e6,
                "scripts": {"Latin": {"words": 5, "tokens": 9}},
                "file_types": {
                    ".txt": {"tokens": 9, "bytes": 9, "characters": 8},
                    ".py": {"tokens": 7, "bytes": 7, "characters": 7},
                    "": {"tokens": 0, "bytes": 0, "characters": 0},
                },
            },
        ],
        "same_ids": False,
        "differences": [
            {"file": "x.TXT", "line": 1, "span": [0, 2], "token_ids": ids, "why": why},
            {"file": "x.TXT", "line": 1, "span": [3, 5], "token_ids": ids, "why": why},
            {"file": "y.py", "line": 2, "span": [2, 4], "token_ids": ids, "why": why},
        ],
    }


CSV = """\
model,part,name,tokens,bytes,characters,words,cost
A,all,,13,16,15,5,2.6e-05
A,file type,.txt,7,9,8,3,1.4e-05
A,file type,.py,6,7,7,2,1.2e-05
A,file type,,0,0,0,0,0.0
A,script,Latin,6,,,5,
B,all,,16,16,15,5,
B,file type,.txt,9,9,8,3,
B,file type,.py,7,7,7,2,
B,file type,,0,0,0,0,
B,script,Latin,9,,,5,
"""


def test_csv_and_drawing_are_complete(compared):
    assert csv_text(compared.counts, Terms(None, (2.0, None))) == CSV
    svg = svg_text(compared.counts)
    assert re.findall(r">([^<>\n]+)</text>", svg) == ["Tokens", "A", "13 × 1.00", "B", "16 × 1.23"]


def test_counts_alone_are_the_same(sides, compared):
    for each, counts in zip(sides, compared.counts, strict=True):
        alone = count_texts(each, TEXTS)
        assert csv_text([alone], Terms()) == csv_text([counts], Terms())
        assert alone.context_length == counts.context_length
