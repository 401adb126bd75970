from hypothesis import example, given
from hypothesis import strategies as st

from guiapp.core.editing.character_starts import character_start, decode, encode

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
