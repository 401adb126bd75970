"""What is switched on at first."""

from guiapp.analysis.editing.token_store import Options


def test_a_text_is_encoded_with_special_tokens_and_the_best_encoder_unless_told_otherwise():
    assert Options() == Options(add_special=True, parse_special=True, encoder=None)
