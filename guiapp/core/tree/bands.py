"""How high each level of the tree is drawn: fitted to what is in view, without a jump while it moves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guiapp.core.tree.picture import TreePicture


@dataclass(frozen=True)
class BandStyle:
    """How levels share the height.

    sparse_power   a level that fills a share of the view is as high as that share to this power
    passed_power   the same for a level of which only a share of one node is seen
    thinnest       of the height of a full level, what a level with anything in view has at least
    passed         the same for levels of which only a small share of one node is seen
    root           height of the root, as a share of a full level
    highest        of a full level, as a share of all that there is
    """

    sparse_power: float
    passed_power: float
    thinnest: float
    passed: float
    root: float
    highest: float


ICICLE = BandStyle(0.36, 0.45, 0.04, 0.30, 0.55, 0.25)
SUNBURST = BandStyle(0.7, 1.6, 0.012, 0.0, 1.4, 0.45)


def band_tops(
    picture: TreePicture, left: float, right: float, height_px: float, style: BandStyle
) -> NDArray[np.float64]:
    """Where each level begins, from 0 at the root, and the end of the last: float64[k + 1].

    The heights follow the view [left, right) steadily, so that zooming moves them without a jump.
    """
    shares, insides = picture.layout.measure((left, right))
    weights = np.where(shares > 0, np.maximum(shares**style.sparse_power, style.thinnest), 0.0)
    weights *= np.maximum(insides**style.passed_power, style.passed)
    weights[0] *= style.root
    unit_px = height_px * min(style.highest, 1 / max(float(weights.sum()), 1e-9))
    return np.concatenate([np.zeros(1), np.cumsum(weights * unit_px)])
