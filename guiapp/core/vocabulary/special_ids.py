"""Tokens with a role: ids by key and by text, ends of generation, and fixes for individual models.

The texts and their order are llama.cpp's.  If several texts of a role exist, llama.cpp takes the first of its
hash table, which differs between builds; here the first in the order below is taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from guiapp.core.pretokenize.pre_tokenizers import LlamaPreTokenizer
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.vocabulary.attributes import UNUSED_TYPE, Attribute
from guiapp.core.vocabulary.opening import FileNote
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds, VocabType, Vocabulary
from guiapp.native.checkpoint import checkpoint, stoppable
from guiapp.native.model_files import StringTable, sort_longest_first

TYPE_OF_MODEL = {
    "llama": VocabType.SPM,
    "gpt2": VocabType.BPE,
    "hybriddna": VocabType.BPE,
    "whitespace": VocabType.BPE,
    "gemma4": VocabType.BPE,
    "bert": VocabType.WPM,
    "t5": VocabType.UGM,
    "rwkv": VocabType.RWKV,
    "plamo2": VocabType.PLAMO2,
    "test": VocabType.TEST,
}
MODELS_WITHOUT_VOCABULARY = ("no_vocab", "none")
ARCHITECTURES = """
    afmoe apertus arcee arctic arwkv7 baichuan bailingmoe bailingmoe2 bailingmoe3 bert bitnet bloom
    chameleon chatglm codeshell cogvlm cohere2 cohere2moe command-r dbrx deci deepseek deepseek2
    deepseek2-ocr deepseek32 deepseek4 dflash dots1 dots3note dream ernie4_5 ernie4_5-moe eurobert exaone
    exaone-moe exaone4 falcon falcon-h1 gemma gemma-embedding gemma2 gemma3 gemma3n gemma4
    gemma4-assistant glm-dsa glm4 glm4moe glm5-next gpt-oss gpt2 gptneox granite granite_swa granitehybrid
    granitemoe graniteswitch grok grovemoe hrm_text hunyuan-dense hunyuan-moe hunyuan_vl hy_v3 hy_v4
    internlm2 jais jais2 jamba jina-bert-v2 jina-bert-v3 kimi-k3 kimi-linear laguna lfm2 lfm2moe llada
    llada-moe llama llama-embed llama4 maincoder mamba mamba2 maple mellum mimo2 minicpm minicpm3
    minimax-01 minimax-m2 minimax-m3 mistral3 mistral4 modern-bert mpt muse-glimmer nanbeige nemotron
    nemotron_h nemotron_h_moe neo-bert nomic-bert nomic-bert-moe olmo olmo2 olmoe openelm orion paddleocr
    pangu-embedded phi2 phi3 phimoe plamo plamo2 plamo3 plm pockettts qwen qwen2 qwen2moe qwen2vl qwen3
    qwen35 qwen35moe qwen3moe qwen3next qwen3vl qwen3vlmoe qwen4exp refact rnd1 rwkv6 rwkv6qwen2 rwkv7
    seed_oss smallthinker smollm3 spark2_5 stablelm starcoder starcoder2 step35 t5 t5encoder talkie
    wavtokenizer-dec xverse
"""
"""Kinds of models that llama.cpp loads, by general.architecture."""

_GPT2_IDS = SpecialIds(bos=11, eos=11)
IDS_OF_MODEL = {
    "llama": SpecialIds(bos=1, eos=2, unk=0),
    "gpt2": _GPT2_IDS,
    "hybriddna": _GPT2_IDS,
    "whitespace": _GPT2_IDS,
    "bert": SpecialIds(bos=101, unk=100, sep=102, pad=0, mask=103),
    "t5": SpecialIds(eos=1, unk=2, pad=0),
    "plamo2": SpecialIds(bos=1, eos=2, unk=0, pad=3),
}
BAR, GAP = rb"(?:\||\xef\xbd\x9c)?", rb"(?:[_ -]|\xe2\x96\x81)?"
KEPT_FREE = (
    rb"unused|reserved|extra|dummy|pad(?:ding)?|place"
    + GAP
    + rb"holder|special|spare|control|filler|madeupword|unk"
)
QUALIFIED = rb"(?:" + GAP + rb"(?:special|tokens?|no))*"
NAME = re.compile(
    rb"[<\[]" + BAR + rb"(?:" + KEPT_FREE + rb")" + QUALIFIED + GAP + rb"\d{1,9}" + BAR + rb"[>\]]"
    rb"|madeupword\d{1,9}",
    re.IGNORECASE,
)
"""`<|reserved_special_token_7|>`, `[unused7]`, `<SPECIAL_7>`, `<｜place▁holder▁no▁7｜>` and the like."""
# Roles in the order in which their keys are read; the old names of three come last and override them.
KEYS = {
    "bos_token_id": "bos",
    "eos_token_id": "eos",
    "eot_token_id": "eot",
    "eom_token_id": "eom",
    "unknown_token_id": "unk",
    "seperator_token_id": "sep",
    "padding_token_id": "pad",
    "mask_token_id": "mask",
    "fim_pre_token_id": "fim_pre",
    "fim_suf_token_id": "fim_suf",
    "fim_mid_token_id": "fim_mid",
    "fim_pad_token_id": "fim_pad",
    "fim_rep_token_id": "fim_rep",
    "fim_sep_token_id": "fim_sep",
    "prefix_token_id": "fim_pre",
    "suffix_token_id": "fim_suf",
    "middle_token_id": "fim_mid",
}
TEXTS_OF_ROLE = {
    "eot": "<|eot_id|> <|im_end|> <|end|> <end_of_turn> <|endoftext|> <|end_of_text|> <EOT> _<EOT> [EOT]"
    " <｜end▁of▁sentence｜> <end_of_utterance>",
    "eom": "<|eom_id|>",
    "fim_pre": "<|fim_prefix|> <fim-prefix> <fim_prefix> <｜fim▁begin｜> <PRE> ▁<PRE>"
    " <|code_prefix|> <|prefix|>",
    "fim_suf": "<|fim_suffix|> <fim-suffix> <fim_suffix> <｜fim▁hole｜> <SUF> ▁<SUF>"
    " <|code_suffix|> <|suffix|>",
    "fim_mid": "<|fim_middle|> <fim-middle> <fim_middle> <｜fim▁end｜> <MID> ▁<MID>"
    " <|code_middle|> <|middle|>",
    "fim_pad": "<|fim_pad|> <fim-pad> <fim_pad> <PAD> [PAD]",
    "fim_rep": "<|fim_repo|> <|repo_name|> <fim-repo> <REPO> <reponame>",
    "fim_sep": "<|file_sep|>",
}
END_TEXTS = (
    "<|eot_id|> <|im_end|> <|end|> <|return|> <|call|> <|flush|> <|calls|> <end_of_turn> <|endoftext|> </s>"
    " <|eom_id|> <EOT> _<EOT> [EOT] [EOS] <|end_of_text|> <end_of_utterance> <eos> <turn|> <|tool_response>"
    " <｜end▁of▁sentence｜> [e~["
)
CHANNEL_TEXTS = "<|channel|> <|message|> <|start|> <|constrain|>"
PHI3_TEXTS = "</s> <unk> <s> <|endoftext|>"
MATCHES_AT_ONCE = 1 << 16
SPECIAL = Attribute.CONTROL | Attribute.USER_DEFINED | Attribute.UNKNOWN


class RoleFinder:
    """Finds the roles of tokens, in llama.cpp's order; changes `attributes` in the process.

    ids, eog, warnings  the results so far
    """

    def __init__(self, table: StringTable, attributes: NDArray[np.uint16], defaults: SpecialIds) -> None:
        self._table = table
        self._attributes = attributes
        self._ids_of_text = _ids_of_known_texts(table)
        self.ids = _within(defaults, len(attributes))
        self.eog: set[int] = set()
        self.warnings: list[FileNote] = []
        self.refusals: list[FileNote] = []

    def find(self, text: str) -> int | None:
        return self._ids_of_text.get(text)

    def read_keys(self, value_of_key: Callable[[str], int | None]) -> None:
        """Take the ids that the file names; ids outside the vocabulary are ignored."""
        for key, role in KEYS.items():
            token_id = value_of_key(key)
            if token_id is None:
                continue
            if token_id >= len(self._attributes):
                name = f"tokenizer.ggml.{key}"
                text_of_note = f"{name} is ignored: there is no token {token_id:,}."
                self.warnings.append(FileNote("role_out_of_range", text_of_note, name))
            else:
                self.ids = replace(self.ids, **{role: token_id})

    def detect(self) -> None:
        """Find by text the roles that no key names."""
        for role, texts in TEXTS_OF_ROLE.items():
            if getattr(self.ids, role) is not None:
                continue
            token_id = next(
                (matches for text in texts.split() if (matches := self.find(text)) is not None), None
            )
            if token_id is not None:
                self.ids = replace(self.ids, **{role: token_id})
                self._make_control(token_id)

    def mark_unused(self) -> None:
        """Mark control tokens whose text contains `unused` as unused, too."""
        offsets = self._table.offsets
        starts = (match.start() for match in re.finditer(b"unused", self._table.data.data))
        while some := list(islice(starts, MATCHES_AT_ONCE)):
            checkpoint()
            positions = np.array(some, np.int64)
            rows = np.searchsorted(offsets, positions, side="right") - 1
            rows = rows[positions + len(b"unused") <= offsets[rows + 1]]
            rows = rows[self._attributes[rows] & Attribute.CONTROL != 0]
            self._attributes[rows] |= np.uint16(Attribute.UNUSED)

    def collect_ends(self) -> None:
        """Find all tokens that end a generation."""
        ids = self.ids
        self.eog = {token_id for token_id in (ids.fim_pad, ids.fim_rep, ids.fim_sep) if token_id is not None}
        for text in END_TEXTS.split():
            if (token_id := self.find(text)) is not None:
                self.eog.add(token_id)
                self._make_control(token_id)
        for text in CHANNEL_TEXTS.split():
            if (token_id := self.find(text)) is not None:
                self._attributes[token_id] = Attribute.USER_DEFINED
        self.eog |= {token_id for token_id in (ids.eos, ids.eot, ids.eom) if token_id is not None}
        calls = self._ends("<|call|>") or self._ends("<|calls|>")
        if calls and (self._ends("<|return|>") or self._ends("<|flush|>")):
            self._keep_going_after("<|end|>", Attribute.USER_DEFINED)
        if self._ends("<|tool_response>") or self._ends("<|plamo:eos|>"):
            self._keep_going_after("</s>", Attribute.NORMAL)

    def patch_model(self, pre: str, architecture: str, name: str) -> None:
        """Let tokens strip neighbouring white space in models that are known to need it."""
        name = name.lower()
        if any(part in pre for part in ("jina-v2-de", "jina-v2-es", "jina-v2-code")) or any(
            part in architecture for part in ("nomic-bert-moe", "jina-bert-v3")
        ):
            self._strip_left("<mask>")
        elif "phi-3" in name or "phi3" in name:
            self._patch_phi3()
        elif "modern-bert" in name:
            self._strip_left("[MASK]")

    def _patch_phi3(self) -> None:
        ids = {text: self.find(text) for text in PHI3_TEXTS.split()}
        missing = [text for text, token_id in ids.items() if token_id is None]
        if missing:
            text_of_note = f"Special tokens cannot take white space as in Phi-3: {missing[0]} is missing."
            self.refusals.append(FileNote("token_missing", text_of_note))
            return
        self._attributes[self._attributes & SPECIAL != 0] |= np.uint16(Attribute.RSTRIP)
        self._attributes[ids.pop("</s>")] |= np.uint16(Attribute.RSTRIP)
        for token_id in ids.values():
            self._attributes[token_id] &= ~np.uint16(Attribute.RSTRIP)

    def _strip_left(self, text: str) -> None:
        token_id = self.find(text)
        if token_id is None:
            text_of_note = f"This model should have the token {quoted(text)}, but does not."
            self.warnings.append(FileNote("token_missing", text_of_note))
        else:
            self._attributes[token_id] |= np.uint16(Attribute.LSTRIP)

    def _make_control(self, token_id: int) -> None:
        self._attributes[token_id] |= np.uint16(Attribute.CONTROL)

    def _ends(self, text: str) -> bool:
        return self.find(text) in self.eog

    def _keep_going_after(self, text: str, attribute: Attribute) -> None:
        token_id = self.find(text)
        if token_id in self.eog:
            self.eog.discard(token_id)
            self._attributes[token_id] = attribute


def _ids_of_known_texts(table: StringTable) -> dict[str, int]:
    """The ids of all texts in this module, looked up at once."""
    lists = (*TEXTS_OF_ROLE.values(), END_TEXTS, CHANNEL_TEXTS, PHI3_TEXTS, "<mask> [MASK] <|plamo:eos|>")
    texts = sorted({text for texts in lists for text in texts.split()})
    rows = table.find([text.encode() for text in texts]).tolist()
    return {text: row for text, row in zip(texts, rows, strict=True) if row >= 0}


def _within(ids: SpecialIds, n_tokens: int) -> SpecialIds:
    """`ids` without those outside the vocabulary."""
    return SpecialIds(**{role: row for role, row in vars(ids).items() if row is not None and row < n_tokens})


def special_tokens_in_match_order(vocabulary: Vocabulary) -> NDArray[np.int32]:
    """The tokens that are cut out of a text before it is tokenized, in the order in which they are tried.

    Longest first; tokens of equal length are in the order in which GNU's std::sort leaves them.
    """
    kinds = (
        SPECIAL if vocabulary.pieces is None else SPECIAL & ~Attribute.USER_DEFINED
    )  # SentencePiece handles user-defined ones as pieces
    special = np.flatnonzero(vocabulary.attributes & kinds).astype(np.int32)
    lengths = np.diff(vocabulary.unmarked_texts[1])
    sort_longest_first(special, lengths)
    return special


def reserved(vocabulary: Vocabulary) -> NDArray[np.bool_]:
    """bool[n]: which tokens are reserved."""
    offsets = vocabulary.token_offsets
    is_selected: NDArray[np.bool_] = (vocabulary.attributes & Attribute.UNUSED > 0) | (
        vocabulary.stored_types == UNUSED_TYPE
    )
    matches = [match.span() for match in stoppable(NAME.finditer(vocabulary.token_data.data))]
    if matches:
        starts, ends = np.array(matches, np.int64).T
        rows = np.searchsorted(offsets, starts, side="right") - 1
        is_whole = (offsets[rows] == starts) & (offsets[rows + 1] == ends)
        is_selected[rows[is_whole]] = True
    return is_selected


def default_rules(kind: VocabType, pre: LlamaPreTokenizer | None) -> Rules:
    """The switches of a type; `pre` is the pre-tokenizer of a BPE vocabulary."""
    if kind is VocabType.SPM:
        return Rules(add_bos=True, add_space_prefix=True, escape_spaces=True)
    if kind is VocabType.WPM:
        return Rules(add_bos=True, add_sep=True, clean_spaces=True)
    if kind is VocabType.UGM:
        return Rules(add_eos=True, escape_spaces=True)
    if pre is None:
        return Rules()
    return Rules(
        add_bos=pre.add_bos,
        add_sep=pre.add_sep,
        escape_spaces=pre.escape_spaces,
        clean_spaces=pre.clean_spaces,
        ignore_merges=pre.ignore_merges,
        ignore_newline_merges=pre.ignore_newline_merges,
        byte_encoding=pre.byte_encoding,
    )
