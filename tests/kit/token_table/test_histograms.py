"""What stands below histograms."""

import numpy as np

from guiapp.analysis.vocabulary_list.filters import Histogram
from guiapp.kit.token_table.histograms import edge_labels


def test_edges_of_large_scores_are_written_in_few_digits():
    """Commas between thousands were taken for part of the number."""
    names = ("score -1,882.38 to -3.5", "score -3.5 to 0.25", "score 0.25 to 1.5")
    bars = Histogram("score", names, names, np.zeros(3, np.int16), np.ones(3, np.int64))
    assert edge_labels(bars) == {-0.5: "-1.88e+03", 0.5: "-3.5", 1.5: "0.25"}
