"""What can be chosen by name, with a line about each.

The tables as help texts show them, rows of other packages included.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping


def listed(table: str) -> dict[str, str]:
    """Return the names that a table has, and a line about each.

    Parameters
    ----------
    table
        A key of `TABLES`.

    Examples
    --------
    >>> listed("missing-features")["drop"]
    'leave the question out'
    """
    lines = TABLES[table]().items()
    # A list has no full stops, but an ellipsis says that there is more.
    return {name: line if line.endswith("...") else line.removesuffix(".") for name, line in lines}


def _matchers() -> dict[str, str]:
    from qaldgen.scoring.matchers import MATCHERS
    from qaldgen.scoring.resolving import AUTO, AUTO_HELP

    return {AUTO: AUTO_HELP} | {name: row.help for name, row in MATCHERS.items()}


def _measures() -> dict[str, str]:
    from qaldgen.scoring.measures import known_measures

    return {name: row.definition for name, row in known_measures().items()}


def _methods() -> dict[str, str]:
    from qaldgen.sampling import METHODS

    return {name: row.help for name, row in METHODS.items()}


def _systems() -> dict[str, str]:
    from qaldgen.asking.named import EXAMPLES, SYSTEMS
    from qaldgen.asking.protocols import PROTOCOLS

    others = {
        name: " ".join((row.__doc__ or "").partition("\n\n")[0].split())[:100]
        for name, row in SYSTEMS.items()
    }
    return {f"{name}:{row.where}": row.help for name, row in PROTOCOLS.items()} | EXAMPLES | others


def _retrievers() -> dict[str, str]:
    from qaldgen.retrieval.retrievers import RETRIEVERS

    return {name: row.help for name, row in RETRIEVERS.items()}


def _analysers() -> dict[str, str]:
    from qaldgen.retrieval.analysers import ANALYSERS

    return {name: row.help for name, row in ANALYSERS.items()}


def _readers() -> dict[str, str]:
    from qaldgen.retrieval.reader import READERS

    return {name: row.help for name, row in READERS.items()}


def _formats() -> dict[str, str]:
    from qaldgen.formats.reading import READERS

    return {name: row.help for name, row in READERS.items()}


def _runs() -> dict[str, str]:
    from qaldgen.runs.reading import RUN_READERS

    return {name: row.help for name, row in RUN_READERS.items()}


def _exports() -> dict[str, str]:
    from qaldgen.benchmark.export import FORMATS

    return {name: f"files that end in {row.ending}" for name, row in FORMATS.items()}


def _score_forms() -> dict[str, str]:
    from qaldgen.reports.tables.score_forms import SCORE_FORMS

    tables = {
        "text": "aligned columns",
        "markdown": "a Markdown table",
        "latex": "a table for booktabs",
        "csv": "exact numbers, comma-separated",
        "json": "exact numbers, a list of records",
    }
    return tables | {name: row.help for name, row in SCORE_FORMS.items()}


def _extractions() -> dict[str, str]:
    from qaldgen.scoring.words.replies import EXTRACTIONS

    return EXTRACTIONS


def _repeats() -> dict[str, str]:
    from qaldgen.scoring.repeat_rules import RULES

    return RULES


def _missing_answers() -> dict[str, str]:
    from qaldgen.scoring.missing import RULES

    return RULES


def _missing_answers_or_both() -> dict[str, str]:
    return {**_missing_answers(), "both": "zero and skip, one below the other"}


def _missing_features() -> dict[str, str]:
    from qaldgen.selection.vectors import MISSING_RULES

    return MISSING_RULES


def _searches() -> dict[str, str]:
    from qaldgen.analysis.slice_search import SEARCHES

    return SEARCHES


def _scalings() -> dict[str, str]:
    from qaldgen.selection.scaling import SCALINGS

    return _first_sentences(SCALINGS)


def _corrections() -> dict[str, str]:
    from qaldgen.analysis.multiplicity import CORRECTIONS

    return _first_sentences(CORRECTIONS)


def _same_as() -> dict[str, str]:
    from qaldgen.scoring.gerbil.answers import SAME_AS

    return _first_sentences(SAME_AS)


def _first_sentences(functions: Mapping[str, Callable[..., object]]) -> dict[str, str]:
    """Return the first line of the docstring of each function, so that it is written once."""
    lines = {
        name: (function.__doc__ or "").split("\n", 1)[0].removeprefix("Return ")
        for name, function in functions.items()
    }
    return {name: line[:1].lower() + line[1:] for name, line in lines.items()}


#: Table -> a function that returns its names with a line about each.
TABLES: dict[str, Callable[[], dict[str, str]]] = {
    "matchers": _matchers,
    "measures": _measures,
    "methods": _methods,
    "systems": _systems,
    "retrievers": _retrievers,
    "analysers": _analysers,
    "readers": _readers,
    "formats": _formats,
    "runs": _runs,
    "exports": _exports,
    "score-forms": _score_forms,
    "extractions": _extractions,
    "repeats": _repeats,
    "missing-answers": _missing_answers,
    "missing-answers-or-both": _missing_answers_or_both,
    "missing-features": _missing_features,
    "searches": _searches,
    "scalings": _scalings,
    "corrections": _corrections,
    "same-as": _same_as,
}
