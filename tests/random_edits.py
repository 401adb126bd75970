"""Random edits, in several scripts and with special tokens."""

SCRAPS = ("a", "  ", " the", "ing\n", "é", "🦄", "<|endoftext|>", "</s>", "今日", "1234", "\r\n")


def edit_at_random(document, rng):
    act = rng.choice(("insert", "insert", "erase", "replace", "undo", "redo", "all"))
    start = rng.randrange(document.size + 1)
    end = min(document.size, start + rng.randrange(40))
    new = "".join(rng.choices(SCRAPS, k=rng.randrange(1, 5))).encode()
    if act in ("undo", "redo"):
        getattr(document, act)()
    elif act == "all":
        document.set_text(document.text()[:end] + new)
    else:
        document.replace(start, start if act == "insert" else end, b"" if act == "erase" else new)
