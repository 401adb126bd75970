"""Rows of a list that somebody chooses one thing from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """One thing to choose.

    section     the heading it stands under
    name        what to do with it is said by; never shown
    detail      a second line
    is_there    whether it can be chosen
    is_current  whether it is in use
    place       where it lies, behind the detail as far as there is room
    """

    section: str
    name: str
    title: str
    detail: str
    is_there: bool = True
    is_current: bool = False
    place: str = ""


def matching(choices: Iterable[Choice], typed: str) -> Iterator[Choice]:
    """Those in which all typed words occur, anywhere and in any case."""
    words = typed.casefold().split()
    for choice in choices:
        described = f"{choice.title} {choice.detail} {choice.place} {choice.name}".casefold()
        if all(word in described for word in words):
            yield choice
