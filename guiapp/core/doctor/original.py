"""Whether a converted file says what the original says that it was made from."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from guiapp.core.compare.vocabularies import VocabularyComparison, compare_vocabularies
from guiapp.core.doctor.findings import ERROR, HINT, WARNING, Change, Finding
from guiapp.core.doctor.patient import Patient
from guiapp.core.doctor.pre import SAMPLE
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.vocab.attributes import Attribute
from guiapp.core.vocab.quoting import quoted
from guiapp.core.vocab.vocabulary import VocabType


def check_original(patient: Patient, original: Tokenizer) -> Iterator[Finding]:
    """Other ids of a text of many scripts, and what differs between the files."""
    yield from _other_ids(patient, original)
    found = compare_vocabularies(patient.tokenizer, original)
    if (
        patient.vocabulary.type is not VocabType.WPM or not patient.is_gguf
    ):  # GGUF spells WordPieces otherwise
        yield from _tokens(patient, found)
    if (merges := found.merges) is not None:
        counts = len(merges.only[1]), len(merges.only[0]), int(merges.moved.sum())
        if any(counts):
            what = "Merge rules: {:,} of the original are missing, {:,} are new, {:,} stand elsewhere."
            yield Finding("original_merges", ERROR, what.format(*counts))
    for role in found.roles:
        if role.first is not None and role.second is not None and role.differs:
            what = f"The {role.name.upper()} token is {role.first:,}; in the original it is {role.second:,}."
            yield Finding("original_role", WARNING, what)
    for setting in found.other_settings:
        what = f"{setting.name.capitalize()}: {quoted(setting.first)}; original: {quoted(setting.second)}."
        yield Finding("original_rule", HINT, what)


def _other_ids(patient: Patient, original: Tokenizer) -> Iterator[Finding]:
    for text in sorted((word for line in SAMPLE for word in (line, *line.split())), key=len):
        before, after = patient.cut(text, True), Patient(original).cut(text, True)
        if before.ids != after.ids:
            what = f"“{quoted(text)}” has other ids than in the original."
            yield Finding("original_ids", ERROR, what, changes=Change(text, before, after))
            return


def _tokens(patient: Patient, found: VocabularyComparison) -> Iterator[Finding]:
    second = found.tokenizers[1].vocabulary
    if len(missing := found.only[1].tolist()):
        name = quoted(second.raw_text(missing[0]))
        what = f"{len(missing):,} tokens of the original are missing, the first is “{name}”."
        yield Finding("original_tokens", ERROR, what)
    if len(new := found.only[0].tolist()):
        yield patient.about(new, "original_tokens", HINT, "not in the original.", "")
    differs = {"id": found.other_id, "kind": _other_kinds(found), "score": found.other_score}
    for name, is_other in differs.items():
        if is_other.any():
            rows = found.both[is_other, 0].tolist()
            severity = WARNING if name == "kind" else ERROR
            yield patient.about(rows, f"original_{name}", severity, f"it has another {name} in the original.")


def _other_kinds(found: VocabularyComparison) -> NDArray[np.bool_]:
    """But for unknown tokens, which files of `tokenizers` have as control tokens."""
    special = [
        each.vocabulary.attributes[ids] & (Attribute.CONTROL | Attribute.UNKNOWN) > 0
        for each, ids in zip(found.tokenizers, found.both.T, strict=True)
    ]
    differs: NDArray[np.bool_] = found.other_kind & ~(special[0] & special[1])
    return differs
