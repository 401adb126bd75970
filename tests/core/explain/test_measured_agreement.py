"""Approximate encoders are told with what they give on the samples."""

import pytest

from guiapp import open_model
from guiapp.core.demo import sample_text
from guiapp.core.explain.measured_agreement import SAMPLE_BYTES, measured_agreement


@pytest.mark.parametrize("model", ["bpe", "wordpiece"])
def test_every_approximate_encoder_has_its_share_of_the_exact_tokens(model):
    tokenizer = open_model(f"demo:{model}")
    agreement = measured_agreement(tokenizer)
    assert set(agreement) == set(tokenizer.encoders) - set(tokenizer.exact_encoders)
    text = sample_text("code")[:SAMPLE_BYTES]
    exact, words = (tokenizer.encode(text, False, False, name) for name in (None, "words"))
    tokens = [
        {(*span, token) for span, token in zip(each.spans.tolist(), each.token_ids.tolist(), strict=True)}
        for each in (exact, words)
    ]
    assert agreement["words"]["code"] == pytest.approx(len(tokens[0] & tokens[1]) / len(tokens[0]), abs=1e-4)
