"""The last writers of cells are those that playing the steps leaves."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.trace.writers import writers_of


@given(st.integers(1, 8), st.data())
def test_the_last_writer_is_the_last_step_before(n_cells, data):
    cells = data.draw(
        st.lists(st.integers(-1, n_cells - 1), max_size=20)
    )  # -1 for a step that writes nothing
    steps = np.array([step for step, cell in enumerate(cells) if cell >= 0], np.int64)
    writers = writers_of(n_cells, steps, np.array([cell for cell in cells if cell >= 0], np.int32))
    first = data.draw(st.integers(0, n_cells))
    last = data.draw(st.integers(first, n_cells))
    for n_steps in range(len(cells) + 1):
        written = dict.fromkeys(range(n_cells), -1)
        written |= {cell: step for step, cell in enumerate(cells[:n_steps]) if cell >= 0}
        expected = [written[cell] for cell in range(first, last)]
        assert writers.last(slice(first, last), n_steps).tolist() == expected
