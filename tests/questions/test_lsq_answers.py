"""The answer strings of the published data, and the questions they belong to."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import TypeVar

import pytest
from pyoxigraph import Literal, NamedNode
from questions import uri

from qaldgen.model import Answers, Cell
from qaldgen.questions.rdf_questions import local_names, parse_answers, read_question
from qaldgen.rdf.terms import LSQ, QALDGEN, XSD, Statement
from qaldgen.stores.local import LocalStore

Refused = Callable[..., str]
T = TypeVar("T")
IRI = "http://x.org/q#7"


def one(text: str) -> Cell:
    """Parse a string with one row of one cell."""
    answers = parse_answers(text)
    assert answers.variables == ("x",)
    assert len(answers.rows) == 1
    cell = answers.rows[0][0]
    assert cell is not None
    return cell


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_empty_string_is_an_empty_answer(text: str) -> None:
    assert parse_answers(text) == Answers()


@pytest.mark.parametrize(("text", "value"), [("true", True), ("false", False), (" true\n", True)])
def test_boolean(text: str, value: bool) -> None:
    assert parse_answers(text) == Answers(boolean=value)


@pytest.mark.parametrize("end", ["", ",", ", ", " "])
def test_last_row_may_end_in_a_comma(end: str) -> None:
    assert parse_answers(f"( ?x = <http://x.org/a> ){end}") == Answers(
        variables=("x",), rows=((uri("http://x.org/a"),),)
    )


def test_rows_stand_one_behind_the_other() -> None:
    answers = parse_answers(
        "( ?x = <http://x.org/b> ), ( ?x = <http://x.org/a> ), ( ?x = <http://x.org/b> ), "
    )
    assert answers.values() == ["http://x.org/b", "http://x.org/a", "http://x.org/b"]


def test_several_variables_stand_in_one_row() -> None:
    answers = parse_answers(
        "( ?x = <http://x.org/a> ) ( ?y = 1 ), ( ?x = <http://x.org/b> ) ( ?y = 2 ), "
    )
    assert answers.variables == ("x", "y")
    assert answers.rows == (
        (uri("http://x.org/a"), Cell("literal", "1", XSD + "integer")),
        (uri("http://x.org/b"), Cell("literal", "2", XSD + "integer")),
    )


def test_cell_that_a_row_lacks_is_none() -> None:
    answers = parse_answers(
        "( ?x = <http://x.org/a> ), ( ?y = <http://x.org/b> ) ( ?x = <http://x.org/c> ), ( ?y ="
        " <http://x.org/d> ), "
    )
    assert answers.variables == ("x", "y")
    assert answers.rows == (
        (uri("http://x.org/a"), None),
        (uri("http://x.org/c"), uri("http://x.org/b")),
        (None, uri("http://x.org/d")),
    )


@pytest.mark.parametrize(
    "iri",
    [
        "http://x.org/A_(b)",
        "http://x.org/A_(b),_(c",
        "http://x.org/a),b",
        "http://x.org/a'b",
        "http://x.org/\u00e9t\u00e9_\u4e2d",
        "http://x.org/a=?b&c",
        "http://x.org/100%",
        "http://x.org/a b",
        'http://x.org/"a"',
        "urn:a:b",
    ],
)
def test_iri_is_kept_whole(iri: str) -> None:
    assert one(f"( ?x = <{iri}> ), ") == uri(iri)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("a", "a"),
        ("", ""),
        ("a ), ( ?x = b", "a ), ( ?x = b"),
        ("a = b", "a = b"),
        ("<http://x.org/a>", "<http://x.org/a>"),
        ("it's", "it's"),
        (r"a \"quoted\" word", 'a "quoted" word'),
        (r"back\\slash", r"back\slash"),
        (r"ends in \\", "ends in \\"),
        (r"\\n is no line", r"\n is no line"),
        (r"two\nlines", "two\nlines"),
        ("two\nlines", "two\nlines"),
        (r"a\tb\rc\bd\fe", "a\tb\rc\bd\fe"),
        (r"caf\u00e9", "caf\u00e9"),
        (r"caf\u00E9s", "caf\u00e9s"),
        (r"\U0001F600", "\U0001f600"),
        (r"\uD83D\uDE00 and \ud83d\ude00", "\U0001f600 and \U0001f600"),
        (r"\\u00e9", r"\u00e9"),
        (r"it\'s", "it's"),
        ("\u4e2d\u6587", "\u4e2d\u6587"),
        ("  ", "  "),
        ("true", "true"),
    ],
)
def test_text_of_a_literal(written: str, value: str) -> None:
    assert one(f'( ?x = "{written}" ), ') == Cell("literal", value)


@pytest.mark.parametrize("tag", ["en", "en-GB", "zh-Hans-CN", "x-y1"])
def test_language_tag(tag: str) -> None:
    assert one(f'( ?x = "a"@{tag} ), ') == Cell("literal", "a", "", tag)


@pytest.mark.parametrize(
    ("written", "datatype"),
    [
        ("<http://www.w3.org/2001/XMLSchema#date>", XSD + "date"),
        ("xsd:date", XSD + "date"),
        ("xsd:gYear", XSD + "gYear"),
        ("rdf:langString", "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"),
        ("<http://x.org/t(1),2>", "http://x.org/t(1),2"),
        ("other:type", "other:type"),
    ],
)
def test_datatype(written: str, datatype: str) -> None:
    assert one(f'( ?x = "2020-01-01"^^{written} ), ') == Cell("literal", "2020-01-01", datatype)


@pytest.mark.parametrize(
    ("written", "datatype"),
    [
        ("5", "integer"), ("007", "integer"), ("-5", "integer"), ("+5", "integer"),
        ("0", "integer"), ("5.0", "decimal"), ("-0.50", "decimal"), (".5", "decimal"),
        ("1e5", "double"), ("1.5E-3", "double"), ("-1.0e+06", "double"), (".5e1", "double"),
        ("INF", "double"), ("-INF", "double"), ("+INF", "double"), ("NaN", "double"),
        ("true", "boolean"), ("false", "boolean"),
    ],
)  # fmt: skip
def test_number_is_kept_as_written(written: str, datatype: str) -> None:
    assert one(f"( ?x = {written} ), ") == Cell("literal", written, XSD + datatype)


def test_quoted_number_keeps_its_own_type() -> None:
    assert one('( ?x = "009"^^xsd:int ), ') == Cell("literal", "009", XSD + "int")


def test_blank_node() -> None:
    assert one("( ?x = _:b0 ), ") == Cell("bnode", "b0")


@pytest.mark.parametrize(
    ("written", "iri"),
    [
        ("owl:Thing", "http://www.w3.org/2002/07/owl#Thing"),
        ("xsd:int", XSD + "int"),
        ("dbr:A_b", "dbr:A_b"),
    ],
)
def test_prefixed_name(written: str, iri: str) -> None:
    assert one(f"( ?x = {written} ), ") == uri(iri)


GOOD = "( ?x = <http://x.org/a> ), "


@pytest.mark.parametrize(
    "text",
    [
        "nonsense",
        "True",
        "1",
        "( ?x = )",
        "( ?x = <http://x.org/a>)",
        "(?x = <http://x.org/a> )",
        "( x = <http://x.org/a> )",
        "( ?x = <http://x.org/a )",
        '( ?x = "open )',
        '( ?x = "a"b" )',
        "( ?x = 5abc )",
        "( ?x = two words )",
        ", ",
    ],
)
@pytest.mark.parametrize("rows", [0, 1, 3])
def test_damage_is_named_with_its_place(refused: Refused, text: str, rows: int) -> None:
    message = refused(lambda: parse_answers(GOOD * rows + text))
    at = len(GOOD) * rows
    assert message == f"the answer string is damaged at character {at}: {text.strip()[:40]!r}"


def test_damage_far_inside_is_shown_in_part(refused: Refused) -> None:
    message = refused(lambda: parse_answers(GOOD * 100 + "?" * 500 + GOOD))
    assert message == f"the answer string is damaged at character {len(GOOD) * 100}: {'?' * 40!r}"


@pytest.mark.parametrize("cut", [5, 12, 30, 40])
def test_string_cut_off_is_damaged(refused: Refused, cut: int) -> None:
    refused(lambda: parse_answers((GOOD + '( ?x = "a long literal" ), ')[:cut]))


@pytest.mark.parametrize("escape", [r"\U00110000", r"\UFFFFFFFF", r"\uD83D", r"\uDE00\uD83D"])
def test_escape_of_no_character_is_damage(refused: Refused, escape: str) -> None:
    assert "damaged" in refused(lambda: parse_answers(f'( ?x = "{escape}" ), '))


def test_long_string_is_read_whole() -> None:
    rows = 40_000
    text = "".join(
        f'( ?x = <http://x.org/Entity_({row}),_longer> ) ( ?y = "v {row}"@en ), '
        for row in range(rows)
    )
    assert len(text) > 2_000_000
    answers = parse_answers(text)
    assert len(answers.rows) == rows
    assert answers.rows[-1] == (
        uri(f"http://x.org/Entity_({rows - 1}),_longer"),
        Cell("literal", f"v {rows - 1}", "", "en"),
    )


def test_long_literal_is_read_whole() -> None:
    value = 'a \\" b ' * 300_000
    assert len(one(f'( ?x = "{value}" )').value) == len(value) - 300_000


def test_long_damaged_literal_is_refused(refused: Refused) -> None:
    assert "character 0" in refused(lambda: parse_answers('( ?x = "' + 'a \\" ) ' * 300_000))


def write_text(text: str) -> str:
    names = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return "".join(
        names.get(letter) or (f"\\u{ord(letter):04x}" if letter == "\u00e9" else letter)
        for letter in text
    )


def write_cell(name: str, cell: Cell) -> str:
    """Write a cell as the published strings do."""
    if cell.type == "uri":
        shown = f"<{cell.value}>"
    elif cell.type == "bnode":
        shown = f"_:{cell.value}"
    elif cell.datatype in {XSD + kind for kind in ("integer", "decimal", "double", "boolean")}:
        shown = cell.value
    elif cell.datatype.startswith(XSD):
        shown = f'"{write_text(cell.value)}"^^xsd:{cell.datatype.removeprefix(XSD)}'
    else:
        tail = (
            f"@{cell.language}"
            if cell.language
            else f"^^<{cell.datatype}>"
            if cell.datatype
            else ""
        )
        shown = f'"{write_text(cell.value)}"{tail}'
    return f"( ?{name} = {shown} )"


def write_answers(answers: Answers) -> str:
    if answers.boolean is not None:
        return str(answers.boolean).lower()
    written = ""
    for row in answers.rows:
        cells = [
            write_cell(name, cell)
            for name, cell in zip(answers.variables, row, strict=True)
            if cell is not None
        ]
        written += " ".join(cells) + ", "
    return written


def random_cell(source: random.Random) -> Cell:
    def text(pieces: str | list[str], most: int) -> str:
        return "".join(source.choices(pieces, k=source.randint(0, most)))

    pieces = [
        "a",
        " ",
        ")",
        "(",
        ",",
        "), (",
        " = ",
        "?x",
        '"',
        "\\",
        "\n",
        "\t",
        "\u00e9",
        "\U0001f600",
        "@en",
        "^^",
        "<",
        ">",
        ":",
        "_",
    ]
    kinds: list[Cell] = [
        Cell("uri", "http://x.org/" + text("ab(),=?&'#/ \u00e9%_", 12)),
        Cell("literal", text(pieces, 10)),
        Cell("literal", text(pieces, 10), "", source.choice(["en", "de-CH", "zh-Hans"])),
        Cell("literal", text(pieces, 5), XSD + source.choice(["date", "int", "gYear"])),
        Cell("literal", text(pieces, 5), "http://x.org/type(" + text("ab),", 3)),
        Cell("literal", str(source.randint(-99, 99)), XSD + "integer"),
        Cell("literal", f"{source.uniform(-9, 9):.3f}", XSD + "decimal"),
        Cell("literal", f"{source.uniform(-9, 9):.2e}", XSD + "double"),
        Cell("literal", source.choice(["true", "false"]), XSD + "boolean"),
        Cell("bnode", f"b{source.randint(0, 9)}"),
    ]
    return source.choice(kinds)


def random_answers(source: random.Random) -> Answers:
    if source.random() < 0.05:
        return Answers(boolean=source.random() < 0.5)
    count = source.randint(0, 6)
    if count == 0:
        return Answers()
    names = tuple(source.sample(["uri", "x", "label", "n", "x1"], source.randint(1, 3)))
    rows: list[tuple[Cell | None, ...]] = [tuple(random_cell(source) for _ in names)]
    for _ in range(count - 1):
        row: list[Cell | None] = [
            random_cell(source) if source.random() < 0.8 else None for _ in names
        ]
        rows.append(tuple(row) if any(row) else tuple(random_cell(source) for _ in names))
    return Answers(variables=names, rows=tuple(rows))


def test_answers_written_and_read_are_the_same() -> None:
    for seed in range(300):
        answers = random_answers(random.Random(seed))
        assert parse_answers(write_answers(answers)) == answers, seed


def question_triples(*pairs: tuple[str, Literal | NamedNode]) -> list[Statement]:
    return [(NamedNode(IRI), NamedNode(predicate), term) for predicate, term in pairs]


@pytest.mark.parametrize(
    ("iris", "names"),
    [
        (["http://x.org/q#7", "http://x.org/q#12"], ["7", "12"]),
        (["http://x.org/q/7", "http://x.org/q#8"], ["7", "8"]),
        (["http://x.org/a/1", "http://x.org/b/1"], ["http://x.org/a/1", "http://x.org/b/1"]),
        (["http://x.org/a/", "http://x.org/b"], ["http://x.org/a/", "http://x.org/b"]),
        (["urn:a", "urn:b"], ["urn:a", "urn:b"]),
        ([], []),
    ],
)
def test_short_names_are_used_where_they_differ(iris: list[str], names: list[str]) -> None:
    assert local_names(iris) == names


def test_question_has_the_answers_of_its_string() -> None:
    question = read_question(IRI, "7", question_triples((LSQ + "answers", Literal(GOOD))))
    assert (question.id, question.iri, question.answers) == ("7", IRI, parse_answers(GOOD))


def test_question_without_an_answer_string_has_unknown_answers() -> None:
    assert read_question(IRI, "7", []).answers is None


def test_question_with_an_empty_answer_string_has_no_answers() -> None:
    assert (
        read_question(IRI, "7", question_triples((LSQ + "answers", Literal("")))).answers
        == Answers()
    )


def test_damaged_answers_name_the_question(refused: Refused) -> None:
    message = refused(
        lambda: read_question(IRI, "7", question_triples((LSQ + "answers", Literal("junk"))))
    )
    assert message == f"{IRI}: the answer string is damaged at character 0: 'junk'"


def test_triples_of_other_subjects_are_not_the_questions() -> None:
    other: list[Statement] = [
        (NamedNode(IRI + "1"), NamedNode(QALDGEN + "text"), Literal("Other?"))
    ]
    assert read_question(IRI, "7", other).text() == ""


def test_own_text_goes_before_the_text_of_schema_org() -> None:
    pairs = (("https://schema.org/text", Literal("Schema?")), (QALDGEN + "text", Literal("Own?")))
    assert read_question(IRI, "7", question_triples(*pairs)).text() == "Own?"


def test_text_without_a_tag_is_of_the_language_given() -> None:
    question = read_question(
        IRI, "7", question_triples((QALDGEN + "text", Literal("Qui ?"))), language="fr"
    )
    assert list(question.texts) == ["fr"]


def test_texts_keep_their_tags() -> None:
    pairs = (
        (QALDGEN + "text", Literal("Wer?", language="de")),
        (QALDGEN + "text", Literal("Who?", language="en")),
    )
    question = read_question(IRI, "7", question_triples(*pairs))
    assert (question.text("de"), question.text("en")) == ("Wer?", "Who?")


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("resource", "resource"),
        ("uri", "resource"),
        ("Number", "number"),
        ("Yes/No", "boolean"),
        ("date", "date"),
        ("odd", ""),
    ],
)
def test_answer_types_have_the_names_of_gerbil(written: str, kind: str) -> None:
    assert (
        read_question(
            IRI, "7", question_triples((QALDGEN + "answerType", Literal(written)))
        ).answer_type
        == kind
    )


def test_query_and_origin_are_read() -> None:
    pairs = ((LSQ + "text", Literal("ASK {}")), (QALDGEN + "questionOrigin", Literal("mine")))
    question = read_question(IRI, "7", question_triples(*pairs))
    assert (question.sparql, question.origin) == ("ASK {}", "mine")


@pytest.mark.parametrize(
    ("said", "flags"),
    [("true", {"aggregation": True}), ("0", {"aggregation": False}), ("maybe", {})],
)
def test_flags_are_what_the_data_say(said: str, flags: dict[str, bool]) -> None:
    flag = (QALDGEN + "aggregation", Literal(said, datatype=NamedNode(XSD + "boolean")))
    assert dict(read_question(IRI, "7", question_triples(flag)).flags) == flags


def test_a_query_that_aggregates_says_nothing_for_the_data() -> None:
    assert (
        dict(
            read_question(
                IRI, "7", question_triples((LSQ + "usesFeature", NamedNode(LSQ + "Aggregators")))
            ).flags
        )
        == {}
    )


def test_every_published_answer_string_is_read(published_store: LocalStore) -> None:
    rows = published_store.select(
        f"SELECT ?q ?text ?size {{ ?q <{LSQ}answers> ?text ; <{LSQ}resultSize> ?size }}"
    ).rows
    assert len(rows) == 5543
    wrong = []
    for question, text, size in rows:
        assert isinstance(text, Literal)
        assert isinstance(size, Literal)
        answers = parse_answers(text.value)
        count = 1 if answers.boolean is not None else len(answers.rows)
        if count != int(size.value):
            wrong.append(str(question))
    assert wrong == []


def test_published_answers_hold_no_rest_of_their_form(published_store: LocalStore) -> None:
    rows = published_store.select(f"SELECT ?text {{ ?q <{LSQ}answers> ?text }}").rows
    cells = [
        cell
        for (text,) in rows
        if isinstance(text, Literal)
        for row in parse_answers(text.value).rows
        for cell in row
        if cell
    ]
    assert [cell for cell in cells if "( ?" in cell.value or " ), (" in cell.value] == []
    assert [
        cell
        for cell in cells
        if cell.type == "uri" and not re.fullmatch(r"[a-z]+:[^\s<>]+", cell.value)
    ] == []
