"""Texts compared one after the other, and what is told about them."""

import csv
import io
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.analysis.compare.comparison import ModelSide, compare_text
from guiapp.analysis.compare.texts import Terms, compare_texts, csv_text, record, summary, svg_text, tables
from guiapp.analysis.export.tables import markdown_table
from guiapp.core.encode.tokenizer import Tokenizer

TEXTS = [
    ("b.TXT", "naïve 汉字\n".encode()),
    ("a/x.py", b"def f(x):\n    return unbelievable\n"),
    ("c.txt", b""),
]


@pytest.fixture(scope="module")
def sides():
    return [ModelSide(name, guiapp.open_model(name)) for name in ("demo:bpe", "demo:spm", "demo:wordpiece")]


@pytest.fixture(scope="module")
def compared(sides):
    return compare_texts(sides, TEXTS)


def test_sums_and_differences_are_those_of_each_text(sides, compared):
    each = [compare_text(sides, text) for _, text in TEXTS]
    assert compared.n_texts == 3
    assert (
        compared.n_differences == len(compared.differences) == sum(len(one.spans.differences) for one in each)
    )
    for row in range(len(sides)):
        assert compared.n_equal[row] == sum(one.spans.n_equal(row) for one in each)
        assert compared.n_own[row] == sum(one.spans.n_own(row) for one in each)
    assert [list(counts.file_types) for counts in compared.counts] == [[".txt", ".py"]] * 3


def test_a_difference_tells_its_place_and_what_each_token_came_from(sides, compared):
    texts = dict(TEXTS)
    ids = [compare_text(sides, text) for text in texts.values()]
    ids = [each.difference_ids(row) for each in ids for row in range(len(each.spans.differences))]
    assert [[list(each) for each in difference.token_ids] for difference in compared.differences] == ids
    for difference in compared.differences:
        text = texts[difference.name]
        assert difference.line == text[: difference.start].count(b"\n") + 1
        for side, token_ids, pieces in zip(sides, difference.token_ids, difference.pieces, strict=True):
            assert len(token_ids) == len(pieces)
            if difference.start == difference.end:
                assert list(pieces) == [side.tokenizer.vocabulary.raw_text(each) for each in token_ids]
            elif side.name == "demo:bpe":  # leaves nothing out
                assert b"".join(pieces) == text[difference.start : difference.end]


def test_only_so_many_differences_are_kept(sides, compared):
    few = compare_texts(sides, TEXTS, 2)
    assert few.differences == compared.differences[:2]
    assert few.n_differences == compared.n_differences
    assert summary(few) == f"… {compared.n_differences - 2} more. --json lists all."
    assert summary(compared) == ""


def test_the_record_keeps_the_contract(compared):
    found = record(compared, Terms(1000, (2.0,)))
    assert {"model", "tokens", "bytes", "characters", "equal_spans"} <= set(found["models"][0])
    whole = compared.counts[1].whole
    assert found["models"][1]["cost"] == whole.n_tokens * 2 / 1e6
    assert found["models"][1]["context_length"] == 1000
    assert found["differences"][0]["span"] == [compared.differences[0].start, compared.differences[0].end]
    assert [len(each["token_ids"]) for each in found["differences"]] == [3] * compared.n_differences


def test_tables_say_what_a_stranger_wants_to_know(compared):
    count, scripts, types, spans, differences = tables(compared, Terms(100, (1.0, 2.0, 4.0)))
    assert count.rows[0] == [
        *("", "tokens", "characters a token", "bytes a token", "tokens a word", "× demo:bpe"),
        *("of the context", "cost"),
    ]
    n_tokens = [counts.whole.n_tokens for counts in compared.counts]
    assert [row[1] for row in count.rows[1:]] == [f"{each}" for each in n_tokens]
    assert [row[-1] for row in count.rows[1:]] == [
        f"{each * price / 1e6:.4g}" for each, price in zip(n_tokens, (1, 2, 4), strict=True)
    ]
    assert [row[-2] for row in count.rows[1:]] == [f"{each:.1f} % of 100" for each in n_tokens]
    shares = zip(compared.n_equal, compared.n_own, n_tokens, strict=True)
    assert [row[1:] for row in spans.rows[1:]] == [
        [f"{equal} ({100 * equal / each:.0f} %)", f"{own} ({100 * own / each:.0f} %)"]
        for equal, own, each in shares
    ]
    assert [row[:2] for row in scripts.rows] == [["", "words"], ["Latin", "6"], ["Han (letters)", "2"]]
    assert [row[0] for row in types.rows] == ["", ".py", ".txt"]
    assert differences.rows[1][0] == "b.TXT:1"
    assert all(
        len(row) == len(table.rows[0])
        for table in (count, scripts, types, spans, differences)
        for row in table.rows
    )
    assert markdown_table(differences).count("\n") == len(differences.rows)


def test_one_model_alone_is_counted(sides):
    alone = compare_texts(sides[:1], [("", b"")])
    [count] = tables(alone, Terms())
    assert count.rows == [["", *count.rows[0][1:5]], ["demo:bpe", "1", "0.00", "0.00", "–"]]
    assert summary(alone) == ""


def test_a_model_that_tells_no_context_has_a_dash_beside_one_that_does(sides):
    vocabulary = replace(sides[0].tokenizer.vocabulary, metadata={"x.context_length": 10})
    told = replace(sides[0], tokenizer=Tokenizer(vocabulary))
    [count, *_] = tables(compare_texts([sides[0], told], [("", b"")]), Terms())
    assert [row[-1] for row in count.rows] == ["of the context", "–", "10.0 % of 10"]


def test_a_price_that_is_not_known_is_a_dash(compared):
    [count, *_] = tables(compared, Terms(None, (1.0, None, 0.0)))
    n_tokens = compared.counts[0].whole.n_tokens
    assert [row[-1] for row in count.rows] == ["cost", f"{n_tokens / 1e6:.4g}", "–", "0"]


def test_models_that_cut_alike_are_told_so(sides):
    same = compare_texts([sides[0], sides[0]], TEXTS)
    assert summary(same) == "All cut the text alike: every span is the same, and all ids are the same."
    assert len(list(tables(same, Terms()))) == 4
    other = [sides[0], replace(sides[0], add_special=False)]
    assert not compare_texts(other, TEXTS).has_same_ids
    one, two = (ModelSide(name, Tokenizer(toy_vocabulary(dict.fromkeys(name, 0.0)))) for name in ("ab", "ba"))
    assert summary(compare_texts([one, two], [("", b"ab")])).endswith("is the same, but ids are not.")
    assert record(same, Terms())["same_ids"]


def test_csv_has_all_parts_and_svg_a_bar_for_each_model(compared):
    rows = list(csv.DictReader(io.StringIO(csv_text(compared.counts, Terms()))))
    whole = {row["model"]: int(row["tokens"]) for row in rows if row["part"] == "all"}
    assert whole == {counts.name: counts.whole.n_tokens for counts in compared.counts}
    for name, n_tokens in whole.items():
        parts = [row for row in rows if row["model"] == name and row["part"] == "file type"]
        assert sum(int(row["tokens"]) for row in parts) == n_tokens
    assert {row["cost"] for row in rows} == {""}
    costs = csv.DictReader(io.StringIO(csv_text(compared.counts, Terms(None, (3.0,)))))
    assert all(float(row["cost"]) == int(row["tokens"]) * 3 / 1e6 for row in costs if row["part"] != "script")
    root = ET.fromstring(svg_text(compared.counts))
    bars = [float(rect.get("width")) for rect in root.iterfind(".//{*}rect") if rect.get("rx")]
    longest = max(whole.values())
    assert [round(each / max(bars), 2) for each in bars] == [
        round(each / longest, 2) for each in whole.values()
    ]
