"""What each class of `transformers` puts in place of the parts of a tokenizer.json, in that file's own terms.

A class gets tokens and merge rules, and rebuilds everything else.  Classes that are not here are refused.
Source: https://github.com/huggingface/transformers, version 5.24.0, models/*/tokenization_*.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from guiapp.core.auto_tokenizer.backend import ADDITIONAL, Arguments, Backend, TokenSpec, text_of
from guiapp.core.hugging_face.spec import ComponentError
from guiapp.core.text.numbers_in_words import quoted

Part = Mapping[str, Any] | None
SPACE_MARK = "\u2581"
BPE, WORD_PIECE, UNIGRAM = "BPE", "WordPiece", "Unigram"
CHARSMAP = "_spm_precompiled_charsmap"


class Rebuilt(NamedTuple):
    """What one class makes of its arguments.

    kind       of its model
    usual      tokens of roles, unless a config says otherwise; changed arguments in `arguments`
    options    of the model
    frame      the post-processor, once all tokens have ids; None: as before
    before     a post-processor that the file's own replaces
    posts      all special tokens are added once more at the end
    """

    kind: str
    arguments: Arguments
    options: Mapping[str, Any]
    normalizer: Part
    pre_tokenizer: Part
    decoder: Part
    frame: Callable[[Backend], Part] | None = None
    before: Callable[[Backend], Part] | None = None
    posts: bool = False
    finish: Callable[[Backend], None] | None = None


# Parts


def sequence(key: str, *steps: Part) -> Part:
    return {"type": "Sequence", key: list(steps)}


def normalizers(*steps: Part) -> Part:
    return sequence("normalizers", *steps)


def pre_tokenizers(*steps: Part) -> Part:
    return sequence("pretokenizers", *steps)


def decoders(*steps: Part) -> Part:
    return sequence("decoders", *steps)


def byte_level(prefixes: bool = False, use_regex: bool = True) -> Part:
    return {"type": "ByteLevel", "add_prefix_space": prefixes, "trim_offsets": True, "use_regex": use_regex}


def metaspace(scheme: str = "always", split: bool = True) -> Part:
    return {"type": "Metaspace", "replacement": SPACE_MARK, "prepend_scheme": scheme, "split": split}


def replaced(text: str, by: str) -> Part:
    return {"type": "Replace", "pattern": {"String": text}, "content": by}


def matched(pattern: str, by: str) -> Part:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": by}


def split_by(pattern: Mapping[str, str], behavior: str, invert: bool = False) -> Part:
    return {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}


def strip(left: bool, right: bool) -> Part:
    return {"type": "Strip", "strip_left": left, "strip_right": right}


BYTES = byte_level()
NFC, NFKC, NFKD = ({"type": form} for form in ("NFC", "NFKC", "NFKD"))
LOWER, ACCENTS = {"type": "Lowercase"}, {"type": "StripAccents"}
WHITE = {"type": "WhitespaceSplit"}
BERT_SPLIT = {"type": "BertPreTokenizer"}
DIGITS = {"type": "Digits", "individual_digits": True}
WORD_PIECES = {"type": "WordPiece", "prefix": "##", "cleanup": True}
ENDS = {"type": "BPEDecoder", "suffix": "</w>"}
TO_SPACES = (replaced(SPACE_MARK, " "), {"type": "ByteFallback"}, {"type": "Fuse"})
STRIPPED = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
QUOTES = (replaced("``", '"'), replaced("''", '"'))
ONE_SPACE = matched(" {2,}", " ")
QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
QWEN_3_5 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CLIP = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
MBART_LANGUAGES = """
ar_AR cs_CZ de_DE en_XX es_XX et_EE fi_FI fr_XX gu_IN hi_IN it_IT ja_XX kk_KZ ko_KR lt_LT lv_LV
my_MM ne_NP nl_XX ro_RO ru_RU si_LK tr_TR vi_VN zh_CN
"""
MBART_CODES = MBART_LANGUAGES.split()

# Arguments

END_OF_TEXT = "<|endoftext|>"


def roles(**texts: str | None) -> dict[str, Any]:
    return {f"{role}_token": text for role, text in texts.items()}


GPT2_ROLES = roles(unk=END_OF_TEXT, bos=END_OF_TEXT, eos=END_OF_TEXT)
BERT_ROLES = roles(unk="[UNK]", sep="[SEP]", pad="[PAD]", cls="[CLS]", mask="[MASK]")
ROBERTA_ROLES = roles(bos="<s>", eos="</s>", sep="</s>", cls="<s>", unk="<unk>", pad="<pad>", mask="<mask>")
GEMMA_ROLES = roles(unk="<unk>", bos="<bos>", eos="<eos>", pad="<pad>", mask="<mask>")
T5_ROLES = roles(eos="</s>", unk="<unk>", pad="<pad>")
ALBERT_ROLES = {**BERT_ROLES, **roles(bos="[CLS]", eos="[SEP]", unk="<unk>", pad="<pad>")}


def flag(a: Arguments, key: str, default: bool | None, takes_none: bool = False) -> Any:
    value = a.get(key, default)
    if not isinstance(value, bool) and not (value is None and takes_none):
        raise ComponentError(
            f"comes with a config whose {key} is neither true nor false: {quoted(repr(value))}"
        )
    return value


def prefixed(a: Arguments, default: bool = True, otherwise: str = "never") -> str:
    """Where a space goes before text, by the switch `add_prefix_space`."""
    return "always" if a.get("add_prefix_space", default) else otherwise


def charsmap(a: Arguments) -> list[Part]:
    return [a[CHARSMAP]] if a.get(CHARSMAP) is not None else []


def as_token(a: Arguments, role: str, **flags: bool) -> None:
    """A role whose text is all that is said gets flags."""
    if isinstance(a[role], str):
        a[role] = TokenSpec(a[role], **flags)


def count(a: Arguments, key: str, default: int) -> int:
    value = a.get(key, default)
    if type(value) is not int or not 0 <= value < 1 << 16:
        raise ComponentError(f"comes with a config whose {key} is not a whole number: {quoted(repr(value))}")
    return value


def affixes(first: str | None, last: str, is_listed: bool = False) -> Callable[[Backend], Part]:
    """The tokens of two roles before and after a text."""

    def frame(backend: Backend) -> Part:
        texts = [None if role is None else text_of(backend.roles.get(role)) for role in (first, last)]
        ids = {text_of(backend.roles.get(role)): backend.id_of_role(role) for role in (first, last) if role}
        return backend.template([*([texts[0]] if first else []), None, texts[1]], ids, is_listed)

    return frame


def bert_affixes(otherwise: tuple[int, int]) -> Callable[[Backend], Part]:
    """The same of CLS and SEP, with other ids where a config has no such token."""

    def frame(backend: Backend) -> Part:
        ids = [backend.id_of_role(role) for role in ("cls_token", "sep_token")]
        first, last = (other if found is None else found for found, other in zip(ids, otherwise, strict=True))
        texts = [text_of(backend.roles.get(role)) for role in ("cls_token", "sep_token")]
        return backend.template([texts[0], None, texts[1]], {texts[0]: first, texts[1]: last})

    return frame


def processing(first: str, last: str) -> Callable[[Backend], Part]:
    def frame(backend: Backend) -> Part:
        cls, sep = ([text_of(backend.roles.get(role)), backend.id_of_role(role)] for role in (first, last))
        return {"type": "RobertaProcessing", "cls": cls, "sep": sep}

    return frame


# Classes, byte-level BPE

MARKED = {"continuing_subword_prefix": "", "end_of_word_suffix": ""}


def gpt2(a: Arguments) -> Rebuilt:
    a = {**GPT2_ROLES, "pad_token": None, **a}
    return Rebuilt(BPE, a, MARKED, None, byte_level(flag(a, "add_prefix_space", False)), BYTES)


def roberta(a: Arguments) -> Rebuilt:
    a = {**ROBERTA_ROLES, **a}
    flag(a, "trim_offsets", True)
    split = byte_level(flag(a, "add_prefix_space", False))
    return Rebuilt(BPE, a, MARKED, None, split, BYTES, processing("cls_token", "sep_token"))


def blenderbot(a: Arguments) -> Rebuilt:
    a = {**ROBERTA_ROLES, **a}
    as_token(a, "mask_token", lstrip=True, normalized=False)
    return Rebuilt(BPE, a, MARKED, None, byte_level(flag(a, "add_prefix_space", True)), BYTES)


def codegen(a: Arguments) -> Rebuilt:
    return gpt2(a)._replace(before=lambda _backend: {"type": "ByteLevel"})


def deberta(a: Arguments) -> Rebuilt:
    a = {**BERT_ROLES, "bos_token": "[CLS]", "eos_token": "[SEP]", **a}
    split = byte_level(flag(a, "add_prefix_space", False))
    return Rebuilt(BPE, a, MARKED, None, split, BYTES, affixes("cls_token", "sep_token"))


def qwen2(a: Arguments, pattern: str = QWEN) -> Rebuilt:
    a = {"unk_token": END_OF_TEXT, "bos_token": None, "eos_token": END_OF_TEXT, "pad_token": END_OF_TEXT, **a}
    prefixes = flag(a, "add_prefix_space", None, True) or False
    split = pre_tokenizers(split_by({"Regex": pattern}, "Isolated"), byte_level(prefixes, False))
    return Rebuilt(BPE, a, MARKED, NFC, split, BYTES, finish=_all_special if pattern == QWEN else None)


def _all_special(backend: Backend) -> None:
    """Qwen2's class adds the text of each special token once more."""
    texts = dict.fromkeys(
        text_of(token) for token in (*backend.roles.values(), *backend.extra) if token is not None
    )
    backend.add(TokenSpec(text, special=True) for text in texts)


def qwen3_5(a: Arguments) -> Rebuilt:
    return qwen2(a, QWEN_3_5)


def gpt_neox(a: Arguments) -> Rebuilt:
    a = {**GPT2_ROLES, "pad_token": "<|padding|>", **a}
    split = {
        **(byte_level(flag(a, "add_prefix_space", False)) or {}),
        "trim_offsets": flag(a, "trim_offsets", True),
    }
    return Rebuilt(BPE, a, MARKED, NFC, split, BYTES, lambda backend: backend.switched_template(a))


def cohere(a: Arguments) -> Rebuilt:
    usual = roles(unk="<UNK>", bos="<BOS_TOKEN>", eos="<|END_OF_TURN_TOKEN|>", pad="<PAD>", cls="<CLS>")
    a = {**usual, **roles(sep="<SEP>", mask="<MASK_TOKEN>"), **a}
    split = pre_tokenizers(DIGITS, byte_level(flag(a, "add_prefix_space", False)))
    return Rebuilt(BPE, a, MARKED, NFC, split, BYTES, posts=True)


def whisper(a: Arguments) -> Rebuilt:
    a = {**GPT2_ROLES, **a}
    for role in GPT2_ROLES:
        as_token(a, role, normalized=False, special=True)
    if a.get("language") is not None or a.get("task") is not None:
        raise ComponentError(
            "comes with a config of WhisperTokenizer that sets a language or a task, which is not supported"
        )

    def frame(backend: Backend) -> Part:
        texts = ["<|startoftranscript|>", *([] if a.get("predict_timestamps") else ["<|notimestamps|>"])]
        eos = text_of(backend.roles.get("eos_token"))
        ids = {text: backend.id_or_unknown(text) for text in texts}
        return backend.template([*texts, None, eos], {**ids, eos: backend.id_of_role("eos_token")})

    return Rebuilt(BPE, a, MARKED, None, byte_level(flag(a, "add_prefix_space", False)), BYTES, frame)


def clip(a: Arguments) -> Rebuilt:
    a = {
        "unk_token": END_OF_TEXT,
        "bos_token": "<|startoftext|>",
        "eos_token": END_OF_TEXT,
        "pad_token": END_OF_TEXT,
        **a,
    }
    options = {**MARKED, "end_of_word_suffix": "</w>", "unk_token": text_of(a["unk_token"])}
    normalizer = normalizers(NFC, matched(r"\s+", " "), LOWER)
    split = pre_tokenizers(split_by({"Regex": CLIP}, "Removed", True), BYTES)
    decoder = decoders(
        BYTES, replaced("</w>", " "), {"type": "Fuse"}, {**STRIPPED, "start": 1 << 20, "stop": 1 << 20}
    )
    return Rebuilt(BPE, a, options, normalizer, split, decoder, processing("bos_token", "eos_token"))


# BPE with marked spaces


def llama(a: Arguments) -> Rebuilt:
    a = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", **a}
    prefixes = a.get("add_prefix_space")
    prefixes = True if prefixes is None else prefixes
    scheme = ("always" if a.get("legacy", False) else "first") if prefixes else "never"
    decoder = decoders(*TO_SPACES, *([STRIPPED] if prefixes else []))
    return Rebuilt(BPE, a, FALLBACK, None, metaspace(scheme, False), decoder)


FALLBACK = {"fuse_unk": True, "byte_fallback": True}


def code_llama(a: Arguments) -> Rebuilt:
    names = {"prefix": "PRE", "middle": "MID", "suffix": "SUF", "eot": "EOT"}
    usual = {f"{key}_token": f"{SPACE_MARK}<{name}>" for key, name in names.items()} | {
        "fill_token": "<FILL_ME>"
    }
    a = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", **usual, "add_bos_token": True, **a}
    a[ADDITIONAL] = [*(a.get(ADDITIONAL) or []), *(a[key] for key in usual if a[key] is not None)]
    prefixes = True if a.get("add_prefix_space", True) is None else a.get("add_prefix_space", True)
    options = {**FALLBACK, "unk_token": text_of(a["unk_token"])}
    scheme = "first" if prefixes else "never"
    return Rebuilt(BPE, a, options, None, metaspace(scheme, False), decoders(*TO_SPACES, STRIPPED))


def gemma(a: Arguments) -> Rebuilt:
    a = {**GEMMA_ROLES, **a}
    options = {**FALLBACK, "unk_token": text_of(a["unk_token"])}
    split = split_by({"String": " "}, "MergedWithPrevious")
    return Rebuilt(BPE, a, options, replaced(" ", SPACE_MARK), split, decoders(*TO_SPACES))


def siglip2(a: Arguments) -> Rebuilt:
    built = gemma(a)
    return built._replace(normalizer=normalizers(LOWER, built.normalizer))


def openai_gpt(a: Arguments) -> Rebuilt:
    a = {"unk_token": "<unk>", **a}
    options = {**MARKED, "unk_token": text_of(a["unk_token"]), "end_of_word_suffix": "</w>"}
    return Rebuilt(BPE, a, options, bert_normalizer(True, None), BERT_SPLIT, ENDS)


# WordPiece


def bert_normalizer(
    lowercase: bool, strip_accents: bool | None, clean: bool = True, chinese: bool = True
) -> Part:
    return {
        "type": "BertNormalizer",
        "clean_text": clean,
        "handle_chinese_chars": chinese,
        "strip_accents": strip_accents,
        "lowercase": lowercase,
    }


def _bert(a: Arguments, frame: Callable[[Backend], Part], clean: bool = True) -> Rebuilt:
    normalizer = bert_normalizer(
        flag(a, "do_lower_case", True),
        flag(a, "strip_accents", None, True),
        clean,
        flag(a, "tokenize_chinese_chars", True),
    )
    options = {"unk_token": text_of(a["unk_token"])}
    return Rebuilt(WORD_PIECE, a, options, normalizer, BERT_SPLIT, WORD_PIECES, frame)


def bert(a: Arguments) -> Rebuilt:
    return _bert({**BERT_ROLES, **a}, bert_affixes((2, 3)))


def dpr(a: Arguments) -> Rebuilt:
    """Whatever a config says, text becomes lower case: the switch is not passed on."""
    return bert({**a, "do_lower_case": True})


def mpnet(a: Arguments) -> Rebuilt:
    a = {**ROBERTA_ROLES, "unk_token": "[UNK]", **a}
    for role in ROBERTA_ROLES:
        as_token(a, role, lstrip=role == "mask_token")

    def frame(backend: Backend) -> Part:
        cls, sep = (
            [
                text_of(backend.roles.get(role)),
                other if (token_id := backend.id_of_role(role)) is None else token_id,
            ]
            for role, other in (("cls_token", 0), ("sep_token", 2))
        )
        return {"type": "RobertaProcessing", "cls": cls, "sep": sep}

    return _bert(a, frame)


# Unigram


def t5(a: Arguments, unknown: int = 2, frames: bool = True) -> Rebuilt:
    a = {**T5_ROLES, **a}
    n_extra, given = count(a, "extra_ids", 100), a.get(ADDITIONAL)
    extra = [f"<extra_id_{number}>" for number in range(n_extra)]
    if given is not None:
        n_given = sum("<extra_id_" in text_of(each) for each in given)
        if n_given and n_extra > 0 and n_extra != n_given:
            raise ComponentError(f"comes with configs that name {n_extra} and {n_given} extra_ids")
        extra = [*given, *([] if n_given else extra)]
    a[ADDITIONAL] = extra

    def frame(backend: Backend) -> Part:
        return backend.template([None, "</s>"], {"</s>": backend.id_of_role("eos_token")}, True)

    normalizer = (charsmap(a) or [None])[0]
    split, decoder = pre_tokenizers(WHITE, metaspace()), metaspace()
    return Rebuilt(UNIGRAM, a, {"unk_id": unknown}, normalizer, split, decoder, frame if frames else None)


def lasr(a: Arguments) -> Rebuilt:
    return t5(a, 3)


def video_prism(a: Arguments) -> Rebuilt:
    return t5(a, frames=False)


def xlm_roberta(a: Arguments) -> Rebuilt:
    a = {**ROBERTA_ROLES, **a}
    scheme = prefixed(a)
    split = pre_tokenizers(WHITE, metaspace(scheme))
    normalizer = (charsmap(a) or [None])[0]
    return Rebuilt(
        UNIGRAM,
        a,
        {"unk_id": 3},
        normalizer,
        split,
        metaspace(scheme),
        affixes("bos_token", "eos_token", True),
    )


def _accents(a: Arguments, keeps: bool, lowers: bool) -> list[Part]:
    steps = [] if a.get("keep_accents", keeps) else [NFKD, ACCENTS]
    return [*steps, *([LOWER] if a.get("do_lower_case", lowers) else []), *charsmap(a)]


def albert(a: Arguments) -> Rebuilt:
    a = {**ALBERT_ROLES, **a}
    scheme = prefixed(a)
    normalizer = normalizers(*QUOTES, *_accents(a, False, True))
    split = pre_tokenizers(WHITE, metaspace(scheme))

    def before(backend: Backend) -> Part:
        texts = [text_of(a[role]) for role in ("cls_token", "sep_token")]
        ids = dict(zip(("[CLS]", "[SEP]"), backend.section.find(texts), strict=True))
        return backend.template(["[CLS]", None, "[SEP]"], ids)

    return Rebuilt(UNIGRAM, a, {"unk_id": 1}, normalizer, split, metaspace(scheme), before=before)


def rembert(a: Arguments) -> Rebuilt:
    a = {**ALBERT_ROLES, **a}
    scheme = prefixed(a)
    normalizer = normalizers(*QUOTES, ONE_SPACE, *_accents(a, True, False))
    frame = affixes("cls_token", "sep_token")
    return Rebuilt(
        UNIGRAM, a, {"unk_id": 2}, normalizer, metaspace(scheme), metaspace(scheme), frame, posts=True
    )


def xlnet(a: Arguments) -> Rebuilt:
    roles = {**ROBERTA_ROLES, "sep_token": "<sep>", "cls_token": "<cls>"}
    a = {**roles, **a}
    a[ADDITIONAL] = ["<eop>", "<eod>"] if a.get(ADDITIONAL) is None else a[ADDITIONAL]
    as_token(a, "mask_token", lstrip=True)
    normalizer = normalizers(*QUOTES, *_accents({**a, "keep_accents": False}, False, False))

    def frame(backend: Backend) -> Part:
        texts = [text_of(backend.roles.get(role)) for role in ("sep_token", "cls_token")]
        ids = [backend.id_of_role(role) for role in ("sep_token", "cls_token")]
        return backend.template([None, *texts], dict(zip(texts, ids, strict=True)))

    split = pre_tokenizers(WHITE, metaspace())
    return Rebuilt(UNIGRAM, a, {"unk_id": count(a, "unk_id", 0)}, normalizer, split, metaspace(), frame)


def camembert(a: Arguments) -> Rebuilt:
    a = {**ROBERTA_ROLES, **a}
    as_token(a, "mask_token", lstrip=True, special=True)
    if a.get(ADDITIONAL) is None:
        a[ADDITIONAL] = ["<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"]
    texts = [text for text, _ in a["vocab"]]
    unknown = text_of(a["unk_token"])
    options = {"unk_id": texts.index(unknown) if unknown in texts else 0}
    scheme = prefixed(a)
    split = pre_tokenizers(WHITE, metaspace(scheme))
    normalizer = (charsmap(a) or [None])[0]
    return Rebuilt(
        UNIGRAM, a, options, normalizer, split, metaspace(scheme), affixes("bos_token", "eos_token")
    )


def barthez(a: Arguments) -> Rebuilt:
    a = {**ROBERTA_ROLES, **a}
    as_token(a, "mask_token", lstrip=True)
    scheme = prefixed(a)
    normalizer = normalizers(matched(r"\s{2,}|[\n\r\t]", " "), NFC, strip(False, True))
    return Rebuilt(UNIGRAM, a, {"unk_id": 3}, normalizer, metaspace(scheme), metaspace(scheme))


def deberta_v2(a: Arguments) -> Rebuilt:
    a = {**BERT_ROLES, "bos_token": "[CLS]", "eos_token": "[SEP]", **a}
    steps = [LOWER] if a.get("do_lower_case") else []
    normalizer = normalizers(*steps, matched(r"\s{2,}|[\n\r\t]", " "), NFC, strip(False, True))
    scheme = prefixed(a, True, "first")
    points = [{"type": "Punctuation", "behavior": "Isolated"}] if a.get("split_by_punct") else []
    split = pre_tokenizers(*points, metaspace(scheme))
    options = {"unk_id": _unscored(a, count(a, "unk_id", 1))}
    return Rebuilt(UNIGRAM, a, options, normalizer, split, metaspace(scheme), bert_affixes((0, 0)))


def _unscored(a: Arguments, otherwise: int) -> int:
    """The row of the unknown token, where its score is 0."""
    unknown = [text_of(a["unk_token"]), 0.0]
    return next((row for row, each in enumerate(a["vocab"]) if list(each) == unknown), otherwise)


def pegasus(a: Arguments) -> Rebuilt:
    a = {**T5_ROLES, "mask_token": "<mask_2>", **a}
    first, given = a.get("mask_token_sent", "<mask_1>"), a.get(ADDITIONAL)
    is_new = given is None or first not in given
    a[ADDITIONAL] = [first] if is_new and first is not None else []
    a[ADDITIONAL] += [f"<unk_{number}>" for number in range(2, count(a, "offset", 103))]
    maps = charsmap(a)
    normalizer = normalizers(*(maps or [replaced_lines]), ONE_SPACE)
    unknown = _unscored({**a, "vocab": a["vocab"][1:]}, -1) + 1
    if not unknown:
        raise ComponentError("has no unknown token with a score of 0, which PegasusTokenizer needs")
    return Rebuilt(
        UNIGRAM, a, {"unk_id": unknown}, normalizer, metaspace(), metaspace(), affixes(None, "eos_token")
    )


replaced_lines = matched(r"\n", " ")


def mbart(a: Arguments) -> Rebuilt:
    a = {**ROBERTA_ROLES, **a}
    as_token(a, "mask_token", lstrip=True)
    a[ADDITIONAL] = [*MBART_CODES, *(each for each in a.get(ADDITIONAL) or () if each not in MBART_CODES)]
    language = a.get("src_lang")
    language = "en_XX" if language is None else language

    def frame(backend: Backend) -> Part:
        eos, ids = (
            text_of(backend.roles.get("eos_token")),
            [backend.id_of_role("eos_token"), backend.id_or_unknown(language)],
        )
        return backend.template([None, eos, language], dict(zip((eos, language), ids, strict=True)), True)

    split = pre_tokenizers(WHITE, metaspace())
    return Rebuilt(UNIGRAM, a, {"unk_id": 3}, None, split, metaspace(), frame)


CLASSES: dict[str, Callable[[Arguments], Rebuilt]] = {
    "Albert": albert,
    "Barthez": barthez,
    "Bert": bert,
    "Blenderbot": blenderbot,
    "CLIP": clip,
    "Camembert": camembert,
    "CodeGen": codegen,
    "CodeLlama": code_llama,
    "Cohere": cohere,
    "Deberta": deberta,
    "DebertaV2": deberta_v2,
    "DistilBert": bert,
    **dict.fromkeys(("DPRContextEncoder", "DPRQuestionEncoder", "DPRReader"), dpr),
    "GPT2": gpt2,
    "GPTNeoX": gpt_neox,
    "Gemma": gemma,
    "Lasr": lasr,
    "Llama": llama,
    "MBart": mbart,
    "MPNet": mpnet,
    "OpenAIGPT": openai_gpt,
    "Pegasus": pegasus,
    "Qwen2": qwen2,
    "Qwen3_5": qwen3_5,
    "RemBert": rembert,
    "Roberta": roberta,
    "Siglip2": siglip2,
    "T5": t5,
    "VideoPrism": video_prism,
    "Whisper": whisper,
    "XLMRoberta": xlm_roberta,
    "XLNet": xlnet,
}
"""By the name of the class without “Tokenizer”."""
KEEPING = {
    "ConvBert": bert,
    "FNet": albert,
}
"""Classes that keep the parts of the file, with the roles and the frame of another class."""
