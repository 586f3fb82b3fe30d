"""Read lines of a question, a tab and a list of accepted answers, without a header, as in DPR."""

from __future__ import annotations

from collections.abc import Iterator

from qaldgen.formats.cell_lists import list_in
from qaldgen.formats.content import Content
from qaldgen.formats.gather import add_wording
from qaldgen.formats.items import Broken, Item, ReadOptions
from qaldgen.model import Answers, Question

_LOOKED_AT = 20


def recognises_pairs(content: Content) -> bool:
    """Return whether the first lines are a text and a list."""
    if content.kind != "text":
        return False
    lines = [line for line in content.text[:100_000].split("\n")[:_LOOKED_AT] if line.strip()]
    return all(_answers(line) is not None for line in lines[:-1] or lines)


def read_pairs(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions; the line number is the id.

    Parameters
    ----------
    content
        The file.
    options
        How to read it.
    """
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
