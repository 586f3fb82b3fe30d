"""``qaldgen serve-system``."""

from __future__ import annotations

from typing import Annotated

import click

from qaldgen.cli import system_verbs
from qaldgen.cli.printing import print_notes
from qaldgen.cli.shared_options import reading_options
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import Call
from qaldgen.errors import UsageError
from qaldgen.options import Range


class ServeOptions:
    """Command-line options of `serve-system`.

    Attributes
    ----------
    port
        Port to listen on; 0 picks a free one.
    """

    port: Annotated[int, Range(0, 65_535)] = 8080


_SERVE = "qaldgen.plugins.serving.system_server:serve"


@system_verbs.system_verb(
    brief="system kg endpoint timeout model prompt option host port questions lang",
    epilog="Example: qaldgen serve-system --system typed --kg graph.ttl --port 8080",
)
@system_verbs.system_options
@options_of(_SERVE)
@options_of(ServeOptions)
@reading_options("gold_format")
def command(call: Call) -> None:
    """Serve a system to GERBIL, TEXT2SPARQL or lm-eval.

    The system is named as for 'qaldgen ask'. It is served as /gerbil, /text2sparql and
    /v1/chat/completions until it is interrupted (Ctrl-C). Anyone who can reach the address can ask:
    there is no authentication.
    """
    # imported here to keep the help fast
    import asyncio

    from qaldgen.asking.protocols import asker_of
    from qaldgen.io import concurrency
    from qaldgen.plugins.serving.system_server import SERVED_PROTOCOLS, serve
    from qaldgen.questions.loading import load

    system_verbs.check_system(call)
    # clients send the text of a question without its id
    if call.questions is None and system_verbs.named_system(call).protocol == "recorded":
        raise UsageError(
            "a recorded run knows questions by their ids; name the question set with --questions "
            "FILE"
        )
    questions = None
    if call.questions is not None:
        questions = load(call.questions, language=call.lang, **call.of("load"))
    asker = asker_of(system_verbs.open_system(call, call.lang))
    with serve(
        asker, host=call.host, port=call.port, language=call.lang, questions=questions
    ) as served:
        for path in SERVED_PROTOCOLS:
            click.echo(f"{served.url}{path}", err=True)
        print_notes([f"serving {asker.name}; Ctrl-C stops it"])
        concurrency.run(asyncio.Event().wait())  # until the process is interrupted
