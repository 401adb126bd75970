"""`tokenloupe doctor`: what it prints, and its exit status."""

import json
import os
import shlex
from pathlib import Path

import pytest
from gguf_builder import write_vocab
from small_files import TOKENS, bpe

import guiapp
from guiapp.analysis.doctor import fixed_copy
from guiapp.cli.main import run
from guiapp.core.vocabulary.byte_alphabet import CHARACTER_OF_BYTE


@pytest.mark.parametrize(
    ("model", "status"),
    [("demo:wordpiece", 0), ("demo:spm", 0), ("demo:toy", 3), ("wrong.gguf", 4), ("nothing.gguf", 1)],
)
def test_the_exit_status_is_that_of_the_worst_severity(
    model: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    bpe(pre="gpt-9000").write("wrong.gguf")
    assert run(["doctor", model]) == status
    assert run(["doctor", model, "--json"]) == status


def test_json_has_a_record_of_each_finding(capsys: pytest.CaptureFixture[str]):
    run(["doctor", "demo:spm", "--json"])
    [finding] = json.loads(capsys.readouterr().out)["findings"]
    keys = ["code", "severity", "what", "changes", "remedy", "tokens", "pre", "line", "fix"]
    assert list(finding) == keys
    assert (finding["code"], finding["severity"]) == ("bos_twice", "hint")
    assert finding["changes"] == {"text": "<s>", "before": [1, 1], "after": [1]}


FAULTY = {"pre": "gpt-9000", "eos_token_id": 3, "bos_token_id": 9999, "add_bos_token": True}


@pytest.mark.parametrize(
    ("faults", "codes"),
    [
        (
            FAULTY | {"add_eos_token": True},
            ["pre_unknown", "role_is_text", "role_out_of_range", "eos_behind_prompts"],
        ),
        ({"mask_token_id": "258"}, ["key_of_other_type"]),
        ({"eos_token_id": 258, "add_eos_token": True}, ["eos_behind_prompts"]),
    ],
)
def test_commands_run_as_they_are_shown(
    faults: dict[str, object], codes: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(fixed_copy, "hunt", lambda plan, shall_stop: iter(()))
    keys = {"types": [*[1] * 257, 3, 3], "pre": "gpt-2", "model": "gpt2", "merges": ["a b"]}
    keys |= {"tokens": [*CHARACTER_OF_BYTE, "ab", "<s>", "</s>"], "keys": {"tokenizer.chat_template": "x"}}
    path = write_vocab(tmp_path / "odd name.gguf", **{"eos_token_id": 258} | keys | faults)
    reported = guiapp.doctor(path).findings
    assert {each.code for each in reported} >= set(codes)
    for code in codes:
        [command] = {each.remedy for each in reported if each.code == code}
        program, *words = shlex.split(command)
        assert program == "tokenloupe"
        assert run([*words, "--force"]) in (0, 3, 4)
        copy = tmp_path / "odd name-fixed.gguf"
        assert code not in {each.code for each in guiapp.doctor(copy).findings}


def test_texts_of_a_file_are_escaped(tmp_path: Path):
    evil = "<|\x1b[31m\u202e<b>|>"
    model = bpe(tokens=[*TOKENS, evil], types=[2, 3, 3, 1, 1, 1, 3], pre="\x1b]0;x\x07").write(
        tmp_path / "m\x1b[31m.gguf"
    )
    for finding in guiapp.doctor(model).findings:
        assert finding.what.isprintable()
        assert finding.remedy.isprintable()


def test_the_original_is_compared(capsys: pytest.CaptureFixture[str]):
    assert run(["doctor", "demo:wordpiece", "--original", "demo:wordpiece"]) == 0
    assert run(["doctor", "demo:wordpiece", "--original", "demo:unigram"]) == 4
    assert "original_ids" in capsys.readouterr().out


def test_a_fixed_copy_is_written_and_its_status_is_that_of_the_copy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = str(bpe(pre="gpt-2", padding_token_id=9999, unknown_token_id=0).write(tmp_path / "model.gguf"))
    out = str(tmp_path / "copy.gguf")
    status = run(["doctor", path, "--fix", out, "--json"])
    fix_record = json.loads(capsys.readouterr().out)
    keys = ["out", "chosen", "changes", "fixed", "remaining", "new", "hunt", "ids"]
    assert list(fix_record) == keys
    assert "role_out_of_range" in fix_record["fixed"]
    assert run(["doctor", out]) == status
    assert run(["doctor", path, "--fix", out]) == 1, "it exists"
    assert run(["doctor", path, "--fix", path, "--force"]) == 1
    assert run(["doctor", path, "--fix", out, "--force", "--only", "role_out_of_range"]) == status
    assert "padding_token_id: 9999 → none" in capsys.readouterr().out
    for words in (["--only", "pre_missing"], ["--force"], ["--fix", "-"]):
        with pytest.raises(SystemExit):
            run(["doctor", path, *words])


@pytest.mark.parametrize("only", [[], ["--only", "nope"]])
def test_a_file_with_nothing_to_fix_is_reported(capsys, only, tmp_path: Path):
    path = str(tmp_path / "model.json")
    Path(path).write_bytes(guiapp.open_model("demo:wordpiece").vocabulary.path.read_bytes())
    assert run(["doctor", path, "--fix", str(tmp_path / "out"), *only]) == 1
    printed = capsys.readouterr().err
    assert "nothing to fix" in printed
    assert "--only" not in printed


@pytest.mark.skipif(os.name == "nt", reason="names are Unicode")
def test_names_that_are_not_utf8_are_json_that_any_parser_reads(capsys, tmp_path: Path):
    path = tmp_path / os.fsdecode(b"m\xff.gguf")
    path.write_bytes(guiapp.open_model("demo:bpe").vocabulary.path.read_bytes())
    for command, key in (("info", "path"), ("doctor", "file")):
        run([command, str(path), "--json"])
        printed = capsys.readouterr().out
        assert "\\ud" not in printed
        assert json.loads(printed)[key].endswith("m\\xff.gguf")
    output = str(tmp_path / os.fsdecode(b"n\xff.gguf"))
    assert run(["train", "bpe", "-f", __file__, "--vocab-size", "300", "-o", output]) == 0
    assert "n\\xff.gguf" in capsys.readouterr().err
