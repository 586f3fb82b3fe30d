"""BM25 against a plain implementation, TREC runs, and measures against ir_measures."""

from __future__ import annotations

import importlib.util
import json
import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import qaldgen as qg
from qaldgen.answers.reading import read_run
from qaldgen.answers.record import Response, Run
from qaldgen.io.notes import collecting
from qaldgen.model import Answers, Question, QuestionSet
from qaldgen.plugins.passages.analysers import make_analyser, words
from qaldgen.plugins.passages.bm25 import Bm25, Parameters, best_indices
from qaldgen.plugins.passages.collection import Collection, Passage, read_collection
from qaldgen.plugins.passages.loss_tables import losses
from qaldgen.plugins.passages.pipeline import dump_questions, read_passages, retrieve, with_relevant
from qaldgen.plugins.passages.reader import extract
from qaldgen.plugins.passages.relevance import relevant_passages
from qaldgen.plugins.passages.retrievers import Settings, make_retriever
from qaldgen.plugins.passages.trec import Hit, dump_trec

Refused = Callable[..., str]


def plain_bm25(texts: Sequence[str], query: str, k1: float, b: float) -> list[float]:
    """Return the scores by the formula, word by word."""
    docs = [words(text) for text in texts]
    mean = sum(map(len, docs)) / len(docs)
    scores = []
    for doc in docs:
        counts, score = Counter(doc), 0.0
        for term in words(query):
            n = sum(term in other for other in docs)
            idf = math.log(1 + (len(docs) - n + 0.5) / (n + 0.5))
            if counts[term]:
                score += idf * counts[term] / (counts[term] + k1 * (1 - b + b * len(doc) / mean))
        scores.append(score)
    return scores


def some_texts(seed: int, size: int = 40) -> list[str]:
    rng = random.Random(seed)
    return [
        " ".join(
            rng.choices(
                ["młyn", "staw", "las", "koło", "woda", "mąka", "most"], k=rng.randint(0, 12)
            )
        )
        for _ in range(size)
    ]


@pytest.mark.parametrize(
    "parameters", [Parameters(), Parameters(1.2, 0.75), Parameters(0.0, 0.0), Parameters(2.0, 1.0)]
)
@pytest.mark.parametrize("seed", range(3))
def test_bm25_is_the_formula(seed: int, parameters: Parameters) -> None:
    texts, query = some_texts(seed), "młyn młyn nad stawem las"
    index = Bm25(texts, words, parameters)
    expected = plain_bm25(texts, query, *parameters)
    assert index.scores(query).tolist() == pytest.approx(expected, rel=1e-5, abs=1e-6)
    places, _ = index.search(query, 10)
    rounded = [round(one, 5) for one in expected]
    best = sorted(range(len(texts)), key=lambda at: (-rounded[at], at))[:10]
    assert [rounded[at] for at in places] == [rounded[at] for at in best if expected[at] > 0]


def test_ties_go_by_the_order_of_the_collection() -> None:
    places, _ = Bm25(["las", "młyn", "młyn", "młyn"], words).search("młyn", 2)
    assert places.tolist() == [1, 2]


@pytest.mark.parametrize("k", [1, 3, 10, 2999, 3000, 4000])
@pytest.mark.parametrize("levels", [2, 7, 10**6])
def test_the_best_of_many_scores_are_those_of_a_sort(k: int, levels: int) -> None:
    scores = np.random.default_rng(k).integers(0, levels, 3000).astype(np.float32)
    expected = sorted(range(3000), key=lambda at: (-scores[at], at))[:k]
    assert best_indices(scores, k).tolist() == expected


@pytest.mark.parametrize("query", ["", "?!", "wiatrak", "młyn " * 1000])
def test_any_query_is_searched(query: str) -> None:
    places, scores = Bm25(["młyn", ""], words).search(query, 5)
    assert len(places) == len(scores) == int("młyn" in query)


def test_all_words_must_be_there() -> None:
    index = Bm25(["młyn staw", "młyn", "staw"], words)
    assert index.search("młyn staw", 5, require_all=True)[0].tolist() == [0]
    assert index.search("młyn wiatrak", 5, require_all=True)[0].tolist() == []


def collection(*texts: str) -> Collection:
    return Collection("made", tuple(Passage(f"p{at}", text) for at, text in enumerate(texts)))


def test_bm25s_finds_the_same() -> None:
    bm25s = pytest.importorskip("bm25s", reason="the package bm25s is not installed")
    texts = some_texts(5, 200)
    ours = make_retriever("bm25", collection(*texts), Settings())
    theirs = bm25s.BM25(method="lucene", k1=Settings().k1, b=Settings().b)
    theirs.index([words(text) for text in texts], show_progress=False)
    for query in ("młyn nad stawem", "las mąka", "most most woda", "nic"):
        terms = [term for term in words(query) if term in theirs.vocab_dict]
        scores = theirs.get_scores(terms) if terms else np.zeros(len(texts))
        best = [score for score in sorted(scores, reverse=True)[:10] if score > 0]
        assert [hit.score for hit in ours(query, 10)] == pytest.approx(best, rel=1e-4)


def test_lemmas_are_those_of_simplemma_in_lower_case(monkeypatch: pytest.MonkeyPatch) -> None:
    lemmas = {("młynem", "pl"): "Młyn", ("rządził", "pl"): "rządzić"}
    fake = SimpleNamespace(lemmatize=lambda word, lang: lemmas.get((word, lang), word))
    monkeypatch.setitem(sys.modules, "simplemma", fake)
    assert make_analyser("lemma", "pl-PL")("Młynem rządził książę") == ["młyn", "rządzić", "książę"]


@pytest.mark.skipif(
    importlib.util.find_spec("simplemma") is None, reason="needs pip install 'qaldgen[pl]'"
)
def test_lemmas_of_the_real_simplemma_are_dictionary_forms() -> None:
    assert make_analyser("lemma", "pl-PL")("Młynem rządził książę") == ["młyn", "rządzić", "książę"]


def test_lemmas_without_simplemma_say_what_to_install(
    monkeypatch: pytest.MonkeyPatch, refused: Refused
) -> None:
    monkeypatch.setitem(sys.modules, "simplemma", None)
    assert "pip install 'qaldgen[pl]'" in refused(lambda: make_analyser("lemma", "pl"))


@pytest.mark.parametrize(("call", "message"), [
    (lambda: make_analyser("stem"), "no analyser 'stem'"),
    (lambda: make_retriever("grep", collection("x"), Settings()), "'grep'"),
    (lambda: make_retriever("bm25", collection("x"), Settings(b=2.0)), "b from 0 to 1"),
    (lambda: make_retriever("opensearch", collection("x"), Settings()), "http://host:port"),
])  # fmt: skip
def test_wrong_settings_are_refused(
    refused: Refused, call: Callable[[], object], message: str
) -> None:
    assert message in refused(call, qg.UsageError)


def test_runs_in_the_form_of_trec_are_written_and_read(tmp_path: Path) -> None:
    found = {"q1": [Hit("a", 2.5), Hit("c", 1.0), Hit("b", 1.0)], "q2": [Hit("b", 0.25)]}
    path = tmp_path / "run.txt"
    path.write_text(dump_trec(found, "my run"), encoding="utf-8")
    run = read_run(path)
    assert run.format == "trec"
    assert {name: one.answers.values() for name, one in run.responses.items() if one.answers} == {
        "q1": ["a", "c", "b"],
        "q2": ["b"],
    }


def test_foreign_runs_are_sorted_as_trec_eval_does(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text("q Q0 a 1 1.0 x\nq Q0 b 2 1.0 x\nq Q0 c 3 7 x\n", encoding="utf-8")
    answers = read_run(path).responses["q"].answers
    assert answers is not None
    assert answers.values() == ["c", "b", "a"]


@pytest.mark.parametrize(("text", "message"), [
    ("q Q0 a 1 1.0 x\nq Q0 b 2\n", "line 2: has 4 columns"),
    ("q Q0 a 1 high x\n", "the score is 'high'"),
    ("q Q0 a 1 nan x\n", "the score is 'nan'"),
    ("q Q0 a 1 2 x\nq Q0 a 2 1 x\n", "passage a is given twice"),
])  # fmt: skip
def test_broken_runs_are_refused(tmp_path: Path, refused: Refused, text: str, message: str) -> None:
    path = tmp_path / "run.txt"
    path.write_text(text, encoding="utf-8")
    assert message in refused(lambda: read_run(path))


def test_ids_with_blanks_do_not_fit_into_the_form(refused: Refused) -> None:
    assert "contains a space" in refused(lambda: dump_trec({"q 1": [Hit("a", 1.0)]}, "x"))


def asked(**relevant: str) -> QuestionSet:
    return QuestionSet("set", "table", tuple(
        Question(
            name, {"pl": ("Kto?",)}, answers=Answers(texts=(("Ulm",),)),
            metadata={"relevant_passages": own} if own else {},
        )
        for name, own in relevant.items()
    ))  # fmt: skip


def test_measures_are_those_of_ir_measures_on_the_written_run(tmp_path: Path) -> None:
    ir_measures = pytest.importorskip(
        "ir_measures", reason="ir_measures is not installed: pip install 'qaldgen[retrieval]'"
    )
    rng = random.Random(4)
    names = [f"p{at}" for at in range(30)]
    questions = asked(
        **{f"q{at}": " ".join(rng.sample(names, rng.randint(1, 4))) for at in range(20)}
    )
    found = {
        one.id: [Hit(name, rng.choice([1.0, 2.0, 3.0])) for name in rng.sample(names, 25)]
        for one in questions.questions[1:]
    }
    found = {name: sorted(hits, key=lambda hit: -hit.score) for name, hits in found.items()}
    path = tmp_path / "run.txt"
    path.write_text(dump_trec(found, "x"), encoding="utf-8")
    scored = qg.score(questions, path, match="passages", language="pl")
    qrels = [
        ir_measures.Qrel(one.id, name, 1)
        for one in questions.questions
        for name in one.said("relevant_passages").split()
    ]
    theirs = {
        "accuracy@1": "Success@1", "accuracy@10": "Success@10", "recall@10": "R@10",
        "mrr@10": "RR@10", "ndcg@10": "nDCG@10",
    }  # fmt: skip
    wanted = [ir_measures.parse_measure(name) for name in theirs.values()]
    expected = ir_measures.calc_aggregate(wanted, qrels, ir_measures.read_trec_run(str(path)))
    for ours, measure in zip(theirs, wanted, strict=True):
        # ours count the question without any passage found as 0, theirs too
        assert scored.counts[ours].mean() == pytest.approx(expected[measure])


def test_questions_without_relevant_passage_are_named_and_not_scored() -> None:
    pytest.importorskip(
        "ir_measures", reason="ir_measures is not installed: pip install 'qaldgen[retrieval]'"
    )
    run = Run("x", "trec", {"1": Response("1", answers=Answers(texts=(("a",),)))})
    scored = qg.score(asked(**{"1": "a", "2": ""}), run, match="passages", language="pl")
    assert scored.counts.index.tolist() == ["1"]
    assert "set: 1 of 2 questions have no known relevant passage and are not scored" in scored.notes


@pytest.mark.parametrize(("question", "answer"), [
    ("W którym roku spłonął młyn?", "1871"), ("Kto zbudował młyn?", "Jan Kowal"),
    ("Czy młyn spłonął?", "tak"),
    ("Młyn stoi nad stawem czy nad rzeką?", "nad rzeką"),
])  # fmt: skip
def test_reader(question: str, answer: str) -> None:
    passages = [
        Passage(
            "1",
            "Młyn stoi nad rzeką w lesie. Młyn zbudował Jan Kowal z Bonn. Młyn spłonął w 1871"
            " roku.",
            "Młyn",
        )
    ]
    assert answer in extract(question, "pl", passages)


def test_reader_without_passages_says_nothing() -> None:
    assert extract("Kto zbudował młyn?", "pl", []) == ""


def test_loss_is_split_into_retriever_and_reader() -> None:
    questions = asked(**{"1": "a", "2": "a", "3": "a", "4": "a", "5": ""})
    found = {"1": "a", "2": "a", "3": "b", "4": "b", "5": "a"}
    retrieved = Run(
        "r",
        "trec",
        {name: Response(name, answers=Answers(texts=((own,),))) for name, own in found.items()},
    )
    said = {"1": "Ulm", "2": "Bonn", "3": "Ulm", "4": "Bonn", "5": "Ulm"}
    answered = Run(
        "e",
        "lines",
        {name: Response(name, answers=Answers(texts=((own,),))) for name, own in said.items()},
    )
    row = losses(questions, retrieved, answered, on_gold=answered).iloc[0]
    assert [
        row[name]
        for name in ("n", "right", "right without passage", "retriever miss", "reader miss")
    ] == [4, 1, 1, 1, 1]
    assert (row["retriever"], row["reader"], row["end to end"]) == (0.5, 0.5, 0.5)


def test_passages_beyond_the_first_k_are_a_miss() -> None:
    retrieved = Run("r", "trec", {"1": Response("1", answers=Answers(texts=(("b",), ("a",))))})
    answered = Run("e", "lines", {"1": Response("1", answers=Answers(texts=(("Bonn",),)))})
    assert losses(asked(**{"1": "a"}), retrieved, answered, k=1)["retriever miss"].tolist() == [1]
    assert losses(asked(**{"1": "a"}), retrieved, answered, k=2)["reader miss"].tolist() == [1]


def test_questions_keep_their_passages_when_they_are_written(tmp_path: Path) -> None:
    made = collection("młyn", "staw")
    with collecting() as notes:
        joined = with_relevant(asked(**{"1": "p1 p9", "2": ""}), made)
    path = tmp_path / "asked.jsonl"
    path.write_text(dump_questions(joined), encoding="utf-8")
    first, second = qg.load(path).questions
    assert first.metadata["relevant_passages"] == "p1"
    assert first.answers == Answers(texts=(("Ulm",),))
    assert "relevant_passages" not in second.metadata
    assert list(notes) == [
        "1 of 2 questions have no known relevant passage (first: 2)",
        "1 questions name passages that the collection does not contain (first: 1)",
    ]


@pytest.mark.parametrize(
    "given", [["p0", "p1"], "p0 p1", [f"p{at}" for at in range(900)]], ids=["list", "text", "many"]
)
def test_relevant_passages_of_a_file_are_read_in_any_form(tmp_path: Path, given: object) -> None:
    path = tmp_path / "asked.jsonl"
    path.write_text(
        json.dumps(
            {
                "id": "1",
                "question": "Kto?",
                "language": "pl",
                "answers": ["Ulm"],
                "relevant_passages": given,
            }
        )
    )
    read = qg.load(path)
    expected = given.split() if isinstance(given, str) else given
    assert list(relevant_passages(read.questions[0])) == expected
    assert read.notes == ()


#: Accuracy at 1 and 10 on PoQuAD v0, 1,911 questions: words, words with the title, prefixes.
POQUAD = {
    ("token", False): (0.4935, 0.7582),
    ("token", True): (0.5458, 0.8189),
    ("prefix", True): (0.6646, 0.9184),
}


@pytest.mark.parametrize(("analyser", "title"), POQUAD)
def test_poquad(shared_data: Path, analyser: str, title: bool) -> None:
    path = shared_data / "poquad" / "data.json"
    if not path.is_file():
        pytest.skip(f"PoQuAD is not at {path}")
    passages = read_collection(path)
    questions = with_relevant(path, passages)
    assert len(passages.passages) == pytest.approx(2646, abs=10)
    found = retrieve(questions, passages, k=10, settings=Settings(analyser, title=title))
    gold = {
        one.id: one.metadata["relevant_passages"]
        for one in questions.questions
        if "relevant_passages" in one.metadata
    }
    assert len(gold) == 1911
    for k, expected in zip((1, 10), POQUAD[analyser, title], strict=True):
        hits = np.mean([gold[name] in {hit.passage for hit in found[name][:k]} for name in gold])
        assert hits == pytest.approx(expected, abs=0.01 if k == 1 else 0.005)


def test_reading_relevant_passages_is_read_from_python() -> None:
    made = collection("Młyn zbudował Jan Kowal.")
    questions = QuestionSet(
        "set",
        "table",
        (Question("1", {"pl": ("Kto zbudował młyn?",)}, metadata={"relevant_passages": "p0"}),),
    )
    answers = read_passages(questions, made).responses["1"].answers
    assert answers is not None
    assert answers.values() == ["Jan Kowal"]
