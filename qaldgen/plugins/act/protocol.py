"""ACT as a row of the table of protocols: its options, and what it prints instead of asking."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qaldgen.asking.protocols import Protocol
from qaldgen.errors import UsageError
from qaldgen.options import Option
from qaldgen.plugins.act.options import NEIGHBOURS, PRESETS, TYPE_SCORES, Act

if TYPE_CHECKING:
    from qaldgen.asking.systems import Asker, System
    from qaldgen.model import QuestionSet

#: None takes the value of the preset.
OPTIONS = (
    Option(
        "training", None, "questions with answers; the nearest ones give the candidates", kind=Path
    ),
    Option(
        "candidates",
        None,
        "recorded candidates of any model: JSON Lines of id, candidates",
        kind=Path,
    ),
    Option(
        "entities",
        None,
        "linked entities by question, from any linker, also a journal of --system nif",
        kind=Path,
    ),
    Option(
        "encoder",
        "",
        "compare names by this model of sentence-transformers: a folder or a name",
    ),
    Option("generator", "", "a model that proposes candidates: seq2seq:FOLDER or openai:URL"),
    Option("beams", None, "number of seq2seq candidates", minimum=1, kind=int),
    Option(
        "groups",
        None,
        "number of groups of its beams; each group avoids the words of the others",
        minimum=1,
        kind=int,
    ),
    Option("penalty", None, "penalty for a word that another group uses", minimum=0, kind=float),
    Option(
        "preset",
        "default",
        "settings to start from: default, paper or authors",
        choices=tuple(PRESETS),
    ),
    Option(
        "type_score",
        None,
        "type score: match, paper or authors",
        choices=TYPE_SCORES,
        kind=str,
    ),
    Option(
        "weights",
        None,
        "weights of the scores for type, neighbour, rank and property, such as 1,1,1,1",
        kind=str,
    ),
    Option("top_types", None, "how many of the most frequent types count", minimum=1, kind=int),
    Option(
        "similarity",
        None,
        "also count types whose name is more similar than this to one of them",
        minimum=0,
        maximum=1,
        kind=float,
    ),
    Option("neighbours", None, "direction of links: forward or both", choices=NEIGHBOURS, kind=str),
    Option(
        "nearest",
        None,
        "number of similar training questions whose answers are candidates",
        minimum=1,
        kind=int,
    ),
    Option(
        "typos",
        None,
        "wrong letters allowed in a name, if the question names nothing else; for --kg",
        minimum=0,
        maximum=2,
        kind=int,
    ),
    Option("blacklist", (), "IRI of a type that does not count; repeatable"),
    Option("name_predicate", (), "IRI of a predicate of names (rdfs:label); repeatable"),
    Option("type_predicate", (), "IRI of a predicate of types (rdf:type, wdt:P31); repeatable"),
    Option("explain", None, "id of a question; shows how it is answered, and asks none", kind=str),
    Option("ablation", False, "print Hit@1 by sets of candidates and by scores, and ask none"),
)
#: Options that are fields of `Selection` as they are.
_FIELDS = ("type_score", "top_types", "similarity", "neighbours", "nearest", "typos")


def settings(options: dict[str, Any]) -> Act:
    """Return the settings that options mean: the preset with what is given."""

    def given(**fields: Any) -> dict[str, Any]:  # noqa: ANN401 - fields of any record
        return {name: value for name, value in fields.items() if value not in (None, ())}

    if options["explain"] is not None and options["ablation"]:
        raise UsageError("--explain and --ablation print different tables; remove one")
    how = PRESETS[options["preset"]]
    classes = dataclasses.replace(
        how.classes,
        hidden=how.classes.hidden | set(options["blacklist"]),
        **given(types=tuple(options["type_predicate"])),
    )
    beams = given(**{name: options[name] for name in ("beams", "groups", "penalty")})
    how = dataclasses.replace(
        how,
        classes=classes,
        beams=dataclasses.replace(how.beams, **beams),
        **given(
            weights=None if options["weights"] is None else _numbers(options["weights"]),
            labels=tuple(options["name_predicate"]),
            **{name: options[name] for name in _FIELDS},
        ),
    )
    training, candidates = (str(options[name] or "") for name in ("training", "candidates"))
    entities = str(options["entities"] or "")
    return Act(training, candidates, options["generator"], how, entities, options["encoder"])


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(word) for word in text.split(","))
    except ValueError:
        raise UsageError(
            f"--weights {text}: four numbers with commas are expected, such as 1,1,1,1"
        ) from None


def make(system: System, **options: Any) -> Asker:  # noqa: ANN401 - values of any type
    """Return ACT as a system; raises UsageError for options that only print tables."""
    from qaldgen.plugins.act.system import act

    if options["explain"] is not None or options["ablation"]:
        raise UsageError("--explain and --ablation print tables, in 'qaldgen ask'; remove them")
    return act(system, settings(options))


def asks(**options: Any) -> str:  # noqa: ANN401 - values of any type
    """Return the protocol by which a model is asked for candidates; empty for none."""
    from qaldgen.plugins.act.sources import generator_words

    own = settings(options)
    kind = generator_words(own.generator)[0] if own.generator else ""
    return kind if kind == "openai" else ""


def show(system: System, questions: QuestionSet, **options: Any) -> str | None:  # noqa: ANN401
    """Return what happened to one question, or the table of the ablation."""
    if options["explain"] is None and not options["ablation"]:
        return None
    from qaldgen.plugins.act.ablating import ablation
    from qaldgen.plugins.act.explaining import explain, text_of
    from qaldgen.plugins.act.system import selector_of
    from qaldgen.reports.tables.results import dump_frame

    selector = selector_of(system, settings(options))
    if options["ablation"]:
        found = ablation(selector, questions, system.language)
        return f"{dump_frame(found.hits, 'text')}\n{dump_frame(found.limits, 'text')}"
    return text_of(selector, explain(selector, questions, options["explain"], system.language))


ACT = Protocol(
    make,
    "SET",
    "candidates ranked by the types they share (ACT Selection), over --kg; SET is --training",
    alone=True,
    options=OPTIONS,
    asks=asks,
    show=show,
)
