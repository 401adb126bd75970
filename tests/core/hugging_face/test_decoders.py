"""Against `tokenizers`: what sequences of decoders make of drawn tokens."""

from __future__ import annotations

from hypothesis import assume, example, given
from hypothesis import strategies as st
from library_components import DECODERS, json_of
from texts_for_components import texts
from tokenizers import decoders as library

from guiapp.core.hugging_face.decoders import decoder_of

TOKENS = st.lists(
    st.sampled_from(
        [
            "##a",
            "##",
            "▁the",
            "▁",
            "Ġworld",
            "Ċ",
            "Ã",
            "©",
            "<0xE4>",
            "<0xB8>",
            "<0xAD>",
            "<0x0a>",
            "<0x+A>",
            "<0xé>",
            "end</w>",
            "</w>",
            "a",
            "a",
            " ",
            "   ",
            "|",
            "<pad>",
            " .",
            "do",
            " do not",
            "n't",
            " ' ",
            "",
        ]
    )
    | texts(3),
    min_size=1,
    max_size=8,
)


@given(st.lists(st.sampled_from(DECODERS), min_size=1, max_size=4), TOKENS)
@example([library.BPEDecoder("</w>")], ["a</w>", "b</w>"])
def test_sequences_of_all_decoders_give_what_the_library_gives(components, tokens):
    sequence = library.Sequence(components)
    try:
        expected = sequence.decode(tokens)
    except BaseException as error:  # it panics where Strip takes all of a token from both ends
        assume("Panic" not in type(error).__name__)
        raise
    assert decoder_of(json_of(sequence)).decode(tokens) == expected


def test_without_a_decoder_spaces_are_between_the_tokens():
    assert decoder_of(None).decode(["a", "b"]) == "a b"


def test_what_the_library_panics_at_gives_what_is_left():
    assert decoder_of({"type": "Strip", "content": " ", "start": 1, "stop": 1}).decode([" ", ""]) == ""
    assert decoder_of({"type": "BPEDecoder", "suffix": "</w>"}).decode([]) == ""


def test_nothing_that_the_library_decodes_with_is_missing():
    known = {type(each).__name__ for each in DECODERS} | {"Sequence", "Decoder", "DecodeStream"}
    assert {name for name in dir(library) if name[0].isupper()} <= known
