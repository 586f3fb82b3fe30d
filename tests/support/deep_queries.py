"""Queries of every kind that can be made as deep or as long as one likes."""

from __future__ import annotations

from collections.abc import Callable

_P = "<urn:p>"


def _group(inside: str) -> str:
    return f"SELECT * {{ ?s ?p ?o {inside} }}"


def _filter(condition: str) -> str:
    return _group(f"FILTER({condition})")


def _path(path: str) -> str:
    return f"SELECT * {{ ?s {path} ?o }}"


#: By name, what makes a query of a size.
KINDS: dict[str, Callable[[int], str]] = {
    "sums": lambda n: _filter("1+" * n + "1"),
    "differences": lambda n: _filter("1" + "-1" * n),
    "products": lambda n: _filter("1*" * n + "1"),
    "or": lambda n: _filter("||".join(f"?o=<urn:{i}>" for i in range(n))),
    "and": lambda n: _filter("?o&&" * n + "?o"),
    "not": lambda n: _filter("!" * n + "?o"),
    "not-in-brackets": lambda n: _filter("!(" * n + "?o" + ")" * n),
    "brackets": lambda n: _filter("(" * n + "1" + ")" * n),
    "functions": lambda n: _filter("STR(" * n + "?o" + ")" * n),
    "conditions": lambda n: _filter("IF(1,1," * n + "1" + ")" * n),
    "all-levels": lambda n: _filter("1||1&&1=1+1*!(" * n + "1" + ")" * n),
    "in": lambda n: _filter(f"?o IN ({','.join(map(str, range(n)))})"),
    "unions": lambda n: "SELECT * { " + " UNION ".join(["{ ?s ?p ?o }"] * n) + " }",
    "empty-unions": lambda n: "SELECT * { " + "UNION".join(["{}"] * n) + " }",
    "groups": lambda n: "SELECT * { " + "{ ?s ?p ?o }" * n + " }",
    "optionals": lambda n: _group("OPTIONAL { ?s ?p ?o }" * n),
    "minuses": lambda n: _group("MINUS { ?s ?p ?o }" * n),
    "graphs": lambda n: _group("GRAPH ?g { ?s ?p ?o }" * n),
    "filters": lambda n: _group("FILTER(?o>1)" * n),
    "exists": lambda n: _group("FILTER EXISTS { ?s ?p ?o }" * n),
    "binds": lambda n: _group("".join(f"BIND({i} AS ?b{i})" for i in range(n))),
    "values-blocks": lambda n: _group("VALUES ?o { 1 }" * n),
    "columns": lambda n: f"SELECT {' '.join(f'({i} AS ?b{i})' for i in range(n))} {{ ?s ?p ?o }}",
    "plain-columns": lambda n: f"SELECT {' '.join(f'?b{i}' for i in range(n))} {{ ?s ?p ?o }}",
    "keys": lambda n: (f"SELECT (COUNT(*) AS ?c) {{ ?s ?p ?o }} GROUP BY "
        f"{' '.join(f'(?b{i}+1)' for i in range(n))}"),
    "having": lambda n: (f"SELECT ?s {{ ?s ?p ?o }} GROUP BY ?s HAVING "
        f"{' '.join(f'(COUNT(?o)>{i})' for i in range(n))}"),
    "nested-groups": lambda n: "SELECT * " + "{" * n + " ?s ?p ?o " + "}" * n,
    "nested-optionals": lambda n: _group("OPTIONAL { ?s ?p ?o " * n + "}" * n),
    "nested-exists": lambda n: _group("FILTER EXISTS { ?s ?p ?o " * n + "}" * n),
    "nested-selects": lambda n: "SELECT * " + "{ SELECT * {" * n + " ?s ?p ?o " + "}}" * n,
    "steps": lambda n: _path(f"{_P}/" * n + _P),
    "inverse-steps": lambda n: _path(f"^{_P}/" * n + _P),
    "alternatives": lambda n: _path(f"{_P}|" * n + _P),
    "excluded": lambda n: _path("!(" + f"{_P}|" * n + f"{_P})"),
    "nested-paths": lambda n: _path("(" * n + _P + ")*" * n),
    "patterns": lambda n: "SELECT * { " + "?s ?p ?o . " * n + "}",
    "chain": lambda n: "ASK { " + " . ".join(f"?v{i} {_P} ?v{i + 1}" for i in range(n)) + " }",
    "star": lambda n: "ASK { ?v " + " ; ".join(f"{_P} {i}" for i in range(n)) + " }",
    "objects": lambda n: "SELECT * { ?s ?p " + ",".join(["?o"] * n) + " }",
    "semicolons": lambda n: "SELECT * { ?s ?p ?o " + ";" * n + " }",
    "list": lambda n: "ASK { ?s ?p (" + " 1" * n + ") }",
    "nested-lists": lambda n: "SELECT * { ?s ?p " + "(" * n + "1" + ")" * n + " }",
    "nested-blank-nodes": lambda n: "SELECT * { ?s ?p " + "[?p " * n + "1" + "]" * n + " }",
    "nested-triples": lambda n: (
        "SELECT * { " + "<< " * n + "<< ?s ?p ?o >>" + " ?p ?o >>" * n + " ?p ?o }"
    ),
    "values": lambda n: _group(f"VALUES ?o {{ {' '.join(f'<urn:{i}>' for i in range(n))} }}"),
    "rows": lambda n: _group(
        f"VALUES (?s ?o) {{ {' '.join(f'(<urn:{i}> -1)' for i in range(n))} }}"
    ),
    "open-braces": lambda n: "SELECT * " + "{" * n,
    "open-brackets": lambda n: "SELECT * { FILTER" + "(" * n,
    "open-squares": lambda n: "SELECT * { ?s ?p " + "[" * n,
    "quotes": lambda n: "SELECT * { ?s ?p " + '"' * n,
    "brackets-behind-a-comment-that-is-none": lambda n: (
        f"BASE <http://x/> SELECT * {{ ?s ?p <?a#>. FILTER{'(' * n}1{')' * n} }}"
    ),
    "brackets-in-a-string-that-is-none": lambda n: (
        f"BASE <http://x/> SELECT * {{ ?s ?p <?a'>. FILTER{'(' * n}1{')' * n} ?s ?p '' }}"
    ),
    "signs-in-an-iri-that-is-none": lambda n: (
        f"PREFIX u: <urn:u> SELECT * {{ ?s ?p ?o FILTER(?o<u:x=({'!' * n}?o)>1) }}"
    ),
    "brackets-in-an-iri-that-is-none": lambda n: (
        f"PREFIX u: <urn:u> SELECT * {{ ?s ?p ?o FILTER(?o<u:x({'(' * n}?o{')' * n})>1) }}"
    ),
}  # fmt: skip
