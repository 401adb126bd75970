"""Values by key: of the type that is asked for, up to the first NUL, and as they are shown."""

import numpy as np
import pytest
from gguf_builder import GgufFile, Raw

from guiapp.core.formats import gguf_reader as vocab_keys
from guiapp.core.formats.file_bytes import HeaderBytes
from guiapp.core.formats.gguf_reader import VocabKeys, read_header
from guiapp.errors import VocabError

ENTRIES = {
    "text": b"ab\0c\xff",
    "text\0again": "other",
    "number": 7,
    "nothing": 0,
    "yes": True,
    "half": 0.5,
    "long": "x" * 9,
    "bytes": Raw("array:u8", [1, 255]),
    "signed": Raw("array:i8", [1, -1]),
    "strings": ["a", "", "b\0c"],
    b"\xff\n": 1,
}


@pytest.fixture
def keys(tmp_path):
    file = GgufFile()
    for name, value in ENTRIES.items():
        file.add(name, value)
    source = HeaderBytes(file.write(tmp_path / "x.gguf"), lambda share: None)
    yield VocabKeys(source, read_header(source).fields)
    source.close()


def test_values_are_those_in_the_file(keys):
    assert [keys.scalar("text", "string"), keys.scalar("number", "uint32"), keys.scalar("yes", "bool")] == [
        b"ab",
        7,
        True,
    ]
    assert [keys.scalar("none", "string"), keys.numbers("none", "uint8"), keys.strings("none")] == [None] * 3
    assert [keys.numbers(name, "uint8", "int8").tolist() for name in ("bytes", "signed")] == [
        [1, 255],
        [1, -1],
    ]
    assert keys.numbers("bytes", "uint8").flags.writeable
    assert np.array_equal(keys.strings("strings")[1], [0, 1, 1, 2])
    assert [keys.strings("strings")[0].tobytes(), keys.strings("strings", True)[0].tobytes()] == [
        b"ab",
        b"a[EMPTY_1]b",
    ]
    assert keys.warnings == ["The key text\\x00again is ignored: text came before it."]
    assert keys.refusals == []


def test_a_value_of_another_type_is_refused(keys):
    for ask, told in {
        lambda: keys.scalar("number", "string"): "number of type uint32, where string is needed",
        lambda: keys.numbers(
            "strings", "uint8", "int8"
        ): "strings of type array of string, where array of uint8 or array of int8 is needed",
        lambda: keys.strings("bytes"): "bytes of type array of uint8, where array of string is needed",
    }.items():
        with pytest.raises(VocabError) as caught:
            ask()
        assert str(caught.value) == f"x.gguf has a {told}. Convert the model again, or choose another file."


def test_what_llama_cpp_refuses_is_told_where_we_can_go_on(keys):
    assert [keys.optional_string("text"), keys.optional_string("none")] == [b"ab", None]
    assert [keys.optional_count(name, "uint32") for name in ("number", "nothing", "none")] == [7, 0, 0]
    assert [keys.needed_count(name, "uint32") for name in ("number", "nothing")] == [7, 0]
    assert keys.refusals == []
    assert [keys.optional_string("number"), keys.optional_count("text", "uint32")] == [None, 0]
    assert [keys.needed_count("none", "uint32"), keys.needed_count("text", "uint16")] == [0, 0]
    assert keys.refusals == [
        "number is ignored: it is uint32, not string.",
        "text is ignored: it is string, not uint32.",
        "The file has no none.",
        "text is ignored: it is string, not uint16.",
    ]


def test_everything_can_be_shown(keys, monkeypatch):
    monkeypatch.setattr(vocab_keys, "LONGEST_KEPT_STRING", 8)
    assert keys.metadata() == {
        "text": "ab\0c\\xff",
        "text\0again": "other",
        "number": 7,
        "nothing": 0,
        "yes": True,
        "half": 0.5,
        "long": "string of 9 bytes",
        "bytes": "2 x uint8",
        "signed": "2 x int8",
        "strings": "3 x string",
        "\\xff\n": 1,
    }
    monkeypatch.setattr(vocab_keys, "LONGEST_KEPT_STRING", 9)
    assert keys.metadata()["long"] == "x" * 9
