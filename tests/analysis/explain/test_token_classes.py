"""What tokens are made of, and how rare they are."""

import numpy as np
import pytest
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.explain.characters import KINDS, RARITIES, TokenClasses
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import VocabType

MADE_OF = {
    "ab": "letters",
    "▁é1!": "letters",
    "1!": "digits",
    "½": "digits",
    "▁!": "signs",
    "▁": "white space",
    "\n\t": "white space",
    b"\xe4\xb8": "bytes",
    "<s>": "special",
    "<unk>": "special",
    "<tool>": "special",
    "<0x41>": "letters",
}
ATTRIBUTES = {
    "<s>": Attribute.CONTROL,
    "<unk>": Attribute.UNKNOWN,
    "<tool>": Attribute.USER_DEFINED,
    "<0x41>": Attribute.BYTE,
}


def test_letters_go_before_digits_and_these_before_signs():
    classes = TokenClasses(toy_vocabulary({name: ATTRIBUTES.get(name, 0.0) for name in MADE_OF}))
    for ids in (np.array([3, 3, 0]), np.arange(len(MADE_OF))[::-1], np.arange(len(MADE_OF))):
        kinds = classes.kinds(ids.astype(np.int32))
        assert [KINDS[kind] for kind in kinds] == [list(MADE_OF.values())[token_id] for token_id in ids]
    assert classes.kinds(np.empty(0, np.int32)).tolist() == []


@pytest.mark.parametrize("vocab_type", [VocabType.BPE, VocabType.SPM, VocabType.UGM])
def test_rare_are_tokens_by_their_score_or_else_by_their_id(vocab_type):
    n_tokens = 200
    scores = {f"t{i}": -float((i * 7) % n_tokens) for i in range(n_tokens)}  # each once
    classes = TokenClasses(toy_vocabulary(scores, vocab_type))
    assert classes.is_by_score == (vocab_type is not VocabType.BPE)
    found = classes.rarities(np.arange(n_tokens, dtype=np.int32))
    for token_id, score in enumerate(scores.values()):
        place = -score if classes.is_by_score else token_id
        assert RARITIES[found[token_id]] == next(
            (name for end, name in zip((2, 20, 80), RARITIES, strict=False) if place < end), "later"
        )


def test_of_tokens_that_score_alike_the_first_is_the_least_rare():
    classes = TokenClasses(toy_vocabulary({f"t{i}": 0.0 for i in range(100)}))
    assert np.bincount(classes.rarities(np.arange(100, dtype=np.int32))).tolist() == [1, 9, 30, 60]
    assert (np.diff(classes.rarities(np.arange(100, dtype=np.int32)).astype(int)) >= 0).all()
