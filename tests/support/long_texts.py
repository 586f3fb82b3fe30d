"""Texts that would take a rule hours if its time grew faster than they do."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable

LETTERS = 30_000
#: A machine that does nothing else needs a tenth of it; exponential and cubic rules need hours.
SECONDS = 5.0
SEEDS = (
    *("a", "A", "1", "_", " ", ".", "?", ",", ", ", "a, ", "A ", "a ", "1 ", "1.", "'", '"', "“"),
    *("(", "-", "a-", "a'", "x or ", "a or b, ", "what ", "of ", "is ", "how ", "jak ", "jak a "),
    *("który a ", "kto: ", "czy ", "ile a ", "e", "×", "[1] ", "\\", "<a", "est ", "\n", "\n "),
    *("1. ", "-\n", "answer: "),
)  # fmt: skip
OPENINGS = ("", "or ", "Is it old or ", "What is the ", "Jak się nazywa ")


def long_texts() -> list[str]:
    """Return texts of 30,000 letters that begin as questions do, and repeat one thing."""
    forms = itertools.cycle(zip(OPENINGS, ("", "!x", "?", "\x00", "?"), strict=True))
    return [
        f"{opening}{seed * (LETTERS // len(seed))}{end}"
        for seed, (opening, end) in zip(SEEDS, forms, strict=False)
    ]


def takes_no_text_long(rule: Callable[[str], object]) -> None:
    """Fail if a rule takes a long text longer than it may."""
    rule("Is it old or new?")  # what is read once
    for text in long_texts():
        start = time.process_time()
        rule(text)
        assert time.process_time() - start < SECONDS, (text[:30], text[-3:])
