"""The vocabulary that AutoTokenizer makes of a file and its configs; the readers of formats import this."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.core.auto_tokenizer.converted import document_of_model, document_of_ranks
from guiapp.core.auto_tokenizer.reading import Document, document_of, document_of_lists
from guiapp.core.formats.file_bytes import WholeFile
from guiapp.core.formats.sentencepiece import model_of
from guiapp.core.formats.tokenizer_config import TRANSFORMERS, WHY, SidecarFiles, model_name, read_sidecars
from guiapp.core.formats.tokenizer_document import checked_layout, vocabulary_of
from guiapp.core.hugging_face.spec import ComponentError
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.vocabulary.opening import FileNote, Opening
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.model_files import Packed

ADVICE = "Correct the files, or open them without this reading."
APPLIED = ("around_switched", "clean_up_elsewhere")  # notes on settings that this reading applies


def of_tokenizer_json(
    file: WholeFile, content: dict[str, Any], sidecars: SidecarFiles, opening: Opening
) -> Vocabulary:
    """For tokenizer.json.  Like all `of_…`, raises VocabError if the library fails or is not supported."""
    return _vocabulary(file, opening, lambda name: document_of(content, file.data, sidecars, name))


def of_lists(file: WholeFile, content: dict[str, Any], opening: Opening) -> Vocabulary:
    """For vocab.txt, or vocab.json and merges.txt."""
    sidecars = read_sidecars(file.path)
    return _vocabulary(file, opening, lambda name: document_of_lists(content, sidecars, name))


def of_pieces(file: WholeFile, opening: Opening) -> Vocabulary:
    """For a SentencePiece model."""
    model, sidecars = model_of(file, opening), read_sidecars(file.path)
    return _vocabulary(file, opening, lambda name: document_of_model(model, sidecars, name))


def of_ranks(file: WholeFile, tokens: Packed, ids: NDArray[np.int64], opening: Opening) -> Vocabulary:
    """For a list of tokens by rank."""
    sidecars = read_sidecars(file.path)
    vocabulary = _vocabulary(file, opening, lambda name: document_of_ranks(tokens, ids, sidecars, name))
    if file.path.suffix == ".model":
        return vocabulary
    note = FileNote("not_found_so", "transformers finds such a file only under the name tiktoken.model.")
    return replace(vocabulary, warnings=(note, *vocabulary.warnings))


def _vocabulary(file: WholeFile, opening: Opening, document: Callable[[str], Document]) -> Vocabulary:
    try:
        content, sidecars = document(model_name(file.path))
    except ComponentError as error:
        raise file.error(quoted(str(error), 300), ADVICE) from error
    except (KeyError, TypeError, AttributeError, IndexError, OverflowError, ValueError) as error:
        what = f"has parts or configs that transformers does not read: {quoted(repr(error))}"
        raise file.error(what, ADVICE) from error
    with checked_layout(file):
        vocabulary = vocabulary_of(file, content, sidecars, opening)
    warnings = tuple(each for each in vocabulary.warnings if each.code not in APPLIED)
    readings = {TRANSFORMERS: WHY}
    return replace(vocabulary, readings=readings, warnings=warnings, chosen_pre=TRANSFORMERS)
