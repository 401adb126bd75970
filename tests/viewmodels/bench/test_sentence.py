"""What stands at the top of the Bench page, in words."""

from __future__ import annotations

import pytest
from bench_runs import record

from guiapp.core.bench.statistics import Ratio
from guiapp.core.bench.verdict import Verdict
from guiapp.viewmodels.bench.live import Loading
from guiapp.viewmodels.bench.runner import BenchRunner
from guiapp.viewmodels.bench.sentence import (
    MEASURING,
    NO_CONTENDER,
    NO_MODEL,
    QUESTION,
    sentence_of,
    title_of,
)

SURE = Verdict("fast", "heap", Ratio(1.3, 1.2, 1.4), True, False, 2, 2, 7)


@pytest.fixture
def model(make_model):
    return make_model()


def test_before_a_run_it_is_a_question_and_what_will_be_measured(model, session, monkeypatch):
    assert title_of(model, None) == QUESTION
    n_contenders = len(model.choice.contenders)
    assert sentence_of(model, None).startswith(f"{n_contenders} contenders, about ")
    for name in model.choice.contenders:
        model.choice.set_contender(name, False)
    assert (title_of(model, None), sentence_of(model, None)) == (NO_CONTENDER, "")
    monkeypatch.setattr(session.loader, "model", None)
    model.choice._peers = []
    assert (title_of(model, None), sentence_of(model, None)) == (NO_MODEL, "")


def test_the_verdict_has_no_other_words_in_its_place(model, monkeypatch):
    assert title_of(model, SURE) is SURE
    model.show_run({"results": [record("decode", name, 10, 1e-4) for name in ("fast", "heap")]})
    assert title_of(model, None) == "2 contenders, no throughput measured"
    monkeypatch.setattr(BenchRunner, "is_running", True)
    assert title_of(model, None) == MEASURING


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, "Settled. The two intervals do not touch."),
        ({"is_settled": False}, "Not settled yet."),
        ({"is_disturbed": True}, "Settled. Other programs took time from it: nothing is sure."),
        ({"ratio": Ratio(1.0, 0.9, 1.1)}, "Settled."),
        ({"ratio": Ratio(1.0, 0.9, 1.1), "is_settled": False}, ""),
        ({"beside": ""}, ""),
    ],
)
def test_how_far_a_verdict_can_be_trusted(model, changes, told):
    model.tell("Done")
    verdict = Verdict(**{**vars(SURE), **changes})
    assert sentence_of(model, verdict) == f"{told} Done.".strip()


def test_what_the_run_does_at_the_moment(model, monkeypatch):
    monkeypatch.setattr(BenchRunner, "is_running", True)
    model.tell("Starting …")
    assert sentence_of(model, None) == "Starting …"
    model._run.loading = {"fast": Loading("", 0.0)}
    model.tell("")
    assert sentence_of(model, None) == "One contender is being opened."
    model._run.loading["heap"] = Loading("", 0.0)
    model.is_paused = True
    assert sentence_of(model, None) == "Paused. Two contenders are being opened."
    model._run.report.results = [record("throughput", "tiktoken", 10, 1e-4)]
    assert sentence_of(model, None) == "Paused. Two more contenders are being opened."
    model._run.loading = dict.fromkeys("abcdefgh", Loading("", 0.0))
    assert "Eight more contenders are" in sentence_of(model, None)
