"""What terminals and titles obey is escaped, wherever it comes from."""

import json

import pytest
from gguf_builder import UNKNOWN, USER_DEFINED, write_vocab

from guiapp import open_model
from guiapp.cli.main import run
from guiapp.kit.session.loader import OpenModel, display_name

OBEYED = "\x1b[31m\x9b2J\u202e\u2066\x07\u200f"


def assert_harmless(text):
    assert all(character == "\n" or character.isprintable() for character in text), ascii(text)


def test_json_escapes_control_characters_without_loss(tmp_path, capsys):
    path = tmp_path / "model.gguf"
    write_vocab(path, tokens=["<unk>", OBEYED], scores=[0.0, -1.0], types=[UNKNOWN, USER_DEFINED])
    assert run(["tokenize", str(path), OBEYED, "--format", "json"]) == 0
    printed = capsys.readouterr().out
    assert_harmless(printed)
    assert OBEYED in [token["raw"] for token in json.loads(printed)["tokens"]]


@pytest.mark.parametrize("arguments", [["info", f"{OBEYED}.gguf"], [f"{OBEYED}"]])
def test_errors_repeat_names_without_harm(capsys, arguments):
    assert run(arguments) == 1
    assert_harmless(capsys.readouterr().err)


def test_errors_of_usage_repeat_arguments_without_harm(capsys):
    with pytest.raises(SystemExit, match="2"):
        run(["tokenize", "demo:toy", "a", f"--{OBEYED}"])
    assert_harmless(capsys.readouterr().err)


def test_the_name_of_a_model_cannot_steer_the_title(tmp_path):
    path = write_vocab(
        tmp_path / "model.gguf",
        model="gpt2",
        pre="gpt-2",
        tokens=["a"],
        merges=["a a"],
        name=f"Llama{OBEYED}",
    )
    name = display_name(OpenModel(str(path), open_model(path)))
    assert name.startswith("Llama")
    assert_harmless(name)
