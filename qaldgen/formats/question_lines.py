"""Read lines without a header: a question, a tab and a list as in DPR; the blocks of CKBQA."""

from __future__ import annotations

import re
from collections.abc import Iterator

from qaldgen.formats.assembling import Broken, Item, ReadOptions
from qaldgen.formats.cells import column, named_cell
from qaldgen.formats.columns import looks_like_sparql
from qaldgen.formats.content import Content
from qaldgen.formats.lists_in_text import list_in
from qaldgen.formats.texts import add_wording
from qaldgen.model import Answers, Cell, Question
from qaldgen.rdf.knowledge_graphs import graph_of_query

_LOOKED_AT = 20
#: The first line of a block of CKBQA: the id and the question.
_ASKED = re.compile(r"\s*(?P<id>q[0-9]+)\s*[:：]\s*(?P<text>.*\S)\s*", re.IGNORECASE)
#: An answer of CKBQA: an entity, a literal, or a bare word.
_ANSWER = re.compile(r'<([^<>]+)>|"((?:[^"\\]|\\.)*)"(?:@[\w-]+|\^\^\S+)?|([^\t]*[^\t ])')


def recognises_pairs(content: Content) -> bool:
    """Return whether the first lines are a text and a list."""
    if content.kind != "text":
        return False
    lines = [line for line in content.text[:100_000].split("\n")[:_LOOKED_AT] if line.strip()]
    return all(_answers(line) is not None for line in lines[:-1] or lines)


def read_pairs(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions; the line number is the id."""
    for number, line in enumerate(content.lines, 1):
        if not line.strip():
            continue
        wordings = _answers(line)
        if wordings is None:
            reason = (
                f"{line[:60]!r} is not a question, a tab and a list of answers such as ['a', 'b']"
            )
            yield Broken(f"line {number}", f"line {number}", reason)
            continue
        texts: dict[str, tuple[str, ...]] = {}
        add_wording(texts, options.language, line.split("\t")[0])
        yield Question(
            id=str(number), texts=texts, answers=Answers(texts=(wordings,) if wordings else ())
        )


def recognises_blocks(content: Content) -> bool:
    """Return whether this is CKBQA: an id, a colon and a question, then the query and answers."""
    lines = [line for line in content.text[:100_000].split("\n") if line.strip()][:2]
    return (
        content.kind == "text"
        and bool(lines)
        and _ASKED.fullmatch(lines[0]) is not None
        and (
            len(lines) == 1 or looks_like_sparql(lines[1]) or _ASKED.fullmatch(lines[1]) is not None
        )
    )


def read_blocks(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of CKBQA; its test sets have neither queries nor answers."""
    blocks: list[tuple[int, list[str]]] = []
    for number, line in enumerate(content.lines, 1):
        if _ASKED.fullmatch(line) or (line.strip() and not blocks):
            blocks.append((number, []))
        if line.strip():
            blocks[-1][1].append(line.strip())
    for number, (first, *rest) in blocks:
        asked = _ASKED.fullmatch(first)
        place = f"line {number}"
        if asked is None:
            yield Broken(place, place, f"{first[:60]!r} is not an id, a colon and a question")
            continue
        query = rest.pop(0) if rest and looks_like_sparql(rest[0]) else ""
        texts: dict[str, tuple[str, ...]] = {}
        add_wording(texts, "zh", asked["text"])
        yield Question(
            id=asked["id"],
            texts=texts,
            queries={graph_of_query(query): query} if query else {},
            answers=column(_named(rest)) if rest else None,
            origin="CKBQA",
        )


def _named(lines: list[str]) -> Iterator[Cell]:
    """Yield the answers of CKBQA; its entities have names instead of IRIs."""
    for entity, literal, word in _ANSWER.findall("\t".join(lines)):
        if entity:
            yield Cell("uri", entity)
        elif literal or word:
            yield named_cell(literal or word)


def _answers(line: str) -> tuple[str, ...] | None:
    """Return the names of the answer; None if the line is not a text and a list of texts."""
    text, tab, listed = line.rstrip("\r").partition("\t")
    found = list_in(_unquoted(listed)) if tab and text.strip() else None
    if found is None or any(isinstance(item, (dict, list)) for item in found):
        return None
    return tuple(dict.fromkeys(str(item).strip() for item in found if str(item).strip()))


def _unquoted(cell: str) -> str:
    """Return a cell without the quotes that csv writers put around it."""
    cell = cell.strip()
    return cell[1:-1].replace('""', '"') if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell
