"""What is said where Qt cannot start."""

import pytest

from guiapp.window.qt_libraries import explain, first_failure, ignore_unusable_scales, problem


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


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"DISPLAY": ":9999"},
        {"DISPLAY": "no display"},
        {"WAYLAND_DISPLAY": "none"},
        {"WAYLAND_DISPLAY": "none" * 100, "DISPLAY": ":9999"},
        {"QT_QPA_PLATFORM": "xcb"},
        {"QT_QPA_PLATFORM": "wayland;xcb", "DISPLAY": ":9999"},
    ],
)
def test_a_display_that_does_not_respond_is_reported(environment):
    assert "no display" in problem(environment)


def test_nothing_is_wrong_with_the_offscreen_platform():
    assert problem({"QT_QPA_PLATFORM": "offscreen"}) is None


@pytest.mark.parametrize(
    ("name", "unusable", "usable"),
    [
        ("QT_SCALE_FACTOR", ["nan", "0", "inf", "-1", "1e9", "1e-300", "two"], ["1.5", "2", ""]),
        ("QT_SCREEN_SCALE_FACTORS", ["1;nan", "DP-1=0", "a=b=c"], ["1;;2", "DP-1=1.5;HDMI-1=1"]),
        ("QT_FONT_DPI", ["nan", "0", "1000000"], ["96"]),
    ],
)
def test_scales_that_nothing_can_be_painted_with_are_ignored(name, unusable, usable, capsys):
    for value in (*unusable, *usable):
        environment = {name: value}
        ignore_unusable_scales(environment)
        assert environment == ({} if value in unusable else {name: value})
        assert (name in capsys.readouterr().err) == (value in unusable)
