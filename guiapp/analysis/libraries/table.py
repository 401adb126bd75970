"""The libraries of other people that can take part, one file each; more is said in `peer`."""

from __future__ import annotations

from typing import Any

from guiapp.analysis.libraries.bpe_openai import BPE_OPENAI
from guiapp.analysis.libraries.budtiktok import BUDTIKTOK
from guiapp.analysis.libraries.contender import UnavailableError
from guiapp.analysis.libraries.fastokens import FASTOKENS
from guiapp.analysis.libraries.gigatoken import GIGATOKEN
from guiapp.analysis.libraries.iree import IREE
from guiapp.analysis.libraries.kitoken import KITOKEN
from guiapp.analysis.libraries.llama_cpp import LLAMA_CPP
from guiapp.analysis.libraries.mistral_common import MISTRAL_COMMON
from guiapp.analysis.libraries.peer import Peer
from guiapp.analysis.libraries.quicktok import QUICKTOK
from guiapp.analysis.libraries.riptoken import RIPTOKEN
from guiapp.analysis.libraries.rs_bpe import RS_BPE
from guiapp.analysis.libraries.rwkv import RWKV
from guiapp.analysis.libraries.sentencepiece import SENTENCEPIECE
from guiapp.analysis.libraries.snaptokens import SNAPTOKENS
from guiapp.analysis.libraries.splintr import SPLINTR
from guiapp.analysis.libraries.tiktoken import TIKTOKEN
from guiapp.analysis.libraries.tokenizers import TOKENIZERS
from guiapp.analysis.libraries.tokie import TOKIE
from guiapp.analysis.libraries.transformers import TRANSFORMERS
from guiapp.analysis.libraries.tuetoken import TUETOKEN
from guiapp.analysis.libraries.wordchipper import WORDCHIPPER
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.vocabulary import Vocabulary

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
