"""Whether the tokens of a text give that text back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from guiapp.core.editing.options import Options
from guiapp.core.explain.round_trip import RoundTrip, round_trip
from guiapp.viewmodels.background import Progress

if TYPE_CHECKING:
    from guiapp.core.tokenizer import Tokenizer


def compare(
    tokenizer: Tokenizer, text: bytes, token_ids: NDArray[np.int32], options: Options, progress: Progress
) -> RoundTrip:
    """Decode the tokens of a text, without BOS and the like around them, that were made by these options.

    Where that is another text, look for the rules that made it so.
    """
    if tokenizer.decode_bytes(token_ids) == text:
        return RoundTrip(None)
    progress(0.4)
    encoding = tokenizer.encode(text, False, options.parse_special, options.encoder)
    progress(0.6)
    return round_trip(tokenizer, encoding)
