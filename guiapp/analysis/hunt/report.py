"""Reports of a hunt: to print, to save, and to paste into an issue."""

from __future__ import annotations

import json
from collections.abc import Iterator

from guiapp import __version__
from guiapp.analysis.explain.spelling import code, in_markdown, parts, without_marks
from guiapp.analysis.hunt.generators import ALL_NAMES
from guiapp.analysis.hunt.mismatches import Find, Hunt, HuntSubject
from guiapp.core.text.numbers_in_words import capitalized, counted, quoted

LONGEST_NAME = 4096


def record(hunt: Hunt) -> dict[str, object]:
    """The record of `hunt --json`."""
    return {
        "tried": hunt.tried,
        "seconds": round(hunt.seconds, 3),
        "seed": hunt.seed,
        "generators": list(hunt.generators or ALL_NAMES),
        "batches": hunt.n_batches,
        "differing": hunt.n_differing,
        "lines": hunt.n_lines,
        "differing_lines": hunt.n_differing_lines,
        "models": [_subject_record(subject) for subject in hunt.subjects],
        "finds": [_find_record(hunt, find) for find in hunt.finds],
        "notes": list(hunt.notes),
        "inconclusive": hunt.why_inconclusive or None,
    }


def _subject_record(subject: HuntSubject) -> dict[str, object]:
    return {
        "name": quoted(subject.name, LONGEST_NAME),
        "version": subject.version or None,
        "format": subject.format or None,
        "chosen_pre": subject.split_as or None,
        "path": None if subject.path is None else quoted(str(subject.path), LONGEST_NAME),
        "sha256": subject.sha256,
        "tokens": subject.tokens,
    }


def _find_record(hunt: Hunt, find: Find) -> dict[str, object]:
    return {
        "text": find.text.decode("utf-8", "replace"),
        "bytes_hex": find.text.hex(),
        "token_ids": [None if ids is None else list(ids) for ids in find.token_ids],
        "at": find.at,
        "cause": find.reason.cause.value,
        "subject": find.reason.subject,
        "why": without_marks(find.reason.sentence),
        "share": hunt.share(find),
        "generator": find.generator,
    }


def summary(hunt: Hunt) -> str:
    """Sentences about how many texts were tried, and how many differences were found."""
    if hunt.unlike:
        return "No texts were tried."
    tried = f"{counted(hunt.tried, 'text')} tried in {hunt.seconds:.1f} s, seed {hunt.seed}"
    found = f"{counted(len(hunt.finds), 'difference')} found" if hunt.finds else "no difference found"
    if doubt := hunt.why_inconclusive and f" {hunt.why_inconclusive}":
        found = "inconclusive"
    lines = ""
    if hunt.n_lines:
        lines = f" Of {counted(hunt.n_lines, 'line')} of your own, {hunt.n_differing_lines:,} differ."
    return f"{capitalized(found)}; {tried}.{doubt}{lines}"


def text_lines(hunt: Hunt) -> Iterator[str]:
    """The report for a terminal, line by line."""
    if hunt.unlike:
        yield without_marks(hunt.unlike)
        return
    yield summary(hunt)
    yield from (f"Compared with {each.name} {each.version}." for each in hunt.subjects if each.version)
    yield from hunt.notes
    for number, find in enumerate(hunt.finds, 1):
        yield ""
        yield f"{number}. {headline(find)}{_common(hunt, find)}"
        yield f"   {find.reason.sentence}"
        for subject, ids in zip(hunt.subjects, find.token_ids, strict=True):
            yield f"   {quoted(subject.name)}: {_ids(ids)}"


def headline(find: Find) -> str:
    """The text and the cause of a mismatch in one line."""
    cause, subject = find.reason.kind
    return f"{escaped(find.text) if find.text else 'each text'}: {cause.value} ({quoted(subject)})"


def _common(hunt: Hunt, find: Find) -> str:
    return f", {find.n_lines:,} in {counted(hunt.n_lines, 'line')}" if hunt.n_lines else ""


def escaped(text: bytes) -> str:
    """A quoted text in ASCII that JSON and Python can read; only Python if the text is not valid UTF-8."""
    try:
        return json.dumps(text.decode())
    except UnicodeDecodeError:
        return repr(text)


def _ids(ids: tuple[int, ...] | None) -> str:
    if ids is None:
        return "no ids"
    return " ".join(map(str, ids)) or "none"


def markdown(hunt: Hunt) -> str:
    """The report in Markdown: versions, hashes, and each mismatch with a command that reproduces it."""
    first, second = hunt.subjects
    lines = [
        f"# {_plain(first.name)} and {_plain(second.name)}",
        "",
        f"{_plain(summary(hunt))}",
        *(f"\n{_marked(note)}" for note in hunt.notes),
        "",
        "| | first | second |",
        "|---|---|---|",
        *_rows(first, second),
        "",
        f"Tokenloupe {__version__}; seed {hunt.seed}, batches of texts: {hunt.n_batches:,}{_only(hunt)}.",
    ]
    for number, find in enumerate(hunt.finds, 1):
        lines += ["", *_find_lines(hunt, find, number)]
    return "\n".join(lines) + "\n"


def _only(hunt: Hunt) -> str:
    return f"; generators: {', '.join(hunt.generators)}" if hunt.generators else ""


def _rows(first: HuntSubject, second: HuntSubject) -> Iterator[str]:
    for title, values in (
        ("name", (first.name, second.name)),
        ("format", (first.format, second.format)),
        ("version", (first.version, second.version)),
        ("split as", (first.split_as, second.split_as)),
        ("tokens", (f"{first.tokens:,}", f"{second.tokens:,}")),
        ("SHA-256", (first.sha256 or "", second.sha256 or "")),
    ):
        if any(values):
            yield f"| {title} | {_plain(values[0])} | {_plain(values[1])} |"


def _find_lines(hunt: Hunt, find: Find, number: int) -> Iterator[str]:
    cause, subject = find.reason.kind
    yield f"## {number}. {_plain(cause.value)}: {_plain(subject)}"
    yield ""
    yield _marked(find.reason.sentence)
    yield ""
    yield f"    text   {escaped(find.text)}"
    yield f"    bytes  {find.text.hex(' ')}"
    yield f"    from   byte {find.at}"
    for side, ids in zip(("first", "second"), find.token_ids, strict=True):
        yield f"    {side:6} {_ids(ids)}"
    yield f"    {_repeated(find.text)} | tokenloupe tokenize MODEL"
    if hunt.n_lines:
        yield ""
        yield f"{find.n_lines:,} in {counted(hunt.n_lines, 'line')} of the given texts differ like this."


def _repeated(text: bytes) -> str:
    """A shell command that prints any text byte by byte."""
    return "printf '" + "".join(f"\\{byte:03o}" for byte in text) + "'"


def _plain(text: str) -> str:
    """A text escaped for Markdown."""
    return in_markdown(quoted(text, LONGEST_NAME))


def _marked(sentence: str) -> str:
    """A sentence with its code marks, and everything else escaped for Markdown."""
    return "".join(code(part.text) if part.is_code else _plain(part.text) for part in parts(sentence))
