"""Steps and runs for elsewhere: whole, in part, streamed, and written by a process of its own."""

from __future__ import annotations

import json
from functools import partial
from xml.etree import ElementTree

import pytest
from full_disk import full_disk

import guiapp
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.export.exported_run import ALL, PARTIAL, write_chunks
from guiapp.analysis.export.runs import TraceRun, TrainingRun, write_apart
from guiapp.analysis.trace.debugger import debugger_for
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.trace import NUMBERS
from guiapp.analysis.train.record import TrainingRecord
from guiapp.analysis.train.runs import begin
from guiapp.analysis.train.steps import to_json
from guiapp.errors import TokenloupeError

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


BPE = guiapp.open_model("demo:bpe")
WORDS = "abcdefghi"
TRAINED_ON = " ".join(f"th{letter}" for letter in WORDS) + "|"


def traced(text, encoder, tokenizer=BPE):
    return debugger_for(tokenizer, record(tokenizer, text, encoder))


def trained(text, n_tokens, has_end_marks=False):
    run = begin("bpe", text, n_tokens, has_end_marks)
    kept = TrainingRecord(run.start)
    for told in run.steps():
        kept.append(to_json(told).encode())
    return kept


def test_a_drawing_without_anything_formed_shows_the_first_step():
    run = TraceRun(traced("lower", "heap", guiapp.open_model("demo:toy")))
    assert run.drawn(run.steps) == [0]
    assert run.drawn(range(3, 6)) == [3]


def test_the_place_stays_whatever_is_written_meanwhile():
    debugger = traced("unb", "backtrack")
    debugger.go_to(2)
    run = TraceRun(debugger)
    debugger.go_to(0)
    "".join(run.chunks(".html", run.steps))
    assert run.step_record() == run.record(2)
    assert debugger.position == 0
    debugger.go_to(debugger.n_steps)
    assert TraceRun(debugger).step_record() == run.record(4)


def test_a_trace_without_steps_has_no_parts():
    run = TraceRun(traced("", None, guiapp.open_model("demo:rwkv")))
    assert (run.choices(".json"), run.choices(".svg"), run.drawn(run.steps)) == ({}, {}, [])
    assert run.step_record() == {"encoder": "rwkv", "text": "", "token_ids": [], "n_steps": 0, "steps": []}


def test_the_place_in_a_training(tmp_path):
    kept = trained(TRAINED_ON, 260)
    at = partial(TrainingRun, kept)
    assert at().step_record() == at().record_head()
    assert at(2).step_record() == at().record(2)
    assert at().choices(".json") == {"All": range(1, 3)}
    for place in (1, 2):
        assert at(place).choices(".json") == {"All": range(1, 3), "This step": range(place, place + 1)}
    assert TrainingRun(trained("a", 260)).choices(".json") == {}
    at(1).save(tmp_path / "training")
    assert list(TrainingRecord.load(tmp_path / "training").lines()) == list(kept.lines())


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
    training = TrainingRun(trained(TRAINED_ON, 260))
    write_apart(training, tmp_path / "training.json", range(2, 3), ignore)
    assert [row["index"] for row in json.loads((tmp_path / "training.json").read_text())["steps"]] == [2]


def test_what_went_wrong_is_raised_for_people_and_leaves_what_was_there(tmp_path):
    tokenizer = guiapp.open_model("demo:bpe")
    run = TraceRun(debugger_for(tokenizer, record(tokenizer, "lions " * 30, "heap")))
    output, missing = tmp_path / "run.json", tmp_path / "no" / "run.json"
    output.write_text("old")
    with pytest.raises(TokenloupeError, match="cannot be written: No such file or directory"):
        write_apart(run, missing, run.steps, ignore)
    with full_disk(), pytest.raises(TokenloupeError, match="cannot be written: File too large"):
        write_apart(run, output, run.steps, ignore)
    with pytest.raises(TokenloupeError, match="ended unexpectedly"):
        write_apart(run, output, run.steps, ignore, "guiapp.no_such_module")
    with pytest.raises(ZeroDivisionError):
        write_apart(run, output, run.steps, lambda share: 1 / 0)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]
