"""Gold questions: read them from a file with or without answers of systems, or from memory."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from qaldgen.answers.record import Run
from qaldgen.benchmark.benchmark import Benchmark
from qaldgen.benchmark.rdf import read_benchmark
from qaldgen.benchmark.swapped import alias_hint, can_be_read_again, swap_hint
from qaldgen.defaults import LANGUAGE
from qaldgen.errors import DataError, UnknownFormat
from qaldgen.io.progress import step
from qaldgen.model import Question, QuestionSet
from qaldgen.questions.cells import parse_number
from qaldgen.questions.collecting import DEFAULT_OPTIONS, ReadOptions
from qaldgen.questions.columns import NOTHING_CHOSEN, ChosenFields
from qaldgen.questions.fields import is_prediction_name
from qaldgen.questions.file_content import Content, InMemory, check_source, is_in_memory
from qaldgen.questions.reading import (
    PLAIN_FORMATS,
    READERS,
    check_format,
    open_questions,
    questions_in,
    read_answer_key,
)
from qaldgen.questions.record_formats import RECORD_FORMATS
from qaldgen.questions.system_columns import answer_columns
from qaldgen.rdf.rdf_file import RdfFile
from qaldgen.rdf.terms import prefixed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Gold questions as users give them: a file or the name of a public set, a DataFrame, a list of
#: dicts or a dict, a question set, or a benchmark.
AnyGold: TypeAlias = "str | Path | InMemory | QuestionSet | Benchmark | Gold"


@dataclasses.dataclass(frozen=True, eq=False)
class Gold:
    """Questions with gold answers.

    Attributes
    ----------
    questions : QuestionSet
        In the order of the file.
    weights, clusters, inclusion : mapping of str to number
        By question id, the share of the pool, the cluster, and the inclusion probability; empty if
        the file has none.
    benchmark : Benchmark or None
        The benchmark, if the file is one in RDF.
    examples : mapping of int to tuple of str
        By cluster, the ids of the questions that represent it.
    cluster_names : mapping of int to str
        By cluster, its name in words, if the benchmark has it.
    source : str
        The file or name that it was read from; empty if it was not.
    content : Content or None
        The content of the file, if it may also hold the answers of systems.
    chosen_fields : ChosenFields
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
    chosen_fields: ChosenFields = NOTHING_CHOSEN

    def vectors(self) -> NDArray[np.float64] | None:
        """Return the normalised features of the questions; None if the file has none.

        Returns
        -------
        NDArray[np.float64] | None
            Shape (n_questions, n_features), scaled as when the benchmark was drawn.
        """
        import numpy as np

        from qaldgen.selection.scaling import scale

        if self.benchmark is None:
            return None
        raw = np.array([member.values for member in self.benchmark.members], dtype=float)
        ids = tuple(member.iri for member in self.benchmark.members)
        return scale(self.benchmark.provenance.scaling, raw, self.benchmark.features, ids)


def load_gold(
    source: str | Path | InMemory, options: ReadOptions = DEFAULT_OPTIONS, *, keys: bool = False
) -> Gold:
    """Read gold questions from a benchmark, a question set, or data in memory.

    A question set is a file in any format, or a name in the catalogue. With `keys`, answers without
    questions are accepted, too.
    """
    check_format(options.format)
    content = open_questions(source, options.format)
    name = "" if is_in_memory(source) else str(source)

    if content.kind == "rdf" and options.format is None:
        benchmark_class = prefixed("qaldgen:Benchmark")
        file = RdfFile(content.path, options.text_property)
        if any(quad.object == benchmark_class for quad in file.quads()):
            benchmark = read_benchmark(file)
            questions = benchmark.questions_in(options.language)
            gold = _gold_of_benchmark(benchmark, questions, content.name)
            return dataclasses.replace(gold, source=name)

    options = options._replace(out_of_scope=True)
    if keys:
        content, question_set = read_answer_key(content, options)
    else:
        question_set = questions_in(content, options)

    clusters = _read_numbers(question_set, "cluster")
    format_name = question_set.format
    may_hold_runs = format_name in PLAIN_FORMATS or READERS[format_name].answers
    may_hold_runs = may_hold_runs or bool(prediction_fields(content, format_name))
    return Gold(
        question_set,
        weights=_read_numbers(question_set, "weight"),
        clusters={question_id: int(number) for question_id, number in clusters.items()},
        inclusion=_read_numbers(question_set, "inclusion_probability"),
        source=name,
        content=content if may_hold_runs else None,
        chosen_fields=ChosenFields(options.gold_field, options.answer_field),
    )


def _gold_of_benchmark(benchmark: Benchmark, questions: tuple[Question, ...], name: str) -> Gold:
    """Return the questions of a benchmark with its weights, clusters and probabilities."""
    ids = [question.id for question in questions]
    members = dict(zip(ids, benchmark.members, strict=True))
    inclusion = {key: one.inclusion for key, one in members.items() if one.inclusion is not None}
    return Gold(
        QuestionSet(name, "rdf", questions),
        weights={key: member.weight for key, member in members.items()},
        clusters={key: member.cluster for key, member in members.items()},
        inclusion=inclusion,
        benchmark=benchmark,
        cluster_names=dict(enumerate(benchmark.cluster_names, 1)),
    )


def _read_numbers(questions: QuestionSet, name: str) -> dict[str, float]:
    """Return a number in the metadata of each question by id; empty unless all questions have it.

    In a benchmark, any other value is an error; in a table or records, the field then means
    something else, and the result is empty.
    """
    if not all(name in question.metadata for question in questions):
        return {}
    numbers = {}
    for question in questions:
        text = question.said(name)
        number = parse_number(text)
        if number is not None and 0 < number < math.inf:
            numbers[question.id] = number
        elif questions.format in PLAIN_FORMATS:
            return {}
        else:
            location = (questions.name, f"question {question.id}")
            raise DataError(f"{name} is {text!r}, not a number above 0", where=location)
    return numbers


def in_language(gold: Gold, language: str) -> Gold:
    """Return gold questions, those of MKQA with the gold answers of a language."""
    if gold.questions.format != "mkqa" or not gold.source:
        return gold
    return load_gold(gold.source, ReadOptions(language=language))


def why_not_tested(gold: Gold, runs: Iterable[Run | str]) -> str:
    """Return why scores on gold questions cannot be tested; see `why_only_described`."""
    chosen_by = chain.from_iterable(question.chosen_by for question in gold.questions)
    return why_only_described("These questions", chosen_by, runs)


def why_only_described(subject: str, chosen_by: Iterable[str], runs: Iterable[Run | str]) -> str:
    """Return the sentence that questions were chosen because some of the runs fail on them.

    `subject` is what the sentence calls the questions, `chosen_by` has the names or files of the
    runs by whose failures they were chosen. The sentence is empty if none of `runs` is among them.
    """
    choosing = set(chosen_by)
    weak = []
    for run in runs:
        # the name, and for a run that was read also its file, as runs may be renamed
        marks = (run,) if isinstance(run, str) else run.marks
        if not choosing.isdisjoint(marks):
            weak.append(marks[0])
    if not weak:
        return ""
    return (
        f"{subject} were chosen because {' and '.join(weak)} did badly on them: scores and"
        " differences are described here, not tested."
    )


def as_gold(gold: AnyGold, *, language: str = LANGUAGE) -> Gold:
    """Return gold questions from an object, a file or data in memory; see `AnyGold`."""
    if isinstance(gold, Gold):
        return gold
    if isinstance(gold, QuestionSet):
        return Gold(gold)
    if isinstance(gold, Benchmark):
        return _gold_of_benchmark(gold, gold.questions_in(language), gold.title)
    options = ReadOptions(language=language)
    if is_in_memory(gold):
        return load_gold(gold, options, keys=True)
    check_source(gold, "question set", "a file, a public set, a DataFrame, dicts or a benchmark")
    return open_gold(gold, options)  # type: ignore[arg-type]


def open_gold(path: str | Path, options: ReadOptions, runs: Sequence[str] = ()) -> Gold:
    """Read the gold questions as `load_gold` does; say if the file holds answers instead."""
    is_rereadable = can_be_read_again(path, *runs)
    with step(f"reading {path}"):
        try:
            return load_gold(path, options, keys=not is_rereadable)
        except DataError as error:
            hint = swap_hint(path, runs) if is_rereadable else None
            if is_rereadable and hint is None and isinstance(error, UnknownFormat):
                try:
                    return load_gold(path, options, keys=True)
                except UnknownFormat:
                    hint = alias_hint(path)
            if hint is None:
                raise
    raise DataError(hint, where=path)


def prediction_fields(content: Content, format_name: str) -> tuple[str, ...]:
    """Return the fields with the predictions that somebody added to the records of a public set."""
    if format_name not in RECORD_FORMATS or content.kind not in {"json", "jsonl"}:
        return ()
    first_row = next((row for row in content.rows if isinstance(row, dict)), {})
    record_format = RECORD_FORMATS[format_name]
    known_fields = set(record_format.texts).union(record_format.queries, record_format.dropped)
    return answer_columns(
        name for name in first_row if name not in known_fields and is_prediction_name(name)
    )
