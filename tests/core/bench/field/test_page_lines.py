"""All that the page of a made-up run says, line by line."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

from bench_runs import MEMORY
from field_runs import DIFFERENCE, TEXTS, field, result, vocabulary

from guiapp.core.bench.field.exactness import DISPUTED, LOST, WRONG, Judgement
from guiapp.core.bench.field.page import page
from guiapp.core.bench.field.record import Field

LINES = ("p", "h1", "h2", "h3", "tr", "li", "pre")


def rounded(value: str) -> str:
    return f"{float(value):.6g}" if re.fullmatch(r"\d+\.\d+", value) else value


class Lines(HTMLParser):
    """The lines of a page, and before each cell its class, value and title."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.feed(text.partition("<body>")[2].partition("<script>")[0])

    def handle_starttag(self, tag, attrs):
        told = " ".join(
            f"{name}={rounded(value)}" for name, value in attrs if name not in ("scope", "viewbox")
        )
        if tag in (*LINES, "table"):
            self.lines.append(f"{tag}: {f'({told}) ' if told else ''}")
        elif tag in ("th", "td"):
            self.lines[-1] += f" | {f'({told}) ' if told else ''}"
        elif tag in ("a", "b", "rect", "path", "span", "svg"):
            self.lines[-1] += f"({tag} {told})" if told else ""

    def handle_data(self, data):
        if self.lines:
            self.lines[-1] += data.strip("\n")


def lines_of(found: Field) -> list[str]:
    return [" ".join(line.split()) for line in Lines(page(found)).lines]


def a_whole_field() -> Field:
    """Somebody of each state and of each reason, and one vocabulary with all that is measured."""
    main = vocabulary()
    long = tuple(map(str, range(30)))
    refused = replace(DIFFERENCE, found=None, found_tokens=(), agreeing=(), deviating=())
    longest = replace(DIFFERENCE, expected=tuple(range(30)), expected_tokens=long, found=(), found_tokens=())
    verdicts = (
        *main.verdicts,
        Judgement("rs-bpe", WRONG, "0.1.0", "", False, 100, 7, DIFFERENCE),
        Judgement("riptoken", DISPUTED, "0.2.0", "", False, 99, 1, refused),
        Judgement("bpe-openai", WRONG, "0.3.0", "", False, 98, 98, longest),
    )
    assert main.run is not None
    results = [
        *main.run["results"],
        *MEMORY[:1],
        result("fast", 2e-2, "threads", threads=1),
        result("gigatoken", 3e-2, "threads", threads=1),
        result("gigatoken", 9e-6, "short", operation="encode each") | {"size_bytes": 64},
        result("gigatoken", 4e-2, "worst", corpus="random letters") | {"size_bytes": 50_000},
        result("gigatoken", 5e-2, "worst", corpus="one letter") | {"size_bytes": 50_000},
        result("tokie", 1e-4, corpus="code", ci_s=[1e-6, 9e-4]),
        result("tokenizers", 1e-1, ci_s=[1e-1, 1e-1]),
        result("greedy", 1.0, "scaling") | {"size_bytes": 4 << 20},
        result("llama.cpp", 3.0, "scaling") | {"size_bytes": 4 << 20},
    ]
    verdicts += (Judgement("tokenizers", DISPUTED, "0.23", "", True, 2_000, 1_234, DIFFERENCE),)
    absences = [
        {"contender": "tiktoken", "scenario": "worst", "operation": "encode", "reason": "It took too long."},
        {"contender": "tiktoken", "scenario": "short", "operation": "encode", "reason": "It took too long."},
        {"contender": "tiktoken", "scenario": "short", "operation": "encode", "reason": "It took too long."},
        {"contender": "heap", "scenario": None, "operation": None, "reason": "It was busy."},
    ]
    run = {
        "results": results,
        "left_out": absences,
        "environment": {"cores": 2, "load_before": [1.9, 1.0, 1.0]},
    }
    other = vocabulary("gpt-2", is_detailed=False)
    lost = Judgement("gigatoken", LOST, "0.10.0", "It never answered.")
    other = replace(other, verdicts=(other.verdicts[0], lost), openings={})
    nobody = vocabulary("o200k", is_detailed=False, verdicts=(), openings={}, run=None)
    return field(nobody, other, replace(main, verdicts=verdicts, run=run), is_complete=False)


def test_all_that_was_found_is_told_line_by_line():
    told = lines_of(a_whole_field())
    assert told == Path(__file__).with_name("page_lines.txt").read_text(encoding="utf-8").splitlines()


def test_what_was_not_measured_leaves_no_table_of_it():
    heads = {
        "nothing timed": field(vocabulary(run=None)),
        "no detailed one": field(vocabulary(is_detailed=False)),
        "no text": field(texts=()),
        "no vocabulary": replace(field(), vocabularies=()),
    }
    always = [
        "What they say of themselves",
        "Texts and vocabularies",
        "Machine, doubts, and how to repeat it",
    ]
    wrong = "Wrong ids, and the shortest text that shows it"
    timed = "Throughput with Llama-3"
    others = [
        "Opening, first call, short calls, memory, with Llama-3",
        "Threads and the worst case, with Llama-3",
    ]
    found = {
        name: [line.removeprefix("h2: ") for line in lines_of(each) if line.startswith("h2")]
        for name, each in heads.items()
    }
    assert found == {
        "nothing timed": [wrong, *always],
        "no detailed one": [wrong, timed, *always],
        "no text": [wrong, timed, "Throughput with Gpt-2", *others, *always],
        "no vocabulary": ["Wrong ids", *always],
    }


def test_with_one_vocabulary_and_one_core_and_nothing_else_known_the_page_says_so():
    alone = field(
        vocabulary(verdicts=vocabulary().verdicts[:2], openings={}), environment={}, texts=TEXTS[1:]
    )
    told = lines_of(replace(alone, missing=(), absent={}))
    assert told[:3] == [
        "p: (class=dim small) The field of tokenizers · · , 1 core · Tokenloupe",
        "h1: 2 tokenizers, one vocabulary: 2 give the right ids with all they take, 0 do not.",
        "p: (class=second) The fastest exact one on Code <b> with Llama-3 is Tokenloupe: "
        "25.0 M tokens/s (100 MB/s).",
    ]
