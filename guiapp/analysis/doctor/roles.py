"""Check that tokens with a role exist and fit the model, and that chat templates fit these tokens."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Container, Iterator, Mapping
from dataclasses import asdict
from typing import NamedTuple

from guiapp.analysis.chat.templates import BEGINNINGS, ENDS, markers_as_text, resembles_end
from guiapp.analysis.doctor.examined import ExaminedModel
from guiapp.analysis.doctor.findings import (
    CONVERT,
    ERROR,
    HINT,
    WARNING,
    Finding,
    TemplateLine,
    Tokenization,
    TokenizationChange,
)
from guiapp.core.formats.tokenizer_config import CONFIG, GENERATION, MAP, MODEL, read_sidecars
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.text.visible_text import INVISIBLE, confusables
from guiapp.core.vocabulary.attributes import NORMAL_TYPE, Attribute
from guiapp.core.vocabulary.remedies import ending_generation
from guiapp.core.vocabulary.special_ids import END_TEXTS, KEYS, TEXTS_OF_ROLE
from guiapp.core.vocabulary.vocabulary import VocabType

LONGEST = 1 << 20  # characters of a template that are checked
WRITES = r"\{{\{{-?\+?\s*{role}_token\b|\b{role}_token\s*[+~]|[+~]\s*{role}_token\b|=\s*{role}_token\b"
ENCODED = (VocabType.UGM, VocabType.WPM)  # of models with an encoder, whose input ends with EOS
PIPED = re.compile(r"<[|｜].*[|｜]>")
READ_TEMPLATE = (
    "Read what the template writes in that case. If it works against you, use another template "
    "and do not trust the file."
)
LINES_AROUND, LONGEST_LINE = 3, 500
SAVE = (
    "Save the corrected template as fixed.jinja, then run: "
    "gguf-new-metadata --chat-template-file fixed.jinja model.gguf model-fixed.gguf"
)
OTHERWISE = "Fix the template in its file: chat_template.jinja, or tokenizer_config.json."
KEY_OF_ROLE = {role: key.removesuffix("_token_id") for key, role in reversed(KEYS.items())}
USUAL_TEXTS = {
    **TEXTS_OF_ROLE,
    "bos": "<s> <bos> <|begin_of_text|> <|startoftext|> <｜begin▁of▁sentence｜> [CLS] <|endoftext|>",
    "eos": END_TEXTS,
    "unk": "<unk> [UNK] <|unk|> <UNK>",
    "sep": "[SEP] </s> <sep>",
    "pad": "<pad> [PAD] <|pad|>",
    "mask": "<mask> [MASK]",
}
IN_CONFIG = "Set {}_token in tokenizer_config.json to the right token."
IN_GENERATION = f"List every token that ends an answer in {GENERATION}, under eos_token_id."
MOST_ENDS = 8
CLEAN_UP = (
    "If the model's own tokenizer does so too (clean_up_tokenization_spaces), there is nothing to fix. "
    "Otherwise set tokenizer.ggml.pre to a pre-tokenizer that keeps them."
)
WITH_UNKNOWN = (VocabType.SPM, VocabType.UGM, VocabType.WPM)


def check_roles(examined: ExaminedModel) -> Iterator[Finding]:
    """Tokens with a role that are required but missing, or that are ordinary text."""
    vocabulary = examined.vocabulary
    ids, rules = asdict(vocabulary.special_ids), vocabulary.rules
    is_wpm = vocabulary.type is VocabType.WPM and vocabulary.parts is None
    asked = {"bos": rules.add_bos, "eos": rules.add_eos, "sep": rules.add_sep or is_wpm}
    for role, is_asked in asked.items():
        if is_asked and ids[role] is None:
            key = f"tokenizer.ggml.{KEY_OF_ROLE[role]}_token_id"
            what = f"The file adds {role.upper()} to each text, but does not name that token ({key})."
            yield Finding("role_missing", ERROR, what, _naming(examined, role), key=key)
    for role, row in ids.items():
        if row is None or vocabulary.stored_types[row] != NORMAL_TYPE:
            continue
        key = f"tokenizer.ggml.{KEY_OF_ROLE[role]}_token_id"
        is_asked = bool(asked.get(role))
        if vocabulary.attributes[row] == Attribute.NORMAL and (key in vocabulary.metadata or is_asked):
            token = f"“{quoted(examined.texts[row])}” (id {row})"
            what = f"The {role.upper()} token is {token}, which is marked as ordinary text."
            changes = TokenizationChange("a", examined.cut("a", True)) if is_asked else None
            severity = ERROR if changes or role in ("eos", "eot") else WARNING
            yield Finding("role_is_text", severity, what, _naming(examined, role), changes, (row,), key=key)
    if vocabulary.type in WITH_UNKNOWN and ids["unk"] is None and vocabulary.parts is None:
        key = "tokenizer.ggml.unknown_token_id"
        what = f"The file does not name an unknown token ({key})."
        yield Finding("unknown_missing", WARNING, what, key=key)


def usual_tokens(examined: ExaminedModel, role: str) -> list[int]:
    """Tokens that usually have a role, without the one that has it; those in templates first."""
    vocabulary = examined.vocabulary
    found = vocabulary.token_table.find([text.encode() for text in USUAL_TEXTS[role].split()])
    rows = [row for row in found.tolist() if row not in (-1, getattr(vocabulary.special_ids, role))]
    return sorted(rows, key=lambda row: row not in examined.in_templates)


def _naming(examined: ExaminedModel, role: str) -> str:
    return CONVERT if examined.is_gguf else IN_CONFIG.format(role)


def check_ends(examined: ExaminedModel) -> Iterator[Finding]:
    """Tokens that look like the end of a turn but do not end a generation; or no end at all."""
    vocabulary = examined.vocabulary
    writes = vocabulary.type is not VocabType.WPM and not examined.reads_only
    if not writes:
        return
    if not vocabulary.eog and vocabulary.special_ids.eos is None and len(vocabulary):
        what = "The file does not name a token that ends an answer, so the model never stops."
        severity, key = WARNING if examined.is_gguf else HINT, "tokenizer.ggml.eos_token_id"
        yield Finding("no_end", severity, what, _naming(examined, "eos"), key=key)
    names, ends = examined.tokenizer.special_tokens.names, vocabulary.eog
    if not examined.is_gguf and vocabulary.path is not None:
        ends |= _end_ids(read_sidecars(vocabulary.path).generation)
    for text, row in names.items():
        if row in ends or not resembles_end(text) or keeps_going(text, names):
            continue
        message = "it looks like the end of a turn, but llama.cpp does not stop generating there."
        severity = WARNING if row in examined.in_templates else HINT
        yield examined.about(
            [row], "end_of_turn_goes_on", severity, message, ending_generation(vocabulary, row)
        )


def check_end_ids(examined: ExaminedModel) -> Iterator[Finding]:
    """Sidecar files that name different ends; generation_config.json may name more than the others."""
    vocabulary = examined.vocabulary
    if examined.is_gguf or vocabulary.path is None:
        return
    beside = read_sidecars(vocabulary.path)
    own = vocabulary.find(beside.roles.get("eos", "").encode("utf-8", "replace"))
    ids_of_file = {
        GENERATION: _end_ids(beside.generation),
        MODEL: _end_ids(beside.model) or _end_ids(beside.model.get("text_config")),
        CONFIG if beside.config.get("eos_token") else MAP: _end_ids({"eos_token_id": own}),
    }
    named = {name: ids for name, ids in ids_of_file.items() if ids}
    if named and any(not ids <= next(iter(named.values())) for ids in named.values()):
        rows = sorted(row for row in frozenset().union(*named.values()) if row < len(vocabulary))
        texts = {row: f"“{quoted(examined.texts[row])}” (id {row})" for row in rows}
        message = (
            f"{name}: {', '.join(texts.get(row, f'id {row}') for row in sorted(ids)[:MOST_ENDS])}"
            for name, ids in named.items()
        )
        what = f"The files name different EOS tokens. {'; '.join(message)}."
        yield Finding("ends_differ", HINT, what, IN_GENERATION, tokens=tuple(rows))


def _end_ids(config: object) -> frozenset[int]:
    eos = config.get("eos_token_id") if isinstance(config, Mapping) else None
    rows = eos if isinstance(eos, list) else [eos]
    return frozenset(row for row in rows if type(row) is int and row >= 0)


def keeps_going(text: str, special_texts: Container[str]) -> bool:
    """Whether llama.cpp excludes this end, as gpt-oss's `<|end|>`: the message ends, not the turn."""
    return text == "<|end|>" and ("<|return|>" in special_texts or "<|call|>" in special_texts)


def check_sizes(examined: ExaminedModel) -> Iterator[Finding]:
    """A number of tokens that differs from the number of ids of the model."""
    n_tokens, rows, vocabulary = len(examined.vocabulary), examined.embedding_rows, examined.vocabulary
    if rows is not None and rows != n_tokens:
        less = "some ids have no embedding" if rows < n_tokens else "some embeddings have no token"
        what = f"The model has embeddings for {rows:,} ids (token_embd.weight), but {n_tokens:,} tokens"
        yield Finding("embedding_rows", ERROR, f"{what}: {less}. llama.cpp will not load it.")
    key = f"{vocabulary.architecture}.vocab_size"
    stored = vocabulary.metadata.get(key) if examined.is_gguf else None
    if isinstance(stored, int) and stored != n_tokens:
        what = f"The file specifies {counted(stored, 'token')} ({quoted(key)}), but lists {n_tokens:,}."
        remedy = f"Set {quoted(key)} to {n_tokens}, or c{CONVERT[1:]}"
        yield Finding("vocabulary_size", WARNING, what, remedy, key=key)


def check_clean_up(examined: ExaminedModel) -> Iterator[Finding]:
    """Spaces that decoding drops."""
    text = "a , b ."
    if not examined.vocabulary.rules.clean_spaces or examined.vocabulary.type is VocabType.WPM:
        return
    decoded = examined.tokenizer.decode(examined.cut(text).ids, remove_special=True)
    if decoded != text:
        what = f"“{text}” comes back as “{quoted(decoded)}”: decoding drops spaces before punctuation."
        yield Finding("clean_up", HINT, what, CLEAN_UP, TokenizationChange(text, examined.cut(text)))


# Whether a chat template fits its tokenizer, from its text alone: it is never run here


class _Template(NamedTuple):
    """A template to check.

    text   without comments
    lines  with comments
    ends   the ends of the lines of `text`
    """

    name: str
    text: str
    lines: list[str]
    ends: list[int]

    def __str__(self) -> str:
        return f"The chat template “{quoted(self.name)}”"

    def line(self, at: int) -> TemplateLine:
        """The line of a character of `text`, with context."""
        row = bisect_left(self.ends, at)
        first = max(row - LINES_AROUND, 0)
        context = self.lines[first : row + LINES_AROUND + 1]
        return TemplateLine(self.name, row + 1, first + 1, tuple(line[:LONGEST_LINE] for line in context))


def check_templates(examined: ExaminedModel) -> Iterator[Finding]:
    """Check each template of the model."""
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
        yield from _asks_for_word(template)


def _without_comments(text: str) -> str:
    """Remove comments but not their line ends, so that line numbers stay the same."""
    kept, at = list[str](), 0
    while (start := text.find("{#", at)) >= 0 and (end := text.find("#}", start + 2)) >= 0:
        kept.append(text[at:start] + "\n" * text.count("\n", start, end))
        at = end + 2
    return "".join(kept) + text[at:]


def _bos_twice(examined: ExaminedModel, template: _Template) -> Iterator[Finding]:
    """A template that writes BOS although the tokenizer adds one: common in files without a fault."""
    vocabulary = examined.vocabulary
    bos = vocabulary.special_ids.bos
    if bos is None or bos >= len(vocabulary) or not vocabulary.rules.add_bos:
        return
    token = examined.texts[bos]
    if result := re.search(WRITES.format(role="bos"), template.text) or re.search(
        re.escape(token), template.text
    ):
        what = (
            f"{template} writes “{quoted(token)}”, and the tokenizer adds it before each text: "
            "prompts encoded with special tokens begin with it twice."
        )
        remedy = (
            "Encode what the template writes without adding special tokens (add_special_tokens=False), "
            "or set tokenizer.ggml.add_bos_token to false."
        )
        changes = TokenizationChange(token, examined.cut(token, True), examined.cut(token))
        yield Finding("bos_twice", HINT, what, remedy, changes, (bos,), line=template.line(result.start()))


def _eos_after_prompts(examined: ExaminedModel) -> Iterator[Finding]:
    """EOS after each text in a file for chats: prompts end before the model answers.

    Not for embedding models or models with an encoder, where this is right.
    """
    vocabulary, metadata = examined.vocabulary, examined.vocabulary.metadata
    eos, key = vocabulary.special_ids.eos, "tokenizer.ggml.add_eos_token"
    pools = any(name.endswith(".pooling_type") and value for name, value in metadata.items())
    is_for_chats = any(template.text.strip() for template in examined.templates)
    is_asked = examined.is_gguf and metadata.get(key) is True and eos is not None and eos < len(vocabulary)
    if not is_asked or not is_for_chats or pools or vocabulary.type in ENCODED or examined.reads_only:
        return
    assert eos is not None
    cut = examined.cut("a", True)
    changes = TokenizationChange("a", cut, Tokenization(cut.ids[:-1], cut.spans[:-1]))
    what = (
        f"The tokenizer ends each text with “{quoted(examined.texts[eos])}” ({key}), but the file has a chat "
        "template: prompts encoded with special tokens end before the model answers."
    )
    yield Finding("eos_behind_prompts", WARNING, what, changes=changes, tokens=(eos,))


def _role_missing(examined: ExaminedModel, template: _Template) -> Iterator[Finding]:
    """A template that writes BOS or EOS of a model that has none."""
    ids = examined.vocabulary.special_ids
    for role, row in (("bos", ids.bos), ("eos", ids.eos)):
        if row is not None or not examined.is_gguf:
            continue
        if result := re.search(WRITES.format(role=role), template.text):
            key = f"tokenizer.ggml.{role}_token_id"
            what = f"writes {role}_token, but the file does not name one ({key}): nothing is written there."
            remedy = _correcting(examined)
            line = template.line(result.start())
            yield Finding("template_role_missing", WARNING, f"{template} {what}", remedy, line=line, key=key)


def _markers(examined: ExaminedModel, template: _Template) -> Iterator[Finding]:
    """Markers that are ordinary text in this model."""
    names, remedy, seen = examined.tokenizer.special_tokens.names, _correcting(examined), set[str]()
    for result, meant in markers_as_text(names, template.text):
        marker = result[0]
        if marker in seen or not (meant or marker in ENDS + BEGINNINGS or PIPED.fullmatch(marker)):
            continue
        seen.add(marker)
        what = f"{template} has the marker “{quoted(marker)}”, which is ordinary text in this model"
        what += f"; its own marker is “{quoted(meant)}”." if meant else "."
        after = Tokenization.whole(marker, names[meant]) if meant else None
        changes, tokens = TokenizationChange(marker, examined.cut(marker), after), after.ids if after else ()
        yield Finding(
            "marker_is_text", WARNING, what, remedy, changes, tokens, line=template.line(result.start())
        )


def _unseen(examined: ExaminedModel, template: _Template) -> Iterator[Finding]:
    """Invisible characters, and characters that look like others."""
    remedy = _correcting(examined)
    if result := INVISIBLE.search(template.text):
        line = template.line(result.start())
        what = f"{template} contains an invisible character on line {line.number}: U+{ord(result[0][0]):04X}."
        yield Finding("template_invisible", WARNING, what, remedy, line=line)
    data = template.text.encode("utf-8", "replace")
    if odd := confusables(data):
        line = template.line(len(data[: odd[0].start].decode("utf-8", "replace")))
        what = f"{template} contains U+{ord(odd[0].letter):04X}, which looks like “{odd[0].passes_for}”."
        yield Finding("template_look_alike", WARNING, what, remedy, line=line)


def _asks_for_word(template: _Template) -> Iterator[Finding]:
    """A template whose output depends on a certain word in a message, like a back door."""
    from guiapp.analysis.doctor.template_words import (
        words_asked_for,
    )  # imports jinja2, which takes time

    for number, word in words_asked_for(template.text):
        line = template.line(template.ends[number - 2] + 1 if number > 1 else 0)
        what = f"{template} writes something else if a message contains “{quoted(word)}”."
        yield Finding("template_reads_words", WARNING, what, READ_TEMPLATE, line=line)
        return


def _correcting(examined: ExaminedModel) -> str:
    return SAVE if examined.is_gguf else OTHERWISE
