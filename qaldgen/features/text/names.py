"""The names in a question: people, groups, places, works, events, languages, products.

In English a random field finds them (`name_field`), with a spaCy model if there is one; in other
languages capitals do. Numbers, dates and amounts are not names.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from babel.dates import get_day_names, get_month_names

from qaldgen.features.text.languages import LANGUAGES
from qaldgen.features.text.letters import QUOTED
from qaldgen.features.text.name_field import name_spans
from qaldgen.features.text.taxonomies import type_of_noun
from qaldgen.features.text.words import COMMANDS, singular, word_list

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

#: The types of OntoNotes that are names, in the order of its guidelines.
NAME_TYPES = (
    "PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW",
    "LANGUAGE",
)  # fmt: skip
#: Its types that are numbers, dates and amounts.
VALUE_TYPES = ("CARDINAL", "DATE", "MONEY", "ORDINAL", "PERCENT", "QUANTITY", "TIME")
_WORD = re.compile(r"[^\W_]+(?:[.'’&/+-][^\W_]+)*")
#: Words that have a capital only Where Every Word Has One.
_SMALL = word_list("small in titles")
_JOINT = re.compile(r"\s+(?:and|or)\s+")
_MONTHS = get_month_names("wide", locale="en").values()
_DAYS = get_day_names("wide", locale="en").values()
_CALENDAR = frozenset(name.lower() for name in chain(_MONTHS, _DAYS))


class Name(NamedTuple):
    """A name in a text."""

    #: Offsets in the text, the end exclusive.
    start: int
    end: int
    entity_type: str  # in OntoNotes; empty without a model


def readable(text: str) -> str:
    """Return a question as a model reads it best: in lower case if it has capitals everywhere.

    >>> [readable(text) for text in ("WHO OWNS IT?", "Who Is The Owner Of It?", "Who owns It?")]
    ['who owns it?', 'who is the owner of it?', 'Who owns It?']
    """
    words = [word for word in _WORD.findall(text) if word[0].isalpha()]
    is_title = len(words) > 1 and text.isupper()
    if len(words) > 2 and all(word[0].isupper() for word in words):
        is_title = is_title or any(word.lower() in _SMALL for word in words[1:])
    small = text.lower()
    if is_title and len(small) == len(text):
        return small
    return text


def names_in(text: str, doc: Doc | None, language: str) -> list[Name]:
    """Return the names in a question by the rules of English, by a model, or by capitals.

    A language without a model and without rules has none.
    """
    if language == "en":
        return find_names(text, doc)
    if doc is not None:
        entities = [entity for entity in doc.ents if entity.label_ not in VALUE_TYPES]
        return [Name(entity.start_char, entity.end_char, entity.label_) for entity in entities]
    return names_by_capitals(text) if language in LANGUAGES else []


def find_names(text: str, doc: Doc | None = None) -> list[Name]:
    """Return the names in an English question, from left to right.

    `doc` is the `readable` text, parsed by a spaCy model.

    >>> text = "is cape horn in chile?"
    >>> [text[name.start : name.end] for name in find_names(text)]
    ['cape horn', 'chile']
    """
    spans = name_spans(readable(text), doc)
    entities: list[Span] = []
    if doc is not None:
        entities = [entity for entity in doc.ents if entity.label_ in NAME_TYPES]

    # The field learns from titles that names may contain "and"; the model knows better: a name is
    # split at an "and" or "or" between two entities.
    begins = {entity.start_char for entity in entities}
    ends = {entity.end_char for entity in entities}
    split_spans = []
    for start, end in spans:
        for conjunction in _JOINT.finditer(text, start, end):
            if conjunction.start() in ends and conjunction.end() in begins:
                split_spans.append((start, conjunction.start()))
                start = conjunction.end()
        split_spans.append((start, end))

    names = []
    for start, end in split_spans:
        # without a command, and without the noun asked for: the city of "which french city"
        opening, _, name = text[start:end].partition(" ")
        if not text[:start].strip() and name and opening.lower() in COMMANDS:
            start = end - len(name)

        name, _, noun = text[start:end].rpartition(" ")
        is_after_wh = re.search(r"(?:^|\s)(?:which|what)\s*$", text[:start].lower()) is not None
        if name and is_after_wh and type_of_noun(singular(noun.lower())):
            end = start + len(name)

        words = text[start:end].lower().split()
        if all(word.isdigit() or word in _CALENDAR for word in words):
            continue

        overlaps = [
            (min(end, entity.end_char) - max(start, entity.start_char), entity.label_)
            for entity in entities
            if entity.start_char < end and start < entity.end_char
        ]
        _, entity_type = max(overlaps, default=(0, ""))
        names.append(Name(start, end, entity_type))

    return names


def names_by_capitals(text: str) -> list[Name]:
    """Return the names by their capitals, in a language that writes common nouns in lower case.

    >>> text = "Czy Jan z Kolna pisał 'Listy'?"
    >>> [text[name.start : name.end] for name in names_by_capitals(text)]
    ['Jan', 'Kolna', "'Listy'"]
    """
    quotations = [match.span() for match in QUOTED.finditer(text)]
    spans = [span for span in quotations if text[slice(*span)] != text[slice(*span)].lower()]

    end = 0
    in_name = False  # whether the word before belongs to the last span
    for match in _WORD.finditer(text):
        gap = text[end : match.start()]
        end = match.end()

        is_first = match.start() == 0 or re.search(r"[.?!]\s", gap)
        is_capital = match[0] != match[0].lower() and not is_first
        if any(start <= match.start() < stop for start, stop in quotations) or not is_capital:
            in_name = in_name and match[0].isdigit() and gap == " "
            if in_name:
                spans[-1] = (spans[-1][0], end)
            continue

        if in_name and gap in {" ", "-", "–", "/"}:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append(match.span())
        in_name = True

    return [Name(start, end, "") for start, end in sorted(spans)]
