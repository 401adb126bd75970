"""`tokenloupe special`: lines for people, JSON and CSV for programs."""

import json

import pytest
from gguf_builder import CONTROL, UNKNOWN, write_vocab

from guiapp.cli.main import run

OBEYED = "<\x1b[31m\u202e>"


def test_json_has_a_record_of_each(capsys):
    run(["special", "demo:bpe", "--json"])
    tokens = json.loads(capsys.readouterr().out)["tokens"]
    assert tokens[3] == {
        "id": 2552,
        "token": "<|im_end|>",
        "kind": "control",
        "roles": [{"role": "eot", "source": "tokenizer.ggml.eot_token_id"}],
        "mark": "token_type 3, control",
        "reached": "parse_special",
        "text": "<|im_end|>",
        "around": None,
        "end_of_generation": "EOT by tokenizer.ggml.eot_token_id",
        "looks_like_end": False,
        "strips": [],
        "in_template": True,
        "reserved": False,
        "unused": False,
    }


@pytest.fixture
def odd_file(tmp_path):
    names = ["<unk>", OBEYED, '<a,"b">', "<unused1>"]  # the second and third are BOS and EOS, as usual
    return str(
        write_vocab(
            tmp_path / "m.gguf", tokens=names, scores=[0.0] * 4, types=[UNKNOWN, CONTROL, CONTROL, CONTROL]
        )
    )


def test_names_do_nothing_to_a_terminal(odd_file, capsys):
    run(["special", odd_file])
    assert capsys.readouterr().out.replace("\n", "").isprintable()


def test_a_file_that_is_none_is_at_fault(tmp_path, capsys):
    (tmp_path / "x").write_text("nothing")
    assert run(["special", str(tmp_path / "x")]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
