"""Trees of tokens, each below its longest proper prefix, and functions that walk down them."""

from __future__ import annotations

import ctypes
from ctypes import c_bool, c_double, c_int64, c_uint32, c_void_p
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.errors import VocabError
from guiapp.native.binding import (
    Array,
    Bytes,
    Handle,
    Ints,
    TokenColumns,
    WideInts,
    array_as,
    arrays,
    checked,
    function,
    long_function,
    tokens_by,
)

View = tuple[float, float]
LAYOUT_COLUMNS = ("tokens", "kinds", "parents", "starts", "ends", "level_offsets", "nodes")
MOST_TREE_BYTES = 1 << 26

_tree_new = long_function("tree_new(bytes, wide_ints, ints, >flags, >ints, >ints) -> handle")
_tree_columns = function("tree_columns(handle, >ints, >ints, >ints, >ints, >ints)")
_tree_longest_match = function("tree_longest_match(handle, bytes, wide_int)")
_words_encode = function("words_encode(handle, bytes, int, >tokens)")


class TreeColumns(NamedTuple):
    """A tree as it is drawn.

    depths         int32[n]      1 for tokens without a parent, 0 for those that are not in the tree
    sizes          int32[n]      tokens in the subtree, itself included
    places         int32[n]      index of each token in the order of the tree, or -1
    child_offsets  int32[n + 2]  the children of token i, or of the root in row n, sorted by their bytes, are
    children       int32[k]      children[child_offsets[i] : child_offsets[i + 1]]
    """

    depths: Ints
    sizes: Ints
    places: Ints
    child_offsets: Ints
    children: Ints


class TokenTreeHandle(Handle, free="tree_free"):
    """The tree of the tokens `ids`; token i is data[offsets[i] : offsets[i + 1]].

    Of tokens with the same bytes only the last among `ids` that may be matched is matched.  The others, and
    empty ones, are leaves.

    is_matched  bool[n]   which tokens matching finds
    parents     int32[n]  the longest proper prefix of a token that is matched, or -1
    order       int32[k]  `ids` sorted by their bytes, parents first
    """

    def __init__(self, data: Bytes, offsets: WideInts, ids: Ints, may_be_matched: NDArray[np.bool_]) -> None:
        self.is_matched = may_be_matched.copy()
        self.parents = np.full(len(offsets) - 1, -1, np.int32)
        self.order = np.empty(len(ids), np.int32)
        arguments = data, offsets, ids, self.is_matched, self.parents, self.order
        address = _tree_new(*arguments)
        if address is None and len(data) > MOST_TREE_BYTES:
            raise VocabError(
                f"The tokens of this vocabulary have {len(data):,} bytes. A tree is made of up to "
                f"{MOST_TREE_BYTES:,}."
            )
        super().__init__(address, *arguments)

    @classmethod
    def of(cls, data: Bytes, offsets: WideInts) -> TokenTreeHandle:
        """The tree of all tokens."""
        n_tokens = len(offsets) - 1
        return cls(data, offsets, np.arange(n_tokens, dtype=np.int32), np.ones(n_tokens, np.bool_))

    def longest_match(self, text: Bytes, start: int = 0) -> int:
        """The longest token that text[start:] begins with, or -1; the shorter ones are its ancestors."""
        return int(_tree_longest_match(self, text, start))

    def columns(self) -> TreeColumns:
        """The columns that drawing the tree needs."""
        n_tokens = len(self.parents)
        columns = TreeColumns(
            depths=np.zeros(n_tokens, np.int32),
            sizes=np.zeros(n_tokens, np.int32),
            places=np.full(n_tokens, -1, np.int32),
            child_offsets=np.zeros(n_tokens + 2, np.int32),
            children=np.empty(len(self.order), np.int32),
        )
        _tree_columns(self, *columns)
        return columns


def encode_words(tree: TokenTreeHandle, text: Bytes, unknown: int) -> TokenColumns:
    """The token of each word between white space, else `unknown`, or nothing if that is -1."""
    return tokens_by(_words_encode, tree, text, unknown, room=len(text) // 2 + 1)


# Pictures of token trees


class _LayoutArrays(ctypes.Structure):
    _fields_ = arrays(*LAYOUT_COLUMNS)


_token_scripts = function("token_scripts(bytes, wide_ints, bytes, wide_int, >bytes)")
_layout_new = function("layout_new(ints, ints, ints, bytes, wide_int, structure, >ints) -> handle")
_layout_measure = function("layout_measure(handle, double, double, >doubles, >doubles)")
_layout_list_wide = function("layout_list_wide(handle, double, double, doubles, >ints)")
_node_colors_new = function("node_colors_new(handle, colors) -> handle")


def token_scripts(
    data: Bytes,
    offsets: WideInts,
    scripts_of_codes: Bytes,
    first_script: int,
) -> Bytes:
    """The script of each token, uint8[n]: of its first letter, else of the strongest character in it.

    Numbers below `first_script` are not scripts, and weaker the smaller they are.  A token without a letter
    that is not whole UTF-8 gets 0.
    """
    scripts = np.empty(len(offsets) - 1, np.uint8)
    checked(_token_scripts(data, offsets, scripts_of_codes, first_script, scripts))
    return scripts


class TreeLayout(Handle, free="layout_free"):
    """The nodes of a picture of a tree, level by level and from left to right: node 0 is the root.

    A leaf is one unit wide, any other node as wide as all its children, which are below it.
    If a node has at least `crowd` children, they are put in groups, one for each of `kinds`, a number
    for each token; the largest group comes first, and if all are of one kind there are no groups.

    tokens         int32[m]      the token, or -1 for the root and for groups
    kinds          uint8[m]      the kind of a group's tokens; elsewhere of the token
    parents        int32[m]      node one level above, -1 for the root
    starts, ends   int32[m]      a node covers [start, end)
    level_offsets  int32[k + 1]  level i holds the nodes [level_offsets[i], level_offsets[i + 1])
    nodes          int32[n]      the node of each token, or -1
    """

    def __init__(
        self,
        sizes: Ints,
        child_offsets: Ints,
        children: Ints,
        kinds: Bytes,
        crowd: int,
    ) -> None:
        fan_outs = np.diff(child_offsets)
        room = 1 + len(children) + int(np.minimum(fan_outs[fan_outs >= crowd], 256).sum())
        columns: dict[str, Any] = {name: np.empty(room + 1, np.int32) for name in LAYOUT_COLUMNS}
        columns |= {"kinds": np.empty(room, np.uint8), "nodes": np.full(len(kinds), -1, np.int32)}
        counts = np.empty(2, np.int32)
        filled = _LayoutArrays(*map(Array.of, columns.values()))
        address = _layout_new(sizes, child_offsets, children, kinds, crowd, filled, counts)
        super().__init__(address, columns)
        n_nodes, self.n_levels = counts.tolist()
        names = ("tokens", "parents", "starts", "ends")
        self.tokens, self.parents, self.starts, self.ends = (columns[name][:n_nodes] for name in names)
        self.kinds: Bytes = columns["kinds"][:n_nodes]
        self.level_offsets: Ints = columns["level_offsets"][: self.n_levels + 1]
        self.nodes: Ints = columns["nodes"]

    def measure(self, view: View) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How each level fills a view, from left to right: two numbers float64[k] for each.

        The share of the view that has nodes; and the visible share of a node if one node covers the whole
        view, else 1.
        """
        shares, insides = np.empty(self.n_levels), np.empty(self.n_levels)
        checked(_layout_measure(self, *view, shares, insides))
        return shares, insides

    def list_wide(self, view: View, least: NDArray[np.float64], most: int) -> Ints:
        """The nodes with at least the part least[level] visible in a view, by level; up to `most`."""
        result = np.empty(most, np.int32)
        return result[: checked(_layout_list_wide(self, *view, least, result))]


class Frame(ctypes.Structure):
    """Where to paint nodes; see `NodePainter.frame`."""

    _fields_ = (
        ("nodes", c_void_p),
        ("left", c_double),
        ("right", c_double),
        ("image", Array),
        ("width", c_int64),
        ("ground", c_uint32),
        ("has_gaps", c_bool),
    )


_paint_icicle = function("paint_icicle(structure, ints, wide_int, wide_int)")
_paint_quarter = function("paint_quarter(structure, doubles, shorts, shorts, wide_ints)")
_paint_bent = function("paint_bent(structure, ints, double, double, double, double)")


class NodePainter(Handle, free="node_colors_free"):
    """Paints the nodes of a layout in their colours, uint32[m], 0xRRGGBB."""

    def __init__(self, layout: TreeLayout, colors: NDArray[np.uint32]) -> None:
        self.colors = colors
        super().__init__(_node_colors_new(layout, colors), layout, colors)

    def frame(self, view: View, ground: int, image: NDArray[np.uint32], has_gaps: bool = True) -> Frame:
        """The argument of the functions below: a view into an image, with the background colour `ground`.

        has_gaps  whether up to a pixel is left free after wide nodes
        """
        array, width = array_as(">colors", image), image.shape[1]
        frame = Frame(self.address, *view, array, width, ground, has_gaps)
        frame.kept = self, image
        return frame


def paint_icicle(frame: Frame, edges: Ints, rows: tuple[int, int]) -> None:
    """Paint the rows from one to another; level i fills those from edges[i] to edges[i + 1]."""
    checked(_paint_icicle(frame, edges, *rows))


def paint_quarter(
    frame: Frame,
    radii: NDArray[np.float64],
    polar: tuple[NDArray[np.uint16], NDArray[np.uint16]],
    square: tuple[int, int, int, bool],
) -> None:
    """Paint a quarter of a sunburst, in which level i is the ring from radii[i] to radii[i + 1].

    polar   of each pixel of the upper left quarter, its angle from the vertical, in 65536ths of a full turn,
            and its distance from the middle, in quarters of a pixel
    square  x and y of its corner, the quarter, 0 to 3 counterclockwise from the top, and whether it is coarse
    """
    checked(_paint_quarter(frame, radii, *polar, np.array([*square, len(polar[0])], np.int64)))


def paint_bent(frame: Frame, edges: Ints, shape: tuple[float, float, float, float]) -> None:
    """Paint an icicle that is bent around a far centre, in transition to a sunburst.

    shape  the centre's x and y, the angle of the whole strip, and the radius that becomes depth 0
    """
    checked(_paint_bent(frame, edges, *shape))
