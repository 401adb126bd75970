"""What is told of changed tokens and of two vocabularies."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

import guiapp
from guiapp.analysis.compare.id_changes import (
    change_table,
    compare_ids,
    record,
    sentences,
)
from guiapp.analysis.compare.vocabularies import compare_vocabularies
from guiapp.analysis.compare.vocabulary_report import csv_rows, tables
from guiapp.analysis.compare.vocabulary_report import record as vocabulary_record
from guiapp.analysis.export.tables import csv_lines
from guiapp.core.encode.tokenizer import Tokenizer

NAMES = ("one", "other")


@pytest.fixture(scope="module")
def tokenizer():
    return guiapp.open_model("demo:bpe")


def test_ids_without_bos_lack_it_and_are_the_same_text(tokenizer):
    with_bos, without = (tokenizer.encode("Hello world", special).token_ids for special in (True, False))
    report = compare_ids(tokenizer, NAMES, with_bos, without)
    assert list(sentences(report)) == [
        f"one has {len(with_bos)} tokens, other {len(without)}: the same text.",
        "0 tokens in common from the start (0 % of other): what a prefix cache keeps.",
        f"1 change: 1 token removed, 0 inserted, {len(without)} kept.",
        "BOS is missing in other.",
    ]
    bos = tokenizer.vocabulary.special_ids.bos
    text = tokenizer.vocabulary.raw_text(bos).decode()
    assert change_table(report, 9).rows[1:] == [["0", f"{text} (id {bos})", "0", "–"]]
    assert json.loads(json.dumps(record(report)))["changes"] == [
        {"first": [0, 1], "second": [0, 0], "removed_ids": [bos], "inserted_ids": []}
    ]


@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram"])
def test_a_text_is_the_same_with_and_without_control_tokens(model):
    opened = guiapp.open_model(model)
    ids = [opened.encode("Hello world", special).token_ids for special in (True, False)]
    before, behind = opened.special_affixes()
    ids.append(np.concatenate((before, ids[0], behind)).astype(np.int32))
    assert all(compare_ids(opened, NAMES, ids[0], other).is_same_text for other in ids)
    assert not compare_ids(opened, NAMES, ids[0], ids[1][:-1]).is_same_text


def changed(tokenizer, **changes):
    return Tokenizer(replace(tokenizer.vocabulary, **changes))


def test_csv_has_a_line_for_each_token_and_merge_that_differs(tokenizer):
    other = guiapp.open_model("demo:toy")
    outcome = compare_vocabularies(tokenizer, other)
    rows = list(csv.DictReader(io.StringIO(csv_lines(csv_rows(outcome, NAMES)))))
    kinds = [row["what"] for row in rows]
    assert kinds.count("only in one") == len(outcome.only[0])
    assert sum("other id" in kind for kind in kinds) == int(outcome.other_id.sum())
    assert kinds.count("merge only in one") == len(outcome.merges.only[0])
    for side, what in (("first", "only in one"), ("second", "only in other")):
        ids = [row[f"{side}_id"] for row in rows if row["what"] == what]
        assert ids == [str(token_id) for token_id in outcome.only[side == "second"].tolist()]
        merges = [row[f"{side}_id"] for row in rows if row["what"] == f"merge {what}"]
        assert merges == [str(place) for place in outcome.merges.only[side == "second"].tolist()]
    row = next(row for row in rows if "other id" in row["what"])
    assert tokenizer.decode_bytes([int(row["first_id"])]) == other.decode_bytes([int(row["second_id"])])
    assert json.loads(json.dumps(vocabulary_record(outcome, NAMES)))["both"] == len(outcome.both)
    assert all(len(each) == len(table.rows[0]) for table in tables(outcome, NAMES, 5) for each in table.rows)
