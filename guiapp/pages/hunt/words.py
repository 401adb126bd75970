"""What finds of a hunt are called, and its sentences with A and B for the two names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from guiapp.analysis.compare.reasons import Cause
from guiapp.analysis.explain.spelling import parts
from guiapp.analysis.hunt.mismatches import Find, Hunt, HuntSubject, Kind
from guiapp.core.text.figures import counted
from guiapp.core.vocabulary.quoting import quoted
from guiapp.kit.widgets.find_picture import LETTERS

OF_PIECES = {
    "digits": "Groups of digits",
    "contractions": "Contractions",
    "line ends": "Line ends",
    "spaces": "Spaces",
    "signs": "Signs beside text",
    "accents": "Accents",
    "letters": "Letters",
}
OF_OTHERS = {
    Cause.AROUND: "Tokens around each text",
    Cause.NUMBER: "Same token, other id",
    Cause.WHOLE_PIECE: "Whole pieces",
    Cause.FALLBACK: "Text without tokens",
    Cause.OTHER_VOCABULARY: "Other vocabulary",
    Cause.UNTOLD: "No stage tells why",
}
SAYS_ALL = ("pieces", "ids", "scores", "")  # subjects that add nothing to the cause


class ReasonPart(NamedTuple):
    """A stretch of a sentence; `is_code` where it stands for itself, `letter` where it is A or B."""

    text: str
    is_code: bool = False
    letter: str = ""


def title_of(kind: Kind) -> str:
    """A cause in a few words."""
    cause, subject = kind
    subject = subject.replace("the first", "A").replace("the second", "B")
    if cause is Cause.PIECES:
        return OF_PIECES.get(subject) or f"Pieces: {quoted(subject)}"
    told = OF_OTHERS.get(cause) or f"{cause.value[0].upper()}{cause.value[1:]}"
    return told if cause in OF_OTHERS or subject in SAYS_ALL else f"{told}: {quoted(subject)}"


def sentence(find: Find, subjects: Sequence[HuntSubject]) -> list[ReasonPart]:
    """Why a find differs, with letters for the names."""
    names = {quoted(subject.name): letter for subject, letter in zip(subjects, LETTERS, strict=True)}
    sentence_parts = []
    for text, is_code in parts(find.reason.sentence.removesuffix(f" It is about {find.reason.subject}.")):
        letter = names.get(text, "") if is_code else ""
        sentence_parts.append(ReasonPart(letter or text, is_code and not letter, letter))
    return sentence_parts


def plain(sentence_parts: Sequence[ReasonPart]) -> str:
    return "".join(each.text for each in sentence_parts)


def texts_of(find: Find) -> tuple[Find, ...]:
    """All finds of a kind, each with its own text."""
    return (find, *find.others)


def where(find: Find) -> str:
    """The stage that differs, and the byte from which on."""
    told = find.reason.cause.value
    told = f"{told[0].upper()}{told[1:]}"
    return f"{told}, from byte {find.at:,} on" if find.text else told


def no_mismatch_lines(state: Hunt) -> Iterator[str]:
    """What it means that a hunt, which is over, has found nothing."""
    if state.tried:
        yield f"Both gave the same for all of {counted(state.tried, 'text')} in {state.seconds:,.0f} s."
    if state.n_lines:
        yield f"{counted(state.n_lines, 'line')} of your own are among them."
    yield state.why_inconclusive or "That is no proof: more seconds, or another seed, try other texts."
