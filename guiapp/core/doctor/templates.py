"""Whether a chat template fits its tokenizer, by a look at its text alone: it is never run here."""

from __future__ import annotations

import re
from collections.abc import Iterator

from guiapp.core.chat.hints import BEGINNINGS, ENDS, MARKER, look
from guiapp.core.doctor.findings import WARNING, Change, Finding, Patient
from guiapp.core.text.invisible import INVISIBLE
from guiapp.core.text.look_alikes import look_alikes
from guiapp.core.vocab.quoting import quoted

LONGEST = 1 << 20  # characters of a template that are looked at
WRITES_BOS = re.compile(r"\{\{-?\+?\s*bos_token\b|bos_token\s*[+~]|[+~]\s*bos_token\b|=\s*bos_token\b")
PIPED = re.compile(r"<[|｜].*[|｜]>")
REMEDY = "--chat-template-file FIXED.jinja"


def check_templates(patient: Patient) -> Iterator[Finding]:
    """Each template of the model."""
    for template in patient.templates:
        text = _without_comments(template.text[:LONGEST])
        yield from _bos_twice(patient, template.name, text)
        yield from _markers(patient, template.name, text)
        yield from _unseen(patient, template.name, text)


def _without_comments(text: str) -> str:
    kept, at = list[str](), 0
    while (start := text.find("{#", at)) >= 0 and (end := text.find("#}", start + 2)) >= 0:
        kept.append(text[at:start])
        at = end + 2
    return "".join(kept) + text[at:]


def _bos_twice(patient: Patient, name: str, text: str) -> Iterator[Finding]:
    """A template that writes BOS, where the tokenizer adds one, too."""
    vocabulary = patient.vocabulary
    bos = vocabulary.special_ids.bos
    if bos is None or bos >= len(vocabulary) or not vocabulary.rules.add_bos:
        return
    token = patient.texts[bos]
    if WRITES_BOS.search(text) or token in text:
        what = (
            f"{_name(name)} writes “{quoted(token)}”, and the tokenizer puts it before each text: a program "
            "that encodes what the template writes with special tokens has it twice."
        )
        remedy = (
            "Encode rendered prompts without special tokens, or set tokenizer.ggml.add_bos_token to false."
        )
        changes = Change(token, patient.ids(token, True), patient.ids(token))
        yield Finding("bos_twice", WARNING, what, remedy, changes)


def _markers(patient: Patient, name: str, text: str) -> Iterator[Finding]:
    """Markers that are ordinary text in this model."""
    names = patient.specials
    by_look = {look(special): special for special in names}
    for marker in dict.fromkeys(found[0] for found in MARKER.finditer(text)):
        meant = by_look.get(look(marker))
        if marker in names or not (meant or marker in ENDS + BEGINNINGS or PIPED.fullmatch(marker)):
            continue
        what = f"{_name(name)} has the marker “{quoted(marker)}”, which is ordinary text in this model"
        what += f"; it has “{quoted(meant)}”." if meant else "."
        after = (names[meant],) if meant else None
        changes = Change(marker, patient.ids(marker), after)
        yield Finding("marker_is_text", WARNING, what, patient.new_metadata(REMEDY), changes)


def _unseen(patient: Patient, name: str, text: str) -> Iterator[Finding]:
    """Characters that nobody sees, or takes for others."""
    if found := INVISIBLE.search(text):
        line = text.count("\n", 0, found.start()) + 1
        what = f"{_name(name)} has an invisible character in line {line}: U+{ord(found[0][0]):04X}."
        yield Finding("template_invisible", WARNING, what, patient.new_metadata(REMEDY))
    if odd := look_alikes(text.encode("utf-8", "replace")):
        what = f"{_name(name)} has U+{ord(odd[0].letter):04X}, which passes for “{odd[0].passes_for}”."
        yield Finding("template_look_alike", WARNING, what, patient.new_metadata(REMEDY))


def _name(name: str) -> str:
    return f"The chat template “{quoted(name)}”"
