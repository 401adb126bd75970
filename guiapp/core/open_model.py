"""From a path, or a name for one, to a tokenizer; modules are imported only when they are needed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from os import PathLike, fsdecode
from os.path import basename
from typing import TYPE_CHECKING

from guiapp.errors import VocabError

if TYPE_CHECKING:
    from guiapp.core.encode.tokenizer import Tokenizer


def open_model(
    path: str | bytes | PathLike[str],
    pre: str | None = None,
    progress: Callable[[float], None] | None = None,
    *,
    reading: str | None = None,
) -> Tokenizer:
    """The tokenizer of a model file, or of a name such as `demo:bpe` or `ollama:llama3.2`.

    Only the header of a GGUF is read; `hf:owner/name` and `https://…` are downloaded up to there, and cached.
    Raises VocabError, and nothing else, for a file that cannot be used; its subclass UnknownPreError if it
    could be used with a `pre`.

    pre       the name of a pre-tokenizer that splits the text, overriding the file; BPE vocabularies only
    reading   the name of a reading instead of the file's own library: "transformers" gives the ids of
              AutoTokenizer for the folder, "llama.cpp" those of the GGUF that its converter would make of it;
              not together with `pre`
    progress  called repeatedly with the share done, 0 to 1; `stage_of` in `guiapp.core.vocabulary.opening`
              names its stage; an exception from it stops the work, at any stage within a moment
    """
    from dataclasses import replace

    from guiapp.core.encode.tokenizer import Tokenizer
    from guiapp.core.formats.table import READINGS, load_vocabulary
    from guiapp.core.sources.locate import located
    from guiapp.core.text.numbers_in_words import quoted
    from guiapp.core.vocabulary.opening import ENCODERS, Opening
    from guiapp.native.checkpoint import at_checkpoints, checkpoint

    if pre is not None and reading is not None:
        raise VocabError("A file is opened with a pre-tokenizer or with a reading, not with both. Omit one.")
    if reading is not None and reading not in READINGS:
        raise VocabError(f"There is no reading “{quoted(reading)}”. Choose one of: {', '.join(READINGS)}.")
    pre = pre if reading is None else reading
    opening = Opening(progress or (lambda _share: checkpoint()))
    try:
        with nullcontext() if progress is None else at_checkpoints(opening.report):
            file = located(path, opening)
            opening.whole_bytes = file.whole_bytes
            vocabulary = load_vocabulary(file.path, opening, pre)
            if file.note:
                warnings = (file.note, *vocabulary.warnings)
                vocabulary = replace(vocabulary, warnings=warnings).opened_from(vocabulary.opened_files)
            opening.begin(ENCODERS)
            tokenizer = Tokenizer(vocabulary)
    except MemoryError as error:
        raise VocabError(
            f"{quoted(basename(fsdecode(path)))} takes more memory than is free. Close other programs."
        ) from error
    opening.end()
    return tokenizer


def with_file_pre(tokenizer: Tokenizer) -> Tokenizer:
    """The tokenizer without a `pre` chosen by hand; unchanged if the file alone does not specify it."""
    vocabulary = tokenizer.vocabulary
    if not vocabulary.chosen_pre or vocabulary.path is None:
        return tokenizer
    try:
        return open_model(vocabulary.path)
    except VocabError:
        return tokenizer
