"""Build training.tsv and one-hop.tsv.

Questions made from graph.ttl by templates, with their answers, for systems that learn.

The questions of the two files, and those of questions.json, are about different entities: a system
has to find the answers in the graph, and cannot remember them.
"""

from __future__ import annotations

import json
import re
import zlib

from example_tools import HERE, ONT, RDFS, RES, load_store, write_text
from pyoxigraph import QuerySolution, QuerySolutions

#: The wordings take turns, so that no property is known by one of them alone.
_FORWARD = (
    "What is the {name} of {subject}?",
    "{subject} has which {name}?",
    "Tell me the {name} of {subject}.",
)
_WHO = (
    "Who is the {name} of {subject}?",
    "Who was the {name} of {subject}?",
    "Tell me the {name} of {subject}.",
)
#: Questions about one property.
_MOST = {"training": 12, "one-hop": 4}
_QUERY = f"""
PREFIX rdfs: <{RDFS}>
SELECT ?s ?subject ?p ?name (GROUP_CONCAT(STR(?o); separator=" ") AS ?objects)
  (SAMPLE(?person) AS ?who)
WHERE {{
  ?s ?p ?o ; rdfs:label ?subject . ?p rdfs:label ?name FILTER(isIRI(?o))
  BIND(EXISTS {{ ?o a/rdfs:subClassOf* <{ONT}Person> }} AS ?person)
}} GROUP BY ?s ?subject ?p ?name ORDER BY ?p ?s
"""


def main() -> None:
    """Write both files."""
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
    for part, lines in made.items():
        write_text(HERE / f"{part}.tsv", "\n".join(lines) + "\n")


def _text(row: QuerySolution, turn: int) -> str:
    wordings = _WHO if row["who"].value == "true" else _FORWARD
    return wordings[turn % len(wordings)].format(
        name=row["name"].value, subject=row["subject"].value
    )


def _answers(row: QuerySolution) -> str:
    found = sorted(row["objects"].value.split())
    return found[0] if len(found) == 1 else json.dumps(found, ensure_ascii=False)


if __name__ == "__main__":
    main()
