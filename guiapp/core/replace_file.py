"""Files that are either as they were or new, never in between."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import NamedTemporaryFile


def replace_file(path: Path, content: bytes) -> None:
    """Put a new file, readable by its owner only, in the place of `path`; raises OSError and changes nothing.

    Its folder is made where there is none.  The file is on the disk when this returns.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}", delete=False) as file:
        new = Path(file.name)
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        except OSError:
            new.unlink()
            raise
    new.replace(path)
