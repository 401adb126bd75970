"""Where characters hide in a text, and how many tokens they cost."""

import pytest

from guiapp import open_model
from guiapp.analysis.explain.characters import HiddenPlace, HiddenReport, hidden_report

TEXT = "a\n\u200bb\u00ad\u200bc\n d\U000e0041\U000e0042 x\u200b"


def test_each_place_has_its_line_its_tokens_and_what_it_spells():
    report = hidden_report(open_model("demo:bpe"), TEXT.encode(), True, True)
    assert report == HiddenReport(
        tokens=24,
        tokens_without=8,
        characters=6,
        places=[
            HiddenPlace(2, 5, 2, 1, 2, ["zero-width characters"], ""),
            HiddenPlace(6, 11, 2, 2, 4, ["zero-width characters", "soft hyphens"], ""),
            HiddenPlace(15, 23, 3, 2, 8, ["tag characters"], "AB"),
            HiddenPlace(25, 28, 3, 1, 2, ["zero-width characters"], ""),
        ],
    )


@pytest.mark.parametrize("model", ["bpe", "spm", "unigram"])
def test_its_tokens_are_those_that_hold_some_of_its_bytes(model):
    tokenizer = open_model(f"demo:{model}")
    spans = tokenizer.encode(TEXT.encode(), True, True).spans.tolist()
    for place in hidden_report(tokenizer, TEXT.encode(), True, True).places:
        assert place.tokens == sum(start < place.end and end > place.start for start, end in spans)


@pytest.mark.parametrize("switches", [(True, True), (True, False), (False, True), (False, False)])
@pytest.mark.parametrize("hidden", ["", "\u200b"])
def test_tokens_are_counted_with_the_switches(hidden, switches):
    tokenizer = open_model("demo:spm")
    report = hidden_report(tokenizer, f"ab{hidden}c</s>".encode(), *switches)
    assert report.tokens == len(tokenizer.encode(f"ab{hidden}c</s>", *switches).token_ids)
    assert report.tokens_without == len(tokenizer.encode("abc</s>", *switches).token_ids)
    assert (report.characters, len(report.places)) == ((1, 1) if hidden else (0, 0))
