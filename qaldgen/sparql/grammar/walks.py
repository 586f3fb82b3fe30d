"""Iterate over the parts of a query, without recursion."""

from __future__ import annotations

from collections.abc import Iterator

from qaldgen.sparql.grammar.tree import Block, Branches, Group, Part, Query


def all_parts(query: Query) -> Iterator[Part]:
    """Yield the parts of all groups, including sub-queries, but not EXISTS."""
    waiting: list[Group | None] = [query.where]
    while waiting:
        group = waiting.pop()
        if group is None:
            continue
        if group.query is not None:
            waiting.append(group.query.where)
        for part in group.parts:
            yield part
            if isinstance(part, Block):
                waiting.append(part.group)
            elif isinstance(part, Branches):
                waiting += part.groups


def all_queries(query: Query) -> Iterator[Query]:
    """Yield a query and its sub-queries, but not those in EXISTS."""
    yield query
    groups: list[Group] = [] if query.where is None else [query.where]
    for part in all_parts(query):
        groups += (
            [part.group]
            if isinstance(part, Block)
            else part.groups
            if isinstance(part, Branches)
            else []
        )
    for group in groups:
        if group.query is not None:
            yield group.query
