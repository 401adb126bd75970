"""The line below a verdict: how far it can be trusted, and what the run does at the moment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from guiapp.analysis.bench.findings import in_words
from guiapp.analysis.bench.history import BUSY_MARGIN
from guiapp.analysis.bench.verdict import FIRST, LONE, Verdict
from guiapp.core.text.figures import counted
from guiapp.pages.bench.forecast import duration_text
from guiapp.pages.bench.model import BenchModel

NO_MODEL = "Open a model to begin"
NO_CONTENDER = "Add a contender to begin"
QUESTION = "Which is the fastest on your text, and are its ids right?"
MEASURING = "Measuring …"


def title_of(model: BenchModel, verdict: Verdict | None) -> Verdict | str:
    """What stands at the top of the page: the verdict, or what there is to say in its place."""
    if verdict is not None:
        if verdict.beside or not (model.awaited or model.failed_to_open):
            return verdict
        return replace(verdict, alone=FIRST if model.is_running and model.awaited else LONE)
    if model.is_running:
        return MEASURING
    if model.results:
        contenders = {row["contender"] for row in model.results}
        return f"{counted(len(contenders), 'contender')}, no throughput measured"
    if not model.choice.entrants:
        return NO_MODEL
    return QUESTION if model.choice.contenders else NO_CONTENDER


def sentence_of(model: BenchModel, verdict: Verdict | None) -> str:
    """One line of short sentences."""
    if not (model.is_running or model.results or model.progress):
        return _plan(model)
    another = "" if model.is_running or not model.results else model.measured_another
    told = [
        f"Measured with another {another}: run again to measure the one that is open." if another else "",
        "Paused." if model.is_paused else "",
        *_verdict(verdict, model.is_running),
        _opening(model) if model.is_running else _unmeasured(model),
        _sentence(model.progress),
    ]
    noise = model.noise[:1].upper() + model.noise[1:]
    return " ".join(filter(None, (*told, _sentence(noise))))


def _plan(model: BenchModel) -> str:
    choice = model.choice
    if not choice.is_whole:
        return ""
    n_contenders = counted(len(choice.contenders), "contender")
    return (
        f"{n_contenders}, about {duration_text(choice.expected_s)}. Ids are compared before times are taken."
    )


def _verdict(verdict: Verdict | None, is_running: bool) -> Iterator[str]:
    if verdict is None or not verdict.beside:
        return
    if verdict.was_busy:
        yield f"The machine was busy: differences below {BUSY_MARGIN:g} × are not reliable."
    elif not verdict.is_settled and not verdict.is_tie:
        yield "Not settled yet." if is_running else "Not settled."
    elif verdict.is_settled:
        yield "Settled." if verdict.is_tie else "Settled: the two intervals do not touch."


def _opening(model: BenchModel) -> str:
    """How many are to come; before anybody is opened the run starts."""
    n_unopened = len(model.unopened) if model.loading or model.results else 0
    more = "more " if model.results else ""
    return f"{_number(n_unopened, f'{more}contender', 'is', 'are')} still to be opened." if n_unopened else ""


def _unmeasured(model: BenchModel) -> str:
    """How many of a run that was stopped have no figures."""
    n_missing = len(model.awaited) if model.results else 0
    return f"{_number(n_missing, 'contender', 'was', 'were')} not measured." if n_missing else ""


def _number(number: int, noun: str, one: str, many: str) -> str:
    return f"{in_words(number).capitalize()} {noun}{f' {one}' if number == 1 else f's {many}'}"


def _sentence(words: str) -> str:
    return f"{words}." if words and words[-1] not in ".…" else words
