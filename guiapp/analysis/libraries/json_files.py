"""Libraries that read tokenizer.json: what they have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from guiapp.analysis.libraries.contender import Contender, as_str, ids_of_object
from guiapp.analysis.libraries.peer import Peer, only
from guiapp.analysis.libraries.written_models import READS_JSON, check_hugging_face, hugging_face_json
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary


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
