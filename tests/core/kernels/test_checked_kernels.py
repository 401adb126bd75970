"""Kernels do not check their indices: here they run as plain Python, and compiled with checks of bounds.

Those checks refuse indices below 0, too, which compiled code does not count from the end.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys

import pytest
from conftest import ROOT

ENCODE_ALL = """
import guiapp
from guiapp.core.demo import DEMO_MODELS

TEXTS = [
    b"", b"a", b" ", b"  \\n\\t x ", b"Hello, world! It's 12345 o'clock.",
    "\\u00e9\\u4e2d\\U0001f600 e\\u0301".encode(), "\\u2581\\u2581a".encode(),
    b"\\xff\\xc3", b"\\xe2\\x82", b"a\\xf0\\x9f\\x98", b"\\xf4\\x90\\x80\\x80", b"\\xc0\\x80x",
    b"<s></s><|endoftext|>[CLS]<s", b"a" * 25, b"ab" * 40, b"9" * 20, b"." * 20, b"\\r\\n" * 5,
]
for model in DEMO_MODELS:
    tokenizer = guiapp.open_model(f"demo:{model.name}")
    for text in TEXTS:
        for encoder in tokenizer.encoders:
            ids = tokenizer.encode(text, encoder=encoder).token_ids
            assert ids.tolist() == tokenizer.encode_readable(text, encoder=encoder).token_ids.tolist(), text
            tokenizer.decode_bytes(ids)
"""  # fmt: skip


@pytest.mark.parametrize(
    "switch", ["NUMBA_DISABLE_JIT", pytest.param("NUMBA_BOUNDSCHECK", marks=pytest.mark.slow)]
)
def test_kernels_stay_within_their_arrays(switch):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error", switch: "1"}
    environment["NUMBA_OPT"] = "0"  # the checks are the same, and sooner compiled
    done = subprocess.run(
        [sys.executable, "-c", ENCODE_ALL], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_no_kernel_counts_from_the_end():
    compiled = {"kernel", "routine", "borrowing", "allocating"}
    for source in (ROOT / "guiapp" / "core" / "kernels").glob("*.py"):
        for function in ast.parse(source.read_text("utf-8")).body:
            decorators = {ast.unparse(each) for each in getattr(function, "decorator_list", [])}
            if decorators & compiled:
                looks = [each.slice for each in ast.walk(function) if isinstance(each, ast.Subscript)]
                indices = [index for look in looks for index in getattr(look, "elts", [look])]
                assert not any(isinstance(index, ast.UnaryOp) for index in indices), function.name
