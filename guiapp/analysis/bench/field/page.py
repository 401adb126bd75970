"""The field as one HTML page that needs no other file and no script: exactness first, then speed."""

from __future__ import annotations

from guiapp.analysis.bench.field.exactness import DISPUTED, EQUAL, LEFT_OUT, LOST, WRONG, Judgement
from guiapp.analysis.bench.field.record import FieldRun, UsedText, VocabularyField
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
    ContenderStanding,
    detailed,
    headline,
    judgement_of,
    standings,
    throughput,
)
from guiapp.analysis.bench.measurement import Record
from guiapp.analysis.export.html import (
    Html,
    TableCell,
    TableColumn,
    beginning,
    joined,
    resource,
    table,
    tag,
    words,
)
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


def page(field_run: FieldRun) -> str:
    """The whole page."""
    style, script = map(resource, ("field.css", "field.js"))
    content = [
        _top(field_run),
        wrong_section(field_run),
        *throughput_sections(field_run),
        *detail_sections(field_run),
        claims_section(field_run),
        texts_section(field_run),
        machine_section(field_run),
    ]
    body = joined(content, Html("\n"))
    return f"{beginning(TITLE, style, script)}{body}\n<script>{script}</script>\n</body>\n</html>\n"


def _top(field_run: FieldRun) -> Html:
    environment = field_run.environment
    day = str(environment.get("started", "")).partition("T")[0]
    machine = f"{environment.get('processor', '')}, {counted(environment.get('cores') or 1, 'core')}"
    sentences = [TITLE, day, machine, f"Tokenloupe {environment.get('Tokenloupe', '')}"]
    first, second = headline(field_run)
    stopped = (
        "" if field_run.is_complete else tag("p", "This run was stopped before its end.", kind="warning")
    )
    return tag(
        "header",
        joined(
            [
                tag("p", joined(map(words, sentences), Html(" <i>·</i> ")), kind="dim small"),
                tag("h1", first),
                tag("p", second, kind="second"),
                stopped,
                _matrix(field_run),
                _legend(field_run),
            ],
            Html("\n"),
        ),
    )


def _matrix(field_run: FieldRun) -> Html:
    """Contenders by vocabularies: whose ids are right, and tokens a second on the first text."""
    main, text = detailed(field_run), field_run.texts[0] if field_run.texts else None
    speed = "" if main is None or text is None else f"{text.title}, {main.title}: tokens/s"
    columns = [
        TableColumn("", "name"),
        *(TableColumn(each.title, is_descending=True, about=each.about) for each in field_run.vocabularies),
        TableColumn(speed, "bars", is_descending=True),
    ]
    taking = [each for each in standings(field_run) if each.taken]
    fastest = max((each.speed or 0.0 for each in taking), default=0.0)
    rows = [_row(field_run, each, text, fastest) for each in taking]
    return table(columns, rows, "matrix")


def _row(
    field_run: FieldRun, standing: ContenderStanding, text: UsedText | None, fastest: float
) -> list[TableCell]:
    name = standing.contender
    shown = joined([tag("b", name), " ", tag("small", standing.version)])
    cells = [TableCell(shown, name, "name ours" if name == OURS else "name")]
    for vocabulary in field_run.vocabularies:
        row = None if text is None else throughput(vocabulary, name, text)
        cells.append(_mark(vocabulary, judgement_of(vocabulary, name), row))
    main = detailed(field_run)
    row = None if main is None or text is None else throughput(main, name, text)
    return [*cells, speed_cell(row, fastest, name, standing.is_exact)]


def _mark(vocabulary: VocabularyField, verdict: Judgement | None, row: Record | None) -> TableCell:
    if verdict is None or verdict.state == LEFT_OUT:
        return TableCell(NONE, None, "none", "" if verdict is None else verdict.reason)
    mark = tag("span", MARKS[verdict.state], kind="mark")
    if verdict.state != EQUAL:
        count = tag("small", f"{verdict.n_different:,}" if verdict.n_different else "", kind="count")
        mark = tag("a", joined([count, mark], " "), href=f"#{anchor(vocabulary, verdict)}")
    speed = None if row is None else row["tokens_per_s"]
    shown = tag("small", "" if speed is None else with_prefix(speed))
    different = f"{verdict.n_different:,} of {verdict.n_texts:,} texts differ. "
    title = MEANINGS[verdict.state] if verdict.state == EQUAL else different + verdict.reason
    return TableCell(joined([mark, " ", shown]), speed, verdict.state, title)


def _legend(field_run: FieldRun) -> Html:
    verdicts = [each for vocabulary in field_run.vocabularies for each in vocabulary.verdicts]
    states = [state for state in MARKS if any(each.state == state for each in verdicts)]
    meanings = [
        joined([tag("span", MARKS[state], kind=f"mark {state.replace(' ', '-')}"), f" {MEANINGS[state]}"])
        for state in states
    ]
    n_texts = max((each.n_texts for each in verdicts), default=0)
    sentences: list[str] = [joined([joined(meanings, Html(" <i>·</i> ")), "."])]
    if WRONG in states:
        sentences.append(f"Before {MARKS[WRONG]} stands how many of {n_texts:,} texts differ.")
    if field_run.texts:
        sentences.append(f"Figures are tokens/s on {field_run.texts[0].title}, one thread, caches warm.")
    nowhere = [each for each in standings(field_run) if not each.taken]
    if nowhere:
        sentences.append(f"No vocabulary here is for {', '.join(each.contender for each in nowhere)}.")
    if field_run.missing:
        sentences.append(f"Not given to this run: {', '.join(field_run.missing)}.")
    return tag("p", joined(sentences, " "), kind="dim small legend")
