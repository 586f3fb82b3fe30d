"""Scores of systems.

The measures with their intervals, by question, by slice, and as estimates for the whole pool.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias, cast

from qaldgen.analysis.scores_by_edition import editions_of
from qaldgen.analysis.summary import summarise
from qaldgen.benchmark.benchmark import Benchmark
from qaldgen.errors import DataError, UsageError
from qaldgen.formats.file_content import InMemory, in_memory
from qaldgen.formats.question_texts import language_tag
from qaldgen.io.progress import step
from qaldgen.model import QuestionSet
from qaldgen.options import Extractions, Matchers, Measures, OneOf, Repeats, SameAs, Seed
from qaldgen.runs.reading import read_run, read_runs
from qaldgen.runs.record import Run
from qaldgen.scoring import score as base
from qaldgen.scoring.editions import Changes, compare_editions
from qaldgen.scoring.gold import AnyGold, Gold, as_gold, gold_as_run, gold_wordings, in_language
from qaldgen.scoring.matchers import AUTO, Resolved, Scoring, resolve
from qaldgen.scoring.missing import DEFAULT
from qaldgen.scoring.score import Scores as _Scores
from qaldgen.scoring.submission import dump_submission
from qaldgen.scoring.verdicts import JUDGE, Verdicts

if TYPE_CHECKING:
    import pandas as pd


class Scores(_Scores):
    """The counts of one run, and its measures."""

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
        over = editions_of([self], missing=missing, weights=weights)
        if over is None:
            return table
        return table.join(over.scores.groupby("measure")[["least", "most"]].first())


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
    scored = base.score(
        gold,
        run,
        match=how.match,
        same_as=how.same_as,
        language=how.language,
        aliases=gold_wordings(how.aliases, how.labels, gold, how.language),
        extract=how.extract,
        repeats_as=how.repeats_as,
    )
    # the same record with the methods of the facade
    return Scores(
        **{field.name: getattr(scored, field.name) for field in dataclasses.fields(scored)}
    )


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
    base.check_names(scores.name for scores in scored)
    return scored


def _counted(run: object, runs: int) -> str:
    return f"{runs} of them" if runs > 1 else f"a {type(run).__name__}"


def resolve_matcher(gold: Gold, runs: Sequence[Run], how: Scoring) -> Scoring:
    """Return the rules with the matcher that ``auto`` becomes for all runs of a call."""
    return dataclasses.replace(how, match=resolve(gold, runs)) if how.match == AUTO else how


def notes_of(scored: Iterable[_Scores], *more: str) -> tuple[str, ...]:
    """Return the notes of scores, and further ones, each once."""
    return tuple(
        dict.fromkeys(
            [note for scores in scored for note in scores.notes] + [note for note in more if note]
        )
    )


#: An F1 from here on is right: tables of scores are rounded.
RIGHT = 1 - 1e-6
_AGREEMENT = ("consistent", "inconsistent", "never_right")


def with_wordings(
    gold: Gold,
    scored: Sequence[Scores],
    how: Scoring,
    across: str = "",
    *,
    among: Sequence[str] = (),
    needed: bool = True,
) -> list[Scores]:
    """Score what runs have in other languages or wordings; empty `across` takes what there is."""
    # if it is `needed`, a run without any is refused; `among` names languages, empty for all. The
    # counts get `consistent`, `inconsistent` and `never_right`: at most one of them is 1, and all
    # are 0 where a question was not asked twice.
    import pandas as pd

    main = language_tag(how.language)
    ways = [way for scores in scored for way in _ways(scores, "", main)]
    across = across or ("wording" if ways and all("." in way for way in ways) else "language")
    split: list[Scores] = []
    for scores in _by_language(scored, gold) if across == "language" else scored:
        if scores.match == JUDGE and scores.run.others:
            raise UsageError("a judge judges one wording of a question; take another --match")
        columns = {main: _asked(scores.counts)}
        for way in _ways(scores, across, main):
            tongue = way.partition(".")[0]
            if among and tongue not in among:
                continue
            rules = dataclasses.replace(how, match=scores.match, language=tongue)
            run = scores.run.others[way]
            columns[way] = _asked(score_run(in_language(gold, tongue), run, rules).counts)
        if len(columns) == 1:
            if needed:
                raise DataError(
                    f"has answers in one {across} only; ask in several with"
                    f" {'--lang en,de' if across == 'language' else '--wordings set'}",
                    where=scores.name,
                )
            split.append(scores)
            continue
        table = pd.DataFrame(columns).reindex(scores.counts.index)
        twice = table.notna().sum(axis=1) > 1
        agreed = agreement_columns(table).where(twice, 0)
        counts = scores.counts.assign(**{name: agreed[name] for name in _AGREEMENT})
        once = (
            f"{scores.name}: {(~twice).sum():,} of {len(table):,} questions were not asked in two"
            f" {across}s; they count as never inconsistent"
        )
        notes = scores.notes if twice.all() else (*scores.notes, once)
        split.append(dataclasses.replace(scores, counts=counts, wordings=table, notes=notes))
    return split


def _ways(scores: Scores, across: str = "", main: str = "") -> list[str]:
    """Return the languages, or the wordings in the main language, in which a run answered too."""
    ways = [way for way in scores.run.others if way != main]
    if across == "language":
        return [way for way in ways if "." not in way]
    return [way for way in ways if not across or way.startswith(f"{main}.")]


def _by_language(scored: Sequence[Scores], gold: Gold) -> list[Scores]:
    """Return runs called mine.en and mine.de, of one file each, as one run called mine."""
    tags = {tag for question in gold.questions for tag in question.texts}
    systems: dict[str, dict[str, Scores]] = {}
    for scores in scored:
        name, _, tag = scores.name.rpartition(".")
        tag = language_tag(tag) if name and not scores.run.others else ""
        by_tag = systems.setdefault(name if tag in tags else scores.name, {})
        by_tag[tag if tag in tags else ""] = scores
    tables = []
    for name, by_tag in systems.items():
        main = by_tag.get(language_tag(next(iter(by_tag.values())).rules.language)) or by_tag.get(
            ""
        )
        if main is None:
            raise DataError(
                f"{name}: no file of the language of --lang ({', '.join(by_tag)} given)"
            )
        others = {tag: scores.run for tag, scores in by_tag.items() if scores is not main}
        renamed = dataclasses.replace(main.run, name=name, others=others or main.run.others)
        tables.append(dataclasses.replace(main, run=renamed))
    return tables


def _asked(counts: pd.DataFrame) -> pd.Series[float]:
    """Return the F1 of the questions that were asked; missing for the others."""
    return counts["f1"].where(counts["status"] != "not asked")


def agreement_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Return for each row of scores whether all, some or none of those that there are is right."""
    import pandas as pd

    right, asked = (table >= RIGHT).sum(axis=1), table.notna().sum(axis=1)
    every, none = right == asked, right == 0
    return pd.DataFrame(
        dict(zip(_AGREEMENT, (every & ~none, ~every & ~none, none), strict=True)), dtype=int
    )
