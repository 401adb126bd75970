"""What is told of changed tokens and of two vocabularies."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

import guiapp
from guiapp.analysis.compare import vocabulary_report
from guiapp.analysis.compare.id_changes import (
    as_text,
    change_table,
    compare_ids,
    notes,
    record,
    sentences,
)
from guiapp.analysis.compare.vocabularies import compare_vocabularies
from guiapp.analysis.compare.vocabulary_report import csv_rows, csv_text, tables, verdict
from guiapp.analysis.compare.vocabulary_report import record as vocabulary_record
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.export import tables as export_tables
from guiapp.analysis.export.tables import csv_blocks
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.figures import percent
from guiapp.core.vocabulary.attributes import Attribute

NAMES = ("one", "other")


@pytest.fixture(scope="module")
def tokenizer():
    return guiapp.open_model("demo:bpe")


def test_ids_without_bos_lack_it_and_are_the_same_text(tokenizer):
    with_bos, without = (tokenizer.encode("Hello world", special).token_ids for special in (True, False))
    report = compare_ids(tokenizer, NAMES, with_bos, without)
    assert list(sentences(report)) == [
        f"one has {len(with_bos)} tokens, other {len(without)}: the same text.",
        "0 tokens in common from the start (0 % of other): what a cache of prefixes keeps.",
        f"1 change: 1 token removed, 0 inserted, {len(without)} kept.",
        "BOS is missing in other.",
    ]
    bos = tokenizer.vocabulary.special_ids.bos
    text = tokenizer.vocabulary.raw_text(bos).decode()
    assert change_table(report, 9).rows[1:] == [["0", f"{text} ({bos})", "0", "–"]]
    assert json.loads(json.dumps(record(report)))["changes"] == [
        {"first": [0, 1], "second": [0, 0], "removed_ids": [bos], "inserted_ids": []}
    ]


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ("B a", "a", ["BOS is missing in other."]),
        ("a", "B a", ["other has one BOS, one has none."]),
        ("B a", "B B a", ["There is a second BOS in other."]),
        ("B B B a", "B a", ["other has one BOS, one has 3."]),
        ("B a", "B B B a", ["other has BOS 3 times, one 1."]),
        ("B a E", "a E E", ["BOS is missing in other.", "There is a second EOS in other."]),
        ("a B E a", "a a", []),
        ("", "B", ["other has one BOS, one has none."]),
        ("B E", "", ["BOS is missing in other."]),
    ],
)
def test_special_tokens_that_are_missing_or_too_many_at_an_end_are_told(tokenizer, first, second, told):
    special = tokenizer.vocabulary.special_ids
    ids = {"B": special.bos, "E": special.eos, "a": tokenizer.vocabulary.find(b"a")}
    lists = [np.array([ids[letter] for letter in each.split()], np.int32) for each in (first, second)]
    assert list(notes(compare_ids(tokenizer, NAMES, *lists))) == told


@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram"])
def test_a_text_is_the_same_with_and_without_control_tokens(model):
    opened = guiapp.open_model(model)
    ids = [opened.encode("Hello world", special).token_ids for special in (True, False)]
    before, behind = opened.special_affixes()
    ids.append(np.concatenate((before, ids[0], behind)).astype(np.int32))
    assert all(compare_ids(opened, NAMES, ids[0], other).is_same_text for other in ids)
    assert not compare_ids(opened, NAMES, ids[0], ids[1][:-1]).is_same_text


def test_long_changes_are_cut(tokenizer):
    words = tokenizer.encode("one two three four five six seven eight nine ten eleven", False).token_ids
    [_, row] = change_table(compare_ids(tokenizer, NAMES, words[:0], words), 9).rows
    assert len(row[3]) == 40
    assert row[3].endswith("…")
    few = change_table(compare_ids(tokenizer, NAMES, words[:0], words[:2]), 9).rows[1][3]
    assert few == "|".join(Spelling.SIGNS.token(tokenizer.vocabulary, each) for each in words[:2].tolist())
    many = np.full(30, tokenizer.vocabulary.find(b"a"), np.int32)
    assert change_table(compare_ids(tokenizer, NAMES, many[:0], many), 9).rows[1][3].endswith("…")


@pytest.mark.parametrize(("n_changes", "more"), [(10, []), (11, ["… 1 more. --json lists all."])])
def test_a_page_of_changes_lists_the_first_ten(tokenizer, n_changes, more):
    letters = [tokenizer.vocabulary.find(letter) for letter in (b"a", b"b", b"c")]
    first = np.array(letters[:2] * n_changes, np.int32)
    second = np.array([letters[0], letters[2]] * n_changes, np.int32)
    page = as_text(compare_ids(tokenizer, NAMES, first, second), is_markdown=False).split("\n")
    page = [line for line in page if line]
    assert page[:3] == [
        f"one has {2 * n_changes} tokens, other {2 * n_changes}: different texts.",
        f"1 token in common from the start ({percent(1 / (2 * n_changes))} of other): "
        "what a cache of prefixes keeps.",
        f"{n_changes} changes: {n_changes} tokens removed, {n_changes} inserted, {n_changes} kept.",
    ]
    rows = [line.split() for line in page if f"b ({letters[1]})" in line]
    assert [row[0] for row in rows] == [str(2 * row + 1) for row in range(10)]
    assert rows[0] == ["1", "b", f"({letters[1]})", "1", "c", f"({letters[2]})"]
    assert page[-len(more) :] == more if more else "more" not in page[-1]


def test_a_page_without_changes_is_one_sentence(tokenizer):
    ids = tokenizer.encode("Hello").token_ids
    report = compare_ids(tokenizer, NAMES, ids, ids)
    assert as_text(report, is_markdown=True).strip() == f"one and other have the same {len(ids)} tokens."


def test_what_is_too_long_to_be_compared_is_told(tokenizer):
    ids = tokenizer.encode("a b c", False).token_ids
    report = compare_ids(tokenizer, NAMES, ids, ids[::-1].copy())
    outcome = replace(report.outcome, is_whole=False)
    *_, last = sentences(replace(report, outcome=outcome))
    assert last == "A stretch is too long to be compared token by token: it is told as changed whole."
    assert last not in sentences(report)


def test_equal_ids_are_told_in_one_sentence(tokenizer):
    ids = tokenizer.encode("Hello").token_ids
    report = compare_ids(tokenizer, NAMES, ids, ids.copy())
    assert list(sentences(report)) == [f"one and other have the same {len(ids)} tokens."]
    nothing = compare_ids(tokenizer, NAMES, ids[:0], ids[:0])
    assert list(sentences(nothing)) == ["one and other have the same 0 tokens."]


def test_what_a_cache_keeps_is_counted_to_the_first_token_that_differs(tokenizer):
    first, second = (tokenizer.encode(text).token_ids for text in ("a b c d e f", "a b c x e f"))
    report = compare_ids(tokenizer, NAMES, first, second)
    n_common = next(at for at in range(len(first)) if first[at] != second[at])
    assert record(report)["common_from_start"] == n_common
    assert not record(report)["same_text"]
    assert "different texts" in next(sentences(report))


def changed(tokenizer, **changes):
    return Tokenizer(replace(tokenizer.vocabulary, **changes))


def test_two_files_of_the_same_model_give_the_word_identical(tokenizer):
    outcome = compare_vocabularies(tokenizer, guiapp.open_model("demo:bpe"))
    n_merges = len(tokenizer.vocabulary.merge_offsets) - 1
    assert verdict(outcome, NAMES) == (
        f"Identical: {len(tokenizer.vocabulary):,} tokens, {n_merges:,} merge rules, special tokens and all "
        "rules are the same."
    )
    assert [table.title for table in tables(outcome, NAMES, 3)] == ["Counts"]
    assert vocabulary_record(outcome, NAMES)["identical"]


def test_what_is_not_identical_is_listed_with_both_sides(tokenizer):
    vocabulary = tokenizer.vocabulary
    attributes = vocabulary.attributes.copy()
    letter = vocabulary.find(b"a")
    attributes[letter] = Attribute.USER_DEFINED
    special_ids = replace(vocabulary.special_ids, eos=None)
    other = changed(tokenizer, attributes=attributes, pre="qwen2", special_ids=special_ids)
    outcome = compare_vocabularies(tokenizer, other)
    assert verdict(outcome, NAMES) == (
        "Not identical: tokens of another kind 1, roles of special tokens 1, rules 1."
    )
    shown = {table.title: table.rows[1:] for table in tables(outcome, NAMES, 3)}
    [[what, text, *cells]] = shown["Tokens that differ, the first of each kind"]
    assert (what, cells) == ("other kind", [str(letter), str(letter), "normal", "user-defined", "0", "0"])
    assert text == "a"
    assert shown["Roles of special tokens that differ"][0][0] == "eos"
    assert shown["Rules that differ"] == [["pre-tokenizer", "llama-bpe", "qwen2"]]


def test_csv_has_a_line_for_each_token_and_merge_that_differs(tokenizer):
    other = guiapp.open_model("demo:toy")
    outcome = compare_vocabularies(tokenizer, other)
    rows = list(csv.DictReader(io.StringIO(csv_text(outcome, NAMES))))
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


def test_csv_is_the_same_in_parts_of_any_size(tokenizer, monkeypatch):
    outcome = compare_vocabularies(tokenizer, guiapp.open_model("demo:toy"))
    whole = csv_text(outcome, NAMES)
    monkeypatch.setattr(vocabulary_report, "AT_ONCE", 3)
    monkeypatch.setattr(export_tables, "ROWS_IN_BLOCK", 7)
    parts = list(csv_blocks(csv_rows(outcome, NAMES)))
    assert max(part.count("\n") for part in parts) < 2 * 7
    assert "".join(parts) == whole


def test_scripts_are_told_where_either_has_tokens_of_its_own(tokenizer):
    vocabulary = tokenizer.vocabulary
    end = int(vocabulary.token_offsets[-2])
    shorter = changed(
        tokenizer,
        token_data=vocabulary.token_data[:end],
        token_offsets=vocabulary.token_offsets[:-1],
        scores=vocabulary.scores[:-1],
        attributes=vocabulary.attributes[:-1],
        token_table=None,
    )
    for pair in ((tokenizer, shorter), (shorter, tokenizer)):
        [*_, last] = tables(compare_vocabularies(*pair), NAMES, 3)
        assert last.title == "Tokens by script"
        assert len(last.rows) == 14
        assert sum(int(row[1].replace(",", "")) for row in last.rows[1:]) == len(vocabulary) - 1


def test_scores_count_only_where_texts_are_encoded_by_them(tokenizer):
    scores = np.ones(len(tokenizer.vocabulary), np.float32)
    outcome = compare_vocabularies(tokenizer, changed(tokenizer, scores=scores))
    assert outcome.is_identical
