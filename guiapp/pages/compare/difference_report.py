"""A difference as Markdown, to paste into an issue."""

from __future__ import annotations

from collections.abc import Sequence

from guiapp.analysis.compare.comparison import Side
from guiapp.analysis.compare.difference_reasons import Difference, Told
from guiapp.analysis.compare.reasons import shown
from guiapp.analysis.hunt.report import escaped
from guiapp.core.vocabulary.quoting import quoted


def markdown(sides: Sequence[Side], difference: Difference, told: Sequence[Told]) -> str:
    """The text, what each model makes of it, and why."""
    stretch = difference.around[difference.start : difference.end]
    lines = [
        f"In {shown(difference.around)}, {shown(stretch)} is cut differently.",
        "",
        f"    text   {escaped(difference.around)}",
        f"    here   {escaped(stretch)}",
        *(
            f"    {quoted(side.name)}: {' '.join(str(token_id) for token_id, _, _ in tokens) or 'no tokens'}"
            for side, tokens in zip(sides, difference.tokens, strict=True)
        ),
        "",
        *(each.reason.sentence for each in told),
    ]
    return "\n".join(lines).rstrip() + "\n"
