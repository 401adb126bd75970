"""JSON from files and people: broken, huge and hostile texts are all one kind of error."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

MOST_CHARACTERS = 1 << 27


def read_json(text: str | bytes, parse_float: Callable[[str], float] = float) -> Any:
    """What a JSON text says.  Raises ValueError, with a reason that can be shown; where the text is broken, a
    json.JSONDecodeError with the place.
    """
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"it is longer than {MOST_CHARACTERS >> 20} MB")
    try:
        return json.loads(text, parse_float=parse_float)
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError:  # Python reads whole numbers of some thousand digits
        raise ValueError("it holds a number of too many digits") from None
