"""Small model files of vocabulary types without pair merging, for comparison with llama.cpp.

`vocabulary` makes one in memory, from lists.  The other functions write one file each to a path.  Tokens are
random from a seed, over an alphabet that `random_texts` favours: ties, prefixes and gaps are frequent.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from gguf_builder import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED, Raw, write_vocab
from toy_vocabulary import listed_vocabulary

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds, VocabType, Vocabulary

ALPHABET = [*"aaabbcdehinorst  ABC019.,!?<>|_-", *"éß中文▁▁дמ👩\u0301ﬁ각\ufffd"]
USER_DEFINED_TOKENS = ["<extra_id_0>", "<extra_id_1>", "ab ab", "éxy", "中文字", "\n\n"]

BITS = {
    NORMAL: Attribute.NORMAL,
    UNKNOWN: Attribute.UNKNOWN,
    CONTROL: Attribute.CONTROL,
    BYTE: Attribute.BYTE,
    USER_DEFINED: Attribute.USER_DEFINED,
    UNUSED: Attribute.UNUSED,
}


def vocabulary(
    vocab_type: VocabType,
    tokens: Sequence[str],
    types: Sequence[int] = (),
    scores: Sequence[float] = (),
    rules: Rules | None = None,
    unknown: int | None = 0,
    charsmap: bytes = b"",
) -> Vocabulary:
    """A vocabulary in memory; types and scores may be left out."""
    stored_types = np.array(types or [NORMAL] * len(tokens), np.int32)
    return listed_vocabulary(
        tokens,
        type=vocab_type,
        model="",
        scores=np.array(scores or [0.0] * len(tokens), np.float32),
        attributes=np.array([BITS[kind] for kind in stored_types.tolist()], np.uint16),
        stored_types=stored_types,
        charsmap=np.frombuffer(bytearray(charsmap), np.uint8),
        special_ids=SpecialIds(unk=unknown),
        rules=rules or Rules(),
    )


def write_wordpiece(path: Path, seed: int, lowercase: bool | None, strip_accents: bool | None) -> Path:
    """Write a WPM file; `None` leaves out an option."""
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "▁", "\udce2", *_texts(seed, 400, 4)]
    tokens += ["▁" + text for text in _texts(seed + 1, 400, 5)]
    switches = {"normalizer.lowercase": lowercase, "normalizer.strip_accents": strip_accents}
    return write_vocab(
        path,
        model="bert",
        tokens=_distinct(tokens),
        unknown_token_id=1,
        bos_token_id=2,
        seperator_token_id=3,
        **{key: value for key, value in switches.items() if value is not None},
    )


def write_unigram(
    path: Path, seed: int, add_space_prefix: bool, remove_extra_whitespaces: bool, charsmap: list[int] | None
) -> Path:
    """Write a UGM file with all kinds of tokens and few distinct scores, so that ties are frequent."""
    rng = random.Random(seed)
    tokens = ["<pad>", "</s>", "<unk>", "▁", *USER_DEFINED_TOKENS, "[unused0]", "un"]
    types = [CONTROL, CONTROL, UNKNOWN, NORMAL, *[USER_DEFINED] * len(USER_DEFINED_TOKENS), CONTROL, UNUSED]
    words = [text.replace(" ", "") for text in _texts(seed, 500, 4)] + [
        "▁" + text for text in _texts(seed + 1, 300, 4)
    ]
    tokens = _distinct([*tokens, *words])
    types += [NORMAL] * (len(tokens) - len(types))
    scores = [rng.choice((-1.0, -2.0, -2.5, -3.25, -rng.random() * 9)) for _ in tokens]
    return write_vocab(
        path,
        model="t5",
        tokens=tokens,
        types=types,
        scores=scores,
        add_space_prefix=add_space_prefix,
        remove_extra_whitespaces=remove_extra_whitespaces,
        precompiled_charsmap=None if charsmap is None else Raw("array:u8", charsmap),
    )


def write_rwkv(path: Path, seed: int) -> Path:
    """Write an RWKV file with every byte, so that llama.cpp terminates, and with all kinds of escapes."""
    tokens = ["<s>", *(f"\\x{byte:02x}" for byte in range(256))]
    tokens += ["\\n\\n", "\\t\\t\\t", "\\'s", "\\\\x", "a\\"]
    tokens += [text.replace("\\", "\\\\") for text in _texts(seed, 500, 6)]
    return write_vocab(path, model="rwkv", tokens=_distinct(tokens), unknown_token_id=0)


def write_plamo2(path: Path, seed: int, more_scores: Sequence[float] = ()) -> Path:
    """Write a PLAMO2 file with ties, unusable scores, control tokens, and tokens that are not UTF-8."""
    rng = random.Random(seed)
    tokens = ["<unk>", "<s>", "</s>", "<pad>", *(f"<0x{byte:02X}>" for byte in range(256))]
    types = [UNKNOWN, CONTROL, CONTROL, CONTROL, *[BYTE] * 256]
    tokens = _distinct([*tokens, "\udcff", "\udce4\udcb8", "\ufeff", *_texts(seed, 800, 5)])
    types += [NORMAL] * (len(tokens) - len(types))
    unusable = (float("nan"), float("inf"), float("-inf"), -2000.0, -2500.0, -1999.9, 1e30)
    scores = [
        rng.choice((-1.0, -2.0, -3.00005, -rng.random() * 9, rng.choice(unusable), *more_scores))
        for _ in tokens
    ]
    return write_vocab(path, model="plamo2", tokens=tokens, types=types, scores=scores)


def write_test(path: Path) -> Path:
    """Write a TEST file."""
    return write_vocab(path, model="test", tokens=[f"t{index}" for index in range(997)])


def _texts(seed: int, count: int, longest: int) -> list[str]:
    rng = random.Random(seed)
    return ["".join(rng.choices(ALPHABET, k=rng.randint(1, longest))) for _ in range(count)]


def _distinct(tokens: list[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, tokens)))
