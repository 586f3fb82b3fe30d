"""Build questions.json, the example questions in QALD JSON.

Questions and queries are written by hand in ``questions.txt``; the answers are read off
``graph.ttl``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyoxigraph as ox
from example_tools import HERE, PREFIXES, RES, XSD, load_store, write_text

DATASET_ID = "qaldgen-example"
_NUMBERS = {XSD + name for name in ("integer", "decimal", "double", "float", "int")}
_DATES = {XSD + name for name in ("date", "dateTime", "gYear", "gYearMonth")}
_OPERATIONS = re.compile(r"\b(COUNT|SUM|AVG|MIN|MAX|FILTER|ORDER BY|GROUP BY|LIMIT)\b")
_STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """a about all also an and any are as at be been before between both by did do does each
        ever for from given give go has have he her him his how i if in into is it its
        itself many me more most much my name no not of off on one only or other out own
        same she show still take tell than that the their them they this those three
        through to two up us was were what when where which who whom whose will with you""",
    )
)


@dataclass(frozen=True)
class Question:
    """One question as it is written in questions.txt, its query complete with prefixes."""

    id: str
    text: str
    sparql: str


def complete(body: str) -> str:
    """Put a query on one line, expand short resource IRIs and add the prefixes that it uses."""
    line = " ".join(body.split())
    line = re.sub(
        r"<([^<>\s=]+)>",
        lambda found: f"<{found[1]}>" if "://" in found[1] else f"<{RES}{found[1]}>",
        line,
    )
    used = [prefix for prefix in sorted(PREFIXES) if re.search(rf"(?<![\w<]){prefix}:", line)]
    return "".join(f"PREFIX {prefix}: <{PREFIXES[prefix]}> " for prefix in used) + line


def read_questions(path: Path) -> list[Question]:
    """Read the hand-written file: blocks of a numbered question and its query."""
    text = "\n".join(
        line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")
    )
    questions = []
    for block in re.split(r"\n\s*\n", text.strip()):
        found = re.match(r"(\d+)\. (.+)\n((?:.+\n?)+)$", block.strip())
        if not found:
            raise ValueError(f"not a question block: {block!r}")
        questions.append(Question(found[1], found[2].strip(), complete(found[3])))
    return questions


def keywords(text: str) -> str:
    """Return the content words of a question, separated by commas."""
    words = [word.strip("?!.,;:\"'") for word in text.replace("'s ", " ").split()]
    kept = [word for word in words if word and word.lower() not in _STOP_WORDS]
    return ", ".join(dict.fromkeys(kept))


def cell(term: ox.NamedNode | ox.Literal) -> dict[str, str]:
    """Return one RDF term as SPARQL JSON results have it."""
    if isinstance(term, ox.NamedNode):
        return {"type": "uri", "value": term.value}
    result = {"type": "literal", "value": term.value}
    if term.language:
        result["xml:lang"] = term.language
    elif term.datatype.value != XSD + "string":
        result["datatype"] = term.datatype.value
    return result


def answer_type(answers: dict[str, Any]) -> str:
    """Return resource, string, number, date or boolean, by the first answer.

    Empty answers count as resources.
    """
    if "boolean" in answers:
        return "boolean"
    terms = [term for row in answers["results"]["bindings"] for term in row.values()]
    if not terms or terms[0]["type"] == "uri":
        return "resource"
    datatype = terms[0].get("datatype", "")
    return "number" if datatype in _NUMBERS else "date" if datatype in _DATES else "string"


def run(store: ox.Store, sparql: str) -> dict[str, Any]:
    """Run a query and return its answers as SPARQL JSON results.

    Rows without ORDER BY are sorted.
    """
    result = store.query(sparql)
    if isinstance(result, ox.QueryBoolean):
        return {"head": {}, "boolean": bool(result)}
    if not isinstance(result, ox.QuerySolutions):
        raise ValueError(f"neither SELECT nor ASK: {sparql}")
    names = [variable.value for variable in result.variables]
    rows: list[dict[str, dict[str, str]]] = []
    for solution in result:
        found = {name: solution[name] for name in names}
        rows.append(
            {
                name: cell(term)
                for name, term in found.items()
                if isinstance(term, ox.NamedNode | ox.Literal)
            }
        )
    if "ORDER BY" not in sparql:
        rows.sort(key=lambda row: [row[name]["value"] if name in row else "" for name in names])
    return {"head": {"vars": names}, "results": {"bindings": rows}}


def entry(question: Question, store: ox.Store) -> dict[str, Any]:
    """Return one question as an entry of a QALD JSON file."""
    answers = run(store, question.sparql)
    return {
        "id": question.id,
        "answertype": answer_type(answers),
        "aggregation": bool(_OPERATIONS.search(question.sparql)),
        "onlydbo": False,
        "hybrid": False,
        "question": [
            {"language": "en", "string": question.text, "keywords": keywords(question.text)}
        ],
        "query": {"sparql": question.sparql},
        "answers": [answers],
    }


def build(graph: Path = HERE / "graph.ttl", source: Path = HERE / "questions.txt") -> str:
    """Return the text of questions.json."""
    store = load_store(graph)
    entries = [entry(question, store) for question in read_questions(source)]
    document = {"dataset": {"id": DATASET_ID}, "questions": entries}
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def main() -> None:
    """Write questions.json."""
    write_text(HERE / "questions.json", build())


if __name__ == "__main__":
    main()
