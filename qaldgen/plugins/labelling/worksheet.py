"""Worksheets of answers to be labelled by hand: drawn, as a table and as a page, and read again.

A spread sample is drawn, in an order whose every prefix is one too.

A missing answer needs no label: it is wrong. So the sample is drawn from the questions with an
answer, and from those whose gold answer is that there is none. Everything here follows from the
gold questions, the run and a seed, so that anybody who has them can check that a worksheet was
drawn at random and not picked.

Answers in words are drawn by strata: guesses and sure verdicts of `contains`, right and wrong.
Guesses are drawn more often, as they are more uncertain (Neyman's allocation). How many of each
stratum a prefix has follows from its length alone, so every answer has a known probability.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Literal, NamedTuple, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from qaldgen.analysis.comparing.hand_labels import (
    LABELLED,
    SKIPPED,
    answers_in_words,
    cell_text,
    sheet_rows,
    value_of,
)
from qaldgen.answers.record import Response
from qaldgen.benchmark.gold import AnyGold, why_not_tested
from qaldgen.defaults import LANGUAGE, SEED
from qaldgen.errors import DataError, UsageError
from qaldgen.io.arguments import check_whole
from qaldgen.io.pages import render_page
from qaldgen.io.text import count, dump_csv, few, unprotect
from qaldgen.model import Question
from qaldgen.options import Count, Seed
from qaldgen.plugins.labelling.deciding import deciding
from qaldgen.sampling.pivotal import spread_order
from qaldgen.scoring.evaluation import AnyRuns, Evaluation, as_evaluation, evaluate, evaluate_one
from qaldgen.scoring.mean_bounds import Array
from qaldgen.scoring.rules import Rules
from qaldgen.scoring.score import AnyRun, Scores

#: How many first words of questions, and kinds of answer, are features; the rest is rare.
_FIRST_WORDS = 8
#: The strata of guesses are below this.
_SURE = 3
#: The probability of a verdict where no rule decides.
_UNKNOWN = 0.5


class Item(NamedTuple):
    """A question with the answer of the run."""

    question: Question  # with its gold answers
    response: Response  # the response of the run

    @property
    def gold(self) -> str:
        """The gold answers, for people."""
        return answers_in_words(self.question.answers)

    @property
    def given(self) -> str:
        """The answers of the run, for people."""
        return answers_in_words(self.response.answers)


class LabelPool(NamedTuple):
    """The answers that can be labelled."""

    items: tuple[Item, ...]  # the questions that need a label, in the order of the gold file
    total: int  # all questions, including those without an answer, which are wrong
    features: Array  # the features over which the sample is spread
    strata: NDArray[np.intp]  # guesses first; all equal if there are no guesses to tell
    doubt: Array  # for each answer the expected standard deviation of labels in its stratum

    @property
    def stratified(self) -> bool:
        """Whether guesses are drawn first."""
        return bool(np.ptp(self.strata))

    def unstratified(self) -> LabelPool:
        """Return the pool with all answers in one stratum."""
        return self._replace(strata=np.zeros_like(self.strata), doubt=np.ones_like(self.doubt))

    def guesses(self, items: Collection[Item]) -> int:
        """Return how many of the items are guesses."""
        if not self.stratified:
            return 0
        ids = {item.question.id for item in items}
        guesses = zip(self.items, self.strata < _SURE, strict=True)
        return sum(is_guess for item, is_guess in guesses if item.question.id in ids)

    def order(self, random_state: int) -> list[Item]:
        """Return the items in an order whose every prefix is a spread sample of each stratum."""
        rng = np.random.default_rng(random_state)
        place = np.empty(len(self.items))
        for stratum in np.unique(self.strata):
            rows = np.flatnonzero(self.strata == stratum)
            order = rows[spread_order(self.features[rows], rng)]
            place[order] = np.arange(len(rows)) / (len(rows) * self.doubt[rows[0]])
        return [self.items[row] for row in np.lexsort((self.strata, place)).tolist()]


def label_pool(evaluation: Evaluation) -> LabelPool:
    """Return the answers of an evaluated run that can be labelled."""
    questions = evaluation.gold.questions.questions
    # by the default rules, so that the sample does not depend on how answers are judged later
    scores = evaluation[0]
    if evaluation.rules != Rules(language=evaluation.language):
        scores = evaluate(evaluation.gold, scores.run, language=evaluation.language)[0]
    items = []
    for question in questions:
        response = scores.run.response(question.id)
        if response.could_be_right(question.answers):
            items.append(Item(question, response))
    if not items:
        raise DataError(
            f"{scores.name}: none of the {len(questions):,} questions has an answer that could be"
            " labelled"
        )
    strata, doubt = _strata(items, scores)
    features = _features(items, evaluation.language)
    return LabelPool(tuple(items), len(questions), features, strata, doubt)


def _strata(items: Sequence[Item], scores: Scores) -> tuple[NDArray[np.intp], Array]:
    """Return the stratum of each answer, and how uncertain the verdicts of its stratum are."""
    if scores.sure is None:
        return np.zeros(len(items), dtype=np.intp), np.ones(len(items))
    counts = scores.counts.reindex([item.question.id for item in items])
    is_judged = (counts["open"] == 0).to_numpy()
    probabilities = scores.sure.reindex(counts.index).where(is_judged, _UNKNOWN).to_numpy(float)
    is_guess = counts.index.isin(scores.guesses.index)
    is_wrong = (counts["hit"].astype(float) <= 0.5).to_numpy()
    strata = np.where(is_judged, 1 + is_wrong + 2 * ~is_guess, 0)
    means = np.bincount(strata, probabilities) / np.maximum(np.bincount(strata), 1)
    return strata, np.sqrt(means * (1.0 - means))[strata]


def draw(answers: LabelPool, size: int, random_state: int = SEED) -> list[Item]:
    """Return the answers to be labelled, in the order of labelling."""
    check_whole("n", size, 1)
    check_whole("random_state", random_state, 0)
    if size > len(answers.items):
        raise UsageError(
            f"{size} labels were requested, but the run has {len(answers.items):,} answers;"
            f" ask for 1 to {len(answers.items):,}"
        )
    return answers.order(random_state)[:size]


def _features(items: Sequence[Item], language: str) -> Array:
    """Return simple features: lengths, number and kind of answers, first word."""
    texts = [item.question.text(language) for item in items]
    numbers = np.array(
        [
            (len(text.split()), len(item.given), len(item.gold), item.gold.count(" | "))
            for item, text in zip(items, texts, strict=True)
        ],
        dtype=float,
    )
    # logarithms, as a few very long answers would dominate all distances
    numbers = np.log1p(numbers)
    columns = [
        (column - column.min()) / np.ptp(column) for column in numbers.T if np.ptp(column) > 0
    ]
    first_words = [next(iter(text.casefold().split()), "") for text in texts]
    kinds = [item.question.answer_type for item in items]
    for values in (first_words, kinds):
        frequent = [name for name, _ in Counter(values).most_common(_FIRST_WORDS)]
        columns += [np.array([value == name for value in values], dtype=float) for name in frequent]
    if columns:
        return np.column_stack(columns)
    return np.zeros((len(items), 1))


COLUMNS = ("position", "id", "question", "gold", "answer", "label", "draw")
#: Part of the column `draw` if guesses were drawn more often.
_GUESSES_FIRST = ", guesses first"
#: An answer with digits and fewer letters may be a date, which spreadsheets write in their own way.
_FEW_LETTERS = 12


class Sheet(NamedTuple):
    """The labels on a worksheet."""

    #: Label by question, 0 to 1; those from the start of the order up to the first gap.
    labels: dict[str, float]
    skipped: tuple[str, ...]  # questions among them that the labeller could not judge
    drawn: str  # how the sample was drawn; empty if the sheet does not say it
    listed: tuple[str, ...]  # all questions of the sheet, in its order
    later: int  # labels after a gap, which do not count
    #: The answers that were labelled, by question; empty without a column for them.
    answers: dict[str, str]


def describe_drawing(answers: LabelPool, random_state: int) -> str:
    """Return the description of how a worksheet was drawn."""
    order = _GUESSES_FIRST if answers.stratified else ""
    return f"lpm of {len(answers.items)} answers{order}, seed {random_state}"


def restore_strata(answers: LabelPool, drawn: str) -> LabelPool:
    """Return the answers in the strata from which a worksheet says it was drawn, if any."""
    if _GUESSES_FIRST in drawn:
        return answers
    return answers.unstratified()


def dump_sheet(items: Sequence[Item], drawn: str, language: str = LANGUAGE) -> str:
    """Return a worksheet as CSV, safe from being run as formulas by a spreadsheet."""
    return dump_csv(
        COLUMNS, (row(position, item, drawn, language) for position, item in enumerate(items, 1))
    )


def row(position: int, item: Item, drawn: str, language: str) -> list[object]:
    """Return a row of a worksheet.

    Line breaks within cells become blanks, since spreadsheets differ in how they read them.
    """
    texts = (item.question.text(language), item.gold, item.given)
    return [position, item.question.id, *map(cell_text, texts), "", drawn]


def read_sheet(path: str | Path) -> Sheet:
    """Read a worksheet, in whatever order a spreadsheet left its rows."""
    rows = sheet_rows(
        path, LABELLED, "columns id and label are expected, as 'qaldgen label' writes them"
    )
    ids = [row["id"] for row in rows]
    doubled = next((name for name in ids if ids.count(name) > 1), None)
    if doubled is not None:
        raise DataError(f"{path}: question {doubled} is listed twice; give it one row")
    if "position" not in rows[0]:
        return _sheet_of_rows(rows, path, gaps_end=False)
    places = {}
    for row in rows:
        if not re.fullmatch("0*[1-9][0-9]{0,17}", row["position"]):
            raise DataError(
                f"{path}: question {row['id']}: position is {row['position']!r},"
                " not a whole number from 1"
            )
        places[int(row["position"])] = row
    ordered = list[dict[str, str]]()
    expected = 1
    for place in sorted(places):
        # rows that were deleted are a gap, just like a row without a label
        if place > expected:
            ordered.append({"id": "", "label": ""})
        ordered.append(places[place])
        expected = place + 1
    return _sheet_of_rows(ordered, path, gaps_end=True)


def _sheet_of_rows(rows: Sequence[dict[str, str]], path: str | Path, *, gaps_end: bool) -> Sheet:
    labels = dict[str, float]()
    skipped = list[str]()
    later = 0
    has_ended = False
    for row in rows:
        mark = row["label"].casefold()
        if not mark:
            has_ended = has_ended or gaps_end
        elif has_ended:
            later += 1
        elif mark in SKIPPED:
            skipped.append(row["id"])
        else:
            labels[row["id"]] = value_of(mark, f"{path}: question {row['id']}")
    drawn = {row["draw"] for row in rows if row.get("draw")}
    if len(drawn) > 1:
        raise DataError(
            f"{path}: its rows were drawn in different ways ({', '.join(sorted(drawn)[:2])}); use"
            " one sheet for each"
        )
    if not labels:
        raise DataError(
            f"{path}: no answer is labelled yet;"
            " write y (right), n (wrong), p (partly) or s (skip) into 'label'"
        )
    return Sheet(
        labels=labels,
        skipped=tuple(skipped),
        drawn=next(iter(drawn), ""),
        listed=tuple(row["id"] for row in rows if row["id"]),
        later=later,
        answers={row["id"]: row["answer"] for row in rows if row.get("answer")},
    )


def check_answers(sheet: Sheet, items: Sequence[Item], path: str | Path) -> None:
    """Refuse labels of answers that the run no longer gives."""
    changed = changed_answers(sheet, items)
    if changed:
        raise DataError(
            f"{path}: not the answers of this run to {count(len(changed), 'question')} (first:"
            f" {changed[0]}); labels belong to the answers that were labelled, so name the run"
            " that was labelled"
        )


def changed_answers(sheet: Sheet, items: Sequence[Item]) -> list[str]:
    """Return the labelled questions whose answer on a sheet is not the one of the run."""
    answers = {item.question.id: cell_text(item.given) for item in items}
    changed = []
    for name in sheet.labels:
        if name not in sheet.answers or name not in answers:
            continue
        labelled = sheet.answers[name]
        answer = unprotect(answers[name]).strip()
        # only letters are compared, as spreadsheets rewrite numbers and dates
        letters_of_sheet = list(filter(str.isalpha, labelled.casefold()))
        letters = list(filter(str.isalpha, answer.casefold()))
        if "?" in labelled or "\ufffd" in labelled:  # the encoding of the sheet lacks some letters
            letters_of_sheet = list(filter(str.isascii, letters_of_sheet))
            letters = list(filter(str.isascii, letters))
        may_be_date = len(letters) < _FEW_LETTERS and any(map(str.isdigit, answer))
        if letters_of_sheet != letters and not may_be_date:
            changed.append(name)
    return changed


_TEMPLATES = files("qaldgen.plugins.labelling") / "templates"


class Form(NamedTuple):
    """The questions of a page to an annotator."""

    question: str  # the question to the labeller
    #: From a key to what it means; "s" and the keys to undo and save are on every page.
    marks: Mapping[str, str]
    columns: Sequence[str]  # of the worksheet, among them ``label``
    column_by_heading: Mapping[str, str]  # from a heading to the column below it
    key: Sequence[str]  # the columns that identify a row


_ANSWERS = Form(
    question="Is the answer right?",
    marks={"y": "right", "n": "wrong", "p": "partly"},
    columns=COLUMNS,
    column_by_heading={
        "Question": "question",
        "Gold answer": "gold",
        "Answer of the system": "answer",
    },
    key=("id", "answer"),
)


def page(
    form: Form, rows: Sequence[Sequence[object]], name: str, labels: Mapping[tuple[str, ...], str]
) -> str:
    """Return the page for rows of a worksheet, with the labels that are known by their keys."""
    place = list(form.columns).index("label")
    items = []
    for cells in rows:
        cell_by_column = dict(zip(form.columns, map(str, cells), strict=True))
        # the row of the worksheet before and after the label
        before = dump_csv([], [cells[:place]]).strip("\n")
        after = dump_csv([], [cells[place + 1 :]]).lstrip("\n")
        items.append({
            "id": _join_ids([cell_by_column[column] for column in form.key]),
            "shown": [cell_by_column[column] for column in form.column_by_heading.values()],
            "before": f"{before},",
            "after": f",{after}",
        })  # fmt: skip
    data = {
        # a page that continues a worksheet begins with its labels, whatever the browser has stored
        "key": hashlib.sha256(json.dumps([rows, sorted(labels.items())]).encode()).hexdigest()[:16],
        "name": name,
        "header": dump_csv(form.columns, []),
        "headings": list(form.column_by_heading),
        "marks": [*form.marks, "s"],
        "items": items,
        "labels": {_join_ids(pair): mark for pair, mark in labels.items()},
    }
    style, script = (
        _TEMPLATES.joinpath(f"labelling.{kind}").read_text(encoding="utf-8")
        for kind in ("css", "js")
    )
    keys = {**form.marks, "s": "skip", "u": "undo", "w": "save the worksheet"}
    return render_page(
        _TEMPLATES.joinpath("labelling.html").read_text(encoding="utf-8"),
        {},
        asked=form.question,
        keys=keys,
        style=style,
        script=script,
        # escaped, as a tag in a text could end the script
        data=json.dumps(data, ensure_ascii=False).replace("<", "\\u003c"),
    )


def _join_ids(parts: Sequence[str]) -> str:
    """Return one text for several ids; no id has a tab."""
    return "\t".join(parts)


@dataclasses.dataclass(frozen=True)
class Worksheet:
    """Answers to be labelled by hand.

    Attributes
    ----------
    items : tuple of Item
        In the order in which to label them: every prefix is a sample.
    drawn : str
        How they were drawn.
    language : str
        Language of the wordings.
    answers, questions : int
        How many answers there are in all, and how many questions; those without an answer are
        wrong.
    labels : mapping of str to str
        What was labelled before.
    guesses, all_guesses : int
        How many verdicts of `contains` on these are guesses, and how many of all; 0 if answers are
        not in words.
    notes : tuple of str
        What is to be known of the questions.
    """

    items: tuple[Item, ...]
    drawn: str
    language: str
    answers: int
    questions: int
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict, hash=False)
    guesses: int = 0
    all_guesses: int = 0
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return one line: how many answers, and how they were drawn."""
        return f"<Worksheet: {len(self.items):,} answers to label, {self.drawn}>"

    def __str__(self) -> str:
        """Return how many answers are to be labelled, of how many."""
        drawn = len(self.items)
        text = f"{drawn} of {self.answers:,} answers are to be labelled"
        if self.all_guesses:
            text += (
                f" (guesses first: {self.guesses} of {self.all_guesses:,}; sure verdicts:"
                f" {drawn - self.guesses} of {self.answers - self.all_guesses:,})"
            )
        unanswered = self.questions - self.answers
        if unanswered:
            text += (
                f"; the other {unanswered:,} of {self.questions:,} questions have no answer, which"
                " counts as wrong"
            )
        return text

    def csv(self) -> str:
        """Return the worksheet with an empty column."""
        return dump_sheet(self.items, self.drawn, self.language)

    def page(self, name: str = "worksheet.csv") -> str:
        """Return a page that works with the keyboard alone and saves the worksheet under a name.

        Parameters
        ----------
        name
            The name of the file that the page saves.

        Returns
        -------
        str
            HTML.
        """
        items = enumerate(self.items, 1)
        rows = [row(position, item, self.drawn, self.language) for position, item in items]
        answers = {item.question.id: cell_text(item.given) for item in self.items}
        labels: dict[tuple[str, ...], str] = {
            (id_, answers[id_]): mark for id_, mark in self.labels.items()
        }
        return page(_ANSWERS, rows, name, labels)


def label(
    gold: AnyGold | Evaluation,
    run: AnyRuns = None,
    size: Count = 60,
    *,
    random_state: Seed = SEED,
    language: str = LANGUAGE,
    resume: str | Path | None = None,
    purpose: Literal["score", "compare"] = "score",
) -> Worksheet:
    """Draw answers of a run to be labelled by hand.

    Of answers in words, those are drawn more often on which the verdict of `contains` is a guess,
    with known probabilities; `score_labels` takes them into account.

    Parameters
    ----------
    gold
        The questions; or what `evaluate` returns, of one run, or of several to compare.
    run
        The answers; None if the questions have those of one system in a column of their own. To
        compare, several runs as for `evaluate`.
    size
        Number of answers to label.
    random_state
        Seed of the sample.
    language
        Language of the texts to show; an evaluation has its own.
    resume
        Partly labelled worksheet of this sample; the page continues from it.
    purpose
        What the labels are for: ``score`` (a random sample of one run) or ``compare``.

        To compare, the answers in words of several runs that decide which is better: doubtful ones,
        where close runs differ. They are no random sample; `compare` takes them.

    Returns
    -------
    Worksheet
        The sample; ``.csv()`` and ``.page()`` write it.

    Raises
    ------
    UsageError
        If there are fewer answers than labels, or the worksheet to go on with is of another sample.
    DataError
        If a file cannot be read.

    Examples
    --------
    >>> gold = [{"id": f"{n}", "question": f"What is {n}?", "answers": [f"{n}"]} for n in range(60)]
    >>> label(gold, {f"{n}": "7" for n in range(60)}, 5)
    <Worksheet: 5 answers to label, lpm of 60 answers, guesses first, seed 0>
    """
    if purpose == "compare":
        if resume is not None:
            raise UsageError(
                "`resume` goes on with a sample of one run; `purpose` compare has none"
            )
        return _deciding_answers(as_evaluation(gold, run, language=language), size)
    evaluation = evaluate_one(gold, cast("AnyRun", run), language=language)
    answers = label_pool(evaluation)
    sheet = None
    if resume is not None:
        sheet = read_sheet(resume)
        answers = restore_strata(answers, sheet.drawn)
    drawn = describe_drawing(answers, random_state)
    items = tuple(draw(answers, size, random_state))
    labels = {}
    if sheet is not None:
        # a sheet can only be continued with the same answers, seed and order
        sampled = {item.question.id for item in items}
        if sheet.drawn != drawn or not set(sheet.listed) <= sampled:
            earlier = sheet.drawn or "not drawn here"
            raise UsageError(f"{resume}: belongs to another sample ({earlier}, now {drawn})")
        check_answers(sheet, answers.items, str(resume))
        # as the labeller typed them
        marks = {1.0: "y", 0.0: "n", 0.5: "p"}
        labels = {name: marks.get(value, str(value)) for name, value in sheet.labels.items()}
        labels |= dict.fromkeys(sheet.skipped, "s")
    untested = why_not_tested(evaluation.gold, [evaluation[0].run])
    notes = (untested,) if untested else ()
    return Worksheet(
        items=items,
        drawn=drawn,
        language=evaluation.language,
        answers=len(answers.items),
        questions=answers.total,
        labels=labels,
        guesses=answers.guesses(items),
        all_guesses=answers.guesses(answers.items),
        notes=notes,
    )


def _deciding_answers(evaluation: Evaluation, size: int) -> Worksheet:
    """Return the answers whose labels decide which of several runs is better, the best first."""
    check_whole("n", size, 1)
    if len(evaluation) < 2:
        raise UsageError("labels to compare need two runs or more; name them")
    certain = [scores.name for scores in evaluation if scores.sure is None]
    if certain:
        raise UsageError(
            f"{few(certain)}: no answer is in words, so no verdict is in doubt; 'compare' needs no"
            " labels"
        )
    items = {}
    for question in evaluation.gold.questions:
        for scores in evaluation:
            response = scores.run.response(question.id)
            items[question.id, scores.name] = Item(question, response)
    chances = {}
    errors = {}
    for scores in evaluation:
        if scores.sure is not None:
            right = scores.counts["hit"].astype(bool)
            chances[scores.name] = scores.sure.where(right, 1 - scores.sure)
        if scores.rules.prior:
            errors[scores.name] = scores.rules.prior.error
    table = pd.DataFrame(chances)
    answers = pd.Series({place: item.given for place, item in items.items()}).unstack()
    chosen = deciding(table, answers.loc[table.index, table.columns], errors)
    if not chosen:
        raise DataError("no label decides: where the runs differ, every verdict is certain")
    return Worksheet(
        items=tuple(items[place] for place in chosen[:size]),
        drawn=f"those that decide between {few([scores.name for scores in evaluation])}",
        language=evaluation.language,
        answers=len(chosen),
        questions=len(chosen),
    )
