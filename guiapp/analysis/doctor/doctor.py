"""Find all problems of a tokenizer's files, without running any code in them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from os.path import isdir
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.compare.vocabularies import (
    AFTER,
    BEFORE,
    ENDS,
    NOTHING,
    VocabularyComparison,
    compare_vocabularies,
)
from guiapp.analysis.doctor.examined import Check, ExaminedModel
from guiapp.analysis.doctor.findings import (
    CONVERT,
    DOWNLOAD,
    ERROR,
    HINT,
    MOST_NAMED,
    SEVERITIES,
    WARNING,
    Finding,
    Tokenization,
    TokenizationChange,
)
from guiapp.analysis.doctor.fixes import FileFix, fixes_of
from guiapp.analysis.doctor.pre_tokenizer import (
    check_growth,
    check_patterns,
    check_pre,
    check_readings,
    first_change,
    likeliest,
)
from guiapp.analysis.doctor.roles import (
    check_clean_up,
    check_end_ids,
    check_ends,
    check_roles,
    check_sizes,
    check_templates,
)
from guiapp.analysis.doctor.tokens import (
    check_bytes,
    check_confusables,
    check_kinds,
    check_merges,
    check_padding,
    check_scores,
    check_spelling,
)
from guiapp.analysis.explain.spelling import code, in_markdown
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.formats.file_bytes import open_regular
from guiapp.core.formats.table import HEAD_BYTES, format_of, is_tokenizer
from guiapp.core.open_model import open_model, with_file_pre
from guiapp.core.sources.locate import located
from guiapp.core.sources.tokenizer_files import file_in
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.opening import Opening
from guiapp.core.vocabulary.remedies import COMMAND, GGUF, fixing
from guiapp.core.vocabulary.vocabulary import VocabType
from guiapp.errors import UnknownPreError, VocabError

MOST_IDS = 12
IN_ALL_FORMATS = (BEFORE, AFTER, ENDS, "chat template")
"""Rules that all formats specify alike; other rules may differ in words and still give the same ids."""
HOLDS_NO_SPECIAL = "tiktoken"
"""Programs add the special tokens to files of this format, so different ones are no fault of a conversion."""
SPECIAL = Attribute.CONTROL | Attribute.USER_DEFINED | Attribute.UNUSED
CHECKS: tuple[Check, ...] = (
    check_pre,
    check_patterns,
    check_growth,
    check_merges,
    check_kinds,
    check_padding,
    check_bytes,
    check_spelling,
    check_scores,
    check_roles,
    check_ends,
    check_end_ids,
    check_sizes,
    check_confusables,
    check_templates,
    check_clean_up,
    check_readings,
)

OF_REMARKS = {
    "merges_missing": (ERROR, CONVERT),
    "merge_broken": (ERROR, CONVERT),
    "tokens_missing": (ERROR, CONVERT),
    "character_map_broken": (ERROR, CONVERT),
    "role_out_of_range": (ERROR, CONVERT),
    "key_of_other_type": (ERROR, CONVERT),
    "token_empty": (WARNING, CONVERT),
    "values_left_over": (WARNING, CONVERT),
    "file_incomplete": (WARNING, "Download it again."),
    "part_missing": (ERROR, "Download the parts that are missing."),
    "part_misnamed": (ERROR, "Rename it to its original name."),
    "part_not_first": (ERROR, "Open the first part."),
}
"""Severity and remedy of the warnings of file readers, by code; other codes are hints."""
OF_CHECKS = ("pre_missing", "pre_by_hand", "bytes_missing", "byte_misnamed")
"""Warnings that checks describe in more detail, or that follow from the user's own choice."""
MOST_OF_A_KIND = 20


@dataclass(frozen=True)
class Diagnosis:
    """All findings about a file, the worst first.

    tokenizer  None if the file could not be opened at all
    path       the examined file; in a folder, the chosen one
    fixes      for a copy, by the code of the findings
    """

    findings: tuple[Finding, ...]
    tokenizer: Tokenizer | None
    path: Path | None
    fixes: Mapping[str, FileFix] = field(default_factory=dict)

    def __repr__(self) -> str:
        codes = ", ".join(finding.code for finding in self.findings)
        return f"<Diagnosis: {counted(len(self.findings), 'finding')}{f' ({codes})' if codes else ''}>"

    @property
    def worst(self) -> str | None:
        """The severity of the first finding; None if there is none."""
        return self.findings[0].severity if self.findings else None


def doctor(
    model: str | PathLike[str],
    original: str | PathLike[str] | Tokenizer | None = None,
    progress: Callable[[float], None] = lambda _share: None,
) -> Diagnosis:
    """Find the problems of a tokenizer, and its differences from the `original` that it was converted from.

    `progress` is called with the share done before each check; an exception from it stops the work.
    Raises VocabError if the file is not a tokenizer or the original cannot be used; ChatError if a template
    file cannot be read.
    """
    reference = original if original is None or isinstance(original, Tokenizer) else open_model(original)
    try:
        tokenizer = _opened(model)
    except VocabError as error:
        path = _path(model)
        if (kind := _format(path)) is None:
            raise
        what, _, advice = str(error).rpartition(". ")  # the last sentence is advice
        _, remedy = OF_REMARKS.get(error.code, (ERROR, advice))
        finding = Finding(error.code, ERROR, f"{what}." if what else advice, remedy, key=error.key)
        finding = _fitting(finding, kind == GGUF)
        fixes = fixes_of(None, [finding])
        return Diagnosis(_in_order([finding], fixes, path, None), None, path, fixes)
    return examine(tokenizer, reference, progress)


def examine(
    tokenizer: Tokenizer,
    original: Tokenizer | None = None,
    progress: Callable[[float], None] = lambda _share: None,
) -> Diagnosis:
    """`doctor` for an open tokenizer."""
    examined, path = ExaminedModel(tokenizer, original), tokenizer.vocabulary.path
    findings = list(dict.fromkeys(_findings(examined, progress)))
    fixes = fixes_of(examined, findings)
    return Diagnosis(_in_order(findings, fixes, path, original), tokenizer, path, fixes)


def _findings(examined: ExaminedModel, progress: Callable[[float], None]) -> Iterator[Finding]:
    vocabulary = examined.vocabulary
    for remark in vocabulary.warnings:
        if remark.code not in OF_CHECKS:
            usual = (ERROR, CONVERT) if remark in vocabulary.refusals else (HINT, "")
            severity, remedy = OF_REMARKS.get(remark.code, usual)
            yield _fitting(Finding(remark.code, severity, remark, remedy, key=remark.key), examined.is_gguf)
    for number, check in enumerate(CHECKS):
        progress(number / len(CHECKS))
        yield from (_fitting(finding, examined.is_gguf) for finding in check(examined))
    if examined.original is not None:
        yield from check_original(examined, examined.original)


def _opened(model: str | PathLike[str]) -> Tokenizer:
    """Open a tokenizer, with the likeliest pre-tokenizer if the file names an unknown one."""
    try:
        return open_model(model)
    except UnknownPreError:
        tokenizer = open_model(model, "default")
        name, _ = likeliest(tokenizer.vocabulary)
        return tokenizer if name is None else open_model(model, name)


def _fitting(finding: Finding, is_gguf: bool) -> Finding:
    """A finding with a remedy that fits the file: only GGUF files were converted."""
    return finding if is_gguf or finding.remedy != CONVERT else replace(finding, remedy=DOWNLOAD)


def _path(model: str | PathLike[str]) -> Path:
    """The file that contains a model's tokenizer."""
    path = located(model, Opening(lambda _share: None)).path
    return file_in(path) if isdir(path) else path


def _format(path: Path) -> str | None:
    """The format of the file; None if unknown."""
    with open_regular(path) as file:
        head = file.read(HEAD_BYTES)
    return format_of(path).name if is_tokenizer(head) else None


def _in_order(
    findings: Sequence[Finding], fixes: Mapping[str, FileFix], path: Path | None, original: Tokenizer | None
) -> tuple[Finding, ...]:
    """The worst first, with a limit for each kind: a hostile file may cause very many."""
    of_kind: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in findings:
        named = _with_command(finding, fixes[finding.code], path, original)
        of_kind[finding.code, finding.severity].append(named)
    shown = list[Finding]()
    for (kind, severity), found in of_kind.items():
        shown += found[:MOST_OF_A_KIND]
        if n_more := len(found[MOST_OF_A_KIND:]):
            shown.append(Finding(kind, severity, f"{n_more:,} more of the same kind.", found[0].remedy))
    shown.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    return tuple(shown)


def _with_command(finding: Finding, fix: FileFix, path: Path | None, original: Tokenizer | None) -> Finding:
    """A finding to show: with its first tokens, and if possible the command that saves a fixed copy."""
    finding = replace(finding, tokens=finding.tokens[:MOST_NAMED])
    if not fix.options or finding.remedy != CONVERT:
        return finding
    source = original.vocabulary.path if original and finding.code.startswith("original_") else None
    return replace(finding, remedy=fixing(path, "" if fix.is_certain else fix.names[0], source))


# Whether a converted file agrees with its original


def check_original(examined: ExaminedModel, original: Tokenizer) -> Iterator[Finding]:
    """Different ids for a text in many scripts, and differences between the files."""
    by_file = ExaminedModel(with_file_pre(examined.tokenizer))
    if changes := first_change(by_file, ExaminedModel(original), add_special=True):
        what = f"“{quoted(changes.text)}” gets other ids than in the original, which gives the fixed ones."
        yield Finding("original_ids", ERROR, what, changes=changes)
    holds_special = original.vocabulary.format != HOLDS_NO_SPECIAL
    comparison = compare_vocabularies(examined.tokenizer, original)
    if examined.vocabulary.type is not VocabType.WPM or not examined.is_gguf:  # GGUF respells WPM tokens
        yield from _tokens(examined, comparison, holds_special)
    if (merges := comparison.merges) is not None:
        counts = len(merges.only[1]), len(merges.only[0]), int(merges.moved.sum())
        if any(counts):
            what = "Merge rules compared with the original: {:,} missing, {:,} added, {:,} reordered."
            yield Finding("original_merges", ERROR, what.format(*counts))
    if not holds_special:
        yield from _usual_tokens(examined, original)
    for role in comparison.roles:
        if role.first is not None and role.second is not None and role.differs:
            ids = f"id {role.first}; in the original it has id {role.second}"
            what = f"The {role.name.upper()} token has {ids}."
            yield Finding("original_role", WARNING if holds_special else HINT, what)
    is_of_one_format = examined.vocabulary.format == original.vocabulary.format
    for setting in comparison.other_settings:
        if setting.name == ENDS and not holds_special:
            continue
        if is_of_one_format or (setting.name in IN_ALL_FORMATS and setting.second != NOTHING):
            ours, theirs = quoted(setting.first), quoted(setting.second)
            yield Finding("original_rule", HINT, f"{setting.name.capitalize()}: {ours}; original: {theirs}.")
    for remark in original.vocabulary.warnings:
        yield Finding("original_remark", HINT, f"About the original: {remark}", "")


def _usual_tokens(examined: ExaminedModel, original: Tokenizer) -> Iterator[Finding]:
    """Special tokens with other names than usual for the original."""
    usual = original.vocabulary
    rows = np.flatnonzero(usual.attributes & SPECIAL)
    names = {row: usual.raw_text(row).decode("utf-8", "replace") for row in rows.tolist()}
    others = [row for row, name in names.items() if examined.texts[row : row + 1] != [name]]
    here = [row for row in others if row < len(examined.texts)]
    if here:
        what = f"usually “{quoted(names[here[0]])}”, but the original's file does not list special tokens."
        yield examined.about(here, "original_special_tokens", HINT, what, "")


def _tokens(
    examined: ExaminedModel, comparison: VocabularyComparison, with_special: bool
) -> Iterator[Finding]:
    first, second = (each.vocabulary for each in comparison.tokenizers)
    is_kept = [with_special | (each.attributes & SPECIAL == 0) for each in (first, second)]
    if len(missing := comparison.only[1][is_kept[1][comparison.only[1]]].tolist()):
        name = quoted(second.raw_text(missing[0]))
        what = f"The original has {counted(len(missing), 'token')} that this file lacks, such as “{name}”."
        yield Finding("original_tokens", ERROR, what)
    if len(new := comparison.only[0][is_kept[0][comparison.only[0]]].tolist()):
        yield examined.about(new, "original_tokens", HINT, "not in the original.", "")
    is_meant = is_kept[1][comparison.both[:, 1]]
    differs = {"id": comparison.other_id, "kind": _other_kinds(comparison), "score": comparison.other_score}
    for name, is_other in differs.items():
        if (is_other & is_meant).any():
            rows = comparison.both[is_other & is_meant, 0].tolist()
            severity, message = WARNING if name == "kind" else ERROR, f"different {name} in the original."
            yield examined.about(rows, f"original_{name}", severity, message)


def _other_kinds(comparison: VocabularyComparison) -> NDArray[np.bool_]:
    """Which tokens differ in kind, except unknown ones: they are control tokens in `tokenizers`."""
    special = [
        each.vocabulary.attributes[ids] & (Attribute.CONTROL | Attribute.UNKNOWN) > 0
        for each, ids in zip(comparison.tokenizers, comparison.both.T, strict=True)
    ]
    differs: NDArray[np.bool_] = comparison.other_kind & ~(special[0] & special[1])
    return differs


# A diagnosis as a JSON record, as lines and as Markdown


def record(diagnosis: Diagnosis) -> dict[str, Any]:
    """The record of `doctor --json`; `changes` is null if no single text shows the problem."""
    name = None if diagnosis.path is None else diagnosis.path.name
    return {"file": name, "findings": [finding_record(each, diagnosis.fixes) for each in diagnosis.findings]}


def finding_record(finding: Finding, fixes: Mapping[str, FileFix]) -> dict[str, Any]:
    """One of `findings`; `fix` lists the arguments of `--only` for it, empty if a copy cannot fix it."""
    fix = fixes.get(finding.code)
    changes = finding.changes
    after = changes and changes.after
    ids = changes and {"text": changes.text, "before": changes.before.ids, "after": after and after.ids}
    line = finding.line and {"template": finding.line.template, "number": finding.line.number}
    return {
        "code": finding.code,
        "severity": finding.severity,
        "what": finding.what,
        "changes": ids,
        "remedy": finding.remedy,
        "tokens": finding.tokens,
        "pre": finding.pre,
        "line": line,
        "fix": [] if fix is None else fix.names,
    }


def text_lines(diagnosis: Diagnosis) -> Iterator[str]:
    """Lines to read: each finding, the text that shows it, and the remedy."""
    for finding in diagnosis.findings:
        yield f"{finding.severity}: {finding.what} [{finding.code}]"
        if finding.changes is not None:
            yield f"    text:   {_change(finding.changes)}"
        if finding.remedy:
            yield f"    fix:    {finding.remedy}"
    where = "" if diagnosis.path is None else f" in {quoted(diagnosis.path.name)}"
    yield f"{count(diagnosis.findings)}{where}."
    if diagnosis.findings:
        yield f"`tokenloupe help doctor#{diagnosis.findings[0].code}` explains this code."


def _change(change: TokenizationChange) -> str:
    now = f"“{quoted(change.text)}” gets the ids {_ids(change.before)}"
    return now if change.after is None else f"{now}; fixed: {_ids(change.after)}"


def _ids(cut: Tokenization) -> str:
    more = ", …" if len(cut.ids) > MOST_IDS else ""
    return f"[{', '.join(map(str, cut.ids[:MOST_IDS]))}{more}]"


def markdown(title: str, diagnosis: Diagnosis) -> str:
    """Markdown for a file or an issue: a heading for each severity, literal text in code marks."""
    lines = [f"# Findings about {in_markdown(quoted(title))}", "", f"{count(diagnosis.findings)}."]
    for severity in SEVERITIES:
        found = [each for each in diagnosis.findings if each.severity == severity]
        lines += ["", f"## {counted(len(found), severity).capitalize()}", ""] * bool(found)
        for each in found:
            lines.append(f"- {in_markdown(each.what)} ({code(each.code)})")
            if each.changes is not None:
                lines.append(f"  - Text: {in_markdown(_change(each.changes))}")
            if each.remedy:
                remedy = code(each.remedy) if is_command(each.remedy) else in_markdown(each.remedy)
                lines.append(f"  - Fix: {remedy}")
    return "\n".join(lines) + "\n"


def count(findings: Sequence[Finding]) -> str:
    """The number of findings of each severity, the worst first."""
    n_of = Counter(each.severity for each in findings)
    counts = [counted(n_of[severity], severity) for severity in SEVERITIES if n_of[severity]]
    return ", ".join(counts).capitalize() or "No findings"


def is_command(remedy: str) -> bool:
    """Whether a remedy is a command rather than a sentence."""
    return remedy.startswith(COMMAND)
