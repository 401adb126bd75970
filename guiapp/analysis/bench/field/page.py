"""The field as one HTML page that needs no other file and no script: exactness first, then speed.

What stands on it, `resources/page/field.html` says: a template of jinja2, which asks for what is here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import median
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from guiapp.analysis.bench.field.exactness import DISPUTED, EQUAL, LEFT_OUT, LOST, WRONG, Judgement
from guiapp.analysis.bench.field.record import (
    OURS,
    ContenderStanding,
    FieldRun,
    UsedText,
    VocabularyField,
    detailed,
    fastest,
    headline,
    judgement_of,
    standings,
    throughput,
    title_of,
    wrong_ones,
)
from guiapp.analysis.bench.measurement import Record, half_width
from guiapp.analysis.bench.notes import warnings
from guiapp.analysis.bench.published import Claim, claims
from guiapp.analysis.bench.report import published_tables
from guiapp.analysis.bench.wording import size_text
from guiapp.analysis.export.html import bar, beginning, html, resource
from guiapp.analysis.export.tables import NONE, Table
from guiapp.core.text.numbers_in_words import counted, percent, three_digits, with_prefix
from guiapp.core.text.visible_text import visible_text

TITLE = "The field of tokenizers"
MOST_SHOWN = 120  # characters of a text
MOST_TOKENS = 24
LISTED = ("Tokenloupe", "Python", "System", "processor", "cores", "started", "ended")
MARKS = {EQUAL: "✓", WRONG: "✗", DISPUTED: "≠", LOST: "☓", LEFT_OUT: NONE}
MEANINGS = {
    EQUAL: "the same ids on all texts compared",
    WRONG: "other ids on some, and a reference agrees with what is expected",
    DISPUTED: "other ids on some, and no reference to ask",
    LOST: "crashed or never answered",
    LEFT_OUT: "takes no such vocabulary",
}
FORMATS = {
    "three_digits": three_digits,
    "with_prefix": with_prefix,
    "counted": counted,
    "percent": percent,
    "half_width": half_width,
    "size_text": size_text,
    "title_of": title_of,
    "judgement": judgement_of,
    "throughput": throughput,
    "ours": OURS,
    "none_text": NONE,
    "title": TITLE,
    "marks": MARKS,
    "meanings": MEANINGS,
    "listed": LISTED,
    "most_tokens": MOST_TOKENS,
    "EQUAL": EQUAL,
    "WRONG": WRONG,
    "LEFT_OUT": LEFT_OUT,
}


def page(field_run: FieldRun) -> str:
    """The whole page."""
    style, script = map(resource, ("field.css", "field.js"))
    environment = Environment(
        autoescape=True,
        finalize=_escaped,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    content = environment.from_string(resource("field.html")).render({**FORMATS, **_values(field_run)})
    return f"{beginning(TITLE, style, script)}{content}\n<script>{script}</script>\n</body>\n</html>\n"


def _escaped(value: object) -> Markup:
    """Whatever the template puts in: words as they stand, what cannot be shown spelled out."""
    return value if isinstance(value, Markup) else Markup(html("" if value is None else str(value)))


def _values(found: FieldRun) -> dict[str, Any]:
    """What the template asks for by name."""
    main, text = detailed(found), found.texts[0] if found.texts else None
    ranked = standings(found)
    taking = [each for each in ranked if each.taken]
    verdicts = [each for vocabulary in found.vocabularies for each in vocabulary.verdicts]
    return {
        "run": found,
        "main": main,
        "text": text,
        "headline": headline(found),
        "taking": taking,
        "nowhere": [each.contender for each in ranked if not each.taken],
        "most_speed": max((each.speed or 0.0 for each in taking), default=0.0),
        "states": [state for state in MARKS if any(each.state == state for each in verdicts)],
        "n_texts": max((each.n_texts for each in verdicts), default=0),
        "wrong": _wrong_groups(found),
        "fastest_sentence": partial(_fastest_sentence, found),
        "timed": partial(_timed, found, [each.contender for each in ranked]),
        "in_detail": lambda: [each.contender for each in ranked if _rows(main, each.contender, "throughput")],
        "values_of": partial(_values_of, main),
        "figure": partial(_figure, main),
        "openings": partial(_openings, main),
        "claims": list(_claims(taking, main, text)),
        "printed": [] if main is None or main.run is None else list(_printed(main.run)),
        "missed": _missed(found),
        "doubts": [
            f"{each.title}: {line}"
            for each in found.vocabularies
            if each.run is not None
            for line in warnings(each.run)
        ],
        "anchor": _anchor,
        "differing": _differing,
        "pairs": lambda texts, ids: list(zip(texts, ids, strict=False)),
        "visible": lambda text: visible_text(text.encode("utf-8", "replace"), MOST_SHOWN),
        "speed_bar": _speed_bar,
    }


def _wrong_groups(found: FieldRun) -> list[list[tuple[VocabularyField, Judgement]]]:
    """Each that is wrong with a vocabulary; those that err alike share a row."""
    groups: dict[object, list[tuple[VocabularyField, Judgement]]] = {}
    for vocabulary, verdict in wrong_ones(found):
        told = verdict.difference or verdict.contender
        groups.setdefault((vocabulary.name, told, verdict.n_different), []).append((vocabulary, verdict))
    return list(groups.values())


def _anchor(vocabulary: VocabularyField, verdict: Judgement) -> str:
    """Where the page tells of somebody's wrong ids."""
    return f"wrong-{vocabulary.name}-{verdict.contender}".replace(" ", "-")


def _differing(verdict: Judgement) -> str:
    return f"{verdict.n_different:,} of {verdict.n_texts:,} texts differ. {verdict.reason}"


def _speed_bar(row: Record, most: float, contender: str, is_exact: bool) -> Markup:
    """As a share of the highest speed."""
    kind = "ours" if contender == OURS else "exact" if is_exact else "inexact"
    low, high = (row["size_bytes"] / seconds / 1e6 / most for seconds in reversed(row["ci_s"]))
    return Markup(bar(row["mb_per_s"] / most, low, high, kind))


def _fastest_sentence(found: FieldRun, vocabulary: VocabularyField) -> str:
    """Tokenloupe beside the fastest exact one on each text, whatever that is."""
    told = []
    for text in found.texts:
        best = fastest(found, vocabulary, text)
        if best is None:
            continue
        is_told = best.ratio is not None and best.contender != OURS
        ratio = f", {best.ratio:.2f} × as fast as {OURS}" if is_told else ""
        doubt = f" (intervals touch: {', '.join(best.comparable)})" if best.comparable else ""
        told.append(f"{text.title}: {best.contender}{ratio}{doubt}")
    return f"The fastest of the exact. {'; '.join(told)}." if told else "Nobody exact was timed."


def _timed(
    found: FieldRun, names: Sequence[str], vocabulary: VocabularyField
) -> Iterator[tuple[str, bool, list[Record | None], list[float]]]:
    """Of each that was timed: whether its ids are right, its row for each text, and the best of these."""
    rows = {name: [throughput(vocabulary, name, text) for text in found.texts] for name in names}
    rows = {name: each for name, each in rows.items() if any(each)}
    most = [
        max((row["mb_per_s"] for row in column if row is not None), default=1.0)
        for column in zip(*rows.values(), strict=True)
    ]
    for name, each in rows.items():
        verdict = judgement_of(vocabulary, name)
        yield name, verdict is not None and verdict.state == EQUAL, each, most


def _rows(main: VocabularyField | None, name: str, scenario: str) -> list[Record]:
    verdict = None if main is None else judgement_of(main, name)
    return [] if main is None or verdict is None else main.results(verdict.contender, scenario)


def _values_of(main: VocabularyField | None, names: Sequence[str], scenario: str, key: str) -> list[Any]:
    """All values of a key in what was measured of some: texts as they come, numbers sorted."""
    values = dict.fromkeys(row[key] for name in names for row in _rows(main, name, scenario))
    return list(values) if key == "corpus" else sorted(values)


def _figure(
    main: VocabularyField | None, name: str, scenario: str, key: str, factor: float, **where: object
) -> float | None:
    """One figure of somebody in another unit, None where it was not measured."""
    for row in _rows(main, name, scenario):
        if all(row[each] == value for each, value in where.items()):
            return float(row[key] * factor)
    return None


def _openings(main: VocabularyField | None, name: str) -> list[float | None]:
    """The median seconds of opening a library, and of its first call."""
    verdict = None if main is None else judgement_of(main, name)
    times = main.openings.get(verdict.contender, ()) if main is not None and verdict is not None else ()
    return list(map(median, zip(*times, strict=True))) if times else [None, None]


def _claims(
    taking: Sequence[ContenderStanding], main: VocabularyField | None, text: UsedText | None
) -> Iterator[tuple[Claim, ContenderStanding, float | None]]:
    """What others say of themselves, and what this run says of the same pair."""
    by_name = {each.contender: each for each in taking}
    for claim in claims():
        if claim.contender not in by_name:
            continue
        ratio = None
        if main is not None and claim.than and text is not None:
            than, its = (throughput(main, name, text) for name in (claim.than, claim.contender))
            ratio = than["median_s"] / its["median_s"] if than is not None and its is not None else None
        yield claim, by_name[claim.contender], ratio


def _printed(run: Record) -> Iterator[Table]:
    """Figures that papers and projects print beside this run's, without those that it lacks."""
    for each in published_tables(run):
        yield each._replace(rows=[row for row in each.rows if row[-1] != NONE])


def _missed(found: FieldRun) -> Mapping[tuple[str, str], list[str]]:
    """Who took no part, and why: each reason of somebody with where that was."""
    missed: dict[tuple[str, str], list[str]] = {}
    for vocabulary in found.vocabularies:
        for verdict in vocabulary.verdicts:
            if verdict.state in (LEFT_OUT, LOST):
                key = title_of(verdict.contender), verdict.reason
                missed.setdefault(key, []).append(vocabulary.title)
        for each in (vocabulary.run or {}).get("left_out", ()):
            place = f"{vocabulary.title}, {each['scenario']}" if each["scenario"] else vocabulary.title
            missed.setdefault((title_of(each["contender"]), each["reason"]), []).append(place)
    return missed
