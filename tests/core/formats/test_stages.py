"""Of opening a file of each format, the same stages are told each time, and none goes back."""

from __future__ import annotations

import pytest
from format_samples import SAMPLES

from guiapp.core.formats.table import FORMATS, LAST, load_vocabulary
from guiapp.core.vocabulary.opening import (
    CHARACTERS,
    HEADER,
    MERGES,
    METADATA,
    SPECIAL,
    TENSORS,
    TOKENS,
    Opening,
    stage_of,
)

READ_WHOLE = [TENSORS, METADATA]  # a file that is read has come to where the next stage begins
AS_DOCUMENT = [*READ_WHOLE, MERGES, TOKENS, SPECIAL]
STAGES = {
    "GGUF": [HEADER, TENSORS, METADATA, MERGES, CHARACTERS, TOKENS, SPECIAL],
    "tekken.json": [*READ_WHOLE, TOKENS, SPECIAL],
    "tokenizer.json": AS_DOCUMENT,
    "tiktoken": [*READ_WHOLE, TOKENS, SPECIAL],
    "RWKV vocabulary": [*READ_WHOLE, TOKENS],
    "vocab.json and merges.txt": AS_DOCUMENT,
    "vocab.txt": AS_DOCUMENT,
    "CLIP's merges": AS_DOCUMENT,
    "SentencePiece": [*READ_WHOLE, TOKENS, SPECIAL],
    "tokenizer.bin": [*READ_WHOLE, SPECIAL],
}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.format)
def test_each_stage_of_reading_a_file_is_told_in_order(tmp_path, sample):
    path, shares = tmp_path / sample.name, []
    sample.write(path)
    LAST.clear()
    load_vocabulary(path, Opening(shares.append), "gpt-2" if sample.is_silent else None)
    assert shares == sorted(shares)
    assert [*dict.fromkeys(map(stage_of, shares))] == STAGES[sample.format]


def test_every_format_has_its_stages():
    assert [each.name for each in FORMATS] == [*STAGES]
