"""The benchmark as a record: questions with cluster and weight, and how they were chosen."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from qaldgen.benchmark.signature import Provenance
from qaldgen.formats.rdf_questions import local_names, read_question
from qaldgen.io.text import helpful, result_html
from qaldgen.model import Question
from qaldgen.rdf.terms import Statement
from qaldgen.selection.vectors import column_names

if TYPE_CHECKING:
    import pandas as pd

_BASE = "http://qald-gen.aksw.org/benchmark/"


#: So many questions are shown in a notebook.
_SHOWN = 10


@dataclasses.dataclass(frozen=True)
class Member:
    """A chosen question.

    Attributes
    ----------
    iri : str
        The question.
    cluster : int
        The number of its cluster, 1 to the number of clusters, in the order of choosing.
    weight : float
        The share of the pool that it represents, above 0 and up to 1.
    values : tuple of float
        Its raw feature values.
    triples : tuple of triples
        Everything in the data about it, with terms as written there.
    inclusion : float or None
        Its probability to be chosen, above 0 and up to 1; None if the method chose on purpose.
    position : int or None
        Its place in the order of asking, from 1, if every prefix of that order is a sample of the
        pool; else None.
    """

    iri: str
    cluster: int
    weight: float
    values: tuple[float, ...]
    triples: tuple[Statement, ...] = ()
    inclusion: float | None = None
    position: int | None = None


class Questions(tuple[Question, ...]):
    """The questions of a benchmark; a call chooses the language of untagged texts."""

    _members: Sequence[Member]

    def __new__(cls, members: Sequence[Member], language: str = "en") -> Questions:
        """Read the questions from the statements about them."""
        names = local_names([member.iri for member in members])
        made = super().__new__(
            cls,
            (
                read_question(m.iri, name, m.triples, language)
                for m, name in zip(members, names, strict=True)
            ),
        )
        made._members = members
        return made

    def __call__(self, language: str = "en") -> Questions:
        """Return the questions whose untagged texts are in a language."""
        return self if language == "en" else Questions(self._members, language)


@helpful
@dataclasses.dataclass(frozen=True)
class Benchmark:
    """Chosen questions with cluster and weight, and how they were chosen.

    Attributes
    ----------
    title : str
        Its title for people.
    provenance : Provenance
        How it was made.
    features : tuple of str
        The features, in the order of the members' values.
    members : tuple of Member
        The questions in the order of asking, if there is one, else in natural order of their IRIs.
    cluster_sizes : tuple of int
        The number of pool questions in cluster 1, 2, ...
    pool_size, outliers : int
        The number of questions selected by the query, and of those that were removed as outliers.
    diversity : float
        The paper's D; NaN for a single question.
    notes : tuple of str
        The method's notes on the sample, for instance that it left out outliers; in alphabetical
        order.
    pool_clusters : tuple of tuple of str
        The IRIs of the pool questions in cluster 1, 2, ..., without outliers; empty if an older
        version wrote the file.
    cluster_names : tuple of str
        What sets cluster 1, 2, ... apart, in words; an empty text where nothing does.
    """

    title: str
    provenance: Provenance
    features: tuple[str, ...]
    members: tuple[Member, ...]
    cluster_sizes: tuple[int, ...]
    pool_size: int
    outliers: int
    diversity: float
    notes: tuple[str, ...] = ()
    pool_clusters: tuple[tuple[str, ...], ...] = ()
    cluster_names: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return one line: title, size, pool and method."""
        size, method = len(self), self.provenance.method
        # the usual title ends with size and method, which are not repeated
        title = self.title.removesuffix(f": {size} questions by {method}")
        return f"<Benchmark {title}: {size} of {self.pool_size:,} questions by {method}>"

    def __str__(self) -> str:
        """Return that line and the notes."""
        return "\n".join([repr(self), *(f"Note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        """Return the line, the signature, the notes and the first questions, for notebooks."""
        first = self.to_frame().head(_SHOWN).set_index("id")[["text"]]
        left = len(self) - len(first)
        more = [f"The first {len(first)} of {len(self):,} questions:"] if left else []
        notes = [f"Signature: {self.signature}", *self.notes, *more]
        return result_html(repr(self), [first], notes)

    @property
    def signature(self) -> str:
        """The one line that rebuilds the sample."""
        return self.provenance.signature()

    @property
    def design(self) -> str:
        """``probability`` if every question's chance to be chosen is known, else ``purposive``."""
        return (
            "purposive"
            if any(member.inclusion is None for member in self.members)
            else "probability"
        )

    @property
    def iri(self) -> str:
        """The IRI of the benchmark, which depends only on the signature and the table."""
        content = f"{self.signature}\n{self.provenance.table_sha256}"
        # 64 bits keep clashes improbable up to millions of benchmarks.
        return _BASE + hashlib.sha256(content.encode("utf-8")).hexdigest()[:16]

    @property
    def ordered(self) -> bool:
        """Whether every prefix of the questions is an equal-probability sample of the pool."""
        return all(member.position is not None for member in self.members)

    def __len__(self) -> int:
        """Return the number of questions."""
        return len(self.members)

    @functools.cached_property
    def questions(self) -> Questions:
        """The questions with texts, queries and gold answers.

        ``questions("de")`` are those where untagged texts are in German.

        Raises
        ------
        DataError
            If an answer string is damaged.
        """
        return Questions(self.members)

    def to_frame(self) -> pd.DataFrame:
        """Return a table with id, text, cluster, weight and raw features, indexed by IRI."""
        import pandas as pd

        questions = self.questions
        lead: dict[str, list[object]] = {
            "id": [question.id for question in questions],
            "text": [question.text() for question in questions],
            "cluster": [member.cluster for member in self.members],
            "weight": [member.weight for member in self.members],
        }
        if self.design == "probability":
            lead["inclusion_probability"] = [member.inclusion for member in self.members]
        if self.ordered:
            lead["position"] = [member.position for member in self.members]
        index = pd.Index([member.iri for member in self.members], name="iri")
        values = pd.DataFrame(
            [member.values for member in self.members],
            index=index,
            columns=column_names(self.features),
        )
        return pd.concat([pd.DataFrame(lead, index=index), values], axis=1)

    def save(
        self,
        path: str | Path,
        *,
        force: bool = False,
        language: str = "en",
        answers: Literal["all", "first"] = "all",
    ) -> list[str]:
        """Write the benchmark in the format of the file extension.

        See `qaldgen.benchmark.export.save`.

        Parameters
        ----------
        path
            The output file.
        force
            Overwrite an existing file.
        language
            Language of tables, and of texts without a tag.
        answers
            ``all`` or ``first``: which variables of the gold rows to write.

        Returns
        -------
        list of str
            Notes on what the format cannot hold.
        """
        # imported here because `export` imports this module
        from qaldgen.benchmark.export import save

        return save(self, path, force=force, language=language, answers=answers)
