"""Steps and runs for elsewhere: whole, streamed, and of the size that was told before."""

from __future__ import annotations

import io
import json
import sys
from xml.etree import ElementTree

import pytest

import guiapp
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.export.exported_run import ALL, PARTIAL, box, write_chunks
from guiapp.analysis.export.runs import ExportRequest, TraceRun, main
from guiapp.analysis.trace.debugger import debugger_for
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.trace import NUMBERS

BPE = guiapp.open_model("demo:bpe")
SVG_TEXT = "{http://www.w3.org/2000/svg}text"


def run(text, encoder="heap"):
    return debugger_for(BPE, record(BPE, text, encoder))


def test_a_step_is_exported_as_it_is_told():
    debugger = run("How do lions sleep?")
    debugger.go_to(12)
    told = json.loads(TraceRun(debugger).step_json())
    assert (told["index"], told["sentence"]) == (12, debugger.sentence())


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


def test_a_file_that_cannot_be_finished_leaves_what_was_there(tmp_path):
    def chunks():
        yield "begun"
        raise OSError("the disk is full")

    path = tmp_path / "run.json"
    path.write_text("old")
    with pytest.raises(OSError, match="full"):
        write_chunks(chunks(), path, 2)
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("run.json", "old")]


def test_links_and_permissions_stay(tmp_path):
    path, link = tmp_path / "run.json", tmp_path / "link.json"
    path.write_text("old")
    path.chmod(0o600)
    link.symlink_to(path)
    write_chunks(iter(["new"]), link, 1)
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o600


def rows_of(path) -> dict[str, list[str]]:
    """The texts beside the number of each step, by their place from above; the number comes first."""
    rows: dict[str, list[str]] = {}
    for text in ElementTree.parse(path).iter(SVG_TEXT):
        rows.setdefault(text.get("y"), []).append(text.text)
    return {y: row for y, row in rows.items() if row[0].replace(",", "").isdecimal()}


def texts_of(path) -> list[str]:
    return [text.text for text in ElementTree.parse(path).iter(SVG_TEXT)]


@pytest.mark.parametrize(("name", "encoder"), [("bpe", "backtrack"), ("unigram", "viterbi"), ("bpe", "scan")])
def test_a_drawing_says_what_it_shows_and_what_happens(name, encoder, tmp_path):
    tokenizer = guiapp.open_model(f"demo:{name}")
    debugger = debugger_for(tokenizer, record(tokenizer, "unbelievable <&> tokens", encoder))
    TraceRun(debugger).write(tmp_path / "run.svg")
    texts = texts_of(tmp_path / "run.svg")
    assert texts[0].startswith(f"{encoder} on “unbelievable·<&>·tokens”: ")
    for step in TraceRun(debugger).forming(range(debugger.n_steps)).tolist():
        debugger.go_to(step)
        assert debugger.sentence().replace("`", "") in texts
    assert all(len(row) > 1 for row in rows_of(tmp_path / "run.svg").values())  # none is without a box


def test_what_is_taken_back_is_drawn(tmp_path):
    debugger = run("unbelievable", "backtrack")
    TraceRun(debugger).write(tmp_path / "run.svg")
    assert any(text.endswith("it is taken back.") for text in texts_of(tmp_path / "run.svg"))


def test_a_step_that_forms_nothing_has_a_drawing_too(tmp_path):
    debugger = run("lions")
    step = debugger.trace.columns.operation.tolist().index(NUMBERS["push"])
    TraceRun(debugger).write(tmp_path / "run.svg", steps=range(step, step + 1))
    assert [row[0] for row in rows_of(tmp_path / "run.svg").values()] == [str(step)]


def test_boxes_are_wide_enough_for_ideographs():
    assert box(0, 0, "汉武帝飞", 0, False)[1] > 4 * 15
    assert box(0, 0, "abcd", 0, False)[1] < 4 * 15


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


def test_a_part_of_a_run_is_written(tmp_path):
    debugger = run("How do lions sleep? " * 4)
    for ending in (".json", ".svg"):
        TraceRun(debugger).write(tmp_path / f"run{ending}", steps=range(20, 40))
    steps = json.loads((tmp_path / "run.json").read_text())["steps"]
    assert [row["index"] for row in steps] == list(range(20, 40))
    forming = TraceRun(debugger).forming(range(20, 40)).tolist()
    assert [int(row[0]) for row in rows_of(tmp_path / "run.svg").values()] == forming
    assert len(forming) > 3


@pytest.mark.parametrize("ending", [".json", ".svg"])
def test_the_size_told_before_is_about_right(ending, tmp_path):
    debugger = run("How do lions sleep in New York? " * 60)
    debugger.go_to(7)
    estimate = TraceRun(debugger).estimated_bytes(ending)
    assert debugger.position == 7
    TraceRun(debugger).write(tmp_path / f"run{ending}")
    assert estimate == pytest.approx((tmp_path / f"run{ending}").stat().st_size, rel=0.2)


@pytest.mark.parametrize("folder", ["", "no"])
def test_the_process_writes_or_says_why_not(folder, tmp_path, monkeypatch, capsys):
    trace = record(BPE, "lions", "heap")
    trace.save(tmp_path / "trace")
    out = tmp_path / folder / "run.json"
    request = ExportRequest(str(tmp_path / "trace"), str(out), 0, len(trace), "demo:bpe")
    monkeypatch.setattr(sys, "stdin", io.StringIO(request.line().decode()))
    main()
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert bool(last["error"]) == bool(folder)
    assert out.exists() != bool(folder)


def test_the_parts_offered_are_the_run_the_piece_and_the_step():
    debugger = run("How do lions sleep?")
    debugger.go_to(12)
    parts = TraceRun(debugger).choices(".json")
    assert parts[ALL] == range(debugger.n_steps)
    assert parts["This step"] == range(12, 13)
    assert 12 in parts["This piece"]
    assert {debugger.trace.piece_at(step) for step in parts["This piece"]} == {debugger.trace.piece_at(12)}
    debugger.go_to(debugger.n_steps)
    assert TraceRun(debugger).choices(".json")["This step"] == range(debugger.n_steps - 1, debugger.n_steps)
