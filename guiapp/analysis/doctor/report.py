"""A diagnosis as a JSON record, as lines and as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from guiapp.analysis.doctor.doctor import Diagnosis
from guiapp.analysis.doctor.findings import SEVERITIES, Finding, Tokenization, TokenizationChange
from guiapp.analysis.explain.code_marks import code, in_markdown
from guiapp.core.text.figures import counted, quoted
from guiapp.core.vocabulary.remedies import TOOL

MOST_IDS = 12


def record(diagnosis: Diagnosis) -> dict[str, Any]:
    """The record of `doctor --json`; `changes` is null where no one text shows it."""
    name = None if diagnosis.path is None else diagnosis.path.name
    return {"file": name, "findings": [_finding(each) for each in diagnosis.findings]}


def _finding(finding: Finding) -> dict[str, Any]:
    changes = finding.changes
    return {
        "code": finding.code,
        "severity": finding.severity,
        "what": finding.what,
        "changes": None
        if changes is None
        else {
            "text": changes.text,
            "before": changes.before.ids,
            "after": None if changes.after is None else changes.after.ids,
        },
        "remedy": finding.remedy,
        "tokens": finding.tokens,
        "pre": finding.pre,
        "line": None
        if finding.line is None
        else {"template": finding.line.template, "number": finding.line.number},
    }


def text_lines(diagnosis: Diagnosis) -> Iterator[str]:
    """For people: what, the text that shows it, and the remedy."""
    for finding in diagnosis.findings:
        yield f"{finding.severity}: {finding.what} [{finding.code}]"
        if finding.changes is not None:
            yield f"    text:   {_change(finding.changes)}"
        if finding.remedy:
            yield f"    remedy: {finding.remedy}"
    where = "" if diagnosis.path is None else f" in {quoted(diagnosis.path.name)}"
    yield f"{count(diagnosis.findings)}{where}."


def _change(change: TokenizationChange) -> str:
    now = f"“{quoted(change.text)}” is {_ids(change.before)}"
    return now if change.after is None else f"{now}; mended: {_ids(change.after)}"


def _ids(cut: Tokenization) -> str:
    more = ", …" if len(cut.ids) > MOST_IDS else ""
    return f"[{', '.join(map(str, cut.ids[:MOST_IDS]))}{more}]"


def markdown(title: str, diagnosis: Diagnosis) -> str:
    """For a file or an issue: a heading for each severity, and what stands for itself in code marks."""
    lines = [f"# What the doctor says of {in_markdown(quoted(title))}", "", f"{count(diagnosis.findings)}."]
    for severity in SEVERITIES:
        found = [each for each in diagnosis.findings if each.severity == severity]
        lines += ["", f"## {counted(len(found), severity).capitalize()}", ""] * bool(found)
        for each in found:
            lines.append(f"- {in_markdown(each.what)} ({code(each.code)})")
            if each.changes is not None:
                lines.append(f"  - Text: {in_markdown(_change(each.changes))}")
            if each.remedy:
                remedy = code(each.remedy) if is_command(each.remedy) else in_markdown(each.remedy)
                lines.append(f"  - Remedy: {remedy}")
    return "\n".join(lines) + "\n"


def count(findings: Sequence[Finding]) -> str:
    """How many there are of each severity, the worst first."""
    n_of = Counter(each.severity for each in findings)
    told = [counted(n_of[severity], severity) for severity in SEVERITIES if n_of[severity]]
    return ", ".join(told).capitalize() or "No findings"


def is_command(remedy: str) -> bool:
    """Whether it is to be typed into a terminal rather than read."""
    return remedy.startswith(f"{TOOL} ")
