"""Measure operations on unusually large inputs, in seconds of processor time and of the clock.

    python tests/benchmarks/long_waits.py [MEGABYTES]

The inputs: special tokens of a vocabulary of 262,144 tokens; opening, encoding and counting with a model of
136,000 added tokens; 50,000 hints of Chat; and MEGABYTES (300) of turn markers.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from gguf_builder import BYTE, CONTROL, NORMAL, UNKNOWN, write_vocab

from guiapp import chat, open_model, special
from guiapp.analysis.chat.hints import hints
from guiapp.analysis.vocabulary_list.special_tokens import record, text_lines
from guiapp.core.demo import demo_model_path
from guiapp.core.encode.tokenizer import Tokenizer

N_TOKENS, N_ADDED, N_HINTS = 1 << 18, 136_000, 50_000
MARKERS = b"<|im_start|>user\nHi<|im_end|>\n"


def took(name: str, work: Callable[[], Any]) -> Any:
    started_s, of_clock_s = time.process_time(), time.perf_counter()
    result = work()
    print(
        f"{name:44} {time.process_time() - started_s:7.2f} {time.perf_counter() - of_clock_s:7.2f}",
        flush=True,
    )
    return result


def of_special_tokens(folder: Path) -> Tokenizer:
    """A tokenizer in which almost all tokens are special."""
    letters = list(map(chr, range(33, 127)))
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{each:02X}>" for each in range(256)), "▁", *letters]
    tokens += [f"<|special_{number}|>" for number in range(N_TOKENS - len(tokens))]
    path = folder / "special.gguf"
    types = [UNKNOWN, CONTROL, CONTROL, *[BYTE] * 256, *[NORMAL] * 95] + [CONTROL] * (N_TOKENS - 354)
    write_vocab(path, model="llama", tokens=tokens, scores=[0.0] * N_TOKENS, token_type=types)
    return took("open, 262,144 special tokens", lambda: open_model(path))


def with_added_tokens(folder: Path) -> Path:
    """The path of a tokenizer.json with many added tokens."""
    letters = {
        chr(code): number for number, code in enumerate([*range(33, 127), *range(161, 173), *range(174, 324)])
    }
    row = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    added = [{"id": len(letters) + n, "content": f"<tok_{n}>", **row} for n in range(N_ADDED)]
    splits = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    path = folder / "tokenizer.json"
    content = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
        "pre_tokenizer": splits, "post_processor": None, "decoder": splits,
        "model": {"type": "BPE", "vocab": letters, "merges": []},
    }  # fmt: skip
    path.write_text(json.dumps(content))
    return path


def main() -> None:
    n_bytes = int(sys.argv[1]) * 1_000_000 if len(sys.argv) > 1 else 300_000_000
    print(f"{'':44} {'cpu s':>7} {'clock s':>7}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tokenizer = of_special_tokens(folder)
        tokens = took("special tokens", lambda: special(tokenizer))
        took("… as lines", lambda: sum(map(len, text_lines(tokens))))
        took("… as JSON", lambda: len(str(record(tokens))))
        path = with_added_tokens(folder)
        tokenizer = took("open, 136,000 added tokens", lambda: open_model(path))
        took("… tables for the window", tokenizer.make_tables)
        took("… encode", lambda: tokenizer.encode("Hello <tok_17> world"))
        took("… encode again", lambda: tokenizer.encode("Hello <tok_18> world"))
        took("… count", lambda: tokenizer.count("Hello <tok_17> world"))
        took("… decode", lambda: tokenizer.decode(tokenizer.encode("Hello <tok_17>").token_ids))
        took("… special tokens", lambda: special(tokenizer))
    tokenizer = open_model(demo_model_path("bpe"))
    content = "".join(f"<|fim_prefix|> {number} <| im_end{' ' * (number % 7)}|>" for number in range(N_HINTS))
    made = took("chat with 50,000 markers", lambda: chat(tokenizer, [{"role": "user", "content": content}]))
    took("… hints", lambda: len(hints(made)))
    text = MARKERS * (n_bytes // len(MARKERS))
    took(f"count {n_bytes // 1_000_000} MB of markers", lambda: tokenizer.count(text))
    took("… encode", lambda: tokenizer.encode(text))


if __name__ == "__main__":
    main()
