"""Check a query before a local engine gets it: it must not call services or be too large."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from qaldgen.errors import UsageError
from qaldgen.sparql.tokens import ESCAPE, Token, decoded, expanded_name, prologue, tokens

#: The most nested brackets.
MAX_DEPTH = 64
#: The most brackets and operators in total.
MAX_STEPS = 2_000
#: The most tokens in total. Data in VALUES count neither here nor as steps.
MAX_TOKENS = 20_000
#: Steps of a sign, in halves: ``||``, ``&&`` and ``<<`` are two tokens.
_HALF_STEPS = {**dict.fromkeys("+-*/!^?", 2), **dict.fromkeys("|&<>", 1)}
_CLOSED_BY = {")": "(", "]": "[", "}": "{"}
_OPENING = set(_CLOSED_BY.values())
_SERVICE = "service"
#: Services that are part of Wikidata's endpoint and of Blazegraph, on which it runs.
_BUILT_IN = {"wikibase": "http://wikiba.se/ontology#", "bd": "http://www.bigdata.com/rdf#"}
_COMMENT = re.compile(r"#[^\r\n]*")
_SIGN = re.compile(rf"{ESCAPE}|[^0-9A-Za-z]")


class QuerySize(NamedTuple):
    """The size of a query: tokens outside VALUES, brackets and operators, depth of brackets."""

    length: int
    steps: int
    depth: int


def size_problem(parts: Sequence[Token]) -> str:
    """Return the message about a query that is too large; empty if it is not.

    >>> from qaldgen.sparql.tokens import tokens
    >>> size_problem(tokens("ASK { ?x ?y ?z }"))
    ''
    >>> size_problem(tokens("ASK " + 70 * "{" + 70 * "}"))
    'the query nests brackets 70 deep (at most 64 are allowed); flatten it'
    """
    length, steps, deepest = query_size(parts)
    if deepest > MAX_DEPTH:
        return (
            f"the query nests brackets {deepest:,} deep (at most {MAX_DEPTH} are allowed);"
            " flatten it"
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
    return ""


def query_size(parts: Sequence[Token]) -> QuerySize:
    """Count the tokens of a query, its brackets and operators, and the depth of its brackets.

    >>> from qaldgen.sparql.tokens import tokens
    >>> query_size(tokens("ASK { VALUES (?x ?y) { (1 2) (3 4) } FILTER(?x = 1 || ?y = 2) }"))
    QuerySize(length=20, steps=5, depth=3)
    """
    length = half_steps = depth = deepest = 0
    before_data = False  # after VALUES, before its data
    data_depth = 0  # the depth of the braces of the data, while inside them
    for index, token in enumerate(parts):
        if not data_depth:
            length += 1
        if token.kind != "other":
            before_data = before_data or token.word == "VALUES"
        elif token.text in _OPENING:
            # The brackets of rows in VALUES are data: parsers read them in a loop, without
            # recursion.
            is_row = data_depth == depth > 0 and token.text == "("
            if not is_row:
                half_steps += 2
            depth += 1
            deepest = max(deepest, depth)
            if before_data and token.text == "{":
                before_data = False
                data_depth = depth
        elif token.text in _CLOSED_BY:
            depth -= 1
            if depth < data_depth:
                data_depth = 0
        elif token.text in _HALF_STEPS:
            belongs_to_data = data_depth > 0 and token.text in "+-"
            if not belongs_to_data and not _belongs_to_literal(parts, index):
                half_steps += _HALF_STEPS[token.text]
    # Two tokens such as && are one operator.
    return QuerySize(length, half_steps // 2, deepest)


def _belongs_to_literal(parts: Sequence[Token], index: int) -> bool:
    """Return whether a sign belongs to a number, or to the ``^^`` after a string."""
    token = parts[index]
    before = parts[index - 1]
    if token.text == "^":
        return before.kind == "string" or (before.text == "^" and before.end == token.start)
    if token.text not in "+-" or index + 1 == len(parts) or parts[index + 1].kind != "number":
        return False
    # ?x -1 is a subtraction, = -1 a negative number.
    behind_operand = before.kind in {"var", "iri", "name", "string", "number"} or before.text in {
        ")",
        "]",
    }
    return parts[index + 1].start == token.end and not behind_operand


def services(query: str) -> list[str]:
    """Return the services that a query calls, as written there.

    >>> services("SELECT * { ?s ?p ?o SERVICE SILENT <http://x.org/> { ?o ?q ?service } }")
    ['<http://x.org/>']
    """
    parts = tokens(decoded(query))
    _, prefixes, _ = prologue(parts)
    called = []
    for index, token in enumerate(parts):
        prefix = token.text.partition(":")[0]
        is_undeclared = token.kind == "name" and prefix not in prefixes
        # any keyword or undeclared prefix that contains "service": an engine might call it
        if "SERVICE" in token.word or (is_undeclared and _SERVICE in prefix.lower()):
            name = index + 1
            if name < len(parts) and parts[name].word == "SILENT":
                name += 1
            called.append(parts[name].text if name < len(parts) else "")
    return called


def refuse_foreign_services(query: str) -> None:
    """Reject a query that makes an endpoint call another one; Wikidata's own services are allowed.

    >>> refuse_foreign_services("SELECT * { ?s ?p ?o SERVICE wikibase:label { } }")
    >>> refuse_foreign_services("SELECT * { SERVICE <http://x.org/sparql> { ?s ?p ?o } }")
    Traceback (most recent call last):
    qaldgen.errors.UsageError: the query makes the endpoint call SERVICE <http://x.org/sparql>; \
`allow_service=True` permits it
    """
    _, prefixes, _ = prologue(tokens(decoded(query)))
    for name in services(query):
        iri = expanded_name(name, {**_BUILT_IN, **prefixes}) or name
        if not iri.startswith(tuple(f"<{namespace}" for namespace in _BUILT_IN.values())):
            raise UsageError(
                f"the query makes the endpoint call SERVICE {name}; `allow_service=True` permits it"
            )


def for_local_engine(query: str) -> str:
    """Return the text of a query for an engine on this machine.

    >>> for_local_engine("ASK { ?s ?p ?o } # all")
    'ASK { ?s ?p ?o }      '
    """
    called = services(query)
    if called:
        raise UsageError(
            f"the query calls SERVICE {called[0]}, which is never done for a local file; remove "
            "it, or use an endpoint"
        )
    return unambiguous(query)


def unambiguous(query: str) -> str:
    """Return the text of a query without anything that engines could tokenise in two ways.

    Comments become spaces; a space follows the operator ``<``; in an IRI where ``<`` could be an
    operator, everything but letters and digits is escaped; names whose prefix contains "service"
    are written in full.
    """
    parts = tokens(query)
    problem = size_problem(parts)
    if problem:
        raise UsageError(problem)
    start, prefixes, _ = prologue(parts)
    pieces: list[str] = []
    opened: list[str] = []
    end = 0
    for index, token in enumerate(parts):
        pieces.append(_blank(query[end : token.start]))
        text = token.text
        if token.kind == "other":
            if text in _OPENING:
                opened.append(text)
            elif opened and opened[-1] == _CLOSED_BY.get(text):
                opened.pop()
            if _is_less(parts, index):
                text += " "
        elif token.kind == "iri":
            in_brackets = bool(opened) and opened[-1] == "("
            if in_brackets and _follows_operand(parts, index):
                text = f"<{_SIGN.sub(_escape, text[1:-1])}>"
        elif token.kind == "name" and index >= start and _SERVICE in text.partition(":")[0].lower():
            text = expanded_name(text, prefixes) or text
        pieces.append(text)
        end = token.end
    return "".join([*pieces, _blank(query[end:])])


def _blank(gap: str) -> str:
    """Return the text between two tokens, with spaces for comments, so that columns stay right."""
    return _COMMENT.sub(lambda comment: " " * len(comment[0]), gap)


def _follows_operand(parts: Sequence[Token], index: int) -> bool:
    """Return whether an operand ends before a token, so that ``<`` could be an operator."""
    before = parts[index - 1]
    return before.kind != "other" or before.text in _CLOSED_BY


def _is_less(parts: Sequence[Token], index: int) -> bool:
    """Return whether a sign ends the operator ``<`` or ``<=``."""
    if parts[index].text == "=":
        return parts[index - 1].text == "<" and parts[index - 1].end == parts[index].start
    if parts[index].text != "<":
        return False
    touches = index + 1 < len(parts) and parts[index + 1].start == parts[index].end
    return not touches or parts[index + 1].text not in {"<", "=", "("}


def _escape(sign: re.Match[str]) -> str:
    if len(sign[0]) > 1:
        return sign[0]
    # \u has four digits and \U eight.
    if ord(sign[0]) < 0x10000:
        return f"\\u{ord(sign[0]):04X}"
    return f"\\U{ord(sign[0]):08X}"
