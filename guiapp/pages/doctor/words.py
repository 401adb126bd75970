"""What findings are called, and what stands for their severity."""

from __future__ import annotations

import re

from guiapp.analysis.doctor.findings import ERROR, HINT, WARNING, Finding

ICONS = {ERROR: ("error", "bad"), WARNING: ("warning", "warning"), HINT: ("hint", "dim")}
"""Icon and colour of the theme."""
QUOTED = re.compile("“([^“”]*)”")
"""What a file says, within a sentence."""
CAPITALS = re.compile(r"\b(bos|eog)\b")


def title_of(finding: Finding) -> str:
    """The code as words: `BOS twice`."""
    words = CAPITALS.sub(lambda found: found[0].upper(), finding.code.replace("_", " "))
    return words[:1].upper() + words[1:]
