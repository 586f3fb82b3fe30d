"""Score a run against gold questions: a table of counts, with notes for the user."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from qaldgen.errors import DataError
from qaldgen.formats.gerbil.values import load_warnings
from qaldgen.formats.question_texts import OUT_OF_SCOPE, language_tag
from qaldgen.formats.reading import reading_notes
from qaldgen.io.arguments import check_wordings
from qaldgen.io.concurrency import without_garbage_collection
from qaldgen.io.text import count, helpful, result_html
from qaldgen.model import Question
from qaldgen.runs.question_matching import match_report
from qaldgen.runs.record import Run
from qaldgen.scoring.count_table import COPY, Repeats, count_answers
from qaldgen.scoring.gold import Gold, why_not_tested
from qaldgen.scoring.guesses import guesses_of
from qaldgen.scoring.matchers import (
    AUTO,
    MATCHERS,
    Resolved,
    Rules,
    extraction_of,
    make_matcher,
    matcher_in_words,
    resolve,
)
from qaldgen.scoring.measures import alike, available, find_measure, like_accuracy
from qaldgen.scoring.missing import counted_questions
from qaldgen.scoring.notes import remarks_on
from qaldgen.scoring.repeats import read_rule, unexplained_repeats
from qaldgen.scoring.verdicts import JUDGE, Verdicts
from qaldgen.scoring.words.extraction import make_extractor
from qaldgen.scoring.words.gold_names import Aliases

if TYPE_CHECKING:
    import pandas as pd

#: The status of questions that the matcher cannot judge.
NOT_JUDGED = "not judged"
#: Warnings about gold questions by GERBIL's rules, by language; kept as long as the questions are.
_WARNINGS: WeakKeyDictionary[Gold, dict[str, list[str]]] = WeakKeyDictionary()


@helpful
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
    #: `analysis.scores.with_wordings` added it.
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
        return values, [*self.notes, *([alike(same)] if same else [])]

    def __str__(self) -> str:
        """Return the line, the notes, and the measures."""
        values, notes = self._printed()
        rows = (f"{label:<16}  {value}" for label, value in values.items())
        return "\n".join([repr(self), *(f"Note: {note}" for note in notes), "", *rows])

    def _repr_html_(self) -> str:
        """Return the line, the measures and the notes, for notebooks."""
        import pandas as pd

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
    def judged_by(self) -> str:
        """The matcher with its unusual rules: what a plan of looks fixes."""
        return matcher_in_words(self.match, self.rules)

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


def check_names(names: Iterable[str]) -> list[str]:
    """Return the names of runs; refuse two that are equal, as tables and tests join by name."""
    listed = list(names)
    twice = next((name for name in listed if listed.count(name) > 1), None)
    if twice is not None:
        raise DataError(
            f"two runs have the name {twice!r}; set different names with read_run(path, name=...)"
        )
    return listed


def score(
    gold: Gold,
    run: Run,
    *,
    match: str | Verdicts | Resolved = AUTO,
    same_as: str = "none",
    language: str = "en",
    aliases: Aliases | None = None,
    extract: str = "auto",
    repeats_as: str | None = None,
) -> Scores:
    """Compare the answers of a run with the gold answers.

    >>> from qaldgen.model import Answers, QuestionSet
    >>> from qaldgen.runs.record import Response
    >>> asked = Question("1", {"en": ("Is water wet?",)}, answers=Answers(boolean=True))
    >>> run = Run("mine", "table", {"1": Response("1", answers=Answers(boolean=True))})
    >>> score(Gold(QuestionSet("set", "table", (asked,))), run).counts["f1"].tolist()
    [1.0]
    """
    if aliases is not None:
        check_wordings("aliases", aliases)
    chosen = resolve(gold, [run]) if match == AUTO else match
    verdicts = chosen if isinstance(chosen, Verdicts) else None
    resolved = chosen if isinstance(chosen, Resolved) else None
    match = resolved.match if resolved else JUDGE if verdicts else str(chosen)
    asked_extract = extract
    extract = extraction_of(match, extract)
    rules = Rules(same_as, language, aliases, extract, verdicts)
    rule = read_rule(repeats_as)
    matched = match_report(run, gold.questions)
    if repeats_as is None and run.unnumbered:
        raise DataError(unexplained_repeats(run.unnumbered), where=run.name)
    matcher = make_matcher(match, rules)
    questions, remarks = _scored_questions(gold, match, language)
    about_gold = [
        *reading_notes(gold.questions),
        *(f"{gold.questions.name}: {remark}" for remark in remarks),
    ]
    with without_garbage_collection():
        how = Repeats(rule, language, make_extractor(extract), MATCHERS[match].gerbil)
        judged = count_answers(questions, run, matcher, how)
        counts = _with_columns_beside(judged.counts, questions, run, match, rules)
    untested = why_not_tested(gold, [run])
    about_gold += [untested] if untested else []
    notes = [*about_gold, *run.notes, *matched]
    told = remarks_on(questions, run, judged, match, rules, rule)
    if resolved and resolved.other:
        other = score(
            gold,
            run,
            match=resolved.other,
            same_as=same_as,
            language=language,
            aliases=aliases,
            extract=asked_extract,
            repeats_as=repeats_as,
        )
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
        gone = [_without_text(questions, len(kept), language)] if len(kept) < len(questions) else []
        # Cached: checking all gold answers again for each run would take as long as scoring it.
        known = _WARNINGS.setdefault(gold, {})
        if language not in known:
            known[language] = load_warnings(kept, writing=False)
        return kept, [*known[language], *gone, *_copies(questions)]
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
