"""Each function of the library is bound once: a second binding would change the types of the first one."""

import ast
import re
from collections import Counter

from conftest import ROOT

NATIVE = ROOT / "guiapp" / "native"
BINDERS = ("function", "long_function", "fast_function")


def bound():
    names = []
    for node in (node for module in NATIVE.glob("*.py") for node in ast.walk(ast.parse(module.read_text()))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in BINDERS:
            names.append(node.args[0])
        elif isinstance(node, ast.ClassDef):
            names += [keyword.value for keyword in node.keywords if keyword.arg == "free"]
    return [name.value.partition("(")[0] for name in names if isinstance(name, ast.Constant)]


def test_no_function_is_bound_twice():
    assert [name for name, count in Counter(bound()).items() if count > 1] == []


def test_the_functions_that_are_bound_are_those_of_the_sources():
    sources = [source.read_text() for ending in ("h", "cpp") for source in NATIVE.glob(f"*.{ending}")]
    offered = {name for text in sources for name in re.findall(r"LOUPE_API [^;{]*?\bloupe_(\w+)\(", text)}
    assert offered - {"abi_version", "is_x86_v3", "sources"} == {*bound()}  # which are for the loader
