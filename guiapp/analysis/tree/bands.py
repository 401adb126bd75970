"""How high each level of the tree is drawn: fitted to what is in view, without a jump while it moves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.tree.picture import TreePicture


@dataclass(frozen=True)
class BandStyle:
    """How levels share the height.

    sparse_power   a level that fills a share of the view is as high as that share to this power
    passed_power   the same for a level of which only a share of one node is seen
    passed         of the height of a full level, what is left of one that shows a small share of one node
    root           height of the root, as a share of a full level
    highest        of a full level, as a share of all that there is
    """

    sparse_power: float
    passed_power: float
    passed: float
    root: float
    highest: float


ICICLE = BandStyle(0.45, 0.45, 0.30, 0.55, 0.5)
SUNBURST = BandStyle(0.9, 1.6, 0.0, 1.4, 0.85)


def band_tops(
    picture: TreePicture, left: float, right: float, size_px: tuple[float, float], style: BandStyle
) -> NDArray[np.float64]:
    """Where each level begins, from 0 at the root, and the end of the last: float64[k + 1].

    `size_px` is the length of a level and the height for all of them.  A level whose nodes in view come to
    less than a pixel fades, so that the others have its room.  The heights follow the view [left, right)
    steadily, so that zooming moves them without a jump.
    """
    shares, insides = picture.layout.measure((left, right))
    length_px, height_px = size_px
    weights = shares**style.sparse_power * np.minimum(shares * length_px, 1.0)
    weights *= np.maximum(insides**style.passed_power, style.passed)
    weights[0] *= style.root
    unit_px = height_px * min(style.highest, 1 / max(float(weights.sum()), 1e-9))
    return np.concatenate([np.zeros(1), np.cumsum(weights * unit_px)])
