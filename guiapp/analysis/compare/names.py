"""What compared models are called, so that people can tell them apart."""

from __future__ import annotations

import os
from collections.abc import Sequence


def names_apart(models: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """Short names of models that were opened by these, each with what was chosen for it, "" for nothing."""
    paths = [os.path.basename(os.path.normpath(each)) if os.sep in each else each for each in models]
    short = [path.removesuffix(".gguf") for path in paths]
    for bases in (short, models, [f"{number}. {base}" for number, base in enumerate(short, 1)]):
        names = [f"{base} ({more})" if more else base for base, more in zip(bases, chosen, strict=True)]
        if len(set(names)) == len(names):
            break
    return names
