"""Trainings under way: what they say on the way is what they end with."""

from __future__ import annotations

import io
import json
import sys

import pytest

import guiapp
from guiapp.analysis.export.runs import TrainingRun
from guiapp.analysis.train.models import (
    write_gguf,
)
from guiapp.analysis.train.record import TrainingRecord
from guiapp.analysis.train.runs import Finished, TrainRequest, begin, main, parse_start, train
from guiapp.analysis.train.steps import to_json

TEXT = "This is insane! This is impossible. How do lions sleep in this weather? " * 3
CASES = [("bpe", 300), ("wordpiece", 60), ("unigram", 60)]


def recorded(run) -> TrainingRecord:
    record = TrainingRecord(run.start)
    for step in run.steps():
        record.append(to_json(step).encode())
    return record


@pytest.mark.parametrize(("algorithm", "size"), CASES)
def test_a_run_ends_with_the_model_of_plain_training(algorithm, size):
    run = begin(algorithm, TEXT, size)
    record = recorded(run)
    assert run.model() == train(algorithm, TEXT, size)
    assert record.n_tokens(record.n_steps) == len(run.model().tokens)


@pytest.mark.parametrize(
    "text", [TEXT, "a▁ a▁ ▁a a ▁ ▁▁ a </w> </w>a ##a a## " * 3, "[PAD] <s> <unk> é 武汉 \0 " * 3]
)
@pytest.mark.parametrize(
    ("algorithm", "has_end_marks"), [(name, False) for name, _ in CASES] + [("bpe", True)]
)
def test_the_size_after_any_step_is_that_of_the_file_it_would_make(text, algorithm, has_end_marks):
    run = begin(algorithm, text, 350, has_end_marks)
    record = TrainingRecord(parse_start(run.start.line()))
    for number, step in enumerate(run.steps(), 1):
        record.append(to_json(step).encode())
        model = run.model()
        assert record.n_tokens(number) == len(model.tokens)
        assert TrainingRun(record).record(number)["size"] == len(model.tokens)
    assert record.n_tokens(record.n_steps) == record.n_symbols(record.n_steps) + record.start.n_other_tokens


@pytest.fixture(
    params=[TEXT, "low lower lowest newer new wide wider « 武汉 武漢 » café 🦁🦁 a a aa aaa " * 3]
)
def end_mark_run(request):
    run = begin("bpe", request.param, 320, has_end_marks=True)
    return request.param, run, recorded(run)


def own_cut(record: TrainingRecord, text: str) -> list[str]:
    """The words of a text as the training has cut them, the marks written as spaces."""
    cuts = {"".join(word): word for word, _, _ in record.words(record.n_steps)}
    return [symbol.replace("</w>", " ") for word in text.split() for symbol in cuts[word + "</w>"]]


def test_a_file_with_end_of_word_marks_cuts_as_the_training_did(end_mark_run, tmp_path):
    text, run, record = end_mark_run
    write_gguf(tmp_path / "marks.gguf", run.model())
    tokenizer = guiapp.open_model(tmp_path / "marks.gguf")
    spaced = " ".join(text.split()) + " "
    encoding = tokenizer.encode(spaced, add_special=False)
    parts = [spaced.encode()[start:end].decode() for start, end in encoding.spans.tolist()]
    assert parts == own_cut(record, text)
    assert {tokenizer.vocabulary.kind(token_id) for token_id in encoding.token_ids.tolist()} == {"normal"}
    assert tokenizer.decode(encoding.token_ids) == spaced


@pytest.mark.real_vocabs
def test_llama_reads_a_file_with_end_of_word_marks_likewise(end_mark_run, tmp_path):
    llama_oracle = pytest.importorskip("llama_oracle")
    text, run, _ = end_mark_run
    write_gguf(tmp_path / "marks.gguf", run.model())
    tokenizer = guiapp.open_model(tmp_path / "marks.gguf")
    oracle = llama_oracle.LlamaOracle().load(str(tmp_path / "marks.gguf"))
    for sample in (text, " ".join(text.split()) + " ", "\n\nnew  words ▁ 漢\n"):
        assert oracle.tokenize(sample, True, True) == tokenizer.encode(sample).token_ids.tolist()


@pytest.mark.parametrize(("algorithm", "size"), [*CASES, ("bpe", 3)])
def test_the_process_writes_start_steps_and_end(algorithm, size, tmp_path, monkeypatch):
    request = TrainRequest(algorithm, TEXT, size, False, str(tmp_path / "out.gguf"))
    out = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdin", io.StringIO(request.line().decode()))
    monkeypatch.setattr(sys, "stdout", out)
    main()
    *lines, last = out.buffer.getvalue().splitlines()
    finished = Finished(**json.loads(last)["finished"])
    if size == 3:
        assert (lines, finished.output) == ([], "")
        assert "257 tokens" in finished.error
        return
    run = begin(algorithm, TEXT, size)
    assert parse_start(lines[0]) == run.start
    assert lines[1:] == [to_json(step).encode() for step in run.steps()]
    assert finished.output == str(tmp_path / "out.gguf")
    assert (tmp_path / "out.gguf").stat().st_size > 1000


@pytest.fixture
def answers(tmp_path, monkeypatch):
    """Lines told for a text and a size, and where the model file goes."""

    def ask(text: str, size: int, has_end_marks: bool, file: str = "out.gguf"):
        output = str(tmp_path / file)
        request = TrainRequest("bpe", text, size, has_end_marks, output)
        assert request.line().endswith(b"}\n")
        out = io.TextIOWrapper(io.BytesIO())
        monkeypatch.setattr(sys, "stdin", io.StringIO(request.line().decode()))
        monkeypatch.setattr(sys, "stdout", out)
        main()
        lines = [json.loads(line) for line in out.buffer.getvalue().splitlines()]
        return lines, output

    return ask


def test_an_unwritable_file_is_reported_at_the_end(answers):
    (*_, last), output = answers("ab ab", 400, False, "no folder/out.gguf")
    assert Finished(**last["finished"]) == Finished(
        error=f"{output} cannot be written: No such file or directory."
    )
