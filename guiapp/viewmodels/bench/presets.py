"""Plans for a purpose, to begin with on the Bench page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from guiapp.core.bench.corpus import RANDOM, SAMPLE, TUTORIAL
from guiapp.core.bench.plan import Plan

YOUR_TEXT = "your text"
TEXTS = (YOUR_TEXT, f"{SAMPLE}english", f"{SAMPLE}code", f"{SAMPLE}languages", TUTORIAL, RANDOM)


@dataclass(frozen=True)
class Preset:
    """A plan for a purpose.

    threads        the numbers of threads that are tried
    largest_bytes  of the texts of scenarios that go through sizes; None: all of them
    unsplit        who also takes texts as one piece, if ticked, where the vocabulary is of the type BPE
    """

    title: str
    scenarios: tuple[str, ...]
    texts: tuple[str, ...]
    time_budget_s: float
    unsplit: tuple[str, ...] = ()
    threads: tuple[int, ...] = Plan.threads
    largest_bytes: int | None = None

    def plan(
        self, model: str, corpora: Sequence[str], contenders: Sequence[str], pre: str | None = None
    ) -> Plan:
        return Plan(
            model=model,
            pre=pre,
            corpora=tuple(corpora),
            contenders=tuple(contenders),
            scenarios=self.scenarios,
            threads=self.threads,
            time_budget_s=self.time_budget_s,
            largest_bytes=self.largest_bytes,
        )


PRESETS = (
    Preset("Quick look", ("throughput", "scaling"), TEXTS[1:4], 20.0),
    Preset("Worst case", ("throughput", "worst"), TEXTS[1:2], 40.0),
    Preset(
        "The papers' tables",
        ("scaling", "throughput", "short", "worst", "append", "interval", "decode", "threads"),
        (TEXTS[1], TEXTS[2], TUTORIAL),
        240.0,
        ("backtrack", "heap", "table", "greedy", "fewest", "tokenizers"),
    ),
    Preset("My text", ("throughput", "scaling", "short", "cold", "decode"), (YOUR_TEXT,), 60.0),
    Preset("Everything", ("throughput", "scaling", "worst", "short", "cold", "decode"), TEXTS[1:], 180.0),
)
