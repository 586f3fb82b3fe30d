"""Passages: collections, retrievers, readers, what they miss, and passages judged by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.io.lazy import importer
from qaldgen.io.packages import package_path

if TYPE_CHECKING:
    from qaldgen.plugins.passages.annotation_cost import Seconds, cost_table
    from qaldgen.plugins.passages.collection import (
        Collection,
        Passage,
        dump_collection,
        read_collection,
    )
    from qaldgen.plugins.passages.judgements import agree_on_passages, read_judged, with_judged
    from qaldgen.plugins.passages.loss_tables import losses, usual_matcher, with_losses
    from qaldgen.plugins.passages.passage_sheets import PassageSheet, Sampling, passages_to_judge
    from qaldgen.plugins.passages.pipeline import (
        dump_answers,
        dump_questions,
        passage_texts,
        read_passages,
        retrieve,
        with_relevant,
    )
    from qaldgen.plugins.passages.polqa import describe_polqa, taxonomy
    from qaldgen.plugins.passages.retrievers import Settings
    from qaldgen.plugins.passages.searching import search_in
    from qaldgen.plugins.passages.trec import dump_trec

__all__ = [
    "Collection",
    "Passage",
    "PassageSheet",
    "Sampling",
    "Seconds",
    "Settings",
    "agree_on_passages",
    "cost_table",
    "describe_polqa",
    "dump_answers",
    "dump_collection",
    "dump_questions",
    "dump_trec",
    "losses",
    "passage_texts",
    "passages_to_judge",
    "read_collection",
    "read_judged",
    "read_passages",
    "retrieve",
    "search_in",
    "taxonomy",
    "usual_matcher",
    "with_judged",
    "with_losses",
    "with_relevant",
]

#: The prompt that shows passages to a chat model.
PROMPT = package_path(Path(__file__).parent / "prompts" / "passages.j2")

#: The public names in each module, which is imported when one of its names is used.
_NAMES = {
    "collection": ("Collection", "Passage", "dump_collection", "read_collection"),
    "passage_sheets": ("PassageSheet", "Sampling", "passages_to_judge"),
    "annotation_cost": ("Seconds", "cost_table"),
    "judgements": ("agree_on_passages", "read_judged", "with_judged"),
    "loss_tables": ("losses", "usual_matcher", "with_losses"),
    "pipeline": (
        "dump_answers",
        "dump_questions",
        "passage_texts",
        "read_passages",
        "retrieve",
        "with_relevant",
    ),
    "polqa": ("describe_polqa", "taxonomy"),
    "retrievers": ("Settings",),
    "searching": ("search_in",),
    "trec": ("dump_trec",),
}
__getattr__ = importer(__name__, _NAMES)
