"""Models in several files: which one is the first, and what is said about the others."""

from pathlib import Path

import pytest

from guiapp.core.formats.gguf_reader import all_parts, first_part, split_refusals


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("m-00003-of-00012.gguf", "m-00001-of-00012.gguf"),
        ("a\nb-00001-of-00002.gguf", "a\nb-00001-of-00002.gguf"),
        ("m-3-of-12.gguf", None),
        ("m-00003-of-00012.gguf.bak", None),
    ],
)
def test_the_first_part_is_found_by_the_name_of_another(name, first):
    assert first_part(Path("folder", name)) == first


BADLY_NAMED = "This is part {} of {}, but its name does not end in {} as it should."
MISSING = "Part m-{} is missing: the vocabulary is whole, the model is not."


@pytest.mark.parametrize(
    ("name", "number", "count", "present", "told"),
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
            ["This is part 2 of 2: llama.cpp wants m-00001-of-00002.gguf opened."],
        ),
        ("m-00001-of-00003.gguf", 0, 3, (1, 2, 3), []),
        ("m-00001-of-00003.gguf", 0, 3, (1, 2), [MISSING.format("00003-of-00003.gguf")]),
        ("m-00001-of-00003.gguf", 0, 3, (1, 3), [MISSING.format("00002-of-00003.gguf")]),
        ("m-00001-of-00003.gguf", 0, 3, (1,), [MISSING.format("00002-of-00003.gguf and 1 more")]),
    ],
)
def test_why_llama_cpp_does_not_load_a_part(tmp_path, name, number, count, present, told):
    for part in present:
        (tmp_path / f"m-{part:05}-of-{count:05}.gguf").touch()
    assert split_refusals(tmp_path / name, number, count) == told


def test_where_the_folder_cannot_be_listed_only_the_opened_part_is_there(tmp_path):
    path = tmp_path / "gone" / "m-00001-of-00002.gguf"
    assert split_refusals(path, 0, 2) == [MISSING.format("00002-of-00002.gguf")]


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
