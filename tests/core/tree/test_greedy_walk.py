"""Ways through the tree, against the encoders."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import guiapp
from guiapp.core.demo import demo_model_path
from guiapp.core.tree.greedy_walk import greedy_walk, merge_rules_of, prefix_tree

WORDS_OF_MODELS = {
    "bpe": ("the", "Welcome", "internationalisation", " a tree", "漢字"),
    "spm": ("the", "Welcome", "internationalisation", " a tree", "漢字"),
    "toy": ("abcabc", "aabbcc", "cbacba"),
}
TEXTS = st.text(st.sampled_from("the nwou1 .漢"), max_size=24)


@pytest.fixture(scope="module")
def tokenizer():
    return guiapp.open_model(demo_model_path("bpe"))


@given(text=TEXTS.map(str.encode))
@settings(max_examples=50)
def test_the_walk_takes_the_longest_token_each_time(tokenizer, text):
    tree = tokenizer.token_tree
    steps = greedy_walk(tree, text)
    taken = [step.taken for step in steps if step.taken is not None]
    at, expected = 0, []
    while at < len(text):
        expected.append(tree.longest_match(text, at))
        at += len(tree.token_bytes(expected[-1]))
    assert taken == expected
    assert [step.offset for step in steps] == list(range(len(text)))
    for step in steps:
        seen = text[step.start : step.offset + 1]
        assert step.token is None or seen.startswith(tree.token_bytes(step.token))
        assert all(tree.parent(child) == step.token for child in step.continuations)


@pytest.mark.parametrize("name", [*WORDS_OF_MODELS])
def test_prefixes_end_as_the_readable_table_says(name):
    tokenizer = guiapp.open_model(demo_model_path(name))
    for word in WORDS_OF_MODELS[name]:
        tree = prefix_tree(tokenizer, word.encode())
        for prefix in itertools.accumulate(word):
            end = len(prefix.encode())
            expected = tokenizer.encode_readable(
                prefix, add_special=False, parse_special=False, encoder="table"
            )
            assert tree.token_ids[end] == expected.token_ids[-1]
            assert (tree.parents[end], end) == tuple(expected.spans[-1])


@given(word=st.text(st.sampled_from("thenwous"), min_size=1, max_size=10).map(str.encode))
@settings(max_examples=50)
def test_prefixes_end_with_the_tokens_that_the_linear_encoder_finds(tokenizer, word):
    tree = prefix_tree(tokenizer, word)
    for end in range(1, len(word) + 1):
        ids = tokenizer.encode(word[:end], add_special=False, encoder="table").token_ids
        assert tree.token_ids[end] == ids[-1]
        assert tree.parents[end] == end - len(tokenizer.vocabulary.token_bytes(int(ids[-1])))
    way = tree.chosen()[::-1]
    ids = [int(tree.token_ids[end]) for end in way[1:]]
    assert ids == tokenizer.encode(word, add_special=False).token_ids.tolist()


def test_rules_that_make_a_token_come_by_rank(tokenizer):
    merging = tokenizer.merging
    token = tokenizer.vocabulary.find(b"the")
    rules = merge_rules_of(merging, token)
    assert rules == sorted(rules)
    for _, left, right in rules:
        vocabulary = tokenizer.vocabulary
        assert vocabulary.raw_text(left) + vocabulary.raw_text(right) == b"the"
