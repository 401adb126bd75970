"""Models with embeddings for tests: some rows as if trained, some as if never trained."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType
from gguf_builder import CONTROL, NORMAL, UNUSED, Tensor, vocab_file

ALIGNMENT = 32


def write_model(
    path: Path,
    tensors: Mapping[str, tuple[GGMLQuantizationType, np.ndarray]],
    n_tokens: int,
    unused: range = range(0),
    **parts: object,
) -> Path:
    """A GGUF of tokens t0, t1 …, some of them marked as unused, and tensors of raw rows, uint8[n, bytes].

    A tensor's width follows from its bytes.
    """
    names = [f"t{row}" for row in range(n_tokens)]
    types = [UNUSED if row in unused else NORMAL for row in range(n_tokens)]
    types[0] = CONTROL
    file = vocab_file(tokens=names, scores=[0.0] * n_tokens, types=types, **parts)
    file.tensors, data = placed(tensors)
    header = file.to_bytes()
    path.write_bytes(header + bytes(-len(header) % ALIGNMENT) + data)
    return path


def placed(tensors: Mapping[str, tuple[GGMLQuantizationType, np.ndarray]]) -> tuple[list[Tensor], bytes]:
    """The entries of the tensors, and their data."""
    from gguf import GGML_QUANT_SIZES

    infos, data = [], b""
    for name, (kind, rows) in tensors.items():
        block, size = GGML_QUANT_SIZES[kind]
        infos.append(Tensor(name, (rows.shape[1] // size * block, len(rows)), int(kind), len(data)))
        data += rows.tobytes() + bytes(-rows.nbytes % ALIGNMENT)
    return infos, data


def rows_with_dead(n_rows: int, width: int, dead: range, offset: float, seed: int = 0) -> np.ndarray:
    """float32[n_rows, width]: trained rows differ, in a cone; dead rows are short, and alike if offset."""
    random = np.random.default_rng(seed)
    common = random.standard_normal(width)
    rows = random.standard_normal((n_rows, width)) + 0.5 * random.standard_normal(width)
    rows *= np.exp(0.2 * random.standard_normal((n_rows, 1)))
    rows[dead] = 0.02 * random.standard_normal((len(dead), width)) + offset * common
    return (0.05 * rows).astype(np.float32)


def with_tensors(
    vocabulary: Path, tensors: Mapping[str, tuple[GGMLQuantizationType, np.ndarray]], path: Path
) -> Path:
    """Write a copy of a GGUF that has only a vocabulary, with tensors added."""
    data = vocabulary.read_bytes()
    infos, rows = placed(tensors)
    header = (
        data[:8] + len(infos).to_bytes(8, "little") + data[16:] + b"".join(info.to_bytes() for info in infos)
    )
    path.write_bytes(header + bytes(-len(header) % ALIGNMENT) + rows)
    return path
