"""Commands that mend a file, and what is said of files for which there is none."""

from dataclasses import replace
from pathlib import Path

import pytest
from toy_vocabulary import toy_vocabulary

from guiapp.core.vocabulary.remedies import ending_generation, fixing
from guiapp.core.vocabulary.vocabulary import SpecialIds


def file_of(path, file_format="GGUF", **ids):
    vocabulary = toy_vocabulary({"a": 0.0, "b": 0.0}, special_ids=SpecialIds(**ids))
    return replace(vocabulary, format=file_format, path=path)


@pytest.mark.parametrize(
    ("path", "read", "written"),
    [
        (Path("folder", "m.gguf"), "folder/m.gguf", "folder/m-fixed.gguf"),
        (Path("two words's.gguf"), "'two words'\"'\"'s.gguf'", "'two words'\"'\"'s-fixed.gguf'"),
        (Path("a\x1bb.gguf"), "model.gguf", "model-fixed.gguf"),
        (Path("sha256-1"), "sha256-1", "sha256-1-fixed"),
        (None, "model.gguf", "model-fixed.gguf"),
    ],
)
def test_a_command_names_the_file_as_a_shell_takes_it(path, read, written):
    assert fixing(path, "x=1") == f"tokenloupe doctor {read} --fix {written} --only x=1"


@pytest.mark.parametrize(("ids", "role"), [({}, "eot"), ({"eot": 0}, "eom")])
def test_an_end_of_a_generation_takes_the_role_that_is_free(ids, role):
    assert ending_generation(file_of(Path("m.gguf"), **ids), 1) == (
        "tokenloupe doctor m.gguf --fix m-fixed.gguf --only end_of_turn_goes_on=1"
    )
    assert ending_generation(file_of(None, "tokenizer.json", **ids), 1) == (
        "Add 1 to eos_token_id of generation_config.json. "
        f"In a GGUF file made from this one, set tokenizer.ggml.{role}_token_id to the same id."
    )
