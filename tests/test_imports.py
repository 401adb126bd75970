"""Which way imports point: widgets -> viewmodels -> core, never back."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "guiapp"
ABOVE = ("guiapp.app", "guiapp.screenshots")
FORBIDDEN = {
    "core": ("PySide6", "pyqtgraph", "guiapp.viewmodels", "guiapp.widgets", *ABOVE),
    "viewmodels": ("PySide6.QtGui", "PySide6.QtWidgets", "pyqtgraph", "guiapp.widgets", *ABOVE),
    "widgets": ("guiapp.core.kernels", *ABOVE),
}


def imported_names(source: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{source} imports relatively"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize("layer", FORBIDDEN)
def test_a_layer_imports_only_from_below(layer):
    for source in sorted((PACKAGE / layer).rglob("*.py")):
        for name in imported_names(source):
            for forbidden in FORBIDDEN[layer]:
                assert not (name + ".").startswith(forbidden + "."), f"{source.relative_to(PACKAGE)}: {name}"
