"""The form of a SPARQL query, its clauses, and the elements of its WHERE group."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import NamedTuple

from qaldgen.errors import UsageError
from qaldgen.sparql.tokens import CLOSING, Token, closing_index, read_prologue, text_of, tokenize

_FORMS = {"SELECT", "ASK", "CONSTRUCT", "DESCRIBE"}
_UPDATES = {"INSERT", "DELETE", "LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD", "WITH"}
#: Keywords of elements with a group, data or an expression in brackets.
_BLOCK_KEYWORDS = {"OPTIONAL", "MINUS", "GRAPH", "SERVICE", "VALUES", "FILTER", "BIND"}


class Select(NamedTuple):
    """The clauses of a SELECT query, as text."""

    prologue: str
    projection: str
    dataset: str
    where: str
    tail: str


def query_form(query: str) -> str:
    """Return SELECT, ASK, CONSTRUCT, DESCRIBE or UPDATE; empty for any other text."""
    word = next((token.word for token in _tokens_after_prologue(query)), "")
    if word in _FORMS:
        return word
    return "UPDATE" if word in _UPDATES else ""


def with_article(form: str) -> str:
    """Return the form of a query with its article.

    >>> with_article("ASK"), with_article("SELECT")
    ('an ASK', 'a SELECT')
    """
    article = "an" if form[0] in "AU" else "a"
    return f"{article} {form}"


def _tokens_after_prologue(query: str) -> list[Token]:
    tokens = tokenize(query)
    return tokens[read_prologue(tokens).length :]


def split_select(query: str) -> Select:
    """Cut a SELECT query into prologue, projection, FROM, WHERE group and solution modifiers.

    >>> split_select("PREFIX : <http://x/> SELECT ?a { ?a :p ?b } LIMIT 3").where
    '?a :p ?b'
    """
    body = _tokens_after_prologue(query)

    # Brackets of the projection may hold EXISTS { }, which is not the WHERE group.
    opening = 0
    while opening < len(body) and body[opening].text != "{":
        if body[opening].text == "(":
            opening = closing_index(body, opening)
        opening += 1
    if not body or body[0].word != "SELECT" or opening >= len(body):
        raise UsageError(
            "the query is not a SELECT query; write SELECT ?qId ?feature ... WHERE { ... }"
        )

    closing = closing_index(body, opening)
    # The keyword WHERE is optional.
    head_end = opening - 1 if body[opening - 1].word == "WHERE" else opening
    dataset_start = next(
        (i for i, token in enumerate(body[:head_end]) if token.word == "FROM"), head_end
    )

    return Select(
        prologue=query[: body[0].start].rstrip(),
        projection=text_of(query, body[:dataset_start]),
        dataset=text_of(query, body[dataset_start:head_end]),
        where=text_of(query, body[opening + 1 : closing]),
        tail=text_of(query, body[closing + 1 :]),
    )


def selected_variables(query: str) -> tuple[str, ...]:
    """Return the variables in the projection of a SELECT query; none for ``*``.

    >>> selected_variables("SELECT DISTINCT ?a (COUNT(?b) AS ?n) WHERE { ?a ?p ?b }")
    ('a', 'n')
    >>> selected_variables("ASK {}")
    ()
    """
    body = _tokens_after_prologue(query)
    names: list[str] = []
    index = 1 if body and body[0].word == "SELECT" else len(body)
    while index < len(body) and body[index].text != "{":
        if body[index].word in {"WHERE", "FROM"}:
            break
        end = closing_index(body, index) if body[index].text == "(" else index
        variables = [token for token in body[index : end + 1] if token.kind == "var"]
        if variables:  # an expression in brackets ends with its name
            names.append(variables[-1].text[1:])
        index = end + 1
    return tuple(names)


def question_variable(query: str, variables: Sequence[str]) -> str:
    """Return which of some variables holds the question: ``qId`` in any case, else the first.

    >>> question_variable("SELECT * { ?q :length ?l }", ["l", "q"])
    'q'
    """
    for name in variables:
        # Variables of SPARQL are case-sensitive, but ?qid can only mean ?qId.
        if name.lower() == "qid":
            return name
    for name in variables_in(query):
        if name in variables:
            return name
    return variables[0]


def find_question_variable(query: str) -> str:
    """Return the variable of a query that holds the question: ``qId``, else the first.

    >>> find_question_variable("SELECT ?n ?qid { ?qid <urn:n> ?n }")
    'qid'
    """
    parts = split_select(query)
    names = variables_in(parts.projection) or variables_in(parts.where)
    if not names:
        raise UsageError("the query has no variable; the question is ?qId")
    return question_variable(query, names)


def variables_in(text: str) -> list[str]:
    """Return every occurrence of a variable in a part of a query, without ``?``."""
    return [token.text[1:] for token in tokenize(text) if token.kind == "var"]


def fresh_variables(query: str, stem: str) -> Iterator[str]:
    """Yield names of variables that the query does not use: the stem with a number."""
    used_names = set(variables_in(query))
    for number in count(1):
        name = f"{stem}{number}"
        if name not in used_names:
            yield name


def with_patterns(query: str, lines: Sequence[str]) -> str:
    """Return a query with further lines at the end of its WHERE group.

    >>> print(with_patterns("SELECT ?q { ?q :a ?n }", ["FILTER (?n > 1)"]))
    SELECT ?q
    WHERE { ?q :a ?n
        FILTER (?n > 1)
    }
    """
    parts = split_select(query)
    head = "\n".join(filter(None, (parts.prologue, parts.projection, parts.dataset)))
    body = "".join(f"    {line}\n" for line in lines)
    tail = parts.tail.strip()
    inner = parts.where.strip("\n").rstrip()
    if query_form(inner) == "SELECT":  # a subquery needs braces if other lines follow it
        inner = f"{{ {inner} }}"
    begin = "{ "
    if inner.startswith((" ", "\t")):
        begin = "{\n" if "\n" in inner else "{"
    return f"{head}\nWHERE {begin}{inner}\n{body}}} {tail}".rstrip()


def count_query(query: str) -> str:
    """Return the query that counts the rows of `query` in ``?qaldgenRows`` (unlikely to clash)."""
    return _wrap_as_subquery(query, "SELECT (COUNT(*) AS ?qaldgenRows)", "")


def page_of(
    query: str, variables: Sequence[str], keys: Sequence[str], limit: int, offset: int
) -> str:
    """Return the query for one page of the rows of `query`."""
    columns = " ".join(f"?{name}" for name in variables)
    order = f"ORDER BY {' '.join(f'?{name}' for name in keys)} " if keys else ""
    return _wrap_as_subquery(query, f"SELECT {columns}", f"{order}LIMIT {limit} OFFSET {offset}")


def _wrap_as_subquery(query: str, projection: str, tail: str) -> str:
    parts = split_select(query)
    # A subquery cannot have a prologue or FROM; these stay outside.
    inner = f"{parts.projection} WHERE {{ {parts.where} }} {parts.tail}".rstrip()
    return (
        f"{parts.prologue}\n{projection} {parts.dataset} WHERE {{ {{ {inner} }} }} {tail}".strip()
    )


class Element(NamedTuple):
    """One element of a group: a triple pattern, or a whole FILTER, OPTIONAL, UNION, BIND, ..."""

    kind: str  # ``TRIPLE``, ``GROUP`` (braces and UNION), or the keyword
    text: str
    variables: frozenset[str]  # without ``?``


def name_blank_nodes(text: str) -> str:
    """Turn blank node labels into variables, which several groups of a query may share.

    >>> name_blank_nodes("?q :origin _:o")
    '?q :origin ?blank_o'
    """
    labels = [
        token for token in tokenize(text) if token.kind == "name" and token.text.startswith("_:")
    ]
    # From the end, so that the positions of earlier tokens stay valid.
    for token in reversed(labels):
        # Labels may contain dots and hyphens, variables may not.
        name = re.sub(r"[^0-9A-Za-z_]", "_", token.text[2:])
        text = f"{text[: token.start]}?blank_{name}{text[token.end :]}"
    return text


def group_elements(where: str) -> list[Element]:
    """Cut the text of a WHERE group into its elements; ``s p o ; q r`` gives two triple patterns.

    >>> [e.text for e in group_elements("?q :a ?x ; :b ?y . FILTER(?x > 1)")]
    ['?q :a ?x', '?q :b ?y', 'FILTER(?x > 1)']
    """
    remaining = tokenize(where)
    elements: list[Element] = []
    # The group is a subquery as a whole.
    if remaining and remaining[0].word == "SELECT":
        return [_make_element("GROUP", f"{{ {text_of(where, remaining)} }}", remaining)]

    while remaining:
        if remaining[0].text == ".":
            remaining = remaining[1:]
            continue

        keyword = remaining[0].word
        if keyword in _BLOCK_KEYWORDS or remaining[0].text == "{":
            length = _count_block_tokens(remaining)
            text = text_of(where, remaining[:length])
            elements.append(_make_element(keyword or "GROUP", text, remaining[:length]))
        else:
            # the statement ends at a dot or block; it has a token at least, so that the loop ends
            length = 0
            while length < len(remaining):
                token = remaining[length]
                if token.text in {".", "{"} or token.word in _BLOCK_KEYWORDS:
                    break
                if token.kind == "other" and token.text in CLOSING:
                    length = closing_index(remaining, length)
                length += 1
            length = max(length, 1)
            elements.extend(_triple_patterns(where, remaining[:length]))

        remaining = remaining[length:]
    return elements


def _count_block_tokens(tokens: Sequence[Token]) -> int:
    """Return the number of tokens of the block that the tokens begin with, such as a FILTER."""
    # FILTER EXISTS { } ends with a brace, other filters with a bracket
    opening_text = "{"
    is_expression = tokens[0].word in {"FILTER", "BIND"} and len(tokens) > 1
    if is_expression and tokens[1].word not in {"EXISTS", "NOT"}:
        opening_text = "("
    end = 0
    while True:
        opening = next((i for i in range(end, len(tokens)) if tokens[i].text == opening_text), None)
        if opening is None:
            return len(tokens)
        end = closing_index(tokens, opening) + 1
        # a chain of groups with UNION is one element
        if end >= len(tokens) or tokens[end].word != "UNION":
            return end


def _triple_patterns(where: str, statement: Sequence[Token]) -> Iterable[Element]:
    """Yield the triple patterns of a statement, split at its semicolons."""
    index = 1
    if statement[0].text in CLOSING:
        index += closing_index(statement, 0)
    subject = statement[:index]

    predicate_objects: list[list[Token]] = [[]]
    while index < len(statement):
        if statement[index].text == ";":
            predicate_objects.append([])
            index += 1
            continue
        end = closing_index(statement, index) if statement[index].text in CLOSING else index
        predicate_objects[-1].extend(statement[index : end + 1])
        index = end + 1

    for predicate_object in predicate_objects:
        # `s p o ;` has an empty part after the last semicolon; a lone `[ :p ?x ]` has no part at
        # all and is still a pattern.
        if predicate_object or len(predicate_objects) == 1:
            text = f"{text_of(where, subject)} {text_of(where, predicate_object)}".strip()
            yield _make_element("TRIPLE", text, [*subject, *predicate_object])


def _make_element(kind: str, text: str, tokens: Sequence[Token]) -> Element:
    return Element(kind, text, frozenset(token.text[1:] for token in tokens if token.kind == "var"))
