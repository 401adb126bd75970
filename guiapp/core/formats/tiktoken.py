"""tiktoken's files: each line has a token in base64 and its rank.

They contain neither their pattern nor their special tokens; for published files, this module has both.
Source: https://github.com/openai/tiktoken, tiktoken/load.py; the models' own published code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.formats.file_bytes import WholeFile
from guiapp.core.formats.ranks import MOST_TOKENS, RANK_PATTERNS, RankFile, patterns_of, vocabulary_of
from guiapp.core.formats.tokenizer_config import TRANSFORMERS, SidecarFiles, read_sidecars
from guiapp.core.pretokenize.splitter import splitter_of
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.text.utf8 import is_text
from guiapp.core.vocabulary.opening import METADATA, FileNote, Opening
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.errors import UnknownPreError, VocabError
from guiapp.native.model_files import Packed, rank_lines, sliced

LINE = rb"(?:[A-Za-z0-9+/]{4}){0,250}(?:[A-Za-z0-9+/]{2}(?:==|[A-Za-z0-9+/]=))? ([0-9]{1,10})\r?\n"
LIBRARY = "tiktoken"  # also the name of the reading that uses the ranks alone
EMPTY = b"\n= "  # the start of the empty token's line; base64.b64decode accepts it
USUAL_SIZES = {
    "r50k_base": 50_000,
    "cl100k_base": 100_000,
    "llama-3": 128_000,
    "kimi": 163_000,
    "qwen": 151_000,
    "o200k_base": 200_000,
}
"""The approximate number of tokens of vocabularies with each pattern."""

MOST_TRIED = 20_000  # tokens on which patterns are tried
LEAST_WHOLE = 1000  # the right pattern cuts fewer than one in a thousand tokens


class KnownFile(NamedTuple):
    """What a published file does not contain itself.

    composes  whether the model's own code composes characters (NFC) before it splits a text
    roles     texts of the tokens of roles, if a config names them
    """

    name: str
    pre: str
    special: Mapping[str, int]
    bos: str = ""
    notes: tuple[FileNote, ...] = ()
    composes: bool = False
    roles: Mapping[str, str] = {}

    @property
    def is_of_model(self) -> bool:
        """Whether it belongs to one model; False for a vocabulary that several models extend."""
        return not self.name.endswith("_base")


def _from(first: int, *texts: str) -> dict[str, int]:
    return {text: first + number for number, text in enumerate(texts)}


FILL_IN = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")
CL100K = _from(100257, "<|endoftext|>", *FILL_IN) | {"<|endofprompt|>": 100276}
LLAMA_3 = _from(
    128000,
    *("<|begin_of_text|>", "<|end_of_text|>", "<|reserved_special_token_0|>", "<|reserved_special_token_1|>"),
    *(
        "<|finetune_right_pad_id|>",
        "<|reserved_special_token_2|>",
        "<|start_header_id|>",
        "<|end_header_id|>",
    ),
    *("<|eom_id|>", "<|eot_id|>", "<|python_tag|>"),
    *(f"<|reserved_special_token_{number}|>" for number in range(3, 248)),
)
QWEN = _from(151643, "<|endoftext|>", "<|im_start|>", "<|im_end|>", *(f"<|extra_{n}|>" for n in range(205)))


def _numbered(name: str, *numbers: int) -> tuple[str, ...]:
    """Llama 4's reserved tokens for one purpose."""
    return tuple(f"<|{name}reserved_special_token_{number}|>" for number in range(*numbers))


LLAMA_4 = _from(
    200000,
    *("<|begin_of_text|>", "<|end_of_text|>", *FILL_IN),
    *("<|header_start|>", "<|header_end|>", "<|eom|>", "<|eot|>", "<|step|>"),
    *_numbered("text_post_train_", 6),
    *("<|python_start|>", "<|python_end|>", "<|finetune_right_pad|>"),
    *_numbered("text_post_train_", 8, 69),
    *("<|image_start|>", "<|image_end|>", *_numbered("vision_", 2)),
    *("<|tile_x_separator|>", "<|tile_y_separator|>", *_numbered("vision_", 2, 6)),
    *("<|image|>", *_numbered("vision_", 6, 7), "<|patch|>", *_numbered("vision_", 7, 1048)),
    *(*_numbered("reasoning_", 8), "<|reasoning_thinking_start|>", "<|reasoning_thinking_end|>"),
    *_numbered("", 904),
)
KIMI_NAMES = (
    "[BOS] [EOS] <|im_end|> <|im_user|> <|im_assistant|> . <|start_header_id|> <|end_header_id|> . [EOT] "
    "<|im_system|> <|tool_calls_section_begin|> <|tool_calls_section_end|> <|tool_call_begin|> "
    "<|tool_call_argument_begin|> <|tool_call_end|> . <|im_middle|> <|media_begin|> <|media_content|> "
    "<|media_end|> <|media_pad|> <think> </think>" + " ." * 230 + " [UNK] [PAD]"
).split()
KIMI = {f"<|reserved_token_{n}|>" if text == "." else text: n for n, text in enumerate(KIMI_NAMES, 163584)}
LANGUAGES = (
    "en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg "
    "lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so "
    "af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su"
)
WHISPER = _from(
    50257,
    *("<|endoftext|>", "<|startoftranscript|>", *(f"<|{language}|>" for language in LANGUAGES.split())),
    *("<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>", "<|nospeech|>"),
    *("<|notimestamps|>", *(f"<|{number * 0.02:.2f}|>" for number in range(1501))),
)
CUTS_FIRST = FileNote(
    "repairs_first",
    "The model's own code first cuts a text after 400,000 characters, and after 25,000 without or with "
    "nothing but white space; here such a text stays whole.",
)
KNOWN_FILES = {
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930": KnownFile(
        "r50k_base", "r50k_base", {"<|endoftext|>": 50256}
    ),
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069": KnownFile(
        "p50k_base", "r50k_base", {"<|endoftext|>": 50256}
    ),
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7": KnownFile(
        "cl100k_base", "cl100k_base", CL100K
    ),
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d": KnownFile(
        "o200k_base", "o200k_base", {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}
    ),
    "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55": KnownFile(
        "Llama 3",
        "llama-3",
        LLAMA_3,
        "<|begin_of_text|>",
        (
            FileNote(
                "versions_differ",
                "Special tokens are named as in Llama 3.1. Llama 3 shares the file, but names five "
                "differently.",
            ),
            CUTS_FIRST,
        ),
    ),
    "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186": KnownFile(
        "Qwen",
        "qwen",
        QWEN,
        composes=True,
    ),
    "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed": KnownFile(
        "Llama 4", "o200k_base", LLAMA_4, "<|begin_of_text|>", (CUTS_FIRST,)
    ),
    "b6c497a7469b33ced9c38afb1ad6e47f03f5e5dc05f15930799210ec050c5103": KnownFile(
        "Kimi K2",
        "kimi",
        KIMI,
        "",
        (
            FileNote(
                "versions_differ",
                "Special tokens are named as in Kimi K2.5. Kimi K3 shares the file, but names some "
                "differently.",
            ),
            CUTS_FIRST,
        ),
    ),
    "b34b360dbb493e781e479794586d661700670d65564001f23024971d1f2fa126": KnownFile(
        "Whisper",
        "r50k_base",
        WHISPER,
        "",
        (
            FileNote(
                "versions_differ",
                "Special tokens are those that Whisper has up to large-v2; later versions add Cantonese.",
            ),
        ),
    ),
}
"""By the SHA-256 of the file."""
KNOWN_CLASSES = {
    "Phi3SmallTokenizer": KnownFile("Phi-3-small", "cl100k_base", {}),
    "QWenTokenizer": KnownFile("Qwen", "qwen", {}, composes=True),
    "TikTokenTokenizer": KnownFile("Kimi", "kimi", {}, notes=(CUTS_FIRST,)),
}
"""By the class that a tokenizer_config.json names; the pattern is in the code of that class."""
WHY_RANKS = (
    "tiktoken goes by the ranks alone: neither by the model's own code nor by configs next to the file."
)


def sniff(head: bytes) -> bool:
    """Whether the first two lines of a file are tokens with consecutive ranks."""
    parsed = re.match(LINE + LINE, head)
    return parsed is not None and int(parsed[2]) == int(parsed[1]) + 1


def read(path: Path, opening: Opening, pre: str | None) -> Vocabulary:
    """Raises VocabError for a damaged file, and UnknownPreError for an unknown one without `pre`."""
    from hashlib import sha256  # a slow import that other formats do not need

    file = WholeFile(path, opening)
    known, sidecars = KNOWN_FILES.get(sha256(file.data).hexdigest()), read_sidecars(path)
    opening.begin(METADATA)
    texts, ids = _tokens(file)
    if pre == TRANSFORMERS:
        from guiapp.core.auto_tokenizer.vocabulary import of_ranks

        return of_ranks(file, texts, ids, opening)
    own = _own(known, sidecars, ids)
    readings = {LIBRARY: WHY_RANKS} if own is not None and (own != known or own.composes) else {}
    known = own if pre != LIBRARY else known._replace(composes=False) if known else None
    pre = None if pre == LIBRARY and known is None else pre
    if pre is None and known is None:
        likely, fits = likely_patterns(texts)
        what = "is an unknown list of ranks, and such files do not specify how text is split"
        best = likely[0] if fits else "no known pattern"
        advice = f"Choose a pattern by hand: {best} keeps its tokens whole."
        raise UnknownPreError(str(file.error(what, advice)), "", likely)
    named, chosen = known.pre if known else "", pre or ""
    patterns = patterns_of(named if chosen == LIBRARY else chosen or named)
    if patterns is None:
        raise VocabError(
            f"There is no pre-tokenizer “{quoted(chosen)}”. Choose one of: {', '.join(RANK_PATTERNS)}."
        )
    return vocabulary_of(
        file,
        RankFile(
            texts,
            ids,
            special=known.special if known else {},
            pre=named,
            patterns=patterns,
            name=known.name if known else path.stem,
            bos=known.bos if known else "",
            chosen_pre="" if chosen == named else chosen,
            warnings=(*_warnings(known, chosen), *sidecars.warnings),
            metadata=sidecars.config,
            roles=known.roles if known else {},
            composes=known.composes if known else False,
            readings=sidecars.readings | readings,
        ),
        opening,
    )


def _own(known: KnownFile | None, sidecars: SidecarFiles, ids: NDArray[np.int64]) -> KnownFile | None:
    """What the model's own code uses: the known facts, and the tokens and roles in its configs."""
    config = sidecars.config
    if known is None or not known.is_of_model:
        known = KNOWN_CLASSES.get(str(config.get("tokenizer_class")), known)
    named = _named(config.get("added_tokens_decoder"), ids)
    if known is None or not named:
        return known
    by_id = named | {row: text for text, row in known.special.items() if row not in named}
    special = {text: row for row, text in by_id.items() if row in named or known.is_of_model}
    special |= {text: row for row, text in named.items()}
    roles = {role: text for role, text in sidecars.roles.items() if text in special}
    adds, bos = config.get("add_bos_token"), known.bos
    if isinstance(adds, bool):
        bos = roles.get("bos", bos) if adds else ""
    return known._replace(special=special, roles=roles, bos=bos if bos in special else "")


def _named(decoder: object, ids: NDArray[np.int64]) -> dict[int, str]:
    """The tokens in a config by their ids, without ids that are ranks and without invalid entries."""
    known, named = set(ids.tolist()), dict[int, str]()
    for key, spec in decoder.items() if isinstance(decoder, dict) else ():
        text = spec.get("content") if isinstance(spec, dict) else None
        if isinstance(text, str) and text and key.isdecimal() and int(key) not in known:
            named[int(key)] = text
    return named


def likely_patterns(tokens: Packed) -> tuple[list[str], bool]:
    """The names of all patterns, fewest tokens cut first, and whether the first one cuts almost none.

    Merges never cross piece boundaries, so the right pattern cuts no tokens.  Of equal patterns, the one
    whose vocabulary has the most similar size comes first.
    """
    texts = sliced(*tokens)
    tried = [text for text in texts[:: len(texts) // MOST_TRIED + 1] if len(text) > 1 and is_text(text)]
    data = np.frombuffer(b"".join(tried), np.uint8)
    ends = np.cumsum([len(text) for text in tried], dtype=np.int64)
    n_cuts = {
        name: len(splitter_of((pattern,)).split_each(data, ends)) - len(tried)
        for name, pattern in RANK_PATTERNS.items()
    }
    names = sorted(RANK_PATTERNS, key=lambda name: (n_cuts[name], abs(USUAL_SIZES[name] - len(texts))))
    return names, n_cuts[names[0]] * LEAST_WHOLE < len(tried)


def _warnings(known: KnownFile | None, chosen: str) -> tuple[FileNote, ...]:
    if known is None:
        message = (
            f"Text is split as “{chosen}”, chosen by hand; the file gives neither that nor special tokens."
        )
        return (FileNote("pre_by_hand", message),)
    message = f"Text is split as “{chosen}”, chosen by hand; {known.name} uses “{known.pre}”."
    is_other = chosen not in ("", known.pre, LIBRARY)
    return (*known.notes, *[FileNote("pre_by_hand", message)] * is_other)


def _tokens(file: WholeFile) -> tuple[Packed, NDArray[np.int64]]:
    n_lines = file.data.count(b"\n") + 1
    if n_lines > MOST_TOKENS:
        raise file.error(f"has {n_lines:,} lines, more than any vocabulary has")
    data = file.data if EMPTY not in file.data else (b"\n" + file.data).replace(EMPTY, b"\n ")
    parsed = rank_lines(np.frombuffer(data, np.uint8), n_lines)
    if not isinstance(parsed, int):
        return parsed
    line, *others = data.splitlines()[parsed:]
    if b" " not in line and not others:
        raise file.error("ends in the middle of a line")
    raise file.error(f"has a line that is not a token in base64 and its rank: “{quoted(line)}”")
