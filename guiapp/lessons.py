"""Lessons for scripts: `load` a file, `check` a lesson, and export it as a page."""

from guiapp.analysis.lessons.lesson import Lesson, check, load
from guiapp.analysis.lessons.lesson import save_lesson as save_page

__all__ = ["Lesson", "check", "load", "save_page"]
