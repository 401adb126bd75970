"""Whether all that was found comes of one thing: that the first file's text is split by the wrong rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from guiapp.analysis.compare.reasons import Cause
from guiapp.analysis.hunt.engine import HuntPlan
from guiapp.analysis.hunt.mismatches import Find
from guiapp.analysis.hunt.pair import SidePair
from guiapp.analysis.hunt.sides import FileSide
from guiapp.analysis.libraries.table import PEERS
from guiapp.core.open_model import open_model
from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary
from guiapp.errors import VocabError
from guiapp.native.checkpoint import checkpoint


def likely_pre(plan: HuntPlan, finds: Sequence[Find]) -> str:
    """The pre-tokenizer with which no text that was found differs any more, "" where there is none.

    Each known one is tried on them.  What a library is given comes from the first file: there is none then.
    """
    if plan.second in PEERS or all(find.reason.cause is not Cause.PIECES for find in finds):
        return ""
    ours, theirs = (open_model(*row) for row in zip((plan.first, plan.second), plan.pres, strict=True))
    if ours.vocabulary.type is not VocabType.BPE or ours.vocabulary.format != "GGUF":
        return ""
    texts = [each.text for find in finds for each in (find, *find.others)]
    for name in _names(ours.vocabulary, theirs.vocabulary):
        checkpoint()
        try:
            pair = SidePair(FileSide("", open_model(plan.first, name)), FileSide("", theirs))
        except VocabError:  # no name splits this one
            return ""
        if pair.affixes() is None and not pair.differing(texts):
            return name
    return ""


def _names(ours: Vocabulary, theirs: Vocabulary) -> Iterator[str]:
    """One for each way to split, first that of the other file."""
    if theirs.pre_in_use in PRE_TOKENIZERS:
        yield theirs.pre_in_use
    tried = [PRE_TOKENIZERS.get(vocabulary.pre_in_use) for vocabulary in (ours, theirs)]
    for row in dict.fromkeys(PRE_TOKENIZERS.values()):
        if row not in tried:
            yield row.names[0]
