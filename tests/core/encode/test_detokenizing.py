"""From ids to bytes: llama.cpp's for any sequence of ids, and a clear answer to ids that do not exist."""

import gc
import json
import random
import weakref
from itertools import product

import numpy as np
import pytest
import tokenizers
from arrays import as_array
from conftest import VOCABS
from deep_oracle import DeepOracle
from format_samples import SAMPLES, Sample, opened_sample
from hypothesis import given
from hypothesis import strategies as st
from model_files import ALL_MODELS, opened

import guiapp
from guiapp.core.encode.detokenizing import detokenize_blocks, readable_clean_spaces
from guiapp.core.formats.table import LAST
from guiapp.core.text.utf8 import is_text
from guiapp.native.model_files import clean_spaces

pytestmark = pytest.mark.slow


SEED = 20261121
NAMES = sorted(path.stem.removeprefix("ggml-vocab-") for path in VOCABS.glob("*.gguf"))


def id_sequences(vocabulary, count):
    """Any ids, with many special ones, and ids of tokens that matter to spaces."""
    rng = random.Random(SEED)
    special = np.flatnonzero(vocabulary.attributes != 4).tolist() or [0]
    ends = [value for value in (vocabulary.special_ids.bos, vocabulary.special_ids.eos) if value is not None]
    marks = [
        b"?", b"!", b".", b",", b"'", b"s", b"'s", b"'ve",
        b"\xe2\x96\x81", b"\xc4\xa0", b"\xc4\xa0'", b" ",
    ]  # fmt: skip
    marks += [prefix + mark for prefix in (b"\xc4\xa0", b"\xe2\x96\x81") for mark in marks[:8]]
    known = [result for mark in marks if (result := vocabulary.find(mark)) is not None]
    for _ in range(count):
        pools = [range(len(vocabulary)), special, known or [0]]
        ids = [rng.choice(rng.choice(pools)) for _ in range(rng.choice((0, 1, 2, 5, 20, 60)))]
        if ends and rng.random() < 0.5:
            ids = [rng.choice(ends), *ids, rng.choice(ends)]
        yield ids


@pytest.mark.real_vocabs
@pytest.mark.parametrize("name", NAMES)
def test_any_ids_give_llama_cpps_bytes_with_all_switches(name):
    path = VOCABS / f"ggml-vocab-{name}.gguf"
    tokenizer, oracle = guiapp.open_model(path), DeepOracle(path)
    for ids in id_sequences(tokenizer.vocabulary, 150):
        for remove in (False, True):
            for unparse in (False, True):
                result = tokenizer.decode_bytes(ids, remove, unparse)
                assert result == oracle.detokenize(ids, remove, unparse), (ids, remove, unparse)
    oracle.close()


@pytest.fixture(params=["demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram"])
def tokenizer(request):
    return opened(request.param)


@pytest.mark.parametrize("model", [*ALL_MODELS, *SAMPLES])
def test_ids_in_blocks_give_the_bytes_of_all(model, tmp_path):
    tokenizer = opened_sample(model, tmp_path) if isinstance(model, Sample) else opened(model)
    for size, ids in enumerate(id_sequences(tokenizer.vocabulary, 60)):
        for options in product((False, True), (False, True)):
            blocks = np.array_split(np.array(ids, np.int32), size % 7 + 1)
            result = b"".join(detokenize_blocks(tokenizer.vocabulary, blocks, *options))
            assert result == tokenizer.decode_bytes(ids, *options), (ids, options)


LOCAL_TOKENS = [
    *(
        "▁",
        "▁the",
        "a",
        "##b",
        "##",
        " ",
        "  x ",
        ".",
        " .",
        "'",
        "n't",
        "</w>",
        "ab</w>",
        "é",
        "▁ ",
        "\u00a0",
    ),
    *("<0x41>", "<0x20>", "<0xE3>", "<0x81>", "<0x82>", "<0xFF>", "[CLS]", "[SEP]"),
]
REPLACES_MARK = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
BYTES, FUSE = {"type": "ByteFallback"}, {"type": "Fuse"}
STRIP, STRIP_BOTH = ({"type": "Strip", "content": " ", "start": n, "stop": m} for n, m in ((1, 0), (2, 1)))
WORD_PIECE = {"type": "WordPiece", "prefix": "##", "cleanup": True}
METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
A_TO_NOTHING = {"type": "Replace", "pattern": {"String": "a"}, "content": ""}
WITH_LETTERS = {"type": "Replace", "pattern": {"Regex": "[a-z]"}, "content": "x"}
DECODERS = [
    *(
        [REPLACES_MARK, BYTES, FUSE, STRIP],
        [WORD_PIECE],
        [METASPACE],
        [BYTES, METASPACE],
        [A_TO_NOTHING, FUSE],
    ),
    *(
        [A_TO_NOTHING, REPLACES_MARK, STRIP_BOTH],
        [FUSE, STRIP_BOTH],
        [FUSE, REPLACES_MARK],
        [FUSE, WORD_PIECE],
    ),
    *(
        [WITH_LETTERS, BYTES],
        [WORD_PIECE, BYTES, FUSE, STRIP],
        [{"type": "BPEDecoder", "suffix": "</w>"}],
        [],
    ),
]


@pytest.mark.parametrize("decoders", DECODERS, ids=lambda parts: "-".join(part["type"] for part in parts))
def test_a_decoder_gives_the_same_in_blocks_of_any_size(decoders, tmp_path):
    added = [
        {"id": token_id, "content": LOCAL_TOKENS[token_id], "special": True, "single_word": False}
        | {"lstrip": False, "rstrip": False, "normalized": False}
        for token_id in (len(LOCAL_TOKENS) - 2, len(LOCAL_TOKENS) - 1)
    ]
    vocab = {token: token_id for token_id, token in enumerate(LOCAL_TOKENS)}
    record = {
        "version": "1.0",
        "added_tokens": added,
        "model": {"type": "WordLevel", "vocab": vocab, "unk_token": "a"},
        "decoder": {"type": "Sequence", "decoders": decoders} if decoders else None,
    }
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(record))
    tokenizer, dice = guiapp.open_model(path), random.Random(1)
    for _ in range(200):
        ids = np.array(dice.choices(range(len(LOCAL_TOKENS)), k=dice.randrange(40)), np.int32)
        blocks = np.split(ids, sorted(dice.choices(range(len(ids) + 1), k=dice.randrange(9))))
        for options in product((False, True), (False, True)):
            result = b"".join(detokenize_blocks(tokenizer.vocabulary, blocks, *options))
            assert result == tokenizer.decode_bytes(ids, *options), (ids, options)


@pytest.mark.parametrize("seed", range(20))
def test_spaces_are_dropped_across_blocks_as_from_a_whole_text(seed):
    """Of bytes that make all that is dropped, or nearly; runs of spaces, apostrophes and r are long."""
    tokenizer, dice = guiapp.open_model("demo:bpe", "gpt-2"), random.Random(seed)
    assert tokenizer.vocabulary.rules.clean_spaces
    ids = {byte: tokenizer.encode(bytes([byte]), False, False).token_ids for byte in b" 'rvesm?a"}
    bytes_of = {0: b" 'rvesm?a", 1: b" '", 2: b"  'r", 3: b"   ' s", 4: b" "}[seed % 5]
    text = bytes(dice.choices(bytes_of, k=1_000))
    cuts = sorted(dice.choices(range(1_000), k=dice.choice([1, 9, 900])))
    blocks = np.split(np.concatenate([ids[byte] for byte in text]), cuts)
    assert b"".join(detokenize_blocks(tokenizer.vocabulary, blocks, False, True)) == readable_clean_spaces(
        text
    )


@pytest.mark.parametrize("token_id", [-1, 1 << 31, -(1 << 31), 1 << 63, 1 << 64, -(1 << 70)])
def test_ids_that_do_not_exist_are_refused(tokenizer, token_id):
    for bad in (token_id, len(tokenizer.vocabulary)):
        with pytest.raises(guiapp.EncodeError, match=f"below {len(tokenizer.vocabulary)}|is not in this"):
            tokenizer.decode_bytes([0, bad])


@pytest.mark.parametrize("ids", [["1x"], [None], [[1, 2], [3]], [1.5], np.array([1.5])])
def test_what_is_no_id_is_refused(tokenizer, ids):
    with pytest.raises(guiapp.EncodeError):
        tokenizer.decode_bytes(ids)


def test_only_bos_is_nothing_once_removed():
    tokenizer = guiapp.open_model("demo:spm")
    bos = tokenizer.vocabulary.special_ids.bos
    assert tokenizer.decode_bytes([bos], remove_special=True) == b""
    assert tokenizer.decode_bytes([bos], unparse_special=False) == b""
    assert tokenizer.decode_bytes([bos]) == tokenizer.vocabulary.raw_text(bos)


def test_a_batch_is_no_single_list_of_ids():
    tokenizer = guiapp.open_model("demo:bpe")
    ids, _ = tokenizer.encode_batch(["one", "two"])
    with pytest.raises(guiapp.EncodeError, match="each row"):
        tokenizer.decode(ids)


def test_half_a_character_decodes_to_its_bytes():
    tokenizer = guiapp.open_model("demo:bpe")
    ids = tokenizer.encode(b"a\xf0\x9f", add_special=False).token_ids
    first = tokenizer.vocabulary.find("ð".encode())
    assert first is not None
    assert tokenizer.decode_bytes([first]) == b"\xf0"
    assert tokenizer.decode([first]) == "\ufffd"
    assert tokenizer.decode(ids) == "a\ufffd\ufffd"


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        (b"a ? b !", b"a? b!"),
        (b"x  , y", b"x , y"),
        (b"a ' b", b"a'b"),
        (b"a ' ' b", b"a'' b"),
        (b"I 'm we 're you 've he 'll 'd 't it 's", b"I'm we're you've he 'll 'd 't it's"),
        (b" . ", b". "),
        (b"?", b"?"),
        (b" ' s", b"'s"),
        (b"", b""),
    ],
)
def test_spaces_are_cleaned_in_three_passes(text, cleaned):
    assert readable_clean_spaces(text) == cleaned


@given(text=st.text(alphabet=" '?!.,smrvetdl").map(str.encode))
def test_native_space_cleaning_matches_the_reference(text):
    array = as_array(text)
    assert array[: clean_spaces(array)].tobytes() == readable_clean_spaces(text)


KNOWN = [sample for sample in SAMPLES if sample.format != "tiktoken"]  # which needs a pre-tokenizer


@pytest.mark.parametrize("sample", KNOWN, ids=lambda sample: sample.format)
def test_what_a_model_has_decoded_with_goes_with_it(sample, tmp_path):
    sample.write(tmp_path / sample.name)
    model = guiapp.open_model(str(tmp_path / sample.name))
    model.decode(model.encode(sample.text).token_ids)
    vocabulary = weakref.ref(model.vocabulary)
    del model
    LAST.clear()  # as if another one were opened
    gc.collect()
    assert vocabulary() is None


BYTE_NAMES = {
    "model": {
        "type": "BPE",
        "vocab": {"a": 0, "<0xF0>": 1, "<0x9F>": 2},
        "merges": [],
        "byte_fallback": True,
    },
    "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]},
}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.format)
def test_a_token_of_a_part_of_a_character_gives_its_bytes(sample, tmp_path):
    tokenizer = opened_sample(sample, tmp_path)
    texts = {token: tokenizer.vocabulary.token_bytes(token) for token in range(len(tokenizer.vocabulary))}
    parts = {token: text.rstrip() for token, text in texts.items() if not is_text(text)}  # as CLIP ends words
    assert {token: tokenizer.decode_bytes([token]) for token in parts} == parts
    assert {tokenizer.decode([token]) for token in parts} <= {"\ufffd"}


def test_bytes_that_are_named_are_bytes_and_text_is_the_librarys(tmp_path):
    (path := tmp_path / "tokenizer.json").write_text(json.dumps(BYTE_NAMES))
    tokenizer, library = guiapp.open_model(path), tokenizers.Tokenizer.from_file(str(path))
    for ids in ([1], [1, 2], [0, 1, 0]):
        data = b"".join((b"a", b"\xf0", b"\x9f")[each] for each in ids)
        assert (tokenizer.decode_bytes(ids), tokenizer.decode(ids)) == (data, library.decode(ids))
