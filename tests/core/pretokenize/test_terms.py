"""Terms against what they are made of."""

import numpy as np
import pytest

from guiapp.core.pretokenize.windows import CAREFUL, CUT, N_GROUPS, RARE, UNSURE, terms_for


@pytest.mark.parametrize("seed", range(20))
def test_terms_tell_of_each_window_what_is_known(seed):
    random = np.random.default_rng(seed)
    known = random.choice([0, CUT, UNSURE, CAREFUL, CUT | CAREFUL], size=(2, 3, 3, 2))
    known = known[np.ix_(*(random.integers(size, size=N_GROUPS) for size in known.shape))]
    for place in range(known.ndim):
        known.swapaxes(0, place)[RARE] = UNSURE
    told = np.zeros_like(known)
    for term in terms_for(known):
        holds = np.array([term.product >> window & 1 for window in range(known.size)], np.bool_) == term.holds
        told |= np.where(holds.reshape(known.shape), term.verdict, 0)
    is_unsure = known == UNSURE
    assert np.array_equal(told & UNSURE, known & UNSURE)
    assert np.array_equal(told[~is_unsure], known[~is_unsure])
