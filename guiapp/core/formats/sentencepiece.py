"""SentencePiece's model files: pieces with scores, and rules that change a text before it is encoded.

They are Protocol Buffers messages.  Files that the library does not load are refused here, too.
Source: https://github.com/google/sentencepiece, version 0.2.3, sentencepiece_model.proto, model_interface.cc.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.formats import checks
from guiapp.core.formats.file_bytes import WholeFile
from guiapp.core.formats.tokenizer_config import SidecarFiles, model_name, read_sidecars
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.text.piece_text import PieceText
from guiapp.core.text.utf8 import is_text
from guiapp.core.vocabulary.attributes import (
    ATTRIBUTE_OF_TYPE,
    BYTE_TYPE,
    CONTROL_TYPE,
    NORMAL_TYPE,
    UNKNOWN_TYPE,
    UNUSED_TYPE,
    USER_DEFINED_TYPE,
)
from guiapp.core.vocabulary.byte_alphabet import NAMES
from guiapp.core.vocabulary.opening import METADATA, SPECIAL, TOKENS, FileNote, Opening
from guiapp.core.vocabulary.parts import SENTENCEPIECE, PieceRules, TextRules
from guiapp.core.vocabulary.special_ids import RoleFinder
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds, VocabType, Vocabulary
from guiapp.native.model_files import ModelFields, StringTable, read_model_fields

USUAL = (
    "The file does not specify whether BOS or EOS is added, and SentencePiece leaves it to the caller. Here "
    "BOS is added if the model has it, otherwise EOS if it has that."
)
CHANGED_FIRST = {
    "ice_text.model": "ChatGLM's own tokenizer first replaces newlines, tabs and runs of spaces with tokens "
    "such as <n>, <|tab|> and <|blank_2|>, then appends [gMASK] and <sop>, and in its first version adds "
    "20,000 to each id. Tokenloupe does none of this.",
    "source.spm": "Marian's own programs first normalize punctuation as Moses does (transformers leaves this "
    "out), put a language code such as >>fr<< before the pieces, and take their ids from vocab.json, not "
    "from this file. Tokenloupe does none of this.",
}
"""What tokenizers of models do with a text in addition to such a file, by the end of the file's name."""
SAID = "The tokenizer_config.json next to it specifies whether BOS and EOS are added."
MOST_TOKENS = 1 << 22
MOST_PIECE_BYTES = 8000  # the library's limit
LARGEST_SCORE = 1e30
LONGEST_SURFACE = 1 << 10  # bytes
MOST_GROWTH = 32  # characters that may replace one character; Unicode's own maps need 18
NUL = b"\0"
ROLE_FIELDS = (("unk", 45, b"<unk>"), ("bos", 46, b"<s>"), ("eos", 47, b"</s>"))  # ids: 40, 41, 42

PIECE, TRAINER, NORMALIZER, DENORMALIZER = 1, 2, 3, 5  # field numbers of the model
UNIGRAM, BPE, WORD, CHARACTER = range(1, 5)  # model types
NAMES_OF_TYPES = {UNIGRAM: "unigram", BPE: "bpe", WORD: "word", CHARACTER: "char"}
WHOLE_NUMBER, EIGHT_BYTES, DELIMITED, FOUR_BYTES = 0, 1, 2, 5  # wire types


class Model(NamedTuple):
    """The contents of a file, as the library interprets them.

    kinds       int32[n]  like `stored_types` of a vocabulary
    unknown_id  from the trainer's settings, whatever the kinds of pieces are
    role_texts  texts of the roles with an id in the trainer's settings, by their names in transformers
    """

    table: StringTable
    scores: NDArray[np.float32]
    kinds: NDArray[np.int32]
    type: int
    rules: PieceRules
    special: SpecialIds
    metadata: Mapping[str, object]
    unknown_id: int = 0
    role_texts: Mapping[str, str] = {}


def sniff(head: bytes) -> bool:
    """Whether a file begins with two pieces: each a text, then a score or a kind."""
    at = 0
    for _ in range(2):
        parsed = _varint(head, at + 1) if head.startswith(b"\n", at) else None
        if parsed is None or not _is_piece(head[parsed[1] : sum(parsed)], parsed[0]):
            return False
        at = sum(parsed)
    return True


def _is_piece(message: bytes, size: int) -> bool:
    parsed = _varint(message, 1) if message.startswith(b"\n") else None
    if parsed is None or parsed[0] == 0 or len(message) < size:
        return False
    return sum(parsed) == size or message[sum(parsed) : sum(parsed) + 1] in (b"\x15", b"\x18")


def read(path: Path, opening: Opening) -> Vocabulary:
    """Raises VocabError for a file that is damaged, or that SentencePiece does not load."""
    file = WholeFile(path, opening)
    model = model_of(file, opening)
    opening.begin(SPECIAL)
    return vocabulary_of(file, model)


def model_of(file: WholeFile, opening: Opening) -> Model:
    """Read the model in a file.  Raises VocabError."""
    opening.begin(METADATA)
    fields = read_model_fields(np.frombuffer(file.data, np.uint8), MOST_TOKENS)
    if isinstance(fields, int):
        raise file.error(f"is damaged from byte {fields:,} on, or incomplete")
    opening.begin(TOKENS)
    model = _model(file, fields)
    check_texts(file, model)
    return model


def vocabulary_of(file: WholeFile, model: Model, name: str = SENTENCEPIECE) -> Vocabulary:
    """The vocabulary of a model; `name` names the kind of file."""
    kinds, table, text = model.kinds, model.table, model.rules.text
    attributes = ATTRIBUTE_OF_TYPE[kinds]
    sidecars = read_sidecars(file.path)
    rule = special_rule(sidecars, model.special)
    roles = RoleFinder(table, attributes.copy(), model.special)
    roles.detect()
    roles.collect_ends()
    marked = set(np.flatnonzero(np.isin(kinds, (CONTROL_TYPE, USER_DEFINED_TYPE, UNKNOWN_TYPE))).tolist())
    ids = {role: parsed for role, parsed in asdict(roles.ids).items() if parsed in marked}
    return Vocabulary(
        path=file.path,
        name=model_name(file.path),
        type=VocabType.UGM if model.type == UNIGRAM else VocabType.SPM,
        model=name,
        token_data=table.data,
        token_offsets=table.offsets,
        scores=model.scores,
        attributes=attributes,
        stored_types=kinds,
        charsmap=text.charsmap,
        special_ids=SpecialIds(**ids),
        rules=Rules(
            add_bos=rule.adds_bos,
            add_eos=rule.adds_eos,
            add_space_prefix=text.adds_space,
            escape_spaces=text.marks_spaces,
            remove_extra_whitespaces=text.removes_spaces,
        ),
        eog=frozenset(roles.eog & marked),
        token_table=table,
        warnings=(*_changed_first(file.path.name), *sidecars.warnings),
        metadata={**model.metadata, **sidecars.config},
        library=SENTENCEPIECE,
        readings=sidecars.readings if name == SENTENCEPIECE else {},
        pieces=replace(model.rules, special_rule=rule.source_note),
    )


def _changed_first(name: str) -> Iterator[FileNote]:
    for ending, sentence in CHANGED_FIRST.items():
        if name.endswith(ending):
            yield FileNote("repairs_first", sentence)


def _model(file: WholeFile, fields: ModelFields) -> Model:
    messages = dict.fromkeys((TRAINER, NORMALIZER, DENORMALIZER), b"")
    for number, start, size in fields.others.tolist():
        if number in messages:  # repeated messages are merged, as by concatenation
            messages[number] += file.data[start : start + size]
    trainer, normalizer, denormalizer = (_Message(file, messages[number]) for number in messages)
    kind = trainer.number(3, UNIGRAM, NAMES_OF_TYPES)
    if kind == WORD:
        raise file.error("is a model of whole words", "Choose one of the type BPE, Unigram or char.")
    has_bytes = bool(trainer.number(35, 0))
    kinds = fields.kinds
    table = checked_table(file, fields.texts, fields.scores, kinds, kind, has_bytes)
    rules = PieceRules(
        text=_text_rules(normalizer, bool(trainer.number(24, 0))),
        merges=kind == BPE,
        has_byte_fallback=has_bytes,
        unknown_surface=trainer.text(44, PieceRules.unknown_surface),
        decoded=_text_rules(denormalizer) if denormalizer.text(2, b"") else None,
    )
    special = {
        role: _row(table, kinds, trainer.text(field, text) or text, CONTROL_TYPE)
        for role, field, text in (("bos", 46, b"<s>"), ("eos", 47, b"</s>"), ("pad", 48, b"<pad>"))
    }
    unknown = np.flatnonzero(kinds == UNKNOWN_TYPE).tolist()
    metadata = {
        "trainer_spec.model_type": NAMES_OF_TYPES[kind],
        "trainer_spec.byte_fallback": has_bytes,
        "trainer_spec.treat_whitespace_as_suffix": rules.text.adds_at_end,
        "trainer_spec.vocab_size": trainer.number(4, 8000),
        "trainer_spec.unk_surface": quoted(rules.unknown_surface),
        "normalizer_spec.name": quoted(normalizer.text(1, b"")),
        "normalizer_spec.add_dummy_prefix": rules.text.adds_space,
        "normalizer_spec.remove_extra_whitespaces": rules.text.removes_spaces,
        "normalizer_spec.escape_whitespaces": rules.text.marks_spaces,
        "normalizer_spec.precompiled_charsmap": f"{len(rules.text.charsmap):,} bytes",
        "denormalizer_spec": "in use" if rules.decoded else "none",
    }
    ids = SpecialIds(**special, unk=unknown[0] if unknown else None)
    role_texts = {
        f"{role}_token": (trainer.text(field, b"") or usual).decode("utf-8", "replace")
        for row, (role, field, usual) in enumerate(ROLE_FIELDS)
        if trainer.number(40 + row, row) < 1 << 63
    }
    return Model(table, fields.scores, kinds, kind, rules, ids, metadata, trainer.number(40, 0), role_texts)


def checked_table(
    file: WholeFile,
    texts: tuple[NDArray[np.uint8], NDArray[np.int64]],
    scores: NDArray[np.float32],
    kinds: NDArray[np.int32],
    type_: int,
    has_bytes: bool,
) -> StringTable:
    """The texts of all pieces; raises VocabError if the library would not load them.  May change `kinds`."""
    data, offsets = texts
    lengths = np.diff(offsets)
    if len(kinds) > MOST_TOKENS:
        raise file.error(f"has more than {MOST_TOKENS:,} pieces", "Choose a smaller model.")
    if len(kinds) == 0:
        raise file.error("has no pieces")
    if lengths.min() == 0:
        raise file.error(f"has the empty piece {int(np.argmin(lengths)):,}")
    if lengths.max() >= MOST_PIECE_BYTES:
        raise file.error(
            f"has a piece of {int(lengths.max()):,} bytes",
            f"Pieces must have fewer than {MOST_PIECE_BYTES:,}.",
        )
    nuls = np.unique(np.searchsorted(offsets, np.flatnonzero(data == 0), "right") - 1)
    single = nuls[lengths[nuls] == 1]
    if has_bytes:
        kinds[single] = UNUSED_TYPE  # as in the library: some converters add a NUL piece
    if len(nuls) > len(single) or (kinds[single] != UNUSED_TYPE).any():
        raise file.error(f"has the piece {int(nuls[0]):,}, which contains a NUL character")
    _check_scores(file, scores, kinds, type_)
    table = StringTable(data, offsets)
    checks.check_unique(file, table)
    _check_bytes(file, table, kinds, has_bytes)
    n_unknown = int((kinds == UNKNOWN_TYPE).sum())
    if n_unknown > 1 or (n_unknown == 0 and not has_bytes):
        raise file.error("has no unknown piece" if n_unknown == 0 else f"has {n_unknown:,} unknown pieces")
    return table


def _check_bytes(file: WholeFile, table: StringTable, kinds: NDArray[np.int32], has_bytes: bool) -> None:
    rows = np.flatnonzero(kinds == BYTE_TYPE)
    if len(rows) and not has_bytes:
        raise file.error("has pieces for bytes, but byte_fallback is off")
    named = table.find(NAMES)
    if len(rows) != (named >= 0).sum() * has_bytes or not np.isin(rows, named).all():
        raise file.error("has byte pieces that do not name a byte, or not one for each byte")
    if has_bytes and len(rows) != len(named):
        raise file.error("does not have one piece for each byte, but byte_fallback is on")


def _check_scores(file: WholeFile, scores: NDArray[np.float32], kinds: NDArray[np.int32], kind: int) -> None:
    is_fine = np.abs(scores) < LARGEST_SCORE
    if not is_fine.all():
        row = int(np.argmin(is_fine))
        raise file.error(f"has the piece {row:,}, whose score is not a number or is too large")
    if kind == UNIGRAM and not (kinds == NORMAL_TYPE).any():
        raise file.error("has no normal pieces")


def check_texts(file: WholeFile, model: Model) -> None:
    """Raises VocabError for an unusable character map, user-defined piece or text for unknown characters."""
    for row in np.flatnonzero(model.kinds == USER_DEFINED_TYPE).tolist():
        if not is_text(model.table.text(row)):
            raise file.error(f"has the user-defined piece {row:,}, which is not UTF-8")
    if len(model.rules.unknown_surface) > LONGEST_SURFACE:
        raise file.error("has a text for unknown characters (unk_surface) that is too long")
    for rules in filter(None, (model.rules.text, model.rules.decoded)):
        try:
            PieceText(rules).check(MOST_GROWTH)
        except ValueError as error:
            raise file.error(f"has a precompiled_charsmap that {error}") from error


def _row(table: StringTable, kinds: NDArray[np.int32], text: bytes, kind: int) -> int | None:
    """The id of the piece with this text, if it has the given kind."""
    row = int(table.find([text])[0])
    return row if row >= 0 and kinds[row] == kind else None


def _text_rules(message: _Message, adds_at_end: bool = False) -> TextRules:
    return TextRules(
        np.frombuffer(message.text(2, b""), np.uint8),
        adds_space=bool(message.number(3, 1)),
        removes_spaces=bool(message.number(4, 1)),
        marks_spaces=bool(message.number(5, 1)),
        adds_at_end=adds_at_end,
    )


class _Message:
    """The fields of a message; the last value of each number counts.  Raises VocabError if it is broken."""

    def __init__(self, file: WholeFile, data: bytes) -> None:
        self._numbers: dict[int, list[int]] = {}
        self._texts: dict[int, bytes] = {}
        at = 0
        while at < len(data):
            key, at = _varint(data, at) or (0, at)
            number, written = key >> 3, key & 7
            value, at = _varint(data, at) or (-1, at) if written in (WHOLE_NUMBER, DELIMITED) else (0, at)
            size = {EIGHT_BYTES: 8, FOUR_BYTES: 4, DELIMITED: value, WHOLE_NUMBER: 0}.get(written, -1)
            if number == 0 or value < 0 or not 0 <= size <= len(data) - at:
                raise file.error("is broken where it says how text is changed")
            if written == DELIMITED:
                self._texts[number] = data[at : at + size]
            elif written == WHOLE_NUMBER:
                self._numbers.setdefault(number, []).append(value)
            at += size

    def number(self, field: int, default: int, allowed: Mapping[int, str] | None = None) -> int:
        """The whole number in a field; values that are not allowed are ignored."""
        parsed = [value for value in self._numbers.get(field, ()) if allowed is None or value in allowed]
        return parsed[-1] if parsed else default

    def text(self, field: int, default: bytes) -> bytes:
        return self._texts.get(field, default)


def _varint(data: bytes, at: int) -> tuple[int, int] | None:
    """Read a whole number of up to 64 bits; return it and the offset of its end, or None if there is none."""
    value = 0
    for shift, byte in enumerate(data[at : at + 10]):
        value |= (byte & 0x7F) << 7 * shift
        if byte < 0x80:
            return value & (1 << 64) - 1, at + shift + 1
    return None


class SpecialRule(NamedTuple):
    """What is added to each text, and a sentence that names the source of this rule."""

    adds_bos: bool
    adds_eos: bool
    source_note: str


def special_rule(sidecars: SidecarFiles, ids: SpecialIds) -> SpecialRule:
    """The rule for adding BOS and EOS in a model with these ids."""
    adds_bos = ids.bos is not None
    adds_eos = not adds_bos and ids.eos is not None
    switches = [sidecars.config.get(key) for key in ("add_bos_token", "add_eos_token")]
    bos, eos = (value if isinstance(value, bool) else None for value in switches)
    if bos is None and eos is None:
        return SpecialRule(adds_bos, adds_eos, USUAL)
    return SpecialRule(
        (adds_bos if bos is None else bos) and ids.bos is not None, bool(eos) and ids.eos is not None, SAID
    )
