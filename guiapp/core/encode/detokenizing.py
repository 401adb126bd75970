"""Turn token ids back into bytes, with llama.cpp's rules for special tokens and spaces.

Source: llama_vocab::detokenize.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import pairwise
from operator import index

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text import utf8
from guiapp.core.text.piece_text import PieceText
from guiapp.core.vocabulary import byte_alphabet
from guiapp.core.vocabulary.attributes import BYTE_TYPE, CONTROL_TYPE, UNKNOWN_TYPE, Attribute
from guiapp.core.vocabulary.parts import Parts, PieceRules, TextRules
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.errors import EncodeError
from guiapp.native import model_files as native
from guiapp.native.model_files import BYTE_STAND_INS, TokenDecoder, spell_out

MARK = "▁".encode()
NO_MAP = np.empty(0, np.uint8)
REPAIRED = PieceText(
    TextRules(NO_MAP, adds_space=False, removes_spaces=False, marks_spaces=False)
)  # makes valid UTF-8
SPACE = 0x20
HIDDEN = np.uint16(Attribute.CONTROL | Attribute.UNKNOWN)  # left out unless special tokens are written
USUAL_BYTES = 8  # of a token, at most
CUT = re.compile(rb"[^ 'rv]|[^ ]{3}| (?= {3})")  # text after such a match is cleaned independently of it
BYTE_TOKEN = re.compile(r"<0x..>")
LOOK_BACK = 64  # tokens
CUT_BYTES = 64  # at the end of a block, in which `CUT` is searched for


def detokenize(
    vocabulary: Vocabulary,
    ids: Iterable[int],
    remove_special: bool,
    unparse_special: bool,
    is_text: bool = False,
) -> bytes:
    """The bytes that a sequence of token ids stands for.

    `remove_special` drops leading and trailing tokens, such as BOS and EOS, if the vocabulary adds them;
    `unparse_special` writes control tokens as their text instead of leaving them out.
    `is_text` replaces invalid UTF-8 as the file's own library does in texts: with as many U+FFFD as there.
    Raises EncodeError for an id that the vocabulary does not have.
    """
    token_ids, has_beginning = checked_ids(vocabulary, ids), False
    if remove_special:
        token_ids, has_beginning = _without_affixes(token_ids, *_affixes(vocabulary))
    return _detokenized(vocabulary, token_ids, not has_beginning, unparse_special, is_text)


def detokenize_blocks(
    vocabulary: Vocabulary, blocks: Iterable[NDArray[np.int32]], remove_special: bool, unparse_special: bool
) -> Iterator[bytes]:
    """The same for valid ids in blocks, or in one result if the file's rules look across tokens.

    Such rules are those of SentencePiece files that change the whole text, and decoders that join tokens
    before they change them, drop repeated tokens or look at the last one.
    """
    parts = _without_all_affixes(vocabulary, blocks, remove_special)
    if vocabulary.parts and (decoding := decoding_of(vocabulary)).is_local:
        return decoding.decode_blocks((ids for ids, _ in parts), unparse_special)
    pieces = vocabulary.pieces
    if pieces is not None and pieces.decoded is None:
        return decode_pieces(vocabulary, pieces, (ids for ids, _ in parts), unparse_special)
    if pieces is not None or (vocabulary.parts and not decoding_of(vocabulary).is_plain):
        ids = np.concatenate([np.empty(0, np.int32), *blocks])
        return iter([detokenize(vocabulary, ids, remove_special, unparse_special)])
    texts = (_detokenized(vocabulary, *part, unparse_special, cleans=False) for part in parts)
    return _cleaned_blocks(texts) if vocabulary.parts is None and vocabulary.rules.clean_spaces else texts


def _without_all_affixes(
    vocabulary: Vocabulary, blocks: Iterable[NDArray[np.int32]], remove_special: bool
) -> Iterator[tuple[NDArray[np.int32], bool]]:
    """Blocks without the removed ids, and for each whether the text begins with its first id."""
    before, after = _affixes(vocabulary) if remove_special else ((), ())
    rest, begins = np.empty(0, np.int32), True
    for block in blocks:
        rest = np.concatenate((rest, block))
        if len(rest) > len(before) + len(after):
            part, rest = np.split(rest, [len(rest) - len(after)])
            part, has_beginning = _without_affixes(part, before if begins else (), ())
            yield part, begins and not has_beginning
            begins = False
    rest, has_beginning = _without_affixes(rest, before if begins else (), after)
    yield rest, begins and not has_beginning


def _cleaned_blocks(texts: Iterable[bytes]) -> Iterator[bytes]:
    """Texts without the spaces that `clean_spaces` drops from their concatenation."""
    rest = b""
    for text in texts:
        rest += text
        first = max(len(rest) - CUT_BYTES, 0)
        cut = max((match.end() for match in CUT.finditer(rest, first)), default=0)
        yield _cleaned(rest[:cut])
        rest = rest[cut:]
    yield _cleaned(rest)


def _cleaned(text: bytes) -> bytes:
    data = np.frombuffer(text, np.uint8).copy()
    return data[: native.clean_spaces(data)].tobytes()


def _without_affixes(
    ids: NDArray[np.int32], before: Sequence[int | None], after: Sequence[int | None]
) -> tuple[NDArray[np.int32], bool]:
    """Ids without those that the file adds around each text, and whether there were any at the start."""
    has_beginning = bool(before) and ids[: len(before)].tolist() == [*before]
    ids = ids[len(before) * has_beginning :]
    has_end = bool(after) and ids[-len(after) :].tolist() == [*after]
    return ids[: len(ids) - len(after) * has_end], has_beginning


def _detokenized(
    vocabulary: Vocabulary,
    ids: NDArray[np.int32],
    strips_first: bool,
    unparse_special: bool,
    is_text: bool = False,
    cleans: bool = True,
) -> bytes:
    """The bytes of valid ids; `strips_first` removes the space prefix from the first one."""
    if vocabulary.parts is not None:
        return decoding_of(vocabulary).decode(ids, unparse_special, is_text)
    if vocabulary.pieces is not None:
        return b"".join(decode_pieces(vocabulary, vocabulary.pieces, [ids], unparse_special, is_text))
    rules, shown = vocabulary.rules, ids
    if not unparse_special:
        shown = ids[(vocabulary.attributes[ids] & HIDDEN) == 0]
    out = vocabulary.decoder.decode(shown, len(shown) * USUAL_BYTES)
    if strips_first and rules.add_space_prefix and len(shown) and shown[0] == ids[0]:
        data, offsets = vocabulary.token_bytes_table
        first = offsets[shown[0]]
        if first < offsets[shown[0] + 1] and data[first] == SPACE:
            out = out[1:]
    if cleans and rules.clean_spaces:
        out = out[: native.clean_spaces(out)]
    return out.tobytes()


def _affixes(vocabulary: Vocabulary) -> tuple[tuple[int | None, ...], tuple[int | None, ...]]:
    """The ids that the file adds before and after each text."""
    if vocabulary.parts is not None:
        return vocabulary.parts.before, vocabulary.parts.after
    rules, special = vocabulary.rules, vocabulary.special_ids
    return (special.bos,) * rules.add_bos, (special.eos,) * rules.add_eos


def checked_ids(vocabulary: Vocabulary, ids: Iterable[int]) -> NDArray[np.int32]:
    """The ids as an array; EncodeError names the first one that is not in the vocabulary."""
    if isinstance(ids, np.ndarray) and ids.ndim > 1:
        raise EncodeError(f"Ids of {ids.ndim} dimensions are no single list. Decode each row by itself.")
    try:
        if isinstance(ids, np.ndarray) and ids.dtype.kind in "iu":
            given = ids.reshape(-1)
        else:
            given = np.fromiter(map(index, ids), np.int64)
    except OverflowError:
        raise EncodeError(f"Token ids are whole numbers below {len(vocabulary)}.") from None
    except TypeError as error:
        raise EncodeError(f"Token ids are whole numbers below {len(vocabulary)}: {error}.") from error
    if len(given) and not (0 <= given.min() <= given.max() < len(vocabulary)):
        outside = np.flatnonzero((given < 0) | (given >= len(vocabulary)))
        raise EncodeError(
            f"Token id {given[outside[0]]} (number {outside[0] + 1} of {len(given)}) is not in this "
            f"vocabulary, whose ids go from 0 to {len(vocabulary) - 1}."
        )
    return np.ascontiguousarray(given, np.int32)


def readable_clean_spaces(text: bytes) -> bytes:
    """Drop the spaces that some models' detokenisers drop, in three passes as llama.cpp does."""
    text = re.sub(rb" (?=[?!.,])", b"", text)
    text = re.sub(rb" ' ", b"'", text)
    return re.sub(rb" (?='(?:s|m|re|ve))", b"", text)


class PartsDecoding:
    """Decodes with the decoder of one vocabulary's parts.  Threads may share it."""

    def __init__(self, vocabulary: Vocabulary, parts: Parts) -> None:
        from guiapp.core.hugging_face.decoders import ByteLevel, is_local, with_bytes_preserved

        self._parts = parts
        self._data, self._offsets = vocabulary.token_data, vocabulary.token_offsets
        self._normalized = {
            token.token_id: token.searched for token in parts.added_tokens if token.searched != token.content
        }
        self.is_plain = isinstance(parts.decoder, ByteLevel) and not self._normalized  # token by token
        self.is_local = is_local(parts.decoder)
        self._decoder_with_bytes = with_bytes_preserved(parts.decoder)
        self._is_token = vocabulary.attributes != Attribute.UNUSED
        self._is_shown = self._is_token.copy()
        special = {token.content for token in parts.added_tokens if token.special}
        for token in parts.added_tokens:
            if token.searched in special:
                self._is_shown[token.token_id] = False

    def decode(self, ids: NDArray[np.int32], unparse_special: bool, is_text: bool) -> bytes:
        """The bytes of some ids, as in `detokenize`; ids that stand for nothing are left out."""
        ids = ids[(self._is_token if unparse_special else self._is_shown)[ids]]
        if self.is_plain:
            data: bytes = self._joined.decode(ids, len(ids) * USUAL_BYTES).tobytes()
            return data.decode("utf-8", "replace").encode() if is_text else data
        texts = list(map(self._text, ids.tolist()))
        with suppress(UnicodeEncodeError):  # regular expressions take characters only
            if not is_text:
                return self._decoder_with_bytes.decode(texts).encode(errors="surrogateescape")
        return self._parts.decoder.decode(texts).encode()

    def decode_blocks(self, blocks: Iterable[NDArray[np.int32]], unparse_special: bool) -> Iterator[bytes]:
        """The bytes of ids in blocks, each up to a token that makes later text independent of earlier tokens.

        Only for decoders that are `is_local`.
        """
        context = rest = np.empty(0, np.int32)
        for block in blocks:
            rest = np.concatenate((rest, block))
            for at in range(len(rest) - 1, max(len(rest) - LOOK_BACK, 0) - 1, -1):
                if self._is_apart(rest[at : at + 1], unparse_special):
                    yield self._decode_after(context, rest[: at + 1], unparse_special)
                    context, rest = rest[at : at + 1], rest[at + 1 :]
                    break
        yield self._decode_after(context, rest, unparse_special)

    def _decode_after(
        self, context: NDArray[np.int32], ids: NDArray[np.int32], unparse_special: bool
    ) -> bytes:
        n_known = len(self.decode(context, unparse_special, False)) if len(context) else 0
        return self.decode(np.concatenate((context, ids)), unparse_special, False)[n_known:]

    def _is_apart(self, ids: NDArray[np.int32], unparse_special: bool) -> bool:
        """Whether a token has a text of its own that is not blank: bytes may be a part of a character."""
        text = self.decode(ids, unparse_special, False)
        return bool(text.strip()) and not BYTE_TOKEN.fullmatch(self._text(int(ids[0])))

    def _text(self, token_id: int) -> str:
        start, end = self._offsets[token_id : token_id + 2]
        return self._normalized.get(token_id) or self._data[start:end].tobytes().decode()

    @cached_property
    def _joined(self) -> TokenDecoder:
        """The output of a ByteLevel decoder for each token: bytes, or its text if a character has no byte."""
        data, offsets = self._data, self._offsets
        codes = np.frombuffer(data.tobytes().decode().encode("utf-32-le"), np.uint32)
        stands_for_none = byte_alphabet.BYTES[np.minimum(codes, len(byte_alphabet.BYTES) - 1)] < 0
        stands_for_none |= codes >= len(byte_alphabet.BYTES)
        positions = np.flatnonzero(data & 0xC0 != 0x80)[stands_for_none]
        kinds = np.full(len(offsets) - 1, Attribute.NORMAL, np.uint16)
        kinds[np.searchsorted(offsets, positions, "right") - 1] = Attribute.USER_DEFINED  # taken verbatim
        spelled, ends, size = spell_out(
            (data, offsets), kinds, BYTE_STAND_INS, byte_alphabet.BYTES, False, len(data)
        )
        return TokenDecoder(spelled[:size], ends)


def decoding_of(vocabulary: Vocabulary) -> PartsDecoding:
    """The decoding of a vocabulary that has parts; made once and cached with it."""
    assert vocabulary.parts is not None
    known = vars(vocabulary)
    cached: PartsDecoding = known.get("decoding") or PartsDecoding(vocabulary, vocabulary.parts)
    known["decoding"] = cached
    return cached


# From the ids of a SentencePiece model back to text, as SentencePiece itself does


def decode_pieces(
    vocabulary: Vocabulary,
    rules: PieceRules,
    blocks: Iterable[NDArray[np.int32]],
    unparse_special: bool,
    is_text: bool = False,
) -> Iterator[bytes]:
    """The bytes of ids in blocks; if `is_text`, each byte that is not part of a character becomes U+FFFD.

    `unparse_special` writes the control pieces.  If the rules change the whole text, pass a single block.
    """
    begins = True
    for ids in blocks:
        is_control = vocabulary.stored_types[ids] == CONTROL_TYPE
        bounds = np.flatnonzero(is_control).tolist() if unparse_special else []
        for start, end in pairwise([0, *bounds, len(ids)]):
            if start < end and bounds and is_control[start]:
                yield vocabulary.raw_text(int(ids[start]))
                start, begins = start + 1, True
            text, begins = _decoded(vocabulary, rules, ids[start:end], is_text, begins)
            yield text


def _decoded(
    vocabulary: Vocabulary, rules: PieceRules, ids: NDArray[np.int32], is_text: bool, begins: bool
) -> tuple[bytes, bool]:
    """The text of ids, and whether what follows still begins a text, if these ids do (`begins`).

    Control pieces give no text, but bytes on both sides of one do not form a character.
    """
    kinds, parts, start = vocabulary.stored_types[ids], list[bytes](), 0
    if begins:
        first, start = _beginning(vocabulary, rules, ids)
        begins = first is None
        parts = [first or b""]
    is_repaired = is_text and bool((kinds == BYTE_TYPE).any())
    for at in [*np.flatnonzero(np.isin(kinds, (UNKNOWN_TYPE, CONTROL_TYPE))).tolist(), len(ids)]:
        if at < start:
            continue
        segment = _joined(vocabulary, ids[start:at])
        parts.append(_changed(REPAIRED, segment) if is_repaired else segment)
        parts += [rules.unknown_surface] if at < len(ids) and kinds[at] == UNKNOWN_TYPE else []
        start = at + 1
    text = b"".join(parts)
    if rules.decoded is not None and utf8.is_text(text):
        text = _changed(_text_of(rules.decoded), text)
    return text, begins


def _text_of(rules: TextRules) -> PieceText:
    """Made once and cached with the rules: making it takes as long as decoding a hundred pages."""
    known = vars(rules)
    cached: PieceText = known.get("piece_text") or PieceText(rules)
    known["piece_text"] = cached
    return cached


def _beginning(vocabulary: Vocabulary, rules: PieceRules, ids: NDArray[np.int32]) -> tuple[bytes | None, int]:
    """The text of the first ids without the added spaces, and how many ids these are.

    The text is None if the next id still begins it.
    """
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
    return None, len(ids)


def _joined(vocabulary: Vocabulary, ids: NDArray[np.int32]) -> bytes:
    return vocabulary.decoder.decode(ids, len(ids) * USUAL_BYTES).tobytes()


def _changed(text: PieceText, data: bytes) -> bytes:
    return text.normalize(np.frombuffer(data, np.uint8)).data.tobytes()
