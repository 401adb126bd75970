"""Compared languages as tables for people, as a record, as CSV, and as a page with bars."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from guiapp.analysis.compare.texts_report import number
from guiapp.analysis.export.exported_run import DrawnBar, bars_svg
from guiapp.analysis.export.html import Html, rendered, resource
from guiapp.analysis.export.tables import NONE, Table, csv_lines, page_of
from guiapp.analysis.languages.languages import Floats, Languages
from guiapp.core.text.numbers_in_words import counted, percent, quoted

TITLE = "Tokens of parallel texts"


class LanguageColumn(NamedTuple):
    """What is known of each model and language.

    key     in JSON and CSV
    values  float64[m, l] or int64[m, l]
    """

    key: str
    title: str
    tip: str
    values: Callable[[Languages], Floats]
    text: Callable[[float], str]

    def cell(self, value: float) -> str:
        return NONE if np.isnan(value) else self.text(value)


def _one_decimal(share: float) -> str:
    return percent(share, 1)


COLUMNS = (
    LanguageColumn("tokens", "tokens", "Tokens of the text", attrgetter("tokens"), "{:,.0f}".format),
    LanguageColumn(
        *("premium", "premium", "Tokens for each token of the reference"),
        attrgetter("premiums"),
        "{:.2f}×".format,
    ),
    LanguageColumn(
        *("characters_per_token", "char/token", "Characters per token"),
        attrgetter("characters_per_token"),
        number,
    ),
    LanguageColumn(
        *("bytes_per_token", "byte/token", "Bytes per token"), attrgetter("bytes_per_token"), number
    ),
    LanguageColumn(
        *("whole_word_share", "whole words", "Share of words that are in one token"),
        attrgetter("whole_word_share"),
        _one_decimal,
    ),
    LanguageColumn(
        *("unknown_share", "unknown", "Share of unknown tokens"), attrgetter("unknown_share"), _one_decimal
    ),
    LanguageColumn(
        *("vocabulary_share", "vocabulary", "Share of the vocabulary that the text uses"),
        attrgetter("vocabulary_share"),
        _one_decimal,
    ),
)


def columns_of(compared: Languages) -> list[LanguageColumn]:
    """All but for unknown tokens where there are none."""
    return [each for each in COLUMNS if each.key != "unknown_share" or compared.unknown.any()]


def by_premium(compared: Languages, row: int) -> list[int]:
    """The languages by their premium with a model, the most expensive first."""
    order: list[int] = np.argsort(-compared.premiums[row], kind="stable").tolist()
    return order


def finding(compared: Languages, row: int, name: Callable[[str], str] = str) -> str:
    """What is most expensive with a model, for each token of the reference."""
    reference, premiums = name(compared.reference), compared.premiums[row]
    most = by_premium(compared, row)[0]
    if np.isnan(premiums).any():
        return f"{compared.models[row]} has no tokens for {reference}, so there are no premiums."
    if premiums[most] <= 1:
        return f"No language costs more tokens than {reference} with {compared.models[row]}."
    times = f"{premiums[most]:.1f} times as many tokens as"
    return f"{name(compared.languages[most])} costs {times} {reference} with {compared.models[row]}."


def parity_finding(compared: Languages, name: Callable[[str], str] = str) -> str:
    """With which model languages cost least on average, and with which most."""
    means, reference = compared.mean_premiums, name(compared.reference)
    if np.isnan(means).any():
        return ""
    best, worst = int(means.argmin()), int(means.argmax())
    least = compared.models[best] if best != worst else "each model"
    more = f", {means[worst]:.1f} times with {compared.models[worst]}" if best != worst else ""
    return f"On average, other languages cost {means[best]:.1f} times {reference} with {least}{more}"


def tables(compared: Languages) -> Iterator[Table]:
    """One for each model, the most expensive language first, and the premiums of all models side by side."""
    columns = columns_of(compared)
    for row, model in enumerate(compared.models):
        values = [column.values(compared)[row] for column in columns]
        lines = [["", *(column.title for column in columns)]]
        for at in by_premium(compared, row):
            cells = (column.cell(each[at]) for column, each in zip(columns, values, strict=True))
            lines.append([quoted(compared.languages[at]), *cells])
        yield Table(f"{model}: premium against {compared.reference}", lines)
    if len(compared.models) > 1:
        yield _parity_table(compared)


def _parity_table(compared: Languages) -> Table:
    lines = [["", *compared.models, "lowest", "highest"]]
    for at in by_premium(compared, 0):
        premiums = [*compared.premiums[:, at], *compared.parity[at]]
        lines.append([quoted(compared.languages[at]), *map(number, premiums)])
    lines.append(["geometric mean", *map(number, compared.mean_premiums), NONE, NONE])
    return Table(f"Premiums over {counted(len(compared.models), 'model')}; 1 is parity", lines)


def page_text(compared: Languages, *, is_markdown: bool) -> str:
    """The tables and what they show, for a terminal or as Markdown."""
    return page_of(tables(compared), after=["\n".join(_findings(compared))], is_markdown=is_markdown)


def _findings(compared: Languages) -> list[str]:
    alone = [finding(compared, row) for row in range(len(compared.models))]
    return [*alone, f"{parity_finding(compared)}."] if len(alone) > 1 else alone


def csv_text(compared: Languages) -> str:
    """A line for each model and language."""
    keys = [column.key for column in COLUMNS]
    lines: list[list[object]] = [["model", "language", "lines", "bytes", "characters", "words", *keys]]
    for row, model in enumerate(compared.models):
        for at, language in enumerate(compared.languages):
            text = _text_record(compared, at)
            lines.append([model, language, *[*text.values()][1:], *_figures(compared, row, at).values()])
    return csv_lines(lines)


def record(compared: Languages, models: Sequence[dict[str, object]] = ()) -> dict[str, object]:
    """The record of `compare --languages --json`; `models` says more of each."""
    about = models or [{"model": model} for model in compared.models]
    indexes = range(len(compared.languages))
    return {
        "reference": compared.reference,
        "texts": [_text_record(compared, at) for at in indexes],
        "models": [
            {
                **about[row],
                "vocabulary": int(compared.vocabularies[row]),
                "mean_premium": _number(compared.mean_premiums[row]),
                "languages": [
                    {"language": compared.languages[at], **_figures(compared, row, at)} for at in indexes
                ],
            }
            for row in range(len(compared.models))
        ],
        "parity": [
            {"language": language, "lowest": _number(low), "highest": _number(high)}
            for language, (low, high) in zip(compared.languages, compared.parity.tolist(), strict=True)
        ],
        "notes": [*compared.notes],
    }


def _text_record(compared: Languages, at: int) -> dict[str, object]:
    return {
        "language": compared.languages[at],
        "lines": int(compared.n_lines[at]),
        "bytes": int(compared.n_bytes[at]),
        "characters": int(compared.n_characters[at]),
        "words": int(compared.n_words[at]),
    }


def _figures(compared: Languages, row: int, at: int) -> dict[str, object]:
    return {column.key: _number(column.values(compared)[row, at]) for column in COLUMNS}


def _number(value: float) -> float | None:
    """As JSON and CSV have it."""
    if np.isnan(value):
        return None
    return int(value) if isinstance(value, np.integer) else float(value)


def html_text(compared: Languages, models: Sequence[str], folder: str) -> str:
    """One page that needs no other file, with a bar for each language and the command that repeats it.

    `models` and `folder` are what the command takes.
    """
    words = *models, "--languages", folder, "--reference", compared.reference, "--html"
    return rendered(
        "bench.html",
        {
            "title": TITLE,
            "style": Html(resource("bench.css")),
            "verdicts": _findings(compared),
            "notes": compared.notes,
            "charts": [
                (f"Premium with {model}", Html(_bars(compared, row)))
                for row, model in enumerate(compared.models)
            ],
            "tables": [*tables(compared)],
            "repeat": shlex.join(["tokenloupe", "compare", *words]),
            "counted": counted,
        },
    )


def _bars(compared: Languages, row: int) -> str:
    premiums = np.nan_to_num(compared.premiums[row])
    most = float(premiums.max()) or 1.0
    return bars_svg(
        f"Tokens for each token of {compared.reference}",
        [
            DrawnBar(quoted(compared.languages[at]), float(premiums[at]) / most, number(float(premiums[at])))
            for at in by_premium(compared, row)
        ],
    )
