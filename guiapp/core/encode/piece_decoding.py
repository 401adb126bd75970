"""From the ids of a SentencePiece model back to text, as SentencePiece itself does.

Control pieces say nothing; where they are written all the same, what is between them is decoded by itself,
as it was encoded.  Source: SentencePieceProcessor::Decode of version 0.2.3.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text import utf8
from guiapp.core.text.piece_text import PieceText
from guiapp.core.vocabulary.attributes import BYTE_TYPE, CONTROL_TYPE, UNKNOWN_TYPE
from guiapp.core.vocabulary.piece_rules import PieceRules, TextRules
from guiapp.core.vocabulary.vocabulary import Vocabulary

MARK = "▁".encode()
USUAL_BYTES = 8  # of a token, at most
NO_MAP = np.empty(0, np.uint8)
REPAIRED = PieceText(
    TextRules(NO_MAP, adds_space=False, removes_spaces=False, marks_spaces=False)
)  # valid UTF-8


def decode_pieces(
    vocabulary: Vocabulary,
    rules: PieceRules,
    ids: NDArray[np.int32],
    remove_special: bool,
    unparse_special: bool,
    is_text: bool,
) -> bytes:
    """The bytes of some ids; where it `is_text`, those that are no character are U+FFFD each.

    `remove_special` leaves out the BOS in front and the EOS at the end that the file asks for, and
    `unparse_special` writes the other control pieces.
    """
    kinds, special = vocabulary.stored_types, vocabulary.special_ids
    if remove_special and vocabulary.rules.add_bos and len(ids) and ids[0] == special.bos:
        ids = ids[1:]
    if remove_special and vocabulary.rules.add_eos and len(ids) and ids[-1] == special.eos:
        ids = ids[:-1]
    is_control = kinds[ids] == CONTROL_TYPE
    if not unparse_special:
        return _decoded(vocabulary, rules, ids, is_text)
    bounds = np.flatnonzero(is_control).tolist()
    written = [_decoded(vocabulary, rules, ids[: bounds[0] if bounds else len(ids)], is_text)]
    for at, end in pairwise([*bounds, len(ids)]):
        written += [
            vocabulary.raw_text(int(ids[at])),
            _decoded(vocabulary, rules, ids[at + 1 : end], is_text),
        ]
    return b"".join(written)


def _decoded(vocabulary: Vocabulary, rules: PieceRules, ids: NDArray[np.int32], is_text: bool) -> bytes:
    """The text of ids; control pieces say nothing, but bytes on both sides of one make no character."""
    kinds = vocabulary.stored_types[ids]
    first, start = _beginning(vocabulary, rules, ids)
    parts = [first]
    is_repaired = is_text and bool((kinds == BYTE_TYPE).any())
    for at in [*np.flatnonzero(np.isin(kinds, (UNKNOWN_TYPE, CONTROL_TYPE))).tolist(), len(ids)]:
        if at < start:
            continue
        stretch = _joined(vocabulary, ids[start:at])
        parts.append(_changed(REPAIRED, stretch) if is_repaired else stretch)
        parts += [rules.unknown_surface] if at < len(ids) and kinds[at] == UNKNOWN_TYPE else []
        start = at + 1
    text = b"".join(parts)
    if rules.decoded is None or not utf8.is_text(text):
        return text
    return _changed(_text_of(rules.decoded), text)


def _text_of(rules: TextRules) -> PieceText:
    """Made once, and kept with the rules: it takes as long as to decode a hundred pages."""
    known = vars(rules)
    found: PieceText = known.get("piece_text") or PieceText(rules)
    known["piece_text"] = found
    return found


def _beginning(vocabulary: Vocabulary, rules: PieceRules, ids: NDArray[np.int32]) -> tuple[bytes, int]:
    """The text of the first ids without the spaces that were put there, and how many ids these are."""
    if not (rules.text.adds_space or rules.text.removes_spaces):
        return b"", 0
    for n_before, token in enumerate(ids.tolist()):
        kind, raw = vocabulary.stored_types[token], vocabulary.raw_text(token)
        if kind == CONTROL_TYPE:
            continue
        if kind == BYTE_TYPE:
            return b"", n_before
        text = raw.removeprefix(MARK).replace(MARK, b" ")
        text = rules.unknown_surface if kind == UNKNOWN_TYPE else text
        if text or (raw.startswith(MARK) and not rules.text.removes_spaces):
            return text, n_before + 1
    return b"", len(ids)


def _joined(vocabulary: Vocabulary, ids: NDArray[np.int32]) -> bytes:
    return vocabulary.decoder.decode(ids, len(ids) * USUAL_BYTES).tobytes()


def _changed(text: PieceText, data: bytes) -> bytes:
    return text.normalize(np.frombuffer(data, np.uint8)).data.tobytes()
