"""A text that brings the BOS or EOS along that is added anyway: models were never trained on two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from guiapp.core.text.visible_text import visible_text

if TYPE_CHECKING:
    from guiapp.core.encode.tokenizer import Tokenizer


def doubled_special(tokenizer: Tokenizer, head: Sequence[int], tail: Sequence[int]) -> str | None:
    """What is wrong where ids, encoded with `add_special`, hold a special token twice at an end.

    `head` and `tail` are their first two and their last two; None where all is well.
    """
    if len(head) < 2:
        return None
    before, after = tokenizer.special_affixes()
    sentences = []
    for added, ids, does in ((before, head, "begins"), (after, tail, "ends")):
        if added and ids[0] == ids[1] == added[0]:
            name = visible_text(tokenizer.vocabulary.raw_text(added[0]))
            sentences.append(f"The text {does} with {name}, and the model adds another one.")
    return " ".join(sentences) or None
