"""Perceived colours, also with colour blindness."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QColor

# Linear RGB as seen without one kind of cone; Machado, Oliveira & Fernandes 2009, severity 1.0
SIMULATIONS = {
    "normal": np.eye(3),
    "protanopia": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
    "deuteranopia": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
    "tritanopia": np.array([[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]]),
}
XYZ_FROM_RGB = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear_rgb(color: QColor) -> np.ndarray:
    value = np.array(color.getRgbF()[:3])
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE L*a*b*, in which distances are roughly perceived differences."""
    x, y, z = np.cbrt(XYZ_FROM_RGB @ np.clip(rgb, 0.01, 1) / XYZ_FROM_RGB.sum(axis=1))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])
