"""Our reader finds the fields that gguf's own reader finds, and knows what gguf knows."""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from conftest import VOCABS
from gguf import GGUFReader
from gguf_builder import FORMATS, GgufFile, Raw, Tensor, string, vocab_file

from guiapp.core.formats import file_bytes, gguf_reader
from guiapp.core.formats.file_bytes import HeaderBytes, open_regular
from guiapp.core.formats.gguf_reader import (
    MetadataField,
    VocabKeys,
    all_parts,
    check_tensor_infos,
    first_part,
    read_header,
    split_refusals,
)
from guiapp.errors import VocabError


def contents(path: Path) -> dict[str, tuple[list[str], object]]:
    """Types and value of each field, by our reader."""
    source = HeaderBytes(path, lambda share: None)
    fields = read_header(source).fields
    source.close()
    keys = VocabKeys(source, fields)
    return {
        name: (field.kind.upper().split(" OF "), value(keys, name, field)) for name, field in fields.items()
    }


def value(keys: VocabKeys, name: str, field: MetadataField) -> object:
    if field.kind == "array of string":
        data, offsets, _ = keys.strings(name)
        return [data[start:end].tobytes().decode() for start, end in pairwise(offsets.tolist())]
    if field.kind.startswith("array"):
        return keys.numbers(name, field.kind.removeprefix("array of ")).tolist()
    return field.value.decode() if field.kind == "string" else field.value


def stock_contents(path: Path) -> dict[str, tuple[list[str], object]]:
    fields = GGUFReader(path).fields
    return {
        name: ([kind.name for kind in field.types], field.contents())
        for name, field in fields.items()
        if not name.startswith("GGUF.")
    }


def test_fields_of_every_type_equal_those_of_the_stock_reader(tmp_path):
    file = vocab_file(tokens=["a", "é", ""], merges=["a b"], scores=[0.5, -1.0, 3.0])
    for kind in FORMATS:
        value = 1.5 if kind.startswith("f") else 1
        file.add(f"one.{kind}", Raw(kind, value)).add(f"many.{kind}", Raw(f"array:{kind}", [value, 0, value]))
    path = file.write(tmp_path / "model.gguf")
    assert contents(path) == stock_contents(path)


@pytest.mark.real_vocabs
def test_fields_of_a_real_file_equal_those_of_the_stock_reader():
    path = VOCABS / "ggml-vocab-bert-bge.gguf"
    assert contents(path) == stock_contents(path)


def test_strings_are_read_across_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr("guiapp.core.formats.file_bytes.CHUNK_BYTES", 7)
    monkeypatch.setattr("guiapp.core.formats.file_bytes.FIRST_ROOM_BYTES", 7)
    file = vocab_file(tokens=[f"token {number}" * (1 + number % 5) for number in range(100)], types=[1] * 100)
    path = file.write(tmp_path / "model.gguf")
    assert contents(path) == stock_contents(path)


def test_a_file_that_shrinks_while_it_is_read_is_refused(tmp_path):
    path = vocab_file(tokens=["a"] * 1000).write(tmp_path / "model.gguf")
    source = HeaderBytes(path, lambda share: None)
    path.write_bytes(b"GGUF")
    with pytest.raises(Exception, match="became shorter"):
        read_header(source)
    source.close()


DATA = bytes(range(100))


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """A file of 100 bytes, read in chunks of 8; and the shares that were reported."""
    monkeypatch.setattr(file_bytes, "CHUNK_BYTES", 8)
    monkeypatch.setattr(file_bytes, "FIRST_ROOM_BYTES", 10)
    monkeypatch.setattr(file_bytes, "USUAL_HEADER_BYTES", 40)
    path, shares = tmp_path / "model.gguf", []
    path.write_bytes(DATA)
    source = HeaderBytes(path, shares.append)
    yield source, shares
    source.close()


def refusal(ask) -> str:
    with pytest.raises(VocabError) as caught:
        ask()
    return str(caught.value)


def test_what_is_missing_or_too_large_is_refused(opened, monkeypatch):
    source, _ = opened
    assert refusal(lambda: source.need(101, "the list")) == (
        "model.gguf ends in the middle of the list: it has 100 bytes, and byte 101 is missing. "
        "The copy is incomplete: download it again."
    )
    monkeypatch.setattr(file_bytes, "MEMORY_LIMIT_BYTES", 60)
    source.need(8, "the header")
    source.reserve(30, "strings")
    source.reserve(10, "strings")
    too_much = (
        "model.gguf needs more than 0 MiB of memory for strings. "
        "No known tokenizer needs that much: choose another file."
    )
    assert refusal(lambda: source.reserve(13, "strings")) == too_much
    assert refusal(lambda: source.need(21, "strings")) == too_much
    source.reserve(12, "strings")
    source.need(8, "what is there")
    monkeypatch.setattr(file_bytes, "MEMORY_LIMIT_BYTES", 3 << 20)
    assert "more than 3 MiB" in refusal(lambda: source.reserve(3 << 20, "strings"))


class BrokenDisk(io.BytesIO):
    def readinto(self, _):
        raise OSError(5, "Input/output error")


def test_a_file_that_cannot_be_read_is_refused(opened):
    source, _ = opened
    source.close()
    source._file = BrokenDisk()
    assert refusal(lambda: source.need(1, "the header")) == (
        "model.gguf cannot be read: Input/output error. Check the disk or copy the file."
    )


def test_folders_and_unopenable_files_are_reported(tmp_path):
    assert (
        refusal(lambda: open_regular(tmp_path))
        == f"{tmp_path.name} is a folder. Choose a tokenizer file in it."
    )
    assert refusal(lambda: open_regular(Path("/"))) == "/ is a folder. Choose a tokenizer file in it."
    assert refusal(lambda: open_regular(tmp_path / "none")) == (
        f"{tmp_path}/none cannot be opened: No such file or directory. Check its path and permissions."
    )
    assert refusal(lambda: open_regular(Path("a\0b"))) == (
        r"a\x00b cannot be opened: embedded null byte. Check its path and permissions."
    )


def report(tmp_path, *tensors: Tensor, **parts: object) -> str:
    """What is said about a file of these tensors: its warnings, or why it is refused."""
    alignment, tail = parts.pop("alignment", None), parts.pop("tail", b"")
    file = GgufFile(tensors=[*tensors], tail=tail, **parts)
    if alignment is not None:
        file.add("general.alignment", alignment)
    path = file.write(tmp_path / "x.gguf")
    source = HeaderBytes(path, lambda share: None)
    try:
        return " ".join(check_tensor_infos(source, read_header(source)))
    except VocabError as error:
        return str(error).removeprefix("x.gguf ").removesuffix(" The file is damaged: download it again.")
    finally:
        source.close()


INCOMPLETE = "The file is incomplete: {} missing. The vocabulary is complete."
IMPOSSIBLE = "has the tensor {} of impossible size (byte {})."
INFO = 8 + 1 + 4 + 8 + 4 + 8  # of a tensor "t" of one dimension, behind the 24 bytes of an empty header


@pytest.mark.parametrize(
    ("tensors", "parts", "expected"),
    [
        ([], {}, ""),
        ([], {"n_tensors": 1, "tail": bytes(23)}, "claims 1 tensor (byte 8), but only 23 bytes follow."),
        ([Tensor("", ())], {"tail": bytes(48)}, ""),
        ([Tensor("", ())], {}, INCOMPLETE.format("48 bytes of tensors are")),
        ([Tensor("t" * 63, ())], {"tail": bytes(49)}, ""),
        ([Tensor("t" * 64)], {}, "has a tensor name of 64 bytes at byte 24; the limit is 63."),
        ([Tensor("t", (1, 1, 1, 1))], {"tail": bytes(100)}, ""),
        ([Tensor("t", (1,) * 5)], {}, "has the tensor t with 5 dimensions."),
        ([Tensor("t", (0, -1))], {}, IMPOSSIBLE.format("t", 24)),
        ([Tensor("t", (1 << 62, 2))], {}, IMPOSSIBLE.format("t", 24)),
        ([Tensor("t", (1,)), Tensor("u", (-1,))], {}, IMPOSSIBLE.format("u", 24 + INFO)),
        (
            [Tensor("t"), Tensor("t", offset=32)],
            {},
            f"has the tensor t twice (again before byte {24 + 2 * INFO}).",
        ),
        (
            [Tensor("t"), Tensor("u", (1, 1), offset=32)],
            {"n_tensors": 4},
            f"claims 4 tensors (byte 8), but only {2 * INFO + 8} bytes follow.",
        ),
        (
            [Tensor("t")],
            {"n_tensors": 2, "tail": string("x" * 8)},
            f"ends in the middle of the list of tensors, at byte {24 + INFO}.",
        ),
    ],
)
def test_the_list_is_read_as_far_as_it_goes(tmp_path, tensors, parts, expected):
    assert report(tmp_path, *tensors, **parts) == expected


STARTS = "The tensor {} starts at {} instead of {}. The vocabulary is not affected."
UNTOUCHED = " The vocabulary is not affected."


@pytest.mark.parametrize(
    ("tensors", "expected"),
    [
        ([Tensor("t", type=-1)], "The tensor t has the unknown type -1." + UNTOUCHED),
        ([Tensor("t", type=43)], "The tensor t has the unknown type 43." + UNTOUCHED),
        ([Tensor("t", type=42)], "The sizes of the newest tensor types are not checked." + UNTOUCHED),
        ([Tensor("t", offset=1)], STARTS.format("t", 1, 0)),
        ([Tensor("t", offset=7), Tensor("u", type=43)], STARTS.format("t", 7, 0)),
        ([Tensor("t", (0,)), Tensor("u", offset=0)], ""),
        ([Tensor("t", (8,)), Tensor("u", offset=32)], ""),
        ([Tensor("t", (9,)), Tensor("u", offset=64)], ""),
        ([Tensor("t", (64,), type=8), Tensor("u", offset=96)], ""),
        ([Tensor("t", (64, 3), type=2), Tensor("u", offset=128)], ""),
        (
            [Tensor("t", (9,)), Tensor("u", (9,), offset=64), Tensor("v", offset=64)],
            STARTS.format("v", 64, 128),
        ),
    ],
)
def test_what_makes_tensors_unusable_is_a_warning(tmp_path, tensors, expected):
    assert report(tmp_path, *tensors, tail=bytes(500)) == expected


@pytest.mark.parametrize(("alignment", "data"), [(None, 32), (1, 4), (16, 16), (64, 64)])
def test_data_begin_and_end_at_multiples_of_the_alignment(tmp_path, alignment, data):
    head = 24 + INFO + (0 if alignment is None else 8 + len("general.alignment") + 4 + 4)
    step = alignment or 32
    end = -(-head // step) * step + data
    missing = INCOMPLETE.format("1 byte of tensors is")
    assert report(tmp_path, Tensor("t"), alignment=alignment, tail=bytes(end - head)) == ""
    assert report(tmp_path, Tensor("t"), alignment=alignment, tail=bytes(end - head - 1)) == missing
    assert report(tmp_path, alignment=alignment) == ""


@pytest.mark.parametrize("alignment", [0, 3, 6, 33, Raw("u64", 32)])
def test_other_alignments_are_refused(tmp_path, alignment):
    expected = "has a general.alignment that is not a power of two of type uint32."
    assert report(tmp_path, alignment=alignment) == expected


def test_no_more_tensors_than_any_model_has_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(gguf_reader, "MOST_TENSORS", 2)
    tensors = [Tensor("t"), Tensor("u", offset=32), Tensor("v", offset=64)]
    assert report(tmp_path, *tensors, tail=bytes(200)) == "claims 3 tensors (byte 8). The limit is 2."
    assert report(tmp_path, *tensors[:2], tail=bytes(200)) == ""


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
    assert keys.warnings == ["The key text\\x00again is ignored: text comes first."]
    assert keys.refusals == []


def test_a_value_of_another_type_is_refused(keys):
    for ask, report in {
        lambda: keys.scalar("number", "string"): "number of type uint32 instead of string",
        lambda: keys.numbers(
            "strings", "uint8", "int8"
        ): "strings of type array of string instead of array of uint8 or array of int8",
        lambda: keys.strings("bytes"): "bytes of type array of uint8 instead of array of string",
    }.items():
        with pytest.raises(VocabError) as caught:
            ask()
        assert str(caught.value) == f"x.gguf has a {report}. Convert the model again, or choose another file."


def test_faults_that_only_llama_cpp_refuses_are_recorded(keys):
    assert [keys.optional_string("text"), keys.optional_string("none")] == [b"ab", None]
    assert [keys.optional_count(name, "uint32") for name in ("number", "nothing", "none")] == [7, 0, 0]
    assert [keys.needed_count(name, "uint32") for name in ("number", "nothing")] == [7, 0]
    assert keys.refusals == []
    assert [keys.optional_string("number"), keys.optional_count("text", "uint32")] == [None, 0]
    assert [keys.needed_count("none", "uint32"), keys.needed_count("text", "uint16")] == [0, 0]
    assert keys.refusals == [
        "number is ignored: its type is uint32, not string.",
        "text is ignored: its type is string, not uint32.",
        "The file has no key none.",
        "text is ignored: its type is string, not uint16.",
    ]


def test_everything_can_be_shown(keys, monkeypatch):
    monkeypatch.setattr(gguf_reader, "LONGEST_KEPT_STRING", 8)
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
    monkeypatch.setattr(gguf_reader, "LONGEST_KEPT_STRING", 9)
    assert keys.metadata()["long"] == "x" * 9


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("m-00003-of-00012.gguf", "m-00001-of-00012.gguf"),
        ("a\nb-00001-of-00002.gguf", "a\nb-00001-of-00002.gguf"),
        ("m-3-of-12.gguf", None),
        ("m-00003-of-00012.gguf.bak", None),
    ],
)
def test_the_first_part_is_derived_from_the_name_of_another(name, first):
    assert first_part(Path("folder", name)) == first


BADLY_NAMED = "This is part {} of {}, but its name does not end in {}."
MISSING = "Part m-{} missing: the vocabulary is complete, the model is not."


@pytest.mark.parametrize(
    ("name", "number", "count", "present", "report"),
    [
        ("model.gguf", 0, 0, (), []),
        ("model.gguf", 0, 1, (), []),
        ("model.gguf", 0, 2, (), [BADLY_NAMED.format(1, 2, "-00001-of-00002.gguf")]),
        ("m-00002-of-00002.gguf", 0, 2, (), [BADLY_NAMED.format(1, 2, "-00001-of-00002.gguf")]),
        ("m-00001-of-00003.gguf", 0, 2, (2, 3), [BADLY_NAMED.format(1, 2, "-00001-of-00002.gguf")]),
        (
            "m-00002-of-00002.gguf",
            1,
            2,
            (1,),
            ["This is part 2 of 2: llama.cpp opens m-00001-of-00002.gguf."],
        ),
        ("m-00001-of-00003.gguf", 0, 3, (1, 2, 3), []),
        ("m-00001-of-00003.gguf", 0, 3, (1, 2), [MISSING.format("00003-of-00003.gguf is")]),
        ("m-00001-of-00003.gguf", 0, 3, (1, 3), [MISSING.format("00002-of-00003.gguf is")]),
        ("m-00001-of-00003.gguf", 0, 3, (1,), [MISSING.format("00002-of-00003.gguf and 1 more are")]),
    ],
)
def test_why_llama_cpp_does_not_load_a_part(tmp_path, name, number, count, present, report):
    for part in present:
        (tmp_path / f"m-{part:05}-of-{count:05}.gguf").touch()
    assert split_refusals(tmp_path / name, number, count) == report


def test_all_parts_are_those_that_are_there_and_the_one_that_was_named(tmp_path):
    for part in (1, 3, 4, 5):
        (tmp_path / f"m-{part:05}-of-00004.gguf").touch()
    (tmp_path / "other-00002-of-00004.gguf").touch()

    def parts(name):
        return [path.relative_to(tmp_path).as_posix() for path in all_parts(tmp_path / name)]

    assert parts("m-00003-of-00004.gguf") == [f"m-{part:05}-of-00004.gguf" for part in (1, 3, 4)]
    assert parts("m-00002-of-00004.gguf") == [f"m-{part:05}-of-00004.gguf" for part in (1, 2, 3, 4)]
    assert parts("m.gguf") == ["m.gguf"]
    assert parts("nowhere/m-00002-of-00003.gguf") == ["nowhere/m-00002-of-00003.gguf"]
