"""Libraries that read tokenizer.json: what they have in common, and those of which little else is to say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from guiapp.core.bench.contenders.contender import Contender, as_str, ids_of_object, with_lists
from guiapp.core.bench.contenders.peer import Peer, only
from guiapp.core.bench.contenders.written_models import READS_JSON, check_hugging_face, hugging_face_json
from guiapp.core.vocab.vocabulary import VocabType, Vocabulary


def json_peer(
    name: str,
    build: Callable[[Any, Any], Contender],
    ids: str,
    types: tuple[VocabType, ...] = tuple(VocabType),
    module: str = "",
    files: Mapping[str, Callable[[Path], Any]] = READS_JSON,
) -> Peer:
    """A library that is given tokenizer.json, as a str; `types` are those of the vocabularies that it has."""
    return Peer(name, module or name, check_for(name, *types), hugging_face_json, build, ids, files=files)


def with_objects(library: Any, decode: Callable[[Any], object], **options: bool) -> Contender:
    """A library of which a call returns an object with ids, special tokens neither added nor read."""
    return Contender(
        partial(library.encode, **options),
        as_str,
        ids_of_object,
        decode,
        encode_batch=lambda texts, _: library.encode_batch(texts, **options),
    )


def check_for(peer: str, *types: VocabType) -> Callable[[Vocabulary], None]:
    """Raises UnavailableError where the library has none of the type, or tokenizer.json cannot say it."""

    def check(vocabulary: Vocabulary) -> None:
        only(peer, *types)(vocabulary)
        check_hugging_face(vocabulary)

    return check


@contextmanager
def as_file(source: str) -> Iterator[Path]:
    """The same as a file, for those that read nothing else."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        path.write_text(source, "utf-8")
        yield path


def _budtiktok(module: Any, source: str) -> Contender:
    library = module.Tokenizer.from_str(source)
    return with_objects(library, library.decode, add_special_tokens=False)


def _fastokens(module: Any, source: str) -> Contender:
    library = module.Tokenizer.from_json_str(source)
    return with_objects(library, library.decode, add_special_tokens=False, split_special_tokens=True)


def _iree(module: Any, source: str) -> Contender:
    library = module.Tokenizer.from_str(source)

    def encode_batch(texts: list[str]) -> list[Any]:
        ids, lengths = library.encode_batch_to_array(texts)
        return np.split(ids, np.cumsum(lengths)[:-1])

    return with_lists(library.encode_to_array, library.decode, encode_batch)


def _snaptokens(module: Any, source: str) -> Contender:
    library = module.Tokenizer.from_json_str(source)
    return with_objects(library, library.decode, add_special_tokens=False)


def _splintr(module: Any, source: str) -> Contender:
    library = module.from_json_bytes(source.encode())
    return with_lists(library.encode_raw, library.decode, library.encode_batch)


def _tokie(module: Any, source: str) -> Contender:
    with as_file(source) as path:
        library = module.Tokenizer.from_json(str(path))
    return with_objects(library, library.decode_bytes, add_special_tokens=False)


def _transformers(module: Any, source: str) -> Contender:
    """Its fast tokenizers are those of `tokenizers` with more around them."""
    with as_file(source) as path:
        library = module.PreTrainedTokenizerFast(
            tokenizer_file=str(path), clean_up_tokenization_spaces=False, split_special_tokens=True
        )
    encode = partial(library.encode, add_special_tokens=False)
    return with_lists(
        encode, library.decode, lambda texts: library(texts, add_special_tokens=False)["input_ids"]
    )


def _tuetoken(module: Any, source: str) -> Contender:
    with as_file(source) as path:
        library = module.Tokenizer(str(path))
    return with_lists(library.encode_ordinary, library.decode, library.encode_ordinary_batch)


OBJECT, LIST, PAIRS = "an object with a list", "a list", (VocabType.BPE, VocabType.SPM)
BUDTIKTOK = json_peer("budtiktok", _budtiktok, OBJECT)
FASTOKENS = json_peer("fastokens", _fastokens, OBJECT, PAIRS)
IREE = json_peer("iree-tokenizer", _iree, "an array", module="iree.tokenizer")
SNAPTOKENS = json_peer("snaptokens", _snaptokens, OBJECT, (VocabType.BPE,))
SPLINTR = json_peer("splintr-rs", _splintr, LIST, module="splintr")
TOKIE = json_peer("tokie", _tokie, OBJECT)
TRANSFORMERS = json_peer("transformers", _transformers, LIST)
TUETOKEN = json_peer("tuetoken", _tuetoken, LIST, PAIRS)
