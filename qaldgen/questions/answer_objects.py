"""Read answers in JSON objects and lists, whose fields name an answer or mark it as correct."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from qaldgen.io.json_text import as_list
from qaldgen.model import Answers
from qaldgen.questions.cells import parse_number, parse_term
from qaldgen.questions.fields import has_role, normalize_name
from qaldgen.questions.record_kinds import rows_of_columns
from qaldgen.questions.records import (
    NO_ANSWER,
    Fields,
    flat_texts,
    is_text_by_language,
    scalar_text,
)
from qaldgen.questions.results_json import (
    answers_from_rows,
    merge_answers,
    read_answers_object,
    read_results,
)
from qaldgen.questions.truth_values import parse_boolean

#: The fields that may hold the name of an answer, by their normalized names, preferred ones first.
_NAME_FIELDS = (
    "text", "value", "answer", "answertext", "texts", "inputtext", "freeformanswer", "spans",
    "extractivespans", "mention", "entity", "short", "shortanswers", "yesno", "yesnoanswer",
    "string", "answerstring", "label", "name", "title", "content", "normalizedvalue",
    "answerargument", "answersmid", "answervalue", "number", "url",
)  # fmt: skip
#: Those that count only if they hold yes or no.
_YES_NO_FIELDS = frozenset({"yesno", "yesnoanswer"})
#: Fields with the IRI of an answer, and with an identifier.
_IRI_FIELDS = ("uri", "iri", "answeruri", "answeriri", "answeruris", "answeriris")
_IDENTIFIER_FIELDS = (
    "kbid", "wikidataid", "wikidataqid", "wikidata", "entityid", "answerentityid", "answerid",
    "answerqid", "qid", "mid", "topicentitymid", "id",
)  # fmt: skip
#: Fields with the identifiers of several answers.
_IDENTIFIER_LISTS = ("entities", "uris", "iris", "qids", "mids")
#: Fields with the number of a quantity, and with its unit.
_QUANTITY_FIELDS = ("value", "amount", "number", "answer", "answervalue")
_UNIT_FIELDS = ("unit", "units", "unitlabel", "answerunit")
#: Fields with other names of an answer.
_ALIAS_FIELDS = (
    "aliases", "answeraliases", "alternatives", "variants", "wordings", "synonyms", "humananswers",
    "generativeanswer", "wdnames", "wpnames",
)  # fmt: skip
#: Fields with alternatives, any of which is the answer.
_ANY_OF = ("anyof", "oneof", "eitherof")
#: A field whose name says what kind of name it holds: the one that counts, or another one.
_QUALIFIED = re.compile(
    r"(?:(?P<main>canonical|main|primary|preferred)|(?P<other>acceptable|allowed|equivalent))"
    r"(?P<field>texts?|values?|answers?|names?|labels?|strings?|spans?|forms?|aliases|spellings?)"
)
#: Fields with the name of a thing in an object that also has its identifier.
_TITLE_FIELDS = (
    "entityname", "entitylabel", "itemlabel", "label", "name", "text", "answer", "answertext",
    "answerlabel", "answerlabels", "friendlyname", "topicentityname", "answersname",
    "wikidatalabel",
)  # fmt: skip
#: Fields whose objects hold the answer of one annotator or source.
_NESTED_ANSWER_FIELDS = ("answer", "answerspans", "shortanswers", "qapairs", "output")
#: Fields with the source of an answer.
_SOURCE_FIELDS = frozenset({"provenance", "meta"})
#: Fields of a span in a passage; several spans are one answer, as several annotators marked it.
_SPAN_FIELDS = frozenset({"answer_start", "start", "start_char", "span"})
#: The name of an aggregate or a property in Cypher or SQL, ``count(m)`` or ``m.year``.
_AGGREGATE = re.compile(
    r"n|c|.*(?:cnt|count|num|total|sum|avg|min|max|amount).*|\w+\.\w+|\w+\(.*\)", re.IGNORECASE
)
#: Roles of fields whose texts are not names of an answer.
_NO_NAME_ROLES = ("reading", "language", "about an answer")
#: Fields that mark one of several objects as the answer, and their values.
_MARK_FIELDS = frozenset({
    "correct", "iscorrect", "right", "isright", "isanswer", "isgold", "label", "score", "fraction",
    "weight", "selected",
})  # fmt: skip
_CORRECT_MARKS = frozenset({"1", "true", "yes", "100"})
_MARKS = _CORRECT_MARKS | {"0", "false", "no"}
#: Types of answers that are lists of several.
LIST_TYPES = frozenset({"list", "set", "multiple", "entities", "array", "multi-span", "multi_span"})
#: Scales of numbers in tables, such as TAT-QA's.
_SCALES = frozenset({"thousand", "million", "billion", "trillion", "percent"})
#: So many single characters in a list are the characters of one text.
_MIN_CHARACTERS = 12
#: The fields of a result with the names of its columns, and with its rows.
_COLUMN_LISTS = ("vars", "variables", "columns", "keys", "header")
_ROW_LISTS = ("rows", "data", "records", "values")
#: The fields of SPARQL results, and of answers that qaldgen writes.
_RESULT_FIELDS = frozenset({"head", "results", "boolean", "texts", "link"})


def holds_answers(value: object) -> bool:
    """Return whether a value may hold answers; an object needs a name, an IRI or query results."""
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
            or _read_result_table(value) is not None
            or listed_identifiers(value) is not None
        )
    return value is not None


def only_column(rows: Sequence[object]) -> list[object]:
    """Return the values in rows of one variable, whatever its name is; none of anything else.

    >>> only_column([{"date": "1912"}, {"date": "1913"}]), only_column([{"date": "1912", "no": 1}])
    (['1912', '1913'], [])
    """
    values: list[object] = []
    for row in rows:
        if not isinstance(row, dict) or len(row) != 1:
            return []
        values += row.values()
    if any(isinstance(value, (dict, list)) for value in values):
        return []
    return values


def is_results(value: Mapping[str, object]) -> bool:
    """Return whether an object holds query results, or text answers that qaldgen has written."""
    if isinstance(value.get("results"), dict):
        return True
    has_answers = isinstance(value.get("boolean"), bool) or isinstance(value.get("texts"), list)
    return has_answers and value.keys() <= _RESULT_FIELDS


def listed_identifiers(value: Mapping[str, object]) -> list[object] | None:
    """Return the list of identifiers in an object, perhaps beside one of labels; else None.

    >>> listed_identifiers({"entities": ["Q64", "Q3012"], "labels": ["Berlin", "Ulm"]})
    ['Q64', 'Q3012']
    >>> listed_identifiers({"answer": "Ulm", "entities": ["the river Danube"]})
    """
    for key, items in value.items():
        if normalize_name(key) not in _IDENTIFIER_LISTS or not isinstance(items, list):
            continue
        are_iris = all(isinstance(item, str) and parse_term(item).type == "uri" for item in items)
        if items and are_iris:
            return items
    return None


def _read_result_table(value: Mapping[str, object]) -> Answers | None:
    """Return the answers in a result as drivers of databases write it; None for other objects.

    It has the names of its columns and its rows, which are lists or objects, or says what ASK
    returned.

    >>> _read_result_table({"vars": ["town"], "rows": [{"town": "Ulm"}, {"town": "Bonn"}]}).texts
    (('Ulm',), ('Bonn',))
    >>> _read_result_table({"type": "ask", "result": True}).boolean
    True
    """
    truth = value.get("result")
    if isinstance(truth, bool) and str(value.get("type")).lower() == "ask":
        return Answers(boolean=truth)
    columns = [value[name] for name in _COLUMN_LISTS if isinstance(value.get(name), list)]
    tables = [value[name] for name in _ROW_LISTS if isinstance(value.get(name), list)]
    if not columns or not tables:
        return None
    variables = [str(name) for name in as_list(columns[0])]
    rows = []
    for row in as_list(tables[0]):
        cells = row
        if isinstance(row, dict) and isinstance(row.get("row"), list):
            cells = row["row"]  # as Neo4j answers over HTTP
        if isinstance(cells, list):
            cells = dict(zip(variables, cells, strict=False))
        if not isinstance(cells, dict):
            return None
        filled = {name: cells[name] for name in variables if cells.get(name) is not None}
        if any(isinstance(cell, (dict, list)) for cell in filled.values()):
            return None
        rows.append({name: scalar_text(cell) for name, cell in filled.items()})
    if len(variables) == 1:
        return Answers(texts=tuple((text,) for texts in rows for text in texts.values()))
    return answers_from_rows(
        [{name: parse_term(text) for name, text in texts.items()} for texts in rows], variables
    )


def _is_binding(value: Mapping[str, object]) -> bool:
    """Return whether an object is one row of SPARQL results, or one cell of a row."""
    if value.get("type") in ("uri", "literal", "typed-literal", "bnode") and "value" in value:
        return True
    return bool(value) and all(
        isinstance(cell, dict) and {"type", "value"} <= cell.keys() for cell in value.values()
    )


def _has_names_by_identifier(value: Mapping[str, object]) -> bool:
    """Return whether an object maps identifiers to names; the name of a literal is its value."""
    return bool(value) and all(key == value[key] or parse_term(key).type == "uri" for key in value)


def is_by_annotator(value: Mapping[str, object]) -> bool:
    """Return whether an object maps the numbers of annotators to their answers."""
    return bool(value) and all(
        key.isdecimal() and isinstance(answers, (dict, list)) for key, answers in value.items()
    )


def with_scale(value: object, scale: object) -> object:
    """Return a number with its scale as a text; any other value as it is.

    >>> with_scale(24.3, "million"), with_scale("24.3", ""), with_scale(7, "table")
    ('24.3 million', '24.3', 7)
    """
    is_number = isinstance(value, (str, int, float)) and parse_number(str(value)) is not None
    if is_number and isinstance(scale, str) and scale in _SCALES:
        return f"{value} {scale}"
    return value


def answers_in_list(
    values: list[object], record: Fields, name: str, *, several: bool
) -> Answers | None:
    """Return the answers in a list that is the value of a field; None if all items are blank.

    The list is read as the first of these that it is: one boolean; one table; an answer and its
    scale; results of queries; rows or cells of such results; the pairs of an annotator who
    understands a question in several ways; and else items with names, of which those marked as
    wrong, and further sources of an answer, do not count. Items are different answers if `several`
    is true, unless they are spans of one answer; else they are names of one answer.
    """
    if len(values) == 1 and isinstance(values[0], bool):
        return Answers(boolean=values[0])
    if len(values) == 1 and isinstance(values[0], dict):
        table = _read_result_table(values[0])
        if table is not None:
            return table
    if len(values) == 2:  # an answer and its scale, which may be empty
        answer, scale = values
        if isinstance(answer, list) and isinstance(scale, str) and scale in {"", *_SCALES}:
            scaled = [with_scale(item, scale) for item in answer]
            return answers_in_list(scaled, record, name, several=several)
        quantity = with_scale(answer, scale)
        values = values if quantity is answer else [quantity]

    objects = [item for item in values if isinstance(item, dict)]
    only_objects = len(objects) == len(values)
    if only_objects and objects and all(map(is_results, objects)):
        results = [record.inside(f"{name}[{index}]", item) for index, item in enumerate(objects)]
        return merge_answers([read_results(fields) for fields in results])
    if only_objects and all(map(_is_binding, objects)):
        bindings = []
        for item in objects:
            is_cell = not isinstance(next(iter(item.values())), dict)
            if is_cell:
                item = {"answer": item}
            bindings.append(item)
        return read_results(record.inside(name, {"results": {"bindings": bindings}}))

    candidates = objects_marked_correct(values) or values
    pairs = _question_answer_pairs(candidates[0])
    if len(pairs) > 1:
        names_by_pair = [_read_names(pair, record, name) for pair in pairs]
        return Answers(texts=tuple(filter(None, names_by_pair)))

    candidates = [item for item in candidates if not _is_source(item)] or candidates
    answers = []
    for candidate in candidates:
        names = _read_names(candidate, record, name)
        if names:
            answers.append(names)
    if not answers:
        return Answers() if only_objects else None

    if all(isinstance(item, list) for item in candidates):
        return Answers(texts=tuple(answers))  # each inner list holds the names of one answer
    # rows of a graph database, each with one value
    several |= len(objects) > 1 and all(
        len(item) == 1 and _AGGREGATE.fullmatch(next(iter(item))) for item in objects
    )
    have_spans = any(_SPAN_FIELDS & item.keys() for item in objects)
    have_nested_answers = any(isinstance(item.get("answer"), (dict, list)) for item in objects)
    if several and not have_spans and not have_nested_answers:
        return Answers(texts=tuple(answers))
    return Answers(texts=(tuple(dict.fromkeys(text for names in answers for text in names)),))


def _question_answer_pairs(value: object) -> list[object]:
    """Return the pairs of an annotator who understands a question in several ways, if any."""
    if isinstance(value, dict):
        for key, pairs in value.items():
            if normalize_name(key) == "qapairs" and isinstance(pairs, list):
                return pairs
    return []


def _is_source(item: object) -> bool:
    """Return whether an item is a further source of the preceding answers, as KILT lists them."""
    return (
        isinstance(item, dict)
        and bool(item)
        and _SOURCE_FIELDS.issuperset(map(normalize_name, item))
    )


def answers_in_object(
    value: dict[str, object], record: Fields, name: str, *, several: bool
) -> Answers | None:
    """Return the answers in an object that is the value of a field; None if it names none.

    The object is read as the first of these that it is: results of a query, in JSON or as columns
    and rows; one row or cell of such
    results; a list with its type; a list of spans, or of identifiers; columns of a table; the
    number, date or spans of DROP; names by identifier; and else one answer with its names. Items of
    its lists are different answers if `several` is true, else names of one answer.
    """
    if is_results(value):
        return read_answers_object(record.inside(name, value))
    table = _read_result_table(value)
    if table is not None:
        return table
    if _is_binding(value):
        return answers_in_list([value], record, name, several=several)
    listed = value.get("value")
    if isinstance(listed, list) and str(value.get("type")) in LIST_TYPES:
        return answers_in_list(listed, record, name, several=True)
    spans = value.get("spans")
    if isinstance(spans, list) and spans:
        return answers_in_list(spans, record, name, several=True)
    identifiers = listed_identifiers(value)
    if identifiers is not None:
        return answers_in_list(identifiers, record, name, several=True)
    # Hugging Face converts a list of objects to an object of lists
    rows = rows_of_columns(value)
    if rows is not None:
        return answers_in_list(list(rows), record, name, several=several)
    if isinstance(spans, list):
        # without spans, the answer of DROP is a number or a date, or there is none
        date = value.get("date")
        if isinstance(date, dict):
            date = " ".join(flat_texts([date.get(part) for part in ("day", "month", "year")]))
        names = _names_in_object(value) or tuple(flat_texts(date))
    elif _has_names_by_identifier(value):
        return Answers(texts=tuple((identifier,) for identifier in value))
    else:
        names = _read_names(value, record, name)
        if not names:
            return None
    return Answers(texts=(names,)) if names else Answers()


def _read_names(item: object, record: Fields, name: str) -> tuple[str, ...]:
    """Return the names of the answer in an item of a field, the main one first."""
    if isinstance(item, str) and item and not item[0].isspace() and not item[-1].isspace():
        return (item,) if item != NO_ANSWER else ()  # most answers
    if isinstance(item, list) and len(item) >= _MIN_CHARACTERS and all(map(_is_character, item)):
        return ("".join(item),)  # a text that was taken for a list
    if not isinstance(item, dict):
        return tuple(dict.fromkeys(flat_texts(item)))
    names = _names_in_object(item)
    if names is None:
        known = f"{', '.join(_NAME_FIELDS[:3])} or {_IRI_FIELDS[0]}"
        raise record.error(name, f"answers as texts, or objects with {known}")
    return names


def _is_character(item: object) -> bool:
    return isinstance(item, str) and len(item) == 1


def _names_in_object(item: Mapping[str, object]) -> tuple[str, ...] | None:
    """Return the names of the answer in an object; None if it has neither a name nor an IRI.

    The first of these counts: the names in objects inside it; an identifier; the value that has a
    label beside it; a number with its unit; the known fields for IRIs and names; the texts by
    language; and the only value. There are no names in an object that is marked as wrong, or that
    lacks HELM's tag ``correct``.
    """
    fields = {normalize_name(key): value for key, value in item.items()}
    for key, value in list(fields.items()):
        qualified = _QUALIFIED.fullmatch(key)
        if qualified is None or isinstance(value, bool):
            continue
        if qualified["main"]:
            fields.setdefault(qualified["field"].removesuffix("s"), value)
        elif isinstance(value, (str, list)):
            fields["aliases"] = [*as_list(fields.get("aliases")), *as_list(value)]
    # prefer these to the normalised aliases, which lack case and punctuation
    fields["aliases"] = fields.get("aliases") or fields.get("normalizedaliases")
    tags = fields.get("tags")
    is_untagged = isinstance(tags, list) and "correct" not in tags
    if is_untagged or fields.get("unanswerable") is True or fields.get("type") == "none":
        return ()
    inner_objects = [
        inner
        for key in _NESTED_ANSWER_FIELDS
        for inner in as_list(fields.get(key))
        if isinstance(inner, dict)
    ]
    names_of_inner = [_names_in_object(inner) for inner in inner_objects]
    inner_names = [name for names in names_of_inner for name in names or ()]
    if inner_names:
        return tuple(dict.fromkeys(inner_names))
    # an identifier is more reliable than a label
    for text, iri in _iris_in(fields, _IDENTIFIER_FIELDS):
        if iri != text:
            return (iri,)
    # a row of Wikidata's endpoint: item and itemLabel
    labelled = [key for key in item if f"{key}Label" in item]
    if len(labelled) == 1:
        return tuple(flat_texts(item[labelled[0]]))
    quantity = _quantity(fields)
    if quantity:
        return (quantity,)
    names = _names_in_fields(fields)
    for key in _ANY_OF:
        names = names or tuple(dict.fromkeys(flat_texts(fields.get(key))))
    if names:
        return names
    if any(key in fields for key in (*_IRI_FIELDS, *_NAME_FIELDS)):
        return None if None in names_of_inner else ()
    if is_text_by_language(item):
        return tuple(dict.fromkeys(flat_texts(list(item.values()))))
    # the only value: the target of a reward, a row of a graph database
    name = next(iter(item), "")
    if len(item) == 1 and (has_role(name, "answer") or _AGGREGATE.fullmatch(name)):
        names = tuple(flat_texts(item[name]))
    return names or _only_text(fields)


def _quantity(fields: Mapping[str, object]) -> str:
    """Return the quantity in an object that has a number and its unit; else empty."""
    units = [text for key in _UNIT_FIELDS for text in flat_texts(fields.get(key))]
    numbers = [text for key in _QUANTITY_FIELDS for text in flat_texts(fields.get(key))]
    is_quantity = len(units) == len(numbers) == 1 and parse_number(numbers[0]) is not None
    if not is_quantity or parse_term(units[0]).type == "uri":
        return ""
    return f"{numbers[0]} {units[0]}"


def _names_in_fields(fields: Mapping[str, object]) -> tuple[str, ...]:
    """Return the IRI or the names in the known fields of an object, the main name first."""
    answer = fields.get("answer")
    if isinstance(answer, str) and len(answer) > 1 and "text" in fields:
        fields = {**fields, "text": answer}  # the text beside an answer is a passage
    for key in (*_IRI_FIELDS, *_NAME_FIELDS):
        texts = list(flat_texts(fields.get(key)))
        if key in _YES_NO_FIELDS:
            texts = [text for text in texts if parse_boolean(text) is not None]
        if texts and key not in _IRI_FIELDS:
            for alias in _ALIAS_FIELDS:
                texts += flat_texts(fields.get(alias))
        if texts:
            return tuple(dict.fromkeys(texts))
    return ()


def _only_text(fields: Mapping[str, object]) -> tuple[str, ...] | None:
    """Return the only text of an object, whatever its field is called; None if there are others."""
    if any(has_role(key, "answer", "prediction") for key in fields):
        return None
    text_by_key = {key: text for key, text in fields.items() if isinstance(text, str)}
    keys = [key for key in text_by_key if not has_role(key, *_NO_NAME_ROLES)]
    keys = [key for key in keys if not key.endswith("type") and key not in _UNIT_FIELDS]
    if len(keys) != 1 or not keys[0].isidentifier():
        return None
    return (text_by_key[keys[0]].strip(),)


def objects_marked_correct(values: Sequence[object]) -> list[object] | None:
    """Return the objects in a list that are marked as correct; None if there are no such marks.

    >>> objects_marked_correct([{"text": "Ulm", "label": 1}, {"text": "Bonn", "label": 0}])
    [{'text': 'Ulm', 'label': 1}]
    """
    objects = [item for item in values if isinstance(item, dict)]
    if not objects or len(objects) < len(values):
        return None
    for name in objects[0]:
        marks = [scalar_text(item.get(name)).lower() for item in objects]
        different_marks = set(marks)
        are_marks = len(different_marks) > 1 and different_marks <= _MARKS
        if are_marks and (normalize_name(name) in _MARK_FIELDS or has_role(name, "choice")):
            pairs = zip(objects, marks, strict=True)
            return [item for item, mark in pairs if mark in _CORRECT_MARKS]
    return None


def names_by_iri(value: object) -> dict[str, tuple[str, ...]]:
    """Return the names of things that a record mentions together with their identifiers, by IRI.

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
    fields = _naming_fields(tuple(value))
    for name in fields.identifiers:
        iris = [iri for _, iri in _iris_in(value, [name])]
        if not iris:
            continue
        texts: list[str] = []
        for title_name in fields.titles:
            titles = value[title_name]
            if isinstance(titles, dict):
                titles = list(titles.values())
            texts += [text for text in flat_texts(titles) if parse_term(text).type != "uri"]
        if len(iris) == len(texts):
            names |= {iri: (text,) for iri, text in zip(iris, texts, strict=True)}
        elif texts:
            names[iris[0]] = tuple(dict.fromkeys(texts))
        break
    for name in fields.iris:
        inner = value[name]
        if isinstance(inner, str) and parse_term(inner).type != "uri":
            names[parse_term(name).value] = (inner,)
    for inner in value.values():
        if isinstance(inner, (dict, list)):
            names |= names_by_iri(inner)
    return names


class _NamingFields(NamedTuple):
    """The fields of a record that may name things, the preferred ones first."""

    titles: list[str]
    identifiers: list[str]
    iris: list[str]  # fields that are themselves IRIs, with the name as their value


@functools.lru_cache(maxsize=1024)  # most records of a file have the same fields
def _naming_fields(names: tuple[str, ...]) -> _NamingFields:
    fields = {normalize_name(name): name for name in names}
    titles = filter(fields.__contains__, (*_TITLE_FIELDS, *_ALIAS_FIELDS))
    keys = filter(fields.__contains__, (*_IDENTIFIER_FIELDS, *_IRI_FIELDS, *_NAME_FIELDS))
    iris = [name for name in names if parse_term(name).type == "uri"]
    return _NamingFields([fields[key] for key in titles], [fields[key] for key in keys], iris)


def _iris_in(fields: Mapping[str, object], keys: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the texts in some fields that are IRIs or identifiers, each with its IRI."""
    for key in filter(fields.__contains__, keys):
        for text in flat_texts(fields[key]):
            cell = parse_term(text)
            if cell.type == "uri":
                yield text, cell.value
