"""Tokens and merge rules of two vocabularies: which are listed, and what is said of each."""

import re
import unicodedata

import pytest
from conftest import SHARED, VOCABS
from vocabulary_pairs import PAIR

import guiapp
from guiapp.analysis.compare.vocabularies import compare_vocabularies
from guiapp.analysis.compare.vocabulary_rows import GROUPS, PAIR_COLUMNS, PairRows
from guiapp.analysis.explain.spelling import Spelling
from guiapp.native.model_files import sliced

SIGNS = Spelling.SIGNS


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


def listed(result, group="all", query=""):
    """The rows that a filter leaves of a group, as it is written there."""
    pairs = PairRows(result, GROUPS[group])
    return pairs.rows[pairs.listed(query, None, False, nothing)].tolist()


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


@pytest.mark.real_vocabs
@pytest.mark.parametrize("query", ["the", "0x20E2", "/^ ?[A-Z]{3}$/", "#262", "é"])
@pytest.mark.parametrize("name", ["all", "first", "second", "id", "merges", "merges first", "moved"])
def test_a_search_matches_a_plain_loop(real, tables, name, query):
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
        searched_bytes = bytes.fromhex(query[2:]) if query.startswith("0x") else query.encode()
        return searched_bytes in text

    expected = set()
    for row in rows.tolist():
        for side, number in enumerate(row):
            if number >= 0:
                symbols = real.listed_rules[side][number, [0, 1, 3]] if group.is_rules else [number]
                if any(is_meant(side, int(each)) for each in symbols):
                    expected.add(tuple(row))
    result = set(map(tuple, listed(real, name, query)))
    assert result & set(map(tuple, rows.tolist())) == expected


ISOLATES = "\u2068\u2069"


def pairs_of(first, second, name):
    return PairRows(compare_vocabularies(PAIR[first](), PAIR[second]()), GROUPS[name])


@pytest.mark.parametrize("name", ["all", "first", "second"])
def test_hostile_texts_are_one_visible_line_in_every_cell(name):
    pairs = pairs_of("hostile", "one", name)
    for row in range(len(pairs)):
        cell_texts = [
            column.text(pairs, row, SIGNS)[:250] for column in PAIR_COLUMNS if column.is_known(pairs)
        ]
        cell_texts += [line for _, text in pairs.facts(row, SIGNS) for line in text.split("\n")]
        for text in cell_texts:
            assert len(text) <= 250
            for character in text:
                category = unicodedata.category(character)
                assert category not in ("Cc", "Cf", "Zl", "Zp", "Cs") or character in ISOLATES, ascii(text)


@pytest.mark.real_vocabs
def test_a_rule_has_one_rank_though_another_one_makes_the_same_token(real):
    pairs = PairRows(real, GROUPS["moved"])
    columns = {each.name: each for each in PAIR_COLUMNS if each.is_known(pairs)}
    assert "rank" not in columns
    ranks = [table[:, 2] for table in real.listed_rules]
    for row, places in enumerate(pairs.rows[:100].tolist()):
        shown = [columns[f"rank in {side}"].text(pairs, row, SIGNS) for side in "AB"]
        assert shown == [str(ranks[side][place]) for side, place in enumerate(places)]
        facts = dict(pairs.facts(row, SIGNS))
        assert facts["merge rank"].replace(",", "").split() in (shown[:1], ["A", shown[0], "B", shown[1]])
