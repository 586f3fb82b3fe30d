"""The judge of a call: the system that decides with --match judge which answers are right."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from qaldgen.cli.output_files import check_outputs
from qaldgen.cli.signatures import options_of, type_of
from qaldgen.cli.system_verbs import read_fields
from qaldgen.cli.verb import Call, section
from qaldgen.errors import UsageError
from qaldgen.options import Text

if TYPE_CHECKING:
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


judge_options = section(
    "Judge, with --match judge",
    options_of(JudgeOptions, "judge", "judge_model"),
    options_of(
        "judge",
        "template",
        "journal",
        called={"template": "judge_template", "journal": "judge_journal"},
    ),
    options_of("judge", "judge_all"),
    options_of(JudgeOptions, "judge_option"),
)
#: The function or class that takes a value of --judge-option; others go into the request.
_FUNCTION_OF_OPTION = {
    "jobs": "ask", "rate": "ask", "max_failures": "ask", "budget": "ask",
    "timeout": "System", "retries": "System", "key_file": "System", "header_file": "System",
    "price_in": "Chat", "price_out": "Chat",
}  # fmt: skip
_NOUNS: Mapping[object, str] = {Path: "file", int: "whole number"}


def make_judge(call: Call, inputs: Sequence[str | None]) -> Callable[..., Verdicts]:
    """Return a function of gold, runs and `aliases` that judges with the system of a call.

    It is `judge` with the settings of the call. A missing journal is refused, except for recorded
    verdicts, and so is a journal that is also an input.
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

    # the values of --judge-option, converted to the types of the parameters that they are for
    arguments: dict[str, dict[str, Any]] = {"ask": {}, "System": {}, "Chat": {}}
    request: dict[str, object] = {}  # other names are fields of the request
    for option_name, value in read_fields(call.judge_option).items():
        name = option_name.replace("-", "_")
        function = _FUNCTION_OF_OPTION.get(name)
        if function is None:
            request[option_name] = value
            continue
        value_type: Callable[[Any], Any] = type_of(function, name)
        try:
            arguments[function][name] = value_type(value)
        except (TypeError, ValueError):
            noun = _NOUNS.get(value_type, "number")
            raise UsageError(
                f"--judge-option {name.replace('_', '-')}: {value!r} is not a {noun}"
            ) from None

    chat = Chat(call.judge_model, options=request, **arguments["Chat"])
    system = dataclasses.replace(
        system_of(call.judge), chat=chat, language=call.lang, **arguments["System"]
    )

    if system.protocol == "recorded":
        if call.judge_journal or call.judge_option or call.judge_model:
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

    return functools.partial(
        judge,
        system=system,
        template=call.judge_template,
        journal=call.judge_journal,
        language=call.lang,
        judge_all=call.judge_all,
        **arguments["ask"],
    )
