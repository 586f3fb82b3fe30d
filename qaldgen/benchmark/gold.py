"""Gold questions: reading them, names of their answers, and a file that holds a run as well."""

from __future__ import annotations

import dataclasses
import functools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from qaldgen.annotation.iri_labels import labels_of
from qaldgen.answers.plain_answers import SeveralSystems, runs_beside
from qaldgen.answers.reading import read_run, read_runs
from qaldgen.answers.record import Run
from qaldgen.benchmark.benchmark import Benchmark
from qaldgen.benchmark.rdf import read_benchmark
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError, UnknownForm, UsageError
from qaldgen.io.arguments import check_wordings
from qaldgen.io.files import input_exists, read_text, stream_number
from qaldgen.io.json_text import from_json
from qaldgen.io.notes import collecting
from qaldgen.io.outputs import same_file
from qaldgen.io.progress import step
from qaldgen.io.text import count
from qaldgen.model import Question, QuestionSet
from qaldgen.questions.columns import (
    NOTHING_TOLD,
    Columns,
    Told,
    answer_columns,
    best_candidates,
    find_columns,
    rows_by_system,
)
from qaldgen.questions.fields import says_prediction
from qaldgen.questions.file_content import (
    Content,
    InMemory,
    check_source,
    content_in_memory,
    in_memory,
)
from qaldgen.questions.generic_records import plain_rows
from qaldgen.questions.loading import open_questions
from qaldgen.questions.reading import READERS, check_format, read_key, read_questions
from qaldgen.questions.record_formats import RECORD_FORMATS
from qaldgen.questions.records import AS_USUAL, ReadOptions
from qaldgen.rdf.rdf_file import RdfFile
from qaldgen.rdf.terms import prefixed

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

T = TypeVar("T")
#: What questions can be given as: a file or the name of a public set, a DataFrame, a list of dicts
#: or a dict, a set that was read, or a benchmark.
AnyGold: TypeAlias = "str | Path | InMemory | QuestionSet | Benchmark | Gold"
#: Formats of tables that anybody may have made: a column called "weight" need not be one, and
#: answers of systems may stand beside the gold.
_ANY_ORIGIN = frozenset({"table", "json-records"})


@dataclasses.dataclass(frozen=True, eq=False)
class Gold:
    """Questions with gold answers.

    Attributes
    ----------
    questions : QuestionSet
        In the order of the file.
    weights, clusters, inclusion : mapping of str to number
        By question id: the share of the pool, the cluster, the inclusion probability; empty if the
        file has none.
    benchmark : Benchmark or None
        The benchmark, if the file is one in RDF.
    examples : mapping of int to tuple of str
        By cluster: the ids of the questions that represent it.
    cluster_names : mapping of int to str
        By cluster: its name in words, if the benchmark keeps it.
    source : str
        The file or name that it was read from; empty if it was not.
    content : Content or None
        What it was read from, where that may hold the answers of systems too.
    told : Told
        Which fields the user says hold the gold, and the answers of systems.
    """

    questions: QuestionSet
    weights: Mapping[str, float] = dataclasses.field(default_factory=dict)
    clusters: Mapping[str, int] = dataclasses.field(default_factory=dict)
    inclusion: Mapping[str, float] = dataclasses.field(default_factory=dict)
    benchmark: Benchmark | None = None
    examples: Mapping[int, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    cluster_names: Mapping[int, str] = dataclasses.field(default_factory=dict)
    source: str = ""
    content: Content | None = dataclasses.field(default=None, repr=False)
    told: Told = NOTHING_TOLD

    def vectors(self) -> NDArray[np.float64] | None:
        """Return the normalised features of the questions; None if the file has none.

        Returns
        -------
        NDArray[np.float64] | None
            Shape (n_questions, n_features), scaled as when the benchmark was drawn.
        """
        import numpy as np

        from qaldgen.selection.vectors import scale

        if self.benchmark is None:
            return None
        raw = np.array([member.values for member in self.benchmark.members], dtype=float)
        ids = tuple(member.iri for member in self.benchmark.members)
        return scale(self.benchmark.provenance.scaling, raw, self.benchmark.features, ids)


def load_gold(
    source: str | Path | InMemory, options: ReadOptions = AS_USUAL, *, keys: bool = False
) -> Gold:
    """Read the gold questions.

    From a benchmark, a question set in any format or by its name in the catalogue, or data in
    memory; `keys` lets it be answers without questions, too.
    """
    check_format(options.format)
    content = open_questions(source, options.format)
    name = "" if in_memory(source) else str(source)
    if content.kind == "rdf" and options.format is None:
        kind = prefixed("qaldgen:Benchmark")
        file = RdfFile(content.path, options.text_property)
        if any(quad.object == kind for quad in file.quads()):
            benchmark = read_benchmark(file)
            questions = tuple(benchmark.questions(options.language))
            gold = _of_benchmark(benchmark, questions, content.name)
            return dataclasses.replace(gold, source=name)
    options = options._replace(out_of_scope=True)
    if keys:
        content, question_set = read_key(content, options)
    else:
        question_set = read_questions(content, options)
    clusters = {id_: int(number) for id_, number in _numbers(question_set, "cluster").items()}
    form = question_set.format
    may_hold_runs = (
        form in _ANY_ORIGIN or READERS[form].answers or predictions_in(content, form) != ()
    )
    return Gold(
        question_set,
        _numbers(question_set, "weight"),
        clusters,
        _numbers(question_set, "inclusion_probability"),
        source=name,
        content=content if may_hold_runs else None,
        told=Told(options.gold_field, options.answer_field),
    )


def _of_benchmark(benchmark: Benchmark, questions: tuple[Question, ...], name: str) -> Gold:
    members = {}
    for question, member in zip(questions, benchmark.members, strict=True):
        members[question.id] = member
    return Gold(
        QuestionSet(name, "rdf", questions),
        {id_: member.weight for id_, member in members.items()},
        {id_: member.cluster for id_, member in members.items()},
        {id_: member.inclusion for id_, member in members.items() if member.inclusion is not None},
        benchmark,
        cluster_names=dict(enumerate(benchmark.cluster_names, 1)),
    )


def _numbers(questions: QuestionSet, name: str) -> dict[str, float]:
    """Return a number that a benchmark in QALD JSON has for each question; empty unless all do."""
    # in tables of any origin a column of this name may mean anything: no error there
    texts = {
        question.id: question.said(name)
        for question in questions.questions
        if name in question.metadata
    }
    if len(texts) != len(questions.questions) or (
        questions.format in _ANY_ORIGIN and not all(map(_is_weight, texts.values()))
    ):
        return {}
    for id_, text in texts.items():
        if not _is_weight(text):
            raise DataError(
                f"{questions.name}: question {id_}: {name} is {text!r}, not a number above 0"
            )
    return {id_: float(text) for id_, text in texts.items()}


def _is_weight(text: str) -> bool:
    try:
        return math.isfinite(float(text)) and float(text) > 0
    except ValueError:
        return False


def weights_of(gold: Gold) -> pd.Series[float] | None:
    """Return the weights that a benchmark gives its questions, by id; None if it gives none."""
    import pandas as pd

    if not gold.weights:
        return None
    return pd.Series(dict(gold.weights), dtype=float)


def in_language(gold: Gold, language: str) -> Gold:
    """Return the questions with the gold answers of a language, where a set has such."""
    if gold.questions.format != "mkqa" or not gold.source:
        return gold
    return load_gold(gold.source, ReadOptions(language=language))


def why_not_tested(gold: Gold, runs: Iterable[Run | str]) -> str:
    """Say that questions were chosen because systems fail on them; empty for any others.

    A run is recognised by its name, or by its file if it was renamed; a name stands for itself.
    """
    chosen = {mark for question in gold.questions.questions for mark in question.chosen_by}
    return why_only_described("These questions", chosen, runs)


def why_only_described(questions: str, chosen: Iterable[str], runs: Iterable[Run | str]) -> str:
    """Say that some questions were chosen because runs fail on them; empty if none of them was."""
    chosen = set(chosen)
    weak = []
    for run in runs:
        marks = (run,) if isinstance(run, str) else run.marks  # the name comes first
        if not chosen.isdisjoint(marks):
            weak.append(marks[0])
    if not weak:
        return ""
    return (
        f"{questions} were chosen because {' and '.join(weak)} did badly on them: scores and"
        " differences are described here, not tested."
    )


def as_gold(gold: AnyGold, *, language: str = LANGUAGE) -> Gold:
    """Return gold questions in whatever form they are given."""
    if isinstance(gold, Gold):
        return gold
    if isinstance(gold, QuestionSet):
        return Gold(gold)
    if isinstance(gold, Benchmark):
        return _of_benchmark(gold, tuple(gold.questions(language)), gold.title)
    options = ReadOptions(language=language)
    if in_memory(gold):
        return load_gold(gold, options, keys=True)
    check_source(gold, "question set", "a file, a public set, a DataFrame, dicts or a benchmark")
    return open_gold(gold, options)  # type: ignore[arg-type]


def open_gold(path: str | Path, options: ReadOptions, runs: Sequence[str] = ()) -> Gold:
    """Read the gold questions as `load_gold` does; say if answers were given in their place."""
    again = _can_be_read_again(path, *runs)
    try:
        with step(f"reading {path}"):
            return load_gold(path, options, keys=not again)
    except DataError as error:
        if again and (hint := swap_hint(path, runs)):
            raise DataError(hint, where=path) from None
        if again and isinstance(error, UnknownForm):
            return load_gold(path, options, keys=True)
        raise


def open_run(gold: Gold, run: str | Path | InMemory, **options: Any) -> Run:  # noqa: ANN401
    """Read a run as `read_run` does; say if questions were given in its place."""
    if isinstance(run, Content):
        options["answer_field"] = ()  # a system beside the questions has its own field
    if not isinstance(run, (str, Path)):
        return read_run(run, gold=gold.questions, **options)
    try:
        with step(f"reading {run}"):
            answers = read_run(run, gold=gold.questions, **options)
    except SeveralSystems:
        raise
    except DataError as error:
        if _can_be_read_again(gold.source, str(run)) and (hint := run_hint(run)):
            raise DataError(f"{error.text}. {hint}", where=error.where) from None
        raise
    swapped = swap_note(gold, run, answers.format)
    if swapped:
        answers = dataclasses.replace(answers, notes=(*answers.notes, swapped))
    return answers


def _can_be_read_again(gold: str | Path, *runs: str) -> bool:
    """Tell whether files can be read once more, and questions and runs are different ones."""
    return all(stream_number(name) is None for name in (gold, *runs)) and str(gold) not in runs


def read_aliases(path: str | Path) -> dict[str, list[str]]:
    """Read aliases of gold answers: a JSON object of lists of strings."""
    try:
        aliases = from_json(read_text(Path(path)))
    except ValueError as error:
        raise DataError(
            f"invalid JSON ({error}); expected an object whose values are lists of strings",
            where=path,
        ) from error
    try:
        check_wordings("aliases", aliases)
    except UsageError as error:
        raise DataError(f'{error.text}, as in {{"Q64": ["Berlin"]}}', where=path) from error
    return dict(aliases)


def gold_wordings(
    aliases: Mapping[str, Sequence[str]] | str | Path | None,
    labels: str,
    gold: Gold,
    language: str,
) -> dict[str, list[str]] | None:
    """Return the names of gold answers: aliases, else labels, else what the set calls them."""
    called: dict[str, list[str]] = {}
    iris: dict[str, None] = {}
    for question in gold.questions.questions:
        rows = () if question.answers is None else question.answers.rows
        for cell in chain.from_iterable(rows):
            if cell is None or cell.type != "uri":
                continue
            iris[cell.value] = None
            if cell.value in question.names:
                called[cell.value] = list(question.names[cell.value])
    if labels:
        names = labels_of(labels, list(iris), language=language)
        if not names:
            raise DataError(
                f"`labels` {labels}: has no label for any of the "
                f"{len(iris):,} gold answers that are IRIs"
            )
        called |= {iri: [label] for iri, label in names.items()}
    if isinstance(aliases, (str, Path)):
        called |= read_aliases(aliases)
    elif aliases is not None:
        called |= {name: list(texts) for name, texts in aliases.items()}
    return called or None


class OwnRuns(NamedTuple):
    """The answers of systems that stand beside the questions, in one file or table."""

    #: What is read as runs: pairs of name and content; the file itself, if it is a log.
    items: Sequence[Any] = ()
    #: Whether the format, or names of fields, say that these are answers of systems.
    sure: bool = False

    def named(self, name: object) -> Any:  # noqa: ANN401 - a pair
        """Return the item with this name; None if there is none, or a file of this name."""
        pairs = {item[0]: item for item in self.items if isinstance(item, tuple)}
        if not pairs or not isinstance(name, str) or input_exists(name):
            return None
        if name not in pairs:
            raise UsageError(
                f"{name!r} is neither a file nor a system beside the questions; these have"
                f" {', '.join(map(repr, pairs))}"
            )
        return pairs[name]


def own_runs(gold: Gold) -> OwnRuns:
    """Return the answers of systems that stand beside the questions, if there are any."""
    content, told = gold.content, gold.told
    if content is None:
        return OwnRuns()
    if READERS[gold.questions.format].answers:
        return OwnRuns([gold.source or content], sure=True)
    if predictions := predictions_in(content, gold.questions.format):
        form = RECORD_FORMATS[gold.questions.format]
        key = next((name for name in form.ids if name in content.row_keys), "")
        columns = Columns(systems={"": predictions}, one={"id": key})
        rows = [*form.rows(content, AS_USUAL)]
        name = content.name if gold.source else "run"
        return OwnRuns([*runs_beside(content, rows, columns, name).items()], sure=True)
    if not gold.questions.systems:
        return OwnRuns()
    plain = plain_rows(content)
    parts = rows_by_system(plain.rows)
    runs: dict[str, Content] = {}
    names: set[str] = set()
    for system, part in (parts or {content.name if gold.source else "run": plain.rows}).items():
        with collecting():  # what is told of the questions
            part = best_candidates(part)
        columns = find_columns(part, told, () if parts else plain.names) or Columns()
        runs |= runs_beside(content, part, columns, system)
        names.update(chain.from_iterable(columns.systems.values()))
    sure = bool(parts or told.answers) or any(map(says_prediction, names))
    return OwnRuns([*runs.items()], sure=sure)


def predictions_in(content: Content, form: str) -> tuple[str, ...]:
    """Return the fields with the predictions that somebody added to the records of a public set."""
    if form not in RECORD_FORMATS or content.kind not in {"json", "jsonl"}:
        return ()
    first = next((row for row in content.rows if isinstance(row, dict)), {})
    known = RECORD_FORMATS[form]
    of_format = {*known.texts, *known.queries, *known.unkept}
    return answer_columns(name for name in first if name not in of_format and says_prediction(name))


def no_own_run(gold: Gold) -> UsageError:
    """Return the error for questions beside which no answers of a system stand."""
    columns, others = None, list[str]()
    if gold.content is not None and gold.questions.format in _ANY_ORIGIN:
        rows, names, guessed = plain_rows(gold.content)
        if not guessed:
            columns = find_columns(rows, names=names)
        first = next((row for row in rows if isinstance(row, dict)), {})
        others = [name for name in first if columns and name and name not in columns.ours]
    fields = columns.gold if columns else ()
    seen, such = "", ""
    if fields:
        seen = f" {fields[0]!r} is taken for the gold answers, and no other column for a system's."
    if others:
        such = f" (here perhaps '{others[-1]} prediction'; or say `answer_field={others[-1]!r}`)"
    logs = ", ".join(name for name, reader in READERS.items() if reader.answers)
    return UsageError(
        f"has questions but no answers of a system; name a run too.{seen} A table or JSON records"
        " hold both if a column beside the gold answers is called 'prediction', or one for each"
        f" system 'NAME prediction'{such}; so do logs ({logs or 'no plug-in reads one here'})",
        where=gold.source or "the questions",
    )


def with_own(gold: Gold, own: OwnRuns, wanted: Sequence[Any]) -> list[Any]:
    """Return what is read as runs: a name stands for the system beside the questions.

    Those beside the questions come first, unless one is named or the same data are given as a run.
    """
    items, chosen = list[Any](), False
    for run in wanted:
        system = own.named(run)
        chosen = chosen or system is not None or _is_read_from(gold, run)
        items.append(system or run)
    if own.sure and not chosen:
        return [*own.items, *items]
    return items


def _is_read_from(gold: Gold, run: object) -> bool:
    """Return whether the questions were read from the data that are given as a run."""
    if isinstance(run, (str, Path)):
        return bool(gold.source) and same_file(str(run), gold.source)
    if gold.content is None or gold.source or not in_memory(run):
        return False
    return content_in_memory(run).sha256 == gold.content.sha256


def read_all(
    gold: Gold,
    runs: Any,  # noqa: ANN401 - runs of any kind
    *,
    language: str = LANGUAGE,
    kept: type = Run,
    alone: bool = False,
    last: Sequence[str] = (),
    **options: Any,  # noqa: ANN401 - those of `read_run`
) -> list[Any]:
    """Read runs: None for all that stand beside the questions, a name for one of these.

    Those beside the questions are read with others too, unless these are meant `alone`: every file
    that holds answers is a run. Those that come `last` are files and names. What is `kept`, see
    `read_runs`, stays as it is.
    """
    opening = functools.partial(open_run, gold, language=language, **options)
    reading = functools.partial(
        read_runs, gold=gold.questions, language=language, kept=kept, reading=opening
    )
    beside = own_runs(gold)
    others = [beside.named(run) or run for run in last]
    if runs is None:
        if not beside.items:
            raise no_own_run(gold)
        items = [
            item for item in beside.items if not isinstance(item, tuple) or item[0] not in last
        ]
        return reading([*items, *others])
    if not beside.items:
        return reading([*runs, *others] if others else runs)
    items = [runs]
    if isinstance(runs, (list, tuple)) and not in_memory(runs):
        items = list(runs)
    resolved = [beside.named(run) or run for run in items]
    unread = [run for run in items if isinstance(run, (str, Path, tuple)) or in_memory(run)]
    if alone or not unread or isinstance(runs, Mapping):
        return reading([*resolved, *others] if others or resolved != items else runs)
    read = reading([*with_own(gold, beside, items), *others])
    if resolved != items:
        return read
    return together(beside, read, gold, reading)


def together(
    own: OwnRuns, read: list[Any], gold: Gold, reading: Callable[[Sequence[Any]], list[Any]]
) -> list[Any]:
    """Return runs with those beside the questions, where others carry gold as these do.

    Their gold has to be that of the questions.
    """
    carrying = [run for run in read if getattr(run, "gold", "")]
    if not own.items or not carrying:
        return read
    for run in carrying:
        if run.differing:
            raise DataError(
                f"{run.name} and {gold.questions.name} both hold questions with gold and answers,"
                f" but the gold differs for {count(len(run.differing), 'question')} (first:"
                f" {run.differing[0]}); they are no runs on one gold. Give the gold apart, as the"
                " first file"
            )
    if own.sure:
        return read
    known = {run.sha256 for run in read}
    return [*(run for run in reading(own.items) if run.sha256 not in known), *read]


#: The formats in which a question set can be read as a run, and vice versa.
_BOTH = frozenset(["qald-json", "qald-extended"])
#: Keywords of a question, and how many bytes are searched for them: reading a run once more would
#: take as long as scoring it.
_KEYWORDS, _BEGINNING = re.compile(rb'"keywords"\s*:\s*"[^"]'), 1_000_000


def swap_hint(gold: str | Path, runs: Sequence[str | Path]) -> str:
    """Say that GOLD, which could not be read as questions, holds answers; empty if it does not."""
    if not (form := _form_of_run(gold)):
        return ""
    unlike = {"", *_BOTH}  # records with question and answer may be either
    for run in runs:
        if _has_gold(run) and _form_of_run(run) in unlike:
            return (
                f"holds the answers of a system ({form}), and {run} holds questions with gold"
                " answers; give the questions first and then the runs"
            )
    if _attempt(read_aliases, gold):
        return (
            "holds names of answers, or answers of a system, not questions; give the questions with"
            " gold answers first and then the runs. Names of answers go to `aliases`"
        )
    return ""


def run_hint(run: str | Path) -> str:
    """Say that a run, which could not be read, holds questions; empty if it does not."""
    if not _has_gold(run):
        return ""
    return (
        "The file holds questions with gold answers; were the two swapped? The questions come first"
    )


def _form_of_run(path: str | Path) -> str:
    """Return the format in which a file can be read as a run that answers; empty if in none."""
    run = _attempt(read_run, path)
    answered = run and any(response.status == "answered" for response in run.responses.values())
    return run.format if run and answered and run.format != "lines" else ""  # any text is lines


def _has_gold(path: str | Path) -> bool:
    questions = _attempt(read_questions, path) or ()
    return any(question.answers is not None or question.queries for question in questions)


def _attempt(read: Callable[..., T], path: str | Path) -> T | None:
    """Return what is read from a file; None if it cannot be."""
    try:
        return read(path)
    except (DataError, UsageError, OSError):
        return None


def swap_note(gold: Gold, run: str | Path, form: str) -> str:
    """Say that a run contains what only question sets have, and that the questions lack it."""
    questions, path = gold.questions, Path(run)
    if form not in _BOTH or questions.format not in _BOTH or gold.benchmark:
        return ""
    # what people add to questions and systems do not
    for question in questions:
        if question.flags or question.keywords or len(question.texts) > 1:
            return ""
    # pipes cannot be read twice
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        if not _KEYWORDS.search(file.read(_BEGINNING)):
            return ""
    return (
        f"{run} has keywords, as question sets do, and {questions.name} has"
        f" none, as the answers of a system; were the two swapped? The questions come first"
    )
