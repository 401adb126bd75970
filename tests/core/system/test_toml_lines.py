"""Lines of a lesson file are counted past texts of several lines, whatever these look like."""

import tomllib

from guiapp.core.text.outside_json import lines_of_keys, without_strings

TEXT = '''\
title = "a # b = \\" c"  # d = 1
"about" = """
step = 1 \\"""
[[step]]
"""
'text' = \'\'\'
x = """
\'\'\'
[[step]]
say = "[[step]]"
[[ "step" ]]
say = 'a = 1'
ask = """one""""
n = 3
'''


def test_keys_are_found_where_they_stand():
    assert [set(part) for part in tomllib.loads(TEXT)["step"]] == [{"say"}, {"say", "ask", "n"}]
    assert lines_of_keys(TEXT) == [
        {"": 1, "title": 1, "about": 2, "text": 6, "step": 9},
        {"": 9, "say": 10},
        {"": 11, "say": 12, "ask": 13, "n": 14},
    ]


def test_without_strings_and_comments_lines_stay_lines():
    plain = without_strings(TEXT)
    assert plain.split("\n") == [
        *("title =   ", " = ", "", "", "", " = ", "", "", "[[step]]", "say = "),
        *("[[  ]]", "say = ", "ask = ", "n = 3", ""),
    ]
    assert without_strings('a = """never\nends') == "a = \n"
