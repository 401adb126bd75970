"""Reports about a model and about an encoding, as plain values and lines."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import lru_cache
from itertools import cycle, repeat
from json import dumps
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.export.tables import json_text
from guiapp.core.encode.encoding import Encoding
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.text.visible_text import visible_text
from guiapp.errors import EncodeError
from guiapp.native.model_files import fill_in

if TYPE_CHECKING:
    from guiapp.core.encode.counting.growing import EncodedPart
    from guiapp.core.encode.reference.viterbi import Segmentation
    from guiapp.core.encode.tokenizer import Tokenizer
    from guiapp.core.vocabulary.vocabulary import Vocabulary

AT_ONCE = 1 << 14  # tokens that are written at once
BACKGROUNDS = (24, 94, 29, 90, 58, 60)  # of the terminal's 256 colours; neighbours differ in hue
LONGEST_NAME = 4096
RESET = "\x1b[0m"


def info_report(tokenizer: Tokenizer, with_agreement: bool = False) -> dict[str, object]:
    """The facts in the file about its tokenizer: the record of `info --json`."""
    vocabulary = tokenizer.vocabulary
    kinds: dict[str, int] = {}
    _, firsts, counts = np.unique(vocabulary.attributes, return_index=True, return_counts=True)
    for token_id, count in zip(firsts.tolist(), counts.tolist(), strict=True):
        kind = vocabulary.kind(token_id)
        kinds[kind] = kinds.get(kind, 0) + count
    return {
        "path": quoted(str(vocabulary.path), LONGEST_NAME),
        "format": vocabulary.format,
        "name": quoted(vocabulary.name, LONGEST_NAME),
        "architecture": quoted(vocabulary.architecture, LONGEST_NAME),
        "type": vocabulary.type.value,
        "model": vocabulary.model,
        "pre": quoted(vocabulary.pre, LONGEST_NAME),
        "chosen_pre": vocabulary.chosen_pre,
        "tokens": len(vocabulary),
        "merges": _n_merges(tokenizer),
        "kinds": kinds,
        "special_ids": {role: i for role, i in asdict(vocabulary.special_ids).items() if i is not None},
        "end_of_generation": sorted(vocabulary.eog),
        "rules": asdict(vocabulary.rules) if vocabulary.parts is None else vocabulary.parts.model._asdict(),
        "encoders": list(tokenizer.encoders),
        "not_offered": dict(tokenizer.refused_encoders),
        **({"agreement": _agreement(tokenizer)} if with_agreement else {}),
        "metadata": {quoted(key, LONGEST_NAME): _plain(value) for key, value in vocabulary.metadata.items()},
        "exactness": asdict(tokenizer.exactness),
        "warnings": list(vocabulary.warnings),
    }


def value_text(value: object) -> str:
    """A value of a file to show: the text of a token object, JSON of other objects and lists."""
    if isinstance(value, dict) and isinstance(value.get("content"), str):
        return str(value["content"])
    return "none" if value is None else str(_plain(value))


def _plain(value: object) -> object:
    """A value that JSON can express: infinite numbers, objects and lists become text."""
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return dumps(value, ensure_ascii=False, default=str) if isinstance(value, (dict, list)) else value


def _n_merges(tokenizer: Tokenizer) -> int:
    """The number of merge rules in the file, or of all implied ones if it is a list of ranks."""
    vocabulary, merging = tokenizer.vocabulary, tokenizer.merging
    if vocabulary.rules.merges_all_pairs and merging is not None:
        return len(merging.rules)
    return len(vocabulary.merge_offsets) - 1


def _agreement(tokenizer: Tokenizer) -> dict[str, dict[str, float]] | str:
    """The agreement by approximate encoder and sample, or an error message."""
    from guiapp.analysis.explain.encoder_agreement import measured_agreement

    try:
        return measured_agreement(tokenizer)
    except EncodeError as error:
        return str(error)


class TokenWriter:
    """Writes tokens one after another: numbers of each token, between texts that depend only on its id.

    texts_of  returns the texts of an id, one more than there are numbers; called once for each id
    widths    of the numbers; see `fill_in`
    """

    def __init__(
        self, separator: str, n_ids: int, texts_of: Callable[[int], Sequence[str]], widths: Sequence[int] = ()
    ) -> None:
        self._separator, self._texts_of, self._widths = separator, texts_of, np.array(widths, np.int32)
        self._rows, self._n_rows = np.full(n_ids, -1, np.int32), 0
        self._data, self._offsets = bytearray(), array("q", [0])
        self._texts = np.empty(0, np.uint8), np.empty(0, np.int64)
        self._n_left_out = len(separator)  # before the first token

    def write(self, ids: NDArray[np.int32], numbers: NDArray[np.int64]) -> Iterator[bytes]:
        """Yield UTF-8 for some thousand tokens at a time; numbers[i] are the numbers of token i."""
        for first in range(0, len(ids), AT_ONCE):
            some = ids[first : first + AT_ONCE]
            for token_id in np.unique(some[self._rows[some] < 0]).tolist():
                self._add(token_id)
            if len(self._texts[1]) < len(self._offsets):
                self._texts = np.frombuffer(bytes(self._data), np.uint8), np.array(self._offsets)
            written = fill_in(self._rows[some], numbers[first : first + AT_ONCE], self._widths, self._texts)
            yield written[self._n_left_out :].tobytes()
            self._n_left_out = 0

    def _add(self, token_id: int) -> None:
        self._rows[token_id] = self._n_rows
        self._n_rows += 1
        for number, text in enumerate(self._texts_of(token_id)):
            self._data += (text if number else self._separator + text).encode()
            self._offsets.append(len(self._data))


def ids_text(separator: str) -> Callable[[NDArray[np.int32]], Iterator[bytes]]:
    """A function that writes ids in decimal, one part of a list after another."""
    writer = TokenWriter(separator, 1, lambda _: ("", ""))
    return lambda ids: writer.write(np.zeros_like(ids), ids.astype(np.int64))


def ids_json(tokenizer: Tokenizer, parts: Iterable[EncodedPart]) -> Iterator[bytes]:
    """The record of `tokenize --format json`; `bytes` is hexadecimal, `span` counts bytes of the text.

    All ids come first, so the tokens are buffered in a temporary file.
    """
    from tempfile import TemporaryFile  # imported late: other formats do not need it

    vocabulary = tokenizer.vocabulary

    def texts_of(token_id: int) -> tuple[str, ...]:
        head, _, tail = json_text(_token_record(vocabulary, token_id, [0, 0])).partition("[0, 0]")
        return f"{head}[", ", ", f"]{tail}"

    write_ids, starts = ids_text(", "), list[int]()
    with TemporaryFile() as saved:
        for start, encoding in parts:
            if not starts:
                head = {"encoder": encoding.encoder, "exactness": asdict(tokenizer.exactness)}
                yield f'{json_text(head)[:-1]}, "token_ids": ['.encode()
            yield from write_ids(encoding.token_ids)
            np.save(saved, np.column_stack((encoding.token_ids, encoding.spans.astype(np.int32))))
            starts.append(start)
        yield b'], "tokens": ['
        saved.seek(0)
        writer = TokenWriter(", ", len(vocabulary), texts_of)
        for start in starts:
            columns = np.load(saved)
            yield from writer.write(columns[:, 0], columns[:, 1:].astype(np.int64) + start)
        yield b"]}"


def segmentations_report(tokenizer: Tokenizer, best: Sequence[Segmentation]) -> dict[str, object]:
    """The record of `tokenize --best N --format json`; a score that is not finite is null."""
    return {
        "encoder": best[0].encoding.encoder,
        "exactness": asdict(tokenizer.exactness),
        "segmentations": [
            {
                "score": each.score if isfinite(each.score) else None,
                **_tokens_report(tokenizer, each.encoding),
            }
            for each in best
        ],
    }


def _tokens_report(tokenizer: Tokenizer, encoding: Encoding) -> dict[str, object]:
    ids, spans = encoding.token_ids.tolist(), encoding.spans.tolist()
    records = map(_token_record, repeat(tokenizer.vocabulary), ids, spans)
    return {"token_ids": ids, "tokens": list(records)}


def _token_record(vocabulary: Vocabulary, token_id: int, span: list[int]) -> dict[str, object]:
    return {
        "id": token_id,
        "span": span,
        "raw": vocabulary.raw_text(token_id).decode("utf-8", "backslashreplace"),
        "bytes": vocabulary.token_bytes(token_id).hex(),
        "kind": vocabulary.kind(token_id),
    }


def token_lines(
    tokenizer: Tokenizer, parts: Iterable[EncodedPart], style: str, spelling: Spelling = Spelling.SIGNS
) -> Iterator[str]:
    """The encoding to read: one token a line ("table"), or the text with coloured spans ("color").

    A table is yielded many lines at once.
    """
    return _table(tokenizer.vocabulary, parts, spelling) if style == "table" else _coloured(tokenizer, parts)


def _table(vocabulary: Vocabulary, parts: Iterable[EncodedPart], spelling: Spelling) -> Iterator[str]:
    yield f"{'index':>7} {'id':>7} {'span':>17}  {'kind':12}  {'token':24}  bytes"

    def texts_of(token_id: int) -> tuple[str, ...]:
        kind, hexadecimal = vocabulary.kind(token_id), vocabulary.token_bytes(token_id).hex(" ").upper()
        token = spelling.token(vocabulary, token_id, 24)
        return "", f" {token_id:>7} ", "–", f"  {kind:12}  {token:24}  {hexadecimal}\n"

    writer, n_before = TokenWriter("", len(vocabulary), texts_of, (7, 16, 0)), 0
    for first, encoding in parts:
        indices = np.arange(n_before, n_before + len(encoding))
        numbers = np.column_stack((indices, encoding.spans + first))
        yield from (rows[:-1].decode() for rows in writer.write(encoding.token_ids, numbers))
        n_before += len(encoding)


def _coloured(tokenizer: Tokenizer, parts: Iterable[EncodedPart]) -> Iterator[str]:
    """The text in lines; text of no token has no colour."""
    line: list[str] = []
    shown = lru_cache(AT_ONCE)(visible_text)
    for data, background in _segments(tokenizer, parts):
        text = shown(data)
        line.append(text if background is None else f"\x1b[48;5;{background};38;5;231m{text}{RESET}")
        if data.endswith(b"\n"):
            yield "".join(line)
            line = []
    if line:
        yield "".join(line)


def _segments(tokenizer: Tokenizer, parts: Iterable[EncodedPart]) -> Iterator[tuple[bytes, int | None]]:
    """The bytes of tokens with their colours, and the lines of text between tokens without one."""
    colours, between = cycle(BACKGROUNDS), b""
    for _, encoding in parts:
        text, last_end = encoding.text_bytes, 0
        for token_id, (start, end) in zip(encoding.token_ids.tolist(), encoding.spans.tolist(), strict=True):
            between += text[last_end:start]
            yield from ((line, None) for line in between.splitlines(keepends=True))
            yield text[start:end] or tokenizer.vocabulary.token_bytes(token_id), next(colours)
            between, last_end = b"", end
        between += text[last_end:]
    yield from ((line, None) for line in between.splitlines(keepends=True))


# A text that contains the BOS or EOS that is also added: models were never trained on two


def doubled_special(tokenizer: Tokenizer, head: Sequence[int], tail: Sequence[int]) -> str | None:
    """A warning if ids, encoded with `add_special`, have a special token twice at an end; else None.

    `head` and `tail` are the first two and the last two ids.
    """
    if len(head) < 2:
        return None
    before, after = tokenizer.special_affixes()
    sentences = []
    for added, ids, does in ((before, head, "begins"), (after, tail, "ends")):
        if added and ids[0] == ids[1] == added[0]:
            name = visible_text(tokenizer.vocabulary.raw_text(added[0]))
            sentences.append(f"The text {does} with {name}, and the model adds another one.")
    return " ".join(sentences) or None
