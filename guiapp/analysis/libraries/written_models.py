"""Write the loaded vocabulary in forms that other tokenizers read: ranks, JSON, a SentencePiece model."""

from __future__ import annotations

import json
import struct
from base64 import b64encode
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from guiapp.analysis.libraries.contender import UnavailableError
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.formats import clip, tokenizer_json, vocab_json, vocab_txt
from guiapp.core.formats import json_parts as part
from guiapp.core.formats.ranks import CONTRACTION as PUBLISHED
from guiapp.core.formats.table import HEAD_BYTES
from guiapp.core.pretokenize.pre_tokenizers import CONTRACTION, GPT2, NUMBER, Pattern
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.byte_alphabet import spell
from guiapp.core.vocabulary.opening import Opening
from guiapp.core.vocabulary.parts import PieceRules
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary
from guiapp.errors import VocabError
from guiapp.native.model_files import sliced

VARINT, BYTES, FLOAT = 0, 2, 5
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
PIECE_TYPES = {
    Attribute.UNKNOWN: UNKNOWN,
    Attribute.CONTROL: CONTROL,
    Attribute.BYTE: BYTE,
    Attribute.USER_DEFINED: USER_DEFINED,
    Attribute.UNUSED: UNUSED,
}
UNIGRAM_MODEL, PAIR_MODEL = 1, 2
CL100K, O200K = "cl100k_base", "o200k_base"
USUAL = O200K  # used for any other vocabulary
KNOWN = {  # number of tokens and SHA-256, as in tiktoken's check of fetched files
    (100_256, "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"): CL100K,
    (199_998, "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"): O200K,
}
BYTES_OF_TEXT = (*range(0xC0), *range(0xC2, 0xF5))  # the bytes that occur in UTF-8


class RanksAndPattern(NamedTuple):
    """The bytes of each normal token with its rank, and the pattern that splits text into pieces."""

    pattern: str
    ranks: dict[bytes, int]
    special: Mapping[str, int] = MappingProxyType({})


def ranks_and_pattern(tokenizer: Tokenizer) -> RanksAndPattern:
    """The source for tiktoken; `check_ranks` must have passed."""
    vocabulary = tokenizer.vocabulary
    return RanksAndPattern(single_pattern(vocabulary, "tiktoken"), ranks_of_bytes(vocabulary))


def check_ranks(vocabulary: Vocabulary, reader: str) -> None:
    """Raise UnavailableError if a library like tiktoken cannot merge and split as the vocabulary requires."""
    if (parts := vocabulary.parts) is not None and not (vocabulary.patterns and parts.normalizes_nothing):
        raise UnavailableError(f"{reader} merges the bytes of unchanged text; this file needs more.")
    if vocabulary.rules.escape_spaces:
        raise UnavailableError(f"{reader} merges bytes; “{vocabulary.pre}” merges characters.")
    single_pattern(vocabulary, reader)
    rows = vocabulary.token_table.find([spell(bytes([byte])).encode() for byte in BYTES_OF_TEXT])
    if not (np.all(rows >= 0) and np.all(vocabulary.attributes[rows] & Attribute.NORMAL)):
        raise UnavailableError(f"{reader} needs a token for each byte, and this file lacks some.")


def ranks_of_bytes(vocabulary: Vocabulary) -> dict[bytes, int]:
    """The id of each normal token by its bytes; the id is its rank in tiktoken."""
    texts = sliced(*vocabulary.token_bytes_table)
    normal = np.flatnonzero(vocabulary.attributes & Attribute.NORMAL.value).tolist()
    return {texts[token]: token for token in normal}


def single_pattern(vocabulary: Vocabulary, reader: str) -> str:
    """The pattern that splits text into pieces; raises UnavailableError if it is not a single expression."""
    patterns = _patterns(vocabulary, reader)
    if len(patterns) != 1:
        raise UnavailableError(
            f"{reader} splits text by one pattern; “{vocabulary.pre_in_use or vocabulary.name}” uses "
            f"{len(patterns)} in turn."
        )
    return patterns[0].source.replace(CONTRACTION, PUBLISHED) + r"|\s+"


def _patterns(vocabulary: Vocabulary, reader: str) -> tuple[Pattern, ...]:
    patterns = vocabulary.patterns
    if not all(pattern.source for pattern in patterns):
        raise UnavailableError(f"{reader} cannot split text as “{vocabulary.pre_in_use}” does.")
    return patterns


def check_hugging_face(vocabulary: Vocabulary) -> None:
    """Raise UnavailableError if the vocabulary cannot be expressed as a `tokenizer.json`."""
    if vocabulary.parts is not None:
        _own_file(vocabulary)
        return
    if vocabulary.type not in (VocabType.BPE, VocabType.SPM, VocabType.WPM, VocabType.UGM):
        raise UnavailableError(f"tokenizer.json has no {vocabulary.type.value} vocabularies.")
    if vocabulary.pieces is not None and not _is_as_llamas(vocabulary, vocabulary.pieces):
        raise UnavailableError("This SentencePiece model cannot be written as a tokenizer.json.")
    if vocabulary.type is VocabType.BPE and not vocabulary.rules.escape_spaces:
        _patterns(vocabulary, "tokenizers")
    if vocabulary.type is VocabType.WPM and vocabulary.special_ids.unk is None:
        raise UnavailableError(
            "WordPiece in a tokenizer.json needs an unknown token, which this file does not have."
        )


def _is_as_llamas(vocabulary: Vocabulary, rules: PieceRules) -> bool:
    """Whether a SentencePiece model needs no more features than converted ones such as Llama's."""
    text, has_own = rules.text, (vocabulary.attributes & Attribute.USER_DEFINED).any()
    is_changed = len(text.charsmap) > 0 or text.removes_spaces or text.adds_at_end or not text.marks_spaces
    return rules.merges and rules.has_byte_fallback and not (is_changed or has_own)


def hugging_face_json(tokenizer: Tokenizer) -> str:
    """The vocabulary as `tokenizer.json`; `check_hugging_face` must have passed."""
    vocabulary = tokenizer.vocabulary
    if vocabulary.parts is not None:
        return _own_file(vocabulary).read_text("utf-8")
    writers = {
        VocabType.BPE: _byte_pair_sections,
        VocabType.SPM: _sentence_piece_sections,
        VocabType.WPM: _word_piece_sections,
        VocabType.UGM: _unigram_sections,
    }
    return json.dumps(
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [],
            "normalizer": part.NFC if vocabulary.rules.composes else None,
            "post_processor": None,
            **writers[vocabulary.type](tokenizer),
        },
        ensure_ascii=False,
    )


def with_special(source: Any, special: Mapping[str, int]) -> Any:
    """The source with these special tokens (texts and ids); files keep their own."""
    if isinstance(source, RanksAndPattern):
        return source._replace(special=special)
    if not isinstance(source, str) or (document := json.loads(source))["added_tokens"]:
        return source
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False) | {"special": True}
    in_order = sorted(special.items(), key=itemgetter(1))
    document["added_tokens"] = [{"id": row, "content": text, **flags} for text, row in in_order]
    return json.dumps(document, ensure_ascii=False)


def document_json(read: Callable[[Path, Opening], tuple[Any, dict[str, Any], Any]], path: Path) -> str:
    """The tokenizer.json that is equivalent to a file of tokens.  Raises UnavailableError."""
    try:
        _, content, _ = read(path, Opening(lambda share: None))
    except VocabError as error:
        raise UnavailableError(str(error)) from error
    return json.dumps(content, ensure_ascii=False)


def _own_file(vocabulary: Vocabulary) -> Path:
    """The tokenizer.json from which a vocabulary was read.  Raises UnavailableError for any other file."""
    path = vocabulary.path
    if path is None or vocabulary.chosen_pre or not tokenizer_json.sniff(_head(path)):
        raise UnavailableError(
            "This library reads a tokenizer.json unchanged; this is another file, or read differently."
        )
    return path


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)


def unsplit_hugging_face_json(tokenizer: Tokenizer) -> str:
    """A BPE vocabulary as `tokenizer.json` that does not split texts.  Raises UnavailableError."""
    if tokenizer.vocabulary.type is not VocabType.BPE or tokenizer.vocabulary.parts is not None:
        raise UnavailableError("Only BPE vocabularies split texts.")
    document = json.loads(hugging_face_json(tokenizer))
    if not tokenizer.vocabulary.rules.escape_spaces:  # else it is not split anyway
        document["pre_tokenizer"] = part.byte_level(use_regex=False)
    return json.dumps(document, ensure_ascii=False)


def _byte_pair_sections(tokenizer: Tokenizer) -> dict[str, Any]:
    vocabulary = tokenizer.vocabulary
    if vocabulary.rules.escape_spaces:
        sections = _marked_sections(vocabulary, _merges(vocabulary))
        return {**sections, "normalizer": part.MARKS, "pre_tokenizer": part.SPLIT_SPACES}
    has_ranks = vocabulary.rules.merges_all_pairs
    return {
        "pre_tokenizer": _pre_tokenizer(_patterns(vocabulary, "tokenizers")),
        "model": {
            "type": "BPE",
            "vocab": _ids_of_texts(vocabulary),
            "merges": _merges_of_ranks(tokenizer) if has_ranks else _merges(vocabulary),
            "ignore_merges": vocabulary.rules.ignore_merges,
        },
        "decoder": part.BYTE_LEVEL,
    }


def _merges(vocabulary: Vocabulary) -> list[tuple[str, str]]:
    return [_pair(merge.decode()) for merge in sliced(vocabulary.merge_data, vocabulary.merge_offsets)]


def _merges_of_ranks(tokenizer: Tokenizer) -> list[tuple[str, str]]:
    """Merge rules as from converters: each pair of tokens that forms a token, by its rank, then by theirs."""
    vocabulary, merging = tokenizer.vocabulary, tokenizer.merging
    assert merging is not None
    tokens = sliced(vocabulary.token_data, vocabulary.token_offsets)
    texts = [token.decode("utf-8", "replace") for token in tokens]
    table = merging.rules.table
    left, right, rank, made = table[(table[:, :2] < len(texts)).all(axis=1)].T
    order = np.lexsort((right, left, made, rank))
    return [(texts[i], texts[j]) for i, j in zip(left[order].tolist(), right[order].tolist(), strict=True)]


def _pair(merge: str) -> tuple[str, str]:
    """Both sides of a rule; the left one may be a space itself."""
    at = merge.index(" ", 1)
    return merge[:at], merge[at + 1 :]


def _pre_tokenizer(patterns: tuple[Pattern, ...]) -> dict[str, Any]:
    """The patterns in turn, each within the pieces of the previous ones; as named components if known."""
    is_gpt2 = patterns[-1] == GPT2
    last = part.byte_level(use_regex=is_gpt2)
    steps = [part.split_by(_published(pattern)) for pattern in patterns[: len(patterns) - is_gpt2]]
    if patterns == (NUMBER, GPT2):
        steps = [part.DIGITS]
    return part.pre_tokenizers(*steps, last) if steps else last


def _published(pattern: Pattern) -> str:
    """A pattern as spelled in model files; some readers only recognize this spelling."""
    source = pattern.source.replace(CONTRACTION, PUBLISHED)  # both match the same
    return source + r"|\s+" * source.endswith(r"\s+(?!\S)")


def _sentence_piece_sections(tokenizer: Tokenizer) -> dict[str, Any]:
    return _marked_sections(tokenizer.vocabulary, _merges_of_ranks(tokenizer))


def _marked_sections(vocabulary: Vocabulary, merges: list[tuple[str, str]]) -> dict[str, Any]:
    """Sections for BPE of characters with byte fallback and a mark for each space."""
    unknown = vocabulary.special_ids.unk
    adds_space = vocabulary.rules.add_space_prefix
    return {
        "normalizer": part.normalizers(*([part.PREPENDS] if adds_space else []), part.MARKS),
        "pre_tokenizer": None,
        "model": {
            "type": "BPE",
            "vocab": _ids_of_texts(vocabulary),
            "merges": merges,
            "byte_fallback": True,
            "fuse_unk": True,
            "unk_token": None if unknown is None else vocabulary.raw_text(unknown).decode("utf-8", "replace"),
        },
        "decoder": part.decoders(*part.TO_SPACES, *([part.stripped(1, 0)] if adds_space else [])),
    }


def _word_piece_sections(tokenizer: Tokenizer) -> dict[str, Any]:
    """Sections for WordPiece: GGUF marks tokens that begin a word, this format tokens that continue one."""
    vocabulary = tokenizer.vocabulary
    ids = {}
    for text, token in _ids_of_texts(vocabulary).items():
        is_normal = bool(vocabulary.attributes[token] & Attribute.NORMAL)
        is_first = text.startswith(part.SPACE_MARK)
        ids[text.removeprefix(part.SPACE_MARK) if is_first else f"##{text}" if is_normal else text] = token
    unknown = vocabulary.special_ids.unk
    assert unknown is not None
    return {
        "normalizer": part.bert_normalizer(vocabulary.rules.lowercase, vocabulary.rules.strip_accents),
        "pre_tokenizer": part.BERT_SPLIT,
        "model": {
            "type": "WordPiece",
            "unk_token": vocabulary.raw_text(unknown).decode(),
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 1 << 30,
            "vocab": ids,
        },
        "decoder": part.word_pieces(cleans_up=False),
    }


def _unigram_sections(tokenizer: Tokenizer) -> dict[str, Any]:
    vocabulary = tokenizer.vocabulary
    steps = [part.precompiled(vocabulary.charsmap)] if len(vocabulary.charsmap) else []
    steps += [part.strip(True, True), part.ONE_SPACE] if vocabulary.rules.remove_extra_whitespaces else []
    pieces = [
        (vocabulary.raw_text(token).decode("utf-8", "replace"), vocabulary.score(token))
        for token in range(len(vocabulary))
    ]
    marked = part.metaspace("always" if vocabulary.rules.add_space_prefix else "never", split=False)
    return {
        "normalizer": part.normalizers(*steps),
        "pre_tokenizer": marked,
        "model": {
            "type": "Unigram",
            "unk_id": vocabulary.special_ids.unk,
            "vocab": pieces,
            "byte_fallback": False,
        },
        "decoder": marked,
    }


def _ids_of_texts(vocabulary: Vocabulary) -> dict[str, int]:
    texts = sliced(vocabulary.token_data, vocabulary.token_offsets)
    return {text.decode("utf-8", "replace"): token for token, text in enumerate(texts)}


READS_JSON = {"tokenizer.json": partial(Path.read_text, encoding="utf-8")}
READS_TOKENS = {
    "vocab.txt": partial(document_json, vocab_txt.document),
    "vocab.json and merges.txt": partial(document_json, vocab_json.document),
    "CLIP's merges": partial(document_json, clip.document),
}
"""Formats that such libraries read through an equivalent tokenizer.json."""


# OpenAI's vocabularies, for libraries that contain only these and identify them by name


def name_of(vocabulary: Vocabulary) -> str:
    """OpenAI's name of this vocabulary, "" if it is not one of theirs."""
    n_normal = int((vocabulary.attributes & Attribute.NORMAL > 0).sum())
    if vocabulary.type is not VocabType.BPE or n_normal not in {size for size, _ in KNOWN}:
        return ""
    try:
        check_ranks(vocabulary, "tiktoken")
    except UnavailableError:
        return ""
    return KNOWN.get((n_normal, sha256(ranks_text(ranks_of_bytes(vocabulary))).hexdigest()), "")


class NamedRanks(NamedTuple):
    """The name of one of OpenAI's vocabularies, and its file for tiktoken."""

    name: str
    file: bytes


def named_ranks(tokenizer: Tokenizer) -> NamedRanks:
    """The name and ranks of a vocabulary that `name_of` recognizes."""
    vocabulary = tokenizer.vocabulary
    return NamedRanks(name_of(vocabulary), ranks_text(ranks_of_bytes(vocabulary)))


def ranks_text(ranks: dict[bytes, int]) -> bytes:
    """Tokens by rank in the format of tiktoken's files."""
    rows = sorted((rank, text) for text, rank in ranks.items())
    return b"".join(b64encode(text) + b" %d\n" % rank for rank, text in rows)


def rwkv_rows(tokenizer: Tokenizer) -> str:
    """Rows of an RWKV vocabulary, always written by us: the library runs each line of a file as Python."""
    vocabulary = tokenizer.vocabulary
    rows = ((token, vocabulary.token_bytes(token)) for token in range(len(vocabulary)))
    is_text = vocabulary.attributes & Attribute.NORMAL > 0
    return "".join(f"{token} {text!r} {len(text)}\n" for token, text in rows if is_text[token] and text)


# A SentencePiece model file in protobuf's wire format; fields as in sentencepiece_model.proto


def sentencepiece_model(vocabulary: Vocabulary) -> bytes:
    """The bytes of a `.model` file with the pieces, scores and normalizer of an SPM or UGM vocabulary."""
    pieces = b"".join(_message(1, _piece(vocabulary, token)) for token in range(len(vocabulary)))
    rules = vocabulary.rules
    model_type = UNIGRAM_MODEL if vocabulary.type is VocabType.UGM else PAIR_MODEL
    has_bytes = int((vocabulary.attributes & Attribute.BYTE != 0).sum()) == 256
    trainer = _number(3, model_type) + _number(35, has_bytes)  # model_type, byte_fallback
    normalizer = (
        _message(1, b"as in the file")  # name
        + _message(2, vocabulary.charsmap.tobytes())  # precompiled_charsmap
        + _number(3, rules.add_space_prefix)  # add_dummy_prefix
        + _number(4, rules.remove_extra_whitespaces)
        + _number(5, 1)  # escape_whitespaces
    )
    return pieces + _message(2, trainer) + _message(3, normalizer)


def _piece(vocabulary: Vocabulary, token: int) -> bytes:
    attributes = Attribute(int(vocabulary.attributes[token]))
    kind = next((number for bit, number in PIECE_TYPES.items() if bit in attributes), NORMAL)
    score = _key(2, FLOAT) + struct.pack("<f", vocabulary.score(token))
    return _message(1, vocabulary.raw_text(token)) + score + _number(3, kind)


def _message(field: int, data: bytes) -> bytes:
    return _key(field, BYTES) + _varint(len(data)) + data


def _number(field: int, value: int) -> bytes:
    return _key(field, VARINT) + _varint(value)


def _key(field: int, wire_type: int) -> bytes:
    return _varint(field << 3 | wire_type)


def _varint(value: int) -> bytes:
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    groups.append(value)
    return bytes(groups)
