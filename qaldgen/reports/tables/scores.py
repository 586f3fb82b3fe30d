"""Scores as tables for people (rounded, wide) or programs (exact, long), with explanations.

The measures of whole runs, by question, by slice, over editions of the gold, outcomes, estimates,
and GERBIL's sub-experiments.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import pandas as pd

from qaldgen.analysis.estimating.known_scores import KnownScores
from qaldgen.analysis.scores_by_edition import editions_of
from qaldgen.analysis.slices.cluster_slices import example_table
from qaldgen.analysis.slices.slicing import Slice, group_scores, whole_slice
from qaldgen.answers.record import STATUSES
from qaldgen.benchmark.gold import Gold
from qaldgen.defaults import DECIMALS, LEVEL_LABEL, MEASURE
from qaldgen.errors import UsageError
from qaldgen.io.text import truncate
from qaldgen.model import Answers
from qaldgen.rdf.terms import last_part
from qaldgen.reports.tables.latex import percents, score_table, slice_table
from qaldgen.reports.tables.results import FOR_PROGRAMS, dump_frame, dump_runs, free_name
from qaldgen.scoring.intervals import FEWEST
from qaldgen.scoring.measures import duplicates_note, duplicates_of_accuracy, find_measure
from qaldgen.scoring.missing import DEFAULT, POLICIES, SHORT_POLICIES
from qaldgen.scoring.mistakes import OUTCOME_COLUMNS, OUTCOMES, column_of
from qaldgen.scoring.rules import LOGGED
from qaldgen.scoring.score import LoggedMean, Scores, matched_by, summarise

#: The most characters of a text in a table for people.
_MAX_CHARS = 60
_EXAMPLE_EXPLANATION = (
    "like its example: how many other questions of the cluster a run gets right or wrong as it does"
    " the example; in brackets the same among all questions, the chance level"
)
#: The columns that follow from verdicts.
_VERDICT_COLUMNS = ("value", "estimate", "precision", "recall", "f1", "tp", "fp", "fn")


#: The share of the right type among wrong answers whose kind or type is known.
OF_KNOWN = "right type, of wrong answers with a known kind or type"


class ExplainedTable(NamedTuple):
    """A table as text, and the lines that explain it to people."""

    text: str
    lines: Sequence[str] = ()


class ScoreOutput(NamedTuple):
    """Runs that were scored, and how tables show them."""

    gold: Gold
    all_scores: Sequence[Scores]
    form: str  # the format of tables
    missing: Sequence[str]  # the rules for missing answers: one, or two side by side
    weights: pd.Series[float] | None
    seed: int

    @property
    def for_programs(self) -> bool:
        """Whether programs read the table."""
        return self.form in FOR_PROGRAMS

    def dump(self, table: pd.DataFrame) -> str:
        """Return a table as text in the format of the output."""
        return dump_frame(table, self.form)

    def dump_runs(self, table: pd.DataFrame, keys: int) -> str:
        """Return a table that has a column per run after the first `keys` columns, as text."""
        return dump_runs(table, self.form, keys)

    def exact(self, table: pd.DataFrame) -> ExplainedTable:
        """Return a table as it is, but with a judge's verdicts in columns such as ``judge_f1``."""
        if self.all_scores[0].by_judge:
            table = table.rename(columns={name: f"judge_{name}" for name in _VERDICT_COLUMNS})
        return ExplainedTable(self.dump(table))

    def explanation(self, measure: str = "") -> str:
        """Return a line on how the numbers of a table were computed."""
        parts = [f"matched by {matched_by(self.all_scores)}"]
        if measure:
            parts.insert(0, find_measure(measure).label)
        parts.append(" / ".join(POLICIES[rule] for rule in self.missing))
        if self.weights is not None:
            parts.append("weighted by the benchmark")
        return f"{'; '.join(parts)}; {LEVEL_LABEL} intervals, none below {FEWEST} questions"

    def short(self, text: str) -> str:
        """Return a text, truncated in a table for people."""
        if self.for_programs:
            return text
        return truncate(text, _MAX_CHARS)


def summary(output: ScoreOutput, measure: str | None) -> ExplainedTable:
    """Return the measures of whole runs, or only `measure`, with the questions by status."""
    benchmark = output.gold.benchmark
    population = None
    # only simple random samples get the finite-population correction
    if benchmark is not None and benchmark.provenance.method == "random":
        population = benchmark.pool_size
    table = summarise(
        output.all_scores,
        missing=output.missing,
        measures=[measure] if measure else None,
        weights=output.weights,
        population=population,
        random_state=output.seed,
    )
    # the scores that the files state themselves
    logged = {}
    if not measure:
        logged = {scores.name: scores.logged for scores in output.all_scores}

    if output.for_programs:
        return output.exact(pd.concat([table, _rows_of_logs(table, logged)], ignore_index=True))
    lines = [dump_frame(status_table(output.all_scores), "text"), output.explanation()]
    if output.form == "latex":
        return ExplainedTable(score_table(systems_in_rows(table), integers=["questions"]), lines)
    if output.form == "text":
        table, note = without_duplicates(
            table, words=any(scores.in_words for scores in output.all_scores)
        )
        if note:
            lines.append(note)
    return ExplainedTable(output.dump_runs(side_by_side(table, logged), 1), lines)


def _rows_of_logs(
    summary: pd.DataFrame, logged: Mapping[str, Mapping[str, LoggedMean]]
) -> pd.DataFrame:
    """Return the scores that files state, as rows of a summary, by their own names."""
    rows = []
    for run, rule in summary[["run", "missing"]].drop_duplicates().itertuples(index=False):
        for name, mean in logged.get(run, {}).items():
            rows.append({
                "run": run,
                "missing": rule,
                "measure": f"{LOGGED}:{name}",
                "label": f"{name} (stated)",
                "value": mean.value,
                "questions": mean.questions,
                "interval": "none: a stated score",
            })  # fmt: skip
    return pd.DataFrame(rows, columns=list(summary.columns)).astype(summary.dtypes)


def without_duplicates(summary: pd.DataFrame, *, words: bool) -> tuple[pd.DataFrame, str]:
    """Return a summary without the measures that equal accuracy, and a note on them.

    Only answers in words have such measures; without `words` the summary is returned unchanged.
    """
    if not words:
        return summary, ""
    by_measure = summary.groupby("measure", sort=False)
    values = {str(name): list(rows["value"]) for name, rows in by_measure}
    duplicates = duplicates_of_accuracy(values)
    if not duplicates:
        return summary, ""
    return summary[~summary["measure"].isin(duplicates)], duplicates_note(duplicates)


def edition_rows(output: ScoreOutput, measure: str | None) -> ExplainedTable:
    """Return measures as ranges over editions, with the changes of rank and their sources."""
    editions = editions_of(
        output.all_scores,
        measure=measure or MEASURE,
        missing=output.missing[0],
        weights=output.weights,
    )
    assert editions is not None

    if output.for_programs:
        table = editions.scores
        if measure is not None:
            table = table[table["measure"] == measure]
        return output.exact(table)

    lines = [
        f"matched by {matched_by(output.all_scores)}; {POLICIES[output.missing[0]]}; least to most"
        f" of {len(output.all_scores[0].editions)} editions"
    ]
    if len(output.all_scores) > 1:
        lines += editions.flips() or ["No system changes its rank between the editions."]
        lines += editions.sources()

    # by run: the ranges of all measures or one, then value and rank on each edition
    table = editions.scores
    label = find_measure(editions.measure).label
    headings: dict[str, None] = {}
    columns: dict[str, list[str]] = {}
    for row in table.drop_duplicates(["measure", "run"]).to_dict("records"):
        if measure in {None, row["measure"]}:
            headings[find_measure(row["measure"]).label] = None
            span = f"{row['least']:.{DECIMALS}f} to {row['most']:.{DECIMALS}f}"
            columns.setdefault(row["run"], []).append(span)
    for row in table[table["measure"] == editions.measure].to_dict("records"):
        headings[f"{label} on {row['edition']}"] = None
        value = f"{row['value']:.{DECIMALS}f} (rank {row['rank']})"
        columns.setdefault(row["run"], []).append(value)
    ranges_and_ranks = _runs_table("measure", headings, columns)
    return ExplainedTable(output.dump_runs(ranges_and_ranks, 1), lines)


def question_rows(output: ScoreOutput) -> ExplainedTable:
    """Return one row per run and question; for people, long texts are truncated.

    Where the matcher can say which rule decided, the column ``rule`` says it.
    """
    tables = []
    for scores in output.all_scores:
        frame = scores.with_missing(output.missing[0]).reset_index()
        frame.insert(0, "run", scores.name)
        if output.for_programs:  # 'gate' refuses a baseline that was scored by another matcher
            frame["match"] = scores.rules.match
        questions = [output.gold.questions.by_id[question_id] for question_id in frame["id"]]
        responses = [scores.run.responses_to(question)[-1] for question in questions]
        columns = {
            "question": [output.short(question.text()) for question in questions],
            "gold": [_format_answers(question.gold, output) for question in questions],
            "given": [_format_answers(response.given, output) for response in responses],
        }
        if scores.explains:
            columns["rule"] = [scores.explain(question) for question in questions]
        texts = pd.DataFrame(columns, index=frame.index, dtype=object)
        hidden = ["expected", "returned", "hit", "open", *OUTCOME_COLUMNS]
        tables.append(pd.concat([frame.drop(columns=hidden, errors="ignore"), texts], axis=1))
    return output.exact(pd.concat(tables, ignore_index=True))


def _format_answers(answers: Answers, output: ScoreOutput) -> str | list[str]:
    """Format answers: a list for JSON, lines for CSV, the first three in short form for people."""
    values = answers.values()
    if output.for_programs:
        return values if output.form == "json" else "\n".join(values)
    text = output.short(", ".join(output.short(last_part(value) or value) for value in values[:3]))
    if len(values) > 3:
        return f"{text} ({len(values):,} in all)"
    return text


def slice_rows(output: ScoreOutput, slices: Sequence[Slice], measure: str) -> ExplainedTable:
    """Return the scores of each run on all questions and on each slice, with cluster examples."""
    # all questions first, as a slice of their own, so that the columns are equal
    all_slices = [whole_slice(output.all_scores[0].counts.index), *slices]
    tables = []
    for scores in output.all_scores:
        for rule in output.missing:
            scores_of_run = group_scores(
                scores.with_missing(rule),
                all_slices,
                measure,
                weights=output.weights,
                random_state=output.seed,
            ).reset_index()
            scores_of_run.insert(0, "run", scores.name)
            scores_of_run.insert(1, "missing", rule)
            tables.append(scores_of_run)
    table = pd.concat(tables, ignore_index=True)
    examples = example_table(output.gold, output.all_scores, slices, measure=measure)

    if output.for_programs:
        if len(examples):
            columns = {"share": "like_example", "chance": "like_example_by_chance"}
            exact = examples.rename(columns=columns).drop(columns=["text", "n"])
            table = table.merge(exact, on=["run", "slice"], how="left")
        return output.exact(table)

    if len(output.missing) > 1:
        table["run"] += [f" ({SHORT_POLICIES[rule]})" for rule in table["missing"]]
    table["slice"] = table["slice"].replace({part.name: part.label for part in slices})
    explanation = output.explanation(measure)
    if output.form == "latex":
        table_text = slice_table(table)
    else:
        wide = slices_side_by_side(table)
        table_text = output.dump_runs(wide, 2 if "n" in wide else 1)
    if not len(examples):
        return ExplainedTable(table_text, [explanation])

    examples["example"] = examples["text"].map(output.short)
    shares = []
    for share, chance in zip(examples["share"], examples["chance"], strict=True):
        # a cluster of one question has no share
        shares.append("-" if math.isnan(share) else f"{share:.0%} ({chance:.0%})")
    example_shares = _runs_in_columns(examples, ["slice", "example"], shares)
    return ExplainedTable(
        f"{table_text}\n{output.dump_runs(example_shares, 2)}", [explanation, _EXAMPLE_EXPLANATION]
    )


def outcome_table(
    all_scores: Sequence[Scores],
    slices: Sequence[Slice] = (),
    *,
    missing: str = DEFAULT,
    weights: pd.Series[float] | None = None,
) -> pd.DataFrame:
    """Return how often each outcome occurred, for each run, on all questions and on slices."""
    rows = []
    for scores in all_scores:
        if "outcome" not in scores.counts:
            raise UsageError("has no outcomes; with_outcomes adds them", where=scores.name)
        counts = scores.with_missing(missing)
        all_weights = pd.Series(1.0, counts.index) if weights is None else weights
        for part in [whole_slice(counts.index), *slices]:
            part_counts = counts[part.mask(counts.index)]
            weight = all_weights.loc[part_counts.index]
            columns = [column_of(name) for name in OUTCOMES]
            n_questions = part_counts[columns].sum()
            weighted = part_counts[[*columns, "typed_wrong"]].mul(weight, axis="index").sum()
            for name, column in zip(OUTCOMES, columns, strict=True):
                share = _share(weighted[column], weight.sum())
                rows.append((scores.name, part.name, name, float(n_questions[column]), share))
            share = _share(weighted["right_type"], weighted["typed_wrong"])
            n_right_type = float(n_questions["right_type"])
            rows.append((scores.name, part.name, OF_KNOWN, n_right_type, share))
    return pd.DataFrame(rows, columns=["run", "slice", "outcome", "questions", "share"])


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole else float("nan")


def outcome_rows(output: ScoreOutput, slices: Sequence[Slice]) -> ExplainedTable:
    """Return how often each outcome occurred."""
    outcomes = outcome_table(
        output.all_scores, slices, missing=output.missing[0], weights=output.weights
    )
    if output.for_programs:
        return ExplainedTable(output.dump(outcomes))
    shares = []
    for number, share in zip(outcomes["questions"], outcomes["share"], strict=True):
        # a slice without questions has no share; weighted numbers are not whole
        shares.append("-" if math.isnan(share) else f"{number:,.5g} ({share:.1%})")
    table = _runs_in_columns(outcomes, ["slice", "outcome"], shares)
    return ExplainedTable(output.dump_runs(table, 2), [output.explanation()])


def estimates(
    output: ScoreOutput,
    slices: Sequence[Slice],
    measure: str,
    pool_scores: KnownScores | None,
    *,
    verbose: bool = False,
) -> ExplainedTable:
    """Return estimates for the pool and its slices, of each run and of each difference of two."""
    from qaldgen.analysis.estimating.estimate import estimate_runs

    table = estimate_runs(
        output.gold, output.all_scores, measure=measure, slices=slices, pool_scores=pool_scores
    )
    if output.for_programs:
        return output.exact(table)
    label = find_measure(measure).label
    explanation = (
        f"{label} on the whole pool; a missing answer counts as 0; {LEVEL_LABEL} intervals"
    )
    if verbose:
        return output.exact(table)._replace(lines=[explanation])
    labels = {part.name: part.label for part in slices}
    is_default = table["estimator"].isin(["sample", "difference"])
    with_estimator = table["run"] + " (" + table["estimator"] + ")"
    columns = {
        "questions": [labels.get(name, name) for name in table["slice"]],
        "run": table["run"].where(is_default, with_estimator),
        "estimate": _with_intervals(table),
        "asked": table["questions"],
        "of the pool": table["pool"],
    }
    return ExplainedTable(output.dump(pd.DataFrame(columns)), [explanation])


def status_table(all_scores: Sequence[Scores]) -> pd.DataFrame:
    """Return how many questions were answered, left empty, failed, timed out or not asked."""
    statuses = {scores.name: scores.statuses() for scores in all_scores}
    used_names = set(itertools.chain.from_iterable(statuses.values()))
    names = [*STATUSES, *sorted(used_names.difference(STATUSES))]
    columns = {}
    for run, numbers in statuses.items():
        columns[run] = [sum(numbers.values())] + [numbers.get(name, 0) for name in names]
    return _runs_table("questions", ["all", *names], columns)


def _runs_table(
    heading: str, names: Iterable[str], runs: Mapping[str, Sequence[object]]
) -> pd.DataFrame:
    """Return a table with a column of names, then a column for each run."""
    return pd.DataFrame({free_name(heading, runs): list(names), **runs})


def side_by_side(
    summary: pd.DataFrame, logged: Mapping[str, Mapping[str, LoggedMean]] = MappingProxyType({})
) -> pd.DataFrame:
    """Return a summary for people: one row per measure, one column per run.

    The scores that files state come last, under their own names.
    """
    has_rules = summary["missing"].nunique() > 1
    names = list(dict.fromkeys(itertools.chain.from_iterable(logged.values())))

    columns = {}
    for (run, rule), rows in summary.groupby(["run", "missing"], sort=False):
        questions = int(rows["questions"].iloc[0])
        means = logged.get(str(run), {})
        cells = _with_intervals(rows, "value")
        for name in names:
            if name not in means:
                cells.append("-")
                continue
            mean = means[name]
            cell = f"{mean.value:.{DECIMALS}f}"
            if mean.questions != questions:  # tools leave some failures out
                cell += f" (of {mean.questions:,})"
            cells.append(cell)

        title = str(run)
        if has_rules:
            title += f" ({SHORT_POLICIES[str(rule)]})"
        columns[title] = [*cells, f"{questions:,}"]

    labels = list(summary["label"].unique())
    labels += [f"{name} (stated)" for name in names]
    return _runs_table("measure", [*labels, "Questions"], columns)


def systems_in_rows(summary: pd.DataFrame, measure: str = "") -> pd.DataFrame:
    """Return a summary for a paper: one row per run, one column per measure, one interval.

    The interval is that of `measure`, or of the only one.
    """
    has_rules = summary["missing"].nunique() > 1
    rows = []
    for (run, rule), of_run in summary.groupby(["run", "missing"], sort=False):
        row: dict[str, object] = {"system": str(run)}
        if has_rules:
            row["system"] = f"{run} ({SHORT_POLICIES[str(rule)]})"
        for score in of_run.to_dict("records"):
            row[str(score["label"])] = score["value"]
            if score["measure"] == measure or len(of_run) == 1:
                row[f"{LEVEL_LABEL} interval"] = percents(score["low"], score["high"])
        row["questions"] = of_run["questions"].iloc[0]
        rows.append(row)
    return pd.DataFrame(rows)


def slices_side_by_side(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the scores on slices for people: one row per slice, one column per run."""
    columns: dict[str, list[object]] = {"slice": list(dict.fromkeys(scores["slice"]))}
    runs = list(scores.groupby("run", sort=False))
    same_sizes = len({tuple(rows["n"]) for _, rows in runs}) == 1
    for name, rows in runs:
        size_column = "n" if same_sizes else f"n, {name}"
        columns[size_column] = rows["n"].tolist()
        columns[str(name)] = list(_with_intervals(rows))
    return pd.DataFrame(columns)


def _runs_in_columns(rows: pd.DataFrame, keys: list[str], cells: list[str]) -> pd.DataFrame:
    """Return a long table with one column of cells for each run."""
    runs = pd.Series(cells, rows.index).groupby(rows["run"], sort=False)
    columns = {str(run): of_run.tolist() for run, of_run in runs}
    key_columns = rows[rows["run"] == rows["run"].iloc[0]][keys].reset_index(drop=True)
    return pd.DataFrame({**key_columns, **columns})


def _with_intervals(rows: pd.DataFrame, value: str = "estimate") -> list[str]:
    return list(map(score_with_interval, rows[value], rows["low"], rows["high"]))


def score_with_interval(value: float, low: float, high: float) -> str:
    """Return a score as text, with its interval if there is one."""
    if math.isnan(value):
        return "undefined"
    if math.isnan(low):
        return f"{value:.{DECIMALS}f}"
    return f"{value:.{DECIMALS}f} [{low:.3f}, {high:.3f}]"
