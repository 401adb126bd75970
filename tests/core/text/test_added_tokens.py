"""Added tokens are cut out of a text as the library `tokenizers` cuts them out."""

import json
import random

import numpy as np
import pytest
from arrays import as_array
from tokenizers import Tokenizer

from guiapp import open_model
from guiapp.core.text.special_tokens import NO_LIMIT

CONTENTS = ("<a>", "<a><b>", "b", "ab", "<", "é", " x", "x ", "a\u3000")
PARTS = (*CONTENTS, " ", "\u3000", "\u00a0", "\n", "\t", "_", "1", "a", ">", "\u0301", "\u24b6", ".", "日")
FLAGS = ("single_word", "lstrip", "rstrip", "special", "normalized")


def tokenizer_file(tmp_path, tokens):
    """A file whose model knows no text at all, so that only the added tokens count."""
    added = [
        {"id": index + 1, "content": content, **dict.fromkeys(FLAGS, False), **flags}
        for index, (content, flags) in enumerate(tokens.items())
    ]
    model = {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"version": "1.0", "added_tokens": added, "model": model}))
    return path


def parts(partition):
    columns = partition.ids, partition.starts, partition.ends, partition.raw_starts, partition.raw_ends
    return [column.tolist() for column in columns]


def found_by_library(library, text, parse_special):
    """Without what a token takes along that the one before has taken."""
    library.encode_special_tokens = not parse_special
    encoded, found, done = library.encode(text), [], 0
    for token_id, span in zip(encoded.ids, encoded.offsets, strict=True):
        start, end = (len(text[:place].encode()) for place in span)
        if token_id:
            found.append((token_id, max(start, done), end))
            done = end
    return found


@pytest.mark.parametrize("seed", range(24))
def test_they_are_found_where_the_library_finds_them(seed, tmp_path):
    rng = random.Random(seed)
    contents = rng.sample(CONTENTS, rng.randint(1, 6))
    path = tokenizer_file(tmp_path, {each: {flag: rng.random() < 0.3 for flag in FLAGS} for each in contents})
    special_tokens, library = open_model(path).special_tokens, Tokenizer.from_file(str(path))
    for _ in range(60):
        text = "".join(rng.choices(PARTS, k=rng.randint(0, 9)))
        for parse_special in (True, False):
            partition = special_tokens.partition(as_array(text.encode()), parse_special)
            found = [*zip(*parts(partition)[:3], strict=True)]
            assert found == found_by_library(library, text, parse_special), text
            assert parts(partition) == parts(special_tokens.partition_readable(text.encode(), parse_special))
            edges = [0, *(edge for each in found for edge in each[1:]), len(text.encode())]
            assert [*zip(*parts(partition)[3:], strict=True)] == [*zip(edges[::2], edges[1::2], strict=True)]


@pytest.mark.parametrize(
    ("tokens", "alone", "searched"),
    [
        ({"<a>": {}, "b": {}}, (True, True), ([1, 2], [1, 2])),
        ({"<a>": {"special": True}, "b": {"special": True}}, (True, True), ([1, 2], [])),
        ({"<a>": {"special": True}, "b": {}}, (True, False), ([1, 2], [1, 2])),
        ({"<a>": {"lstrip": True}}, (False, False), ([1], [1])),
        ({"<a>": {"rstrip": True, "special": True}}, (False, False), ([1], [])),
        ({"<a>": {"single_word": True}}, (False, False), ([1], [1])),
        ({"<a>": {"normalized": True}}, (True, True), ([1], [1])),
        ({"<a>": {"normalized": True}, "b": {}}, (False, False), ([2, 1], [2, 1])),
        ({"a\0": {}}, (False, False), ([1], [1])),
        ({}, (True, True), ([], [])),
    ],
)
def test_each_counts_by_itself_unless_what_is_beside_it_matters(tokens, alone, searched, tmp_path):
    special_tokens = open_model(tokenizer_file(tmp_path, tokens)).special_tokens
    text = as_array(b"-<a>-b-")
    places = [(1, 4), (5, 6)][: len(tokens)]
    longest = max(map(len, tokens), default=1)
    assert not special_tokens.drops_white_space
    for parse_special, is_alone, ids in zip((True, False), alone, searched, strict=True):
        assert special_tokens.stand_alone(parse_special) == is_alone
        assert special_tokens.searched_for(parse_special).tolist() == ids
        starts, ends = special_tokens.occurrences(text, parse_special)
        across = [special_tokens.reach_across(text, at, parse_special) for at in (0, 1, 3, 7)]
        if is_alone:
            assert [*zip(starts, ends, strict=True)] == (places if ids else [])
            assert across == [None, None, (1, 4) if ids else None, None]
            assert special_tokens.longest(parse_special) == (longest if ids else 1)
        else:
            assert (starts.tolist(), ends.tolist()) == ([0], [7])
            assert across == [None, (0, 7), (0, 7), None]
            assert special_tokens.longest(parse_special) == NO_LIMIT
        assert starts.dtype == ends.dtype == np.int64
