"""Build training.tsv and one-hop.tsv.

Questions made from graph.ttl by templates, with their answers, for systems that learn.

The questions of the two files, and those of questions.json, are about different entities: a system
has to find the answers in the graph, and cannot remember them.
"""

from __future__ import annotations

import json
import re
import zlib

from example_tools import HERE, RDFS, RES, load_store, write_text
from pyoxigraph import QuerySolution, QuerySolutions

#: How people ask for a property; the wordings take turns. Few of them have the words of its label,
#: so that a system must learn what is asked for.
_WORDINGS = {
    "artist": ("Who painted {}?", "Whose work is {}?", "Who made the picture {}?"),
    "author": ("Who wrote {}?", "Whose book is {}?", "Who penned {}?"),
    "award": ("Which prize did {} win?", "What was {} honoured with?", "What did {} get a medal for?"),
    "based on": ("What does the story of {} come from?", "Which book became {}?", "What is {} an adaptation of?"),
    "birth place": ("Where was {} born?", "Where does {} come from?", "What is the native town of {}?"),
    "capital": ("From which city is {} governed?", "Where is the government of {}?", "What is the seat of {}'s rulers?"),
    "child": ("Who is a son or daughter of {}?", "Who calls {} mother or father?", "Who descends from {}?"),
    "composer": ("Who wrote the music of {}?", "Whose score is {}?", "Who set {} to notes?"),
    "continent": ("In which part of the world is {}?", "To which landmass does {} belong?", "Where on Earth is {}?"),
    "country": ("Which nation does {} belong to?", "In which state is {}?", "What land is {} in?"),
    "crosses": ("Which states does {} run through?", "Where does {} pass?", "What lands does {} touch?"),
    "currency": ("What money is used in {}?", "How do people pay in {}?", "What is the legal tender in {}?"),
    "director": ("Who made the film {}?", "Who shot {}?", "Whose movie is {}?"),
    "discoverer": ("Who found {}?", "Who first identified {}?", "Who is credited with finding {}?"),
    "exhibited in": ("Where can I see {}?", "Which house shows {}?", "Where does {} hang?"),
    "flows through": ("Which towns lie on {}?", "What places are on the banks of {}?", "Which cities does {} wash?"),
    "inventor": ("Who came up with {}?", "Who devised {}?", "Whose idea was {}?"),
    "language": ("What do people speak in {}?", "What is spoken in {}?", "Which tongue is official in {}?"),
    "located in": ("Where does {} rise?", "In which land can I climb or visit {}?", "Where is {}?"),
    "location": ("In which town is {}?", "Where must I go to visit {}?", "Where does {} stand?"),
    "mountain range": ("Which massif is {} part of?", "To which chain does {} belong?", "Among which peaks is {}?"),
    "mouth": ("Into what does {} flow?", "Where does {} end?", "What does {} empty into?"),
    "nationality": ("What passport did {} have?", "Which nation is {} from?", "Of which state is {} a citizen?"),
    "office held": ("What post did {} have?", "As what did {} serve?", "What was {}'s position?"),
    "orbits": ("Around what does {} go?", "What does {} revolve around?", "What is {} a companion of?"),
    "original language": ("In which tongue was {} first made?", "What do they speak in the original of {}?", "In what was {} written?"),
    "shares border with": ("Which states are next to {}?", "Who are the neighbours of {}?", "What is {} adjacent to?"),
    "spouse": ("Who was married to {}?", "Who was {}'s husband or wife?", "Whom did {} marry?"),
    "starring": ("Who acts in {}?", "Who plays in {}?", "Which actors are in {}?"),
}  # fmt: skip
#: Questions about one property.
_MOST = {"training": 40, "one-hop": 6}
_QUERY = f"""
PREFIX rdfs: <{RDFS}>
SELECT ?s ?subject ?p ?name (GROUP_CONCAT(STR(?o); separator=" ") AS ?objects) WHERE {{
  ?s ?p ?o ; rdfs:label ?subject . ?p rdfs:label ?name FILTER(isIRI(?o))
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
    wordings = _WORDINGS[row["name"].value]
    return wordings[turn % len(wordings)].format(row["subject"].value)


def _answers(row: QuerySolution) -> str:
    found = sorted(row["objects"].value.split())
    return found[0] if len(found) == 1 else json.dumps(found, ensure_ascii=False)


if __name__ == "__main__":
    main()
