"""Runs a hunt: worker processes take batches in turn, and their results are combined here.

The seed and the number of a batch determine its texts.  The time and the machine determine how many batches
are done, so which texts are tried.
"""

from __future__ import annotations

import math
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from io import BufferedReader
from itertools import count, islice
from os.path import basename
from pathlib import Path
from typing import Any, NamedTuple

from guiapp.analysis.bench.control import ContextOfProcesses, contenders_context
from guiapp.analysis.bench.worker import (
    AskedProcess,
    ContenderFailed,
    Stopped,
    TookTooLong,
    WorkerLost,
)
from guiapp.analysis.compare.reasons import Cause, Reason, shown
from guiapp.analysis.compare.texts import text_files
from guiapp.analysis.explain.spelling import code
from guiapp.analysis.hunt.generators import ALL_NAMES, BATCH
from guiapp.analysis.hunt.mismatches import Batch, Find, Hunt, HuntSubject, UserLine
from guiapp.analysis.hunt.pair import FileSide, HuntError, SidePair
from guiapp.analysis.hunt.searching import HuntTask, LoadedSides, OpenedSides, serve
from guiapp.analysis.libraries.table import PEERS
from guiapp.core.encode.many_texts import n_cores
from guiapp.core.open_model import open_model
from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.sources.files import open_input
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary
from guiapp.errors import VocabError
from guiapp.native.checkpoint import checkpoint

MOST_WORKERS = 4
CALL_LIMIT_S = 120.0
LAST_CALL_S = 3.0  # how long a batch may continue after the time is over
MOST_LOSSES = 8  # how often a worker is restarted
NO_WORKER = (
    "A worker process ended before it had opened both models. In a script, call hunt inside"
    ' `if __name__ == "__main__":`, because each worker imports the script.'
)
MOST_EMPTY = 2 * len(ALL_NAMES)  # consecutive batches without a text: all generators are exhausted
LINES_TO_CHANGE = 2_000
LONGEST_LINE = 2_000  # bytes; longer lines are tried in parts
SHOWN_S = 0.2  # least interval between two states


@dataclass(frozen=True)
class HuntPlan:
    """The parameters of a hunt.

    first, second  models as `open_model` takes them; `second` may be an installed library: a name in PEERS
    files          the user's own texts, and folders of texts, which are tried line by line as well
    pres           the pre-tokenizers to split their texts with, instead of those of the files
    generators     names in ALL_NAMES, empty for all
    most_batches   limit of generated batches; None: as many as there is time for
    most_texts     instead of `seconds`: the same texts in the same order every time, by one worker
    """

    first: str
    second: str
    files: tuple[str, ...] = ()
    seconds: float = 30.0
    seed: int = 0
    most_batches: int | None = None
    n_workers: int = 0  # 0: one for each core, up to MOST_WORKERS
    pres: tuple[str | None, str | None] = (None, None)
    generators: tuple[str, ...] = ()
    most_texts: int | None = None


def hunt(
    plan: HuntPlan, shall_stop: Callable[[], bool] = lambda: False, context: ContextOfProcesses | None = None
) -> Iterator[Hunt]:
    """Run a hunt and yield its state while it goes on; the last state `is_over`.

    Raises TokenloupeError or OSError at the start if something cannot be opened.
    """
    context = context or contenders_context()
    plan = replace(plan, files=tuple(_files(plan.files)))
    subjects, task, sides = _opened(plan)
    state = Hunt(subjects, plan.seed, plan.generators)
    yield state
    of_workers = (task, sides) if context.get_start_method() == "fork" else (task,)
    team = _Team(task.names[1], plan, shall_stop, partial(AskedProcess, serve, of_workers, context=context))
    team.start()
    try:
        shown_s = 0.0
        for output in team.output():
            state = replace(_with(state, output), seconds=team.seconds)
            if state.seconds - shown_s >= SHOWN_S:
                shown_s = state.seconds
                yield state
    finally:
        team.end()
    yield replace(state, seconds=team.seconds, is_over=True)


def _with(state: Hunt, output: HuntOutput) -> Hunt:
    match output:
        case Batch():
            return state.with_batch(output)
        case Find():
            return state.with_find(output)
        case HuntError():
            raise output
        case SideFailed():
            return replace(state.with_note(output.sentence), is_incomplete=True)
    return state.with_note(output)


def _opened(plan: HuntPlan) -> tuple[tuple[HuntSubject, HuntSubject], HuntTask, OpenedSides]:
    """Both subjects and the task; opening the models here raises their errors before workers start."""
    first, second = plan.first, plan.second
    if first in PEERS:
        raise HuntError(f"{first} is a library. Give the model file first, then the library.")
    ours, theirs = open_model(first, plan.pres[0]), None
    if second in PEERS:
        ends = basename(first) or first, second
        peer = PEERS[second]
        peer.check_all(ours.vocabulary)
        other, subject = second, HuntSubject(second, peer.version, tokens=len(ours.vocabulary))
    else:
        theirs = open_model(second, plan.pres[1])
        ends = _distinct_names(first, second, plan.pres)
        other, subject = str(theirs.vocabulary.path or second), HuntSubject.of_model(ends[1], theirs)
    lines = tuple(line.text for line in islice(_lines(plan.files), LINES_TO_CHANGE))
    names = code(quoted(ends[0])), code(quoted(ends[1]))
    model = str(ours.vocabulary.path or first)
    task = HuntTask(model, other, names, plan.seed, lines, plan.pres, plan.generators)
    return (HuntSubject.of_model(ends[0], ours), subject), task, (ours, theirs)


def _distinct_names(first: str, second: str, pres: tuple[str | None, str | None]) -> tuple[str, str]:
    """The base names of two paths if they differ, else the paths, with the pre-tokenizers if these differ."""
    ends = basename(first), basename(second)
    if first == second and pres[0] != pres[1]:
        first, second = (
            f"{end or path} split as {pre}" if pre else end or path
            for path, end, pre in zip((first, second), ends, pres, strict=True)
        )
    return ends if ends[0] != ends[1] and all(ends) else (first, second)


def _files(names: Iterable[str]) -> Iterator[str]:
    """The given files, and all text files below the given folders except hidden ones.

    Open each file once, so that unreadable files raise an error now.
    """
    for name in names:
        path = Path(name)
        for text in text_files(path).paths if path.is_dir() else (path,):
            open_input(text, takes_pipes=True).close()
            yield str(text)


def _lines(files: Iterable[str]) -> Iterator[UserLine]:
    """Yield the non-empty lines of files lazily; invalid bytes of UTF-8 are dropped."""
    for name in files:
        with BufferedReader(open_input(name, takes_pipes=True)) as file:
            number, start = 1, 0
            for line in iter(lambda: file.readline(LONGEST_LINE), b""):
                if text := line.rstrip(b"\r\n").decode("utf-8", "ignore").encode():
                    yield UserLine(name, number, start, text)
                number, start = number + line.endswith(b"\n"), start + len(line)


class SideFailed(NamedTuple):
    """One side crashed, so texts were skipped; `sentence` names the side."""

    sentence: str


HuntOutput = Batch | Find | str | HuntError | SideFailed
Message = tuple[Any, ...]  # request to a worker: "lines" and the lines, or "batch", its number, most texts


class _Team:
    """The worker processes, each driven by its own thread."""

    def __init__(
        self,
        other: str,
        plan: HuntPlan,
        shall_stop: Callable[[], bool],
        start: Callable[[Callable[[], bool]], AskedProcess],
    ) -> None:
        self._other, self._plan, self._shall_stop, self._start = other, plan, shall_stop, start
        self._started_s = self._deadline_s = math.inf  # infinite until the first worker has opened both
        self._n_left = math.inf if plan.most_texts is None else plan.most_texts
        self._messages, self._next = _messages(plan), threading.Lock()
        self._outputs: queue.Queue[HuntOutput | None] = queue.Queue()
        self._is_over = threading.Event()
        self._n_empty = 0  # consecutive batches without a text
        n_workers = plan.n_workers or min(n_cores(), MOST_WORKERS) if plan.most_texts is None else 1
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(n_workers)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._is_over.set()
        for thread in self._threads:
            thread.join()

    @property
    def seconds(self) -> float:
        """The seconds since the first texts."""
        return max(0.0, time.monotonic() - self._started_s)

    def output(self) -> Iterator[HuntOutput]:
        """Yield batches, further mismatches, notes and errors until all workers have ended."""
        n_running = len(self._threads)
        while n_running:
            output = self._outputs.get()
            if output is None:
                n_running -= 1
            else:
                yield output

    def _must_stop(self) -> bool:
        is_late = time.monotonic() > self._deadline_s + LAST_CALL_S
        return self._is_over.is_set() or self._shall_stop() or is_late

    def _next_message(self) -> Message | None:
        with self._next:
            now_s, most = time.monotonic(), self._plan.most_texts
            if self._started_s == math.inf:
                self._started_s = now_s
                self._deadline_s = math.inf if most is not None else now_s + self._plan.seconds
            is_due = now_s < self._deadline_s and self._n_left > 0 and not self._is_over.is_set()
            message = next(self._messages, None) if is_due else None
            if message is None or most is None:
                return message
            command, what = message
            return (command, what[: self._n_left]) if command == "lines" else (*message, self._n_left)

    def _take(self, batch: Batch) -> None:
        self._outputs.put(batch)
        self._n_left -= batch.n_texts

    def _work(self) -> None:
        """Send messages to a worker, and to a new one if it crashes, until none are left."""
        try:
            lost: Message | None = None
            failed = SideFailed(f"{self._other} crashed: not all texts were tried.")
            for _ in range(MOST_LOSSES):
                process = self._start(self._must_stop)
                try:
                    self._load(process)
                    if lost is not None:
                        self._one_by_one(process, *lost)
                    lost = self._ask_all(process)
                    if lost is None:
                        return
                except WorkerLost:
                    lost = None
                    self._outputs.put(failed)
                finally:
                    process.end()
            self._outputs.put(failed)
        except Stopped:
            pass
        except ContenderFailed as error:
            self._outputs.put(HuntError(str(error)))
        except (OSError, RuntimeError):  # no process can start: too many, or the script is being imported
            self._outputs.put(HuntError(NO_WORKER))
        finally:
            self._outputs.put(None)

    def _load(self, process: AskedProcess) -> None:
        try:
            loaded: LoadedSides = process.ask(CALL_LIMIT_S, "load")
        except TookTooLong as error:
            raise ContenderFailed(f"Opening both took longer than {CALL_LIMIT_S:g} s.") from error
        except WorkerLost as error:
            raise ContenderFailed(NO_WORKER) from error
        if loaded.note:
            self._outputs.put(loaded.note)
        for find in loaded.finds:
            self._outputs.put(find)
        if not loaded.can_differ:
            self._is_over.set()
            raise Stopped

    def _ask_all(self, process: AskedProcess) -> Message | None:
        """Send messages until none are left; return the message at which the worker crashed, or None."""
        while (message := self._next_message()) is not None:
            try:
                batch: Batch = process.ask(CALL_LIMIT_S, *message)
            except WorkerLost:
                return message
            self._take(batch)
            self._n_empty = 0 if batch.n_texts else self._n_empty + 1
            if self._n_empty > MOST_EMPTY:
                self._is_over.set()
        return None

    def _one_by_one(self, process: AskedProcess, command: str, *what: Any) -> None:
        """Try the texts of a message at which a worker crashed one by one, up to the one that crashes."""
        texts = what[0] if command == "lines" else process.ask(CALL_LIMIT_S, "texts", *what)
        for text in texts:
            try:
                self._take(process.ask(CALL_LIMIT_S, command if command == "lines" else "some", (text,)))
            except WorkerLost as error:
                output = f"{self._other} crashes on {shown(text)}. {error}"
                self._outputs.put(Find(text, (None, None), 0, Reason(Cause.REFUSED, "crash", output)))
                raise


def _messages(plan: HuntPlan) -> Iterator[Message]:
    """Alternate between batches of the user's own lines and generated batches, then only the latter."""
    batches = (("batch", number) for number in islice(count(), plan.most_batches))
    lines = _lines(plan.files)
    while some := tuple(islice(lines, BATCH)):
        yield "lines", some
        yield from islice(batches, 1)
    yield from batches


# Whether all mismatches have one cause: the first file's text is split by the wrong pre-tokenizer


def likely_pre(plan: HuntPlan, finds: Sequence[Find]) -> str:
    """The pre-tokenizer with which none of the texts found differ any more; "" if there is none.

    Try each known one.  If the second side is a library, it gets the first file's data, so there is none.
    """
    if plan.second in PEERS or all(find.reason.cause is not Cause.PIECES for find in finds):
        return ""
    ours, theirs = (open_model(*row) for row in zip((plan.first, plan.second), plan.pres, strict=True))
    if ours.vocabulary.type is not VocabType.BPE or ours.vocabulary.format != "GGUF":
        return ""
    texts = [each.text for find in finds for each in (find, *find.others)]
    for name in _names(ours.vocabulary, theirs.vocabulary):
        checkpoint()
        try:
            pair = SidePair(FileSide("", open_model(plan.first, name)), FileSide("", theirs))
        except VocabError:  # this vocabulary accepts no pre-tokenizer
            return ""
        if pair.affixes() is None and not pair.differing(texts):
            return name
    return ""


def _names(ours: Vocabulary, theirs: Vocabulary) -> Iterator[str]:
    """One name of each pre-tokenizer to try: first the other file's, then those that neither file uses."""
    if theirs.pre_in_use in PRE_TOKENIZERS:
        yield theirs.pre_in_use
    tried = [PRE_TOKENIZERS.get(vocabulary.pre_in_use) for vocabulary in (ours, theirs)]
    for row in dict.fromkeys(PRE_TOKENIZERS.values()):
        if row not in tried:
            yield row.names[0]
