"""Selecting: data and query in, vectors out, and a reason where nothing comes out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
import rdflib

from qaldgen.errors import DataError, EndpointError, UsageError
from qaldgen.rdf.terms import Rows, Statement
from qaldgen.selection import select as selecting
from qaldgen.selection.dropped import find_losses
from qaldgen.selection.select import open_data, select
from qaldgen.selection.vectors import Vectors
from qaldgen.sparql.ready_queries import Query, read_query
from qaldgen.stores.local import LocalStore, open_file

Refused = Callable[..., str]
X = "http://x.org/"
TURTLE = """@prefix : <http://x.org/> .
:q1 :length 4 ; :steps 1 ; :type 'who' .
:q10 :length 8 ; :steps 3 ; :type 'what' .
:q9 :length 6 ; :steps 2 .
:q2 :length 2 .
"""
QUERY = f"PREFIX : <{X}> SELECT ?qId ?n ?s {{ ?qId :length ?n ; :steps ?s }}"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data.ttl"
    path.write_text(TURTLE, encoding="utf-8")
    return path


@pytest.fixture
def graph() -> rdflib.Graph:
    return rdflib.Graph().parse(data=TURTLE, format="turtle")


def names(vectors: Vectors) -> list[str]:
    return [iri.removeprefix(X) for iri in vectors.ids]


def test_file_by_text_and_by_path_give_the_same(file: Path) -> None:
    first, second = select(str(file), QUERY), select(file, QUERY)
    assert first.sha256() == second.sha256()
    assert (names(first), first.raw.tolist()) == (["q1", "q9", "q10"], [[4, 1], [6, 2], [8, 3]])


def test_graph_gives_the_same_as_its_file(file: Path, graph: rdflib.Graph) -> None:
    assert select(graph, QUERY).sha256() == select(file, QUERY).sha256()


def test_open_source_is_used_as_it_is(file: Path) -> None:
    source = open_file(file)
    assert open_data(source) is source
    assert select(source, QUERY).source is source


def test_query_may_be_a_file(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.rq"
    path.write_text(QUERY, encoding="utf-8")
    vectors = select(file, path)
    assert vectors.query == Query("mine", QUERY)


def test_scaling_and_missing_are_passed_on(file: Path) -> None:
    query = QUERY.replace("; :steps ?s", "OPTIONAL { ?qId :steps ?s }")
    vectors = select(file, query, scaling="minmax", missing="mean")
    assert (vectors.scaling, vectors.missing, dict(vectors.missing_counts)) == (
        "minmax",
        "mean",
        {"s": 1},
    )
    assert vectors.raw[1].tolist() == [2, 2]
    assert vectors.matrix[1].tolist() == [0, 0.5]


@pytest.mark.parametrize("name", ["qid", "QID", "qId"])
def test_question_is_qid_wherever_it_stands(graph: rdflib.Graph, name: str) -> None:
    vectors = select(graph, f"SELECT ?n ?{name} {{ ?{name} <{X}length> ?n }}")
    assert (names(vectors), vectors.features) == (["q1", "q2", "q9", "q10"], ("n",))


def test_question_is_else_the_first_variable(graph: rdflib.Graph) -> None:
    assert names(select(graph, f"SELECT ?question ?n {{ ?question <{X}steps> ?n }}")) == [
        "q1",
        "q9",
        "q10",
    ]


def test_star_takes_the_variables_of_the_text(graph: rdflib.Graph) -> None:
    vectors = select(graph, f"SELECT * {{ ?x <{X}length> ?b ; <{X}steps> ?a }}")
    assert (names(vectors), set(vectors.features)) == (["q1", "q9", "q10"], {"a", "b"})


def test_data_that_is_missing_is_refused(tmp_path: Path, refused: Refused) -> None:
    path = tmp_path / "none.ttl"
    assert refused(lambda: select(path, QUERY)).startswith(f"{path}: cannot be opened")


def test_mistake_in_the_query_shows_before_the_data_is_opened(
    tmp_path: Path, refused: Refused
) -> None:
    message = refused(lambda: select(tmp_path / "none.ttl", "SELECT ?qId { ?qId :p }"), UsageError)
    assert message == "query: the query uses the prefix : without declaring it; add PREFIX : <...>"


def test_update_is_refused_and_changes_nothing(file: Path, refused: Refused) -> None:
    message = refused(lambda: select(file, "DELETE WHERE { ?s ?p ?o }"), UsageError)
    assert message.startswith("query: this is an UPDATE; ")
    assert file.read_text(encoding="utf-8") == TURTLE


def test_query_without_features_is_refused_by_name(graph: rdflib.Graph, refused: Refused) -> None:
    message = refused(
        lambda: select(graph, Query("mine", "SELECT ?qId { ?qId ?p ?o }")), UsageError
    )
    assert message == "mine: the query only selects ?qId; select at least one feature too"


def test_bad_value_is_refused_by_the_name_of_the_query(
    graph: rdflib.Graph, refused: Refused
) -> None:
    query = Query("mine", f"SELECT ?qId ?n {{ ?qId <{X}length> ?l BIND(-?l AS ?n) }}")
    assert refused(lambda: select(graph, query)).startswith(
        f"mine: ?n is -4 for {X}q1; scaling max needs values of at least 0"
    )


@pytest.mark.parametrize("value", ["NaN", "INF"])
def test_value_that_is_not_finite_is_refused(tmp_path: Path, refused: Refused, value: str) -> None:
    path = tmp_path / "data.ttl"
    path.write_text(
        f'<{X}q1> <{X}length> "{value}"^^<http://www.w3.org/2001/XMLSchema#double> .',
        encoding="utf-8",
    )
    message = refused(lambda: select(path, f"SELECT ?qId ?n {{ ?qId <{X}length> ?n }}"))
    assert message.startswith(f"query: {X}q1: ?n is {value.lower()}; ")


def test_one_question_is_enough(graph: rdflib.Graph) -> None:
    vectors = select(graph, QUERY + " LIMIT 1")
    assert (len(vectors), vectors.matrix.tolist()) == (1, [[1.0, 1.0]])


def test_questions_left_out_are_noted(graph: rdflib.Graph) -> None:
    assert select(graph, Query("mine", QUERY)).notes == (
        "mine: selects 3 of 4 questions; `dropped` shows which patterns lose the others",
    )


def test_nothing_left_out_is_not_noted(graph: rdflib.Graph) -> None:
    assert select(graph, f"SELECT ?qId ?n {{ ?qId <{X}length> ?n }}").notes == ()


def test_questions_dropped_for_an_unbound_variable_are_not_noted_as_left_out(
    graph: rdflib.Graph,
) -> None:
    vectors = select(graph, QUERY.replace("; :steps ?s", "OPTIONAL { ?qId :steps ?s }"))
    assert (len(vectors), vectors.dropped, vectors.notes) == (3, 1, ())


def test_a_column_of_notes_holds_no_notes_on_the_selection() -> None:
    rows = [{"question": f"What is {n}?", "notes": f"cell {n}"} for n in range(8)]
    assert not [note for note in select(pd.DataFrame(rows)).notes if note.startswith("cell")]


def test_only_what_lacks_a_label_advises_to_read_labels(refused: Refused) -> None:
    rows = [f"<{X}q{n}> <{X}n> {value} ." for n, value in enumerate((1, 2, "'two'"))]
    graph = rdflib.Graph().parse(data="\n".join(rows))
    query = f"SELECT ?qId ?avgEntitiesWords {{ ?qId <{X}n> ?avgEntitiesWords }}"
    assert "was unknown" not in refused(lambda: select(graph, query))
    graph = rdflib.Graph().parse(data=f"<{X}q1> <{X}n> 1 .")
    query = (
        f"SELECT ?qId ?avgEntitiesWords {{ ?qId <{X}n> ?m OPTIONAL {{ ?qId <{X}a> ?avgEntitiesWords"
        " } }"
    )
    assert "its label was unknown" in refused(lambda: select(graph, query))


def test_notes_of_the_file_come_first(tmp_path: Path) -> None:
    path = tmp_path / "data.nt"
    path.write_text(TURTLE, encoding="utf-8")
    notes = select(path, QUERY + " VALUES ?s { 1 }").notes
    assert notes[0] == "data.nt: this is Turtle, not N-Triples. Read as Turtle."


@pytest.mark.parametrize(
    "where",
    [
        "?qId :length ?n . FILTER (EXISTS { ?qId :steps ?s }) ?qId :length ?m",
        "?qId :length ?n BIND(EXISTS { ?qId :steps ?s } AS ?e) ?qId :length ?m",
        "SELECT ?qId ?n { ?qId :length ?n }",
        "?qId :length ?n . _:same :length ?n . ?qId :length ?m . ?qId :none* _:same",
        "?qId :length _:l . ?qId :length ?n . ?qId :length _:l",
        "?qId :length ?n . FILTER(?n<9&&?n>1)",
        "{ { ?qId :length ?n } }",
    ],
)
def test_whatever_runs_is_selected(graph: rdflib.Graph, where: str) -> None:
    assert len(select(graph, f"PREFIX : <{X}> SELECT ?qId ?n {{ {where} }}")) in {3, 4}


def test_projection_with_exists_is_selected(graph: rdflib.Graph) -> None:
    query = (
        f"PREFIX : <{X}> SELECT ?qId ?n (EXISTS {{ ?qId :type ?t "
        f"}} AS ?typed) {{ ?qId :length ?n }}"
    )
    assert select(graph, query).raw.tolist() == [[4, 1], [2, 0], [6, 0], [8, 1]]


def test_empty_answer_names_the_pattern_that_loses_all(
    graph: rdflib.Graph, refused: Refused
) -> None:
    message = refused(lambda: select(graph, Query("mine", QUERY.replace("}", "; :none ?x }"))))
    assert message.startswith(
        "mine: selects no questions. 4 of 4 questions do not satisfy the query; 4 of them lack"
        " '?qId :none ?x'"
    )


def test_why_nothing_is_selected_is_only_found_out_if_wanted(
    graph: rdflib.Graph, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selecting, "explain_empty", None)
    query = Query("mine", QUERY.replace("}", "; :none ?x }"))
    assert refused(lambda: select(graph, query, explain=False)) == "mine: selects no questions."


def test_empty_answer_names_patterns_that_exclude_each_other(
    graph: rdflib.Graph, refused: Refused
) -> None:
    query = (
        f"PREFIX : <{X}> SELECT ?qId ?n {{ ?qId :length ?n . ?qId :type 'who' . ?qId :steps 2 }}"
    )
    assert (
        refused(lambda: select(graph, query))
        == "query: selects no questions. No question has both \"?qId :type 'who'\" (1 of 4) and"
        " '?qId :steps 2' (1); remove one, or put it in OPTIONAL"
    )


def test_empty_answer_for_a_wrong_namespace(graph: rdflib.Graph, refused: Refused) -> None:
    message = refused(lambda: select(graph, "SELECT ?qId ?n { ?qId <http://y.org/length> ?n }"))
    assert message.startswith(
        "query: selects no questions. None of its patterns occurs in the data; compare its "
        "prefixes and properties with the data's"
    )


def test_empty_answer_for_a_limit(graph: rdflib.Graph, refused: Refused) -> None:
    message = refused(lambda: select(graph, QUERY + " LIMIT 0"))
    assert message.startswith("query: selects no questions. ")
    assert "LIMIT" in message


class Empty:
    """A source without triples, which says how often it was asked."""

    name = "nothing"

    def __init__(self, *, broken: bool = False) -> None:
        self.broken = broken
        self.asked: list[str] = []

    def select(self, query: str) -> Rows:
        self.asked.append(query)
        if self.broken and len(self.asked) > 1:
            raise EndpointError("nothing: did not answer")
        return Rows(("qId", "n"), [])

    def ask(self, query: str) -> bool:
        return self.broken

    def triples(self, iris: object) -> list[Statement]:
        return []


def test_empty_source_is_named(refused: Refused) -> None:
    message = refused(lambda: select(Empty(), QUERY))
    assert message == "query: selects no questions. nothing has no triples in its default graph"


def test_reason_that_cannot_be_found_out_does_not_hide_the_fact(refused: Refused) -> None:
    message = refused(lambda: select(Empty(broken=True), QUERY), DataError)
    assert (
        message == "query: selects no questions. The reason could not be "
        "determined (nothing: did not answer)"
    )


@pytest.mark.parametrize("name", ["listing-1.2", "listing-1.3"])
def test_ready_query_on_other_data_is_explained(file: Path, refused: Refused, name: str) -> None:
    message = refused(lambda: select(file, name))
    assert message.startswith(
        f"{name}: selects no questions. None of its patterns occurs in the data"
    )


def test_listing_1_2_selects_all_published_questions(published_vectors: Vectors) -> None:
    assert len(published_vectors) == 5543
    assert published_vectors.distinct() == 1483
    assert published_vectors.dropped == 0
    assert len(published_vectors.features) == 9


def test_published_questions_come_in_natural_order(published_vectors: Vectors) -> None:
    assert [int(iri.rpartition("#")[2]) for iri in published_vectors.ids] == list(range(5543))


def test_published_vectors_keep_real_units(published_vectors: Vectors) -> None:
    frame = published_vectors.to_frame()
    assert (frame["totalWords"].min(), frame["totalWords"].max()) == (2, 25)
    assert (published_vectors.matrix.min(), published_vectors.matrix.max()) == (0, 1)
    assert frame["rs"].max() == 15998


def test_listing_1_3_is_refused_with_the_properties_that_exclude_each_other(
    published_store: LocalStore, refused: Refused
) -> None:
    message = refused(lambda: select(published_store, "listing-1.3"))
    assert message.startswith("listing-1.3: selects no questions. No question has both ")
    assert 'qaldgen:questionOrigin "qald9"' in message
    assert "(544 of 5,543)" in message
    assert "qaldgen:questionType ?qType" in message
    assert "(4,999)" in message


def test_losses_of_listing_1_3(published_store: LocalStore) -> None:
    found = find_losses(published_store, read_query("listing-1.3").text)
    assert (found.pool, found.left) == (5543, 0)
    by_pattern = {loss.pattern: (loss.having, loss.lost) for loss in found.losses}
    assert by_pattern['?qId qaldgen:questionOrigin "qald9"'] == (544, 4999)
    assert by_pattern["?qId qaldgen:questionType ?qType"] == (4999, 544)


def test_listing_1_3_by_intent_selects_25_questions(published_store: LocalStore) -> None:
    assert len(select(published_store, "listing-1.3-intent")) == 25


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scaling": "none"}, "unknown scaling 'none'"),
        ({"missing": "none"}, "unknown rule for missing values 'none'"),
        ({"query": "none"}, "no such query"),
        ({"query": "SELECT ?qId { ?qId"}, "does not parse"),
    ],
)
def test_a_wrong_call_is_refused_before_the_file_is_looked_for(
    tmp_path: Path, given: dict[str, str], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        select(tmp_path / "none.ttl", **{"query": QUERY, **given})  # type: ignore[arg-type]
