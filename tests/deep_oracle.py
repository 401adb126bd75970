"""llama.cpp with a stack deep enough for its regular expressions, which recurse once per character."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

SHALLOW = 2_000  # bytes of text for which any stack suffices
STACK_BYTES = 2 << 30  # the system allocates only what is used


class DeepOracle:
    """llama_oracle.LlamaOracle with ids as arrays, and a thread of its own for each long text."""

    def __init__(self, path: str | Path) -> None:
        self._oracle = pytest.importorskip("llama_oracle").LlamaOracle().load(os.fspath(path))
        self.detokenize = self._oracle.detokenize

    def tokenize(self, text: bytes, add_special: bool, parse_special: bool) -> NDArray[np.int32]:
        if len(text) <= SHALLOW:
            return np.array(self._oracle.tokenize(text, add_special, parse_special), np.int32)
        results: list[list[int]] = []

        def run() -> None:
            results.append(self._oracle.tokenize(text, add_special, parse_special))

        former_size = threading.stack_size(STACK_BYTES)
        thread = threading.Thread(target=run)
        thread.start()
        threading.stack_size(former_size)
        thread.join()
        return np.array(results[0], np.int32)

    def close(self) -> None:
        self._oracle.close()


def assert_same_ids(actual: NDArray[np.int32], expected: NDArray[np.int32], story: object) -> None:
    """Compare long rows of ids without printing all of them."""
    if np.array_equal(actual, expected):
        return
    length = min(len(actual), len(expected))
    differing = np.flatnonzero(actual[:length] != expected[:length])
    at = int(differing[0]) if len(differing) else length
    pytest.fail(
        f"{story}: {len(actual)} ids instead of {len(expected)}; at {at} "
        f"{actual[at : at + 8].tolist()} instead of {expected[at : at + 8].tolist()}"
    )
