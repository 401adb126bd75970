"""What tells the tokens of all prefixes of a text at the same cost per byte, however long it is."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class PrefixCounts(Protocol):
    """The tokens of all prefixes of one text that grows."""

    @property
    def counts(self) -> NDArray[np.int32]:
        """int32[n + 1]: how many tokens the first 0, 1, … n bytes have."""

    def takes(self, new: NDArray[np.uint8]) -> bool:
        """Whether these bytes may follow."""

    def append(self, new: NDArray[np.uint8]) -> None:
        """Put bytes behind those that came before."""
