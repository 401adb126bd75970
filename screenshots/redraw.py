"""Draw all screenshots of this folder again:  python screenshots/redraw.py"""

from __future__ import annotations

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
PICTURES = {
    "inspect": ("demo:bpe", None),
    "inspect-cjk-emoji": ("demo:spm", MANY_SCRIPTS),
    "inspect-unigram": ("demo:unigram", None),
}


def main() -> None:
    for name, (model, text) in PICTURES.items():
        for theme in ("dark", "light"):
            command = [sys.executable, "-m", "guiapp", "screenshot", "--page", "inspect", "--model", model]
            command += ["--theme", theme, "-o", str(FOLDER / f"{name}-{theme}.png")]
            subprocess.run(command if text is None else [*command, "--text", text], check=True)


if __name__ == "__main__":
    main()
