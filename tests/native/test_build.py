"""A native library that cannot be used, or not be built, is told in a sentence that says what to do."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from conftest import ROOT

from guiapp.native.library import SUFFIX, fault, source_mark

BUILD = ROOT / "guiapp" / "native" / "build.py"
LATER = 2_000_000_000  # seconds; of the year 2033


@pytest.fixture
def built(tmp_path):
    """A library beside the source that it was made of."""
    (tmp_path / "encoder.cpp").write_text("int encode() { return 1; }")
    library = tmp_path / f"_native{SUFFIX}"
    library.write_bytes(b"machine code" + source_mark(tmp_path) + b"more")
    return library


def test_a_changed_source_makes_the_library_outdated(built):
    source = built.with_name("encoder.cpp")
    source.write_text("int encode() { return 2; }")
    os.utime(source, (LATER, LATER))
    assert fault(built, "") == (
        "The native library is older than its sources. Build it: python -m guiapp.native.build"
    )


def test_a_source_written_again_as_it_was_changes_nothing(built):
    os.utime(built.with_name("encoder.cpp"), (LATER, LATER))
    assert fault(built) is None


def test_a_missing_library_is_reported_with_instructions(built):
    built.unlink()
    assert fault(built, "") == "The native library is missing. Build it: python -m guiapp.native.build"
    built.with_name("encoder.cpp").unlink()
    assert fault(built) == "The native library is missing. Install Tokenloupe again."


def test_the_program_reports_a_missing_library_in_one_line():
    done = run("-m", "guiapp", "info", "demo:toy", TOKENLOUPE_NATIVE="other")
    assert done.returncode == 1
    assert done.stderr == (
        "tokenloupe: The native library is missing. Build it: python -m guiapp.native.build --other\n"
    )


def test_a_missing_compiler_is_reported_in_the_last_line(tmp_path):
    done = run("-I", "-S", str(BUILD), PATH=str(tmp_path))  # -S: without packages, ziglang among them
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("There is no compiler for C++20 here: install g++")


def test_a_compiler_chosen_by_hand_is_not_replaced(tmp_path):
    done = run("-I", str(BUILD), CXX="nowhere++ -pipe")
    assert done.returncode == 1
    assert done.stderr.startswith("CXX is “nowhere++ -pipe”, which cannot compile C++20")


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )
