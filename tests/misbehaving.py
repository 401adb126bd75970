"""Contenders that misbehave, most of them only from their second text on."""

from __future__ import annotations

import ctypes
import os
import socket
import sys
import time

IDS = [1, 2, 3]
LONG_S = 600
HELD: list[bytearray] = []


def _is_first(text: str) -> bool:
    return text == "ready"


def prints(text: str) -> list[int]:
    os.write(1, b"1 2 3\n" * 10_000)
    print("four" * 10_000, file=sys.stderr)
    return IDS


def forks(text: str) -> list[int]:
    """Fork; both processes return and try to answer."""
    if _is_first(text):
        os.fork()
    return IDS


def crashes_beside_its_child(text: str) -> list[int]:
    """Fork and crash; the child keeps the pipe to the engine open."""
    if not _is_first(text) and os.fork():
        os.abort()
    time.sleep(0 if _is_first(text) else LONG_S)
    return IDS


def leaks(text: str) -> list[int]:
    if not _is_first(text):
        HELD.append(bytearray(os.urandom(1) * (1 << 30)))
        time.sleep(1)
    return IDS


def never_returns(text: str) -> list[int]:
    while not _is_first(text):
        pass
    return IDS


def segfaults(text: str) -> list[int]:
    return IDS if _is_first(text) else [ctypes.string_at(0)[0]]


def raises(text: str) -> list[int]:
    raise KeyError("\x1b[31m\u202e" + "no" * 1000)


class UntellableError(Exception):
    def __str__(self) -> str:
        raise self


def raises_what_cannot_be_told(text: str) -> list[int]:
    raise UntellableError


def exits(text: str) -> list[int]:
    sys.exit(3)


def exits_at_once(text: str) -> list[int]:
    os._exit(4)


def closes_all_files(text: str) -> list[int]:
    os.closerange(3, 1000)
    return IDS


def needs_the_network(text: str) -> list[int]:
    with socket.socket() as closed_port:
        closed_port.bind(("127.0.0.1", 0))  # without listening
        socket.create_connection(closed_port.getsockname()).close()
    return IDS


def gives_a_str(text: str) -> str:
    return "1 2 3"


def gives_floats(text: str) -> list[float]:
    return [1.0, 2.0]


def gives_negatives(text: str) -> list[int]:
    return [1, -1]


def gives_giants(text: str) -> list[int]:
    return [1, 1 << 70]


def gives_none(text: str) -> None:
    return None


def gives_nested(text: str) -> list[list[int]]:
    return [[1], [2, 3]]


def gives_switches(text: str) -> list[bool]:
    return [True]


def gives_later(text: str) -> object:
    return (each for each in IDS)
