"""What WordPiece, Unigram and PLaMo 2 make of a text before they encode it."""

import numpy as np
import pytest

from guiapp.core.text.normalizers import (
    action_of,
    all_actions,
)


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("strip_accents", [True, False])
def test_the_table_of_all_code_points_says_the_same(lowercase, strip_accents):
    actions = all_actions(lowercase, strip_accents)
    rng = np.random.default_rng(5)
    for code in [*range(0x800), *range(0x1E00, 0x2100), *rng.integers(0, 0x110000, 2000).tolist()]:
        value = int(actions[code])
        assert (value & 3, code + (value >> 2)) == action_of(code, lowercase, strip_accents)
