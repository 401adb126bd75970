"""The algorithms, one row each: menus, command line, benchmark and tests loop over this table."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Algorithm:
    """An encoder that the user can choose.

    exact       whether it gives llama.cpp's ids for every text
    complexity  in the length n of a piece
    source      where it was first described or is defined
    """

    name: str
    title: str
    exact: bool
    complexity: str
    source: str


TOKENLOUPE = "Tokenloupe"


def encoder_label(name: str) -> str:
    """The name on screen: `fast`, this program's encoder, is called Tokenloupe; so in `fast (unsplit)`."""
    return re.sub(r"^fast(?=$| \()", TOKENLOUPE, name)


def encoder_name(label: str) -> str:
    """The name in commands and JSON for a name on screen."""
    return re.sub(rf"^{TOKENLOUPE}(?=$| \()", "fast", label, flags=re.IGNORECASE)


ALGORITHMS: dict[str, Algorithm] = {
    row.name: row
    for row in (
        Algorithm(
            "fast",
            "Cached pieces",
            True,
            "O(n) where pieces repeat",
            "Pieces are independent of each other, so each is encoded once and then looked up",
        ),
        Algorithm(
            "heap",
            "Pair merging with a priority queue",
            True,
            "O(n log n)",
            "SentencePiece, Kudo & Richardson 2018, https://aclanthology.org/D18-2012",
        ),
        Algorithm(
            "scan",
            "Textbook pair merging",
            True,
            "O(n²)",
            "Sennrich, Haddow & Birch 2016, section 3.2, https://aclanthology.org/P16-1162",
        ),
        Algorithm(
            "backtrack",
            "Longest match with steps back",
            True,
            "O(n · longest token)",
            "Backtracking encoder of github/rust-gems, crates/bpe, https://github.com/github/rust-gems",
        ),
        Algorithm(
            "table",
            "Last token of every prefix",
            True,
            "O(n · longest token)",
            "Dynamic programming of github/rust-gems, crates/bpe, https://github.com/github/rust-gems",
        ),
        Algorithm(
            "greedy",
            "Longest match in the token tree",
            False,
            "O(n · longest token)",
            "TokenTree, https://github.com/mrgyularabai/Token-Tree",
        ),
        Algorithm(
            "fewest",
            "As few tokens as possible",
            False,
            "O(n · longest token)",
            "Minimal encoding of github/rust-gems, crates/bpe, https://github.com/github/rust-gems",
        ),
        Algorithm(
            "words",
            "Whole words",
            False,
            "O(n)",
            "The word-level models before Sennrich, Haddow & Birch 2016, https://aclanthology.org/P16-1162",
        ),
        Algorithm(
            "wordpiece",
            "Longest match first",
            True,
            "O(n · longest token)",
            "BERT, Devlin et al. 2019, https://aclanthology.org/N19-1423",
        ),
        Algorithm(
            "linear",
            "Longest match with failure links",
            True,
            "O(n)",
            "Fast WordPiece, Song et al. 2021, https://aclanthology.org/2021.emnlp-main.160",
        ),
        Algorithm(
            "wordlevel",
            "Whole pieces",
            True,
            "O(n)",
            "The model WordLevel of Hugging Face's tokenizers, https://github.com/huggingface/tokenizers",
        ),
        Algorithm(
            "viterbi",
            "Most probable segmentation",
            True,
            "O(n · longest token)",
            "Unigram language model, Kudo 2018, https://aclanthology.org/P18-1007",
        ),
        Algorithm(
            "rwkv",
            "Greedy longest match over a byte trie",
            True,
            "O(n · longest token)",
            "RWKV World tokenizer, https://github.com/BlinkDL/RWKV-LM",
        ),
        Algorithm(
            "plamo2",
            "Best segmentation, from right to left",
            True,
            "O(n · longest token)",
            "PLaMo 2 tokenizer, as llama.cpp defines it",
        ),
        Algorithm(
            "hash",
            "Hashes of five bytes",
            True,
            "O(n)",
            "llama.cpp's vocabulary type for tests",
        ),
    )
}
