"""Whether ids equal those of llama.cpp, or of the library that a file is for."""

from __future__ import annotations

from dataclasses import dataclass

from guiapp.core.formats.checks import pre_in_file
from guiapp.core.formats.tokenizer_config import TRANSFORMERS, VERSION
from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.vocabulary.attributes import UNUSED_TYPE, USER_DEFINED_TYPE
from guiapp.core.vocabulary.parts import PieceRules
from guiapp.core.vocabulary.vocabulary import LLAMA_CPP, VocabType, Vocabulary

HOW_CHECKED = "this is tested with random texts"
TOKENIZER_JSON = "tokenizer.json"  # the format that describes its whole pipeline
REFUSED = "refused by llama.cpp"


@dataclass(frozen=True)
class Exactness:
    """How far to trust that the ids equal those of the library that the file is for.

    level   "exact", "approximate", "unknown pre" or REFUSED
    reason  a sentence for the user
    """

    level: str
    reason: str


def exactness_of(vocabulary: Vocabulary) -> Exactness:
    """Whether llama.cpp, or the library that reads such files, would give the same ids."""
    if vocabulary.chosen_pre == TRANSFORMERS:
        return Exactness(
            "exact",
            f"{vocabulary.model} vocabulary, read as transformers {VERSION} reads the folder: tokens, flags "
            "and switches of its configs count, and the class that they name may rebuild the rest. The ids "
            f"equal AutoTokenizer's; {HOW_CHECKED} and random configs.",
        )
    exactness = _exactness_of_file(vocabulary)
    if vocabulary.chosen_pre:
        return exactness
    others = "".join(f" {why} Choose “{name}” to see those ids." for name, why in vocabulary.readings.items())
    return Exactness(exactness.level, exactness.reason + others)


def _exactness_of_file(vocabulary: Vocabulary) -> Exactness:
    if vocabulary.pieces is not None:
        return _exactness_of_pieces(vocabulary, vocabulary.pieces)
    if vocabulary.library != LLAMA_CPP:
        return _exactness_elsewhere(vocabulary)
    if vocabulary.refusals:
        return Exactness(REFUSED, f"llama.cpp cannot load this file. {' '.join(vocabulary.refusals)}")
    if vocabulary.deviation:
        return Exactness("approximate", vocabulary.deviation)
    is_converted = vocabulary.chosen_pre == LLAMA_CPP
    if vocabulary.chosen_pre and not is_converted:
        return _exactness_of_choice(vocabulary)
    if vocabulary.type is VocabType.BPE and not vocabulary.pre:
        return Exactness(
            "unknown pre",
            "The file does not name its pre-tokenizer (tokenizer.ggml.pre). Text is split by llama.cpp's "
            "default: the ids equal llama.cpp's, but the model may have been trained on other ids.",
        )
    file = "a GGUF that its converter makes of the folder, and the same" if is_converted else "the same file,"
    split = f", split as “{vocabulary.pre}” specifies" if vocabulary.type is VocabType.BPE else ""
    return Exactness(
        "exact",
        f"{vocabulary.type.value} vocabulary{split}. The ids equal llama.cpp's for {file} text and options; "
        f"{HOW_CHECKED}.",
    )


def _exactness_of_pieces(vocabulary: Vocabulary, rules: PieceRules) -> Exactness:
    """The exactness of a SentencePiece model."""
    types = vocabulary.stored_types
    if vocabulary.type is VocabType.SPM and {USER_DEFINED_TYPE, UNUSED_TYPE} <= set(types.tolist()):
        return Exactness(
            "approximate",
            "The model has unused and user-defined pieces. SentencePiece splits an unused piece as it was "
            "last made anywhere in the text; here only the part between two user-defined pieces counts.",
        )
    kind = "Unigram" if vocabulary.type is VocabType.UGM else "BPE" if rules.merges else "Character"
    return Exactness(
        "exact", " ".join((f"{kind} model of SentencePiece.", rules.equal_to, rules.special_rule))
    )


def _exactness_elsewhere(vocabulary: Vocabulary) -> Exactness:
    """The exactness of a file that llama.cpp does not read."""
    library = vocabulary.library
    if vocabulary.parts is not None:
        return _exactness_of_parts(vocabulary)
    if vocabulary.type is VocabType.RWKV:
        return Exactness(
            "exact",
            f"The longest token that fits, as in the published code of {library}; {HOW_CHECKED}.",
        )
    if not vocabulary.chosen_pre:
        split = "by the pattern in the file" if vocabulary.model == "tekken" else f"as in {vocabulary.name}"
        composed = " of the text with its characters composed (NFC), as the model's own code does"
        return Exactness(
            "exact",
            f"Tokens by rank, split {split}. The ids equal {library}'s for the same ranks, "
            f"pattern and special tokens{composed * vocabulary.rules.composes}; {HOW_CHECKED}.",
        )
    if (why := vocabulary.readings.get(vocabulary.chosen_pre)) is not None:
        return Exactness("approximate", f"Read as “{vocabulary.chosen_pre}”, chosen by hand. {why}")
    split = f"Text is split as “{vocabulary.chosen_pre}”, chosen by hand."
    if vocabulary.pre:
        return Exactness("approximate", f"{split} {vocabulary.name} uses “{vocabulary.pre}”.")
    return Exactness(
        "unknown pre",
        f"{split} The file does not specify it. The ids equal {library}'s with the same pattern, but the "
        "model may have been trained on other ids.",
    )


def _exactness_of_parts(vocabulary: Vocabulary) -> Exactness:
    """The exactness of a `tokenizers` file, or of another file read as parts of that library."""
    if chosen := vocabulary.chosen_pre:
        return Exactness(
            "approximate",
            f"Read as “{chosen}”, chosen by hand. {vocabulary.readings[chosen]} "
            f"{vocabulary.library} reads the file as it stands.",
        )
    if vocabulary.format != TOKENIZER_JSON:
        return Exactness(
            "exact",
            f"{vocabulary.model} vocabulary. The file does not specify how text is split: here as "
            f"transformers does for such models. The ids equal those of {vocabulary.library} set up so; "
            f"{HOW_CHECKED}.",
        )
    return Exactness(
        "exact",
        f"{vocabulary.model} vocabulary with the parts that the file names. The ids equal those of "
        f"{vocabulary.library} for the same file, text and options; {HOW_CHECKED} and random files.",
    )


def _exactness_of_choice(vocabulary: Vocabulary) -> Exactness:
    """The exactness if the user chose the pre-tokenizer by hand."""
    clause = pre_in_file(vocabulary.pre)
    split = f"{clause[0].upper()}{clause[1:]}. Text is split as “{vocabulary.chosen_pre}”, chosen by hand."
    if vocabulary.pre in PRE_TOKENIZERS:
        return Exactness(
            "approximate", f"{split} llama.cpp splits it as the file specifies, unless you override it."
        )
    return Exactness("unknown pre", f"{split} The model may have been trained on other ids.")
