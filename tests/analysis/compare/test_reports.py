"""What is told of changed tokens and of two vocabularies."""

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
        "0 tokens in common from the start (0 % of other): a prefix cache can reuse them.",
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
    before, suffix = opened.special_affixes()
    ids.append(np.concatenate((before, ids[0], suffix)).astype(np.int32))
    assert all(compare_ids(opened, NAMES, ids[0], other).is_same_text for other in ids)
    assert not compare_ids(opened, NAMES, ids[0], ids[1][:-1]).is_same_text


def changed(tokenizer, **changes):
    return Tokenizer(replace(tokenizer.vocabulary, **changes))
