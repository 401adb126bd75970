"""transformers, whose fast tokenizers are those of `tokenizers` with more around them."""

from __future__ import annotations

from functools import partial
from typing import Any

from guiapp.analysis.libraries.contender import Contender, as_str, ids_only
from guiapp.analysis.libraries.json_files import as_file, json_peer


def build(module: Any, source: str) -> Contender:
    with as_file(source) as path:
        library = module.PreTrainedTokenizerFast(
            tokenizer_file=str(path), clean_up_tokenization_spaces=False, split_special_tokens=True
        )
    return Contender(
        partial(library.encode, add_special_tokens=False),
        as_str,
        ids_only,
        library.decode,
        encode_batch=lambda texts, _: library(texts, add_special_tokens=False)["input_ids"],
    )


TRANSFORMERS = json_peer("transformers", build, "a list")
