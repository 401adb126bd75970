"""Whatever happens to a file, the answer is a vocabulary or a VocabError, at once."""

from __future__ import annotations

import random

import pytest
from gguf_builder import BYTE, CONTROL, NORMAL, Raw, Tensor, vocab_file

from guiapp.core.formats.table import load_vocabulary
from guiapp.errors import VocabError

SEED = 20261121
N_FLIPS = 1_500


def small_files() -> dict[str, bytes]:
    spm = vocab_file(
        tokens=["<unk>", "<s>", "<0x0A>", "a", "▁a", "unused"],
        scores=[0.0, -1.0, -2.0, -3.0, -4.0, -5.0],
        types=[2, CONTROL, BYTE, NORMAL, NORMAL, CONTROL],
        name="phi-3",
        bos_token_id=1,
        add_bos_token=True,
        keys={"split.count": Raw("u16", 1), "general.alignment": 32},
    )
    spm.tensors = [Tensor("weights", (32, 2)), Tensor("bias", (2,), offset=256)]
    bpe = vocab_file(model="gpt2", pre="llama-bpe", tokens=["Ġ", "a", "Ġa", ""], merges=["Ġ a", "ab"])
    charsmap = Raw("array:u8", [0, 4, 0, 0, *[0] * 1024, *b"x\0"])
    ugm = vocab_file(model="t5", tokens=["<pad>", "</s>", "<unk>", "a"], precompiled_charsmap=charsmap)
    return {"spm": spm.to_bytes(), "bpe": bpe.to_bytes(), "ugm": ugm.to_bytes()}


FILES = small_files()


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_a_file_cut_anywhere_is_refused(tmp_path, data):
    path = tmp_path / "model.gguf"
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(VocabError):
            load_vocabulary(path)
    path.write_bytes(data)
    assert len(load_vocabulary(path)) > 0


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_flipped_bytes_give_a_vocabulary_or_a_vocab_error(tmp_path, data):
    path = tmp_path / "model.gguf"
    chance = random.Random(SEED)
    n_loaded = 0
    for _ in range(N_FLIPS):
        broken = bytearray(data)
        for _ in range(chance.choice((1, 1, 2, 8))):
            broken[chance.randrange(len(broken))] = chance.choice(
                (0, 1, 8, 0x7F, 0x80, 0xFF, chance.randrange(256))
            )
        path.write_bytes(broken)
        try:
            vocabulary = load_vocabulary(path)
        except VocabError:
            continue
        vocabulary.token_bytes(len(vocabulary) - 1)
        n_loaded += 1
    assert 0 < n_loaded < N_FLIPS
