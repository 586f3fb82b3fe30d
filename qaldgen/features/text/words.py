"""Lists of English words by their role in questions, and the base forms of nouns and verbs."""

from __future__ import annotations

import functools
import re

from qaldgen.io.packages import data_rows

_LISTS = {name: words.split() for name, words in data_rows("features/text/data/words.tsv")}


def word_list(name: str) -> frozenset[str]:
    """Return one of the lists of words in ``data/words.tsv``."""
    return frozenset(_LISTS[name])


def read_patterns(path: str) -> dict[str, str]:
    """Return the regular expressions in a table of the package, by name.

    Lines of one name are alternatives; ``%name%`` stands for an earlier one.
    """
    by_name: dict[str, str] = {}
    for name, line in data_rows(path):
        for part, inner in by_name.items():
            line = line.replace(f"%{part}%", inner)
        by_name[name] = f"{by_name[name]}|{line}" if name in by_name else line
    return by_name


@functools.cache
def patterns() -> dict[str, str]:
    """Return the regular expressions of ``data/patterns.tsv``."""
    return read_patterns("features/text/data/patterns.tsv")


def pattern(name: str) -> re.Pattern[str]:
    """Return one of the `patterns`, compiled."""
    return re.compile(patterns()[name])


#: First words of a command, also after "can you", "please" and similar words.
COMMANDS = word_list("commands")
AUXILIARIES = word_list("auxiliaries")
#: Question words by each of their spellings, misspellings included.
SPELLED = {
    spelling: word
    for word in ("what", "which", "who", "when", "where", "how", "whom", "whose", "why")
    for spelling in _LISTS[f"spelt {word}"]
}
QUESTION_WORDS = frozenset(SPELLED)
PREPOSITIONS = word_list("prepositions")

#: Forms of "be", including those after an apostrophe.
BE = frozenset({"is", "are", "was", "were", "'s", "’s", "s", "'re", "be", "been", "being", "re"})
NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
#: Nouns whose plural and lemma look like the singular.
UNCHANGED = word_list("nouns without a plural")
#: Plurals that the rules on endings get wrong.
IRREGULAR = dict(pair.split("=") for pair in _LISTS["irregular plurals"])

#: Participles that name relations, with their verb.
_VERBS = dict(pair.split("=") for pair in _LISTS["irregular participles"])


def singular(noun: str) -> str:
    """Return the singular of a lower-case English noun, by its ending and a table of exceptions."""
    if noun in IRREGULAR or noun in UNCHANGED:
        return IRREGULAR.get(noun, noun)
    if noun.endswith("men"):
        return noun[:-2] + "an"
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if noun.endswith(("ches", "shes", "sses", "xes", "zzes")):
        return noun[:-2]
    if noun.endswith("s") and not noun.endswith(("ss", "us", "is")):
        return noun[:-1]
    return noun


def base_forms(word: str) -> frozenset[str]:
    """Return a lower-case English word and its possible base forms, not all of which are words.

    >>> sorted(base_forms("starring"))
    ['star', 'starr', 'starre', 'starring']
    """
    forms = {word, singular(word), _VERBS.get(word, word)}
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2:
            forms |= {stem, stem + "e"}
            if stem[-1] == stem[-2]:
                forms.add(stem[:-1])
    return frozenset(forms)
