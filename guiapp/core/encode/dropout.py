"""Randomness for the encoder "fewest": it rules out tokens, so that a text has many segmentations."""

from __future__ import annotations

from dataclasses import dataclass

LOW_32 = 0xFFFFFFFF


@dataclass
class Dropout:
    """Rules out `share` of 2**32 uses of tokens; the random sequence continues from piece to piece."""

    share: int = 0
    random_state: int = 1

    def rules_out(self) -> bool:
        if self.share == 0:
            return False
        self.random_state = next_random(self.random_state)
        return self.random_state < self.share


def next_random(state: int) -> int:
    """The number after `state` in a sequence of numbers below 2**32 (xorshift, Marsaglia 2003)."""
    state ^= (state << 13) & LOW_32
    state ^= state >> 17
    return state ^ ((state << 5) & LOW_32)
