"""The field as one HTML page that needs no other file and no script: exactness first, then speed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from guiapp.analysis.bench.field.exactness import (
    DISPUTED,
    EQUAL,
    LEFT_OUT,
    LOST,
    WRONG,
    IdDifference,
    Judgement,
)
from guiapp.analysis.bench.field.record import (
    OURS,
    ContenderStanding,
    FieldRun,
    UsedText,
    VocabularyField,
    detailed,
    fastest,
    headline,
    judgement_of,
    standings,
    throughput,
    title_of,
    wrong_ones,
)
from guiapp.analysis.bench.measurement import Record, half_width
from guiapp.analysis.bench.notes import warnings
from guiapp.analysis.bench.published import CLAIMS, Claim, PublishedComparison, comparable, ratio_text
from guiapp.analysis.bench.wording import BYTES_PER_MB, size_text
from guiapp.analysis.export.html import (
    Html,
    TableCell,
    TableColumn,
    bar,
    beginning,
    joined,
    resource,
    section,
    table,
    tag,
    words,
)
from guiapp.analysis.export.tables import NONE
from guiapp.core.text.figures import counted, percent, three_digits, with_prefix
from guiapp.core.text.visible_text import visible_text

MOST_SHOWN = 120  # characters of a text
MOST_TOKENS = 24
ABOUT_WRONG = (
    "Compared are ids of up to {n_texts:,} texts for each vocabulary: lines and wholes of the built-in "
    "samples, and generated ones of digits, contractions, white space, all categories of Unicode, and random "
    "tokens. The shortest that differs is made shorter, then simpler, as long as it still differs. Expected "
    "is what Tokenloupe gives; a contender is called wrong only where another reference gives the same."
)
ABOUT_CALLS = (
    "Opening makes a tokenizer of a vocabulary as the library reads it, its import not counted; the first "
    "call is with the first text, nothing cached. Short calls are prompts one after another. Memory is what "
    "the tokenizer adds to its process, and what encoding 2 MB adds on top at most."
)
ABOUT_THREADS = (
    "Threads share a batch of documents of 2 kB, together 2 MB, of words of the samples in random order "
    "behind the first text. The worst case is text that cannot be split: one letter, random letters, and "
    "the vocabulary's longest words joined without a space."
)
ABOUT_TIMES = (
    "Each contender runs in a process of its own; they take turns. Times are medians, ± is half of the 95 % "
    "interval. Each text is encoded over and over, so that caches are warm: with new text all are slower, "
    "those with the largest caches the most."
)
LISTED = ("Tokenloupe", "Python", "System", "processor", "cores", "started", "ended")
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


# What stands below the top of the field's page


def wrong_section(found: FieldRun) -> Html:
    """Each that is wrong with a vocabulary, with its shortest text."""
    columns = [
        TableColumn("", "name"),
        TableColumn("with", "name"),
        TableColumn("shortest text", "text"),
        TableColumn("expected", "text"),
        TableColumn("gives", "text"),
        TableColumn("expected also by", "text"),
        TableColumn("texts that differ", is_descending=True),
    ]
    groups: dict[object, list[tuple[VocabularyField, Judgement]]] = {}
    for vocabulary, verdict in wrong_ones(found):  # those that err alike share a row
        told = verdict.difference or verdict.contender
        groups.setdefault((vocabulary.name, told, verdict.n_different), []).append((vocabulary, verdict))
    rows = list(map(_wrong_row, groups.values()))
    if not rows:
        return section("Wrong ids", tag("p", "None: all that took part give the same ids on all texts."))
    n_texts = max(verdict.n_texts for _, verdict in wrong_ones(found))
    about = ABOUT_WRONG.format(n_texts=n_texts)
    return section("Wrong ids, and the shortest text that shows it", tag("p", about), table(columns, rows))


def _wrong_row(group: Sequence[tuple[VocabularyField, Judgement]]) -> list[TableCell]:
    vocabulary, verdict = group[0]
    names = [tag("b", title_of(each.contender), id=anchor(where, each)) for where, each in group]
    head = [
        TableCell(joined(names, ", "), title_of(verdict.contender), "name names"),
        TableCell(vocabulary.title, kind="name"),
    ]
    difference = verdict.difference
    if difference is None:
        return [
            *head,
            TableCell(verdict.reason, kind="text"),
            *(TableCell(NONE, kind="none") for _ in range(4)),
        ]
    by = ", ".join(difference.agreeing) or "nobody who could be asked"
    if difference.deviating:
        by += f"; not by {', '.join(difference.deviating)}"
    share = f"{verdict.n_different:,} of {verdict.n_texts:,}"
    found = _tokens(difference.found_tokens, difference.found)
    return [
        *head,
        TableCell(_shown(difference), kind="text", title=f"From {difference.origin}"),
        TableCell(_tokens(difference.expected_tokens, difference.expected), kind="text"),
        TableCell(found if difference.found is not None else "an error", kind="text"),
        TableCell(by, kind="text"),
        TableCell(share, verdict.n_different),
    ]


def anchor(vocabulary: VocabularyField, verdict: Judgement) -> str:
    """Where the page tells of somebody's wrong ids."""
    return f"wrong-{vocabulary.name}-{verdict.contender}".replace(" ", "-")


def _shown(difference: IdDifference) -> Html:
    return tag("code", visible_text(difference.text.encode("utf-8", "replace"), MOST_SHOWN))


def _tokens(texts: Sequence[str], ids: Sequence[int] | None) -> Html:
    pairs = list(zip(texts, ids or (), strict=False))
    shown = [
        joined([tag("code", text), tag("sub", str(token))], Html("")) for text, token in pairs[:MOST_TOKENS]
    ]
    more = [f"… {len(pairs) - MOST_TOKENS} more"] if len(pairs) > MOST_TOKENS else []
    return joined([*shown, *more], " ") if pairs else Html("no tokens")


def throughput_sections(found: FieldRun) -> Iterator[Html]:
    """A table for each vocabulary, the detailed one first."""
    for vocabulary in sorted(found.vocabularies, key=lambda each: not each.is_detailed):
        if vocabulary.run is not None:
            yield section(f"Throughput with {vocabulary.title}", *_throughput(found, vocabulary))


def _throughput(found: FieldRun, vocabulary: VocabularyField) -> Iterator[Html]:
    yield tag("p", _fastest_sentence(found, vocabulary))
    columns = [TableColumn("", "name"), TableColumn("ids")]
    for text in found.texts:
        columns += [TableColumn(f"{text.title}, tokens/s", "bars", is_descending=True), TableColumn("±")]
    names = [each.contender for each in standings(found)]
    measured = [name for name in names if any(throughput(vocabulary, name, text) for text in found.texts)]
    best = {text: _most(vocabulary, measured, text) for text in found.texts}
    rows = []
    for name in measured:
        verdict = judgement_of(vocabulary, name)
        is_equal = verdict is not None and verdict.state == EQUAL
        row = [_name(name), TableCell("equal" if is_equal else "differ", kind=EQUAL if is_equal else WRONG)]
        for text in found.texts:
            timed = throughput(vocabulary, name, text)
            row += [speed_cell(timed, best[text], name, is_equal), _spread_cell(timed)]
        rows.append(row)
    yield table(columns, rows)


def _most(vocabulary: VocabularyField, names: Sequence[str], text: UsedText) -> float:
    rows = [throughput(vocabulary, name, text) for name in names]
    return max((row["mb_per_s"] for row in rows if row is not None), default=1.0)


def speed_cell(row: Record | None, most: float, name: str, is_exact: bool) -> TableCell:
    """A bar as a share of the highest speed, and the speed."""
    if row is None:
        return TableCell(NONE, None, "bars none")
    kind = "ours" if name == OURS else "exact" if is_exact else "inexact"
    low, high = (row["size_bytes"] / seconds / 1e6 / most for seconds in reversed(row["ci_s"]))
    bytes_text = f"{three_digits(row['mb_per_s'])} MB/s"
    texts = [tag("b", with_prefix(row["tokens_per_s"])), " ", tag("small", bytes_text)]
    if row["exact"] is None:  # tokens of another vocabulary are no measure
        texts = [tag("b", bytes_text)]
    return TableCell(joined([bar(row["mb_per_s"] / most, low, high, kind), *texts]), row["mb_per_s"], "bars")


def _spread_cell(row: Record | None) -> TableCell:
    return TableCell("") if row is None else TableCell(percent(half_width(row)), half_width(row), "dim")


def _fastest_sentence(found: FieldRun, vocabulary: VocabularyField) -> str:
    """Tokenloupe beside the fastest exact one on each text, whatever that is."""
    told = []
    for text in found.texts:
        best = fastest(found, vocabulary, text)
        if best is None:
            continue
        is_told = best.ratio is not None and best.contender != OURS
        ratio = f", {best.ratio:.2f} × as fast as {OURS}" if is_told else ""
        doubt = f" (intervals touch: {', '.join(best.comparable)})" if best.comparable else ""
        told.append(f"{text.title}: {best.contender}{ratio}{doubt}")
    return f"The fastest of the exact. {'; '.join(told)}." if told else "Nobody exact was timed."


def detail_sections(found: FieldRun) -> Iterator[Html]:
    """What is measured with one vocabulary only."""
    main = detailed(found)
    if main is None or main.run is None:
        return
    names = [each.contender for each in standings(found) if judgement_of(main, each.contender) is not None]
    names = [name for name in names if _results(main, name, "throughput")]
    yield section(
        f"Opening, first call, short calls, memory, with {main.title}",
        tag("p", ABOUT_CALLS),
        _calls_table(main, names),
    )
    yield section(
        f"Threads and the worst case, with {main.title}",
        tag("p", ABOUT_THREADS),
        _threads_table(main, names),
    )


def _calls_table(main: VocabularyField, names: Sequence[str]) -> Html:
    sizes = sorted({row["size_bytes"] for name in names for row in _results(main, name, "short")})
    columns = [TableColumn("", "name"), TableColumn("opening, ms"), TableColumn("first call, ms")]
    columns += [TableColumn(f"{size:,} B, µs") for size in sizes]
    columns += [TableColumn("memory, MB"), TableColumn("+ encoding, MB")]
    rows = []
    for name in names:
        times = main.openings.get(_contender(main, name), ())
        row = [_name(name)]
        for each in zip(*times, strict=True) if times else ((), ()):
            row.append(_number(median(each) * 1e3 if each else None))
        short = {each["size_bytes"]: each for each in _results(main, name, "short")}
        row += [_number(short[size]["median_s"] * 1e6 if size in short else None) for size in sizes]
        memory = next(iter(_results(main, name, "memory")), None)
        for key in ("built_bytes", "encoding_bytes"):
            row.append(_number(None if memory is None else memory[key] / BYTES_PER_MB))
        rows.append(row)
    return table(columns, rows)


def _threads_table(main: VocabularyField, names: Sequence[str]) -> Html:
    every = [row for name in names for row in _results(main, name, "threads")]
    threads = sorted({row["threads"] for row in every})
    worst = [row for name in names for row in _results(main, name, "worst")]
    largest = max((row["size_bytes"] for row in worst), default=0)
    texts = list(dict.fromkeys(row["corpus"] for row in worst))
    columns = [TableColumn("", "name")]
    columns += [TableColumn(f"{counted(n, 'thread')}, M tokens/s", is_descending=True) for n in threads]
    columns += [TableColumn(f"{text}, {size_text(largest)}, ms") for text in texts]
    rows = []
    for name in names:
        speeds = {row["threads"]: row["tokens_per_s"] / 1e6 for row in _results(main, name, "threads")}
        slow = {
            row["corpus"]: row["median_s"] * 1e3
            for row in _results(main, name, "worst")
            if row["size_bytes"] == largest
        }
        figures = [*map(speeds.get, threads), *map(slow.get, texts)]
        rows.append([_name(name), *map(_number, figures)])
    return table(columns, rows)


def claims_section(found: FieldRun) -> Html:
    """What others say of themselves, and what this run says of the same pair."""
    columns = [
        TableColumn("", "name"),
        TableColumn("in its own words", "text"),
        TableColumn("version"),
        TableColumn("of"),
        TableColumn("says"),
        TableColumn("than"),
        TableColumn("here"),
        TableColumn("ids here"),
    ]
    taken = {each.contender for each in standings(found) if each.taken}
    rows = [_claim_row(found, claim) for claim in CLAIMS if claim.contender in taken]
    main = detailed(found)
    about = "Their machines, texts and ways of timing are others. Here is one thread"
    if main is not None and found.texts:
        about += f", {found.texts[0].title}, {main.title}"
    printed = () if main is None or main.run is None else _printed(main.run)
    return section("What they say of themselves", tag("p", f"{about}."), table(columns, rows), *printed)


def _printed(run: Record) -> Iterator[Html]:
    """Figures that papers and projects print, beside this run's."""
    for source, rows in comparable(run).items():
        titles = ("", "what", "printed", f"× {source.base}", "here, MB/s", f"× {source.base}")
        columns = [TableColumn(title, "" if at else "name") for at, title in enumerate(titles)]
        yield tag("h3", source.name)
        yield tag("p", f"Printed in: {source.where}. What differs: {source.differs}.")
        yield table(columns, (_printed_row(row, row.result) for row in rows if row.result is not None))


def _printed_row(row: PublishedComparison, result: Record) -> list[TableCell]:
    what = (
        f"{result['scenario']}, {result['corpus']}, {result['size_bytes']:,} B, {result['threads']} threads"
    )
    return [
        _name(title_of(row.published.contender)),
        TableCell(what.replace(", 1 threads", "")),
        TableCell(row.published.figure),
        TableCell(ratio_text(row.published_ratio), row.published_ratio),
        _number(result["mb_per_s"]),
        TableCell(ratio_text(row.ratio), row.ratio),
    ]


def _claim_row(found: FieldRun, claim: Claim) -> list[TableCell]:
    standing = next(each for each in standings(found) if each.contender == claim.contender)
    main, ratio = detailed(found), None
    if main is not None and claim.than and found.texts:
        both = [throughput(main, name, found.texts[0]) for name in (claim.than, claim.contender)]
        if both[0] is not None and both[1] is not None:
            ratio = both[0]["median_s"] / both[1]["median_s"]
    n_wrong = sum(each.state != EQUAL for each in standing.taken)
    told = "equal" if standing.is_exact else f"differ with {n_wrong} of {len(standing.taken)}"
    return [
        _name(claim.contender),
        TableCell(tag("q", claim.words), kind="text"),
        TableCell(claim.version),
        TableCell(claim.date),
        TableCell(f"{claim.ratio} ×" if claim.ratio else NONE),
        TableCell(claim.than or NONE),
        TableCell(NONE if ratio is None else f"{three_digits(ratio)} ×", ratio),
        TableCell(told, kind=EQUAL if standing.is_exact else WRONG),
    ]


def texts_section(found: FieldRun) -> Html:
    """What was read, and who took no part with it."""
    texts = [
        [
            TableCell(text.title, kind="name"),
            TableCell(text.corpus),
            TableCell(f"{text.size_bytes:,}"),
            _hash(text.sha256),
        ]
        for text in found.texts
    ]
    files = [
        [
            TableCell(each.title, kind="name"),
            TableCell(each.about, kind="text"),
            TableCell(each.file),
            TableCell(f"{each.n_tokens:,}"),
            _hash(each.sha256),
        ]
        for each in found.vocabularies
    ]
    heads = ("", "whose", "file", "tokens", "SHA-256")
    return section(
        "Texts and vocabularies",
        table([TableColumn(title) for title in ("", "text", "bytes", "SHA-256")], texts),
        table([TableColumn(title) for title in heads], files),
        tag("h3", "Who takes no part, and why"),
        table(
            [TableColumn("", "name"), TableColumn("with"), TableColumn("because", "text")],
            _missing_rows(found),
        ),
    )


def _missing_rows(found: FieldRun) -> Iterator[list[TableCell]]:
    """One row for each reason of somebody."""
    missed: dict[tuple[str, str], list[str]] = {}
    for vocabulary in found.vocabularies:
        for verdict in vocabulary.verdicts:
            if verdict.state in (LEFT_OUT, LOST):
                key = title_of(verdict.contender), verdict.reason
                missed.setdefault(key, []).append(vocabulary.title)
        for each in (vocabulary.run or {}).get("left_out", ()):
            place = f"{vocabulary.title}, {each['scenario']}" if each["scenario"] else vocabulary.title
            missed.setdefault((title_of(each["contender"]), each["reason"]), []).append(place)
    for (name, reason), places in missed.items():
        where = ", ".join(dict.fromkeys(places))
        yield [_name(name), TableCell(where, kind="text"), TableCell(reason, kind="text")]
    for name, how in found.absent.items():
        yield [_name(name), TableCell("all"), TableCell(how, kind="text")]


def machine_section(found: FieldRun) -> Html:
    """The machine, what made figures doubtful, and how to repeat them."""
    rows = [
        [TableCell(key.replace("_", " "), kind="name"), TableCell(str(found.environment[key]), kind="text")]
        for key in LISTED
        if found.environment.get(key) is not None
    ]
    doubts = [
        tag("li", f"{vocabulary.title}: {line}")
        for vocabulary in found.vocabularies
        if vocabulary.run is not None
        for line in warnings(vocabulary.run)
    ]
    return section(
        "Machine, doubts, and how to repeat it",
        table([TableColumn("", "name"), TableColumn("")], rows),
        tag("ul", joined(doubts))
        if doubts
        else tag("p", "Nothing disturbed the machine that it could tell."),
        tag("p", ABOUT_TIMES),
        tag("pre", found.command),
    )


def _results(main: VocabularyField, name: str, scenario: str) -> list[Record]:
    return main.results(_contender(main, name), scenario)


def _contender(main: VocabularyField, name: str) -> str:
    verdict = judgement_of(main, name)
    return name if verdict is None else verdict.contender


def _name(name: str) -> TableCell:
    return TableCell(tag("b", name), name, "name ours" if name == OURS else "name")


def _number(value: float | None) -> TableCell:
    return TableCell(NONE, None, "none") if value is None else TableCell(three_digits(value), value)


def _hash(sha256: str) -> TableCell:
    return TableCell(tag("code", sha256[:16]), title=sha256)
