"""Pages: all words escaped, nothing fetched or obeyed but what a page itself brings.

A run or a lesson is one page that steps in a browser; without a script its steps stand one below the other.
On paper each is a numbered figure, questions have lines to write on, and the answers are the last page.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from html import escape
from typing import Any, NamedTuple

from guiapp.analysis.explain.spelling import parts
from guiapp.core.demo import resources_folder
from guiapp.core.text.numbers_in_words import printable

WALK = (
    '<nav hidden>\n<button id="back" title="←">Back</button> '
    '<output id="place" aria-live="polite"></output> <button id="on" title="→ or Space">Next</button>\n'
    "<small>Space or →: next step. ←: previous step. Home, End: first, last.</small>\n</nav>\n"
)
BLANK = '<div class="blank"></div>'  # to write on
BAR_PX = 100.0


class Html(str):
    """What is HTML already."""


def words(text: str) -> Html:
    """Words as they stand, nothing in them obeyed."""
    return Html(escape(printable(text)))


def html(text: str) -> Html:
    """HTML as it is, words escaped."""
    return text if isinstance(text, Html) else words(text)


def resource(name: str) -> str:
    """A style sheet or a script of pages."""
    return (resources_folder() / "page" / name).read_text(encoding="utf-8")


def beginning(title: str, style: str, script: str) -> str:
    """A document up to where its body begins; no style and no script is obeyed but these."""
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{words(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
    )


def _hash(inline: str) -> str:
    """What a policy calls a style or a script of the page itself."""
    return f"'sha256-{b64encode(sha256(inline.encode()).digest()).decode()}'"


def rendered(template: str, values: Mapping[str, Any]) -> str:
    """A template of jinja2 among the pages with its values: words as they stand, nothing in them obeyed."""
    from jinja2 import Environment, StrictUndefined  # time that starting does not have
    from markupsafe import Markup

    def finalized(value: object) -> Markup:
        text = "" if value is None else value if isinstance(value, str) else str(value)
        return text if isinstance(text, Markup) else Markup(html(text))

    environment = Environment(
        autoescape=True,
        finalize=finalized,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.from_string(resource(template)).render(values)


def bar(share: float, low: float, high: float, kind: str) -> Html:
    """A bar of a share of the room, with the ends of its interval."""
    width, start, end = (f"{min(max(each, 0.0), 1.0) * BAR_PX:.2f}" for each in (share, low, high))
    return Html(
        f'<svg class="bar {kind}" viewBox="0 0 {BAR_PX:g} 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{width}" height="10"/><path d="M{start} 5H{end}"/></svg>'
    )


# A page that steps


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
        yield step_section(step)
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


def step_section(step: PageStep) -> str:
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
