"""The vocabulary that llama.cpp gets from a folder: read from the GGUF that its converter would write."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from guiapp.core.formats.gguf import read_converted
from guiapp.core.formats.gguf_copy import GgufValue, metadata_file
from guiapp.core.formats.tokenizer_config import model_name, read_sidecars
from guiapp.core.hugging_face.spec import ComponentError
from guiapp.core.llama_converter.architectures import WHY, Architecture, architecture_of
from guiapp.core.llama_converter.conversion import Conversion
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.vocabulary.opening import Opening
from guiapp.core.vocabulary.vocabulary import LLAMA_CPP, Vocabulary
from guiapp.errors import EncodeError, VocabError

ADVICE = "Open it without this reading."
VERSION_NAME = re.compile(r"v\d+(\.\d+)*|\d.*")
Load = Callable[[Path], Vocabulary]


def of_folder(path: Path, opening: Opening, load: Load) -> Vocabulary:
    """The vocabulary that llama.cpp gets from a tokenizer's file and the files next to it.

    `load` returns what AutoTokenizer makes of a file and the configs next to it.
    Raises VocabError if the converter refuses, or its rules for the folder are not supported here.
    """
    data, architecture = converted_file(path, opening, load)
    vocabulary = read_converted(path, data, opening)
    deviation = vocabulary.deviation
    if architecture.is_assumed:
        deviation = (
            "The folder has no config.json, which llama.cpp's converter needs. Converted as for "
            f"{architecture.name}, which the tokenizer_class suggests: others may get other ids."
        )
    return replace(
        vocabulary,
        name=model_name(path),
        chosen_pre=LLAMA_CPP,
        deviation=deviation,
        readings=read_sidecars(path).readings | {LLAMA_CPP: WHY},
    )


def converted_file(path: Path, opening: Opening, load: Load) -> tuple[bytes, Architecture]:
    """The converted GGUF, without tensors, and the architecture whose rules were applied."""
    try:
        sidecars = read_sidecars(path)
        broken = [note for note in sidecars.warnings if note.code == "config_broken"]
        if broken:
            raise ComponentError(f"cannot be read as llama.cpp's converter does: {broken[0]}")
        architecture = architecture_of(sidecars)
        conversion = Conversion(path, sidecars, architecture.rules, opening, load)
        conversion.run()
        values = {
            "general.architecture": GgufValue("string", architecture.rules["architecture"].encode()),
            "general.name": GgufValue("string", _title(sidecars.model, path).encode("utf-8", "replace")),
        }
        values |= {f"tokenizer.ggml.{key}": value for key, value in conversion.values.items()}
        return metadata_file(values), architecture
    except ComponentError as error:
        raise VocabError(f"{quoted(path.name)} {quoted(str(error), 400)}. {ADVICE}") from error
    except EncodeError as error:
        raise VocabError(f"{quoted(path.name)} cannot be converted to GGUF: {error} {ADVICE}") from error
    except (KeyError, TypeError, AttributeError, IndexError, ArithmeticError, ValueError) as error:
        what = f"has parts or configs that llama.cpp's converter does not read: {quoted(repr(error))}"
        raise VocabError(f"{quoted(path.name)} {what}. {ADVICE}") from error


def _title(model: Mapping[str, Any], path: Path) -> str:
    """The value of general.name without a model card: the name in config.json, else of the folder."""
    name = model.get("_name_or_path")
    if not isinstance(name, str) or not name or name.count("/") > 1:
        name = path.absolute().parent.name
    words = name.rpartition("/")[2].strip().replace("-", " ").split()
    return " ".join(
        word.title() if word.islower() and not VERSION_NAME.fullmatch(word) else word for word in words
    )
