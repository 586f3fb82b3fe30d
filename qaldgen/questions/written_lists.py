"""Parse lists and objects that are written as texts, in JSON, Python or numpy, or as IRIs."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from contextlib import suppress

from qaldgen.questions.cells import parse_term

#: Longer texts are not lists of answers, and would take long to parse.
_MAX_CHARS = 4_000_000
_RDFLIB_TERM = re.compile(r"rdflib\.term\.\w+\(('[^']*')(?:, \w+=(?:'[^']*'|[\w.]+\([^)]*\)))*\)")
_ARRAY = re.compile(r"array\((\[.*?\])(?:,\s*dtype=[\w<>']+)?\)", re.DOTALL)
#: How an IRI begins in a text, perhaps in quotes, and what stands between two.
_IRI = r"<?https?://|<|[A-Za-z][\w.-]*:\S|[QP][0-9]+\b|[mg]\.[01]"
_STARTS_WITH_IRI = re.compile(rf"[\s\"']*(?:{_IRI})")
#: A name with a prefix of its own, such as ``ex:Pump_12``.
_PREFIXED = re.compile(r"[A-Za-z][\w.-]*:[^\W\d][^\s:/,;]*")
_BETWEEN_IRIS = re.compile(rf"(?<![\s,;|])[\s,;|]+(?=[\"']?(?:{_IRI}))")
#: A part of a text with more words is a clause of a sentence, and no answer in a list.
MAX_PART_WORDS = 5
#: A separator behind these ends an entity of HTML.
_NO_ENTITY = r"(?<!&amp)(?<!&lt)(?<!&gt)(?<!&quot)(?<!&apos)(?<!&nbsp)(?<!&#39)"
#: What stands before an answer in a list in Markdown.
BULLET = re.compile(r"(?:[-*•]|[0-9]{1,3}[.)])\s+")
#: A term in bold, with what is said of it in brackets or behind a dash, unless it is its IRI.
_TERM_AND_NOTE = re.compile(r"^(?P<term>\*\*[^*]+\*\*)\s*(?:\(|[-–—]\s)(?!.*(?:://|\bQ\d)).*")
#: What stands before an answer between explanations: ``ans:``, ``Answer 2:``.
_LABEL = re.compile(r"(?:[-*•]\s+)?(?:\*\*)?ans(?:wer)?(?:\s*\d+)?\s*:(?:\*\*)?\s*", re.IGNORECASE)
#: A line with more words is no answer in a list.
_MAX_LINE_WORDS = 8
#: Numbers or dates with semicolons between them.
_NUMBER = r"[-+]?\d[\d.,]*(?:-\d\d-\d\d(?:T[\d:.]+Z?)?)?"
_NUMBERS = re.compile(rf"\s*{_NUMBER}(?:\s*;\s*{_NUMBER})+\s*;?\s*")
#: How a list or an object begins that JSON, Python or numpy has written.
_LITERAL_START = re.compile(r"\s*(?:[\[{(]|set\(|frozenset\(|array\()")
_FROZENSET = re.compile(r"\Afrozenset\((.*)\)\Z", re.DOTALL)
#: A list of short texts without quotes, as Java writes it.
_UNQUOTED_ITEM = r"\s*[^\W_][^\[\](){}<>\"',|\n]{0,60}"
_UNQUOTED = re.compile(rf"\[{_UNQUOTED_ITEM}(?:,{_UNQUOTED_ITEM})+\]")


def parse_list(value: object) -> list[object] | None:
    """Return a list, which may be written as a text in JSON, Python or numpy; else None.

    Sets and tuples of Python are lists too, and so are several IRIs, numbers or dates.

    >>> [parse_list(text) for text in ("['a', 'b']", "['a' 'b']", "{'b', 'a'}", "[Ben]")]
    [['a', 'b'], ['a', 'b'], ['b', 'a'], None]
    >>> parse_list("wd:Q1, wd:Q2"), parse_list("http://x.org/Ulm,_Bonn"), parse_list("[red, white]")
    (['wd:Q1', 'wd:Q2'], None, ['red', 'white'])
    >>> parse_list("7; 3.5"), parse_list("7; Ulm")
    (['7', '3.5'], None)
    """
    parsed = parse_written(value)
    if isinstance(parsed, list):
        return parsed
    return None


def parse_written(value: object) -> list[object] | dict[str, object] | None:
    """Return a list or an object, which may be written as a text; None for any other value."""
    if isinstance(value, (list, dict)):
        return value
    if not isinstance(value, str):
        return None
    if _LITERAL_START.match(value):
        return _parse_literal(value.strip())
    if ";" in value and _NUMBERS.fullmatch(value):
        return [number.strip() for number in value.strip("; ").split(";")]
    if value.endswith(")") and ")," in value:
        # items behind their names, as people note them: Paris (Q90), Ulm (Q3012)
        items = re.split(r"(?<=\)),\s*", value)
        if all(parse_term(item).type == "uri" for item in items):
            return list[object](items)
    return _split_iris(value)


def _parse_literal(text: str) -> list[object] | dict[str, object] | None:
    """Return the list or object that a text in brackets holds; None if it is none.

    Without the quotes of JSON and Python, only a list of short words or of IRIs is one.
    """
    if len(text) > _MAX_CHARS:
        return None
    if text in {"set()", "frozenset()", "()"}:
        return []
    # without the calls that name a type: frozenset({...}), array([...]), rdflib.term.URIRef('...')
    literal = text
    for call in (_FROZENSET, _ARRAY, _RDFLIB_TERM):
        literal = call.sub(r"\1", literal)
    if literal[:1] not in {"[", "{", "("} or literal[-1:] not in {"]", "}", ")"}:
        return _split_iris(literal)
    for parse, notation in ((json.loads, text), (_parse_python, literal)):
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError, tokenize.TokenError):
            parsed = parse(notation)
            if isinstance(parsed, (list, dict)):
                return parsed
    inside = literal[1:-1]
    if _UNQUOTED.fullmatch(literal) and not _STARTS_WITH_IRI.match(inside):
        return [item.strip() for item in inside.split(",")]
    return _split_iris(inside)


def split_at(text: str, separator: str) -> list[str]:
    """Return the parts of a text between separators; the end of an entity of HTML is none.

    >>> split_at("AT&amp;T; Ulm", ";")
    ['AT&amp;T', 'Ulm']
    """
    return [part.strip() for part in re.split(_NO_ENTITY + re.escape(separator), text)]


def short_parts(text: str, separator: str) -> list[str]:
    """Return the parts of a text between separators if all are short, as answers are; else none.

    >>> short_parts("Ulm; Bonn", ";"), short_parts("In Ulm; the mill on the river is old.", ";")
    (['Ulm', 'Bonn'], [])
    """
    if separator not in text:  # as in most texts
        return []
    parts = split_at(text.strip(f"{separator} "), separator)
    if len(parts) < 2 or not all(part and len(part.split()) <= MAX_PART_WORDS for part in parts):
        return []
    return parts


def without_note(item: str) -> str:
    """Return an item of a list without what it says of its term, if that is in bold.

    >>> without_note("**Ulm** (on the Danube)"), without_note("**Town:** Ulm")
    ('**Ulm**', '**Town:** Ulm')
    """
    return _TERM_AND_NOTE.sub(r"\g<term>", item)


def answer_lines(text: str) -> list[str]:
    r"""Return the answers in a text that has one in each line; none if its lines are others.

    Bullets may stand before them, and a line that ends in a colon before the bullets. If lines
    begin with ``ans:``, the others explain.

    >>> answer_lines("The moons are:\n- Phobos\n- Deimos"), answer_lines("Io.\nIt is a moon.")
    (['Phobos', 'Deimos'], [])
    >>> answer_lines("There are two.\nans: Phobos\nans: Deimos")
    ['Phobos', 'Deimos']
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    labelled = [_LABEL.sub("", line, count=1) for line in lines if _LABEL.match(line)]
    if any(labelled):
        return list(filter(None, labelled))
    if len(lines) > 2 and lines[0].endswith(":") and BULLET.match(lines[1]):
        del lines[0]
    bullets = [BULLET.match(line) for line in lines]
    if len(lines) < 2 or (any(bullets) and not all(bullets)):
        return []
    answers = []
    for line in lines:
        answer = without_note(BULLET.sub("", line, count=1)).replace("**", "").strip("*_` ")
        if not answer or answer[-1] in ".:;!?" or len(answer.split()) > _MAX_LINE_WORDS:
            return []
        answers.append(answer)
    return answers


def _split_iris(text: str) -> list[object] | None:
    """Return the IRIs in a text that consists of two or more IRIs; None for any other text."""
    if not _STARTS_WITH_IRI.match(text) or not _BETWEEN_IRIS.search(text):
        return None
    iris: list[object] = []
    for part in _BETWEEN_IRIS.split(text):
        iri = part.strip(" ,;|")
        if iri[:1] == iri[-1:] and iri[:1] in "\"'":
            iri = iri[1:-1]
        # no IRI has a bar
        if "|" in iri or not (parse_term(iri).type == "uri" or _PREFIXED.fullmatch(iri)):
            return None
        iris.append(iri)
    return iris


def _parse_python(text: str) -> object:
    """Parse a list, set, tuple or dict in the notation of Python, or of numpy, without commas."""
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.Dict):
        return ast.literal_eval(node)
    if not isinstance(node, (ast.List, ast.Set, ast.Tuple)):
        return None
    values = [ast.literal_eval(item) for item in node.elts]
    # a row of a database with one cell is this cell
    if all(isinstance(item, tuple) and len(item) == 1 for item in values):
        values = [item[0] for item in values]
    strings = [item for item in values if isinstance(item, str)]
    if isinstance(node, ast.Tuple) and not strings:
        return None  # a point or a range, in words
    # Python joins 'a' 'b' to one string: count the literals to tell numpy's notation
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    literals = [token.string for token in tokens if token.type == tokenize.STRING]
    if len(strings) == len(values) and len(literals) > len(values):
        return [ast.literal_eval(literal) for literal in literals]
    return values
