"""The results of all libraries on one self-contained HTML page: exactness first, then speed.

The content is in `resources/page/field.html`, a jinja2 template that uses the values of this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from guiapp.analysis.bench.field.exactness import DISPUTED, EQUAL, LEFT_OUT, LOST, WRONG, Judgement
from guiapp.analysis.bench.field.record import (
    ContenderStanding,
    FieldRun,
    UsedText,
    VocabularyField,
    title_of,
)
from guiapp.analysis.bench.findings import warnings
from guiapp.analysis.bench.published import Claim, claims
from guiapp.analysis.bench.report import published_tables
from guiapp.analysis.bench.run_results import BenchResult, BenchRun
from guiapp.analysis.bench.wording import size_text
from guiapp.analysis.export.html import Html, bar, beginning, rendered, resource
from guiapp.analysis.export.tables import NONE, Table
from guiapp.core.encode.catalogue import TOKENLOUPE
from guiapp.core.text.numbers_in_words import counted, percent, three_digits, with_prefix
from guiapp.core.text.visible_text import visible_text

TITLE = "Tokenizer libraries compared"
MOST_SHOWN = 120  # characters of a text
MARKS = {EQUAL: "✓", WRONG: "✗", DISPUTED: "≠", LOST: "☓", LEFT_OUT: NONE}
MEANINGS = {
    EQUAL: "the same ids on all texts compared",
    WRONG: "different ids on some texts; another library confirms the expected ids",
    DISPUTED: "different ids on some texts; no other library can decide",
    LOST: "crashed or did not answer",
    LEFT_OUT: "does not support the vocabulary",
}
NAMES = {  # for the template, the same for all runs
    "three_digits": three_digits,
    "with_prefix": with_prefix,
    "counted": counted,
    "percent": percent,
    "size_text": size_text,
    "title_of": title_of,
    "ours": TOKENLOUPE,
    "none_text": NONE,
    "title": TITLE,
    "marks": MARKS,
    "meanings": MEANINGS,
    "listed": ("Tokenloupe", "Python", "System", "processor", "cores", "started", "ended"),
    "most_tokens": 24,
    "EQUAL": EQUAL,
    "WRONG": WRONG,
    "LEFT_OUT": LEFT_OUT,
}


def page(field_run: FieldRun) -> str:
    """The whole page."""
    style, script = map(resource, ("field.css", "field.js"))
    content = rendered("field.html", {**NAMES, **_values(field_run)})
    return f"{beginning(TITLE, style, script)}{content}\n<script>{script}</script>\n</body>\n</html>\n"


def _values(field_run: FieldRun) -> dict[str, Any]:
    """The values that the template uses, by name."""
    main, text = field_run.detailed, field_run.text
    taking = [each for each in field_run.standings if each.taken]
    verdicts = [each for vocabulary in field_run.vocabularies for each in vocabulary.verdicts]
    timed = [
        each.contender for each in field_run.standings if main and main.results(each.contender, "throughput")
    ]
    return {
        "run": field_run,
        "main": main,
        "text": text,
        "taking": taking,
        "nowhere": [each.contender for each in field_run.standings if not each.taken],
        "most_speed": max((each.speed for each in taking), default=0.0),
        "states": [state for state in MARKS if any(each.state == state for each in verdicts)],
        "n_texts": max((each.n_texts for each in verdicts), default=0),
        "wrong": _wrong_groups(field_run),
        "fastest_sentence": partial(_fastest_sentence, field_run),
        "timed": partial(_timed, field_run),
        "in_detail": timed,
        "values_of": partial(_values_of, main, timed),
        "figure": partial(_figure, main),
        "claims": list(_claims(taking, main, text)),
        "printed": [] if main is None else list(_printed(main.measured)),
        "missed": _missed(field_run),
        "doubts": [
            f"{each.title}: {line}" for each in field_run.vocabularies for line in warnings(each.measured)
        ],
        "anchor": _anchor,
        "differing": _differing,
        "pairs": lambda texts, ids: list(zip(texts, ids, strict=False)),
        "visible": lambda text: visible_text(text.encode("utf-8", "replace"), MOST_SHOWN),
        "speed_bar": _speed_bar,
    }


def _wrong_groups(field_run: FieldRun) -> list[list[tuple[VocabularyField, Judgement]]]:
    """The wrong contenders of each vocabulary; contenders with the same error share a group."""
    groups: dict[object, list[tuple[VocabularyField, Judgement]]] = {}
    for vocabulary, verdict in field_run.wrong:
        error = verdict.difference or verdict.contender
        groups.setdefault((vocabulary.name, error, verdict.n_different), []).append((vocabulary, verdict))
    return list(groups.values())


def _anchor(vocabulary: VocabularyField, verdict: Judgement) -> str:
    """The anchor of a contender's wrong ids on the page."""
    return f"wrong-{vocabulary.name}-{verdict.contender}".replace(" ", "-")


def _differing(verdict: Judgement) -> str:
    return f"{verdict.n_different:,} of {verdict.n_texts:,} texts differ. {verdict.reason}"


def _speed_bar(row: BenchResult, most: float, contender: str, is_exact: bool) -> Html:
    """A bar of a speed and its interval, as shares of the highest speed."""
    kind = "ours" if contender == TOKENLOUPE else "exact" if is_exact else "inexact"
    low, high = row.interval("mb_per_s")
    return bar(row.mb_per_s / most, low / most, high / most, kind)


def _fastest_sentence(field_run: FieldRun, vocabulary: VocabularyField) -> str:
    """The fastest exact tokenizer on each text, compared with Tokenloupe."""
    sentences = []
    for text in field_run.texts:
        if (best := field_run.fastest(vocabulary, text)) is not None:
            ratio = "" if best.ratio is None else f", {best.ratio:.2f} × as fast as {TOKENLOUPE}"
            doubt = f" (intervals touch: {', '.join(best.comparable)})" if best.comparable else ""
            sentences.append(f"{text.title}: {best.contender}{ratio}{doubt}")
    return f"Fastest exact: {'; '.join(sentences)}." if sentences else "No exact tokenizer was timed."


def _timed(
    field_run: FieldRun, vocabulary: VocabularyField
) -> Iterator[tuple[str, bool, list[BenchResult | None], list[float]]]:
    """Each timed contender: whether its ids are right, its row and the highest speed of all on each text."""
    names = [each.contender for each in field_run.standings]
    rows = {name: [vocabulary.row(name, text) for text in field_run.texts] for name in names}
    rows = {name: each for name, each in rows.items() if any(each)}
    columns = zip(*rows.values(), strict=True)
    most = [max((row.mb_per_s for row in column if row is not None), default=1.0) for column in columns]
    for name, each in rows.items():
        verdict = vocabulary.judgement(name)
        yield name, verdict is not None and verdict.state == EQUAL, each, most


def _values_of(main: VocabularyField | None, names: Sequence[str], scenario: str, key: str) -> list[Any]:
    """All values of a key in the results: texts in their order, numbers sorted."""
    rows = [row for name in names for row in (main.results(name, scenario) if main is not None else [])]
    values = dict.fromkeys(getattr(row, key) for row in rows)
    return list(values) if key == "corpus" else sorted(values)


def _figure(
    main: VocabularyField | None, name: str, scenario: str, key: str, factor: float, **where: object
) -> float | None:
    """One figure of a contender, times `factor`; None if it was not measured."""
    for row in main.results(name, scenario) if main is not None else ():
        if all(getattr(row, each) == value for each, value in where.items()):
            return float(getattr(row, key) * factor)
    return None


def _claims(
    taking: Sequence[ContenderStanding], main: VocabularyField | None, text: UsedText | None
) -> Iterator[tuple[Claim, ContenderStanding, float | None]]:
    """The claims of libraries, with their standing and the ratio of the same pair in this run."""
    by_name = {each.contender: each for each in taking}
    for claim in claims():
        if claim.contender in by_name:
            pair = claim.than, claim.contender
            than, its = (None if main is None else main.row(name, text) for name in pair)
            ratio = None if than is None or its is None else than.median_s / its.median_s
            yield claim, by_name[claim.contender], ratio


def _printed(run: BenchRun) -> Iterator[Table]:
    """Published figures next to this run's, without those that the run lacks."""
    for each in published_tables(run):
        yield each._replace(rows=[row for row in each.rows if row[-1] != NONE])


def _missed(field_run: FieldRun) -> Mapping[tuple[str, str], list[str]]:
    """Where contenders took no part, by contender and reason."""
    missed: dict[tuple[str, str], list[str]] = {}
    for vocabulary in field_run.vocabularies:
        for verdict in vocabulary.verdicts:
            if verdict.state in (LEFT_OUT, LOST):
                key = title_of(verdict.contender), verdict.reason
                missed.setdefault(key, []).append(vocabulary.title)
        for each in vocabulary.measured.left_out:
            where = f"{vocabulary.title}, {each.scenario}" if each.scenario else vocabulary.title
            missed.setdefault((title_of(each.contender), each.reason), []).append(where)
    return missed
