"""The token counts of all prefixes and of all suffixes of a text that grows, as PLaMo 2 segments them.

Of suffixes they are what the algorithm finds on its way from the end of a text to its start; see `plamo2.py`.

A prefix has an end of its own, so its cheapest segmentation is found on the way from the start.  There what
counts where several are as cheap is not the last token but the first that differs: the longer one is taken.
The chosen segmentations of all prefixes form a tree, in which the last token of each hangs behind a prefix.
Two of them differ first behind their last common ancestor, which a skip list in the tree finds quickly
(Myers 1983, https://doi.org/10.1016/0020-0190(83)90106-0).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.byte_trie import NONE, TokenMatcher, child
from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.longest_suffixes import stepped
from guiapp.core.kernels.normalize_plamo2 import BYTE_ORDER_MARK
from guiapp.core.kernels.normalize_wordpiece import write_character
from guiapp.core.kernels.pair_cuts import character_length
from guiapp.core.kernels.plamo2 import UNREACHED
from guiapp.core.kernels.suffixes import decode, write
from guiapp.core.kernels.utf8 import REPLACEMENT

LONGEST_CHARACTER = 4
LARGEST_CODE = (1 << 21) - 1  # that four bytes can tell, Unicode or not
SIZE, PENDING, HAS_BEGUN, FIELDS = range(4)  # see `Prefixes`


class Prefixes(NamedTuple):
    """What is known of a text; the arrays have room for more.

    data      uint8[…]  what it becomes when it is normalised
    costs     int64[…]  of the cheapest segmentation of the first 0, 1, … bytes of that
    counts    int32[…]  its tokens
    parents   int32[…]  where the last of them begins, be it a character that becomes several
    depths    int32[…]  how many prefixes are before that one in the tree
    jumps     int32[…]  one of them, mostly near
    pending   uint8[4]  bytes of a character that is not complete
    progress  int64[3]  the bytes of `data`, the pending ones, and whether there were any others
    """

    data: NDArray[np.uint8]
    costs: NDArray[np.int64]
    counts: NDArray[np.int32]
    parents: NDArray[np.int32]
    depths: NDArray[np.int32]
    jumps: NDArray[np.int32]
    pending: NDArray[np.uint8]
    progress: NDArray[np.int64]


class Suffixes(NamedTuple):
    """What is known of a text, its last byte first; the arrays have room for more.

    text    uint8[…]  its bytes
    places  int32[…]  how many bytes of `data` are behind a place of the text
    data    uint8[…]  what it becomes when it is normalised
    costs   int64[…]  of the cheapest segmentation from a place of that on
    counts  int32[…]  its tokens
    nodes   int32[…]  the node that the text has come to there; see `byte_trie.TokenMatcher`
    """

    text: NDArray[np.uint8]
    places: NDArray[np.int32]
    data: NDArray[np.uint8]
    costs: NDArray[np.int64]
    counts: NDArray[np.int32]
    nodes: NDArray[np.int32]


@kernel
def append(
    new: NDArray[np.uint8],
    ends: NDArray[np.int64],
    matcher: TokenMatcher,
    token_costs: NDArray[np.int64],
    unknown_cost: int,
    prefixes: Prefixes,
    counts: NDArray[np.int32],
) -> None:
    """Put bytes behind a text, one after the other, and write how many tokens it has with each.

    ends  where in `new` texts end behind which another one begins
    """
    data, pending, progress = prefixes.data, prefixes.pending, prefixes.progress
    size, n_pending, has_begun = int(progress[SIZE]), int(progress[PENDING]), progress[HAS_BEGUN] != 0
    n_ended = 0
    for index in range(len(new)):
        pending[n_pending] = new[index]
        n_pending += 1
        while n_pending:
            length = _length(pending, n_pending)
            if length > n_pending:
                break
            code = REPLACEMENT if length == 0 else int(pending[0]) & (0xFF >> length >> int(length > 1))
            length = max(length, 1)
            for at in range(1, length):
                code = code << 6 | (int(pending[at]) & 0x3F)
            if has_begun or code != BYTE_ORDER_MARK:
                end = size + write_character(data, size, code)
                _choose(matcher, token_costs, unknown_cost, prefixes, size, end)
                size = end
            has_begun = True
            n_pending -= length
            for at in range(n_pending):
                pending[at] = pending[at + length]
        end = size
        for _ in range(n_pending):
            start, end = end, end + write_character(data, end, REPLACEMENT)
            _choose(matcher, token_costs, unknown_cost, prefixes, start, end)
        counts[index] = prefixes.counts[end]
        if n_ended < len(ends) and ends[n_ended] == index + 1:
            size, n_pending, has_begun = 0, 0, False
            n_ended += 1
    progress[SIZE], progress[PENDING], progress[HAS_BEGUN] = size, n_pending, int(has_begun)


@borrowing
def _length(pending: NDArray[np.uint8], n_pending: int) -> int:
    """The bytes of the character that begins there, complete or not; 0 if its first byte is broken."""
    lead = int(pending[0])
    if lead < 0x80:
        return 1
    length = character_length(lead)
    if length == 1 or lead >= 0xF8:
        return 0
    for at in range(1, min(length, n_pending)):
        if pending[at] & 0xC0 != 0x80:
            return 0
    return length


@borrowing
def _choose(
    matcher: TokenMatcher,
    token_costs: NDArray[np.int64],
    unknown_cost: int,
    prefixes: Prefixes,
    start: int,
    end: int,
) -> None:
    """Find the last token of the prefix up to `end`, where a character ends that begins at `start`."""
    data, costs, parents, jumps = prefixes.data, prefixes.costs, prefixes.parents, prefixes.jumps
    best, parent, n_tokens = int(costs[start]) + unknown_cost, start, end - start
    node, at = len(matcher.edges), end
    while at > 0:
        at -= 1
        node = child(matcher.edges, node, int(data[at]))
        if node < 0:
            break
        token = int(matcher.longest[node])
        if token == NONE or matcher.lengths[token] != end - at:
            continue
        cost = int(costs[at]) + int(token_costs[token])
        if cost < best or (cost == best and goes_first(parents, prefixes.depths, jumps, at, parent)):
            best, parent, n_tokens = cost, at, 1
    costs[end], parents[end], prefixes.counts[end] = best, parent, prefixes.counts[parent] + n_tokens
    prefixes.depths[end] = prefixes.depths[parent] + 1
    jump = int(jumps[parent])
    step = prefixes.depths[parent] - prefixes.depths[jump]
    goes_far = step == prefixes.depths[jump] - prefixes.depths[jumps[jump]]
    jumps[end] = jumps[jump] if goes_far else parent


@borrowing
def goes_first(
    parents: NDArray[np.int32], depths: NDArray[np.int32], jumps: NDArray[np.int32], left: int, right: int
) -> bool:
    """Whether a token behind the prefix up to `left` wins over one behind a longer prefix, as cheap."""
    depth = min(int(depths[left]), int(depths[right]))
    while depths[left] > depth:
        left = int(jumps[left]) if depths[jumps[left]] >= depth else int(parents[left])
    while depths[right] > depth:
        right = int(jumps[right]) if depths[jumps[right]] >= depth else int(parents[right])
    if left == right:
        return True
    while parents[left] != parents[right]:
        skips = jumps[left] != jumps[right]
        left = int(jumps[left]) if skips else int(parents[left])
        right = int(jumps[right]) if skips else int(parents[right])
    return left > right


@kernel
def prepend(
    new: NDArray[np.uint8],
    size: int,
    matcher: TokenMatcher,
    token_costs: NDArray[np.int64],
    unknown_cost: int,
    suffixes: Suffixes,
    counts: NDArray[np.int32],
) -> None:
    """Put bytes before a text of `size`, the last one first; write to counts[i] the tokens from new[i] on."""
    text, places, data = suffixes.text, suffixes.places, suffixes.data
    costs, n_tokens = suffixes.costs, suffixes.counts
    for index in range(len(new) - 1, -1, -1):
        text[size] = new[index]
        size += 1
        character = decode(text, size, LARGEST_CODE)
        code, behind = character >> 3, int(places[size - (character & 7)])
        place, node = write(data, behind, code), int(suffixes.nodes[behind])
        for at in range(behind, place):
            node = stepped(matcher, node, int(data[at]))
        best, count = UNREACHED, 0
        token = int(matcher.longest[node])
        while token != NONE:
            following = place - int(matcher.lengths[token])
            cost = int(costs[following]) + int(token_costs[token])
            if cost < best:
                best, count = cost, int(n_tokens[following]) + 1
            token = int(matcher.shorter[token])
        cost = int(costs[behind]) + unknown_cost
        if cost < best:
            best, count = cost, int(n_tokens[behind]) + place - behind
        places[size], suffixes.nodes[place] = place, node
        costs[place], n_tokens[place] = best, count
        counts[index] = n_tokens[behind] if code == BYTE_ORDER_MARK else count
