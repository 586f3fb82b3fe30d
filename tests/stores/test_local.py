"""A local file or graph as a source: queried with all its graphs, written out as it was written."""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
import rdflib

from qaldgen.errors import UsageError
from qaldgen.stores.local import DataSource, LocalStore, evaluate, open_file, open_graph

Refused = Callable[..., str]
X = "http://x.org/"
HEAD = "@prefix : <http://x.org/> .\n@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
TRIG = HEAD + ":d :p 0 . :g { :a :p 1 . } :h { :b :p 2 . }"


def put(folder: Path, text: str, name: str = "data.ttl") -> Path:
    path = folder / name
    path.write_text(HEAD + text, encoding="utf-8")
    return path


def written(source: DataSource, *names: str) -> list[str]:
    """Return the triples of some subjects as text, with short IRIs."""
    return [
        " ".join(map(str, triple)).replace(f"<{X}", "<")
        for triple in source.triples([X + name for name in names])
    ]


def found(source: DataSource, query: str) -> list[str]:
    """Return the first column of an answer, sorted, with short IRIs."""
    return sorted(
        str(getattr(row[0], "value", "-")).removeprefix(X) for row in source.select(query).rows
    )


def test_file_is_a_data_source(tmp_path: Path) -> None:
    assert isinstance(open_file(put(tmp_path, ":a :p 1 .")), DataSource)


def test_name_and_size_of_a_file(tmp_path: Path) -> None:
    source = open_file(put(tmp_path, ":a :p 1 , 2 ; :q 3 .", "mine.ttl"))
    assert (source.name, len(source)) == ("mine.ttl", 3)


def test_sha256_is_of_the_unpacked_file(tmp_path: Path) -> None:
    text = (HEAD + ":a :p 1 .").encode()
    path = tmp_path / "data.ttl.gz"
    path.write_bytes(gzip.compress(text))
    assert open_file(path).sha256 == hashlib.sha256(text).hexdigest()


def test_path_may_be_text(tmp_path: Path) -> None:
    assert len(open_file(str(put(tmp_path, ":a :p 1 .")))) == 1


def test_notes_of_the_file_are_kept(tmp_path: Path) -> None:
    assert open_file(put(tmp_path, ":a :p 1 .", "a.nt")).notes == [
        "a.nt: this is Turtle, not N-Triples. Read as Turtle."
    ]


@pytest.mark.parametrize("text", ["", "# nothing\n"])
def test_file_without_statements_is_refused(tmp_path: Path, refused: Refused, text: str) -> None:
    path = put(tmp_path, text, "mine.ttl")
    message = refused(lambda: open_file(path))
    assert "mine.ttl: holds no RDF statement; it should hold question features as RDF" in message


def test_json_that_is_no_json_ld_is_refused(tmp_path: Path, refused: Refused) -> None:
    path = tmp_path / "questions.json"
    path.write_text('{"questions": [{"id": 1, "text": "Who?"}]}', encoding="utf-8")
    assert "questions.json: holds no RDF statement" in refused(lambda: open_file(path))


def test_broken_file_gives_no_store(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, ":a :p 1 .\n:b :p")
    assert refused(lambda: open_file(path)).startswith(f"{path}: is not valid Turtle: line 4 ")


def test_rows_follow_the_variables_of_the_query(tmp_path: Path) -> None:
    source = open_file(put(tmp_path, ":a :p 2 ; :q 'x' . :b :p 1 ."))
    answer = source.select(
        f"SELECT ?x ?s {{ ?s <{X}p> ?n OPTIONAL {{ ?s <{X}q> ?x }} }} ORDER BY ?n"
    )
    assert answer.variables == ("x", "s")
    assert [[getattr(term, "value", None) for term in row] for row in answer.rows] == [
        [None, f"{X}b"],
        ["x", f"{X}a"],
    ]


def test_ask_gives_true_or_false(tmp_path: Path) -> None:
    source = open_file(put(tmp_path, ":a :p 1 ."))
    assert source.ask(f"ASK {{ <{X}a> ?p ?o }}") is True
    assert source.ask(f"ASK {{ <{X}b> ?p ?o }}") is False


@pytest.mark.parametrize(
    "query", ["ASK {}", "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }", "DESCRIBE <http://x.org/a>"]
)
def test_select_refuses_other_forms(tmp_path: Path, refused: Refused, query: str) -> None:
    source = open_file(put(tmp_path, ":a :p 1 ."))
    assert "is not a SELECT query" in refused(lambda: source.select(query), UsageError)


def test_ask_refuses_other_forms(tmp_path: Path, refused: Refused) -> None:
    source = open_file(put(tmp_path, ":a :p 1 ."))
    assert refused(lambda: source.ask("SELECT * {}"), UsageError) == "the query is not an ASK query"


def test_query_that_does_not_parse_is_refused(tmp_path: Path, refused: Refused) -> None:
    source = open_file(put(tmp_path, ":a :p 1 ."))
    assert "does not parse at line 1" in refused(
        lambda: source.select("SELECT ?s { ?s ?p }"), UsageError
    )


def test_update_changes_nothing(tmp_path: Path, refused: Refused) -> None:
    source = open_file(put(tmp_path, ":a :p 1 ."))
    refused(lambda: source.select("DELETE WHERE { ?s ?p ?o }"), UsageError)
    assert len(source) == 1


def test_query_that_fails_while_it_runs_is_refused(tmp_path: Path, refused: Refused) -> None:
    source = open_file(put(tmp_path, ":a :p 1 ."))
    query = "SELECT * { ?s ?p ?o FILTER(<http://x.org/own>(?o)) }"
    assert "the query cannot be run on a local file: " in refused(
        lambda: source.select(query), UsageError
    )


def trig(folder: Path) -> LocalStore:
    path = folder / "data.trig"
    path.write_text(TRIG, encoding="utf-8")
    return open_file(path)


def test_plain_query_sees_named_graphs(tmp_path: Path) -> None:
    assert found(trig(tmp_path), "SELECT ?s { ?s ?p ?o }") == ["a", "b", "d"]


def test_ask_sees_named_graphs(tmp_path: Path) -> None:
    assert trig(tmp_path).ask(f"ASK {{ <{X}a> ?p ?o . <{X}b> ?p ?o2 }}")


def test_graph_pattern_sees_only_named_graphs(tmp_path: Path) -> None:
    assert found(trig(tmp_path), "SELECT ?s { GRAPH ?g { ?s ?p ?o } }") == ["a", "b"]


def test_from_names_the_graph_to_ask(tmp_path: Path) -> None:
    assert found(trig(tmp_path), f"SELECT ?s FROM <{X}g> {{ ?s ?p ?o }}") == ["a"]


def test_from_a_graph_that_is_not_there_gives_nothing(tmp_path: Path) -> None:
    assert found(trig(tmp_path), f"SELECT ?s FROM <{X}none> {{ ?s ?p ?o }}") == []


def test_from_as_a_name_is_no_clause(tmp_path: Path) -> None:
    query = f"PREFIX from: <{X}> SELECT ?from {{ ?from from:p ?o }} # FROM <{X}g>"
    assert found(trig(tmp_path), query) == ["a", "b", "d"]


def test_triples_are_taken_from_every_graph(tmp_path: Path) -> None:
    assert len(trig(tmp_path).triples([X + name for name in "abd"])) == 3


def test_triple_of_two_graphs_is_written_once(tmp_path: Path) -> None:
    source = open_file(put(tmp_path, ":g { :a :p 1 . } :h { :a :p 1 . }"))
    assert len(written(source, "a")) == 1


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('"009"^^xsd:int', '"009"^^<http://www.w3.org/2001/XMLSchema#int>'),
        ('"1"^^xsd:boolean', '"1"^^<http://www.w3.org/2001/XMLSchema#boolean>'),
        ('"1.50"^^xsd:decimal', '"1.50"^^<http://www.w3.org/2001/XMLSchema#decimal>'),
        ('"1E2"^^xsd:double', '"1E2"^^<http://www.w3.org/2001/XMLSchema#double>'),
        (
            '"2020-01-01T00:00:00.000Z"^^xsd:dateTime',
            '"2020-01-01T00:00:00.000Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>',
        ),
        ('"seven"^^xsd:int', '"seven"^^<http://www.w3.org/2001/XMLSchema#int>'),
        ('"Wer?"@de', '"Wer?"@de'),
        ('" x "', '" x "'),
        ("<http://x.org/%C3%A9>", "<%C3%A9>"),
    ],
)
def test_triples_keep_terms_as_written(tmp_path: Path, text: str, kept: str) -> None:
    assert written(open_file(put(tmp_path, f":a :p {text} .")), "a") == [f"<a> <p> {kept}"]


def test_triples_keep_the_order_of_the_file(tmp_path: Path) -> None:
    source = open_file(put(tmp_path, ":b :p 'z' . :a :p 'y' . :b :p 'x' . :a :o 'w' ."))
    assert written(source, "a", "b") == ['<b> <p> "z"', '<a> <p> "y"', '<b> <p> "x"', '<a> <o> "w"']


def test_only_the_subjects_asked_for_are_written(tmp_path: Path) -> None:
    source = open_file(put(tmp_path, ":a :p :b . :b :p :c . :ab :p :a ."))
    assert written(source, "a") == ["<a> <p> <b>"]


def test_unknown_subject_has_no_triples(tmp_path: Path) -> None:
    assert open_file(put(tmp_path, ":a :p 1 .")).triples([f"{X}none"]) == []


def test_blank_nodes_come_with_their_subject(tmp_path: Path) -> None:
    source = open_file(
        put(tmp_path, ":a :p _:x . _:x :q _:y . _:y :r 'deep' , :b . :b :s 'not' . _:z :q 'not' .")
    )
    assert sorted(written(source, "a")) == [
        "<a> <p> _:x",
        "_:x <q> _:y",
        '_:y <r> "deep"',
        "_:y <r> <b>",
    ]


def test_blank_nodes_before_their_subject_come_too(tmp_path: Path) -> None:
    source = open_file(put(tmp_path, "_:x :q 'early' . :a :p _:x ."))
    assert sorted(written(source, "a")) == ["<a> <p> _:x", '_:x <q> "early"']


def test_blank_nodes_in_a_circle_come_once(tmp_path: Path) -> None:
    source = open_file(put(tmp_path, ":a :p _:x . _:x :q _:y . _:y :q _:x ."))
    assert sorted(written(source, "a")) == ["<a> <p> _:x", "_:x <q> _:y", "_:y <q> _:x"]


def test_blank_node_of_two_subjects_comes_once(tmp_path: Path) -> None:
    source = open_file(put(tmp_path, ":a :p _:x . :b :p _:x . _:x :q 'v' ."))
    assert sorted(written(source, "a", "b")) == ["<a> <p> _:x", "<b> <p> _:x", '_:x <q> "v"']


def test_list_comes_with_its_subject(tmp_path: Path) -> None:
    assert len(written(open_file(put(tmp_path, ":a :p (1 2) . :b :p (3) .")), "a")) == 5


def test_file_changed_after_loading_is_refused(tmp_path: Path, refused: Refused) -> None:
    path = put(tmp_path, ":a :p 1 .")
    source = open_file(path)
    path.write_text(HEAD + ":a :p 2 .", encoding="utf-8")
    assert (
        refused(lambda: source.triples([f"{X}a"]))
        == f"{path}: changed while it was in use; start again"
    )


def test_file_rewritten_with_the_same_content_is_no_change(tmp_path: Path) -> None:
    path = put(tmp_path, ":a :p 1 .")
    source = open_file(path)
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert len(source.triples([f"{X}a"])) == 1


def test_graph_of_rdflib_is_a_source() -> None:
    graph = rdflib.Graph().parse(data=HEAD + ":a :p 'x'@de , 2 .", format="turtle")
    source = open_graph(graph)
    assert (source.name, source.sha256, source.notes, len(source)) == ("graph", "", [], 2)
    assert sorted(written(source, "a")) == [
        '<a> <p> "2"^^<http://www.w3.org/2001/XMLSchema#integer>',
        '<a> <p> "x"@de',
    ]


def test_dataset_of_rdflib_is_seen_with_all_its_graphs() -> None:
    dataset = rdflib.Dataset()
    dataset.parse(data=TRIG, format="trig")
    assert found(open_graph(dataset), "SELECT ?s { ?s ?p ?o }") == ["a", "b", "d"]


def test_graph_that_changes_later_does_not_change_the_source() -> None:
    graph = rdflib.Graph().parse(data=HEAD + ":a :p 1 .", format="turtle")
    source = open_graph(graph)
    graph.remove((None, None, None))
    assert len(written(source, "a")) == 1


def test_empty_graph_is_refused(refused: Refused) -> None:
    message = refused(lambda: open_graph(rdflib.Graph()))
    assert (
        message == "graph: holds no RDF statement;"
        " it should hold question features as RDF, as 'qaldgen annotate' makes them"
    )


@pytest.mark.parametrize("iri", ["http://x.org/a b", "relative"])
def test_graph_with_an_iri_that_is_none_is_refused(refused: Refused, iri: str) -> None:
    graph = rdflib.Graph()
    graph.add((rdflib.URIRef(iri), rdflib.URIRef(f"{X}p"), rdflib.Literal(1)))
    assert refused(lambda: open_graph(graph)).startswith("graph: ")


def test_a_file_that_is_read_whole_holds_the_same(tmp_path: Path) -> None:
    path = tmp_path / "two.ttl.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf<urn:a> <urn:n> 1 . <urn:b> <urn:n> 2 ."))
    parts, whole = open_file(path), open_file(path, whole=True)
    query = "SELECT ?q ?n { ?q <urn:n> ?n } ORDER BY ?n"
    assert whole.select(query) == parts.select(query)
    assert (whole.sha256, whole.notes, len(whole)) == (parts.sha256, parts.notes, len(parts))


def test_a_file_that_is_read_whole_is_refused_with_its_line(
    tmp_path: Path, refused: Refused
) -> None:
    path = tmp_path / "broken.ttl"
    path.write_text("<urn:a> <urn:n> 1 .\n<urn:b> no .\n", encoding="utf-8")
    assert refused(lambda: open_file(path, whole=True)) == refused(lambda: open_file(path))


class ThreadRecorder:
    """A store that remembers on which thread it was asked."""

    def query(self, _text: str, **_options: bool) -> bool:
        self.asked_on = threading.current_thread()
        return True


def test_the_main_thread_stays_free_to_hear_ctrl_c() -> None:
    recorder = ThreadRecorder()

    assert evaluate(cast("Any", recorder), "ASK { ?s ?p ?o }", named_graphs=False) is True

    assert threading.current_thread() is threading.main_thread()
    assert recorder.asked_on is not threading.main_thread()


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ('xsd:int("7") + 1', "8"),
        ("xsd:short(7.9)", "7"),
        ("xsd:long(true)", "1"),
        ('xsd:byte(" 0 ")', "0"),
        ('xsd:int("7.5")', "-"),
        ('xsd:int("x")', "-"),
        ("xsd:int(1e400)", "-"),
        ("xsd:int(:a)", "-"),
    ],
)
def test_casts_to_integer_types(tmp_path: Path, call: str, value: str) -> None:
    source = open_file(put(tmp_path, ":a :p 1 ."))
    query = f"PREFIX : <{X}> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>"
    assert found(source, f"{query} SELECT ({call} AS ?x) {{}}") == [value]
