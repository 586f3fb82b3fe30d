"""Build training.tsv and one-hop.tsv.

Questions made from graph.ttl by templates, with their answers, for systems that learn.

The questions of the two files, and those of questions.json, are about different entities: a system
has to find the answers in the graph, and cannot remember them.
"""

from __future__ import annotations

import json
import re
import zlib

from build_graph import cells, read_table
from example_tools import HERE, RDFS, RES, load_store, write_text
from pyoxigraph import QuerySolution, QuerySolutions

#: How people ask for a property; the wordings take turns. Few of them have the words of its label,
#: so that a system must learn what is asked for.
_WORDINGS = {row["property"]: cells(row["wordings"]) for row in read_table(HERE / "wordings.tsv")}
#: Questions about one property.
_MOST = {"training": 40, "one-hop": 6}
_QUERY = f"""
PREFIX rdfs: <{RDFS}>
SELECT ?s ?subject ?p ?name (GROUP_CONCAT(STR(?o); separator=" ") AS ?objects) WHERE {{
  ?s ?p ?o ; rdfs:label ?subject . ?p rdfs:label ?name FILTER(isIRI(?o))
}} GROUP BY ?s ?subject ?p ?name ORDER BY ?p ?s
"""


def build() -> dict[str, str]:
    """Return the text of each file, by its name without ending."""
    questions = json.loads((HERE / "questions.json").read_text(encoding="utf-8"))["questions"]
    asked = {
        name
        for one in questions
        for name in re.findall(re.escape(RES) + r"[^>]+", one["query"]["sparql"])
    }
    header = "id\tquestion\tanswers"
    made = {"training": [header], "one-hop": [header]}
    counts: dict[tuple[str, str], int] = {}
    found = load_store(HERE / "graph.ttl").query(_QUERY)
    assert isinstance(found, QuerySolutions)
    for row in found:
        subject, name = row["s"].value, row["p"].value
        if subject in asked or not subject.startswith(RES):
            continue
        part = "one-hop" if zlib.crc32(subject.encode()) % 4 == 0 else "training"
        turn = counts.get((part, name), 0)
        if turn < _MOST[part]:
            counts[part, name] = turn + 1
            lines = made[part]
            lines.append(f"{part[0]}{len(lines)}\t{_text(row, turn)}\t{_answers(row)}")
    return {part: "\n".join(lines) + "\n" for part, lines in made.items()}


def main() -> None:
    """Write both files."""
    for part, text in build().items():
        write_text(HERE / f"{part}.tsv", text)


def _text(row: QuerySolution, turn: int) -> str:
    wordings = _WORDINGS[row["name"].value]
    return wordings[turn % len(wordings)].format(row["subject"].value)


def _answers(row: QuerySolution) -> str:
    found = sorted(row["objects"].value.split())
    return found[0] if len(found) == 1 else json.dumps(found, ensure_ascii=False)


if __name__ == "__main__":
    main()
