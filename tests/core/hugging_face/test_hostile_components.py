"""Whatever a file says of its components gives a component or one sentence; no text takes long."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from library_components import prepare
from texts_for_components import texts

from guiapp.core.hugging_face.decoders import decoder_of
from guiapp.core.hugging_face.normalizers import normalizer_of
from guiapp.core.hugging_face.pre_tokenizers import normalize, pre_tokenizer_of
from guiapp.core.hugging_face.spec import ComponentError
from guiapp.core.processes import environment
from guiapp.errors import EncodeError

READERS = [normalizer_of, pre_tokenizer_of, decoder_of]
NAMES = """
Sequence BertNormalizer Strip StripAccents NFC NFKD Lowercase Nmt Precompiled Replace Prepend
ByteLevel Split Metaspace Whitespace Punctuation Digits CharDelimiterSplit UnicodeScripts
FixedLength WordPiece BPEDecoder ByteFallback Fuse CTC BertPreTokenizer WhitespaceSplit Foo
"""
KEYS = """
type normalizers pretokenizers decoders clean_text handle_chinese_chars strip_accents lowercase
strip_left strip_right precompiled_charsmap pattern content prepend add_prefix_space trim_offsets
use_regex replacement prepend_scheme split behavior individual_digits delimiter length invert prefix
cleanup suffix start stop pad_token word_delimiter_token
"""
PLAIN = st.one_of(
    *(st.none(), st.booleans(), st.integers(-2, 9), st.floats(), st.sampled_from([2**63, 2**64, 10**30])),
    *(
        st.text(max_size=4),
        st.sampled_from(["Isolated", "first", "\ud800", "AAAA", "(", "[" * 99, "a{9999}", "▁"]),
    ),
    *(st.just({"String": "a"}), st.just({"Regex": r"\s+"}), st.just({"Regex": 3}), st.just({})),
)
ENTRIES = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.builds(
            lambda name, values: {**values, "type": name},
            st.sampled_from(NAMES.split()),
            st.dictionaries(st.sampled_from(KEYS.split()), inner, max_size=8),
        )
        | st.dictionaries(st.sampled_from([*KEYS.split(), "String", "Regex"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(st.sampled_from(READERS), ENTRIES, texts(4))
def test_any_input_gives_a_component_or_an_error_message(reader, entry, text):
    try:
        component = reader(entry)
    except ComponentError as refused:
        sentence = str(refused)
    else:
        sentence = ""
        use(reader, component, text)
    assert re.fullmatch("((has a|uses a|nests its) .{3,400})?", sentence)


def use(reader, component, text):
    if reader is decoder_of:
        component.decode([text, text])
    elif reader is normalizer_of:
        normalize(component, text.encode(), is_first=True)
    else:
        prepare(normalizer_of(None), component, text.encode(), is_first=True)


@pytest.mark.parametrize(
    ("reader", "key"), [*zip(READERS, ["normalizers", "pretokenizers", "decoders"], strict=True)]
)
def test_sequences_may_not_be_nested_deeply_or_be_too_long(reader, key):
    nested = {"type": "Sequence", key: []}
    for _ in range(5000):
        nested = {"type": "Sequence", key: [nested]}
    with pytest.raises(ComponentError, match="too deeply"):
        reader(nested)
    broad = [{"type": "Sequence", key: []}] * 50
    for _ in range(5):
        broad = [{"type": "Sequence", key: broad}] * 50
    with pytest.raises(ComponentError, match="parts"):
        reader({"type": "Sequence", key: broad})


@pytest.mark.parametrize(
    ("reader", "entry", "sentence"),
    [
        (normalizer_of, {"type": "Foo"}, "uses a normalizer “Foo”, which is unknown"),
        (decoder_of, {}, "has a decoder without a type"),
        (pre_tokenizer_of, {"type": "Digits"}, "has a pre-tokenizer “Digits” without “individual_digits”"),
        (
            pre_tokenizer_of,
            {"type": "FixedLength", "length": 0},
            "has a pre-tokenizer “FixedLength” whose “length” is 0",
        ),
        (
            normalizer_of,
            {"type": "Precompiled", "precompiled_charsmap": "!"},
            "has a normalizer “Precompiled” whose map is not base64",
        ),
        (decoder_of, [], "has a decoder that is not a JSON object"),
    ],
)
def test_what_is_wrong_is_named(reader, entry, sentence):
    with pytest.raises(ComponentError, match=f"^{sentence}$"):
        reader(entry)


def test_a_text_that_would_explode_is_refused_before_it_does():
    replace = {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 60000}
    many = normalizer_of({"type": "Sequence", "normalizers": [replace] * 20})
    with pytest.raises(EncodeError, match="so it was not encoded"):
        normalize(many, b"a" * 1000, is_first=True)
    with pytest.raises(EncodeError):
        decoder_of({"type": "Sequence", "decoders": [replace] * 20}).decode(["a" * 1000])
    ctc = {"type": "CTC", "pad_token": "x", "word_delimiter_token": "", "cleanup": True}
    with pytest.raises(EncodeError, match="Decode less"):
        decoder_of({"type": "Sequence", "decoders": [ctc] * 40}).decode(["ab"])


TENFOLD = {"type": "Replace", "pattern": {"Regex": "a"}, "content": "a" * 10}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
GROWING = {
    "replace": ("normalizer", [TENFOLD] * 12),
    "prepend": ("normalizer", [{"type": "Prepend", "prepend": "a"}, TENFOLD] * 12),
    "byte level": ("normalizer", [BYTE_LEVEL] * 60),
    "pieces": ("pre_tokenizer", [BYTE_LEVEL] * 60),
    "decoder": ("decoder", [TENFOLD] * 12),
    "words": ("decoder", [{"type": "WordPiece", "prefix": "#", "cleanup": False}] * 99),
}
MEASURED = """
import json, resource, sys
from guiapp.core.hugging_face.decoders import decoder_of
from guiapp.core.hugging_face.normalizers import normalizer_of
from guiapp.core.hugging_face.pre_tokenizers import pre_tokenizer_of
from guiapp.core.hugging_face.pre_tokenizers import normalize, pre_tokenize
from guiapp.errors import EncodeError

said, text = json.loads(sys.argv[1]), sys.argv[2]
normalizer, cutter = normalizer_of(said.get("normalizer")), pre_tokenizer_of(said.get("pre_tokenizer"))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
most = before * 1024 + (1 << 30)  # with what is only reserved
resource.setrlimit(resource.RLIMIT_AS, (most, most))
try:
    pre_tokenize(cutter, normalize(normalizer, text.encode(), is_first=True))
    decoder_of(said.get("decoder")).decode([*text])
except EncodeError:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
KEYS_OF_PARTS = {"normalizer": "normalizers", "pre_tokenizer": "pretokenizers", "decoder": "decoders"}


@pytest.mark.skipif(sys.platform != "linux", reason="it limits and measures memory")
@pytest.mark.parametrize(("kind", "parts"), GROWING.values(), ids=GROWING)
def test_growth_is_refused_before_memory_is_taken_for_it(kind, parts):
    entry = json.dumps({kind: {"type": "Sequence", KEYS_OF_PARTS[kind]: parts}})
    child = [sys.executable, "-c", MEASURED, entry, "a b" * 100]
    completed = subprocess.run(child, capture_output=True, text=True, env=environment(), check=True)
    assert int(completed.stdout) < 50 << 10, "kB"


def test_rules_of_unicode_may_make_a_text_many_times_as_long():
    text = "\ufdfa " * 20_000
    parts = [{"type": "NFKD"}, BYTE_LEVEL]
    normalizer = normalizer_of({"type": "Sequence", "normalizers": parts})
    assert len(normalize(normalizer, text.encode(), is_first=True).data) > 10 * len(text)


LONG = {
    "one letter": "a" * (1 << 20),
    "spaces": " " * (1 << 20),
    "combining marks": "\u0301\u0323" * (1 << 18),
    "marked letters": "e\u0301" * (1 << 18),
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_long_runs_take_seconds_at_most(text):
    normalizer = normalizer_of(
        {
            "type": "Sequence",
            "normalizers": [
                {"type": "NFD"},
                {"type": "NFC"},
                {"type": "Lowercase"},
                {"type": "Replace", "pattern": {"String": "``"}, "content": '"'},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        }
    )
    pre_tokenizer = pre_tokenizer_of(
        {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
                {"type": "Punctuation"},
                {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True},
            ],
        }
    )
    begin = time.process_time()
    prepared = prepare(normalizer, pre_tokenizer, text.encode(), is_first=True)
    assert time.process_time() - begin < 10
    assert prepared.ends[-1] == len(prepared.normalized.data)


@pytest.mark.parametrize(("kind", "most"), [("Regex", 25), ("String", 100)])
def test_regular_expressions_count_for_more_than_other_parts(kind, most):
    def split(number):
        return {"type": "Split", "pattern": {kind: f"a{number}"}, "behavior": "Isolated", "invert": False}

    parts = [split(number) for number in range(most)]
    assert pre_tokenizer_of({"type": "Sequence", "pretokenizers": parts}) is not None
    with pytest.raises(ComponentError, match="limit of 100 parts"):
        pre_tokenizer_of({"type": "Sequence", "pretokenizers": [*parts, split(most)]})
