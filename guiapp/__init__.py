"""Tokenloupe: see, step through and measure the tokenization of any model file.

import guiapp
tokenizer = guiapp.open_model("model.gguf")
encoding = tokenizer.encode("Hello world")
encoding.token_ids, encoding.spans
tokenizer.decode(encoding.token_ids)
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from os import PathLike
from typing import TYPE_CHECKING

from guiapp.core.errors import EncodeError, TokenloupeError, UnknownPreError, VocabError

if TYPE_CHECKING:
    from guiapp.core.tokenizer import Tokenizer

__version__ = "0.1.0"
__all__ = ["EncodeError", "TokenloupeError", "UnknownPreError", "VocabError", "open_model"]


def open_model(
    path: str | bytes | PathLike[str],
    pre: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> Tokenizer:
    """The tokenizer of a model file, or of a demo model such as `demo:bpe`.

    Only the header of the file is read.  Raises VocabError, and nothing else, for a file that cannot be
    used; its subclass UnknownPreError where it could be with a `pre`.

    pre       the name of a pre-tokenizer to split text by, whatever the file says; BPE vocabularies only
    progress  called again and again with the share done, 0 to 1, of which `guiapp.core.vocab.opening` tells
              the stage; what it raises stops the work, at any stage within a moment
    """
    from guiapp.core.demo import resolve_model
    from guiapp.core.formats.table import load_vocabulary
    from guiapp.core.system.checkpoint import checkpoint, watched
    from guiapp.core.tokenizer import Tokenizer
    from guiapp.core.vocab.opening import ENCODERS, Opening
    from guiapp.core.vocab.quoting import quoted

    opening = Opening(progress or (lambda _share: checkpoint()))
    file = resolve_model(path)
    try:
        with nullcontext() if progress is None else watched(opening.report):
            vocabulary = load_vocabulary(file, opening, pre)
            opening.begin(ENCODERS)
            tokenizer = Tokenizer(vocabulary)
    except MemoryError as error:
        raise VocabError(
            f"{quoted(file.name)} takes more memory than is free. Close other programs."
        ) from error
    opening.end()
    return tokenizer
