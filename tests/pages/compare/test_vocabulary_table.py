"""Rows of two vocabularies in a table, and all about one of them."""

import unicodedata

import numpy as np
import pytest
from PySide6.QtCore import Qt
from vocabulary_pairs import PAIR, bpe

from guiapp.analysis.compare.vocabularies import compare_vocabularies
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.state.spelling import SharedSpelling
from guiapp.pages.compare.vocabularies_listing import VocabularyTable
from guiapp.pages.compare.vocabulary_rows import GROUPS, Describer

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


def test_what_differs_in_both_is_told_of_both(qapp):
    attributes = bpe().vocabulary.attributes | np.uint16(Attribute.USER_DEFINED)
    found = compare_vocabularies(bpe(), bpe(attributes=attributes))
    details = Describer(found, SharedSpelling()).describe(GROUPS["kind"], (0, 0))
    facts = {fact.name: (fact.first, fact.second, fact.differs) for fact in details.facts}
    assert facts["kind"] == ("normal", "user-defined", True)
    assert facts["id"] == ("0", "0", False)
    table = VocabularyTable(SharedSpelling())
    table.show(Describer(found, SharedSpelling()), GROUPS["kind"], GROUPS["kind"].rows(found))
    assert cells(table, 0)[3] == "normal / user-defined"


def test_how_an_added_token_is_searched_for_is_told():
    attributes = bpe().vocabulary.attributes.copy()
    attributes[7] |= Attribute.LSTRIP | Attribute.RSTRIP
    found = compare_vocabularies(bpe(), bpe(attributes=attributes))
    assert GROUPS["search"].rows(found).tolist() == [[7, 7]]
    facts = Describer(found, SharedSpelling()).describe(GROUPS["search"], (7, 7)).facts
    assert ("searched", "–", "takes white space before it, takes white space behind it") in facts


def test_details_of_a_rule_name_its_sides_and_what_it_makes():
    found = compare_vocabularies(PAIR["one"](), PAIR["swapped"]())
    row = tuple(GROUPS["moved"].rows(found)[0].tolist())
    details = Describer(found, SharedSpelling()).describe(GROUPS["moved"], row)
    assert [fact.name for fact in details.facts] == ["place", "left", "right", "makes"]
    assert details.facts[0][1:] == (str(row[0]), str(row[1]))
    assert details.facts[0].differs
    assert not any(fact.differs for fact in details.facts[1:])
    made = PAIR["one"]().vocabulary.token_bytes(details.token[0])
    assert details.text == made
    assert ("length", str(len(made))) in details.shared
    other = Describer(compare_vocabularies(bpe(), bpe(merges=("x y",))), SharedSpelling()).describe(
        GROUPS["merges second"], (-1, 0)
    )
    assert (other.token, other.text) == ((None, None), b"xy")


def test_details_tell_roles_and_what_one_lacks():
    found = compare_vocabularies(PAIR["one"](), PAIR["other"]())
    special = Describer(found, SharedSpelling()).describe(GROUPS["special"], (7, 7))
    assert ("role", "BOS", "BOS") in special.facts
    only = Describer(found, SharedSpelling()).describe(GROUPS["second"], (-1, 5))
    assert only.token == (None, 5)
    assert ("id", "", "5") in only.facts
    assert not any(fact.differs for fact in only.facts)


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


def test_nothing_is_listed_of_nothing(qapp):
    table = VocabularyTable(SharedSpelling())
    assert (table.rowCount(), table.columnCount()) == (0, 7)
    assert table.as_text([]).count("\n") == 1
    assert table.headerData(0, Qt.Orientation.Vertical) is None
    assert table.headerData(0, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole) is None
