"""Which pipeline encodes the texts of a vocabulary."""

from __future__ import annotations

from guiapp.core.encode.families.pipeline import Pipeline
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary


def pipeline_for(vocabulary: Vocabulary) -> Pipeline:
    """The pipeline of the vocabulary's type, or of its parts; imported when needed."""
    if (parts := vocabulary.parts) is not None and not vocabulary.patterns:
        from guiapp.core.encode.families.bert_words import BertWordsPipeline, are_bert_words
        from guiapp.core.encode.families.components import PartsPipeline

        return (BertWordsPipeline if are_bert_words(parts) else PartsPipeline)(vocabulary, parts)
    if parts is not None and not parts.normalizes_nothing:
        from guiapp.core.encode.families.normalized_pairs import NormalizedPairsPipeline

        return NormalizedPairsPipeline(vocabulary, parts)
    return (_of_type if vocabulary.pieces is None else _of_pieces)(vocabulary)


def _of_type(vocabulary: Vocabulary) -> Pipeline:
    match vocabulary.type:
        case VocabType.SPM:
            from guiapp.core.encode.families.sentence_piece import SentencePiecePipeline

            return SentencePiecePipeline(vocabulary)
        case VocabType.BPE:
            from guiapp.core.encode.families.byte_pair import BytePairPipeline

            return BytePairPipeline(vocabulary)
        case VocabType.WPM:
            from guiapp.core.encode.families.word_piece import WordPiecePipeline

            return WordPiecePipeline(vocabulary)
        case VocabType.UGM:
            from guiapp.core.encode.families.unigram import UnigramPipeline

            return UnigramPipeline(vocabulary)
        case VocabType.RWKV:
            from guiapp.core.encode.families.rwkv import RwkvPipeline

            return RwkvPipeline(vocabulary)
        case VocabType.PLAMO2:
            from guiapp.core.encode.families.plamo2 import Plamo2Pipeline

            return Plamo2Pipeline(vocabulary)
    assert vocabulary.type is VocabType.TEST, "whole words are found by parts alone"
    from guiapp.core.encode.families.chunk_hash import ChunkHashPipeline

    return ChunkHashPipeline(vocabulary)


def _of_pieces(vocabulary: Vocabulary) -> Pipeline:
    """Of a model of SentencePiece, which is one of pairs or Unigram."""
    if vocabulary.type is VocabType.SPM:
        from guiapp.core.encode.families.piece_pairs import PiecePairsPipeline

        return PiecePairsPipeline(vocabulary)
    from guiapp.core.encode.families.piece_unigram import PieceUnigramPipeline

    return PieceUnigramPipeline(vocabulary)
