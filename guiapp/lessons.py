"""Lessons for scripts: `load` a file, `check` one, and make a page of one."""

from guiapp.analysis.lessons.lesson import Lesson, check, load
from guiapp.analysis.lessons.lesson import save_lesson as save_page

__all__ = ["Lesson", "check", "load", "save_page"]
