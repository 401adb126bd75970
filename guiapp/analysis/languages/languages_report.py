"""Report compared languages as tables, as a record, as CSV, and as a page with bars."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from guiapp.analysis.compare.texts_report import number
from guiapp.analysis.export.exported_run import DrawnBar, bars_svg
from guiapp.analysis.export.html import Html, rendered, resource
from guiapp.analysis.export.tables import NONE, Table, csv_lines, json_text, page_of
from guiapp.analysis.languages.languages import Languages
from guiapp.core.text.numbers_in_words import counted, percent, quoted

COLUMNS: dict[str, tuple[str, Callable[[float], str]]] = {
    "tokens": ("tokens", "{:,.0f}".format),
    "premium": ("premium", "{:.2f}×".format),
    "characters_per_token": ("char/token", number),
    "bytes_per_token": ("byte/token", number),
    "whole_word_share": ("whole words", partial(percent, n_decimals=1)),
    "unknown_share": ("unknown", partial(percent, n_decimals=1)),
    "vocabulary_share": ("vocabulary", partial(percent, n_decimals=1)),
}
"""Arrays of `Languages` (also keys in JSON and CSV), with their titles and number formats."""


def by_premium(compared: Languages, row: int) -> list[int]:
    """The indices of the languages by premium with a model, the most expensive first."""
    order: list[int] = np.argsort(-compared.premium[row], kind="stable").tolist()
    return order


def figure_text(value: float, text: Callable[[float], str] = number) -> str:
    return NONE if np.isnan(value) else text(value)


def model_table(compared: Languages, row: int, name: Callable[[str], str] = quoted) -> Table:
    """All statistics of one model, the most expensive language first; unknown tokens only if any occur."""
    shown = [key for key in COLUMNS if key != "unknown_share" or compared.unknown_share.any()]
    values = [(getattr(compared, key)[row], COLUMNS[key][1]) for key in shown]
    rows = [["", *(COLUMNS[key][0] for key in shown)]]
    for at in by_premium(compared, row):
        cells = (figure_text(each[at], text) for each, text in values)
        rows.append([name(compared.languages[at]), *cells])
    return Table(f"{compared.models[row]}: premium against {name(compared.reference)}", rows)


def tables(compared: Languages) -> Iterator[Table]:
    """One table for each model, and one with the premiums of all models."""
    yield from (model_table(compared, row) for row in range(len(compared.models)))
    if len(compared.models) > 1:
        rows = [["", *compared.models, "lowest", "highest"]]
        for at in by_premium(compared, 0):
            premiums = *compared.premium[:, at], *compared.parity[at]
            rows.append([quoted(compared.languages[at]), *map(figure_text, premiums)])
        rows.append(["geometric mean", *map(figure_text, compared.mean_premium), NONE, NONE])
        yield Table(f"Premiums over {counted(len(compared.models), 'model')}; 1 is parity", rows)


def finding(compared: Languages, row: int, name: Callable[[str], str] = quoted) -> str:
    """A sentence about the most expensive language with a model."""
    reference, model, premiums = name(compared.reference), compared.models[row], compared.premium[row]
    most = by_premium(compared, row)[0]
    if np.isnan(premiums).any():
        return f"{model} has no tokens for {reference}, so there are no premiums"
    if premiums[most] <= 1:
        return f"No language costs more tokens than {reference} with {model}"
    times = f"{premiums[most]:.1f} times as many tokens as {reference}"
    return f"{name(compared.languages[most])} costs {times} with {model}"


def parity_finding(compared: Languages, name: Callable[[str], str] = quoted) -> str:
    """A sentence about the models with which other languages cost least and most on average."""
    means, models = compared.mean_premium, compared.models
    if np.isnan(means).any():
        return f"Not all models have tokens for {name(compared.reference)}"
    best, worst = int(means.argmin()), int(means.argmax())
    about = f"On average, other languages cost {means[best]:.1f} times {name(compared.reference)}"
    more = f", {means[worst]:.1f} times with {models[worst]}" if best != worst else ""
    return f"{about} with {models[best] if more or len(models) == 1 else 'each model'}{more}"


def _findings(compared: Languages) -> list[str]:
    alone = [f"{finding(compared, row)}." for row in range(len(compared.models))]
    return [*alone, f"{parity_finding(compared)}."] if len(alone) > 1 else alone


def report(
    compared: Languages,
    form: str | None,
    models: Sequence[str],
    folder: str,
    records: Sequence[dict[str, object]] = (),
) -> str:
    """The report as "csv", "json", a "html" page, as Markdown ("md" or "markdown"), or for a terminal.

    models, folder  arguments of the command that repeats the comparison
    records         additional JSON entries of each model
    """
    match form:
        case "csv":
            return csv_text(compared)
        case "json":
            return json_text(record(compared, records)) + "\n"
        case "html":
            return html_text(compared, models, folder)
    is_markdown = form is not None
    return page_of(tables(compared), after=["\n".join(_findings(compared))], is_markdown=is_markdown) + "\n"


def csv_text(compared: Languages) -> str:
    """A line for each model and language."""
    texts = [_text_record(compared, at) for at in range(len(compared.languages))]
    lines: list[list[object]] = [["model", *texts[0], *COLUMNS]]
    for row, model in enumerate(compared.models):
        for at, text in enumerate(texts):
            lines.append([model, *text.values(), *_figures(compared, row, at).values()])
    return csv_lines(lines)


def record(compared: Languages, models: Sequence[dict[str, object]] = ()) -> dict[str, object]:
    """The record of `compare --languages --json`; `models` has additional entries of each model."""
    languages = [*enumerate(compared.languages)]
    return {
        "reference": compared.reference,
        "texts": [_text_record(compared, at) for at, _ in languages],
        "models": [
            {
                **(models[row] if models else {"model": model}),
                "vocabulary": int(compared.vocabulary[row]),
                "mean_premium": _number(compared.mean_premium[row]),
                "languages": [{"language": name, **_figures(compared, row, at)} for at, name in languages],
            }
            for row, model in enumerate(compared.models)
        ],
        "parity": [
            {"language": name, "lowest": _number(lowest), "highest": _number(highest)}
            for (_, name), (lowest, highest) in zip(languages, compared.parity, strict=True)
        ],
        "notes": [*compared.notes],
    }


def _text_record(compared: Languages, at: int) -> dict[str, object]:
    counts = {key: int(getattr(compared, key)[at]) for key in ("lines", "bytes", "characters", "words")}
    return {"language": compared.languages[at], **counts}


def _figures(compared: Languages, row: int, at: int) -> dict[str, object]:
    return {key: _number(getattr(compared, key)[row, at]) for key in COLUMNS}


def _number(value: np.generic) -> object:
    """A number for JSON and CSV; None for NaN."""
    return None if np.isnan(value) else value.item()


def html_text(compared: Languages, models: Sequence[str], folder: str) -> str:
    """A self-contained page; `models` and `folder` are arguments of the command that repeats it."""
    words = "tokenloupe", "compare", *models, "--languages", folder, "--reference", compared.reference
    rows = range(len(compared.models))
    values = {
        "title": "Tokens of parallel texts",
        "style": Html(resource("bench.css")),
        "verdicts": _findings(compared),
        "notes": compared.notes,
        "charts": [(f"Premium with {compared.models[row]}", Html(_bars(compared, row))) for row in rows],
        "tables": [*tables(compared)],
        "repeat": shlex.join([*words, "--html"]),
        "counted": counted,
    }
    return rendered("bench.html", values)


def _bars(compared: Languages, row: int) -> str:
    premiums = np.nan_to_num(compared.premium[row])
    bars = [
        DrawnBar(quoted(compared.languages[at]), premiums[at] / (premiums.max() or 1), number(premiums[at]))
        for at in by_premium(compared, row)
    ]
    return bars_svg(f"Tokens for each token of {quoted(compared.reference)}", bars)
