"""Steps and runs for elsewhere: whole, in part, streamed, and written by a process of its own."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from full_disk import full_disk

import guiapp
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.export.exported_run import PARTIAL
from guiapp.analysis.export.runs import TraceRun, write_apart
from guiapp.analysis.trace.debugger import debugger_for
from guiapp.analysis.trace.recorder import record
from guiapp.errors import TokenloupeError

BPE = guiapp.open_model("demo:bpe")
SVG_TEXT = "{http://www.w3.org/2000/svg}text"


def run(text, encoder="heap"):
    return debugger_for(BPE, record(BPE, text, encoder))


def test_long_runs_are_written_whole(tmp_path):
    debugger = run("How do lions | sleep? " * 220)
    assert debugger.n_steps > 5000
    reported = []
    TraceRun(debugger).write(tmp_path / "run.json", reported.append)
    written = json.loads((tmp_path / "run.json").read_text())
    assert [row["index"] for row in written["steps"]] == list(range(debugger.n_steps))
    assert written["token_ids"] == debugger.trace.result.ids.tolist()
    assert reported == sorted(reported)
    assert len(reported) > 5
    assert not list(tmp_path.glob(f"*{PARTIAL}"))


def rows_of(path) -> dict[str, list[str]]:
    """The texts beside the number of each step, by their place from above; the number comes first."""
    rows: dict[str, list[str]] = {}
    for text in ElementTree.parse(path).iter(SVG_TEXT):
        rows.setdefault(text.get("y"), []).append(text.text)
    return {y: row for y, row in rows.items() if row[0].replace(",", "").isdecimal()}


def texts_of(path) -> list[str]:
    return [text.text for text in ElementTree.parse(path).iter(SVG_TEXT)]


@pytest.mark.parametrize(("name", "encoder"), [("bpe", "backtrack"), ("unigram", "viterbi"), ("bpe", "scan")])
def test_a_drawing_has_a_title_and_describes_each_step(name, encoder, tmp_path):
    tokenizer = guiapp.open_model(f"demo:{name}")
    debugger = debugger_for(tokenizer, record(tokenizer, "unbelievable <&> tokens", encoder))
    TraceRun(debugger).write(tmp_path / "run.svg")
    texts = texts_of(tmp_path / "run.svg")
    assert texts[0].startswith(f"{encoder} on “unbelievable·<&>·tokens”: ")
    for step in TraceRun(debugger).forming(range(debugger.n_steps)).tolist():
        debugger.go_to(step)
        assert debugger.sentence().replace("`", "") in texts
    assert all(len(row) > 1 for row in rows_of(tmp_path / "run.svg").values())  # none is without a box


def test_drawings_show_every_state(tmp_path):
    debugger = run("How do lions sleep? " * 40)
    TraceRun(debugger).write(tmp_path / "run.svg")
    rows = rows_of(tmp_path / "run.svg")
    forming = TraceRun(debugger).forming(range(debugger.n_steps))
    assert [row[0] for row in rows.values()] == [f"{step:,}" for step in forming.tolist()]
    last = list(rows.values())[-2]  # the last one puts a token in front of the text
    assert last[1] == "…"
    labels = [Spelling.SIGNS.token(BPE.vocabulary, token) for token in debugger.trace.result.ids.tolist()]
    assert last[2:] == labels[-len(last[2:]) :]


BPE = guiapp.open_model("demo:bpe")


def ignore(share):
    """Somebody who waits."""


@pytest.mark.parametrize("pre", ["", "gpt-2"])
def test_a_process_of_its_own_writes_some_steps_with_the_pre_tokenizer_that_was_chosen(pre, tmp_path):
    tokenizer = guiapp.open_model("demo:bpe", pre or None)
    run = TraceRun(debugger_for(tokenizer, record(tokenizer, "1234 lions", "heap")))
    assert run.model == (str(tokenizer.vocabulary.path), pre)
    for steps in (run.steps, range(2, 5)):
        run.write(tmp_path / "expected.json", steps=steps)
        assert write_apart(run, tmp_path / "run.json", steps, ignore) == tmp_path / "run.json"
        assert (tmp_path / "run.json").read_text() == (tmp_path / "expected.json").read_text()


def test_what_went_wrong_is_raised_for_people_and_leaves_what_was_there(tmp_path):
    tokenizer = guiapp.open_model("demo:bpe")
    run = TraceRun(debugger_for(tokenizer, record(tokenizer, "lions " * 30, "heap")))
    output, missing = tmp_path / "run.json", tmp_path / "no" / "run.json"
    output.write_text("old")
    with pytest.raises(TokenloupeError, match="cannot be written: No such file or directory"):
        write_apart(run, missing, run.steps, ignore)
    with full_disk(), pytest.raises(TokenloupeError, match="cannot be written: File too large"):
        write_apart(run, output, run.steps, ignore)
    with pytest.raises(TokenloupeError, match="stopped unexpectedly"):
        write_apart(run, output, run.steps, ignore, "guiapp.no_such_module")
    with pytest.raises(ZeroDivisionError):
        write_apart(run, output, run.steps, lambda share: 1 / 0)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]
