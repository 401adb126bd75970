"""A run or a lesson as one HTML page that steps in a browser, with nothing beside it and no network.

Each step is a part of the page; without a script they stand one below the other.  On paper each is a numbered
figure, questions have lines to write on, and the answers are the last page: a handout.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from guiapp.analysis.explain.spelling import parts
from guiapp.analysis.export.html import beginning, resource, words

WALK = (
    '<nav hidden>\n<button id="back" title="←">Back</button> '
    '<output id="place" aria-live="polite"></output> <button id="on" title="→ or Space">Go on</button>\n'
    "<small>Space or → goes on, ← back, Home and End to the ends</small>\n</nav>\n"
)
BLANK = '<div class="blank"></div>'  # to write on


class PagePair(NamedTuple):
    """A pair that could be joined next, and what speaks for it."""

    words: str
    worth: str
    is_next: bool = False


class PageStep(NamedTuple):
    """One state, and what happens then.

    place      where in the run this is
    text       before, at and behind the stretch that the step is about
    rows       tokens or symbols; of each what is written on it, and whether it is new or about to be joined
    sentence   what happens
    pairs      those that compete, the best first, under a title
    say, ask, answer   of a lesson; what happens is covered until a question is answered
    """

    place: str
    text: tuple[str, str, str] = ("", "", "")
    rows: tuple[tuple[tuple[str, bool], ...], ...] = ()
    sentence: str = ""
    pairs: tuple[PagePair, ...] = ()
    pairs_title: str = ""
    say: str = ""
    ask: str = ""
    answer: str = ""


def page(title: str, summary: str, steps: Iterable[PageStep]) -> Iterator[str]:
    """The page in chunks: what comes before the steps, a chunk for each, and what comes behind."""
    style, script = resource("steps.css"), resource("steps.js")
    yield (
        f"{beginning(title, style, script)}<header>\n"
        f"<h1>{words(title)}</h1>\n{rich(summary)}\n{WALK}</header>\n<main>\n"
    )
    answers: list[str] = []
    for number, step in enumerate(steps, 1):
        if step.ask:
            answers.append(
                f"<li><h2>Figure {number} · {words(step.place)}</h2>{rich(step.ask)}{_revealed(step)}</li>\n"
            )
        yield section(step)
    yield "</main>\n"
    if answers:
        yield f'<aside id="answers">\n<h1>Answers</h1>\n<ol>\n{"".join(answers)}</ol>\n</aside>\n'
    yield f"<script>{script}</script>\n</body>\n</html>\n"


def rich(text: str) -> str:
    """Paragraphs, `code` and *emphasis* as HTML; all else stands for itself."""
    paragraphs = []
    for paragraph in text.split("\n\n"):
        told = "".join(
            f"<code>{words(part.text)}</code>"
            if part.is_code
            else re.sub(r"\*([^*]+)\*", r"<em>\1</em>", words(part.text))
            for part in parts(paragraph)
        )
        paragraphs.append(f"<p>{told}</p>")
    return "".join(paragraphs) if text else ""


def section(step: PageStep) -> str:
    """The part of a page for one step."""
    question, happens = "", rich(step.sentence) + _pairs(step)
    if step.ask:
        covered = f"<details><summary>Show the answer</summary>{_revealed(step)}{_pairs(step)}</details>"
        question, happens = f'<div class="ask">{rich(step.ask)}{BLANK}{covered}</div>', ""
    return (
        f"<section>\n<h2>{words(step.place)}</h2>\n{rich(step.say)}{question}\n"
        f"{_text(step)}{_rows(step)}{happens}\n</section>\n"
    )


def _revealed(step: PageStep) -> str:
    """The answer, and what happens unless that is it."""
    return rich(step.answer) + rich("" if step.sentence in step.answer else step.sentence)


def _text(step: PageStep) -> str:
    before, at, behind = map(words, step.text)
    if not any(step.text):
        return ""
    marked = f"<mark>{at}</mark>" if at and not step.ask else at
    return f"<p class=text>{before}{marked}{behind}</p>\n"


def _rows(step: PageStep) -> str:
    """Boxes; no end tags, as there may be hundreds of thousands on a page."""
    rows = []
    for row in step.rows:
        boxes = (f"<li{' class=made' * (is_made and not step.ask)}>{words(label)}" for label, is_made in row)
        rows.append(f"<ol class=tokens>{''.join(boxes)}</ol>\n")
    return "".join(rows)


def _pairs(step: PageStep) -> str:
    if not step.pairs:
        return ""
    rows = "".join(
        f"<tr{' class=next' * pair.is_next}><td>{words(pair.words)}<td>{words(pair.worth)}"
        for pair in step.pairs
    )
    return f"<table><caption>{words(step.pairs_title)}</caption>{rows}</table>"
