"""Quantizes and dequantizes numbers with ggml itself, from the package xllamacpp."""

import ctypes

import numpy as np
import pytest
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import _type_traits

from guiapp.analysis.libraries.llama_library import LlamaLibraryError, _library

KINDS = (GGMLQuantizationType.F16, *_type_traits)  # decoded by gguf, other than F32, which is not encoded
POINTER, INT64 = ctypes.c_void_p, ctypes.c_int64


class TypeTraits(ctypes.Structure):
    """The beginning of `struct ggml_type_traits`."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("sizes", INT64 * 3),
        ("is_quantised", ctypes.c_bool),
        ("to_float", ctypes.CFUNCTYPE(None, POINTER, POINTER, INT64)),
    ]


def quantised(rows: np.ndarray, kind: GGMLQuantizationType) -> np.ndarray:
    """Quantized rows, uint8[n, bytes], of rows of numbers."""
    n_rows, width = rows.shape
    block, size = GGML_QUANT_SIZES[kind]
    raw, importance = np.zeros((n_rows, width // block * size), np.uint8), np.ones(width, np.float32)
    function = _ggml().ggml_quantize_chunk
    function.restype = ctypes.c_size_t
    function.argtypes = [ctypes.c_int, POINTER, POINTER, INT64, INT64, INT64, POINTER]
    data, weights = np.ascontiguousarray(rows, np.float32).ctypes.data, importance.ctypes.data
    assert function(int(kind), data, raw.ctypes.data, 0, n_rows, width, weights) == raw.nbytes
    return raw


def decoded(raw: np.ndarray, kind: GGMLQuantizationType) -> np.ndarray:
    """The numbers of quantized rows."""
    block, size = GGML_QUANT_SIZES[kind]
    rows = np.empty((len(raw), raw.shape[1] // size * block), np.float32)
    function = _ggml().ggml_get_type_traits
    function.restype = ctypes.POINTER(TypeTraits)
    function(int(kind)).contents.to_float(raw.ctypes.data, rows.ctypes.data, rows.size)
    return rows


def _ggml():
    try:
        return _library()
    except LlamaLibraryError:
        pytest.skip("needs xllamacpp")
