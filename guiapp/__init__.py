"""Tokenloupe: see, step through and measure the tokenization of any model file.

import guiapp
tokenizer = guiapp.open_model("model.gguf")
encoding = tokenizer.encode("Hello world")
encoding.token_ids, encoding.spans
tokenizer.decode(encoding.token_ids)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from os import PathLike, fsdecode
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from guiapp.core.open_model import open_model
from guiapp.errors import ChatError, EncodeError, TokenloupeError, UnknownPreError, VocabError

if TYPE_CHECKING:
    from guiapp.analysis.chat.chat import Chat
    from guiapp.analysis.chat.report import ChatComparison
    from guiapp.analysis.compare.comparison import Comparison
    from guiapp.analysis.compare.draft import DraftVerdict
    from guiapp.analysis.data.batches import data_table
    from guiapp.analysis.data.examined import DataExaminer, DataOptions
    from guiapp.analysis.data.summary import TrainingData
    from guiapp.analysis.doctor.doctor import Diagnosis
    from guiapp.analysis.doctor.fixed_copy import Fixed
    from guiapp.analysis.explain.spelling import Spelling
    from guiapp.analysis.explain.why.explanation import TokenWhy
    from guiapp.analysis.hunt.mismatches import Hunt
    from guiapp.analysis.hunt.other_readings import OtherReading
    from guiapp.analysis.languages.languages import Languages
    from guiapp.analysis.vocabulary_list.columns import TokenFigures
    from guiapp.analysis.vocabulary_list.listing import TokenList
    from guiapp.analysis.vocabulary_list.special_tokens import SpecialToken
    from guiapp.core.encode.counting.chunks import IntervalCounter, chunk_text
    from guiapp.core.encode.counting.cost import costly_texts
    from guiapp.core.encode.counting.growing import AppendEncoder, PrependEncoder
    from guiapp.core.encode.tokenizer import Tokenizer

__version__ = "0.1.0"
__all__ = [
    "AppendEncoder",
    "ChatComparison",
    "ChatError",
    "DataExaminer",
    "DataOptions",
    "EncodeError",
    "IntervalCounter",
    "PrependEncoder",
    "Spelling",
    "TokenloupeError",
    "UnknownPreError",
    "VocabError",
    "chat",
    "chunk_text",
    "compare",
    "costly_texts",
    "data",
    "data_table",
    "doctor",
    "draft",
    "fix",
    "hunt",
    "languages",
    "open_model",
    "other_readings",
    "special",
    "vocab",
    "why",
]
PATHS = str, bytes, PathLike
MODULES = {  # names imported on first use, to keep the start fast
    "AppendEncoder": "core.encode.counting.growing",
    "ChatComparison": "analysis.chat.report",
    "DataExaminer": "analysis.data.examined",
    "DataOptions": "analysis.data.examined",
    "IntervalCounter": "core.encode.counting.chunks",
    "PrependEncoder": "core.encode.counting.growing",
    "Spelling": "analysis.explain.spelling",
    "chunk_text": "core.encode.counting.chunks",
    "costly_texts": "core.encode.counting.cost",
    "data_table": "analysis.data.batches",
}


def __getattr__(name: str) -> object:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{MODULES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def _opened(model: str | PathLike[str] | Tokenizer) -> Tokenizer:
    return open_model(model) if isinstance(model, PATHS) else model


def _named(model: str | PathLike[str] | Tokenizer) -> tuple[str, Tokenizer]:
    tokenizer = _opened(model)
    return fsdecode(model) if isinstance(model, PATHS) else tokenizer.vocabulary.name, tokenizer


def _all_named(
    models: Sequence[str | PathLike[str] | Tokenizer],
) -> list[tuple[str, Tokenizer]]:
    if isinstance(models, PATHS):  # a string would be taken for a list of characters
        raise TypeError("This takes a list of models, not a single one.")
    return [_named(model) for model in models]


def chat(
    model: str | PathLike[str] | Tokenizer,
    messages: object,
    template: str | PathLike[str] | None = None,
    tools: object = None,
    add_generation_prompt: bool = True,
    add_special: bool = True,
    variables: Mapping[str, object] = MappingProxyType({}),
    as_text: bool = False,
) -> Chat:
    """Render messages with a chat template; the result holds the tokens and their origins.

    messages   in OpenAI's form, as values or JSON; or a request with `messages` and `tools`
    template   the name of one of the model's templates, a file, or a text; by default as in `transformers`
    variables  additional variables for the template, such as {"enable_thinking": False}
    as_text    whether content that looks like a control token stays text
    The result has `text`, `token_ids`, `origins` (of each token), `turns`, `is_generated` (by the assistant),
    `budget`, and `as_text`: the tokens if content may not become control tokens.
    `guiapp.analysis.chat.hints.hints` lists possible problems, `guiapp.analysis.chat.report` the differences
    between two prompts.
    The template runs in its own process, for at most 2 s.  Raises ChatError for messages or a template that
    cannot be rendered, VocabError for a model that cannot be used.

    chat = guiapp.chat("demo:bpe", [{"role": "user", "content": "Hello"}])
    [origin.message for origin in chat.origins]
    """
    from guiapp.analysis.chat.chat import chat_of
    from guiapp.analysis.chat.messages import ChatSettings, conversation_of

    conversation = conversation_of(messages, tools)
    tokenizer = _opened(model)
    given = None if template is None else fsdecode(template)
    settings = ChatSettings(given, add_generation_prompt, add_special, as_text, dict(variables))
    return chat_of(tokenizer, conversation, settings)


def compare(
    models: Sequence[str | PathLike[str] | Tokenizer],
    text: str | bytes,
    add_special: bool = True,
    parse_special: bool = True,
) -> Comparison:
    """Encode one text with 1 to 255 models: tokenizers, or what `open_model` takes.

    The result has `encodings`, `spans` (how many models have each token's span, and where they differ),
    `counts` and `difference_ids`.  Raises VocabError for a model that cannot be used, EncodeError for a text
    that a model cannot encode.

    comparison = guiapp.compare(["model.gguf", "demo:bpe"], "Hello world")
    comparison.spans.differences                  # int64[d, 2]: byte ranges where not all spans are equal
    comparison.difference_ids(0)                  # of the first of them, the token ids of each model
    """
    from guiapp.analysis.compare.comparison import ModelSide, compare_text

    named = _all_named(models)
    sides = [ModelSide(name, tokenizer, None, add_special, parse_special) for name, tokenizer in named]
    return compare_text(sides, text)


def data(
    model: str | PathLike[str] | Tokenizer,
    records: str | PathLike[str] | Iterable[object],
    template: str | PathLike[str] | None = None,
    mask: str = "auto",
    max_length: int | None = None,
    shape: str | None = None,
    add_special: bool | None = None,
    variables: Mapping[str, object] = MappingProxyType({}),
    workers: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> TrainingData:
    """Examine training data token by token: records, which of their tokens count in the loss, and faults.

    records      a file (JSON lines or an array, also gzipped; Parquet with pyarrow), or values: `messages`,
                 `conversations`, `prompt` and `completion`, `prompt`, `chosen` and `rejected`, or `text`
    mask         `auto`, `generation` (tags of the template), `derived` (what each turn adds to the prompt of
                 the previous turns), `completion`, `all`, or `marker:A…B`
    max_length   tokens to keep of each record
    add_special  whether to put BOS and the like around a text; by default not around a conversation
    workers      processes, by default one a core, 0 for none; scripts need no `__main__` guard for them
    progress     called with the share done; an exception that it raises stops the work

    The result has `lengths` and `trained` (int32[n], tokens of each record), `tokens` (their sums),
    `findings` (each with `code`, `severity`, `what`, `remedy`, `n_records`, and an example: `record` and
    `token`), and `records`: a sequence of records with `token_ids`, `is_trained` (bool[n]), `labels`, `text`
    and `origins` (message and line of the template of each token).  Unusable records are a finding.
    Raises VocabError for a model that cannot be used, TokenloupeError for a file or mask, ChatError for a
    template that does not exist.

    data = guiapp.data("demo:bpe", [{"prompt": "Say hello.", "completion": " Hello!"}])
    data.records[0].token_ids[data.records[0].is_trained]
    """
    from guiapp.analysis.data.examined import DataExaminer, DataOptions
    from guiapp.analysis.data.records import open_records
    from guiapp.analysis.data.summary import training_data

    given = None if template is None else fsdecode(template)
    options = DataOptions(given, mask, max_length, shape, add_special, dict(variables))
    examiner = DataExaminer(_opened(model), options)
    return training_data(examiner, open_records(records), workers, progress or (lambda _: None))


def doctor(model: str | PathLike[str], original: str | PathLike[str] | None = None) -> Diagnosis:
    """Check the file of a tokenizer; with `original`, also compare it with the file it was converted from.

    The result has `findings`, the worst first, each with `code`, `severity`, `what`, `remedy` and `changes`:
    a text with its ids `before` and `after`.  Code in the file is never run.  Raises VocabError for a file
    without a tokenizer, ChatError for a template that cannot be read; a tokenizer's file that cannot be
    used is a finding.

    [finding.what for finding in guiapp.doctor("demo:bpe").findings if finding.severity == "error"]
    """
    from guiapp.analysis.doctor.doctor import doctor as examined

    return examined(model, original)


def other_readings(
    model: str | PathLike[str] | Tokenizer, lines: Iterable[str | bytes] = ()
) -> tuple[OtherReading, ...]:
    """Which other programs give other ids for a model: transformers, llama.cpp, tiktoken and the like.

    Each reading has `name`, `version`, `is_same` (None: unknown, see `why`), `text`, the shortest one with
    other ids, its `token_ids` and `own_token_ids`, and how many of some texts and of your `lines` differ:
    `differ` of `compared`, `differing_lines` of `lines`.  Readings that this package implements are compared;
    no library runs.  Raises VocabError for a model that cannot be used.

    [reading.sentence() for reading in guiapp.other_readings("demo:bpe")]
    """
    from guiapp.analysis.hunt.other_readings import other_readings as read_by_others
    from guiapp.core.encode.encoding import as_bytes

    return read_by_others(_opened(model), [as_bytes(line) for line in lines])


def draft(
    target: str | PathLike[str] | Tokenizer, draft: str | PathLike[str] | Tokenizer
) -> tuple[DraftVerdict, ...]:
    """Whether a model may draft for a target in speculative decoding, by llama.cpp, vLLM and SGLang.

    Each verdict has `program`, `may_draft` (None if these files do not show it), `cause` in a few words,
    `reason`, the first `token_id` that forbids it, and a `remedy`.  Sizes are taken from config.json next to
    a tokenizer, if there is one.  Raises VocabError for a model that cannot be used.

    all(verdict.may_draft for verdict in guiapp.draft("model.gguf", "demo:bpe"))
    """
    from guiapp.analysis.compare.draft import draft_verdicts

    return draft_verdicts(_opened(target), _opened(draft))


def fix(
    model: str | PathLike[str],
    out: str | PathLike[str],
    only: Sequence[str] | None = None,
    original: str | PathLike[str] | None = None,
    seconds: float = 5.0,
    force: bool = False,
    progress: Callable[[float], None] | None = None,
) -> Fixed:
    """Write a fixed copy of a model's file to `out`, examine it, and compare its ids with the model's.

    only      codes of findings, as CODE or CODE=CHOICE: `names` of the `fixes` that `doctor` returns;
              by default all fixes that need no choice
    original  the file that the model was converted from: the source of kinds, scores and merge rules
    seconds   the time to compare, in other processes: a script calls this below `if __name__ == "__main__":`;
              0 to skip it
    force     whether a file at `out` may be replaced; the model itself never is
    progress  called with the share done; an exception that it raises stops the work

    The result has `path`, `fixed` (codes), `changes` (each value that differs), `remaining` and `new`
    (findings of the copy), and `hunt`: its `finds` are texts whose ids have changed.  A GGUF becomes a GGUF
    with the same tensors and order of keys; a tokenizer.json with sidecar files becomes a folder.
    Raises TokenloupeError if no copy is written, VocabError for a model that cannot be used.

    guiapp.fix("model.gguf", "fixed.gguf", ["pre_missing=llama-bpe"]).fixed
    """
    from guiapp.analysis.doctor.fixed_copy import fix as fixed

    report = progress or (lambda _share: None)
    return fixed(model, out, only, original, seconds=seconds, force=force, progress=report)


def hunt(
    first: str | PathLike[str],
    second: str | PathLike[str],
    files: Sequence[str | PathLike[str]] = (),
    seconds: float = 30.0,
    seed: int = 0,
    batches: int | None = None,
    progress: Callable[[Hunt], None] | None = None,
    texts: int | None = None,
) -> Hunt:
    """Search for texts on which two tokenizers differ; the result has the shortest one for each cause.

    texts  how many to compare, instead of `seconds`: the same ones for the same seed, on every machine

    `why_inconclusive` of the result is the reason why a hunt without differences proves nothing, or "".

    `second` may also be an installed library such as "llama.cpp", by its name in
    `guiapp.analysis.libraries.table.PEERS`.  Starts processes, so a script calls it below
    `if __name__ == "__main__":`.
    Raises TokenloupeError for a model that cannot be opened, and OSError for texts that cannot be read.
    """
    from guiapp.analysis.hunt.engine import HuntPlan
    from guiapp.analysis.hunt.engine import hunt as states

    names = fsdecode(first), fsdecode(second), tuple(map(fsdecode, files))
    plan = HuntPlan(*names, seconds, seed, batches, most_texts=texts)
    for state in states(plan):
        if progress is not None:
            progress(state)
    return state


def languages(
    models: Sequence[str | PathLike[str] | Tokenizer],
    folder: str | PathLike[str],
    reference: str = "eng_Latn",
    progress: Callable[[float], object] | None = None,
) -> Languages:
    """Count the tokens of parallel texts: a folder with one file for each language, such as `tha_Thai.txt`.

    A language is named like its file, up to the first dot.  Lines are joined by spaces; no BOS is added.
    The result has `models`, `languages` and, as arrays with a row for each model and a column for each
    language, `tokens`, `premium` (tokens for each token of the `reference`), `characters_per_token`,
    `bytes_per_token`, `whole_word_share` (of words in one token), `unknown_share`, `vocabulary_share`;
    `mean_premium` float64[m], `parity` float64[l, 2] (the lowest and highest premium over the models), and
    `notes`: skipped files and oddities.  `progress` gets the share done, 0 to 1.
    Raises VocabError for a model that cannot be used, TokenloupeError for a folder without two languages or
    without the reference, EncodeError for a text that cannot be encoded.

    found = guiapp.languages(["demo:bpe", "demo:spm"], "flores")
    dict(zip(found.languages, found.premium[0].tolist()))
    """
    from guiapp.analysis.compare.comparison import ModelSide
    from guiapp.analysis.languages.languages import compare_languages

    sides = [ModelSide(name, tokenizer) for name, tokenizer in _all_named(models)]
    return compare_languages(sides, Path(fsdecode(folder)), reference, progress or (lambda _: None))


def special(model: str | PathLike[str] | Tokenizer) -> tuple[SpecialToken, ...]:
    """List the special tokens of a model by id: those with a kind, a role, or a reserved name.

    Each has `token_id`, `name`, `roles` (with the key that sets each), `reach` (how a text becomes the token,
    and `text`: which), `end` (why llama.cpp ends a generation there, or ""), `mark` (its mark in the file),
    `is_reserved`, and `is_unused`: as far as the files show.  Raises VocabError for a model that cannot be
    used.

    [token.name for token in guiapp.special("demo:bpe") if token.end]
    """
    from guiapp.analysis.vocabulary_list.special_tokens import special_list

    return special_list(_opened(model))


def vocab(
    model: str | PathLike[str] | Tokenizer,
    query: str = "",
    sort: str | None = None,
    descending: bool = False,
    columns: Sequence[str] | None = None,
    embeddings: bool = False,
) -> TokenList[TokenFigures]:
    """List the tokens of a model that match a filter, such as `kind:normal -is:byte length:>=8 script:Han`.

    The modules `filters` and `columns` of `guiapp.analysis.vocabulary_list` list the filters and the columns.
    The result has `ids` (int32[k], in order), `record(id)` (a dict of the columns) and `figures`, arrays over
    all tokens; `embeddings` reads the embeddings and adds `figures.indicators`.  Raises VocabError for a
    model that cannot be used or has no embeddings, TokenloupeError for an unknown filter or column.

    found = guiapp.vocab("demo:bpe", "length:>8", sort="length")
    [found.record(token_id)["token"] for token_id in found.ids.tolist()]
    """
    from guiapp.analysis.vocabulary_list.filters import vocabulary_list

    return vocabulary_list(_opened(model), query, sort, descending, columns, reads_embeddings=embeddings)


def why(
    model: str | PathLike[str] | Tokenizer,
    text: str | bytes,
    start: int,
    end: int | None = None,
    add_special: bool = True,
    parse_special: bool = True,
    encoder: str | None = None,
) -> list[TokenWhy]:
    """Explain each token with text in the bytes [start, end); without `end`, in the byte at `start`.

    Each has `stages` (bytes, partition, normalise, split, encode, token) of `lines`, and `merges`, the lines
    with a pair that was `merged` and the candidate that `lost`.  An empty range explains the tokens without
    text there, such as BOS.  Raises VocabError for a model that cannot be used, EncodeError for a text that
    it cannot encode or an offset outside the text.

    [(line.text, line.note) for stage in guiapp.why("demo:bpe", "Hello", 0)[0].stages for line in stage.lines]
    """
    from guiapp.analysis.explain.why.why import why as told

    return told(_opened(model), text, start, end, add_special, parse_special, encoder)
