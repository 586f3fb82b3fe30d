"""The ready queries.

They parse, they teach, and they find what they should in the data published with the paper.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path

import pyoxigraph
import pytest

from qaldgen import DataError, annotate, select
from qaldgen.model import Answers, Cell, Question, QuestionSet
from qaldgen.stores.local import LocalStore

ROOT = Path(__file__).resolve().parent.parent.parent
QUERIES = sorted((ROOT / "queries").glob("*.rq"))
QALDGEN = "http://qald-gen.aksw.org/vocab#"
LSQ = "http://lsq.aksw.org/vocab#"

each_query = pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)

NINE = [
    "totalWords",
    "totalEntities",
    "totalRelations",
    "totalClasses",
    "avgEntitiesWords",
    "tps",
    "rs",
    "bgps",
    "pvars",
]
SEVENTEEN = [
    "length",
    "totalEntities",
    "totalRelations",
    "totalClasses",
    "totalWordsEntity1",
    "totalWordsEntity2",
    "totalWordsRelation1",
    "totalWordsRelation2",
    "totalWordsClass1",
    "totalWordsClass2",
    "avgEntitiesWords",
    "avgRelationsWords",
    "avgClassesWords",
    "tps",
    "bgps",
    "projectVars",
    "resultSize",
]
TAGS = [
    "IN",
    "JJ",
    "JJR",
    "JJS",
    "NN",
    "NNS",
    "NNP",
    "NNPS",
    "PRP",
    "RB",
    "RBR",
    "RBS",
    "VB",
    "VBD",
    "VBG",
    "VBN",
    "VBP",
    "VBZ",
    "WDT",
    "WP",
    "SYM",
]

FEATURES = {
    "annotated": [
        "length",
        "entities",
        "relations",
        "classes",
        "triplePatterns",
        "hops",
        "answers",
    ],
    "answer-types": ["length", "tps", "answerType"],
    "entities": ["totalEntities", "totalWordsEntity1", "totalWordsEntity2", "avgEntitiesWords"],
    "listing-1.2": NINE,
    "listing-1.3": NINE,
    "listing-1.3-intent": NINE,
    "numeric": SEVENTEEN,
    "numeric-pos": SEVENTEEN + TAGS,
    "numeric-pos-features": [*SEVENTEEN, *TAGS, "usesFeature"],
    "relations": [
        "totalRelations",
        "totalWordsRelation1",
        "totalWordsRelation2",
        "avgRelationsWords",
    ],
    "text": [
        "characters",
        "words",
        "names",
        "nouns",
        "adjectives",
        "verbs",
        "depth",
        "traits",
        "category",
    ],
}
# query: rows, questions, different feature vectors
FOUND = {
    "annotated": (5543, 5543, 172),
    "answer-types": (5543, 5543, 213),
    "entities": (5543, 5543, 67),
    "listing-1.2": (5543, 5543, 1483),
    "listing-1.3": (0, 0, 0),
    "listing-1.3-intent": (25, 25, 19),
    "numeric": (5543, 5543, 2683),
    "numeric-pos": (5543, 5543, 5045),
    "numeric-pos-features": (12962, 5543, 11938),
    "relations": (5543, 5543, 24),
    "text": (0, 0, 0),
}


def solve(store: pyoxigraph.Store, text: str) -> pyoxigraph.QuerySolutions:
    result = store.query(text)
    assert isinstance(result, pyoxigraph.QuerySolutions)
    return result


def comment_of(path: Path) -> str:
    """Return the comment at the top of a query, on one line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return " ".join(line.lstrip("# ") for line in lines[: lines.index("")] if line.startswith("#"))


def uncommented(path: Path) -> str:
    return re.sub(r"^\s*#.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)


@functools.cache
def rows_of(store: LocalStore, stem: str) -> Sequence[tuple[object, ...]]:
    """Return the rows that a ready query finds, the question first."""
    return store.select((ROOT / "queries" / f"{stem}.rq").read_text(encoding="utf-8")).rows


def test_every_ready_query_is_listed_here() -> None:
    assert {path.stem for path in QUERIES} == set(FEATURES)


@each_query
def test_query_selects_the_question_and_its_features(path: Path) -> None:
    found = solve(pyoxigraph.Store(), path.read_text(encoding="utf-8"))
    assert [variable.value for variable in found.variables] == ["qId", *FEATURES[path.stem]]
    assert list(found) == []


@pytest.mark.parametrize(
    "explained",
    [
        r"\?qId is the question",
        "every other variable after SELECT is a feature",
        "number",
        "boolean|true and false",
        "text",
        "categor",
        "OPTIONAL",
        "restrict (the pool|it)|FILTER",
    ],
)
def test_comments_teach(explained: str) -> None:
    assert [
        path.stem for path in QUERIES if not re.search(explained, comment_of(path), re.IGNORECASE)
    ] == []


def test_only_the_listings_ask_for_distinct_rows() -> None:
    assert {path.stem for path in QUERIES if "SELECT DISTINCT" in uncommented(path)} == {
        path.stem for path in QUERIES if path.stem.startswith("listing")
    }


def test_lines_fit_on_a_screen() -> None:
    assert [
        f"{path.stem}: {line}"
        for path in QUERIES
        for line in path.read_text(encoding="utf-8").splitlines()
        if len(line) > 120
    ] == []


@each_query
def test_what_is_found_in_the_published_data(path: Path, published_store: LocalStore) -> None:
    rows = rows_of(published_store, path.stem)
    questions, vectors = {row[0] for row in rows}, {row[1:] for row in rows}
    assert (len(rows), len(questions), len(vectors)) == FOUND[path.stem]


def test_keywords_have_35_values_in_the_published_data(published_store: LocalStore) -> None:
    assert len({row[-1] for row in rows_of(published_store, "numeric-pos-features")}) == 35


def test_intent_of_listing_1_3_holds_for_every_question_found(published_store: LocalStore) -> None:
    def value(question: object, property_iri: str) -> str:
        [[term]] = published_store.select(f"SELECT ?o {{ {question} <{property_iri}> ?o }}").rows
        assert isinstance(term, pyoxigraph.Literal)
        return term.value

    for question, *_ in rows_of(published_store, "listing-1.3-intent"):
        assert "What" in value(question, QALDGEN + "text")
        assert value(question, QALDGEN + "questionOrigin") == "qald9"
        assert int(value(question, LSQ + "tps")) > 1
        assert int(value(question, LSQ + "resultSize")) > 0


# --- on features of our own ---------------------------------------------------------------------

#: A query by knowledge graph: the IRIs of the one say their labels, those of the other do not.
GRAPHS = {
    "dbpedia": "SELECT ?x {{ dbr:Old_Mill_{n} dbo:owner ?x . ?x a dbo:Miller }}",
    "wikidata": "SELECT ?x {{ wd:Q{n} wdt:P127 ?x . ?x wdt:P31 wd:Q694116 }}",
}
#: Those that have rows, by knowledge graph and whether the published names are there.
OURS = {"annotated", "answer-types", "text"}
LABELLED = OURS | {"entities", "relations"}
PUBLISHED_NAMES = LABELLED | {"listing-1.2", "numeric", "numeric-pos", "numeric-pos-features"}
SELECTS = {
    ("dbpedia", False): LABELLED,
    ("dbpedia", True): PUBLISHED_NAMES,
    ("wikidata", False): OURS,
    ("wikidata", True): OURS,
}


@functools.cache
def annotated_store(graph: str, *, r1_compat: bool) -> LocalStore:
    """Return the features of four questions, with one or two things in each query."""
    asked = tuple(
        Question(
            str(n),
            {"en": (f"Who owns the {'very ' * n}old mill?",)},
            queries={"": GRAPHS[graph].format(n=n)},
            answers=Answers(variables=("x",), rows=((Cell("uri", f"urn:{n}"),),)),
        )
        for n in range(1, 5)
    )
    return annotate(QuestionSet("mills", "table", asked), r1_compat=r1_compat).store()


@pytest.mark.parametrize("r1_compat", [False, True])
@pytest.mark.parametrize("graph", GRAPHS)
def test_queries_select_our_own_features_or_say_what_they_need(graph: str, r1_compat: bool) -> None:
    store = annotated_store(graph, r1_compat=r1_compat)
    cure = r"`r1_compat|`labels|\"qald9\"'.* change it or remove it"
    for name in FEATURES:
        if name in SELECTS[graph, r1_compat]:
            assert len(select(store, name)) == 4, name
        else:
            with pytest.raises(DataError, match=cure):
                select(store, name)


def test_query_of_our_own_features_says_so_on_the_published_data(
    published_store: LocalStore,
) -> None:
    with pytest.raises(DataError, match="'qaldgen annotate' computes the features"):
        select(published_store, "text")


def test_words_of_a_second_entity_that_is_not_there_are_none() -> None:
    vectors = select(annotated_store("dbpedia", r1_compat=False), "entities")
    assert set(vectors.to_frame()["totalWordsEntity2"]) == {0}
    assert set(vectors.to_frame()["totalWordsEntity1"]) == {3}
