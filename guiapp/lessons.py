"""Lessons for scripts: `load` a file, `check` one, and make a page of one."""

from guiapp.analysis.lessons.checking import check
from guiapp.analysis.lessons.checking import save_lesson as save_page
from guiapp.analysis.lessons.lesson import Lesson, load

__all__ = ["Lesson", "check", "load", "save_page"]
