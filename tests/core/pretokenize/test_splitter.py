from __future__ import annotations

import random
import time
from itertools import pairwise

import numpy as np
import pytest
from arrays import as_array
from pace import slowness

from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.pretokenize.splitter import Splitter, splitter_of
from guiapp.native import normalized as native

DISTINCT = sorted({row.patterns: row.names[0] for row in reversed(PRE_TOKENIZERS.values())}.values())

LETTERS = "a b r e t S LL d 've 'RE 'lL 'T 'ſ ' '' İ É é ß ǅ ʰ ª Z K ﬁ 中 汉 々 〇 か ゛ ガ ー ｶ ︰ 〈 ん"
OTHER_LETTERS = "각 ㄱ ㄅ ㆎ ก ๎ က ក ⼀ 𠀀 𪛠 七 \ufa6e \ue000 \u0378 \U00031350"
NUMBERS = "0 1 9 12 123 1234567 ٣ ² Ⅷ"
SYMBOLS = ". , ! ? … 。 ， 、 । ۔ ، ( ) [ ] { } | / // \\ - _ = + $ ^ ` ~ < > & % # @ * ; :"
MORE_SYMBOLS = '" ‘ ” ！ ～ £ € ©'
MARKS = "\u0301 \u093f \u3099 \u200d \ufe0f 🦄 🇩🇪 \ud800 \udfff \uffff \x00 \x1c \x7f \U000e0041"
WORDS = "<sentinel:12> <sentinel:1 IMGIMGABCZ IMGIMGABCDEZ IMGIMGZ"
SPACES = (*" \n\r\t\v\f\x85\xa0\u1680\u2003\u2028\u3000\u200b", "  ", "    ", "\r\n", "\n\n", " a")
PARTS = (
    *" ".join((LETTERS, OTHER_LETTERS, NUMBERS, SYMBOLS, MORE_SYMBOLS, MARKS, WORDS)).split(" "),
    *SPACES,
)


def random_text(source: random.Random, n_parts: int) -> bytes:
    """Parts that patterns tell apart; at times few of them, so that they meet again and again."""
    parts = source.sample(PARTS, source.choice([2, 4, 8, len(PARTS)]))
    chosen = source.choices(parts, k=n_parts)
    return "".join(part * source.choice([1, 1, 1, 2, 3, 9]) for part in chosen).encode(
        "utf-8", "surrogatepass"
    )


def splitter_for(name: str) -> Splitter:
    return splitter_of(PRE_TOKENIZERS[name].patterns)


def pieces(name: str, text: bytes) -> list[int]:
    return splitter_for(name).split(as_array(text)).tolist()


@pytest.mark.parametrize("name", DISTINCT)
def test_native_and_reference_splitters_agree(name):
    source = random.Random(name)
    for _ in range(300):
        text = random_text(source, source.randint(0, 25))
        assert pieces(name, text) == splitter_for(name).split_readable(text), text.decode("utf-8", "replace")


@pytest.mark.parametrize("name", DISTINCT)
def test_many_texts_are_cut_as_each_by_itself(name):
    source = random.Random(name)
    random_texts = (random_text(source, source.randint(1, 12)) for _ in range(150))
    texts = [text for text in random_texts if text]
    text_ends = np.cumsum([*map(len, texts)])
    expected = [
        end + first
        for text, first in zip(texts, [0, *text_ends.tolist()], strict=False)
        for end in pieces(name, text)
    ]
    assert splitter_for(name).split_each(as_array(b"".join(texts)), text_ends).tolist() == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("llama-bpe", "Hello| world|'s| |123|45|  \n\n| | x"),
        ("gpt-2", "Hello| world|'s| 12345|  \n\n | x"),
        ("qwen2", "Hello| world|'s| |1|2|3|4|5|  \n\n| | x"),
        ("deepseek-v3", "Hello| world|'s| |123|45|  \n\n| | x"),
        ("gpt-4o", "Hello| world's| |123|45|  \n\n| | x"),
        ("tiny_aya", "Hello| world's| |12|345|  \n\n| | x"),
        ("superbpe", "Hello world's |12|345|  \n\n  x"),
        ("gemma4", "Hello world's 12345  |\n\n|  x"),
        ("whitespace", "Hello| |world's| |12345|  \n\n  |x"),
    ],
)
def test_a_sentence_is_cut_as_each_model_asks(name, expected):
    text = expected.replace("|", "").encode()
    edges = [0, *pieces(name, text)]
    assert "|".join(text[start:end].decode() for start, end in pairwise(edges)) == expected


@pytest.mark.parametrize("name", ["tiny_aya", "afmoe"])
@pytest.mark.parametrize("text", ["a|  | |1|234|  | |567|  | a", " | |12|345|   ", "  \n|123|.|4"])
def test_the_text_before_numbers_by_threes_sees_the_first_of_them(name, text):
    """As llama.cpp has it: white space is cut before its last character, as it is before a word."""
    data = text.replace("|", "").encode()
    ends = np.cumsum([len(piece) for piece in text.split("|")]).tolist()
    assert pieces(name, data) == splitter_for(name).split_readable(data) == ends


LONG_RUNS = {
    "letters": "A" * 100_000 + "!",
    "both cases": "aA" * 50_000,
    "words of one letter": " a" * 50_000,
    "brackets": "(" * 100_000,
    "dots": "." * 100_000,
    "spaces before a letter": " " * 100_000 + "x",
    "spaces before a Chinese character": " " * 100_000 + "中",
    "newlines": "\n" * 100_000 + "x",
    "newlines and spaces": "\n " * 50_000 + "x",
    "digits": "9" * 100_000,
    "digits with another kind": "9" * 100_000 + "٣",
    "Chinese": "中" * 100_000,
    "marks": "a" + "\u0301" * 100_000,
    "letters and marks": "a\u0301" * 50_000,
    "prose": "In the beginning was the word. " * 3_000,
}


@pytest.mark.parametrize("kind", LONG_RUNS)
def test_long_runs_take_linear_time(kind):
    text, bound_s = LONG_RUNS[kind].encode(), 0.5 * slowness()
    for name in DISTINCT:
        pieces(name, b"makes the tables")
        start = time.thread_time()
        ends = pieces(name, text)
        assert time.thread_time() - start < bound_s, name
        assert ends[-1] == len(text)


@pytest.mark.parametrize("kind", LONG_RUNS)
def test_long_runs_are_split_like_the_reference(kind):
    text = LONG_RUNS[kind][:300].encode() + LONG_RUNS[kind][-2:].encode()
    for name in DISTINCT:
        assert pieces(name, text) == splitter_for(name).split_readable(text), name


@pytest.mark.parametrize("name", DISTINCT)
def test_an_edit_changes_pieces_only_near_it(name):
    source, splitter = random.Random(name), splitter_for(name)
    for _ in range(200):
        before, old_middle, new_middle, after = (random_text(source, source.randint(0, 12)) for _ in range(4))
        old, new = before + old_middle + after, before + new_middle + after
        first = splitter.restart_before(as_array(new), len(before))
        last = splitter.restart_after(as_array(new), len(new) - len(after))
        shift = len(new) - len(old)
        unchanged_before = [end for end in pieces(name, old) if end <= first]
        middle = [first + end for end in pieces(name, new[first:last])]
        unchanged_after = [end + shift for end in pieces(name, old) if end + shift > last]
        assert unchanged_before + middle + unchanged_after == pieces(name, new), (old, new, first, last)


@pytest.mark.parametrize("name", sorted(set(DISTINCT) - {"laguna", "gemma4", "superbpe"}))
def test_prose_may_be_cut_near_any_place(name):
    text = as_array(b"It is so: one word, and then another; 12 of them.\n\nNext paragraph, (said he).\n" * 3)
    splitter = splitter_for(name)
    for place in range(60, 150):
        assert place - 30 <= splitter.restart_before(text, place) <= place
        assert place <= splitter.restart_after(text, place) <= place + 30


def test_without_a_certain_cut_all_is_split_again():
    text = as_array(b"a" * 50)
    assert splitter_for("llama-bpe").restart_before(text, 30) == 0
    assert splitter_for("llama-bpe").restart_after(text, 30) == 50


WITH_WINDOWS = (
    "llama-bpe", "gpt-2", "gpt-4o", "qwen35", "tekken", "bailingmoe", "bloom", "whitespace", "kimi-k2",
)  # fmt: skip
PARTS_WINDOWS = [
    *"aaeB19 \n\t'.(/", " ", " the", "'re", "'S", "\r\n", "    ", "don't",
    "é", "漢字", "\u0301", "٣", "\xa0", "x_y", "==", " – ", "“", "ſ", "😀",
]  # fmt: skip


def random_text_of_windows(seed: int) -> bytes:
    """Some 300 bytes, of parts that are rarer in some stretches than in others."""
    choose = random.Random(seed)
    text = ""
    while len(text) < 300:
        text += "".join(choose.choices(choose.sample(PARTS_WINDOWS, 6), k=20))
    return text.encode()


def without_windows(splitter: Splitter) -> native.SplitterHandle:
    return native.SplitterHandle(**splitter.machine._replace(windows=np.zeros(0, np.uint8))._asdict())


@pytest.mark.parametrize("name", WITH_WINDOWS)
def test_windows_give_the_same_ends_as_the_automaton(name):
    splitter = splitter_for(name)
    assert len(splitter.machine.windows)
    plain = without_windows(splitter)
    for seed in range(40):
        text = as_array(random_text_of_windows(seed))
        assert splitter.split(text).tolist() == plain.split(text, np.array([len(text)])).tolist(), seed


@pytest.mark.parametrize("name", WITH_WINDOWS)
def test_long_texts_are_cut_the_same_wherever_they_begin(name):
    splitter = splitter_for(name)
    plain = without_windows(splitter)
    lines = b"".join(b"\n" * (n % 3) + b" " * (n % 70) + b"f(%d, 'x')" % 10**n for n in range(80))
    for start in range(8):
        text = as_array(lines[start:] + random_text_of_windows(start))
        assert splitter.split(text).tolist() == plain.split(text, np.array([len(text)])).tolist(), start


FEW_BYTES = "abcdestS  \n.,'(|-0123"
SEVERAL_BYTES = "–“’×éÉſΩя中。😀ǅ²٣Ⅷ\u0301\u093f\xa0\x85\u2003\u3000\u200b\U000e0041"


@pytest.mark.parametrize("name", WITH_WINDOWS)
def test_characters_of_several_bytes_may_stand_anywhere(name):
    """Few among many of one byte, also where windows meet and where the text ends."""
    splitter = splitter_for(name)
    plain = without_windows(splitter)
    for seed in range(120):
        choose = random.Random(seed)
        rare = choose.sample(SEVERAL_BYTES, 3)
        share = choose.choice([0.02, 0.1, 0.4])
        size = choose.randint(66, 400)
        characters = [choose.choice(rare if choose.random() < share else FEW_BYTES) for _ in range(size)]
        text = as_array("".join(characters).encode())
        assert splitter.split(text).tolist() == plain.split(text, np.array([len(text)])).tolist(), seed
