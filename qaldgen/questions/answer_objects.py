"""Answers in JSON objects and lists: the fields that may name an answer, and those that mark it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from qaldgen.io.json_text import as_list
from qaldgen.model import Answers
from qaldgen.questions.cells import parse_term
from qaldgen.questions.fields import has_role, normalize_name
from qaldgen.questions.nested_records import rows_of_columns
from qaldgen.questions.records import NO_ANSWER, Fields, flat_texts, parse_boolean, scalar_text
from qaldgen.questions.results_json import merge_answers, read_answers_object, read_results

#: The fields that may hold the name of an answer, by their plain names, preferred ones first.
_WORDS = (
    "text", "value", "answer", "answertext", "texts", "inputtext", "freeformanswer", "spans",
    "extractivespans", "mention", "entity", "short", "shortanswers", "yesno", "yesnoanswer",
    "string", "answerstring", "label", "name", "title", "content", "normalizedvalue",
    "answerargument", "answersmid", "answervalue", "number", "url",
)  # fmt: skip
#: Those of them that only yes or no fills.
_YES_NO = frozenset({"yesno", "yesnoanswer"})
#: Fields with the IRI of an answer, and with an identifier.
_IRIS = ("uri", "iri")
_IDENTIFIERS = (
    "kbid", "wikidataid", "wikidataqid", "wikidata", "entityid", "answerentityid", "answerid",
    "answerqid", "qid", "mid", "topicentitymid", "id",
)  # fmt: skip
#: Fields with further names of an answer.
_ALIASES = (
    "aliases", "answeraliases", "alternatives", "variants", "wordings", "synonyms", "humananswers",
    "generativeanswer",
)  # fmt: skip
#: Fields with the name of a thing beside its identifier.
_TITLES = (
    "entityname", "entitylabel", "itemlabel", "label", "name", "text", "answer", "answertext",
    "answerlabel", "friendlyname", "topicentityname", "answersname", "wikidatalabel",
)  # fmt: skip
#: Fields whose objects hold the answer of one annotator or source.
_WITHIN = ("answer", "answerspans", "shortanswers", "qapairs", "output")
#: Fields that say where an answer is found.
_SOURCES = frozenset({"provenance", "meta"})
#: Fields of a span in a passage; several spans are what several annotators marked as one answer.
_SPAN = frozenset({"answer_start", "start", "start_char", "span"})
#: The variable of an aggregate in Cypher or SQL, ``count(m)``, or of a property, ``m.year``.
_AGGREGATE = re.compile(
    r"n|c|.*(?:cnt|count|num|total|sum|avg|min|max|amount).*|\w+\.\w+|\w+\(.*\)", re.IGNORECASE
)
#: Roles of fields whose texts are no name of an answer.
_BESIDE = ("reading", "language", "about an answer")
#: Fields that mark an object among others as the answer, and their values for that and for none.
_MARKS = frozenset({
    "correct", "iscorrect", "right", "isright", "isanswer", "isgold", "label", "score", "fraction",
    "weight", "selected",
})  # fmt: skip
_RIGHT = frozenset({"1", "true", "yes", "100"})
_WRONG = frozenset({"0", "false", "no"})
#: All fields of SPARQL results, and of our own answers.
_RESULTS = frozenset({"head", "results", "boolean", "texts", "link"})


def holds_answers(value: object) -> bool:
    """Return whether a value can hold answers; an object needs a name, an IRI or query results."""
    if isinstance(value, list):
        return not value or any(map(holds_answers, value))
    if isinstance(value, dict):
        return (
            is_results(value)
            or _is_binding(value)
            or _has_names_by_identifier(value)
            or is_by_annotator(value)
            or _names_in_object(value) is not None
            or "spans" in value
        )
    return value is not None


def is_results(value: Mapping[str, object]) -> bool:
    """Return whether an object holds query results, or text answers in the form of such."""
    if isinstance(value.get("results"), dict):
        return True
    has_answers = isinstance(value.get("boolean"), bool) or isinstance(value.get("texts"), list)
    return has_answers and value.keys() <= _RESULTS


def _is_binding(value: Mapping[str, object]) -> bool:
    """Return whether an object is one row of SPARQL results, or one cell of a row."""
    if value.get("type") in ("uri", "literal", "typed-literal", "bnode") and "value" in value:
        return True
    return bool(value) and all(
        isinstance(cell, dict) and {"type", "value"} <= cell.keys() for cell in value.values()
    )


def _has_names_by_identifier(value: Mapping[str, object]) -> bool:
    """Return whether an object has names under identifiers; a literal stands for itself."""
    return bool(value) and all(key == value[key] or parse_term(key).type == "uri" for key in value)


def is_by_annotator(value: Mapping[str, object]) -> bool:
    """Return whether an object has the answers of annotators, under their numbers."""
    return bool(value) and all(
        key.isdecimal() and isinstance(answers, (dict, list)) for key, answers in value.items()
    )


def answers_in_list(
    values: list[object], record: Fields, name: str, *, several: bool
) -> Answers | None:
    """Return the answers in a list that is the value of a field; None if all items are blank.

    Items are one answer each (`several`), or names of one answer.
    """
    if len(values) == 1 and isinstance(values[0], bool):
        return Answers(boolean=values[0])
    objects = [item for item in values if isinstance(item, dict)]
    only_objects = len(objects) == len(values)
    if only_objects and objects and all(map(is_results, objects)):
        results = [record.inside(f"{name}[{index}]", item) for index, item in enumerate(objects)]
        return merge_answers([read_results(fields) for fields in results])
    if only_objects and all(map(_is_binding, objects)):
        bindings = []
        for item in objects:
            is_cell = not isinstance(next(iter(item.values())), dict)
            bindings.append({"answer": item} if is_cell else item)
        return read_results(record.inside(name, {"results": {"bindings": bindings}}))
    if objects:
        values = objects_marked_correct(values) or values
        if isinstance(values[0], dict):
            for key, pairs in values[0].items():
                # an annotator who takes a question for several
                if normalize_name(key) == "qapairs" and isinstance(pairs, list) and len(pairs) > 1:
                    names_by_pair = [_names_of_answer(pair, record, name) for pair in pairs]
                    return Answers(texts=tuple(filter(None, names_by_pair)))
        # KILT lists further sources of the answers before like an answer
        sources = [
            item for item in objects if item and _SOURCES.issuperset(map(normalize_name, item))
        ]
        if 0 < len(sources) < len(values):
            values = [item for item in values if item not in sources]
    answers = []
    for value in values:
        if names := _names_of_answer(value, record, name):
            answers.append(names)
    if not answers:
        return Answers() if only_objects else None
    if all(isinstance(item, list) for item in values):
        return Answers(texts=tuple(answers))  # lists inside a list are names of one answer each
    are_by_annotators = any(
        _SPAN & item.keys() or isinstance(item.get("answer"), (dict, list)) for item in objects
    )
    if several and not are_by_annotators:
        return Answers(texts=tuple(answers))
    return Answers(texts=(tuple(dict.fromkeys(text for names in answers for text in names)),))


def answers_in_object(
    value: dict[str, object], record: Fields, name: str, *, several: bool
) -> Answers | None:
    """Return the answers in an object that is the value of a field; None if it names none.

    Items of its lists are one answer each (`several`), or names of one answer.
    """
    if is_results(value):
        return read_answers_object(record.inside(name, value))
    if _is_binding(value):
        return answers_in_list([value], record, name, several=several)
    spans = value.get("spans")
    if isinstance(spans, list) and spans:
        return answers_in_list(spans, record, name, several=True)
    # an object of lists, as Hugging Face makes of a list of objects
    rows = rows_of_columns(value)
    if rows is not None:
        return answers_in_list(list(rows), record, name, several=several)
    if isinstance(spans, list):
        # without spans, DROP has a number or a date, or no answer
        date = value.get("date")
        if isinstance(date, dict):
            date = " ".join(flat_texts([date.get(part) for part in ("day", "month", "year")]))
        names = _names_in_object(value) or tuple(flat_texts(date))
    elif _has_names_by_identifier(value):
        return Answers(texts=tuple((identifier,) for identifier in value))
    else:
        names = _names_of_answer(value, record, name)
        if not names:
            return None
    return Answers(texts=(names,)) if names else Answers()


def _names_of_answer(item: object, record: Fields, name: str) -> tuple[str, ...]:
    """Return the names of the answer in an item of a field, the main one first; none of a blank."""
    if isinstance(item, str) and item and not item[0].isspace() and not item[-1].isspace():
        return (item,) if item != NO_ANSWER else ()  # most answers
    if not isinstance(item, dict):
        return tuple(dict.fromkeys(flat_texts(item)))
    names = _names_in_object(item)
    if names is None:
        raise record.error(
            name, f"answers as texts, or objects with {', '.join(_WORDS[:3])} or {_IRIS[0]}"
        )
    return names


def _names_in_object(item: Mapping[str, object]) -> tuple[str, ...] | None:
    """Return the names of the answer in an object; None if it has neither a name nor an IRI.

    An object that is marked as wrong, or that lacks HELM's tag ``correct``, has none.
    """
    fields = {normalize_name(key): value for key, value in item.items()}
    # the normalised ones lack case and punctuation
    fields["aliases"] = fields.get("aliases") or fields.get("normalizedaliases")
    tags = fields.get("tags")
    if isinstance(tags, list) and "correct" not in tags:
        return ()
    if fields.get("unanswerable") is True or fields.get("type") == "none":
        return ()
    inner_names: list[str] = []
    has_nameless_object = False
    for key in _WITHIN:
        for inner in as_list(fields.get(key)):
            if isinstance(inner, dict):
                names = _names_in_object(inner)
                has_nameless_object = has_nameless_object or names is None
                inner_names += names or ()
    if inner_names:
        return tuple(dict.fromkeys(inner_names))
    # an identifier is surer than the label beside it
    for key in _IDENTIFIERS:
        for text in flat_texts(fields.get(key)):
            cell = parse_term(text)
            if cell.type == "uri" and cell.value != text:
                return (cell.value,)
    for key in (*_IRIS, *_WORDS):
        texts = list(flat_texts(fields.get(key)))
        if key in _YES_NO:
            texts = [text for text in texts if parse_boolean(text) is not None]
        if texts and key not in _IRIS:
            for alias in _ALIASES:
                texts += flat_texts(fields.get(alias))
        if texts:
            return tuple(dict.fromkeys(texts))
    if any(key in fields for key in (*_IRIS, *_WORDS)):
        return None if has_nameless_object else ()
    name = next(iter(item), "")
    # the target of a reward, or a row of a graph database
    if len(item) == 1 and (has_role(name, "answer") or _AGGREGATE.fullmatch(name)):
        return tuple(flat_texts(item[name])) or None
    if any(has_role(key, "answer", "prediction") for key in fields):
        return None
    # whatever it is called, the only text of an object names the answer
    names_by_key = {
        key: value.strip()
        for key, value in fields.items()
        if isinstance(value, str) and not key.endswith("type") and not has_role(key, *_BESIDE)
    }
    if len(names_by_key) != 1 or not next(iter(names_by_key)).isidentifier():
        return None
    return (*names_by_key.values(),)


def objects_marked_correct(values: Sequence[object]) -> list[object] | None:
    """Return the objects of a list that are marked as right; None if marks do not tell them apart.

    >>> objects_marked_correct([{"text": "Ulm", "label": 1}, {"text": "Bonn", "label": 0}])
    [{'text': 'Ulm', 'label': 1}]
    """
    objects = [item for item in values if isinstance(item, dict)]
    if not objects or len(objects) < len(values):
        return None
    for name in objects[0]:
        marks = [scalar_text(item.get(name)).lower() for item in objects]
        if normalize_name(name) in _MARKS and {*marks} <= _RIGHT | _WRONG and len({*marks}) > 1:
            return [item for item, mark in zip(values, marks, strict=True) if mark in _RIGHT]
    return None


def names_by_iri(value: object) -> dict[str, tuple[str, ...]]:
    """Return the names that a record gives to the things whose identifiers it has, by IRI.

    >>> names_by_iri([{"AnswerArgument": "m.0d05w3", "EntityName": "Ulm"}, {"qid": "Q1"}])
    {'http://rdf.freebase.com/ns/m.0d05w3': ('Ulm',)}
    """
    names: dict[str, tuple[str, ...]] = {}
    if isinstance(value, list):
        for item in value:
            if isinstance(item, (dict, list)):
                names |= names_by_iri(item)
    if not isinstance(value, dict):
        return names
    fields = {normalize_name(str(key)): inner for key, inner in value.items()}
    iri = _first_iri(fields)
    if iri:
        texts: list[str] = []
        for key in (*_TITLES, *_ALIASES):
            titles = fields.get(key)
            if isinstance(titles, dict):
                titles = list(titles.values())
            texts += [text for text in flat_texts(titles) if parse_term(text).type != "uri"]
        if texts:
            names[iri] = tuple(dict.fromkeys(texts))
    for name, inner in value.items():
        if isinstance(inner, (dict, list)):
            names |= names_by_iri(inner)
        elif isinstance(inner, str) and parse_term(inner).type != "uri":
            cell = parse_term(str(name))  # a name under its identifier
            if cell.type == "uri":
                names[cell.value] = (inner,)
    return names


def _first_iri(fields: Mapping[str, object]) -> str:
    """Return the first IRI in a field that may have one; empty if none has."""
    for key in (*_IDENTIFIERS, *_IRIS, *_WORDS):
        if key not in fields:  # most
            continue
        for text in flat_texts(fields[key]):
            cell = parse_term(text)
            if cell.type == "uri":
                return cell.value
    return ""
