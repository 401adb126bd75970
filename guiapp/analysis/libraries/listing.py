"""Who can take part in a benchmark of one model, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from guiapp.analysis.export.tables import NONE
from guiapp.analysis.libraries.custom import CustomContender
from guiapp.analysis.libraries.openai_vocabularies import USUAL, named
from guiapp.analysis.libraries.table import PEERS, reason_against, version_of
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.figures import printable

HEAD = ("contender", "version", "returns", "")
NOTE = (
    "Lists and objects are read outside of the timing. "
    "What a library refuses only when it is opened is told in the run."
)


def listing(tokenizer: Tokenizer, own: Iterable[CustomContender] = ()) -> Iterator[str]:
    """Our encoders, all libraries, and contenders of one's own, each with what is against it."""
    rows = [HEAD]
    rows += [
        (name, "", "an object with arrays", f"ours, {each.complexity}")
        for name, each in tokenizer.encoders.items()
    ]
    for name, peer in PEERS.items():
        told = reason_against(name, tokenizer.vocabulary)
        if not told and peer.source is named and not named(tokenizer):
            told = f"with {USUAL}, which it brings, in place of this vocabulary"
        rows.append((name, version_of(name) or NONE, peer.ids, told))
    rows += [(each.name, "", each.kind, each.shown) for each in own]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        cells = (f"{cell:{width}}" for cell, width in zip(row, widths, strict=False))
        yield printable("  ".join((*cells, row[3])).rstrip())
    yield f"\n{NOTE}"
