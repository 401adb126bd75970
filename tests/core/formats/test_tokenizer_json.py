"""tokenizer.json, against Hugging Face's `tokenizers` with the same file."""

from __future__ import annotations

import json
import random

import pytest
import tokenizers
from conftest import SHARED, VOCABS
from fuzzing import SEED, rounds
from hugging_face_equality import Pair
from hypothesis import assume, given, seed, settings
from hypothesis import strategies as st
from random_texts import text_of
from random_tokenizers import DOCUMENTS, TEXTS

import guiapp
from guiapp.analysis.libraries.written_models import hugging_face_json
from guiapp.core.encode.counting.growing import AppendEncoder
from guiapp.core.formats import json_parts as part
from guiapp.core.vocabulary.byte_alphabet import CHARACTER_OF_BYTE
from guiapp.errors import VocabError

pytestmark = pytest.mark.slow


FORMATS = SHARED / "formats"
FILES = ("claude-2", "deepseek-v4")
WRITTEN = ("gpt-2", "llama-bpe", "qwen2", "starcoder", "deepseek-coder", "llama-spm")
PLAIN = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False)
SMALL = {
    "version": "1.0",
    "added_tokens": [
        PLAIN | {"id": 4, "content": "<s>", "special": True},
        PLAIN | {"id": 5, "content": "</s>", "special": True},
        PLAIN | {"id": 6, "content": "[x]", "normalized": True},
    ],
    "normalizer": None,
    "pre_tokenizer": None,
    "post_processor": None,
    "decoder": None,
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "abab": 3}, "merges": ["a b", "ab ab"]},
}


def written(path, content=SMALL, **sections):
    path.write_text(json.dumps(content | sections))
    return path


def readable(data):
    """As text; broken bytes and surrogates are not for this library."""
    return data.decode("utf-8", "replace")


@pytest.fixture(scope="module", params=FILES)
def real(request):
    return Pair(FORMATS / f"{request.param}.tokenizer.json")


@pytest.fixture(scope="module", params=WRITTEN)
def from_gguf(request, tmp_path_factory):
    path = tmp_path_factory.mktemp(request.param) / "tokenizer.json"
    path.write_text(hugging_face_json(guiapp.open_model(VOCABS / f"ggml-vocab-{request.param}.gguf")))
    return Pair(path)


def check(pair, count):
    added = [token.content.encode() for token in pair.ours.vocabulary.parts.added_tokens]
    n_tokens = len(pair.ours.vocabulary)
    for index in range(count):
        rng = random.Random(f"{SEED} {index} switches")
        text = readable(text_of(SEED, index, added[:200]))
        add, parse, shows = (rng.random() < 0.5 for _ in range(3))
        ids = pair.check(text, add, parse)
        pair.check(text, not add, not parse, rng.choice(pair.ours.exact_encoders))
        pair.check_decoding(ids, shows)
        pair.check_decoding([rng.randrange(n_tokens) for _ in range(8)], shows)
        if index % 20 == 0:
            pair.check_twin(text[:200], add, parse)


@pytest.mark.real_vocabs
@rounds(usual=300, exhaustive=20_000)
def test_real_files_give_the_ids_offsets_and_texts_of_tokenizers(real, count):
    check(real, count)


@pytest.mark.real_vocabs
@rounds(usual=60, exhaustive=20_000)
def test_gguf_vocabularies_written_so_give_those_of_tokenizers(from_gguf, count):
    check(from_gguf, count)


USES = st.lists(st.tuples(TEXTS, st.booleans(), st.booleans()), min_size=1, max_size=8)


@rounds(usual=120, exhaustive=4_000)
def test_tokenizers_of_all_parts_give_those_of_tokenizers(tmp_path, count):
    """Every option of the models, added tokens, components and post-processors, in drawn combinations."""

    @seed(SEED)
    @settings(max_examples=count)
    @given(DOCUMENTS, USES)
    def compare(document, uses):
        try:
            pair = Pair(written(tmp_path / "tokenizer.json", document))
        except VocabError as refused:
            assume("of which its normalizer leaves nothing" not in str(refused))
            raise
        assume("takes one of them by chance" not in "".join(pair.ours.vocabulary.warnings))
        for text, add, parse in uses:
            ids = pair.check(text, add, parse)
            pair.check_decoding(ids, shows_special=add)
            pair.check_twin(text, add, parse)

    compare()


def test_added_tokens_get_the_ids_of_their_texts_or_the_next_ones(tmp_path):
    added = [
        {"id": 9, "content": "ab"},
        {"id": 9, "content": "[y]", "special": True},
        {"id": 5, "content": "z"},
    ]
    vocabulary = guiapp.open_model(written(tmp_path / "tokenizer.json", added_tokens=added)).vocabulary
    assert [vocabulary.find(text) for text in (b"ab", b"[y]", b"z")] == [2, 4, 5]
    assert [vocabulary.kind(token) for token in (1, 2, 4, 5)] == [
        "normal",
        "user-defined",
        "control",
        "user-defined",
    ]
    assert "the added token “ab” the id 9" in vocabulary.warnings[0]


@pytest.mark.parametrize("are_bytes", [True, False])
def test_names_of_bytes_are_bytes_where_the_model_falls_back_to_them(tmp_path, are_bytes):
    model = {"type": "BPE", "vocab": {"a": 0, "<0x0A>": 1}, "merges": [], "byte_fallback": are_bytes}
    path = written(tmp_path / "tokenizer.json", model=model, added_tokens=[])
    kinds = list(map(guiapp.open_model(path).vocabulary.kind, range(2)))
    assert kinds == ["normal", "byte" if are_bytes else "normal"]


def test_the_first_of_added_tokens_with_equal_texts_is_matched(tmp_path):
    added = [
        PLAIN | {"id": 4 + n, "content": text, "normalized": True} for n, text in enumerate(("XY", "xy"))
    ]
    path = written(tmp_path / "tokenizer.json", added_tokens=added, normalizer={"type": "Lowercase"})
    tokenizer = guiapp.open_model(path)
    assert "2 added tokens match the same text “xy”" in tokenizer.vocabulary.warnings[0]
    for encode in (tokenizer.encode, tokenizer.encode_readable):
        assert encode("axYab").token_ids.tolist() == [0, 4, 2]
    assert tokenizer.decode([4, 5]) == tokenizers.Tokenizer.from_file(str(path)).decode([4, 5])


def test_sidecar_files_define_the_roles_of_tokens(tmp_path):
    config = {
        "bos_token": {"content": "<s>"},
        "eos_token": "</s>",
        "add_bos_token": True,
        "clean_up_tokenization_spaces": True,
        "chat_template": "{{ messages }}",
    }
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    (tmp_path / "special_tokens_map.json").write_text(json.dumps({"pad_token": "[x]"}))
    tokenizer = guiapp.open_model(written(tmp_path / "tokenizer.json", padding={"strategy": "x"}))
    ids = tokenizer.vocabulary.special_ids
    assert (ids.bos, ids.eos, ids.pad) == (4, 5, 6)
    assert tokenizer.vocabulary.metadata["chat_template"] == "{{ messages }}"
    assert tokenizer.encode("ab").token_ids.tolist() == [
        2
    ]  # as the library has it, whatever the other file says
    warnings = " ".join(tokenizer.vocabulary.warnings)
    assert all(words in warnings for words in ("add_bos_token on", "padding tokens", "drops spaces"))


PREPENDED = {"normalizer": part.normalizers(part.PREPENDS, part.MARKS)}
FIRST_ONLY = {"normalizer": None, "pre_tokenizer": part.metaspace("first", False)}
MARKED = {"model": {"type": "BPE", "vocab": {"▁": 0, "a": 1, "▁a": 2, "b": 3}, "merges": ["▁ a"]}}


@pytest.mark.parametrize(
    ("own", "name", "other"),
    [(PREPENDED, "llama-first", FIRST_ONLY), (FIRST_ONLY, "llama-legacy", PREPENDED)],
)
def test_where_libraries_differ_both_readings_are_offered(tmp_path, own, name, other):
    path = written(tmp_path / "tokenizer.json", **MARKED, **own)
    as_other = Pair(written(tmp_path / "other.json", **MARKED, **other))
    tokenizer, chosen = guiapp.open_model(path), guiapp.open_model(path, pre=name)
    assert [tokenizer.exactness.level, chosen.exactness.level] == ["exact", "approximate"]
    assert f"Choose “{name}”" in tokenizer.exactness.reason
    text = "a b<s>a"
    assert (
        chosen.encode(text).token_ids.tolist()
        == as_other.check(text)
        != tokenizer.encode(text).token_ids.tolist()
    )
    with pytest.raises(VocabError, match=f"and not as “qwen2”. Open it without choosing one, or as {name}."):
        guiapp.open_model(path, pre="qwen2")


def test_a_mistral_file_with_another_models_pattern_can_be_read_as_tekken(tmp_path):
    split = part.split_by(r"\p{N}{1,3}|\p{L}+")
    added = [{"id": 5, "content": f"[{text}]"} for text in ("INST", "/INST", "AVAILABLE_TOOLS", "TOOL_CALLS")]
    vocab = {character: number for number, character in enumerate(CHARACTER_OF_BYTE)} | {"12": 256}
    path = written(
        tmp_path / "tokenizer.json",
        added_tokens=added,
        pre_tokenizer=part.pre_tokenizers(split, part.byte_level(use_regex=False)),
        model={"type": "BPE", "vocab": vocab, "merges": ["1 2"]},
    )
    assert len(guiapp.open_model(path).encode("12")) == 1
    assert len(guiapp.open_model(path, pre="tekken").encode("12")) == 2


@pytest.mark.parametrize("form", ["NFC", "NFKC", None])
def test_appending_gives_what_encoding_the_whole_gives(tmp_path, form):
    vocab = {character: number for number, character in enumerate(CHARACTER_OF_BYTE)} | {"ab": 256, "Ġa": 257}
    path = written(
        tmp_path / "tokenizer.json",
        normalizer=form and {"type": form},
        pre_tokenizer={"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True},
        model={"type": "BPE", "vocab": vocab, "merges": ["a b", "Ġ a"]},
    )
    tokenizer = guiapp.open_model(path)
    for index in range(60):
        text = readable(text_of(SEED, index, [b"<s>", b"[x]"])).encode()
        growing = AppendEncoder(tokenizer)
        for start in range(0, len(text), 7):
            growing.append(text[start : start + 7])
        assert growing.token_ids.tolist() == tokenizer.encode(text).token_ids.tolist(), text


def tokens(**ids):
    return {"model": SMALL["model"] | {"vocab": {"a": 0, "b": 1, "ab": 2, "abab": 3} | ids}}


@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        ({"version": "2.0"}, "has the unknown version '2.0'"),
        ({"model": {"type": "Magic"}}, "has a model of the unknown type “Magic”"),
        ({"model": None}, "does not have the layout of such files"),
        (
            {"model": {"type": "BPE", "vocab": [], "merges": []}},
            "has a vocabulary that does not give each text",
        ),
        ({"model": {"type": "BPE", "vocab": {}, "merges": []}, "added_tokens": []}, "has no tokens"),
        (tokens(c=2), "has two tokens with the id 2"),
        (tokens(c=-1), "has a token with the id -1"),
        (tokens(c=1 << 63), "does not have the layout of such files"),
        (tokens(c=1 << 40), "has 8 tokens, but one has the id 1,099,511,627,776"),
        (tokens(c="3"), "has a vocabulary that does not give each text an id"),
        (tokens(**{"\ud800": 4}), "UnicodeEncodeError"),
        ({"model": SMALL["model"] | {"merges": ["a b c"]}}, "has a merge rule that is not two texts"),
        (
            {"model": SMALL["model"] | {"merges": ["a x"]}},
            "has a merge rule with “x”, which is not one of its tokens",
        ),
        ({"model": SMALL["model"] | {"merges": ["a a"]}}, "has a merge rule with “aa”, which is not one of"),
        ({"model": SMALL["model"] | {"merges": [["a"]]}}, "not enough values to unpack"),
        ({"model": SMALL["model"] | {"merges": 3}}, "are not a list"),
        ({"model": SMALL["model"] | {"unk_token": "?"}}, "names the unknown token “?”, which is not"),
        ({"model": SMALL["model"] | {"fuse_unk": 1}}, "has a “fuse_unk” that is neither true nor false"),
        ({"normalizer": {"type": "Magic"}}, "Magic”"),
        ({"pre_tokenizer": {"type": "Split"}}, "Split”"),
        ({"decoder": []}, "decoder"),
        ({"post_processor": {"type": "Magic"}}, "uses an unknown post-processor “Magic”"),
        (
            {"post_processor": {"type": "BertProcessing", "sep": ["x", 99], "cls": ["y", 1]}},
            "adds the id 99 to texts",
        ),
        (
            {
                "normalizer": {"type": "Prepend", "prepend": "a" * 1000},
                "added_tokens": [PLAIN | {"id": 4, "content": "x", "normalized": True}],
            },
            "has an added token that its normalizer makes too long",
        ),
        *(
            (
                {"added_tokens": [PLAIN | {"id": token_id, "content": "x"}]},
                f"gives the added token “x” the id {token_id!r}",
            )
            for token_id in (-5, 1 << 32, 1.5, True, "7", None)
        ),
        ({"added_tokens": [{"id": 4}]}, "does not have the layout of such files"),
        ({"added_tokens": {"content": "x"}}, "does not have the layout of such files"),
    ],
)
def test_damaged_files_are_refused_in_a_sentence(tmp_path, sections, expected):
    with pytest.raises(VocabError) as caught:
        guiapp.open_model(written(tmp_path / "tokenizer.json", **sections))
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"truncation": null, "model": ' + "[" * 100_000, "nested too deeply"),
        ('{"truncation": null, "model": ' + "9" * 5000 + "}", "too many digits"),
        ('{"truncation": null, "model": [' + "[]," * (5 << 20) + "0]}", "more than four million lists"),
        ('{"truncation": null', "is not valid JSON"),
    ],
)
def test_hostile_json_is_refused_in_a_sentence(tmp_path, text, expected):
    path = tmp_path / "tokenizer.json"
    path.write_text(text)
    with pytest.raises(VocabError, match=expected):
        guiapp.open_model(path)


@pytest.mark.parametrize(
    "model",
    [
        {"type": "Unigram", "vocab": [["a", 0.0], ["b", -1.0], ["a", -2.0]], "unk_id": 0},
        {"type": "BPE", "vocab": {"a": 0, "b": 1, "<x>": 9}, "merges": []},
    ],
)
def test_added_tokens_get_ids_after_all_of_the_model(tmp_path, model):
    added = [PLAIN | {"id": 9, "content": text} for text in ("<x>", "<y>")]
    assert Pair(written(tmp_path / "tokenizer.json", SMALL, model=model, added_tokens=added)).check("a<x><y>")
