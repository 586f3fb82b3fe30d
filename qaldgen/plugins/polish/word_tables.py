"""The words and regular expressions of the rules for Polish, from the tables in ``data``."""

from __future__ import annotations

import functools
import re

from qaldgen.features.text.words import read_patterns
from qaldgen.io.packages import data_rows

#: A word, also with hyphens.
WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


@functools.cache
def word_lists() -> dict[str, frozenset[str]]:
    """Return the lists of ``data/words.tsv``."""
    lists: dict[str, frozenset[str]] = {}
    for name, words in data_rows("plugins/polish/data/words.tsv"):
        lists[name] = lists.get(name, frozenset()).union(words.split())
    return lists


@functools.cache
def pattern_texts() -> dict[str, str]:
    """Return the regular expressions of ``data/patterns.tsv``, lines of one name as one."""
    return read_patterns("plugins/polish/data/patterns.tsv")


@functools.cache
def pattern(name: str) -> re.Pattern[str]:
    """Return one of the `pattern_texts`, compiled."""
    return re.compile(pattern_texts()[name])
