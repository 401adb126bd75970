"""The choices for the next run of the Bench page: contenders, texts, scenarios and limits."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from importlib import invalidate_caches
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.bench.corpus import RANDOM, RANDOM_BYTES, SAMPLE, TUTORIAL, TUTORIAL_LINE, TUTORIAL_TIMES
from guiapp.analysis.bench.findings import YOUR_TEXT
from guiapp.analysis.bench.plan import SCENARIOS, Plan, expected_s
from guiapp.analysis.libraries.contender import UNSPLIT
from guiapp.analysis.libraries.custom import KINDS, CustomContender, CustomError, read_custom, without_removed
from guiapp.analysis.libraries.table import PEERS, ids_form, reason_against, version_of
from guiapp.core.demo import sample_text
from guiapp.core.encode.catalogue import encoder_label, encoder_name
from guiapp.core.text.outside_json import read_json
from guiapp.core.vocabulary.vocabulary import VocabType
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import LatestJob, Working
from guiapp.kit.state.settings import Settings

TEXTS = {
    YOUR_TEXT: "Your text",
    f"{SAMPLE}english": "English",
    f"{SAMPLE}code": "Code",
    f"{SAMPLE}languages": "Languages",
    TUTORIAL: "Tutorial line",
    RANDOM: "Random tokens",
}
ENGLISH, CODE, LANGUAGES = list(TEXTS)[1:4]
MOST_FILES = 2_000  # counted in a folder
USUAL_BYTES = 100_000  # of a text whose size is unknown
THROUGHPUT = "throughput"
MOST_USED = ("tokenizers", "tiktoken", "sentencepiece", "gigatoken", "llama.cpp", "transformers")
N_FIRST = 3  # of MOST_USED that are installed and support the vocabulary
SECONDS_EACH = 10.0
LONGEST_IN_SECONDS_S = 100


class Aim(NamedTuple):
    """A preset: choices for a purpose, with all contenders; `unsplit` ones also run without splitting."""

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


class BenchCandidate(NamedTuple):
    """A contender that the user can tick.

    note    its complexity or version
    reason  why it cannot take part, "" if it can
    tip     a sentence or two about it
    """

    name: str
    note: str
    reason: str = ""
    tip: str = ""


class BenchChoice(Working):
    """Contenders, texts, scenarios and limits; a chosen contender that is unavailable stays chosen.

    own        the user's own contenders, None if they are not saved
    libraries  other tokenizers, and whether they support the open vocabulary; None until first needed

    Signals:
        changed(): a choice, the vocabulary, or a known size of a text is new.
    """

    changed = Signal()

    def __init__(
        self, session: ModelSession, own: CustomContenders | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.session = session
        self.own = own
        if own is not None:
            own.changed.connect(self.changed)
        self._plan = Plan("", corpora=(), scenarios=(THROUGHPUT,), time_budget_s=SECONDS_EACH)
        self._contenders: frozenset[str] | None = None  # None until the user chooses
        self._own_texts: list[str] = []
        self.libraries: list[BenchCandidate] | None = None
        self._sizes: dict[str, int] = {}
        self._asked: set[str] = set()  # texts whose sizes are known or being measured
        self._measuring = LatestJob[dict[str, int]](self, self._take_sizes)
        session.vocabulary_changed.connect(self._on_vocabulary_changed)

    # Contenders

    @property
    def candidates(self) -> list[BenchCandidate]:
        """The available contenders: our encoders, the best first, then libraries and the user's own."""
        encoders = self.session.encoders.items()
        return [
            *(
                BenchCandidate(
                    encoder_label(name),
                    each.complexity,
                    tip=f"{each.title}. Its time for a piece of n bytes is {each.complexity}.",
                )
                for name, each in encoders
            ),
            *(each for each in self._known_libraries if not each.reason),
            *(
                BenchCandidate(own.name, "your own", "", f"{KINDS[own.kind]}\n{own.shown}")
                for own in self._own
            ),
        ]

    @property
    def _own(self) -> tuple[CustomContender, ...]:
        return () if self.own is None else self.own.contenders

    @property
    def missing(self) -> list[BenchCandidate]:
        """Libraries that cannot take part, with the reason or how to install them."""
        return [each for each in self._known_libraries if each.reason]

    @property
    def contenders(self) -> tuple[str, ...]:
        """The chosen contenders that can take part."""
        chosen, vocabulary = self._chosen, self.session.vocabulary
        is_bpe = vocabulary is not None and vocabulary.type is VocabType.BPE
        forms = ("", UNSPLIT) if is_bpe else ("",)
        names = (each.name + form for each in self.candidates for form in forms)
        return tuple(name for name in names if name in chosen)

    def set_contender(self, name: str, takes_part: bool) -> None:
        contenders = self._chosen | {name} if takes_part else self._chosen - {name}
        if contenders != self._chosen:
            self._contenders = contenders
            self.changed.emit()

    @property
    def _chosen(self) -> frozenset[str]:
        if self._contenders is not None:
            return self._contenders
        names = [each.name for each in self.candidates]
        return frozenset((*names[:1], *[name for name in MOST_USED if name in names][:N_FIRST]))

    @property
    def _known_libraries(self) -> list[BenchCandidate]:
        if self.libraries is None:
            reasons = {name: reason_against(name, self.session.vocabulary) for name in PEERS}
            self.libraries = [
                BenchCandidate(name, _known_version(name), reason, ids_form(name))
                for name, reason in reasons.items()
            ]
        return self.libraries

    def look_again(self) -> None:
        """Detect libraries installed since the last check."""
        invalidate_caches()
        _known_version.cache_clear()
        self._on_vocabulary_changed()

    def _on_vocabulary_changed(self) -> None:
        self.libraries = None
        self.changed.emit()

    # Texts and scenarios

    @property
    def known_texts(self) -> dict[str, str]:
        """Titles of the available texts by name: the built-in ones, then the user's files and folders."""
        return TEXTS | {name: Path(name).name or name for name in self._own_texts}

    @property
    def texts(self) -> tuple[str, ...]:
        """The chosen texts; by default the text of the editor, or English if that is empty."""
        return self._plan.corpora or ((YOUR_TEXT if self.session.document.size else ENGLISH),)

    def set_texts(self, names: Iterable[str]) -> None:
        """Choose these texts, in the order of `known_texts`; an empty choice is ignored."""
        chosen = set(names)
        if chosen and chosen != set(self.texts):
            self.adjust(corpora=tuple(name for name in self.known_texts if name in chosen))

    def set_text(self, name: str, is_chosen: bool) -> None:
        self.set_texts({*self.texts, name} if is_chosen else {*self.texts} - {name})

    def add_texts(self, paths: Iterable[str]) -> None:
        """Offer these files or folders, and choose only them."""
        added = list(paths)
        self._own_texts += [name for name in added if name not in self.known_texts]
        self.set_texts(added)

    def size_of(self, text: str) -> int | None:
        """The size of a text in bytes; None while another thread measures it."""
        if text == YOUR_TEXT:
            return self.session.document.size
        if text not in self._asked:
            self._asked.add(text)
            unknown = self._asked - self._sizes.keys()  # including those of the job that this one replaces
            self._measuring.start(lambda _: {name: size_of_text(name) for name in unknown})
        return self._sizes.get(text)

    def _take_sizes(self, sizes: dict[str, int]) -> None:
        self._sizes |= sizes
        self.changed.emit()

    @property
    def scenarios(self) -> tuple[str, ...]:
        return self._plan.scenarios

    def set_scenario(self, name: str, is_chosen: bool) -> None:
        """Choose a scenario or drop it; the last one stays."""
        chosen = {*self.scenarios, name} if is_chosen else {*self.scenarios} - {name}
        if chosen and chosen != set(self.scenarios):
            self.adjust(scenarios=tuple(each for each in SCENARIOS if each in chosen))

    @property
    def limits(self) -> Plan:
        """A plan with the limits; its time is for each scenario, or each of its texts that has a chart."""
        return self._plan

    def adjust(self, **changes: Any) -> None:
        """Change fields of `limits`, such as `threads` and `time_budget_s`."""
        self._plan = replace(self._plan, **changes)
        self.changed.emit()

    def aim_at(self, aim: Aim) -> None:
        names = [each.name for each in self.candidates]
        self._contenders = frozenset((*names, *(name + UNSPLIT for name in aim.unsplit)))
        self.adjust(scenarios=aim.scenarios, corpora=aim.texts)

    # The plan and its time

    @property
    def is_whole(self) -> bool:
        return bool(self.contenders and self.session.loader.model)

    @property
    def plan(self) -> Plan:
        return self._plan_of(self.contenders, self.scenarios, self.texts)

    @property
    def expected_s(self) -> float:
        return self._seconds(self.plan)

    def adds_s(self, contender: str = "", scenario: str = "", text: str = "") -> float:
        """The part of `expected_s` that this contender, scenario or text adds, or would add if chosen."""

        def seconds(has_it: bool) -> float:
            chosen = (self.contenders, contender), (self.scenarios, scenario), (self.texts, text)
            return self._seconds(self._plan_of(*(_with(names, name, has_it) for names, name in chosen)))

        return max(seconds(True) - seconds(False), 0.0)

    def _seconds(self, plan: Plan) -> float:
        """The expected time; unknown sizes count as USUAL_BYTES."""
        if not (plan.contenders and plan.scenarios and plan.corpora):
            return 0.0
        sizes = [self.size_of(name) for name in plan.corpora]
        return expected_s(plan, [USUAL_BYTES if size is None else max(size, 1) for size in sizes])

    def _plan_of(self, contenders: Iterable[str], scenarios: Iterable[str], texts: Iterable[str]) -> Plan:
        contenders, scenarios, texts = tuple(contenders), tuple(scenarios), tuple(texts)
        model, chosen = self.session.loader.model, [SCENARIOS[name] for name in scenarios]
        n_charts = sum(len(each.own_texts) or len(texts) if each.by_text else 1 for each in chosen)
        return replace(
            self._plan,
            model="" if model is None else str(model.name),
            pre=None if model is None else model.tokenizer.vocabulary.chosen_pre or None,
            contenders=tuple(map(encoder_name, contenders)),
            own=tuple(each for each in self._own if each.name in contenders),
            scenarios=scenarios,
            corpora=texts,
            time_budget_s=self._plan.time_budget_s * n_charts,
        )


def _with(chosen: Iterable[str], name: str, has_it: bool) -> list[str]:
    others = [each for each in chosen if each != name]
    return [*others, name] if has_it and name else others


_known_version = cache(version_of)  # looking it up takes a millisecond


def duration_text(seconds: float) -> str:
    """`12 s`, `2 min 40 s`, `1 h 5 min`: no finer than the estimate."""
    if seconds < LONGEST_IN_SECONDS_S:
        return f"{max(round(seconds), 1)} s"
    minutes, rest_s = divmod(round(seconds, -1), 60)
    if minutes < 60:
        return f"{minutes:.0f} min {rest_s:.0f} s" if rest_s else f"{minutes:.0f} min"
    return f"{minutes // 60:.0f} h {minutes % 60:.0f} min"


def size_of_text(name: str) -> int:
    """The bytes of a text; at most MOST_FILES files of a folder count, and a missing file is a guess."""
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


# The user's own contenders, saved in the settings


class CustomContenders(QObject):
    """The contenders that the user added, which is also the consent to run them.

    Runs, sessions and plans from others may name contenders, but never add any here.

    Signals:
        changed(): `contenders` is new.
    """

    changed = Signal()

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.contenders: tuple[CustomContender, ...] = ()
        try:
            records, _ = without_removed(read_json(settings.own_contenders))
            self.contenders = read_custom(records)
        except (ValueError, TypeError, CustomError):
            pass  # the settings are damaged

    def add(self, own: CustomContender) -> None:
        """Save a contender, in place of one of the same name."""
        self._set((*(each for each in self.contenders if each.name != own.name), own))

    def remove(self, name: str) -> None:
        self._set(tuple(each for each in self.contenders if each.name != name))

    def _set(self, contenders: tuple[CustomContender, ...]) -> None:
        if contenders != self.contenders:
            self.contenders = contenders
            self._settings.own_contenders = json.dumps([each.record() for each in contenders])
            self.changed.emit()
