"""Tokens and merge rules of two vocabularies: which are listed, and what is said of each."""

import re
import unicodedata
from itertools import chain

import numpy as np
import pytest
from conftest import SHARED, VOCABS
from PySide6.QtCore import Qt
from vocabulary_pairs import PAIR, bpe

import guiapp
from guiapp.analysis.compare.vocabularies import compare_vocabularies
from guiapp.kit.state.settings import SharedSpelling
from guiapp.native.model_files import sliced
from guiapp.pages.compare.vocabularies_listing import VocabularyTable
from guiapp.pages.compare.vocabulary_rows import GROUPS, Describer, RowFilter, listed, token_of, tokens_of


def nothing(share):
    pass


@pytest.fixture(scope="module")
def toys():
    return compare_vocabularies(PAIR["one"](), PAIR["other"]())


@pytest.fixture(scope="module")
def real():
    names = VOCABS / "ggml-vocab-gpt-2.gguf", SHARED / "formats" / "claude-2.tokenizer.json"
    return compare_vocabularies(*map(guiapp.open_model, names))


@pytest.fixture(scope="module")
def tables(real):
    """The bytes of all tokens of both."""
    return [sliced(*each.vocabulary.token_bytes_table) for each in real.tokenizers]


def bytes_of(found, group, row):
    """The bytes of the token in a row, or of the one that its rule makes."""
    for tokenizer, token in zip(found.tokenizers, token_of(found, group, tuple(row)), strict=True):
        if token is not None:
            return tokenizer.vocabulary.token_bytes(token)
    return None


def test_groups_hold_what_differs(toys):
    rows = {name: group.rows(toys).tolist() for name, group in GROUPS.items()}
    assert rows["both"] == [[0, 1], [1, 0], [2, 2], [3, 3], [4, 4], [6, 6], [7, 7], [8, 8]]
    assert rows["first"] == [[5, -1]]
    assert rows["second"] == [[-1, 5]]
    assert rows["all"] == rows["both"] + rows["first"] + rows["second"]
    assert rows["id"] == [[0, 1], [1, 0]]
    assert rows["special"] == [[7, 7], [8, 8]]
    assert rows["merges"] == [[0, 0], [1, 1]]
    assert rows["merges first"] == [[2, -1], [3, -1]]
    assert [name for name, each in rows.items() if not each] == [
        "kind",
        "search",
        "score",
        "merges second",
        "moved",
    ]
    swapped = compare_vocabularies(PAIR["one"](), PAIR["swapped"]())
    assert GROUPS["moved"].rows(swapped).tolist() in ([[0, 1]], [[1, 0]])


def test_files_without_merge_rules_have_none_listed():
    found = compare_vocabularies(PAIR["one"](), PAIR["spm"]())
    for name in ("merges", "merges first", "merges second", "moved"):
        assert len(listed(found, RowFilter(name, query="a"), nothing).rows) == 0


@pytest.mark.parametrize("name", GROUPS)
def test_scripts_and_lengths_share_out_a_group(toys, name):
    rows = GROUPS[name].rows(toys).tolist()
    for field, counts in (("script", toys.by_script), ("length", toys.by_length)):
        parts = [
            listed(toys, RowFilter(name, **{field: value}), nothing).rows.tolist()
            for value in range(counts.shape[1])
        ]
        assert sorted(chain(*parts)) == sorted(rows)


def test_pictures_count_what_is_listed(toys):
    for part, name in enumerate(("both", "first", "second")):
        for field, counts in (("script", toys.by_script), ("length", toys.by_length)):
            for value in range(counts.shape[1]):
                rows = listed(toys, RowFilter(name, **{field: value}), nothing).rows
                assert len(rows) == counts[part, value]


@pytest.mark.real_vocabs
@pytest.mark.parametrize("query", ["the", "0x20E2", "/^ ?[A-Z]{3}$/", "#262", "é"])
@pytest.mark.parametrize("name", ["all", "first", "second", "id", "merges", "merges first", "moved"])
def test_a_search_finds_what_a_loop_finds(real, tables, name, query):
    group = GROUPS[name]
    rows = group.rows(real)[::37]

    def is_meant(side, token):
        if not 0 <= token < len(tables[side]):
            return False
        if query.startswith("#"):
            return token == int(query[1:])
        text = tables[side][token]
        if query.startswith("/"):
            return re.search(query[1:-1], text.decode("utf-8", "surrogateescape")) is not None
        wanted = bytes.fromhex(query[2:]) if query.startswith("0x") else query.encode()
        return wanted in text

    expected = set()
    for row in rows.tolist():
        for side, number in enumerate(row):
            if number >= 0:
                symbols = real.listed_rules[side][number, [0, 1, 3]] if group.is_rules else [number]
                if any(is_meant(side, int(each)) for each in symbols):
                    expected.add(tuple(row))
    found = set(map(tuple, listed(real, RowFilter(name, query=query), nothing).rows.tolist()))
    assert found & set(map(tuple, rows.tolist())) == expected


@pytest.mark.real_vocabs
def test_rows_hold_the_same_bytes_in_both(real):
    for row in GROUPS["both"].rows(real)[::101].tolist():
        texts = {each.vocabulary.token_bytes(i) for each, i in zip(real.tokenizers, row, strict=True)}
        assert len(texts) == 1
    for name in ("merges", "moved"):
        rows = GROUPS[name].rows(real)[::101]
        made = tokens_of(real, GROUPS[name], rows)
        for (first, second), row in zip(made.tolist(), rows.tolist(), strict=True):
            texts = [real.rules(side, np.array([row[side]], np.int32)) for side in (0, 1)]
            assert texts[0] == texts[1]
            assert real.first.vocabulary.token_bytes(first) == real.second.vocabulary.token_bytes(second)


def test_the_nearest_are_listed_first(toys):
    found = listed(toys, RowFilter(query="a"), nothing).rows.tolist()
    assert [bytes_of(toys, GROUPS["all"], row) for row in found] == [b"a", b" a", b"ab", b"abc", b"abd"]
    rules = listed(toys, RowFilter("merges", query="ab"), nothing).rows.tolist()
    assert [bytes_of(toys, GROUPS["merges"], row) for row in rules] == [b"ab"]
    joined = listed(toys, RowFilter("merges first", query="#3"), nothing).rows.tolist()
    assert joined == [[2, -1]], "it joins the token, and makes another one"


def test_a_token_that_only_one_has_is_found_by_its_id():
    found = compare_vocabularies(bpe(), bpe((*bpe().vocabulary.merges[:0], "a", "b")))
    assert listed(found, RowFilter(query="#8"), nothing).rows.tolist() == [[8, -1]]
    assert len(listed(found, RowFilter(query="#9"), nothing).rows) == 0


@pytest.mark.parametrize("query", ["/(/", "kind:blue", "0xzz"])
def test_a_query_that_means_nothing_is_told(toys, query):
    found = listed(toys, RowFilter(query=query), nothing)
    assert (len(found.rows), bool(found.problem)) == (0, query != "0xzz")


def test_what_only_one_vocabulary_has_figures_of_is_filtered_there():
    found = compare_vocabularies(PAIR["one"](), PAIR["spm"]())
    assert listed(found, RowFilter(query="rank:0"), nothing).rows.tolist() == [[3, -1]]
    assert listed(found, RowFilter(query="score:-3"), nothing).rows.tolist() == [[-1, 2]]
    assert "is:unreached" not in listed(found, RowFilter(query="-a kind:normal length:1"), nothing).problem


def test_rules_with_symbols_that_are_no_tokens_are_listed():
    found = compare_vocabularies(bpe(), bpe(merges=("x y", "a b")))
    assert GROUPS["merges second"].rows(found).tolist() == [[-1, 0]]
    assert token_of(found, GROUPS["merges second"], (-1, 0)) == (None, None)
    assert len(listed(found, RowFilter("merges second", query="x"), nothing).rows) == 0
    assert len(listed(found, RowFilter("merges second", length=1), nothing).rows) == 0


ISOLATES = "\u2068\u2069"


def table_of(first, second, name):
    found = compare_vocabularies(PAIR[first](), PAIR[second]())
    table = VocabularyTable(SharedSpelling())
    table.show(Describer(found, SharedSpelling()), GROUPS[name], GROUPS[name].rows(found))
    return table


def cells(table, row):
    return [table.index(row, column).data() for column in range(table.columnCount())]


def titles(table):
    return [table.headerData(column, Qt.Orientation.Horizontal) for column in range(table.columnCount())]


def test_a_token_is_told_of_both_vocabularies(qapp):
    table = table_of("one", "other", "all")
    assert titles(table) == ["token", "id in A", "id in B", "kind", "rank", "script", "bytes"]
    assert table.rowCount() == 10
    assert cells(table, 3) == ["ab", "3", "3", "normal", "0", "Latin", "2"]
    assert cells(table, 5) == ["·a", "6", "6", "normal", "", "Latin", "2"]
    assert cells(table, 8) == ["abc", "5", "–", "normal", "2", "Latin", "3"]
    assert cells(table, 9) == ["abd", "–", "5", "normal", "", "Latin", "3"]
    assert titles(table_of("one", "spm", "all"))[4] == "rank/score"
    assert cells(table_of("spm", "spm", "all"), 1) == ["b", "1", "1", "normal", "-2", "Latin", "1"]


def test_a_rule_is_told_by_its_places(qapp):
    table = table_of("one", "other", "merges first")
    assert titles(table) == ["merge rule", "place in A", "place in B", "makes", "script", "bytes"]
    assert cells(table, 0) == ["ab + c", "2", "–", "abc", "Latin", "3"]
    assert table.as_text([1]) == (
        "merge rule\tplace in A\tplace in B\tmakes\tscript\tbytes\na + bc\t3\t–\tabc\tLatin\t3\n"
    )


@pytest.mark.parametrize("name", ["all", "first", "second"])
def test_hostile_texts_are_one_visible_line_in_every_cell(qapp, name):
    table = table_of("hostile", "one", name)
    describer = table._describer
    for row in range(table.rowCount()):
        details = describer.describe(GROUPS[name], table.row(row).place)
        said = [*cells(table, row), *(value for _, value in details.shared)]
        said += [text for fact in details.facts for text in (fact.first, fact.second)]
        for text in said:
            assert len(text) <= 250
            for character in text:
                category = unicodedata.category(character)
                assert category not in ("Cc", "Cf", "Zl", "Zp", "Cs") or character in ISOLATES, ascii(text)
