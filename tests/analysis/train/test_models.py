"""Trained models as files: their special tokens, switches and texts about them."""

import pytest
from gguf import TokenType

from guiapp.analysis.train.models import TrainingError, bpe_file, end_mark_file, shortfall, train
from guiapp.core.text.charsmap import build_charsmap

TEXT = "How do lions sleep? They do not sleep. How insane! " * 3
NAMES = (
    "Trained byte-level BPE",
    "Trained BPE with end-of-word marks",
    "Trained WordPiece",
    "Trained Unigram",
)


@pytest.mark.parametrize(
    ("model", "kind", "roles", "flags"),
    [
        (
            train("bpe", TEXT, 270),
            ("llama", "gpt2", "llama-bpe"),
            dict.fromkeys(("bos", "eos"), "<|endoftext|>"),
            {"add_bos_token": False},
        ),
        (
            bpe_file([("a", "b")]),
            ("llama", "gpt2", "llama-bpe"),
            dict.fromkeys(("bos", "eos"), "<|endoftext|>"),
            {"add_bos_token": False},
        ),
        (
            end_mark_file(["a"], []),
            ("llama", "gemma4", ""),
            {"padding": "<pad>", "eos": "<eos>", "bos": "<bos>", "unknown": "<unk>"},
            {},
        ),
        (
            train("wordpiece", TEXT, 60),
            ("bert", "bert", ""),
            {"padding": "[PAD]", "unknown": "[UNK]", "bos": "[CLS]", "seperator": "[SEP]", "mask": "[MASK]"},
            {},
        ),
        (
            train("unigram", TEXT, 60),
            ("t5", "t5", ""),
            {"padding": "<pad>", "eos": "</s>", "unknown": "<unk>"},
            {"add_space_prefix": True, "remove_extra_whitespaces": True, "add_bos_token": False},
        ),
    ],
    ids=["bpe", "bpe of merges", "end marks", "wordpiece", "unigram"],
)
def test_each_role_has_its_token(model, kind, roles, flags):
    assert (model.architecture, model.model, model.pre) == kind
    assert roles == {role: model.tokens[number].text for role, number in model.special_ids.items()}
    assert flags == model.flags
    assert model.name in NAMES
    assert model.description == "Trained by Tokenloupe on a text of one's own."
    special = {token.text: token.kind for token in model.tokens if token.kind not in (1, TokenType.BYTE)}
    assert special == {text: 2 if "unk" in text.lower() else 3 for text in roles.values()}
    assert len(model.charsmap) == (0 if model.model != "t5" else len(build_charsmap({"\t": " "})) + 4)


@pytest.mark.parametrize(
    ("algorithm", "n_tokens", "n_repeated", "why"),
    [
        ("bpe", 300, 0, ""),
        ("bpe", 301, 0, ""),
        ("bpe", 1, 5, "1 token instead of 300: no pair occurs twice any more."),
        ("bpe", 299, 1, "299 tokens instead of 300: 1 merge makes a token that another one has made."),
        ("bpe", 298, 2, "298 tokens instead of 300: 2 merges make tokens that another one has made."),
        (
            "unigram",
            299,
            1,
            "299 tokens instead of 300: no other stretch of the text occurs often enough to be a piece.",
        ),
    ],
)
def test_why_there_are_fewer_tokens_is_told(algorithm, n_tokens, n_repeated, why):
    assert shortfall(algorithm, n_tokens, 300, n_repeated) == why


def test_sizes_and_texts_that_are_too_small_are_refused():
    assert len(train("bpe", "abc", 257).tokens) == 257
    for size in (256, 1):
        with pytest.raises(TrainingError, match="needs 257 tokens"):
            train("bpe", "abc", size)
    for text in ("", " \n"):
        with pytest.raises(TrainingError, match="The text is empty"):
            train("bpe", text, 300)
