"""Annotate questions with features, executing their gold queries first if asked to."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from qaldgen.annotation.annotate import Annotation, How, annotate_to, check_licence
from qaldgen.annotation.annotate import annotate as annotate_sets
from qaldgen.annotation.labels import read_labels
from qaldgen.annotation.languages import language_note
from qaldgen.api.questions import load
from qaldgen.features.cache import Cache, cache_file
from qaldgen.features.compute import model_name
from qaldgen.features.describe import describe as describe_features
from qaldgen.features.describe import explain as explain_feature
from qaldgen.features.generalisation import Training, training_items
from qaldgen.model import QuestionSet
from qaldgen.runs.journal_writing import Journal, open_journal
from qaldgen.stores.execution import Executed, execute_gold

if TYPE_CHECKING:
    import pandas as pd

    from qaldgen.stores.endpoint import Endpoint
    from qaldgen.stores.local import LocalStore

#: A knowledge graph that can be asked.
Graph: TypeAlias = "LocalStore | Endpoint"

__all__ = [
    "Annotation",
    "How",
    "annotate",
    "annotate_to",
    "cache_file",
    "check_licence",
    "describe_features",
    "explain_feature",
    "feature_examples",
    "open_journal",
]


def annotate(
    questions: QuestionSet | Sequence[QuestionSet],
    *,
    language: str = "en",
    labels: Mapping[str, str] | str | Path | None = None,
    train: QuestionSet | Training | str | Path | None = None,
    n_jobs: int | None = None,
    r1_compat: bool = False,
    cache: Cache = "usual",
    progress: Callable[[int], None] | None = None,
) -> Annotation:
    """Compute the features of questions and describe them as RDF.

    Parameters
    ----------
    questions
        One set or several, as `load` gives them; a set with a `licence` is described with it.
    language
        The language of the texts to use.
    labels
        Labels of entities, relations and classes, preferred to the names in their IRIs: by IRI, as
        RDF or a table, or the URL of an endpoint.
    train
        A training split, which tells how far each question is from it (``generalisationLevel``): a
        question set, its file or its name.
    n_jobs
        Processes to compute with; None for what `joblib.parallel_config` says, which may be a
        cluster, else one.
    r1_compat
        Also write the property names of the published QaldGenData, so that the paper's listings run
        unchanged.
    cache
        A file that keeps features by content, by default the one that the command line has; None to
        disable caching.
    progress
        Called with the number of questions that are done.

    Returns
    -------
    Annotation
        The features by question and as RDF; `select` and `sample` go on from there. ``.notes`` say
        what could not be computed.

    Raises
    ------
    DataError
        If a text has an invalid language tag, or a file cannot be read.
    UsageError
        If two sets have the same name, or a licence is not an IRI.
    """
    sets = (questions,) if isinstance(questions, QuestionSet) else tuple(questions)
    named = (
        labels
        if labels is None or isinstance(labels, Mapping)
        else labels_for(sets, labels, language=language)
    )
    trained, notes = (
        (train, [])
        if train is None or isinstance(train, Training)
        else training(train, language=language)
    )
    made = annotate_sets(
        sets,
        language=language,
        labels=named,
        train=trained,
        n_jobs=n_jobs,
        r1_compat=r1_compat,
        cache=cache,
        progress=progress,
    )
    # notes on the training set come first: they apply to all questions
    return dataclasses.replace(made, notes=(*notes, *made.notes)) if notes else made


def labels_for(
    sets: Sequence[QuestionSet], source: str | Path, *, language: str = "en"
) -> dict[str, str]:
    """Return the labels of what the queries of question sets name; see `annotate`.

    Parameters
    ----------
    sets
        The question sets.
    source
        RDF, a table, or the URL of an endpoint.
    language
        Language of the labels.

    Raises
    ------
    DataError
        If the source cannot be read.
    """
    asked = [question for one in sets for question in one.questions]
    return read_labels(source, questions=asked, language=language)


def training(
    train: QuestionSet | str | Path, *, language: str = "en", skip_broken: bool = False
) -> tuple[Training, list[str]]:
    """Return what a training split names, and which of its queries teach nothing.

    Parameters
    ----------
    train
        A question set, its file or its name.
    language
        Language of texts without a tag.
    skip_broken
        Leave out broken records.
    """
    from qaldgen.formats.reading import reading_notes

    asked = (
        train
        if isinstance(train, QuestionSet)
        else load(train, language=language, skip_broken=skip_broken)
    )
    notes, found = reading_notes(asked), training_items(asked.questions)
    if found.unparsable:
        count, first = len(found.unparsable), found.unparsable[0]
        called = asked.name if isinstance(train, QuestionSet) else train
        notes.append(
            f"{called}: {count:,} queries cannot be parsed (first: "
            f"{first}); they are ignored in the levels"
        )
    return found, notes


def language_notes(questions: QuestionSet, language: str) -> list[str]:
    """Report questions without a text in a language, and texts that look like another language.

    Parameters
    ----------
    questions
        The set.
    language
        The wanted language.
    """
    notes = []
    without = sum(language not in question.texts for question in questions.questions)
    if without:
        what = f"{without:,} questions have no text in {language!r}; they have no text features"
        notes.append(f"{questions.name}: {what}")
    wordings = {
        question.id: question.texts[language][0]
        for question in questions.questions
        if question.texts.get(language)
    }
    return notes + [
        f"{questions.name}: {note}" for note in [language_note(wordings, language)] if note
    ]


def model_notes(language: str) -> list[str]:
    """Report which features are absent because no model for a language is installed."""
    if model_name(language):
        return []
    absent = "features that need it (parts of speech, head noun, named entities) are absent"
    return [f"no spaCy model for {language!r} is installed: {absent}"]


def execute(
    questions: QuestionSet,
    source: LocalStore | Endpoint,
    *,
    kg_name: str = "",
    journal: str | Path | Journal | None = None,
    refresh: bool = False,
    progress: Callable[[int], None] | None = None,
) -> tuple[QuestionSet, Executed]:
    """Execute the gold queries of a question set, and store the results as gold answers.

    Parameters
    ----------
    questions
        The set.
    source
        The knowledge graph.
    kg_name
        The knowledge graph whose query is used if a question has several.
    journal
        A file that keeps each answer as it arrives, or an open journal.
    refresh
        Execute the queries of questions that have answers too.
    progress
        Called with the number of questions that are done.

    Returns
    -------
    tuple of QuestionSet and Executed
        The set with the answers, and the outcome of its queries.

    Raises
    ------
    DataError
        If the journal is damaged or cannot be written.
    UsageError
        If the credentials for the endpoint are incomplete, or another run is writing to the
        journal.
    """
    # an open journal is passed on, so that several sets can share it
    kept = Path(journal) if isinstance(journal, str) else journal
    done = execute_gold(
        questions.questions,
        source,
        kg_name=kg_name,
        journal=kept,
        refresh=refresh,
        progress=progress,
    )
    return dataclasses.replace(questions, questions=done.questions), done


def feature_examples(
    name: str, data: str | Path | QuestionSet, *, language: str = "en", most: int = 3
) -> pd.DataFrame:
    """Return how often each value of a feature occurs in questions, with examples.

    Parameters
    ----------
    name
        A feature of the catalogue.
    data
        The questions: a file, the name of a public set, or a set.
    language
        The language of the texts to use.
    most
        Examples of each value.

    Returns
    -------
    DataFrame
        ``questions`` (the value in words), ``n``, ``examples``; a number is cut into ranges.

    Raises
    ------
    UsageError
        If there is no such feature.
    DataError
        If the data cannot be read.
    """
    import pandas as pd

    from qaldgen.analysis.feature_table import features_of
    from qaldgen.analysis.slicing import slices_by
    from qaldgen.api.questions import gold_of

    gold = gold_of(data, language=language)
    table, _ = features_of(gold, language=language)
    texts = {question.id: question.text(language) for question in gold.questions.questions}
    rows = [
        (one.label, len(one), " / ".join(texts[id_] for id_ in one.ids[:most]))
        for one in slices_by(table, name)
    ]
    return pd.DataFrame(rows, columns=["questions", "n", "examples"])
