"""The wheel and the sdist contain everything that the program needs, including resources."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT

from guiapp.native.build import OBJECTS, compiler_on_path

pytestmark = pytest.mark.slow


NEEDED = ["models/bpe.gguf", "samples/welcome.txt", "icons/", "lessons/", "page/steps.js"]
SHOW_IDS = "import guiapp; print(guiapp.__file__, len(guiapp.open_model('demo:bpe').encode('Hello')))"


@pytest.fixture
def distributions(tmp_path):
    """The sdist, and the wheel built from it with the compiled library of this checkout."""
    folder = tmp_path / "dist"
    folder.mkdir()
    build("--sdist", ROOT, folder)
    (sdist,) = folder.glob("*.tar.gz")
    subprocess.run([sys.executable, "-m", "tarfile", "-e", str(sdist), str(folder)], check=True)
    (source,) = (path for path in folder.iterdir() if path.is_dir())
    if OBJECTS.is_dir():
        shutil.copytree(OBJECTS, source / OBJECTS.relative_to(ROOT))
    build("--wheel", source, folder)
    return folder


def build(kind, source, folder):
    isolation = ["--no-isolation"] if compiler_on_path() else []  # isolated if ziglang must be installed
    command = [sys.executable, "-m", "build", kind, *isolation, "--outdir", str(folder), str(source)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)


def test_the_sdist_holds_all_sources_and_its_wheel_runs_away_from_the_checkout(distributions, tmp_path):
    check_sdist(*distributions.glob("*.tar.gz"))
    (wheel,) = distributions.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "unpacked")
    for needed in NEEDED:
        assert any(name.startswith(f"guiapp/resources/{needed}") for name in names), needed
    native = [Path(name) for name in names if name.startswith("guiapp/native/")]
    assert {path.stem for path in native if path.suffix != ".py"} - {"_native_v3"} == {"_native"}
    assert wheel.name.split("-")[-3:-1] == ["py3", "none"]
    assert not wheel.stem.endswith("any")
    done = subprocess.run(
        [sys.executable, "-c", SHOW_IDS],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "unpacked"), "TOKENLOUPE_NATIVE": ""},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout.startswith(str(tmp_path / "unpacked"))


def check_sdist(sdist):
    with tarfile.open(sdist) as archive:
        names = ["/".join(name.split("/")[1:]) for name in archive.getnames()]
    for needed in [
        "guiapp/cli/main.py",
        "tests/conftest.py",
        "pyproject.toml",
        "hatch_build.py",
        "guiapp/native/api.h",
        "LICENSE",
        "resources/models/bpe.gguf",
    ]:
        assert needed in names
    assert not any(name.startswith("guiapp/native/_native") for name in names)
