"""Passages judged by hand: which are shown, the worksheet, agreement, cost, and use as gold."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

import numpy as np

from qaldgen.analysis.comparing.hand_labels import MARKS, SKIPPED, cell_text, sheet_rows
from qaldgen.answers.reading import read_run
from qaldgen.asking.programs import load
from qaldgen.benchmark.gold import AnyGold, as_gold
from qaldgen.errors import DataError, UsageError
from qaldgen.io.notes import note
from qaldgen.io.text import dump_csv, few_and_more, short
from qaldgen.io.unpacking import read_text
from qaldgen.model import Answers, Question, QuestionSet
from qaldgen.options import Count, OneOf, Range
from qaldgen.plugins.labelling.accuracy import agreement
from qaldgen.plugins.labelling.page import Form, label_page
from qaldgen.plugins.passages.collection import Passage, read_pairs
from qaldgen.plugins.passages.pipeline import AnyCollection, as_collection, retrieve, text_in
from qaldgen.plugins.passages.retrievers import (
    Rerank,
    Settings,
    by_record,
    check_recorded,
    cross_encoder,
    rerank_hits,
)
from qaldgen.plugins.passages.trec import Found, Hit

if TYPE_CHECKING:
    import pandas as pd


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
_NEEDED = ("question_id", "passage_id", "label")
_RULE = (
    "columns question_id, passage_id and label are expected, as 'qaldgen passages label' writes"
    " them"
)

#: By question id and passage id, whether the passage answers the question.
Judged: TypeAlias = Mapping[tuple[str, str], bool]


class Candidate(NamedTuple):
    """A passage that is shown to an annotator for a question."""

    question: Question  # with its answers, if they are known
    passage: Passage  # the passage


class Judgements(NamedTuple):
    """The marks of an annotator."""

    judged: Judged  # by question and passage
    #: Pairs that the annotator could not judge, and those without a label yet.
    skipped: int
    empty: int


def candidate_rows(
    candidates: Sequence[Candidate], drawn: str, language: str
) -> list[list[object]]:
    """Return the rows of a worksheet, their labels empty."""
    rows: list[list[object]] = []
    for position, (question, passage) in enumerate(candidates, 1):
        answers = " | ".join((question.answers or Answers()).values())
        texts = (question.text(language), answers, passage.title, passage.text)
        rows.append([position, question.id, passage.id, *map(cell_text, texts), "", drawn])
    return rows


def read_judgements(path: str | Path) -> Judgements:
    """Read the labels of a worksheet, whose rows may be in any order."""
    judged: dict[tuple[str, str], bool] = {}
    skipped = empty = 0
    for row in sheet_rows(path, _NEEDED, _RULE):
        pair = (row["question_id"], row["passage_id"])
        mark = row["label"].casefold()
        if not all(pair):
            question, passage = pair
            lack = "a label but no ids"
            if question:
                lack = f"no passage_id (question {question})"
            elif passage:
                lack = f"no question_id (passage {passage!r})"
            raise DataError(f"{path}: a row has {lack}; {_RULE}")
        if mark == "":
            empty += 1
            continue
        if mark in SKIPPED:
            skipped += 1
            continue
        where = f"{path}: question {pair[0]}, passage {pair[1]}"
        # a passage answers a question or does not: marks such as "partly" (0.5) are refused
        value = {"1": 1.0, "0": 0.0, **MARKS}.get(mark)
        if value not in (0.0, 1.0):
            raise DataError(
                f"{where}: the label is {short(mark, 40)!r}; write y (answers the question),"
                " n (does not) or s (skip)"
            )
        relevant = value == 1.0
        if judged.setdefault(pair, relevant) != relevant:
            raise DataError(f"{where}: has two labels that differ")
    return Judgements(judged, skipped, empty)


class PassageAgreement(NamedTuple):
    """How an annotation compares with a second one, on the pairs that both judged."""

    #: Judged by both, and alike.
    pairs: int
    agreed: int
    kappa: float  # Cohen's; NaN if both gave one and the same label throughout
    #: Pairs that are relevant by both annotations, by the first, and by the second.
    both: int
    first: int
    second: int
    differing: tuple[tuple[str, str], ...]  # the pairs on which they differ

    @property
    def precision(self) -> float:
        """The share of passages relevant by the first annotation that are so by the second."""
        if self.first:
            return self.both / self.first
        return float("nan")

    @property
    def recall(self) -> float:
        """The share of passages relevant by the second annotation that the first found."""
        if self.second:
            return self.both / self.second
        return float("nan")

    def __str__(self) -> str:
        """Return it in words, with the numbers behind each share."""
        kappa = f"{self.kappa:.3f}"
        if self.kappa != self.kappa:
            kappa = "not defined: both give one label throughout"
        lines = [
            f"pairs judged by both: {self.pairs:,}; same label: {_share(self.agreed, self.pairs)};"
            f" Cohen's kappa: {kappa}",
            "relevant by the first, against the second: precision"
            f" {_share(self.both, self.first)}, recall {_share(self.both, self.second)}",
        ]
        if self.differing:
            lines.append(f"they differ on {few_and_more(map(' '.join, self.differing), 10)}")
        return "\n".join(lines)


def _share(count: int, total: int) -> str:
    if not total:
        return "not defined (0/0)"
    return f"{count / total:.1%} ({count:,}/{total:,})"


def agreement_of(first: Judged, second: Judged) -> PassageAgreement:
    """Compare two annotations.

    >>> first = {("1", "a"): True, ("1", "b"): True, ("2", "a"): False}
    >>> agreed = agreement_of(first, {**first, ("1", "b"): False})
    >>> agreed.precision, agreed.recall, round(agreed.kappa, 2)
    (0.5, 1.0, 0.4)
    """
    shared = [pair for pair in first if pair in second]
    if not shared:
        raise DataError("the two annotations have no judged pair of question and passage in common")
    first_marks = [first[pair] for pair in shared]
    second_marks = [second[pair] for pair in shared]
    differing = tuple(pair for pair in shared if first[pair] != second[pair])
    return PassageAgreement(
        pairs=len(shared),
        agreed=len(shared) - len(differing),
        kappa=agreement(np.array(first_marks, float), np.array(second_marks, float))[1],
        both=sum(first[pair] and second[pair] for pair in shared),
        first=sum(first_marks),
        second=sum(second_marks),
        differing=differing,
    )


def read_judged(path: str | Path) -> Judged:
    """Return the judgements of a worksheet, or of PolQA's rows; notes count the rows left out.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    mapping of pair of str to bool
        By question id and passage id whether the passage answers the question.

    Raises
    ------
    DataError
        If the file cannot be read, or a pair has two labels that differ.
    """
    # Worksheets have a column ``label`` instead of ``relevant``, so the first line decides.
    header = read_text(Path(path)).partition("\n")[0]
    columns = re.split(r'[,;\t"\r]', header)
    if header.lstrip().startswith(("{", "[")) or "relevant" in columns:
        return {(pair.question, pair.passage.id): pair.relevant for pair in read_pairs(path)}
    judgements = read_judgements(path)
    counts = {"skipped and left out": judgements.skipped, "not judged yet": judgements.empty}
    note(*(f"{path}: pairs {words}: {count:,}" for words, count in counts.items() if count))
    return judgements.judged


def agree_on_passages(first: str | Path, second: str | Path) -> PassageAgreement:
    """Compare two annotations.

    Cohen's kappa, and precision and recall of the first against the second.

    Parameters
    ----------
    first, second
        Worksheets, or files with PolQA's rows.

    Returns
    -------
    PassageAgreement
        How far they agree; notes tell of pairs that were left out.

    Raises
    ------
    DataError
        If a file cannot be read, or no pair was judged in both.
    """
    return agreement_of(read_judged(first), read_judged(second))


def with_judged(questions: AnyGold, judged: Judged, *, language: str = "pl") -> QuestionSet:
    """Return the questions with the passages that annotators found, and their earlier ones.

    Parameters
    ----------
    questions
        The questions.
    judged
        By question id and passage id whether the passage answers the question.
    language
        Language of questions without a language tag.

    Returns
    -------
    QuestionSet
        Questions with the ids of their relevant passages; notes tell of other judgements.
    """
    question_set = as_gold(questions, language=language).questions
    by_question: dict[str, dict[str, bool]] = {question.id: {} for question in question_set}
    foreign = 0
    for (name, passage), relevant in judged.items():
        if name in by_question:
            by_question[name][passage] = relevant
        else:
            foreign += 1
    annotated = []
    denied = 0
    for question in question_set:
        passages = question.said("relevant_passages").split()
        verdicts = by_question[question.id]
        # Judgements only add passages: one annotator alone does not overrule the data.
        denied += len([name for name in passages if verdicts.get(name) is False])
        passages += [name for name, is_relevant in verdicts.items() if is_relevant]
        metadata = dict(question.metadata)
        if passages:
            metadata["relevant_passages"] = " ".join(dict.fromkeys(passages))
        annotated.append(dataclasses.replace(question, metadata=metadata))
    if denied:
        note(f"{denied:,} passages were known as relevant and judged not to be; they stay")
    if foreign:
        note(f"{foreign:,} judgements are about other questions and are left out")
    return dataclasses.replace(question_set, questions=tuple(annotated))


class Seconds(NamedTuple):
    """How long one pair of question and passage takes.

    Attributes
    ----------
    search : float
        For the cost: time to find a passage by free search.
    verify : float
        For the cost: time to judge one passage.
    """

    search: Annotated[float, Range(0, metavar="S")] = 75.5
    verify: Annotated[float, Range(0, metavar="S")] = 13.6


#: The strategies of PolQA, from its Table 1: questions, pairs that annotators found (each is
#: verified too), and pairs that a retriever chose and annotators verified.
STRATEGIES = {"standard": (7000, 24_180, 35_000), "efficient": (7000, 0, 35_000)}


class Cost(NamedTuple):
    """The annotation time per question, with the arithmetic."""

    seconds: float
    arithmetic: str  # the sum behind `seconds`, to be printed beside it


def cost(questions: int, searched: int, verified: int, seconds: Seconds = Seconds()) -> Cost:  # noqa: B008
    """Return the time to find and to verify so many pairs.

    >>> [round(cost(*pairs).seconds) for pairs in STRATEGIES.values()]
    [376, 68]
    >>> cost(*STRATEGIES["standard"]).arithmetic
    '24,180/7,000 * (75.5 + 13.6) + 35,000/7,000 * 13.6 = 375.8'
    """
    if questions == 0:
        return Cost(0.0, "no question = 0")
    # pairs that were searched are verified, too
    total = searched / questions * (seconds.search + seconds.verify)
    total += verified / questions * seconds.verify
    arithmetic = f"{verified:,}/{questions:,} * {seconds.verify:g} = {total:.1f}"
    if searched:
        search = f"{searched:,}/{questions:,} * ({seconds.search:g} + {seconds.verify:g})"
        arithmetic = f"{search} + {arithmetic}"
    return Cost(total, arithmetic)


def cost_table(seconds: Seconds = Seconds()) -> pd.DataFrame:  # noqa: B008
    """Return the time per question of PolQA's two strategies, from its Tables 1 and 4.

    Parameters
    ----------
    seconds
        How long one pair takes.

    Returns
    -------
    DataFrame
        For each strategy the seconds per question, the share saved, and the arithmetic.

    Examples
    --------
    >>> cost_table()["seconds"].round().tolist()
    [376.0, 68.0]
    """
    import pandas as pd

    costs = [cost(*pairs, seconds) for pairs in STRATEGIES.values()]
    table = pd.DataFrame(costs).assign(strategy=list(STRATEGIES))
    table["saved"] = 1 - table["seconds"] / table["seconds"].iloc[0]
    return table[["strategy", "seconds", "saved", "arithmetic"]]


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


@dataclasses.dataclass(frozen=True)
class Sampling:
    """Which passages are shown to annotators. Exactly one way to re-rank must be chosen.

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

    candidates: Count = 100
    keep: Count = 5
    retriever: Annotated[str, OneOf("retrievers", only=False)] = "bm25"
    cross_encoder: str = ""
    scores: str | Path = ""
    function: str | Rerank = ""
    rerank: bool = True

    def ways(self) -> list[str]:
        """Return the ways to re-rank that are chosen, in words.

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
        How they were found.
    language : str
        Language of the wordings.
    notes : tuple of str
        What a user should know.
    labels : mapping of tuple of str to str
        What was judged before, by question and passage.
    """

    candidates: tuple[Candidate, ...]
    drawn: str
    language: str
    notes: tuple[str, ...] = ()
    labels: Mapping[tuple[str, ...], str] = dataclasses.field(default_factory=dict)

    @property
    def questions(self) -> int:
        """How many questions have a passage to judge."""
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
        """Return a page that works with the keyboard alone and saves the worksheet under a name.

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

    def cost(self, seconds: Seconds = Seconds()) -> Cost:  # noqa: B008
        """Return the time to judge the pairs, with the arithmetic.

        Parameters
        ----------
        seconds
            How long one pair takes.

        Returns
        -------
        Cost
            Seconds per question.
        """
        return cost(self.questions, 0, len(self.candidates), seconds)


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
    sampling.check()
    rerank, record = _reranker(sampling)
    question_set = as_gold(questions, language=settings.language).questions
    collection = as_collection(passages)
    if record is not None:
        check_recorded(record, question_set.questions, str(sampling.scores))
    hits_by_question = retrieve(
        question_set,
        collection,
        retriever=sampling.retriever,
        k=sampling.candidates,
        settings=settings,
        progress=progress,
    )
    chosen = []
    unscored = 0
    for question in question_set:
        hits = hits_by_question.get(question.id, ())
        if record is not None:
            hits, missing = by_record(hits, record.get(question.id, ()))
            unscored += missing
        elif rerank is not None:
            text = text_in(question, settings.language)
            hits = rerank_hits(text, hits, collection.by_id, rerank)
        chosen += [
            Candidate(question, collection.by_id[hit.passage]) for hit in hits[: sampling.keep]
        ]
    drawn = (
        f"{sampling.retriever} {settings.analyser}, {sampling.candidates} candidates,"
        f" {sampling.ways()[0]}, best {sampling.keep}"
    )
    labels: dict[tuple[str, ...], str] = {}
    if resume is not None:
        pairs = {(candidate.question.id, candidate.passage.id) for candidate in chosen}
        for pair, relevant in read_judgements(resume).judged.items():
            # the new worksheet has no row for such a pair: its label would be lost silently
            if pair not in pairs:
                raise UsageError(
                    f"{resume}: judges pairs that are not drawn now (first: {' '.join(pair)}); use"
                    " the same options"
                )
            labels[pair] = "y" if relevant else "n"
    notes = list(collection.notes)
    with_passage = {candidate.question.id for candidate in chosen}
    ids = [question.id for question in question_set]
    without_passage = [name for name in ids if name not in with_passage]
    if without_passage:
        notes.append(
            f"{len(without_passage):,} of {len(ids):,} questions have no passage to judge (first:"
            f" {without_passage[0]})"
        )
    if unscored:
        notes.append(
            f"{unscored:,} candidates have no recorded score and are ranked after those that have"
            " one"
        )
    # `cell_text` ends a text that it truncates with this mark
    truncated = [passage.id for _, passage in chosen if cell_text(passage.text).endswith(" […]")]
    if truncated:
        notes.append(
            f"passages truncated, as they are too long for a cell: {len(truncated):,} (first:"
            f" {truncated[0]})"
        )
    return PassageSheet(tuple(chosen), drawn, settings.language, tuple(notes), labels)


def _reranker(sampling: Sampling) -> tuple[Rerank | None, Found | None]:
    """Return the function or the record by which passages are re-ranked; refuse a missing one."""
    if sampling.cross_encoder:
        return cross_encoder(sampling.cross_encoder), None
    if sampling.scores:
        # a Run has its passages in order, but without scores: minus the rank takes their place
        record: dict[str, list[Hit]] = {}
        for name, response in read_run(sampling.scores, format="trec").responses.items():
            passages = (response.answers or Answers()).values()
            record[name] = [Hit(passage, -float(rank)) for rank, passage in enumerate(passages)]
        return None, record
    if not isinstance(sampling.function, str):
        return sampling.function, None
    if sampling.function:
        return load(sampling.function), None
    return None, None
