"""The events of a whole run, and who and what takes part."""

import json
from dataclasses import replace

import pytest
from fake_workers import FakeStarter, FakeWorker

from guiapp import open_model
from guiapp.core.bench import engine
from guiapp.core.bench.contenders.table import PEERS
from guiapp.core.bench.control import Control
from guiapp.core.bench.engine import cells_of, contenders_of, corpora_of, run
from guiapp.core.bench.plan import BenchError, Plan
from guiapp.core.bench.worker import Loaded
from guiapp.core.bench.worker_process import Stopped
from guiapp.core.errors import TokenloupeError

PLAN = Plan("demo:bpe", ("sample:welcome",), ("fast", "heap"), scenarios=("throughput",), time_budget_s=0.01)


def starter() -> FakeStarter:
    return FakeStarter(lambda name, size: size * 1e-9)


def test_a_run_is_told_from_its_beginning_to_its_end():
    events = list(run(PLAN, Control(), starter()))
    kinds = [event["event"] for event in events]
    assert [kind for kind in kinds if kind != "sample"] == [
        "started",
        *["loading"] * 2,
        *["loaded"] * 2,
        "cell",
        *["compared"] * 2,
        *["result"] * 2,
        "finished",
    ]
    started, *_, finished = events
    welcome = corpora_of(PLAN, open_model("demo:bpe"))[0]
    assert started.keys() == {"event", "environment", "vocabulary", "corpora", "plan", "n_cells"}
    assert (started["n_cells"], started["environment"]["clock"]) == (1, "auto")
    assert [(each["name"], each["size_bytes"]) for each in started["corpora"]] == [
        ("sample:welcome", len(welcome.text))
    ]
    assert started["vocabulary"]["tokens"] == 2560
    assert started["plan"] == PLAN.record()
    assert finished.keys() == {"event", "complete", "environment"}
    assert finished["complete"] is True
    assert finished["environment"]["held_s"] == 0.0
    loaded = [event for event in events if event["event"] == "loaded"]
    assert [event.pop("loading_s") >= 0 for event in loaded] == [True, True]
    told = {"event": "loaded", "version": "1.0", "other_vocabulary": "", "memory_bytes": 1_000_000}
    assert loaded == [{**told, "contender": "fast"}, {**told, "contender": "heap"}]
    loading = [event for event in events if event["event"] == "loading"]
    assert [(each["contender"], each["number"], each["of"]) for each in loading] == [
        ("fast", 1, 2),
        ("heap", 2, 2),
    ]
    cell = next(event for event in events if event["event"] == "cell")
    assert {key: cell[key] for key in cell if key not in ("load", "mhz")} == {
        "event": "cell",
        "number": 1,
        "of": 1,
        "seconds_left": 0.01,
        "scenario": "throughput",
        "operations": ("encode",),
        "corpus": "sample:welcome",
        "size_bytes": len(welcome.text),
        "threads": 1,
    }
    json.dumps(events)


def test_a_chosen_pre_tokenizer_is_kept_only_where_it_was_chosen():
    for asked, kept in ((None, None), ("qwen2", "qwen2")):
        plan = Plan("demo:bpe", ("sample:welcome",), ("fast",), scenarios=("memory",), pre=asked)
        events = run(plan, Control(), starter())
        assert next(events)["plan"]["pre"] == kept
        events.close()


class Ending(FakeWorker):
    """Loads slowly by a clock of its own; stops the run when told."""

    def __init__(self, name, log, control=None):
        self._said, self._title, self._control, self.is_ended = log, name, control, False

    def ask(self, limit_s, command, *arguments):
        if self._control is not None:
            self._control.stop()
        return Loaded("", "", 0)


class Sluggish(FakeWorker):
    """Is ready as soon as others were sampled so often."""

    n_before = 0
    stage = "reads the vocabulary"

    def is_answered(self, wait_s):
        return sum(entry[1] == "sample" for entry in self._log) >= self.n_before


def test_who_is_ready_begins_and_who_follows_joins():
    made = FakeStarter(lambda name, size: size * 1e-9)

    def start(name, threads):
        worker = Sluggish("demo:bpe", name, made._seconds, made.log)
        worker.n_before = {"fast": 0, "heap": 3}[name]
        return worker

    events = list(run(replace(PLAN, contenders=("heap", "fast")), Control(), start))
    told = [(event["event"], event["contender"]) for event in events if "contender" in event]
    assert told[:3] == [("loading", "heap"), ("loading", "fast"), ("loading", "heap")]
    assert events[3]["stage"] == "reads the vocabulary"
    assert told[3:9] == [
        ("loaded", "fast"), ("compared", "fast"), *[("sample", "fast")] * 3, ("loaded", "heap"),
    ]  # fmt: skip
    samples = [event for event in events if event["event"] == "sample"]
    first = {name: [each["n"] for each in samples if each["contender"] == name] for name in ("fast", "heap")}
    assert first["fast"][:5] == [1, 2, 3, 1, 2]  # what was measured while others were loading is forgotten
    assert first["heap"][:2] == [1, 2]
    results = {event["contender"]: event for event in events if event["event"] == "result"}
    assert results["fast"]["n"] == results["heap"]["n"]
    assert results["fast"]["first_turn"] == results["heap"]["first_turn"] == 3


def test_a_run_that_is_stopped_before_or_while_loading_is_not_complete():
    for at in range(3):
        control, workers = Control(), []

        def start(name, threads, at=at, control=control, workers=workers):
            workers.append(Ending(name, [], control if len(workers) + 1 == at else None))
            return workers[-1]

        if at == 0:
            control.stop()
        events = list(run(PLAN, control, start))
        assert [event["event"] for event in events if event["event"] != "cell"] == [
            "started",
            *["loading"] * 2 * (at > 0),
            *["loaded"] * 2 * (at > 0),
            "finished",
        ]
        assert events[-1]["complete"] is False
        assert [worker.is_ended for worker in workers] == [True] * 2 * (at > 0)


def test_whoever_stops_reading_events_leaves_no_worker():
    made = starter()
    events = run(PLAN, Control(), made)
    for event in events:
        if event["event"] == "sample":
            break
    events.close()
    assert [worker.is_ended for worker in made.workers] == [True, True]


def test_each_cell_gets_its_share_of_what_is_left(monkeypatch):
    shares = []

    class Recording:
        def __init__(self, *_):
            self.used_s = 0.0

        def run(self, cell, contenders, budget_s, coming):
            shares.append((cell.scenario, len(cell.operations), tuple(contenders), budget_s))
            self.used_s += 7.0
            yield from ()

    monkeypatch.setattr(engine, "Race", Recording)
    plan = Plan(
        "demo:bpe",
        ("sample:welcome",),
        ("fast",),
        scenarios=("append", "throughput", "decode"),
        time_budget_s=18.0,
    )
    left = [event["seconds_left"] for event in run(plan, Control(), starter()) if event["event"] == "cell"]
    assert left == [18.0, 11.0, 4.0, 0.0]
    assert shares == [
        ("append", 2, ("fast",), 6.0),
        ("append", 2, ("fast",), 5.5),
        ("throughput", 1, ("fast",), 2.0),
        ("decode", 1, ("fast",), 0.0),
    ]


def test_a_race_knows_the_right_tokens_and_how_long_each_is(monkeypatch):
    given = []
    monkeypatch.setattr(engine, "Race", lambda *parts: given.extend(parts) or next(iter(())))
    with pytest.raises(RuntimeError):
        list(run(PLAN, Control(), starter()))
    _, _, _, reference, lengths = given
    tokenizer = open_model("demo:bpe")
    vocabulary = tokenizer.vocabulary
    assert lengths.tolist() == [len(vocabulary.token_bytes(token)) for token in range(len(vocabulary))]
    text = b"don't  stop"
    for is_split, ours in ((True, tokenizer), (False, tokenizer.without_splitting())):
        tokens = reference([text], is_split)
        wanted = ours.encode(text, False, False)
        assert tokens.ids.tolist() == wanted.token_ids.tolist()
        assert tokens.spans.tolist() == wanted.spans.tolist()


def test_workers_are_processes_of_the_model_that_stop_when_the_run_does(monkeypatch):
    asked = []

    class Process:
        def __init__(self, *given):
            asked.append(given)

        def begin(self, *_):
            raise Stopped

        def end(self):
            asked.append("ended")

    monkeypatch.setattr(engine, "WorkerProcess", Process)
    monkeypatch.setattr(engine, "begin_early", lambda: None)
    control = Control()
    plan = Plan("demo:bpe", ("sample:welcome",), ("heap",), pre="qwen2")
    list(run(plan, control))
    path = str(open_model("demo:bpe").vocabulary.path)  # which may have been fetched: not by each of them
    assert asked == [(path, "heap", 1, control.shall_stop, "qwen2", None), "ended"]


def test_who_takes_part():
    tokenizer = open_model("demo:bpe")
    ours = list(tokenizer.encoders)
    assert contenders_of(Plan("m"), tokenizer) == ours
    assert contenders_of(Plan("m", contenders=("heap", "fast (unsplit)")), tokenizer) == [
        "heap",
        "fast (unsplit)",
    ]
    assert contenders_of(Plan("m", with_peers=True), tokenizer) == [*ours, *PEERS]
    both = Plan("m", contenders=("tiktoken", "heap"), with_peers=True)
    assert contenders_of(both, tokenizer) == [
        "tiktoken",
        "heap",
        *(name for name in PEERS if name != "tiktoken"),
    ]


@pytest.mark.parametrize(
    ("model", "name", "told"),
    [
        (
            "spm",
            "heap (unsplit)",
            "“heap (unsplit)” is for BPE vocabularies: only they split texts before merging.",
        ),
        ("spm", "dream", "There is no encoder “dream” for this SPM vocabulary. Choose from: {}."),
        (
            "bpe",
            "dream (unsplit)",
            "There is no encoder “dream (unsplit)” for this BPE vocabulary. Choose from: {}.",
        ),
    ],
)
def test_who_cannot_take_part_is_told(model, name, told):
    tokenizer = open_model(f"demo:{model}")
    with pytest.raises(BenchError) as caught:
        contenders_of(Plan("m", contenders=("fast", name)), tokenizer)
    known = ", ".join([*tokenizer.encoders, *PEERS])
    assert str(caught.value) == told.format(known).replace("“dream (unsplit)”", "“dream”")


def test_texts_are_of_the_seed_of_the_plan():
    tokenizer = open_model("demo:bpe")
    texts = [corpora_of(Plan("m", ("random",), seed=seed), tokenizer)[0].text for seed in (0, 1)]
    assert texts[0] != texts[1]


@pytest.mark.parametrize(
    "changes",
    [{"model": "no/such.gguf"}, {"contenders": ("dream",)}, {"corpora": ("no/such",)}, {"corpora": ()}],
)
def test_what_is_wrong_with_a_plan_is_raised_before_anything_else(changes):
    with pytest.raises(TokenloupeError):
        next(
            run(
                Plan(**{"model": "demo:bpe", "corpora": ("sample:welcome",), **changes}), Control(), starter()
            )
        )


def test_cells_are_made_for_the_plan_that_is_given():
    cells = cells_of(PLAN, open_model("demo:bpe"))
    assert [(cell.scenario, cell.corpus) for cell in cells] == [("throughput", "sample:welcome")]
