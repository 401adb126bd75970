"""Records go round, and files of strangers are one sentence."""

from __future__ import annotations

import json

import pytest
from field_runs import field

from guiapp.analysis.bench.field.page import page
from guiapp.analysis.bench.field.record import json_of, load_field
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
    with pytest.raises(BenchError, match="is not a record of `tokenloupe bench field --json`"):
        load_field(file)


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", '{"kind": "tokenloupe field 1"}', "[" * 100_000])
def test_what_is_no_record_at_all_is_one_sentence(tmp_path, text):
    file = tmp_path / "field.json"
    file.write_text(text)
    with pytest.raises(BenchError):
        load_field(file)


def test_every_part_of_a_record_is_needed(tmp_path):
    file = tmp_path / "field.json"
    for key in json.loads(json_of(field())):
        record = json.loads(json_of(field()))
        del record[key]
        file.write_text(json.dumps(record))
        with pytest.raises(BenchError):
            load_field(file)
