"""What is written out comes back with the same meaning.

Every form of question sets through every export.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from exports import render
from matched import counts_frame
from pyoxigraph import Literal, NamedNode
from questions import literal

from qaldgen.annotation.annotate import Annotation, annotate
from qaldgen.answers.reading import read_run
from qaldgen.answers.record import Response, Run, status_of
from qaldgen.benchmark.benchmark import FORMATS, Benchmark
from qaldgen.benchmark.gold import Gold, load_gold
from qaldgen.benchmark.make import sample
from qaldgen.benchmark.rdf import load_benchmark
from qaldgen.cli.main import cli
from qaldgen.model import Answers, Cell, Question, QuestionSet, WrittenCell
from qaldgen.questions.collecting import ReadOptions
from qaldgen.questions.gerbil import answer_strings, gerbil_refusal
from qaldgen.questions.reading import READERS, read_questions
from qaldgen.questions.results_json import as_literals
from qaldgen.rdf.terms import XSD
from qaldgen.scoring.matchers import make_matcher
from qaldgen.scoring.rules import Rules
from qaldgen.selection.select import select

FILES = sorted(
    path
    for path in (Path(__file__).parent.parent / "data" / "formats").iterdir()
    # the folder needs a format of a plug-in
    if path.is_file() or path.name in READERS
)
#: The variables are called as the columns of readers, in any case: none of them may come back as
#: gold, query, text or id.
QUERY = """PREFIX q: <http://qald-gen.aksw.org/vocab#>
SELECT ?qId (1 AS ?answers) (1 AS ?answer) (1 AS ?Answers) (1 AS ?gold) (1 AS ?target)
  (1 AS ?query) (1 AS ?sparql) (1 AS ?SPARQL) (1 AS ?language) (1 AS ?languages) (1 AS ?split)
  (1 AS ?id) (1 AS ?uid) (1 AS ?question_id) (1 AS ?text) (1 AS ?question) (1 AS ?iri)
  (1 AS ?weight) (1 AS ?cluster) (1 AS ?answer_type) (1 AS ?origin) (1 AS ?complexityType)
  (1 AS ?category) (1 AS ?inclusion_probability)
{ ?qId a q:Question }"""


def column(*cells: Cell | None, variable: str = "uri") -> Answers:
    return Answers(variables=(variable,), rows=tuple((cell,) for cell in cells))


def typed_first(value: str, datatype: str) -> Cell:
    """Return a literal whose file has the datatype before the value."""
    written = {"type": "literal", "datatype": f"{XSD}{datatype}", "value": value}
    return WrittenCell.of(literal(value, datatype), written)


A, B, TRUE = (
    Cell("uri", "http://x.org/A"),
    Cell("uri", "http://x.org/B"),
    literal("true", "boolean"),
)
#: Texts that some form takes for something else.
WORDS = [
    "Phobos, Deimos", "a|b", r"a\|b", "a\\", "\\", "|", 'the "Moon"', '"', "two\nlines",
    "two\rlines", "two\r\nlines", "a\ttab", " before", "after ", " ", "", "007", "1e5", "NA", "nan",
    "null", "None", "true", "False", "yes", "no", "[]", "{}", "[1]",
    '{"results": {"bindings": []}}', '{"texts": [["x"]]}', "http://x.org/A", "http://x.org/a b",
    "urn:isbn:1", "=1+1", "@x", "-", "5", "5.0", "Zürich", "東京", "שלום", "😀", "a\u2028b",
    "a\u00a0b", "\ufeffx", "#x", "x;y", "a%20b", "<b>", "2001-01-01",
]  # fmt: skip
ANSWERS: dict[str, Answers | None] = {
    "none": None,
    "empty": Answers(),
    "empty rows": Answers(variables=("x",)),
    "true": Answers(boolean=True),
    "false": Answers(boolean=False),
    "iris": column(A, B),
    "iri and literal": column(A, literal("5")),
    "duplicates": column(A, B, A),
    "typed": column(literal("5", "integer"), literal("5.0", "decimal"),
        literal("2001-01-01", "date"), TRUE),
    "same text, other types": column(literal("5"), literal("5", "integer"), literal("5", "string")),
    "tagged": column(literal("Moon", language="en"), literal("Mond", language="de"),
        literal("Moon")),
    "several variables": Answers(variables=("x", "y"),
        rows=((A, literal("a")), (B, None), (None, literal("b")))),
    "unbound": column(A, None),
    "blank node": column(Cell("bnode", "b0"), A),
    "odd iris": column(*(Cell("uri", iri) for iri in ("http://x.org/a|b", "http://x.org/a,b",
                "urn:isbn:1", "Q5"))),
    "other datatype": column(Cell("literal", "Point(1 2)",
            "http://www.opengis.net/ont/geosparql#wktLiteral")),
    "words": Answers(texts=(("Phobos",), ("Deimos",))),
    "wordings": Answers(texts=(("Phobos", "Mars I", "Φόβος"), ("Deimos",), ("Phobos", "another"))),
    "words and cells": Answers(variables=("x",), rows=((A,), (literal("Phobos"),)),
        texts=(("Phobos", "Mars I"),)),
    "rewritten date": column(typed_first("2012-1-1", "date"), typed_first("2012-02-30", "date")),
    "rewritten boolean": column(typed_first("1", "boolean")),
    "rewritten, with others": Answers(None, ("x", "y"),
        ((A, typed_first("2012-1-1", "date")), (B, None)), (("Amber", "x"),)),
    "white space around an iri":
        column(WrittenCell.of(A, {"type": "uri", "value": " http://x.org/A"})),
    "boolean and rows": Answers(boolean=True, beside=(A, typed_first("2012-1-1", "date"))),
    **{f"literal {word!r}": column(literal(word)) for word in WORDS},
    **{f"word {word!r}": Answers(texts=((word,),)) for word in WORDS},
    **{f"wording {word!r}": Answers(texts=((word, "other"), ("third", word))) for word in WORDS},
    **{f"two {one!r} {two!r}": column(literal(one), literal(two)) for one,
        two in itertools.pairwise(WORDS)},
}  # fmt: skip
IDS = [
    "007", "1e5", "NA", "null", "true", "a b", "a/b", "a#b", "é", "a%20b", "a,b", 'a"b', "a|b",
    "?x", "http://x.org/7", "12#2", "..", "=1",
]  # fmt: skip
TEXTS = {
    "en": ("Which moons, and why?", "Name the moons!", 'Say "which"'),
    "de": ("Welche Monde?",),
    "pt-BR": ("Quais luas?", "Que luas?"),
}
TRAPS = {
    "answers": [Question(f"q{n}", {"en": (f"Which {name}?",)}, answers=gold) for n,
        (name, gold) in enumerate(ANSWERS.items())],
    "answers with query": [
        Question(f"q{n}", {"en": (f"Which {n}?",)}, queries={"": "SELECT ?x { ?x ?y ?z }"},
            answers=gold)
        for n, gold in enumerate(list(ANSWERS.values())[::3])
    ],
    "yes or no": [
        Question(f"q{n}", {"en": (f"Is it {n}?",)}, answers=Answers(texts=((word,),)),
            answer_type=kind)
        for n,
        (word,
            kind) in enumerate(itertools.product(("true", "yes", "No", "1", "nope"),
                ("", "boolean", "string")))
    ],
    "ids": [Question(name, {"en": (f"Who is {name}?",)}, answers=column(A)) for name in IDS],
    "texts": [
        Question("1", TEXTS, keywords={"de": "Monde, Mars"}, answers=column(A),
            flags={"onlydbo": False, "hybrid": True}),
        Question("2", {"zh-Hant": ("誰？",), "en": ("two\nlines", "a\ttab")}, answers=column(B)),
        Question("3", {"fr": ("Qui ?",)}, answers=None),
    ],
    "queries": [
        Question("1", {"en": ("Who?",)},
            queries={"wikidata": "ASK { wd:Q1 ?p ?o }", "dbpedia": "ASK {\n dbr:A ?p 'x\ty' }"}),
        Question("2", {"en": ("Who else?",)}, queries={"dbpedia": "ASK { ?s ?p ?o }"},
            answers=Answers(boolean=True)),
        Question("3", {"en": ("Whoever?",)},
            queries={"": 'SELECT ?x { ?x ?p "a,b" }', "freebase": "ASK {}"}, answers=column(A)),
        Question("4", {"en": ("Nobody?",)}),
    ],
}  # fmt: skip


def load(source: Path | str) -> QuestionSet:
    if isinstance(source, Path):
        return read_questions(source)
    return QuestionSet(source.replace(" ", "-"), "made", tuple(TRAPS[source]))


class Made(NamedTuple):
    """A question set, the RDF that the annotator writes, and a benchmark of all questions in it.

    The benchmark is written once in each form that is read as gold.
    """

    questions: QuestionSet
    annotation: Annotation
    benchmark: Benchmark
    files: dict[str, tuple[Path, list[str]]]
    golds: dict[str, Gold]


def folded(answers: Answers | None) -> Any:  # noqa: ANN401
    """Return what answers mean: the set of their rows without unbound cells, and the wordings."""
    if answers is None:
        return None
    rows = {tuple(cell for cell in row if cell is not None) for row in answers.rows} - {()}
    return answers.boolean, rows, sorted(answers.texts), sorted(set(answer_strings(answers)))


def in_words(answers: Answers | None) -> Answers | None:
    return answers and as_literals(answers)


def by_id(questions: Iterable[Question]) -> dict[str, Question]:
    return {question.id: question for question in questions}


def written(benchmark: Benchmark, form: str, folder: Path) -> tuple[Path, list[str]]:
    data, notes = render(benchmark, form)
    path = folder / f"bench{FORMATS[form].ending}"
    path.write_bytes(data)
    return path, notes


#: The forms that are read as gold.
FORMS = ("turtle", "qald-json", "csv", "jsonl")
SOURCES = [*FILES, *TRAPS]
NAMES = [source.name if isinstance(source, Path) else source for source in SOURCES]


@pytest.fixture(scope="module", params=SOURCES, ids=NAMES)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    questions = load(request.param)
    annotation = annotate(questions, language="xx")
    vectors = select(annotation.store(), QUERY)
    benchmark = sample(vectors, len(vectors), method="random")
    folder = tmp_path_factory.mktemp("made")
    files = {form: written(benchmark, form, folder) for form in FORMS}
    golds = {form: load_gold(path) for form, (path, _) in files.items()}
    return Made(questions, annotation, benchmark, files, golds)


def test_every_form_of_question_sets_has_an_example() -> None:
    assert {read_questions(path).format for path in FILES} == {
        name for name, reader in READERS.items() if not reader.answers
    }


def test_forms_that_keep_everything(made: Made, tmp_path: Path) -> None:
    before = by_id(made.questions.questions)
    triples, _ = written(made.benchmark, "ntriples", tmp_path)
    golds = {form: made.golds[form] for form in ("turtle", "qald-json")}
    for form, gold in {**golds, "ntriples": load_gold(triples)}.items():
        after = by_id(gold.questions.questions)
        assert set(after) == set(before), form
        for name, question in before.items():
            same_meaning(after[name], question, f"{form}: {name}")


def same_meaning(found: Question, question: Question, where: str) -> None:
    assert folded(found.answers) == folded(question.answers), where
    assert {tag: set(own) for tag, own in found.texts.items()} == {
        tag: set(own) for tag, own in question.texts.items()
    }, where
    assert all(found.texts[tag][0] == own[0] for tag, own in question.texts.items()), where
    assert list(found.queries.values()) == list(question.queries.values()), where
    assert dict(found.keywords) == dict(question.keywords), where
    assert {flag: found.flags[flag] for flag in question.flags} == question.flags, where


def test_the_annotation_keeps_everything(made: Made, tmp_path: Path) -> None:
    questions = made.questions
    path = tmp_path / "features.ttl"
    made.annotation.save(path)
    after = by_id(read_questions(path).questions)
    assert {name: folded(one.answers) for name, one in after.items()} == {
        q.id: folded(q.answers) for q in questions.questions
    }
    assert {name: list(one.texts) for name, one in after.items()} == {
        q.id: list(q.texts) for q in questions.questions
    }


def test_weights_and_clusters_come_back(made: Made) -> None:
    expected = made.golds["turtle"]
    for form, gold in made.golds.items():
        assert (gold.weights, gold.clusters, gold.inclusion) == (
            expected.weights,
            expected.clusters,
            expected.inclusion,
        ), form


def test_gerbil_loads_what_is_written(made: Made) -> None:
    path, _ = made.files["qald-json"]
    assert gerbil_refusal(path.read_text(encoding="utf-8")) is None


def test_the_extended_form_has_all_but_what_it_says(made: Made, tmp_path: Path) -> None:
    questions, benchmark = made.questions, made.benchmark
    queried = dataclasses.replace(
        benchmark, members=tuple(with_query(member) for member in benchmark.members)
    )
    path, notes = written(queried, "qald-extended", tmp_path)
    assert gerbil_refusal(path.read_text(encoding="utf-8")) is None
    before, after = by_id(questions.questions), by_id(read_questions(path).questions)
    for name, question in before.items():
        assert folded(after[name].answers) == folded(in_words(question.answers)), name
        assert dict(after[name].texts) == dict(question.texts), name
    varied = sum(
        any(len(own) > 1 for own in q.answers.texts)
        for q in questions.questions
        if q.answers is not None
    )
    said = f"cannot hold variants of the answers: {varied:,} of {len(before):,} questions lose them"
    assert any(said in note for note in notes) == bool(varied)


def test_tables_have_all_but_what_they_say(made: Made) -> None:
    questions, benchmark = made.questions, made.benchmark
    for form, kind in (("csv", "table"), ("jsonl", "json-records")):
        path, notes = made.files[form]
        read = read_questions(path)
        assert read.format == kind
        after = by_id(read.questions)
        assert list(after) == [question.id for question in benchmark.questions], form
        for name, question in by_id(questions.questions).items():
            assert folded(after[name].answers) == folded(question.answers), (form, name)
            assert after[name].text() == question.text(), (form, name)
            assert after[name].sparql == question.sparql.strip(), (form, name)
        notes = [note for note in notes if "a spreadsheet would execute" not in note]
        told = left_out_of_tables(questions)
        assert [any(what in note for note in notes) for what in told] == [True] * len(notes), form


def left_out_of_tables(questions: QuestionSet) -> list[str]:
    """Return what a table has to say that it leaves out."""
    lost = {
        "texts in other languages": [len(q.texts) > 1 for q in questions.questions],
        "paraphrases": [
            len(next(own for own in q.texts.values() if own[0] == q.text())) > 1
            for q in questions.questions
        ],
        "further queries": [len(set(q.queries.values())) > 1 for q in questions.questions],
    }
    return [
        f"{what} of {sum(is_so):,} of {len(is_so):,} questions are left out"
        for what, is_so in lost.items()
        if any(is_so)
    ]


def with_query(member: Any) -> Any:  # noqa: ANN401
    """Give a member a query that parses, which extended QALD JSON needs."""
    name = NamedNode("http://lsq.aksw.org/vocab#text")
    others = tuple(statement for statement in member.triples if statement[1] != name)
    return dataclasses.replace(
        member, triples=(*others, (NamedNode(member.iri), name, Literal("ASK {}")))
    )


MATCHERS = ("gerbil", "strict", "exact", "contains")


def counts(questions: Iterable[Question], match: str, run: Run) -> dict[str, list[int]]:
    found = counts_frame(list(questions), run, make_matcher(match, Rules()))
    return {str(name): own for name, *own in found[["tp", "fp", "fn"]].itertuples()}


def runs_of(questions: QuestionSet) -> list[Run]:
    """Return a perfect run, a silent one, and one that gives each question the next answer."""
    golds = [question.answers or Answers() for question in questions.questions]
    shifted = [*golds[1:], *golds[:1]]
    runs = {"perfect": golds, "silent": [Answers()] * len(golds), "wrong": shifted}
    return [
        Run(
            name,
            "made",
            {
                q.id: Response(q.id, status_of(a), a)
                for q, a in zip(questions.questions, given, strict=True)
            },
        )
        for name, given in runs.items()
    ]


def test_every_run_has_the_score_that_it_had(made: Made) -> None:
    questions = made.questions.questions
    golds = {form: gold.questions.questions for form, gold in made.golds.items()}
    assert {form: len(gold) for form, gold in golds.items()} == dict.fromkeys(FORMS, len(questions))
    golds["before"] = questions
    # counted together, which is quicker than one by one
    every, responses = [], {}
    for run, (form, gold) in itertools.product(runs_of(made.questions), golds.items()):
        for question in gold:
            name = f"{form} {run.name} {question.id}"
            every.append(dataclasses.replace(question, id=name))
            responses[name] = dataclasses.replace(run.responses[question.id], id=name)
    for match in MATCHERS:
        found = counts(every, match, Run("all", "made", responses))
        for name, own in found.items():
            _, _, rest = name.partition(" ")
            assert own == found[f"before {rest}"], (match, name)


def test_the_gold_file_is_the_perfect_run(made: Made) -> None:
    questions = made.questions
    # of a table only the answers in one language are read
    given = [q for q in questions.questions if "en" in q.texts]
    expected = {
        match: counts(given, match, runs_of(questions)[0]) for match in ("gerbil", "strict")
    }
    for form in ("qald-json", "csv", "jsonl"):
        path, _ = made.files[form]
        run = read_run(path, gold=load_gold(path, ReadOptions(language="en")).questions)
        for match, perfect in expected.items():
            assert counts(given, match, run) == perfect, (form, match)


def test_a_saved_benchmark_is_exported_as_the_sample_was(made: Made) -> None:
    saved = load_benchmark(made.files["turtle"][0])
    for form, (path, notes) in made.files.items():
        assert render(saved, form) == (path.read_bytes(), notes), form


def test_answers_in_words_survive_the_command_line(tmp_path: Path) -> None:
    def call(*arguments: str) -> str:
        found = CliRunner().invoke(
            cli,
            [str(tmp_path / one) if "." in one else one for one in arguments],
            catch_exceptions=False,
        )
        assert found.exit_code == 0, found.output
        return found.stdout

    (tmp_path / "mars.csv").write_text(
        'id,text,answers\n1,"Which moons has Mars?",Phobos|Deimos\n2,"Is Mars red?",true\n'
    )
    (tmp_path / "all.rq").write_text(
        "SELECT ?qId (1 AS ?answers) { ?qId a <http://qald-gen.aksw.org/vocab#Question> }"
    )
    (tmp_path / "right.json").write_text('{"1": ["Phobos", "Deimos"], "2": true}')
    (tmp_path / "silent.json").write_text('{"1": [], "2": []}')
    outputs = ["b.ttl", "b.json", "b.csv", "b.jsonl"]
    call("annotate", "mars.csv", "--lang", "xx", "-o", "features.ttl")
    written_to = [argument for name in outputs for argument in ("-o", name)]
    call(
        "sample",
        "features.ttl",
        "-q",
        "all.rq",
        "-m",
        "random",
        "-n",
        "2",
        "--lang",
        "xx",
        *written_to,
    )
    for gold in ("mars.csv", "features.ttl", *outputs):
        rows = json.loads(
            call(
                "score", gold, "right.json", "silent.json", "--lang", "xx", "-q", "--format", "json"
            )
        )
        assert {(row["run"], row["f1"]) for row in rows} == {("right", 1.0), ("silent", 0.0)}, gold
