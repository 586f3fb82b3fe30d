"""Names of gold answers: aliases, labels, and what a question set calls them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain
from pathlib import Path

from qaldgen.annotation.iri_labels import labels_of
from qaldgen.errors import DataError, UsageError
from qaldgen.io.json_text import from_json
from qaldgen.io.unpacking import read_text
from qaldgen.model import Question, QuestionSet


def aliases_of(
    aliases: Mapping[str, Sequence[str]] | str | Path | None,
    label_source: str,
    questions: QuestionSet,
    language: str,
) -> dict[str, list[str]] | None:
    """Return the names of gold answers: aliases, else labels, else the names in the set.

    `aliases` are names by answer, or a file of them; `label_source` is a source of labels of IRIs,
    as `labels_of` takes it, or empty. The result is None if no gold answer has a name.
    """
    # each step replaces the names that an answer had from the one before
    names: dict[str, list[str]] = {}
    for question in questions:
        if question.names:
            iris = _gold_iris([question])
            names |= {iri: list(question.names[iri]) for iri in iris if iri in question.names}

    if label_source:
        iris = _gold_iris(questions)
        label_of_iri = labels_of(label_source, iris, language=language)
        if not label_of_iri:
            raise DataError(
                f"`labels` {label_source}: has no label for any of the "
                f"{len(iris):,} gold answers that are IRIs"
            )
        names |= {iri: [label] for iri, label in label_of_iri.items()}

    if isinstance(aliases, (str, Path)):
        names |= read_aliases(aliases)
    elif aliases is not None:
        check_aliases(aliases)
        names |= {answer: list(texts) for answer, texts in aliases.items()}

    return names or None


def _gold_iris(questions: Iterable[Question]) -> list[str]:
    """Return the IRIs among the gold answers, each once."""
    cells = chain.from_iterable(question.gold.cells() for question in questions)
    return list(dict.fromkeys(cell.value for cell in cells if cell.type == "uri"))


def check_aliases(aliases: object) -> None:
    """Check that aliases map strings to lists of strings."""
    if not isinstance(aliases, Mapping):
        raise UsageError(
            f"aliases is of type {type(aliases).__name__};"
            " expected a mapping from gold answers to lists of aliases"
        )
    for answer, names in aliases.items():
        is_list = isinstance(names, (Sequence, Set)) and not isinstance(names, str)
        if not is_list or not all(isinstance(text, str) for text in (answer, *names)):
            raise UsageError(
                f"aliases: {answer!r} has {str(names)[:60]}; expected a list of strings"
            )


def read_aliases(path: str | Path) -> dict[str, list[str]]:
    """Read aliases of gold answers: a JSON object of lists of strings."""
    try:
        aliases = from_json(read_text(Path(path)))
    except ValueError as error:
        raise DataError(
            f"invalid JSON ({error}); expected an object whose values are lists of strings",
            where=path,
        ) from error
    try:
        check_aliases(aliases)
    except UsageError as error:
        raise DataError(f'{error.text}, as in {{"Q64": ["Berlin"]}}', where=path) from error
    return dict(aliases)
