"""Collections of passages: read from every form, cut, and refused where they are broken."""

from __future__ import annotations

import bz2
import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import qaldgen as qg
from qaldgen.cli.main import cli
from qaldgen.model import Question, QuestionSet
from qaldgen.plugins.passages.analysers import make_analyser
from qaldgen.plugins.passages.collection import (
    Collection,
    dump_collection,
    read_collection,
)
from qaldgen.plugins.passages.pipeline import passage_texts, read_passages, retrieve
from qaldgen.plugins.passages.relevance import relevant_passages
from qaldgen.plugins.passages.splitting import split_text
from qaldgen.questions.reading import read_questions

Refused = Callable[..., str]


def cut(text: str, longest: int = 20) -> list[str]:
    pieces = list(split_text(text, longest))
    assert all(text[piece.start : piece.start + len(piece.text)] == piece.text for piece in pieces)
    assert all(0 < len(piece.text) <= longest for piece in pieces)
    return [piece.text for piece in pieces]


@pytest.mark.parametrize(("text", "pieces"), [
    ("Młyn stoi.", ["Młyn stoi."]),
    ("Młyn.\n\n  Staw.\r\nLas.", ["Młyn.", "Staw.", "Las."]),
    ("Młyn stoi. Koło stoi. Woda.", ["Młyn stoi.", "Koło stoi. Woda."]),
    ("Zbudował go św. Jan z Ulm w r. 1871 nad wodą.",
     ["Zbudował go św. Jan", "z Ulm w r. 1871 nad", "wodą."]),
    ("x" * 45, ["x" * 20, "x" * 20, "x" * 5]),
    ("", []), (" \n\n ", []), ("שלום. עולם", ["שלום. עולם"]),
])  # fmt: skip
def test_cut(text: str, pieces: list[str]) -> None:
    assert cut(text) == pieces


@pytest.mark.parametrize(
    "text", ["mąka " * 200_000, "a." * 500_000, "." * 1_000_000, ". " * 500_000, "?" * 1_000_000]
)
def test_one_megabyte_without_an_end_is_cut_in_a_moment(text: str) -> None:
    assert len(cut(text, 500)) == pytest.approx(2000, rel=0.01)


def lines(path: Path, *records: object, end: str = "\n") -> Path:
    path.write_text(
        "\n".join(json.dumps(one, ensure_ascii=False) for one in records) + end, encoding="utf-8"
    )
    return path


def test_json_lines_are_passages_as_they_are(tmp_path: Path) -> None:
    long = "Młyn. " * 200
    found = read_collection(
        lines(
            tmp_path / "p.jsonl",
            {"id": 7, "text": long, "title": "Młyn"},
            {"_id": "b", "contents": "Staw"},
        )
    )
    assert [(one.id, one.title, one.text) for one in found.passages] == [
        ("7", "Młyn", long),
        ("b", "", "Staw"),
    ]
    assert len(found.sha256) == 64


def test_hostile_passages_are_kept_and_what_is_left_out_is_named(tmp_path: Path) -> None:
    records = [
        {"id": "a", "text": "<b>młyn</b> {{szablon}} [[staw]]"}, {"id": "b", "text": "טחנה"},
        {"id": "c", "text": "  "},
        {"id": "a", "text": "inny"}, {"id": "b", "text": "טחנה"},
        {"id": "d", "text": "x" * 1_000_000},
        {"id": "e", "text": "a\u2028b"},
    ]  # fmt: skip
    found = read_collection(lines(tmp_path / "p.jsonl", *records))
    assert [one.id for one in found.passages] == ["a", "b", "d", "e"]
    assert found.notes == (
        "passages without a text, left out: 1 (first: c)",
        "passages whose id stands before with another text, left out: 1 (first: a)",
    )


@pytest.mark.parametrize(("content", "message"), [
    (b'{"id": "a", "text": "x"}\n{"id": "b", "te',
     "line 2: is truncated or not JSON (Unterminated string starting at, column 13)"),
    ('{"id": "a", "text": "młyn"}\n'.encode("iso-8859-2"),
     "line 1: is not JSON (byte 0xb3 is not UTF-8)"),
    (b'{"id": "1", "text": ' + b"[" * 100_000 + b"\n",
     "line 1: is not JSON (nested too deeply)"),
    (b'{"id": "a", "text": "x"}\n[1]\n', "line 2: is not an object"),
    (b'{"id": "a"}\n', "line 1: has no text"),
    (b'{"text": "x"}\n', "line 1: has no id"),
    (b"", "is empty"),
    (b"just text\n", "is not a collection of passages"),
    (b"<html></html>", "is XML, but not a MediaWiki dump"),
    (b'{"id": "a", "text": " "}\n', "holds no passage with a text"),
    (b'{"data": [{"paragraphs": [{"context": "x"', "is truncated or not JSON"),
])  # fmt: skip
def test_broken_collections_are_refused(
    tmp_path: Path, refused: Refused, content: bytes, message: str
) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(content)
    assert message in refused(lambda: read_collection(path))


HOSTILE = {
    "markup": "<b>młyn</b> {{szablon}} [[staw]] </script>", "rtl": "\u202eטחנה młyn\u202c",
    "zero": "młyn\x00 i \x1b[31m staw",
    "half": "młyn \ud800 staw", "long": "młyn " * 200_000, "lines": "młyn\u2028staw\r\n\tlas",
    "formula": "=młyn()",
}  # fmt: skip


def test_hostile_passages_go_through_the_whole_chain(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(
        "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in HOSTILE.items())
    )
    found = read_collection(path)
    assert {one.id: one.text for one in found.passages} == HOSTILE
    question = Question("1", {"pl": ("Gdzie stoi młyn?",)}, metadata={"relevant_passages": "rtl"})
    asked = QuestionSet("set", "table", (question,))
    hits = retrieve(asked, found, k=10)["1"]
    assert {hit.passage for hit in hits} == set(HOSTILE)
    assert read_passages(asked, found, found={"1": hits}).responses["1"].status in {
        "answered",
        "empty",
    }
    assert (
        passage_texts(asked, found, found={"1": hits})["1"].count("\n") == 4
    )  # five passages, one line each


@pytest.mark.parametrize("cut_at", [20, 60])
def test_truncated_archives_are_refused(tmp_path: Path, refused: Refused, cut_at: int) -> None:
    path = tmp_path / "p.jsonl.gz"
    path.write_bytes(
        gzip.compress(b'{"id": "a", "text": "stary mlyn nad stawem i las"}\n' * 3)[:cut_at]
    )
    assert "truncated" in refused(lambda: read_collection(path))


def test_a_folder_with_a_file_in_another_encoding_is_refused(
    tmp_path: Path, refused: Refused
) -> None:
    (tmp_path / "a.txt").write_bytes("młyn".encode("cp1250"))
    assert "is not UTF-8" in refused(lambda: read_collection(tmp_path))


def test_folder_of_texts(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "Stary_młyn.txt").write_text("Młyn.\nStaw.", encoding="utf-8")
    (tmp_path / "a.txt").write_text("Las.", encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"\xff")
    found = read_collection(tmp_path)
    assert [(one.id, one.title, one.text) for one in found.passages] == [
        ("a-0", "a", "Las."), ("b/Stary_młyn-0", "Stary młyn", "Młyn."),
        ("b/Stary_młyn-1", "Stary młyn", "Staw."),
    ]  # fmt: skip


def squad(tmp_path: Path) -> Path:
    context = "Młyn stoi w Ulm. " * 40 + "Zbudował go Jan Kowal."
    qas = [
        {
            "id": "q1",
            "question": "Gdzie stoi?",
            "answers": [{"text": "w Ulm", "answer_start": 10}],
            "is_impossible": False,
        },
        {
            "id": "q2",
            "question": "Kto?",
            "answers": [{"text": "Jan", "answer_start": context.index("Jan")}],
            "is_impossible": False,
        },
        {"id": "q3", "question": "Po co?", "answers": [], "is_impossible": True},
    ]
    document = {
        "data": [
            {
                "title": "Młyn",
                "summary": "Młyn to budowla.",
                "paragraphs": [{"context": context, "qas": qas}],
            }
        ]
    }
    path = tmp_path / "squad.json"
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return path


def test_answers_of_squad_stand_in_the_passage_where_they_begin(tmp_path: Path) -> None:
    path = squad(tmp_path)
    found = read_collection(path)
    assert found.passages[0].text == "Młyn to budowla."
    first, second, third = read_questions(path).questions
    assert relevant_passages(first, found) == ("1.1-0",)
    (name,) = relevant_passages(second, found)
    assert found.by_id[name].text.endswith("Jan Kowal.")
    assert relevant_passages(third, found) == ()


def test_written_collections_are_read_again(tmp_path: Path) -> None:
    found = read_collection(squad(tmp_path))
    path = tmp_path / "p.jsonl"
    path.write_text(dump_collection(found), encoding="utf-8")
    assert read_collection(path).passages == found.passages


def test_polqa_rows_are_passages() -> None:
    found = read_collection(Path(__file__).parents[2] / "data" / "formats" / "polqa.csv")
    assert isinstance(found, Collection)
    assert [one.id for one in found.passages][:2] == ["10-1", "10-2"]


def test_dump_of_mediawiki(tmp_path: Path) -> None:
    pytest.importorskip("mwxml")
    pytest.importorskip("mwparserfromhell")
    page = "<page><title>{}</title><ns>{}</ns><id>{}</id>{}<revision><id>1</id><timestamp>2020-01-01T00:00:00Z</timestamp><text>{}</text></revision></page>"  # noqa: E501
    text = "'''Młyn''' to [[budowla|budynek]].&lt;ref&gt;przypis&lt;/ref&gt;\n* koło"
    pages = [
        page.format("Młyn", 0, 5, "", text), page.format("Dyskusja:Młyn", 1, 6, "", "nie"),
        page.format("Wiatrak", 0, 7, '<redirect title="Młyn" />', "#PATRZ [[Młyn]]"),
    ]  # fmt: skip
    head = (
        '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/"'
        ' version="0.10"><siteinfo><dbname>x</dbname></siteinfo>'
    )
    path = tmp_path / "dump.xml.bz2"
    path.write_bytes(bz2.compress(f"{head}{''.join(pages)}</mediawiki>".encode()))
    found = read_collection(path)
    assert [one.id for one in found.passages] == ["5-0", "5-1"]
    assert found.passages[0].text == "Młyn to budynek."


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return a folder with samples of questions over passages, and what was said about them."""
    folder = tmp_path_factory.mktemp("sampled")
    records = [
        {"id": str(at), "question": f"Gdzie stoi młyn {at}?", "answers": ["w Ulm"],
         "relevant_passages": f"p{at} q{at}" if at else ""}
        for at in range(3)
    ]  # fmt: skip
    (folder / "asked.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    asked, features = str(folder / "asked.jsonl"), str(folder / "f.ttl")
    ends = ("ttl", "csv", "jsonl", "json")
    samples = [word for end in ends for word in ("-o", str(folder / f"s.{end}"))]
    for words in (
        ["annotate", asked, "--lang", "pl", "-o", features],
        ["sample", features, "-q", "text", "-n", "3", *samples],
    ):
        result = CliRunner().invoke(cli, words)
        assert not result.exit_code, result.output
    return folder, result.output


@pytest.mark.parametrize("ending", ["ttl", "csv", "jsonl"])
def test_a_sample_keeps_the_relevant_passages(sampled: tuple[Path, str], ending: str) -> None:
    questions = qg.load(sampled[0] / f"s.{ending}").questions
    known = {one.id: one.metadata.get("relevant_passages") for one in questions}
    assert known == {"0": None, "1": "p1 q1", "2": "p2 q2"}


def test_a_format_without_place_for_the_relevant_passages_is_told(
    sampled: tuple[Path, str],
) -> None:
    assert "cannot hold the relevant passages (of 2 questions)" in sampled[1]


def test_an_unknown_name_is_answered_with_what_may_be_meant() -> None:
    with pytest.raises(qg.UsageError, match="did you mean token"):
        make_analyser("tokne")
