"""OpenAI's vocabularies, for libraries that bring these alone and know them by name."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256

from guiapp.analysis.libraries.contender import UnavailableError
from guiapp.analysis.libraries.written_models import check_ranks, ranks_of_bytes
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary

CL100K, O200K = "cl100k_base", "o200k_base"
USUAL = O200K  # in place of a vocabulary that is none of these
KNOWN = {  # as tiktoken checks the files that it fetches
    (100_256, "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"): CL100K,
    (199_998, "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"): O200K,
}


def name_of(vocabulary: Vocabulary) -> str:
    """What OpenAI calls this vocabulary, "" where it is none of theirs."""
    n_normal = int((vocabulary.attributes & Attribute.NORMAL > 0).sum())
    if vocabulary.type is not VocabType.BPE or n_normal not in {size for size, _ in KNOWN}:
        return ""
    try:
        check_ranks(vocabulary, "tiktoken")
    except UnavailableError:
        return ""
    return KNOWN.get((n_normal, sha256(ranks_text(ranks_of_bytes(vocabulary))).hexdigest()), "")


def named(tokenizer: Tokenizer) -> str:
    """`name_of` the vocabulary of a tokenizer."""
    return name_of(tokenizer.vocabulary)


def ranks_text(ranks: dict[bytes, int]) -> bytes:
    """Tokens by rank as tiktoken's files list them."""
    rows = sorted((rank, text) for text, rank in ranks.items())
    return b"".join(b64encode(text) + b" %d\n" % rank for rank, text in rows)
