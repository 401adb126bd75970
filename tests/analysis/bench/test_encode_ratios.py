"""The benchmark against other tokenizers: what it compares, not how fast anything is."""

import pytest
from conftest import CORPORA, VOCABS
from toy_vocabulary import toy_vocabulary

from guiapp import open_model
from guiapp.analysis.libraries.written_models import sentencepiece_model
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import SpecialIds


@pytest.mark.real_vocabs
def test_sentencepiece_itself_gives_the_ids_of_the_written_model():
    sentencepiece = pytest.importorskip("sentencepiece")
    tokenizer = open_model(VOCABS / "ggml-vocab-llama-spm.gguf")
    processor = sentencepiece.SentencePieceProcessor(model_proto=sentencepiece_model(tokenizer.vocabulary))
    text = (CORPORA / "shakespeare.txt").read_text("utf-8")[:20_000]
    assert tokenizer.encode(text, add_special=False).token_ids.tolist() == processor.encode(text)


@pytest.mark.parametrize("unk", [0, 2])
def test_sentencepiece_takes_the_same_token_for_what_is_unknown(unk):
    sentencepiece = pytest.importorskip("sentencepiece")
    tokens = {"a": -1.0, "▁": -1.0, "b": -2.0}
    tokens = dict([*[*tokens.items()][:unk], ("<unk>", Attribute.UNKNOWN), *[*tokens.items()][unk:]])
    vocabulary = toy_vocabulary(tokens, special_ids=SpecialIds(unk=unk))
    processor = sentencepiece.SentencePieceProcessor(model_proto=sentencepiece_model(vocabulary))
    assert processor.unk_id() == unk
    assert processor.encode("?") == Tokenizer(vocabulary).encode("?", add_special=False).token_ids.tolist()
