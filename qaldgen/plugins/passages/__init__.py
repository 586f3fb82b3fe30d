"""Passages: collections, retrievers, readers, what they miss, and passages judged by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.io.lazy import imported_on_use

if TYPE_CHECKING:
    from qaldgen.plugins.passages.collection import (
        Collection,
        Passage,
        dump_collection,
        read_collection,
    )
    from qaldgen.plugins.passages.judgements import (
        PassageSheet,
        Sampling,
        Seconds,
        agree_on_passages,
        cost_table,
        passages_to_judge,
        read_judged,
        with_judged,
    )
    from qaldgen.plugins.passages.loss_tables import losses, usual_matcher, with_losses
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
PROMPT = Path(__file__).parent / "prompts" / "passages.j2"

__getattr__ = imported_on_use(__name__)
