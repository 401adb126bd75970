"""Whether a converted file says what the original says that it was made from."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.compare.settings import NOTHING
from guiapp.analysis.compare.vocabularies import VocabularyComparison, compare_vocabularies
from guiapp.analysis.doctor.examined import ExaminedModel
from guiapp.analysis.doctor.findings import ERROR, HINT, WARNING, Finding
from guiapp.analysis.doctor.pre import first_change
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.open_model import with_file_pre
from guiapp.core.text.figures import counted, quoted
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import VocabType

ENDS = "ends a generation"
IN_ALL_FORMATS = ("put before a text", "put behind a text", ENDS, "chat template")
"""Rules that files of different formats say alike; by the others, the same ids come about in other words."""
HOLDS_NO_SPECIAL = "tiktoken"
"""Programs give files of this format special tokens: that some differ is no fault of what was converted."""
SPECIAL = Attribute.CONTROL | Attribute.USER_DEFINED | Attribute.UNUSED


def check_original(examined: ExaminedModel, original: Tokenizer) -> Iterator[Finding]:
    """Other ids of a text of many scripts, and what differs between the files."""
    if changes := first_change(
        ExaminedModel(with_file_pre(examined.tokenizer)), ExaminedModel(original), add_special=True
    ):
        what = f"“{quoted(changes.text)}” has other ids than in the original; those are shown as mended."
        yield Finding("original_ids", ERROR, what, changes=changes)
    holds_special = original.vocabulary.format != HOLDS_NO_SPECIAL
    comparison = compare_vocabularies(examined.tokenizer, original)
    if examined.vocabulary.type is not VocabType.WPM or not examined.is_gguf:  # GGUF spells these otherwise
        yield from _tokens(examined, comparison, holds_special)
    if (merges := comparison.merges) is not None:
        counts = len(merges.only[1]), len(merges.only[0]), int(merges.moved.sum())
        if any(counts):
            what = "Merge rules: {:,} of the original are missing, {:,} are new, {:,} stand elsewhere."
            yield Finding("original_merges", ERROR, what.format(*counts))
    if not holds_special:
        yield from _usual_tokens(examined, original)
    for role in comparison.roles:
        if role.first is not None and role.second is not None and role.differs:
            what = f"The {role.name.upper()} token is {role.first:,}; in the original it is {role.second:,}."
            yield Finding("original_role", WARNING if holds_special else HINT, what)
    is_of_one_format = examined.vocabulary.format == original.vocabulary.format
    for setting in comparison.other_settings:
        if setting.name == ENDS and not holds_special:
            continue
        if is_of_one_format or (setting.name in IN_ALL_FORMATS and setting.second != NOTHING):
            what = (
                f"{setting.name.capitalize()}: {quoted(setting.first)}; original: {quoted(setting.second)}."
            )
            yield Finding("original_rule", HINT, what)
    for remark in original.vocabulary.warnings:
        yield Finding("original_remark", HINT, f"Of the original: {remark}", "")


def _usual_tokens(examined: ExaminedModel, original: Tokenizer) -> Iterator[Finding]:
    """Special tokens by other names than are usual for the original."""
    usual = original.vocabulary
    rows = np.flatnonzero(usual.attributes & SPECIAL)
    names = {row: usual.raw_text(row).decode("utf-8", "replace") for row in rows.tolist()}
    others = [row for row, name in names.items() if examined.texts[row : row + 1] != [name]]
    here = [row for row in others if row < len(examined.texts)]
    if here:
        said = f"in the original it is “{quoted(names[here[0]])}”, but its file holds no special tokens."
        yield examined.about(here, "original_special_tokens", HINT, said, "")


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
            severity = WARNING if name == "kind" else ERROR
            yield examined.about(
                rows, f"original_{name}", severity, f"it has another {name} in the original."
            )


def _other_kinds(comparison: VocabularyComparison) -> NDArray[np.bool_]:
    """But for unknown tokens, which files of `tokenizers` have as control tokens."""
    special = [
        each.vocabulary.attributes[ids] & (Attribute.CONTROL | Attribute.UNKNOWN) > 0
        for each, ids in zip(comparison.tokenizers, comparison.both.T, strict=True)
    ]
    differs: NDArray[np.bool_] = comparison.other_kind & ~(special[0] & special[1])
    return differs
