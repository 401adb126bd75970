"""`tokenloupe special`: lines for people, JSON and CSV for programs."""

import csv
import io
import json
from dataclasses import replace

import pytest
from gguf_builder import CONTROL, UNKNOWN, write_vocab

import guiapp
from guiapp.analysis.vocabulary_list.special_tokens import plain_list
from guiapp.cli.main import run

OBEYED = "<\x1b[31m\u202e>"


def test_people_get_a_table_and_how_many_there_are(capsys):
    assert run(["special", "demo:wordpiece"]) == 0
    head, *rows, last = capsys.readouterr().out.splitlines()
    assert head.split()[:4] == ["id", "token", "role", "kind"]
    assert [row.split()[1] for row in rows] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    assert last == "5 special tokens: 1 ends a generation."


def test_a_model_may_have_none(capsys):
    assert run(["special", "demo:toy"]) == 0
    assert capsys.readouterr().out == "No special tokens.\n"
    assert run(["special", "demo:bpe", "--unused"]) == 0
    assert capsys.readouterr().out == "No special token is unused.\n"


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


def test_csv_has_a_line_of_each(odd_file, capsys):
    run(["special", odd_file, "--csv"])
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["token"] for row in rows] == ["<unk>", OBEYED, '<a,"b">', "<unused1>"]
    assert [row["unused"] for row in rows] == ["no", "no", "no", "yes"]


def test_only_the_unused_ones_are_listed_on_wish(odd_file, capsys):
    run(["special", odd_file, "--unused", "--json"])
    assert [token["id"] for token in json.loads(capsys.readouterr().out)["tokens"]] == [3]


def test_a_long_name_of_what_cannot_be_seen_is_whole_in_the_list():
    token = replace(guiapp.special("demo:bpe")[0], name="\U000e0001" * 9)
    assert plain_list([token]) == "2549\t" + "\\U000e0001" * 9 + "\n"


def test_names_do_nothing_to_a_terminal(odd_file, capsys):
    run(["special", odd_file])
    assert capsys.readouterr().out.replace("\n", "").isprintable()


def test_a_file_that_is_none_is_at_fault(tmp_path, capsys):
    (tmp_path / "x").write_text("nothing")
    assert run(["special", str(tmp_path / "x")]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
