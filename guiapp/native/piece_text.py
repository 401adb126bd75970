"""Text as SentencePiece sees it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import c_bool, c_int32, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.errors import EncodeError
from guiapp.native.binding import Array, Bytes, Handle, WideInts, arrays, function
from guiapp.native.normalized import Normalized, normalized
from guiapp.native.strings import packed
from guiapp.native.token_tree import TokenTreeHandle

AS_THEY_ARE, MARKED, COMPACT = range(3)  # what becomes of spaces: see piece_text.h


class _PieceTextParts(ctypes.Structure):
    _fields_ = (
        *arrays("units", "replacements", "kinds", "is_settled"),
        *((name, c_void_p) for name in ("user_defined", "spelled_user_defined")),
        ("spaces", c_int32),
        *((name, c_bool) for name in ("adds_space", "adds_at_end", "removes_spaces", "keeps_space")),
    )


_piece_text_new = function("piece_text_new(structure) -> handle")
_piece_text_leaves_alone = function("piece_text_leaves_alone(handle, bytes)")
_piece_text_normalize = function("piece_text_normalize(handle, bytes, flag, flag) -> handle")
_piece_text_user_defined = function("piece_text_user_defined(handle, bytes, >wide_ints)")


class PieceTextHandle(Handle, free="piece_text_free"):
    """Changes text as a SentencePiece model asks."""

    def __init__(
        self,
        tables: dict[str, NDArray[Any]],
        user_defined: tuple[Sequence[bytes], Sequence[bytes]],
        spaces: int,
        switches: dict[str, bool],
    ) -> None:
        """The arrays of a character map are of one that was checked.

        tables        units, replacements, kinds, is_settled: as for a Unigram
        user_defined  the pieces as they stand in a text, and in what becomes of one
        spaces        AS_THEY_ARE, MARKED or COMPACT
        switches      adds_space, adds_at_end (not in front), removes_spaces, and keeps_space: one is one
                      wherever it stands
        """
        trees = [TokenTreeHandle.of(*packed(texts)) for texts in user_defined]
        parts = _PieceTextParts(
            **{name: Array.of(table) for name, table in tables.items()},
            user_defined=trees[0].address,
            spelled_user_defined=trees[1].address,
            spaces=spaces,
            **switches,
        )
        super().__init__(_piece_text_new(parts), tables, trees)

    def leaves_alone(self, text: Bytes) -> bool:
        """Whether nothing changes but for the space around a text; may say no where that holds."""
        return bool(_piece_text_leaves_alone(self, text))

    def normalize(self, text: Bytes, begins: bool, has_places: bool = True) -> Normalized:
        """What a text becomes that `begins` a document, or goes on behind something that is no space.

        Without places, if not asked for.  Raises EncodeError where it is more than 256 MB.
        """
        if (address := _piece_text_normalize(self, text, begins, has_places)) is None:
            raise EncodeError("This text becomes more than 256 MB before it is encoded. Encode less at once.")
        return normalized(address, has_places)

    def user_defined(self, text: Bytes) -> WideInts:
        """Where user-defined pieces begin and end in what became of a text, in turn."""
        places = np.empty(64, np.int64)
        if (count := _piece_text_user_defined(self, text, places)) > len(places):
            places = np.empty(count, np.int64)
            _piece_text_user_defined(self, text, places)
        return places[:count]
