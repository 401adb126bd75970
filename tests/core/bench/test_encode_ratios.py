"""The benchmark against other tokenizers: what it compares, not how fast anything is."""

import pytest
from conftest import CORPORA, VOCABS

from guiapp import open_model
from guiapp.core.bench.sentencepiece_model import sentencepiece_model


@pytest.mark.real_vocabs
def test_sentencepiece_itself_gives_the_ids_of_the_written_model():
    sentencepiece = pytest.importorskip("sentencepiece")
    tokenizer = open_model(VOCABS / "ggml-vocab-llama-spm.gguf")
    processor = sentencepiece.SentencePieceProcessor(model_proto=sentencepiece_model(tokenizer.vocabulary))
    text = (CORPORA / "shakespeare.txt").read_text("utf-8")[:20_000]
    assert tokenizer.encode(text, add_special=False).token_ids.tolist() == processor.encode(text)
