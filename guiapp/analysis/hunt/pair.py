"""Two tokenizers side by side, files or libraries: which texts they encode or decode otherwise, and why."""

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
SPACES = ("the space in front", "spaces")  # what texts differ in
CUT_BY_PATTERNS = ("digits", "contractions", "line ends", "spaces", "signs")
IdsOf = Callable[[bytes], list[int] | None]
N_PROBED = 2_000  # ids that tell whether two vocabularies are numbered alike
ALIKE = 0.5
SAME_TOKENS = 0.9
DECODED_TOGETHER = 64  # texts


class SidePair:
    """Compares ids, and where they are equal the text that they are decoded to.

    Ids are compared as numbers, unless two vocabularies have the same tokens under other numbers: then as
    tokens.
    note    what is to be known about that, as a sentence, "" if nothing
    unrelated why nothing can be compared, None if it can
    n_refused how many of the texts that were compared last both refuse
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
        """Which of some texts are encoded, or else decoded, otherwise."""
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
        """Whether we find tokens in a text of which the library was told nothing: those of users."""
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
        """Which texts' ids are decoded otherwise; several are decoded at once."""
        if not rows or self._decodes_alike(np.concatenate([ids for _, ids in rows])):
            return []
        if len(rows) == 1:
            return [rows[0][0]]
        middle = len(rows) // 2
        return self._decoded_otherwise(rows[:middle]) + self._decoded_otherwise(rows[middle:])

    def _decodes_alike(self, ids: Ids) -> bool:
        return self.ours.decode(ids) == self.theirs.decode(ids)

    def with_other_ids(self, texts: Sequence[bytes]) -> list[int]:
        """Which of some texts are encoded otherwise."""
        pairs = zip(*self.encode_each(texts), strict=True)
        return [at for at, (mine, other) in enumerate(pairs) if not self._are_equal(mine, other)]

    def differs(self, text: bytes) -> bool:
        return bool(self.differing([text]))

    def ids(self, text: bytes) -> tuple[list[int] | None, list[int] | None]:
        """All ids of a text on both sides, those around it as well; None where it is refused."""
        result = []
        for side in (self.ours, self.theirs):
            inner = side.encode_each([text])[0]
            before, after = side.affixes()
            result.append(None if inner is None else [*before, *inner.tolist(), *after])
        return result[0], result[1]

    def spans(self, text: bytes) -> tuple[Spans | None, Spans | None]:
        """For each token of `ids` where it came from; None where that is not known."""
        result: list[Spans | None] = []
        for side in (self.ours, self.theirs):
            before, after = side.affixes()
            inner = side.spans(text)
            edges = ((0, 0),) * len(before), ((len(text), len(text)),) * len(after)
            result.append(None if inner is None else (*edges[0], *inner, *edges[1]))
        return result[0], result[1]

    def affixes(self) -> Reason | None:
        """Whether other ids are put around texts."""
        mine, other, theirs = (
            self.ours.affixes(),
            self.theirs.affixes(),
            self.theirs.tokenizer or self._tokenizer,
        )
        if self._renumbered is not None:
            before, behind = (self._renumbered[np.array(ids, int)].tolist() for ids in other)
            other = before, behind
        return affix_reason(mine, other, self.names, (self._tokenizer.vocabulary, theirs.vocabulary))

    def reason(self, text: bytes) -> Reason | None:
        """Why a text of up to some hundred bytes differs; None where it does not.

        What is put around texts is no reason: `affixes` tells of that.
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
        """The byte of a text from which on the ids differ; 0 where that cannot be told."""
        (mine,), (other,) = self.encode_each([text])
        if mine is None or other is None:
            return 0
        if self._renumbered is not None:
            other = self._renumbered[other]
        n_common = min(len(mine), len(other))
        at = next((i for i in range(n_common) if mine[i] != other[i]), n_common)
        spans = self._tokenizer.encode(text, add_special=False, parse_special=self.ours.parses_special).spans
        return int(spans[at, 0]) if at < len(spans) else len(text)


# Why a library gives other ids than we do, told from its ids alone: it shows none of its stages


def library_reason(
    ours: Tokenizer, text: bytes, mine: list[int], other: list[int], ids_of: IdsOf, names: Names
) -> Reason:
    """Why the library has `other` ids for a text than `mine`, which are ours; `ids_of` gives more of its."""
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
    """How often there are tokens of some kinds; the unknown token is unknown, whatever else it is."""
    unknown = vocabulary.special_ids.unk
    return Counter(i for i in ids if ("unknown" if i == unknown else vocabulary.kind(i)) in kinds)


def _one_with_more(
    vocabulary: Vocabulary, mine: list[int], other: list[int], kinds: Sequence[str], names: Names
) -> tuple[int, str] | None:
    """A token of some kinds that one of them has more often, and a sentence's subject and verb for who."""
    counts = [_kinds(vocabulary, ids, kinds) for ids in (mine, other)]
    if counts[0] == counts[1]:
        return None
    token = next(iter((counts[0] - counts[1]) or (counts[1] - counts[0])))
    name = names[counts[1][token] > counts[0][token]]
    return token, f"{name} more often" if counts[0][token] and counts[1][token] else f"Only {name}"


def _unwritten(
    vocabulary: Vocabulary, text: bytes, mine: list[int], other: list[int], names: Names
) -> Reason | None:
    """Whether there are bytes or unknown tokens in one of them only."""
    result = _one_with_more(vocabulary, mine, other, UNWRITTEN, names)
    if result is None:
        return None
    token, who = result
    kind = "byte" if vocabulary.kind(token) == "byte" else "unknown"
    sentence = f"{who} gives the {kind} token {shown_token(vocabulary, token)} for {shown(text)}."
    return Reason(Cause.FALLBACK, "unknown text", sentence)


def _special(vocabulary: Vocabulary, mine: list[int], other: list[int], names: Names) -> Reason | None:
    """Whether special tokens are found in one of them only."""
    result = _one_with_more(vocabulary, mine, other, SPECIAL, names)
    if result is None:
        return None
    token, who = result
    sentence = f"{who} takes {shown_token(vocabulary, token)} as one special or added token."
    return Reason(Cause.SPECIAL, "special tokens", sentence)


def _of_texts(
    vocabulary: Vocabulary, mine: list[int], other: list[int], texts: list[list[bytes]], names: Names
) -> Reason | None:
    """Whether the tokens stand for other texts, or for the same ones by other ids."""
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
    """Whether other pieces are cut, or pieces merged otherwise.

    Pieces that the library cuts as we do have our ids by themselves, too.  One that has not may yet be cut in
    two there: if our ids of both parts are the library's, and the place is one where patterns cut.
    """
    pieces = seen_stages(ours, text).pieces
    cuts = [" | ".join(map(shown, some)) for some in texts]
    told = f"{names[0]} gives {cuts[0]}, {names[1]} gives {cuts[1]}"
    ends = [set(accumulate(map(len, some))) for some in texts]
    joined = b"".join(texts[0])
    at = min(ends[0] ^ ends[1])
    subject = what_is_cut(joined, at)
    for piece in pieces:
        theirs = ids_of(piece.text)
        if len(pieces) == 1 or theirs != list(piece.tokens):
            if subject in CUT_BY_PATTERNS and at in ends[1] and _are_joined(ours, joined, at, texts[1]):
                break
            sentence = f"The piece {shown(piece.text)} is merged differently: {told}."
            return Reason(Cause.MERGE, "pieces", sentence)
    return Reason(Cause.PIECES, subject, f"The text is split differently: {told}. They differ in {subject}.")


def _are_joined(ours: Tokenizer, text: bytes, at: int, tokens: list[bytes]) -> bool:
    """Whether these are what we make of both parts of a text."""
    parts = (ours.encode(part, False, False).token_ids.tolist() for part in (text[:at], text[at:]))
    return [plain_text(ours.vocabulary, token) for part in parts for token in part] == tokens


# The two tokenizers of a hunt, in one form: our reading of a model file, or an installed library


class HuntError(TokenloupeError):
    """A hunt that cannot be; the message says why."""


class FileSide:
    """A model file as we read it.

    name         for people
    tokenizer    None where nothing but its ids is known
    takes_bytes  also such that are no UTF-8
    """

    def __init__(self, name: str, tokenizer: Tokenizer, parses_special: bool = True) -> None:
        self.name = name
        self.tokenizer = tokenizer
        self.takes_bytes = tokenizer.vocabulary.library == LLAMA_CPP
        self._one = tokenizer.with_threads(1)
        self.parses_special = parses_special
        self.special_texts = special_texts(tokenizer)

    def encode_each(self, texts: Sequence[bytes]) -> list[Ids | None]:
        """The ids of each text with nothing around them; None of one that is refused."""
        try:
            return list(self._one.encode_each(texts, False, self.parses_special))
        except EncodeError:
            return [self._encode(text) for text in texts]

    def _encode(self, text: bytes) -> Ids | None:
        try:
            return self._one.encode(text, False, self.parses_special).token_ids
        except EncodeError:
            return None

    def decode(self, ids: Ids) -> str:
        return self._one.decode(ids)

    def spans(self, text: bytes) -> Spans | None:
        """For each of the ids the bytes of the text that it came from; None where that is not known."""
        try:
            return _pairs(self._one.encode(text, False, self.parses_special).spans)
        except EncodeError:
            return None

    def affixes(self) -> tuple[list[int], list[int]]:
        """What is put before and behind each text."""
        if not self.parses_special:
            return [], []
        try:
            return self._one.special_affixes()
        except EncodeError:
            return [], []


class LibrarySide:
    """A library with the vocabulary of a file; what it adds and parses as special only where it can.

    Answers as a `FileSide` does.

    parses_special  whether it does
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
        except Exception:  # whatever another library raises: it refuses the text
            return None

    def decode(self, ids: Ids) -> str:
        contender = self._contender
        if contender.decode is None:
            return ""
        text = contender.decode(contender.take_ids(ids))
        return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)

    def spans(self, text: bytes) -> Spans | None:
        """Of tokens that are the text when they stand side by side, or else as the library tells them."""
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
        """Without overlaps: some libraries give each token of a character all of it."""
        characters, spans, done = as_str(text), list[tuple[int, int]](), 0
        places = np.cumsum([0, *(len(each.encode()) for each in characters)]).tolist()
        for start, end in offsets(characters):
            start, done = max(places[start], done), max(places[end], done)
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
