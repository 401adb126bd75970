"""The keys of a GGUF for roles of tokens, and for adding BOS, EOS and SEP.

Source: https://github.com/ggml-org/llama.cpp, gguf-py/gguf/vocab.py, SpecialVocab.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from guiapp.core.formats.gguf_copy import GgufValue
from guiapp.core.hugging_face.spec import ComponentError

Section = Mapping[str, Any]
ROLES = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")
NAMES = {"unk": "unknown", "sep": "seperator", "pad": "padding"}  # by llama.cpp
SWITCHES = ("bos", "eos", "sep")


class SpecialKeys:
    """Keys collected from the files of one folder.

    ids       token ids by role; the first source counts
    switches  whether BOS, EOS and SEP are added, by role
    """

    def __init__(
        self, content: Section | None, config: Section, model: Section, n_tokens: int | None
    ) -> None:
        """`content` is tokenizer.json, if there is one; then tokenizer_config.json and config.json."""
        self.ids: dict[str, int] = {}
        self.switches: dict[str, bool] = {}
        self.flags: dict[str, bool] = {}
        self._config, self._types, self._n_tokens = dict(config), list(ROLES), n_tokens
        added = [] if content is None else content.get("added_tokens") or []
        if content is not None:
            self._read_normalizer(content.get("normalizer") or {})
            self._read_post_processor(content.get("post_processor") or {})
        for role in self._types if config else ():
            self._read_config(role, added)
        for role in self._types:
            token_id = model.get(f"{role}_token_id")
            if token_id is None and "text_config" in model:
                token_id = model["text_config"].get(f"{role}_token_id")
            self.set(role, token_id)

    def set(self, role: str, token_id: Any) -> None:
        """Set the id of a role, unless it is known."""
        if not isinstance(token_id, int):
            return
        if not 0 <= token_id < 1 << 32:
            raise ComponentError(f"has a config that gives {role} the id {token_id:,}")
        if self._n_tokens is None or token_id < self._n_tokens:
            self.ids.setdefault(role, token_id)

    def values(self) -> Iterator[tuple[str, GgufValue]]:
        """The values to write, by key without "tokenizer.ggml."."""
        for role, token_id in self.ids.items():
            if role != "cls":
                yield f"{NAMES.get(role, role)}_token_id", GgufValue("uint32", int(token_id))
        for role in filter(self.switches.__contains__, SWITCHES):
            yield f"add_{role}_token", GgufValue("bool", self.switches[role])
        for key, value in self.flags.items():
            if value is not None:
                yield f"normalizer.{key}", GgufValue("bool", value)

    def _read_config(self, role: str, added: Iterable[Section]) -> None:
        if isinstance(switch := self._config.get(f"add_{role}_token"), bool):
            self.switches.setdefault(role, switch)
        entry = self._config.get(f"{role}_token")
        text = entry.get("content") if isinstance(entry, dict) else entry
        if isinstance(text, str):
            self.set(role, next((each.get("id") for each in added if each.get("content") == text), None))

    def _read_normalizer(self, normalizer: Section) -> None:
        kind = normalizer.get("type")
        if kind == "Sequence":
            for each in normalizer.get("normalizers", []):
                self._read_normalizer(each)
        for key, alone in (("lowercase", "Lowercase"), ("strip_accents", "StripAccents")):
            if kind == alone or (kind == "BertNormalizer" and key in normalizer):
                self.flags[key] = True if kind == alone else normalizer[key]

    def _read_post_processor(self, processor: Section) -> None:
        bos, cls, eos, sep = (self._config.get(f"{role}_token") for role in ("bos", "cls", "eos", "sep"))
        known = {"bos": bos or (cls if self._config else bos), "cls": cls}
        known |= {"eos": eos or (sep if self._config else eos), "sep": sep}
        self._names = known
        self._put("bos", "eos")
        for each in processor.get("processors", [processor]):
            match each.get("type"):
                case "ByteLevel":
                    self.switches.setdefault("bos", False)
                    self.switches.setdefault("eos", False)
                case "RobertaProcessing":
                    self.switches |= dict.fromkeys(SWITCHES, True)
                    for role, usual in (("cls", "bos"), ("sep", "eos")):
                        if not known[role] and self._config:
                            known[role] = each.get(role, [known[usual]])[0]
                            self._put(role)
                case "TemplateProcessing":
                    self._read_template(each.get("single") or [], each.get("pair") or [])

    def _put(self, *roles: str) -> None:
        """Copy the tokens of roles into the config, if there is one."""
        if self._config:
            self._config |= {f"{role}_token": self._names[role] for role in roles if self._names[role]}

    def _read_template(self, single: list[Section], pair: list[Section]) -> None:
        names, first, last = self._names, None, None
        if len(single) > 1 and (first := _special(single[0])):
            if not self._config:
                names["bos"] = first
            elif first not in (names["bos"], names["cls"]):
                for role in ("bos", "cls"):
                    if not names[role]:
                        names[role] = first
                        self._put(role)
            self.switches["bos"] = first in (names["bos"], names["cls"])
        if len(single) > 1 and (last := _special(single[-1])):
            if not self._config:
                names["eos"] = last
            elif last != names["eos"]:
                for role in ("eot", "eom"):
                    if role not in self._types:
                        self._types.append(role)
                        self._config[f"{role}_token"] = names["eos"]
                        break
                names["eos"] = last
                self._put("eos")
            self.switches["eos"] = last == names["eos"]
        start = 1 if pair and first and _special(pair[0]) == first else 0
        stop = -1 if pair and last and _special(pair[-1]) == last else None
        inner = pair[start:stop]
        sides = [each.get("Sequence", {}).get("id") for each in inner]
        if inner and (sides[0], sides[-1]) == ("A", "B") and len(inner) > 2:
            between = [_special(each) for each in inner[1:-1]]
            ends = (names["sep"], names["eos"])
            adds = bool(between[0]) and between[0] in ends and not last
            adds |= len(between) == 2 and bool(between[1]) and between[1] in ends
            self.switches["sep"] = adds
            if adds and not names["sep"] and self._config:
                self._config["sep_token"] = names["eos"]


def _special(piece: Section) -> Any:
    return piece.get("SpecialToken", {}).get("id")
