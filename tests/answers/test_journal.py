"""The journal of a run: written line by line, read back as a run, and what a damaged one says."""

from __future__ import annotations

import codecs
import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest

from qaldgen.answers.journal import is_journal, read_entries, read_journal, write
from qaldgen.answers.reading import read_run
from qaldgen.answers.record import Response
from qaldgen.model import Answers, Cell, Mention
from qaldgen.rdf.terms import XSD

Refused = Callable[..., str]
ROWS = Answers(
    variables=("river", "length"),
    rows=(
        (Cell("uri", "http://x.org/Amber"), Cell("literal", "7.5", XSD + "decimal")),
        (Cell("bnode", "b0"), None),
        (Cell("literal", 'Bür "Fluss"\n', "", "de"), Cell("literal", "x")),
    ),
)
RESPONSES = [
    Response("1", "answered", ROWS, "SELECT * {\n?river ?x ?length }\n", "resource", seconds=0.25),
    Response("2", "answered", Answers(boolean=False), "ASK { }"),
    Response(
        "ż/3",
        "answered",
        Answers(texts=(("seven", "7"), ("eight",))),
        mentions=(Mention("Amber", "http://x.org/Amber"),),
    ),
    Response("4", "empty", Answers(variables=("x",)), seconds=0.0),
    Response("5", "failed", error="HTTP 500: no"),
    Response(
        "6", "timeout", query="ASK { ?a ?b ?c }", seconds=60.0, error="no answer within 60 seconds"
    ),
]


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "mine.journal.jsonl"
    for response in RESPONSES:
        write(path, response)
    return path


def damaged(folder: Path, *lines: object) -> Path:
    path = folder / "damaged.jsonl"
    path.write_text(
        "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines),
        encoding="utf-8",
    )
    return path


def line(**changes: object) -> dict[str, object]:
    return {
        "id": "1",
        "status": "failed",
        "answers": None,
        "query": "",
        "seconds": None,
        "error": "",
        **changes,
    }


# --- there and back -------------------------------------------------------------------------------


def test_run_is_read_as_it_was_written(journal: Path) -> None:
    run = read_journal(journal)
    assert list(run.responses.values()) == RESPONSES
    assert (run.name, run.format, run.notes) == ("mine", "journal", ())


def test_every_question_is_one_line(journal: Path) -> None:
    assert [
        json.loads(text)["id"] for text in journal.read_text(encoding="utf-8").splitlines()
    ] == ["1", "2", "ż/3", "4", "5", "6"]


def test_answers_stand_as_sparql_results_or_texts(journal: Path) -> None:
    lines = [json.loads(text) for text in journal.read_text(encoding="utf-8").splitlines()]
    assert lines[0]["answers"]["results"]["bindings"][1] == {
        "river": {"type": "bnode", "value": "b0"}
    }
    assert lines[2]["answers"] == {"texts": [["seven", "7"], ["eight"]]}
    assert lines[4]["answers"] is None


def test_source_is_kept_beside_the_response(tmp_path: Path) -> None:
    write(tmp_path / "j.jsonl", RESPONSES[1], source="x.org/sparql")
    assert [entry.source for entry in read_entries(tmp_path / "j.jsonl").entries] == [
        "x.org/sparql"
    ]


def test_half_a_surrogate_pair_in_a_query_comes_back(tmp_path: Path) -> None:
    write(tmp_path / "j.jsonl", Response("1", "failed", query="SELECT '\ud800 ż'"))
    assert read_journal(tmp_path / "j.jsonl").responses["1"].query == "SELECT '\ud800 ż'"


def test_number_that_is_none_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        write(tmp_path / "j.jsonl", Response("1", "failed", seconds=math.nan))


def test_later_line_wins(journal: Path) -> None:
    write(journal, Response("5", "answered", Answers(boolean=True)))
    run = read_journal(journal)
    assert run.responses["5"].status == "answered"
    assert len(run.responses) == 6
    assert "1 lines are about a question that has a later line" in run.notes[0]


def test_fields_that_may_be_missing(tmp_path: Path) -> None:
    run = read_journal(
        damaged(
            tmp_path,
            {"id": 7, "status": "empty", "answers": {"results": {"bindings": []}}, "more": 1},
        )
    )
    assert run.responses == {"7": Response("7", "empty", Answers())}


# --- half a line ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kept", [1, 5, 40, -2])
def test_half_a_line_at_the_end_is_left_out_with_a_note(journal: Path, kept: int) -> None:
    write(journal, Response("7", "failed", error="cut żółć"))
    data = journal.read_bytes()
    last = data.rstrip(b"\n").rpartition(b"\n")[2]
    journal.write_bytes(data[: -len(last) - 1] + last[:kept])
    run = read_journal(journal)
    assert list(run.responses) == ["1", "2", "ż/3", "4", "5", "6"]
    assert "the last line is cut off" in run.notes[0]


def test_every_crash_leaves_a_journal_that_goes_on(journal: Path) -> None:
    data = journal.read_bytes()
    for size in range(len(data)):
        journal.write_bytes(data[:size])
        whole = data[: size + 1].count(b"\n")  # a line is whole without its line end
        write(journal, Response("new", "failed"))
        run = read_journal(journal)
        assert list(run.responses) == [*[one.id for one in RESPONSES][:whole], "new"], size
        assert run.notes == ()


@pytest.mark.parametrize("at", range(len(RESPONSES)))
@pytest.mark.parametrize("damage", [b"\0", b"\xff", b"\n", b"\n" + b"[" * 2000])
def test_damage_costs_one_answer_and_is_named(journal: Path, at: int, damage: bytes) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    middle = len(lines[at]) // 2
    lines[at] = lines[at][:middle] + damage + lines[at][middle:]
    journal.write_bytes(b"".join(lines))
    run = read_run(journal)
    assert run.format == "journal"
    assert list(run.responses.values()) == [*RESPONSES[:at], *RESPONSES[at + 1 :]]
    assert f"damaged and left out, so 'qaldgen ask' asks them again: line {at + 1}" in run.notes[0]


def test_journal_with_a_damaged_line_goes_on(journal: Path) -> None:
    journal.write_bytes(b"\0" * 4 + journal.read_bytes().replace(b'"answered"', b'"ans\0wered"', 1))
    write(journal, RESPONSES[0])
    run = read_journal(journal)
    assert run.responses == {one.id: one for one in RESPONSES}
    assert "1 of 7 answers are damaged" in run.notes[0]


def test_zeros_before_a_line_cost_nothing(journal: Path) -> None:
    journal.write_bytes(journal.read_bytes().replace(b'{"id": "2"', b'\0\0\0{"id": "2"'))
    run = read_journal(journal)
    assert (list(run.responses.values()), run.notes) == (RESPONSES, ())


def test_journals_put_together_lose_nothing(journal: Path) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(codecs.BOM_UTF8 + line for line in lines))
    run = read_journal(journal)
    assert (list(run.responses.values()), run.notes) == (RESPONSES, ())


def test_a_deep_line_at_the_end_is_left_out(journal: Path) -> None:
    with journal.open("ab") as file:
        file.write(b'{"id": "7", "answers": ' + b"[" * 100_000)
    run = read_journal(journal)
    assert list(run.responses.values()) == RESPONSES
    assert "the last line is cut off" in run.notes[0]


def test_end_that_no_journal_has_is_not_cut_off(tmp_path: Path, refused: Refused) -> None:
    path = tmp_path / "other.jsonl"
    path.write_bytes(b'{"question": "half')
    assert "line 1" in refused(lambda: read_journal(path))


@pytest.mark.parametrize("content", [b"@prefix : <http://x.org/> .", b"\x1f\x8b\x08abc", b"\n"])
def test_file_that_is_no_journal_is_not_written_to(
    tmp_path: Path, refused: Refused, content: bytes
) -> None:
    path = tmp_path / "precious.ttl"
    path.write_bytes(content)
    assert "name another journal" in refused(lambda: write(path, RESPONSES[0]))
    assert path.read_bytes() == content


def test_last_line_without_line_end_counts(journal: Path) -> None:
    journal.write_bytes(journal.read_bytes().rstrip(b"\n"))
    assert len(read_journal(journal).responses) == 6
    write(journal, Response("7", "failed"))
    assert len(read_journal(journal).responses) == 7


# --- damaged lines --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ('{"id": "1", "status": "failed", "seconds": NaN}', ("NaN is not JSON",)),
        ('{"id": "1", "status": "failed", "seconds": -Infinity}', ("-Infinity is not JSON",)),
        ("[1]", ("is a list", "an object is expected")),
        ({"status": "failed"}, ("'id' is missing",)),
        (line(status="not asked"), ("(id 1)", "'not asked'", "answered, empty, failed, timeout")),
        (line(status=""), ("the status is ''",)),
        (line(status="answered"), ("there are no answers",)),
        (line(status="empty"), ("there are no answers",)),
        (
            line(status="failed", answers={"boolean": True}),
            ("the status is 'failed', but there are answers",),
        ),
        (
            line(status="timeout", answers={"results": {"bindings": []}}),
            ("but the answers are empty",),
        ),
        (line(status="empty", answers={"boolean": False}), ("but there are answers",)),
        (
            line(status="answered", answers={"head": {"vars": ["x"]}, "results": {"bindings": []}}),
            ("the answers are empty",),
        ),
        (line(status="empty", answers={"head": {}}), ("'answers'", "SPARQL results JSON")),
        (line(status="empty", answers={"results": {}}), ("'answers'", "SPARQL results JSON")),
        (line(status="answered", answers=["x"]), ("'answers' is a list",)),
        (
            line(status="answered", answers={"boolean": "perhaps"}),
            ("'answers.boolean' is 'perhaps'",),
        ),
        (
            line(status="answered", answers={"texts": ["seven"]}),
            ("'answers.texts'", "a list of lists"),
        ),
        (line(status="answered", answers={"texts": [[]]}), ("'answers.texts'",)),
        (line(seconds="3"), ("'seconds' is a string",)),
        (line(seconds=-1), ("'seconds'", "from 0")),
        (line(seconds=True), ("'seconds' is a boolean",)),
        (line(query=3), ("'query' is a number",)),
        (line(mentions=["Amber"]), ("'mentions[0]'",)),
    ],
)
def test_damaged_line_is_named(tmp_path: Path, bad: object, words: tuple[str, ...]) -> None:
    run = read_journal(damaged(tmp_path, line(id="0"), bad))
    assert list(run.responses) == ["0"]
    assert "1 of 2 answers are damaged" in run.notes[0]
    for word in ("line 2", *words):
        assert word in run.notes[0]


def test_cell_without_value_names_line_and_place(tmp_path: Path, refused: Refused) -> None:
    answers = {"results": {"bindings": [{"x": {"type": "uri"}}]}}
    message = refused(
        lambda: read_journal(damaged(tmp_path, line(status="answered", answers=answers)))
    )
    assert "line 1" in message
    assert "'answers.results.bindings[0].x.value' is missing" in message


@pytest.mark.parametrize("content", ["", "\n", '{"id": "1", "sta'])
def test_journal_without_a_question_is_refused(
    tmp_path: Path, refused: Refused, content: str
) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text(content, encoding="utf-8")
    assert "holds no question" in refused(lambda: read_journal(path))


def test_missing_folder_is_named(tmp_path: Path, refused: Refused) -> None:
    assert "the journal cannot be written" in refused(
        lambda: write(tmp_path / "no" / "j.jsonl", RESPONSES[0])
    )


@pytest.mark.parametrize(("others", "ours", "expected"), [(1, 1, False), (1, 2, True)])
def test_most_lines_or_the_first_make_a_journal(others: int, ours: int, expected: bool) -> None:
    line = b'{"id": "1", "status": "answered"}\n'
    assert is_journal(b"damaged\n" * others + line * ours) is expected
    assert is_journal(line + b"damaged\n" * 3)
