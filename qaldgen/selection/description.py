"""Describe data about questions: properties, languages, and the ready queries that fit."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pyoxigraph import BlankNode, Literal, NamedNode

from qaldgen.errors import QaldgenError
from qaldgen.features.catalogue import all_features
from qaldgen.features.labels import label_of
from qaldgen.io.progress import step
from qaldgen.io.result_display import result_html, result_text
from qaldgen.io.text import count, one_line
from qaldgen.rdf.terms import LSQ, PREFIXES, QALDGEN, TEXT_PROPERTIES, Term, column_name
from qaldgen.selection.select import Data, open_data
from qaldgen.sparql.ready_queries import read_query, ready_queries
from qaldgen.stores.gold_queries import gold_editions
from qaldgen.stores.local import DataSource, LocalStore

if TYPE_CHECKING:
    import pandas as pd

_TEXT_PATH = "|".join(f"<{iri}>" for iri in TEXT_PROPERTIES)
#: Finds the questions once; FILTER EXISTS, once for each statement, takes 6 to 14 times as long.
_QUESTIONS = f"{{ SELECT DISTINCT ?q {{ ?q {_TEXT_PATH} ?text }} }}"
#: What holds gold answers, in our data and in the published ones.
_GOLD_PATH = f"<{QALDGEN}answers>|<{LSQ}answers>"
#: Each selects a value and the number of questions that have it.
_COUNT_BY_LANGUAGE = f"""
    SELECT ?tag (COUNT(DISTINCT ?q) AS ?n)
    {{ ?q {_TEXT_PATH} ?text BIND(LANG(?text) AS ?tag) }}
    GROUP BY ?tag
"""
_COUNT_BY_DATA_SET = f"""
    SELECT ?set (COUNT(DISTINCT ?q) AS ?n) {{
      ?q {_TEXT_PATH} ?text
      {{ ?q <{QALDGEN}questionOrigin> ?set FILTER isLiteral(?set) }} UNION
      {{ ?q <{PREFIXES["prov"]}wasDerivedFrom> ?source . ?source <{PREFIXES["dct"]}title> ?set }}
    }}
    GROUP BY ?set ORDER BY DESC(?n) STR(?set)
"""
_QUESTION_COUNT = f"SELECT (COUNT(DISTINCT ?q) AS ?n) {{ ?q {_TEXT_PATH} ?text }}"
_GOLD_COUNT = f"SELECT (COUNT(DISTINCT ?q) AS ?n) {{ {_QUESTIONS} ?q {_GOLD_PATH} ?a }}"
#: Selects the formats of the question sets that questions come from.
_FORMATS = f"""
    SELECT DISTINCT ?format {{
      {_QUESTIONS} ?q <{PREFIXES["prov"]}wasDerivedFrom> ?source .
      ?source <{PREFIXES["dct"]}format> ?format
    }}
    ORDER BY ?format
"""
#: How many of the most frequent values of a property are shown.
_SHOWN_VALUES = 3
#: The most characters of a value that are shown.
_MAX_VALUE_CHARS = 32


@dataclasses.dataclass(frozen=True, eq=False)
class Description:
    """The contents of data about questions.

    Attributes
    ----------
    name : str
        The name of the data.
    questions : int
        The number of subjects with a text.
    properties : DataFrame
        Indexed by property: ``questions`` (how many have it), ``share`` (of all questions, 0 to 1),
        ``values`` (how many distinct ones) and ``frequent`` (the most frequent values, for
        properties with fewer values than questions).
    languages : Series
        The number of questions by language tag; the empty tag is for texts without one.
    queries : Series
        The number of questions that each ready query selects.
    data_sets : Series
        The number of questions by the data set that they come from.
    formats : tuple of str
        The formats of the question sets, where the data name them.
    gold : int
        The number of questions with gold answers.
    gold_from : tuple of str
        The editions of the gold answers, which say when a knowledge graph gave them; empty if the
        answers are those of the question sets.
    notes : tuple of str
        What a user should know, for instance which ready query failed.
    """

    name: str
    questions: int
    properties: pd.DataFrame
    languages: pd.Series[Any]
    queries: pd.Series[Any]
    data_sets: pd.Series[Any]
    formats: tuple[str, ...] = ()
    gold: int = 0
    gold_from: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return one line: name, questions, properties and languages."""
        languages = ", ".join(tag or "no language" for tag in self.languages.index)
        return (
            f"<Description of {self.name}: {count(self.questions, 'question')},"
            f" {len(self.properties):,} properties, texts: {languages}>"
        )

    def __str__(self) -> str:
        """Return the line of `repr`, the tables, and the notes."""
        tables = [part.to_string() for part in (self.properties, self.queries) if len(part)]
        return result_text([repr(self), *tables], self.notes)

    def _repr_html_(self) -> str:
        """Return the line of `repr`, the tables and the notes as HTML, for notebooks."""
        return result_html(repr(self), [self.properties, self.queries.to_frame()], self.notes)


def describe(data: Data) -> Description:
    """Describe data about questions: properties, languages, and the ready queries that fit.

    Parameters
    ----------
    data
        An RDF file, the URL of a SPARQL endpoint, an rdflib Graph, what `annotate` or `open_data`
        returns; or a question set, its file or the name of a public one, whose features are
        computed first. Questions are the subjects with ``qaldgen:text`` or schema.org's ``text``.

    Returns
    -------
    Description
        Tables of properties, languages and ready queries, and the notes.

    Raises
    ------
    DataError
        If the data cannot be read.

    Examples
    --------
    >>> import rdflib
    >>> data = "<http://x.org/q1> <https://schema.org/text> 'Why?'@en ; <http://x.org/length> 7 ."
    >>> description = describe(rdflib.Graph().parse(data=data, format="turtle"))
    >>> description.questions, description.properties["values"].to_dict()
    (1, {'http://x.org/length': 1, 'https://schema.org/text': 1})
    """
    import pandas as pd

    source = open_data(data)
    with step("describing"):
        total = _read_count(source, _QUESTION_COUNT)
        languages = pd.Series(_read_counts(source, _COUNT_BY_LANGUAGE), dtype=int, name="questions")
        data_sets = pd.Series(_read_counts(source, _COUNT_BY_DATA_SET), dtype=int, name="questions")
        formats = source.select(_FORMATS)

        query_counts = {}
        notes = list(source.notes) if isinstance(source, LocalStore) else []
        for name in ready_queries():
            try:
                selected = source.select(read_query(name).text)
            except QaldgenError as error:
                notes.append(f"{name}: could not be queried ({error})")
            else:
                query_counts[name] = len({row[0] for row in selected.rows})

        return Description(
            name=source.name,
            questions=total,
            properties=_describe_properties(source, total),
            languages=languages.sort_index().sort_values(ascending=False, kind="stable"),
            queries=pd.Series(query_counts, dtype=int, name="questions"),
            data_sets=data_sets,
            formats=tuple(_term_text(row[0]) for row in formats.rows),
            gold=_read_count(source, _GOLD_COUNT),
            gold_from=tuple(gold_editions(source)),
            notes=tuple(notes),
        )


def description_lines(description: Description) -> list[str]:
    """Return lines on format, gold answers, languages, data sets and fitting queries of data."""
    questions = count(description.questions, "question")
    lines = []
    if description.formats:
        lines.append(f"format: {', '.join(description.formats)}")
    gold = f"gold answers: {description.gold:,} of {questions}"
    if description.gold and description.gold_from:
        gold += f", of the edition {', '.join(description.gold_from)}"
    elif description.gold:
        gold += ", as the question sets have them"
    lines += [gold, f"languages: {_list_counts(description.languages)}"]
    if len(description.data_sets):
        lines.append(f"data sets: {_list_counts(description.data_sets)}")
    fitting = description.queries[description.queries > 0]
    return [*lines, f"ready-made queries that fit: {_list_counts(fitting)}"]


def _list_counts(counts: pd.Series[Any]) -> str:
    parts = [f"{name or 'without a tag'} ({number:,})" for name, number in counts.items()]
    return ", ".join(parts) or "none"


def distinguishing_properties(
    description: Description, *, verbose: bool
) -> tuple[pd.DataFrame, int]:
    """Return a table of the properties, the most common first, and how many are left out.

    Without `verbose`, those are left out whose one value all questions share.
    """
    properties = description.properties
    n_left_out = 0
    if not verbose:
        properties = properties[properties["share"] > 0]
        is_shared = (properties["values"] == 1) & (properties["share"] == 1)
        n_left_out = int(is_shared.sum())
        properties = properties[~is_shared]
    table = properties.sort_values("share", ascending=False, kind="stable").reset_index()
    table["share"] = [f"{share:.0%}" for share in table["share"]]
    table.insert(1, "meaning", property_labels(table["property"]))
    if not verbose:
        table = table.drop(columns="questions")
    return table, n_left_out


def property_labels(names: Iterable[str]) -> list[str]:
    """Return the label of each property, named as in `describe`; empty if it is not a feature."""
    features = {feature.term: name for name, feature in all_features().items()}
    labels = []
    for name in names:
        prefix, _, local = name.partition(":")
        iri = PREFIXES[prefix] + local if prefix in PREFIXES else name
        labels.append(label_of(features[iri]) if iri in features else "")
    return labels


def _describe_properties(source: DataSource, total: int) -> pd.DataFrame:
    """Return the table of properties that `Description` has; `total` is the number of questions."""
    import pandas as pd

    rows = source.select(
        "SELECT ?p (COUNT(DISTINCT ?q) AS ?questions) (COUNT(DISTINCT ?o) AS ?values) "
        f"{{ {_QUESTIONS} ?q ?p ?o }} GROUP BY ?p"
    )

    properties = []
    for name, questions, values in rows.rows:
        n_questions = int(_term_text(questions))
        n_values = int(_term_text(values))
        frequent_values = []
        if isinstance(name, NamedNode) and n_values < n_questions:
            most_frequent = source.select(
                f"SELECT ?o (COUNT(DISTINCT ?q) AS ?n) {{ {_QUESTIONS} ?q <{name.value}> ?o }}"
                f" GROUP BY ?o ORDER BY DESC(?n) STR(?o) LIMIT {_SHOWN_VALUES}"
            )
            for value, number in most_frequent.rows:
                # queries and texts would fill the table
                text = one_line(_shorten(value), _MAX_VALUE_CHARS)
                frequent_values.append(f"{text} ({_term_text(number)})")

        share = n_questions / total if total else 0.0
        frequent = ", ".join(frequent_values)
        properties.append((_shorten(name), n_questions, share, n_values, frequent))

    columns = ["property", "questions", "share", "values", "frequent"]
    return pd.DataFrame(properties, columns=columns).set_index("property").sort_index()


def _read_count(source: DataSource, query: str) -> int:
    rows = source.select(query).rows
    return int(_term_text(rows[0][0])) if rows else 0


def _read_counts(source: DataSource, query: str) -> dict[str, int]:
    """Return the numbers that a query selects, by the value before each."""
    rows = source.select(query).rows
    return {_term_text(value): int(_term_text(number)) for value, number in rows}


def _term_text(term: Term | None) -> str:
    if isinstance(term, (Literal, NamedNode, BlankNode)):
        return term.value
    return ""


def _shorten(term: Term | None) -> str:
    """Return a term in short: a column of the data set by its name, others with a known prefix."""
    text = _term_text(term)
    column = column_name(text)
    if column:
        return column
    for prefix, namespace in PREFIXES.items():
        if text.startswith(namespace):
            return f"{prefix}:{text.removeprefix(namespace)}"
    return text
