"""The token tree as a picture: nodes with positions, and lookup by token, by position and by relation; its
pixels; and the scripts of tokens, by which the picture is grouped and coloured."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.tree.trials import broken_tokens
from guiapp.core.text.unicode_tables import N_CODES, category_runs
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import TokenTree, Vocabulary
from guiapp.native import token_tree as native
from guiapp.native.token_tree import TreeLayout, View

ROOT = 0
MOST_LISTED = 1 << 15
CROWD = 128  # a node with at least this many children shows them in groups
Pixels = np.ndarray[tuple[int, int], np.dtype[np.uint32]]
HALVES = ((0, 1), (2, 3))  # quarters of a sunburst
TURN = 1 << 16
RADIUS_STEPS = 4  # per pixel


@dataclass(frozen=True, eq=False)
class TreePicture:
    """All tokens of a vocabulary under the root, laid out; see `TreeLayout`.

    A node is a row of its arrays: the root, a token, or a group of siblings that share a script.
    scripts  uint8[n]  of each token, an index into SCRIPT_NAMES
    """

    vocabulary: Vocabulary
    tree: TokenTree
    scripts: NDArray[np.uint8]
    layout: TreeLayout

    def __len__(self) -> int:
        """The number of nodes, including groups and the root."""
        return len(self.layout.tokens)

    @property
    def width(self) -> int:
        """The width in leaves; 1 for an empty tree."""
        return max(1, int(self.layout.ends[ROOT]))

    @property
    def n_levels(self) -> int:
        return self.layout.n_levels

    @cached_property
    def widest(self) -> NDArray[np.int32]:
        """int32[k]: the width of the widest node of each level."""
        widths: NDArray[np.int32] = self.layout.ends - self.layout.starts
        return np.maximum.reduceat(widths, self.layout.level_offsets[:-1])

    def token(self, node: int) -> int | None:
        """The token that a node stands for; None for root and groups."""
        token = int(self.layout.tokens[node])
        return None if token < 0 else token

    def node(self, token: int) -> int:
        return int(self.layout.nodes[token])

    def parent(self, node: int) -> int | None:
        return None if node == ROOT else int(self.layout.parents[node])

    def path(self, node: int) -> list[int]:
        """The nodes from the root to a node, both included."""
        path = [node]
        while path[-1] != ROOT:
            path.append(int(self.layout.parents[path[-1]]))
        return path[::-1]

    def children(self, node: int) -> range:
        """The children of a node, from left to right."""
        level = self.level(node) + 1
        if level == self.n_levels:
            return range(0)
        low, high = self._level_offsets[level : level + 2]
        first, last = np.searchsorted(self.layout.parents[low:high], [node, node + 1])
        return range(low + int(first), low + int(last))

    def level(self, node: int) -> int:
        return bisect_right(self._level_offsets, node) - 1

    @cached_property
    def _level_offsets(self) -> list[int]:
        offsets: list[int] = self.layout.level_offsets.tolist()
        return offsets

    def span(self, node: int) -> tuple[int, int]:
        """The span [start, end) that a node covers, in leaves; never empty."""
        start, end = int(self.layout.starts[node]), int(self.layout.ends[node])
        return start, max(end, start + 1)

    def node_at(self, level: int, position: float) -> int | None:
        """The node at a position of a level; None if there is none."""
        if not 0 <= level < self.n_levels:
            return None
        low, high = self._level_offsets[level : level + 2]
        node = low + int(np.searchsorted(self.layout.ends[low:high], position, "right"))
        return node if node < high and self.layout.starts[node] <= position else None

    def wide_nodes(self, left: float, right: float, least: NDArray[np.float64]) -> NDArray[np.int32]:
        """The nodes in the view [left, right) that are at least `least[i]` wide on level i.

        Level by level, from left to right; an infinite width excludes a level.
        """
        least = np.where(self.widest < least, np.inf, least)
        return self.layout.list_wide((left, right), least, min(len(self), MOST_LISTED))

    def n_below(self, node: int) -> int:
        """The number of tokens below a node."""
        token = self.token(node)
        if token is not None:
            return int(self.tree.columns.sizes[token]) - 1
        if node == ROOT:
            return len(self.tree)
        members = self.layout.tokens[self.children(node)]
        return int(self.tree.columns.sizes[members].sum())

    def tokens_below(self, node: int) -> NDArray[np.int32]:
        """The tokens below a node, level by level."""
        start, end = self.span(node)
        rows = slice(node + 1, None)
        is_below = (self.layout.starts[rows] >= start) & (self.layout.ends[rows] <= end)
        is_token = self.layout.tokens[rows] >= 0
        tokens: NDArray[np.int32] = self.layout.tokens[rows][is_below & is_token]
        return tokens

    def script(self, node: int) -> str:
        return SCRIPT_NAMES[int(self.layout.kinds[node])]


def tree_picture(vocabulary: Vocabulary) -> TreePicture:
    """Lay out the token tree of a vocabulary."""
    tree = vocabulary.token_tree
    scripts, columns = token_scripts(vocabulary, tree), tree.columns
    layout = TreeLayout(columns.sizes, columns.child_offsets, columns.children, scripts, CROWD)
    return TreePicture(vocabulary, tree, scripts, layout)


# Pixels


@dataclass(frozen=True, eq=False)
class NodeColors:
    """The colours of all nodes of a picture, for painting.

    values  uint32[m]  0xRRGGBB
    ground  the background colour
    lit     bool[m]  whether a node is not dimmed; None if no node is dimmed
    """

    picture: TreePicture
    values: NDArray[np.uint32]
    ground: int
    lit: NDArray[np.bool_] | None = None

    @cached_property
    def painter(self) -> native.NodePainter:
        return native.NodePainter(self.picture.layout, self.values)

    def of(self, node: int) -> int:
        return int(self.values[node])

    def is_lit(self, node: int) -> bool:
        """Whether a node is not dimmed."""
        return self.lit is None or bool(self.lit[node])


def paint_icicle(
    colors: NodeColors, view: View, tops: NDArray[np.float64], image: Pixels, has_gaps: bool = True
) -> None:
    """Fill an image; level i is drawn from round(tops[i]) to round(tops[i + 1]), wide nodes with gaps."""
    edges, height = np.round(tops).astype(np.int32), len(image)
    middle = min(int(edges[np.searchsorted(edges[:-1], int(edges[-1]) / 2)]), height)
    frame = colors.painter.frame(view, colors.ground, image, has_gaps)
    share_work(
        *(partial(native.paint_icicle, frame, edges, rows) for rows in ((0, middle), (middle, height)))
    )


def paint_sunburst(
    colors: NodeColors,
    view: View,
    radii: NDArray[np.float64],
    image: Pixels,
    corner: tuple[int, int] = (0, 0),
    size: int | None = None,
    is_coarse: bool = False,
) -> None:
    """Fill a square of an image; level i is the ring from radii[i] to radii[i + 1] around its centre.

    The side of the square must be even.
    """
    frame = colors.painter.frame(view, colors.ground, image)
    polar = polar_map((min(image.shape) if size is None else size) // 2)

    def paint(half: tuple[int, int]) -> None:
        for quarter in half:
            native.paint_quarter(frame, radii, polar, (*corner, quarter, is_coarse))

    share_work(*(partial(paint, half) for half in HALVES))


def paint_between(
    colors: NodeColors,
    view: View,
    tops: NDArray[np.float64],
    shape: tuple[float, float, float, float],
    image: Pixels,
) -> None:
    """Fill an image with a state between icicle and sunburst; `shape` is for `native.paint_bent`."""
    frame = colors.painter.frame(view, colors.ground, image)
    native.paint_bent(frame, np.round(tops).astype(np.int32), shape)


def share_work(own: Callable[[], None], other: Callable[[], None]) -> None:
    """Call two functions in parallel; if no other thread is free in time, both in this thread."""
    helped = _helper().submit(other)
    try:
        own()
    finally:
        if not helped.cancel():
            wait([helped])
    if helped.cancelled():
        other()
    else:
        helped.result()


@cache
def _helper() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "tree-painter")


@lru_cache(2)
def polar_map(size: int) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """Angles and radii for a square whose quarters have this size, cached; see `native.paint_quarter`."""
    away = size - np.arange(size) - 0.5
    turns = np.arctan2(away, away[:, np.newaxis]) * (TURN / (2 * np.pi)) + 0.5
    return turns.astype(np.uint16), (np.hypot(away, away[:, np.newaxis]) * RADIUS_STEPS).astype(np.uint16)


# Scripts.  A letter determines the script, by the block of its code point; only tokens without a letter are
# classified by digits, symbols or spaces.  Blocks are coarser than Unicode's Script property, but sufficient.

# Classes without letters, the weakest first: the strongest one in a token counts.
BYTES, SPACES, PUNCTUATION, SYMBOLS, DIGITS, EMOJI = range(6)
SPECIAL = 6
FIRST_SCRIPT = 7
SCRIPT_BLOCKS: dict[str, tuple[tuple[int, int], ...]] = {
    "Latin": (
        (0x41, 0x5A), (0x61, 0x7A), (0xAA, 0xAA), (0xBA, 0xBA), (0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x2AF),
        (0x1D00, 0x1DBF), (0x1E00, 0x1EFF), (0x2C60, 0x2C7F), (0xA720, 0xA7FF), (0xAB30, 0xAB6F),
        (0xFB00, 0xFB06), (0xFF21, 0xFF3A), (0xFF41, 0xFF5A),
    ),
    "Greek": ((0x370, 0x3FF), (0x1F00, 0x1FFF)),
    "Cyrillic": ((0x400, 0x52F), (0x1C80, 0x1C8F), (0x2DE0, 0x2DFF), (0xA640, 0xA69F)),
    "Armenian": ((0x530, 0x58F), (0xFB13, 0xFB17)),
    "Hebrew": ((0x590, 0x5FF), (0xFB1D, 0xFB4F)),
    "Arabic": ((0x600, 0x6FF), (0x750, 0x77F), (0x870, 0x8FF), (0xFB50, 0xFDFF), (0xFE70, 0xFEFE)),
    "Syriac": ((0x700, 0x74F), (0x860, 0x86F)),
    "Thaana": ((0x780, 0x7BF),),
    "N’Ko": ((0x7C0, 0x7FF),),
    "Devanagari": ((0x900, 0x97F), (0xA8E0, 0xA8FF), (0x1CD0, 0x1CFF)),
    "Bengali": ((0x980, 0x9FF),),
    "Gurmukhi": ((0xA00, 0xA7F),),
    "Gujarati": ((0xA80, 0xAFF),),
    "Odia": ((0xB00, 0xB7F),),
    "Tamil": ((0xB80, 0xBFF),),
    "Telugu": ((0xC00, 0xC7F),),
    "Kannada": ((0xC80, 0xCFF),),
    "Malayalam": ((0xD00, 0xD7F),),
    "Sinhala": ((0xD80, 0xDFF),),
    "Thai": ((0xE00, 0xE7F),),
    "Lao": ((0xE80, 0xEFF),),
    "Tibetan": ((0xF00, 0xFFF),),
    "Burmese": ((0x1000, 0x109F), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F)),
    "Georgian": ((0x10A0, 0x10FF), (0x1C90, 0x1CBF), (0x2D00, 0x2D2F)),
    "Hangul": (
        (0x1100, 0x11FF), (0x3130, 0x318F), (0xA960, 0xA97F), (0xAC00, 0xD7FF), (0xFFA0, 0xFFDC),
    ),
    "Ethiopic": ((0x1200, 0x139F), (0x2D80, 0x2DDF), (0xAB00, 0xAB2F)),
    "Cherokee": ((0x13A0, 0x13FF), (0xAB70, 0xABBF)),
    "Canadian syllables": ((0x1400, 0x167F), (0x18B0, 0x18FF)),
    "Khmer": ((0x1780, 0x17FF), (0x19E0, 0x19FF)),
    "Mongolian": ((0x1800, 0x18AF),),
    "Han": (
        (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x3029), (0x3100, 0x312F), (0x31A0, 0x31BF),
        (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
    ),
    "Kana": ((0x3041, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F), (0x1B000, 0x1B16F)),
    "Tifinagh": ((0x2D30, 0x2D7F),),
    "Yi": ((0xA000, 0xA4CF),),
    "Javanese": ((0xA980, 0xA9DF),),
}  # fmt: skip
OTHER_LETTERS = "Other letters"
EMOJI_BLOCKS = ((0x2600, 0x27BF), (0x1F000, 0x1FAFF), (0xFE0F, 0xFE0F), (0x200D, 0x200D))
SCRIPT_NAMES = (
    "Bytes of characters", "Spaces", "Punctuation", "Symbols", "Digits", "Emoji", "Special tokens",
    *SCRIPT_BLOCKS, OTHER_LETTERS,
)  # fmt: skip
OTHER_LETTER = len(SCRIPT_NAMES) - 1
OF_CATEGORY = (BYTES, OTHER_LETTER, DIGITS, PUNCTUATION, SYMBOLS, OTHER_LETTER, SPACES, SPACES)


def token_scripts(vocabulary: Vocabulary, tree: TokenTree) -> NDArray[np.uint8]:
    """For each token, an index into SCRIPT_NAMES; tokens with a partial character have no script."""
    scripts = native.token_scripts(tree.data, tree.offsets, scripts_of_codes(), FIRST_SCRIPT)
    scripts[broken_tokens(tree)] = BYTES
    scripts[(vocabulary.attributes & (Attribute.CONTROL | Attribute.UNKNOWN)) > 0] = SPECIAL
    return scripts


@cache
def scripts_of_codes() -> NDArray[np.uint8]:
    """For each code point, an index into SCRIPT_NAMES."""
    runs = category_runs()
    of_runs = np.array(OF_CATEGORY, np.uint8)[runs.categories]
    scripts = np.repeat(of_runs, np.diff(runs.starts, append=N_CODES))
    for number, blocks in enumerate(SCRIPT_BLOCKS.values(), FIRST_SCRIPT):
        for first, last in blocks:
            part = scripts[first : last + 1]
            part[part != DIGITS] = number
    for first, last in EMOJI_BLOCKS:
        scripts[first : last + 1] = EMOJI
    return scripts
