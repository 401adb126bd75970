"""All model files that tests of any vocabulary run on: the demo models, and real ones where they are."""

import pytest
from conftest import VOCABS

from guiapp.core.demo import DEMO_MODELS

ALL_MODELS = [
    *(f"demo:{model.name}" for model in DEMO_MODELS),
    *(pytest.param(path, id=path.stem, marks=pytest.mark.real_vocabs) for path in VOCABS.glob("*.gguf")),
]
