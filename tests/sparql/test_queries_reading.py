"""Reading a selection query: from a file, by the name of a ready one, or as text."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from qaldgen.errors import UsageError
from qaldgen.io.packages import resource_dir
from qaldgen.sparql.ready_queries import Query, read_query, ready_queries
from qaldgen.stores.local import check_syntax

Refused = Callable[..., str]
TEXT = "SELECT ?qId ?n { ?qId <http://x.org/n> ?n }"


def put(folder: Path, data: bytes | str, name: str = "mine.rq") -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def test_text_with_braces_is_the_query_itself() -> None:
    assert read_query(TEXT) == Query("query", TEXT)


def test_query_that_was_read_is_kept() -> None:
    query = Query("other", TEXT)
    assert read_query(query) is query


@pytest.mark.parametrize("kind", [str, Path])
def test_file_gives_its_text_and_its_name(
    tmp_path: Path, kind: Callable[[Path], str | Path]
) -> None:
    assert read_query(kind(put(tmp_path, TEXT))) == Query("mine", TEXT)


def test_byte_order_mark_of_a_file_is_ignored(tmp_path: Path) -> None:
    assert read_query(put(tmp_path, b"\xef\xbb\xbf" + TEXT.encode())).text == TEXT


def test_letters_beyond_ascii_are_read(tmp_path: Path) -> None:
    assert "été" in read_query(put(tmp_path, TEXT.replace("?n", "?été"))).text


def test_ready_query_is_found_by_name() -> None:
    query = read_query("listing-1.2")
    assert query.name == "listing-1.2"
    assert query.text == (resource_dir("queries") / "listing-1.2.rq").read_text(encoding="utf-8")


def test_file_goes_before_a_ready_query_of_the_same_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, TEXT, "listing-1.2")
    assert read_query("listing-1.2").text == TEXT


def test_folder_does_not_hide_a_ready_query(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "numeric").mkdir()
    assert read_query("numeric").name == "numeric"


def test_ready_queries_are_sorted_names() -> None:
    names = ready_queries()
    assert names == sorted(names)
    assert {"listing-1.2", "listing-1.3"} <= set(names)


def test_unknown_query_is_refused_with_the_ready_ones(refused: Refused) -> None:
    message = refused(lambda: read_query("none-such"), UsageError)
    assert message.startswith(
        "none-such: no such query (No such file or directory); name a file, or one of: "
    )
    assert message.endswith(", ".join(ready_queries()))


def test_folder_is_no_query(tmp_path: Path, refused: Refused) -> None:
    assert f"{tmp_path}: no such query (Is a directory)" in refused(
        lambda: read_query(tmp_path), UsageError
    )


def test_file_in_another_encoding_is_refused_with_the_place(
    tmp_path: Path, refused: Refused
) -> None:
    path = put(tmp_path, TEXT.replace("?n", "?\u00e9").encode("latin-1"))
    message = refused(lambda: read_query(path), UsageError)
    assert message == f"{path}: is not UTF-8 (byte {TEXT.index('?n') + 1}); save it as UTF-8"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ASK { ?q ?p ?o }", "this is an ASK"),
        ("CONSTRUCT { ?q ?p ?o } WHERE { ?q ?p ?o }", "this is a CONSTRUCT"),
        ("DESCRIBE ?q { ?q ?p ?o }", "this is a DESCRIBE"),
        ("INSERT DATA { <a> <b> <c> }", "this is an UPDATE"),
        ("PREFIX : <http://x.org/> # SELECT\ndelete where { ?q ?p ?o }", "this is an UPDATE"),
        ("WITH <http://x.org/g> DELETE { ?q ?p ?o } WHERE { ?q ?p ?o }", "this is an UPDATE"),
        ("{ ?q ?p ?o }", "there is no SELECT"),
        ("?q { }", "there is no SELECT"),
    ],
)
def test_other_forms_are_refused_by_name(refused: Refused, text: str, found: str) -> None:
    message = refused(lambda: read_query(text), UsageError)
    assert message.startswith(f"query: {found}; ")
    assert "one SELECT query" in message


@pytest.mark.parametrize("text", ["", "\n", "# only a comment", "Hello"])
def test_file_without_a_query_is_refused(tmp_path: Path, refused: Refused, text: str) -> None:
    path = put(tmp_path, text)
    assert refused(lambda: read_query(path), UsageError).startswith(f"{path}: there is no SELECT; ")


def test_sha256_is_of_the_text() -> None:
    assert read_query(TEXT).sha256 == hashlib.sha256(TEXT.encode()).hexdigest()


def test_sha256_changes_with_the_text() -> None:
    assert read_query(TEXT).sha256 != read_query(TEXT + " ").sha256


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "SELECT * { ?q ?p ?o SERVICE <http://x.org/sparql> { ?q ?p ?o } }",
        "SELECT * { ?q ?p ?o FILTER(<http://x.org/own>(?o)) }",
    ],
)
def test_syntax_check_passes_what_parses(text: str) -> None:
    check_syntax(text)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("SELECT ?q { ?q <http://x.org/p> }", "line 1, column 33, before '}'"),
        ("SELECT ?q {\n  ?q <http://x.org/p> ?o", "line 2, column 25, where the query ends"),
        ("SELECT ?q\nWHER { ?q ?p ?o }", "line 2, column 6, before '{ ?q ?p ?o'"),
    ],
)
def test_mistake_is_placed(refused: Refused, text: str, place: str) -> None:
    message = refused(lambda: check_syntax(text), UsageError)
    assert message.startswith(f"the query does not parse at {place}")
    assert message.endswith("; correct it")


def test_undeclared_prefix_is_named_with_what_to_add(refused: Refused) -> None:
    message = refused(lambda: check_syntax("SELECT ?q { ?q lsq:tps ?t }"), UsageError)
    assert message == "the query uses the prefix lsq: without declaring it; add PREFIX lsq: <...>"


def test_variable_outside_group_by_is_refused(refused: Refused) -> None:
    refused(lambda: check_syntax("SELECT ?q ?n { ?q <http://x.org/n> ?n } GROUP BY ?q"), UsageError)
