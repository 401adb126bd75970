"""Compiled kernels are kept for exactly the sources that they were made from."""

from __future__ import annotations

from pathlib import Path

import pytest

from guiapp.core.kernels import kernel_cache
from guiapp.core.kernels.compile import kernel_modules
from guiapp.core.kernels.kernel_cache import cache_folder, complete_mark, sources_of

FILES = {
    "__init__.py": "",
    "one.py": "from guiapp.two import x\nimport os\n",
    "two.py": "from guiapp.deep import (\n    three,\n    four as other,\n)\n",
    "deep/__init__.py": "",
    "deep/three.py": "from guiapp.one import y\n",
    "deep/four.py": "",
    "apart.py": "from guiapp.one import y\n",
}


@pytest.fixture
def package(tmp_path):
    for name, source in FILES.items():
        path = tmp_path / "guiapp" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    return tmp_path / "guiapp"


def test_a_module_depends_on_all_that_it_imports(package):
    names = {path.relative_to(package).as_posix() for path in sources_of(["guiapp.one"], package)}
    assert names == {"one.py", "two.py", "deep/__init__.py", "deep/three.py", "deep/four.py"}


def test_an_edit_moves_the_folders_of_what_it_can_change(monkeypatch):
    edited = Path(kernel_cache.PACKAGE, "core/kernels/heap.py")
    names = ["heap", "fast", "wordpiece"]
    before = [cache_folder(f"guiapp.core.kernels.{name}") for name in names]
    mark = complete_mark(kernel_modules())
    real = kernel_cache._source
    monkeypatch.setattr(kernel_cache, "_source", lambda path: real(path) + b"#" * (path == edited))
    after = [cache_folder(f"guiapp.core.kernels.{name}") for name in names]
    assert [old == new for old, new in zip(before, after, strict=True)] == [False, False, True]
    assert complete_mark(kernel_modules()) != mark
