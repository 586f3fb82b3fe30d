"""What the paper takes from other programs: linked entities, and an encoder of sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from qaldgen.errors import DataError
from qaldgen.formats.answer_values import wikidata_cell
from qaldgen.runs.reading import read_run

if TYPE_CHECKING:
    import numpy as np

    from qaldgen.plugins.act.ranking import Similarity

#: Gives the entities of a question by its id and text; None if nobody linked it.
Linker: TypeAlias = Callable[[str, str], "Sequence[str] | None"]


def linked_entities(path: str | Path) -> Linker:
    """Return the entities that another program linked, by question.

    From what ``ask --system nif`` or ``linker`` wrote, a linker's JSON, or IRIs by id.
    """
    found = {}
    for name, response in read_run(path).responses.items():
        linked = [one.iri for one in response.mentions if one.iri and one.kind == "entity"]
        if not response.mentions and response.answers is not None:
            cells = [wikidata_cell(value) for value in response.answers.values()]
            linked = [cell.value for cell in cells if cell.type == "uri"]
        found[name] = tuple(dict.fromkeys(linked))
    if not any(found.values()):
        raise DataError(
            'names no entity; write {"12": {"entities": ["http://..."]}}, or give the journal of a'
            " linker",
            where=path,
        )
    return lambda id_, question: found.get(id_, found.get(question))


def encoder_similarity(model: str) -> Similarity:
    """Return the cosine of a model of sentence-transformers: a folder, or a name that it knows."""
    try:
        import sentence_transformers
    except ImportError as error:
        raise DataError(
            "--encoder needs sentence-transformers: pip install 'qaldgen[sbert]'"
        ) from error
    try:
        encoder: Any = sentence_transformers.SentenceTransformer(model)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise DataError(f"{model}: this encoder cannot be loaded ({reason})") from error
    vectors: dict[str, np.ndarray[Any, Any]] = {}  # names of types and properties come again

    def similarity(text: str, others: Sequence[str]) -> list[float]:
        new = [one for one in dict.fromkeys([text, *others]) if one not in vectors]
        if new:
            made = encoder.encode(new, normalize_embeddings=True, show_progress_bar=False)
            vectors.update(zip(new, made, strict=True))
        return [float(vectors[text] @ vectors[one]) for one in others]

    return similarity
