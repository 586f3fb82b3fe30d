"""``qaldgen serve-system``."""

from __future__ import annotations

import click

from qaldgen.cli import common, systems
from qaldgen.errors import UsageError


@systems.system_command(
    usual=(
        "system",
        "kg",
        "endpoint",
        "timeout",
        "model",
        "prompt",
        "option",
        "host",
        "port",
        "questions",
        "lang",
    ),
    epilog="Example: qaldgen serve-system --system typed --kg graph.ttl --port 8080",
)
@systems.system_options
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Where to listen; 0.0.0.0 lets other machines ask.",
)
@click.option(
    "--port",
    default=8080,
    show_default=True,
    type=click.IntRange(0, 65_535),
    help="Port to listen on; 0 picks a free one.",
)
@click.option(
    "--questions", metavar="FILE", help="Question set of a recorded run, which shares its ids."
)
@click.option(
    "--lang", default="en", show_default=True, help="Language of questions without a language tag."
)
def command(
    system: systems.SystemOptions, host: str, port: int, questions: str | None, lang: str
) -> None:
    """Serve a system to GERBIL, TEXT2SPARQL or lm-eval.

    The system is named as for 'qaldgen ask'. It is served as /gerbil, /text2sparql and
    /v1/chat/completions until it is interrupted (Ctrl-C). Anyone who can reach the address can ask:
    there is no authentication.
    """
    # imported here to keep the help fast
    from qaldgen.asking.protocols import asker_of
    from qaldgen.datasets.loading import load
    from qaldgen.io import concurrency
    from qaldgen.plugins.serving.system_server import FORMS, serve, wait_for_ever

    system.check()
    # The protocols of evaluation tools send the text of a question without its id.
    if questions is None and system.named().protocol == "recorded":
        raise UsageError(
            "a recorded run knows questions by their ids; name the question set with --questions "
            "FILE"
        )
    asked = None if questions is None else load(questions, language=lang)
    asker = asker_of(system.open(lang))[1]
    with serve(asker, host=host, port=port, language=lang, questions=asked) as served:
        for form in FORMS:
            click.echo(f"{served.url}{form.path}", err=True)
        common.notes([f"serving {asker.name}; Ctrl-C stops it"])
        concurrency.run(wait_for_ever())
