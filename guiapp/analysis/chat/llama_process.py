"""The process in which llama.cpp's own server renders a chat template, without the weights of a model.

The server needs a model: this one has 259 tokens, zeros as weights, the template, and what the server reads
from the vocabulary: BOS, EOS, and whether to add them.  The text is then tokenized by the vocabulary of the
real file, if llama.cpp can read that file.
Reads a JSON object from standard input, see `llama_cpp.py`; writes {"text", "token_ids"} or {"error"}.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import numpy as np
import xllamacpp
from gguf import GGUFWriter, TokenType

from guiapp.analysis.libraries.llama_library import LlamaLibraryError, LlamaVocabulary

SECONDS, SECONDS_TO_TOKENIZE = 3, 60  # of processor time: the machine may be busy
MOST_BYTES = 400_000_000  # of data; the server itself takes half
MOST_CONTEXT, WIDTH = 256, 32
KEY = token_hex()
MATRICES = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")


def main() -> None:
    os.environ["GGML_NO_BACKTRACE"] = "1"  # otherwise it starts a debugger when it aborts
    request = json.loads(sys.stdin.buffer.read())
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # Windows cannot delete mapped files
        model = Path(folder, "template.gguf")
        _write_model(model, request)
        with _limits():
            server = _server(model)  # kept until the end: its destructor may hang
            answer: dict[str, Any] = {"error": "does not take this template"}
            if server is not None:
                answer = _rendered(server, request)
    if "text" in answer:
        answer["token_ids"] = _token_ids(answer["text"], request)
    print(json.dumps(answer), flush=True)
    os._exit(0)  # skips the slow shutdown of the server


def _write_model(file: Path, request: Mapping[str, Any]) -> None:
    affixes = [request["bos"], request["eos"]]  # "" if the model has none
    own = list(dict.fromkeys(["<unk>", *affixes]))  # no two tokens may have the same text
    tokens = [*own, *(f"<0x{byte:02X}>" for byte in range(256))]
    writer = GGUFWriter(file, "llama")
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(
        [TokenType.UNKNOWN, *[TokenType.CONTROL] * (len(own) - 1), *[TokenType.BYTE] * 256]
    )
    writer.add_bos_token_id(own.index(request["bos"]))
    writer.add_eos_token_id(own.index(request["eos"]))
    writer.add_add_bos_token(request["add_bos"])
    writer.add_add_eos_token(request["add_eos"])
    writer.add_chat_template(request["template"])
    writer.add_block_count(1)
    writer.add_context_length(MOST_CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(WIDTH)
    writer.add_head_count(1)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tensor("token_embd.weight", np.zeros((len(tokens), WIDTH), np.float32))
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", np.zeros(WIDTH, np.float32))
    for name in MATRICES:
        writer.add_tensor(f"blk.0.{name}.weight", np.zeros((WIDTH, WIDTH), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@contextlib.contextmanager
def _limits() -> Iterator[None]:
    """Inside, the system ends this process if it takes too much; on Windows, only the parent process does."""
    if sys.platform == "win32":
        yield
        return
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, most))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    yield
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    signal.setitimer(signal.ITIMER_PROF, SECONDS_TO_TOKENIZE)


def _server(model: Path) -> xllamacpp.Server | None:
    """Start the server; None if it refuses the template."""
    settings = xllamacpp.CommonParams()
    settings.model.path = str(model)
    settings.n_ctx, settings.n_parallel, settings.cpuparams.n_threads = MOST_CONTEXT, 1, 1
    settings.cache_ram_mib, settings.n_threads_http, settings.verbosity = 0, 1, -1
    settings.port, settings.api_keys = 0, [KEY]  # any free port; other clients are refused
    settings.warmup = settings.ui = settings.fit_params = False
    settings.prefill_assistant = False  # by default, the server continues the last assistant message
    try:
        return xllamacpp.Server(settings)
    except RuntimeError:
        return None


def _rendered(server: xllamacpp.Server, request: Mapping[str, Any]) -> dict[str, Any]:
    asked = Request(
        f"{server.listening_address}/apply-template",
        json.dumps(request["body"]).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"},
    )
    try:
        with build_opener(ProxyHandler({})).open(asked) as answered:
            return {"text": json.load(answered)["prompt"]}
    except HTTPError as error:
        return {"error": f"refuses: {json.load(error)['error']['message']}"}


def _token_ids(text: str, request: Mapping[str, Any]) -> list[int] | None:
    if request["model"] is None:
        return None
    try:
        vocabulary = LlamaVocabulary(Path(request["model"]))
        ids: list[int] = vocabulary.encode(text.encode(), request["add_special"], True).tolist()
        return ids
    except (LlamaLibraryError, AttributeError):
        return None


if __name__ == "__main__":
    main()
