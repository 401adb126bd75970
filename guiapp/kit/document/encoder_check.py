"""How far an approximate encoder can be trusted on the present text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guiapp.analysis.editing.options import Options
from guiapp.core.text.figures import percent
from guiapp.core.text.visible_text import visible_text
from guiapp.kit.state.background import Progress

if TYPE_CHECKING:
    from guiapp.analysis.explain.encoder_agreement import EncoderAgreement, Parting, Piece
    from guiapp.core.encode.tokenizer import Tokenizer

SHOWN_PIECES = 6
SHOWN_BYTES = 24


def explained(agreement: EncoderAgreement) -> str:
    """What was found, for people."""
    if agreement.parting is None:
        return "On this text it gives exactly the tokens of the exact encoder."
    found = f"{agreement.n_shared:,} of {agreement.n_exact:,}"
    return (
        f"On this text it gives {percent(agreement.share, 1)} of the exact encoder's tokens ({found}).\n\n"
        f"{_described(agreement.parting)}"
    )


def _described(parting: Parting) -> str:
    found, exact = _shown(parting.found), _shown(parting.exact)
    return f"They first differ at byte {parting.start:,}:\nshown\t{found}\nexact\t{exact}"


def _shown(pieces: tuple[Piece, ...]) -> str:
    shown = " ┆ ".join(f"{visible_text(text, SHOWN_BYTES)}" for _, text in pieces[:SHOWN_PIECES])
    return f"{shown} …" if len(pieces) > SHOWN_PIECES else shown


def compared(tokenizer: Tokenizer, text: bytes, options: Options, progress: Progress) -> EncoderAgreement:
    """Encode the text, and by the exact encoder too, and compare."""
    from guiapp.analysis.explain.encoder_agreement import compare  # time that starting does not have

    exact_name = next(name for name, algorithm in tokenizer.encoders.items() if algorithm.exact)
    exact = tokenizer.encode(text, options.add_special, options.parse_special, exact_name)
    progress(0.4)
    found = tokenizer.encode(text, options.add_special, options.parse_special, options.encoder)
    progress(0.8)
    return compare(found, exact)
