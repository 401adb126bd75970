"""Every normalizer, pre-tokenizer and decoder of the library `tokenizers`, with all its options."""

from __future__ import annotations

import json
from typing import Any

from tokenizers import Regex, decoders, normalizers, pre_tokenizers

from guiapp.core.hugging_face.normalizers import Normalizer
from guiapp.core.hugging_face.pre_tokenizers import PreparedText, PreTokenizer, normalize, pre_tokenize
from guiapp.core.text.charsmap import build_charsmap

MAP = {
    "a": "X", "e\u0301": "é", "\r\n": " ", "\r": "R", "\n": " ", "ab": "Q", "\u1100": "L", "\u1161": "",
    "©": "(c)", "®": "(r)", "\u0915": "KA", "\u0301": "'", "\u200d": "", "ﬁ": "fi", "\u0600": "N",
    "가": "GA", "\u0e33": "\u0e4d\u0e32", "\ufeff": "", "\x01": "", "中": "国国", "🙂": ":)",
}  # fmt: skip
FORMS = [normalizers.NFC(), normalizers.NFD(), normalizers.NFKC(), normalizers.NFKD()]
PRECOMPILED = normalizers.Precompiled(build_charsmap(MAP))
OTHERS = [
    *(
        normalizers.Lowercase(),
        normalizers.StripAccents(),
        normalizers.Nmt(),
        normalizers.ByteLevel(),
        PRECOMPILED,
    ),
    *(normalizers.Strip(left, right) for left in (False, True) for right in (False, True)),
    *(normalizers.Prepend(content) for content in ("▁", "ab", "")),
    normalizers.Replace(" ", "▁"),
    normalizers.Replace("``", '"'),
    normalizers.Replace(Regex(r"\s+"), " "),
    normalizers.Replace(Regex(" {2,}"), "▁"),
    normalizers.Replace(Regex(r"[^\p{L}]"), ""),
    *(
        normalizers.BertNormalizer(clean, apart, strip, lower)
        for clean in (False, True)
        for apart in (False, True)
        for strip in (None, False, True)
        for lower in (False, True)
    ),
]

BEHAVIORS = ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous")
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
DEEPSEEK = (
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
    r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CL100K_POSSESSIVE = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]"
    r"|\s+(?!\S)|\s+"
)
EXPRESSIONS = [
    *(GPT2, LLAMA3, O200K, DEEPSEEK, CL100K_POSSESSIVE, "[一-龥぀-ゟ゠-ヿ]+"),
    r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    *(" ?[^(\\s|[.,!?…。，、।۔،])]+", " {2,}", r"\s+", r"\n", r"\r\n", r"\p{N}{1,3}", "[0-9][0-9][0-9]"),
]
PLAIN = [
    *(pre_tokenizers.ByteLevel(space, use_regex=cuts) for space in (False, True) for cuts in (False, True)),
    *(
        pre_tokenizers.Metaspace(symbol, scheme, split)
        for symbol in "▁_"
        for scheme in ("always", "first", "never")
        for split in (False, True)
    ),
    *(pre_tokenizers.Punctuation(behavior) for behavior in BEHAVIORS),
    *(pre_tokenizers.Digits(alone) for alone in (False, True)),
    *(pre_tokenizers.FixedLength(length) for length in (1, 2, 5, 1000)),
    *(pre_tokenizers.CharDelimiterSplit(each) for each in " a国"),
    *(
        pre_tokenizers.Whitespace(),
        pre_tokenizers.WhitespaceSplit(),
        pre_tokenizers.BertPreTokenizer(),
        pre_tokenizers.UnicodeScripts(),
    ),
]
SPLITS = [
    pre_tokenizers.Split(pattern, behavior, invert)
    for pattern in (" ", "aa", "国", *map(Regex, EXPRESSIONS))
    for behavior in BEHAVIORS
    for invert in (False, True)
]

DECODERS = [
    *(decoders.ByteLevel(), decoders.ByteFallback(), decoders.Fuse()),
    *(decoders.WordPiece(prefix, clean) for prefix in ("##", "") for clean in (False, True)),
    *(decoders.Metaspace("▁", scheme) for scheme in ("always", "first", "never")),
    *(decoders.BPEDecoder(suffix) for suffix in ("</w>", "a")),
    *(decoders.Strip(" ", start, stop) for start in (0, 1, 3) for stop in (0, 1)),
    *(decoders.Replace("▁", " "), decoders.Replace(Regex(r"\s+"), "_"), decoders.Replace("a", "")),
    *(decoders.CTC("<pad>", "|", clean) for clean in (False, True)),
]


def json_of(component: Any) -> Any:
    """The entry of the component in a tokenizer.json."""
    return json.loads(component.__getstate__())


def prepare(
    normalizer: Normalizer, pre_tokenizer: PreTokenizer, fragment: bytes, is_first: bool
) -> PreparedText:
    """A fragment normalized and split into pieces; `is_first`: it begins the whole text."""
    return pre_tokenize(pre_tokenizer, normalize(normalizer, fragment, is_first))
