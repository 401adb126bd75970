"""Each function of the library is bound once: a second binding would change the types of the first one."""

import ast
import re
from collections import Counter

from conftest import ROOT

NATIVE = ROOT / "guiapp" / "native"


def bound():
    calls = [
        node
        for node in ast.walk(ast.parse((NATIVE / "__init__.py").read_text()))
        if isinstance(node, ast.Call)
    ]
    named = (
        call.args[0]
        for call in calls
        if ast.unparse(call.func) in ("_function", "_long_function", "_quick_function")
    )
    return [name.value for name in named if isinstance(name, ast.Constant)]


def test_no_function_is_bound_twice():
    assert [name for name, count in Counter(bound()).items() if count > 1] == []


def test_the_functions_that_are_bound_are_those_of_the_sources():
    sources = [source.read_text() for ending in ("h", "cpp") for source in NATIVE.glob(f"*.{ending}")]
    offered = {name for text in sources for name in re.findall(r"LOUPE_API [^;{]*?\bloupe_(\w+)\(", text)}
    assert offered - {"abi_version", "sources"} == {*bound()}  # which are for the loader
