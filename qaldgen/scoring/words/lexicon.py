"""Word lists of the languages that the text matchers know: the rows of ``data/phrases.tsv``."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType

from qaldgen.formats.question_texts import base_language

#: Tags of languages that are read by the rules of another tag.
_SAME = MappingProxyType(
    {"nb": "no", "nn": "no", "iw": "he", "in": "id", "cmn": "zh", "yue": "zh", "sh": "hr"}
)
#: Kinds whose rows are one regular expression each.
_PATTERNS = ("not-pattern", "introduction")


@functools.cache
def _rows() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    text = files(__package__).joinpath("data", "phrases.tsv").read_text(encoding="utf-8")
    table: dict[str, dict[str, tuple[str, ...]]] = {}
    for line in text.splitlines()[1:]:
        kind, language, row = line.split("\t")
        rows = table.setdefault(kind, {})
        cells = (row,) if kind in _PATTERNS else tuple(row.split("|"))
        rows[language] = (*rows.get(language, ()), *cells)
    return table


def phrases(kind: str) -> Mapping[str, tuple[str, ...]]:
    """Return the phrases of a kind by language (``any``: for all).

    ``yes`` and ``no`` open an answer (``yes-word``, ``no-word``: also alone), ``true`` and
    ``false`` are verdicts on the question; ``not`` negates (``not-pattern``: a regular
    expression), ``not-only`` only looks so, ``instead`` denies what follows; ``refusal`` and
    ``no-knowledge`` answer nothing, ``but`` goes on after them; ``or`` and ``perhaps`` leave it
    open; ``about``, ``more``, ``almost`` hedge a number. ``number`` and ``scale``: a phrase and
    its value; ``unit``: by CLDR's name its kind, size and zero in SI, further names.
    """
    return _rows().get(kind, {})


def primary(language: str) -> str:
    """Return the main part of a language tag, one for all tags of the same language.

    >>> primary("pt_BR"), primary("zh-Hans"), primary("nb")
    ('pt', 'zh', 'no')
    """
    main = base_language(language)
    return _SAME.get(main, main)
