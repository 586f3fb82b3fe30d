"""Score runs against gold questions: a table of counts, measures with intervals, and notes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias, cast
from weakref import WeakKeyDictionary

import pandas as pd

from qaldgen.benchmark.benchmark import Benchmark
from qaldgen.errors import DataError, UsageError
from qaldgen.formats.file_content import InMemory, in_memory
from qaldgen.formats.gerbil import load_warnings
from qaldgen.formats.question_texts import OUT_OF_SCOPE, language_tag
from qaldgen.formats.reading import reading_notes
from qaldgen.io.arguments import check_wordings
from qaldgen.io.concurrency import without_garbage_collection
from qaldgen.io.progress import step
from qaldgen.io.text import count, result_html
from qaldgen.model import Question, QuestionSet
from qaldgen.options import Extractions, Matchers, Measures, OneOf, Repeats, SameAs, Seed
from qaldgen.runs.question_matching import match_report
from qaldgen.runs.reading import read_run, read_runs
from qaldgen.runs.record import Run
from qaldgen.scoring.count_table import COPY, count_answers
from qaldgen.scoring.count_table import Repeats as RepeatedAnswers
from qaldgen.scoring.editions import Changes, compare_editions
from qaldgen.scoring.gold import AnyGold, Gold, as_gold, gold_as_run, gold_wordings, why_not_tested
from qaldgen.scoring.guesses import guesses_of
from qaldgen.scoring.intervals import measure_interval
from qaldgen.scoring.matchers import (
    AUTO,
    MATCHERS,
    Resolved,
    Rules,
    Scoring,
    extraction_of,
    make_matcher,
    resolve,
    rules_in_words,
)
from qaldgen.scoring.measures import alike, available, find_measure, like_accuracy, measure_named
from qaldgen.scoring.missing import DEFAULT, counted_questions
from qaldgen.scoring.notes import remarks_on
from qaldgen.scoring.repeats import read_rule, unexplained_repeats
from qaldgen.scoring.submission import dump_submission
from qaldgen.scoring.verdicts import JUDGE, Verdicts, logged_means
from qaldgen.scoring.words.extraction import make_extractor

#: The status of questions that the matcher cannot judge.
NOT_JUDGED = "not judged"
#: Warnings about gold questions by GERBIL's rules, by language; kept as long as the questions are.
_WARNINGS: WeakKeyDictionary[Gold, dict[str, list[str]]] = WeakKeyDictionary()


@dataclasses.dataclass(frozen=True, eq=False)
class Scores:
    """The counts of one run."""

    run: Run  #: the run that was scored
    #: One row for each question: see `qaldgen.scoring.count_table.counts_frame`.
    counts: pd.DataFrame
    match: str  #: the name of the matcher
    notes: tuple[str, ...] = ()  #: what a user should know
    #: The questions that the matcher cannot judge; they are not in `counts`.
    unjudged: tuple[str, ...] = ()
    #: How answers in words were read, and how several answers to one question count; empty if there
    #: are none.
    method: str = ""
    #: The settings of the matcher: other IRIs, the language, aliases, how an answer is found in a
    #: reply.
    rules: Rules = dataclasses.field(default_factory=Rules)
    #: With `also_gold`, the same run on each edition of the gold, the given one first.
    editions: Mapping[str, Scores] = dataclasses.field(default_factory=dict)
    changed: frozenset[str] = frozenset()  #: the questions whose gold differs in an edition
    #: F1 by question and language or wording, missing where it was not asked; None unless
    #: `scoring.wordings.with_wordings` added it.
    wordings: pd.DataFrame | None = None

    def __repr__(self) -> str:
        """Return one line: the system, the statuses of the questions, and the matcher."""
        became = ", ".join(f"{count:,} {status}" for status, count in self.statuses().items())
        return (
            f"<Scores of {self.name}: {count(len(self.counts), 'question')} ({became}),"
            f" matched by {self.match}>"
        )

    def _printed(self) -> tuple[dict[str, str], list[str]]:
        """Return measures as text by label, and the notes; for words those of one value once."""
        found = {name: self[name] for name in available(self.counts)}
        same = like_accuracy({name: [value] for name, value in found.items()})
        same = same if MATCHERS[self.match].words else []
        values = {
            find_measure(name, self.counts).label: f"{value:.4f}"
            for name, value in found.items()
            if name not in same
        }
        for name, mean in logged_means(self.run, self.counts.index).items():
            values[f"{name} (log)"] = f"{mean.value:.4f}"
        return values, [*self.notes, *([alike(same)] if same else [])]

    def __str__(self) -> str:
        """Return the line, the notes, and the measures."""
        values, notes = self._printed()
        rows = (f"{label:<16}  {value}" for label, value in values.items())
        return "\n".join([repr(self), *(f"Note: {note}" for note in notes), "", *rows])

    def _repr_html_(self) -> str:
        """Return the line, the measures and the notes, for notebooks."""
        values, notes = self._printed()
        return result_html(repr(self), [pd.DataFrame({self.name: values})], notes)

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
    def unusual_rules(self) -> str:
        """The rules of the matcher that are not the usual ones, in words."""
        return rules_in_words(self.match, self.rules)

    @property
    def judged_by(self) -> str:
        """The matcher with its unusual rules."""
        return ", ".join(filter(None, [self.match, self.unusual_rules]))

    def statuses(self) -> dict[str, int]:
        """Return how many questions have each status, and how many are ``not judged``."""
        counts = {
            str(name): int(count)
            for name, count in self.counts["status"].value_counts(sort=False).items()
        }
        return counts | ({NOT_JUDGED: len(self.unjudged)} if self.unjudged else {})

    def with_missing(self, rule: str) -> pd.DataFrame:
        """Return the counts of the questions that count by a rule for missing answers."""
        return counted_questions(self.counts, rule)

    def measures(
        self,
        *,
        measure: Measures | None = None,
        weights: pd.Series[float] | None = None,
        missing: Annotated[str, OneOf("missing-answers", only=False)] = DEFAULT,
        random_state: Seed = 0,
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
            over = [one.with_missing(missing) for one in self.editions.values()]
            values = {
                name: [find_measure(name, own).of(own, _listed(weights, own)) for own in over]
                for name in table.index
            }
            table["least"], table["most"] = (
                [pick(values[name]) for name in table.index] for pick in (min, max)
            )
        return table


#: What a run can be given as: a file, a dict of id and answer, a list of dicts, a DataFrame, what
#: `read_run` or `ask` returns, or scores.
AnyRun: TypeAlias = "str | Path | InMemory | Run | Scores"


def score(
    gold: AnyGold,
    run: AnyRun | None = None,
    *,
    match: Matchers | Verdicts | Resolved = AUTO,
    same_as: SameAs = "none",
    language: str = "en",
    aliases: Mapping[str, Sequence[str]] | str | Path | None = None,
    labels: str = "",
    extract: Extractions = "auto",
    repeats_as: Repeats | None = None,
    also_gold: AnyGold | Sequence[AnyGold] = (),
) -> Scores:
    """Compare the answers of a system with the gold answers.

    Parameters
    ----------
    gold
        The questions: a file, the name of a public set, a DataFrame, a list of dicts, a question
        set or a benchmark.
    run
        The answers: a file, a dict of id and answer, a list of dicts, a DataFrame, or what
        `read_run` or `ask` returns. Scores are returned as they are. None if the questions have
        them in a column of their own, such as 'prediction'.
    match
        When an answer counts as right.

        Names are keys of `qaldgen.scoring.matchers.MATCHERS`; ``auto`` becomes ``contains`` if the
        answers are in words, ``gerbil`` if they are terms of a knowledge graph. Or what
        `qaldgen.judge` returned, the verdicts of a judge.
    same_as
        Whether other IRIs of the same thing are right too, as in GERBIL.
    language
        Language of the questions to score.
    aliases
        JSON file that maps gold answers to aliases, for free-text answers.

        In Python also the mapping itself.
    labels
        Labels for gold answers that are identifiers (Q64): RDF, a table, or the URL of a SPARQL
        endpoint.
    extract
        How to find the answer in a free-text reply.

        ``auto``, ``whole``, ``last-line``, ``raw`` or ``regex:PATTERN``.
    repeats_as
        How several answers to one question count (default: mean, if they are samples).

        ``mean``, ``majority``, ``pass@k``, ``first`` or ``last``.
    also_gold
        Another edition of the gold: 'score' gives ranges over the editions, and what changed is the
        feature goldChanged.

        A file, a name or questions, or a list of them.

    Returns
    -------
    Scores
        With the counts of every question (``.counts``), the measures (``.measures()``) and the
        notes (``.notes``).

    Raises
    ------
    UsageError
        If a rule is unknown.
    DataError
        If a file cannot be read, or gold and run have no question in common.

    Examples
    --------
    >>> gold = [{"id": "1", "question": "Which moons has Mars?", "answers": ["Phobos", "Deimos"]}]
    >>> round(score(gold, {"1": "Phobos"}, match="exact")["macro-f1"], 2)
    0.67
    """
    if isinstance(run, Scores):
        return run
    asked = as_gold(gold, language=language)
    if run is None:
        run = gold_as_run(gold, asked.questions.format)
    single = isinstance(run, (str, Path, Run)) or in_memory(run)
    read = read_runs(run, asked.questions, language) if single else ()
    if len(read) != 1:
        raise UsageError(
            f"score takes one run (a file, what read_run or ask returns, scores, a dict of id and"
            f" answer, a list of dicts or a DataFrame), not {_counted(run, len(read))}; call it for"
            " each run, or compare several with compare. Answers alone, in the order of the"
            " questions, need ids: dict(zip(ids, answers))"
        )
    how = Scoring(match, same_as, language, aliases, labels, extract, repeats_as)
    scored = score_all(asked, read, how)
    return on_editions(asked, scored, how, also_gold)[1][0]


def score_run(gold: Gold, run: Run, how: Scoring) -> Scores:
    """Compare a run that was read with gold questions that were read; see `score`."""
    aliases = gold_wordings(how.aliases, how.labels, gold, how.language)
    if aliases is not None:
        check_wordings("aliases", aliases)
    chosen = resolve(gold, [run]) if how.match == AUTO else how.match
    verdicts = chosen if isinstance(chosen, Verdicts) else None
    resolved = chosen if isinstance(chosen, Resolved) else None
    match = resolved.match if resolved else JUDGE if verdicts else str(chosen)
    extract = extraction_of(match, how.extract)
    rules = Rules(how.same_as, how.language, aliases, extract, verdicts)
    rule = read_rule(how.repeats_as)
    matched = match_report(run, gold.questions)
    if how.repeats_as is None and run.unnumbered:
        raise DataError(unexplained_repeats(run.unnumbered), where=run.name)
    matcher = make_matcher(match, rules)
    questions, remarks = _scored_questions(gold, match, how.language)
    about_gold = [
        *reading_notes(gold.questions),
        *(f"{gold.questions.name}: {remark}" for remark in remarks),
    ]
    with without_garbage_collection():
        repeats = RepeatedAnswers(
            rule, how.language, make_extractor(extract), MATCHERS[match].gerbil
        )
        judged = count_answers(questions, run, matcher, repeats)
        counts = _with_columns_beside(judged.counts, questions, run, match, rules)
    untested = why_not_tested(gold, [run])
    about_gold += [untested] if untested else []
    notes = [*about_gold, *run.notes, *matched]
    told = remarks_on(questions, run, judged, match, rules, rule)
    if resolved and resolved.other:
        other = score_run(gold, run, dataclasses.replace(how, match=resolved.other))
        value = other.counts["f1"].mean()
        notes += [resolved.note, f"{run.name}: macro F1 would be {value:.3f} by {other.match}"]
    doubts = guesses_of(counts)
    notes += [*told.notes, *([f"{run.name}: {doubts}"] if doubts and doubts.guesses else [])]
    return Scores(run, counts, match, tuple(notes), judged.unjudged, told.method, rules)


def _with_columns_beside(
    counts: pd.DataFrame, questions: Sequence[Question], run: Run, match: str, rules: Rules
) -> pd.DataFrame:
    """Return the counts, with the further columns that the matcher asks for."""
    beside = MATCHERS[match].beside
    return counts if beside is None else counts.assign(**beside(questions, run, counts, rules))


def _scored_questions(
    gold: Gold, match: str, language: str
) -> tuple[Sequence[Question], list[str]]:
    """Return the questions that count by the rules of a matcher, and notes on the gold."""
    questions = gold.questions.questions
    if MATCHERS[match].gerbil:
        tag = language_tag(language)
        kept = [question for question in questions if question.texts.get(tag)]
        # Cached: checking all gold answers again for each run would take as long as scoring it.
        known = _WARNINGS.setdefault(gold, {})
        if language not in known:
            few = len(kept) < len(questions)
            gone = [_without_text(questions, len(kept), language)] if few else []
            known[language] = [*load_warnings(kept, writing=False), *gone, *_copies(questions)]
        return kept, known[language]
    kept = [question for question in questions if OUT_OF_SCOPE not in question.metadata]
    out = (
        f"{len(questions) - len(kept)} questions are marked OUT OF SCOPE and not scored;"
        " GERBIL scores them"
    )
    notes = [*([out] if len(kept) < len(questions) else []), *_copies(questions)]
    choose = MATCHERS[match].gold
    if choose is not None:
        scorable, about_others = choose(kept)
        return scorable, notes + about_others
    unknown = [question.id for question in kept if question.answers is None]
    if unknown:
        notes.append(
            f"{len(unknown)} of {len(kept)} questions (first: {unknown[0]}) have no gold answers in"
            " the data; they count as empty, so an empty answer scores 1 there"
        )
    return kept, notes


def _without_text(questions: Sequence[Question], kept: int, language: str) -> str:
    there = ", ".join(sorted({tag for question in questions for tag in question.texts}))
    if not kept:
        none = f"none of the questions ({len(questions):,}) has a text in {language!r}"
        return f"{none}, and nothing is scored; --lang may be {there}"
    return (
        f"{len(questions) - kept} of {len(questions)} questions have no text in {language!r} and"
        " are dropped, as by GERBIL"
    )


def _copies(questions: Sequence[Question]) -> list[str]:
    """Return a note on repeated ids; readers call the second question with id 7 ``7#2``."""
    copies = [
        match[1]
        for question in questions
        if "#" in question.id and (match := COPY.fullmatch(question.id))
    ]
    if not copies:
        return []
    note = f"ids that are used more than once: {len(copies):,} (first: {copies[0]})"
    return [f"{note}; each is scored with the one answer given"]


def check_names(names: Iterable[str]) -> list[str]:
    """Return the names of runs; refuse two that are equal, as tables and tests join by name."""
    listed = list(names)
    twice = next((name for name in listed if listed.count(name) > 1), None)
    if twice is not None:
        raise DataError(
            f"two runs have the name {twice!r}; set different names with read_run(path, name=...)"
        )
    return listed


def on_editions(
    gold: Gold,
    scored: Sequence[Scores],
    how: Scoring,
    others: AnyGold | Sequence[AnyGold],
) -> tuple[Gold, list[Scores]]:
    """Return the questions with what changed, and the scores with those on each other edition."""
    alone = isinstance(others, (str, Path, QuestionSet, Gold, Benchmark))
    several = cast("Sequence[AnyGold]", [others] if alone else others)
    read = [as_gold(other, language=how.language) for other in several]
    changes = [compare_editions(gold.questions, other.questions) for other in read]
    made = _with_editions(gold, scored, how, changes)
    for change in reversed(changes):  # the first change is the one that counts
        gold = dataclasses.replace(gold, questions=change.marked(gold.questions))
    return gold, made


def _with_editions(
    gold: Gold, scored: Sequence[Scores], how: Scoring, changes: Sequence[Changes]
) -> list[Scores]:
    if not changes:
        return list(scored)
    if how.matcher == JUDGE:
        raise UsageError(
            "--also-gold needs rules that can be applied to each edition; a judge's verdicts hold"
            " for one, so choose another --match"
        )
    changed = frozenset(name for one in changes for name in one.changed)
    told = [
        f"{len(one.changed):,} of {len(one.rows):,} gold answers differ in {one.other}"
        + f"; {len(one.only_gold):,} questions are not there and keep theirs" * bool(one.only_gold)
        for one in changes
    ]
    golds: dict[str, Gold] = {}
    for one in changes:
        name = (
            one.other
            if one.other not in {gold.questions.name, *golds}
            else f"{one.other} ({len(golds) + 2})"
        )
        golds[name] = one.applied(gold)
    made = []
    for run in scored:
        again = dataclasses.replace(how, match=run.match)
        on = {name: score_run(edition, run.run, again) for name, edition in golds.items()}
        editions = {gold.questions.name: run, **on}
        notes = (*run.notes, *told)
        made.append(dataclasses.replace(run, editions=editions, changed=changed, notes=notes))
    return made


def submission(
    gold: AnyGold, run: str | Path | Run, *, language: str = "en"
) -> tuple[str, list[str]]:
    """Return the answers of a run as lines, as submissions to shared tasks are."""
    # one line per question, in the order of the questions
    asked = as_gold(gold, language=language)
    answers = (
        run if isinstance(run, Run) else read_run(run, gold=asked.questions, language=language)
    )
    return dump_submission(asked.questions, answers, language)


def score_all(gold: Gold, runs: AnyRun | Iterable[AnyRun], how: Scoring) -> list[Scores]:
    """Return the scores of several runs, or of one; those that are scores already stay."""
    read = read_runs(runs, gold.questions, how.language, kept=Scores)
    if not read:
        raise UsageError("no runs to score; pass at least one")
    # once for all: the matcher, files, and endpoints with labels
    how = resolve_matcher(gold, [run for run in read if isinstance(run, Run)], how)
    wordings = gold_wordings(how.aliases, how.labels, gold, how.language)
    how = dataclasses.replace(how, aliases=wordings, labels="")
    scored = []
    for run in read:
        if isinstance(run, Scores):
            scored.append(run)
            continue
        with step(f"scoring {run.name}"):
            scored.append(score_run(gold, run, how))
    check_names(scores.name for scores in scored)
    return scored


def _counted(run: object, runs: int) -> str:
    return f"{runs} of them" if runs > 1 else f"a {type(run).__name__}"


def resolve_matcher(gold: Gold, runs: Sequence[Run], how: Scoring) -> Scoring:
    """Return the rules with the matcher that ``auto`` becomes for all runs of a call."""
    return dataclasses.replace(how, match=resolve(gold, runs)) if how.match == AUTO else how


def notes_of(scored: Iterable[Scores], *more: str) -> tuple[str, ...]:
    """Return the notes of scores, and further ones, each once."""
    return tuple(
        dict.fromkeys(
            [note for scores in scored for note in scores.notes] + [note for note in more if note]
        )
    )


#: A value with its interval, and how that was made.
Figures: TypeAlias = tuple[float, float, float, str]
_COLUMNS = ("run", "missing", "measure", "label", "value", "low", "high", "questions", "interval")


def summarise(
    scored: Sequence[Scores],
    *,
    missing: Sequence[str] = (DEFAULT,),
    measures: Sequence[str] | None = None,
    weights: pd.Series[float] | None = None,
    population: int | None = None,
    random_state: int = 0,
    estimate: Callable[[pd.DataFrame, str], Figures] | None = None,
) -> pd.DataFrame:
    """Return the measures of runs, with 95 % intervals."""
    # the value is exactly that of `scoring.measures`, so GERBIL's to the last bit; the interval is
    # Gaffke's for means of scores and micro measures, and that of drawn weights for the others.
    # `estimate` makes all values estimates for a whole pool.
    rows = []
    for scores in scored:
        for rule in missing:
            counts = scores.with_missing(rule)
            weight = None if weights is None else weights.loc[counts.index]
            for name in measures or available(counts):
                value, low, high, method = (
                    estimate(counts, name)
                    if estimate is not None
                    else measured(counts, name, weight, population, random_state)
                )
                rows.append(
                    (
                        scores.name,
                        rule,
                        name,
                        measure_named(name).label,
                        value,
                        low,
                        high,
                        len(counts),
                        method,
                    )
                )
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def measured(
    counts: pd.DataFrame,
    name: str,
    weights: pd.Series[float] | None = None,
    population: int | None = None,
    random_state: int = 0,
) -> Figures:
    """Return the value of a measure with its interval, and how that was made."""
    interval = measure_interval(
        counts, name, weights=weights, population=population, random_state=random_state
    )
    value = measure_named(name).of(counts, _listed(weights, counts))
    return value, interval.low, interval.high, interval.method


def _listed(weights: pd.Series[float] | None, counts: pd.DataFrame) -> list[float] | None:
    """Return the weights in the order of counts, for sums that add in order."""
    return None if weights is None else weights.loc[counts.index].tolist()
