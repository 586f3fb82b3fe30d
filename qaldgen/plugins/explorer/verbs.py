"""``qaldgen serve``."""

from __future__ import annotations

from pathlib import Path

import click

from qaldgen.cli.printing import print_notes
from qaldgen.cli.scoring import runs_argument
from qaldgen.cli.shared_options import reading_options
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import QUESTIONS, Call, verb
from qaldgen.errors import UsageError
from qaldgen.plugins.explorer import server


@verb(epilog="Example: qaldgen serve features.ttl mine.json other.json")
@click.argument("data", required=False, type=QUESTIONS)
@runs_argument()
@options_of("evaluate", "match")
@reading_options("gold_format")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Where to listen. Any host other than this machine also needs --allow-remote.",
)
@click.option(
    "--allow-remote",
    is_flag=True,
    help="Let other machines connect: whoever has the address that is printed can see the data and "
    "use this machine, and it is sent unencrypted.",
)
@click.option(
    "--port",
    default=0,
    type=click.IntRange(0, 65_535),
    help="Port to listen on; 0 (default) picks a free one.",
)
@click.option(
    "--open/--no-open",
    default=None,
    help="Open the page in the browser. Default: where there is a desktop.",
)
def command(call: Call) -> None:
    """Explore questions in the browser.

    Filter, look, sample, and see where systems fail. DATA is RDF with question features, a question
    set, or a name of 'qaldgen data list'; RUNS are answers of systems, as for 'score'. Both can
    also be dropped on the page. The page is served on this machine until it is interrupted
    (Ctrl-C).
    """
    from qaldgen.answers.several_runs import run_names
    from qaldgen.plugins.explorer.workspace import Workspace

    server.check_installed()
    if not server.is_loopback(call.host):
        if not call.allow_remote:
            raise UsageError(
                f"--host {call.host}: other machines could read the data and use this one: nothing"
                " is encrypted; add --allow-remote if you want that"
            )
        print_notes(
            [f"--host {call.host}: anyone who learns the address below can read and use everything"]
        )
    call.check()
    # before the thread that reads the data, which does not have the context of click
    load_options = {name: value for name, value in call.of("load").items() if value}
    runs = dict(zip(run_names(call.runs), call.runs, strict=True))
    # a port in use is reported before the data are read, which may take minutes
    with server.open_listener(call.host, call.port) as listener, Workspace() as workspace:
        context = click.get_current_context()

        def open_data() -> None:
            open_set = workspace.open(call.data, load_options=load_options)
            open_set.match = call.match
            pool_notes = list(open_set.pool.notes)
            for name, path in runs.items():
                open_set.add_run(Path(path), name)
            for scores in open_set.runs.values():
                pool_notes += scores.notes
            with context.scope(cleanup=False):  # notes name the flags of the command's context
                print_notes(pool_notes)

        if call.data is not None:
            workspace.read(Path(call.data).name, open_data)
        open_browser = server.can_show_pages() if call.open is None else call.open
        server.serve(
            workspace,
            listener,
            host=call.host,
            open_browser=open_browser,
            say=lambda address: click.echo(f"{address}  (Ctrl-C stops it)", err=True),
        )
