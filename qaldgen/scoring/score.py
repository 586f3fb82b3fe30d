"""Score runs against gold questions: a table of counts, measures with intervals, and notes."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Annotated, NamedTuple, TypeAlias

import pandas as pd

from qaldgen.answers.record import Run
from qaldgen.defaults import DECIMALS, MEASURE, SEED
from qaldgen.errors import DataError
from qaldgen.io.result_display import result_html
from qaldgen.io.text import count
from qaldgen.model import Question
from qaldgen.options import Measures, OneOf, Seed
from qaldgen.questions.file_content import InMemory
from qaldgen.scoring.counts import counts_if_right
from qaldgen.scoring.guesses import SURE
from qaldgen.scoring.intervals import Interval, measure_interval
from qaldgen.scoring.matchers import MATCHERS, MatcherKind
from qaldgen.scoring.measures import (
    available_measures,
    duplicates_note,
    duplicates_of_accuracy,
    find_measure,
    weights_in,
)
from qaldgen.scoring.missing import DEFAULT, counted_questions
from qaldgen.scoring.risk_coverage import risk_coverage
from qaldgen.scoring.rules import JUDGE, Rules
from qaldgen.scoring.verdict_model import MIN_SURE


class LoggedMean(NamedTuple):
    """The mean of a score that the log of another evaluator has for its answers."""

    value: float
    questions: int  # how many have this score; tools leave some failures out


@dataclasses.dataclass(frozen=True, eq=False)
class Scores:
    """The counts of one run, from which all measures follow."""

    run: Run  #: the run that was scored
    #: One row for each question: see `qaldgen.scoring.count_table.COLUMNS`.
    counts: pd.DataFrame
    #: When an answer is right: the matcher, other IRIs, the language, aliases, how an answer is
    #: found in a reply.
    rules: Rules = Rules()  # noqa: RUF009 - a tuple
    notes: tuple[str, ...] = ()  #: what a user should know
    #: How answers in words were read, and how several answers to one question count; empty if there
    #: are none.
    method: str = ""
    #: With `also_gold`, the same run on each edition of the gold, the given one first.
    editions: Mapping[str, Scores] = dataclasses.field(default_factory=dict)
    changed: frozenset[str] = frozenset()  #: the questions whose gold differs in an edition
    #: F1 by question and language or wording, missing where it was not asked; None unless
    #: `scoring.wordings.with_wordings` added it.
    wordings: pd.DataFrame | None = None

    def __repr__(self) -> str:
        """Return one line: the system, the statuses of the questions, and the matcher."""
        statuses = ", ".join(f"{size:,} {status}" for status, size in self.statuses().items())
        return (
            f"<Scores of {self.name}: {count(len(self.counts), 'question')} ({statuses}),"
            f" matched by {self.match}>"
        )

    def __str__(self) -> str:
        """Return the line, the notes, and the measures."""
        lines = [repr(self)]
        lines += [f"Note: {text}" for text in self._printed_notes()]
        lines.append("")
        lines += [f"{label:<16}  {value}" for label, value in self._printed_measures().items()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the line, the measures and the notes, for notebooks."""
        table = pd.DataFrame({self.name: self._printed_measures()})
        return result_html(repr(self), [table], self._printed_notes())

    def _equal_to_accuracy(self) -> list[str]:
        """Return the measures that equal accuracy; none where no answer is in words."""
        if not self.in_words:
            return []
        names = available_measures(self.counts)
        return duplicates_of_accuracy({name: [self[name]] for name in names})

    def _printed_measures(self) -> dict[str, str]:
        """Return measures by label, without those that equal accuracy, and the stated ones."""
        duplicates = self._equal_to_accuracy()
        values = {}
        for name in available_measures(self.counts):
            if name not in duplicates:
                values[find_measure(name, self.counts).label] = f"{self[name]:.{DECIMALS}f}"
        for name, mean in self.logged.items():
            values[f"{name} (stated)"] = f"{mean.value:.{DECIMALS}f}"
        return values

    def _printed_notes(self) -> list[str]:
        """Return the notes, with one on the measures that equal accuracy."""
        notes = list(self.notes)
        if duplicates := self._equal_to_accuracy():
            notes.append(duplicates_note(duplicates))
        return notes

    def __getitem__(self, measure: str) -> float:
        """Return a measure by its name in ``qaldgen list measures``, such as ``macro-f1``."""
        if not isinstance(measure, str):
            raise TypeError(
                "scores are taken by measure, such as scores['macro-f1']; .counts has a"
                " row for each question, .measures() one for each measure"
            )
        return float(find_measure(measure, self.counts).of(self.counts, None))

    @property
    def name(self) -> str:
        """The name of the system."""
        return self.run.name

    @property
    def matchers(self) -> dict[str, int]:
        """How many questions each matcher judged, the most first."""
        return {str(name): int(n) for name, n in self.counts["matcher"].value_counts().items()}

    @property
    def match(self) -> str:
        """The matchers in words."""
        return matched_by([self])

    @property
    def judged_by(self) -> str:
        """The matchers, and the rules that differ from the defaults."""
        return ", ".join(filter(None, [self.match, self.rules.unusual]))

    @property
    def by_judge(self) -> bool:
        """Whether right and wrong are the verdicts of a judge."""
        return self.rules.match == JUDGE

    @property
    def in_words(self) -> bool:
        """Whether a matcher compared answers in words."""
        return any(MATCHERS[name].words for name in self.matchers)

    def explain(self, question: Question) -> str:
        """Return why the answer to a question is right or wrong; empty if its matcher cannot say.

        Parameters
        ----------
        question
            The question.
        """
        explain = MATCHERS[str(self.counts["matcher"].get(question.id))].explain
        if not explain:
            return ""
        return explain(question, self.run.responses_to(question)[-1], self.rules)

    @property
    def explains(self) -> bool:
        """Whether a matcher can say why answers are right or wrong."""
        return any(MATCHERS[name].explain for name in self.matchers)

    @property
    def sure(self) -> pd.Series[float] | None:
        """The probability that the verdict on each question is right; None if no rule guesses."""
        return self.counts.get(SURE)

    @property
    def guesses(self) -> pd.Series[float]:
        """The probabilities of verdicts that are guesses, by question."""
        if self.sure is None:
            return pd.Series(dtype=float)
        return self.sure[self.sure < MIN_SURE]

    @property
    def logged(self) -> dict[str, LoggedMean]:
        """The mean over questions of each score that the file states, such as that of a log.

        Of several answers to a question the mean counts. Scores outside of 0 to 1 are left out.
        """
        rows = []
        for question_id in self.counts.index:
            for response in self.run.repeats.get(question_id) or (self.run.response(question_id),):
                rows += [(score, question_id, value) for score, value in response.verdicts]
        table = pd.DataFrame(rows, columns=["score", "question", "value"])
        by_question = table.groupby(["score", "question"], sort=False)["value"].mean()
        means = {}
        for score, values in by_question.groupby("score", sort=False):
            if values.between(0, 1).all():
                means[str(score)] = LoggedMean(fmean(values), len(values))
        return means

    @property
    def confidence(self) -> pd.Series[float]:
        """How sure the system is of each answer, by question; more for surer, NaN for unknown."""
        ids = map(str, self.counts.index)
        confidences = {
            question_id: self.run.response(question_id).confidence for question_id in ids
        }
        return pd.Series(confidences, dtype=float)

    def risk_coverage(self) -> pd.DataFrame:
        """Return the risk-coverage curve: see `qaldgen.scoring.risk_coverage.risk_coverage`."""
        return risk_coverage(self.counts, self.confidence)

    def statuses(self) -> dict[str, int]:
        """Return how many questions have each status."""
        counts = self.counts["status"].value_counts(sort=False)
        return {str(name): int(size) for name, size in counts.items()}

    def most(self, measure: str = MEASURE) -> float:
        """Return the most that a measure can be: its value if all unjudged answers were right.

        Parameters
        ----------
        measure
            Its name.
        """
        counts = counts_if_right(self.counts)
        return float(find_measure(measure, counts).of(counts, None))

    def with_missing(self, rule: str) -> pd.DataFrame:
        """Return the counts of the questions that count by a rule for missing answers."""
        return counted_questions(self.counts, rule)

    def measures(
        self,
        *,
        measure: Measures | None = None,
        weights: pd.Series[float] | None = None,
        missing: Annotated[str, OneOf("missing-answers", only=False)] = DEFAULT,
        random_state: Seed = SEED,
    ) -> pd.DataFrame:
        """Return every measure with its 95 % interval.

        Parameters
        ----------
        measure
            Only this measure.
        weights
            By question; None for equal ones.
        missing
            Which questions count: zero is GERBIL's rule, so scores compare with published ones.
        random_state
            Seed of the simulated weights (Macro F1 QALD).

        Returns
        -------
        pandas.DataFrame
            One row per measure (index: its name): ``value``, ``low``, ``high``, ``questions`` (the
            denominator) and ``interval`` (how it was made, or why there is none). ``["value"]`` is
            the Series of the numbers. With ``also_gold`` also ``least`` and ``most`` over the
            editions of the gold.

        Raises
        ------
        UsageError
            If there is no such rule for missing answers.
        """
        summary = summarise(
            [self],
            missing=(missing,),
            measures=[measure] if measure else None,
            weights=weights,
            random_state=random_state,
        )
        table = summary.set_index("measure")[["value", "low", "high", "questions", "interval"]]

        if self.editions:
            values = pd.DataFrame(index=table.index)
            for edition, scores in self.editions.items():
                counts = scores.with_missing(missing)
                weight = weights_in(weights, counts)
                values[edition] = [
                    find_measure(name, counts).of(counts, weight) for name in table.index
                ]
            table["least"] = values.min(axis=1)
            table["most"] = values.max(axis=1)
        return table


#: What a user may give as a run: a file, a dict of id and answer, a list of dicts, a
#: DataFrame, the result of `read_run` or `ask`, or scores.
AnyRun: TypeAlias = "str | Path | InMemory | Run | Scores"


def check_names(names: Iterable[str]) -> list[str]:
    """Return the names of runs; refuse two that are equal, as tables and tests join by name."""
    run_names = list(names)
    duplicate = next((name for name in run_names if run_names.count(name) > 1), None)
    if duplicate is not None:
        raise DataError(
            f"two runs have the name {duplicate!r}; set different names with"
            " read_run(path, name=...)"
        )
    return run_names


def matched_by(all_scores: Sequence[Scores], *, with_help: bool = False) -> str:
    """Return the names of the matchers of runs, with their descriptions if `with_help`."""
    matchers: dict[str, MatcherKind] = {}
    for scores in all_scores:
        matchers |= {name: MATCHERS[name] for name in scores.matchers}
    if not matchers:
        return all_scores[0].rules.match
    if with_help:
        return ", and by ".join(f"{name}: {matcher.help}" for name, matcher in matchers.items())
    return " and ".join(matchers)


def notes_of(all_scores: Iterable[Scores], *extra_notes: str) -> tuple[str, ...]:
    """Return the notes of scores and the extra ones, each once."""
    notes = list[str]()
    for scores in all_scores:
        notes += scores.notes
    notes += filter(None, extra_notes)
    return tuple(dict.fromkeys(notes))


def logged_line(all_scores: Iterable[Scores]) -> str:
    """Return the scores that the files of systems state, as a line; empty if none states any."""
    means = []
    for scores in all_scores:
        for name, mean in scores.logged.items():
            questions = count(mean.questions, "question")
            means.append(f"{scores.name} has {name} {mean.value:.3f} of {questions}")
    if not means:
        return ""
    return f"by the scores that the files state, {'; '.join(means)}"


_COLUMNS = ("run", "missing", "measure", "label", "value", "low", "high", "questions", "interval")


def summarise(
    all_scores: Sequence[Scores],
    *,
    missing: Sequence[str] = (DEFAULT,),
    measures: Sequence[str] | None = None,
    weights: pd.Series[float] | None = None,
    population: int | None = None,
    random_state: int = SEED,
    estimate: Callable[[pd.DataFrame, str], Interval] | None = None,
) -> pd.DataFrame:
    """Return the measures of runs, with intervals.

    The value is exactly that of `Measure.of`, so GERBIL's to the last bit; the interval is
    Gaffke's for means of scores and micro measures, and that of drawn weights for the others.
    `estimate` makes all values estimates for a whole pool.
    """
    rows = []
    for scores, policy in itertools.product(all_scores, missing):
        counts = scores.with_missing(policy)
        weight = None if weights is None else weights.loc[counts.index]
        for name in measures or available_measures(counts):
            if estimate is not None:
                result = estimate(counts, name)
            else:
                result = measure_interval(
                    counts,
                    name,
                    weights=weight,
                    population=population,
                    random_state=random_state,
                )

            rows.append({
                "run": scores.name,
                "missing": policy,
                "measure": name,
                "label": find_measure(name).label,
                "value": result.estimate,
                "low": result.low,
                "high": result.high,
                "questions": len(counts),
                "interval": result.method,
            })  # fmt: skip

    return pd.DataFrame(rows, columns=list(_COLUMNS))
