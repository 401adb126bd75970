"""Convert SentencePiece models and lists of ranks as `transformers` does before it constructs a class.

Source: https://github.com/huggingface/transformers, version 5.24.0, convert_slow_tokenizer.py
(`SentencePieceExtractor`, `build_tokenizer_from_spm_proto`, `TikTokenConverter`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.core.auto_tokenizer.backend import (
    ADDITIONAL,
    DECODER,
    EXTRA,
    Arguments,
    TokenSpec,
    arguments_of,
    text_of,
)
from guiapp.core.auto_tokenizer.classes import CHARSMAP, MBART_CODES
from guiapp.core.auto_tokenizer.reading import (
    BASE,
    Document,
    class_stem,
    document_of_parts,
    document_of_pieces,
)
from guiapp.core.formats import json_parts as part
from guiapp.core.formats.json_parts import Part
from guiapp.core.formats.model_sections import PackedTexts, packed_texts
from guiapp.core.formats.sentencepiece import UNIGRAM, Model
from guiapp.core.formats.tokenizer_config import SidecarFiles
from guiapp.core.hugging_face.spec import ComponentError
from guiapp.core.vocabulary.attributes import CONTROL_TYPE, NORMAL_TYPE, USER_DEFINED_TYPE
from guiapp.native.binding import Ints
from guiapp.native.model_files import Packed, StringTable, sliced, spell_bytes
from guiapp.native.pairs import NO_BYTE_TOKENS, NO_PIECES, PairModel, PairOptions

Pieces = list[tuple[str, float]]


def document_of_model(model: Model, sidecars: SidecarFiles, repository: str) -> Document:
    """The document of a folder with this SentencePiece model.  Raises the same as `reading.document_of`."""
    stem = class_stem(sidecars, False, repository)
    texts = [text.decode() for text in sliced(model.table.data, model.table.offsets)]
    pieces = list(zip(texts, model.scores.astype(float).tolist(), strict=True))
    kinds = model.kinds.tolist()
    charsmap = _charsmap(model)
    arguments = arguments_of(sidecars, None) | {"unk_id": model.unknown_id, CHARSMAP: charsmap}
    arguments[ADDITIONAL] = [
        TokenSpec(text, normalized=False, special=kind == CONTROL_TYPE)
        for text, kind in zip(texts, kinds, strict=True)
        if kind in (CONTROL_TYPE, USER_DEFINED_TYPE)
    ]
    if stem in (BASE, "Parakeet", "FNet"):  # these keep the result of the library's converter
        return _as_in_model(stem, model, pieces, arguments, sidecars)
    if stem in ("Barthez", "Camembert") and model.type != UNIGRAM:
        raise ComponentError(f"has pieces that {stem}Tokenizer, as which transformers loads it, cannot use")
    pieces = CONVERTERS[stem](pieces, arguments) if stem in CONVERTERS else pieces
    return document_of_pieces(
        stem, pieces, partial(merges_of, (model.table.data, model.table.offsets)), arguments, sidecars
    )


def halves_of(texts: Packed) -> Ints:
    """int32[n, 3]: the rows of all pairs of texts whose concatenation is a text, and its row."""
    n_texts = len(texts[1]) - 1
    ranks = np.arange(n_texts, dtype=np.int32)
    options = PairOptions(None, ranks, None, False, False, NO_BYTE_TOKENS, NO_PIECES, cuts_short=True)
    rules = PairModel(StringTable(*texts), options, None).rules()[:, [0, 1, 3]]
    return rules[(rules < n_texts).all(axis=1)]


def merges_of(texts: Packed, halves: Ints | None = None) -> PackedTexts:
    """Merge rules for `halves`, in their order; by default for all, by id, shorter left halves first."""
    data, offsets = texts
    if halves is None:
        halves = halves_of(texts)
        halves = halves[np.lexsort((np.diff(offsets)[halves[:, 0]], halves[:, 2]))]
    lengths = np.diff(offsets)[halves[:, :2]].ravel()
    starts, ends = offsets[halves[:, :2]].ravel(), np.append(0, np.cumsum(lengths))
    indexes = np.arange(ends[-1]) + np.repeat(starts - ends[:-1], lengths)
    return PackedTexts(data[indexes], ends, np.empty(0, np.int64), True)


def _charsmap(model: Model) -> Part | None:
    return part.precompiled(charsmap) if len(charsmap := model.rules.text.charsmap) else None


def _as_in_model(
    stem: str, model: Model, pieces: Pieces, arguments: Arguments, sidecars: SidecarFiles
) -> Document:
    """The document by the model's own settings, for classes that rebuild nothing."""
    rules, kinds = model.rules, model.kinds.tolist()
    decoder: Mapping[int, TokenSpec] = arguments[DECODER]
    texts = [text for text, _ in pieces]
    legacy = arguments.get("legacy", True)
    is_unigram = model.type == UNIGRAM or stem == "FNet"  # FNet's class makes any pieces a Unigram model
    if not is_unigram:
        kept = {text for row, text in enumerate(texts) if row not in decoder}
        names = {row: token.content for row, token in decoder.items() if token.content not in kept}
        texts = [names.get(row, text) for row, text in enumerate(texts)]
    own = [text for text, kind in zip(texts, kinds, strict=True) if kind == USER_DEFINED_TYPE]
    in_model = {text for (text, _), kind in zip(pieces, kinds, strict=True) if kind == USER_DEFINED_TYPE}
    if in_model:
        arguments[ADDITIONAL] = [each for each in arguments[ADDITIONAL] if each.content not in in_model]
    if rules.text.adds_space:
        arguments[DECODER] = {
            row: token.resolved()._replace(normalized=False) for row, token in decoder.items()
        }
    if is_unigram:
        spec: dict[str, Any] = {"type": "Unigram", "vocab": pieces, "unk_id": model.unknown_id}
    else:
        packed = packed_texts(texts)
        spec = {
            "type": "BPE",
            "vocab": PackedTexts(*packed, np.arange(len(texts)), False),
            "merges": _scored_merges(packed, model),
            "unk_token": model.role_texts.get("unk_token", "<unk>"),
            "fuse_unk": True,
            "ignore_merges": bool(own),
        }
    content = {
        "model": spec | {"byte_fallback": rules.has_byte_fallback},
        "added_tokens": [],
        "normalizer": _normalizer(model, bool(legacy)),
        "pre_tokenizer": _pre_tokenizer(model, bool(legacy), own),
        "decoder": _decoder(model),
    }
    for role, text in model.role_texts.items():
        arguments.setdefault(role, text)
    return document_of_parts(stem, content, arguments, sidecars)


def _scored_merges(texts: Packed, model: Model) -> PackedTexts:
    """The merge rules of normal pieces, the highest score first."""
    halves = halves_of(texts)
    halves = halves[(model.kinds == NORMAL_TYPE)[halves].all(axis=1)]
    cuts, rows = np.diff(texts[1])[halves[:, 0]], halves[:, 2]
    return merges_of(texts, halves[np.lexsort((cuts, rows, -model.scores[rows]))])


def _normalizer(model: Model, legacy: bool) -> Any:
    text, charsmap = model.rules.text, _charsmap(model)
    return part.normalizers(
        *([charsmap] if charsmap else []),
        *([part.matched(r"\A +| +\z", ""), part.ONE_SPACE] if text.removes_spaces else []),
        *([part.MARKS] if text.marks_spaces else []),
        *([part.matched(rf"\A{part.SPACE_MARK}", 2 * part.SPACE_MARK)] if text.adds_space and legacy else []),
    )


def _pre_tokenizer(model: Model, legacy: bool, own: list[str]) -> Any:
    steps = [part.metaspace("always" if legacy else "first", False)] if model.rules.text.adds_space else []
    if own:
        pattern = "|".join(re.escape(text) for text in sorted(own, key=len, reverse=True))
        steps.append(part.split_by(pattern))
    return part.pre_tokenizers(*steps) if steps else None


def _decoder(model: Model) -> Any:
    marks, bytes_, fuse = part.TO_SPACES
    steps = [marks, *([bytes_] if model.rules.has_byte_fallback else [])]
    if model.rules.text.adds_space:
        return part.decoders(*steps, fuse, part.stripped(1, 0))
    return part.decoders(*steps, *([fuse] if model.rules.has_byte_fallback else []))


# Changes that some classes make to the pieces


def _texts(a: Arguments, **usual: str) -> list[str]:
    """The texts of roles: from the configs, else the usual ones."""
    return [text_of(a.get(f"{role}_token", text)) for role, text in usual.items()]


def _fairseq(pieces: Pieces, a: Arguments, *more: str) -> Pieces:
    first = _texts(a, bos="<s>", pad="<pad>", eos="</s>", unk="<unk>")
    last = [*more, *_texts(a, mask="<mask>")]
    return [*((text, 0.0) for text in first), *pieces[3:], *((text, 0.0) for text in last)]


def _camembert(pieces: Pieces, a: Arguments) -> Pieces:
    pad, unk, mask = _texts(a, pad="<pad>", unk="<unk>", mask="<mask>")
    first = [("<s>NOTUSED", 0.0), (pad, 0.0), ("</s>NOTUSED", 0.0), (unk, 0.0), ("<unk>NOTUSED", -100.0)]
    return [*first, *pieces[1:], (mask, 0.0)]


def _t5(pieces: Pieces, a: Arguments) -> Pieces:
    n_extra = a.get("extra_ids", 100)
    if type(n_extra) is not int or n_extra > len(pieces) + 1000:
        raise ComponentError("comes with a config whose extra_ids is not a small whole number")
    return [*pieces, *((f"<extra_id_{number}>", 0.0) for number in range(n_extra - 1, -1, -1))]


def _pegasus(pieces: Pieces, a: Arguments) -> Pieces:
    masks = [*_texts(a, mask="<mask_1>"), text_of(a.get("mask_token_sent", "<mask_2>"))]
    texts = [*_texts(a, pad="<pad>", eos="</s>"), *dict.fromkeys(each for each in masks if each != "None")]
    unknown = [(f"<unk_{number}>", -100.0) for number in range(2, a.get("offset", 103))]
    return [*((text, 0.0) for text in texts), *unknown, *pieces[2:]]


CONVERTERS = {
    "Camembert": _camembert,
    "MBart": lambda pieces, a: _fairseq(pieces, a, *MBART_CODES),
    "Pegasus": _pegasus,
    "T5": _t5,
    "VideoPrism": _t5,
    "XLMRoberta": _fairseq,
}
"""By the class without “Tokenizer”."""


def document_of_ranks(tokens: Packed, ids: NDArray[np.int64], sidecars: SidecarFiles, name: str) -> Document:
    """The document of a folder with these tokens by rank, as if in a file tiktoken.model."""
    stem = class_stem(sidecars, False, name)
    arguments = arguments_of(sidecars, None)
    names = {row: token.content for row, token in arguments[DECODER].items()}
    extra, n_tokens, highest = arguments.get(EXTRA) or [], len(ids), max(names, default=0)
    if highest > 2 * n_tokens:
        raise ComponentError(f"comes with a config that gives a token the id {highest:,}")
    if highest >= n_tokens:
        new = [names.get(row, f"<|reserved_token_{row}|>") for row in range(n_tokens, highest + 1)]
        extra = [*new, *(each for each in extra if each not in new)]
    spelled = spell_bytes(tokens)
    halves = halves_of(spelled)
    order = np.lexsort(ids[halves[:, [1, 0, 2]]].T)
    content = {
        "model": {
            "type": "BPE",
            "vocab": PackedTexts(*spelled, ids, False),
            "merges": merges_of(spelled, halves[order]),
            "ignore_merges": True,
        },
        "added_tokens": [{"content": each, "normalized": False, "special": True} for each in extra],
        "pre_tokenizer": part.pre_tokenizers(part.CL100K_SPLIT, part.byte_level(False, False)),
        "decoder": part.BYTE_LEVEL,
        "post_processor": {"type": "ByteLevel"},
    }
    return document_of_parts(stem, content, arguments, sidecars)
