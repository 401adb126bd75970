"""Measure time and memory of a new process from a model file to the first ids, and of the file's library.

    python tests/benchmarks/first_ids.py MODEL FILE [--bytes 1000] [--rounds 7]

The text is the beginning of FILE.  Each run is a process of its own, and the contenders take turns.  The
output is the median time of the whole process, and that from the file to the ids after the imports.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import guiapp
from guiapp.analysis.libraries.written_models import hugging_face_json, single_pattern
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute

OURS = (
    "import guiapp, guiapp.core.formats.table, guiapp.core.sources.locate, guiapp.core.encode.tokenizer\n"
    "import guiapp.core.encode.families.byte_pair",  # open_model imports it later for most formats
    "ids = guiapp.open_model(sys.argv[1]).encode(text, add_special=False).token_ids.tolist()",
)
LIBRARIES = {  # by file format: name, imports, and program
    "GGUF": (
        "gigatoken",
        "import gigatoken",
        "ids = gigatoken.Tokenizer(sys.argv[3]).encode(text).tolist()",
    ),
    "tokenizer.json": (
        "tokenizers",
        "import tokenizers",
        "ids = tokenizers.Tokenizer.from_file(sys.argv[1]).encode(text, add_special_tokens=False).ids",
    ),
    "tiktoken": (
        "tiktoken",
        "import json, tiktoken, tiktoken.load",
        """
pattern, special = json.loads(sys.argv[3])
ranks = tiktoken.load.load_tiktoken_bpe(sys.argv[1])
encoding = tiktoken.Encoding("own", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
ids = encoding.encode(text, allowed_special="all")
""",
    ),
    "tekken.json": (
        "tiktoken",  # used as mistral-common does
        "import base64, json, tiktoken",
        """
content = json.load(open(sys.argv[1]))
first, size = (content["config"][f"default_{name}"] for name in ("num_special_tokens", "vocab_size"))
ranks = {base64.b64decode(row["token_bytes"]): row["rank"] for row in content["vocab"][: size - first]}
pattern = content["config"]["pattern"]
encoding = tiktoken.Encoding("own", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
ids = [first + rank for rank in encoding.encode_ordinary(text)]
""",
    ),
    "SentencePiece": (
        "sentencepiece",
        "import sentencepiece",
        "ids = sentencepiece.SentencePieceProcessor(model_file=sys.argv[1]).encode(text)",
    ),
}
PROGRAM = """
import sys, time
{imports}
started = time.perf_counter()
text = open(sys.argv[2], newline="").read()
{work}
elapsed_s = time.perf_counter() - started
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(elapsed_s, peak.split()[1], *ids)
"""


class Run(NamedTuple):
    """Seconds of a process, and from the file to the ids; its peak memory in megabytes, on Linux."""

    process_s: float
    file_s: float
    megabytes: float


def run(imports: str, work: str, *arguments: str) -> tuple[Run, list[int]]:
    started = time.perf_counter()
    outcome = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(imports=imports, work=work), *arguments],
        check=True,
        capture_output=True,
        env={**os.environ, "TIKTOKEN_CACHE_DIR": ""},  # it reads the file itself
    )
    elapsed_s = time.perf_counter() - started
    file_s, kilobytes, *ids = outcome.stdout.split()
    return Run(elapsed_s, float(file_s), float(kilobytes) / 1024), list(map(int, ids))


def given(tokenizer: Tokenizer, folder: str) -> str:
    """The argument that a library needs in addition to the file."""
    vocabulary = tokenizer.vocabulary
    if vocabulary.format == "GGUF":
        path = Path(folder, "tokenizer.json")
        path.write_text(hugging_face_json(tokenizer))
        return str(path)
    if vocabulary.format != "tiktoken":
        return ""
    special = {
        vocabulary.raw_text(token).decode(): token
        for token in range(len(vocabulary))
        if vocabulary.attributes[token] & Attribute.CONTROL
    }
    return json.dumps([single_pattern(vocabulary, "tiktoken"), special])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("file", type=Path)
    parser.add_argument("--bytes", type=int, default=1000, help="of the text")
    parser.add_argument("--rounds", type=int, default=7)
    asked = parser.parse_args()
    tokenizer = guiapp.open_model(asked.model)
    contenders = {"tokenloupe": OURS}
    if library := LIBRARIES.get(tokenizer.vocabulary.format):
        contenders[library[0]] = library[1:]
    runs: dict[str, list[Run]] = {name: [] for name in contenders}
    ids_by_name = {}
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder, "text.txt")
        text.write_text(asked.file.read_bytes()[: asked.bytes].decode("utf-8", "ignore"), newline="")
        more = given(tokenizer, folder)
        for _ in range(asked.rounds):
            for name, contender in contenders.items():
                one, ids_by_name[name] = run(*contender, asked.model, str(text), more)
                runs[name].append(one)
    medians = {name: Run(*map(statistics.median, zip(*each, strict=True))) for name, each in runs.items()}
    for name, (process_s, file_s, megabytes) in medians.items():
        print(f"{name:13} process {process_s:6.3f} s, file to ids {file_s:6.3f} s, {megabytes:4.0f} MB")
    ours, *others = medians.values()
    for theirs in others:
        whole, inner = theirs.process_s / ours.process_s, theirs.file_s / ours.file_s
        outcome = "equal ids" if len({*map(tuple, ids_by_name.values())}) == 1 else "ids differ"
        print(f"{whole:.2f} times as fast as a process, {inner:.2f} from the file to the ids; {outcome}")


if __name__ == "__main__":
    main()
