"""A space written in more bytes than necessary, alone on a line, where spaces are U+2581.

llama.cpp marks the spaces of a text before it decodes it.  Such a space is none yet then, and becomes a space
byte that no token holds: the byte's own token stands for it.  (In longer lines it ends llama.cpp; there it
is a space like any other to us.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens
from guiapp.core.text.normalized import NormalizedText

SPACE, NEWLINE = 0x20, 0x0A


def with_lone_spaces(
    tokens: FragmentTokens, repaired: NormalizedText, space_id: int | None
) -> FragmentTokens:
    """The tokens of a repaired text, with `space_id`, if any, for each space that stood there so."""
    is_lone = _lone_spaces(repaired)
    if not is_lone.any():
        return tokens
    is_empty = tokens.starts == tokens.ends
    is_space = is_lone[tokens.starts - is_empty]
    ids = np.where(is_space, -1 if space_id is None else space_id, tokens.ids).astype(np.int32)
    stays = ~is_space if space_id is None else ~(is_space & is_empty)
    return FragmentTokens(ids[stays], tokens.starts[stays], tokens.ends[stays])


def _lone_spaces(repaired: NormalizedText) -> NDArray[np.bool_]:
    """Which bytes are spaces that took several bytes, between newlines or the ends of the text."""
    is_newline = np.concatenate([[True], repaired.data == NEWLINE, [True]])
    is_long = (repaired.data == SPACE) & (repaired.ends - repaired.starts > 1)
    lone: NDArray[np.bool_] = is_long & is_newline[:-2] & is_newline[2:]
    return lone
