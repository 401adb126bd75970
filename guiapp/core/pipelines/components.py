"""Pipelines that are put together from parts, as files of Hugging Face's `tokenizers` say."""

from __future__ import annotations

from guiapp.core.components.models import unigram, word_level, word_piece
from guiapp.core.pipelines.pair_merging import PairEncoder
from guiapp.core.pipelines.piece_encoder import PieceEncoder
from guiapp.core.vocab.merges import byte_pair_merging
from guiapp.core.vocab.vocabulary import Vocabulary


def _pair_encoder(vocabulary: Vocabulary) -> PieceEncoder:
    return PairEncoder(vocabulary, byte_pair_merging(vocabulary))


ENCODERS = {
    "BPE": _pair_encoder,
    "WordPiece": word_piece,
    "Unigram": unigram,
    "WordLevel": word_level,
}
"""What encodes pieces, by the kind of the model.  A new kind is a row here, and one in formats/tokenizer_json.py."""
