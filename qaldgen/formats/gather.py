"""What all readers share: language tags, wordings, answer types, knowledge graphs, and ids that are unique in a set."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from qaldgen.errors import DataError
from qaldgen.formats.items import Broken, Item, Note
from qaldgen.model import ANSWER_TYPES, LeftOut, Question

#: What the data sets call the answer types, beyond `ANSWER_TYPES`.
_MORE_TYPES = {
    "resouce": "resource", "entity": "resource", "num": "number", "numerical": "number", "number_with_unit": "number",
    "bool": "boolean", "binary": "boolean", "short_phrase": "string", "time": "date",
}  # fmt: skip
#: In the metadata of a question that cannot be answered from the data: GERBIL scores those in JSON, everybody else drops them.
OUT_OF_SCOPE = "outOfScope"
_GRAPHS = {
    "wikidata": r"wikidata\.org/|\b(?:wdt|wd|p|ps|pq|pr):[QP][0-9]",
    "freebase": r"rdf\.freebase\.com/|\bns:[mg]\.",
    "dbpedia": r"dbpedia\.org/|\b(?:dbo|dbr|dbp|dbc|dbpedia):\w",
}
#: How to go on without the broken records.
SKIP_HINT = ". --skip-broken (in Python skip_broken=True) reads the others"
_SHOWN = 3
#: In characters; a language model would take gigabytes for such a text.
_LONGEST = 100_000
_SPLIT = re.compile(r"(?:^|[-_ ./])(train|test|dev|valid|validation)(?=$|[-_ ./])", re.IGNORECASE)


@lru_cache(maxsize=1024)
def language_tag(name: str) -> str:
    """Return a language tag as BCP 47 (2.1.1) writes it: hyphens, the language small, the region large, the script capitalised.

    RDF stores may return tags in small letters, so that without this a language would not find its own texts.

    Examples
    --------
    >>> language_tag("pt_br"), language_tag("ZH-hant-TW"), language_tag("en-x-us")
    ('pt-BR', 'zh-Hant-TW', 'en-x-us')
    """
    language, *rest = name.strip().replace("_", "-").lower().split("-")
    extension = next((at for at, part in enumerate(rest) if len(part) == 1), len(rest))
    cased = [part.upper() if len(part) == 2 else part.title() if len(part) == 4 else part for part in rest[:extension]]
    return "-".join([language, *cased, *rest[extension:]])


def add_wording(texts: dict[str, tuple[str, ...]], language: str, text: str) -> None:
    """Add a wording to those of its language, unless it is blank or there already."""
    text = text.strip()
    tag = language_tag(language)
    if text and text not in texts.get(tag, ()):
        texts[tag] = (*texts.get(tag, ()), text)


def answer_type(name: str) -> str:
    """Return the answer type that a name means; empty if it is none of ours.

    Examples
    --------
    >>> answer_type("Entity"), answer_type("Yes/No"), answer_type("planet")
    ('resource', 'boolean', '')
    """
    name = name.strip().lower()
    return ANSWER_TYPES.get(name) or _MORE_TYPES.get(name, "")


def gerbil_answer_type(name: str) -> str:
    """Return the answer type as GERBIL reads it: it ignores the names that it does not know, such as ``uri`` and ``list``.

    Examples
    --------
    >>> gerbil_answer_type("Resouce"), gerbil_answer_type("uri")
    ('resource', '')
    """
    name = name.lower()
    return "resource" if name == "resouce" else name if name in set(ANSWER_TYPES.values()) else ""


def knowledge_graph(query: str) -> str:
    """Return the knowledge graph whose terms a query uses; empty if it cannot be told.

    Examples
    --------
    >>> knowledge_graph("SELECT ?x { wd:Q64 wdt:P17 ?x }"), knowledge_graph("ASK { ?s ?p ?o }")
    ('wikidata', '')
    """
    return next((graph for graph, shows in _GRAPHS.items() if re.search(shows, query)), "")


def split_in(name: str) -> str:
    """Return the part that the name of a data set says: train, test, dev, ...; empty if it says none."""
    found = _SPLIT.search(name)
    return found[1].lower() if found else ""


def is_out_of_scope(query: str) -> bool:
    """Say whether the place of the query tells that the question cannot be answered from the data."""
    return re.fullmatch(r"\W*out[ _]of[ _]scope\W*", query, re.IGNORECASE) is not None


class Gathered(NamedTuple):
    """The questions of a set, the records that were left out, and what a user should know."""

    questions: tuple[Question, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]


def gather(path: object, found: Iterable[Item], *, out_of_scope: bool = False, skip_broken: bool = False) -> Gathered:
    """Give every question an id of its own, and leave out those without text, and those marked `OUT_OF_SCOPE` unless asked for.

    Of questions with one id all are kept; the second is called ``12#2``, the third ``12#3``. A query that names no
    term of a knowledge graph belongs to the graph of the other queries, if they have only one.

    Raises
    ------
    DataError
        If there is nothing, or if records are broken and `skip_broken` is not set. A record is broken too if its text is longer
        than any question, or a field cannot be written as UTF-8 (half of a surrogate pair).
    """
    questions: list[Question] = []
    left_out: list[LeftOut] = []
    notes: list[str] = []
    refused: list[Broken] = []
    taken: dict[str, int] = {}
    for item in found:
        if isinstance(item, Note):
            notes.append(item.text)
            continue
        wrong = item if isinstance(item, Broken) else _fault(item) if isinstance(item, Question) else None
        if wrong is not None:
            refused.append(wrong)
            left_out.append(LeftOut(_writable(wrong.name), _writable(wrong.reason), broken=True))
        elif isinstance(item, LeftOut):
            left_out.append(item)
        elif isinstance(item, Question):
            reason = _reason_to_leave_out(item, out_of_scope=out_of_scope)
            if reason:
                left_out.append(LeftOut(item.id, reason))
            else:
                name = _unique(item.id, taken)
                questions.append(item if name == item.id else dataclasses.replace(item, id=name))
    if refused and (not skip_broken or len(refused) == len(questions) + len(left_out)):
        raise DataError(_refusal(path, refused, len(questions) + len(left_out)))
    if not questions and not left_out:
        raise DataError(f"{path}: holds no question")
    return Gathered(tuple(_same_graph(questions)), tuple(left_out), tuple(dict.fromkeys(notes)))


def _reason_to_leave_out(question: Question, *, out_of_scope: bool) -> str:
    if OUT_OF_SCOPE in question.metadata and not out_of_scope:
        return "OUT OF SCOPE: cannot be answered from the data"
    return "" if any(question.texts.values()) else "no text in any language"


def _refusal(path: object, refused: Sequence[Broken], total: int) -> str:
    """Return the message for broken records: one as it is, of several the first ones."""
    shown = "; ".join(f"{one.where}: {one.reason}" for one in refused[:_SHOWN])
    if len(refused) == 1:
        return _writable(f"{path}: {shown}{SKIP_HINT if total > 1 else ''}")
    if len(refused) == total:
        return _writable(f"{path}: all {total:,} records are broken: {shown}{'; ...' if total > _SHOWN else ''}")
    more = f"; and {len(refused) - _SHOWN:,} more" if len(refused) > _SHOWN else ""
    return _writable(f"{path}: {len(refused):,} of {total:,} records are broken: {shown}{more}{SKIP_HINT}")


def _writable(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()


def _same_graph(questions: list[Question]) -> list[Question]:
    """Give a query that names no term of a knowledge graph to the graph of all the others, if that is one and the same."""
    graphs = {graph for question in questions for graph in question.queries if graph}
    if len(graphs) != 1:
        return questions
    graph = graphs.pop()
    return [
        dataclasses.replace(question, queries={graph: question.sparql}) if list(question.queries) == [""] else question
        for question in questions
    ]


def _unique(name: str, taken: dict[str, int]) -> str:
    unique = name
    while unique in taken:
        taken[name] += 1
        unique = f"{name}#{taken[name]}"
    taken[unique] = 1
    return unique


def _fault(question: Question) -> Broken | None:
    """Return what is wrong with a question as a whole: it is too long for one, or cannot be written as UTF-8."""
    longest = max((len(text) for wordings in question.texts.values() for text in wordings), default=0)
    if longest > _LONGEST:
        reason = (
            f"the text has {longest:,} characters; no question has more than {_LONGEST:,}, so it is something else, or a quote "
            "is not closed"
        )
        return Broken(f"record {question.id}", question.id, reason)
    if _can_be_written("".join(text for _, text in _written(question))):
        return None
    name, text = next((name, text) for name, text in _written(question) if not _can_be_written(text))
    return Broken(f"record {question.id}", question.id, f"the {name} holds half of a surrogate pair: {text[:60]!a}")


def _can_be_written(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _written(question: Question) -> Iterator[tuple[str, str]]:
    """Yield whatever of a question is written to files, and what it is."""
    yield "id", question.id
    yield from (("text", text) for wordings in question.texts.values() for text in wordings)
    yield from (("language tag", tag) for tag in question.texts)
    yield from (("query", query) for query in question.queries.values())
    for name, said in (("keywords", question.keywords), ("metadata", question.metadata)):
        yield from ((name, text) for pair in said.items() for text in pair)
    yield from (("mention", text) for mention in question.mentions for text in (mention.text, mention.iri))
    answers = question.answers
    if answers is not None:
        yield from (("answer", text) for wordings in answers.texts for text in wordings)
        yield from (("answer", variable) for variable in answers.variables)
        cells = (cell for row in answers.rows for cell in row if cell is not None)
        yield from (("answer", text) for cell in cells for text in (cell.value, cell.datatype, cell.language))
