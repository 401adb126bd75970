"""HTML pages: all text is escaped; a page loads nothing and applies only its own style and script.

A run or a lesson is one page to step through in a browser; without scripts, its steps are listed.  On paper,
each step is a numbered figure, questions have lines to write on, and the answers are on the last page.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from guiapp.analysis.explain.spelling import parts
from guiapp.core.demo import resources_folder
from guiapp.core.text.numbers_in_words import printable

if TYPE_CHECKING:
    from jinja2 import Template

WALK = (
    '<nav hidden>\n<button id="back" title="←">Back</button> '
    '<output id="place" aria-live="polite"></output> <button id="on" title="→ or Space">Next</button>\n'
    "<small>Space or →: next step. ←: previous step. Home, End: first, last.</small>\n</nav>\n"
)
BLANK = '<div class="blank"></div>'  # to write on
BAR_PX = 100.0


class Html(str):
    """A string that is already HTML."""


def words(text: str) -> Html:
    """Plain text as HTML: escaped, with unprintable characters made visible."""
    return Html(escape(printable(text)))


def html(text: str) -> Html:
    """The text as HTML; escaped unless it already is Html."""
    return text if isinstance(text, Html) else words(text)


def resource(name: str) -> str:
    """The text of a style sheet, script or template for pages."""
    return (resources_folder() / "page" / name).read_text(encoding="utf-8")


def beginning(title: str, style: str, script: str) -> str:
    """The start of a document up to its body; its policy allows only this style and script."""
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
    """The source expression for an inline style or script in a content security policy."""
    return f"'sha256-{b64encode(sha256(inline.encode()).digest()).decode()}'"


def rendered(template: str, values: Mapping[str, Any]) -> str:
    """A jinja2 template of pages, filled with values; their text is escaped."""
    return _compiled(template).render(values)


@cache
def _compiled(template: str) -> Template:
    from jinja2 import Environment, StrictUndefined  # an import that would slow down the start
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
    return environment.from_string(resource(template))


def bar(share: float, low: float, high: float, kind: str) -> Html:
    """A bar that fills a share of the width, with its interval."""
    width, start, end = (f"{min(max(each, 0.0), 1.0) * BAR_PX:.2f}" for each in (share, low, high))
    return Html(
        f'<svg class="bar {kind}" viewBox="0 0 {BAR_PX:g} 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{width}" height="10"/><path d="M{start} 5H{end}"/></svg>'
    )


# A page to step through


class PagePair(NamedTuple):
    """A pair that could be merged next, and its rank, score or count."""

    words: str
    worth: str
    is_next: bool = False


class PageStep(NamedTuple):
    """One state, and what happens next.

    position   the position in the run
    text       the text before, in and after the span of the step
    rows       tokens or symbols; each has a label, and whether it is new or about to be merged
    sentence   what happens
    pairs      competing pairs, the best first, under a title
    say, ask, answer   of a lesson; what happens is hidden until the question is answered
    """

    position: str
    text: tuple[str, str, str] = ("", "", "")
    rows: tuple[tuple[tuple[str, bool], ...], ...] = ()
    sentence: str = ""
    pairs: tuple[PagePair, ...] = ()
    pairs_title: str = ""
    say: str = ""
    ask: str = ""
    answer: str = ""


def page(title: str, summary: str, steps: Iterable[PageStep]) -> Iterator[str]:
    """The page in chunks: the part before the steps, one chunk for each step, and the part after them."""
    style, script = resource("steps.css"), resource("steps.js")
    yield (
        f"{beginning(title, style, script)}<header>\n"
        f"<h1>{words(title)}</h1>\n{rich(summary)}\n{WALK}</header>\n<main>\n"
    )
    answers: list[str] = []
    for number, step in enumerate(steps, 1):
        if step.ask:
            answers.append(
                f"<li><h2>Figure {number} · {words(step.position)}</h2>"
                f"{rich(step.ask)}{_revealed(step)}</li>\n"
            )
        yield step_section(step)
    yield "</main>\n"
    if answers:
        yield f'<aside id="answers">\n<h1>Answers</h1>\n<ol>\n{"".join(answers)}</ol>\n</aside>\n'
    yield f"<script>{script}</script>\n</body>\n</html>\n"


def rich(text: str) -> str:
    """Paragraphs, `code` and *emphasis* as HTML; there is no other markup."""
    paragraphs = []
    for paragraph in text.split("\n\n"):
        content = "".join(
            f"<code>{words(part.text)}</code>"
            if part.is_code
            else re.sub(r"\*([^*]+)\*", r"<em>\1</em>", words(part.text))
            for part in parts(paragraph)
        )
        paragraphs.append(f"<p>{content}</p>")
    return "".join(paragraphs) if text else ""


def step_section(step: PageStep) -> str:
    """The part of a page for one step."""
    question, happens = "", rich(step.sentence) + _pairs(step)
    if step.ask:
        covered = f"<details><summary>Show the answer</summary>{_revealed(step)}{_pairs(step)}</details>"
        question, happens = f'<div class="ask">{rich(step.ask)}{BLANK}{covered}</div>', ""
    return (
        f"<section>\n<h2>{words(step.position)}</h2>\n{rich(step.say)}{question}\n"
        f"{_text(step)}{_rows(step)}{happens}\n</section>\n"
    )


def _revealed(step: PageStep) -> str:
    """The answer, and the sentence of the step unless the answer contains it."""
    return rich(step.answer) + rich("" if step.sentence in step.answer else step.sentence)


def _text(step: PageStep) -> str:
    before, at, after = map(words, step.text)
    if not any(step.text):
        return ""
    marked = f"<mark>{at}</mark>" if at and not step.ask else at
    return f"<p class=text>{before}{marked}{after}</p>\n"


def _rows(step: PageStep) -> str:
    """Boxes, without end tags, as a page may have hundreds of thousands."""
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
