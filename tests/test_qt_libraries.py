"""What is said where Qt cannot start."""

import pytest

from guiapp.qt_libraries import explain, first_failure, problem


@pytest.mark.parametrize(
    ("library", "package"),
    [
        ("libEGL.so.1", "libegl1"),
        ("libxkbcommon.so.0", "libxkbcommon0"),
        ("libxcb-cursor.so.0", "libxcb-cursor0"),
        ("libglib-2.0.so.0", "libglib2.0-0"),
    ],
)
def test_a_missing_library_is_named_with_its_debian_package(library, package):
    message = f"{library}: cannot open shared object file: No such file or directory"
    sentence = explain(message)
    assert sentence == f"Qt needs the library {library}. Install it: sudo apt install {package}"


def test_an_unknown_library_is_named_all_the_same():
    assert "libnew.so.3" in explain("libnew.so.3: cannot open shared object file: No such file")


def test_other_failures_are_passed_on_in_one_line():
    assert explain("wrong ELF class") == "Qt cannot be loaded: wrong ELF class"


def test_the_first_failure_counts():
    def fail_to_import():
        raise ImportError("libGL.so.1: cannot open shared object file: No such file or directory")

    def fail_to_load():
        raise OSError("libxcb.so.1: cannot open shared object file: No such file or directory")

    assert "libgl1" in first_failure([lambda: None, fail_to_import, fail_to_load])
    assert first_failure([lambda: None]) is None


def test_a_program_without_a_display_says_so():
    assert "no display" in problem({})


def test_nothing_is_wrong_with_the_offscreen_platform():
    assert problem({"QT_QPA_PLATFORM": "offscreen"}) is None
