"""Passages: collections, retrievers, readers, what they miss, and passages judged by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from qaldgen.io.lazy import importer
from qaldgen.io.packages import package_path

if TYPE_CHECKING:
    from qaldgen.plugins.passages.collection import Collection as Collection
    from qaldgen.plugins.passages.collection import Passage as Passage
    from qaldgen.plugins.passages.collection import dump_collection as dump_collection
    from qaldgen.plugins.passages.collection import read_collection as read_collection
    from qaldgen.plugins.passages.judgements import agree_on_passages as agree_on_passages
    from qaldgen.plugins.passages.judgements import read_judged as read_judged
    from qaldgen.plugins.passages.judgements import with_judged as with_judged
    from qaldgen.plugins.passages.loss_tables import losses as losses
    from qaldgen.plugins.passages.loss_tables import usual_matcher as usual_matcher
    from qaldgen.plugins.passages.loss_tables import with_losses as with_losses
    from qaldgen.plugins.passages.passage_sheets import PassageSheet as PassageSheet
    from qaldgen.plugins.passages.passage_sheets import Sampling as Sampling
    from qaldgen.plugins.passages.passage_sheets import passages_to_judge as passages_to_judge
    from qaldgen.plugins.passages.pipeline import dump_answers as dump_answers
    from qaldgen.plugins.passages.pipeline import dump_questions as dump_questions
    from qaldgen.plugins.passages.pipeline import passage_texts as passage_texts
    from qaldgen.plugins.passages.pipeline import read_passages as read_passages
    from qaldgen.plugins.passages.pipeline import retrieve as retrieve
    from qaldgen.plugins.passages.pipeline import with_relevant as with_relevant
    from qaldgen.plugins.passages.polqa import describe_polqa as describe_polqa
    from qaldgen.plugins.passages.polqa import taxonomy as taxonomy
    from qaldgen.plugins.passages.retrievers import Settings as Settings
    from qaldgen.plugins.passages.searching import search_in as search_in
    from qaldgen.plugins.passages.trec import dump_trec as dump_trec

#: The prompt that shows passages to a chat model.
PROMPT = package_path(Path(__file__).parent / "prompts" / "passages.j2")

#: The public names in each module, which is imported when one of its names is used.
_NAMES = {
    "collection": ("Collection", "Passage", "dump_collection", "read_collection"),
    "passage_sheets": ("PassageSheet", "Sampling", "passages_to_judge"),
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
__all__ = [name for names in _NAMES.values() for name in names]
__getattr__ = importer(__name__, _NAMES)
