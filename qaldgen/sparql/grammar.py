"""Parse a SPARQL 1.1 query into a syntax tree.

rdflib's parser recurses for every triple pattern, so that long queries break it, and it takes
milliseconds for short ones. This one needs a fraction of that, and never recurses deeper than the
brackets of the query.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import NamedTuple, TypeAlias, TypeVar

from qaldgen.io.packages import data_rows
from qaldgen.sparql.safety import size_problem
from qaldgen.sparql.tokens import AGGREGATES, Token, decode, expand_name, read_prologue, tokenize
from qaldgen.sparql.tree import (
    Aggregate,
    Bind,
    Block,
    Branches,
    ClauseEntry,
    Column,
    Exists,
    Expression,
    Filter,
    FunctionCall,
    Group,
    Operation,
    Part,
    Path,
    Predicate,
    Query,
    Term,
    Triple,
    Triples,
    Values,
)

_XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_LITERAL_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"}
_NUMBER_TYPES = ((re.compile(r"[0-9]+"), "integer"), (re.compile(r"[0-9]*\.[0-9]+"), "decimal"))
_Item = TypeVar("_Item")
#: The least and greatest number of arguments of each function.
_ARGUMENTS = {
    name: (int(least), int(most or sys.maxsize))
    for least, most, names in data_rows("sparql/data/functions.tsv")
    for name in names.split()
}
_COMPARISONS = ("<=", ">=", "!=", "=", "<", ">")
#: The levels of operators, from the tightest binding.
_LEVELS = (("*", "/"), ("+", "-"), (*_COMPARISONS, "IN", "NOT IN"), ("&&",), ("||",))
_TYPE = f"<{RDF}type>"
_FIRST, _REST, _NIL = (f"<{RDF}{name}>" for name in ("first", "rest", "nil"))


class NotSparqlError(ValueError):
    """A text is not SPARQL; the message says what is expected, and before which words."""


class Cursor:
    """An index into the tokens of a query, which moves forward."""

    def __init__(self, query: str, tokens: Sequence[Token], prefixes: Mapping[str, str]) -> None:
        self._query = query
        self._tokens = [*tokens, Token("end", "", len(query), len(query))]
        self._index = 0
        self._blank = count()
        self.prefixes = prefixes

    @property
    def token(self) -> Token:
        """The current token; an empty one after the end."""
        return self._tokens[self._index]

    def ahead(self) -> Token:
        """Return the next token."""
        return self._tokens[min(self._index + 1, len(self._tokens) - 1)]

    def take(self) -> Token:
        """Return the current token and advance."""
        token = self._tokens[self._index]
        if token.kind != "end":
            self._index += 1
        return token

    def touches(self) -> bool:
        """Return whether there is no space between this token and the one before."""
        return self._index > 0 and self._tokens[self._index - 1].end == self.token.start

    def sees(self, signs: str) -> bool:
        """Return whether these signs come next, without spaces between them."""
        for offset, sign in enumerate(signs):
            token = self._tokens[min(self._index + offset, len(self._tokens) - 1)]
            is_sign = token.kind == "other" and token.text == sign
            if not is_sign or token.start != self.token.start + offset:
                return False
        return True

    def accept(self, signs: str) -> bool:
        """Advance past these signs if they come next."""
        if not self.sees(signs):
            return False
        self._index += len(signs)
        return True

    def accept_word(self, *words: str) -> str:
        """Advance past one of these keywords if it comes next; return it, or an empty string."""
        word = self.token.word
        if word not in words or not word:
            return ""
        self._index += 1
        return word

    def expect(self, signs: str) -> None:
        """Advance past these signs, which must come next."""
        if not self.accept(signs):
            raise self.error(repr(signs))

    def expect_word(self, word: str) -> None:
        """Advance past this keyword, which must come next."""
        if not self.accept_word(word):
            raise self.error(word)

    def error(self, expected: str) -> NotSparqlError:
        """Return the error that says what is expected here."""
        words = self._query[self.token.start : self.token.start + 200].split()
        location = f"before {' '.join(words[:4])[:40]!r}" if words else "at its end"
        return NotSparqlError(f"the query does not parse {location}: {expected} is expected")

    def fresh_blank(self) -> str:
        """Return the label of a new blank node; its space keeps it apart from the text's labels."""
        return f"_:{next(self._blank)} "


#: Reads an expression at the position of a cursor.
_Parser: TypeAlias = Callable[[Cursor], Expression]


class Literal(NamedTuple):
    """The parts of a literal; it has no datatype here if it is plain or has a language."""

    value: str
    datatype: str = ""
    language: str = ""


def literal_of(term: Term) -> Literal:
    r"""Return the parts of a literal.

    >>> literal_of(r'"a \"b\""@en')
    Literal(value='a "b"', datatype='', language='en')
    """
    quoted, _, mark = term.rpartition('"')
    value = _unescape(quoted[1:])
    if mark.startswith("@"):
        return Literal(value, language=mark[1:])
    return Literal(value, datatype=mark[3:-1])  # of ^^<datatype>; empty for a plain literal


def _parse_items(
    cursor: Cursor, parse: Callable[[Cursor], _Item], separator: str = ""
) -> list[_Item]:
    """Read items up to a closing bracket; a separator stands between them if it is not empty."""
    items: list[_Item] = []
    while not cursor.accept(")"):
        if items and separator:
            cursor.expect(separator)
        items.append(parse(cursor))
    return items


def parse_variable(cursor: Cursor) -> Term:
    """Read a variable."""
    if cursor.token.kind != "var":
        raise cursor.error("a variable")
    return "?" + cursor.take().text[1:]


def is_iri(token: Token) -> bool:
    """Return whether a token is an IRI, in full or with a prefix."""
    return token.kind == "iri" or (token.kind == "name" and not token.text.startswith("_:"))


def parse_iri(cursor: Cursor) -> Term:
    """Read an IRI; prefixed names are expanded."""
    if not is_iri(cursor.token):
        raise cursor.error("an IRI")
    token = cursor.take()
    if token.kind == "iri":
        return token.text
    full = expand_name(token.text, cursor.prefixes)
    if full is None:
        raise NotSparqlError(
            f"the query has {token.text}, but the prefix "
            f"{token.text.partition(':')[0]}: is not declared"
        )
    return full


def parse_variable_or_iri(cursor: Cursor) -> Term:
    """Read a variable or an IRI."""
    if cursor.token.kind == "var":
        return parse_variable(cursor)
    return parse_iri(cursor)


def starts_literal(cursor: Cursor) -> bool:
    """Return whether a string, number or boolean begins here; a sign may touch a number."""
    token = cursor.token
    if token.kind == "other" and token.text in "+-":
        return cursor.ahead().kind == "number" and cursor.ahead().start == token.end
    return token.kind in {"string", "number"} or token.word in {"TRUE", "FALSE"}


def parse_literal(cursor: Cursor) -> Term:
    """Read a literal, where `starts_literal` says that one begins."""
    token = cursor.take()

    if token.kind == "string":
        quote_length = 3 if token.text.startswith(('"""', "'''")) and len(token.text) > 5 else 1
        value = _unescape(token.text[quote_length:-quote_length])
        if cursor.accept("^^"):
            return format_literal(value, parse_iri(cursor)[1:-1])
        if cursor.sees("@"):
            cursor.take()
            parts = [_parse_alphanumeric(cursor)]  # of the tag; they touch each other
            while cursor.sees("-") and cursor.touches():
                cursor.take()
                parts.append(_parse_alphanumeric(cursor))
            if not all(parts) or not parts[0].isalpha():
                raise cursor.error("a language tag such as @en or @pt-BR")
            return format_literal(value, language="-".join(parts))
        return format_literal(value)

    if token.kind == "word":
        return format_literal(token.text.lower(), f"{_XSD}boolean")

    text = token.text if token.kind == "number" else token.text + cursor.take().text
    for pattern, type_name in _NUMBER_TYPES:
        if pattern.fullmatch(text.lstrip("+-")):
            return format_literal(text, _XSD + type_name)
    return format_literal(text, f"{_XSD}double")


def format_literal(value: str, datatype: str = "", language: str = "") -> Term:
    """Return a literal as a query has it."""
    quoted = '"' + re.sub(r'[\\"\n\r]', lambda match: _LITERAL_ESCAPES[match[0]], value) + '"'
    if language:
        return f"{quoted}@{language}"
    if not datatype:
        return quoted
    return f"{quoted}^^<{datatype}>"


def parse_term(cursor: Cursor) -> Term | None:
    """Read a variable, IRI, literal or blank node; None if there is none here."""
    token = cursor.token
    if token.kind == "var":
        return parse_variable(cursor)
    if is_iri(token):
        return parse_iri(cursor)
    if token.kind == "name":
        return cursor.take().text
    if starts_literal(cursor):
        return parse_literal(cursor)
    return None


def _parse_alphanumeric(cursor: Cursor) -> str:
    """Read adjacent ASCII letters and digits, which may be several tokens, as in ``1996a``."""
    text = ""
    while cursor.touches() and re.fullmatch(r"[A-Za-z0-9]+", cursor.token.text):
        text += cursor.take().text
    return text


def _unescape(text: str) -> str:
    """Return the value of a string with escapes."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(_decode_escape, text)


def _decode_escape(escape: re.Match[str]) -> str:
    if escape[3] is None:
        number = int(escape[1] or escape[2], 16)
        if number <= sys.maxunicode and not 0xD800 <= number < 0xE000:
            return chr(number)
    elif escape[3] in _ESCAPED:
        return _ESCAPED[escape[3]]
    raise NotSparqlError(
        f"the query does not parse: a string has the escape {escape[0]!r}; a backslash is "
        "written \\\\ there"
    )


def parse_expression(cursor: Cursor) -> Expression:
    """Read an expression."""
    operands = [_parse_operand(cursor)]
    operators: list[str] = []
    while operator := _parse_operator(cursor):
        operators.append(operator)
        if operator in {"IN", "NOT IN"}:
            # a list, which is a call without a name until it is folded
            operands.append(FunctionCall("", tuple(_parse_arguments(cursor))))
        else:
            operands.append(_parse_operand(cursor))
    for level in _LEVELS:
        if not operators:
            break
        operands, operators = _fold_level(cursor, level, operands, operators)
    return operands[0]


def parse_bracketed(cursor: Cursor) -> Expression:
    """Read an expression in brackets."""
    cursor.expect("(")
    inner = parse_expression(cursor)
    cursor.expect(")")
    return inner


def starts_constraint(cursor: Cursor) -> bool:
    """Return whether an expression in brackets or a call begins here, as in FILTER or ORDER BY."""
    word = cursor.token.word
    is_function = word in _ARGUMENTS or word in AGGREGATES or word in {"EXISTS", "NOT"}
    return is_function or cursor.sees("(") or is_iri(cursor.token)


def parse_constraint(cursor: Cursor) -> Expression:
    """Read an expression in brackets or a call."""
    if cursor.sees("("):
        return parse_bracketed(cursor)
    call = _parse_call(cursor) if starts_constraint(cursor) else None
    if call is None or isinstance(call, str):
        raise cursor.error("an expression in brackets, or a call of a function,")
    return call


def _parse_operator(cursor: Cursor) -> str:
    """Advance past an operator and return it; empty if there is none here."""
    if cursor.token.word == "NOT" and cursor.ahead().word == "IN":
        cursor.take()
        cursor.take()
        return "NOT IN"
    if cursor.accept_word("IN"):
        return "IN"
    for sign in ("||", "&&", *_COMPARISONS, "+", "-", "*", "/"):
        if cursor.accept(sign):
            return sign
    return ""


def _fold_level(
    cursor: Cursor, level: Sequence[str], operands: Sequence[Expression], operators: Sequence[str]
) -> tuple[list[Expression], list[str]]:
    """Join the operands of the operators of one level; return the rest with other operators."""
    results: list[Expression] = []
    other_operators: list[str] = []
    # the operators of the level, and the operands that they join, since the last other operator
    chain: list[str] = []
    chain_operands = [operands[0]]
    for operator, operand in zip(operators, operands[1:], strict=True):
        if operator in level:
            chain.append(operator)
            chain_operands.append(operand)
            continue
        results.append(_operation(cursor, chain, chain_operands))
        other_operators.append(operator)
        chain = []
        chain_operands = [operand]
    results.append(_operation(cursor, chain, chain_operands))
    return results, other_operators


def _operation(cursor: Cursor, names: Sequence[str], arguments: Sequence[Expression]) -> Expression:
    """Return operators of one level with their operands; without operators the operand."""
    if not names:
        return arguments[0]
    operator = names[0]
    if operator in {"||", "&&"}:
        return Operation((operator,), tuple(arguments))
    if len(names) > 1 and operator not in {"*", "/", "+", "-"}:
        raise cursor.error("one comparison only, others in brackets,")
    last_argument = arguments[-1]
    if operator in {"IN", "NOT IN"} and isinstance(last_argument, FunctionCall):
        return Operation((operator,), (arguments[0], *last_argument.arguments))
    return Operation(tuple(names), tuple(arguments))


def _parse_operand(cursor: Cursor) -> Expression:
    """Read an operand and the signs before it; ``!`` may be repeated, as in SPARQL 1.2."""
    signs = []
    while cursor.accept("!"):
        signs.append("!")
    is_sign = cursor.token.kind == "other" and cursor.token.text in "+-"
    if is_sign and not starts_literal(cursor):  # -1 is a number
        signs.append(cursor.take().text)

    operand: Expression | None
    if cursor.sees("("):
        operand = parse_bracketed(cursor)
    elif cursor.token.kind == "var" or starts_literal(cursor):
        operand = parse_term(cursor)
    else:
        operand = _parse_call(cursor)
    if operand is None:
        raise cursor.error("a value")

    if not signs:
        return operand
    return Operation(tuple(signs), (operand,))


def _parse_call(cursor: Cursor) -> Expression | None:
    """Read a call or a plain IRI; None if neither comes next."""
    token = cursor.token
    if is_iri(token):
        name = parse_iri(cursor)
        if not cursor.sees("("):
            return name
        return FunctionCall(name, tuple(_parse_arguments(cursor, distinct=True)))

    if token.word in AGGREGATES:
        name = cursor.take().word
        cursor.expect("(")
        is_distinct = bool(cursor.accept_word("DISTINCT"))
        argument = None if name == "COUNT" and cursor.accept("*") else parse_expression(cursor)
        if name == "GROUP_CONCAT" and cursor.accept(";"):
            cursor.expect_word("SEPARATOR")
            cursor.expect("=")
            if cursor.token.kind != "string":
                raise cursor.error("a string")
            cursor.take()
        cursor.expect(")")
        return Aggregate(name, is_distinct, argument)

    if token.word == "EXISTS" or (token.word == "NOT" and cursor.ahead().word == "EXISTS"):
        is_negated = bool(cursor.accept_word("NOT"))
        cursor.expect_word("EXISTS")
        return Exists(is_negated, parse_group(cursor))

    if token.word not in _ARGUMENTS:
        return None
    cursor.take()
    name = token.word
    minimum, maximum = _ARGUMENTS[name]
    parse_argument = parse_variable if name == "BOUND" else parse_expression
    arguments = _parse_arguments(cursor, parse_argument)
    if not minimum <= len(arguments) <= maximum:
        raise cursor.error(f"another number of arguments for {name}")
    return FunctionCall(name, tuple(arguments))


def _parse_arguments(
    cursor: Cursor, parse: _Parser = parse_expression, *, distinct: bool = False
) -> list[Expression]:
    """Read ``( a , b , ... )``; with `distinct`, DISTINCT may come first."""
    cursor.expect("(")
    if distinct:
        cursor.accept_word("DISTINCT")
    return _parse_items(cursor, parse, ",")


def parse_path(cursor: Cursor) -> Predicate:
    """Read a path; a single IRI is returned as a term, not as a `Path`."""
    branches = [_parse_sequence(cursor)]
    while cursor.sees("|") and not cursor.sees("||"):
        cursor.take()
        branches.append(_parse_sequence(cursor))
    if len(branches) > 1:
        return Path("|", tuple(branches))
    return branches[0]


def parse_predicate_iri(cursor: Cursor) -> Term:
    """Read an IRI or ``a``."""
    if cursor.token.text == "a":
        cursor.take()
        return _TYPE
    if not is_iri(cursor.token):
        raise cursor.error("a property")
    return parse_iri(cursor)


def _parse_sequence(cursor: Cursor) -> Predicate:
    steps = [_parse_step(cursor)]
    while cursor.accept("/"):
        steps.append(_parse_step(cursor))
    if len(steps) > 1:
        return Path("/", tuple(steps))
    return steps[0]


def _parse_step(cursor: Cursor) -> Predicate:
    """Read one step, with ``^`` before it and ``*``, ``+`` or ``?`` after it."""
    inverse = cursor.accept("^")
    if cursor.accept("("):
        step = parse_path(cursor)
        cursor.expect(")")
    elif cursor.accept("!"):
        # one property, or several in brackets
        if cursor.accept("("):
            step = Path("!", tuple(_parse_items(cursor, _parse_excluded, "|")))
        else:
            step = Path("!", (_parse_excluded(cursor),))
    else:
        step = parse_predicate_iri(cursor)

    is_repeated = cursor.token.kind == "other" and cursor.token.text in "*+?"
    if is_repeated and not starts_literal(cursor):  # not ``:p +1``
        step = Path(cursor.take().text, (step,))
    if not inverse:
        return step
    return Path("^", (step,))


def _parse_excluded(cursor: Cursor) -> Predicate:
    inverse = cursor.accept("^")
    predicate = parse_predicate_iri(cursor)
    return Path("^", (predicate,)) if inverse else predicate


def starts_triples(cursor: Cursor) -> bool:
    """Return whether a subject begins here."""
    token = cursor.token
    if token.kind == "other" and token.text in "([":
        return True
    return token.kind in {"var", "iri", "name"} or starts_literal(cursor)


class _Node(NamedTuple):
    """A subject or object, and the triples nested in it."""

    term: Term
    triples: Sequence[Triple] = ()


def _parse_properties(cursor: Cursor, subject: Term) -> list[Triple]:
    """Read ``verb object , object ; verb object``; extra semicolons are allowed."""
    triples: list[Triple] = []
    while True:
        predicate: Predicate
        if cursor.token.kind == "var":
            predicate = parse_variable(cursor)
        else:
            predicate = parse_path(cursor)
        while True:
            node = _parse_node(cursor)
            triples += [Triple(subject, predicate, node.term), *node.triples]
            if not cursor.accept(","):
                break
        if not cursor.sees(";"):
            return triples
        while cursor.accept(";"):
            pass
        if not _starts_verb(cursor):
            return triples


def _parse_node(cursor: Cursor) -> _Node:
    """Read a subject or object."""
    if cursor.accept("["):
        blank = cursor.fresh_blank()
        if cursor.accept("]"):
            return _Node(blank)
        triples = _parse_properties(cursor, blank)
        cursor.expect("]")
        return _Node(blank, triples)
    if cursor.accept("("):
        return _parse_collection(cursor)
    term = parse_term(cursor)
    if term is None:
        raise cursor.error("a variable, IRI, literal or blank node")
    return _Node(term)


def _parse_collection(cursor: Cursor) -> _Node:
    """Read the members of a list and its closing bracket."""
    if cursor.accept(")"):
        return _Node(_NIL)
    triples: list[Triple] = []
    cell = first_cell = cursor.fresh_blank()
    while True:
        member = _parse_node(cursor)
        triples += [Triple(cell, _FIRST, member.term), *member.triples]
        if cursor.accept(")"):
            triples.append(Triple(cell, _REST, _NIL))
            return _Node(first_cell, triples)
        next_cell = cursor.fresh_blank()
        triples.append(Triple(cell, _REST, next_cell))
        cell = next_cell


def _starts_verb(cursor: Cursor) -> bool:
    """Return whether a variable or a property path begins here."""
    token = cursor.token
    if token.kind == "other":
        return token.text in "^!("
    return token.kind == "var" or token.text == "a" or is_iri(token)


def parse_group(cursor: Cursor) -> Group:
    """Read a group with its braces: parts, or a sub-query."""
    cursor.expect("{")
    if cursor.token.word == "SELECT":
        inner = Group((), parse_select(cursor))
        cursor.expect("}")
        return inner

    parts: list[Part] = []
    while not cursor.accept("}"):
        if starts_triples(cursor):
            parts.append(Triples(tuple(_parse_triples(cursor))))
            continue

        keyword = cursor.accept_word(
            "FILTER", "BIND", "VALUES", "OPTIONAL", "MINUS", "GRAPH", "SERVICE"
        )
        if keyword == "FILTER":
            parts.append(Filter(parse_constraint(cursor)))
        elif keyword == "BIND":
            parts.append(Bind(*_parse_named_expression(cursor)))
        elif keyword == "VALUES":
            parts.append(parse_values(cursor))
        elif keyword in {"GRAPH", "SERVICE"}:
            if keyword == "SERVICE":
                cursor.accept_word("SILENT")
            name = parse_variable_or_iri(cursor)
            parts.append(Block(keyword, parse_group(cursor), name))
        elif keyword:
            parts.append(Block(keyword, parse_group(cursor)))
        elif cursor.sees("{"):
            groups = [parse_group(cursor)]
            while cursor.accept_word("UNION"):
                groups.append(parse_group(cursor))
            parts.append(Branches(tuple(groups)))
        else:
            raise cursor.error("a triple pattern, another part of a group, or '}'")

        cursor.accept(".")
    return Group(tuple(parts))


def parse_values(cursor: Cursor) -> Values:
    """Read the variables and data after VALUES."""
    has_brackets = cursor.token.kind != "var"
    variables = _parse_row(cursor, parse_variable, has_brackets=has_brackets)
    rows: list[tuple[Term | None, ...]] = []
    cursor.expect("{")
    while not cursor.accept("}"):
        rows.append(_parse_row(cursor, _parse_data_value, has_brackets=has_brackets))
        if len(rows[-1]) != len(variables):
            raise cursor.error(f"a row of {len(variables)} values")
    return Values(variables, tuple(rows))


def _parse_row(
    cursor: Cursor, parse: Callable[[Cursor], _Item], *, has_brackets: bool
) -> tuple[_Item, ...]:
    """Read a row of VALUES; without brackets it has one item."""
    if not has_brackets:
        return (parse(cursor),)
    cursor.expect("(")
    return tuple(_parse_items(cursor, parse))


def _parse_triples(cursor: Cursor) -> list[Triple]:
    """Read triple patterns with dots between them; paths are let pass in a template, too."""
    triples: list[Triple] = []
    while starts_triples(cursor):
        is_nested = cursor.token.kind == "other" and cursor.token.text in "(["
        subject = _parse_node(cursor)
        triples += subject.triples
        # ``[ :p ?x ]`` and ``( 1 2 )`` are complete without a property
        is_complete = is_nested and bool(subject.triples) and not _starts_verb(cursor)
        if not is_complete:
            triples += _parse_properties(cursor, subject.term)
        if not cursor.accept("."):
            if starts_triples(cursor):
                raise cursor.error("'.'")
            break
    return triples


def _parse_named_expression(cursor: Cursor) -> tuple[Expression, Term]:
    """Read ``(expression AS ?variable)``."""
    cursor.expect("(")
    expression = parse_expression(cursor)
    cursor.expect_word("AS")
    variable = parse_variable(cursor)
    cursor.expect(")")
    return expression, variable


def _parse_data_value(cursor: Cursor) -> Term | None:
    """Read a value of VALUES; None for UNDEF."""
    if cursor.accept_word("UNDEF"):
        return None
    if is_iri(cursor.token):
        return parse_iri(cursor)
    if not starts_literal(cursor):
        raise cursor.error("an IRI, a literal or UNDEF")
    return parse_literal(cursor)


def parse_query(cursor: Cursor) -> Query:
    """Read a query after its prologue."""
    if cursor.token.word == "SELECT":
        return parse_select(cursor, allow_from=True)

    form = cursor.accept_word("ASK", "CONSTRUCT", "DESCRIBE")
    if not form:
        raise cursor.error("SELECT, ASK, CONSTRUCT or DESCRIBE")

    if form == "CONSTRUCT":
        # CONSTRUCT WHERE { ... } has no template: its group is the template too
        where: Group | None = None
        if cursor.sees("{"):
            _parse_template(cursor)
            where = _parse_where(cursor)
        else:
            _skip_dataset(cursor)
            cursor.expect_word("WHERE")
            triples = _parse_template(cursor)
            parts = (Triples(tuple(triples)),) if triples else ()
            where = Group(parts)
    elif form == "DESCRIBE":
        if not cursor.accept("*"):
            parse_variable_or_iri(cursor)
            while cursor.token.kind == "var" or is_iri(cursor.token):
                parse_variable_or_iri(cursor)
        _skip_dataset(cursor)
        where = _parse_where(cursor) if cursor.token.word == "WHERE" or cursor.sees("{") else None
    else:
        where = _parse_where(cursor)

    return _parse_modifiers(cursor, Query(form, where=where))


def parse_select(cursor: Cursor, *, allow_from: bool = False) -> Query:
    """Parse a SELECT; a subquery may not have FROM."""
    cursor.expect_word("SELECT")
    modifier = cursor.accept_word("DISTINCT", "REDUCED")
    columns = []
    if not cursor.accept("*"):
        while cursor.token.kind == "var" or cursor.sees("("):
            if cursor.token.kind == "var":
                columns.append(Column(parse_variable(cursor)))
            else:
                expression, variable = _parse_named_expression(cursor)
                columns.append(Column(variable, expression))
        if not columns:
            raise cursor.error("a variable, (expression AS ?variable) or *")
    if not allow_from and cursor.token.word == "FROM":
        raise cursor.error("the group of the sub-query")
    return _parse_modifiers(cursor, Query("SELECT", modifier, tuple(columns), _parse_where(cursor)))


def _parse_where(cursor: Cursor) -> Group:
    _skip_dataset(cursor)
    cursor.accept_word("WHERE")
    return parse_group(cursor)


def _skip_dataset(cursor: Cursor) -> None:
    """Skip FROM clauses, which do not matter here."""
    while cursor.accept_word("FROM"):
        cursor.accept_word("NAMED")
        parse_iri(cursor)


def _parse_template(cursor: Cursor) -> list[Triple]:
    cursor.expect("{")
    triples = _parse_triples(cursor)
    cursor.expect("}")
    return triples


def _parse_modifiers(cursor: Cursor, query: Query) -> Query:
    """Read the clauses after the group, and add them to a query."""
    group_by: list[ClauseEntry] = []
    having: list[ClauseEntry] = []
    order_by: list[ClauseEntry] = []

    if cursor.accept_word("GROUP"):
        cursor.expect_word("BY")
        group_by = _parse_group_by(cursor)
    if cursor.accept_word("HAVING"):
        while not having or starts_constraint(cursor):
            having.append(ClauseEntry(parse_constraint(cursor)))
    if cursor.accept_word("ORDER"):
        cursor.expect_word("BY")
        order_by = _parse_order_by(cursor)

    # LIMIT and OFFSET, in either order, each once
    limits: dict[str, int] = {}
    while cursor.token.word in {"LIMIT", "OFFSET"} - limits.keys():
        word = cursor.take().word
        if not re.fullmatch(r"[0-9]{1,18}", cursor.token.text):
            raise cursor.error("a whole number of at most 18 digits")
        limits[word] = int(cursor.take().text)

    values = parse_values(cursor) if cursor.accept_word("VALUES") else None
    return query._replace(
        group_by=tuple(group_by), having=tuple(having), order_by=tuple(order_by),
        limit=limits.get("LIMIT"), offset=limits.get("OFFSET"), values=values,
    )  # fmt: skip


def _parse_group_by(cursor: Cursor) -> list[ClauseEntry]:
    """Read the entries of GROUP BY, of which there is at least one."""
    entries = []
    while cursor.token.kind == "var" or starts_constraint(cursor):
        if cursor.token.kind == "var":
            entries.append(ClauseEntry(parse_variable(cursor)))
        elif cursor.accept("("):
            expression = parse_expression(cursor)
            variable = parse_variable(cursor) if cursor.accept_word("AS") else ""
            cursor.expect(")")
            entries.append(ClauseEntry(expression, variable))
        else:
            entries.append(ClauseEntry(parse_constraint(cursor)))
    if not entries:
        raise cursor.error("what to group by")
    return entries


def _parse_order_by(cursor: Cursor) -> list[ClauseEntry]:
    """Read the entries of ORDER BY, of which there is at least one."""
    entries: list[ClauseEntry] = []
    while True:
        if cursor.accept_word("ASC", "DESC") and not cursor.sees("("):
            raise cursor.error("'('")
        if cursor.token.kind == "var":
            entries.append(ClauseEntry(parse_variable(cursor)))
        elif starts_constraint(cursor):
            entries.append(ClauseEntry(parse_constraint(cursor)))
        elif entries:
            return entries
        else:
            raise cursor.error("what to order by")


def parse(text: str) -> Query:
    """Return the syntax tree of a query.

    Prefixed names become IRIs; relative IRIs stay as they are.

    >>> parse("PREFIX : <http://x.org/> ASK { :b :c ?a }").where.parts[0].triples
    (Triple(subject='<http://x.org/b>', predicate='<http://x.org/c>', object='?a'),)
    """
    text = decode(text)
    query_tokens = tokenize(text)
    problem = size_problem(query_tokens)
    if problem:
        raise NotSparqlError(problem)
    start, prefixes, _ = read_prologue(query_tokens)
    cursor = Cursor(text, query_tokens[start:], prefixes)
    tree = parse_query(cursor)
    if cursor.token.kind != "end":
        raise cursor.error("the end of the query")
    return tree
