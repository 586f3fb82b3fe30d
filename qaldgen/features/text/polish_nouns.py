"""Which type of thing a Polish noun names, by a table of common nouns (`data/polish_nouns.tsv`).

The table holds stems; a closed list of case endings follows them. So *organ* covers *organu* but
not *organizacja*, without a tagger or a lemmatiser.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

_TABLE = Path(__file__).resolve().parent / "data" / "polish_nouns.tsv"
#: Case endings of nouns, and of adjectives that are used as nouns.
_ENDING = r"(?:i?(?:a|e|ę|ą|o|u|em|om|ami|ach|ów|owi|owie|mi|ego|emu|ej)?|y|ym|ymi|ych|im|imi|ich)"
#: Endings that make persons of other words: most of these nouns are in no table.
_PERSON = re.compile(
    rf"\w{{2,}}(?:[iy]stk?|[iy]śc|[eo]rz|olog(?!i)|ograf(?!i)|atork?|yktork?|arz"
    rf"|owiec|owc|czyk|[ij]anin){_ENDING}"
)


@lru_cache(maxsize=1)
def _patterns() -> dict[str, re.Pattern[str]]:
    stems: dict[str, list[str]] = {}
    for line in _TABLE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            kind, _, nouns = line.partition("\t")
            stems.setdefault(kind, []).extend(
                noun.removesuffix("*") + _ENDING if noun.endswith("*") else noun
                for noun in nouns.split()
            )
    return {kind: re.compile("|".join(nouns)) for kind, nouns in stems.items()}


# questions repeat their words, and a word unknown to the table is tried against all of it
@lru_cache(maxsize=10_000)
def type_of_noun(noun: str) -> str | None:
    """Return the type of the named things that a lower-case noun is used for; None if unknown.

    Examples
    --------
    >>> [type_of_noun(noun) for noun in ("rzece", "pianistka", "młyn")]
    ['river', 'person', None]
    """
    return next(
        (
            kind
            for kind, stems in _patterns().items()
            if kind != "unnamed" and stems.fullmatch(noun)
        ),
        "person" if not names_unnamed(noun) and _PERSON.fullmatch(noun) else None,
    )


@lru_cache(maxsize=10_000)
def names_unnamed(noun: str) -> bool:
    """Whether a lower-case noun is used for things without names of their own.

    Examples
    --------
    >>> [names_unnamed(noun) for noun in ("zwierzęcia", "organu", "organizacja")]
    [True, True, False]
    """
    return _patterns()["unnamed"].fullmatch(noun) is not None
