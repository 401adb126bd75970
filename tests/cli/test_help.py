"""`tokenloupe help`: chapters as a terminal shows them."""

import re

import pytest

from guiapp.cli.main import run
from guiapp.core.manual import CHAPTERS, chapter_text, find_topic

CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_keeps_its_code_and_has_no_link_markup(capsys, name):
    assert run(["help", name]) == 0
    printed = capsys.readouterr().out
    assert CODE.findall(printed) == CODE.findall(chapter_text(name))
    assert not re.search(r"\[|\]", CODE.sub("", printed))
    for topic in re.findall(r"\(help ([^)]+)\)", CODE.sub("", printed)):
        find_topic(topic)  # raises where there is none


def test_brackets_in_code_are_no_link(capsys):
    assert run(["help", "json"]) == 0
    printed = capsys.readouterr().out
    assert "`[start, end)`" in printed
    assert "see Exactness (help exactness)" in printed
    assert "help data#json" in printed
