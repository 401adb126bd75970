"""Ids as text for other programs, and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from guiapp.analysis.explain.id_lists import (
    FORMATS,
    GLANCE,
    IdsError,
    holds_numbers,
    parse_id_blocks,
    parse_ids,
)

N_TOKENS = 262_144
ids = st_numpy.arrays(np.int32, st.integers(0, 40), elements=st.integers(0, N_TOKENS - 1))


@pytest.mark.parametrize("name", FORMATS)
@given(token_ids=ids)
def test_every_format_is_read_back(name, token_ids):
    assert parse_ids(FORMATS[name](token_ids), N_TOKENS).tolist() == token_ids.tolist()


def test_each_format_is_written_as_its_readers_expect():
    few, many = np.arange(3, dtype=np.int32), np.arange(17, dtype=np.int32)
    first = "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15"
    assert {name: (write(few), write(many)) for name, write in FORMATS.items()} == {
        "plain": ("0 1 2", f"{first.replace(',', '')} 16"),
        "JSON": ("[0, 1, 2]", f"[{first}, 16]"),
        "Python": ("token_ids = [0, 1, 2]", f"token_ids = [\n    {first},\n    16,\n]"),
        "C": (
            "const int32_t tokens[3] = {0, 1, 2};",
            f"const int32_t tokens[17] = {{\n    {first},\n    16\n}};",
        ),
    }
    assert [FORMATS[name](many[:16]) for name in ("Python", "C")] == [
        f"token_ids = [{first}]",
        f"const int32_t tokens[16] = {{{first}}};",
    ]


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("7", True),
        ("[1, 2, 3]", True),
        ("token_ids = [1]", True),
        ('{"token_ids": [[]]}', True),
        ("", False),
        ("1 two", False),
        (" " * GLANCE + "1", False),
    ],
)
def test_lists_of_numbers_are_distinguished_from_text(text, does):
    assert holds_numbers(text) == does


@pytest.mark.parametrize(
    "text",
    [
        "1 2 3",
        "1,2,3",
        "1;2 | 3\n",
        " [1,\n2,\t3] ",
        "((1), [2], {3})",
        '"1", "2", \'3\'',
        "0x1 0X2 0x03",
        "+1 2 3",
        "ids: list[int] = [1, 2, 3]",
        "std::vector<int32_t> ids = {1, 2, 3};",
        "array([1, 2, 3], dtype=int32)",
        "np.array([1, 2, 3], dtype=np.int32)",
        "x = tensor([[1, 2, 3]], device=cpu)",
        '{"encoder": "\\"token_ids\\": [9]", "token_ids": [1, 2, 3], "tokens": [{"id": 4}]}',
        '\n{ "segmentations": [{"score": -1.5, "token_ids" : [\n1,\n2,\n3]}]}',
    ],
)
def test_whatever_people_paste_is_understood(text):
    assert parse_ids(text, 10).tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "at_fault", "message"),
    [
        ("1 two 3", "two", "“two” at character 3 is not a whole number"),
        ("1, 2.5", "2.5", "not a whole number"),
        ("[1, 10]", "10", "Id 10 (number 2 in the list) is not between 0 and 9"),
        ("-1", "-1", "Id -1 (number 1 in the list)"),
        ("9" * 5000, "9" * 5000, "999…"),
        ("1 \x1b[2J", "\x1b", "“\\x1b” at character 3"),
        ('{"token_ids": [1, 10]}', "10", "Id 10 (number 2 in the list) is not between 0 and 9"),
        ('{"token_ids": [1, 2', "2", "not valid JSON: Expecting ',' delimiter at character 20."),
        (f'{{"a": {"9" * 5000}}}', f'{{"a": {"9" * 5000}}}', "This JSON is not a list of ids: "),
        ('{"token_ids": [[1], [2]]}', '{"token_ids": [[1], [2]]}', "not have a list of numbers “token_ids”"),
        ('{"a": {"token_ids": []}, "token_ids": [7]}', '"token_ids": [7]', "2 lists “token_ids”"),
    ],
)
def test_an_error_has_a_message_and_a_location(text, at_fault, message):
    with pytest.raises(IdsError) as caught:
        parse_ids(text, 10)
    assert message in str(caught.value)
    assert text[caught.value.start : caught.value.end] == at_fault


WORDS = [
    "1 2 ",
    "12",
    " 499",
    ", 3",
    "\n",
    "[",
    "999 ",
    "é",
    "two",
    "9" * 30,
    "+1",
    "(dtype=x",
    '{"token_ids": [',
]


@given(st.lists(st.sampled_from(WORDS)), st.integers(1, 40))
def test_a_list_in_blocks_is_read_as_the_whole_is(words, size):
    data = "".join(words).encode()

    def outcome(blocks):
        try:
            return np.concatenate([*blocks]).tolist()
        except IdsError as error:
            return str(error)

    in_blocks = parse_id_blocks((data[at : at + size] for at in range(0, len(data), size)), 500)
    whole = (parse_ids(text, 500) for text in (data.decode(),))
    assert outcome(in_blocks) == outcome(parse_id_blocks([data], 500)) == outcome(whole)


@given(st.text())
def test_any_text_is_read_or_refused_with_a_place_in_it(text):
    try:
        parsed = parse_ids(text, 1000).tolist()
        start, end = 0, 1
    except IdsError as error:
        parsed, start, end = [], error.start, error.end
    assert 0 <= start < end <= max(len(text), 1)
    assert all(0 <= token_id < 1000 for token_id in parsed)
