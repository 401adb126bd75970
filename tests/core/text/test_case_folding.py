"""Case folding: the table holds all characters that have one."""

import sys

from guiapp.analysis.search.matches import LONGEST_FOLDING, characters_by_folding


def test_every_character_that_folds_is_in_the_table():
    table = characters_by_folding()
    folding = {chr(code) for code in range(sys.maxunicode + 1) if chr(code) != chr(code).casefold()}
    assert {character for characters in table.values() for character in characters} == folding
    assert max(map(len, table)) == LONGEST_FOLDING
    assert table["ss"] == ("ß", "ẞ")
