"""The libraries of other people that can take part, one file each; more is said in `peer`."""

from __future__ import annotations

from typing import Any

from guiapp.core.bench.contenders.bpe_openai import BPE_OPENAI
from guiapp.core.bench.contenders.budtiktok import BUDTIKTOK
from guiapp.core.bench.contenders.contender import UnavailableError
from guiapp.core.bench.contenders.fastokens import FASTOKENS
from guiapp.core.bench.contenders.gigatoken import GIGATOKEN
from guiapp.core.bench.contenders.iree import IREE
from guiapp.core.bench.contenders.kitoken import KITOKEN
from guiapp.core.bench.contenders.llama_cpp import LLAMA_CPP
from guiapp.core.bench.contenders.mistral_common import MISTRAL_COMMON
from guiapp.core.bench.contenders.peer import Peer
from guiapp.core.bench.contenders.quicktok import QUICKTOK
from guiapp.core.bench.contenders.riptoken import RIPTOKEN
from guiapp.core.bench.contenders.rs_bpe import RS_BPE
from guiapp.core.bench.contenders.rwkv import RWKV
from guiapp.core.bench.contenders.sentencepiece import SENTENCEPIECE
from guiapp.core.bench.contenders.snaptokens import SNAPTOKENS
from guiapp.core.bench.contenders.splintr import SPLINTR
from guiapp.core.bench.contenders.tiktoken import TIKTOKEN
from guiapp.core.bench.contenders.tokenizers import TOKENIZERS
from guiapp.core.bench.contenders.tokie import TOKIE
from guiapp.core.bench.contenders.transformers import TRANSFORMERS
from guiapp.core.bench.contenders.tuetoken import TUETOKEN
from guiapp.core.bench.contenders.wordchipper import WORDCHIPPER
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.vocab.vocabulary import Vocabulary

_ALL = (
    *(TIKTOKEN, TOKENIZERS, SENTENCEPIECE, GIGATOKEN, RS_BPE, RWKV, LLAMA_CPP),
    *(SNAPTOKENS, SPLINTR, TUETOKEN, QUICKTOK, TOKIE, FASTOKENS, RIPTOKEN, KITOKEN, BPE_OPENAI, IREE),
    *(WORDCHIPPER, BUDTIKTOK, MISTRAL_COMMON, TRANSFORMERS),
)
PEERS: dict[str, Peer] = {peer.name: peer for peer in _ALL}


def reason_against(name: str, vocabulary: Vocabulary | None) -> str:
    """Why a peer cannot take part, "" where nothing is known against it."""
    peer = PEERS[name]
    if not peer.is_installed:
        return peer.how_to_install
    try:
        if vocabulary is not None:
            peer.check_all(vocabulary)
    except UnavailableError as error:
        return str(error)
    return ""


def version_of(name: str) -> str:
    """The version of a peer, "" where it is not installed, or not as packages are."""
    try:
        return PEERS[name].version if PEERS[name].is_installed else ""
    except UnavailableError:
        return ""


def ids_form(name: str) -> str:
    """What a peer returns, in a sentence; where it is no array, it is made one outside of the timing."""
    ids = PEERS[name].ids
    return f"It returns {ids}{'' if ids == 'an array' else ', which is read outside of the timing'}."


def peer_source(name: str, tokenizer: Tokenizer, is_split: bool = True) -> Any:
    """What a peer is built from; UnavailableError where it is missing or cannot take the vocabulary."""
    peer = PEERS[name]
    if not peer.is_installed:
        raise UnavailableError(peer.how_to_install)
    if is_split:
        peer.check_all(tokenizer.vocabulary)
        read_file = peer.file_source(tokenizer.vocabulary)
        return peer.source(tokenizer) if read_file is None else read_file()
    peer.check(tokenizer.vocabulary)
    if peer.unsplit is None:
        raise UnavailableError(f"{name} always splits texts before it merges.")
    return peer.unsplit(tokenizer)
