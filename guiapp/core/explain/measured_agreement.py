"""How nearly approximate encoders cut the samples as the exact one does, measured with any vocabulary."""

from __future__ import annotations

from guiapp.core.demo import sample_text
from guiapp.core.encoding import Encoding
from guiapp.core.explain.encoder_agreement import compare
from guiapp.core.tokenizer import Tokenizer

SAMPLES = ("english", "code", "languages")
SAMPLE_BYTES = 3_000  # of each


def measured_agreement(tokenizer: Tokenizer) -> dict[str, dict[str, float]]:
    """By approximate encoder and sample, the share of the exact tokens that the encoder gives too."""
    texts = {name: sample_text(name)[:SAMPLE_BYTES] for name in SAMPLES}
    exact = {name: tokenizer.encode(text, False, False) for name, text in texts.items()}
    agreement: dict[str, dict[str, float]] = {}
    for encoder, algorithm in tokenizer.encoders.items():
        if not algorithm.exact:
            found = {name: tokenizer.encode(text, False, False, encoder) for name, text in texts.items()}
            agreement[encoder] = {name: _share(found[name], exact[name]) for name in texts}
    return agreement


def _share(found: Encoding, exact: Encoding) -> float:
    agreement = compare(found, exact)
    return round(agreement.n_shared / max(agreement.n_exact, 1), 4)
