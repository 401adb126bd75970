"""A diagnosis as a JSON record and as lines: what `doctor` prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from guiapp.core.doctor.doctor import Diagnosis
from guiapp.core.doctor.findings import Change, Finding
from guiapp.core.explain.figures import counted
from guiapp.core.vocab.quoting import quoted

MOST_IDS = 12


def record(diagnosis: Diagnosis) -> dict[str, Any]:
    """The record of `doctor --json`; `changes` is null where no one text shows it."""
    return {"findings": [_finding(each) for each in diagnosis.findings]}


def _finding(finding: Finding) -> dict[str, Any]:
    changes = finding.changes
    return {
        "code": finding.code,
        "severity": finding.severity,
        "what": finding.what,
        "changes": None
        if changes is None
        else {"text": changes.text, "before": changes.before, "after": changes.after},
        "remedy": finding.remedy,
    }


def text_lines(diagnosis: Diagnosis) -> Iterator[str]:
    """For people: what, the text that shows it, and the remedy."""
    for finding in diagnosis.findings:
        yield f"{finding.severity}: {finding.what} [{finding.code}]"
        if finding.changes is not None:
            yield f"    text:   {_change(finding.changes)}"
        if finding.remedy:
            yield f"    remedy: {finding.remedy}"
    yield counted(len(diagnosis.findings), "finding") + "."


def _change(change: Change) -> str:
    now = f"“{quoted(change.text)}” is {_ids(change.before)}"
    return now if change.after is None else f"{now}; mended: {_ids(change.after)}"


def _ids(ids: tuple[int, ...]) -> str:
    more = ", …" if len(ids) > MOST_IDS else ""
    return f"[{', '.join(map(str, ids[:MOST_IDS]))}{more}]"
