"""The options for reading runs and comparing their answers with the gold answers."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click

from qaldgen import api
from qaldgen.api.options import Scoring
from qaldgen.commands import groups, judging
from qaldgen.commands.groups import Command
from qaldgen.commands.judging import JudgeOptions
from qaldgen.commands.listing import listed_option
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen.api.outcomes import TypeSource

#: The matcher that asks a system.
JUDGE = "judge"


@dataclasses.dataclass(frozen=True)
class ScoringOptions:
    """The options for comparing answers and reading runs."""

    match: str
    same_as: str
    lang: str
    aliases: str | None
    labels: str
    extract: str
    repeats_as: str | None
    run_format: str | None
    filter_: str
    weighted: bool
    judge: str | None
    judge_model: str
    judge_template: str
    judge_journal: str | None
    judge_option: tuple[str, ...]
    kg: str | None = None
    type_predicate: tuple[str, ...] = ()
    superclass_predicate: tuple[str, ...] = ()
    related_depth: int | None = None
    hierarchy: str | None = None

    def types(self) -> TypeSource:
        """Return where the types of answers come from."""
        known = api.outcomes.ClassPredicates()
        predicates = dataclasses.replace(
            known,
            types=self.type_predicate or known.types,
            superclasses=self.superclass_predicate or known.superclasses,
        )
        return api.outcomes.TypeSource(
            self.kg,
            predicates,
            self.related_depth or api.outcomes.RELATED_DEPTH,
            self.hierarchy,
        )

    def check_types(self, *, wanted: bool) -> None:
        """Refuse options about types if no table has outcomes, and invalid predicates."""
        more = (
            self.type_predicate,
            self.superclass_predicate,
            self.related_depth,
            self.hierarchy,
        )
        if (self.kg or any(more)) and not wanted:
            measures = ", ".join(api.outcomes.BY_OUTCOME)
            raise UsageError(
                "--kg and the options about types are for outcomes: score --outcomes, or --measure"
                f" with one of {measures}"
            )
        if self.kg is None and any(more):
            raise UsageError("types come from a knowledge graph; name it with --kg")
        self.types()
        api.checks.check_files(self.hierarchy)
        if self.kg is not None and not self.kg.startswith(("http://", "https://")):
            api.checks.check_files(self.kg)

    def judging(self) -> JudgeOptions:
        """Return who judges."""
        return JudgeOptions(
            self.judge,
            self.judge_model,
            self.judge_template,
            self.judge_journal,
            self.judge_option,
        )

    def rules(self) -> Scoring:
        """Return the scoring rules; aliases are read later, with the gold questions."""
        rules = Scoring(self.match, self.same_as, self.lang, None, self.extract, self.repeats_as)
        api.checks.check_scoring(rules)
        return rules


def scoring_options(command: Command) -> Command:
    """Add the scoring options; the command gets ``scoring`` and ``reading``."""
    told = "Format of GOLD, if it is not recognised; 'qaldgen annotate --help' lists them."
    reading = groups.reading_options(
        click.option("--gold-format", "form_of_set", metavar="NAME", help=told)
    )
    return groups.grouped("scoring", ScoringOptions, *_OPTIONS, section="Scoring")(reading(command))


_TYPES = (
    click.option(
        "--kg", metavar="SOURCE",
        help="RDF or an endpoint with the types of answers, for outcomes and their measures."
    ),
    click.option(
        "--type-predicate", multiple=True, metavar="IRI",
        help="Predicate of types there. Default: rdf:type and wdt:P31."
    ),
    click.option(
        "--superclass-predicate", multiple=True, metavar="IRI",
        help="Predicate of superclasses there. Default: rdfs:subClassOf and wdt:P279.",
    ),
    click.option(
        "--related-depth", type=click.IntRange(min=1), metavar="N",
        help="Minimum depth of a common superclass that relates two types; the top is at 1 "
            "(default: 2).",
    ),
    click.option(
        "--hierarchy", metavar="FILE",
        help="Further superclasses, as SMART has them: TSV with Type, Depth, Parent.",
    ),
)  # fmt: skip
_OPTIONS = (
    listed_option(
        "--match", table="matchers", default="auto", show_default=True, metavar="RULES",
        help="When an answer counts as right."
    ),
    listed_option("--same-as", table="same-as", default="none", show_default=True,
        help="Whether other IRIs of the same thing are right too, as in GERBIL."),
    click.option("--lang", default="en", show_default=True,
        help="Language of the questions to score."),
    click.option("--aliases", metavar="FILE",
        help="JSON file that maps gold answers to aliases, for free-text answers."),
    click.option(
        "--labels",
        default="",
        metavar="SOURCE",
        help=("Labels for gold answers that are identifiers (Q64): RDF, a table, or the URL of a "
            "SPARQL endpoint. For 'score' also a worksheet of 'label'."),
    ),
    listed_option(
        "--extract",
        table="extractions",
        default="auto",
        show_default=True,
        metavar="HOW",
        help="How to find the answer in a free-text reply.",
    ),
    listed_option(
        "--repeats-as",
        table="repeats",
        metavar="RULE",
        help="How several answers to one question count (default: mean, if they are samples).",
    ),
    listed_option("--run-format", table="runs", metavar="NAME",
        help="Format of the runs, if it is not recognised."),
    click.option(
        "--filter",
        "filter_",
        default="",
        metavar="NAME",
        help=("For logs: the filter or scorer whose answers count; raw: the "
            "unfiltered responses."),
    ),
    click.option("--weighted", is_flag=True, help="Weight questions as the benchmark says."),
    *(groups.headed("Judge, with --match judge", one) for one in judging.OPTIONS),
    *(groups.headed("Types of answers", one) for one in _TYPES),
)  # fmt: skip
