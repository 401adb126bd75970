"""Checks that a tokenizer gives the same results as the library sentencepiece with random texts.

Spans are equal with one exception.  A unit of text (a character, or several that the character map replaces
together) may become several tokens.  The library gives the whole unit to the last of these tokens and nothing
to the others; here they share its bytes.  So the edge of a token within the replacement of a unit may be
anywhere in that unit; all other edges are equal.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import numpy as np

from guiapp.core.encode.tokenizer import Tokenizer

MARK = "\u2581".encode()


def check(tokenizer: Tokenizer, library: Any, texts: Iterable[bytes], readable: float = 1.0) -> None:
    """Assert equal ids, spans and texts, also of the reference implementation on a share of the texts."""
    assert tokenizer.vocabulary.pieces is not None
    rules = tokenizer.vocabulary.pieces.text
    for text in texts:
        edges, ids = expected_edges(library, text, rules.adds_space and not rules.adds_at_end)
        assert library.encode(text) == ids
        dice = random.Random(text)
        chosen = dice.choice(tokenizer.exact_encoders)
        for name in {tokenizer.exact_encoders[0], chosen}:
            encoding = tokenizer.encode(text, False, False, name)
            assert encoding.token_ids.tolist() == ids, (name, text)
            starts_and_ends = encoding.spans.T
            is_there = (edges[..., 0] <= starts_and_ends) & (starts_and_ends <= edges[..., 1])
            assert is_there.all(), (name, text, encoding.spans.tolist(), edges.tolist())
        if dice.random() < readable:
            reference = tokenizer.encode_readable(text, False, False, chosen)
            assert reference.token_ids.tolist() == ids, (chosen, text)
            assert reference.spans.tolist() == tokenizer.encode(text, False, False, chosen).spans.tolist(), (
                text
            )
        assert tokenizer.encode_each([text, b"x"], False, False)[0].tolist() == ids, text
        check_decoded(tokenizer, library, ids)
        check_decoded(tokenizer, library, dice.choices(range(len(tokenizer.vocabulary)), k=12))


def check_decoded(tokenizer: Tokenizer, library: Any, ids: list[int]) -> None:
    decoded = library.decode(ids, return_type=bytes) if ids else b""
    assert tokenizer.decode(ids, unparse_special=False).encode() == decoded, ids
    is_repaired = "\ufffd".encode() in decoded
    assert is_repaired or tokenizer.decode_bytes(ids, unparse_special=False) == decoded, ids


def expected_edges(library: Any, text: bytes, has_prefix: bool) -> tuple[Any, Any]:
    """int64[2, n, 2]: least and greatest allowed starts and ends of all tokens; and the ids."""
    encoded = library.encode(text, return_type="offset_mapping")
    normalized, sources = library.normalize(text, with_offsets=True)
    sizes = [
        1 if library.is_byte(token) else len(piece)
        for token, piece in zip(encoded["ids"], encoded["pieces"], strict=True)
    ]
    assert sum(sizes) == len(normalized)
    places = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    sources = np.array(sources or [0], np.int64)
    begins = np.append(True, np.diff(sources) > 0)
    begins[-1] = True
    if has_prefix and normalized:
        begins[len(MARK) if normalized.startswith(MARK) else 1] = True
    firsts = np.maximum.accumulate(np.where(begins, np.arange(len(begins)), 0))
    nexts = np.append(np.flatnonzero(begins), len(begins) - 1)[np.cumsum(begins)]
    least, most = sources[firsts], np.where(begins, sources, sources[nexts])
    edges = np.stack([least, most], axis=1)
    return np.stack([edges[places[:-1]], edges[places[1:]]]), encoded["ids"]
