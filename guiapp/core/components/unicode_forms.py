"""Unicode's normal forms, as they were in Unicode 9.0, whatever version Python knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from guiapp.core.components.aligned import AlignedText

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")


@dataclass(frozen=True)
class UnicodeForm:
    form: Form

    def apply(self, text: AlignedText) -> AlignedText:
        if text.is_ascii:
            return text
        raise NotImplementedError
