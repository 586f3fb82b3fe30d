"""Describe data about questions: its properties, languages, and the ready queries that fit it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pyoxigraph import BlankNode, Literal, NamedNode

from qaldgen.errors import QaldgenError
from qaldgen.features.catalogue import all_features
from qaldgen.features.labels import label_of
from qaldgen.io.progress import step
from qaldgen.io.text import count, printed, result_html
from qaldgen.rdf.own_columns import column_name
from qaldgen.rdf.terms import LSQ, PREFIXES, QALDGEN, TEXT_PROPERTIES, Rows, Term
from qaldgen.selection.select import Data, open_data
from qaldgen.sparql.ready_queries import read_query, ready_queries
from qaldgen.stores.gold_queries import gold_editions
from qaldgen.stores.local import DataSource

if TYPE_CHECKING:
    import pandas as pd

_TEXTS = "|".join(f"<{iri}>" for iri in TEXT_PROPERTIES)
#: Finds the questions once; FILTER EXISTS, once for each statement, takes 6 to 14 times as long.
_QUESTIONS = f"{{ SELECT DISTINCT ?q {{ ?q {_TEXTS} ?text }} }}"
#: What holds gold answers, in our data and in the published ones.
_GOLD = f"<{QALDGEN}answers>|<{LSQ}answers>"
#: How many of the most frequent values of a property are shown.
_SHOWN_VALUES = 3
#: The most characters of a value that are shown.
_MAX_CHARS = 32


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
        Indexed by property: ``questions`` that have it, ``share`` (of all questions, 0 to 1),
        ``values`` (the number of distinct ones) and ``frequent`` (the most frequent values, for
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
        Where these come from: editions, which say when a knowledge graph gave them; empty if they
        are those of the question sets.
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
        """Return the line, the tables, and the notes."""
        tables = [part.to_string() for part in (self.properties, self.queries) if len(part)]
        return printed([repr(self), *tables], self.notes)

    def _repr_html_(self) -> str:
        """Return the line, the tables and the notes as HTML, for notebooks."""
        return result_html(repr(self), [self.properties, self.queries.to_frame()], self.notes)


def describe(data: Data) -> Description:
    """Describe data about questions.

    Properties and how many questions have them, languages, ready queries that fit.

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
    >>> found = describe(rdflib.Graph().parse(data=data, format="turtle"))
    >>> found.questions, found.properties["values"].to_dict()
    (1, {'http://x.org/length': 1, 'https://schema.org/text': 1})
    """
    import pandas as pd

    source = open_data(data)
    with step("describing"):
        total = _number(source.select(f"SELECT (COUNT(DISTINCT ?q) AS ?n) {{ ?q {_TEXTS} ?text }}"))
        languages = source.select(
            f"SELECT ?tag (COUNT(DISTINCT ?q) AS ?n) {{ ?q {_TEXTS} ?text"
            " BIND(LANG(?text) AS ?tag) } GROUP BY ?tag"
        )
        tags = {_shown(tag): int(_shown(number)) for tag, number in languages.rows}
        numbers, notes = _questions_by_ready_query(source)
        # the formats of the question sets that questions come from
        rows = source.select(
            f"SELECT DISTINCT ?format {{ {_QUESTIONS} ?q"
            f" <{PREFIXES['prov']}wasDerivedFrom> ?source ."
            f" ?source <{PREFIXES['dct']}format> ?format }} ORDER BY ?format"
        )
        formats = tuple(_shown(format) for (format,) in rows.rows)
        rows = source.select(
            f"SELECT ?set (COUNT(DISTINCT ?q) AS ?n) {{ ?q {_TEXTS} ?text {{ ?q"
            f" <{QALDGEN}questionOrigin> ?set FILTER isLiteral(?set) }} UNION {{ ?q"
            f" <{PREFIXES['prov']}wasDerivedFrom> ?source ."
            f" ?source <{PREFIXES['dct']}title> ?set }} }}"
            " GROUP BY ?set ORDER BY DESC(?n) STR(?set)"
        )
        data_sets = {_shown(name): int(_shown(number)) for name, number in rows.rows}
        answered = source.select(
            f"SELECT (COUNT(DISTINCT ?q) AS ?n) {{ {_QUESTIONS} ?q {_GOLD} ?a }}"
        )
        by_tag = pd.Series(tags, dtype=int, name="questions").sort_index()
        return Description(
            name=source.name,
            questions=total,
            properties=_properties(source, total),
            languages=by_tag.sort_values(ascending=False, kind="stable"),
            queries=pd.Series(numbers, dtype=int, name="questions"),
            data_sets=pd.Series(data_sets, dtype=int, name="questions"),
            formats=formats,
            gold=_number(answered),
            gold_from=tuple(gold_editions(source)),
            notes=tuple(notes),
        )


def _questions_by_ready_query(source: DataSource) -> tuple[dict[str, int], list[str]]:
    """Return how many questions each ready query selects, and notes on queries that fail."""
    numbers = {}
    notes = []
    for name in ready_queries():
        try:
            selected = source.select(read_query(name).text)
        except QaldgenError as error:
            notes.append(f"{name}: could not be queried ({error})")
        else:
            numbers[name] = len({row[0] for row in selected.rows})
    return numbers, notes


def lines_of(described: Description, name: str) -> list[str]:
    """Return the lines about data of this name: size, languages, data sets and ready queries."""

    def listed(numbers: pd.Series[Any]) -> str:
        counts = [f"{key or 'without a tag'} ({number:,})" for key, number in numbers.items()]
        return ", ".join(counts) or "none"

    questions = count(described.questions, "question")
    lines = [f"{questions} in {name}"]
    if described.formats:
        lines.append(f"format: {', '.join(described.formats)}")
    gold = f"gold answers: {described.gold:,} of {questions}"
    if described.gold and described.gold_from:
        gold += f", of the edition {', '.join(described.gold_from)}"
    elif described.gold:
        gold += ", as the question sets have them"
    lines += [gold, f"languages: {listed(described.languages)}"]
    if len(described.data_sets):
        lines.append(f"data sets: {listed(described.data_sets)}")
    fitting = described.queries[described.queries > 0]
    return [*lines, f"ready-made queries that fit: {listed(fitting)}"]


def properties_for_people(described: Description, *, verbose: bool) -> tuple[pd.DataFrame, int]:
    """Return the most common properties, and how many are left out that all questions share."""
    properties = described.properties
    alike = 0
    if not verbose:  # a value that all questions share does not distinguish them
        properties = properties[properties["share"] > 0]
        is_shared = (properties["values"] == 1) & (properties["share"] == 1)
        alike = int(is_shared.sum())
        properties = properties[~is_shared]
    table = properties.sort_values("share", ascending=False, kind="stable").reset_index()
    table["share"] = [f"{share:.0%}" for share in table["share"]]
    table.insert(1, "meaning", labels_of_properties(table["property"]))
    if not verbose:
        table = table.drop(columns="questions")
    return table, alike


def labels_of_properties(names: Iterable[str]) -> list[str]:
    """Return the label of each property, named as `describe` does; empty if it is no feature's."""
    features = {feature.term: name for name, feature in all_features().items()}
    labels = []
    for name in names:
        prefix, _, local = name.partition(":")
        iri = PREFIXES[prefix] + local if prefix in PREFIXES else name
        labels.append(label_of(features[iri]) if iri in features else "")
    return labels


def _properties(source: DataSource, total: int) -> pd.DataFrame:
    """Return the properties of questions with the share of questions that have them."""
    import pandas as pd

    rows = source.select(
        "SELECT ?p (COUNT(DISTINCT ?q) AS ?questions) (COUNT(DISTINCT ?o) AS ?values) "
        f"{{ {_QUESTIONS} ?q ?p ?o }} GROUP BY ?p"
    )
    properties = []
    for name, questions, values in rows.rows:
        having = int(_shown(questions))
        different = int(_shown(values))
        frequent = ""
        if isinstance(name, NamedNode) and different < having:
            # the most frequent values, each with how many questions have it
            most_frequent = source.select(
                f"SELECT ?o (COUNT(DISTINCT ?q) AS ?n) {{ {_QUESTIONS} ?q <{name.value}> ?o }}"
                f" GROUP BY ?o ORDER BY DESC(?n) STR(?o) LIMIT {_SHOWN_VALUES}"
            )
            parts = []
            for value, number in most_frequent.rows:
                text = " ".join(_short(value).split())
                if len(text) > _MAX_CHARS:  # queries and texts would fill the table
                    text = f"{text[: _MAX_CHARS - 1]}…"
                parts.append(f"{text} ({_shown(number)})")
            frequent = ", ".join(parts)
        share = having / total if total else 0.0
        properties.append((_short(name), having, share, different, frequent))
    columns = ["property", "questions", "share", "values", "frequent"]
    return pd.DataFrame(properties, columns=columns).set_index("property").sort_index()


def _number(rows: Rows) -> int:
    if not rows.rows:
        return 0
    return int(_shown(rows.rows[0][0]))


def _shown(term: Term | None) -> str:
    if isinstance(term, (Literal, NamedNode, BlankNode)):
        return term.value
    return ""


def _short(term: Term | None) -> str:
    """Return a term as people write it: a set's own column by name, others with a known prefix."""
    text = _shown(term)
    column = column_name(text)
    if column:
        return column
    prefix = next((name for name, iri in PREFIXES.items() if text.startswith(iri)), "")
    if not prefix:
        return text
    return f"{prefix}:{text[len(PREFIXES[prefix]) :]}"
