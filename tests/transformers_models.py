"""Our tokenizers as tokenizers of `transformers`, including special tokens."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from guiapp.analysis.chat.templates import special_texts
from guiapp.analysis.libraries.written_models import hugging_face_json
from guiapp.core.encode.tokenizer import Tokenizer


def in_transformers(tokenizer: Tokenizer):
    """A PreTrainedTokenizerFast with the same ids, also for text with special tokens."""
    from transformers import PreTrainedTokenizerFast

    document = json.loads(hugging_face_json(tokenizer))
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    names = sorted(tokenizer.special_tokens.names.items(), key=lambda each: each[1])
    document["added_tokens"] = [{"id": token_id, "content": name, **flags} for name, token_id in names]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        path.write_text(json.dumps(document), "utf-8")
        return PreTrainedTokenizerFast(tokenizer_file=str(path), **special_texts(tokenizer.vocabulary))
