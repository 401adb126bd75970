"""Whether a chat template fits its tokenizer, by a look at its text alone: it is never run here."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from guiapp.analysis.chat.markers import BEGINNINGS, ENDS, MARKER, confusable_key
from guiapp.analysis.doctor.examined import ExaminedModel
from guiapp.analysis.doctor.findings import WARNING, Finding, TemplateLine, Tokenization, TokenizationChange
from guiapp.analysis.doctor.roles import naming
from guiapp.core.text.figures import quoted
from guiapp.core.text.visible_text import INVISIBLE, confusables
from guiapp.core.vocabulary.remedies import without_key
from guiapp.core.vocabulary.vocabulary import VocabType

LONGEST = 1 << 20  # characters of a template that are looked at
WRITES = r"\{{\{{-?\+?\s*{role}_token\b|\b{role}_token\s*[+~]|[+~]\s*{role}_token\b|=\s*{role}_token\b"
ENCODED = (VocabType.UGM, VocabType.WPM)  # of models with an encoder, whose input ends so
PIPED = re.compile(r"<[|｜].*[|｜]>")
LINES_AROUND, LONGEST_LINE = 3, 500
SAVE = "Save the corrected template as fixed.jinja, then run: "
OTHERWISE = "Mend the template in its file: chat_template.jinja, or tokenizer_config.json."


class _Template(NamedTuple):
    """A template to look at.

    text   without comments
    lines  with them
    ends   where those of `text` end
    """

    name: str
    text: str
    lines: list[str]
    ends: list[int]

    def __str__(self) -> str:
        return f"The chat template “{quoted(self.name)}”"

    def line(self, at: int) -> TemplateLine:
        """The line of a character of `text`."""
        row = bisect_left(self.ends, at)
        first = max(row - LINES_AROUND, 0)
        context = self.lines[first : row + LINES_AROUND + 1]
        return TemplateLine(self.name, row + 1, first + 1, tuple(line[:LONGEST_LINE] for line in context))


def check_templates(examined: ExaminedModel) -> Iterator[Finding]:
    """Each template of the model."""
    yield from _eos_after_prompts(examined)
    for given in examined.templates:
        whole = given.text[:LONGEST]
        text = _without_comments(whole)
        ends = [result.start() for result in re.finditer("\n", text)]
        template = _Template(given.name, text, whole.split("\n"), ends)
        yield from _bos_twice(examined, template)
        yield from _role_missing(examined, template)
        yield from _markers(examined, template)
        yield from _unseen(examined, template)


def _without_comments(text: str) -> str:
    """Only line ends are left of them, so that lines are counted as in the file."""
    kept, at = list[str](), 0
    while (start := text.find("{#", at)) >= 0 and (end := text.find("#}", start + 2)) >= 0:
        kept.append(text[at:start] + "\n" * text.count("\n", start, end))
        at = end + 2
    return "".join(kept) + text[at:]


def _bos_twice(examined: ExaminedModel, template: _Template) -> Iterator[Finding]:
    """A template that writes BOS, where the tokenizer adds one, too."""
    vocabulary = examined.vocabulary
    bos = vocabulary.special_ids.bos
    if bos is None or bos >= len(vocabulary) or not vocabulary.rules.add_bos:
        return
    token = examined.texts[bos]
    if result := re.search(WRITES.format(role="bos"), template.text) or re.search(
        re.escape(token), template.text
    ):
        what = (
            f"{template} writes “{quoted(token)}”, and the tokenizer puts it before each text: a "
            "program that encodes what the template writes with special tokens has it twice."
        )
        remedy = (
            "Encode rendered prompts without special tokens, or set tokenizer.ggml.add_bos_token to false."
        )
        changes = TokenizationChange(token, examined.cut(token, True), examined.cut(token))
        yield Finding("bos_twice", WARNING, what, remedy, changes, (bos,), line=template.line(result.start()))


def _eos_after_prompts(examined: ExaminedModel) -> Iterator[Finding]:
    """EOS behind each text, in a file that is made for chats: what the model is to go on with has ended.

    Not in files of models that make embeddings, or that read by an encoder, where this is right.
    """
    vocabulary, said = examined.vocabulary, examined.vocabulary.metadata
    eos, key = vocabulary.special_ids.eos, "tokenizer.ggml.add_eos_token"
    pools = any(name.endswith(".pooling_type") and value for name, value in said.items())
    is_for_chats = any(template.text.strip() for template in examined.templates)
    is_asked = examined.is_gguf and said.get(key) is True and eos is not None and eos < len(vocabulary)
    if not is_asked or not is_for_chats or pools or vocabulary.type in ENCODED or examined.reads_only:
        return
    assert eos is not None
    cut = examined.cut("a", True)
    changes = TokenizationChange("a", cut, Tokenization(cut.ids[:-1], cut.spans[:-1]))
    what = (
        f"Each text ends in “{quoted(examined.texts[eos])}” ({key}), and the file has a chat template: a "
        "prompt that is encoded with special tokens tells the model that all is said, before it answers."
    )
    remedy = without_key(vocabulary.path, key)
    yield Finding("eos_behind_prompts", WARNING, what, remedy, changes, (eos,))


def _role_missing(examined: ExaminedModel, template: _Template) -> Iterator[Finding]:
    """A template that writes BOS or EOS of a model that has none."""
    ids = examined.vocabulary.special_ids
    for role, row in (("bos", ids.bos), ("eos", ids.eos)):
        if row is not None or not examined.is_gguf:
            continue
        if result := re.search(WRITES.format(role=role), template.text):
            key = f"tokenizer.ggml.{role}_token_id"
            what = (
                f"{template} writes {role}_token, but the file names none ({key}): nothing is written there."
            )
            remedy = naming(examined, role, _correcting(examined))
            yield Finding("template_role_missing", WARNING, what, remedy, line=template.line(result.start()))


def _markers(examined: ExaminedModel, template: _Template) -> Iterator[Finding]:
    """Markers that are ordinary text in this model."""
    names, by_confusable_key = examined.tokenizer.special_tokens.names, examined.by_confusable_key
    remedy = _correcting(examined)
    for marker, at in _first_of_each(MARKER, template.text).items():
        meant = by_confusable_key.get(confusable_key(marker))
        if marker in names or not (meant or marker in ENDS + BEGINNINGS or PIPED.fullmatch(marker)):
            continue
        what = f"{template} has the marker “{quoted(marker)}”, which is ordinary text in this model"
        what += f"; it has “{quoted(meant)}”." if meant else "."
        after = Tokenization.whole(marker, names[meant]) if meant else None
        changes, tokens = TokenizationChange(marker, examined.cut(marker), after), after.ids if after else ()
        yield Finding("marker_is_text", WARNING, what, remedy, changes, tokens, line=template.line(at))


def _unseen(examined: ExaminedModel, template: _Template) -> Iterator[Finding]:
    """Characters that nobody sees, or takes for others."""
    remedy = _correcting(examined)
    if result := INVISIBLE.search(template.text):
        line = template.line(result.start())
        what = f"{template} has an invisible character in line {line.number}: U+{ord(result[0][0]):04X}."
        yield Finding("template_invisible", WARNING, what, remedy, line=line)
    data = template.text.encode("utf-8", "replace")
    if odd := confusables(data):
        line = template.line(len(data[: odd[0].start].decode("utf-8", "replace")))
        what = f"{template} has U+{ord(odd[0].letter):04X}, which passes for “{odd[0].passes_for}”."
        yield Finding("template_look_alike", WARNING, what, remedy, line=line)


def _correcting(examined: ExaminedModel) -> str:
    command = examined.new_metadata("--chat-template-file fixed.jinja", OTHERWISE)
    return SAVE + command if examined.is_gguf else command


def _first_of_each(pattern: re.Pattern[str], text: str) -> dict[str, int]:
    """Where each different text is found first."""
    result: dict[str, int] = {}
    for match in pattern.finditer(text):
        result.setdefault(match[0], match.start())
    return result
