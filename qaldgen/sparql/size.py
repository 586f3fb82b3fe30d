"""How large a query may be.

Parsers and planners of SPARQL call themselves for brackets and for chains of operators, and a stack
that is full ends the whole process without a word. What is counted here is all that can make them
do so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from qaldgen.sparql.tokens import Token

#: Brackets that are nested.
DEEPEST = 64
#: Brackets and operators in all.
MOST_STEPS = 2_000
#: Tokens in all. Data in VALUES count neither here nor as steps.
LONGEST = 20_000
#: Half steps: ``||``, ``&&`` and ``<<`` are two tokens.
_WEIGHTS = {**dict.fromkeys("+-*/!^?", 2), **dict.fromkeys("|&<>", 1)}
_OPENING, _CLOSING = set("({["), set(")}]")


class QuerySize(NamedTuple):
    """What the rules look at."""

    length: int
    steps: int
    depth: int


def size_problem(found: Sequence[Token]) -> str:
    """Return which rule a query breaks; nothing if it breaks none.

    Examples
    --------
    >>> from qaldgen.sparql.tokens import tokens
    >>> size_problem(tokens("ASK { ?x ?y ?z }"))
    ''
    >>> size_problem(tokens("ASK " + 70 * "{" + 70 * "}"))
    'the query nests brackets 70 deep (at most 64 are allowed); flatten it'
    """
    length, steps, deepest = query_size(found)
    if deepest > DEEPEST:
        return (
            f"the query nests brackets {deepest:,} deep (at most {DEEPEST} are allowed); flatten it"
        )
    if steps > MOST_STEPS:
        return (
            f"the query has {steps:,} brackets and operators (at most {MOST_STEPS:,} are allowed); "
            "write a long choice with VALUES or IN"
        )
    if length > LONGEST:
        return (
            f"the query has {length:,} tokens outside VALUES (at most {LONGEST:,} are allowed); "
            "write a long list with VALUES"
        )
    return ""


def query_size(found: Sequence[Token]) -> QuerySize:
    """Count the tokens of a query, its brackets and operators, and how deep brackets are nested.

    Examples
    --------
    >>> from qaldgen.sparql.tokens import tokens
    >>> query_size(tokens("ASK { VALUES (?x ?y) { (1 2) (3 4) } FILTER(?x = 1 || ?y = 2) }"))
    QuerySize(length=20, steps=5, depth=3)
    """
    length = half_steps = depth = deepest = 0
    before_data, data_depth = (
        False,
        0,
    )  # data_depth: inside the braces of VALUES, how deep these are
    for at, token in enumerate(found):
        length += not data_depth
        if token.kind != "other":
            before_data = before_data or token.word == "VALUES"
        elif token.text in _OPENING:
            half_steps += 0 if data_depth == depth > 0 and token.text == "(" else 2
            depth += 1
            deepest = max(deepest, depth)
            if before_data and token.text == "{":
                before_data, data_depth = False, depth
        elif token.text in _CLOSING:
            depth -= 1
            data_depth = data_depth if depth >= data_depth else 0
        elif (
            token.text in _WEIGHTS
            and not (data_depth and token.text in "+-")
            and not _belongs_to_literal(found, at)
        ):
            half_steps += _WEIGHTS[token.text]
    return QuerySize(length, half_steps // 2, deepest)


def _belongs_to_literal(found: Sequence[Token], at: int) -> bool:
    """Whether a sign is that of a number, or the ``^^`` behind a string."""
    token, before = found[at], found[at - 1]
    if token.text == "^":
        return before.kind == "string" or (before.text == "^" and before.end == token.start)
    if token.text not in "+-" or at + 1 == len(found) or found[at + 1].kind != "number":
        return False
    behind_operand = before.kind in {"var", "iri", "name", "string", "number"} or before.text in {
        ")",
        "]",
    }
    return found[at + 1].start == token.end and not behind_operand
