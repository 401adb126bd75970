"""What lies beside a tokenizer.json: what tokens are for, the chat template, and switches of `transformers`.

The ids of a text are those of tokenizer.json alone.  `transformers` loads that file and then lets
tokenizer_config.json change some of it, by rules that depend on its version and on a class name in the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from guiapp.core.system.outside_json import read_json

CONFIG, MAP, TEMPLATE = "tokenizer_config.json", "special_tokens_map.json", "chat_template.jinja"
ROLES = {
    "bos_token": "bos",
    "eos_token": "eos",
    "unk_token": "unk",
    "sep_token": "sep",
    "pad_token": "pad",
    "mask_token": "mask",
}
MOST_BYTES = 1 << 24


class Beside(NamedTuple):
    """What the other files say.

    roles     text of each role's token
    config    tokenizer_config.json, as it stands
    warnings  about files that cannot be read, one sentence each
    """

    roles: dict[str, str]
    config: dict[str, Any]
    warnings: tuple[str, ...] = ()


def read_beside(path: Path) -> Beside:
    """Of a file X.tokenizer.json, those are beside it that begin with X. too."""
    warnings: list[str] = []
    prefix = path.name.removesuffix("tokenizer.json") if path.name.endswith("tokenizer.json") else ""
    config, special = (_object(path.with_name(prefix + name), warnings) for name in (CONFIG, MAP))
    template = _text(path.with_name(prefix + TEMPLATE))
    if template is not None:
        config.setdefault("chat_template", template)
    roles = {
        role: text
        for key, role in ROLES.items()
        if (text := _content(config.get(key)) or _content(special.get(key)))
    }
    return Beside(roles, config, tuple(warnings))


def _object(path: Path, warnings: list[str]) -> dict[str, Any]:
    text = _text(path)
    try:
        content = {} if text is None else read_json(text)
    except ValueError as error:
        warnings.append(f"{path.name} beside the file is broken JSON and not used: {error}.")
        return {}
    return content if isinstance(content, dict) else {}


def _text(path: Path) -> str | None:
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            return None
        return path.read_text("utf-8", "replace")
    except OSError:
        return None


def _content(said: Any) -> str:
    """The text of a token, which stands by itself or in an object."""
    text = said.get("content") if isinstance(said, dict) else said
    return text if isinstance(text, str) else ""
