"""The colours of the tree's nodes, for light and dark, all light enough to read dark labels on them.

Colours are given in OKLCH (https://bottosson.github.io/posts/oklab): lightness, colourfulness, hue.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from guiapp.analysis.tree.coloring import NO_CLASS, NodeValues
from guiapp.analysis.tree.picture import SCRIPT_NAMES, TreePicture
from guiapp.kit.widgets.theme import Theme

Colors = NDArray[np.uint32]
Lch = tuple[float, float, float]

LMS_OF_LAB = np.array(
    [[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728], [1, -0.0894841775, -1.2914855480]]
)
RGB_OF_LMS = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)

# Hue, colourfulness (1 is the usual) and how much lighter than others: chosen so that all differ in both
# themes for colour-blind people too, who tell many of them by their lightness.
SCRIPT_HUES: dict[str, tuple[float, float, float]] = {
    "Bytes of characters": (308, 0.32, -0.12),
    "Spaces": (265, 0.28, -0.035),
    "Punctuation": (61, 0.43, 0.035),
    "Symbols": (41, 0.72, -0.035),
    "Digits": (99, 1.17, -0.01),
    "Emoji": (92, 1.41, 0.055),
    "Special tokens": (314, 0.67, 0.1),
    "Latin": (259, 1.17, -0.09),
    "Greek": (182, 1.29, 0.1),
    "Cyrillic": (192, 1.03, 0.04),
    "Armenian": (182, 0.74, -0.017),
    "Hebrew": (125, 0.45, -0.12),
    "Arabic": (161, 1.13, 0.1),
    "Devanagari": (77, 1.21, -0.1),
    "Bengali": (43, 0.93, 0.1),
    "Gurmukhi": (79, 0.78, 0.017),
    "Gujarati": (62, 0.72, -0.12),
    "Odia": (94, 0.59, 0.014),
    "Tamil": (14, 0.98, -0.069),
    "Telugu": (91, 0.82, -0.118),
    "Kannada": (63, 1.08, 0.025),
    "Malayalam": (74, 0.68, -0.055),
    "Sinhala": (53, 1.08, -0.023),
    "Thai": (112, 1.17, 0.095),
    "Lao": (170, 0.55, 0.059),
    "Burmese": (160, 0.46, -0.084),
    "Khmer": (105, 1.07, -0.069),
    "Georgian": (259, 0.72, -0.078),
    "Hangul": (294, 1.1, 0.02),
    "Ethiopic": (121, 1.09, 0.072),
    "Han": (21, 1.13, -0.1),
    "Kana": (336, 1.27, -0.1),
}
OTHER_HUE = (270, 0.25, -0.08)
CLASS_HUES = (  # the same for other classes; token types are as many, "normal" the last but one
    (22, 1.15, -0.14),
    (298, 1.34, -0.006),
    (83, 1.31, -0.057),
    (267, 0.79, -0.14),
    (228, 0.64, 0.1),
    (171, 0.89, -0.028),
    (101, 1.21, 0.092),
)

N_HUES = 9  # shades of a class
N_TONES = 2 * N_HUES
HUE_RANGE = 34.0  # degrees between the first shade and the last
HUE_SPREAD = 0.55  # how far a child may be from its parent, as a share of all shades
GOLDEN = 0.6180339887498949
LIGHT_FROM = 118  # of 255, to the eye


@dataclass(frozen=True)
class Palette:
    """How colours are made for one theme.

    lightness, colorfulness   of classes
    step                      how much lighter every other sibling is
    scale                     the way from 0 to 1 through OKLCH
    nothing                   of nodes that there is nothing to say about
    dimmed                    how much is left of what was not searched for
    """

    lightness: float
    colorfulness: float
    step: float
    scale: tuple[Lch, ...]
    nothing: Lch
    dimmed: float


PALETTES = {
    "dark": Palette(
        0.715,
        0.112,
        0.028,
        ((0.40, 0.10, 285), (0.52, 0.12, 255), (0.66, 0.11, 195), (0.80, 0.14, 140), (0.92, 0.14, 100)),
        (0.36, 0.015, 270),
        0.16,
    ),
    "light": Palette(
        0.805,
        0.095,
        0.026,
        ((0.93, 0.06, 100), (0.82, 0.12, 140), (0.70, 0.11, 195), (0.56, 0.13, 255), (0.42, 0.13, 285)),
        (0.90, 0.008, 270),
        0.22,
    ),
}


def rgb(lightness: NDArray[np.float64], chroma: NDArray[np.float64], hue: NDArray[np.float64]) -> Colors:
    """OKLCH as 0xRRGGBB; what a screen cannot show is moved to the nearest edge."""
    turn = np.deg2rad(hue)
    lab = np.stack([lightness, chroma * np.cos(turn), chroma * np.sin(turn)], axis=-1)
    linear = np.clip((lab @ LMS_OF_LAB.T) ** 3 @ RGB_OF_LMS.T, 0, 1)
    bent = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    levels = np.round(bent * 255).astype(np.uint32)
    colors: Colors = levels[..., 0] << 16 | levels[..., 1] << 8 | levels[..., 2]
    return colors


def node_colors(picture: TreePicture, values: NodeValues, theme: Theme) -> Colors:
    """0xRRGGBB for each node; neighbours differ a little in lightness, branches in hue."""
    if values.shares is None:
        tones = _tones(picture)
        table = np.stack([class_colors(values.names, theme.name, tone) for tone in range(N_TONES)])
        table = np.concatenate([table, np.full((N_TONES, 1), nothing_color(theme.name), np.uint32)], axis=1)
        classes = np.where(values.classes == NO_CLASS, table.shape[1] - 1, values.classes)
        colors: Colors = table.ravel()[tones * table.shape[1] + classes]
    else:
        ramp = scale_colors(theme.name)
        is_told = ~np.isnan(values.shares)
        places = (np.nan_to_num(values.shares) * (len(ramp) - 1)).astype(np.int64)
        colors = np.where(is_told, ramp[places], nothing_color(theme.name)).astype(np.uint32)
    colors[0] = number(theme.raised)
    return colors


def _tones(picture: TreePicture) -> NDArray[np.int64]:
    """A tone for each node, 0 to N_TONES - 1: near that of its parent, and another than its neighbours'."""
    arrays = picture.layout
    hues = np.full(len(picture), (N_HUES - 1) / 2)
    noise = np.arange(len(picture)) * GOLDEN % 1.0 - 0.5
    for level in range(2, picture.n_levels):
        low, high = arrays.level_offsets[level : level + 2]
        above = hues[arrays.parents[low:high]]
        hues[low:high] = np.clip(above + noise[low:high] * HUE_SPREAD * N_HUES, 0, N_HUES - 1)
    return 2 * np.round(hues).astype(np.int64) + (np.arange(len(picture)) & 1)


def dimmed(colors: Colors, is_lit: NDArray[np.bool_], theme: Theme) -> Colors:
    """The same colours, nearly gone where they are not lit."""
    share = int(256 * PALETTES[theme.name].dimmed)
    ground = number(theme.background)
    red_blue = ((colors & 0xFF00FF) * share + (ground & 0xFF00FF) * (256 - share)) >> 8 & 0xFF00FF
    green = ((colors & 0x00FF00) * share + (ground & 0x00FF00) * (256 - share)) >> 8 & 0x00FF00
    return np.where(is_lit, colors, red_blue | green).astype(np.uint32)


@lru_cache(64)
def class_colors(names: tuple[str, ...], theme_name: str, tone: int = N_HUES // 2 * 2) -> Colors:
    """One colour for each class; the middle tone is the one of the legend."""
    palette = PALETTES[theme_name]
    if names == SCRIPT_NAMES:
        hues = [SCRIPT_HUES.get(name, OTHER_HUE) for name in names]
    else:
        hues = [CLASS_HUES[at % len(CLASS_HUES)] for at in range(len(names))]
    hue, chroma, lighter = np.array(hues).T
    lightness = lighter + palette.lightness + (tone & 1) * palette.step
    turned = hue + ((tone >> 1) / (N_HUES - 1) - 0.5) * HUE_RANGE
    return rgb(lightness, chroma * palette.colorfulness, turned)


@lru_cache(4)
def scale_colors(theme_name: str, n_steps: int = 256) -> Colors:
    """The colours from 0 to 1."""
    stops = np.array(PALETTES[theme_name].scale)
    places = np.linspace(0, len(stops) - 1, n_steps)
    at = np.arange(len(stops))
    return rgb(*(np.interp(places, at, stops[:, column]) for column in range(3)))


def nothing_color(theme_name: str) -> int:
    """The colour of nodes that there is nothing to say about."""
    return int(rgb(*(np.array(part) for part in PALETTES[theme_name].nothing)))


def number(color: QColor) -> int:
    return int(color.rgb() & 0xFFFFFF)


def is_light(colors: Colors) -> NDArray[np.bool_]:
    """Whether dark text is easier to read on colours 0xRRGGBB."""
    levels = (colors >> 16 & 255) * 0.299 + (colors >> 8 & 255) * 0.587 + (colors & 255) * 0.114
    return np.asarray(levels > LIGHT_FROM)
