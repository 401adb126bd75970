"""Runs a plan: contenders take turns, are compared before they are timed, and fail alone.

As events, one dictionary each:

    started     environment, vocabulary, corpora, plan, n_cells
    loading     contender, number, of, stage, share: in words what it does, and how much of loading is done,
                0 to 1; again and again, of several contenders at once, also while others are timed
    loaded      contender, version, other_vocabulary, memory_bytes, loading_s: it joins with the next turn
    left out    contender, scenario, operation, corpus, size_bytes, reason; None means: in all of them
    cell        number, of, seconds_left, load, and scenario, operations, corpus, size_bytes, threads
    compared    contender, operation, and its ids in this cell: n_tokens, exact, agreement, first_difference
    sample      contender, operation, seconds, n, turn, share: one more run in this cell, in which turn of all
                (from 0 on), and its share of a core, None where it waits by itself.  With n = 1 a series
                begins anew: what was measured while others were loading is a first impression, and forgotten
    result      the record of one contender and operation in this cell
    finished    complete, environment

The first cell begins when the first contender is ready; those that follow join it, so that `loading`,
`loaded`, `left out` and `compared` come between samples of others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from guiapp.analysis.bench.agreement import Tokens
from guiapp.analysis.bench.cell import Race
from guiapp.analysis.bench.control import Control
from guiapp.analysis.bench.corpus import Corpus, corpus_named
from guiapp.analysis.bench.environment import (
    corpus_record,
    environment,
    environment_after,
    load_now,
    vocabulary_record,
)
from guiapp.analysis.bench.events import Event
from guiapp.analysis.bench.loading import Loading
from guiapp.analysis.bench.operations import MEMORY, encode_all
from guiapp.analysis.bench.plan import BenchError, Plan, from_any_folder
from guiapp.analysis.bench.scenarios import SCENARIOS, tasks_of
from guiapp.analysis.bench.starting import begin_early
from guiapp.analysis.bench.tasks import Cell, Setting
from guiapp.analysis.bench.worker_process import GLANCE_S, AskedProcess, Stopped, WorkerProcess
from guiapp.analysis.bench.workers import StartWorker, Workers
from guiapp.analysis.libraries.contender import as_split, our_contender, split_name
from guiapp.analysis.libraries.custom import names_of
from guiapp.analysis.libraries.table import PEERS
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.open_model import open_model
from guiapp.core.vocabulary.vocabulary import VocabType
from guiapp.native.checkpoint import watched


def run(plan: Plan, control: Control, start_worker: StartWorker | None = None) -> Iterator[Event]:
    """The events of a run; raises what is wrong with the plan, before anything else, as TokenloupeError."""
    if start_worker is None:
        begin_early()
    tokenizer = open_model(plan.model, plan.pre)
    plan = replace(plan, pre=tokenizer.vocabulary.chosen_pre or None)
    contenders = contenders_of(plan, tokenizer)
    corpora = corpora_of(plan, tokenizer)
    cells = _cells_with(plan, tokenizer, corpora)
    opened = replace(plan, model=str(tokenizer.vocabulary.path))  # a name may have to be fetched, once
    workers = Workers(start_worker or _process_starter(opened, control))
    yield {
        "event": "started",
        "environment": environment(plan.clock),
        "vocabulary": vocabulary_record(tokenizer.vocabulary),
        "corpora": list(map(corpus_record, corpora)),
        "plan": from_any_folder(plan).record(),
        "n_cells": len(cells),
    }
    is_complete = False
    try:
        race = _race(plan, workers, control, tokenizer)
        coming = Loading(workers, contenders, cells[0].threads, control)
        yield from _all_cells(race, workers, cells, coming, plan.time_budget_s)
        is_complete = True
    except Stopped:
        pass
    finally:
        workers.end()
    yield {
        "event": "finished",
        "complete": is_complete,
        "environment": environment_after(control.held_s),
    }


def contenders_of(plan: Plan, tokenizer: Tokenizer) -> list[str]:
    """The names that take part; raises BenchError for one that is neither encoder nor installed peer."""
    ours = list(tokenizer.encoders)
    own = names_of(plan.own, {*ours, *PEERS})
    for contender in plan.contenders:
        if contender in own:
            continue
        name, is_split = split_name(contender)
        if not is_split and tokenizer.vocabulary.type is not VocabType.BPE:
            raise BenchError(f"“{contender}” is for BPE vocabularies: only they split texts before merging.")
        if name in PEERS and not PEERS[name].is_installed:
            raise BenchError(PEERS[name].how_to_install)
        if name not in PEERS and name not in ours:
            raise BenchError(
                f"There is no encoder “{name}” for this {tokenizer.vocabulary.type.value} vocabulary. "
                f"Choose from: {', '.join([*ours, *PEERS])}."
            )
    names = list(plan.contenders) or ours
    peers = [name for name in PEERS if name not in names] if plan.with_peers else []
    return names + peers + [name for name in own if name not in names]


def corpora_of(plan: Plan, tokenizer: Tokenizer) -> list[Corpus]:
    """The texts of a plan; raises CorpusError for one that does not exist."""
    return [corpus_named(name, tokenizer.vocabulary, plan.seed) for name in plan.corpora]


def cells_of(plan: Plan, tokenizer: Tokenizer) -> list[Cell]:
    """What is measured, in order; raises BenchError or CorpusError for what does not exist."""
    return _cells_with(plan, tokenizer, corpora_of(plan, tokenizer))


def _cells_with(plan: Plan, tokenizer: Tokenizer, corpora: Sequence[Corpus]) -> list[Cell]:
    for name in plan.scenarios:
        if name not in SCENARIOS:
            raise BenchError(f"There is no scenario “{name}”. Choose from: {', '.join(SCENARIOS)}.")
    if not corpora:
        raise BenchError("A benchmark needs a text. Name a corpus.")
    setting = Setting(plan, tokenizer, corpora)
    tasks = tasks_of(plan, [len(corpus.text) for corpus in corpora])
    if not tasks:
        raise BenchError("There is nothing to measure. Choose a scenario, and allow texts of its sizes.")
    return [SCENARIOS[task.scenario].cell(setting, task) for task in tasks]


def _all_cells(
    race: Race, workers: Workers, cells: Sequence[Cell], coming: Loading, budget_s: float
) -> Iterator[Event]:
    """Each cell gets a share of the time that is left, by how much is to be done in it.

    The first one begins when somebody is ready; memory is none that can be measured while others load.
    """
    while not coming.is_done and (not coming.ready or cells[0].operations == (MEMORY,)):
        yield from coming.events(GLANCE_S)
    n_operations = sum(len(cell.operations) for cell in cells)
    for number, cell in enumerate(cells, 1):
        left_s = max(budget_s - race.used_s, 0.0)
        yield {
            "event": "cell",
            "number": number,
            "of": len(cells),
            "seconds_left": left_s,
            "scenario": cell.scenario,
            "operations": cell.operations,
            "corpus": cell.corpus,
            "size_bytes": cell.size_bytes,
            "threads": cell.threads,
            "load": load_now(),
        }
        workers.end_others(cell.threads)  # all of them twice may be more than the memory holds
        share_s = left_s * len(cell.operations) / n_operations
        yield from race.run(cell, coming.ready, share_s, None if coming.is_done else coming)
        n_operations -= len(cell.operations)


def _race(plan: Plan, workers: Workers, control: Control, tokenizer: Tokenizer) -> Race:
    def check() -> None:
        if control.shall_stop():
            raise Stopped

    def reference(texts: Sequence[bytes], is_split: bool) -> Tokens:
        ours = as_split(tokenizer, is_split)
        with watched(check):
            return encode_all(our_contender(ours, next(iter(ours.encoders))), texts)

    lengths = np.diff(tokenizer.vocabulary.token_bytes_table[1])
    return Race(plan, workers, control, reference, lengths)


def _process_starter(plan: Plan, control: Control) -> StartWorker:
    own = {each.name: each for each in plan.own}

    def start(name: str, threads: int) -> AskedProcess:
        return WorkerProcess(plan.model, name, threads, control.shall_stop, plan.pre, own.get(name))

    return start
