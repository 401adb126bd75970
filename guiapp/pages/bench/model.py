"""The model of the Bench page: the run that is in progress or opened, and its results so far."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.bench.differences import DifferenceLocation, first_difference
from guiapp.analysis.bench.findings import YOUR_TEXT, Verdict, deviations, notes, verdict_of
from guiapp.analysis.bench.plan import RUN_OWN, SCENARIOS, Plan, plan_from, whole_path
from guiapp.analysis.bench.run_results import BenchResult, BenchRun
from guiapp.core.processes import command_of
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import LatestJob, LineProcess
from guiapp.pages.bench.choice import BenchChoice, CustomContenders, duration_text
from guiapp.pages.bench.history import (
    FinishedRun,
    OpenedRun,
    RunComparison,
    RunHistory,
    SavedRuns,
    with_saved_text,
)

COMMAND = (*command_of("guiapp.analysis.bench"), RUN_OWN)  # the user has agreed to run each of them
FAREWELL_MS = 3000
MOST_HASHED = 4 << 20  # bytes; a longer text counts as the one that was measured


class BenchModel(QObject):
    """The run and its results.

    choice  what the next run measures
    saved   runs on disk; the newest is opened if nothing is shown yet

    Signals:
        running_changed(): `is_running` or `is_paused` is new.
        progress_changed(): `progress` is new.
        results_changed(): `results` are new; many times a second during a run.
        isolated_changed(): `isolated` is new.
        compared(): `comparison` is the requested one.
        failed(str): why there is no run, or why it ended.
    """

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
        own: CustomContenders | None = None,
    ) -> None:
        super().__init__()
        self._session = session
        self._runner = runner or BenchRunner(parent=self)
        self._history = history
        self.comparison: RunComparison | None = None
        self.choice = BenchChoice(session, own, self)
        self.measured = BenchRun()
        self.is_paused = False
        self.isolated = ""
        self.progress = ""
        self._locating = LatestJob[DifferenceLocation](self, self._show_difference, self.failed)
        self._ended_because = ""
        self._texts_at_opening: tuple[str, ...] = ()  # chosen when the user opened a run
        self._starting = LatestJob[Plan](self, self._start, self._give_up)
        self.saved = SavedRuns(history, self)
        self.saved.opened.connect(self._show_opened)
        self.saved.newest_read.connect(self._show_newest)
        self.saved.compared.connect(self._take_comparison)
        self.saved.saved.connect(self._on_run_saved)
        self.saved.failed.connect(self.failed)
        self._runner.told.connect(self._take)
        self._runner.ended.connect(self._end)

    # The run

    @property
    def can_run(self) -> bool:
        return self.choice.is_whole and not self.is_running

    @property
    def is_running(self) -> bool:
        return self._starting.is_busy or self._runner.is_running

    def run(self) -> None:
        """Measure the present choice."""
        if not self.can_run:
            return
        plan, history = self.choice.plan, self._history
        self.measured, self.comparison, self.saved.shown = BenchRun(), None, None
        self._texts_at_opening = ()
        self.is_paused = False
        self.set_progress("Starting …")
        if YOUR_TEXT in plan.corpora:
            text = self._session.document.text() or b" "
            self._starting.start(lambda _: with_saved_text(plan, history, text))
        else:
            self._start(plan)
        self.running_changed.emit()
        self.results_changed.emit()

    def _start(self, plan: Plan) -> None:
        self._runner.start(plan)

    def _give_up(self, problem: str) -> None:
        """Report why no run was started."""
        self.set_progress("No results")
        self.failed.emit(problem)
        self.running_changed.emit()

    def stop(self) -> None:
        """Stop at once; results so far stay."""
        if self._starting.is_busy:
            self._starting.cancel()
            self.set_progress("Stopped")
            self.running_changed.emit()
        else:
            self._runner.send("stop")

    def toggle_pause(self) -> None:
        if self._starting.is_busy:
            return
        self.is_paused = not self.is_paused
        self._runner.send("pause" if self.is_paused else "resume")
        self.running_changed.emit()

    def hold(self) -> None:
        if self._runner.is_running:
            self._runner.send("hold")

    def close(self) -> None:
        """End the process and wait for it, before the window closes."""
        self._starting.wait()
        self._locating.wait()
        self.choice.close()
        self._runner.close()
        self.saved.close()

    # The results

    @property
    def results(self) -> list[BenchResult]:
        """Finished records, and records of the present cell with their samples so far."""
        return self.measured.results

    @property
    def can_report(self) -> bool:
        """Whether a report would contain results; those of the present cell are not included."""
        return bool(self.measured.finished)

    @property
    def awaited(self) -> list[str]:
        """Contenders still without results, in the order of the plan, except those left out."""
        planned = self.measured.planned or (self.choice.contenders if self.is_running else ())
        there = {row.contender for row in self.results} | {each.contender for each in self.measured.left_out}
        return [name for name in planned if name not in there]

    @property
    def failed_to_open(self) -> Mapping[str, str]:
        """Why planned contenders take no part at all, by name."""
        gone = {each.contender: each.reason for each in self.measured.left_out if not each.scenario}
        return {name: gone[name] for name in self.measured.planned if name in gone}

    def verdict(self, text: str, baseline: str) -> Verdict | None:
        reference = self.measured.vocabulary.get("library", "")
        return verdict_of(self.results, text, baseline, reference)

    def title_of(self, text: str) -> str:
        """The title of a text of the run, or its name."""
        return self.choice.known_texts.get(text, text)

    def measured_another(self, text: str) -> str:
        """How the results on a text differ from the present state, "" if they do not.

        "model": of another model; "text": another text is chosen; "changed": the user edited the text since.
        """
        now, document, measured = self._session.vocabulary, self._session.document, self.measured
        if self.is_running or not self.results:
            return ""
        if now is not None:
            opened = {"path": str(now.path), "chosen_pre": now.chosen_pre}
            if any(measured.vocabulary.get(name, value) != value for name, value in opened.items()):
                return "model"
        chosen = self.choice.texts
        if text and text not in (Path(name).name for name in chosen) and chosen != self._texts_at_opening:
            return "text"
        if text != YOUR_TEXT:
            return ""
        used = next((each for each in self.measured.corpora if each["name"] == YOUR_TEXT), None)
        if used is None or used.get("size_bytes", document.size) > MOST_HASHED:
            return ""
        is_same = document.size == used.get("size_bytes", document.size)
        return "" if is_same and sha256(document.text()).hexdigest() == used["sha256"] else "changed"

    def open_run(self, path: Path) -> None:
        if self.is_running:
            self.failed.emit(f"Stop the current run before you open {path.name}.")
        else:
            self.saved.open(path)

    def _show_opened(self, opened: OpenedRun) -> None:
        if not self.is_running:
            self.show_run(opened.run, f"Saved run: {opened.entry.title}", opened.entry.path)

    def _show_newest(self, opened: OpenedRun) -> None:
        """Show the newest run of an earlier start, unless another run was started or opened."""
        if not self.is_running and not self.results:
            self.show_run(opened.run, opened.entry.title, opened.entry.path)
            self._texts_at_opening = ()  # the user did not open it for the chosen texts

    def compare_with(self, path: Path) -> None:
        if path == self.saved.shown:
            self.failed.emit(f"{path.name} is already shown. Choose another run to compare.")
        else:
            self.saved.compare(path, self.measured)

    def _take_comparison(self, comparison: RunComparison) -> None:
        if not self.is_running:
            self.comparison = comparison
            self.set_progress(str(comparison))
            self.results_changed.emit()
            self.compared.emit()

    @property
    def notes(self) -> list[str]:
        """Notes that help to read the results."""
        return notes(self.measured, self.is_running)

    def show_run(self, run: BenchRun, title: str = "Saved run", path: Path | None = None) -> None:
        self.measured, self.comparison, self.saved.shown = run, None, path
        self._texts_at_opening = self.choice.texts
        self.isolate("")
        self.set_progress(title)
        self.results_changed.emit()

    def isolate(self, contender: str) -> None:
        """Highlight one contender in all charts; none for "" or if it is highlighted already."""
        self.isolated = "" if contender == self.isolated else contender
        self.isolated_changed.emit()

    def open_difference(self, contender: str, text: str = "") -> None:
        """Show the text in which a contender's tokens differ, and select the first difference."""
        result = deviations(self.results, text).get(contender)
        tokenizer, model, plan = (
            self._session.tokenizer,
            self._session.loader.model,
            plan_from(self.measured.plan),
        )
        if result is None:
            return
        if tokenizer is None or model is None or whole_path(str(model.name)) != whole_path(plan.model):
            self.failed.emit(f"This run measured {plan.model}. Open that model to see where tokens differ.")
            return
        if tokenizer.vocabulary.chosen_pre != (plan.pre or ""):
            split = f"with “{plan.pre}”, your choice" if plan.pre else "as the file specifies"
            self.failed.emit(f"This run split text {split}. Choose the same to see where tokens differ.")
            return
        self._locating.start(lambda _: first_difference(result, plan, tokenizer))

    def _show_difference(self, location: DifferenceLocation) -> None:
        document = self._session.document
        if document.text() != location.text:
            self._session.text.show(location.text)
        end = document.next_grapheme(location.start)  # tokens may hold part of a character
        self._session.text.point_out(location.start, max(location.end, end))

    def _take(self, event: dict[str, Any]) -> None:
        self.measured.add(event)
        match event["event"]:
            case "started":
                self.set_progress("")
            case "loading" | "loaded" | "left out":
                self.results_changed.emit()
            case "cell":
                self.saved.save(self.measured)
                label, left = SCENARIOS[event["scenario"]].label, duration_text(event["seconds_left"])
                progress = f"{label}, {event['number']} of {event['of']}, about {left} left"
                self.set_progress(progress if event["of"] > 1 else "")
            case "sample" | "result":
                self.results_changed.emit()
            case "failed":
                self.set_progress("No results")
                self.failed.emit(event["message"])
            case "finished":
                self.set_progress("Done" if event["complete"] else "" if self.results else "Stopped")

    def _end(self, problem: str) -> None:
        self.measured.end()
        self.is_paused, self._ended_because = False, problem
        if problem:
            self.set_progress("")
            self.failed.emit(problem)
        self.saved.finish(self.measured)
        self.running_changed.emit()
        self.results_changed.emit()

    def _on_run_saved(self, saved: FinishedRun) -> None:
        if saved.problem:
            self.failed.emit(" ".join(filter(None, (self._ended_because, saved.problem))))
        if not self.is_running and saved.run is self.measured:
            self.comparison, self.saved.shown = saved.comparison, saved.path
            self.results_changed.emit()

    def set_progress(self, progress: str) -> None:
        self.progress = progress
        self.progress_changed.emit()


# The benchmark's process: takes a plan and commands as lines, and writes events


class BenchRunner(QObject):
    """Runs one plan at a time in a process of its own.

    Signals:
        told(dict): an event of `guiapp.analysis.bench.engine`, or {"event": "failed", "message"}.
        ended(str): the process ended; the reason if that was unexpected, else "".
    """

    told = Signal(dict)
    ended = Signal(str)

    def __init__(self, command: tuple[str, ...] = COMMAND, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process = LineProcess(command, self)
        self._process.told.connect(self._take)
        self._process.ended.connect(self._note_end)
        self._has_finished = False

    @property
    def is_running(self) -> bool:
        return self._process.is_running

    def start(self, plan: Plan) -> None:
        """Start a run; do nothing during another one."""
        if self.is_running:
            return
        self._has_finished = False
        self._process.start()
        self.send(json.dumps(plan.record()))

    def send(self, command: str) -> None:
        """Send `pause`, `resume`, `hold`, or `stop`, after which the process reports its results and ends."""
        self._process.send(f"{command}\n".encode())

    def close(self) -> None:
        """End the process whatever it does, and wait for it."""
        self._process.leave(FAREWELL_MS)

    def _take(self, lines: list[bytes]) -> None:
        for line in lines:
            event: dict[str, Any] = json.loads(line)
            self._has_finished |= event["event"] in ("finished", "failed")
            self.told.emit(event)

    def _note_end(self, complaint: str) -> None:
        why = f"The benchmark ended early ({complaint}). Its results so far are saved."
        self.ended.emit("" if self._has_finished else why)
