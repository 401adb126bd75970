import unicodedata

import numpy as np
import pytest

from guiapp.core.text import unicode_tables


def test_the_data_file_is_what_the_script_makes():
    unicodedata2 = pytest.importorskip("unicodedata2")
    import make_unicode_data

    version = unicodedata2.unidata_version
    rebuilt = make_unicode_data.BUILDS[version]()
    folder = unicode_tables.FOLDER / f"unicode_{version[:4].replace('.', '_')}"
    stored = {path.stem: np.load(path) for path in folder.iterdir()}
    assert sorted(stored) == sorted(rebuilt)
    for name, values in rebuilt.items():
        assert np.array_equal(stored[name], values), name


def test_categories_agree_with_python_where_python_knows_the_character():
    wrong = [
        code
        for code in range(0x30000)
        if (python := unicodedata.category(chr(code))) != "Cn"
        and "-LNPSMZC"[unicode_tables.categories()[code]] != python[0]
    ]
    assert wrong == []


def test_whitespace_is_llama_cpps_not_pythons():
    found = unicode_tables.whitespace()
    assert len(found) == 25
    assert not found & {0x1C, 0x1F, 0x200B}


@pytest.mark.parametrize(
    ("composed", "first"),
    [("é", "e"), ("ệ", "e"), ("각", "ᄀ"), ("힣", "ᄒ"), ("x", "x"), ("\uf900", "\u8c48")],
)
def test_only_the_first_decomposed_code_point_stays(composed, first):
    assert unicode_tables.first_decomposed().get(ord(composed), ord(composed)) == ord(first)


@pytest.mark.parametrize("ranges", [(), ((3, 5),), ((7, 9), (0, 0)), ((2, 9), (3, 4), (11, 12))])
def test_what_is_in_ranges_is_found_in_one_of_them(ranges):
    expected = [any(first <= code <= last for first, last in ranges) for code in range(15)]
    assert unicode_tables.are_in(np.arange(15), ranges).tolist() == expected
