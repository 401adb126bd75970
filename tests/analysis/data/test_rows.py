"""The filter and the columns of records: each word against the figures that it is about."""

from __future__ import annotations

import json

import numpy as np
import pytest

from guiapp.analysis.data.findings import BITS
from guiapp.analysis.data.records import open_records
from guiapp.analysis.data.rows import COLUMNS, DataRows, check_query, listed_rows
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.search.matches import QueryError
from guiapp.analysis.vocabulary_list.listing import in_order

TEXTS = ["Refund of order 7", 'größe, "quoted"', "nothing", "refund\nagain"]


@pytest.fixture(params=["file", "escaped file", "values"])
def rows(request, tmp_path):
    records = [{"text": text} for text in TEXTS]
    path = tmp_path / "records.jsonl"
    is_ascii = request.param == "escaped file"
    path.write_text("".join(json.dumps(each, ensure_ascii=is_ascii) + "\n" for each in records), "utf-8")
    source = open_records(records if request.param == "values" else path)
    source.up_to(len(TEXTS))
    codes = [BITS["cut_off"], BITS["doubled"] | BITS["broken"], 0, BITS["other_prompt"]]
    columns = ([10, 20, 30, 40], [5, 0, 30, 1], [1, 2, 3, 4])
    return DataRows(source, *(np.array(each, np.int32) for each in columns), np.array(codes, np.uint32))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", [1, 2, 3, 4]),
        ("tokens:>10", [2, 3, 4]),
        ("tokens:20..30", [2, 3]),
        ("trained:0", [2]),
        ("-trained:0", [1, 3, 4]),
        ("share:100", [3]),
        ("messages:..2 tokens:>=20", [2]),
        ("record:3", [3]),
        ("finding:cut_off", [1]),
        ("finding:cut", [1]),
        ("finding:warning", [1, 2]),
        ("finding:error", [2]),
        ("finding:hint", [4]),
        ("refund", [1, 4]),
        ("REFUND -again", [1]),
        ("GRÖSSE", []),
        ("GRÖßE", [2]),
        ('"of order"', [1]),
        ("tokens:>", [1, 2, 3, 4]),
        ("finding:", [1, 2, 3, 4]),
    ],
)
def test_a_filter_leaves_the_records_that_each_word_fits(rows, query, expected):
    assert (np.flatnonzero(listed_rows(rows, query)) + 1).tolist() == expected


@pytest.mark.parametrize("query", ["finding:nothing_like_it", "tokens:many"])
def test_what_cannot_be_understood_is_an_error(query):
    with pytest.raises(QueryError):
        check_query(query)


def test_records_are_sorted_by_what_is_worst_in_them(rows):
    findings_column = next(column for column in COLUMNS if column.name == "findings")
    assert in_order(rows, np.ones(4, np.bool_), findings_column, is_descending=True).tolist() == [1, 0, 3, 2]
    assert findings_column.text(rows, 1, Spelling.SIGNS) == "broken, doubled"
