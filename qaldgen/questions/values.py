"""One reading of values: a cell, a JSON value or a term, of gold or of a run, becomes answers.

A value is read by what it looks like and by what its question says (the query, the expected type),
never by what other rows of its file hold; so the same value is the same answer on both sides.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

from qaldgen.io.json_text import as_list
from qaldgen.io.notes import note
from qaldgen.model import Answers, Cell, Question, Remark
from qaldgen.questions.fields import is_a, plain_name
from qaldgen.questions.nested_records import rows_of_columns
from qaldgen.questions.records import (
    NO_ANSWER,
    Fields,
    boolean_of,
    flat_texts,
    scalar_text,
    truth_of,
    yes_or_no,
)
from qaldgen.questions.results_json import (
    answers_in,
    json_results,
    make_answers,
    merge_answers,
    plain_cell,
    results_answers,
)
from qaldgen.sparql.clauses import projected
from qaldgen.sparql.repair import DEFAULT_PREFIXES

WIKIDATA = "http://www.wikidata.org/entity/"
FREEBASE = "http://rdf.freebase.com/ns/"


#: Between the choices of a question in one text.
BAR = " | "


class Choices(NamedTuple):
    """The choices of a question."""

    #: The choices; an empty text keeps the place of a missing choice, such as option C of A, B, D.
    texts: tuple[str, ...]
    labels: tuple[str, ...] = ()  # their names, such as A and B, if the data states them
    first: int | None = None  # the number of the first one, if the gold names them by number
    places: bool = False  # whether a number is a place, even where a choice is that number

    def __str__(self) -> str:
        """Return them in one text, which `choices.stated_choices` reads."""
        return BAR.join(filter(None, self.texts))


class Expected(NamedTuple):
    """What a question says about its answers."""

    kind: str = ""  # resource, string, number, date, boolean, or empty
    query: str = ""  # the query; empty if there is none
    #: The knowledge graph of the set, if its identifiers show only by that.
    graph: str = ""
    choices: Choices | None = None  # those that the question offers
    truth: bool = False  # whether the gold answer is a truth value
    several: bool = False  # whether the question has several gold answers
    ranked: bool = False  # whether a list of answers is one of candidates, the best first


NOTHING_KNOWN = Expected()

# --- one value

#: The local names that a prefix may have, by the start of its namespace: a colon is also common in
#: plain text.
_LOCAL = tuple(
    (start, re.compile(shape))
    for start, shape in {
        "http://www.wikidata.org/": r"[QPL][0-9]+\S*",
        "http://rdf.freebase.com/": r"[a-z]\w*(?:\.\w+)+",
        "http://dbpedia.org/resource/": r"[^\s/:]\S*",
        "": r"[^\W\d]\S*",
    }.items()
)
#: A literal as SPARQL writes it, with a datatype or a language.
_LITERAL = re.compile(
    r"""(?:"(?P<quoted>[^"\\]*)"|(?P<bare>[^\s"^@<]+(?=\^)))"""
    r"(?:\^\^<?(?P<datatype>https?://[^\s<>]+|xsd:\w+)>?|@(?P<tag>[A-Za-z]{2,3}(?:-\w+)*))"
)
_IN_BRACKETS = re.compile(r"<\S+>")
_ITEM = re.compile(r"[QP][0-9]+")
#: An item behind its name, as people note it: ``Paris (Q90)``; one digit may be a quarter.
_NAMED_ITEM = re.compile(r"[^\W\d_].*\s\((?:wd:)?(?P<item>Q[1-9][0-9]+)\)")
#: Identifiers of Freebase by their look; a set that is said to be of Freebase may have others.
_MID, _ANY_MID = re.compile(r"(?:ns:)?(?:m\.0|g\.1)[0-9a-z_]*"), re.compile(r"(?:ns:)?[mg]\.\w+")
#: An id of Freebase as in its dumps and its addresses.
_SLASHED = re.compile(r"(?:(?:www|rdf)\.freebase\.com)?/(?:ns/)?(?P<kind>[mg])/(?P<id>[01]\w*)")
_DATE = re.compile(r"-?[0-9]{4,}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]+)?(?:Z|[+-][0-9:]+)?")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def term(text: str, graph: str = "") -> Cell:
    """Return the cell of a text: an IRI (also prefixed, or an identifier), else a literal.

    >>> names = ("Q64", "<http://x.org/a>", "dbr:Berlin", "m.0d05w3", "12:30", "Berlin")
    >>> [term(name).type for name in names]
    ['uri', 'uri', 'uri', 'uri', 'literal', 'literal']
    >>> term('"Ulm"@de'), term('"7"^^xsd:integer').datatype
    (Cell(type='literal', value='Ulm', datatype='', language='de'), 'http://www.w3.org/2001/XMLSchema#integer')
    """
    text = text.strip()
    if (text[:1] == '"' or "^^" in text) and (literal := _LITERAL.fullmatch(text)):
        datatype = named_cell(literal["datatype"] or "").value
        return Cell("literal", literal["quoted"] or literal["bare"], datatype, literal["tag"] or "")
    if text[:1] in {"Q", "P"} and _ITEM.fullmatch(text):
        return Cell("uri", WIKIDATA + text)
    if text[-1:] == ")" and (named_item := _NAMED_ITEM.fullmatch(text)):
        return Cell("uri", WIKIDATA + named_item["item"])
    if text[:1] in {"m", "g", "n"} and (_ANY_MID if graph == "freebase" else _MID).fullmatch(text):
        return Cell("uri", FREEBASE + text.removeprefix("ns:"))
    if text[:1] in {"/", "w", "r"} and (slashed := _SLASHED.fullmatch(text)):
        return Cell("uri", f"{FREEBASE}{slashed['kind']}.{slashed['id']}")
    if _IN_BRACKETS.fullmatch(text):
        text = text[1:-1]
    return named_cell(text)


def kind_of(text: str) -> str:
    """Return the class of a value: resource, number, date, boolean or string; empty for no text.

    >>> [kind_of(text) for text in ("Q64", "3.5", "1999-05-01", "true", "Ulm", " ")]
    ['resource', 'number', 'date', 'boolean', 'string', '']
    """
    text = text.strip()
    if not text:
        return ""
    if truth_of(text) is not None:
        return "boolean"
    if _NUMBER.fullmatch(text):
        return "number"
    if _DATE.fullmatch(text):
        return "date"
    if term(text).type == "uri":
        return "resource"
    return "string"


def number_in(text: str) -> float | None:
    """Return the number that a text is; None for any other text."""
    if _NUMBER.fullmatch(text.strip()):
        return float(text)
    return None


def most_probable(value: object) -> object:
    """Return the candidate with the highest probability or score, the first of equals.

    Any value but candidates is returned as it is.

    >>> most_probable({"Ulm": 0.2, "Bonn": 0.7}), most_probable([["Ulm", 0.9], ["Bonn", 0.1]])
    ('Bonn', 'Ulm')
    >>> most_probable([{"text": "Ulm", "score": 3}, {"text": "Bonn", "score": 8}])
    {'text': 'Bonn', 'score': 8}
    >>> most_probable(["Ulm", 0.93])
    'Ulm'
    """
    if isinstance(value, dict) and value and all(map(_is_number, value.values())):
        # {"answer": 1204, "confidence": 1} has fields
        if any(is_a(name, *_FIELDS_OF_ANSWERS) for name in value):
            return value
        return max(value, key=lambda name: value[name])
    if not isinstance(value, list) or not value:
        return value
    if _is_scored(value):
        return value[0]
    if len(value) == 1 and _is_scored(value[0]):
        return value[0][0]
    if len(value) < 2 or not isinstance(value[0], (dict, list)):
        return value
    if all(isinstance(item, list) and len(item) == 2 for item in value):
        if all(isinstance(text, str) and _is_number(score) for text, score in value):
            return max(value, key=lambda pair: pair[1])[0]
        return value
    if not all(isinstance(item, dict) for item in value):
        return value
    names = {next((name for name in _PROBABLE if name in item), "") for item in value}
    name = names.pop()
    if names or not name or not all(_is_number(item[name]) for item in value):
        return value
    return max(value, key=lambda item: item[name])


#: Roles of fields that stand for an answer, or beside one.
_FIELDS_OF_ANSWERS = ("answer", "bare answer", "prediction", "confidence", "seconds")
#: Fields with the probability or score of a candidate.
_PROBABLE = ("probability", "prob", "confidence", "score")


def _is_scored(value: object) -> TypeGuard[list[Any]]:
    """Return whether a value is a pair of an answer and its probability, written as a fraction."""
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[0], str):
        return False
    return isinstance(value[1], float) and 0 <= value[1] <= 1


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def named_cell(value: str) -> Cell:
    """Return a cell like `plain_cell`, with the usual prefixes of the field resolved.

    >>> named_cell("dbr:Berlin").value, named_cell("12:30").type, named_cell("p:1").type
    ('http://dbpedia.org/resource/Berlin', 'literal', 'literal')
    """
    prefix, _, local = value.partition(":")
    namespace = DEFAULT_PREFIXES.get(prefix)
    if namespace is not None and local:
        shape = next(shape for start, shape in _LOCAL if namespace.startswith(start))
        if shape.fullmatch(local):
            return Cell("uri", namespace + local)
    return plain_cell(value)


# --- lists in a text

_ARRAY = re.compile(r"array\((\[.*?\])(?:,\s*dtype=[\w<>']+)?\)", re.DOTALL)
#: Longer texts are not lists of answers, and would take long to parse.
_LONGEST = 4_000_000
#: How an IRI begins in a text, perhaps in quotes, and what stands between two.
_IRI = r"<?https?://|<|[A-Za-z][\w.-]*:\S|[QP][0-9]+\b|[mg]\.[01]"
_STARTS = re.compile(rf"[\s\"']*(?:{_IRI})")
_WRITTEN = re.compile(rf"\s*(?:[\[{{(]|set\(|frozenset\(|array\(|[\"']*(?:{_IRI}))")
_BETWEEN = re.compile(rf"(?<![\s,;|])[\s,;|]+(?=[\"']?(?:{_IRI}))")


def list_in(value: object) -> list[object] | None:
    """Return a list, also one that a text writes in JSON, Python or numpy; else None.

    Sets and tuples of Python are lists too, and so are several IRIs.

    >>> list_in("['a', 'b']"), list_in("['a' 'b']"), list_in("{'b', 'a'}"), list_in("[Ben]")
    (['a', 'b'], ['a', 'b'], ['b', 'a'], None)
    >>> list_in("wd:Q1, wd:Q2"), list_in("http://x.org/Ulm,_Bonn"), list_in("[red, white]")
    (['wd:Q1', 'wd:Q2'], None, ['red', 'white'])
    """
    listed = written(value)
    if isinstance(listed, list):
        return listed
    return None


def written(value: object) -> list[object] | dict[str, object] | None:
    """Return a list or object, also one that a text writes out; None for any other value."""
    if isinstance(value, (list, dict)):
        return value
    if not isinstance(value, str) or not _WRITTEN.match(value):  # most texts
        return None
    text = value.strip()
    if text in {"set()", "frozenset()", "()"}:
        return []
    if text.startswith("frozenset("):
        text = text[len("frozenset(") : -1]
    if "array(" in text[: 2 * _MOST_WRAPPED]:
        text = _ARRAY.sub(r"\1", text)
    if text[:1] in {"[", "{", "("} and text[-1:] in {"]", "}", ")"} and len(text) <= _LONGEST:
        for parse in (json.loads, _python_value):
            try:
                value = parse(text)
            except (ValueError, SyntaxError, MemoryError, RecursionError, tokenize.TokenError):
                continue
            if isinstance(value, (list, dict)):
                return value
        unquoted = _UNQUOTED.fullmatch(text)
        text = text[1:-1]
        if unquoted is not None and not _STARTS.match(text):
            return [part.strip() for part in text.split(",")]
    return _several_iris(text)


#: A list of short texts without quotes, as Java writes it.
_BARE_ENTRY = r"\s*[^\W_][^\[\](){}<>\"',|\n]{0,60}"
_UNQUOTED = re.compile(rf"\[{_BARE_ENTRY}(?:,{_BARE_ENTRY})+\]")


#: An array of numpy begins near the start of a text, perhaps as the value of a key.
_MOST_WRAPPED = 1000


def _several_iris(text: str) -> list[object] | None:
    """Return the IRIs in a text that holds two or more of them, and nothing else."""
    if len(text) > _LONGEST or not _STARTS.match(text) or not _BETWEEN.search(text):
        return None
    parts: list[object] = []
    for part in _BETWEEN.split(text):
        iri = part.strip(" ,;|")
        if iri[:1] == iri[-1:] and iri[:1] in "\"'":
            iri = iri[1:-1]
        # no IRI has a bar
        if "|" in iri or term(iri).type != "uri":
            return None
        parts.append(iri)
    return parts


def _python_value(text: str) -> object:
    """Parse a value in the notation of Python, sets in their order; or of numpy, without commas."""
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.Dict):
        return ast.literal_eval(node)
    if not isinstance(node, (ast.List, ast.Set, ast.Tuple)):
        return None
    values = [ast.literal_eval(item) for item in node.elts]
    strings = [item for item in values if isinstance(item, str)]
    if isinstance(node, ast.Tuple) and not strings:
        return None  # a point or a range, in words
    # Python joins 'a' 'b' to one string: count the literals to tell numpy's notation
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    literals = [token.string for token in tokens if token.type == tokenize.STRING]
    if len(strings) == len(values) and len(literals) > len(values):
        return [ast.literal_eval(literal) for literal in literals]
    return values


# --- texts that look like lists, for a note

#: Separators of answers, the least ambiguous one first.
_SEPARATORS = (";", "\n", ",")
#: The most words of a part; longer ones are clauses of a sentence.
_LONGEST_PART = 5
#: The rule that the note belongs to.
LOOKS_LIKE_LISTS = "list-in-text"
#: What to do about them; the separator follows.
_ADVICE = "separate them with |, or split them with `split_answers`"
#: This share of comma lists among the answers is not an accident; places and dates have commas too.
_MANY = 0.3
_ASKS_FOR_SEVERAL = re.compile(
    r"^(?:list|name|give|show|enumerate)\b|\b(?:which|what)\s+(?:are|were|(?!is\b|was\b|has\b|"
    r"does\b)\w+s)\b|\bwho\s+(?:are|were)\b|^(?:name|list|give me) all\b",
    re.IGNORECASE,
)
#: Numbers and dates, whose commas do not separate answers.
_NO_LIST = re.compile(
    r"\d{1,3}(?:,\d{3})+|(?:\w+\.?"
    r" )?\d{1,2},\s*\d{4}|(?:mon|tues|wednes|thurs|fri|satur|sun)day,.*",
    re.IGNORECASE,
)


def listed_answers(questions: Sequence[Question]) -> dict[str, str]:
    """Return the questions whose only gold answer looks like several, with the separator.

    A comma counts only if the question asks for several things, or if many answers have one.

    >>> from qaldgen.model import Answers
    >>> answers = Answers(texts=(("Phobos, Deimos",),))
    >>> moons = Question("1", {"en": ("Which moons has Mars?",)}, answers=answers)
    >>> listed_answers([moons])
    {'1': ','}
    """
    gold = [
        (question, _separator(question.answers))
        for question in questions
        if question.answers is not None and question.answers.values()
    ]
    commas = sum(separator == "," for _, separator in gold)
    # one answer with a comma is a place or a title; many are lists
    are_many = commas >= max(2, _MANY * len(gold))
    listed = {}
    for question, separator in gold:
        one_comma = separator == "," and not are_many
        if one_comma and not _ASKS_FOR_SEVERAL.search(question.text().strip()):
            continue
        if separator:
            listed[question.id] = separator
    return listed


def note_lists(questions: Sequence[Question]) -> None:
    """Say which answers look like lists, if there are any."""
    listed = listed_answers(questions)
    if listed:
        first, separator = next(iter(listed.items()))
        count = "1 gold answer looks"
        if len(listed) > 1:
            count = f"{len(listed):,} gold answers look"
        text = (
            f"{count} like several in one text (first: question {first}); {_ADVICE} {separator!r}"
        )
        note(Remark(text, rule=LOOKS_LIKE_LISTS))


def _separator(answers: Answers) -> str:
    """Return the separator that splits the only answer's only name into short parts; else ""."""
    values = answers.values()
    if len(answers.texts) + len(answers.rows) != 1 or len(values) != 1:
        return ""
    if any(len(wordings) != 1 for wordings in answers.texts):
        return ""
    text = values[0].strip()
    # commas and semicolons are legal in IRIs
    if re.match(r"https?://|urn:", text) or _NO_LIST.fullmatch(text):
        return ""
    for separator in _SEPARATORS:
        parts = [part.strip() for part in text.split(separator)]
        if len(parts) > 1 and all(part and len(part.split()) <= _LONGEST_PART for part in parts):
            return separator
    return ""


# --- answers


def answers_in_column(cells: Iterable[Cell], variable: str = "answer") -> Answers:
    """Build answers with a single variable."""
    rows = tuple([(cell,) for cell in cells])
    if not rows:
        return Answers()
    return Answers(variables=(variable,), rows=rows)


def typed_answers(rows: Sequence[Sequence[tuple[str, str, str]]], kind: str) -> Answers:
    """Return answers written as (variable, kind, value), as in QALD XML."""
    results: list[dict[str, Cell]] = []
    for row in rows:
        results.append({})
        for name, stated, value in row:
            if (stated or kind) == "boolean" and (truth := boolean_of(value)) is not None:
                return Answers(boolean=truth)
            cell = named_cell(value)
            if stated in {"uri", "resource"}:
                cell = Cell("uri", cell.value)
            usual = kind if kind in {"number", "date"} else "string"
            if cell.type == "uri":
                usual = "uri"
            variable = name or usual
            # a second value of the same kind is another answer, not another column
            if variable in results[-1]:
                results.append({})
            results[-1][variable] = cell
    return make_answers([row for row in results if row])


def as_terms(
    answers: Answers | None, expected: Expected, *, queried: bool = False
) -> Answers | None:
    """Return answers in words as terms: IRIs by their look, all others where there is a query.

    A single ``true`` or ``false`` becomes a boolean, yes and no where one is expected.
    """
    if answers is None or not answers.texts:
        return answers
    first = answers.texts[0][0]
    if len(answers.texts) == 1:
        truth = truth_of(first)
        if truth is None and expected.kind == "boolean":
            truth = boolean_of(first)
        if truth is None and expected.truth:
            truth = yes_or_no(first)
        if truth is not None:
            return Answers(boolean=truth)
    cells = [[term(word, expected.graph) for word in wordings] for wordings in answers.texts]
    # an IRI is not another name of an answer, so each IRI is an answer of its own
    if any(main.type == "uri" or main.datatype or main.language for main, *_ in cells):
        column: list[Cell] = []
        for wordings in cells:
            if wordings[-1].type != "uri":
                del wordings[1:]
            column += wordings
        return answers_in_column(column)
    # names of one answer cannot be rows: a system would have to give them all
    if queried and all(len(wordings) == 1 for wordings in cells):
        return answers_in_column(wordings[0] for wordings in cells)
    return answers


#: The fields of an object that may hold the name of an answer, preferred ones first, its IRI, an
#: identifier, and further names, by their plain names.
_WORDS = (
    "text", "value", "answer", "answertext", "texts", "inputtext", "freeformanswer", "spans",
    "extractivespans", "mention", "entity", "short", "shortanswers", "yesno", "yesnoanswer",
    "string", "answerstring", "label", "name", "title", "content", "normalizedvalue",
    "answerargument", "answersmid", "answervalue", "number", "url",
)  # fmt: skip
_YES_NO = frozenset({"yesno", "yesnoanswer"})
_IRIS = ("uri", "iri")
_NAMES = (
    "kbid", "wikidataid", "wikidataqid", "wikidata", "entityid", "answerentityid", "answerid",
    "answerqid", "qid", "mid", "topicentitymid", "id",
)  # fmt: skip
_ALIASES = (
    "aliases", "answeraliases", "alternatives", "variants", "wordings", "synonyms", "humananswers",
    "generativeanswer",
)  # fmt: skip
_RESULTS = frozenset({"head", "results", "boolean", "texts", "link"})
#: Fields that say where an answer is found.
_SOURCES = frozenset({"provenance", "meta"})
#: An object with one of these is a span in a passage; several spans are what several annotators
#: marked for one answer.
_SPAN = frozenset({"answer_start", "start", "start_char", "span"})


def holds_answers(value: object) -> bool:
    """Whether a value can hold answers; an object needs a name, an IRI, or query results."""
    if isinstance(value, list):
        return not value or any(holds_answers(item) for item in value)
    if isinstance(value, dict):
        return (
            _is_results(value)
            or _is_binding(value)
            or _names_by_id(value)
            or _by_annotator(value)
            or _part_of(value) is not None
            or "spans" in value
        )
    return value is not None


def _names_by_id(value: Mapping[str, object]) -> bool:
    """Return whether an object has names by identifiers; a literal stands for itself."""
    return len(value) > 0 and all(key == value[key] or term(key).type == "uri" for key in value)


def _by_annotator(value: Mapping[str, object]) -> bool:
    """Return whether an object has the answers of annotators, objects under their numbers."""
    return len(value) > 0 and all(
        key.isdecimal() and isinstance(inner, (dict, list)) for key, inner in value.items()
    )


#: The mark before the result of a worked solution.
RESULT = "####"
_BOXED = re.compile(r"\\f?boxed\s*\{")


def boxed(text: str) -> str | None:
    r"""Return what the last ``\boxed{}`` of a text holds; None if there is none.

    >>> boxed(r"So $x = \boxed{\frac{1}{2}}$.")
    '\\frac{1}{2}'
    """
    if "boxed" not in text:  # most texts
        return None
    boxes = list(_BOXED.finditer(text))
    if not boxes:
        return None
    # braces may be nested, which a regular expression cannot count
    start = end = boxes[-1].end()
    depth = 1
    while end < len(text) and depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[start : end - (not depth)]


def marked_result(solution: object) -> tuple[str, ...]:
    r"""Return the result that a worked solution marks, by ``####`` or a box; empty if none is.

    A number has a second wording, without thousands separators, which comes first.

    >>> marked_result("800 + 400\n#### 1,200"), marked_result("It is seven.")
    (('1200', '1,200'), ())
    """
    if not isinstance(solution, str):
        return ()
    _, mark, result = solution.rpartition(RESULT)
    if not mark:
        result = boxed(solution) or ""
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", result.strip())
    return tuple(dict.fromkeys(filter(None, (plain, result.strip()))))


def answers_of(
    value: object,
    record: Fields,
    name: str,
    expected: Expected = NOTHING_KNOWN,
    *,
    several: bool = True,
    bars: bool = True,
    separator: str = "",
) -> Answers | None:
    """Return the answers that a value holds, in words or as results; None if it is blank.

    Entries of a list are several answers, or else names of one. Of several variables that the query
    projects, an entry with a value for each is a row.
    """
    listed = written(value)
    if listed is not None and holds_answers(listed):
        value = listed
    elif isinstance(value, str):
        parts = _divided(value.strip(), separator, bars=bars)
        value = "".join(parts)
        if len(parts) > 1:
            value, several = parts, True
    if value is None or value == "":
        return None
    if value == []:
        return Answers()
    if isinstance(value, dict) and _by_annotator(value):
        value = [*value.values()]
    if isinstance(value, bool):
        return Answers(boolean=value)
    if isinstance(value, dict):
        return _from_object(value, record, name, several=several)
    if not isinstance(value, list):
        return Answers(texts=((scalar_text(value).strip(),),))
    return _rows(value, expected.query) or _from_list(value, record, name, several=several)


def read_value(
    value: object,
    record: Fields,
    name: str,
    expected: Expected,
    *,
    bars: bool = True,
    queried: bool = False,
) -> Answers | None:
    """Return the answers in a value; those that are words as terms where they are such."""
    results = results_in(value, record, name)
    if results is not None:
        return results
    return as_terms(answers_of(value, record, name, expected, bars=bars), expected, queried=queried)


def _rows(values: Sequence[object], query: str) -> Answers | None:
    """Return lists or objects with a value for each of several variables of a query as rows."""
    if not query or not all(isinstance(item, (list, dict)) for item in values):
        return None
    variables = projected(query)
    if len(variables) < 2:
        return None
    rows = []
    for item in values:
        if isinstance(item, list) and len(item) == len(variables):
            item = dict(zip(variables, item, strict=True))
        if not isinstance(item, dict) or not item.keys() <= {*variables}:
            return None
        if any(isinstance(cell, (dict, list)) for cell in item.values()):
            return None
        cells = {name: cell for name, cell in item.items() if cell is not None}
        rows.append({name: term(scalar_text(cell)) for name, cell in cells.items()})
    return make_answers(rows, variables)


#: What an XML document with results names.
_RESULTS_XML = "http://www.w3.org/2005/sparql-results#"


def results_in(value: object, record: Fields, name: str) -> Answers | None:
    """Return answers given as SPARQL results JSON, as an object or text; None for any other value.

    Text answers are under ``texts``, a list of accepted names for each, as in our own tables.
    """
    if isinstance(value, str):
        value = value.strip()
        if value[:1] == "<" and _RESULTS_XML in value[:_MOST_WRAPPED]:
            value = json_results(value, "xml", record.where)
        elif value[:1] == "{":
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                return None
    if not isinstance(value, dict) or not _is_results(value):
        return None
    return answers_in(record.inside(name, value))


def _divided(text: str, separator: str, *, bars: bool) -> list[str]:
    """Split a text into answers at bars and at the separator."""
    parts = [text]
    if bars:
        parts = [part.replace("\\|", "|") for part in re.split(r"(?<!\\)\|", text)]
    if separator:
        parts = [piece for part in parts for piece in part.split(separator)]
    return [part.strip() for part in parts if part.strip()]


def _from_list(values: list[object], record: Fields, name: str, *, several: bool) -> Answers | None:
    if len(values) == 1 and isinstance(values[0], bool):
        return Answers(boolean=values[0])
    objects = [item for item in values if isinstance(item, dict)]
    only_objects = len(objects) == len(values)
    if only_objects and objects and all(map(_is_results, objects)):
        within = [record.inside(f"{name}[{place}]", item) for place, item in enumerate(objects)]
        return merge_answers([results_answers(item) for item in within])
    if only_objects and all(map(_is_binding, objects)):
        bindings = [_binding(item) for item in objects]
        return results_answers(record.inside(name, {"results": {"bindings": bindings}}))
    values = marked_right(values) or values
    if isinstance(values[0], dict):
        for key, pairs in values[0].items():
            # an annotator who takes a question for several
            if plain_name(key) == "qapairs" and isinstance(pairs, list) and len(pairs) > 1:
                parts = [_part(pair, record, name) for pair in pairs]
                return Answers(texts=tuple(filter(None, parts)))
    # KILT lists further sources of the answers before like an answer
    sources = [item for item in objects if item and _SOURCES.issuperset(map(plain_name, item))]
    if 0 < len(sources) < len(values):
        values = [item for item in values if item not in sources]
    parts = [part for item in values if (part := _part(item, record, name))]
    if not parts:
        return Answers() if only_objects else None
    # several annotators marked the same answer, as a span or in an object of their own
    marked = any(
        _SPAN & item.keys() or isinstance(item.get("answer"), (dict, list)) for item in objects
    )
    # lists inside a list are names of one answer each
    if all(isinstance(item, list) for item in values) or (several and not marked):
        return Answers(texts=tuple(parts))
    return Answers(texts=(tuple(dict.fromkeys(word for part in parts for word in part)),))


def _from_object(
    value: dict[str, object], record: Fields, name: str, *, several: bool
) -> Answers | None:
    if _is_results(value):
        return answers_in(record.inside(name, value))
    if _is_binding(value):
        return _from_list([value], record, name, several=several)
    spans = value.get("spans")
    if isinstance(spans, list) and spans:
        return _from_list(spans, record, name, several=True)
    # an object of lists, as Hugging Face makes of a list of objects
    rows = rows_of_columns(value)
    if rows is not None:
        return _from_list(list(rows), record, name, several=several)
    if isinstance(spans, list):
        # without spans, DROP has a number or a date, or no answer
        date = value.get("date")
        if isinstance(date, dict):
            date = " ".join(flat_texts([date.get(part) for part in ("day", "month", "year")]))
        part = _part_of(value) or tuple(flat_texts(date))
        return Answers(texts=(part,)) if part else Answers()
    # an object of names by identifiers
    if _names_by_id(value):
        return Answers(texts=tuple((key,) for key in value))
    part = _part(value, record, name)
    return Answers(texts=(part,)) if part else None


def _part(item: object, record: Fields, name: str) -> tuple[str, ...]:
    """Return the names of one answer, the main one first; none for a blank."""
    if isinstance(item, str) and item and not item[0].isspace() and not item[-1].isspace():
        return (item,) if item != NO_ANSWER else ()  # most answers
    if not isinstance(item, dict):
        return tuple(dict.fromkeys(flat_texts(item)))
    part = _part_of(item)
    if part is None:
        raise record.error(
            name, f"answers as texts, or objects with {', '.join(_WORDS[:3])} or {_IRIS[0]}"
        )
    return part


#: Fields whose objects hold the answer of one annotator or source.
_WITHIN = ("answer", "answerspans", "shortanswers", "qapairs", "output")
#: Fields that mark an object among others as the answer, by one of these values, or as none.
_MARKS = frozenset({
    "correct", "iscorrect", "right", "isright", "isanswer", "isgold", "label", "score", "fraction",
    "weight", "selected",
})  # fmt: skip
_RIGHT, _WRONG = frozenset({"1", "true", "yes", "100"}), frozenset({"0", "false", "no"})


def _part_of(item: Mapping[str, object]) -> tuple[str, ...] | None:
    """Return the names in an object; None if it has neither a name nor an IRI.

    None is an answer that is marked as wrong, or without HELM's tag ``correct``.
    """
    folded = {plain_name(key): value for key, value in item.items()}
    # the normalised ones lack case and punctuation
    folded["aliases"] = folded.get("aliases") or folded.get("normalizedaliases")
    tags = folded.get("tags")
    if isinstance(tags, list) and "correct" not in tags:
        return ()
    if folded.get("unanswerable") is True or folded.get("type") == "none":
        return ()
    parts: list[str] = []
    has_unknown = False
    for key in _WITHIN:
        for inner in as_list(folded.get(key)):
            if isinstance(inner, dict):
                inner_names = _part_of(inner)
                has_unknown |= inner_names is None
                parts += inner_names or ()
    if parts:
        return tuple(dict.fromkeys(parts))
    # an identifier is surer than the label beside it
    for key in _NAMES:
        for text in flat_texts(folded.get(key)):
            cell = term(text)
            if cell.type == "uri" and cell.value != text:
                return (cell.value,)
    for key in (*_IRIS, *_WORDS):
        words = list(flat_texts(folded.get(key)))
        if key in _YES_NO:
            words = [word for word in words if boolean_of(word) is not None]
        if words and key not in _IRIS:
            words += [word for alias in _ALIASES for word in flat_texts(folded.get(alias))]
        if words:
            return tuple(dict.fromkeys(words))
    if any(key in folded for key in (*_IRIS, *_WORDS)):
        return None if has_unknown else ()
    # whatever it is called, the only text of an object is the name of the answer
    texts = {key: value for key, value in folded.items() if isinstance(value, str)}
    names = [key for key in texts if not key.endswith("type") and key not in _ABOUT]
    if len(names) != 1 or not names[0].isidentifier():
        return None
    return (texts[names[0]].strip(),)


def marked_right(values: Sequence[object]) -> list[object] | None:
    """Return the objects of a list that are marked as right; None if marks do not tell them apart.

    >>> marked_right([{"text": "Ulm", "correct": True}, {"text": "Bonn", "correct": False}])
    [{'text': 'Ulm', 'correct': True}]
    """
    objects = [item for item in values if isinstance(item, dict)]
    if not objects or len(objects) < len(values):
        return None
    for name in objects[0]:
        marks = [scalar_text(item.get(name)).lower() for item in objects]
        if plain_name(name) in _MARKS and {*marks} <= _RIGHT | _WRONG and len({*marks}) > 1:
            return [item for item, mark in zip(values, marks, strict=True) if mark in _RIGHT]
    return None


#: Texts of an object that are no name of an answer.
_ABOUT = frozenset({"kind", "lang", "language", "source", "worker", "annotator", "evidence"})
#: Fields with the name of a thing beside its identifier.
_TITLES = (
    "entityname", "entitylabel", "itemlabel", "label", "name", "text", "answer", "answertext",
    "answerlabel", "friendlyname",
    "topicentityname", "answersname", "wikidatalabel",
)  # fmt: skip


def _first_iri(folded: Mapping[str, object]) -> str:
    """Return the first IRI in a field that may have one; empty if none has."""
    for key in (*_NAMES, *_IRIS, *_WORDS):
        if key in folded:
            for text in flat_texts(folded[key]):
                cell = term(text)
                if cell.type == "uri":
                    return cell.value
    return ""


def names_in(value: object) -> dict[str, tuple[str, ...]]:
    """Return the names that a record gives the things whose identifiers it has, by IRI.

    >>> names_in([{"AnswerArgument": "m.0d05w3", "EntityName": "Ulm"}, {"qid": "Q1"}])
    {'http://rdf.freebase.com/ns/m.0d05w3': ('Ulm',)}
    """
    names: dict[str, tuple[str, ...]] = {}
    if isinstance(value, list):
        for item in value:
            if isinstance(item, (dict, list)):
                names |= names_in(item)
    if not isinstance(value, dict):
        return names
    folded = {plain_name(str(key)): inner for key, inner in value.items()}
    iri = _first_iri(folded)
    if iri:
        texts: list[str] = []
        for key in (*_TITLES, *_ALIASES):
            titles = folded.get(key)
            if isinstance(titles, dict):
                titles = list(titles.values())
            texts += [text for text in flat_texts(titles) if term(text).type != "uri"]
        if texts:
            names[iri] = tuple(dict.fromkeys(texts))
    for name, inner in value.items():
        if isinstance(inner, (dict, list)):
            names |= names_in(inner)
        elif isinstance(inner, str) and term(inner).type != "uri":
            cell = term(str(name))  # a name under its identifier
            if cell.type == "uri":
                names[cell.value] = (inner,)
    return names


def _is_results(value: Mapping[str, object]) -> bool:
    """Whether these are query results, or text answers written out like query results."""
    if isinstance(value.get("results"), dict):
        return True
    stated = isinstance(value.get("boolean"), bool) or isinstance(value.get("texts"), list)
    return stated and value.keys() <= _RESULTS


def _is_binding(value: Mapping[str, object]) -> bool:
    """Return whether this is one row of SPARQL results, or one cell of it."""
    if value.get("type") in ("uri", "literal", "typed-literal", "bnode") and "value" in value:
        return True
    return bool(value) and all(
        isinstance(cell, dict) and {"type", "value"} <= cell.keys() for cell in value.values()
    )


def _binding(value: dict[str, object]) -> dict[str, object]:
    if isinstance(next(iter(value.values())), dict):
        return value
    return {"answer": value}
