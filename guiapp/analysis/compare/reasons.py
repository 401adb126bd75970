"""Why two tokenizers encode a text differently: the first stage at which they differ, in words.

    special tokens -> normalised text -> pieces -> tokens of a piece -> BOS and EOS -> decoded text

A stage is compared only if all previous stages are equal, so the reason names where the difference begins.
Tokens are spelled by Spelling.SIGNS, as two files may spell the same token differently.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from guiapp.analysis.explain.spelling import Spelling, code
from guiapp.core.encode.detokenizing import readable_clean_spaces
from guiapp.core.encode.families.pipeline import Symbols, Tracer
from guiapp.core.encode.reference.merge import Merge
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.normalized import NormalizedText
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.merges import MARKED_SPACE, PairMerging
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary
from guiapp.errors import EncodeError
from guiapp.native.model_files import sliced

NEAR = 3  # characters: as long as a contraction
LONGEST_SHOWN = 40
PLAIN_NAMES = ("the first", "the second")
UNWRITTEN = ("unknown", "byte")  # kinds of tokens for text that no other token expresses


class Cause(Enum):
    """The stage at which two tokenizers differ; the value is its name for display."""

    SPECIAL = "special token"
    NORMALIZED = "normalised otherwise"
    PIECES = "pre-tokenizer"
    WHOLE_PIECE = "whole piece"
    MERGE = "merge"
    SCORE = "score"
    FALLBACK = "byte fallback"
    TOKEN = "token"
    NUMBER = "other id"
    AROUND = "tokens around"
    DECODED = "decoded otherwise"
    REFUSED = "refused"
    ENCODER = "other encoder"
    OTHER_VOCABULARY = "other vocabulary"
    UNTOLD = "cause unknown"


TITLES = {
    Cause.NORMALIZED: "normalizer",
    Cause.AROUND: "added special tokens",
    Cause.NUMBER: "same token, other id",
    Cause.WHOLE_PIECE: "whole pieces",
    Cause.FALLBACK: "text without tokens",
    Cause.TOKEN: "missing token",
}
"""Titles of causes whose values are not clear enough."""
WITH_SUBJECT = (Cause.PIECES, Cause.NORMALIZED, Cause.ENCODER)  # the title includes the subject


@dataclass(frozen=True)
class Reason:
    """Why tokens differ.

    subject   such as "digits"; reasons with the same cause and subject are of one kind
    sentence  to show, with Markdown's code marks
    """

    cause: Cause
    subject: str
    sentence: str

    @property
    def kind(self) -> tuple[Cause, str]:
        return self.cause, self.subject

    @property
    def title(self) -> str:
        """The kind in words, such as "pre-tokenizer: digits"."""
        shows = self.subject and self.cause in WITH_SUBJECT
        name = TITLES.get(self.cause, self.cause.value)
        return f"{name}: {self.subject}" if shows else name

    @property
    def clause(self) -> str:
        """The sentence without the part that repeats the title."""
        return self.sentence.removesuffix(f" They differ in {self.subject}.")


Names = tuple[str, str]
AffixIds = tuple[Sequence[int], Sequence[int]]


def reason_for(ours: Tokenizer, theirs: Tokenizer, text: bytes, names: Names = PLAIN_NAMES) -> Reason | None:
    """The first difference of two tokenizers on a text of up to some hundred bytes.

    None if ids and decoded text are equal.  Special tokens are parsed and added.
    """
    found, refusals = [], []
    for tokenizer in (ours, theirs):
        try:
            found.append(tokenizer.encode(text, add_special=False).token_ids.tolist())
        except EncodeError as error:
            refusals.append((tokenizer, str(error)))
    if len(refusals) == 1:
        tokenizer, why = refusals[0]
        return refused_reason(tokenizer is theirs, f"{shown(text)}: {why}", names)
    if refusals or found[0] == found[1]:
        vocabularies = ours.vocabulary, theirs.vocabulary
        around = affix_reason(ours.known_affixes(), theirs.known_affixes(), names, vocabularies)
        return around or (None if refusals else decoded_reason(ours, theirs, found[0], names))
    stages = seen_stages(ours, text), seen_stages(theirs, text)
    comparison = _Comparison(ours, theirs, *stages, names)
    reason = comparison.special() or comparison.normalized()
    if reason is None or (reason.subject == FRONT and comparison.differs_after_front()):
        later = comparison.pieces() or comparison.tokens()
        return reason if reason and later.cause is Cause.UNTOLD else later
    return reason


def refused_reason(by_theirs: bool, what: str, names: Names) -> Reason:
    """The reason that one tokenizer refuses a text and the other does not."""
    subject = f"by {PLAIN_NAMES[by_theirs]}"
    return Reason(Cause.REFUSED, subject, _sentence(f"{names[by_theirs]} refuses {what.rstrip('.')}"))


def affix_reason(
    mine: AffixIds, other: AffixIds, names: Names, vocabularies: tuple[Vocabulary, Vocabulary]
) -> Reason | None:
    """The reason that different ids are added before or after texts; None if they are the same."""
    if mine == other:
        return None
    rows = zip(names, (mine, other), vocabularies, strict=True)
    clause = "; ".join(f"{name} adds {_added(ids, vocabulary)}" for name, ids, vocabulary in rows)
    return Reason(Cause.AROUND, "each text", _sentence(clause))


def _added(ids: AffixIds, vocabulary: Vocabulary) -> str:
    """`BOS, id 1, before the text and EOS, id 2, after it`."""
    pairs = zip(ids, ("before the text", "after the text"), strict=True)
    return " and ".join(f"{_named(each, vocabulary)}, {where}" for each, where in pairs if each) or "nothing"


def _named(ids: Sequence[int], vocabulary: Vocabulary) -> str:
    roles = {row: role.upper() for role, row in reversed(vars(vocabulary.special_ids).items())}
    known = range(len(vocabulary))
    tokens = (f"{shown_token(vocabulary, row)}, id {row}" if row in known else f"id {row}" for row in ids)
    return " and ".join(
        f"{roles[row]}, id {row}" if row in roles else token for row, token in zip(ids, tokens, strict=True)
    )


def decoded_reason(ours: Tokenizer, theirs: Tokenizer, ids: list[int], names: Names) -> Reason | None:
    """The reason that ids known to both are decoded to different texts; None if the texts are equal."""
    mine, other = ours.decode(ids), theirs.decode(ids)
    return None if mine == other else decoded_texts_reason(mine, other, names)


def decoded_texts_reason(mine: str, other: str, names: Names) -> Reason:
    """The reason that the same ids are decoded to two different texts."""
    subject = "spaces" if mine.replace(" ", "") == other.replace(" ", "") else "characters"
    texts = mine.encode(), other.encode()
    clause = f"{names[0]} decodes the same ids to {shown(texts[0])}, {names[1]} to {shown(texts[1])}"
    for name, text, whole in zip(names, texts, texts[::-1], strict=True):
        if readable_clean_spaces(whole) == text:
            clause += f": {name} drops spaces before punctuation (its clean-up of spaces)"
    return Reason(Cause.DECODED, subject, _sentence(clause))


@dataclass(frozen=True)
class _Comparison:
    """Compares the stages of two tokenizers; each method returns the reason of one stage, if any."""

    ours: Tokenizer
    theirs: Tokenizer
    mine: SeenStages
    other: SeenStages
    names: Names

    def special(self) -> Reason | None:
        mine = Counter(self._special(self.ours, self.mine))
        other = Counter(self._special(self.theirs, self.other))
        for only, is_theirs in ((mine - other, False), (other - mine, True)):
            for text in only:
                name, not_by = self.names[is_theirs], self.names[not is_theirs]
                clause = f"{name} takes {shown(text)} as one special or added token, {not_by} as text"
                return Reason(Cause.SPECIAL, _only(is_theirs), _sentence(clause))
        if self.mine.special == self.other.special and self.mine.segments != self.other.segments:
            tokens = " ".join(map(shown, self.mine.special))
            clause = f"White space next to {tokens} belongs to the token in only one model"
            return Reason(Cause.SPECIAL, "white space next to it", _sentence(clause))
        return None

    def _special(self, tokenizer: Tokenizer, stages: SeenStages) -> list[bytes]:
        """The special tokens that are matched, including those in normalised text."""
        parts = tokenizer.vocabulary.parts
        later = {token.token_id for token in parts.added_tokens if token.normalized} if parts else set()
        alone = [each.tokens[0] for each in stages.pieces if each.symbols is None and len(each.tokens) == 1]
        return [*stages.special, *(tokenizer.vocabulary.raw_text(each) for each in alone if each in later)]

    def normalized(self) -> Reason | None:
        mine, other = (each.normalized.decode("utf-8", "replace") for each in (self.mine, self.other))
        if mine == other:
            return None
        subject = what_differs(mine, other)
        texts = shown(mine.encode()), shown(other.encode())
        clause = f"{self.names[0]} normalizes the text to {texts[0]}, {self.names[1]} to {texts[1]}"
        return Reason(Cause.NORMALIZED, subject, f"{_sentence(clause)} They differ in {subject}.")

    def differs_after_front(self) -> bool:
        """Whether tokens end at different offsets after the spaces that the texts begin with."""
        sides = (self.ours, self.mine), (self.theirs, self.other)
        mine, other = (
            _ends(stages, [text for piece in stages.pieces for text in self._texts(tokenizer, piece)])
            for tokenizer, stages in sides
        )
        return mine != other

    def pieces(self) -> Reason | None:
        sides = self.mine, self.other
        fronts = [*map(_front, sides)]
        ends = [_ends(each, [piece.text for piece in each.pieces]) for each in sides]
        if ends[0] == ends[1] and len(self.mine.pieces) != len(self.other.pieces):
            fronts = [0, 0]  # only the leading spaces are split differently
            ends = [{*accumulate(len(piece.text) for piece in each.pieces)} for each in sides]
        if ends[0] == ends[1]:
            return None
        at = min(ends[0] ^ ends[1])
        subject = what_is_cut(self.mine.normalized, at + fronts[0])
        pieces = [_adjacent_pieces(each, at + front) for each, front in zip(sides, fronts, strict=True)]
        into = [f"{'the pieces' if ' | ' in each else 'one piece'} {each}" for each in pieces]
        clause = f"{self.names[0]} pre-tokenizes into {into[0]}, {self.names[1]} into {into[1]}"
        return Reason(Cause.PIECES, subject, f"{_sentence(clause)} They differ in {subject}.")

    def tokens(self) -> Reason:
        for mine, other in zip(self.mine.pieces, self.other.pieces, strict=True):
            texts = self._texts(self.ours, mine), self._texts(self.theirs, other)
            if len({b"|".join(each).lstrip(b" |") for each in texts}) > 1:
                return self._of_piece(mine, other)
        return self._number()

    def _texts(self, tokenizer: Tokenizer, piece: SeenPiece) -> list[bytes]:
        return [plain_text(tokenizer.vocabulary, token) for token in piece.tokens]

    def _of_piece(self, mine: SeenPiece, other: SeenPiece) -> Reason:
        merging = self.ours.merging, self.theirs.merging
        is_whole = mine.symbols is None, other.symbols is None
        if is_whole[0] != is_whole[1] and None not in merging:
            name, not_by = self.names[is_whole[1]], self.names[is_whole[0]]
            clause = f"{name} takes the piece {shown(mine.text)} as one token, {not_by} merges it"
            return self._missing(mine, other) or Reason(Cause.WHOLE_PIECE, "pieces", _sentence(clause))
        reason = None
        if merging[0] is not None and merging[1] is not None:
            reason = self._merged(merging[0], merging[1], mine, other)
        reason = reason or self._missing(mine, other) or self._unwritten(mine, other)
        return reason or self._scored(mine, other)

    def _merged(
        self, ours: PairMerging, theirs: PairMerging, mine: SeenPiece, other: SeenPiece
    ) -> Reason | None:
        """The first merge that only one tokenizer makes, after a common sequence of merges."""
        slots = [list(mine.symbols or ()), list(other.symbols or ())]
        if len(slots[0]) != len(slots[1]):
            return None
        pairs = enumerate(zip(mine.merges, other.merges, strict=False))
        n_common = min(len(mine.merges), len(other.merges))
        at = next((row for row, (one, two) in pairs if one.position != two.position), n_common)
        for merge, same in zip(mine.merges[:at], other.merges[:at], strict=True):
            slots[0][merge.position], slots[1][same.position] = merge.made, same.made
        for merges, is_theirs in ((mine.merges, False), (other.merges, True)):
            if at < len(merges):
                there, symbols = (ours, slots[0]) if is_theirs else (theirs, slots[1])
                pair = symbols[merges[at].position], symbols[merges[at].right_position]
                if pair not in there.rules:
                    return self._only_here(merges[at], is_theirs)
        if at < len(mine.merges) and at < len(other.merges):
            return self._ordered(mine.merges[at], other.merges[at])
        return None

    def _only_here(self, merge: Merge, is_theirs: bool) -> Reason:
        here, there = (self.theirs, self.ours) if is_theirs else (self.ours, self.theirs)
        name, not_by = self.names[is_theirs], self.names[not is_theirs]
        made = _symbol(here, merge.made)
        token = here.vocabulary.find(made)
        if there.vocabulary.find(made) is None and token is not None:
            return self._no_token(here.vocabulary.token_bytes(token), not is_theirs)
        rule = _rule(here, merge)
        clause = f"{name} merges {rule}{_rank(here, merge)}, {not_by} has no such rule"
        return Reason(Cause.MERGE, _only(is_theirs), _sentence(clause))

    def _ordered(self, mine: Merge, other: Merge) -> Reason:
        rules = _rule(self.ours, mine), _rule(self.theirs, other)
        clause = (
            f"{self.names[0]} merges {rules[0]}{_rank(self.ours, mine)} first, "
            f"{self.names[1]} {rules[1]}{_rank(self.theirs, other)}"
        )
        are_scored = self.ours.vocabulary.type is self.theirs.vocabulary.type is VocabType.SPM
        return Reason(Cause.SCORE if are_scored else Cause.MERGE, "order", _sentence(clause))

    def _missing(self, mine: SeenPiece, other: SeenPiece) -> Reason | None:
        """The reason that the other vocabulary lacks a token of one piece; None if it has all."""
        for here, there, piece, is_theirs in (
            (self.ours, self.theirs, mine, False),
            (self.theirs, self.ours, other, True),
        ):
            for token in piece.tokens:
                is_text = here.vocabulary.kind(token) not in UNWRITTEN
                if is_text and not _has_token(there.vocabulary, here.vocabulary, token):
                    return self._no_token(here.vocabulary.token_bytes(token), not is_theirs)
        return None

    def _no_token(self, text: bytes, by_theirs: bool) -> Reason:
        clause = f"{self.names[by_theirs]} has no token {shown(text)}"
        return Reason(Cause.TOKEN, _only(not by_theirs), _sentence(clause))

    def _unwritten(self, mine: SeenPiece, other: SeenPiece) -> Reason | None:
        kinds = [
            {kind for token in piece.tokens if (kind := each.vocabulary.kind(token)) in UNWRITTEN}
            for each, piece in ((self.ours, mine), (self.theirs, other))
        ]
        if kinds[0] == kinds[1]:
            return None
        ways = [" and ".join(sorted(f"{kind} tokens" for kind in each)) or "no such tokens" for each in kinds]
        clause = (
            f"{shown(mine.text)} has text that is not in the vocabulary: {self.names[0]} gives {ways[0]}, "
            f"{self.names[1]} {ways[1]}"
        )
        return Reason(Cause.FALLBACK, "unknown text", _sentence(clause))

    def _scored(self, mine: SeenPiece, other: SeenPiece) -> Reason:
        tokens = {(True, token) for token in mine.tokens} | {(False, token) for token in other.tokens}
        for is_mine, token in sorted(tokens, reverse=True):
            here, there = (self.ours, self.theirs) if is_mine else (self.theirs, self.ours)
            raw = here.vocabulary.raw_text(token)
            match = there.vocabulary.find(raw)
            if match is None or here.vocabulary.score(token) == there.vocabulary.score(match):
                continue
            scores = [each.vocabulary.score(i) for each, i in ((here, token), (there, match))]
            clause = (
                f"The token {shown_token(here.vocabulary, token)} has the score {scores[not is_mine]:.6g} "
                f"in {self.names[0]} and {scores[is_mine]:.6g} in {self.names[1]}"
            )
            return Reason(Cause.SCORE, "scores", _sentence(clause))
        clause = f"The piece {shown(mine.text)} is encoded differently, but no stage shows why"
        return Reason(Cause.UNTOLD, "pieces", _sentence(clause))

    def _number(self) -> Reason:
        mine, other = ([t for p in each.pieces for t in p.tokens] for each in (self.mine, self.other))
        pair = next((pair for pair in zip(mine, other, strict=True) if pair[0] != pair[1]), None)
        if pair is None:
            both = self.ours.vocabulary, self.theirs.vocabulary
            ids = (tuple(each.find(raw) or 0 for each in both) for raw in self.mine.special)
            pair = next(((mine_id, other_id) for mine_id, other_id in ids if mine_id != other_id), (0, 0))
        token = shown_token(self.ours.vocabulary, pair[0])
        clause = f"The token {token} has the id {pair[0]} in {self.names[0]} and {pair[1]} in {self.names[1]}"
        return Reason(Cause.NUMBER, "ids", _sentence(clause))


def _front(stages: SeenStages) -> int:
    """The number of spaces that a normalised text begins with."""
    return len(stages.normalized) - len(stages.normalized.lstrip(b" "))


def _ends(stages: SeenStages, texts: Sequence[bytes]) -> set[int]:
    """The ends of parts of a normalised text, counted from its first character that is no space."""
    front = _front(stages)
    return {end - front for end in accumulate(map(len, texts)) if end > front}


def _adjacent_pieces(stages: SeenStages, at: int) -> str:
    """The pieces that contain an offset, or meet there."""
    ends = list(accumulate(len(piece.text) for piece in stages.pieces))
    starts = [0, *ends[:-1]]
    rows = [row for row, (start, end) in enumerate(zip(starts, ends, strict=True)) if start <= at <= end]
    return " | ".join(shown(stages.pieces[row].text) for row in rows)


def _has_token(there: Vocabulary, here: Vocabulary, token_id: int) -> bool:
    """Whether `there` has a token of `here`, by its spelling or, in another form of file, by its text."""
    if there.find(here.raw_text(token_id)) is not None:
        return True
    if (here.parts is None) == (there.parts is None):
        return False
    plain = plain_text(here, token_id)
    return any(there.find(mark + plain) is not None for mark in (b"", b"##", MARKED_SPACE))


def _symbol(tokenizer: Tokenizer, symbol: int) -> bytes:
    assert tokenizer.merging is not None
    return tokenizer.merging.symbol_text(symbol)


def _rule(tokenizer: Tokenizer, merge: Merge) -> str:
    vocabulary = tokenizer.vocabulary
    return " + ".join(
        shown_token(vocabulary, each) if each < len(vocabulary) else shown(_symbol(tokenizer, each))
        for each in (merge.left, merge.right)
    )


def _rank(tokenizer: Tokenizer, merge: Merge) -> str:
    return "" if tokenizer.vocabulary.type is VocabType.SPM else f" (rank {merge.rank:,})"


def shown(text: bytes) -> str:
    """A text, spelled for a sentence."""
    return code(visible_text(text, LONGEST_SHOWN))


def shown_token(vocabulary: Vocabulary, token_id: int) -> str:
    """A token, spelled for a sentence."""
    return code(Spelling.SIGNS.token(vocabulary, token_id, LONGEST_SHOWN))


def _only(is_theirs: bool) -> str:
    """The subject of a difference that is only in one tokenizer."""
    return f"only in {PLAIN_NAMES[is_theirs]}"


def _sentence(clause: str) -> str:
    """A clause as a sentence: with a capital letter, unless it begins with the name of a model."""
    begins = clause[0].upper() if clause.startswith(PLAIN_NAMES) else clause[0]
    return f"{begins}{clause[1:]}."


# The subject of a difference between two texts, or of a cut in a text, in a word or two


def _without_marks(text: str) -> str:
    apart = unicodedata.normalize("NFD", text)
    return "".join(each for each in apart if unicodedata.category(each)[0] != "M")


def what_differs(mine: str, other: str) -> str:
    """The subject in which two normalised texts differ."""
    return next((name for name, alike in ALIKE if alike(mine) == alike(other)), "characters")


FRONT = "the space in front"
ALIKE = (
    (FRONT, lambda text: text.lstrip(" ")),
    ("line ends", lambda text: re.sub("[\r\n]+", "", text)),
    ("line ends", lambda text: re.sub("[\r\n]+", " ", text)),
    ("spaces", lambda text: "".join(text.split())),
    ("case", str.lower),
    ("composed characters", lambda text: unicodedata.normalize("NFC", text)),
    ("compatible characters", lambda text: unicodedata.normalize("NFKC", text)),
    ("accents", _without_marks),
    ("accents and case", lambda text: _without_marks(text).lower()),
)
"""The subject in which texts differ if the function makes them equal; the first match counts."""

CONTRACTION = re.compile("['’](?:[stmd]|re|ve|ll)", re.IGNORECASE)


def what_is_cut(text: bytes, at: int) -> str:
    """The subject of a cut at a byte of a text, by the characters on both sides."""
    before, after = (part.decode("utf-8", "replace") for part in (text[:at], text[at:]))
    before, after = before[-NEAR:], after[:NEAR]
    contractions = CONTRACTION.finditer(before + after)
    if any(match.start() <= len(before) <= match.end() for match in contractions):
        return "contractions"
    kinds = {_kind(each) for each in before[-1:] + after[:1]}
    return next((name for name in ORDER if name in kinds), "the end of the text")


def _kind(character: str) -> str:
    if character in "\r\n":
        return "line ends"
    if character.isspace():
        return "spaces"
    return {"N": "digits", "M": "accents", "L": "letters"}.get(unicodedata.category(character)[0], "signs")


ORDER = ("digits", "line ends", "spaces", "accents", "signs", "letters")


# The results of each stage of a tokenizer, in one form for all types, so that two can be compared


class SeenPiece(NamedTuple):
    """A piece and its tokens.

    text     normalised, a marked space as a space
    tokens   ids
    symbols  from which pair merging starts; None if nothing is merged
    merges   in order
    """

    text: bytes
    tokens: tuple[int, ...]
    symbols: tuple[int, ...] | None
    merges: tuple[Merge, ...]


@dataclass(frozen=True)
class SeenStages:
    """All stages of one text.

    special    the texts of the special tokens that are matched first, in order
    segments   start and end of the non-empty text between them
    pieces     of all segments, in order
    """

    special: tuple[bytes, ...]
    segments: tuple[tuple[int, int], ...]
    pieces: tuple[SeenPiece, ...]

    @property
    def normalized(self) -> bytes:
        return b"".join(piece.text for piece in self.pieces)


def seen_stages(tokenizer: Tokenizer, text: bytes) -> SeenStages:
    """The stages of a text of at most some hundred bytes, by reference encoders.  Raises EncodeError."""
    vocabulary, encoder = tokenizer.vocabulary, _briefest_encoder(tokenizer)
    found = tokenizer.special_tokens.partition(np.frombuffer(text, np.uint8), True)
    around = zip(found.raw_starts.tolist(), found.raw_ends.tolist(), strict=True)
    segments = tuple((start, end) for start, end in around if start < end)
    tracer = _Stages(vocabulary)
    for start, end in segments:
        begins = tokenizer.begins_text_at(start, True)
        tokenizer.pipeline_of(encoder).encode_readable(text[start:end], begins, encoder, tracer)
    special = tuple(map(vocabulary.raw_text, found.ids.tolist()))
    return SeenStages(special, segments, tuple(tracer.pieces))


def plain_text(vocabulary: Vocabulary, token_id: int) -> bytes:
    """The text of a token in a piece, without the marker of its vocabulary."""
    return vocabulary.token_bytes(token_id).removeprefix(_mark(vocabulary))


def plain_texts(vocabulary: Vocabulary) -> list[bytes]:
    """`plain_text` of all tokens."""
    mark = _mark(vocabulary)
    return [text.removeprefix(mark) for text in sliced(*vocabulary.token_bytes_table)]


def _mark(vocabulary: Vocabulary) -> bytes:
    """The marker in front of tokens that begin, or in other vocabularies continue, a piece."""
    if vocabulary.parts is not None:
        return vocabulary.parts.model.continuing_prefix.encode()
    return b" " if vocabulary.type is VocabType.WPM else b""


def _briefest_encoder(tokenizer: Tokenizer) -> str:
    """The encoder to trace: `scan` reports merges and nothing else."""
    if "scan" in tokenizer.encoders:
        return "scan"
    return tokenizer.reference_encoder(next(iter(tokenizer.encoders)))


@dataclass
class _Stages(Tracer):
    """Records pieces."""

    vocabulary: Vocabulary
    pieces: list[SeenPiece] = field(default_factory=list)

    def begin(self, data: bytes, normalized: NormalizedText | None, start: int) -> None: ...

    def split(self, piece_ends: Sequence[int]) -> None: ...

    def piece(self, start: int, data: bytes, marked: NormalizedText | None, symbols: Symbols | None) -> None:
        text = data.replace(MARKED_SPACE, b" ")
        if self.vocabulary.type is VocabType.WPM and self.vocabulary.parts is None:
            text = text.removeprefix(b" ")
        self._text = text
        self._symbols = None if symbols is None else tuple(symbol for symbol, _, _ in symbols)
        self._merges: list[Merge] = []

    def step(self, step: object) -> None:
        if isinstance(step, Merge):
            self._merges.append(step)

    def end_piece(self, tokens: Symbols) -> None:
        ids = tuple(token for token, _, _ in tokens)
        self.pieces.append(SeenPiece(self._text, ids, self._symbols, tuple(self._merges)))
