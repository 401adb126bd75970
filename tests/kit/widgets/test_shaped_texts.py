"""Texts in many sizes are drawn from what is kept, and not all of it is kept."""

from __future__ import annotations

import gc
import weakref

from guiapp.kit.widgets.shaped_texts import MOST_FONTS, MonoTexts


def test_sizes_that_nobody_looks_at_any_more_are_forgotten(qapp):
    texts = MonoTexts()
    small, large = texts.of(8), texts.of(40)
    forgotten = weakref.ref(small)
    del small
    for size_px in range(9, 9 + 2 * MOST_FONTS):
        texts.of(size_px)
        assert texts.of(40) is large
    gc.collect()
    assert forgotten() is None
