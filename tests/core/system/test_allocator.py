"""What the C library is told about memory."""

import ctypes

import pytest

from guiapp.core.system.allocator import give_freed_memory_back


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
