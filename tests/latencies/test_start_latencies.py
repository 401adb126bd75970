"""The measurement of first starts, in processes that end only when the page asked for is seen."""

from guiapp.latencies import start


def test_a_first_start_is_measured_to_the_start_page_and_with_a_model_to_the_text():
    rows = {row.name: row for row in start.first_start("demo:bpe")}
    for name in ("first_start", "first_start_model"):
        (painted,), (encoded,) = rows[f"{name}_to_first_paint"].values, rows[f"{name}_to_tokens"].values
        assert 0 < painted < encoded
        assert len(rows[f"{name}_lateness"].values) > 10
