from hypothesis import example, given
from hypothesis import strategies as st

from guiapp.core.text.normalized import (
    character_start,
    code_points,
    decode,
    encode,
    sizes_in_bytes,
)

MESSY = st.lists(
    st.sampled_from(["a", "é", "字", "😀"]).map(str.encode) | st.binary(min_size=1, max_size=2), max_size=8
).map(b"".join)


@given(data=MESSY)
@example(data=b"\xed\xa0\x80\xe2\x82")
def test_character_starts_are_those_of_the_decoded_text(data):
    starts = {0}
    for character in decode(data):
        starts.add(max(starts) + len(encode(character)))
    for offset in range(len(data) + 1):
        assert character_start(data, offset) == max(start for start in starts if start <= offset)


@given(data=st.binary())
def test_decoding_loses_no_byte(data):
    assert encode(decode(data)) == data


@given(data=MESSY)
@example(data="\x7f\x80\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff".encode())
@example(data=b"\x80\xff\xc3")
def test_characters_are_as_long_as_the_bytes_that_they_become(data):
    text = decode(data)
    points = code_points(text)
    assert points.tolist() == [*map(ord, text)]
    assert sizes_in_bytes(points).tolist() == [len(encode(character)) for character in text]
