"""What comes of batches is summed up by kind; what is told of all of it, written out."""

import json
from dataclasses import replace

import pytest

import guiapp
from guiapp.analysis.compare.reasons import Cause, Reason
from guiapp.analysis.hunt.generators import ALL_NAMES
from guiapp.analysis.hunt.mismatches import (
    MOST_TEXTS,
    Batch,
    Find,
    Hunt,
    HuntSubject,
    LineOffset,
    OfKind,
    UserLine,
)
from guiapp.analysis.hunt.report import record

DIGITS = Reason(Cause.PIECES, "digits", "A splits `12`.")
MERGE = Reason(Cause.MERGE, "order", "B merges `b` first.")
PATH = guiapp.open_model("demo:toy").vocabulary.path
BOTH = (
    HuntSubject("first.gguf", format="GGUF", path=PATH, tokens=1234, split_as="qwen2"),
    HuntSubject("B", "1.2"),
)


def find(text, reason=DIGITS, **more):
    return Find(text, ((1, 2), ()), 1, reason, "digits", **more)


def place(number):
    return LineOffset(UserLine("a.txt", number, 10 * number, b"x"), 0)


def test_the_shortest_text_of_a_kind_stands_for_it_and_keeps_the_counts():
    first = find(b"345", n_texts=9, n_lines=4, locations=(place(1),))
    merged = (
        first.with_text(find(b"12")).with_text(find(b"67")).with_text(find(b"12", spans=(None, ((0, 2),))))
    )
    assert (merged.text, merged.n_texts, merged.n_lines, merged.locations) == (b"12", 9, 4, (place(1),))
    assert [each.text for each in merged.others] == [b"67", b"345"]
    assert all(each.others == () for each in merged.with_text(find(b"1")).others)
    many = merged
    for number in range(100, 100 + 2 * MOST_TEXTS):
        many = many.with_text(find(b"%d" % number))
    assert len(many.others) == MOST_TEXTS - 1
    assert [each.text for each in many.others][:3] == [b"67", b"100", b"101"]


@pytest.fixture
def hunted():
    kinds = (OfKind(DIGITS.kind, 2), OfKind(MERGE.kind, 1))
    two_mismatches = (find(b"12"), replace(find(b"\xffb", MERGE), token_ids=(None, (7,)), at=0))
    hunt = Hunt(BOTH, 3).with_batch(Batch(1000, 5, two_mismatches, kinds, True)).with_note("Known.")
    return replace(hunt.with_batch(Batch(10, 0)), generators=("digits", "signs"), seconds=1.23456)


def test_a_record_has_all(hunted):
    saved = json.loads(json.dumps(record(hunted)))
    common = {"share": 0.002, "generator": "digits"}
    assert saved == {
        "tried": 1010,
        "seconds": 1.235,
        "seed": 3,
        "generators": ["digits", "signs"],
        "batches": 1,
        "differing": 5,
        "lines": 1000,
        "differing_lines": 5,
        "models": [
            {
                "name": "first.gguf",
                "version": None,
                "format": "GGUF",
                "chosen_pre": "qwen2",
                "path": str(PATH),
                "sha256": BOTH[0].sha256,
                "tokens": 1234,
            },
            {
                "name": "B",
                "version": "1.2",
                "format": None,
                "chosen_pre": None,
                "path": None,
                "sha256": None,
                "tokens": 0,
            },
        ],
        "finds": [
            common
            | {"text": "12", "bytes_hex": "3132", "token_ids": [[1, 2], []], "at": 1}
            | {"cause": "pre-tokenizer", "subject": "digits", "why": "A splits 12."},
            common
            | {"text": "\ufffdb", "bytes_hex": "ff62", "token_ids": [None, [7]], "at": 0, "share": 0.001}
            | {"cause": "merge", "subject": "order", "why": "B merges b first."},
        ],
        "notes": ["Known."],
        "inconclusive": None,
    }
    assert record(replace(hunted, generators=()))["generators"] == [*ALL_NAMES]
