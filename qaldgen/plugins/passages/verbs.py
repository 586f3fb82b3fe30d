"""``qaldgen passages``: collections, retrievers, readers, and passages judged by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from qaldgen.cli.label import check_worksheets, write_worksheets
from qaldgen.cli.output_files import write_outputs
from qaldgen.cli.printing import clock, notes, progress_bar
from qaldgen.cli.scoring import check_slices
from qaldgen.cli.verb import (
    FILE,
    QUESTIONS,
    WRITTEN,
    Call,
    FiniteRange,
    Verb,
    file_option,
    flag,
    force_option,
    listed_option,
    output_option,
    section,
    table_options,
)
from qaldgen.errors import UsageError
from qaldgen.plugins import passages as plugin


class _Group(click.Group):
    """The group; a file in place of a verb was once what is built."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb, and say where what the verb `passages` did is now."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            raise UsageError(
                f"there is no verb {args[0]!r} of passages; choose one of"
                f" {', '.join(self.commands)}. To read a collection: qaldgen passages build"
                f" {args[0]}"
            )
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Group,
    epilog="Example: qaldgen passages retrieve asked.jsonl passages.jsonl -n 100 -o bm25.trec",
)
def command() -> None:
    """Build, retrieve, read and label passages; split the losses."""


def _retriever_options(analyser: str = "token") -> Callable[[Any], Any]:
    """Add the options that say how passages are found, for `_settings`."""
    return section(
        "",
        listed_option(
            "--retriever",
            table="retrievers",
            default="bm25",
            show_default=True,
            help="Retrieval method.",
        ),
        listed_option(
            "--analyser",
            table="analysers",
            default=analyser,
            show_default=True,
            help="How BM25 splits texts into terms.",
        ),
        click.option(
            "--lang",
            default="pl",
            show_default=True,
            help="The language of questions and passages.",
        ),
        click.option(
            "--title/--no-title",
            default=True,
            show_default=True,
            help="Whether titles are part of the passages.",
        ),
        click.option(
            "--k1",
            default=0.9,
            show_default=True,
            type=FiniteRange(0),
            help="BM25: weight of repeated terms.",
        ),
        click.option(
            "--b",
            default=0.4,
            show_default=True,
            type=FiniteRange(0, 1),
            help="BM25: correction for the length of passages.",
        ),
        click.option(
            "--model",
            default="",
            metavar="NAME",
            help="For dense: a folder, or the name of a sentence-transformers model.",
        ),
        click.option(
            "--server", default="", metavar="URL", help="For opensearch: http://host:port."
        ),
    )


def _settings(call: Call) -> plugin.Settings:
    return plugin.Settings(
        call.analyser, call.lang, call.title, call.k1, call.b, call.model, call.server
    )


@command.command(
    "build",
    cls=Verb,
    epilog=(
        "Example: qaldgen passages build poquad.json -o passages.jsonl --asked poquad.json"
        " --questions asked.jsonl"
    ),
)
@click.argument("collection", type=FILE)
@click.option(
    "--longest",
    default=500,
    show_default=True,
    type=click.IntRange(20),
    help="Maximum length of a passage, in characters.",
)
@file_option(
    "--asked",
    kind=QUESTIONS,
    metavar="SET",
    help="Question set whose relevant passages are looked up in the collection.",
)
@file_option(
    "--questions",
    kind=WRITTEN,
    help="Where to write those questions, with their relevant passages.",
)
@click.option(
    "--lang", default="pl", show_default=True, help="Language of questions without a language tag."
)
@output_option("Where to write the passages as JSON Lines; - is stdout (default).")
@force_option
def build_command(call: Call) -> None:
    """Read a collection and write it as passages, one per line.

    COLLECTION is JSON Lines with id and text, the rows of PolQA, the JSON of SQuAD or PoQuAD, a
    folder of .txt files, or a MediaWiki dump. Long texts are cut at the ends of paragraphs and
    sentences.
    """
    if (call.asked is None) != (call.questions is None):
        raise UsageError(
            "--asked names the questions and --questions where they are written; give both"
        )
    call.check()
    with clock(f"reading {call.collection}"):
        read = plugin.read_collection(call.collection, longest=call.longest)
    notes(read.notes)
    outputs = [(call.output, plugin.dump_collection(read))]
    if call.asked is not None:
        joined, told = plugin.with_relevant(call.asked, read, language=call.lang)
        notes(told)
        outputs.append((call.questions, plugin.dump_questions(joined)))
    write_outputs(outputs, force=call.force)


@command.command(
    "retrieve",
    cls=Verb,
    epilog=(
        "Example: qaldgen passages retrieve asked.jsonl passages.jsonl --analyser lemma -n 100"
        " -o bm25.trec"
    ),
)
@click.argument("questions", type=QUESTIONS)
@click.argument("collection", type=FILE)
@_retriever_options()
@click.option(
    "-n",
    default=100,
    show_default=True,
    type=click.IntRange(1),
    help="Number of passages per question.",
)
@output_option("Output file, in TREC format; - is stdout (default).")
@force_option
def retrieve_command(call: Call) -> None:
    """Find passages for each question, and write them as a run in TREC format.

    To score it, overall or by feature: 'qaldgen score QUESTIONS RUN --match passages'.
    """
    from qaldgen.scoring.gold import as_gold

    call.check()
    with clock(f"reading {call.collection}"):
        passages = plugin.read_collection(call.collection)
    notes(passages.notes)
    gold = as_gold(call.questions, language=call.lang)
    with progress_bar("searching", len(gold.questions.questions)) as bar:
        found = plugin.retrieve(
            gold,
            passages,
            retriever=call.retriever,
            k=call.n,
            settings=_settings(call),
            progress=bar.update,
        )
    # TREC's last column names the run.
    call.write(
        plugin.dump_trec(found, Path(call.output).stem if call.output != "-" else call.retriever)
    )


@command.command(
    "read",
    cls=Verb,
    epilog=(
        "Example: qaldgen passages read asked.jsonl passages.jsonl --run bm25.trec -n 10"
        " -o answers.tsv"
    ),
)
@click.argument("questions", type=QUESTIONS)
@click.argument("collection", type=FILE)
@file_option(
    "--run",
    "found",
    help="Run of a retriever, in TREC format. Default: read the relevant passages.",
)
@listed_option(
    "--reader",
    table="readers",
    default="extractive",
    show_default=True,
    help="How answers are found in passages.",
)
@click.option(
    "-n",
    default=10,
    show_default=True,
    type=click.IntRange(1),
    help="Number of passages to read from the run.",
)
@click.option("--lang", default="pl", show_default=True, help="The language of the questions.")
@output_option("Output file for the answers, as a run; - is stdout (default).")
@force_option
def read_command(call: Call) -> None:
    """Let a reader answer questions from retrieved passages, or from the relevant ones."""
    call.check()
    passages = plugin.read_collection(call.collection)
    notes(passages.notes)
    with clock("reading passages"):
        answered = plugin.read_passages(
            call.questions,
            passages,
            reader=call.reader,
            found=call.found,
            k=call.n,
            language=call.lang,
        )
    call.write(plugin.dump_answers(answered))


_SECONDS = FiniteRange(0)


@command.command(
    "label",
    cls=Verb,
    epilog="Example: qaldgen passages label asked.jsonl passages.jsonl --no-rerank -o sheet.csv",
)
@click.argument("questions", required=False)
@click.argument("collection", required=False)
@section(
    "",
    click.option(
        "--candidates", default=100, show_default=True, type=click.IntRange(1), metavar="N",
        help="Number of passages to retrieve per question.",
    ),
    click.option(
        "-n", "--keep", default=5, show_default=True, type=click.IntRange(1), metavar="N",
        help="Number of passages to judge per question.",
    ),
    click.option("--cross-encoder", default="", metavar="MODEL",
        help="Re-rank with a sentence-transformers model."),
    click.option("--scores", default="", metavar="RUN",
        help="Re-rank by the scores of a run in TREC format."),
    click.option("--function", default="", metavar="MODULE:FUNCTION",
        help="Re-rank by a function of question and passages."),
    flag("--no-rerank", help="Keep the order of the retriever."),
    file_option("--resume",
        help="Partly completed worksheet of the same pairs; the page continues from it."),
    file_option(
        "--judged", multiple=True,
        help="Completed worksheet: write QUESTIONS with the relevant passages. Repeatable.",
    ),
    flag(
        "--agreement",
        help="Treat the arguments as the worksheets of two annotators (or PolQA's rows), and "
            "print how well they agree.",
    ),
    flag("--cost",
        help="Only print the cost per question of PolQA's two strategies."),
    click.option(
        "--search-seconds", default=75.5, show_default=True, type=_SECONDS, metavar="S",
        help="For the cost: time to find a passage by free search.",
    ),
    click.option(
        "--verify-seconds", default=13.6, show_default=True, type=_SECONDS, metavar="S",
        help="For the cost: time to judge one passage.",
    ),
    file_option(
        "-o", "--output", multiple=True, kind=WRITTEN,
        help="Worksheet (.csv), or a page to fill it in (.html). Repeatable. With --judged: the "
            "questions.",
    ),
    force_option,
)  # fmt: skip
@_retriever_options("lemma")
def label_command(call: Call) -> None:
    """Choose the passages that annotators judge, as PolQA's efficient strategy does.

    It retrieves by BM25, re-ranks, and keeps the best five. You choose how to re-rank: with a
    cross-encoder, recorded scores, a function, or not. Annotators fill in the worksheet: y if the
    passage answers the question, n if not, s to skip.
    """
    if call.cost:
        from qaldgen.reports.tables.results import dump_frame

        click.echo(dump_frame(plugin.cost_table(_seconds(call)), "text"), nl=False)
        return
    if call.questions is None or (call.collection is None and not call.judged):
        raise UsageError(
            "QUESTIONS and COLLECTION are needed, or two annotators' worksheets with --agreement"
        )
    if call.agreement:
        found, told = plugin.agree_on_passages(call.questions, call.collection)
        notes(told)
        click.echo(str(found))
    elif call.judged:
        _write_judged(call)
    else:
        _write_worksheet(call)


def _seconds(call: Call) -> plugin.Seconds:
    return plugin.Seconds(call.search_seconds, call.verify_seconds)


def _write_judged(call: Call) -> None:
    """Write the questions with the passages that were judged to be relevant."""
    from qaldgen.scoring.gold import as_gold

    output = call.output[0] if call.output else "-"
    if len(call.output) > 1:
        raise UsageError(
            f"--judged writes one file of questions, but -o is given {len(call.output)} times"
        )
    call.check(call.questions, must_exist=[call.questions])
    asked = as_gold(call.questions, language=call.lang).questions
    # Each worksheet adds to the questions that the one before it made.
    for name in call.judged:
        judged, told = plugin.read_judged(name)
        asked, more = plugin.with_judged(asked, judged, language=call.lang)
        notes([*told, *more])
    write_outputs([(output, plugin.dump_questions(asked))], force=call.force)


def _write_worksheet(call: Call) -> None:
    """Write the worksheet, and say what it costs to fill it in."""
    from qaldgen.datasets.fetching import find_source
    from qaldgen.scoring.gold import as_gold

    sampling = plugin.Sampling(
        call.candidates,
        call.keep,
        call.retriever,
        call.cross_encoder,
        call.scores,
        call.function,
        not call.no_rerank,
    )
    sampling.check()
    check_worksheets(call.output)
    call.check(call.questions, call.collection, must_exist=[call.scores or None])
    find_source(call.questions)
    with clock(f"reading {call.collection}"):
        passages = plugin.read_collection(call.collection)
    gold = as_gold(call.questions, language=call.lang)
    with progress_bar("searching", len(gold.questions.questions)) as bar:
        made = plugin.passages_to_judge(
            gold,
            passages,
            sampling,
            settings=_settings(call),
            resume=call.resume,
            progress=bar.update,
        )
    notes(made.notes)
    cost = made.cost(_seconds(call))
    hours = cost.seconds * made.questions / 3600
    click.echo(f"pairs to judge: {len(made.candidates):,} ({made.drawn})", err=True)
    click.echo(
        f"cost per question: {cost.arithmetic} s; of all {made.questions:,}: {hours:,.1f} hours",
        err=True,
    )
    write_worksheets(made, call.output, force=call.force)


@command.command(
    "losses",
    cls=Verb,
    epilog=(
        "Example: qaldgen passages losses asked.jsonl bm25.trec read.jsonl --on-gold gold.jsonl"
        " --by informationSought"
    ),
)
@click.argument("questions", type=QUESTIONS)
@click.argument("retrieved", metavar="RUN", type=FILE)
@click.argument("answers", type=FILE)
@section(
    "",
    file_option(
        "--on-gold",
        help="Answers of the same reader from the relevant passages alone.",
    ),
    click.option(
        "-n",
        default=10,
        show_default=True,
        type=click.IntRange(1),
        help="Number of passages that the reader was given.",
    ),
    click.option(
        "--by", multiple=True, metavar="FEATURE", help="Also split by the values of a feature."
    ),
    listed_option(
        "--match",
        table="matchers",
        help="When an answer counts as right. Default: poleval for Polish, else as 'score'.",
    ),
    click.option("--lang", default="pl", show_default=True, help="Language of the questions."),
)
@table_options()
def losses_command(call: Call) -> None:
    """Split the errors of a retriever-reader pipeline into retriever misses and reader misses.

    RUN is what the retriever found (TREC format), ANSWERS what the reader answered.
    """
    from qaldgen.analysis.feature_table import slices_of
    from qaldgen.io.arguments import check_choice
    from qaldgen.scoring.gold import as_gold
    from qaldgen.scoring.matchers import MATCHERS, Scoring

    check_slices(call.by, ())
    match = call.match or plugin.usual_matcher(call.lang)
    check_choice("--match", match, MATCHERS)
    call.check()
    gold = as_gold(call.questions, language=call.lang)
    slices, problems = slices_of(gold, call.by, (), language=call.lang)
    notes(problems)
    how = Scoring(match=match, language=call.lang)
    call.write(
        plugin.losses(
            gold, call.retrieved, call.answers, on_gold=call.on_gold, k=call.n, slices=slices,
            how=how,
        )
    )  # fmt: skip
