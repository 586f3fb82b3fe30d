"""``qaldgen annotate-passages``."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import click

from qaldgen import api
from qaldgen.commands import common, groups, output_files
from qaldgen.commands.label import PAGES, check_worksheets
from qaldgen.commands.retriever_options import RetrieverOptions, retriever_options
from qaldgen.commands.verb import FiniteRange, verb
from qaldgen.errors import UsageError


@dataclasses.dataclass(frozen=True)
class JudgingOptions:
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

    def sampling(self, retriever: str) -> api.passage_labels.Sampling:
        """Return the same for the facade; refuse what does not fit together."""
        made = api.passage_labels.Sampling(
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

    def seconds(self) -> api.passage_labels.Seconds:
        """Return how long one pair takes."""
        return api.passage_labels.Seconds(self.search_seconds, self.verify_seconds)


_SECONDS = FiniteRange(0)


@verb(
    epilog="Example: qaldgen annotate-passages asked.jsonl passages.jsonl --no-rerank -o sheet.csv"
)
@click.argument("questions", required=False)
@click.argument("collection", required=False)
@groups.grouped(
    "judging",
    JudgingOptions,
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
@retriever_options("lemma")
def command(
    questions: str | None, collection: str | None, judging: JudgingOptions, how: RetrieverOptions
) -> None:
    """Choose the passages that annotators judge, as PolQA's efficient strategy does.

    It retrieves by BM25, re-ranks, and keeps the best five. You choose how to re-rank: with a
    cross-encoder, recorded scores, a function, or not. Annotators fill in the worksheet: y if the
    passage answers the question, n if not, s to skip.
    """
    if judging.cost:
        click.echo(
            api.tables.dump_frame(api.judged_passages.cost_table(judging.seconds()), "text"),
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
    api.checks.check_files(first, second)
    found, notes = api.judged_passages.agree_on_passages(first, second)
    common.notes(notes)
    click.echo(str(found))


def _with_judged(questions: str, judging: JudgingOptions, lang: str) -> None:
    """Write the questions with the passages that were judged to be relevant."""
    output = judging.outputs[0] if judging.outputs else "-"
    if len(judging.outputs) > 1:
        raise UsageError(
            f"--judged writes one file of questions, but -o is given {len(judging.outputs)} times"
        )
    output_files.check_outputs([output], force=judging.force, inputs=[questions, *judging.judged])
    api.checks.check_sets(questions)
    api.checks.check_files(*judging.judged)
    asked = api.questions.gold_of(questions, language=lang).questions
    # Each worksheet adds to the questions that the one before it made.
    for name in judging.judged:
        judged, notes = api.judged_passages.read_judged(name)
        asked, more = api.judged_passages.with_judged(asked, judged, language=lang)
        common.notes([*notes, *more])
    output_files.write_output(output, api.retrieving.dump_questions(asked), force=judging.force)


def _worksheet(
    questions: str, collection: str, judging: JudgingOptions, how: RetrieverOptions
) -> None:
    """Write the worksheet, and say what it costs to fill it in."""
    sampling = judging.sampling(how.retriever)
    check_worksheets(judging.outputs)
    files = [questions, collection, judging.resume, judging.scores or None]
    output_files.check_outputs(judging.outputs, force=judging.force, inputs=files)
    api.checks.check_sets(questions)
    api.checks.check_files(judging.resume, judging.scores or None)
    with common.clock(f"reading {collection}"):
        passages = api.retrieving.read_collection(collection)
    gold = api.questions.gold_of(questions, language=how.lang)
    with common.progress_bar("searching", len(gold.questions.questions)) as bar:
        made = api.passage_labels.passages_to_judge(
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
