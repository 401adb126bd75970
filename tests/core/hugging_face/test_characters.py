"""The files about characters are what the script makes that asks `tokenizers` about each."""

import make_characters
import numpy as np
import pytest

from guiapp.core.hugging_face.characters import FOLDER
from guiapp.core.text.unicode_tables import FOLDER as TEXT_FOLDER


def up_to(limit, table):
    """What is said of the first characters: edges of runs, or columns that begin with a character."""
    if table.ndim == 2:
        return table[:, table[0] < limit].tolist()
    inside = table[table < limit].tolist()
    return inside + [limit] * (len(inside) % 2)


@pytest.mark.parametrize(("build", "limit"), [("build", 0x960), ("build_properties", 0x400)])
def test_the_data_files_are_what_the_script_makes(monkeypatch, build, limit):
    """For the first characters; all would take minutes."""
    monkeypatch.setattr(make_characters, "CODES", range(limit))
    stored = {
        "build": {path.stem: np.load(path) for path in FOLDER.iterdir()},
        "build_properties": np.load(TEXT_FOLDER / "unicode_16_0/properties.npz"),
    }[build]
    rebuilt = getattr(make_characters, build)()
    assert {name: up_to(limit, table) for name, table in stored.items()} == {
        name: table.tolist() for name, table in rebuilt.items()
    }
