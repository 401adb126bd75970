"""Files that are either as they were or new, never in between."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import mkstemp

PRIVATE, PUBLIC = 0o600, 0o666


def replace_file(path: Path, content: bytes, is_private: bool = False, waits_for_disk: bool = False) -> None:
    """Put a new file in the place of `path`, or change nothing; raises OSError.

    Links stay links, and a file that was there keeps its permissions.

    is_private      a file that was not there is readable by its owner only
    waits_for_disk  not even a loss of power undoes it then, at the price of a pause
    """
    path = path.resolve()
    handle, name = mkstemp(dir=path.parent, prefix=".tokenloupe-")
    new = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            if waits_for_disk:
                file.flush()
                os.fsync(file.fileno())
        new.chmod(path.stat().st_mode if path.exists() else PRIVATE if is_private else PUBLIC & ~_mask())
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
