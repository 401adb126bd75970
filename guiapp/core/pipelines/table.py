"""Which pipeline encodes the texts of a vocabulary."""

from __future__ import annotations

from importlib import import_module

from guiapp.core.pipelines.pipeline import Pipeline
from guiapp.core.vocab.vocabulary import VocabType, Vocabulary

PIPELINES = {
    VocabType.SPM: "sentence_piece.SentencePiecePipeline",
    VocabType.BPE: "byte_pair.BytePairPipeline",
    VocabType.WPM: "word_piece.WordPiecePipeline",
    VocabType.UGM: "unigram.UnigramPipeline",
    VocabType.RWKV: "rwkv.RwkvPipeline",
    VocabType.PLAMO2: "plamo2.Plamo2Pipeline",
    VocabType.TEST: "chunk_hash.ChunkHashPipeline",
}

PIPELINES_OF_PIECES = {
    VocabType.SPM: "piece_pairs.PiecePairsPipeline",
    VocabType.UGM: "piece_unigram.PieceUnigramPipeline",
}


def pipeline_for(vocabulary: Vocabulary) -> Pipeline:
    """The pipeline of the vocabulary's type, or of its parts; imported when needed."""
    if (parts := vocabulary.parts) is not None and not vocabulary.patterns:
        from guiapp.core.pipelines.bert_words import BertWordsPipeline, are_bert_words
        from guiapp.core.pipelines.components import PartsPipeline

        return (BertWordsPipeline if are_bert_words(parts) else PartsPipeline)(vocabulary, parts)
    if parts is not None and not parts.normalizes_nothing:
        from guiapp.core.pipelines.normalized_pairs import NormalizedPairsPipeline

        return NormalizedPairsPipeline(vocabulary, parts)
    named = PIPELINES if vocabulary.pieces is None else PIPELINES_OF_PIECES
    module, name = named[vocabulary.type].split(".")
    pipeline: Pipeline = getattr(import_module(f"guiapp.core.pipelines.{module}"), name)(vocabulary)
    return pipeline
