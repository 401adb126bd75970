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
    code_points = unicode_tables.whitespace()
    assert len(code_points) == 25
    assert not code_points & {0x1C, 0x1F, 0x200B}
