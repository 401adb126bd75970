"""Bytes named as characters and parts of characters."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp import open_model
from guiapp.analysis.explain.characters import (
    HiddenReport,
    HiddenRun,
    characters_of,
    code_points,
    hidden_report,
)

HAN = "a汉b".encode()  # 61 E6 B1 89 62


@pytest.mark.parametrize(
    ("text", "start", "end", "expected"),
    [
        (HAN, 1, 4, "U+6C49 汉 · CJK UNIFIED IDEOGRAPH-6C49"),
        (HAN, 1, 3, "bytes 1–2 of 3 of U+6C49 汉"),
        (HAN, 3, 4, "byte 3 of 3 of U+6C49 汉"),
        (HAN, 2, 3, "byte 2 of 3 of U+6C49 汉"),
        (HAN, 0, 2, "U+0061 a, byte 1 of 3 of U+6C49 汉"),
        (HAN, 3, 5, "byte 3 of 3 of U+6C49 汉, U+0062 b"),
        (HAN, 0, 5, "U+0061 a, U+6C49 汉, U+0062 b"),
        (HAN, 2, 2, ""),
        ("汉武".encode(), 1, 5, "bytes 2–3 of 3 of U+6C49 汉, bytes 1–2 of 3 of U+6B66 武"),
        (b" York", 0, 5, "5 characters"),
        (b" ", 0, 1, "U+0020 · SPACE"),
        (b"\n", 0, 1, "U+000A · LINE FEED"),
        (b"\xe6\xb1", 0, 2, "2 bytes not of valid UTF-8"),
        (b"\xff", 0, 1, "1 byte not of valid UTF-8"),
        (b"abcd\xff", 0, 5, "4 characters, 1 byte not of valid UTF-8"),
        (b"a\xff\xff", 0, 3, "1 character, 2 bytes not of valid UTF-8"),
        (b"abc", 0, 3, "U+0061 a, U+0062 b, U+0063 c"),
        (b"abc\xff", 0, 3, "U+0061 a, U+0062 b, U+0063 c"),
        (b"a\x80", 1, 2, "1 byte not of valid UTF-8"),
        (b"\x80a", 0, 1, "1 byte not of valid UTF-8"),
        ("\u0301 \u00ad".encode(), 0, 5, "U+0301, U+0020, U+00AD"),
        ("\u202e".encode(), 0, 3, "U+202E · RIGHT-TO-LEFT OVERRIDE"),
    ],
)
def test_bytes_are_named_as_characters(text, start, end, expected):
    assert characters_of(text, start, end) == expected


@given(st.text("aé汉🚀", max_size=3), st.text("aé汉🚀", min_size=4, max_size=9), st.data())
def test_every_span_is_described_character_by_character(few, many, data):
    for characters in (few, many):
        text = characters.encode()
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text)))
        pieces, whole, at = [], [], 0
        for character in characters:
            size = len(character.encode())
            first, last = max(start, at) - at + 1, min(end, at + size) - at
            at += size
            code = f"U+{ord(character):04X} {character}"
            if last - first + 1 == size:
                whole.append(
                    f"{code} · {unicodedata.name(character)}" if (start, end) == (at - size, at) else code
                )
                pieces += [None] * (len(whole) == 1)
            elif first == last:
                pieces.append(f"byte {first} of {size} of {code}")
            elif first < last:
                pieces.append(f"bytes {first}–{last} of {size} of {code}")
        whole_text = ", ".join(whole) if len(whole) <= 3 else f"{len(whole)} characters"
        assert characters_of(text, start, end) == ", ".join(
            whole_text if piece is None else piece for piece in pieces
        )


def test_characters_are_listed_with_their_names_and_equal_neighbours_once():
    assert code_points("a\u200b\u200b\t\t\t汉", 9) == [
        "U+0061 LATIN SMALL LETTER A",
        "U+200B ZERO WIDTH SPACE ×2",
        "U+0009 CHARACTER TABULATION ×3",
        "U+6C49 CJK UNIFIED IDEOGRAPH-6C49",
    ]
    assert code_points("\ue000" * 1234 + "abb", 2) == [
        "U+E000 without a name ×1,234",
        "U+0061 LATIN SMALL LETTER A",
        "… and 2 more",
    ]
    assert code_points("a", 0) == ["… and 1 more"]
    assert code_points("", 3) == []


TEXT = "a\n\u200bb\u00ad\u200bc\n d\U000e0041\U000e0042 x\u200b"


def test_each_place_has_its_line_its_tokens_and_what_it_spells():
    report = hidden_report(open_model("demo:bpe"), TEXT.encode(), True, True)
    assert report == HiddenReport(
        tokens=24,
        tokens_without=8,
        characters=6,
        places=[
            HiddenRun(2, 5, 2, 1, 2, ["zero-width characters"], ""),
            HiddenRun(6, 11, 2, 2, 4, ["zero-width characters", "soft hyphens"], ""),
            HiddenRun(15, 23, 3, 2, 8, ["tag characters"], "AB"),
            HiddenRun(25, 28, 3, 1, 2, ["zero-width characters"], ""),
        ],
    )


@pytest.mark.parametrize("switches", [(True, True), (True, False), (False, True), (False, False)])
@pytest.mark.parametrize("hidden", ["", "\u200b"])
def test_tokens_are_counted_with_the_switches(hidden, switches):
    tokenizer = open_model("demo:spm")
    report = hidden_report(tokenizer, f"ab{hidden}c</s>".encode(), *switches)
    assert report.tokens == len(tokenizer.encode(f"ab{hidden}c</s>", *switches).token_ids)
    assert report.tokens_without == len(tokenizer.encode("abc</s>", *switches).token_ids)
    assert (report.characters, len(report.places)) == ((1, 1) if hidden else (0, 0))
