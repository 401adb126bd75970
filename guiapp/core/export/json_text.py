"""Records as JSON that a terminal may show and any program can read."""

from __future__ import annotations

import json
import re

from guiapp.core.text.invisible import IGNORABLE

UNSEEN = re.compile(f"[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufff9-\ufffb{IGNORABLE}]")
"""What JSON allows as it is, but terminals obey, nobody sees, or UTF-8 has no bytes for."""


def json_text(record: object, indent: int | None = None) -> str:
    """A record in characters that can be seen, others escaped."""
    text = json.dumps(record, ensure_ascii=False, indent=indent)
    return UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], text)


def file_text(record: object) -> str:
    """A record as a file has it; raises ValueError for numbers that JSON does not know."""
    return json.dumps(record, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
