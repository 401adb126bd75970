"""Check that the tokens of a vocabulary are what they seem, and fit its merges, scores and bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from unicodedata import category

import numpy as np

from guiapp.analysis.chat.templates import confusable_key
from guiapp.analysis.doctor.examined import ExaminedModel
from guiapp.analysis.doctor.findings import (
    CONVERT,
    ERROR,
    HINT,
    WARNING,
    Finding,
    Tokenization,
    TokenizationChange,
)
from guiapp.core.hugging_face.pre_tokenizers import normalize
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.text.visible_text import INVISIBLE, confusables
from guiapp.core.vocabulary.attributes import (
    BYTE_TYPE,
    NORMAL_TYPE,
    UNKNOWN_TYPE,
    UNUSED_TYPE,
    Attribute,
)
from guiapp.core.vocabulary.byte_alphabet import CHARACTER_OF_BYTE
from guiapp.core.vocabulary.vocabulary import SCORED, VocabType, Vocabulary
from guiapp.native.model_files import count_unsplittable

LOOKS_LIKE_CONTROL = re.compile(
    r"<\|[^\s<>|]{1,60}\|>|<｜[^\s<>｜]{1,60}｜>|<(?:start|end)_of_(?:turn|text)>|\[/?INST\]"
    r"|\[(?:UNK|CLS|SEP|PAD|MASK|BOS|EOS)\]"
)
WORD = re.compile(r"[Ġ▁ ]?[^\W\d_]+")
PADDING = re.compile(r"\[PAD\d+\]|<\|?(?:pad|padding|dummy|extra)_?\d+\|?>")
BYTE_NAME = re.compile(r"<0x[0-9A-Fa-f]{2}>")
IN_ORIGINAL = "Nothing to fix: the original lacks them too."
ASK_ORIGINAL = "Compare the file with its original. If that lacks them too, there is nothing to fix."
N_CHARACTERS = 16  # that are tried for each byte
TYPED = (VocabType.SPM, VocabType.BPE, VocabType.WPM, VocabType.UGM, VocabType.PLAMO2)
TYPES_KEY = "tokenizer.ggml.token_type"


def check_kinds(examined: ExaminedModel) -> Iterator[Finding]:
    """Kinds that are missing, out of range, or unlike what the texts suggest."""
    vocabulary, texts = examined.vocabulary, examined.texts
    types, is_normal = vocabulary.stored_types, vocabulary.attributes == Attribute.NORMAL
    if examined.is_gguf and vocabulary.type in TYPED and TYPES_KEY not in vocabulary.metadata:
        what = f"The file does not list token kinds ({TYPES_KEY}): control tokens act as ordinary text."
        yield Finding("kinds_missing", ERROR, what)
        return
    if len(odd := np.flatnonzero((types < NORMAL_TYPE) | (types > BYTE_TYPE)).tolist()):
        message = f"kind {int(types[odd[0]])} does not exist: kinds are 1 to 6 ({TYPES_KEY})."
        yield examined.about(odd, "kind_out_of_range", ERROR, message)
    is_marker = [row for row in examined.bracketed if LOOKS_LIKE_CONTROL.fullmatch(texts[row])]
    if plain := [row for row in is_marker if is_normal[row]]:
        text = texts[plain[0]]
        changes = TokenizationChange(text, examined.cut(text), Tokenization.whole(text, plain[0]))
        message = "named like a control token, but marked as ordinary text."
        yield examined.about(plain, "control_marked_normal", WARNING, message, changes=changes)
    repaired = np.flatnonzero((types == NORMAL_TYPE) & ~is_normal).tolist() if examined.is_gguf else []
    if repaired:
        message = "marked as ordinary text, but treated as a control token by llama.cpp."
        yield examined.about(repaired, "control_by_its_text", HINT, message)
    if words := [row for row in examined.rows(Attribute.CONTROL) if WORD.fullmatch(texts[row])]:
        message = "an ordinary word, but marked as a control token: texts are split at it."
        yield examined.about(words, "word_marked_control", WARNING, message)
    unknown = np.flatnonzero(types == UNKNOWN_TYPE).tolist()
    if others := [row for row in unknown if row != vocabulary.special_ids.unk]:
        named = "does not name one" if vocabulary.special_ids.unk is None else "names another one"
        message = f"marked as the unknown token, but the file {named}."
        yield examined.about(others, "unknown_marked_twice", WARNING, message)


def check_padding(examined: ExaminedModel) -> Iterator[Finding]:
    """Tokens that only pad the list."""
    texts, is_unused = examined.texts, examined.vocabulary.stored_types == UNUSED_TYPE
    named = {row for row in examined.bracketed if PADDING.fullmatch(texts[row])}
    if not (padding := sorted(named.union(np.flatnonzero(is_unused).tolist()))):
        return
    row = padding[0]
    found = examined.cut(texts[row])
    changes = TokenizationChange(texts[row], found) if found.ids == (row,) else None
    what = "padding, up to the vocabulary size of the model."
    if changes:
        what += " A text that contains it gets an id that the model never learned."
    remedy = "Usually nothing. You can convert the model again with these tokens marked as unused."
    yield examined.about(padding, "padded", HINT, what, remedy, changes)


def check_bytes(examined: ExaminedModel) -> Iterator[Finding]:
    """Tokens for single bytes that are missing or not marked as such."""
    vocabulary = examined.vocabulary
    parts, rules = vocabulary.parts, vocabulary.rules
    falls_back = parts.model.byte_fallback if parts is not None else vocabulary.type is VocabType.SPM
    if vocabulary.pieces is not None:
        falls_back = vocabulary.pieces.has_byte_fallback
    names = [f"<0x{byte:02X}>" for byte in range(256)]
    if vocabulary.type is VocabType.BPE and rules.byte_encoding:
        names = list(CHARACTER_OF_BYTE)
    elif not (falls_back or vocabulary.model == "gemma4"):
        return
    rows = vocabulary.token_table.find([name.encode() for name in names])
    if falls_back and parts is None:
        raw = vocabulary.token_table.find([bytes([byte]) for byte in range(256)])
        rows = np.where(rows < 0, raw, rows)
    if missing := np.flatnonzero(rows < 0).tolist():
        yield from _missing_bytes(examined, missing)
    is_named = rows[rows >= 0] if names[0].startswith("<") else rows[:0]
    types = vocabulary.stored_types
    if examined.is_gguf and len(unmarked := is_named[types[is_named] != BYTE_TYPE]):
        what = "named like a byte token, but not marked as one."
        yield examined.about(unmarked.tolist(), "byte_not_marked", ERROR, what)
    marked = np.flatnonzero(types == BYTE_TYPE).tolist()
    if wrong := [row for row in marked if not BYTE_NAME.fullmatch(examined.texts[row])]:
        what = "marked as a byte token, but not named like <0x0A>."
        yield examined.about(wrong, "byte_misnamed", WARNING, what)


def _missing_bytes(examined: ExaminedModel, missing: list[int]) -> Iterator[Finding]:
    """An error only if encoding loses a byte that the original has a token for."""
    texts = {byte: text for byte in missing if (text := _text_losing(examined, byte))}
    original = None if examined.original is None else ExaminedModel(examined.original)
    known = _bytes_in_tokens(examined.vocabulary)
    lacking = {byte for byte in texts if (_text_losing(original, byte) if original else byte not in known)}
    no_ids = ". Text with such a byte cannot be encoded in full."
    groups = [
        (ERROR, texts.keys() - lacking, no_ids, CONVERT),
        (HINT, lacking, no_ids, ASK_ORIGINAL if original is None else IN_ORIGINAL),
    ]
    if not any(map(_characters_with, missing)):
        groups = [(HINT, {*missing}, ". No character needs them.", "Nothing to fix: no text needs them.")]
    for severity, some, where, remedy in groups:
        if some:
            shown = texts.get(min(some))
            what = f"No token for {len(some)} of the 256 bytes, the first {min(some):02X}{where}"
            changes = None if shown is None else TokenizationChange(shown, examined.cut(shown))
            yield Finding("bytes_missing", severity, what, remedy, changes)


def _text_losing(examined: ExaminedModel, byte: int) -> str:
    """A text whose encoding loses a character with this byte; "" if none was found."""
    effective_attributes, parts = examined.vocabulary.effective_attributes, examined.vocabulary.parts
    for character in _characters_with(byte):
        for text in (f"a{character}a", character):
            if parts is not None and character not in normalize(parts.normalizer, text.encode(), True).text():
                continue
            ids = list(examined.cut(text).ids)
            is_unknown = (effective_attributes[ids] & Attribute.UNKNOWN).any()
            if is_unknown or character.encode() not in examined.tokenizer.decode_bytes(ids):
                return text
    return ""


def _bytes_in_tokens(vocabulary: Vocabulary) -> set[int]:
    """The bytes of ordinary tokens, with which merging began; all bytes if it began with characters."""
    if not vocabulary.rules.byte_encoding:
        return set(range(256))
    data, offsets = vocabulary.token_bytes_table
    is_ordinary = np.repeat(vocabulary.attributes == Attribute.NORMAL, np.diff(offsets))
    return set(data[is_ordinary].tolist())


@cache
def _characters_with(byte: int) -> list[str]:
    """Some characters with this byte in UTF-8; empty if no assigned character has it."""
    codes = (*range(0x800), *range(0x800, 0xD800, 37), *range(0xE000, 0x110000, 1021))
    found = [chr(code) for code in codes if byte in chr(code).encode() and category(chr(code)) != "Cn"]
    return found[:: len(found) // N_CHARACTERS + 1]


def check_spelling(examined: ExaminedModel) -> Iterator[Finding]:
    """Tokens whose texts are incomplete characters; a single raw byte is legitimate."""
    if not examined.vocabulary.has_letters:
        return
    rows = (row for row, text in enumerate(examined.texts) if "\ufffd" in text)
    broken = [(row, raw) for row in rows if not _may_be_typed(raw := examined.vocabulary.raw_text(row))]
    if broken:
        raw = broken[0][1]
        what = f"not UTF-8 ({raw[:16].hex(' ').upper()}): no valid text contains it."
        yield examined.about([row for row, _ in broken], "token_not_utf8", WARNING, what)


def _may_be_typed(text: bytes) -> bool:
    """Whether a text is UTF-8 or a single byte."""
    return len(text) == 1 or text.decode("utf-8", "ignore").encode() == text


def check_scores(examined: ExaminedModel) -> Iterator[Finding]:
    """Scores that are missing, not finite, or above 0, in a vocabulary that encodes by scores."""
    vocabulary = examined.vocabulary
    if vocabulary.type not in SCORED or not len(vocabulary):
        return
    scores = vocabulary.scores
    if len(odd := np.flatnonzero(~np.isfinite(scores)).tolist()):
        message = f"the score {scores[odd[0]]} is not a finite number."
        yield examined.about(odd, "score_not_finite", ERROR, message)
    elif not scores.any():
        what = "All scores are 0 (tokenizer.ggml.scores), so they cannot decide between tokens."
        yield Finding("scores_missing", ERROR, what)
    is_learned = vocabulary.stored_types == NORMAL_TYPE
    if len(high := np.flatnonzero((scores > 0) & is_learned).tolist()):
        message = f"the score {scores[high[0]]:g} is too high: ordinary tokens have at most 0."
        yield examined.about(high, "score_above_zero", WARNING, message)


def check_merges(examined: ExaminedModel) -> Iterator[Finding]:
    """Merge rules without tokens, repeated rules, and tokens that no rule makes."""
    vocabulary, merging = examined.vocabulary, examined.tokenizer.merging
    if merging is None or len(vocabulary.merge_offsets) < 2 or vocabulary.rules.merges_all_pairs:
        return
    table, n_tokens = merging.rules.table, len(vocabulary)
    is_absent = (table[:, [0, 1, 3]] >= n_tokens).any(axis=1) | (table[:, 3] < 0)
    if is_absent.any():
        left, right = (_symbol(examined, int(symbol)) for symbol in table[is_absent.argmax(), :2])
        rules = counted(int(is_absent.sum()), "merge rule")
        what = f"The vocabulary lacks tokens for {rules}, such as “{left} {right}”."
        yield Finding("merge_of_no_token", ERROR, what)
    n_broken = 0
    if vocabulary.parts is None:
        n_broken = int(count_unsplittable(vocabulary.merge_data, vocabulary.merge_offsets))
    if twice := len(vocabulary.merge_offsets) - 1 - len(table) - n_broken:
        what = f"The file repeats {counted(twice, 'merge rule')}, without effect."
        yield Finding("merge_twice", WARNING, what)
    if vocabulary.parts is not None and not vocabulary.parts.merges_bytes:
        return
    is_made = np.zeros(max(n_tokens, int(table[:, 3].max(initial=0)) + 1), np.bool_)
    is_made[table[:, 3]] = True
    lengths = np.diff(vocabulary.token_offsets)
    rows = np.flatnonzero((vocabulary.attributes == Attribute.NORMAL) & (lengths > 1) & ~is_made[:n_tokens])
    if never := [row for row in rows.tolist() if len(examined.texts[row]) > 1]:
        whole = " except as a whole piece" if vocabulary.rules.ignore_merges else ""
        message = f"no merge rule makes it, so no text leads to it{whole}."
        yield examined.about(never, "token_never_made", HINT, message)


def check_confusables(examined: ExaminedModel) -> Iterator[Finding]:
    """Special tokens that look alike, or whose text contains invisible characters."""
    by_confusable_key, blank = dict[str, str](), list[int]()
    for text, row in examined.tokenizer.special_tokens.names.items():
        if not text.strip():
            continue
        if twin := by_confusable_key.get(confusable_key(text)):
            what = f"it looks like another special token, “{quoted(twin)}”."
            yield examined.about([row], "special_look_alike", WARNING, what)
        by_confusable_key.setdefault(confusable_key(text), text)
        if odd := confusables(text.encode("utf-8", "replace")):
            what = f"it contains U+{ord(odd[0].letter):04X}, which looks like “{odd[0].passes_for}”."
            yield examined.about([row], "special_look_alike", WARNING, what)
        if found := INVISIBLE.search(text):
            what = f"it contains an invisible character, U+{ord(found[0][0]):04X}."
            yield examined.about([row], "special_invisible", WARNING, what)
        elif text != text.strip():
            blank.append(row)
    if blank:
        text = examined.texts[blank[0]].strip()
        changes = TokenizationChange(text, examined.cut(text), Tokenization.whole(text, blank[0]))
        what = "begins or ends with a space: text without that space does not match it."
        yield examined.about(blank, "special_blank", WARNING, what, changes=changes)


def _symbol(examined: ExaminedModel, symbol: int) -> str:
    assert examined.tokenizer.merging is not None
    return quoted(examined.tokenizer.merging.symbol_text(symbol))
