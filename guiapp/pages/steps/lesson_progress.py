"""The user's progress in lessons."""

from __future__ import annotations

import json
from typing import Any

from guiapp.core.text.outside_json import read_json
from guiapp.kit.state.recent import KEPT
from guiapp.kit.state.settings import Settings

LESSON_ENDING = ".toml"


class LessonProgress:
    """The step of each lesson that was shown last, by the lesson's name, in the settings; steps count from 0.

    A lesson whose final step was shown is finished, and remains so if it is begun again.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def numbers(self) -> dict[str, int]:
        """The step of each lesson that was shown last; the most recent lesson is last."""
        numbers = _read(self._settings.lessons)
        is_fit = isinstance(numbers, dict)
        return {name: number for name, number in numbers.items() if isinstance(number, int)} if is_fit else {}

    def reached(self, name: str, n_steps: int) -> int:
        """The step to resume at, 0 for the start."""
        number = self.numbers.get(name, 0)
        return number if 0 <= number < n_steps - 1 else 0

    def is_finished(self, name: str, n_steps: int) -> bool:
        return name in self._finished or self.numbers.get(name, -1) >= n_steps - 1

    def keep(self, name: str, number: int, n_steps: int) -> None:
        if self.is_finished(name, n_steps) or number == n_steps - 1:
            finished = [each for each in self._finished if each != name]
            self._settings.finished_lessons = json.dumps([*finished, name])
        numbers = self.numbers
        numbers.pop(name, None)
        for file in [each for each in numbers if is_lesson_path(each)][: 1 - KEPT]:
            del numbers[file]
        self._settings.lessons = json.dumps({**numbers, name: number})

    @property
    def _finished(self) -> list[str]:
        names = _read(self._settings.finished_lessons)
        return names if isinstance(names, list) else []


def is_lesson_path(name: str) -> bool:
    """Whether a lesson is the user's own: the name is then a full path."""
    return name.lower().endswith(LESSON_ENDING)


def _read(text: str) -> Any:
    try:
        return read_json(text or "{}")
    except ValueError:
        return None
