"""The contents of a report as data: everything that the page and the tables show."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from qaldgen.analysis.comparing.comparison import Comparison
from qaldgen.analysis.slices.cluster_slices import ClusterExample
from qaldgen.analysis.slices.slicing import Slice
from qaldgen.analysis.slices.weak_spots import WeakSpots
from qaldgen.benchmark.gold import Gold
from qaldgen.defaults import LEVEL_LABEL
from qaldgen.io.text import count
from qaldgen.reports.page.findings import Findings
from qaldgen.reports.page.map import Projection
from qaldgen.reports.page.method import MethodSection
from qaldgen.reports.page.question_table import (
    Guesses,
    guesses_of_runs,
    question_table,
    share_of_guesses,
)
from qaldgen.reports.tables.scores import status_table
from qaldgen.scoring.intervals import FEWEST
from qaldgen.scoring.measures import find_measure
from qaldgen.scoring.score import Scores

#: Which questions a table of scores is about, by the rule for missing answers.
CAPTIONS = {
    "asked": "questions without an answer count as 0",
    "zero": "all questions, and those without an answer or not asked count as 0",
    "skip": "each system without the questions that failed, timed out or were not asked",
}
#: A feature with more kinds than this has no figure; only clusters have so many.
_MOST_KINDS = 40
#: The caption if the report as a whole leaves out missing answers: it is on the common questions.
_COMMON_CAPTION = "only questions that every system was asked and on which none failed or timed out"


class Section(NamedTuple):
    """A table with a heading of its own.

    Attributes
    ----------
    name : str
        The name of its row in `SECTIONS`: the part of a file name, and the anchor on the page.
    link, heading, how, caption : str
        The entry in the navigation, the heading, how to read the table, and its caption.
    frame : DataFrame
        The table as people read it; its first columns name the rows.
    labels : int
        How many columns name the rows.
    table : DataFrame
        The exact numbers, for programs.
    """

    name: str
    link: str
    heading: str
    how: str
    caption: str
    frame: pd.DataFrame
    labels: int
    table: pd.DataFrame


class SliceRow(NamedTuple):
    """The scores of the systems on a slice, with their intervals, and who wins."""

    feature: str  # what the questions were sliced by; empty for all questions
    name: str
    slice: Slice | None  # None for all questions
    n: int
    cells: Sequence[Mapping[Hashable, Any]]  # for each system ``estimate``, ``low``, ``high``
    winner: str  # empty where nobody wins, or nothing was tested


@dataclasses.dataclass(frozen=True, eq=False)
class Report:
    """The contents of a report.

    Attributes
    ----------
    title : str
        The title.
    measure : str
        The measure of slices, tests and pictures, a key of `scoring.measures.MEASURES`.
    questions_asked : int
        The questions that count for every system, the denominator.
    missing : str
        The policy for missing answers, a key of `scoring.missing.POLICIES`.
    pool : int or None
        For a probability sample the size of the pool that scores, slices and differences are
        estimates for.
    summary : DataFrame
        See `scoring.score.summarise`, the best system first: by the rule of the report, and by
        others where they differ.
    slices : mapping of str to sequence of Slice
        By feature, ``cluster``, or whatever else the questions were sliced by.
    scores : DataFrame
        One row for each slice and system: ``feature``, ``slice``, ``system``, and the columns of
        `slicing.group_scores`; first all questions, where ``feature`` is empty.
    comparison : Comparison or None
        None for a single system.
    findings : Findings
        What is significant, in words.
    method : MethodSection
        How the numbers were computed.
    gold : Gold
        The questions.
    all_scores : tuple of Scores
        The scores of each system on all questions, the best system first by the measure of the
        report.
    examples : mapping of str to ClusterExample
        By the name of the cluster: the questions that represent it, and whether systems answer its
        other questions as they answer these.
    projection : Projection or None
        The questions in two dimensions; None for no map.
    weak : WeakSpots
        Where each system is weak.
    table : DataFrame or None
        The features of the questions.
    sections : tuple of Section
        The sections that plug-ins added.
    match : str
        The rules by which answers were matched.
    in_words : bool
        Whether a matcher compared answers in words.
    editions : tuple of str
        Sentences on systems whose rank depends on the edition of the gold; empty if there are none.
    agreement : str
        How consistent systems are on questions asked in several languages or wordings, in a line;
        empty if no question was.
    """

    title: str
    measure: str
    questions_asked: int
    missing: str
    pool: int | None
    summary: pd.DataFrame
    slices: Mapping[str, Sequence[Slice]]
    scores: pd.DataFrame
    comparison: Comparison | None
    findings: Findings
    method: MethodSection
    gold: Gold
    all_scores: tuple[Scores, ...]
    examples: Mapping[str, ClusterExample]
    projection: Projection | None = None
    weak: WeakSpots = dataclasses.field(default_factory=WeakSpots)
    table: pd.DataFrame | None = None
    sections: tuple[Section, ...] = ()
    agreement: str = ""
    match: str = ""
    in_words: bool = False
    editions: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return one line: the systems, the questions and the measure."""
        systems = ", ".join(self.systems)
        return f"<Report on {systems}: {count(self.questions_asked, 'question')}, {self.measure}>"

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, the best first by the measure of the report."""
        return tuple(scores.name for scores in self.all_scores)

    @property
    def statuses(self) -> pd.DataFrame:
        """What became of the questions; see `reports.tables.scores.status_table`."""
        return status_table(self.all_scores)

    @functools.cached_property
    def questions(self) -> pd.DataFrame:
        """One row for each question and system; see `question_table`."""
        return question_table(self.gold, self.all_scores)

    @functools.cached_property
    def guesses(self) -> Guesses:
        """By system and question: the verdicts that may be wrong; see `guesses_of_runs`."""
        return guesses_of_runs(self.gold, self.all_scores)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The findings on all questions, the winners, the rank reversals and the weak spots."""
        findings = self.findings
        on_weakness = tuple(self.weak.sentences())
        return findings.overall + findings.winners + findings.reversals + on_weakness

    def __str__(self) -> str:
        """Return the line and the sentences."""
        return "\n\n".join([repr(self), *self.sentences])

    @property
    def overall(self) -> pd.DataFrame:
        """The score of each system on all questions, with its interval, the best first."""
        scores = self.scores[self.scores["feature"] == ""].set_index("system")
        return scores.loc[list(self.systems), ["estimate", "low", "high"]]

    @property
    def scores_by_kind(self) -> pd.DataFrame:
        """The scores on all questions, then on each kind that is large enough for a score."""
        all_slices = itertools.chain.from_iterable(self.slices.values())
        labels = {part.name: part.label for part in all_slices}
        features = [name for name, group in self.slices.items() if len(group) <= _MOST_KINDS]
        scores = self.scores[self.scores["feature"].isin(["", *features])]
        scores = scores[(scores["n"] >= FEWEST) | (scores["feature"] == "")]
        return scores.assign(label=scores["slice"].map(labels).fillna("all questions"))

    @property
    def measured(self) -> str:
        """The label of the report's measure, without the word "score"."""
        return find_measure(self.measure).label.removesuffix(" score")

    @property
    def guessed(self) -> str:
        """How many verdicts are guesses, in a sentence; empty if none is."""
        return share_of_guesses(self.guesses, self.questions_asked)

    @property
    def score_of_question(self) -> str:
        """The label of the measure of a single question."""
        if self.measure.startswith("macro-") and find_measure(self.measure).is_mean:
            return f"mean {self.measured.removeprefix('Macro ')}"
        return f"{self.measured} per question"

    def caption(self, rule: str) -> str:
        """Return the caption of the scores by a rule for missing answers."""
        pool = ""
        counting_rule = CAPTIONS[rule]
        if self.pool is not None:
            pool = f" of all {self.pool:,} questions of the pool, estimated"
        if rule == "skip" and self.missing == "skip":
            counting_rule = _COMMON_CAPTION
        return f"Scores{pool} with {LEVEL_LABEL} intervals; {counting_rule}"


def report_slices(report: Report) -> Iterator[SliceRow]:
    """Yield a row for all questions and one for each slice, in the order of the features."""
    winners = {}
    if report.comparison is not None:
        winners = report.comparison.winners["winner"].to_dict()
    all_slices = itertools.chain.from_iterable(report.slices.values())
    slices = {slice_.name: slice_ for slice_ in all_slices}

    for (feature, name), rows in report.scores.groupby(["feature", "slice"], sort=False):
        by_system = rows.set_index("system").loc[list(report.systems)]
        winner = str(winners.get(name, "tie"))
        if winner == "tie":
            winner = ""
        yield SliceRow(
            feature=str(feature),
            name=str(name),
            slice=slices.get(str(name)),
            n=int(by_system["n"].iloc[0]),
            cells=by_system[["estimate", "low", "high"]].to_dict("records"),
            winner=winner,
        )
