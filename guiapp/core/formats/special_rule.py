"""Whether BOS and EOS are added to a text: what tokenizer_config.json beside a model says, else the usual.

SentencePiece itself adds what it is asked to add.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from guiapp.core.system.outside_json import read_json
from guiapp.core.vocab.vocabulary import SpecialIds

CONFIG, MODEL = "tokenizer_config.json", "tokenizer.model"
MOST_BYTES = 1 << 24
USUAL = (
    "BOS is added where the model has one, else EOS where it has one: the file does not say, and "
    "SentencePiece adds what it is asked to."
)
SAID = "Whether BOS and EOS are added says tokenizer_config.json beside it."


class SpecialRule(NamedTuple):
    """What is added, and a sentence on who says so.

    warnings  about a file that cannot be read, one sentence each
    """

    adds_bos: bool
    adds_eos: bool
    said_by: str
    warnings: tuple[str, ...] = ()


def special_rule(model: Path, ids: SpecialIds) -> SpecialRule:
    """Beside X.tokenizer.model, X.tokenizer_config.json is asked, too."""
    adds_bos = ids.bos is not None
    adds_eos = not adds_bos and ids.eos is not None
    config, warnings = _config(model.with_name(model.name.partition(MODEL)[0] + CONFIG))
    if not config and MODEL in model.name:
        config, warnings = _config(model.with_name(CONFIG))
    said = [config.get(key) for key in ("add_bos_token", "add_eos_token")]
    bos, eos = (value if isinstance(value, bool) else None for value in said)
    if bos is None and eos is None:
        return SpecialRule(adds_bos, adds_eos, USUAL, warnings)
    return SpecialRule(
        (adds_bos if bos is None else bos) and ids.bos is not None,
        bool(eos) and ids.eos is not None,
        SAID,
        warnings,
    )


def _config(path: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            return {}, ()
        content = read_json(path.read_bytes())
    except OSError:
        return {}, ()
    except ValueError as error:
        return {}, (f"{path.name} beside the file is broken JSON and not used: {error}.",)
    return content if isinstance(content, dict) else {}, ()
