"""All that can be found wrong with a tokenizer's files, without running anything that they hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from os import PathLike
from os.path import isdir

from guiapp.core.doctor.findings import CONVERT, DOWNLOAD, ERROR, HINT, SEVERITIES, WARNING, Finding
from guiapp.core.doctor.original import check_original
from guiapp.core.doctor.patient import GGUF, Check, Patient
from guiapp.core.doctor.pre import check_pre, likeliest
from guiapp.core.doctor.roles import check_clean_up, check_ends, check_roles, check_sizes
from guiapp.core.doctor.templates import check_templates
from guiapp.core.doctor.tokens import (
    check_bytes,
    check_kinds,
    check_looks,
    check_merges,
    check_padding,
    check_scores,
)
from guiapp.core.errors import UnknownPreError, VocabError
from guiapp.core.formats.table import HEAD_BYTES, format_of, is_tokenizer
from guiapp.core.open_model import open_model
from guiapp.core.sources.locate import located
from guiapp.core.sources.tokenizer_files import file_in
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.vocab.header_bytes import open_regular
from guiapp.core.vocab.opening import Opening

CHECKS: tuple[Check, ...] = (
    check_pre,
    check_merges,
    check_kinds,
    check_padding,
    check_bytes,
    check_scores,
    check_roles,
    check_ends,
    check_sizes,
    check_looks,
    check_templates,
    check_clean_up,
)

REMOVE = "gguf_new_metadata.py --remove-metadata {} IN.gguf OUT.gguf"
REMARKS = (
    (r"has two equal tokens", "token_twice", ERROR, CONVERT),
    (r"values in tokenizer\.ggml\.scores", "scores_short", ERROR, CONVERT),
    (r"values in tokenizer\.ggml\.token_type", "kinds_short", ERROR, CONVERT),
    (r"no merge rules|merge rules is empty", "merges_missing", ERROR, CONVERT),
    (r"has a merge rule with", "merge_of_no_token", ERROR, CONVERT),
    (r"merge rules do not consist", "merge_broken", ERROR, CONVERT),
    (r"too short to name a byte", "byte_misnamed", ERROR, CONVERT),
    (r"no tokens|tokens is empty", "tokens_missing", ERROR, CONVERT),
    (r"(?:is|are) empty \(and named|cut at a NUL", "token_empty", WARNING, CONVERT),
    (r"^(tokenizer\.ggml\.\S+) is ignored: there is no token", "role_out_of_range", ERROR, REMOVE),
    (r"^(\S+) is ignored: it is ", "key_of_other_type", ERROR, REMOVE),
    (r"has a (\S+) of type", "key_of_other_type", ERROR, REMOVE),
    (r"precompiled_charsmap that", "character_map_broken", ERROR, CONVERT),
    (r"character map .* gives up", "character_map_broken", ERROR, CONVERT),
    (r"The file is incomplete", "file_incomplete", WARNING, "Download it again."),
)
"""What readers say by pattern of the sentence; a group is the key that it is about."""
TOLD = re.compile(r"names no pre-tokenizer|of the 256 byte tokens|not named like <0x0A>|chosen by hand")
"""What the checks tell with more."""


@dataclass(frozen=True)
class Diagnosis:
    """What was found, the worst first; `tokenizer` is None where the file could not be opened at all."""

    findings: tuple[Finding, ...]
    tokenizer: Tokenizer | None

    @property
    def worst(self) -> str | None:
        """The severity of the first finding; None where there is none."""
        return self.findings[0].severity if self.findings else None


def doctor(
    model: str | PathLike[str],
    original: str | PathLike[str] | None = None,
    progress: Callable[[float], None] = lambda _share: None,
) -> Diagnosis:
    """What is wrong with a tokenizer, and against the `original` file that it was converted from.

    `progress` is called with the share done before each check; what it raises stops the work.
    Raises VocabError for what is no tokenizer's file, and for an original that cannot be used; ChatError
    for a file of a template that cannot be read.
    """
    reference = None if original is None else open_model(original)
    try:
        tokenizer = _opened(model)
    except VocabError as error:
        if (kind := _format(model)) is None:
            raise
        return Diagnosis((_fitting(_remark(str(error), ERROR, "not_usable"), kind == GGUF),), None)
    return examine(tokenizer, reference, progress)


def examine(
    tokenizer: Tokenizer,
    original: Tokenizer | None = None,
    progress: Callable[[float], None] = lambda _share: None,
) -> Diagnosis:
    """The same of a tokenizer that is open."""
    return Diagnosis(_in_order(_findings(Patient(tokenizer), original, progress)), tokenizer)


def _findings(
    patient: Patient, reference: Tokenizer | None, progress: Callable[[float], None]
) -> Iterator[Finding]:
    vocabulary = patient.vocabulary
    for said in vocabulary.warnings:
        if not TOLD.search(said):
            is_refused = said in vocabulary.refusals
            yield _remark(said, *((ERROR, "not_loaded") if is_refused else (HINT, "remark")))
    for number, check in enumerate(CHECKS):
        progress(number / len(CHECKS))
        yield from (_fitting(finding, patient.is_gguf) for finding in check(patient))
    if reference is not None:
        yield from check_original(patient, reference)


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


def _format(model: str | PathLike[str]) -> str | None:
    """The format of the file; None where it is of no known one."""
    path = located(model, Opening(lambda _share: None)).path
    path = file_in(path) if isdir(path) else path
    with open_regular(path) as file:
        head = file.read(HEAD_BYTES)
    return format_of(path).name if is_tokenizer(head) else None


def _remark(said: str, severity: str, code: str) -> Finding:
    """What a reader says, with the code for such sentences."""
    for pattern, known, its_severity, remedy in REMARKS:
        if found := re.search(pattern, said):
            return Finding(known, its_severity, said, remedy.format(*found.groups()))
    return Finding(code, severity, said, CONVERT if severity == ERROR else "")


def _in_order(findings: Iterator[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(dict.fromkeys(findings), key=lambda finding: SEVERITIES.index(finding.severity)))
