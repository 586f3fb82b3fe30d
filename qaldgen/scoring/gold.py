"""Gold questions: those of a set or of a benchmark, with weights and clusters if there are any."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from qaldgen.benchmark.benchmark import Benchmark
from qaldgen.benchmark.rdf import load_benchmark
from qaldgen.datasets.fetching import resolve
from qaldgen.errors import DataError
from qaldgen.formats.content import load_content
from qaldgen.formats.in_memory import InMemory, check_source, content_in_memory, in_memory
from qaldgen.formats.qald_entries import plain_document
from qaldgen.formats.reading import read_questions
from qaldgen.io.inputs import is_folder
from qaldgen.model import Question, QuestionSet
from qaldgen.rdf.files import RdfFile
from qaldgen.rdf.terms import prefixed

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

#: What questions can be given as: a file or the name of a public set, a DataFrame, a list of dicts
#: or a dict, a set that was read, or a benchmark.
AnyGold: TypeAlias = "str | Path | InMemory | QuestionSet | Benchmark | Gold"
#: Formats of tables that anybody may have made: a column called "weight" need not be one.
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
    """

    questions: QuestionSet
    weights: Mapping[str, float] = dataclasses.field(default_factory=dict)
    clusters: Mapping[str, int] = dataclasses.field(default_factory=dict)
    inclusion: Mapping[str, float] = dataclasses.field(default_factory=dict)
    benchmark: Benchmark | None = None
    examples: Mapping[int, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    cluster_names: Mapping[int, str] = dataclasses.field(default_factory=dict)
    source: str = ""

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
    path: str | Path,
    *,
    format: str | None = None,
    language: str = "en",
    skip_broken: bool = False,
    separator: str = "",
) -> Gold:
    """Read the gold questions.

    From a benchmark, or a question set in any format or by its name in the catalogue.
    """
    file = resolve(path)
    content = None
    if format is None and not is_folder(Path(file)):
        content = load_content(Path(file), read_document=plain_document)
        if content.kind == "rdf" and _holds_benchmark(Path(file)):
            benchmark = load_benchmark(file)
            gold = _of_benchmark(benchmark, tuple(benchmark.questions(language)), content.name)
            return dataclasses.replace(gold, source=str(path))
    # The content is passed on, so that a large file is read only once.
    questions = read_questions(
        file,
        format=format,
        language=language,
        out_of_scope=True,
        skip_broken=skip_broken,
        separator=separator,
        content=content,
    )
    return _with_weights(questions, str(path))


def _with_weights(questions: QuestionSet, source: str) -> Gold:
    weights, inclusion = (_numbers(questions, name) for name in ("weight", "inclusion_probability"))
    clusters = {name: int(number) for name, number in _numbers(questions, "cluster").items()}
    return Gold(questions, weights, clusters, inclusion, source=source)


def check_answers(gold: Gold) -> None:
    """Refuse gold questions if none of them has gold answers.

    Otherwise every answer would be wrong, and an empty one right.
    """
    questions = gold.questions.questions
    if questions and all(question.answers is None for question in questions):
        raise DataError(
            f"{gold.questions.name}: none of the {len(questions):,} questions has gold answers in"
            " the data, so nothing could be right; give a set with answers, compare the queries"
            " (score --subtasks), or take a --match that needs no answers"
        )


def _holds_benchmark(path: Path) -> bool:
    wanted = prefixed("qaldgen:Benchmark")
    return any(quad.object == wanted for quad in RdfFile(path).quads())


def _of_benchmark(benchmark: Benchmark, questions: tuple[Question, ...], name: str) -> Gold:
    named = list(zip((question.id for question in questions), benchmark.members, strict=True))
    return Gold(
        QuestionSet(name, "rdf", questions),
        {id_: member.weight for id_, member in named},
        {id_: member.cluster for id_, member in named},
        {id_: member.inclusion for id_, member in named if member.inclusion is not None},
        benchmark,
        cluster_names=dict(enumerate(benchmark.cluster_names, 1)),
    )


def _numbers(questions: QuestionSet, name: str) -> dict[str, float]:
    """Return a number that a benchmark in QALD JSON has for each question.

    Empty unless all questions have one. In tables of any origin a column of this name may mean
    anything, so an odd value there is not an error.
    """
    texts = {
        question.id: question.metadata[name]
        for question in questions.questions
        if name in question.metadata
    }
    if len(texts) != len(questions.questions) or (
        questions.format in _ANY_ORIGIN and not all(map(_is_weight, texts.values()))
    ):
        return {}
    numbers = {}
    for id_, text in texts.items():
        try:
            numbers[id_] = float(text)
        except ValueError as error:
            raise DataError(
                f"{questions.name}: question {id_}: {name} is {text!r}, not a number"
            ) from error
        if not (math.isfinite(numbers[id_]) and numbers[id_] > 0):
            raise DataError(
                f"{questions.name}: question {id_}: {name} is {text}; it must be above 0"
            )
    return numbers


def _is_weight(text: str) -> bool:
    try:
        return math.isfinite(float(text)) and float(text) > 0
    except ValueError:
        return False


def weights_of(gold: Gold) -> pd.Series[float] | None:
    """Return the weights that a benchmark gives its questions, by id; None if it gives none."""
    import pandas as pd

    return pd.Series(dict(gold.weights), dtype=float) if gold.weights else None


def in_language(gold: Gold, language: str) -> Gold:
    """Return the questions with the gold answers of a language, where a set has such."""
    if gold.questions.format != "mkqa" or not gold.source:
        return gold
    return load_gold(gold.source, language=language)


def why_not_tested(gold: Gold, systems: Iterable[str]) -> str:
    """Say that questions were chosen because systems fail on them; empty for any others."""
    chosen = {name for one in gold.questions.questions for name in one.chosen_by}
    weak = [name for name in systems if name in chosen]
    if not weak:
        return ""
    return (
        f"These questions were chosen because {' and '.join(weak)} did badly on them: scores and"
        " differences are described here, not tested."
    )


def as_gold(gold: AnyGold, *, language: str = "en") -> Gold:
    """Return gold questions in whatever form they are given."""
    if isinstance(gold, Gold):
        return gold
    if isinstance(gold, QuestionSet):
        return Gold(gold)
    if isinstance(gold, Benchmark):
        return _of_benchmark(gold, tuple(gold.questions(language)), gold.title)
    if in_memory(gold):
        content = content_in_memory(gold)
        return _with_weights(
            read_questions(content.path, language=language, out_of_scope=True, content=content), ""
        )
    check_source(gold, "question set", "a file, a public set, a DataFrame, dicts or a benchmark")
    return load_gold(gold, language=language)  # type: ignore[arg-type]
