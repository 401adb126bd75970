"""The gguf package is imported in parts, and whole for those who want it whole."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from guiapp.core.vocab.gguf_package import import_in_parts

OPEN_A_MODEL = "import sys; from guiapp.cli import run; run(['info', 'demo:toy'])"


def run(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)


def test_opening_a_model_imports_only_what_it_needs():
    run(f"{OPEN_A_MODEL}; assert not {{'yaml', 'gguf.gguf_writer', 'gguf.metadata'}} & {{*sys.modules}}")


def test_whoever_uses_the_package_later_has_it_whole():
    run(f"{OPEN_A_MODEL}; import gguf; gguf.GGUFWriter, gguf.Metadata; assert gguf.MODEL_ARCH.LLAMA")
    run(f"{OPEN_A_MODEL}; from gguf import GGUFReader; assert issubclass(GGUFReader, object)")
    run(f"{OPEN_A_MODEL}; from gguf import *; GGUFWriter")


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of one part, that counts how often it is run."""
    folder = tmp_path / "slow_package"
    folder.mkdir()
    (folder / "part.py").write_text("VALUE = 1")
    code = (
        "import time; from slow_package.part import *; time.sleep(0.05); RUNS = globals().get('RUNS', 0) + 1"
    )
    (folder / "__init__.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    yield "slow_package"
    for name in ("slow_package", "slow_package.part"):
        sys.modules.pop(name, None)


def test_several_threads_wait_until_the_package_has_run_once(package):
    import_in_parts(package)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: __import__(package).RUNS, range(4))) == [1, 1, 1, 1]


def test_a_part_does_not_run_the_package(package):
    import_in_parts(package)
    part = __import__(f"{package}.part", fromlist=["VALUE"])
    assert part.VALUE == 1
    assert "RUNS" not in vars(sys.modules[package])


def test_what_the_package_lacks_is_an_attribute_error(package):
    import_in_parts(package)
    for _ in range(2):
        with pytest.raises(AttributeError):
            __import__(package).nowhere  # noqa: B018  (asked for)


def test_a_package_that_is_imported_or_nowhere_stays_so(package):
    whole = __import__(package)
    import_in_parts(package)
    import_in_parts("no_such_package")
    assert sys.modules[package] is whole
    assert "no_such_package" not in sys.modules
