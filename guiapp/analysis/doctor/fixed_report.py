"""The report about a fixed copy, as lines to read and as a JSON record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from guiapp.analysis.doctor.doctor import finding_record
from guiapp.analysis.doctor.findings import Finding
from guiapp.analysis.doctor.fixed_copy import MOST_LISTED, Fixed
from guiapp.analysis.hunt import report
from guiapp.analysis.hunt.report import LONGEST_NAME
from guiapp.core.text.numbers_in_words import counted, quoted


def ids_in_words(fixed: Fixed) -> str:
    """A sentence: whether texts get the same ids as before, else the shortest text with other ids."""
    if fixed.hunt is None:
        return fixed.why_no_hunt
    if not fixed.hunt.tried and not fixed.hunt.finds:
        return "No texts were compared."
    if not fixed.hunt.finds:
        return f"Token ids are equal on {counted(fixed.hunt.tried, 'text')}."
    ids = [" ".join(map(str, each or ())) or "no ids" for each in fixed.hunt.finds[0].token_ids]
    text = report.escaped(fixed.hunt.finds[0].text)
    n_texts = f"{fixed.hunt.n_differing:,} of {counted(fixed.hunt.tried, 'text')} get other ids than before"
    return f"{n_texts}. The shortest is {text}: {ids[0]} before, {ids[1]} after."


def why_left(fixed: Fixed, finding: Finding) -> str:
    """Why a finding remains: it needs a choice, or a copy cannot fix it."""
    fix = fixed.fixes[finding.code]
    if fix.is_certain:
        return "Fix the copy again: this needs no choice."
    names = [f"--only {name}" for name in fix.names[:MOST_LISTED]]
    return f"Choose {' or '.join(names)}." if names else fix.reason


def text_lines(fixed: Fixed) -> Iterator[str]:
    """Lines to read: fixed codes, changed values, remaining findings and why, and the effect on texts."""
    yield f"Wrote {quoted(str(fixed.path), LONGEST_NAME)}."
    yield f"fixed: {', '.join(fixed.fixed) or 'no finding'}"
    for change in fixed.changes:
        before, after = change.before or "none", change.after or "none"
        yield f"    {quoted(change.file)}: {quoted(change.key)}: {before} → {after}"
    for title, findings in (("remains", fixed.remaining), ("new", fixed.new)):
        for finding in findings:
            yield f"{title}: {finding.severity}: {finding.what} [{finding.code}]"
            yield f"    {why_left(fixed, finding)}"
    if sentence := ids_in_words(fixed):
        yield sentence


def record(fixed: Fixed) -> dict[str, Any]:
    """The record of `doctor --fix --json`."""
    remaining, new = (
        [finding_record(each, fixed.fixes) | {"why": why_left(fixed, each)} for each in some]
        for some in (fixed.remaining, fixed.new)
    )
    hunt = fixed.hunt
    if hunt is not None:  # without hashes of the files, which take long for files with weights
        first, second = (replace(each, path=None) for each in hunt.subjects)
        hunt = replace(hunt, subjects=(first, second))
    return {
        "out": str(fixed.path),
        "chosen": fixed.chosen,
        "changes": [each._asdict() for each in fixed.changes],
        "fixed": fixed.fixed,
        "remaining": remaining,
        "new": new,
        "hunt": hunt and report.record(hunt),
        "ids": ids_in_words(fixed),
    }
