"""`tokenloupe vocab --embeddings`"""

import numpy as np
import pytest
from embedded_models import rows_with_dead, write_model
from gguf import GGMLQuantizationType

from guiapp.cli.main import run

DEAD, KNOWN = range(50, 80), range(50, 60)


@pytest.fixture
def model(tmp_path):
    rows = rows_with_dead(400, 64, DEAD, 0.1)
    tensors = {"token_embd.weight": (GGMLQuantizationType.F32, rows.view(np.uint8))}
    return str(write_model(tmp_path / "x.gguf", tensors, 400, KNOWN))


def test_untrained_tokens_are_listed_with_the_basis_of_comparison(model, capsys):
    assert run(["vocab", model, "is:untrained", "--embeddings", "--sort", "cosine"]) == 0
    printed = capsys.readouterr()
    head, *rows = printed.out.splitlines()
    assert head.split()[-2:] == ["norm", "cosine"]
    assert {int(row.split()[0]) for row in rows} == {*DEAD} - {*KNOWN}
    distances = [float(row.split()[-1]) for row in rows]
    assert distances == sorted(distances)
    assert printed.err.splitlines()[0] == (
        "Embeddings are compared with the mean of 10 tokens named or marked as unused or reserved."
    )
    assert printed.err.splitlines()[1].startswith("20 tokens with a cosine distance to the known unused rows")
