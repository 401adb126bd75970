"""A pair of tokenizers, files or libraries: which texts they encode or decode differently, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.compare.reasons import (
    UNWRITTEN,
    Cause,
    Names,
    Reason,
    affix_reason,
    decoded_reason,
    decoded_texts_reason,
    plain_text,
    plain_texts,
    reason_for,
    refused_reason,
    seen_stages,
    shown,
    shown_token,
    what_differs,
    what_is_cut,
)
from guiapp.analysis.hunt.generators import special_texts
from guiapp.analysis.hunt.mismatches import Spans
from guiapp.analysis.libraries.contender import Contender, as_str
from guiapp.analysis.libraries.table import PEERS, peer_source
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.numbers_in_words import percent
from guiapp.core.vocabulary.vocabulary import LLAMA_CPP, Vocabulary
from guiapp.errors import EncodeError, TokenloupeError

Ids = NDArray[np.int32]
SPECIAL = ("control", "user-defined")  # kinds of tokens
SPACES = ("the space in front", "spaces")  # results of `what_differs`
CUT_BY_PATTERNS = ("digits", "contractions", "line ends", "spaces", "signs")
IdsOf = Callable[[bytes], list[int] | None]
N_PROBED = 2_000  # ids sampled to find out whether two vocabularies number tokens alike
ALIKE = 0.5
SAME_TOKENS = 0.9
DECODED_TOGETHER = 64  # texts


class SidePair:
    """Compares ids and, if they are equal, the decoded text.

    Ids are compared as numbers, or as tokens if the vocabularies have the same tokens in a different order.
    note       a sentence about that, "" if ids are compared as numbers
    unrelated  why nothing can be compared, "" if it can
    n_refused  how many of the texts in the last comparison both sides refuse
    """

    def __init__(self, ours: FileSide, theirs: FileSide | LibrarySide) -> None:
        self.ours, self.theirs = ours, theirs
        self.names = ours.name, theirs.name
        self.takes_bytes = ours.takes_bytes and theirs.takes_bytes
        self._tokenizer = ours.tokenizer
        self._renumbered: Ids | None = None
        self.note, self.unrelated, self.n_refused = "", "", 0
        if theirs.tokenizer is not None:
            self._compare_numbers(theirs.tokenizer)

    def _compare_numbers(self, theirs: Tokenizer) -> None:
        mine, other = self._tokenizer.vocabulary, theirs.vocabulary
        probes = np.linspace(0, min(len(mine), len(other)) - 1, N_PROBED).astype(int).tolist()
        share = np.mean([plain_text(mine, i) == plain_text(other, i) for i in probes])
        if share >= ALIKE:
            return
        ids = {text: i for i, text in enumerate(plain_texts(mine))}
        result = [ids.get(text, -1 - i) for i, text in enumerate(plain_texts(other))]
        known = np.mean(np.array(result) >= 0)
        if known >= SAME_TOKENS:
            self._renumbered = np.array(result, np.int32)
            self.note = "The two number their tokens differently: texts of tokens are compared, not ids."
        else:
            self.unrelated = (
                f"These vocabularies have too little in common: {percent(float(share))} of the ids stand for "
                "the same text. Compare the vocabularies instead."
            )

    def encode_each(self, texts: Sequence[bytes]) -> tuple[list[Ids | None], list[Ids | None]]:
        return self.ours.encode_each(texts), self.theirs.encode_each(texts)

    def differing(self, texts: Sequence[bytes]) -> list[int]:
        """The indexes of the texts that are encoded or decoded differently."""
        mine, other = self.encode_each(texts)
        self.n_refused = sum(one is None and two is None for one, two in zip(mine, other, strict=True))
        are_equal = [self._are_equal(*pair) for pair in zip(mine, other, strict=True)]
        unequal = (at for at, is_equal in enumerate(are_equal) if not is_equal)
        result = [at for at in unequal if not self._is_unheard(texts[at])]
        if self._renumbered is None:
            equal = [(at, ids) for at, ids in enumerate(mine) if ids is not None and are_equal[at]]
            for start in range(0, len(equal), DECODED_TOGETHER):
                result += self._decoded_otherwise(equal[start : start + DECODED_TOGETHER])
        return result

    def _is_unheard(self, text: bytes) -> bool:
        """Whether we find user-defined tokens in a text, which this library cannot find."""
        if self.theirs.tokenizer is not None or self.ours.parses_special:
            return False
        result = self._tokenizer.special_tokens.partition(np.frombuffer(text, np.uint8), False)
        return len(result.ids) > 0

    def _are_equal(self, mine: Ids | None, other: Ids | None) -> bool:
        if mine is None or other is None:
            return mine is other
        if self._renumbered is not None:
            other = self._renumbered[other]
        return mine.tobytes() == other.tobytes()

    def _decoded_otherwise(self, rows: list[tuple[int, Ids]]) -> list[int]:
        """The indexes of the texts whose ids are decoded differently, found by bisection."""
        if not rows or self._decodes_alike(np.concatenate([ids for _, ids in rows])):
            return []
        if len(rows) == 1:
            return [rows[0][0]]
        middle = len(rows) // 2
        return self._decoded_otherwise(rows[:middle]) + self._decoded_otherwise(rows[middle:])

    def _decodes_alike(self, ids: Ids) -> bool:
        return self.ours.decode(ids) == self.theirs.decode(ids)

    def with_other_ids(self, texts: Sequence[bytes]) -> list[int]:
        """The indexes of the texts that are encoded differently."""
        pairs = zip(*self.encode_each(texts), strict=True)
        return [at for at, (mine, other) in enumerate(pairs) if not self._are_equal(mine, other)]

    def differs(self, text: bytes) -> bool:
        return bool(self.differing([text]))

    def ids(self, text: bytes) -> tuple[list[int] | None, list[int] | None]:
        """All ids of a text on both sides, with BOS and EOS; None if a side refuses it."""
        result = []
        for side in (self.ours, self.theirs):
            inner = side.encode_each([text])[0]
            before, after = side.affixes()
            result.append(None if inner is None else [*before, *inner.tolist(), *after])
        return result[0], result[1]

    def spans(self, text: bytes) -> tuple[Spans | None, Spans | None]:
        """The byte span of each token of `ids` on both sides; None if unknown."""
        result: list[Spans | None] = []
        for side in (self.ours, self.theirs):
            before, after = side.affixes()
            inner = side.spans(text)
            edges = ((0, 0),) * len(before), ((len(text), len(text)),) * len(after)
            result.append(None if inner is None else (*edges[0], *inner, *edges[1]))
        return result[0], result[1]

    def affixes(self) -> Reason | None:
        """The reason if BOS or EOS differ, else None."""
        mine, other, theirs = (
            self.ours.affixes(),
            self.theirs.affixes(),
            self.theirs.tokenizer or self._tokenizer,
        )
        if self._renumbered is not None:
            before, after = (self._renumbered[np.array(ids, int)].tolist() for ids in other)
            other = before, after
        return affix_reason(mine, other, self.names, (self._tokenizer.vocabulary, theirs.vocabulary))

    def reason(self, text: bytes) -> Reason | None:
        """Why a text of up to some hundred bytes differs; None if it does not.

        BOS and EOS are not compared here but in `affixes`.
        """
        if not self.differs(text):
            return None
        (mine,), (other,) = self.encode_each([text])
        if (theirs := self.theirs.tokenizer) is not None:
            result = reason_for(self._tokenizer, theirs, text, self.names)
            if result is None or result.cause is not Cause.AROUND or mine is None:
                return result
            return decoded_reason(self._tokenizer, theirs, mine.tolist(), self.names)
        if mine is None or other is None:
            return refused_reason(other is None, shown(text), self.names)
        if self._are_equal(mine, other):
            return decoded_texts_reason(self.ours.decode(mine), self.theirs.decode(mine), self.names)

        def ids_of(piece: bytes) -> list[int] | None:
            ids = self.theirs.encode_each([piece])[0]
            return None if ids is None else ids.tolist()

        return library_reason(self._tokenizer, text, mine.tolist(), other.tolist(), ids_of, self.names)

    def first_difference(self, text: bytes) -> int:
        """The byte of a text from which the ids differ; 0 if unknown."""
        (mine,), (other,) = self.encode_each([text])
        if mine is None or other is None:
            return 0
        if self._renumbered is not None:
            other = self._renumbered[other]
        n_common = min(len(mine), len(other))
        at = next((i for i in range(n_common) if mine[i] != other[i]), n_common)
        spans = self._tokenizer.encode(text, add_special=False, parse_special=self.ours.parses_special).spans
        return int(spans[at, 0]) if at < len(spans) else len(text)


# Why a library gives different ids, concluded from its ids alone: its stages are not accessible


def library_reason(
    ours: Tokenizer, text: bytes, mine: list[int], other: list[int], ids_of: IdsOf, names: Names
) -> Reason:
    """Why the library gives the ids `other` for a text, and we `mine`; `ids_of` calls the library."""
    vocabulary = ours.vocabulary
    strange = [token for token in other if not 0 <= token < len(vocabulary)]
    if strange:
        sentence = f"{names[1]} gives the id {strange[0]}, but there are only {len(vocabulary):,} tokens."
        return Reason(Cause.OTHER_VOCABULARY, "ids", sentence)
    texts = [[plain_text(vocabulary, token) for token in ids] for ids in (mine, other)]
    return (
        _unwritten(vocabulary, text, mine, other, names)
        or _special(vocabulary, mine, other, names)
        or _of_texts(vocabulary, mine, other, texts, names)
        or _of_pieces(ours, text, texts, ids_of, names)
    )


def _kinds(vocabulary: Vocabulary, ids: list[int], kinds: Sequence[str]) -> Counter[int]:
    """Count the tokens of some kinds; the unknown token counts as "unknown", whatever its kind."""
    unknown = vocabulary.special_ids.unk
    return Counter(i for i in ids if ("unknown" if i == unknown else vocabulary.kind(i)) in kinds)


def _one_with_more(
    vocabulary: Vocabulary, mine: list[int], other: list[int], kinds: Sequence[str], names: Names
) -> tuple[int, str] | None:
    """A token of some kinds that one side has more often, and a phrase for that side."""
    counts = [_kinds(vocabulary, ids, kinds) for ids in (mine, other)]
    if counts[0] == counts[1]:
        return None
    token = next(iter((counts[0] - counts[1]) or (counts[1] - counts[0])))
    name = names[counts[1][token] > counts[0][token]]
    return token, f"{name} more often" if counts[0][token] and counts[1][token] else f"Only {name}"


def _unwritten(
    vocabulary: Vocabulary, text: bytes, mine: list[int], other: list[int], names: Names
) -> Reason | None:
    """The reason if one side has more byte tokens or unknown tokens."""
    result = _one_with_more(vocabulary, mine, other, UNWRITTEN, names)
    if result is None:
        return None
    token, who = result
    kind = "byte" if vocabulary.kind(token) == "byte" else "unknown"
    sentence = f"{who} gives the {kind} token {shown_token(vocabulary, token)} for {shown(text)}."
    return Reason(Cause.FALLBACK, "unknown text", sentence)


def _special(vocabulary: Vocabulary, mine: list[int], other: list[int], names: Names) -> Reason | None:
    """The reason if one side finds more special tokens."""
    result = _one_with_more(vocabulary, mine, other, SPECIAL, names)
    if result is None:
        return None
    token, who = result
    sentence = f"{who} takes {shown_token(vocabulary, token)} as one special or added token."
    return Reason(Cause.SPECIAL, "special tokens", sentence)


def _of_texts(
    vocabulary: Vocabulary, mine: list[int], other: list[int], texts: list[list[bytes]], names: Names
) -> Reason | None:
    """The reason if the tokens stand for different texts, or for the same text with different ids."""
    joined = [b"".join(some) for some in texts]
    subject = what_differs(*(each.decode("utf-8", "replace") for each in joined))
    if joined[0] != joined[1] and subject in SPACES and _kinds(vocabulary, mine, SPECIAL):
        clause = "Only one of the two keeps white space next to special tokens"
        return Reason(Cause.SPECIAL, "white space next to it", f"{clause}: {_described(joined, names)}.")
    if texts[0] == texts[1] or (subject == "characters" and len(mine) == len(other)):
        first, second = next(pair for pair in zip(mine, other, strict=True) if pair[0] != pair[1])
        piece = shown(plain_text(vocabulary, first))
        sentence = f"{names[0]} gives the id {first} for {piece}, {names[1]} {second}."
        return Reason(Cause.NUMBER, "ids", sentence)
    if joined[0] != joined[1]:
        sentence = f"The tokens stand for different texts: {_described(joined, names)}."
        return Reason(Cause.NORMALIZED, subject, sentence)
    return None


def _described(joined: list[bytes], names: Names) -> str:
    return ", ".join(f"{name} gives {shown(each)}" for name, each in zip(names, joined, strict=True))


def _of_pieces(ours: Tokenizer, text: bytes, texts: list[list[bytes]], ids_of: IdsOf, names: Names) -> Reason:
    """The reason: the text is split into different pieces, or a piece is merged differently.

    A piece that the library also splits off gets our ids when encoded alone.  If it does not, the library may
    still split it in two: if our ids of both parts are the library's, and patterns split at such an offset.
    """
    pieces = seen_stages(ours, text).pieces
    cuts = [" | ".join(map(shown, some)) for some in texts]
    both = f"{names[0]} gives {cuts[0]}, {names[1]} gives {cuts[1]}"
    ends = [set(accumulate(map(len, some))) for some in texts]
    joined = b"".join(texts[0])
    at = min(ends[0] ^ ends[1])
    subject = what_is_cut(joined, at)
    for piece in pieces:
        theirs = ids_of(piece.text)
        if len(pieces) == 1 or theirs != list(piece.tokens):
            if subject in CUT_BY_PATTERNS and at in ends[1] and _are_joined(ours, joined, at, texts[1]):
                break
            sentence = f"The piece {shown(piece.text)} is merged differently: {both}."
            return Reason(Cause.MERGE, "pieces", sentence)
    return Reason(Cause.PIECES, subject, f"The text is split differently: {both}. They differ in {subject}.")


def _are_joined(ours: Tokenizer, text: bytes, at: int, tokens: list[bytes]) -> bool:
    """Whether `tokens` are our tokens of the two parts of a text split at `at`."""
    parts = (ours.encode(part, False, False).token_ids.tolist() for part in (text[:at], text[at:]))
    return [plain_text(ours.vocabulary, token) for part in parts for token in part] == tokens


# The two sides of a hunt, with one interface: a model file in Tokenloupe, or an installed library


class HuntError(TokenloupeError):
    """A hunt that is not possible; the message explains why."""


class FileSide:
    """A model file as Tokenloupe encodes with it.

    name         for display
    tokenizer    None for a library, of which only the ids are known
    takes_bytes  whether texts may contain invalid UTF-8
    """

    def __init__(self, name: str, tokenizer: Tokenizer, parses_special: bool = True) -> None:
        self.name = name
        self.tokenizer = tokenizer
        self.takes_bytes = tokenizer.vocabulary.library == LLAMA_CPP
        self._one = tokenizer.with_threads(1)
        self.parses_special = parses_special
        self.special_texts = special_texts(tokenizer)

    def encode_each(self, texts: Sequence[bytes]) -> list[Ids | None]:
        """The ids of each text without BOS and EOS; None for a text that is refused."""
        return self._one.ids_or_none(texts, self.parses_special)

    def decode(self, ids: Ids) -> str:
        return self._one.decode(ids)

    def spans(self, text: bytes) -> Spans | None:
        """The bytes of the text that each id came from; None if unknown."""
        try:
            return _pairs(self._one.encode(text, False, self.parses_special).spans)
        except EncodeError:
            return None

    def affixes(self) -> tuple[list[int], list[int]]:
        """The ids that are added before and after each text."""
        return self._one.known_affixes() if self.parses_special else ([], [])


class LibrarySide:
    """A library with the vocabulary of a file; it has the interface of `FileSide`.

    parses_special  whether the library can parse special tokens and add BOS and EOS
    """

    tokenizer = None

    def __init__(self, name: str, model: Tokenizer) -> None:
        self.name = name
        self._vocabulary = model.vocabulary
        self._contender: Contender = PEERS[name].open(peer_source(name, model))
        if self._contender.other_vocabulary:
            raise HuntError(
                f"{name} supports only the vocabulary {self._contender.other_vocabulary}. "
                "Choose another library."
            )
        self.parses_special = self._contender.encode_special is not None
        self.special_texts = [text.encode("utf-8", "replace") for text in self._contender.special_texts]
        self.takes_bytes = self._contender.take_text is bytes

    def encode_each(self, texts: Sequence[bytes]) -> list[Ids | None]:
        return [self._encode(text, False) for text in texts]

    def _encode(self, text: bytes, adds_special: bool) -> Ids | None:
        contender = self._contender
        taken = contender.take_text(text)
        try:
            if contender.encode_special is not None:
                return contender.tokens(contender.encode_special(taken, adds_special)).ids
            return contender.tokens(contender.encode(taken)).ids
        except Exception:  # any exception of a library means that it refuses the text
            return None

    def decode(self, ids: Ids) -> str:
        contender = self._contender
        if contender.decode is None:
            return ""
        text = contender.decode(contender.take_ids(ids))
        return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)

    def spans(self, text: bytes) -> Spans | None:
        """The spans of tokens whose bytes join to the text, else those that the library reports, or None."""
        ids = self._encode(text, False)
        vocabulary = self._vocabulary
        if ids is None:
            return None
        if all(0 <= token < len(vocabulary) for token in ids.tolist()):
            texts = [vocabulary.token_bytes(token) for token in ids.tolist()]
            ends = np.cumsum([0, *map(len, texts)])
            if b"".join(texts) == text:
                return _pairs(np.stack((ends[:-1], ends[1:]), 1))
        return (
            None if self._contender.offsets is None else self._spans_of_offsets(self._contender.offsets, text)
        )

    def _spans_of_offsets(self, offsets: Callable[[str], Sequence[tuple[int, int]]], text: bytes) -> Spans:
        """The library's spans without overlaps: some give each token of a character the whole character."""
        characters, spans, done = as_str(text), list[tuple[int, int]](), 0
        byte_offsets = np.cumsum([0, *(len(each.encode()) for each in characters)]).tolist()
        for start, end in offsets(characters):
            start, done = max(byte_offsets[start], done), max(byte_offsets[end], done)
            spans.append((start, done))
        return tuple(spans)

    def affixes(self) -> tuple[list[int], list[int]]:
        probe = b"a"
        whole, inner = (self._encode(probe, adds) for adds in (True, False))
        if not self.parses_special or whole is None or inner is None:
            return [], []
        ids, own = whole.tolist(), inner.tolist()
        for start in range(len(ids) - len(own) + 1):
            if ids[start : start + len(own)] == own:
                return ids[:start], ids[start + len(own) :]
        return ids, []


def _pairs(spans: NDArray[np.int64]) -> Spans:
    return tuple((start, end) for start, end in spans.tolist())
