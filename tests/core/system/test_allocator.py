"""What the C library is told about memory."""

import ctypes
import sys
from pathlib import Path

import pytest

from guiapp.core.processes import give_freed_memory_back, give_holes_back


class Library:
    def __init__(self):
        self.options = []

    def mallopt(self, option, value):
        self.options.append((option, value))


def test_there_is_one_heap_and_large_blocks_go_back(monkeypatch):
    library = Library()
    monkeypatch.setattr(ctypes, "CDLL", {None: library}.__getitem__)
    give_freed_memory_back()
    m_trim_threshold, m_mmap_threshold, m_arena_max = -1, -3, -8
    assert library.options == [(m_arena_max, 1), (m_mmap_threshold, 1 << 20), (m_trim_threshold, 1 << 20)]


@pytest.mark.parametrize("error", [AttributeError, OSError, TypeError])
def test_systems_without_it_do_without(error, monkeypatch):
    def missing(name):
        raise error

    monkeypatch.setattr(ctypes, "CDLL", missing)
    give_freed_memory_back()
    give_holes_back()


@pytest.mark.skipif(sys.platform != "linux", reason="another C library")
def test_holes_go_back():
    def resident_pages():
        return int(Path("/proc/self/statm").read_text().split()[1])

    blocks = [bytes(50_000) for _ in range(1_000)]
    kept, before = blocks[::10], resident_pages()
    del blocks
    give_holes_back()
    assert len(kept) == 100
    assert resident_pages() < before - 5_000
