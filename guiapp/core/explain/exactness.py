"""How far the ids that a tokenizer gives can be trusted to be llama.cpp's."""

from __future__ import annotations

from dataclasses import dataclass

from guiapp.core.split.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.vocab.pre_choice import said_by_file
from guiapp.core.vocab.vocabulary import VocabType, Vocabulary

REFUSED = "refused by llama.cpp"


@dataclass(frozen=True)
class Exactness:
    """How far the ids can be trusted to be llama.cpp's.

    level   "exact", "approximate", "unknown pre" or REFUSED
    reason  a sentence for the user
    """

    level: str
    reason: str


def exactness_of(vocabulary: Vocabulary) -> Exactness:
    """Whether llama.cpp would give the same ids for the file of a vocabulary."""
    if vocabulary.refusals:
        return Exactness(REFUSED, f"llama.cpp would not load this file. {' '.join(vocabulary.refusals)}")
    if vocabulary.chosen_pre:
        return _exactness_of_choice(vocabulary)
    if vocabulary.type is VocabType.BPE and not vocabulary.pre:
        return Exactness(
            "unknown pre",
            "The file does not name its pre-tokenizer (tokenizer.ggml.pre). Text is split as llama.cpp "
            "does in that case, so the ids are those that llama.cpp feeds the model, but perhaps not "
            "those that the model was trained on.",
        )
    split = f", split as “{vocabulary.pre}” asks" if vocabulary.type is VocabType.BPE else ""
    return Exactness(
        "exact",
        f"{vocabulary.type.value} vocabulary{split}. The ids equal llama.cpp's for the same file, text "
        "and switches.",
    )


def _exactness_of_choice(vocabulary: Vocabulary) -> Exactness:
    """What to think of the ids where somebody chose the pre-tokenizer by hand."""
    said = said_by_file(vocabulary.pre)
    split = f"{said[0].upper()}{said[1:]}. Text is split as “{vocabulary.chosen_pre}”, chosen by hand."
    if vocabulary.pre in PRE_TOKENIZERS:
        return Exactness(
            "approximate", f"{split} llama.cpp splits it as the file asks, unless it is told to."
        )
    return Exactness("unknown pre", f"{split} The model may have been trained on other ids.")
