"""llama.cpp's own tokenizer through its C interface, from the package xllamacpp.

The package offers only a server, but its shared object exports llama.h.  No weights are read: the model is
loaded with `vocab_only`.  The layout of the structure with that switch changes between versions; if it is
not as expected, no model is loaded.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

PARAMETER_BYTES = 256  # more than the size of llama_model_params, which is passed in memory
N_GPU_LAYERS_AT, VOCAB_ONLY_AT = 16, 72
SWITCHES = b"\0\0\1\0"  # defaults of vocab_only, check_tensors, use_extra_bufts, no_host
LOG = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
ROOM = 16  # ids in addition to one for each byte


class Parameters(ctypes.Structure):
    _fields_ = [("raw", ctypes.c_uint8 * PARAMETER_BYTES)]


class LlamaLibraryError(Exception):
    """llama.cpp cannot be used."""


class LlamaVocabulary:
    """A model file's vocabulary in llama.cpp."""

    def __init__(self, path: Path) -> None:
        self._library = _library()
        parameters = self._library.llama_model_default_params()
        raw = bytes(parameters.raw)
        layers = int.from_bytes(raw[N_GPU_LAYERS_AT : N_GPU_LAYERS_AT + 4], "little", signed=True)
        if layers != -1 or raw[VOCAB_ONLY_AT : VOCAB_ONLY_AT + 4] != SWITCHES:
            raise LlamaLibraryError("this version of llama.cpp has another layout of parameters")
        parameters.raw[VOCAB_ONLY_AT] = 1
        self._model = self._library.llama_model_load_from_file(os.fsencode(path), parameters)
        if not self._model:
            raise LlamaLibraryError("llama.cpp cannot load this file")
        self._vocabulary = self._library.llama_model_get_vocab(self._model)

    def __del__(self) -> None:
        if getattr(self, "_model", None):
            self._library.llama_model_free(self._model)

    def encode(
        self, text: bytes, add_special: bool = False, parse_special: bool = False
    ) -> NDArray[np.int32]:
        """The ids of a text."""
        ids = np.empty(len(text) + ROOM, np.int32)
        count = self._library.llama_tokenize(
            self._vocabulary, text, len(text), ids.ctypes.data, len(ids), add_special, parse_special
        )
        if count < 0:
            raise LlamaLibraryError(f"llama.cpp needs {-count} ids for {len(text)} bytes")
        return ids[:count]

    def decode(self, ids: NDArray[np.int32]) -> bytes:
        """The bytes of ids, including the texts of special tokens."""
        room = ROOM + 8 * len(ids)
        while True:
            text = ctypes.create_string_buffer(room)
            size = self._library.llama_detokenize(
                self._vocabulary, ids.ctypes.data, len(ids), text, room, False, True
            )
            if size >= 0:
                return text.raw[:size]
            room = -size


@cache
def _library() -> Any:
    """The shared object with the signatures of the functions used; logging is off."""
    library = ctypes.CDLL(str(_shared_object()))
    pointer, integer, switch, string = ctypes.c_void_p, ctypes.c_int32, ctypes.c_bool, ctypes.c_char_p
    signatures = {
        "llama_backend_init": (None,),
        "llama_log_set": (None, LOG, pointer),
        "llama_model_default_params": (Parameters,),
        "llama_model_load_from_file": (pointer, string, Parameters),
        "llama_model_free": (None, pointer),
        "llama_model_get_vocab": (pointer, pointer),
        "llama_tokenize": (integer, pointer, string, integer, pointer, integer, switch, switch),
        "llama_detokenize": (integer, pointer, pointer, integer, pointer, integer, switch, switch),
    }
    for name, (result, *arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    library.llama_log_set(_SAY_NOTHING, None)
    library.llama_backend_init()
    return library


def _shared_object() -> Path:
    spec = find_spec("xllamacpp")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for path in sorted(Path(folder).glob("*.so")):
            return path
    raise LlamaLibraryError("the xllamacpp package has no shared object here")


_SAY_NOTHING = LOG(lambda level, text, data: None)  # global, because llama.cpp keeps a pointer to it
