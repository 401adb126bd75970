"""Tokenloupe: see, step through and measure the tokenization of any model file.

import guiapp
tokenizer = guiapp.open_model("model.gguf")
encoding = tokenizer.encode("Hello world")
encoding.token_ids, encoding.spans
tokenizer.decode(encoding.token_ids)
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING

from guiapp.core.errors import EncodeError, TokenloupeError, UnknownPreError, VocabError

if TYPE_CHECKING:
    from guiapp.core.tokenizer import Tokenizer

__version__ = "0.1.0"
__all__ = ["EncodeError", "TokenloupeError", "UnknownPreError", "VocabError", "open_model"]


def open_model(
    path: str | PathLike[str],
    pre: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> Tokenizer:
    """The tokenizer of a model file, or of a demo model such as `demo:bpe`.

    Only the header of the file is read.  Raises VocabError, and nothing else, for a file that cannot be
    used; its subclass UnknownPreError where it could be with a `pre`.

    pre       the name of a pre-tokenizer to split text by, whatever the file says; BPE vocabularies only
    progress  called with the share done, 0 to 1; what it raises stops the work
    """
    from guiapp.core.demo import resolve_model
    from guiapp.core.tokenizer import Tokenizer
    from guiapp.core.vocab.gguf_file import load_vocabulary

    return Tokenizer(load_vocabulary(resolve_model(path), progress, pre))
