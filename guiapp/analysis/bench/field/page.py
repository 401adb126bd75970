"""The field as one HTML page that needs no other file and no script: exactness first, then speed."""

from __future__ import annotations

from guiapp.analysis.bench.field.exactness import DISPUTED, EQUAL, LEFT_OUT, LOST, WRONG, Judgement
from guiapp.analysis.bench.field.record import Field, UsedText, VocabularyField
from guiapp.analysis.bench.field.sections import (
    anchor,
    claims_section,
    detail_sections,
    machine_section,
    speed_cell,
    texts_section,
    throughput_sections,
    wrong_section,
)
from guiapp.analysis.bench.field.standings import (
    OURS,
    Standing,
    detailed,
    headline,
    judgement_of,
    standings,
    throughput,
)
from guiapp.analysis.bench.measurement import Record
from guiapp.analysis.export.html import Cell, Column, Html, beginning, joined, resource, table, tag, words
from guiapp.analysis.export.tables import NONE
from guiapp.core.text.figures import counted, with_prefix

TITLE = "The field of tokenizers"
MARKS = {EQUAL: "✓", WRONG: "✗", DISPUTED: "≠", LOST: "☓", LEFT_OUT: NONE}
MEANINGS = {
    EQUAL: "the same ids on all texts compared",
    WRONG: "other ids on some, and a reference agrees with what is expected",
    DISPUTED: "other ids on some, and no reference to ask",
    LOST: "crashed or never answered",
    LEFT_OUT: "takes no such vocabulary",
}


def page(found: Field) -> str:
    """The whole page."""
    style, script = map(resource, ("field.css", "field.js"))
    content = [
        _top(found),
        wrong_section(found),
        *throughput_sections(found),
        *detail_sections(found),
        claims_section(found),
        texts_section(found),
        machine_section(found),
    ]
    body = joined(content, Html("\n"))
    return f"{beginning(TITLE, style, script)}{body}\n<script>{script}</script>\n</body>\n</html>\n"


def _top(found: Field) -> Html:
    environment = found.environment
    day = str(environment.get("started", "")).partition("T")[0]
    machine = f"{environment.get('processor', '')}, {counted(environment.get('cores') or 1, 'core')}"
    told = [TITLE, day, machine, f"Tokenloupe {environment.get('Tokenloupe', '')}"]
    first, second = headline(found)
    stopped = "" if found.is_complete else tag("p", "This run was stopped before its end.", kind="warning")
    return tag(
        "header",
        joined(
            [
                tag("p", joined(map(words, told), Html(" <i>·</i> ")), kind="dim small"),
                tag("h1", first),
                tag("p", second, kind="second"),
                stopped,
                _matrix(found),
                _legend(found),
            ],
            Html("\n"),
        ),
    )


def _matrix(found: Field) -> Html:
    """Contenders by vocabularies: whose ids are right, and tokens a second on the first text."""
    main, text = detailed(found), found.texts[0] if found.texts else None
    speed = "" if main is None or text is None else f"{text.title}, {main.title}: tokens/s"
    columns = [
        Column("", "name"),
        *(Column(each.title, is_descending=True, about=each.about) for each in found.vocabularies),
        Column(speed, "bars", is_descending=True),
    ]
    taking = [each for each in standings(found) if each.taken]
    fastest = max((each.speed or 0.0 for each in taking), default=0.0)
    rows = [_row(found, each, text, fastest) for each in taking]
    return table(columns, rows, "matrix")


def _row(found: Field, standing: Standing, text: UsedText | None, fastest: float) -> list[Cell]:
    name = standing.contender
    shown = joined([tag("b", name), " ", tag("small", standing.version)])
    cells = [Cell(shown, name, "name ours" if name == OURS else "name")]
    for vocabulary in found.vocabularies:
        row = None if text is None else throughput(vocabulary, name, text)
        cells.append(_mark(vocabulary, judgement_of(vocabulary, name), row))
    main = detailed(found)
    row = None if main is None or text is None else throughput(main, name, text)
    return [*cells, speed_cell(row, fastest, name, standing.is_exact)]


def _mark(vocabulary: VocabularyField, verdict: Judgement | None, row: Record | None) -> Cell:
    if verdict is None or verdict.state == LEFT_OUT:
        return Cell(NONE, None, "none", "" if verdict is None else verdict.reason)
    mark = tag("span", MARKS[verdict.state], kind="mark")
    if verdict.state != EQUAL:
        count = tag("small", f"{verdict.n_different:,}" if verdict.n_different else "", kind="count")
        mark = tag("a", joined([count, mark], " "), href=f"#{anchor(vocabulary, verdict)}")
    speed = None if row is None else row["tokens_per_s"]
    shown = tag("small", "" if speed is None else with_prefix(speed))
    different = f"{verdict.n_different:,} of {verdict.n_texts:,} texts differ. "
    title = MEANINGS[verdict.state] if verdict.state == EQUAL else different + verdict.reason
    return Cell(joined([mark, " ", shown]), speed, verdict.state, title)


def _legend(found: Field) -> Html:
    verdicts = [each for vocabulary in found.vocabularies for each in vocabulary.verdicts]
    states = [state for state in MARKS if any(each.state == state for each in verdicts)]
    meanings = [
        joined([tag("span", MARKS[state], kind=f"mark {state.replace(' ', '-')}"), f" {MEANINGS[state]}"])
        for state in states
    ]
    n_texts = max((each.n_texts for each in verdicts), default=0)
    told: list[str] = [joined([joined(meanings, Html(" <i>·</i> ")), "."])]
    if WRONG in states:
        told.append(f"Before {MARKS[WRONG]} stands how many of {n_texts:,} texts differ.")
    if found.texts:
        told.append(f"Figures are tokens/s on {found.texts[0].title}, one thread, caches warm.")
    nowhere = [each for each in standings(found) if not each.taken]
    if nowhere:
        told.append(f"No vocabulary here is for {', '.join(each.contender for each in nowhere)}.")
    if found.missing:
        told.append(f"Not given to this run: {', '.join(found.missing)}.")
    return tag("p", joined(told, " "), kind="dim small legend")
