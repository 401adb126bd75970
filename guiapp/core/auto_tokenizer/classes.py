"""The components of tokenizer.json that each class of `transformers` builds, in the format of that file.

A class gets tokens and merge rules, and rebuilds everything else.  A new class is a row of CLASSES, with a
function of its own if it differs from the others; classes that are not listed are refused.
Source: https://github.com/huggingface/transformers, version 5.24.0, models/*/tokenization_*.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from guiapp.core.auto_tokenizer.backend import ADDITIONAL, Arguments, Backend, TokenSpec, text_of
from guiapp.core.formats import json_parts as part
from guiapp.core.formats.json_parts import Part
from guiapp.core.hugging_face.spec import ComponentError
from guiapp.core.text.numbers_in_words import quoted

BPE, WORD_PIECE, UNIGRAM = "BPE", "WordPiece", "Unigram"
CHARSMAP = "_spm_precompiled_charsmap"
QUOTES = (part.replaced("``", '"'), part.replaced("''", '"'))
LINES_AND_SPACES = (part.matched(r"\s{2,}|[\n\r\t]", " "), part.NFC, part.strip(False, True))
MARKED = {"continuing_subword_prefix": "", "end_of_word_suffix": ""}
FALLBACK = {"fuse_unk": True, "byte_fallback": True}
MBART_LANGUAGES = """
ar_AR cs_CZ de_DE en_XX es_XX et_EE fi_FI fr_XX gu_IN hi_IN it_IT ja_XX kk_KZ ko_KR lt_LT lv_LV
my_MM ne_NP nl_XX ro_RO ru_RU si_LK tr_TR vi_VN zh_CN
"""
MBART_CODES = MBART_LANGUAGES.split()

Frame = Callable[[Backend, Arguments], Part]


class Rebuilt(NamedTuple):
    """The components that a class builds from its arguments.

    kind       the type of its model
    arguments  including default tokens of roles, unless a config sets them
    options    of the model
    frame      makes the post-processor when all tokens have ids; None: leave it
    before     makes a post-processor that the file's own one replaces
    posts      whether all special tokens are added again at the end
    finish     an extra step before that
    """

    kind: str
    arguments: Arguments
    options: Mapping[str, Any]
    normalizer: Part | None
    pre_tokenizer: Part | None
    decoder: Part | None
    frame: Frame | None = None
    before: Frame | None = None
    posts: bool = False
    finish: Callable[[Backend], None] | None = None


Build = Callable[[Arguments], Rebuilt]


# Arguments


def roles(**texts: str | None) -> dict[str, Any]:
    return {f"{role}_token": text for role, text in texts.items()}


END_OF_TEXT = "<|endoftext|>"
GPT2_ROLES = roles(unk=END_OF_TEXT, bos=END_OF_TEXT, eos=END_OF_TEXT)
QWEN_ROLES = roles(unk=END_OF_TEXT, bos=None, eos=END_OF_TEXT, pad=END_OF_TEXT)
CLIP_ROLES = QWEN_ROLES | roles(bos="<|startoftext|>")
BERT_ROLES = roles(unk="[UNK]", sep="[SEP]", pad="[PAD]", cls="[CLS]", mask="[MASK]")
DEBERTA_ROLES = BERT_ROLES | roles(bos="[CLS]", eos="[SEP]")
ALBERT_ROLES = DEBERTA_ROLES | roles(unk="<unk>", pad="<pad>")
ROBERTA_ROLES = roles(bos="<s>", eos="</s>", sep="</s>", cls="<s>", unk="<unk>", pad="<pad>", mask="<mask>")
LLAMA_ROLES = roles(unk="<unk>", bos="<s>", eos="</s>")
GEMMA_ROLES = roles(unk="<unk>", bos="<bos>", eos="<eos>", pad="<pad>", mask="<mask>")
T5_ROLES = roles(eos="</s>", unk="<unk>", pad="<pad>")
COHERE_ROLES = {
    **roles(unk="<UNK>", bos="<BOS_TOKEN>", eos="<|END_OF_TURN_TOKEN|>", pad="<PAD>", cls="<CLS>"),
    **roles(sep="<SEP>", mask="<MASK_TOKEN>"),
}
INFILLING = {
    f"{key}_token": f"{part.SPACE_MARK}<{name}>"
    for key, name in (("prefix", "PRE"), ("middle", "MID"), ("suffix", "SUF"), ("eot", "EOT"))
}


def flag(a: Arguments, key: str, default: bool | None, takes_none: bool = False) -> Any:
    value = a.get(key, default)
    if not isinstance(value, bool) and not (value is None and takes_none):
        raise ComponentError(
            f"comes with a config whose {key} is neither true nor false: {quoted(repr(value))}"
        )
    return value


def count(a: Arguments, key: str, default: int) -> int:
    value = a.get(key, default)
    if type(value) is not int or not 0 <= value < 1 << 16:
        raise ComponentError(f"comes with a config whose {key} is not a whole number: {quoted(repr(value))}")
    return value


def prefixed(a: Arguments, otherwise: str = "never") -> str:
    """The prepend scheme for spaces before text, by the switch `add_prefix_space`."""
    return "always" if a.get("add_prefix_space", True) else otherwise


def has_prefix(a: Arguments) -> Any:
    """The switch `add_prefix_space`; null counts as true."""
    prefixes = a.get("add_prefix_space")
    return True if prefixes is None else prefixes


def mask_strips(a: Arguments) -> None:
    """Make a mask token that is given as a plain string include the space before it."""
    if isinstance(a["mask_token"], str):
        a["mask_token"] = TokenSpec(a["mask_token"], lstrip=True)


# Tokens added before and after texts


def affixes(
    *single: str | None, otherwise: Mapping[str, int] | None = None, is_listed: bool = False
) -> Frame:
    """A template of roles before and after the text, which is None; `otherwise` has ids of unnamed roles."""

    def frame(backend: Backend, _a: Arguments) -> Part:
        texts = {role: text_of(backend.roles.get(role)) for role in single if role is not None}
        ids = {text: backend.id_of_role(role, otherwise) for role, text in texts.items()}
        return backend.template([None if role is None else texts[role] for role in single], ids, is_listed)

    return frame


def processing(first: str, last: str, otherwise: Mapping[str, int] | None = None) -> Frame:
    """Like `affixes` for two roles, but as RoBERTa's own post-processor."""

    def frame(backend: Backend, _a: Arguments) -> Part:
        cls, sep = (
            [text_of(backend.roles.get(role)), backend.id_of_role(role, otherwise)] for role in (first, last)
        )
        return {"type": "RobertaProcessing", "cls": cls, "sep": sep}

    return frame


# Byte-level BPE


def byte_pairs(
    usual: Arguments,
    prefixes: bool | None = False,
    normalizer: Part | None = None,
    steps: tuple[Part, ...] = (),
    use_regex: bool = True,
    prepare: Callable[[Arguments], None] = lambda a: None,
    **more: Any,
) -> Build:
    """A class that splits text like GPT-2, after some `steps`.

    prefixes  default of `add_prefix_space`; None: false, and null is allowed in a config
    """

    def build(a: Arguments) -> Rebuilt:
        a = {**usual, **a}
        prepare(a)
        split = part.byte_level(flag(a, "add_prefix_space", prefixes, prefixes is None) or False, use_regex)
        split = part.pre_tokenizers(*steps, split) if steps else split
        return Rebuilt(BPE, a, MARKED, normalizer, split, part.BYTE_LEVEL, **more)

    return build


def all_special(backend: Backend) -> None:
    """Add the text of each special token again, as Qwen2's class does."""
    tokens = (token for token in (*backend.roles.values(), *backend.extra) if token is not None)
    backend.add(TokenSpec(text, special=True) for text in dict.fromkeys(map(text_of, tokens)))


def whisper_frame(backend: Backend, a: Arguments) -> Part:
    if a.get("language") is not None or a.get("task") is not None:
        raise ComponentError(
            "comes with a config of WhisperTokenizer that sets a language or a task, which is not supported"
        )
    names = ["<|startoftranscript|>", *([] if a.get("predict_timestamps") else ["<|notimestamps|>"])]
    unknown, eos = (text_of(backend.roles.get(role)) for role in ("unk_token", "eos_token"))
    texts = [unknown if backend.id_of(name) is None else name for name in names]
    ids = {text: backend.id_or_unknown(text) for text in texts}
    return backend.template([*texts, None, eos], {**ids, eos: backend.id_of_role("eos_token")})


def clip(a: Arguments) -> Rebuilt:
    a = {**CLIP_ROLES, **a}
    options = {**MARKED, "end_of_word_suffix": "</w>", "unk_token": text_of(a["unk_token"])}
    split = part.pre_tokenizers(part.CLIP_SPLIT, part.BYTE_LEVEL)
    ends = part.replaced("</w>", " "), part.FUSE, part.stripped(1 << 20, 1 << 20)
    decoder, frame = part.decoders(part.BYTE_LEVEL, *ends), processing("bos_token", "eos_token")
    return Rebuilt(BPE, a, options, part.CLIP_NORMALIZER, split, decoder, frame)


# BPE of characters


def llama(a: Arguments) -> Rebuilt:
    a = {**LLAMA_ROLES, **a}
    prefixes = has_prefix(a)
    scheme = ("always" if a.get("legacy", False) else "first") if prefixes else "never"
    decoder = part.decoders(*part.TO_SPACES, *([part.stripped(1, 0)] if prefixes else []))
    return Rebuilt(BPE, a, FALLBACK, None, part.metaspace(scheme, False), decoder)


def code_llama(a: Arguments) -> Rebuilt:
    usual = INFILLING | {"fill_token": "<FILL_ME>"}
    a = {**LLAMA_ROLES, **usual, "add_bos_token": True, **a}
    a[ADDITIONAL] = [*(a.get(ADDITIONAL) or []), *(a[key] for key in usual if a[key] is not None)]
    options = {**FALLBACK, "unk_token": text_of(a["unk_token"])}
    split = part.metaspace("first" if has_prefix(a) else "never", False)
    return Rebuilt(BPE, a, options, None, split, part.decoders(*part.TO_SPACES, part.stripped(1, 0)))


def gemma(a: Arguments) -> Rebuilt:
    a = {**GEMMA_ROLES, **a}
    options = {**FALLBACK, "unk_token": text_of(a["unk_token"])}
    return Rebuilt(BPE, a, options, part.MARKS, part.SPLIT_SPACES, part.decoders(*part.TO_SPACES))


def siglip2(a: Arguments) -> Rebuilt:
    return gemma(a)._replace(normalizer=part.normalizers(part.LOWER, part.MARKS))


def openai_gpt(a: Arguments) -> Rebuilt:
    a = {"unk_token": "<unk>", **a}
    options = {**MARKED, "unk_token": text_of(a["unk_token"]), "end_of_word_suffix": "</w>"}
    decoder = {"type": "BPEDecoder", "suffix": "</w>"}
    return Rebuilt(BPE, a, options, part.bert_normalizer(True, None), part.BERT_SPLIT, decoder)


# WordPiece


def words(
    usual: Arguments,
    frame: Frame,
    prepare: Callable[[Arguments], None] = lambda a: None,
    always_lowers: bool = False,
) -> Build:
    """A class that splits text like BERT; `always_lowers`: the config's `do_lower_case` is ignored."""

    def build(a: Arguments) -> Rebuilt:
        a = {**usual, **a}
        prepare(a)
        normalizer = part.bert_normalizer(
            always_lowers or flag(a, "do_lower_case", True),
            flag(a, "strip_accents", None, True),
            chinese=flag(a, "tokenize_chinese_chars", True),
        )
        options = {"unk_token": text_of(a["unk_token"])}
        return Rebuilt(WORD_PIECE, a, options, normalizer, part.BERT_SPLIT, part.word_pieces(), frame)

    return build


# Unigram


def charsmap(a: Arguments) -> list[Part]:
    return [a[CHARSMAP]] if a.get(CHARSMAP) is not None else []


def only_charsmap(a: Arguments) -> Part | None:
    return next(iter(charsmap(a)), None)


def accents(keeps: bool | None, lowers: bool, *steps: Part) -> Callable[[Arguments], Part]:
    """A normalizer that unifies quotation marks, applies `steps`, and may remove accents and upper case.

    keeps   default of `keep_accents`; None: accents are always removed
    lowers  default of `do_lower_case`
    """

    def normalizer(a: Arguments) -> Part:
        drops = [part.NFKD, part.ACCENTS] if keeps is None or not a.get("keep_accents", keeps) else []
        lower = [part.LOWER] if a.get("do_lower_case", lowers) else []
        return part.normalizers(*QUOTES, *steps, *drops, *lower, *charsmap(a))

    return normalizer


def unigram(
    usual: Arguments,
    unknown: int | Callable[[Arguments], int],
    normalizer: Callable[[Arguments], Part | None] = only_charsmap,
    splits: bool = True,
    takes_prefix: bool = True,
    prepare: Callable[[Arguments], None] = lambda a: None,
    **more: Any,
) -> Build:
    """A class for Unigram models of SentencePiece.

    unknown       the row of the unknown token
    splits        whether to split at whitespace before spaces are marked
    takes_prefix  whether `add_prefix_space` of a config applies
    """

    def build(a: Arguments) -> Rebuilt:
        a = {**usual, **a}
        prepare(a)
        marks = part.metaspace(prefixed(a) if takes_prefix else "always")
        options = {"unk_id": unknown if isinstance(unknown, int) else unknown(a)}
        split = part.pre_tokenizers(part.WHITE, marks) if splits else marks
        return Rebuilt(UNIGRAM, a, options, normalizer(a), split, marks, **more)

    return build


def t5(unknown: int, frame: Frame | None) -> Build:
    return unigram(T5_ROLES, unknown, takes_prefix=False, prepare=_with_extra_ids, frame=frame)


def _with_extra_ids(a: Arguments) -> None:
    n_extra, given = count(a, "extra_ids", 100), a.get(ADDITIONAL)
    extra = [f"<extra_id_{number}>" for number in range(n_extra)]
    if given is not None:
        n_given = sum("<extra_id_" in text_of(each) for each in given)
        if n_given and n_extra > 0 and n_extra != n_given:
            raise ComponentError(f"comes with configs that name {n_extra} and {n_given} extra_ids")
        extra = given + ([] if n_given else extra)
    a[ADDITIONAL] = extra


def t5_frame(backend: Backend, _a: Arguments) -> Part:
    return backend.template([None, "</s>"], {"</s>": backend.id_of_role("eos_token")}, True)


def albert_frame(backend: Backend, a: Arguments) -> Part:
    texts = [text_of(a[role]) for role in ("cls_token", "sep_token")]
    ids = dict(zip(("[CLS]", "[SEP]"), backend.section.find(texts), strict=True))
    return backend.template(["[CLS]", None, "[SEP]"], ids)


def _with_xlnet(a: Arguments) -> None:
    a[ADDITIONAL] = ["<eop>", "<eod>"] if a.get(ADDITIONAL) is None else a[ADDITIONAL]
    mask_strips(a)


def _with_camembert(a: Arguments) -> None:
    mask_strips(a)
    if a.get(ADDITIONAL) is None:
        a[ADDITIONAL] = ["<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"]


def _row_of_unknown(a: Arguments) -> int:
    texts, unknown = [text for text, _ in a["vocab"]], text_of(a["unk_token"])
    return texts.index(unknown) if unknown in texts else 0


def deberta_v2(a: Arguments) -> Rebuilt:
    a = {**DEBERTA_ROLES, **a}
    normalizer = part.normalizers(*([part.LOWER] if a.get("do_lower_case") else []), *LINES_AND_SPACES)
    marks = part.metaspace(prefixed(a, "first"))
    points = [{"type": "Punctuation", "behavior": "Isolated"}] if a.get("split_by_punct") else []
    options = {"unk_id": _unscored(a, a["vocab"], count(a, "unk_id", 1))}
    frame = affixes("cls_token", None, "sep_token", otherwise={"cls_token": 0, "sep_token": 0})
    return Rebuilt(UNIGRAM, a, options, normalizer, part.pre_tokenizers(*points, marks), marks, frame)


def _unscored(a: Arguments, vocab: list[Any], otherwise: int) -> int:
    """The row of the unknown token if its score is 0, else `otherwise`."""
    unknown = [text_of(a["unk_token"]), 0.0]
    return next((row for row, each in enumerate(vocab) if list(each) == unknown), otherwise)


def _with_pegasus(a: Arguments) -> None:
    first, given = a.get("mask_token_sent", "<mask_1>"), a.get(ADDITIONAL)
    is_new = given is None or first not in given
    a[ADDITIONAL] = [first] if is_new and first is not None else []
    a[ADDITIONAL] += [f"<unk_{number}>" for number in range(2, count(a, "offset", 103))]


def _row_in_pegasus(a: Arguments) -> int:
    unknown = _unscored(a, a["vocab"][1:], -1) + 1
    if not unknown:
        raise ComponentError("has no unknown token with a score of 0, which PegasusTokenizer needs")
    return unknown


def _with_languages(a: Arguments) -> None:
    mask_strips(a)
    a[ADDITIONAL] = [*MBART_CODES, *(each for each in a.get(ADDITIONAL) or () if each not in MBART_CODES)]


def mbart_frame(backend: Backend, a: Arguments) -> Part:
    eos, language = text_of(backend.roles.get("eos_token")), a.get("src_lang")
    language = "en_XX" if language is None else language
    ids = {eos: backend.id_of_role("eos_token"), language: backend.id_or_unknown(language)}
    return backend.template([None, eos, language], ids, True)


BERT_FRAME = affixes("cls_token", None, "sep_token", otherwise={"cls_token": 2, "sep_token": 3})
BERT = words(BERT_ROLES, BERT_FRAME)
ALBERT = unigram(ALBERT_ROLES, 1, accents(False, True), before=albert_frame)
CLASSES: dict[str, Build] = {
    "Albert": ALBERT,
    "Barthez": unigram(
        *(ROBERTA_ROLES, 3, lambda a: part.normalizers(*LINES_AND_SPACES)),
        splits=False,
        prepare=mask_strips,
    ),
    "Bert": BERT,
    "Blenderbot": byte_pairs(ROBERTA_ROLES, True, prepare=mask_strips),
    "CLIP": clip,
    "Camembert": unigram(
        ROBERTA_ROLES,
        _row_of_unknown,
        prepare=_with_camembert,
        frame=affixes("bos_token", None, "eos_token"),
    ),
    "CodeGen": byte_pairs(GPT2_ROLES | roles(pad=None), before=lambda backend, a: {"type": "ByteLevel"}),
    "CodeLlama": code_llama,
    "Cohere": byte_pairs(COHERE_ROLES, normalizer=part.NFC, steps=(part.DIGITS,), posts=True),
    "Deberta": byte_pairs(DEBERTA_ROLES, frame=affixes("cls_token", None, "sep_token")),
    "DebertaV2": deberta_v2,
    "DistilBert": BERT,
    **dict.fromkeys(
        ("DPRContextEncoder", "DPRQuestionEncoder", "DPRReader"),
        words(BERT_ROLES, BERT_FRAME, always_lowers=True),
    ),
    "GPT2": byte_pairs(GPT2_ROLES | roles(pad=None)),
    "GPTNeoX": byte_pairs(
        GPT2_ROLES | roles(pad="<|padding|>"), normalizer=part.NFC, frame=Backend.switched_template
    ),
    "Gemma": gemma,
    "Lasr": t5(3, t5_frame),
    "Llama": llama,
    "MBart": unigram(
        *(ROBERTA_ROLES, 3, lambda a: None),
        takes_prefix=False,
        prepare=_with_languages,
        frame=mbart_frame,
    ),
    "MPNet": words(
        ROBERTA_ROLES | roles(unk="[UNK]"),
        processing("cls_token", "sep_token", {"cls_token": 0, "sep_token": 2}),
        prepare=mask_strips,
    ),
    "OpenAIGPT": openai_gpt,
    "Pegasus": unigram(
        T5_ROLES | roles(mask="<mask_2>"),
        _row_in_pegasus,
        lambda a: part.normalizers(*(charsmap(a) or [part.matched(r"\n", " ")]), part.ONE_SPACE),
        splits=False,
        takes_prefix=False,
        prepare=_with_pegasus,
        frame=affixes(None, "eos_token"),
    ),
    "Qwen2": byte_pairs(QWEN_ROLES, None, part.NFC, (part.QWEN_SPLIT,), False, finish=all_special),
    "Qwen3_5": byte_pairs(QWEN_ROLES, None, part.NFC, (part.QWEN_3_5_SPLIT,), False),
    "RemBert": unigram(
        *(ALBERT_ROLES, 2, accents(True, False, part.ONE_SPACE)),
        splits=False,
        frame=affixes("cls_token", None, "sep_token"),
        posts=True,
    ),
    "Roberta": byte_pairs(ROBERTA_ROLES, frame=processing("cls_token", "sep_token")),
    "Siglip2": siglip2,
    "T5": t5(2, t5_frame),
    "VideoPrism": t5(2, None),
    "Whisper": byte_pairs(GPT2_ROLES, frame=whisper_frame),
    "XLMRoberta": unigram(ROBERTA_ROLES, 3, frame=affixes("bos_token", None, "eos_token", is_listed=True)),
    "XLNet": unigram(
        ROBERTA_ROLES | roles(sep="<sep>", cls="<cls>"),
        lambda a: count(a, "unk_id", 0),
        accents(None, False),
        takes_prefix=False,
        prepare=_with_xlnet,
        frame=affixes(None, "sep_token", "cls_token"),
    ),
}
"""By the name of the class without “Tokenizer”."""
KEEPING = {"ConvBert": BERT, "FNet": ALBERT}
"""Classes that keep the components of the file, with the roles and the template of another class."""
