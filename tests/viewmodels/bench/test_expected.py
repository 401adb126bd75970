"""What a view of the Bench page says that has nothing to show."""

import pytest

from guiapp.viewmodels.bench.expected import NOTHING_YET, why_empty

TICK = "Tick it under Scenarios at the left and press Run."


@pytest.mark.parametrize(
    ("scenarios", "measured", "planned", "said"),
    [
        (["short"], [], ["short"], NOTHING_YET),
        (["short"], ["short"], [], NOTHING_YET),
        (["short"], ["cold"], ["short"], "This run left “short” out. Press Run to measure it."),
        (["short"], ["cold"], [], f"This run left “short” out.\n{TICK}"),
        (["short"], [], ["cold"], f"The plan leaves “short” out.\n{TICK}"),
        (
            ["short", "cold"],
            [],
            [],
            f"The plan leaves “short”, “cold” out.\n{TICK.replace('it', 'what you want', 1)}",
        ),
    ],
)
def test_a_view_without_results_says_why_and_how_to_change_that(scenarios, measured, planned, said):
    assert why_empty(scenarios, measured, planned) == said
