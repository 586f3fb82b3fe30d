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
    from qaldgen.api.acting import Act


@dataclasses.dataclass(frozen=True)
class ActOptions:
    """Where candidates come from, and how they are scored; None is what the preset has."""

    training: str | None
    candidates: str | None
    preset: str
    type_score: str | None
    weights: str | None
    top_types: int | None
    similarity: float | None
    neighbours: str | None
    nearest: int | None
    blacklist: tuple[str, ...]
    name_predicate: tuple[str, ...]
    type_predicate: tuple[str, ...]
    explain: str | None
    ablation: bool

    @property
    def shows(self) -> bool:
        """Whether a table is printed instead of asking and writing a journal."""
        return self.explain is not None or self.ablation

    def check(self, *, is_act: bool) -> None:
        """Refuse options that do not belong together, before anything is read."""
        # Only options of the command line are compared: a default says nothing about the wish.
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
            self.read()
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
            dataclasses.replace(how, classes=classes, **changed),
        )

    def show(
        self,
        asked: QuestionSet,
        kg: Any,  # noqa: ANN401 - a file, or an endpoint
        lang: str,
        *,
        training: str = "",
    ) -> None:
        """Print what happened to one question, or the table of the ablation.

        Parameters
        ----------
        asked
            The questions; --explain needs only the one with its id.
        kg
            The knowledge graph: a file, or an endpoint.
        lang
            Language of the questions.
        training
            The SET of ``act:SET``; --training takes precedence.
        """
        act = self.read()
        if not act.candidates:
            # Without recorded candidates the nearest training questions give them.
            act = dataclasses.replace(act, training=act.training or training)
        selector = api.acting.open_act(act, kg, lang)
        if self.ablation:
            table = api.acting.ablation(selector, asked, lang)
            click.echo(api.tables.dump_frame(table, "text"), nl=False)
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
        "--preset",
        default="default",
        show_default=True,
        metavar="NAME",
        help="default, paper or authors, for act.",
    ),
    click.option("--type-score", metavar="NAME", help="match, paper or authors."),
    click.option(
        "--weights", metavar="N,N,N,N", help="Of the scores for type, neighbour, rank, property."
    ),
    click.option(
        "--top-types",
        type=click.IntRange(min=1),
        metavar="N",
        help="Number of most frequent types that count.",
    ),
    click.option(
        "--similarity",
        type=groups.FiniteRange(0, 1),
        metavar="N",
        help="Types whose names are more similar count too.",
    ),
    click.option("--neighbours", metavar="WAY", help="forward or both."),
    click.option(
        "--nearest", type=click.IntRange(min=1), metavar="N", help="Number of training questions."
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
        help="Print what act does with one question, and ask nothing else.",
    ),
    click.option(
        "--ablation", is_flag=True, help="Print Hit@1 of act by sets of candidates and by scores."
    ),
)


def act_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options, which come as one `ActOptions` named ``act``."""
    return groups.grouped("act", ActOptions, *_OPTIONS)(function)
