"""A process that tries one regular expression after another on the same tokens; it can be ended at any time.

Reads frames: first the tokens, then expressions.  Writes a frame for each: nothing, then the ids that match.
"""

from __future__ import annotations

import re
import sys

import numpy as np

from guiapp.core.search.in_tokens_worker import decoded, matching
from guiapp.core.system.processes import limit_memory, read_frame, write_frame


def main() -> None:
    asked = read_frame(sys.stdin.buffer)
    if asked is None:
        return
    limit_memory(asked)
    _, tokens = decoded(asked)
    write_frame(sys.stdout.buffer, b"")
    while (expression := read_frame(sys.stdin.buffer)) is not None:
        pattern = re.compile(expression.decode("utf-8", "surrogatepass"))
        write_frame(sys.stdout.buffer, np.array(matching(pattern, tokens), np.int32).tobytes())


if __name__ == "__main__":
    main()
