"""Libraries that read tokenizer.json: what they have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from guiapp.core.bench.contenders.peer import only
from guiapp.core.bench.contenders.written_models import check_hugging_face
from guiapp.core.vocab.vocabulary import VocabType, Vocabulary


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
