"""Names of compared models are short, and no two are the same."""

import os

import pytest

from guiapp.analysis.compare.comparison import names_apart

FOLDER = f"some{os.sep}folder"


@pytest.mark.parametrize(
    ("models", "chosen", "names"),
    [
        (["demo:bpe", "a.gguf"], ["", ""], ["demo:bpe", "a"]),
        ([f"{FOLDER}{os.sep}a.gguf", f"{FOLDER}{os.sep}"], ["", "qwen2"], ["a", "folder (qwen2)"]),
        (["a.json", "a.json"], ["", "qwen2"], ["a.json", "a.json (qwen2)"]),
        (
            [f"x{os.sep}a.gguf", f"y{os.sep}a.gguf"],
            ["", "qwen2"],
            ["a", "a (qwen2)"],
        ),
        (
            [f"x{os.sep}a.gguf", f"y{os.sep}a.gguf"],
            ["p", "p"],
            [f"x{os.sep}a.gguf (p)", f"y{os.sep}a.gguf (p)"],
        ),
        ([f"x{os.sep}a.gguf"] * 2, ["", ""], ["1. a", "2. a"]),
        (["a", "a", "b"], ["p", "p", ""], ["1. a (p)", "2. a (p)", "3. b"]),
        ([], [], []),
    ],
)
def test_names_are_as_short_as_tells_them_apart(models, chosen, names):
    assert names_apart(models, chosen) == names
