"""Draw the pictures that README and manual show again:  python screenshots/redraw.py [NAME …]

Those of Bench need the libraries of the extra `peers`, and a machine that does nothing else.  Models are
those of `../shared` or of TOKENLOUPE_SHARED.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

FOLDER = Path(__file__).resolve().parent
RESOURCES = FOLDER.parent / "resources"
SHARED = Path(os.environ.get("TOKENLOUPE_SHARED", FOLDER.parent.parent / "shared"))
LLAMA, QWEN, GEMMA = (
    str(SHARED / "vocabs" / f"ggml-vocab-{name}.gguf") for name in ("llama-bpe", "qwen2", "gemma-4")
)
MIXED = """\
Each model cuts this text in
its own way, and unevenly so.
def area(radius: float):
    return 3.14159 * radius**2
Die Straßenbahnhaltestelle an
der Universitätsbibliothek.
吾輩は猫である。名前はまだ無い。
👩‍👩‍👧‍👦🏳️‍🌈🇯🇵🚀👍🏽 café
"""
CONVERSATION = ["--messages", str(FOLDER / "chat.json"), "--template", str(FOLDER / "chat.jinja")]
YOURS, N_YOURS = SHARED / "corpora" / "shakespeare.txt", 100_000  # the text of Bench: so much of it
ENCODERS = "fast,tiktoken,tokenizers,gigatoken"
SMALL_SIZE, SMALL_PX = "900x563", 600
PICTURES = {  # name, which begins with the page: model and options
    "inspect-dark": ("demo:bpe", ["--theme", "dark"]),
    "inspect-light": ("demo:bpe", ["--theme", "light"]),
    "compare-small": (LLAMA, ["--beside", QWEN, GEMMA, "--text", MIXED]),
    "chat-small": (LLAMA, CONVERSATION),
    "data-small": (
        "demo:bpe",
        ["--data", str(RESOURCES / "samples" / "training.jsonl"), "--filter", "Roman"],
    ),
    "steps-small": ("demo:bpe", ["--encoder", "heap", "--at", "length > 2", "--text", "How do lions sleep?"]),
    "bench-small": (LLAMA, []),
}


def main() -> None:
    """Draw those whose names are given, or all."""
    for name in sys.argv[1:] or PICTURES:
        with tempfile.TemporaryDirectory() as folder:
            _draw(name, Path(folder))


def _draw(name: str, folder: Path) -> None:
    model, options = PICTURES[name]
    page, path = name.partition("-")[0], FOLDER / f"{name}.png"
    is_small = name.endswith("-small")
    if is_small:
        options = [*options, "--size", SMALL_SIZE, "--theme", "dark"]
    if page == "bench":
        options += ["--run", str(_measured(folder)), "--text", YOURS.read_text()[:N_YOURS]]
    _program("screenshot", "--page", page, "--model", model, "--force", "-o", str(path), *options)
    if is_small:
        image = QImage(str(path)).scaledToWidth(SMALL_PX, Qt.TransformationMode.SmoothTransformation)
        image.save(str(path))


def _measured(folder: Path) -> Path:
    """A run on the text that the window has."""
    text, run = folder / "your text", folder / "run.json"
    text.write_text(YOURS.read_text()[:N_YOURS])
    _program("bench", LLAMA, "-f", str(text), "--encoders", ENCODERS, "--json", str(run))
    record = json.loads(run.read_text())
    record["results"] = [row for row in record["results"] if row["scenario"] == "throughput"]
    run.write_text(json.dumps(record | {"growth": [], "left_out": []}))
    return run


def _program(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "guiapp", *arguments], check=True)


if __name__ == "__main__":
    main()
