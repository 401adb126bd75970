"""Reports say what was found in a form that nothing in a text or a name can break."""

from __future__ import annotations

import json
import subprocess

from guiapp import open_model
from guiapp.analysis.compare.reasons import Cause, Reason
from guiapp.analysis.hunt.mismatches import Batch, Find, Hunt, HuntSubject, OfKind
from guiapp.analysis.hunt.report import escaped, markdown

NASTY = "`</script>` | \u202e \n# *x* \\ ' 中".encode()
REASON = Reason(Cause.PIECES, "digits", "A splits `` a`b `` and <b> *B* `c`.")
MODEL = open_model("demo:toy").vocabulary.path
SUBJECTS = (
    HuntSubject("a|`<b>*.gguf", format="GGUF", path=MODEL, tokens=1000),
    HuntSubject("llama.cpp", "1.2"),
)


def hunted(*given_mismatches: Find) -> Hunt:
    hunt = Hunt(SUBJECTS, seed=3)
    batch = Batch(
        1000, 5, given_mismatches, tuple(OfKind(find.reason.kind, 2) for find in given_mismatches), True
    )
    return hunt.with_batch(batch).with_note("Something *odd*.")


def find_of(text: bytes) -> Find:
    return Find(text, ((1, 2), None), 3, REASON, "digits")


def test_nothing_in_a_text_or_a_name_is_markdown():
    text = markdown(hunted(find_of(NASTY)))
    assert text.isprintable() or all(line.isprintable() for line in text.splitlines())
    assert "\u202e" not in text
    for line in text.splitlines():
        if not line.startswith("    "):
            assert "<b>" not in line
            assert "*x*" not in line
    assert r"a\|\`\<b\>\*.gguf" in text
    assert "`` a`b ``" in text


def test_what_is_printed_in_a_shell_is_the_text():
    line = next(line for line in markdown(hunted(find_of(NASTY))).splitlines() if "printf" in line)
    command = line.strip().split(" | tokenloupe")[0]
    assert subprocess.run(["sh", "-c", command], capture_output=True, check=True).stdout == NASTY


def test_texts_are_escaped_as_json_reads_them_or_else_python():
    assert json.loads(escaped(NASTY)) == NASTY.decode()
    assert escaped(NASTY).isascii()
    assert escaped(b"a\xff") == r"b'a\xff'"
