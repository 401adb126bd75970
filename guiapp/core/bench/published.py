"""What papers and projects of this field print, beside what a run measured of the same thing.

Their machines, texts and vocabularies are others, so that ratios may be compared and absolutes may not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from guiapp.core.bench.corpus import TUTORIAL
from guiapp.core.bench.measurement import Record

UNKNOWN = "no figure known to us"
TREE, LESSON, GEMS, GIGA = "TokenTree, 2026", "C++ tutorial", "rust-gems bpe", "gigatoken"


@dataclass(frozen=True)
class Published:
    """One figure, as printed, and which of our results stands beside it; None stands for any."""

    source: str
    figure: str
    scenario: str
    operation: str
    contender: str
    differs: str
    corpus: str | None = None
    size_bytes: int | None = None

    def is_of(self, result: Record) -> bool:
        asked = {"scenario": self.scenario, "operation": self.operation, "contender": self.contender}
        if self.corpus is not None:
            asked["corpus"] = self.corpus
        return all(result[name] == value for name, value in asked.items()) and (
            self.size_bytes in (None, result["size_bytes"])
        )


OTHER_MACHINE = "C#, another machine and text"
OWN_VOCABULARY = "C++, another machine; its own vocabulary, and another length of this text"
FROM_PYTHON = "Rust; ours is called from Python for each byte or part"
PUBLISHED = (
    Published(TREE, "12 MB/s", "scaling", "encode", "greedy", OTHER_MACHINE, size_bytes=1 << 22),
    Published(TREE, UNKNOWN, "scaling", "encode", "llama.cpp", OTHER_MACHINE, size_bytes=1 << 22),
    Published(LESSON, "naive 5387 ms", "throughput", "encode", "scan", OWN_VOCABULARY, TUTORIAL),
    Published(LESSON, "heap 12.3 ms", "throughput", "encode", "heap", OWN_VOCABULARY, TUTORIAL),
    Published(LESSON, "2.9 ms", "throughput", "encode", "sentencepiece", OWN_VOCABULARY, TUTORIAL),
    Published(LESSON, UNKNOWN, "decode", "decode", "heap", OWN_VOCABULARY, TUTORIAL),
    *(
        Published(GEMS, UNKNOWN, "throughput", "encode", name, "Rust, OpenAI's vocabularies")
        for name in ("backtrack", "backtrack (unsplit)", "tokenizers (unsplit)", "rs-bpe", "tiktoken")
    ),
    Published(GEMS, UNKNOWN, "append", "append bytes", "fast", FROM_PYTHON),
    Published(GEMS, UNKNOWN, "interval", "count parts", "fast", FROM_PYTHON),
    *(
        Published(GIGA, UNKNOWN, "throughput", "encode", name, "another machine and text")
        for name in ("gigatoken", "tokenizers", "tiktoken")
    ),
)


def published_rows(run: Record) -> Iterator[tuple[Published, Record]]:
    """Each figure with the results of a run that belong to it."""
    for published in PUBLISHED:
        for result in run["results"]:
            if published.is_of(result):
                yield published, result
