"""Records go round, files of strangers are one sentence, and what the top of the page says."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields, replace

import pytest
from field_runs import TEXTS, field, result, vocabulary

from guiapp.analysis.bench.field.page import page
from guiapp.analysis.bench.field.record import FieldRun, json_of, load_field
from guiapp.analysis.bench.plan import BenchError


def test_the_page_made_again_from_records_is_the_same(tmp_path):
    file = tmp_path / "field.json"
    file.write_text(json_of(field()))
    again = load_field(file)
    assert page(again) == page(field())
    assert json_of(again) == json_of(field())


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("kind",), "tokenloupe field 0"),
        (("texts",), {}),
        (("texts", 0, "size_bytes"), -1),
        (("environment", "cores"), "many"),
        (("environment",), [1]),
        (("vocabularies", 0, "verdicts", 0, "state"), "<b>"),
        (("vocabularies", 0, "verdicts", 3, "difference", "expected"), ["1"]),
        (("vocabularies", 0, "openings", "fast"), [["x", 1]]),
        (("vocabularies", 0, "openings", "fast"), [[1e300, 1]]),
        (("vocabularies", 0, "openings", "fast"), [[10**400, 1]]),
        (("vocabularies", 0, "run", "results", 0, "median_s"), "1"),
        (("vocabularies", 0, "run"), []),
        (("absent",), []),
    ],
)
def test_a_broken_record_is_one_sentence(tmp_path, place, value):
    record = json.loads(json_of(field()))
    at = record
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = value
    file = tmp_path / "field.json"
    file.write_text(json.dumps(record))
    with pytest.raises(BenchError, match="is not a record that `tokenloupe bench field --json`"):
        load_field(file)


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", '{"kind": "tokenloupe field 1"}', "[" * 100_000])
def test_what_is_no_record_at_all_is_one_sentence(tmp_path, text):
    file = tmp_path / "field.json"
    file.write_text(text)
    with pytest.raises(BenchError):
        load_field(file)


def test_every_part_of_a_record_without_a_default_is_needed(tmp_path):
    file = tmp_path / "field.json"
    needed = [each.name for each in fields(FieldRun) if each.default is each.default_factory is MISSING]
    for key in ["kind", *needed]:
        record = json.loads(json_of(field()))
        del record[key]
        file.write_text(json.dumps(record))
        with pytest.raises(BenchError):
            load_field(file)


def with_results(*results: dict):
    main = vocabulary()
    return field(replace(main, run={**main.run, "results": list(results)}))


def test_the_exact_come_first_the_fastest_of_them_ahead_and_those_without_a_part_last():
    names = [each.contender for each in field().standings]
    assert names == ["gigatoken", "Tokenloupe", "tiktoken", "tokie", "kitoken", "sentencepiece"]


def test_the_headline_counts_and_names_the_fastest_exact_one():
    first, second = field().headline
    assert first == "5 tokenizers, 2 vocabularies: 3 give correct ids with all that they support, 2 do not."
    assert second == (
        "The fastest exact tokenizer on English with Llama-3 is gigatoken: "
        "50.0 M tokens/s (200 MB/s), 2 × as fast as Tokenloupe."
    )


@pytest.mark.parametrize(("seconds", "comparable"), [(5e-5, ()), (9.5e-5, ("Tokenloupe",))])
def test_equally_fast_libraries_are_named_as_comparable(seconds, comparable):
    field_record = with_results(result("fast", 1e-4), result("gigatoken", seconds), result("tokie", 1e-6))
    best = field_record.fastest(field_record.vocabularies[0], TEXTS[0])
    assert (best.contender, best.comparable) == ("gigatoken", comparable)
    assert best.ratio == pytest.approx(1e-4 / seconds)
    assert ("equal within this run" in field_record.headline[1]) == bool(comparable)
