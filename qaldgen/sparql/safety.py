"""Check a query before it is executed: it must not call services or be too large."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from qaldgen.errors import UsageError
from qaldgen.sparql.tokens import (
    CLOSING,
    ESCAPE,
    Token,
    decode,
    expand_name,
    read_prologue,
    tokenize,
)

#: The most nested brackets.
MAX_DEPTH = 64
#: The most brackets and operators in total.
MAX_STEPS = 2_000
#: The most tokens in total. Data in VALUES count neither here nor as steps.
MAX_TOKENS = 20_000
#: How many operators a sign is: ``||``, ``&&``, ``<<`` and ``>>`` are two tokens.
_OPERATORS = dict.fromkeys("+-*/!^?", 1.0) | dict.fromkeys("|&<>", 0.5)
_CLOSING_BRACKETS = frozenset(CLOSING.values())
#: Services that are part of Wikidata's endpoint and of Blazegraph, on which it runs.
_BUILT_IN = {"wikibase": "http://wikiba.se/ontology#", "bd": "http://www.bigdata.com/rdf#"}
_COMMENT = re.compile(r"#[^\r\n]*")
_UNSAFE_CHARACTER = re.compile(rf"{ESCAPE}|[^0-9A-Za-z]")


class QuerySize(NamedTuple):
    """The size of a query: tokens outside VALUES, brackets and operators, depth of brackets."""

    length: int
    steps: int
    depth: int


def size_problem(tokens: Sequence[Token]) -> str | None:
    """Return the message about a query that is too large; None for any other.

    >>> from qaldgen.sparql.tokens import tokenize
    >>> size_problem(tokenize("ASK { ?x ?y ?z }")) is None
    True
    >>> size_problem(tokenize("ASK " + 70 * "{" + 70 * "}"))
    'the query nests brackets 70 deep (at most 64 are allowed); flatten it'
    """
    length, steps, depth = query_size(tokens)
    if depth > MAX_DEPTH:
        return (
            f"the query nests brackets {depth:,} deep (at most {MAX_DEPTH} are allowed); flatten it"
        )
    if steps > MAX_STEPS:
        return (
            f"the query has {steps:,} brackets and operators (at most {MAX_STEPS:,} are allowed); "
            "write a long choice with VALUES or IN"
        )
    if length > MAX_TOKENS:
        return (
            f"the query has {length:,} tokens outside VALUES (at most {MAX_TOKENS:,} are allowed); "
            "write a long list with VALUES"
        )
    return None


def query_size(tokens: Sequence[Token]) -> QuerySize:
    """Count the tokens of a query, its brackets and operators, and the depth of its brackets.

    >>> from qaldgen.sparql.tokens import tokenize
    >>> query_size(tokenize("ASK { VALUES (?x ?y) { (1 2) (3 4) } FILTER(?x = 1 || ?y = 2) }"))
    QuerySize(length=20, steps=5, depth=3)
    """
    length = depth = max_depth = 0
    steps = 0.0
    expects_data = False  # between VALUES and the brace before its data
    data_depth = None  # the depth of that brace, while inside it

    for index, token in enumerate(tokens):
        sign = token.text if token.kind == "other" else ""
        if data_depth is None:
            length += 1

        if token.word == "VALUES":
            expects_data = True
        elif sign in CLOSING:
            # parsers read the rows of data in a loop, without recursion
            is_row = sign == "(" and depth == data_depth
            steps += not is_row
            depth += 1
            max_depth = max(max_depth, depth)
            if expects_data and sign == "{":
                expects_data = False
                data_depth = depth
        elif sign in _CLOSING_BRACKETS:
            depth -= 1
            if data_depth is not None and depth < data_depth:
                data_depth = None
        elif sign in _OPERATORS:
            is_in_data = data_depth is not None and sign in {"+", "-"}
            if not is_in_data and not _belongs_to_literal(tokens, index):
                steps += _OPERATORS[sign]

    return QuerySize(length, int(steps), max_depth)


def _belongs_to_literal(tokens: Sequence[Token], index: int) -> bool:
    """Return whether a sign belongs to a number, or to the ``^^`` after a string."""
    token = tokens[index]
    previous = tokens[index - 1]
    if token.text == "^":
        return previous.kind == "string" or (previous.text == "^" and previous.end == token.start)
    if token.text not in "+-" or index + 1 == len(tokens) or tokens[index + 1].kind != "number":
        return False
    # ?x -1 is a subtraction, = -1 a negative number.
    is_value = previous.kind in {"var", "iri", "name", "string", "number"}
    follows_operand = is_value or previous.text in {")", "]"}
    return tokens[index + 1].start == token.end and not follows_operand


def called_services(query: str) -> list[str]:
    """Return the services that a query calls, as written there.

    >>> called_services("SELECT * { ?s ?p ?o SERVICE SILENT <http://x.org/> { ?o ?q ?service } }")
    ['<http://x.org/>']
    """
    tokens = tokenize(decode(query))
    prefixes = read_prologue(tokens).prefixes
    services = []
    for index, token in enumerate(tokens):
        is_declared = token.text.partition(":")[0] in prefixes
        # any keyword or undeclared prefix that contains "service": an engine might call it
        if "SERVICE" in token.word or (_has_service_prefix(token) and not is_declared):
            name_index = index + 1
            if name_index < len(tokens) and tokens[name_index].word == "SILENT":
                name_index += 1
            services.append(tokens[name_index].text if name_index < len(tokens) else "")
    return services


def _has_service_prefix(token: Token) -> bool:
    """Return whether a token is a prefixed name whose prefix contains "service"."""
    return token.kind == "name" and "service" in token.text.partition(":")[0].lower()


def refuse_foreign_services(query: str) -> None:
    """Reject a query that makes an endpoint call another one; Wikidata's own services are allowed.

    >>> refuse_foreign_services("SELECT * { ?s ?p ?o SERVICE wikibase:label { } }")
    >>> refuse_foreign_services("SELECT * { SERVICE <http://x.org/sparql> { ?s ?p ?o } }")
    Traceback (most recent call last):
    qaldgen.errors.UsageError: the query makes the endpoint call SERVICE <http://x.org/sparql>; \
`allow_service=True` permits it
    """
    prefixes = read_prologue(tokenize(decode(query))).prefixes
    for name in called_services(query):
        iri = expand_name(name, {**_BUILT_IN, **prefixes}) or name
        if not iri.startswith(tuple(f"<{namespace}" for namespace in _BUILT_IN.values())):
            raise UsageError(
                f"the query makes the endpoint call SERVICE {name}; `allow_service=True` permits it"
            )


def prepare_local_query(query: str) -> str:
    """Return the text of a query for an engine on this machine; refuse calls of services.

    >>> prepare_local_query("ASK { ?s ?p ?o } # all")
    'ASK { ?s ?p ?o }      '
    """
    services = called_services(query)
    if services:
        raise UsageError(
            f"the query calls SERVICE {services[0]}, which is never done for a local file; remove "
            "it, or use an endpoint"
        )
    return disambiguate(query)


def disambiguate(query: str) -> str:
    """Return the text of a query without anything that engines could tokenise in two ways.

    Comments become spaces; a space follows the operator ``<``; in an IRI where ``<`` could be an
    operator, everything but letters and digits is escaped; names whose prefix contains "service"
    are written in full.
    """
    tokens = tokenize(query)
    problem = size_problem(tokens)
    if problem is not None:
        raise UsageError(problem)

    prologue = read_prologue(tokens)
    brackets = _innermost_brackets(tokens)

    pieces: list[str] = []
    end = 0
    for index, token in enumerate(tokens):
        text = token.text
        # an IRI behind an operand in brackets: its < could compare
        previous = tokens[index - 1]
        follows_operand = previous.kind != "other" or previous.text in _CLOSING_BRACKETS
        if _ends_less_than(tokens, index):
            text += " "
        elif token.kind == "iri" and brackets[index] == "(" and follows_operand:
            text = f"<{_UNSAFE_CHARACTER.sub(_escape_character, text[1:-1])}>"
        elif index >= prologue.length and _has_service_prefix(token):
            text = expand_name(text, prologue.prefixes) or text
        pieces += [_blank_comments(query[end : token.start]), text]
        end = token.end

    return "".join([*pieces, _blank_comments(query[end:])])


def _innermost_brackets(tokens: Sequence[Token]) -> list[str]:
    """Return for each token the last bracket that is open before it; empty outside of brackets.

    >>> _innermost_brackets(tokenize("ASK { (?x) }"))
    ['', '', '{', '(', '(', '{']
    """
    open_brackets = [""]
    innermost = []
    for token in tokens:
        innermost.append(open_brackets[-1])
        if token.kind == "other" and token.text in CLOSING:
            open_brackets.append(token.text)
        elif token.kind == "other" and token.text == CLOSING.get(open_brackets[-1]):
            open_brackets.pop()
    return innermost


def _blank_comments(gap: str) -> str:
    """Replace comments between two tokens by as many spaces, so that columns stay right."""
    return _COMMENT.sub(lambda comment: " " * len(comment[0]), gap)


def _ends_less_than(tokens: Sequence[Token], index: int) -> bool:
    """Return whether a token is the end of the operator ``<`` or ``<=``."""
    if tokens[index].kind != "other":
        return False
    if tokens[index].text == "=":
        return tokens[index - 1].text == "<" and tokens[index - 1].end == tokens[index].start
    if tokens[index].text != "<":
        return False
    touches = index + 1 < len(tokens) and tokens[index + 1].start == tokens[index].end
    return not touches or tokens[index + 1].text not in {"<", "=", "("}


def _escape_character(character: re.Match[str]) -> str:
    if len(character[0]) > 1:
        return character[0]
    # \u has four digits and \U eight.
    if ord(character[0]) < 0x10000:
        return f"\\u{ord(character[0]):04X}"
    return f"\\U{ord(character[0]):08X}"
