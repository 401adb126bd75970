"""What the next run of the Bench page measures: who takes part, with which texts, in which scenarios."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.bench.corpus import RANDOM, RANDOM_BYTES, SAMPLE, TUTORIAL, TUTORIAL_LINE, TUTORIAL_TIMES
from guiapp.analysis.bench.forecast import expected_s
from guiapp.analysis.bench.plan import Plan
from guiapp.analysis.bench.scenarios import SCENARIOS, Scenario
from guiapp.analysis.bench.trial import TrialResult, try_custom
from guiapp.analysis.libraries.contender import UNSPLIT
from guiapp.analysis.libraries.custom import KINDS, CustomContender, CustomError, read_custom, without_removed
from guiapp.analysis.libraries.table import PEERS, ids_form, reason_against, version_of
from guiapp.core.demo import sample_text
from guiapp.core.encode.catalogue import Algorithm
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.system.outside_json import read_json
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import LatestJob, Progress, Working
from guiapp.kit.state.settings import Settings
from guiapp.pages.bench.history import YOUR_TEXT

TRIED_BYTES = 2000
SOME_TEXT = b"Hello world"
MOST_FILES = 2_000  # of a folder that are looked at
LONGEST_IN_SECONDS_S = 100
USUAL_BYTES = 100_000  # of a text that nobody knows
TEXTS = {
    YOUR_TEXT: "Your text",
    f"{SAMPLE}english": "English",
    f"{SAMPLE}code": "Code",
    f"{SAMPLE}languages": "Languages",
    TUTORIAL: "Tutorial line",
    RANDOM: "Random tokens",
}
ENGLISH, CODE, LANGUAGES = list(TEXTS)[1:4]
THROUGHPUT = "throughput"
MOST_USED = ("tokenizers", "tiktoken", "sentencepiece", "gigatoken", "llama.cpp", "transformers")
N_FIRST = 3  # of those that are installed and take the vocabulary
SECONDS_EACH = 10.0


class Aim(NamedTuple):
    """What to choose for a purpose; no contenders: all that can take part."""

    title: str
    scenarios: tuple[str, ...]
    texts: tuple[str, ...]
    unsplit: tuple[str, ...] = ()


AIMS = (
    Aim("Everything", tuple(SCENARIOS), (YOUR_TEXT, ENGLISH, CODE, LANGUAGES)),
    Aim("The worst case", (THROUGHPUT, "worst"), (YOUR_TEXT,)),
    Aim(
        "The papers' tables",
        ("throughput", "scaling", "short", "worst", "append", "decode", "threads"),
        (ENGLISH, CODE, TUTORIAL),
        ("backtrack", "heap", "table", "greedy", "fewest", "tokenizers"),
    ),
)


class BenchChoice(QObject):
    """Contenders, texts, scenarios and limits; what is chosen and cannot take part now waits until it can.

    own           contenders of one's own, None where nobody remembers any
    seconds_each  for timing each scenario, and each text of those that have a chart for each

    Signals:
        changed(): something of it, or the vocabulary, is new.
    """

    changed = Signal()

    def __init__(
        self,
        session: ModelSession,
        own: CustomContenders | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.session = session
        self.own = own
        if own is not None:
            own.changed.connect(self.changed)
        self._plan = Plan("", corpora=(), scenarios=(THROUGHPUT,))
        self._contenders: frozenset[str] | None = None  # None until somebody chooses
        self._own_texts: list[str] = []
        self._peers: list[BenchCandidate] | None = None  # of the vocabulary that is open
        self.seconds_each = SECONDS_EACH
        self.forecast = BenchForecast(self)
        session.vocabulary_changed.connect(self._on_vocabulary_changed)

    # Contenders

    @property
    def candidates(self) -> list[BenchCandidate]:
        """Who can take part: our encoders, the best first, then libraries and one's own."""
        peers = (each for each in self._known_peers if not each.reason)
        return [*built_in_candidates(self.session.encoders), *peers, *custom_candidates(self._own)]

    @property
    def _own(self) -> tuple[CustomContender, ...]:
        return () if self.own is None else self.own.contenders

    @property
    def missing(self) -> list[BenchCandidate]:
        """Libraries that cannot, with the reason or the way to get them."""
        return [each for each in self._known_peers if each.reason]

    @property
    def contenders(self) -> tuple[str, ...]:
        """Those that are chosen and can take part."""
        chosen, is_bpe = self._chosen, self._is_bpe
        names = [
            name for each in self.candidates for name in (each.name, each.name + UNSPLIT) if name in chosen
        ]
        return tuple(name for name in names if is_bpe or not name.endswith(UNSPLIT))

    def set_contender(self, name: str, takes_part: bool) -> None:
        self._choose(self._chosen | {name} if takes_part else self._chosen - {name})

    @property
    def _chosen(self) -> frozenset[str]:
        if self._contenders is not None:
            return self._contenders
        names = [each.name for each in self.candidates]
        return frozenset((*names[:1], *[name for name in MOST_USED if name in names][:N_FIRST]))

    def _choose(self, contenders: frozenset[str]) -> None:
        if contenders != self._chosen:
            self._contenders = contenders
            self.changed.emit()

    @property
    def _is_bpe(self) -> bool:
        vocabulary = self.session.vocabulary
        return vocabulary is not None and vocabulary.type is VocabType.BPE

    @property
    def _known_peers(self) -> list[BenchCandidate]:
        if self._peers is None:
            self._peers = library_candidates(self.session.vocabulary)
        return self._peers

    # Texts and scenarios

    @property
    def known_texts(self) -> dict[str, str]:
        """What can be chosen, by name the title: those that are always there, then files and folders."""
        return TEXTS | {name: Path(name).name or name for name in self._own_texts}

    @property
    def texts(self) -> tuple[str, ...]:
        """Those that are chosen; at first what is typed, or English where that is nothing."""
        return self._plan.corpora or ((YOUR_TEXT if self.your_bytes else ENGLISH),)

    def set_texts(self, names: Iterable[str]) -> None:
        """Choose these, in the order in which they are listed; at least one stays."""
        chosen = set(names)
        if chosen and chosen != set(self.texts):
            self.adjust(corpora=tuple(name for name in self.known_texts if name in chosen))

    def set_text(self, name: str, is_chosen: bool) -> None:
        self.set_texts({*self.texts, name} if is_chosen else {*self.texts} - {name})

    def add_texts(self, paths: Iterable[str]) -> None:
        """Offer files or folders, and choose them and nothing else."""
        added = list(paths)
        self._own_texts += [name for name in added if name not in self.known_texts]
        self.set_texts(added)

    @property
    def your_bytes(self) -> int:
        return self.session.document.size

    def size_of(self, text: str) -> int | None:
        """The bytes of a text, None where nobody knows them yet."""
        return self.your_bytes if text == YOUR_TEXT else self.forecast.size_of(text)

    @property
    def scenarios(self) -> tuple[str, ...]:
        return self._plan.scenarios

    def set_scenario(self, name: str, is_chosen: bool) -> None:
        """Choose one or not; at least one stays."""
        chosen = {*self.scenarios, name} if is_chosen else {*self.scenarios} - {name}
        if chosen and chosen != set(self.scenarios):
            self.adjust(scenarios=tuple(each for each in SCENARIOS if each in chosen))

    @property
    def limits(self) -> Plan:
        """Threads and sizes are in it."""
        return self._plan

    def adjust(self, **changes: Any) -> None:
        """Change `threads`, `largest_bytes` and others of the plan."""
        self._plan = replace(self._plan, **changes)
        self.changed.emit()

    def set_seconds_each(self, seconds: float) -> None:
        self.seconds_each = seconds
        self.changed.emit()

    def aim_at(self, aim: Aim) -> None:
        """Choose all that can take part, and what belongs to a purpose."""
        names = [each.name for each in self.candidates]
        self._contenders = frozenset((*names, *(name + UNSPLIT for name in aim.unsplit)))
        self.adjust(scenarios=aim.scenarios, corpora=aim.texts)

    # All of it

    @property
    def is_whole(self) -> bool:
        """Whether there is something to run."""
        return bool(self.contenders and self.session.loader.model)

    @property
    def plan(self) -> Plan:
        return self._plan_of(self.contenders, self.scenarios, self.texts)

    @property
    def expected_s(self) -> float:
        """How long a run will take."""
        return self._seconds(self.plan)

    def adds_s(self, contender: str = "", scenario: str = "", text: str = "") -> float:
        """How much of that one of these adds, or would add if it were chosen too."""

        def seconds(has_it: bool) -> float:
            return self._seconds(
                self._plan_of(
                    _with(self.contenders, contender, has_it),
                    _with(self.scenarios, scenario, has_it),
                    _with(self.texts, text, has_it),
                )
            )

        return max(seconds(True) - seconds(False), 0.0)

    def _seconds(self, plan: Plan) -> float:
        if not (plan.contenders and plan.scenarios and plan.corpora):
            return 0.0
        return self.forecast.seconds(plan, {YOUR_TEXT: max(self.your_bytes, 1)})

    def _plan_of(self, contenders: Iterable[str], scenarios: Iterable[str], texts: Iterable[str]) -> Plan:
        contenders, scenarios, texts = tuple(contenders), tuple(scenarios), tuple(texts)
        model = self.session.loader.model
        n_charts = sum(_n_charts(SCENARIOS[name], len(texts)) for name in scenarios)
        return replace(
            self._plan,
            model="" if model is None else str(model.name),
            pre=None if model is None else model.tokenizer.vocabulary.chosen_pre or None,
            contenders=contenders,
            own=tuple(each for each in self._own if each.name in contenders),
            scenarios=scenarios,
            corpora=texts,
            time_budget_s=self.seconds_each * n_charts,
        )

    def close(self) -> None:
        self.forecast.close()

    def _on_vocabulary_changed(self) -> None:
        self._peers = None
        self.changed.emit()


def _with(chosen: Iterable[str], name: str, has_it: bool) -> list[str]:
    others = [each for each in chosen if each != name]
    return [*others, name] if has_it and name else others


def _n_charts(scenario: Scenario, n_texts: int) -> int:
    if not scenario.by_text:
        return 1
    return len(scenario.own_texts) or n_texts


# Who can take part in a run: our encoders and other tokenizers, with the reason where one cannot


@dataclass(frozen=True)
class BenchCandidate:
    """Something that can be ticked; `reason` says why it cannot, "" if it can.

    note  its complexity or version
    tip   more about it in a sentence or two
    """

    name: str
    note: str
    reason: str = ""
    tip: str = ""


def built_in_candidates(encoders: Mapping[str, Algorithm]) -> list[BenchCandidate]:
    """The encoders of a vocabulary."""
    return [BenchCandidate(name, algorithm.complexity) for name, algorithm in encoders.items()]


def library_candidates(vocabulary: Vocabulary | None) -> list[BenchCandidate]:
    """Other tokenizers; those that are missing say how to get them, others what is against them."""
    return [
        BenchCandidate(name, _known_version(name), reason_against(name, vocabulary), ids_form(name))
        for name in PEERS
    ]


def custom_candidates(own: Iterable[CustomContender]) -> list[BenchCandidate]:
    """Contenders of one's own; what they run is in the tip."""
    return [BenchCandidate(each.name, "your own", "", f"{KINDS[each.kind]}\n{each.shown}") for each in own]


_known_version = cache(version_of)  # looking it up takes a millisecond


# How long the plan of the Bench page will take, from the sizes of its texts


class BenchForecast(Working):
    """Looks at texts off the window's thread.

    Signals:
        changed(): more sizes are known.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sizes: dict[str, int] = {}
        self._asked: frozenset[str] = frozenset()  # texts whose sizes are known or being looked up
        self._measuring = LatestJob[dict[str, int]](self, self._take_sizes)

    def seconds(self, plan: Plan, your_bytes: dict[str, int]) -> float:
        """`your_bytes`: sizes of texts that are not on the disk."""
        return expected_s(plan, self._text_bytes(plan.corpora, your_bytes))

    def size_of(self, name: str) -> int | None:
        """The bytes of a text, None while they are looked up."""
        self._request_sizes([name])
        return self._sizes.get(name)

    def _text_bytes(self, names: Sequence[str], your_bytes: dict[str, int]) -> list[int]:
        """As far as they are known by now."""
        self._request_sizes(name for name in names if name not in your_bytes)
        sizes = self._sizes | your_bytes
        return [sizes.get(name, USUAL_BYTES) for name in names]

    def _request_sizes(self, names: Iterable[str]) -> None:
        """Each once."""
        if not (requested := frozenset(names)) <= self._asked:
            self._asked |= requested
            unknown = self._asked - self._sizes.keys()  # also those of a job that this one takes the place of
            self._measuring.start(lambda _: {name: size_of_text(name) for name in unknown})

    def _take_sizes(self, sizes: dict[str, int]) -> None:
        self._sizes |= sizes
        self.changed.emit()


def duration_text(seconds: float) -> str:
    """`12 s`, `2 min 40 s`, `1 h 5 min`: no finer than anybody can know."""
    if seconds < LONGEST_IN_SECONDS_S:
        return f"{max(round(seconds), 1)} s"
    minutes, rest_s = divmod(round(seconds, -1), 60)
    if minutes < 60:
        return f"{minutes:.0f} min {rest_s:.0f} s" if rest_s else f"{minutes:.0f} min"
    return f"{minutes // 60:.0f} h {minutes % 60:.0f} min"


def size_of_text(name: str) -> int:
    """The bytes of a text of a plan; of large folders those of some files, of what is not there a guess."""
    if name == RANDOM:
        return RANDOM_BYTES
    if name == TUTORIAL:
        return len(TUTORIAL_LINE.encode()) * TUTORIAL_TIMES
    if name.startswith(SAMPLE):
        return len(sample_text(name.removeprefix(SAMPLE)))
    path = Path(name)
    try:
        if not path.is_dir():
            return path.stat().st_size
        return sum(file.stat().st_size for file in islice(path.rglob("*"), MOST_FILES) if file.is_file())
    except OSError:
        return USUAL_BYTES


# Contenders of one's own that are remembered, and one that is being tried


class CustomContenders(QObject):
    """Those that the user of these settings added, which is how one says yes to what they run.

    A run, session or plan that somebody else gave away names some at most: nothing of them is in here.

    removed  names of those that an earlier version ran in other Pythons, which is no longer supported

    Signals:
        changed(): `contenders` is new.
    """

    changed = Signal()

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.contenders, self.removed = _contenders_in(settings.own_contenders)

    def add(self, own: CustomContender) -> None:
        """Remember one, in place of one of the same name."""
        self._set((*(each for each in self.contenders if each.name != own.name), own))

    def remove(self, name: str) -> None:
        self._set(tuple(each for each in self.contenders if each.name != name))

    def _set(self, contenders: tuple[CustomContender, ...]) -> None:
        if contenders != self.contenders:
            self.contenders = contenders
            self._settings.own_contenders = json.dumps([each.record() for each in contenders])
            self.changed.emit()


class CustomTrial(Working):
    """Tries a contender on the beginning of the session's text.

    message   what came of it, "" as long as nothing did
    is_bad whether that is why it cannot take part

    Signals:
        changed(): `message` or `is_busy` is new.
    """

    changed = Signal()

    def __init__(self, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._job = LatestJob[TrialResult](self, self._take, self.refuse)
        self.message, self.is_bad = "", False

    @property
    def is_busy(self) -> bool:
        return self._job.is_busy

    @property
    def is_possible(self) -> bool:
        """Whether a model is open to compare with."""
        return self._session.tokenizer is not None

    def start(self, own: CustomContender) -> None:
        tokenizer, model = self._session.tokenizer, self._session.loader.model
        if tokenizer is None or model is None:
            return
        text = self._session.document.text()[:TRIED_BYTES].decode("utf-8", "ignore").encode() or SOME_TEXT
        self._job.start(partial(_tried, own, tokenizer, str(model.name), text))
        self._set_message("", False)

    def refuse(self, reason: str) -> None:
        """Say why there is nothing to try, or what went wrong."""
        self._set_message(reason, True)

    def forget(self) -> None:
        """Something else is written now."""
        self._job.cancel()
        self._set_message("", False)

    def _take(self, trial: TrialResult) -> None:
        self._set_message(str(trial), False)

    def _set_message(self, message: str, is_bad: bool) -> None:
        self.message, self.is_bad = message, is_bad
        self.changed.emit()


def _tried(
    own: CustomContender, tokenizer: Tokenizer, model: str, text: bytes, progress: Progress
) -> TrialResult:
    def shall_stop() -> bool:
        progress(0.0)  # raises if so
        return False

    return try_custom(own, tokenizer, model, text, shall_stop)


def _contenders_in(text: str) -> tuple[tuple[CustomContender, ...], list[str]]:
    """Those in a settings text, and the names of those no longer supported; none if somebody spoiled it."""
    try:
        records, removed = without_removed(read_json(text))
        return read_custom(records), removed
    except (ValueError, TypeError, CustomError):
        return (), []
