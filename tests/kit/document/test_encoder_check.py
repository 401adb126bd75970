"""What people read about an encoder that only approximates."""

import guiapp
from guiapp.analysis.editing.options import Options
from guiapp.analysis.explain.encoder_agreement import EncoderAgreement, FirstDifference
from guiapp.kit.document.live_spans import compared, explained


def pieces(*texts):
    return tuple((number, text) for number, text in enumerate(texts))


def test_the_same_tokens_are_told_in_a_sentence():
    same = "On this text it gives exactly the tokens of the exact encoder."
    assert explained(EncoderAgreement(4, 4, 4, None)) == same


def test_the_first_difference_is_shown_up_to_some_tokens():
    first_difference = FirstDifference(1234, 1240, pieces(b"a", b" b"), pieces(*(b"c",) * 7))
    assert explained(EncoderAgreement(1500, 2000, 2100, first_difference)) == (
        "On this text it gives 75.0 % of the exact encoder's tokens (1,500 of 2,000).\n\n"
        "They first differ at byte 1,234:\nshown\ta ┆ ·b\nexact\tc ┆ c ┆ c ┆ c ┆ c ┆ c …"
    )
    six = FirstDifference(0, 30, pieces(*(b"c",) * 6), pieces(b"x" * 30))
    assert explained(EncoderAgreement(0, 1, 6, six)).endswith(
        f"\nshown\tc ┆ c ┆ c ┆ c ┆ c ┆ c\nexact\t{'x' * 24}…"
    )


def test_the_text_is_encoded_with_both_and_the_same_options():
    tokenizer = guiapp.open_model("demo:bpe")
    text, shares = b"<|im_start|>unbelievable", []
    for options in (
        Options(True, True, "greedy"),
        Options(False, True, "greedy"),
        Options(True, False, "greedy"),
    ):
        switches = options.add_special, options.parse_special
        found = compared(tokenizer, text, options, shares.append)
        assert found.n_exact == len(tokenizer.encode(text, *switches))
        assert found.share < 1 or found.first_difference is None
        other = tokenizer.encode(text, *switches, encoder="greedy")
        assert (found.first_difference is None) == (
            other.token_ids.tolist() == tokenizer.encode(text, *switches).token_ids.tolist()
        )
    assert shares == [0.4, 0.8] * 3
