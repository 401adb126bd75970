"""Records as JSON that a terminal may show and any program can read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice

from guiapp.core.text.visible_text import IGNORABLE

UNSEEN = re.compile(f"[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufff9-\ufffb{IGNORABLE}]")
"""What JSON allows as it is, but terminals obey, nobody sees, or UTF-8 has no bytes for."""
AT_ONCE = 1 << 12  # entries of a list that is written in parts


def json_text(record: object, indent: int | None = None) -> str:
    """A record in characters that can be seen, others escaped."""
    text = json.dumps(record, ensure_ascii=False, indent=indent)
    return UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], text)


def json_parts(record: object) -> Iterator[str]:
    """The same in parts that together are the text; an iterator in the place of a list is not kept."""
    if isinstance(record, Iterator):
        yield "["
        for number, some in enumerate(iter(lambda: list(islice(record, AT_ONCE)), [])):
            yield (", " if number else "") + json_text(some)[1:-1]
        yield "]"
    elif isinstance(record, dict):
        yield "{"
        for number, (key, value) in enumerate(record.items()):
            yield (", " if number else "") + json_text(str(key)) + ": "
            yield from json_parts(value)
        yield "}"
    else:
        yield json_text(record)


def file_text(record: object) -> str:
    """A record as a file has it; raises ValueError for numbers that JSON does not know."""
    return json.dumps(record, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
