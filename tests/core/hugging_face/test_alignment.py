"""Where each piece came from, against `tokenizers` and against the rule of text/normalized.py.

Rounded out to whole characters, our spans are those of the library, but for what these tests leave out:
inserted text, which has an empty span here and that of the character before there; several characters that
become one, which the library counts to the first of them (the last, for Replace); dropped ones around these.
"""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from library_components import said
from texts_for_components import texts
from tokenizers import Regex, normalizers, pre_tokenizers
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from guiapp.core.hugging_face.normalizers import normalizer_of
from guiapp.core.hugging_face.pre_tokenizers import normalize, pre_tokenize, pre_tokenizer_of, prepare

CUTTERS = [
    *(pre_tokenizers.Whitespace(), pre_tokenizers.WhitespaceSplit(), BertPreTokenizer()),
    *(pre_tokenizers.Digits(True), pre_tokenizers.UnicodeScripts(), pre_tokenizers.FixedLength(3)),
    *(pre_tokenizers.Punctuation("merged_with_next"), pre_tokenizers.Split(Regex(r"\s+"), "removed", False)),
    pre_tokenizers.Metaspace(prepend_scheme="never"),
]


def character_spans(prepared, text):
    """Of each piece, in characters, rounded out."""
    data = text.encode()
    if len(prepared.ends) == 0:
        return []
    begins = np.cumsum(np.array([byte & 0xC0 != 0x80 for byte in data], np.int64))
    starts = np.append(0, prepared.ends[:-1])
    first, last = prepared.normalized.starts[starts], prepared.normalized.ends[prepared.ends - 1]
    return [(int(begins[a]) - 1, int(begins[b - 1])) for a, b in zip(first, last, strict=True)]


@given(st.lists(st.sampled_from(CUTTERS), min_size=1, max_size=3), texts())
def test_pieces_that_nothing_was_inserted_in_have_the_spans_of_the_library(components, text):
    sequence = pre_tokenizers.Sequence([*components, pre_tokenizers.ByteLevel(False)])
    prepared = prepare(normalizer_of(None), pre_tokenizer_of(said(sequence)), text.encode(), is_first=True)
    expected = [span for _, span in sequence.pre_tokenize_str(text)]
    assert character_spans(prepared, text) == expected


@given(
    st.sampled_from([normalizers.Lowercase(), normalizers.NFKD(), BertNormalizer(strip_accents=False)]),
    texts(),
)
def test_words_of_normalized_texts_lie_in_what_they_were_made_of(component, text):
    prepared = prepare(
        normalizer_of(said(component)),
        pre_tokenizer_of({"type": "WhitespaceSplit"}),
        text.encode(),
        is_first=True,
    )
    starts, ends = prepared.normalized.starts, prepared.normalized.ends
    assert (starts <= ends).all()
    assert (np.diff(starts) >= 0).all()
    assert (np.diff(ends) >= 0).all()
    assert (starts[1:] >= ends[:-1]).all()
    assert len(ends) == 0 or ends[-1] <= len(text.encode())


def test_each_byte_takes_a_byte_and_the_last_one_the_rest():
    normal = normalize(normalizer_of({"type": "NFC"}), "xe\u0301y".encode(), True)
    assert normal.text() == "xéy"
    assert normal.normalized.starts.tolist() == [0, 1, 2, 4]
    assert normal.normalized.ends.tolist() == [1, 2, 4, 5]


def test_inserted_text_has_an_empty_span_and_dropped_text_none():
    bert = normalizer_of(said(BertNormalizer()))
    made = prepare(bert, pre_tokenizer_of(said(BertPreTokenizer())), "a\u200d国b ".encode(), True)
    assert made.normalized.data.tobytes().decode() == "a国b"
    assert made.normalized.starts.tolist() == [0, 4, 5, 6, 7]
    spaced = prepare(normalizer_of({"type": "Prepend", "prepend": "▁"}), pre_tokenizer_of(None), b"ab", True)
    assert spaced.normalized.starts.tolist() == [0, 0, 0, 0, 1]
    assert spaced.normalized.ends.tolist() == [0, 0, 0, 1, 2]


def test_only_what_begins_the_whole_text_gets_the_first_prefix():
    first = pre_tokenizer_of(said(pre_tokenizers.Metaspace(prepend_scheme="first")))
    for is_first, expected in ((True, "▁a▁b"), (False, "a▁b")):
        assert (
            prepare(normalizer_of(None), first, b"a b", is_first).normalized.data.tobytes().decode()
            == expected
        )
    text = normalize(normalizer_of({"type": "NFC"}), "é b".encode(), True)
    rest = pre_tokenize(first, text.part(2, 4))
    assert rest.normalized.data.tobytes().decode() == "▁b"
    assert rest.normalized.starts.tolist()[-1] == 3
    assert pre_tokenize(first, text.part(3, 4)).normalized.data.tobytes() == b"b"


@given(
    st.lists(
        st.sampled_from(
            [
                *(normalizers.NFD(), normalizers.NFKD(), normalizers.StripAccents(), normalizers.Strip()),
                *(BertNormalizer(), normalizers.Lowercase(), normalizers.Replace(Regex(r"\p{Mn}"), "")),
            ]
        ),
        min_size=1,
        max_size=3,
    ),
    st.text("aé\u0301ệ½¨ b가İ"),
)
def test_no_byte_of_a_character_that_partly_stays_is_left_out(components, text):
    data = text.encode()
    normal = normalize(normalizer_of(said(normalizers.Sequence(components))), data, True)
    starts, ends = normal.both_spans()
    covered = np.zeros(len(data), np.bool_)
    for start, end in zip(starts, ends, strict=True):
        covered[start:end] = True
    at = 0
    for character in text:
        assert len(set(covered[at : at + len(character.encode())])) == 1
        at += len(character.encode())
    assert (starts[1:] >= ends[:-1]).all()


def test_what_is_left_of_a_character_has_all_of_it():
    bert = normalizer_of(said(BertNormalizer()))
    normal = normalize(bert, "aéệe\u0301".encode(), True)
    assert normal.text() == "aeee"
    assert normal.both_spans()[1].tolist() == [1, 3, 6, 7]
