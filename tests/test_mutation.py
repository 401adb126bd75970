"""The mutation tool: reproducible faults that change the code, and only in copies of the sources."""

from __future__ import annotations

from random import Random

import pytest

pytestmark = pytest.mark.slow


mutation = pytest.importorskip("mutation", reason="needs the extra `mutation`", exc_type=ImportError)

HARMLESS = '''
"""Words."""
__all__ = ["one"] + ["two"]
SIZE_BYTES = 1 << 20
if TYPE_CHECKING:
    use(1 == 2)


@cache(True)
def one(given: int | None, *more: int) -> int | None:
    """More words."""
    layout.setSpacing(1 + 2)
    kept: int | None = given
    return {**kept, **more}
'''
DOUBLED = "def doubled(number):\n    return number + number\n"


def tree_with(tmp_path, test):
    files = {"guiapp/core/twice.py": DOUBLED, "tests/core/test_twice.py": test}
    for path, code in (files | {"guiapp/__init__.py": "", "guiapp/core/__init__.py": ""}).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(f"{code}\n")
    return tmp_path


def test_types_sizes_and_layout_are_not_mutated():
    assert mutation.mutant_of("guiapp/core/x.py", HARMLESS, Random(0)) is None


@pytest.mark.parametrize(
    ("code", "fault"),
    [("shown = 1 < size\n", "- shown = 1 < size  + shown ="), ("box.show()\n", "- box.show()  + pass")],
)
def test_a_mutant_is_described_by_its_changed_lines(code, fault):
    mutant = mutation.mutant_of("guiapp/core/x.py", code, Random(0))
    assert (mutant.line, mutant.difference[: len(fault)]) == (1, fault)


def test_a_seed_gives_the_same_faults_some_in_each_layer(tmp_path, monkeypatch):
    code = "".join(
        f"def larger_{n}(one, two):\n    return one + {n} if one > two else two\n" for n in range(20)
    )
    for layer in mutation.LAYERS:
        (tmp_path / "guiapp" / layer).mkdir(parents=True)
        (tmp_path / "guiapp" / layer / "numbers.py").write_text(code)
    monkeypatch.setattr(mutation, "ROOT", tmp_path)
    results = mutation.sample(3, 20)
    assert results == mutation.sample(3, 20)
    layers = [mutant.path.split("/")[1] for mutant in results]
    assert len(results) == 20
    assert min(map(layers.count, mutation.LAYERS)) >= 1


def test_tests_of_the_same_name_come_first_then_those_that_name_the_module():
    tests = mutation.mirrored_tests("guiapp/core/encode/counting/chunks.py")
    assert tests[0] == "tests/core/encode/counting/test_chunks.py"
    assert {test.rpartition("/")[0] for test in tests} == {"tests/core/encode/counting"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "outcome"),
    [
        ("assert doubled(2) == 4", "survived"),
        ("assert doubled(3) == 6", "killed by tests/core/test_twice.py::test_it"),
        ("assert doubled(3) == 5", "unclear: without it, too, fails tests/core/test_twice.py::test_it"),
        ("while doubled(3) != 6: pass", "killed by tests/core/test_twice.py::test_it"),
    ],
)
def test_a_fault_is_killed_by_a_test_that_passes_without_it(tmp_path, monkeypatch, test, outcome):
    monkeypatch.setitem(mutation.LIMIT_S, "test", 2)
    odd = '@pytest.mark.parametrize("odd", ["a b - c[d"])'
    code = f"import pytest\nfrom guiapp.core.twice import doubled\n{odd}\ndef test_it(odd):\n    {test}"
    tree = tree_with(tmp_path, code)
    mutant = mutation.Mutant("guiapp/core/twice.py", 2, "", DOUBLED.replace("+", "*"))
    assert mutation.outcome(mutant, tree) == outcome
    assert (tree / mutant.path).read_text() == DOUBLED + "\n"
