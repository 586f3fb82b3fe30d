"""Worksheets of passages to be judged by hand: the choice of passages, as CSV and as a page."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

from qaldgen.analysis.comparing.hand_labels import cell_text
from qaldgen.answers.reading import read_run
from qaldgen.asking.functions import load_function
from qaldgen.benchmark.gold import AnyGold, as_gold
from qaldgen.errors import UsageError
from qaldgen.io.csv_cells import dump_csv
from qaldgen.model import Question, QuestionSet
from qaldgen.options import OneOf, PositiveInt, Range
from qaldgen.plugins.labelling.page import Form, label_page
from qaldgen.plugins.passages.collection import Passage
from qaldgen.plugins.passages.judgements import read_judgements
from qaldgen.plugins.passages.pipeline import AnyCollection, as_collection, retrieve
from qaldgen.plugins.passages.retrievers import (
    Rerank,
    Settings,
    check_recorded,
    cross_encoder,
    rank_by_record,
    rerank_hits,
)
from qaldgen.plugins.passages.trec import Hit, HitsByQuestion
from qaldgen.questions.question_texts import text_in

COLUMNS = (
    "position",
    "question_id",
    "passage_id",
    "question",
    "answers",
    "title",
    "passage",
    "label",
    "draw",
)
_FORM = Form(
    question="Does the passage answer the question?",
    marks={"y": "answers it", "n": "does not"},
    columns=COLUMNS,
    column_by_heading={
        "Question": "question", "Known answers": "answers", "Title": "title", "Passage": "passage",
    },
    key=("question_id", "passage_id"),
)  # fmt: skip
#: PolQA's passages were found by lemmas.
LEMMAS = Settings("lemma")
#: The time that PolQA's annotators needed to judge a passage (Table 4).
_VERIFY_SECONDS = 13.6


class Cost(NamedTuple):
    """The annotation time per question, with the arithmetic."""

    seconds: float
    arithmetic: str  # the product behind `seconds`, to be printed with it


class Candidate(NamedTuple):
    """A passage that is shown to an annotator for a question."""

    question: Question  # with its answers, if they are known
    passage: Passage  # the passage


def candidate_rows(
    candidates: Sequence[Candidate], drawn: str, language: str
) -> list[list[object]]:
    """Return the rows of a worksheet with empty labels; `drawn` says how they were found."""
    rows: list[list[object]] = []
    for position, (question, passage) in enumerate(candidates, 1):
        answers = " | ".join(question.gold.values())
        texts = (question.text(language), answers, passage.title, passage.text)
        rows.append([position, question.id, passage.id, *map(cell_text, texts), "", drawn])
    return rows


@dataclasses.dataclass(frozen=True)
class Sampling:
    """The choice of the passages that annotators judge, with exactly one way to re-rank.

    Attributes
    ----------
    candidates : int
        Number of passages to retrieve per question.
    keep : int
        Number of passages to judge per question.
    retriever : str
        Retrieval method.
    cross_encoder : str
        Re-rank with a sentence-transformers model.
    scores : str or Path
        Re-rank by the scores of a run in TREC format.
    function : callable or str
        Re-rank by a function of question and passages: MODULE:FUNCTION.
    rerank : bool
        Whether to re-rank at all. The order of the retriever is not PolQA's strategy.
    """

    candidates: PositiveInt = 100
    keep: PositiveInt = 5
    retriever: Annotated[str, OneOf("retrievers", only=False)] = "bm25"
    cross_encoder: str = ""
    scores: str | Path = ""
    function: str | Rerank = ""
    rerank: bool = True

    def ways(self) -> list[str]:
        """Return the phrases for the chosen ways to re-rank.

        Returns
        -------
        list of str
            One, if the choice makes sense.
        """
        function = getattr(self.function, "__name__", "") or str(self.function)
        chosen = {
            f"cross-encoder {self.cross_encoder}": bool(self.cross_encoder),
            f"recorded scores {Path(self.scores).name}": bool(self.scores),
            f"function {function}": bool(self.function),
            "not re-ranked": not self.rerank,
        }
        return [words for words, is_chosen in chosen.items() if is_chosen]

    def check(self) -> None:
        """Raise UsageError unless one way to re-rank is chosen, and the numbers make sense."""
        ways = self.ways()
        if len(ways) != 1:
            chosen = f"{len(ways)} were chosen ({', '.join(ways)})" if ways else "none is given"
            raise UsageError(
                "passages are re-ranked before annotators see them: choose one of"
                " `cross_encoder`, `scores`, `function`, or `rerank=False` for the order of"
                f" the retriever; {chosen}"
            )
        if not 1 <= self.keep <= self.candidates:
            raise UsageError(
                f"{self.keep} passages are to be shown out of {self.candidates} candidates; show 1"
                f" to {self.candidates}"
            )


@dataclasses.dataclass(frozen=True)
class PassageSheet:
    """Passages to be judged by hand.

    Attributes
    ----------
    candidates : tuple of Candidate
        The pairs, question by question, the best passage first.
    drawn : str
        The way they were found.
    language : str
        Language of the wordings.
    notes : tuple of str
        Remarks for users.
    labels : mapping of tuple of str to str
        The labels of an earlier worksheet, by question and passage.
    """

    candidates: tuple[Candidate, ...]
    drawn: str
    language: str
    notes: tuple[str, ...] = ()
    labels: Mapping[tuple[str, ...], str] = dataclasses.field(default_factory=dict)

    @property
    def questions(self) -> int:
        """The number of questions with a passage to judge."""
        return len({candidate.question.id for candidate in self.candidates})

    def csv(self) -> str:
        """Return the worksheet with an empty column of labels.

        Returns
        -------
        str
            CSV with a row for each pair.
        """
        return dump_csv(COLUMNS, candidate_rows(self.candidates, self.drawn, self.language))

    def page(self, name: str = "worksheet.csv") -> str:
        """Return a page for labelling, which saves the worksheet under a name.

        Parameters
        ----------
        name
            The name of the worksheet.

        Returns
        -------
        str
            HTML that needs nothing else.
        """
        rows = candidate_rows(self.candidates, self.drawn, self.language)
        return label_page(_FORM, rows, name, self.labels)

    def cost(
        self, verify_seconds: Annotated[float, Range(0, metavar="S")] = _VERIFY_SECONDS
    ) -> Cost:
        """Return the time to judge the pairs, with the arithmetic.

        Parameters
        ----------
        verify_seconds
            For the cost: time to judge one passage.

        Returns
        -------
        Cost
            Seconds per question.
        """
        if not self.candidates:
            return Cost(0.0, "no question = 0")
        n_pairs = len(self.candidates)
        seconds = n_pairs / self.questions * verify_seconds
        arithmetic = f"{n_pairs:,}/{self.questions:,} * {verify_seconds:g} = {seconds:.1f}"
        return Cost(seconds, arithmetic)


def passages_to_judge(
    questions: AnyGold,
    passages: AnyCollection,
    sampling: Sampling,
    *,
    settings: Settings = LEMMAS,
    resume: str | Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> PassageSheet:
    """Find the passages that annotators judge.

    PolQA's efficient strategy (BM25, re-rank, the best few).

    Parameters
    ----------
    questions
        The questions.
    passages
        Where they are looked up: a collection, or its file.
    sampling
        How many passages are shown, and how they are chosen.
    settings
        What the retriever needs to know.
    resume
        A worksheet of the same pairs, whose labels the page shows.
    progress
        Called with 1 after each question.

    Returns
    -------
    PassageSheet
        The pairs, as a worksheet and as a page.

    Raises
    ------
    UsageError
        If there is not just one way to re-rank, or the worksheet has other pairs.
    DataError
        If a file cannot be read, or scores are of other questions.
    """
    # wrong options and files are refused before the search, which takes long
    sampling.check()
    rerank, recorded = _make_reranker(sampling)
    question_set = as_gold(questions, language=settings.language).questions
    collection = as_collection(passages)
    if recorded is not None:
        check_recorded(recorded, question_set.questions, str(sampling.scores))
    hits_by_question = retrieve(
        question_set,
        collection,
        retriever=sampling.retriever,
        k=sampling.candidates,
        settings=settings,
        progress=progress,
    )

    candidates = []
    n_unscored = 0
    for question in question_set:
        hits = hits_by_question.get(question.id, ())
        if recorded is not None:
            hits, n_missing = rank_by_record(hits, recorded.get(question.id, ()))
            n_unscored += n_missing
        elif rerank is not None:
            text = text_in(question, settings.language)
            hits = rerank_hits(text, hits, collection.by_id, rerank)
        for hit in hits[: sampling.keep]:
            candidates.append(Candidate(question, collection.by_id[hit.passage]))

    drawn = (
        f"{sampling.retriever} {settings.analyser}, {sampling.candidates} candidates,"
        f" {sampling.ways()[0]}, best {sampling.keep}"
    )
    labels: dict[tuple[str, ...], str] = {}
    if resume is not None:
        pairs = {(candidate.question.id, candidate.passage.id) for candidate in candidates}
        for pair, relevant in read_judgements(resume).relevance.items():
            # the new worksheet has no row for such a pair: its label would be lost silently
            if pair not in pairs:
                raise UsageError(
                    f"judges pairs that are not drawn now (first: {' '.join(pair)}); use the same"
                    " options",
                    where=resume,
                )
            labels[pair] = "y" if relevant else "n"
    notes = list(collection.notes)
    notes += _candidate_notes(question_set, candidates, n_unscored)
    return PassageSheet(
        tuple(candidates), drawn, settings.language, notes=tuple(notes), labels=labels
    )


def _candidate_notes(
    question_set: QuestionSet, pairs: Sequence[Candidate], n_unscored: int
) -> Iterator[str]:
    """Yield notes on questions without a passage, candidates without a score, and cut texts."""
    with_passage = {candidate.question.id for candidate in pairs}
    ids = [question.id for question in question_set]
    without_passage = [question_id for question_id in ids if question_id not in with_passage]
    if without_passage:
        yield (
            f"{len(without_passage):,} of {len(ids):,} questions have no passage to judge (first:"
            f" {without_passage[0]})"
        )

    if n_unscored:
        yield (
            f"{n_unscored:,} candidates have no recorded score and are ranked after those that have"
            " one"
        )

    # `cell_text` ends a text that it truncates with this mark
    truncated = [passage.id for _, passage in pairs if cell_text(passage.text).endswith(" […]")]
    if truncated:
        yield (
            f"passages truncated, as they are too long for a cell: {len(truncated):,} (first:"
            f" {truncated[0]})"
        )


def _make_reranker(sampling: Sampling) -> tuple[Rerank | None, HitsByQuestion | None]:
    """Return the function or the recorded hits for re-ranking; both are None without it."""
    if sampling.cross_encoder:
        return cross_encoder(sampling.cross_encoder), None
    if sampling.scores:
        # a Run has its passages in order, but without scores: minus the rank takes their place
        hits: dict[str, list[Hit]] = {}
        for question, response in read_run(sampling.scores, format="trec").responses.items():
            passages = response.given.values()
            hits[question] = [Hit(passage, -float(rank)) for rank, passage in enumerate(passages)]
        return None, hits
    if not isinstance(sampling.function, str):
        return sampling.function, None
    if sampling.function:
        return load_function(sampling.function), None
    return None, None
