"""Why a library gives other ids than we do, told from its ids alone: it shows none of its stages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import accumulate

from guiapp.analysis.compare.reasons import UNWRITTEN, Cause, Names, Reason, shown, shown_token
from guiapp.analysis.compare.seen_stages import plain_text, seen_stages
from guiapp.analysis.compare.subjects import what_differs, what_is_cut
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.vocabulary import Vocabulary

SPECIAL = ("control", "user-defined")  # kinds of tokens
SPACES = ("the space in front", "spaces")  # what texts differ in
CUT_BY_PATTERNS = ("digits", "contractions", "line ends", "spaces", "signs")
IdsOf = Callable[[bytes], list[int] | None]


def reason_beside(
    ours: Tokenizer, text: bytes, mine: list[int], other: list[int], ids_of: IdsOf, names: Names
) -> Reason:
    """Why the library has `other` ids for a text than `mine`, which are ours; `ids_of` gives more of its."""
    vocabulary = ours.vocabulary
    strange = [token for token in other if not 0 <= token < len(vocabulary)]
    if strange:
        sentence = f"{names[1]} gives the id {strange[0]}, and there are {len(vocabulary):,} tokens."
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
    found = _one_with_more(vocabulary, mine, other, UNWRITTEN, names)
    if found is None:
        return None
    token, who = found
    kind = "byte" if vocabulary.kind(token) == "byte" else "unknown"
    sentence = f"{who} gives the {kind} token {shown_token(vocabulary, token)} for {shown(text)}."
    return Reason(Cause.FALLBACK, "unknown text", sentence)


def _special(vocabulary: Vocabulary, mine: list[int], other: list[int], names: Names) -> Reason | None:
    """Whether special tokens are found in one of them only."""
    found = _one_with_more(vocabulary, mine, other, SPECIAL, names)
    if found is None:
        return None
    token, who = found
    sentence = f"{who} takes {shown_token(vocabulary, token)} as one special or added token."
    return Reason(Cause.SPECIAL, "special tokens", sentence)


def _of_texts(
    vocabulary: Vocabulary, mine: list[int], other: list[int], texts: list[list[bytes]], names: Names
) -> Reason | None:
    """Whether the tokens stand for other texts, or for the same ones by other ids."""
    joined = [b"".join(some) for some in texts]
    subject = what_differs(*(each.decode("utf-8", "replace") for each in joined))
    if joined[0] != joined[1] and subject in SPACES and _kinds(vocabulary, mine, SPECIAL):
        sentence = f"White space beside special tokens stays in one of them only: {_told(joined, names)}."
        return Reason(Cause.SPECIAL, "white space beside", sentence)
    if texts[0] == texts[1] or (subject == "characters" and len(mine) == len(other)):
        first, second = next(pair for pair in zip(mine, other, strict=True) if pair[0] != pair[1])
        piece = shown(plain_text(vocabulary, first))
        sentence = f"{names[0]} gives the id {first} for {piece}, {names[1]} {second}."
        return Reason(Cause.NUMBER, "ids", sentence)
    if joined[0] != joined[1]:
        return Reason(Cause.NORMALIZED, subject, f"Tokens stand for other texts: {_told(joined, names)}.")
    return None


def _told(joined: list[bytes], names: Names) -> str:
    return " and ".join(f"{shown(each)} by {name}" for name, each in zip(names, joined, strict=True))


def _of_pieces(ours: Tokenizer, text: bytes, texts: list[list[bytes]], ids_of: IdsOf, names: Names) -> Reason:
    """Whether other pieces are cut, or pieces merged otherwise.

    Pieces that the library cuts as we do have our ids by themselves, too.  One that has not may yet be cut in
    two there: if our ids of both parts are the library's, and the place is one where patterns cut.
    """
    pieces = seen_stages(ours, text).pieces
    told = " and ".join(
        f"{name} gives {' | '.join(map(shown, some))}" for name, some in zip(names, texts, strict=True)
    )
    ends = [set(accumulate(map(len, some))) for some in texts]
    joined = b"".join(texts[0])
    at = min(ends[0] ^ ends[1])
    subject = what_is_cut(joined[:at].decode("utf-8", "replace"), joined[at:].decode("utf-8", "replace"))
    for piece in pieces:
        theirs = ids_of(piece.text)
        if len(pieces) == 1 or theirs != list(piece.tokens):
            if subject in CUT_BY_PATTERNS and at in ends[1] and _are_joined(ours, joined, at, texts[1]):
                break
            sentence = f"The piece {shown(piece.text)} is merged otherwise: {told}."
            return Reason(Cause.MERGE, "pieces", sentence)
    return Reason(Cause.PIECES, subject, f"Pieces end at other places: {told}. It is about {subject}.")


def _are_joined(ours: Tokenizer, text: bytes, at: int, tokens: list[bytes]) -> bool:
    """Whether these are what we make of both parts of a text."""
    parts = (ours.encode(part, False, False).token_ids.tolist() for part in (text[:at], text[at:]))
    return [plain_text(ours.vocabulary, token) for part in parts for token in part] == tokens
