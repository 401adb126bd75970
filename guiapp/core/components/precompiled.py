from __future__ import annotations

from guiapp.core.components.aligned import AlignedText
from guiapp.core.components.said import Said


class Precompiled:
    def apply(self, text: AlignedText) -> AlignedText:
        raise NotImplementedError


def precompiled_of(said: Said) -> Precompiled:
    raise said.unknown()
