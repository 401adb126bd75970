"""Whether BOS and EOS are added to a text: what tokenizer_config.json beside a model says, else the usual.

SentencePiece itself adds what it is asked to add.
"""

from __future__ import annotations

from typing import NamedTuple

from guiapp.core.formats.tokenizer_config import Beside
from guiapp.core.vocabulary.vocabulary import SpecialIds

USUAL = (
    "BOS is added where the model has one, else EOS where it has one: the file does not say, and "
    "SentencePiece adds what it is asked to."
)
SAID = "Whether BOS and EOS are added says tokenizer_config.json beside it."


class SpecialRule(NamedTuple):
    """What is added, and a sentence on who says so."""

    adds_bos: bool
    adds_eos: bool
    said_by: str


def special_rule(beside: Beside, ids: SpecialIds) -> SpecialRule:
    """What is around texts of a model that has these ids."""
    adds_bos = ids.bos is not None
    adds_eos = not adds_bos and ids.eos is not None
    said = [beside.config.get(key) for key in ("add_bos_token", "add_eos_token")]
    bos, eos = (value if isinstance(value, bool) else None for value in said)
    if bos is None and eos is None:
        return SpecialRule(adds_bos, adds_eos, USUAL)
    return SpecialRule(
        (adds_bos if bos is None else bos) and ids.bos is not None, bool(eos) and ids.eos is not None, SAID
    )
