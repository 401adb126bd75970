"""Remarks on a run, as sentences in rich text: what changed, whose ids differ, what is doubtful."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape

from guiapp.core.bench.remarks import missing_lines
from guiapp.core.explain.figures import percent
from guiapp.viewmodels.bench.model import BenchModel

CHANGES_LINK = "changes:"  # no contender is called so


def remarks_on(model: BenchModel, text: str) -> Iterator[str]:
    """`text`: the one that charts are of; links lead to first differences, or to CHANGES_LINK."""
    yield from _changes(model)
    yield from _deviations(model, text)
    for told in (*model.warnings, *missing_lines(model.left_out)):
        yield escape(told)


def _changes(model: BenchModel) -> Iterator[str]:
    """How many results differ from those of the run that this one is compared with, surely or not."""
    comparison = model.comparison
    if comparison is None:
        return
    if comparison.drift:
        yield f"{escape(comparison.drift)}."
    if comparison.busy:
        yield f"{comparison.busy}."
    if comparison.changes:
        verdicts = Counter(
            f"surely {change.words}" if change.is_sure else change.words for change in comparison.changes
        )
        told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
        yield f'{told} than in {escape(comparison.title)}: <a href="{CHANGES_LINK}">changes</a>.'


def _deviations(model: BenchModel, text: str) -> Iterator[str]:
    """Whose ids differ, how far on the text of the charts, and links to the first difference."""
    by_text: dict[str, list[str]] = {}
    for contender, row in model.deviations(text).items():
        name = escape(contender)
        told = f"{name} ≈ {percent(row['agreement'], 1)}".replace(" ", "&nbsp;")
        by_text.setdefault(row["corpus"], []).append(f'<a href="{name}">{told}</a>')
    for corpus, links in by_text.items():
        yield f"Equal spans on {escape(corpus)}, a click opens the first difference: {', '.join(links)}."
