"""The benchmark as a record: chosen questions with cluster and weight, and how they were chosen."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.benchmark.signature import Provenance
from qaldgen.formats.rdf_questions import local_names, read_question
from qaldgen.model import Question
from qaldgen.rdf.terms import Statement
from qaldgen.selection.columns import column_names

if TYPE_CHECKING:
    import pandas as pd

_BASE = "http://qald-gen.aksw.org/benchmark/"


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
        The share of the pool for which it stands, over 0 and up to 1.
    values : tuple of float
        Its raw feature values.
    triples : tuple of triples
        All that the data says about it, terms as written there.
    inclusion : float or None
        How likely it was to be chosen, over 0 and up to 1; None if the method chose on purpose.
    position : int or None
        Its place in the order of asking, from 1, if every beginning of that order is a sample of
        the pool; else None.
    """

    iri: str
    cluster: int
    weight: float
    values: tuple[float, ...]
    triples: tuple[Statement, ...] = ()
    inclusion: float | None = None
    position: int | None = None


@dataclasses.dataclass(frozen=True)
class Benchmark:
    """Chosen questions with cluster and weight, and how they were chosen.

    Attributes
    ----------
    title : str
        What people call it.
    provenance : Provenance
        How it was made.
    features : tuple of str
        The names of the values of each member.
    members : tuple of Member
        The questions in the order of asking, if there is one, else in natural order of their IRIs.
    cluster_sizes : tuple of int
        The number of pool questions in cluster 1, 2, ...
    pool_size, outliers : int
        The number of questions selected by the query, and of those that were removed as outliers.
    diversity : float
        The paper's D; NaN for a single question.
    notes : tuple of str
        What the method has to say about the sample, for instance that it left out outliers; in
        alphabetical order.
    pool_clusters : tuple of tuple of str
        The questions of the pool in cluster 1, 2, ..., by IRI, outliers left out; empty for a file
        of a version that did not write them.
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

    def __repr__(self) -> str:
        """Return one line: title, size, pool and method."""
        return (
            f"<Benchmark {self.title}: {len(self)} of {self.pool_size:,} questions by"
            f" {self.provenance.method}>"
        )

    def __str__(self) -> str:
        """Return the line, and the notes."""
        return "\n".join([repr(self), *(f"Note: {note}" for note in self.notes)])

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
        """The IRI of the benchmark: the same for the same signature and table."""
        content = f"{self.signature}\n{self.provenance.table_sha256}"
        return _BASE + hashlib.sha256(content.encode("utf-8")).hexdigest()[:16]

    @property
    def ordered(self) -> bool:
        """Whether every beginning of the questions is an equal-probability sample of the pool."""
        return all(member.position is not None for member in self.members)

    def __len__(self) -> int:
        """Return the number of questions."""
        return len(self.members)

    def questions(self, language: str = "en") -> list[Question]:
        """Return the questions with texts, queries and gold answers.

        `language` is that of texts without a language tag.

        Raises
        ------
        DataError
            If an answer string is damaged.
        """
        names = local_names([member.iri for member in self.members])
        return [
            read_question(m.iri, name, m.triples, language)
            for m, name in zip(self.members, names, strict=True)
        ]

    def to_frame(self) -> pd.DataFrame:
        """Return the table.

        Id, text, cluster, weight and the raw features, one row a question, the IRI as index.
        """
        import pandas as pd

        questions = self.questions()
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
        self, path: str | Path, *, force: bool = False, language: str = "en", answers: str = "all"
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
        from qaldgen.benchmark.export import save

        return save(self, path, force=force, language=language, answers=answers)
