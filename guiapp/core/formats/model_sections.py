"""Read the section “model” of a tokenizer.json, one function for each model type.

Its long lists become arrays: a Python object for each token and rule would take longer.
Source: https://github.com/huggingface/tokenizers, tokenizers/src/models.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.hugging_face.spec import ComponentError
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.text.outside_json import read_json
from guiapp.core.vocabulary.opening import FileNote
from guiapp.core.vocabulary.parts import ModelOptions
from guiapp.core.vocabulary.vocabulary import MERGE_SEPARATOR, MERGES_VERSION, VocabType
from guiapp.native.checkpoint import checkpoint, stoppable
from guiapp.native.model_files import Packed, StringTable, json_ranks, json_texts, packed
from guiapp.native.normalized import repair

RANKS = re.compile(rb'"vocab"\s*:\s*(?=\[)')
LONG_PARTS = re.compile(rb'"(?:(vocab)"\s*:\s*(?=\{)|(merges)"\s*:\s*(?=\[))')
STAND_IN, QUOTED_STAND_IN = "\0", b'"\\u0000"'  # in place of a long list
SURROGATE = re.compile(rb"\xed[\xa0-\xbf]")
MOST_MERGES = 1 << 22
SPACE = ord(" ")
MOST_CHARACTERS = 100
NO_SCORES = np.empty(0, np.float64)
HIGHEST_SCORE = 1e300  # of a token, so that sums of scores are finite


Find = Callable[[Sequence[str]], list[int | None]]


class ModelSection(NamedTuple):
    """The parsed section “model”.

    find          maps texts to ids (the last id of equal tokens); None for a text that is not a token
    n_texts       the number of different texts; for Unigram, the number of tokens
    data, offsets  the texts of all tokens, in the layout of `native.packed`
    ids           in the same order
    scores        float64, in the same order (Unigram only)
    merge_data, merge_offsets   merge rules by rank, as in a Vocabulary (BPE only)
    """

    type: VocabType
    options: ModelOptions
    find: Find
    n_texts: int
    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    ids: NDArray[np.int64]
    scores: NDArray[np.float64] = NO_SCORES
    merge_data: NDArray[np.uint8] = np.empty(0, np.uint8)
    merge_offsets: NDArray[np.int64] = np.zeros(1, np.int64)
    warnings: tuple[FileNote, ...] = ()


def model_section(spec: Any) -> ModelSection:
    """Raises ComponentError with the end of a sentence; TypeError, KeyError and so on for another layout."""
    if isinstance(spec, ModelSection):
        return spec
    kind = spec.get("type") or _kind_of_keys(spec)
    if kind not in READERS:
        raise ComponentError(f"has a model of the unknown type “{quoted(str(kind))}”")
    return READERS[kind](spec)


def _kind_of_keys(spec: Any) -> str:
    """The model type by its keys, for old files, which do not name it."""
    if "merges" in spec:
        return "BPE"
    if isinstance(spec.get("vocab"), list):
        return "Unigram"
    return "WordPiece" if "max_input_chars_per_word" in spec else "WordLevel"


def _byte_pair(spec: Any) -> ModelSection:
    vocab = _vocab(spec)
    unknown = _text(spec, "unk_token")
    (unknown_id,) = vocab.find([unknown])
    if unknown and unknown_id is None:
        raise ComponentError(f"names the unknown token “{quoted(unknown)}”, which is not in its model")
    prefix = _text(spec, "continuing_subword_prefix")
    data, offsets = _merges(spec["merges"], prefix)
    options = ModelOptions(
        "BPE",
        unknown_id if unknown else None,
        prefix,
        _text(spec, "end_of_word_suffix"),
        _flag(spec, "fuse_unk"),
        _flag(spec, "byte_fallback"),
        _flag(spec, "ignore_merges"),
    )
    dropout = spec.get("dropout")
    if dropout is not None and not (isinstance(dropout, (int, float)) and 0 <= dropout <= 1):
        raise ComponentError(f"has an invalid dropout: {quoted(repr(dropout))}")
    spec = f"The dropout of {dropout or 0:g} is for training and is not applied."
    warnings = (FileNote("dropout", spec),) if dropout else ()
    return ModelSection(
        VocabType.BPE, options, *vocab, merge_data=data, merge_offsets=offsets, warnings=warnings
    )


def _word_piece(spec: Any) -> ModelSection:
    vocab = _vocab(spec)
    most = spec.get("max_input_chars_per_word", MOST_CHARACTERS)
    options = ModelOptions(
        "WordPiece",
        vocab.find([_text(spec, "unk_token", "[UNK]")])[0],
        _text(spec, "continuing_subword_prefix", "##"),
        most_characters=_count(most, "max_input_chars_per_word"),
    )
    return ModelSection(VocabType.WPM, options, *vocab)


def _word_level(spec: Any) -> ModelSection:
    vocab = _vocab(spec)
    (unknown,) = vocab.find([_text(spec, "unk_token", "<unk>")])
    options = ModelOptions("WordLevel", unknown)
    return ModelSection(VocabType.WORD_LEVEL, options, *vocab)


def _unigram(spec: Any) -> ModelSection:
    texts = [str(text) for text, _ in stoppable(spec["vocab"])]
    given = [score for _, score in stoppable(spec["vocab"])]
    if not {float, int}.issuperset(map(type, given)):
        raise ComponentError("has tokens whose scores are not numbers")
    scores = np.array(given, np.float64)
    if not (abs(scores) <= HIGHEST_SCORE).all():
        raise ComponentError("has tokens whose scores are infinite or too large to be added")
    unknown = spec.get("unk_id")
    if unknown is not None and _count(unknown, "unk_id") >= len(texts):
        raise ComponentError(f"has {counted(len(texts), 'token')}, but names {unknown:,} as the unknown one")
    options = ModelOptions("Unigram", unknown, byte_fallback=_flag(spec, "byte_fallback"))
    ids_of_texts = {text: token_id for token_id, text in enumerate(texts)}
    find = partial(_find, ids_of_texts)
    ids = np.arange(len(texts))
    return ModelSection(VocabType.UGM, options, find, len(texts), *packed_texts(texts), ids, scores)


READERS: dict[str, Callable[[Any], ModelSection]] = {
    "BPE": _byte_pair,
    "WordPiece": _word_piece,
    "WordLevel": _word_level,
    "Unigram": _unigram,
}


class _Vocab(NamedTuple):
    """The fields of a ModelSection that come from a JSON object of texts and ids."""

    find: Find
    n_texts: int
    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    ids: NDArray[np.int64]


def _vocab(spec: Any) -> _Vocab:
    vocab = spec["vocab"]
    if isinstance(vocab, PackedTexts):
        table = StringTable(vocab.data, vocab.offsets)
        if table.first_duplicates() is None:
            find = partial(_find_in_table, table, vocab.numbers)
            return _Vocab(find, len(vocab.numbers), vocab.data, vocab.offsets, vocab.numbers)
        vocab = dict(zip(_cut(vocab), vocab.numbers.tolist(), strict=True))
    if not isinstance(vocab, dict) or set(map(type, vocab.values())) - {int}:
        raise ComponentError("has a vocabulary that does not give each text an id")
    ids = np.fromiter(vocab.values(), np.int64, len(vocab))
    return _Vocab(partial(_find, vocab), len(vocab), *packed_texts(list(vocab)), ids)


def _find(ids_of_texts: Mapping[str, int], texts: Sequence[str]) -> list[int | None]:
    return list(map(ids_of_texts.get, texts))


def _find_in_table(table: StringTable, ids: NDArray[np.int64], texts: Sequence[str]) -> list[int | None]:
    rows = table.find([text.encode() for text in texts]).tolist()
    return [int(ids[row]) if row >= 0 else None for row in rows]


def _cut(texts: PackedTexts) -> list[str]:
    data, bounds = texts.data.tobytes(), texts.offsets.tolist()
    return [data[start:end].decode() for start, end in pairwise(bounds)]


def _merges(spec: Any, prefix: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """A rule is a text with a space in it, or a list of two texts; the first rule decides for the file."""
    checkpoint()
    if not isinstance(spec, PackedTexts | list):
        raise ComponentError("has merge rules that are not a list")
    are_pairs = (
        spec.are_pairs if isinstance(spec, PackedTexts) else bool(spec) and not isinstance(spec[0], str)
    )
    if isinstance(spec, PackedTexts):
        data, offsets = spec.data.copy(), spec.offsets
        if not are_pairs and MERGES_VERSION in data.tobytes():
            return _merges(_cut(spec), prefix)
    elif are_pairs:
        data, offsets = packed_texts([text for left, right in stoppable(spec) for text in (left, right)])
    else:
        data, offsets = packed_texts([rule for rule in spec if not rule.encode().startswith(MERGES_VERSION)])
    if are_pairs:
        inner, n_rules = offsets[1::2], len(offsets) // 2
        data, offsets = np.insert(data, inner, MERGE_SEPARATOR[0]), offsets[::2] + np.arange(n_rules + 1)
        middles = inner + np.arange(n_rules)
    else:
        middles = np.flatnonzero(data == SPACE)
        data[middles] = MERGE_SEPARATOR[0]
    if len(offsets) - 1 > MOST_MERGES:
        raise ComponentError(f"has {len(offsets) - 1:,} merge rules; the limit is {MOST_MERGES:,}")
    starts, ends = offsets[:-1], offsets[1:]
    if len(middles) != len(starts) or (middles <= starts).any() or (middles >= ends - 1).any():
        raise ComponentError("has a merge rule that is not two texts")
    if len(starts) and int((ends - middles - 1).min()) < len(prefix.encode()):
        raise ComponentError(
            f"has a merge rule whose second text is shorter than the prefix “{quoted(prefix)}”"
        )
    return data, offsets


def packed_texts(texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Concatenated texts and their offsets, as from `packed`; faster if no text contains a NUL."""
    data = np.frombuffer("\0".join(texts).encode(), np.uint8)
    breaks = np.flatnonzero(data == 0)
    if len(breaks) != len(texts) - 1:
        data, offsets = packed([text.encode() for text in texts])
        return data.copy(), offsets
    inner = np.arange(len(texts) - 1)
    return data[data != 0], np.concatenate([[0], breaks - inner, [len(data) - len(inner)]])


def _text(spec: Any, key: str, default: str = "") -> str:
    value = spec.get(key)
    if value is None:
        return default
    if not isinstance(value, str):
        raise ComponentError(f"has a “{key}” that is not text")
    value.encode()
    return value


def _flag(spec: Any, key: str) -> bool:
    value = spec.get(key)
    if value is not None and not isinstance(value, bool):
        raise ComponentError(f"has a “{key}” that is neither true nor false")
    return bool(value)


def _count(value: Any, key: str) -> int:
    if type(value) is not int or not 0 <= value < 1 << 63:
        raise ComponentError(f"has a “{key}” that is not a whole number")
    return value


class PackedTexts(NamedTuple):
    """Many texts in the layout of `packed`.

    numbers    int64[n]: one for each text, or empty
    are_pairs  whether each two consecutive texts form a pair
    """

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    numbers: NDArray[np.int64]
    are_pairs: bool


class RankedTexts(NamedTuple):
    """The bytes of many tokens, packed, and int64[n]: their ranks."""

    texts: Packed
    ranks: NDArray[np.int64]


def read_json_with_texts(data: bytes) -> Any:
    """Parse a JSON text; `vocab` and `merges` of its `model` may become PackedTexts.

    Raises ValueError as `read_json` does.
    """
    shortened, parts_by_name = _without_long_parts(data)
    if parts_by_name:
        content = read_json(shortened, number_as_read_there)
        model = content.get("model") if isinstance(content, dict) else None
        if isinstance(model, dict) and all(model.get(name) == STAND_IN for name in parts_by_name):
            return content | {"model": model | parts_by_name}
    return read_json(data, number_as_read_there)


def read_json_with_ranks(data: bytes) -> Any:
    """Parse a JSON text; `vocab` may become RankedTexts.  Raises ValueError as `read_json` does."""
    if (match := RANKS.search(data)) and _is_utf_8(data):
        read = json_ranks(np.frombuffer(data, np.uint8), match.end())
        if read is not None:
            content = read_json(b"".join([data[: match.end()], QUOTED_STAND_IN, data[read[2] :]]))
            if isinstance(content, dict) and content.get("vocab") == STAND_IN:
                return content | {"vocab": RankedTexts(*read[:2])}
    return read_json(data)


def number_as_read_there(text: str) -> float:
    """Read a number as serde_json does: digits and power of ten are rounded separately; this affects ties."""
    digits, _, power = text.lower().lstrip("-").partition("e")
    whole, _, fraction = digits.partition(".")
    exponent = (int(power) if power else 0) - len(fraction)
    if len(whole + fraction) > 19 or abs(exponent) > 300:
        return float(text)
    value = float(int(whole + fraction))
    value = value * 10.0**exponent if exponent >= 0 else value / 10.0**-exponent
    return -value if text.startswith("-") else value


def _without_long_parts(data: bytes) -> tuple[bytes, dict[str, PackedTexts]]:
    """A JSON text with stand-ins for the long lists that the native reader can read, and these lists."""
    if not _is_utf_8(data):
        return data, {}
    array = np.frombuffer(data, np.uint8)
    parts_by_name: dict[str, PackedTexts] = {}
    parts, done = list[bytes](), 0
    while match := LONG_PARTS.search(data, done):
        read = json_texts(array, match.end())
        name = (match[1] or match[2]).decode()
        if read is None or name in parts_by_name:
            return data, {}
        texts, numbers, end, n_pairs = read
        if n_pairs not in (0, len(texts[1]) // 2):
            return data, {}
        parts_by_name[name] = PackedTexts(*texts, numbers, n_pairs > 0)
        parts += [data[done : match.end()], QUOTED_STAND_IN]
        done = end
    return b"".join([*parts, data[done:]]), parts_by_name


def _is_utf_8(data: bytes) -> bool:
    return repair(np.frombuffer(data, np.uint8)) is None and not SURROGATE.search(data)
