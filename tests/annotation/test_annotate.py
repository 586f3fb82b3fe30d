"""Questions in, feature RDF out; table, vocabulary, shapes and documentation stay in step."""

from __future__ import annotations

import functools
import importlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyoxigraph
import pyshacl
import pytest
import rdflib
from click.testing import CliRunner
from pyoxigraph import Literal, NamedNode
from questions import question
from sparql_servers import StubServer, stalled, status

import qaldgen
from qaldgen.annotation.annotate import annotate
from qaldgen.benchmark.make import sample
from qaldgen.cli.main import cli
from qaldgen.errors import DataError, UsageError
from qaldgen.features import cache, compute
from qaldgen.features.catalogue import FEATURES, Evidence, Feature
from qaldgen.features.compute import stream_features
from qaldgen.features.data_features import answer_type
from qaldgen.features.feature_notes import Complaint
from qaldgen.features.generalisation import training_items
from qaldgen.features.query.query_features import (
    FeatureValue,
    FeatureValues,
    QueryTree,
    query_features,
)
from qaldgen.features.r1_compat import answer_string
from qaldgen.features.text.text_features import load_model, text_features
from qaldgen.features.vocabulary import catalogue_text
from qaldgen.io.packages import resource_dir
from qaldgen.model import Answers, Cell, Question, QuestionSet
from qaldgen.questions.rdf_questions import parse_answers, read_question
from qaldgen.questions.reading import read_questions
from qaldgen.rdf.terms import CODES, LSQ, PREFIXES, QALDGEN, XSD, Statement
from qaldgen.selection.select import select

ROOT = Path(__file__).resolve().parent.parent.parent
RIVERS = (
    "<http://x.org/r/Amber_River> <http://x.org/o/length> 7 ;"
    f' <{PREFIXES["rdfs"]}label> "Long Amber" .'
)
QUERY = "SELECT ?l { <http://x.org/r/Amber_River> <http://x.org/o/length> ?l }"
needs_model = pytest.mark.skipif(
    load_model("en") is None, reason="no English spaCy model is installed: pip install .[en]"
)


def about_river(name: str = "1", **changes: object) -> Question:
    given: dict[str, object] = {
        "texts": {
            "en": ("How long is the Amber River?", "What length has the Amber River?"),
            "de": ("Wie lang ist er?",),
        },
        "queries": {"": QUERY},
        "answers": Answers(variables=("l",), rows=((Cell("literal", "7", XSD + "integer"),),)),
    }
    return question(name, **{**given, **changes})  # type: ignore[arg-type]


def questions(*members: Question, name: str = "rivers.json") -> QuestionSet:
    return QuestionSet(name, "qald-json", members or (about_river(),))


def values(*members: Question) -> list[FeatureValues]:
    return list(stream_features(members))


def terms(made: Sequence[Statement], prop: str) -> list[str]:
    return [str(o) for _, p, o in made if p == pyoxigraph.NamedNode(prop)]


# --- the table ----------------------------------------------------------------------------------


def test_names_and_properties_are_unique() -> None:
    assert len({feature.name for feature in FEATURES}) == len(FEATURES)
    assert len({feature.term for feature in FEATURES}) == len(FEATURES)


def test_every_property_is_declared_once() -> None:
    ontology = pyoxigraph.parse(path=str(resource_dir("vocab") / "qaldgen.ttl"))
    made = pyoxigraph.parse(catalogue_text("turtle"), format=pyoxigraph.RdfFormat.TURTLE)
    declared = [{quad.subject for quad in quads} for quads in (ontology, made)]
    assert all(
        (pyoxigraph.NamedNode(f.term) in declared[0])
        != (pyoxigraph.NamedNode(f.term) in declared[1])
        for f in FEATURES
    )


def test_a_feature_of_ones_own_is_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Feature(
        "vowels",
        "integer",
        "T",
        "Vowels.",
        lambda e: sum(c in "aeiou" for c in e.question.text()),
        "http://x.org/vowels",
    )
    monkeypatch.setattr(compute, "all_features", lambda: {row.name: row})
    assert values(about_river()) == [{"vowels": 7}]


def test_features_verb_prints_every_name() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "qaldgen", "list", "features"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    ).stdout
    assert [line.split()[0] for line in shown.splitlines()[1:]] == [
        feature.name for feature in FEATURES
    ]


# --- values -------------------------------------------------------------------------------------


def test_features_of_text_query_and_answers() -> None:
    found = values(about_river())[0]
    assert found["length"] == 6
    assert found["whType"] == "how-adj"
    assert found["tpCount"] == 1
    assert found["totalWordsEntity1"] == 2
    assert found["isExplicitEntity1"] is True
    assert found["resultCount"] == 1


@needs_model
def test_headword_comes_from_the_model() -> None:
    assert (
        values(about_river(texts={"en": ("Which rivers cross the plain?",)}))[0]["headword"]
        == "rivers"
    )


def test_what_a_question_has_not_is_absent() -> None:
    found = values(about_river(queries={}, answers=None))[0]
    assert {"tpCount", "totalEntities", "resultCount", "templateId", "answerIsEmpty"}.isdisjoint(
        found
    )
    assert "" not in [value for value in found.values() if isinstance(value, str)]


def test_question_without_the_language_has_no_text_features() -> None:
    found = values(about_river(texts={"de": ("Wie lang ist er?",)}))[0]
    assert "length" not in found
    assert found["tpCount"] == 1


def test_query_that_cannot_be_parsed_is_counted_not_hidden() -> None:
    made = annotate(
        questions(about_river("1"), about_river("2", queries={"": "this is no query {"}))
    )
    assert made.unparsable == ("http://qald-gen.aksw.org/question/rivers/2",)
    assert "tpCount" not in made.values[0][1]


def test_whatever_one_question_does_the_others_have_their_features(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(tree: QueryTree) -> dict[str, FeatureValue]:
        if tree.form == "ask":
            raise KeyError(6)
        return query_features(tree)

    monkeypatch.setattr(compute, "query_features", broken)
    made = annotate(
        questions(
            about_river("1"), about_river("2", queries={"": "ASK { ?a ?b ?c }"}), about_river("3")
        )
    )
    assert ["tpCount" in found for found in made.values[0]] == [True, False, True]
    assert made.values[0][1]["totalEntities"] == 0
    assert made.notes == ("its query has no features: 1 of 3 questions (2: KeyError: 6)",)


def test_text_that_fails_costs_no_other_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(texts: Sequence[str], **options: object) -> Iterator[dict[str, FeatureValue]]:
        for found, text in zip(text_features(texts, **options), texts, strict=True):  # type: ignore[arg-type]
            if "boom" in text:
                raise ValueError("it\nbooms")
            yield {**found}

    monkeypatch.setattr(compute, "text_features", broken)
    made = annotate(
        questions(about_river("1"), about_river("2", texts={"en": ("boom?",)}), about_river("3"))
    )
    assert ["length" in found for found in made.values[0]] == [True, False, True]
    assert "tpCount" in made.values[0][1]
    assert made.notes == ("its text has no features: 1 of 3 questions (2: ValueError: it booms)",)


def test_feature_that_fails_costs_no_other_feature(monkeypatch: pytest.MonkeyPatch) -> None:
    def value(evidence: Evidence) -> int | None:
        return 1 // (evidence.question.id != "2")

    own = Feature("own", "integer", "T", "Mine.", value, "http://x.org/own")
    monkeypatch.setattr(
        compute, "all_features", lambda: {one.name: one for one in (own, *FEATURES)}
    )
    problems: list[Complaint] = []
    found = list(stream_features([about_river("1"), about_river("2")], complain=problems.append))
    assert ["own" in one for one in found] == [True, False]
    assert "tpCount" in found[1]
    assert [(asked.id, problem.statement) for asked, problem in problems] == [
        ("2", "own could not be computed")
    ]


def test_full_memory_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(compute, "query_features", full)
    with pytest.raises(MemoryError):
        list(stream_features([about_river()]))


def test_problem_is_told_again_where_the_features_are_kept(tmp_path: Path) -> None:
    asked = questions(about_river("1"), about_river("2", queries={"": "this is no query {"}))
    first, second = (annotate(asked, cache=tmp_path / "c.sqlite") for _ in range(2))
    assert first.values == second.values
    assert first.notes == second.notes
    assert first.notes[0].startswith(
        "1 of 2 queries cannot be parsed; they have no features (2: the query does not parse before"
    )
    assert repr(first).endswith("1 notes>")


def test_unknown_prefixes_are_named() -> None:
    made = annotate(
        questions(
            *(
                about_river(str(n), queries={"": "ASK { ?a qb:b lso:c ; qb:d ?e }"})
                for n in range(5)
            ),
            about_river("7"),
        )
    )
    assert made.unparsable == ()
    assert [found["tpCount"] for found in made.values[0]] == [2] * 5 + [1]
    assert made.notes == (
        (
            "5 of 6 queries use unknown prefixes: qb:, lso: (0, 1, 2, ...). Only their structure"
            " has features"
        ),
    )


@pytest.mark.parametrize(
    ("query", "said", "answers", "text", "expected"),
    [
        ("boolean", "number", Answers(boolean=True), "resource", "boolean"),
        ("", "date", Answers(boolean=True), "resource", "date"),
        (
            "",
            "",
            Answers(variables=("x",), rows=((Cell("uri", "http://x.org/a"),),)),
            "number",
            "resource",
        ),
        ("", "", None, "number", "number"),
        ("", "", None, "", None),
    ],
)
def test_answer_type_takes_the_surest_source(
    query: str, said: str, answers: Answers | None, text: str, expected: str | None
) -> None:
    asked = about_river(answer_type=said, answers=answers)
    groups = ({"expectedAnswerType": text} if text else {}, {"answerType": query} if query else {})
    assert answer_type(Evidence(asked, groups[0], groups[1], {})) == expected


def test_labels_replace_local_names() -> None:
    found = next(
        stream_features([about_river()], labels={"http://x.org/r/Amber_River": "Long Amber"})
    )
    assert found["entityLabels"] == ("Long Amber",)
    assert found["isExplicitEntity1"] is False


def test_processes_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compute, "_CHUNK", 3)
    many = [
        about_river(str(number), texts={"en": (f"How long is river {number}?",)})
        for number in range(8)
    ]
    assert list(stream_features(many, n_jobs=2)) == list(stream_features(many))


def test_cache_gives_the_same_and_computes_only_what_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = about_river("1"), about_river("2", texts={"en": ("Is it long?",)})
    alone = list(stream_features([first], cache=tmp_path / "c.sqlite"))
    asked: list[int] = []
    real = compute._compute_chunk

    def counted(chunk: Sequence[Question], *how: Any) -> compute._ChunkFeatures:  # noqa: ANN401
        asked.append(len(chunk))
        return real(chunk, *how)

    monkeypatch.setattr(compute, "_compute_chunk", counted)
    both = list(stream_features([first, second], cache=tmp_path / "c.sqlite"))
    assert asked == [1]
    assert both == [*alone, *stream_features([second])]


def test_damaged_cache_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "c.sqlite").write_bytes(b"this is no database")
    assert list(stream_features([about_river()], cache=tmp_path / "c.sqlite")) == values(
        about_river()
    )


def test_damaged_cache_begins_anew(tmp_path: Path) -> None:
    (tmp_path / "c.sqlite").write_bytes(b"this is no database")
    list(stream_features([about_river()], cache=tmp_path / "c.sqlite"))
    keys = cache.content_keys([about_river()], "en", {}, compute.model_name("en"))
    assert list(cache.load_features(tmp_path / "c.sqlite", keys)) == keys


@pytest.mark.parametrize(
    "name",
    [
        "model.py",
        "rdf.py",
        "features/text_wh.py",
        "grammar/terms.py",
        "features/data/new.tsv",
        "new/part.py",
    ],
)
def test_cache_key_depends_on_every_file_of_the_package(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "qaldgen"
    shutil.copytree(
        Path(qaldgen.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__")
    )
    monkeypatch.setattr(qaldgen, "__file__", str(package / "__init__.py"))
    before = cache.content_keys([about_river()], "en", {}, "m")
    assert before == cache.content_keys([about_river()], "en", {}, "m")
    (package / name).parent.mkdir(exist_ok=True)
    with (package / name).open("a") as file:
        file.write("\n")
    assert before != cache.content_keys([about_river()], "en", {}, "m")


@pytest.mark.parametrize("partial", [False, True], ids=["function", "function with arguments"])
def test_cache_key_depends_on_the_whole_package_of_an_added_feature(
    partial: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "addedfeatures" / "inner").mkdir(parents=True)
    (tmp_path / "addedfeatures" / "__init__.py").write_text(
        "def value(evidence, of=1):\n    return of\n"
    )
    (tmp_path / "addedfeatures" / "inner" / "table.tsv").write_text("1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "addedfeatures", raising=False)
    function = importlib.import_module("addedfeatures").value
    value = functools.partial(function, of=2) if partial else function
    mine = Feature("mine", "integer", "T", "Mine.", value, "http://x.org/mine")
    monkeypatch.setattr(cache, "all_features", lambda: {"mine": mine})
    before = cache.content_keys([about_river()], "en", {}, "m")
    (tmp_path / "addedfeatures" / "inner" / "table.tsv").write_text("2\n")
    assert before != cache.content_keys([about_river()], "en", {}, "m")


def test_cache_key_depends_on_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    before = cache.content_keys([about_river()], "en", {}, "m")
    monkeypatch.setattr(cache, "versions", lambda: {"spacy": "99"})
    assert before != cache.content_keys([about_river()], "en", {}, "m")


def test_cache_key_depends_only_on_packages_that_features_use() -> None:
    if not compute.model_name("en"):
        pytest.skip("no spaCy model for English: pip install .[en]")
    code = (
        "import sys\n"
        "from qaldgen.features import cache, compute\n"
        "from qaldgen.model import Question\n"
        "query = 'SELECT ?x { <http://x.org/Rhine> <http://x.org/length> ?x }'\n"
        "rhine = Question('1', {'en': ('How long is the Rhine?',)}, queries={'': query})\n"
        "list(compute.stream_features([rhine], n_jobs=1))\n"
        "print({*cache.PACKAGES} - {*sys.modules})"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "set()\n"


def test_annotating_from_python_keeps_features_like_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QALDGEN_CACHE", str(tmp_path))
    asked = QuestionSet("mine", "table", (about_river(),))
    first = qaldgen.annotate(asked)
    monkeypatch.setattr(compute, "_compute_chunk", lambda *given: pytest.fail("was computed anew"))
    assert qaldgen.annotate(asked).values == first.values


def test_cache_key_depends_on_content_language_and_labels_not_on_the_id() -> None:
    key = cache.content_keys([about_river("1")], "en", {}, "m")
    assert key == cache.content_keys([about_river("2")], "en", {}, "m")
    others = [
        cache.content_keys([about_river(texts={"en": ("Other?",)})], "en", {}, "m"),
        cache.content_keys([about_river()], "de", {}, "m"),
        cache.content_keys([about_river()], "en", {"http://x.org/a": "b"}, "m"),
        cache.content_keys([about_river()], "en", {}, "n"),
    ]
    assert key not in others


# --- RDF ----------------------------------------------------------------------------------------


def test_numbers_flags_codes_and_texts_in_rdf() -> None:
    made = list(annotate(questions()).statements)
    assert terms(made, QALDGEN + "length") == [f'"6"^^<{XSD}integer>']
    assert terms(made, QALDGEN + "hasUnion") == [f'"false"^^<{XSD}boolean>']
    assert terms(made, QALDGEN + "whType") == [f"<{CODES}whType/how-adj>"]
    assert terms(made, QALDGEN + "avgEntitiesWords") == [f'"2.0"^^<{XSD}decimal>']
    assert terms(made, LSQ + "usesFeature") == [f"<{LSQ}Select>"]
    assert '"Wie lang ist er?"@de' in terms(made, QALDGEN + "text")


def test_questions_are_named_by_set_and_id() -> None:
    made = annotate(questions(about_river("a/1"), name="My set (v2).json"))
    subjects = {s.value for s, _, _ in made.statements if isinstance(s, pyoxigraph.NamedNode)}
    assert "http://qald-gen.aksw.org/question/My-set-v2-/a%2F1" in subjects


def test_two_sets_of_one_name_are_refused() -> None:
    with pytest.raises(UsageError, match="two question sets have the name 'rivers'"):
        annotate([questions(), questions()])


def test_question_is_read_back_from_rdf() -> None:
    asked = about_river(answer_type="number")
    made = annotate(questions(asked))
    iri = "http://qald-gen.aksw.org/question/rivers/1"
    again = read_question(iri, "1", made.store().triples([iri]))
    assert (again.texts, again.answers, again.answer_type, again.sparql) == (
        asked.texts,
        asked.answers,
        "number",
        asked.sparql,
    )


def test_answers_in_words_survive_rdf() -> None:
    asked = about_river(answers=Answers(texts=(("seven", "7"), ("eight",))), queries={})
    iri = "http://qald-gen.aksw.org/question/rivers/1"
    assert (
        read_question(iri, "1", annotate(questions(asked)).store().triples([iri])).answers
        == asked.answers
    )


def test_same_questions_same_bytes() -> None:
    assert annotate(questions()).dump() == annotate(questions()).dump()


def test_annotated_questions_can_be_selected_and_sampled() -> None:
    many = [about_river(str(n), texts={"en": (f"How {'very ' * n}long is it?",)}) for n in range(6)]
    query = (
        f"SELECT ?qId ?length ?whType {{ ?qId <{QALDGEN}length> "
        f"?length ; <{QALDGEN}whType> ?whType }}"
    )
    vectors = select(annotate(questions(*many)).store(), query)
    assert len(sample(vectors, 3)) == 3
    assert any(feature.startswith("whType=") for feature in vectors.features)


@pytest.mark.parametrize("r1_compat", [False, True])
def test_annotated_example_is_valid(r1_compat: bool) -> None:
    read = read_questions(ROOT / "examples" / "questions.json")
    part = QuestionSet(read.name, read.format, read.questions[::9], (), read.sha256)
    graph = rdflib.Graph().parse(data=annotate(part, r1_compat=r1_compat).dump(), format="turtle")
    shapes = (
        rdflib.Graph()
        .parse(resource_dir("vocab") / "shapes.ttl")
        .parse(data=catalogue_text("shapes"), format="turtle")
    )
    conforms, _, text = pyshacl.validate(graph, shacl_graph=shapes, allow_warnings=r1_compat)
    assert conforms, text


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("whType", rdflib.URIRef(f"{CODES}whType/perhaps")),
        ("hasUnion", rdflib.Literal("no")),
        ("tripleCountAll", rdflib.Literal(2.5)),
        ("queryShape", rdflib.URIRef(f"{CODES}queryShape/star")),
    ],
)
def test_shapes_catch_a_wrong_type_an_unknown_code_and_a_second_value(
    name: str, value: rdflib.term.Identifier
) -> None:
    graph = rdflib.Graph().parse(data=annotate(questions()).dump(), format="turtle")
    shapes = rdflib.Graph().parse(data=catalogue_text("shapes"), format="turtle")
    assert pyshacl.validate(graph, shacl_graph=shapes)[0]
    graph.add(
        (
            rdflib.URIRef("http://qald-gen.aksw.org/question/rivers/1"),
            rdflib.URIRef(QALDGEN + name),
            value,
        )
    )
    assert not pyshacl.validate(graph, shacl_graph=shapes)[0]


# --- the published names ------------------------------------------------------------------------


def test_published_names_are_written_when_asked() -> None:
    made = list(annotate(questions(name="qald-9-test.json"), r1_compat=True).statements)
    assert terms(made, LSQ + "tps") == [f'"1"^^<{XSD}int>']
    assert terms(made, QALDGEN + "questionOrigin") == ['"qald9"']
    assert terms(made, QALDGEN + "questionType") == ['"How, "']
    assert terms(made, QALDGEN + "totalWordsEntity2") == [f'"0"^^<{XSD}int>']
    assert terms(made, LSQ + "answers") == ['"( ?l = 7 ), "']


def test_published_numbers_of_words_need_labels() -> None:
    """Without a label the number of its words is unknown; without a second entity it is 0."""
    of_wikidata = about_river(queries={"": "SELECT ?l { wd:Q7 wdt:P2 ?l ; wdt:P3 wd:Q8 }"})
    made = list(annotate(questions(of_wikidata), r1_compat=True).statements)
    for name in ("totalWordsEntity1", "totalWordsEntity2", "avgEntitiesWords"):
        assert terms(made, QALDGEN + name) == []
    assert terms(made, QALDGEN + "totalWordsClass1") == [f'"0"^^<{XSD}int>']
    assert terms(made, QALDGEN + "avgClassesWords") == [f'"0.0"^^<{XSD}double>']
    label = {"http://www.wikidata.org/entity/Q8": "Grey Lake"}
    told = list(annotate(questions(of_wikidata), r1_compat=True, labels=label).statements)
    assert terms(told, QALDGEN + "totalWordsEntity1") == []
    assert terms(told, QALDGEN + "totalWordsEntity2") == [f'"2"^^<{XSD}int>']


def test_published_numbers_need_a_query_that_parses() -> None:
    made = annotate(questions(about_river(queries={"": "SELECT nothing"})), r1_compat=True)
    written = {str(predicate) for _, predicate, _ in made.statements}
    assert not [iri for iri in written if "Words" in iri or "tps" in iri]


def test_published_question_words_are_those_of_an_english_text() -> None:
    polish = about_river(texts={"pl": ("Jak długa jest Bursztynowa?",)})
    made = list(annotate(questions(polish), language="pl", r1_compat=True).statements)
    assert terms(made, QALDGEN + "questionType") == []


def test_published_names_are_not_written_otherwise() -> None:
    made = list(annotate(questions()).statements)
    assert (
        terms(made, LSQ + "tps")
        == terms(made, QALDGEN + "questionType")
        == terms(made, LSQ + "answers")
        == []
    )


@pytest.mark.parametrize(
    "answers",
    [
        Answers(boolean=False),
        Answers(
            variables=("a", "b"),
            rows=((Cell("uri", "http://x.org/A_(b)"), Cell("literal", 'say "a ), (b"', "", "en")),),
        ),
        Answers(
            variables=("a",),
            rows=(
                (Cell("literal", "1\n2", XSD + "date"),),
                (Cell("literal", "3", "http://x.org/gram"),),
            ),
        ),
        Answers(variables=("n",), rows=((Cell("literal", "5", XSD + "integer"),),)),
    ],
)
def test_published_answer_string_reads_back(answers: Answers) -> None:
    assert parse_answers(answer_string(answers)) == answers


def test_listing_of_the_paper_runs_on_annotated_questions(shared_data: Path) -> None:
    path = shared_data / "qald" / "qald-9-test-multilingual.json"
    if not path.is_file():
        pytest.skip(f"QALD-9 is not at {path}; set QALDGEN_TEST_DATA to the folder of the data")
    read = read_questions(path)
    made = annotate(QuestionSet(read.name, read.format, read.questions[:30]), r1_compat=True)
    assert len(select(made.store(), "listing-1.2")) == 30


# --- gold queries executed, through the command line --------------------------------------------


@pytest.fixture
def rivers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder.

    A question set whose first question has a query and no answers, and its knowledge graph.
    """
    rows = [
        {"id": "1", "text": "How long is the Amber River?", "sparql": QUERY},
        {"id": "2", "text": "Why?", "answers": ["so"]},
    ]
    (tmp_path / "rivers.json").write_text(json.dumps(rows), encoding="utf-8")
    (tmp_path / "graph.ttl").write_text(RIVERS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return tmp_path


def annotated(*words: str) -> tuple[list[Statement], str]:
    """Annotate on the command line; return the statements and what was said."""
    done = CliRunner().invoke(cli, ["annotate", "rivers.json", "--no-cache", *words])
    if done.exception is not None:
        raise done.exception
    text = Path("out.ttl").read_text(encoding="utf-8") if "out.ttl" in words else done.stdout
    return [
        (q.subject, q.predicate, q.object)
        for q in pyoxigraph.parse(text, pyoxigraph.RdfFormat.TURTLE)
    ], done.stderr


@pytest.mark.parametrize(("words", "said"), [
    (["--licence", "CC BY"], "the licence 'CC BY' is not an IRI"),
    (["--lang", "e n"], "--lang 'e n' is not a language tag"),
    (["--lang", ""], "--lang '' is not a language tag"),
])  # fmt: skip
def test_wrong_call_is_refused(rivers: Path, words: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        annotated(*words)


def test_processes_are_at_least_one(rivers: Path) -> None:
    assert CliRunner().invoke(cli, ["annotate", "rivers.json", "--jobs", "0"]).exit_code == 2


def test_notes_name_the_first_record_left_out_and_count_queries_not_questions(rivers: Path) -> None:
    rows = [
        {"id": "1", "text": "Why?"},
        {"id": "2", "text": " "},
        {"id": "3"},
        {"id": "4", "text": "Who?", "sparql": "SELECT {"},
    ]
    Path("rivers.json").write_text(json.dumps(rows), encoding="utf-8")
    said = annotated("--lang", "xx")[1]
    assert "2 records skipped (first: 2): no text in any language" in said
    assert "1 of 1 queries cannot be parsed" in said


def test_language_tag_that_is_none_is_named_with_its_question() -> None:
    with pytest.raises(
        DataError, match=r"rivers\.json: question 7: 'no tag' is not a language tag"
    ):
        annotate(questions(about_river("7", texts={"no tag": ("Who?",)})), language="xx")


def test_features_are_those_of_the_query_that_is_written_as_such() -> None:
    other = "ASK { <http://x.org/b> ?p ?o . ?o ?q 1 }"
    statements = annotate(
        questions(about_river(queries={"dbpedia": QUERY, "wikidata": other})), language="xx"
    ).statements
    written = {
        p.value: o.value
        for _, p, o in statements
        if isinstance(p, NamedNode) and isinstance(o, Literal)
    }
    shown = [
        written[name] for name in (LSQ + "text", QALDGEN + "alternativeQuery", LSQ + "tpCount")
    ]
    assert shown == [QUERY, other, "1"]


def test_what_is_no_iri_is_no_feature() -> None:
    cells = tuple(
        (Cell("literal", "7", datatype),)
        for datatype in (XSD + "integer", "xsd integer", "integer")
    )
    one = about_river(
        queries={"": "ASK { <http://x.org/a\x7f> <http://x.org/p> 1 }"},
        answers=Answers(variables=("l",), rows=cells),
    )
    statements = annotate(questions(one), language="xx").statements
    assert terms(statements, QALDGEN + "answerDatatypes") == [f"<{XSD}integer>"]
    assert terms(statements, QALDGEN + "entity") == []


def test_without_a_knowledge_graph_answers_stay_unknown(rivers: Path) -> None:
    assert terms(annotated()[0], LSQ + "resultCount") == [
        f'"1"^^<{XSD}integer>'
    ]  # of the second question


def test_knowledge_graph_fills_answers_and_labels(rivers: Path) -> None:
    made, said = annotated("--kg", "graph.ttl")
    assert terms(made, LSQ + "resultCount") == [f'"1"^^<{XSD}integer>'] * 2
    assert terms(made, QALDGEN + "entityLabel") == ['"Long Amber"']
    assert "rivers: 1 gold queries: 1 answered" in said
    assert not list(rivers.glob("*.journal.jsonl"))


def test_labels_of_their_own_go_before_those_of_the_graph(rivers: Path) -> None:
    (rivers / "labels.ttl").write_text(RIVERS.replace("Long Amber", "Amber"), encoding="utf-8")
    made, _ = annotated("--kg", "graph.ttl", "--labels", "labels.ttl")
    assert terms(made, QALDGEN + "entityLabel") == ['"Amber"']


def test_endpoint_keeps_a_journal_beside_the_output_and_is_asked_once(rivers: Path) -> None:
    with StubServer(RIVERS).running() as server:
        first, _ = annotated("-e", server.url, "-o", "out.ttl")
        asked = len(server.requests)
        second, said = annotated("-e", server.url, "-o", "out.ttl", "--force")
        assert asked == len(server.requests) > 0
    assert sorted(map(str, first)) == sorted(map(str, second))
    assert terms(first, LSQ + "resultCount") == [f'"1"^^<{XSD}integer>'] * 2
    assert (rivers / "out.ttl.journal.jsonl").exists()
    assert "1 of them from the journal" in said


def test_endpoint_that_fails_leaves_answers_unknown_and_says_so(rivers: Path) -> None:
    with StubServer(RIVERS).running() as server:
        server.always = status(500, "no")
        made, said = annotated("-e", server.url, "--journal", "mine.jsonl")
    assert terms(made, LSQ + "resultCount") == [f'"1"^^<{XSD}integer>']  # of the second question
    assert terms(made, QALDGEN + "answerIsEmpty") == [f'"false"^^<{XSD}boolean>']
    assert (
        "Note: rivers: 1 of 1 gold queries failed, so the answers stay as they were (1): " in said
    )
    assert '"status": "failed"' in (rivers / "mine.jsonl").read_text(encoding="utf-8")


def test_timeout_of_an_endpoint_is_the_one_given(rivers: Path) -> None:
    with StubServer(RIVERS).running() as server:
        server.always = stalled
        _, said = annotated("-e", server.url, "--timeout", "0.3")
    assert "no complete answer within 0.3 seconds" in said
    assert "no journal is kept" in said


def test_options_of_executing_queries_have_no_effect_without_a_graph(rivers: Path) -> None:
    said = annotated("--refresh", "--kg-name", "dbpedia", "--journal", "j.jsonl")[1]
    for flag in ("--refresh", "--kg-name", "--journal"):
        assert f"{flag} has no effect here" in said


def test_refresh_executes_every_query(rivers: Path) -> None:
    rows = [{"id": "1", "text": "How long is it?", "sparql": QUERY, "answers": ["12"]}]
    (rivers / "rivers.json").write_text(json.dumps(rows), encoding="utf-8")
    assert "no gold query had to be executed" in annotated("--kg", "graph.ttl")[1]
    made, said = annotated("--kg", "graph.ttl", "--refresh")
    assert '"value": "7"' in terms(made, QALDGEN + "answers")[0].replace("\\", "")
    assert "1 of 1 executed questions have other answers than before (1)" in said


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        (("--kg", "graph.ttl", "-e", "http://127.0.0.1:9/"), "choose one data source"),
        (("--kg", "graph.ttl", "--journal", "rivers.json"), "is an input of this command"),
        (("--kg", "graph.ttl", "--journal", "no/j.jsonl"), "does not exist"),
        (("--kg", "graph.ttl", "--journal", "graph.ttl"), "is an input of this command"),
        (("-e", "ftp://x.org"), "begins with http://"),
        (("--kg", "http://x.org/sparql"), "pass an endpoint with -e"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    rivers: Path, words: tuple[str, ...], rule: str
) -> None:
    before = (rivers / "graph.ttl").read_bytes()
    with pytest.raises(UsageError, match=rule):
        annotated(*words)
    assert (rivers / "graph.ttl").read_bytes() == before


# --- training split -----------------------------------------------------------------------------


def test_a_training_split_tells_how_far_questions_are_from_it() -> None:
    known, both, new = (
        f"SELECT ?x {{ <http://x.org/a> {path} ?x }}"
        for path in ("dbo:owner", "dbo:owner/dbo:ruler", "dbo:mayor")
    )
    train = [
        Question("t1", {"en": ("Who?",)}, queries={"": known}),
        Question("t2", {}, queries={"": both.replace("owner/dbo:", "")}),
    ]
    asked = tuple(
        Question(name, {"en": ("Who?",)}, queries={"": query})
        for name, query in zip("abc", (known, both, new), strict=True)
    )
    made = annotate(QuestionSet("asked", "table", asked), train=training_items(train))
    assert [found["generalisationLevel"] for found in made.values[0]] == [
        "iid",
        "compositional",
        "zero-shot",
    ]


def test_files_are_annotated_as_the_sets_that_they_hold(tmp_path: Path) -> None:
    path = tmp_path / "lakes.csv"
    path.write_text("id,question,answer\n1,How deep is lake Amber?,7\n", encoding="utf-8")
    by_file = annotate([path], train=path, cache=None)
    loaded = qaldgen.load(path)
    assert by_file.values == annotate(loaded, train=loaded, cache=None).values
