"""What the colours of nodes tell; the nodes are the root, a b c, ab ac bb cb, and acbb cbb."""

import numpy as np
import pytest

import guiapp
from guiapp.analysis.tree.coloring import NO_CLASS, ColoringInput, node_values
from guiapp.analysis.tree.picture import tree_picture

NAN = float("nan")
COUNTS = np.array([0, 5, 0, 2, 0, 0, 0, 0, 1])


@pytest.mark.parametrize(
    ("name", "title", "shares", "ends"),
    [
        (
            "worth",
            "Merge rank",
            [NAN] * 4 + [0, 0.4, 0.6, 0.2, 1, 0.8],
            ("0, merged first", "5, merged last"),
        ),
        ("depth", "Tokens on the path", [NAN, *[0] * 3, *[0.5] * 4, 1, 1], ("1 token", "3 or more")),
        (
            "length",
            "Length, log scale",
            [NAN, *[0] * 3, *[0.2] * 4, 0.4, np.log2(3) / 5],
            ("1 byte", "32 or more"),
        ),
        (
            "use",
            "Use in this text, log scale",
            [NAN, NAN, 1, NAN, 0.25 + 0.75 * np.log(2) / np.log(5), *[NAN] * 3, 0.25, NAN],
            ("once", "5 times"),
        ),
    ],
)
def test_a_scale_has_a_share_for_each_token_with_a_value(name, title, shares, ends):
    tokenizer = guiapp.open_model("demo:toy")
    given = ColoringInput(tree_picture(tokenizer.vocabulary), tokenizer.merging, COUNTS)
    values = node_values(name, given)
    assert (values.title, values.ends, values.names) == (title, ends, ())
    assert values.shares.tolist() == pytest.approx(shares, nan_ok=True)
    assert (values.classes == NO_CLASS).all()
