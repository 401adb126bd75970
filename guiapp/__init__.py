"""Tokenloupe: see, step through and measure the tokenization of any model file.

import guiapp
tokenizer = guiapp.open_model("model.gguf")
encoding = tokenizer.encode("Hello world")
encoding.token_ids, encoding.spans
tokenizer.decode(encoding.token_ids)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from os import PathLike, fsdecode
from os.path import basename
from typing import TYPE_CHECKING

from guiapp.core.errors import EncodeError, TokenloupeError, UnknownPreError, VocabError

if TYPE_CHECKING:
    from guiapp.core.compare.comparison import Comparison
    from guiapp.core.tokenizer import Tokenizer

__version__ = "0.1.0"
__all__ = ["EncodeError", "TokenloupeError", "UnknownPreError", "VocabError", "compare", "open_model"]


def open_model(
    path: str | bytes | PathLike[str],
    pre: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> Tokenizer:
    """The tokenizer of a model file, or of what a name such as `demo:bpe` or `ollama:llama3.2` stands for.

    Of a GGUF only the header is read; `hf:owner/name` and `https://…` are fetched as far as that, and kept.
    Raises VocabError, and nothing else, for a file that cannot be used; its subclass UnknownPreError where it
    could be with a `pre`.

    pre       the name of a pre-tokenizer to split text by, whatever the file says; BPE vocabularies only
    progress  called again and again with the share done, 0 to 1, of which `guiapp.core.vocab.opening` tells
              the stage; what it raises stops the work, at any stage within a moment
    """
    from dataclasses import replace

    from guiapp.core.formats.table import load_vocabulary
    from guiapp.core.sources.locate import located
    from guiapp.core.system.checkpoint import checkpoint, watched
    from guiapp.core.tokenizer import Tokenizer
    from guiapp.core.vocab.opening import ENCODERS, Opening
    from guiapp.core.vocab.quoting import quoted

    opening = Opening(progress or (lambda _share: checkpoint()))
    try:
        with nullcontext() if progress is None else watched(opening.report):
            file = located(path, opening)
            opening.whole_bytes = file.whole_bytes
            vocabulary = load_vocabulary(file.path, opening, pre)
            if file.remark:
                vocabulary = replace(vocabulary, warnings=(file.remark, *vocabulary.warnings))
            opening.begin(ENCODERS)
            tokenizer = Tokenizer(vocabulary)
    except MemoryError as error:
        raise VocabError(
            f"{quoted(basename(fsdecode(path)))} takes more memory than is free. Close other programs."
        ) from error
    opening.end()
    return tokenizer


def compare(
    models: Sequence[str | PathLike[str] | Tokenizer],
    text: str | bytes,
    add_special: bool = True,
    parse_special: bool = True,
) -> Comparison:
    """One text in tokens of several models, from 1 to 255: tokenizers, or what `open_model` takes.

    The result has `encodings`, `spans` (of how many models each token's span is, and where they differ),
    `counts` and `difference_ids`.  Raises VocabError for a model that cannot be used, EncodeError for a text
    that one of them cannot express.

    comparison = guiapp.compare(["model.gguf", "demo:bpe"], "Hello world")
    comparison.spans.differences                  # int64[d, 2]: byte ranges where not all spans are equal
    comparison.difference_ids(0)                  # of the first of them, the token ids of each model
    """
    from guiapp.core.compare.comparison import Side, compare_text
    from guiapp.core.tokenizer import Tokenizer

    sides = []
    for model in models:
        tokenizer = model if isinstance(model, Tokenizer) else open_model(model)
        name = tokenizer.vocabulary.name if isinstance(model, Tokenizer) else fsdecode(model)
        sides.append(Side(name, tokenizer, None, add_special, parse_special))
    return compare_text(sides, text)
