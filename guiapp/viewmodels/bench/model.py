"""What the Bench page shows: what can take part, what shall be measured, and what was found so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from guiapp.core.bench.contenders.contender import UNSPLIT
from guiapp.core.bench.estimate import Duration, Pace
from guiapp.core.bench.measurement import Record
from guiapp.core.bench.plan import Plan, plan_from
from guiapp.core.bench.remarks import warnings
from guiapp.core.bench.scenarios import SCENARIOS
from guiapp.core.vocab.vocabulary import VocabType
from guiapp.viewmodels.background import LatestJob
from guiapp.viewmodels.bench.difference import DifferenceFinder
from guiapp.viewmodels.bench.entrants import Entrant, our_entrants, peer_entrants
from guiapp.viewmodels.bench.expected import why_empty
from guiapp.viewmodels.bench.forecast import BenchForecast
from guiapp.viewmodels.bench.history import Comparison, Kept, RunHistory, with_text_kept
from guiapp.viewmodels.bench.kept_runs import KeptRuns, Opened
from guiapp.viewmodels.bench.live import LiveRun, deviations_of
from guiapp.viewmodels.bench.presets import PRESETS, TEXTS, YOUR_TEXT, Preset
from guiapp.viewmodels.bench.runner import BenchRunner
from guiapp.viewmodels.model_session import ModelSession


class BenchModel(QObject):
    """The plan, the run and its results.

    Signals:
        plan_changed(): contenders, texts or the preset are new.
        running_changed(): `is_running` or `is_paused` is new.
        progress_changed(): `progress` is new.
        results_changed(): `results` are new; many times a second while it runs.
        isolated_changed(): `isolated` is new.
        compared(): `comparison` is the one that was asked for.
        failed(str): why there is no run, or why it ended.
    """

    plan_changed = Signal()
    running_changed = Signal()
    progress_changed = Signal()
    results_changed = Signal()
    isolated_changed = Signal()
    compared = Signal()
    failed = Signal(str)

    def __init__(
        self,
        session: ModelSession,
        runner: BenchRunner | None = None,
        history: RunHistory | None = None,
        clock_s: Callable[[], float] = time.monotonic,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._runner = runner or BenchRunner(parent=self)
        self._history = history
        self._clock_s = clock_s
        self._pace, self._paused_s, self._paused_at_s = Pace(), 0.0, 0.0
        self.comparison: Comparison | None = None
        self._preset = PRESETS[0]
        self._texts = list(PRESETS[0].texts)
        self._own_texts: list[str] = []
        self._left_out: set[str] = set()
        self._peers: list[Entrant] | None = None  # of the vocabulary that is open
        self._run = LiveRun()
        self.is_paused = False
        self.isolated = ""
        self.progress, self._cell = "", ""
        self._differences = DifferenceFinder(session, self)
        self._differences.failed.connect(self.failed)
        self.forecast = BenchForecast(history, self)
        self._ended_because = ""
        self._starting = LatestJob[Plan](self)
        self._starting.done.connect(self._start)
        self._starting.failed.connect(self._give_up)
        self.kept = KeptRuns(history, self)
        self.kept.opened.connect(self._show_opened)
        self.kept.compared.connect(self._take_comparison)
        self.kept.kept.connect(self._take_kept)
        self.kept.failed.connect(self.failed)
        self._runner.told.connect(self._take)
        self._runner.ended.connect(self._end)
        session.vocabulary_changed.connect(self._follow_vocabulary)
        self._look_through()

    # The plan

    @property
    def ours(self) -> list[Entrant]:
        """The encoders of the vocabulary that is open."""
        return our_entrants(self._session.encoders)

    @property
    def peers(self) -> list[Entrant]:
        """Other tokenizers; those that are missing say how to get them, others what is against them."""
        if self._peers is None:
            self._peers = peer_entrants(self._session.vocabulary)
        return self._peers

    def _follow_vocabulary(self) -> None:
        self._peers = None
        self._look_through()
        self.plan_changed.emit()

    def _look_through(self) -> None:
        if (vocabulary := self._session.vocabulary) is not None:
            self.forecast.look_through(str(vocabulary.path))

    @property
    def preset(self) -> Preset:
        return self._preset

    def choose_preset(self, preset: Preset) -> None:
        self._preset, self._texts = preset, list(preset.texts)
        self.plan_changed.emit()

    def adjust(self, **changes: Any) -> None:
        """Change what the preset asks for: scenarios, time_budget_s, threads or largest_bytes."""
        self._preset = replace(self._preset, **changes)
        self.plan_changed.emit()

    def set_scenario(self, name: str, is_chosen: bool) -> None:
        chosen = {*self._preset.scenarios, name} if is_chosen else {*self._preset.scenarios} - {name}
        self.adjust(scenarios=tuple(each for each in SCENARIOS if each in chosen))

    def takes_part(self, name: str) -> bool:
        return name not in self._left_out

    def set_takes_part(self, name: str, takes_part: bool) -> None:
        if takes_part == self.takes_part(name):
            return
        self._left_out ^= {name}
        self.plan_changed.emit()

    @property
    def texts(self) -> tuple[str, ...]:
        """What can be ticked: those that are always there, then files and folders of the user's."""
        return (*TEXTS, *self._own_texts)

    def add_text(self, path: Path) -> None:
        """Offer a file or folder, and tick it."""
        if str(path) not in self.texts:
            self._own_texts.append(str(path))
        self.set_text(str(path), True)

    def has_text(self, name: str) -> bool:
        return name in self._texts

    def set_text(self, name: str, is_chosen: bool) -> None:
        if is_chosen == self.has_text(name):
            return
        chosen = {*self._texts, name} if is_chosen else {*self._texts} - {name}
        self._texts = [text for text in self.texts if text in chosen]
        self.plan_changed.emit()

    @property
    def contenders(self) -> list[str]:
        """Those that are ticked and can take part."""
        names = [
            each.name for each in [*self.ours, *self.peers] if not each.reason and self.takes_part(each.name)
        ]
        vocabulary = self._session.vocabulary
        if vocabulary is None or vocabulary.type is not VocabType.BPE:
            return names
        return names + [name + UNSPLIT for name in self._preset.unsplit if name in names]

    @property
    def can_run(self) -> bool:
        planned = self.contenders and self._texts and self._preset.scenarios
        return bool(planned and self._session.loader.model) and not self.is_running

    @property
    def estimate(self) -> Duration:
        """How long a run will take."""
        return self.forecast.duration(self._plan(self._texts), self._your_bytes)

    @property
    def _your_bytes(self) -> dict[str, int]:
        return {YOUR_TEXT: max(self._session.document.size, 1)}

    def _plan(self, texts: Sequence[str]) -> Plan:
        model = self._session.loader.model
        if model is None:
            return self._preset.plan("", texts, self.contenders)
        pre = model.tokenizer.vocabulary.chosen_pre or None
        return self._preset.plan(str(model.name), texts, self.contenders, pre)

    # The run

    @property
    def is_running(self) -> bool:
        return self._starting.is_busy or self._runner.is_running

    def run(self) -> None:
        """Measure what is planned, from the beginning."""
        if not self.can_run:
            return
        plan, history = self._plan(self._texts), self._history
        self._pace, self._paused_s = Pace(self.forecast.weights_s(plan, self._your_bytes)), 0.0
        self._run, self.comparison, self.kept.shown = LiveRun(), None, None
        self._cell, self.is_paused = "", False
        self.tell("Starting …")
        if YOUR_TEXT in plan.corpora:
            text = self._session.document.text() or b" "
            self._starting.start(lambda _: with_text_kept(plan, history, text))
        else:
            self._start(plan)
        self.running_changed.emit()
        self.results_changed.emit()

    def _start(self, plan: Plan) -> None:
        self.kept.begin()
        self._runner.start(plan)

    def _give_up(self, problem: str) -> None:
        """There is no run."""
        self.tell("Nothing was measured")
        self.failed.emit(problem)
        self.running_changed.emit()

    def stop(self) -> None:
        """Stop at once; what was measured stays."""
        if self._starting.is_busy:
            self._starting.cancel()
            self.tell("Stopped")
            self.running_changed.emit()
        else:
            self._runner.stop()

    def toggle_pause(self) -> None:
        if self._starting.is_busy:
            return
        if self.is_paused:
            self._paused_s = self._clock_s() - self._now_s()
        else:
            self._paused_at_s = self._now_s()
        self.is_paused = not self.is_paused
        (self._runner.pause if self.is_paused else self._runner.resume)()
        self.running_changed.emit()

    def hold(self) -> None:
        """Time nothing for a moment: somebody types, and would be disturbed by it as it would be by them."""
        if self._runner.is_running:
            self._runner.hold()

    def _now_s(self) -> float:
        """Time that passes while a run is going and not paused."""
        return self._paused_at_s if self.is_paused else self._clock_s() - self._paused_s

    def close(self) -> None:
        """End the process and wait for it: the window closes."""
        self._starting.wait()
        self._differences.close()
        self.forecast.close()
        self._runner.close()
        self.kept.close()

    # The results

    @property
    def results(self) -> list[Record]:
        """Finished records, and those of the cell that runs with what they have so far."""
        return self._run.results

    def deviations(self, text: str = "") -> dict[str, Record]:
        """Whose ids differ, each with its result of this text, or else of the longest that there is."""
        return deviations_of(self.results, text)

    @property
    def can_report(self) -> bool:
        """Whether a report would hold figures: those of the cell that runs are in none."""
        return bool(self._run.report.results)

    @property
    def growth(self) -> list[Record]:
        """What time depends on length like, from the finished records."""
        return self._run.report.growth

    @property
    def left_out(self) -> list[Record]:
        return self._run.report.left_out

    @property
    def noise(self) -> str:
        """What disturbs the run that goes on, "" where nothing does or nothing is known yet."""
        told = (self._run.noise, self.kept.problem)
        return " · ".join(filter(None, told)) if self.is_running else ""

    @property
    def record(self) -> Record:
        """The run as `tokenloupe bench --json` writes it."""
        return self._run.record

    def why_empty(self, *scenarios: str) -> str:
        """Why none of these was measured, and how to change that."""
        return why_empty(scenarios, self._run.scenarios, self._preset.scenarios)

    def open_run(self, path: Path) -> None:
        """Show a run that is in a file; not while one is going on."""
        if self.is_running:
            self.failed.emit(f"Stop the run that is going on before you open {path.name}.")
        else:
            self.kept.open(path)

    def _show_opened(self, opened: Opened) -> None:
        if not self.is_running:
            self.show_run(opened.record, f"A saved run: {opened.saved.title}", opened.saved.path)

    def compare_with(self, path: Path) -> None:
        """Tell what is surely faster or slower than in a run that is in a file."""
        if path == self.kept.shown:
            self.failed.emit(f"{path.name} is the run that is shown. Choose another one to compare it with.")
        else:
            self.kept.compare(path, self.record)

    def _take_comparison(self, comparison: Comparison) -> None:
        if not self.is_running:
            self.comparison = comparison
            self.tell(str(comparison))
            self.results_changed.emit()
            self.compared.emit()

    @property
    def warnings(self) -> list[str]:
        """What makes the figures doubtful; nothing while a run is going on."""
        return [] if self.is_running or not self.results else list(warnings(self.record))

    def show_run(self, record: Record, title: str = "A saved run", path: Path | None = None) -> None:
        """Show a run that was saved, without its model."""
        self._run, self.comparison, self.kept.shown = LiveRun.of(record), None, path
        self.isolate("")
        self.tell(title)
        self.results_changed.emit()

    def isolate(self, contender: str) -> None:
        """Point at one contender in all charts; at none for "" or where it is pointed at already."""
        self.isolated = "" if contender == self.isolated else contender
        self.isolated_changed.emit()

    def open_difference(self, contender: str, text: str = "") -> None:
        """Put the text in which a contender differs into the session, and select the first place."""
        if (result := self.deviations(text).get(contender)) is not None:
            self._differences.open(result, plan_from(self._run.record["plan"]))

    def _take(self, event: dict[str, Any]) -> None:
        self._run.add(event)
        self.kept.take_down(event)
        match event["event"]:
            case "loading":
                self.tell(f"Loading {event['contender']}, {event['number']} of {event['of']} …")
            case "cell":
                self._pace.begin_cell(self._now_s())
                left = self._pace.left(event["of"] - event["number"] + 1)
                then = "" if left is None else f" · {left} left"
                self._cell = f"{event['scenario']} {event['number']} of {event['of']}{then}"
                self.tell(self._cell)
            case "compared" | "left out" if self._cell:
                self.tell(self._cell)
            case "sample" | "result":
                self.results_changed.emit()
            case "failed":
                self.tell("Nothing was measured")
                self.failed.emit(event["message"])
            case "finished":
                self.tell("Done" if event["complete"] else "Stopped")

    def _end(self, problem: str) -> None:
        self._run.end()
        self.is_paused, self._ended_because = False, problem
        if problem:
            self.tell("Ended early")
            self.failed.emit(problem)
        self.kept.keep(self._run.record)
        self.running_changed.emit()
        self.results_changed.emit()

    def _take_kept(self, kept: Kept) -> None:
        if kept.problem:
            self.failed.emit(" ".join(filter(None, (self._ended_because, kept.problem))))
        if not self.is_running and kept.record["results"] == self.results:
            self.comparison, self.kept.shown = kept.comparison, kept.path
            self.results_changed.emit()
        self._look_through()

    def tell(self, progress: str) -> None:
        """Show a line about what happens."""
        self.progress = progress
        self.progress_changed.emit()
