"""`tokenloupe doctor`: what it prints, and its exit status."""

import json
import shlex
from pathlib import Path

import pytest
from gguf_builder import write_vocab
from small_files import TOKENS, bpe, spm

import guiapp
from guiapp.cli import run
from guiapp.core.doctor.report import record

RIGHT = {"types": [2, 3, 3, 1, 1, 1], "scores": [0.0, 0.0, 0.0, -1.0, -2.0, -3.0]}


@pytest.mark.parametrize(
    ("model", "status"), [("demo:wordpiece", 0), ("demo:spm", 3), ("demo:toy", 4), ("nothing.gguf", 1)]
)
def test_the_exit_status_tells_the_worst_severity(
    model: str, status: int, capsys: pytest.CaptureFixture[str]
):
    assert run(["doctor", model]) == status
    assert run(["doctor", model, "--json"]) == status


def test_of_a_folder_the_file_that_was_examined_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    bpe(**RIGHT).write(tmp_path / "small.gguf")
    run(["doctor", str(tmp_path)])
    assert capsys.readouterr().out.endswith(" in small.gguf.\n")
    run(["doctor", str(tmp_path), "--json"])
    assert json.loads(capsys.readouterr().out)["file"] == "small.gguf"


def test_json_has_a_record_of_each_finding(capsys: pytest.CaptureFixture[str]):
    run(["doctor", "demo:spm", "--json"])
    [finding] = json.loads(capsys.readouterr().out)["findings"]
    keys = ["code", "severity", "what", "changes", "remedy", "tokens", "pre", "line"]
    assert list(finding) == keys
    assert (finding["code"], finding["severity"]) == ("bos_twice", "warning")
    assert finding["changes"] == {"text": "<s>", "before": [1, 1], "after": [1]}


def test_a_remedy_is_a_command_that_mends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The one of `gguf` itself."""
    from gguf.scripts import gguf_new_metadata

    monkeypatch.chdir(tmp_path)
    keys = {"types": RIGHT["types"], "pre": "gpt-2", "model": "gpt2", "tokens": TOKENS, "merges": ["a b"]}
    write_vocab("odd name.gguf", **keys, eos_token_id=3)
    [finding] = [each for each in guiapp.doctor("odd name.gguf").findings if each.code == "role_is_text"]
    monkeypatch.setattr("sys.argv", shlex.split(finding.remedy.replace("ID", "2")))
    gguf_new_metadata.main()
    assert "role_is_text" not in {each.code for each in guiapp.doctor("mended.gguf").findings}


def test_what_a_file_says_is_quoted(tmp_path: Path):
    evil = "<|\x1b[31m\u202e<b>|>"
    model = bpe(tokens=[*TOKENS, evil], types=[2, 3, 3, 1, 1, 1, 3], pre="\x1b]0;x\x07").write(
        tmp_path / "m\x1b[31m.gguf"
    )
    for finding in guiapp.doctor(model).findings:
        assert finding.what.isprintable()
        assert finding.remedy.isprintable()


def test_a_template_of_any_size_is_looked_at_at_once(tmp_path: Path):
    text = "{#" * 100_000 + "<|" * 300_000 + "{{ bos_token" + "<" + " " * 500_000
    file = spm(**RIGHT, keys={"tokenizer.chat_template": text})
    found = guiapp.doctor(file.write(tmp_path / "m.gguf"))
    assert record(found)


def test_the_original_is_compared(capsys: pytest.CaptureFixture[str]):
    assert run(["doctor", "demo:wordpiece", "--original", "demo:wordpiece"]) == 0
    assert run(["doctor", "demo:wordpiece", "--original", "demo:unigram"]) == 4
    assert "original_ids" in capsys.readouterr().out
