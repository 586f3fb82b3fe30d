"""The documents of an evaluator's task as records of our own format, with the log's targets."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from qaldgen.formats.column_names import NAMES, plain_name
from qaldgen.formats.columns import Columns, find_columns, first_told
from qaldgen.formats.file_content import Content
from qaldgen.formats.generic_records import Choices, read_choices
from qaldgen.formats.record_formats import GSM8K, recognises_form
from qaldgen.formats.records import flat_texts, scalar_text

#: The field of our own tasks with all answers to a question, each with its accepted names.
ALL_ANSWERS = "answer_wordings"
#: Fields that readers would interpret; all others are kept as metadata.
_TELLING = frozenset(
    name
    for kind in ("id", "question", "maybe question", "wordings", "gold", "answers", "variants",
        "choices", "choice",
                 "maybe sparql", "impossible", "answerable")
    for name in NAMES[kind]
) - {"sparql"}  # fmt: skip
#: A last paragraph shorter than this is not the question: then the whole prompt is used.
_FEWEST = 10
#: Characters at the end of a prompt that are searched for "Answer:". On a whole prompt, often
#: full of white space, the regular expression would take quadratic time.
_TAIL = 40
_BEFORE = re.compile(r"^(?:question|q)\s*:\s*", re.IGNORECASE)
_AFTER = re.compile(r"\s*(?:short\s+)?(?:answer|a)\s*:\s*$", re.IGNORECASE)


#: The documents of a log are not a file of their own.
_NOWHERE = Path("documents")


class Asked(NamedTuple):
    """A question as a log has it."""

    id: str  # its unique id
    document: Mapping[str, object]  # the record of the data set
    prompt: str  # the prompt for the model
    #: The accepted answers; for multiple choice, the number or the text of a choice.
    target: tuple[str, ...]
    #: The choices whose likelihoods were compared; empty if the model wrote its answer.
    choices: tuple[str, ...] = ()
    chosen: int | None = None  # the number of the chosen one
    right: bool | None = None  # whether the log counts it as right; None if the log does not say


def records_of(
    asked: Sequence[Asked],
) -> tuple[dict[str, tuple[dict[str, object], Choices]], list[str]]:
    """Return each question by id, as a record of our own format with its choices, and notes.

    The document's own question and gold answers are preferred; if it has none in known fields, the
    prompt and the target replace them. For multiple choice by likelihood, the target says which
    choice is right.
    """
    documents = [dict(one.document) for one in asked]
    if recognises_form(GSM8K)(
        Content(_NOWHERE, "jsonl", "", "", documents, frozenset(documents[0]))
    ):
        documents = [
            {**one, "answer": scalar_text(one.get("answer", "")).rpartition("####")[2].strip()}
            for one in documents
        ]
    columns = find_columns(documents)
    by_text = _means_texts(asked)
    found = {
        one.id: _record(one, document, columns or Columns(), by_text=by_text)
        for one, document in zip(asked, documents, strict=True)
    }
    asks = bool(columns and (columns.question or columns.translations))
    return found, (
        []
        if asks
        else ["the documents have no known field with the question; the prompts are taken for it"]
    )


def safe_metadata(fields: Mapping[str, object]) -> dict[str, object]:
    """Return the fields that no reader would take for the question, its id, answers or choices."""
    return {name: value for name, value in fields.items() if plain_name(name) not in _TELLING}


def bare_question(prompt: str) -> str:
    r"""Return the last part of a prompt, without the words around the question.

    >>> bare_question("Question: Who?\nAnswer: Ann\n\nQuestion: Where is Ulm?\nAnswer:")
    'Where is Ulm?'
    """
    whole = prompt.strip()
    last = whole.rpartition("\n\n")[2]
    asked = _BEFORE.sub("", last if len(last) > _FEWEST else whole)
    return (asked[:-_TAIL] + _AFTER.sub("", asked[-_TAIL:])).strip()


def _record(
    asked: Asked, document: dict[str, object], columns: Columns, *, by_text: bool
) -> tuple[dict[str, object], Choices]:
    told = first_told(document, columns.question)
    ours = document.get(ALL_ANSWERS)
    if isinstance(ours, list) and told and not asked.choices:
        kept = {
            name: value for name, value in safe_metadata(document).items() if name != ALL_ANSWERS
        }
        return {**kept, "id": asked.id, "question": document[told[0]], "answers": ours}, Choices(())
    listed = (
        read_choices(document.get(columns.choices[0])) if len(columns.choices) == 1 else Choices(())
    )
    if not asked.choices and told and (columns.gold or columns.variants or listed.texts):
        return {**_without_other_ids(document, columns), "id": asked.id}, listed
    question = " ".join(flat_texts(document[told[0]])) if told else ""
    metadata = {
        name: value
        for name, value in safe_metadata(document).items()
        if name not in {*columns.question}
    }
    record = {**metadata, "id": asked.id, "question": question or bare_question(asked.prompt)}
    if not asked.choices:
        return ({**record, "answers": [list(asked.target)]} if asked.target else record), listed
    shown = _shown(asked.choices, listed)
    gold = [
        shown.texts[place] for place in right_choices(asked.target, asked.choices, by_text=by_text)
    ]
    return ({**record, "choices": list(shown.texts)} | ({"answers": [gold]} if gold else {})), shown


def _without_other_ids(document: dict[str, object], columns: Columns) -> dict[str, object]:
    """Return a document without the field of its id, which the id of the log replaces."""
    return {name: value for name, value in document.items() if name != columns.one.get("id")}


def _shown(compared: tuple[str, ...], listed: Choices) -> Choices:
    """Return the choices as texts: the document's, if only their letters were compared."""
    letters = all(len(text) < 3 for text in compared) and not any(
        len(text) < 3 for text in listed.texts
    )
    return (
        Choices(listed.texts, compared)
        if letters and len(listed.texts) == len(compared)
        else Choices(compared)
    )


def right_choices(
    target: Sequence[str], choices: Sequence[str], *, by_text: bool = False
) -> list[int]:
    """Return the positions of the choices that a target means.

    >>> right_choices(["1"], ["tea", "coffee"]), right_choices(["tea"], ["tea", "coffee"])
    ([1], [0])
    >>> right_choices(["1"], ["1", "2"]), right_choices(["1"], ["1", "2"], by_text=True)
    ([1], [0])
    """
    places = [int(text) for text in target if text.isdecimal() and int(text) < len(choices)]
    named = [choices.index(text) for text in target if text in choices]
    first, second = (named, places) if by_text else (places, named)
    return first if len(first) == len(target) else second


def _means_texts(asked: Sequence[Asked]) -> bool:
    """Whether ambiguous targets are choice texts, not numbers, by what the log counts right."""
    agree = {True: 0, False: 0}
    for one in asked:
        if one.right is not None:
            for by_text in agree:
                agree[by_text] += (
                    one.chosen in right_choices(one.target, one.choices, by_text=by_text)
                ) == one.right
    return agree[True] > agree[False]
