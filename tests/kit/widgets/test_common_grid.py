"""Tokens of several models stand on one grid, also those without text."""

from guiapp.kit.widgets.find_picture import Need, bounds_of, places_of


def test_tokens_without_text_have_room_of_their_own_before_those_with_text():
    rows = [[(0, 0), (0, 2), (2, 2), (2, 2), (2, 3)], [(0, 1), (1, 3)]]
    bounds = bounds_of(rows)
    x = places_of(Need(start, end, 10) for row in bounds for start, end in row)
    for row in bounds:
        edges = [x[place] for bound in row for place in bound]
        assert edges == sorted(edges)
        assert all(right - left >= 10 for left, right in zip(edges[::2], edges[1::2], strict=True))
    assert x[bounds[0][1][0]] == x[bounds[1][0][0]], "what begins at the same byte begins at the same place"
