"""SentencePiece models for tests: trained by the library itself, or built field by field."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import sentencepiece

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
PIECES, TRAINER, NORMALIZER = 1, 2, 3
SAMPLES = Path(__file__).parent.parent / "resources" / "samples"
NOTHING: Mapping[int, object] = {}
SENTENCE_BYTES = 2000


@cache
def sentences() -> tuple[str, ...]:
    """The training texts of the small models."""
    texts = [path.read_text(encoding="utf-8")[:6000] for path in sorted(SAMPLES.glob("*.txt"))]
    return tuple(line[:SENTENCE_BYTES] for text in texts for line in text.splitlines() if line.strip())


def trained(**options: object) -> bytes:
    """A model of the library's trainer, by default of a few hundred pieces."""
    written = io.BytesIO()
    usual = {"vocab_size": 700, "hard_vocab_limit": False, "character_coverage": 0.98, "num_threads": 1}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences()), model_writer=written, minloglevel=2, **{**usual, **options}
    )
    return written.getvalue()


def varint(value: int) -> bytes:
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*groups, value])


def field(number: int, value: object) -> bytes:
    """One field of a message, encoded by the type of its value."""
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else bytes(value)
    return varint(number << 3 | 2) + varint(len(data)) + data


def piece(text: str | bytes, score: float = 0.0, kind: int = NORMAL) -> bytes:
    return field(PIECES, field(1, text) + field(2, float(score)) + field(3, kind))


def model(
    pieces: Sequence[bytes],
    trainer: Mapping[int, object] = NOTHING,
    normalizer: Mapping[int, object] = NOTHING,
) -> bytes:
    """Pieces, followed by the trainer and normalizer messages, given by field number."""
    specs = ((TRAINER, trainer), (NORMALIZER, normalizer))
    return b"".join(pieces) + b"".join(
        field(number, b"".join(field(*each) for each in spec.items())) for number, spec in specs
    )


def bin_row(text: bytes, score: float = 0.0) -> bytes:
    """A token in llama2.c's tokenizer.bin."""
    return struct.pack("<fi", score, len(text)) + text


def tokenizer_bin(library: sentencepiece.SentencePieceProcessor) -> bytes:
    """A model as llama2.c writes it."""
    rows = []
    for row in range(library.get_piece_size()):
        text = library.id_to_piece(row).replace("\u2581", " ")
        rows.append((f"\n{text}\n" if library.is_control(row) else text).encode())
    longest = struct.pack("<i", max(map(len, rows)))
    return longest + b"".join(bin_row(text, library.get_score(row)) for row, text in enumerate(rows))


def messages(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a model, all of which are messages."""
    at = 0
    while at < len(data):
        number, size, shift, at = data[at] >> 3, 0, 0, at + 1
        while True:
            size |= (data[at] & 0x7F) << shift
            shift, at = shift + 7, at + 1
            if data[at - 1] < 0x80:
                break
        yield number, data[at : at + size]
        at += size


def with_unused(data: bytes, ids: Sequence[int]) -> bytes:
    """A model in which some pieces are not used."""
    changed, row = b"", 0
    for number, content in messages(data):
        if number == PIECES:
            if row in ids:
                content = content + field(3, UNUSED)
            row += 1
        changed += field(number, content)
    assert sentencepiece.SentencePieceProcessor(model_proto=changed).is_unused(ids[0])
    return changed
