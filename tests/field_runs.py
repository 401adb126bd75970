"""Made-up runs of the field, and workers that answer like processes of contenders."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from bench_runs import record
from fake_workers import FakeWorker

from guiapp import open_model
from guiapp.analysis.bench.field.exactness import EQUAL, LEFT_OUT, LOST, WRONG, IdDifference, Judgement
from guiapp.analysis.bench.field.record import FieldRun, UsedText, VocabularyField

TEXTS = (UsedText("English", "english", 10_000, "ab" * 32), UsedText("Code <b>", "code", 10_000, "cd" * 32))
DIFFERENCE = IdDifference(
    text="<script>½",
    origin="a line of sample “unicode”",
    expected=(27, 12),
    found=(27, 3),
    expected_tokens=("<script>", "½"),
    found_tokens=("<script>", "?"),
    agreeing=("tokenizers",),
    deviating=("llama.cpp",),
)


def result(contender: str, seconds: float, scenario: str = "throughput", **changes) -> dict:
    return record(scenario, contender, 10_000, seconds, **changes)


def vocabulary(name: str = "llama-3", is_detailed: bool = True, **changes) -> VocabularyField:
    """Four contenders with results, one left out, one lost; gigatoken is faster than ours, tokie wrong."""
    results = [
        result("fast", 1e-4),
        result("gigatoken", 5e-5),
        result("tokie", 1e-5, share=0.9),
        result("tiktoken", 1e-3),
        *(result(who, seconds, corpus="code") for who, seconds in (("fast", 1e-4), ("gigatoken", 9.5e-5))),
        result("fast", 1e-6, "short", operation="encode each"),
        result("fast", 1e-2, "threads", threads=2),
        result("fast", 1e-2, "worst", corpus="one letter"),
    ]
    run = {"results": results, "left_out": [], "environment": {"cores": 2}}
    values = {
        "name": name,
        "title": name.title(),
        "about": "Somebody's & others'",
        "file": "<vocabulary>.gguf",
        "sha256": "ef" * 32,
        "n_tokens": 128_256,
        "is_detailed": is_detailed,
        "verdicts": (
            Judgement("fast", EQUAL, "", "", True, 100),
            Judgement("tiktoken", EQUAL, "0.14.0", "", False, 100),
            Judgement("gigatoken", EQUAL, "0.10.0", "", False, 100),
            Judgement("tokie", WRONG, "0.1.4", "", False, 100, 7, DIFFERENCE),
            Judgement("kitoken", LOST, "0.11.1", "It crashed: SIGSEGV."),
            Judgement("sentencepiece", LEFT_OUT, "0.2.3", "It takes SPM & UGM only."),
        ),
        "openings": {"fast": ((0.1, 0.001), (0.2, 0.002))},
        "run": run,
    }
    return VocabularyField(**(values | changes))


def field(*vocabularies: VocabularyField, **changes) -> FieldRun:
    values = {
        "command": "tokenloupe bench field 'a & b'",
        "environment": {
            "processor": "<fast>",
            "cores": 2,
            "started": "2026-11-26T05:00:00",
            "Tokenloupe": "0.1",
        },
        "texts": TEXTS,
        "vocabularies": vocabularies or (vocabulary(), vocabulary("gpt-2", is_detailed=False)),
        "missing": ("o200k",),
        "absent": {"snaptokens": "snaptokens is not installed. Install it with: pip install snaptokens"},
    }
    return FieldRun(**(values | changes))


class IdsWorker(FakeWorker):
    """Also returns ids of each text, the right ones after `change` (None: refused), and opens at once."""

    def __init__(
        self, name: str = "fake", change: Callable[[bytes, list[int]], list[int] | None] | None = None
    ):
        super().__init__("demo:bpe", name, lambda _name, size: size * 1e-9, [])
        self._tokenizer = open_model("demo:bpe")
        self._change = change or (lambda _text, ids: ids)

    def ask(self, limit_s: float, command: str, *arguments: object) -> object:
        match command:
            case "ids":
                return [self._ids(text) for text in arguments[0]]
            case "opening":
                return [(0.1, 0.01)]
        return super().ask(limit_s, command, *arguments)

    def _ids(self, text: bytes) -> object:
        ids = self._change(text, self._tokenizer.encode(text, False, False).token_ids.tolist())
        return None if ids is None else np.array(ids, np.int32)
