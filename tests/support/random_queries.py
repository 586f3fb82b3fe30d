"""Random SPARQL queries of every kind that the grammar has, from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

_IRIS = ["<http://x.org/a>", "<http://x.org/b>", ":c", "wd:Q1", "<urn:d>", "dbr:E_\\(f\\)", "x:"]
_PREDICATES = [
    "<http://x.org/p>",
    ":q",
    "a",
    "wdt:P31",
    "wdt:P279",
    "p:P1",
    "ps:P1",
    "pq:P2",
    "rdfs:subClassOf",
]
_LITERALS = [
    "1",
    "-2",
    "+3.5",
    "1e3",
    "'a'",
    '"b"@en',
    "'''c \"d\" e'''",
    "'2000'^^xsd:gYear",
    "true",
    "'\\'\\u00e9'@pt-BR",
]
_PROLOGUE = """PREFIX : <http://x.org/> PREFIX x: <http://x.org/> PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/> PREFIX p: <http://www.wikidata.org/prop/>
PREFIX ps: <http://www.wikidata.org/prop/statement/> PREFIX pq: <http://www.wikidata.org/prop/qualifier/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> PREFIX dbr: <http://dbpedia.org/resource/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
"""


class RandomQueries:
    """A source of queries; the same seed gives the same ones.

    Parameters
    ----------
    seed
        Of the random choices.
    size
        How often a part may hold further parts, at most.
    """

    def __init__(self, seed: int, size: int = 25) -> None:
        self._random = random.Random(seed)
        self._size = size
        self._left = 0
        self._bound = 0

    def query(self) -> str:
        """Return a query with its prologue."""
        self._left, self._bound = self._size, 0
        form = self._random.choice(["SELECT"] * 6 + ["ASK", "ASK", "CONSTRUCT", "DESCRIBE"])
        if form == "SELECT":
            return _PROLOGUE + self._select()
        if form == "ASK":
            return _PROLOGUE + f"ASK {self._maybe('WHERE ')}{self._group()}"
        if form == "CONSTRUCT":
            return (
                _PROLOGUE
                + f"CONSTRUCT {{ {self._variable()} :q {self._term()} }} WHERE {self._group()}"
            )
        return _PROLOGUE + f"DESCRIBE {self._choice(_IRIS)} {self._variable()} {self._group()}"

    def _choice(self, items: Sequence[str]) -> str:
        return self._random.choice(items)

    def _maybe(self, text: str, chance: float = 0.5) -> str:
        return text if self._random.random() < chance else ""

    def _some(self, make: Callable[[], str], joint: str, most: int = 3) -> str:
        return joint.join(make() for _ in range(self._random.randint(1, most)))

    def _deeper(self) -> bool:
        """Whether there may be a further part in this one."""
        self._left -= 1
        return self._left > 0

    def _variable(self) -> str:
        return self._choice("?$") + self._choice("abcde")

    def _fresh(self) -> str:
        """Return a variable that nothing else binds."""
        self._bound += 1
        return f"?new{self._bound}"

    def _term(self) -> str:
        return self._choice(
            [self._variable(), self._variable(), self._choice(_IRIS), self._choice(_LITERALS)]
        )

    # queries

    def _select(self, *, sub: bool = False) -> str:
        head = self._maybe(self._choice(["DISTINCT ", "REDUCED "]), 0.3)
        graph = self._maybe("" if sub else "FROM <http://x.org/g> ", 0.1)
        where = f"{graph}{self._maybe('WHERE ')}{self._group()}"
        if self._random.random() < 0.3:
            key = self._variable()
            columns = f"{key} ({self._aggregate()} AS {self._fresh()})"
            having = self._maybe(f" HAVING ({self._aggregate()} > 1)", 0.3)
            return (
                f"SELECT {head}{columns} {where} GROUP BY "
                f"{key}{having}{self._order(key)}{self._limits()}"
            )
        columns = self._choice(
            ["* ", f"{self._variable()} ", f"?a ?b ({self._expression()} AS {self._fresh()}) "]
        )
        return f"SELECT {head}{columns}{where}{self._order(self._variable())}{self._limits()}"

    def _order(self, key: str) -> str:
        return self._maybe(
            " ORDER BY " + self._choice([key, f"DESC({key})", f"ASC(STR({key}))"]), 0.3
        )

    def _limits(self) -> str:
        limits = [self._maybe(" LIMIT 3", 0.3), self._maybe(" OFFSET 0", 0.2)]
        self._random.shuffle(limits)
        return "".join(limits)

    # groups

    def _group(self) -> str:
        if self._random.random() < 0.1 and self._deeper():
            return f"{{ {self._select(sub=True)} }}"
        return f"{{ {' '.join(self._part() for _ in range(self._random.randint(0, 4)))} }}"

    def _part(self) -> str:
        plain = [
            self._triples,
            self._triples,
            self._triples,
            self._filter,
            self._bind,
            self._values,
        ]
        nested = [
            self._union,
            self._union,
            self._optional,
            self._minus,
            self._graph,
            self._subgroup,
            self._exists,
        ]
        make: Callable[[], str] = self._random.choice(
            plain + nested * 2 if self._deeper() else plain
        )
        return make()

    def _union(self) -> str:
        groups = [self._group() for _ in range(self._random.randint(2, 3))]
        return " UNION ".join(
            self._random.choices(groups, k=len(groups))
        )  # the same branch may come twice

    def _optional(self) -> str:
        return f"OPTIONAL {self._group()}"

    def _minus(self) -> str:
        return f"MINUS {self._group()}{self._maybe(' .', 0.2)}"

    def _graph(self) -> str:
        keyword, name = (
            self._choice(["GRAPH", "SERVICE", "SERVICE SILENT"]),
            self._choice([self._variable(), "<http://x.org/g>"]),
        )
        return f"{keyword} {name} {self._group()}"

    def _subgroup(self) -> str:
        return self._group()

    def _exists(self) -> str:
        return f"FILTER {self._maybe('NOT ')}EXISTS {self._group()}"

    def _filter(self) -> str:
        return f"FILTER({self._expression()})"

    def _bind(self) -> str:
        return f"BIND({self._expression()} AS {self._fresh()})"

    def _values(self) -> str:
        if self._random.random() < 0.5:
            return f"VALUES {self._variable()} {{ {self._some(self._data, ' ')} }}"
        return f"VALUES (?a ?b) {{ {self._some(lambda: f'({self._data()} {self._data()})', ' ')} }}"

    def _data(self) -> str:
        return self._choice([self._choice(_IRIS), self._choice(_LITERALS), "UNDEF"])

    # triple patterns

    def _triples(self) -> str:
        return f"{self._subject()} {self._some(self._property, ' ; ')}{self._maybe(' ;', 0.1)} ."

    def _subject(self) -> str:
        return self._choice([self._variable(), self._variable(), self._choice(_IRIS), "[]"])

    def _property(self) -> str:
        return f"{self._path()} {self._some(self._object, ' , ', 2)}"

    def _object(self) -> str:
        if self._random.random() < 0.15 and self._deeper():
            return self._choice(
                [f"[ {self._property()} ]", f"( {self._some(self._object, ' ')} )", "()", "[]"]
            )
        return self._term()

    def _path(self) -> str:
        if self._random.random() < 0.2:
            return self._variable()
        if self._random.random() < 0.7 or not self._deeper():
            return self._choice(_PREDICATES)
        one, other = self._step(), self._step()
        return self._choice(
            [
                f"{one}/{other}",
                f"{one}|{other}",
                f"^{one}",
                f"({one}/{other})+",
                f"{one}*",
                f"{one} ?",
                self._excluded(),
            ]
        )

    def _step(self) -> str:
        return self._choice([self._choice(_PREDICATES), f"({self._path_only()})"])

    def _path_only(self) -> str:
        return self._choice([self._choice(_PREDICATES), "^:q", ":q/:q", ":q|:q", ":q*", "!(:q|^a)"])

    def _excluded(self) -> str:
        return self._choice(["!:q", "!(:q)", "!^a", "!(:q|^:q)", "!a"])

    # expressions

    def _expression(self) -> str:
        if self._random.random() < 0.3 or not self._deeper():
            return self._choice([self._variable(), self._choice(_IRIS), self._choice(_LITERALS)])
        make = self._random.choice(
            [self._binary, self._binary, self._unary, self._called, self._listed, self._bracketed]
        )
        return make()

    def _binary(self) -> str:
        sign = self._choice(["||", "&&", "=", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/"])
        return (
            f"({self._expression()}) {sign} ({self._expression()})"
            if sign in ["=", "!=", "<", ">", "<=", ">="]
            else (f"{self._bracketed()}{sign}{self._bracketed()}{sign} {self._bracketed()}")
        )

    def _unary(self) -> str:
        return f"{self._choice('!-+')}{self._bracketed()}"

    def _bracketed(self) -> str:
        return f"({self._expression()})"

    def _listed(self) -> str:
        return f"{self._bracketed()} {self._maybe('NOT ')}IN ({self._some(self._expression, ', ')})"

    def _called(self) -> str:
        one = self._expression()
        calls = [
            f"STR({one})", "regex(?a, 'b', 'i')", "!bound(?c)", f"xsd:date({one})",
            f"IF({one}, 1, 'b')", f"COALESCE({one}, ?d)", "NOW()", f"isIRI({one})",
            f"CONCAT({one}, 'x')", f"langMatches(lang({one}), 'en')", f":f({one}, {one})", "RAND()",
            f"SUBSTR({one}, 1, 2)", f"EXISTS {self._group()}", f"NOT EXISTS {self._group()}",
            f"!EXISTS {self._group()}",
        ]  # fmt: skip
        return self._choice(calls)

    def _aggregate(self) -> str:
        inside = f"{self._maybe('DISTINCT ')}{self._variable()}"
        named = [f"{name}({inside})" for name in ("COUNT", "SUM", "MIN", "AVG", "SAMPLE")]
        return self._choice(["COUNT(*)", f"GROUP_CONCAT({inside}; SEPARATOR=', ')", *named])
