"""``qaldgen passages``: collections, retrievers, readers, and passages judged by hand."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from qaldgen.cli import checks, common, groups, output_files
from qaldgen.cli.label import PAGES, check_worksheets
from qaldgen.cli.verb import FiniteRange, Verb, listed_option
from qaldgen.errors import UsageError
from qaldgen.plugins import passages as plugin

if TYPE_CHECKING:
    from qaldgen.plugins.passages.retrievers import Settings


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


@dataclasses.dataclass(frozen=True)
class _Retriever:
    """Retrieval method."""

    retriever: str
    analyser: str
    lang: str
    title: bool
    k1: float
    b: float
    model: str
    server: str

    def settings(self) -> Settings:
        """Return what a retriever needs to know."""
        return plugin.Settings(
            self.analyser, self.lang, self.title, self.k1, self.b, self.model, self.server
        )


def _retriever_options(analyser: str = "token") -> Callable[[Any], Any]:
    """Add the options that say how passages are found, as ``how``."""
    return groups.grouped(
        "how",
        _Retriever,
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


@command.command(
    "build",
    cls=Verb,
    epilog=(
        "Example: qaldgen passages build poquad.json -o passages.jsonl --asked poquad.json"
        " --questions asked.jsonl"
    ),
)
@click.argument("collection")
@click.option(
    "--longest",
    default=500,
    show_default=True,
    type=click.IntRange(20),
    help="Maximum length of a passage, in characters.",
)
@click.option(
    "--asked",
    metavar="SET",
    help="Question set whose relevant passages are looked up in the collection.",
)
@click.option(
    "--questions",
    metavar="FILE",
    help="Where to write those questions, with their relevant passages.",
)
@click.option(
    "--lang", default="pl", show_default=True, help="Language of texts without a language tag."
)
@groups.output_option("Where to write the passages as JSON Lines; - is stdout (default).")
@groups.force_option
def build_command(
    collection: str,
    longest: int,
    asked: str | None,
    questions: str | None,
    lang: str,
    output: str,
    force: bool,
) -> None:
    """Read a collection and write it as passages, one per line.

    COLLECTION is JSON Lines with id and text, the rows of PolQA, the JSON of SQuAD or PoQuAD, a
    folder of .txt files, or a MediaWiki dump. Long texts are cut at the ends of paragraphs and
    sentences.
    """
    if (asked is None) != (questions is None):
        raise UsageError(
            "--asked names the questions and --questions where they are written; give both"
        )
    output_files.check_outputs(
        [output, *([questions] if questions else [])], force=force, inputs=[collection, asked]
    )
    checks.check_sets(asked)
    with common.clock(f"reading {collection}"):
        read = plugin.read_collection(collection, longest=longest)
    common.notes(read.notes)
    outputs = [(output, plugin.dump_collection(read))]
    if asked is not None and questions is not None:
        joined, told = plugin.with_relevant(asked, read, language=lang)
        common.notes(told)
        outputs.append((questions, plugin.dump_questions(joined)))
    output_files.write_outputs(outputs, force=force)


@command.command(
    "retrieve",
    cls=Verb,
    epilog=(
        "Example: qaldgen passages retrieve asked.jsonl passages.jsonl --analyser lemma -n 100"
        " -o bm25.trec"
    ),
)
@click.argument("questions")
@click.argument("collection")
@_retriever_options()
@click.option(
    "-n",
    "most",
    default=100,
    show_default=True,
    type=click.IntRange(1),
    help="Number of passages per question.",
)
@groups.output_option("Output file, in TREC format; - is stdout (default).")
@groups.force_option
def retrieve_command(
    questions: str, collection: str, how: _Retriever, most: int, output: str, force: bool
) -> None:
    """Find passages for each question, and write them as a run in TREC format.

    To score it, overall or by feature: 'qaldgen score QUESTIONS RUN --match passages'.
    """
    from qaldgen.scoring.gold import as_gold

    output_files.check_outputs([output], force=force, inputs=[questions, collection])
    checks.check_sets(questions)
    with common.clock(f"reading {collection}"):
        passages = plugin.read_collection(collection)
    common.notes(passages.notes)
    gold = as_gold(questions, language=how.lang)
    with common.progress_bar("searching", len(gold.questions.questions)) as bar:
        found = plugin.retrieve(
            gold,
            passages,
            retriever=how.retriever,
            k=most,
            settings=how.settings(),
            progress=bar.update,
        )
    # TREC's last column names the run.
    name = Path(output).stem if output != "-" else how.retriever
    output_files.write_output(output, plugin.dump_trec(found, name), force=force)


@command.command(
    "read",
    cls=Verb,
    epilog=(
        "Example: qaldgen passages read asked.jsonl passages.jsonl --run bm25.trec -n 10"
        " -o answers.tsv"
    ),
)
@click.argument("questions")
@click.argument("collection")
@click.option(
    "--run",
    metavar="FILE",
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
    "most",
    default=10,
    show_default=True,
    type=click.IntRange(1),
    help="Number of passages to read from the run.",
)
@click.option("--lang", default="pl", show_default=True, help="The language of the questions.")
@groups.output_option("Output file for the answers, as a run; - is stdout (default).")
@groups.force_option
def read_command(
    questions: str,
    collection: str,
    run: str | None,
    reader: str,
    most: int,
    lang: str,
    output: str,
    force: bool,
) -> None:
    """Let a reader answer questions from retrieved passages, or from the relevant ones."""
    output_files.check_outputs([output], force=force, inputs=[questions, collection, run])
    checks.check_sets(questions)
    checks.check_files(run)
    passages = plugin.read_collection(collection)
    common.notes(passages.notes)
    with common.clock("reading passages"):
        answered = plugin.read_passages(
            questions, passages, reader=reader, found=run, k=most, language=lang
        )
    output_files.write_output(output, plugin.dump_answers(answered), force=force)


@dataclasses.dataclass(frozen=True)
class _Judging:
    """Which passages are judged, what was judged, and what it costs."""

    candidates: int
    keep: int
    cross_encoder: str
    scores: str
    function: str
    no_rerank: bool
    resume: str | None
    judged: tuple[str, ...]
    agreement: bool
    cost: bool
    search_seconds: float
    verify_seconds: float
    outputs: tuple[str, ...]
    force: bool

    def sampling(self, retriever: str) -> plugin.Sampling:
        """Return the same for the facade; refuse what does not fit together."""
        made = plugin.Sampling(
            self.candidates,
            self.keep,
            retriever,
            self.cross_encoder,
            self.scores,
            self.function,
            not self.no_rerank,
        )
        made.check()
        return made

    def seconds(self) -> plugin.Seconds:
        """Return how long one pair takes."""
        return plugin.Seconds(self.search_seconds, self.verify_seconds)


_SECONDS = FiniteRange(0)


@command.command(
    "label",
    cls=Verb,
    epilog="Example: qaldgen passages label asked.jsonl passages.jsonl --no-rerank -o sheet.csv",
)
@click.argument("questions", required=False)
@click.argument("collection", required=False)
@groups.grouped(
    "judging",
    _Judging,
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
    click.option("--no-rerank", is_flag=True,
        help="Keep the order of the retriever."),
    click.option("--resume", metavar="FILE",
        help="Partly completed worksheet of the same pairs; the page continues from it."),
    click.option(
        "--judged", multiple=True, metavar="FILE",
        help="Completed worksheet: write QUESTIONS with the relevant passages. Repeatable.",
    ),
    click.option(
        "--agreement", is_flag=True,
        help="Treat the arguments as the worksheets of two annotators (or PolQA's rows), and "
            "print how well they agree.",
    ),
    click.option("--cost", is_flag=True,
        help="Only print the cost per question of PolQA's two strategies."),
    click.option(
        "--search-seconds", default=75.5, show_default=True, type=_SECONDS, metavar="S",
        help="For the cost: time to find a passage by free search.",
    ),
    click.option(
        "--verify-seconds", default=13.6, show_default=True, type=_SECONDS, metavar="S",
        help="For the cost: time to judge one passage.",
    ),
    click.option(
        "-o", "--output", "outputs", multiple=True, metavar="FILE",
        help="Worksheet (.csv), or a page to fill it in (.html). Repeatable. With --judged: the "
            "questions.",
    ),
    groups.force_option,
)  # fmt: skip
@_retriever_options("lemma")
def label_command(
    questions: str | None, collection: str | None, judging: _Judging, how: _Retriever
) -> None:
    """Choose the passages that annotators judge, as PolQA's efficient strategy does.

    It retrieves by BM25, re-ranks, and keeps the best five. You choose how to re-rank: with a
    cross-encoder, recorded scores, a function, or not. Annotators fill in the worksheet: y if the
    passage answers the question, n if not, s to skip.
    """
    from qaldgen.reports.tables.results import dump_frame

    if judging.cost:
        click.echo(
            dump_frame(plugin.cost_table(judging.seconds()), "text"),
            nl=False,
        )
        return
    if questions is None or (collection is None and not judging.judged):
        raise UsageError(
            "QUESTIONS and COLLECTION are needed, or two annotators' worksheets with --agreement"
        )
    if judging.agreement:
        _agreement(questions, str(collection))
    elif judging.judged:
        _with_judged(questions, judging, how.lang)
    else:
        _worksheet(questions, str(collection), judging, how)


def _agreement(first: str, second: str) -> None:
    """Print how two annotators agree."""
    checks.check_files(first, second)
    found, notes = plugin.agree_on_passages(first, second)
    common.notes(notes)
    click.echo(str(found))


def _with_judged(questions: str, judging: _Judging, lang: str) -> None:
    """Write the questions with the passages that were judged to be relevant."""
    from qaldgen.scoring.gold import as_gold

    output = judging.outputs[0] if judging.outputs else "-"
    if len(judging.outputs) > 1:
        raise UsageError(
            f"--judged writes one file of questions, but -o is given {len(judging.outputs)} times"
        )
    output_files.check_outputs([output], force=judging.force, inputs=[questions, *judging.judged])
    checks.check_sets(questions)
    checks.check_files(*judging.judged)
    asked = as_gold(questions, language=lang).questions
    # Each worksheet adds to the questions that the one before it made.
    for name in judging.judged:
        judged, notes = plugin.read_judged(name)
        asked, more = plugin.with_judged(asked, judged, language=lang)
        common.notes([*notes, *more])
    output_files.write_output(output, plugin.dump_questions(asked), force=judging.force)


def _worksheet(questions: str, collection: str, judging: _Judging, how: _Retriever) -> None:
    """Write the worksheet, and say what it costs to fill it in."""
    from qaldgen.scoring.gold import as_gold

    sampling = judging.sampling(how.retriever)
    check_worksheets(judging.outputs)
    files = [questions, collection, judging.resume, judging.scores or None]
    output_files.check_outputs(judging.outputs, force=judging.force, inputs=files)
    checks.check_sets(questions)
    checks.check_files(judging.resume, judging.scores or None)
    with common.clock(f"reading {collection}"):
        passages = plugin.read_collection(collection)
    gold = as_gold(questions, language=how.lang)
    with common.progress_bar("searching", len(gold.questions.questions)) as bar:
        made = plugin.passages_to_judge(
            gold,
            passages,
            sampling,
            settings=how.settings(),
            resume=judging.resume,
            progress=bar.update,
        )
    common.notes(made.notes)
    cost = made.cost(judging.seconds())
    hours = cost.seconds * made.questions / 3600
    click.echo(f"pairs to judge: {len(made.candidates):,} ({made.drawn})", err=True)
    click.echo(
        f"cost per question: {cost.arithmetic} s; of all {made.questions:,}: {hours:,.1f} hours",
        err=True,
    )
    outputs = judging.outputs or ("-",)
    # The page saves its worksheet under the name that this command would give it.
    sheet = next((Path(name).name for name in outputs if name.endswith(".csv")), "worksheet.csv")
    output_files.write_outputs(
        [(name, made.page(sheet) if name.endswith(PAGES) else made.csv()) for name in outputs],
        force=judging.force,
    )


@dataclasses.dataclass(frozen=True)
class _Chain:
    """What else is known of the chain, and when an answer is right."""

    on_gold: str | None
    most: int
    by: tuple[str, ...]
    match: str | None
    lang: str


@command.command(
    "losses",
    cls=Verb,
    epilog=(
        "Example: qaldgen passages losses asked.jsonl bm25.trec read.jsonl --on-gold gold.jsonl"
        " --by informationSought"
    ),
)
@click.argument("questions")
@click.argument("run")
@click.argument("answers")
@groups.grouped(
    "chain",
    _Chain,
    click.option(
        "--on-gold",
        metavar="FILE",
        help="Answers of the same reader from the relevant passages alone.",
    ),
    click.option(
        "-n",
        "most",
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
@groups.table_options()
def losses_command(
    questions: str, run: str, answers: str, chain: _Chain, out: groups.Output
) -> None:
    """Split the errors of a retriever-reader pipeline into retriever misses and reader misses.

    RUN is what the retriever found (TREC format), ANSWERS what the reader answered.
    """
    from qaldgen.analysis.feature_table import slices_of
    from qaldgen.reports.tables.results import dump_frame
    from qaldgen.scoring.gold import as_gold
    from qaldgen.scoring.matchers import Scoring

    checks.check_table_form(out.form)
    checks.check_slices(chain.by, ())
    how = Scoring(match=chain.match or plugin.usual_matcher(chain.lang), language=chain.lang)
    checks.check_scoring(how)
    output_files.check_outputs(
        [out.output], force=out.force, inputs=[questions, run, answers, chain.on_gold]
    )
    checks.check_files(run, answers, chain.on_gold)
    gold = as_gold(questions, language=chain.lang)
    slices, problems = slices_of(gold, chain.by, (), language=chain.lang)
    common.notes(problems)
    found = plugin.losses(
        gold, run, answers, on_gold=chain.on_gold, k=chain.most, slices=slices, how=how
    )
    output_files.write_output(out.output, dump_frame(found, out.form), force=out.force)
