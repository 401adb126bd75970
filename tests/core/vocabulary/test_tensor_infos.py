"""The list of tensors: what is said of each kind of damage, in full."""

import pytest
from gguf_builder import GgufFile, Raw, Tensor, string

from guiapp.core.formats import gguf_reader as tensor_infos
from guiapp.core.formats.file_bytes import HeaderBytes
from guiapp.core.formats.gguf_reader import TensorPlace, check_tensor_infos, read_header, tensor_places
from guiapp.errors import VocabError


def told(tmp_path, *tensors: Tensor, **parts: object) -> str:
    """What is said about a file of these tensors: its warnings, or why it is refused."""
    alignment, tail = parts.pop("alignment", None), parts.pop("tail", b"")
    file = GgufFile(tensors=[*tensors], tail=tail, **parts)
    if alignment is not None:
        file.add("general.alignment", alignment)
    path = file.write(tmp_path / "x.gguf")
    source = HeaderBytes(path, lambda share: None)
    try:
        return " ".join(check_tensor_infos(source, read_header(source)))
    except VocabError as error:
        return str(error).removeprefix("x.gguf ").removesuffix(" The file is damaged; download it again.")
    finally:
        source.close()


INCOMPLETE = "The file is incomplete: {} missing. The vocabulary is whole."
IMPOSSIBLE = "has a tensor of impossible size"
INFO = 8 + 1 + 4 + 8 + 4 + 8  # of a tensor "t" of one dimension, behind the 24 bytes of an empty header


@pytest.mark.parametrize(
    ("tensors", "parts", "expected"),
    [
        ([], {}, ""),
        ([], {"n_tensors": 1, "tail": bytes(23)}, "claims 1 tensor (byte 8), with 23 bytes left."),
        ([Tensor("", ())], {"tail": bytes(48)}, ""),
        ([Tensor("", ())], {}, INCOMPLETE.format("48 bytes of tensors are")),
        ([Tensor("t" * 63, ())], {"tail": bytes(49)}, ""),
        ([Tensor("t" * 64)], {}, "has a tensor name of 64 bytes at byte 24; 63 is the most."),
        ([Tensor("t", (1, 1, 1, 1))], {"tail": bytes(100)}, ""),
        ([Tensor("t", (1,) * 5)], {}, "has a tensor of 5 dimensions, t."),
        ([Tensor("t", (0, -1))], {}, f"{IMPOSSIBLE}, t (byte 24)."),
        ([Tensor("t", (1 << 62, 2))], {}, f"{IMPOSSIBLE}, t (byte 24)."),
        ([Tensor("t", (1,)), Tensor("u", (-1,))], {}, f"{IMPOSSIBLE}, u (byte {24 + INFO})."),
        (
            [Tensor("t"), Tensor("t", offset=32)],
            {},
            f"has the tensor t twice (again before byte {24 + 2 * INFO}).",
        ),
        (
            [Tensor("t"), Tensor("u", (1, 1), offset=32)],
            {"n_tensors": 4},
            f"claims 4 tensors (byte 8), with {2 * INFO + 8} bytes left.",
        ),
        (
            [Tensor("t")],
            {"n_tensors": 2, "tail": string("x" * 8)},
            f"ends in the middle of the list of tensors, at byte {24 + INFO}.",
        ),
    ],
)
def test_the_list_is_read_as_far_as_it_goes(tmp_path, tensors, parts, expected):
    assert told(tmp_path, *tensors, **parts) == expected


STARTS = "The tensor {} is said to start at {} instead of {}. The vocabulary is not affected."
UNTOUCHED = " The vocabulary is not affected."


@pytest.mark.parametrize(
    ("tensors", "expected"),
    [
        ([Tensor("t", type=-1)], "The tensor t has the unknown type -1." + UNTOUCHED),
        ([Tensor("t", type=43)], "The tensor t has the unknown type 43." + UNTOUCHED),
        ([Tensor("t", type=42)], "The sizes of the newest tensor types are not checked." + UNTOUCHED),
        ([Tensor("t", offset=1)], STARTS.format("t", 1, 0)),
        ([Tensor("t", offset=7), Tensor("u", type=43)], STARTS.format("t", 7, 0)),
        ([Tensor("t", (0,)), Tensor("u", offset=0)], ""),
        ([Tensor("t", (8,)), Tensor("u", offset=32)], ""),
        ([Tensor("t", (9,)), Tensor("u", offset=64)], ""),
        ([Tensor("t", (64,), type=8), Tensor("u", offset=96)], ""),
        ([Tensor("t", (64, 3), type=2), Tensor("u", offset=128)], ""),
        (
            [Tensor("t", (9,)), Tensor("u", (9,), offset=64), Tensor("v", offset=64)],
            STARTS.format("v", 64, 128),
        ),
    ],
)
def test_what_makes_tensors_unusable_is_a_warning(tmp_path, tensors, expected):
    assert told(tmp_path, *tensors, tail=bytes(500)) == expected


@pytest.mark.parametrize(("alignment", "data"), [(None, 32), (1, 4), (16, 16), (64, 64)])
def test_data_begin_and_end_at_multiples_of_the_alignment(tmp_path, alignment, data):
    head = 24 + INFO + (0 if alignment is None else 8 + len("general.alignment") + 4 + 4)
    step = alignment or 32
    end = -(-head // step) * step + data
    missing = INCOMPLETE.format("1 byte of tensors is")
    assert told(tmp_path, Tensor("t"), alignment=alignment, tail=bytes(end - head)) == ""
    assert told(tmp_path, Tensor("t"), alignment=alignment, tail=bytes(end - head - 1)) == missing
    assert told(tmp_path, alignment=alignment) == ""


@pytest.mark.parametrize("alignment", [0, 3, 6, 33, Raw("u64", 32)])
def test_other_alignments_are_refused(tmp_path, alignment):
    expected = "has a general.alignment that is not a power of two of type uint32."
    assert told(tmp_path, alignment=alignment) == expected


def test_no_more_tensors_than_any_model_has_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(tensor_infos, "MOST_TENSORS", 2)
    tensors = [Tensor("t"), Tensor("u", offset=32), Tensor("v", offset=64)]
    assert told(tmp_path, *tensors, tail=bytes(200)) == "claims 3 tensors (byte 8). At most 2 are read."
    assert told(tmp_path, *tensors[:2], tail=bytes(200)) == ""


@pytest.mark.parametrize("alignment", [32, 64])
def test_places_of_tensors_are_told_from_the_start_of_the_file(tmp_path, alignment):
    tensors = [Tensor("t", (4, 2)), Tensor("u", (1,), 8, 64), Tensor("v", (3,), 0, 128)]
    file = GgufFile(tensors=tensors)
    file.add("general.alignment", alignment)
    path = file.write(tmp_path / "x.gguf")
    data_at = -(-path.stat().st_size // alignment) * alignment
    source = HeaderBytes(path, lambda share: None)
    try:
        found = tensor_places(source, read_header(source), (b"u", b"t", b"w"))
    finally:
        source.close()
    assert found == {b"t": TensorPlace((4, 2), 0, data_at), b"u": TensorPlace((1,), 8, data_at + 64)}
