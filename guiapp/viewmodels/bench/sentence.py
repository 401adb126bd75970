"""The line below a verdict: how far it can be trusted, and what the run does at the moment."""

from __future__ import annotations

from collections.abc import Iterator

from guiapp.core.bench.findings import in_words
from guiapp.core.bench.verdict import Verdict
from guiapp.core.explain.figures import counted
from guiapp.viewmodels.bench.forecast import duration_text
from guiapp.viewmodels.bench.model import BenchModel

NO_MODEL = "Open a model to begin"
NO_CONTENDER = "Add a contender to begin"
QUESTION = "Which is the fastest on your text, and are its ids right?"
MEASURING = "Measuring …"


def title_of(model: BenchModel, verdict: Verdict | None) -> Verdict | str:
    """What stands at the top of the page: the verdict, or what there is to say in its place."""
    is_alone = model.is_running and bool(model.loading) and verdict is not None and not verdict.beside
    if verdict is not None and not is_alone:
        return verdict
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
    told = [
        "Paused." if model.is_paused else "",
        *_verdict(verdict),
        _opening(model),
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


def _verdict(verdict: Verdict | None) -> Iterator[str]:
    if verdict is None or not verdict.beside:
        return
    yield "Settled." if verdict.is_settled else "Not settled yet." if not verdict.is_tie else ""
    if verdict.is_disturbed:
        yield "Other programs took time from it: nothing is sure."
    elif verdict.is_settled and not verdict.is_tie:
        yield "The two intervals do not touch."


def _opening(model: BenchModel) -> str:
    if not (n_opening := len(model.loading)):
        return ""
    number = in_words(n_opening).capitalize()
    more = "more " if model.results else ""
    return f"{number} {more}contender{'s are' if n_opening > 1 else ' is'} being opened."


def _sentence(words: str) -> str:
    return f"{words}." if words and not words.endswith("…") else words
