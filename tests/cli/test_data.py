"""`tokenloupe data`: sums and findings, as JSON, exported, with its exit status."""

import json

import numpy as np
import pytest

from guiapp.cli.main import run

GOOD = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}
BAD = {"messages": [{"role": "user", "content": "Hi"}]}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, records in (
        ("good.jsonl", [GOOD, {"text": "a"}]),
        ("bad.jsonl", [GOOD, BAD]),
        ("none.jsonl", []),
    ):
        (tmp_path / name).write_text("\n".join(map(json.dumps, records)))
    return tmp_path


def test_the_report_and_the_exit_status_show_problems(files, capsys):
    assert run(["data", "demo:bpe", "good.jsonl"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("2 records, ")
    assert "mask derived" in printed
    assert "assistant_masks of transformers: all zeros" in printed
    assert run(["data", "demo:bpe", "bad.jsonl", "--max-length", "9"]) == 3
    printed = capsys.readouterr().out
    assert "warning: 2 records have no trained token" in printed
    assert "to fix:" in printed


def test_json_has_what_is_documented(files, capsys):
    assert run(["data", "demo:bpe", "bad.jsonl", "--json", "--mask", "marker:user…<|im_end|>"]) == 3
    record = json.loads(capsys.readouterr().out)
    assert record["records"] == 2
    assert record["mask"]["kind"] == "marker"
    assert record["mask"]["transformers"].startswith("all zeros")
    assert set(record["tokens"]) == {"total", "trained", "p50", "p90", "p99", "max"}
    finding = next(each for each in record["findings"] if each["code"] == "roles")
    assert (finding["severity"], finding["records"], finding["share"]) == ("warning", 1, 0.5)
    assert finding["example"] == {"record": 2, "token": None, "line": None}
    assert record["packing"]["rows"] == 1


def test_csv_has_a_line_for_each_record(files, capsys):
    assert run(["data", "demo:bpe", "bad.jsonl", "--csv"]) == 3
    head, good, bad = capsys.readouterr().out.splitlines()
    assert head == "record,tokens,trained,messages,findings"
    assert good.startswith("1,")
    assert bad.endswith(",0,1,nothing_trained roles")


def test_ids_and_labels_are_exported(files, capsys):
    assert run(["data", "demo:bpe", "good.jsonl", "--export", "-"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["record"] for line in lines] == [1, 2]
    assert all(
        label in (-100, own)
        for line in lines
        for own, label in zip(line["input_ids"], line["labels"], strict=True)
    )
    assert run(["data", "demo:bpe", "good.jsonl", "--export", "out.npz"]) == 0
    with np.load("out.npz") as arrays:
        assert arrays["input_ids"].tolist() == lines[0]["input_ids"] + lines[1]["input_ids"]
    assert run(["data", "demo:bpe", "good.jsonl", "--export", "out.npz"]) == 1
    assert "--force" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.jsonl"], "no records"),
        (["missing.jsonl"], "cannot be read"),
        (["good.jsonl", "--mask", "most"], "not a mask"),
        (["good.jsonl", "--mask", "marker:a"], "two texts"),
        (["good.jsonl", "--shape", "round"], "not a shape"),
        (["good.jsonl", "--template", "none"], "neither a template"),
        (["good.jsonl", "--workers", "-1"], "0 or more"),
    ],
)
def test_what_cannot_be_done_is_one_line(arguments, words, files, capsys):
    assert run(["data", "demo:bpe", *arguments]) == 1
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_a_model_without_a_template_is_refused(files, capsys):
    assert run(["data", "demo:wordpiece", "good.jsonl"]) == 1
    assert "no chat template" in capsys.readouterr().err


@pytest.mark.parametrize("export", [[], ["--export", "old.jsonl", "--force"], ["--export", "-"], ["--json"]])
def test_a_file_without_any_json_is_an_error_and_replaces_nothing(files, capsys, export):
    (files / "x.bin").write_bytes(bytes(range(254, 0, -1)) * 9)
    (files / "old.jsonl").write_bytes(b"old")
    assert run(["data", "demo:bpe", "x.bin", *export]) == 1
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert "x.bin: no record can be read" in printed.err
    assert (files / "old.jsonl").read_bytes() == b"old"
