"""Draw all screenshots of this folder again:  python screenshots/redraw.py"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
MANY_SCRIPTS = """\
汉武帝飞🚀向了浩瀚无穷的宇宙 😍 🦄 🐉   [INST] Hello, 世界!🤔
吾輩は猫である。名前はまだ無い。
어제 친구와 커피를 마셨다. 👩‍👩‍👧‍👦 👍🏽 🏳️‍🌈 🇯🇵
שלום עולם · مرحبا بالعالم
"""
LIONS = "How do the lions sleep in New York? They are unbelievably tired."
SHARED = Path(os.environ.get("TOKENLOUPE_SHARED", FOLDER.parent.parent / "shared"))
LARGE = SHARED / "vocabs" / "ggml-vocab-llama-bpe.gguf"  # pictures of it are left as they are without it
PICTURES = {
    "inspect": ("demo:bpe", []),
    "inspect-cjk-emoji": ("demo:spm", ["--text", MANY_SCRIPTS]),
    "inspect-unigram": ("demo:unigram", []),
    "steps": ("demo:bpe", ["--encoder", "heap", "--at", "operation merge hit 9", "--text", LIONS]),
    "steps-unigram": (
        "demo:unigram",
        ["--at", "operation reach hit 22", "--text", "New York is unbelievable"],
    ),
    "steps-backtrack": (
        "demo:toy",
        ["--encoder", "backtrack", "--at", "operation back", "--text", "abacbabacbb"],
    ),
    "steps-race": (
        "demo:toy",
        ["--encoder", "heap", "--race", "greedy", "--at", "rank 1", "--text", "abacb"],
    ),
    "steps-lesson": ("demo:toy", ["--lesson", "6-exact-in-linear-time:2"]),
    "tree-sunburst": ("demo:bpe", []),
    "tree-icicle": ("demo:bpe", ["--shape", "icicle"]),
    "tree-toy": ("demo:toy", ["--text", "abacbb"]),
    "tree-sunburst-llama": (str(LARGE), []),
    "tree-icicle-llama": (str(LARGE), ["--shape", "icicle"]),
}


def main() -> None:
    """Draw those whose names are given, or all."""
    wanted = sys.argv[1:] or PICTURES
    for name, (model, options) in PICTURES.items():
        if name not in wanted or (model == str(LARGE) and not LARGE.exists()):
            continue
        for theme in ("dark", "light"):
            command = [sys.executable, "-m", "guiapp", "screenshot", "--page", name.partition("-")[0]]
            command += ["--model", model, "--theme", theme, "-o", str(FOLDER / f"{name}-{theme}.png")]
            subprocess.run([*command, *options], check=True)


if __name__ == "__main__":
    main()
