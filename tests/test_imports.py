"""Imports point down, from window, cli and pages to native, and never from page to page."""

from __future__ import annotations

import ast
from collections.abc import Collection
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import guiapp

PACKAGE = Path(__file__).resolve().parent.parent / "guiapp"
BELOW = {
    "native": (),
    "core": ("native",),
    "analysis": ("core", "native"),
    "kit": ("analysis", "core", "native"),
    "pages": ("kit", "analysis", "core", "native"),
    "window": ("pages", "kit", "analysis", "core", "native"),
    "cli": ("analysis", "core", "native", "window"),  # the window draws pictures for it
}
WITHOUT_QT = ("native", "core", "analysis", "cli")
FOR_ALL = ("guiapp.errors", "guiapp.__version__")


@cache
def imports(source: Path) -> tuple[tuple[str, bool], ...]:
    """Each imported name with its module, also of imports in functions, and whether it is only for types."""
    imported: list[tuple[str, bool]] = []
    collect(ast.parse(source.read_text(encoding="utf-8")), False, imported)
    assert not any(name.startswith(".") for name, _ in imported), f"{source} imports relatively"
    return tuple(imported)


def collect(node: ast.AST, for_types: bool, imported: list[tuple[str, bool]]) -> None:
    """Add the imports below a node.  Expressions hold none, and are most nodes of a module."""
    if isinstance(node, ast.Import):
        imported += [(alias.name, for_types) for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        imported += [(f"{module}.{alias.name}", for_types) for alias in node.names]
    for_types |= isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    for _, field in ast.iter_fields(node):
        for child in field if isinstance(field, list) else ():
            if not isinstance(child, ast.expr) and isinstance(child, ast.AST):
                collect(child, for_types, imported)


def imported_names(source: Path) -> set[str]:
    return {name for name, _ in imports(source)}


@pytest.mark.parametrize("floor", BELOW)
def test_a_floor_imports_only_from_itself_and_from_below(floor):
    allowed = tuple(f"guiapp.{each}." for each in (floor, *BELOW[floor]))
    for source in sorted((PACKAGE / floor).rglob("*.py")):
        for name in imported_names(source):
            if name.startswith("guiapp") and not name.startswith(FOR_ALL):
                assert f"{name}.".startswith(allowed), f"{source.relative_to(PACKAGE)}: {name}"


@pytest.mark.parametrize("floor", WITHOUT_QT)
def test_nothing_below_the_kit_knows_qt(floor):
    for source in sorted((PACKAGE / floor).rglob("*.py")):
        assert not any(name.startswith("PySide6") for name in imported_names(source)), source


def test_each_name_of_the_package_is_there():
    assert all(hasattr(guiapp, name) for name in guiapp.__all__)


def test_pages_do_not_know_each_other():
    for page in (PACKAGE / "pages").iterdir():
        for source in page.rglob("*.py"):
            for name in imported_names(source):
                if name.startswith("guiapp.pages."):
                    assert name.startswith(f"guiapp.pages.{page.name}"), (
                        f"{source.relative_to(PACKAGE)}: {name}"
                    )


def test_no_modules_import_each_other_in_a_circle():
    """Imports in functions count too; imports only for types count only in core."""
    sources = {module_name(source): source for source in PACKAGE.rglob("*.py")}
    graph = {name: imported_modules(source, sources) - {name} for name, source in sources.items()}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def module_name(source: Path) -> str:
    parts = source.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(source: Path, modules: Collection[str]) -> set[str]:
    """The imported modules of the package, also those imported later; in core also those only for types."""
    in_core = source.is_relative_to(PACKAGE / "core")
    names = [name for name, for_types in imports(source) if in_core or not for_types]
    return {name if name in modules else name.rpartition(".")[0] for name in names} & set(modules)
