"""The options of ACT Selection, and what ``--explain`` and ``--ablation`` print."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from qaldgen import api
from qaldgen.commands import groups
from qaldgen.errors import UsageError

if TYPE_CHECKING:
    from qaldgen import QuestionSet
    from qaldgen.plugins.act.explaining import Act, Beams
    from qaldgen.api.asking import System


@dataclasses.dataclass(frozen=True)
class ActOptions:
    """Where candidates come from, and how they are scored; None takes the value of the preset."""

    training: str | None
    candidates: str | None
    generator: str | None
    beams: int | None
    groups: int | None
    penalty: float | None
    preset: str
    type_score: str | None
    weights: str | None
    top_types: int | None
    similarity: float | None
    neighbours: str | None
    nearest: int | None
    typos: int | None
    blacklist: tuple[str, ...]
    name_predicate: tuple[str, ...]
    type_predicate: tuple[str, ...]
    explain: str | None
    ablation: bool

    @property
    def chats(self) -> bool:
        """Whether a language model on the web is asked for candidates."""
        return (self.generator or "").startswith("openai:")

    @property
    def shows(self) -> bool:
        """Whether a table is printed instead of asking and writing a journal."""
        return self.explain is not None or self.ablation

    def check(self, *, is_act: bool) -> None:
        """Refuse incompatible options before anything is read."""
        # Only options given on the command line count: a default is not a choice of the user.
        context = click.get_current_context()
        for field in dataclasses.fields(self):
            told = (
                context.get_parameter_source(field.name) is click.core.ParameterSource.COMMANDLINE
            )
            if told and not is_act:
                raise UsageError(
                    f"--{field.name.replace('_', '-')} only applies with --system act; remove it"
                )
        if is_act:
            if self.explain is not None and self.ablation:
                raise UsageError("--explain and --ablation print different tables; remove one")
            self.read()
            if self.generator is not None:
                api.acting.generator_words(self.generator)
            api.checks.check_files(self.training, self.candidates)

    def read(self) -> Act:
        """Return the settings for the Python interface: the preset with what was given.

        Returns
        -------
        Act
            Options left out keep the values of the preset; hidden types are added to its own.

        Raises
        ------
        UsageError
            For an unknown preset, or weights that are not numbers.
        """
        acting = api.acting
        api.checks.check_choice("--preset", self.preset, acting.PRESETS)
        how = acting.PRESETS[self.preset]
        told = {
            "type_score": self.type_score,
            "weights": None if self.weights is None else _numbers(self.weights),
            "top_types": self.top_types,
            "similarity": self.similarity,
            "neighbours": self.neighbours,
            "nearest": self.nearest,
            "typos": self.typos,
            "beams": self._beams(how.beams),
            "labels": self.name_predicate or None,
        }
        classes = dataclasses.replace(
            how.classes,
            types=self.type_predicate or how.classes.types,
            hidden=how.classes.hidden | set(self.blacklist),
        )
        changed: dict[str, Any] = {name: value for name, value in told.items() if value is not None}
        return acting.Act(
            self.training or "",
            self.candidates or "",
            self.generator or "",
            dataclasses.replace(how, classes=classes, **changed),
        )

    def _beams(self, preset: Beams) -> Beams:
        """Return how beams are searched; what is not told is that of the preset."""
        told = {"beams": self.beams, "groups": self.groups, "penalty": self.penalty}
        changed: dict[str, Any] = {name: value for name, value in told.items() if value is not None}
        return dataclasses.replace(preset, **changed)

    def show(
        self,
        asked: QuestionSet,
        system: System,
        kg: Any,  # noqa: ANN401 - a file, or an endpoint
    ) -> None:
        """Print what happened to one question, or the table of the ablation.

        Parameters
        ----------
        asked
            The questions; --explain needs only the one with its id.
        system
            The system with its settings of ACT, and how a model on the web is asked.
        kg
            The knowledge graph: a file, or an endpoint.
        """
        lang = system.language
        selector = api.acting.open_act(system.act, kg, lang, system)
        if self.ablation:
            found = api.acting.ablation(selector, asked, lang)
            click.echo(api.tables.dump_frame(found.hits, "text"))
            click.echo(api.tables.dump_frame(found.limits, "text"), nl=False)
            return
        explained = api.acting.explain(selector, asked, self.explain or "", lang)
        label = selector.graph.label
        types = [
            f"{label(kind)} {number}{' *' if kind in explained.wanted else ''}"
            for kind, number in explained.counts.items()
        ]
        click.echo(
            f"types of the candidates (* counts): {', '.join(types) or 'none'}; purity"
            f" {explained.pure:.1%}"
        )
        click.echo(
            f"linked: {len(explained.linked)} of {explained.proposed} candidates:"
            f" {', '.join(map(label, explained.linked[:20]))}"
        )
        named = ", ".join(map(label, explained.mentioned)) or "none"
        click.echo(
            f"entities of the question: {named}; literals around them: {explained.literals}\n"
        )
        click.echo(
            api.tables.dump_frame(api.acting.table_of(selector, explained), "text"), nl=False
        )


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(word) for word in text.split(","))
    except ValueError:
        raise UsageError(
            f"--weights {text}: four numbers with commas are expected, such as 1,1,1,1"
        ) from None


_OPTIONS = (
    click.option(
        "--training",
        metavar="SET",
        help="Questions with answers, for act: the nearest ones give the candidates.",
    ),
    click.option(
        "--candidates",
        metavar="FILE",
        help="Recorded candidates of any model, for act: JSON Lines of id, candidates.",
    ),
    click.option(
        "--generator",
        metavar="MODEL",
        help="A model that proposes candidates, for act: seq2seq:FOLDER or openai:URL.",
    ),
    click.option(
        "--beams",
        type=click.IntRange(min=1),
        metavar="N",
        help="Number of seq2seq candidates.",
    ),
    click.option(
        "--groups",
        type=click.IntRange(min=1),
        metavar="N",
        help="Number of groups of its beams; each group avoids the words of the others.",
    ),
    click.option(
        "--penalty",
        type=groups.FiniteRange(0),
        metavar="N",
        help="Penalty for a word that another group uses.",
    ),
    click.option(
        "--preset",
        default="default",
        show_default=True,
        metavar="NAME",
        help="Settings of act: default, paper or authors.",
    ),
    click.option("--type-score", metavar="NAME", help="Type score: match, paper or authors."),
    click.option(
        "--weights",
        metavar="N,N,N,N",
        help="Weights of the scores for type, neighbour, rank and property.",
    ),
    click.option(
        "--top-types",
        type=click.IntRange(min=1),
        metavar="N",
        help="How many of the most frequent types count.",
    ),
    click.option(
        "--similarity",
        type=groups.FiniteRange(0, 1),
        metavar="N",
        help="Also count types whose name is more similar than this to one of them.",
    ),
    click.option("--neighbours", metavar="WAY", help="Direction of links: forward or both."),
    click.option(
        "--nearest",
        type=click.IntRange(min=1),
        metavar="N",
        help="Number of similar training questions whose answers are candidates.",
    ),
    click.option(
        "--typos",
        type=click.IntRange(0, 2),
        metavar="N",
        help="Wrong letters allowed in a name, if the question names nothing else; for --kg.",
    ),
    click.option(
        "--blacklist", multiple=True, metavar="IRI", help="A type that does not count. Repeatable."
    ),
    click.option(
        "--name-predicate",
        multiple=True,
        metavar="IRI",
        help="Predicate of names. Default: rdfs:label.",
    ),
    click.option(
        "--type-predicate",
        multiple=True,
        metavar="IRI",
        help="Predicate of types. Default: rdf:type and wdt:P31.",
    ),
    click.option(
        "--explain",
        metavar="ID",
        help="Show how act answers one question, and ask no others.",
    ),
    click.option(
        "--ablation", is_flag=True, help="Print Hit@1 of act by sets of candidates and by scores."
    ),
)


def act_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options, which come as one `ActOptions` named ``act``."""
    return groups.grouped("act", ActOptions, *_OPTIONS)(function)
