"""Where a token stands in the token tree: the tokens it starts with, and those that start with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Vocabulary

if TYPE_CHECKING:
    from guiapp.core.vocabulary.token_tree import TokenTree

NOT_OF_TEXT = Attribute.CONTROL | Attribute.UNKNOWN | Attribute.UNUSED | Attribute.BYTE


@dataclass(frozen=True)
class TokenPath:
    """The neighbours of one token in the token tree.

    prefixes         ids of the tokens that are a proper prefix of it, the shortest first
    continuations    ids of some tokens that begin with it, in the order of the vocabulary
    n_continuations  how many of those there are
    """

    prefixes: tuple[int, ...]
    continuations: tuple[int, ...]
    n_continuations: int


def token_path(vocabulary: Vocabulary, tree: TokenTree, token_id: int, n_shown: int = 8) -> TokenPath:
    """The path of one token; of its continuations the first `n_shown`.

    Byte, control, unknown and unused tokens are left out: ordinary text does not lead to them.
    """
    token = vocabulary.token_bytes(token_id)
    if not token:
        return TokenPath((), (), 0)
    above = _of_text(vocabulary, np.array(tree.path(token_id)[:-1], np.int32))
    below = _of_text(vocabulary, tree.starting_with(token))
    continuations = np.sort(below[tree.lengths[below] > len(token)])
    return TokenPath(tuple(above.tolist()), tuple(continuations[:n_shown].tolist()), len(continuations))


def _of_text(vocabulary: Vocabulary, ids: NDArray[np.int32]) -> NDArray[np.int32]:
    kept: NDArray[np.int32] = ids[(vocabulary.attributes[ids] & NOT_OF_TEXT) == 0]
    return kept
