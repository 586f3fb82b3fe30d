"""``qaldgen passages``: collections, retrievers, readers, and passages judged by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from qaldgen.cli.output_files import write_outputs, write_possible
from qaldgen.cli.printing import print_notes, printing_notes
from qaldgen.cli.progress_bar import progress_bar, show_elapsed_time
from qaldgen.cli.scoring import check_by, read_gold
from qaldgen.cli.shared_options import reading_options, shared, table_options
from qaldgen.cli.signatures import options_of
from qaldgen.cli.verb import FILE, QUESTIONS, Call, Verb, section
from qaldgen.errors import UsageError
from qaldgen.options import Matchers, OneOf, OutputPath, Text
from qaldgen.plugins import passages as plugin
from qaldgen.plugins.labelling.verbs import check_worksheets, write_worksheets

if TYPE_CHECKING:
    from qaldgen.benchmark.gold import AnyGold


class _Group(click.Group):
    """The verbs of `passages`; a file in place of a verb is answered with the verb `build`."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb; for an unknown one say how a collection is read."""
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


class PassagesOptions:
    """Command-line options of `passages`.

    Attributes
    ----------
    asked
        Question set whose relevant passages are looked up in the collection.
    questions
        Where to write those questions, with their relevant passages.
    no_rerank
        Keep the order of the retriever.
    resume
        Partly completed worksheet of the same pairs; the page continues from it.
    judged
        Completed worksheet: write QUESTIONS with the relevant passages.
    agreement
        Treat the arguments as the worksheets of two annotators (or PolQA's rows), and print how
        well they agree.
    output
        Worksheet (.csv), or a page to fill it in (.html); with --judged the questions.
    analyser
        How BM25 splits texts into terms; if not given, by lemmas, as PolQA did.
    on_gold
        Answers of the same reader from the relevant passages alone.
    by
        Also split by the values of a feature.
    match
        When an answer counts as right; if not given, poleval for Polish, else as 'score'.
    """

    asked: AnyGold | None = None
    questions: OutputPath | None = None
    no_rerank: bool = False
    resume: Path | None = None
    judged: Sequence[Path] = ()
    agreement: bool = False
    output: Sequence[OutputPath] = ()
    analyser: Annotated[str, OneOf("analysers", only=False)] | None = None
    on_gold: Path | None = None
    by: Sequence[Annotated[str, Text("FEATURE")]] = ()
    match: Matchers | None = None


_SETTINGS = "qaldgen.plugins.passages.retrievers:Settings"
#: A letter alone would be a short flag.
_LONG = {"b": "--b"}
_SAMPLING = "qaldgen.plugins.passages.passage_sheets:Sampling"
_COST = "qaldgen.plugins.passages.passage_sheets:PassageSheet.cost"
_COLLECTION = "qaldgen.plugins.passages:read_collection"
_RELEVANT = "qaldgen.plugins.passages:with_relevant"
_RETRIEVE = "qaldgen.plugins.passages:retrieve"
_READ = "qaldgen.plugins.passages:read_passages"


@command.command(
    "build",
    cls=Verb,
    epilog=(
        "Example: qaldgen passages build poquad.json -o passages.jsonl --asked poquad.json"
        " --questions asked.jsonl"
    ),
)
@click.argument("collection", type=FILE)
@options_of(_COLLECTION)
@options_of(PassagesOptions, "asked", "questions")
@options_of(_RELEVANT)
@shared("output", "force")
def build_command(call: Call) -> None:
    """Read a collection and write it as passages, one per line."""
    # COLLECTION is JSON Lines with id and text, the rows of PolQA, the JSON of SQuAD or PoQuAD, a
    # folder of .txt files, or a MediaWiki dump. Long texts are cut at the ends of paragraphs and
    # sentences.
    if (call.asked is None) != (call.questions is None):
        raise UsageError(
            "--asked names the questions and --questions where they are written; give both"
        )
    call.check()
    with show_elapsed_time(f"reading {call.collection}"):
        passages = plugin.read_collection(call.collection, **call.of(_COLLECTION))
    print_notes(passages.notes)

    def dump_asked() -> list[tuple[str, str]]:
        with printing_notes():
            questions = plugin.with_relevant(call.asked, passages, **call.of(_RELEVANT))
        return [(call.questions, plugin.dump_questions(questions))]

    outputs = {call.output: lambda: [(call.output, plugin.dump_collection(passages))]}
    if call.asked is not None:
        outputs[call.questions] = dump_asked
    write_possible(outputs, force=call.force)


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
@options_of(_RETRIEVE, called={"k": "n"})
@options_of(_SETTINGS, called=_LONG)
@reading_options("gold_format")
@shared("output", "force")
def retrieve_command(call: Call) -> None:
    """Find passages for each question, and write them as a run in TREC format."""
    # to score it, overall or by feature: 'qaldgen score QUESTIONS RUN --match passages'
    call.check()
    with show_elapsed_time(f"reading {call.collection}"):
        passages = plugin.read_collection(call.collection)
    print_notes(passages.notes)
    gold = read_gold(call, call.questions)
    with progress_bar("searching", len(gold.questions)) as bar:
        settings = plugin.Settings(**call.of(_SETTINGS))
        hits = plugin.retrieve(
            gold, passages, settings=settings, progress=bar.update, **call.of(_RETRIEVE)
        )
    # TREC's last column names the run.
    name = call.retriever if call.output == "-" else Path(call.output).stem
    call.write(plugin.dump_trec(hits, name))


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
@click.option(
    "--run",
    "found",
    type=FILE,
    metavar="FILE",
    help="Run of a retriever, in TREC format. Default: read the relevant passages.",
)
@options_of(_READ, "k", "language", called={"k": "n"})
@reading_options("gold_format")
@shared("output", "force")
def read_command(call: Call) -> None:
    """Let a reader answer questions from retrieved passages, or from the relevant ones."""
    call.check()
    passages = plugin.read_collection(call.collection)
    print_notes(passages.notes)
    gold = read_gold(call, call.questions)
    with show_elapsed_time("reading passages"):
        run = plugin.read_passages(gold, passages, found=call.found, **call.of(_READ))
    call.write(plugin.dump_answers(run))


@command.command(
    "label",
    cls=Verb,
    epilog="Example: qaldgen passages label asked.jsonl passages.jsonl --no-rerank -o sheet.csv",
)
@click.argument("questions", required=False)
@click.argument("collection", required=False)
@section(
    "",
    options_of(
        _SAMPLING, "candidates", "keep", "retriever", "cross_encoder", "scores", "function",
        called={"keep": "n/keep"},
    ),
    options_of(PassagesOptions, "no_rerank", "resume", "judged", "agreement"),
    options_of(_COST),
    options_of(PassagesOptions, "output"),
    shared("force"),
)  # fmt: skip
@options_of(_SETTINGS, called=_LONG)
@options_of(PassagesOptions, "analyser")
@reading_options("gold_format")
def label_command(call: Call) -> None:
    """Choose the passages that annotators judge, as PolQA's efficient strategy does."""
    # it retrieves by BM25, re-ranks, and keeps the best five. You choose how to re-rank: with a
    # cross-encoder, recorded scores, a function, or not. Annotators fill in the worksheet: y if the
    # passage answers the question, n if not, s to skip.
    if call.questions is None or (call.collection is None and not call.judged):
        raise UsageError(
            "QUESTIONS and COLLECTION are needed, or two annotators' worksheets with --agreement"
        )
    if call.agreement:
        with printing_notes():
            click.echo(str(plugin.agree_on_passages(call.questions, call.collection)))
        return
    if not call.judged:
        _write_worksheet(call)
        return

    if len(call.output) > 1:
        raise UsageError(
            f"--judged writes one file of questions, but -o is given {len(call.output)} times"
        )
    call.check(call.questions, must_exist=[call.questions])
    questions = read_gold(call, call.questions).questions
    for name in call.judged:
        with printing_notes():
            judged = plugin.read_judged(name)
            questions = plugin.with_judged(questions, judged, language=call.lang)
    output = call.output[0] if call.output else "-"
    write_outputs([(output, plugin.dump_questions(questions))], force=call.force)


def _write_worksheet(call: Call) -> None:
    """Write the worksheet, and print the time that it takes to fill in."""
    from qaldgen.plugins.passages.passage_sheets import LEMMAS
    from qaldgen.questions.fetching import find_source

    sampling = plugin.Sampling(rerank=not call.no_rerank, **call.of(_SAMPLING))
    sampling.check()
    check_worksheets(call.output)
    call.check(call.questions, call.collection)
    find_source(call.questions)

    with show_elapsed_time(f"reading {call.collection}"):
        passages = plugin.read_collection(call.collection)
    gold = read_gold(call, call.questions)

    settings = call.of(_SETTINGS) | {"analyser": call.analyser or LEMMAS.analyser}
    with progress_bar("searching", len(gold.questions)) as bar:
        sheet = plugin.passages_to_judge(
            gold,
            passages,
            sampling,
            settings=plugin.Settings(**settings),
            resume=call.resume,
            progress=bar.update,
        )

    print_notes(sheet.notes)
    cost = sheet.cost(**call.of(_COST))
    hours = cost.seconds * sheet.questions / 3600
    click.echo(f"pairs to judge: {len(sheet.candidates):,} ({sheet.drawn})", err=True)
    click.echo(
        f"cost per question: {cost.arithmetic} s; of all {sheet.questions:,}: {hours:,.1f} hours",
        err=True,
    )
    write_worksheets(sheet, call.output, force=call.force)


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
@click.argument("answered", metavar="ANSWERS", type=FILE)
@section(
    "",
    options_of(PassagesOptions, "on_gold"),
    options_of("qaldgen.plugins.passages:losses", "k", called={"k": "n"}),
    options_of(PassagesOptions, "by", "match"),
    options_of(_READ, "language"),
)
@reading_options("gold_format")
@table_options()
def losses_command(call: Call) -> None:
    """Split the errors of a retriever-reader pipeline into retriever misses and reader misses."""
    # RUN is what the retriever found (TREC format), ANSWERS what the reader answered
    from qaldgen.analysis.feature_table import slices_of
    from qaldgen.scoring.evaluation import evaluate

    match = call.match or plugin.usual_matcher(call.lang)
    call.check()
    gold = read_gold(call, call.questions)
    check_by(call.by, gold.questions)
    runs = [call.answered, call.on_gold] if call.on_gold else [call.answered]
    evaluation = evaluate(gold, runs, match=match, language=call.lang)
    with printing_notes():
        slices = slices_of(evaluation, call.by, ())
    end_to_end, *on_gold = evaluation
    call.write(
        plugin.losses(
            gold,
            call.retrieved,
            end_to_end,
            on_gold=on_gold[0] if on_gold else None,
            k=call.n,
            slices=slices,
        )
    )
