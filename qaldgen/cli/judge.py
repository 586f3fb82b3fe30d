"""The judge of a call: the system that says with --match judge which answers are right."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from qaldgen.cli.output_files import check_outputs
from qaldgen.cli.signatures import options_of, type_of
from qaldgen.cli.systems import read_fields
from qaldgen.cli.verb import Call, section
from qaldgen.errors import UsageError
from qaldgen.options import Text

if TYPE_CHECKING:
    from qaldgen import Run
    from qaldgen.benchmark.gold import Gold
    from qaldgen.scoring.rules import Verdicts

#: The matcher that asks a system.
JUDGE = "judge"


class JudgeOptions:
    """Options that describe the judge.

    Attributes
    ----------
    judge
        Who judges the answers, for --match judge: a system as for 'ask', or recorded:FILE.
    judge_model
        Model name of the judge, for openai.
    judge_option
        jobs, rate, budget, max-failures, timeout, retries, price-in, price-out, key-file or
        header-file, as for 'ask'; any other name is a request field.
    """

    judge: Annotated[str, Text("PROTOCOL:WHERE")] | None = None
    judge_model: Annotated[str, Text("NAME")] = ""
    judge_option: Mapping[str, str] | None = None


OWN = f"{__name__}:JudgeOptions"
judge_options = section(
    "Judge, with --match judge",
    options_of(OWN, "judge", "judge_model"),
    options_of(
        "judge",
        "template",
        "journal",
        called={"template": "judge_template", "journal": "judge_journal"},
    ),
    options_of("judge", "judge_all"),
    options_of(OWN, "judge_option"),
)
#: Which options of `ask` are a judge's, by function; any other name is a field of the request.
_JUDGE_OPTIONS = {
    "ask": ("jobs", "rate", "max_failures", "budget"),
    "System": ("timeout", "retries", "key_file", "header_file"),
    "Chat": ("price_in", "price_out"),
}
_OPTION_NAMES = set(chain.from_iterable(_JUDGE_OPTIONS.values()))


def judge_of(
    call: Call, inputs: Sequence[str | None]
) -> Callable[[Gold, Sequence[Run], Mapping[str, Sequence[str]] | None], Verdicts]:
    """Return the function that asks the judge for verdicts.

    A journal that is also an input is refused.
    """
    from qaldgen.asking.judge import judge
    from qaldgen.asking.protocols import system_of
    from qaldgen.asking.systems import Chat

    if not call.judge:
        option = "match" if call.match == JUDGE else "proxy"
        raise UsageError(
            f"--{option} judge needs a judge: name the system with --judge PROTOCOL:WHERE, for"
            " instance openai:http://localhost:8000/v1"
        )
    fields = {}
    for name, value in read_fields(call.judge_option).items():
        option_name = name.replace("-", "_")
        if option_name in _OPTION_NAMES:
            name = option_name
        fields[name] = value
    settings = {name: _judge_settings(name, fields) for name in _JUDGE_OPTIONS}
    request_fields = {name: value for name, value in fields.items() if name not in _OPTION_NAMES}
    chat = Chat(call.judge_model, options=request_fields, **settings["Chat"])
    system = dataclasses.replace(system_of(call.judge), chat=chat, **settings["System"])
    if system.protocol == "recorded":
        if call.judge_journal or fields or call.judge_model:
            raise UsageError(
                "recorded verdicts are only read; leave out --judge-journal, --judge-model and"
                " --judge-option"
            )
    elif not call.judge_journal:
        raise UsageError(
            "keep the verdicts in a file, with --judge-journal FILE, so that"
            " no answer is paid for twice"
        )
    else:
        check_outputs([call.judge_journal], force=True, inputs=inputs)  # it is resumed

    def verdicts(
        gold: Gold, runs: Sequence[Run], aliases: Mapping[str, Sequence[str]] | None
    ) -> Verdicts:
        return judge(
            gold,
            runs,
            dataclasses.replace(system, language=call.lang),
            template=call.judge_template,
            journal=call.judge_journal,
            language=call.lang,
            aliases=aliases,
            judge_all=call.judge_all,
            **settings["ask"],
        )

    return verdicts


def _judge_settings(function: str, fields: Mapping[str, object]) -> dict[str, Any]:
    """Return the arguments of a function among the fields of --judge-option, as its types."""
    settings = {}
    for name in _JUDGE_OPTIONS[function]:
        if name not in fields:
            continue
        value_type: Callable[[Any], Any] = type_of(function, name)
        try:
            settings[name] = value_type(fields[name])
        except (TypeError, ValueError):
            noun = {Path: "file", int: "whole number"}.get(value_type, "number")  # type: ignore[call-overload]
            raise UsageError(
                f"--judge-option {name.replace('_', '-')}: {fields[name]!r} is not a {noun}"
            ) from None
    return settings
