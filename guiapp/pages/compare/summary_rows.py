"""A row of the summary: one model, what it is called, and how it counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from guiapp.analysis.compare.comparison import Counts, ModelSide
from guiapp.analysis.compare.texts import count_texts
from guiapp.analysis.editing.options import Options
from guiapp.kit.session.loader import Load
from guiapp.kit.state.background import Progress
from guiapp.pages.compare.summary_texts import SummaryTexts

if TYPE_CHECKING:
    from guiapp.core.encode.tokenizer import Tokenizer
    from guiapp.kit.session.model_session import ModelSession

OPENING_SHARE = 0.5  # of the progress of a row


class Basis(NamedTuple):
    """What counts follow from; Texts and tokenizers are equal to nothing but themselves."""

    texts: SummaryTexts
    options: Options
    tokenizer: Tokenizer | None


@dataclass(eq=False)
class SummaryRow:
    """One model and what it makes of the texts.

    model    the name it is opened by, and the pre-tokenizer chosen by hand; None for a column without one
    session  that of a column; None for the others
    counts   None until it has counted; those of older texts until there are new ones
    failure  why it could not
    """

    model: tuple[str, str | None] | None
    title: str
    session: ModelSession | None = None
    counts: Counts | None = None
    failure: str = ""
    basis: Basis | None = None  # what the counts, or the failure, follow from

    @property
    def name(self) -> str:
        return "" if self.model is None else self.model[0]


def titles_of(rows: Sequence[SummaryRow]) -> list[str]:
    """What to call each row, no two alike: by what was chosen for it, then by its number."""
    titles = []
    for row in rows:
        pre = row.model[1] if row.model is not None else None
        encoder = row.session.options.encoder if row.session is not None else None
        chosen = ", ".join(filter(None, (pre, encoder)))
        titles.append(f"{row.title} ({chosen})" if chosen else row.title)
    times = Counter(titles)
    return [f"{at}. {title}" if times[title] > 1 else title for at, title in enumerate(titles, 1)]


class Counted(NamedTuple):
    tokenizer: Tokenizer
    counts: Counts


def count(
    load: Load,
    model: tuple[str, str | None],
    tokenizer: Tokenizer | None,
    basis: Basis,
    progress: Progress,
) -> Counted:
    """Open a model where it is not open yet, and count with it."""

    def opening(share: float) -> None:
        progress(OPENING_SHARE * share)

    def reading(share: float) -> None:
        progress(OPENING_SHARE + (1 - OPENING_SHARE) * share)

    tokenizer = tokenizer or load(*model, opening)
    options = basis.options
    side = ModelSide(model[0], tokenizer, options.encoder, options.add_special, options.parse_special)
    counts = count_texts(side, basis.texts.read(reading))
    return Counted(tokenizer, counts)
