"""All that can be found wrong with a tokenizer's files, without running anything that they hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from os import PathLike
from os.path import isdir
from pathlib import Path

from guiapp.analysis.doctor.examined import Check, ExaminedModel
from guiapp.analysis.doctor.findings import CONVERT, DOWNLOAD, ERROR, HINT, SEVERITIES, WARNING, Finding
from guiapp.analysis.doctor.original import check_original
from guiapp.analysis.doctor.pre import check_patterns, check_pre, likeliest
from guiapp.analysis.doctor.roles import check_clean_up, check_end_ids, check_ends, check_roles, check_sizes
from guiapp.analysis.doctor.templates import check_templates
from guiapp.analysis.doctor.tokens import (
    check_bytes,
    check_confusables,
    check_kinds,
    check_merges,
    check_padding,
    check_scores,
    check_spelling,
)
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.formats.file_bytes import open_regular
from guiapp.core.formats.table import HEAD_BYTES, format_of, is_tokenizer
from guiapp.core.open_model import open_model
from guiapp.core.sources.locate import located
from guiapp.core.sources.tokenizer_files import file_in
from guiapp.core.vocabulary.opening import Opening
from guiapp.core.vocabulary.remedies import GGUF, in_turn, without_key
from guiapp.errors import UnknownPreError, VocabError

CHECKS: tuple[Check, ...] = (
    check_pre,
    check_patterns,
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
)

REMOVE = "the command that removes the key of the remark"
OF_REMARKS = {
    "merges_missing": (ERROR, CONVERT),
    "merge_broken": (ERROR, CONVERT),
    "tokens_missing": (ERROR, CONVERT),
    "character_map_broken": (ERROR, CONVERT),
    "role_out_of_range": (ERROR, REMOVE),
    "key_of_other_type": (ERROR, REMOVE),
    "token_empty": (WARNING, CONVERT),
    "values_left_over": (WARNING, CONVERT),
    "file_incomplete": (WARNING, "Download it again."),
    "part_missing": (ERROR, "Download the parts that are missing."),
    "part_misnamed": (ERROR, "Give it its name back."),
    "part_not_first": (ERROR, "Open the first part."),
}
"""How bad what readers remark is, and what mends it, by its code; whatever is not here is odd and no more."""
TOLD = ("pre_missing", "pre_by_hand", "bytes_missing", "byte_misnamed")
"""What the checks tell with more, or whoever chose it knows."""
MOST_OF_A_KIND = 20


@dataclass(frozen=True)
class Diagnosis:
    """What was found, the worst first.

    tokenizer  None where the file could not be opened at all
    path       the file that was examined; in a folder, the one that was chosen
    """

    findings: tuple[Finding, ...]
    tokenizer: Tokenizer | None
    path: Path | None

    @property
    def worst(self) -> str | None:
        """The severity of the first finding; None where there is none."""
        return self.findings[0].severity if self.findings else None


def doctor(
    model: str | PathLike[str],
    original: str | PathLike[str] | Tokenizer | None = None,
    progress: Callable[[float], None] = lambda _share: None,
) -> Diagnosis:
    """What is wrong with a tokenizer, and against the `original` that it was converted from.

    `progress` is called with the share done before each check; what it raises stops the work.
    Raises VocabError for what is no tokenizer's file, and for an original that cannot be used; ChatError
    for a file of a template that cannot be read.
    """
    reference = original if original is None or isinstance(original, Tokenizer) else open_model(original)
    try:
        tokenizer = _opened(model)
    except VocabError as error:
        path = _path(model)
        if (kind := _format(path)) is None:
            raise
        _, remedy = OF_REMARKS.get(error.code, (ERROR, ""))  # the sentence ends with what to do
        remedy = remedy.replace(REMOVE, without_key(path, error.key))
        finding = Finding(error.code, ERROR, str(error), remedy)
        return Diagnosis((_fitting(finding, kind == GGUF),), None, path)
    return examine(tokenizer, reference, progress)


def examine(
    tokenizer: Tokenizer,
    original: Tokenizer | None = None,
    progress: Callable[[float], None] = lambda _share: None,
) -> Diagnosis:
    """The same of a tokenizer that is open."""
    findings = _in_order(_findings(ExaminedModel(tokenizer, original), progress), tokenizer.vocabulary.path)
    return Diagnosis(findings, tokenizer, tokenizer.vocabulary.path)


def _findings(examined: ExaminedModel, progress: Callable[[float], None]) -> Iterator[Finding]:
    vocabulary = examined.vocabulary
    for remark in vocabulary.warnings:
        if remark.code not in TOLD:
            usual = (ERROR, CONVERT) if remark in vocabulary.refusals else (HINT, "")
            severity, remedy = OF_REMARKS.get(remark.code, usual)
            remedy = remedy.replace(REMOVE, without_key(vocabulary.path, remark.key))
            yield _fitting(Finding(remark.code, severity, remark, remedy), examined.is_gguf)
    for number, check in enumerate(CHECKS):
        progress(number / len(CHECKS))
        yield from (_fitting(finding, examined.is_gguf) for finding in check(examined))
    if examined.original is not None:
        yield from check_original(examined, examined.original)


def _opened(model: str | PathLike[str]) -> Tokenizer:
    """The tokenizer, with the likeliest pre-tokenizer where the file names one that nobody knows."""
    try:
        return open_model(model)
    except UnknownPreError:
        tokenizer = open_model(model, "default")
        name, _ = likeliest(tokenizer.vocabulary)
        return tokenizer if name is None else open_model(model, name)


def _fitting(finding: Finding, is_gguf: bool) -> Finding:
    """With a remedy that fits the file: only GGUF files were converted."""
    return finding if is_gguf or finding.remedy != CONVERT else replace(finding, remedy=DOWNLOAD)


def _path(model: str | PathLike[str]) -> Path:
    """The file that a model is read from."""
    path = located(model, Opening(lambda _share: None)).path
    return file_in(path) if isdir(path) else path


def _format(path: Path) -> str | None:
    """The format of the file; None where it is of no known one."""
    with open_regular(path) as file:
        head = file.read(HEAD_BYTES)
    return format_of(path).name if is_tokenizer(head) else None


def _in_order(findings: Iterator[Finding], path: Path | None) -> tuple[Finding, ...]:
    """The worst first, and of a kind that has many only some: a file may be made for that."""
    of_kind: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in dict.fromkeys(findings):
        of_kind[finding.code, finding.severity].append(finding)
    shown = list[Finding]()
    for (code, severity), found in of_kind.items():
        shown += found[:MOST_OF_A_KIND]
        if n_more := len(found[MOST_OF_A_KIND:]):
            shown.append(Finding(code, severity, f"The same of {n_more:,} more.", found[0].remedy))
    shown.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    remedies = in_turn([each.remedy for each in shown], path)
    return tuple(replace(each, remedy=remedy) for each, remedy in zip(shown, remedies, strict=True))
