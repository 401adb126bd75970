"""Which pre-tokenizer splits the text of a BPE vocabulary: the one its file names, or one chosen by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS, LlamaPreTokenizer
from guiapp.core.vocabulary.notes import FileNote
from guiapp.core.vocabulary.quoting import quoted
from guiapp.core.vocabulary.vocabulary import VocabType
from guiapp.errors import UnknownPreError, VocabError

if TYPE_CHECKING:
    from guiapp.core.vocabulary.vocab_keys import VocabKeys

KEY = "tokenizer.ggml.pre"
N_SIMILAR = 5


class PreChoice(NamedTuple):
    """The pre-tokenizer of a vocabulary.

    named   what the file says (forced for Gemma 4), "" where it says nothing
    chosen  what was chosen by hand instead, "" where that is nothing else
    meaning None for vocabulary types that no pre-tokenizer splits
    """

    named: str
    chosen: str = ""
    meaning: LlamaPreTokenizer | None = None

    @property
    def in_use(self) -> str:
        return self.chosen or self.named


def pre_choice(keys: VocabKeys, model: str, kind: VocabType, chosen: str | None) -> PreChoice:
    """Read the name in the file; `chosen` is a name to go by instead.

    Raises UnknownPreError where only a choice helps, and VocabError where none is possible.
    """
    named = (keys.scalar(KEY, "string") or b"").decode("utf-8", "backslashreplace")
    if chosen is not None and chosen not in PRE_TOKENIZERS:
        raise VocabError(
            f"There is no pre-tokenizer {quoted(chosen)!r}. Known are {', '.join(PRE_TOKENIZERS)}."
        )
    is_fixed = kind is not VocabType.BPE or model == "gemma4"
    if is_fixed and chosen is not None:
        raise keys.error(
            f"has a vocabulary whose text no named pre-tokenizer splits: tokenizer.ggml.model is {model}",
            "Open it without choosing one.",
        )
    if is_fixed:
        return PreChoice("gemma4", "", PRE_TOKENIZERS["gemma4"]) if model == "gemma4" else PreChoice(named)
    if chosen is not None:
        return PreChoice(named, "" if chosen == named else chosen, PRE_TOKENIZERS[chosen])
    meaning = PRE_TOKENIZERS.get(named or "default")
    if meaning is None:
        what = f"has an unknown pre-tokenizer: {KEY} is {quoted(named)!r}"
        advice = (
            "Choose by hand which known one splits its text, or look for a newer version of this program."
        )
        raise UnknownPreError(str(keys.error(what, advice)), named, similar_names(named))
    return PreChoice(named, "", meaning)


def warnings_about(choice: PreChoice) -> list[FileNote]:
    """What people should know about how the text is split."""
    if choice.chosen:
        message = f"Text is split as “{choice.chosen}”, chosen by hand; {pre_in_file(choice.named)}."
        return [FileNote("pre_by_hand", message)]
    if choice.meaning is not None and not choice.named:
        message = f"The file names no pre-tokenizer ({KEY}); the default may split text wrongly."
        return [FileNote("pre_missing", message)]
    return []


def pre_in_file(named: str) -> str:
    """What the file says about its pre-tokenizer, as the end of a sentence."""
    if not named:
        return f"the file names no pre-tokenizer ({KEY})"
    known = "" if named in PRE_TOKENIZERS else ", which is not known"
    return f"the file asks for “{quoted(named)}”{known}"


def similar_names(named: str) -> list[str]:
    """Known names that look like an unknown one, the most similar first."""
    from difflib import get_close_matches

    return get_close_matches(named, PRE_TOKENIZERS, N_SIMILAR, cutoff=0.5)
