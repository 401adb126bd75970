"""Check tokens against each other and their types, and choose the pre-tokenizer of a vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from guiapp.core.formats.gguf_reader import VocabKeys
from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS, LlamaPreTokenizer
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.byte_alphabet import CHARACTER_OF_BYTE, NAMES
from guiapp.core.vocabulary.opening import FileNote
from guiapp.core.vocabulary.vocabulary import Rules, VocabType
from guiapp.errors import UnknownPreError, VocabError
from guiapp.native.checkpoint import stoppable
from guiapp.native.model_files import StringTable

KEY = "tokenizer.ggml.pre"
N_SIMILAR = 5
SHORTEST_BYTE_TOKEN = 3  # llama.cpp reads two digits from the fourth byte on; missing digits count as 0


class ErrorSource(Protocol):
    """The file that an error is about."""

    def error(self, what: str, *, code: str) -> VocabError: ...


def check_unique(file: ErrorSource, table: StringTable) -> None:
    if first_duplicates := table.first_duplicates():
        first, second = first_duplicates
        what = f"has two equal tokens: {first} and {second} are both {quoted(table.text(first))!r}"
        raise file.error(what, code="token_twice")


def check_byte_tokens(
    keys: VocabKeys, kind: VocabType, table: StringTable, attributes: NDArray[np.uint16]
) -> list[FileNote]:
    """Check the tokens of type BYTE; return warnings."""
    rows = np.flatnonzero(attributes & Attribute.BYTE)
    lengths = np.diff(table.offsets)[rows]
    reads_digits = kind in (VocabType.SPM, VocabType.BPE, VocabType.WPM, VocabType.UGM)
    if reads_digits and (lengths < SHORTEST_BYTE_TOKEN).any():
        row = int(rows[lengths < SHORTEST_BYTE_TOKEN][0])
        what = f"has byte token {row}, whose text is too short: byte tokens are named like <0x0A>"
        raise keys.error(what, code="byte_misnamed")
    odd = [row for row in stoppable(rows.tolist()) if _named_byte(table.text(row)) is None]
    if kind is VocabType.PLAMO2:
        _check_plamo2_bytes(keys, table, rows, odd)
    if not odd:
        return []
    message = f"{len(odd):,} byte tokens are not named like <0x0A>; the first is token {odd[0]}."
    if len(odd) == 1:
        message = f"Byte token {odd[0]} is not named like <0x0A>."
    return [FileNote("byte_misnamed", message)]


def _check_plamo2_bytes(keys: VocabKeys, table: StringTable, rows: NDArray[np.intp], odd: list[int]) -> None:
    if odd:
        what = f"has byte token {odd[0]}, which is not named like <0x0A>"
        raise keys.error(what, code="byte_misnamed")
    named = {_named_byte(table.text(row)) for row in stoppable(rows.tolist()) if row > 0}
    missing = next((byte for byte in range(256) if byte not in named), None)
    if missing is not None:
        what = f"has no token <0x{missing:02X}>, which a PLaMo 2 vocabulary needs at an id above 0"
        raise keys.error(what, code="bytes_missing")


def missing_byte_warnings(kind: VocabType, rules: Rules, table: StringTable) -> list[FileNote]:
    """Warn if a text can contain bytes that no token covers."""
    if kind is VocabType.SPM:
        present = _is_token(table, NAMES) | _is_token(table, [bytes([byte]) for byte in range(256)])
        return _missing(present, "becomes the unknown token")
    if kind is VocabType.BPE:
        stand_ins = [character.encode() for character in CHARACTER_OF_BYTE]
        present = _is_token(table, stand_ins if rules.byte_encoding else NAMES)
        return _missing(present, "is dropped where no longer token covers it, as in llama.cpp")
    return []


def _is_token(table: StringTable, texts: Sequence[bytes]) -> NDArray[np.bool_]:
    return table.find(texts) >= 0


def _missing(present: NDArray[np.bool_], consequence: str) -> list[FileNote]:
    if present.all():
        return []
    first, n_missing = int(np.argmin(present)), int((~present).sum())
    are_missing = f"{n_missing} of the 256 byte tokens {'is' if n_missing == 1 else 'are'} missing"
    return [FileNote("bytes_missing", f"{are_missing}: byte {first:02X} {consequence}.")]


def _named_byte(text: bytes) -> int | None:
    """The byte that a text such as `<0x0A>` names; None for other texts."""
    if len(text) != 6 or not (text.startswith(b"<0x") and text.endswith(b">")):
        return None
    digits = text[3:5]
    return int(digits, 16) if all(digit in b"0123456789abcdefABCDEF" for digit in digits) else None


class PreChoice(NamedTuple):
    """The pre-tokenizer of a vocabulary.

    named   the name in the file (always "gemma4" for Gemma 4), "" if it has none
    chosen  the name chosen by hand, "" if none was or if it equals `named`
    meaning None for vocabulary types that no pre-tokenizer splits
    """

    named: str
    chosen: str = ""
    meaning: LlamaPreTokenizer | None = None

    @property
    def in_use(self) -> str:
        return self.chosen or self.named


def pre_choice(keys: VocabKeys, model: str, kind: VocabType, chosen: str | None) -> PreChoice:
    """Read the name in the file; `chosen` takes precedence.

    Raises UnknownPreError if the user must choose a name, and VocabError for a choice that is not possible.
    """
    named = (keys.scalar(KEY, "string") or b"").decode("utf-8", "backslashreplace")
    if chosen is not None and chosen not in PRE_TOKENIZERS:
        raise VocabError(
            f"There is no pre-tokenizer {quoted(chosen)!r}. Choose one of: {', '.join(PRE_TOKENIZERS)}."
        )
    is_fixed = kind is not VocabType.BPE or model == "gemma4"
    if is_fixed and chosen is not None:
        raise keys.error(
            f"does not use a named pre-tokenizer: tokenizer.ggml.model is {model}",
            "Open it without choosing a pre-tokenizer.",
        )
    if is_fixed:
        return PreChoice("gemma4", "", PRE_TOKENIZERS["gemma4"]) if model == "gemma4" else PreChoice(named)
    if chosen is not None:
        return PreChoice(named, "" if chosen == named else chosen, PRE_TOKENIZERS[chosen])
    meaning = PRE_TOKENIZERS.get(named or "default")
    if meaning is None:
        what = f"has an unknown pre-tokenizer: {KEY} is {quoted(named)!r}"
        advice = "Choose a known one by hand, or update Tokenloupe."
        raise UnknownPreError(str(keys.error(what, advice)), named, similar_names(named))
    return PreChoice(named, "", meaning)


def warnings_about(choice: PreChoice) -> list[FileNote]:
    """Warnings for the user about how the text is split."""
    if choice.chosen:
        message = f"Text is split as “{choice.chosen}”, chosen by hand; {pre_in_file(choice.named)}."
        return [FileNote("pre_by_hand", message)]
    if choice.meaning is not None and not choice.named:
        message = f"The file does not name a pre-tokenizer ({KEY}): the default may split text wrongly."
        return [FileNote("pre_missing", message)]
    return []


def pre_in_file(named: str) -> str:
    """The pre-tokenizer that the file names, as the end of a sentence."""
    if not named:
        return f"the file does not name a pre-tokenizer ({KEY})"
    known = "" if named in PRE_TOKENIZERS else ", which is unknown"
    return f"the file specifies “{quoted(named)}”{known}"


def similar_names(named: str) -> list[str]:
    """Known names similar to an unknown one, the most similar first."""
    from difflib import get_close_matches

    return get_close_matches(named, PRE_TOKENIZERS, N_SIMILAR, cutoff=0.5)
