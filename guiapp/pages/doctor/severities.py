"""How severities look: a sign of its own for each, so that colour is not alone."""

from __future__ import annotations

from guiapp.analysis.doctor.findings import ERROR, HINT, WARNING

ICONS = {ERROR: ("error", "bad"), WARNING: ("warning", "warning"), HINT: ("hint", "dim")}
"""Icon and colour of the theme."""
