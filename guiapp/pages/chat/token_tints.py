"""How the tokens of a prompt look: by the role of whose content they are, or as what the template writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.chat.as_text import is_control
from guiapp.kit.document.coloured_spans import CONTROL_SHADE, ORIGIN_SHADE, PLAIN_SHADE

if TYPE_CHECKING:
    from guiapp.analysis.chat.chat import Chat

HUES = ("user", "tool", "system", "assistant", "other")
HUE_OF = {"developer": "system", "tools": "tool", "function": "tool", "model": "assistant"}


def hue_of(role: str) -> int:
    """Which of HUES a role has."""
    hue = HUE_OF.get(role, role)
    return HUES.index(hue if hue in HUES else "other")


def tints_of(chat: Chat) -> NDArray[np.uint8]:
    """uint8[n]: the tint of each token; content has two strengths in turn."""
    vocabulary, origins = chat.tokenizer.vocabulary, chat.origins
    hues = [hue_of(each.role) if each.is_content else -1 for each in chat.runs.of_runs]
    content = np.array(hues, np.int64)[origins.rows]
    own = np.where(is_control(vocabulary)[chat.token_ids], CONTROL_SHADE, PLAIN_SHADE)
    strengths = np.cumsum(content >= 0) % 2
    return np.where(content >= 0, ORIGIN_SHADE + 2 * content + strengths, own).astype(np.uint8)
