"""What the training process answers to a request."""

from __future__ import annotations

import io
import json
import sys

import pytest

import guiapp
from guiapp.analysis.train.models import NO_RULE, ModelFile, Token, write_gguf
from guiapp.analysis.train.runs import Finished, TrainRequest, main


@pytest.fixture
def answers(tmp_path, monkeypatch):
    """Lines told for a text and a size, and where the model file goes."""

    def ask(text: bytes, size: int, has_end_marks: bool, file: str = "out.gguf"):
        (tmp_path / "text").write_bytes(text)
        output = str(tmp_path / file)
        request = TrainRequest("bpe", str(tmp_path / "text"), size, has_end_marks, output)
        assert request.line().endswith(b"}\n")
        out = io.TextIOWrapper(io.BytesIO())
        monkeypatch.setattr(sys, "stdin", io.StringIO(request.line().decode()))
        monkeypatch.setattr(sys, "stdout", out)
        main()
        lines = [json.loads(line) for line in out.buffer.getvalue().splitlines()]
        return lines, output

    return ask


def test_broken_text_is_replaced_and_marks_are_kept_as_asked(answers):
    (start, *steps, last), output = answers(b"ab\xff ab\xff", 400, True)
    assert start["alphabet"] == ["a", "b", "\ufffd", "</w>"]
    assert [step["left"] + step["right"] for step in steps] == ["ab", "ab\ufffd", "ab\ufffd</w>"]
    assert last == {"finished": {"output": output, "n_tokens": 267, "error": ""}}
    assert len(guiapp.open_model(output).vocabulary) == 267


def test_mistakes_are_the_only_answer(answers):
    ((last,), _) = answers(b" ", 400, False)
    assert Finished(**last["finished"]) == Finished(
        error="The text is empty. Train on a text with some words."
    )


def test_where_no_file_can_be_written_the_end_says_so(answers):
    (*_, last), output = answers(b"ab ab", 400, False, "no folder/out.gguf")
    assert Finished(**last["finished"]) == Finished(
        error=f"{output} cannot be written: No such file or directory."
    )


def test_a_file_without_rules_can_be_opened(tmp_path):
    write_gguf(tmp_path / "none.gguf", ModelFile("llama", "", "", "gpt2", (Token("a"),), "gpt-2"))
    assert guiapp.open_model(tmp_path / "none.gguf").encode("a").token_ids.tolist() == [0]
    assert NO_RULE == ""
