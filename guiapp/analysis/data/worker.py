"""A process that examines batches of records, one after another; see `batches`."""

from __future__ import annotations

import gc
import pickle
import sys

from guiapp.analysis.data.batches import batch_of
from guiapp.analysis.data.examined import DataExaminer
from guiapp.core.processes import read_frame, write_frame
from guiapp.errors import TokenloupeError


def main() -> None:
    """Answer requests, each a pickle of the pickled examiner, the records, and whether ids are wanted."""
    packed, examiner = b"", None
    while (request := read_frame(sys.stdin.buffer)) is not None:
        own, raws, with_ids = pickle.loads(request)
        try:
            if own != packed or examiner is None:
                packed, examiner = own, pickle.loads(own)
                assert isinstance(examiner, DataExaminer)
                gc.freeze()  # excludes permanent objects from further collections
            answer: object = batch_of(examiner, raws, with_ids)
        except TokenloupeError as error:
            answer = error
        write_frame(sys.stdout.buffer, pickle.dumps(answer))


if __name__ == "__main__":
    main()
