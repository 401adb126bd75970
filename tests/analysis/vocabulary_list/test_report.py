"""Lists of tokens in each form, of the same rows."""

import csv
import io
import json

import pytest

import guiapp
from guiapp.analysis.vocabulary_list.report import FORMS, exported, text_lines


@pytest.fixture(scope="module")
def shown():
    columns = ["id", "token", "bytes", "length", "kind", "role", "rank", "score", "script"]
    return guiapp.vocab("demo:bpe", "/^[ |\\n-~]{1,3}$/ -is:reserved", "length", True, columns)


def test_all_forms_tell_the_same_tokens(shown):
    texts = {form: exported(shown, form, lambda share: None).decode() for form in FORMS}
    record = json.loads(texts["json"])
    rows = list(csv.DictReader(io.StringIO(texts["csv"])))
    assert record["count"] == len(rows) == len(shown.ids) > 300
    assert (
        [token["id"] for token in record["tokens"]] == [int(row["id"]) for row in rows] == shown.ids.tolist()
    )
    assert [token["bytes"] for token in record["tokens"]] == [row["bytes"] for row in rows]
    assert texts["markdown"].count("\n") == len(rows) + 2
    assert texts["text"].count("\n") == len(rows) + 1
    for token in record["tokens"]:
        assert bytes.fromhex(token["bytes"]) == shown.figures.vocabulary.token_bytes(token["id"])
        assert (2 * token["length"], token["score"]) == (len(token["bytes"]), None)


def test_the_first_ones_know_how_many_there_are(shown):
    first = shown.first(3)
    assert json.loads("".join(FORMS["json"](first)))["count"] == len(shown.ids)
    assert len(list(text_lines(first))) == 4


def test_a_list_without_tokens_has_titles_alone(shown):
    nothing = shown.first(0)
    assert [line.split()[:2] for line in text_lines(nothing)] == [["id", "token"]]
    assert json.loads("".join(FORMS["json"](nothing)))["tokens"] == []
