"""Gold answers as people write them: a value, a list, a list written as text in a cell, objects with aliases, SPARQL results."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping

from qaldgen.formats.cells import column, freebase_cell, merge_answers, plain_cell, results_answers, wikidata_cell
from qaldgen.formats.fields import Fields, scalar_text
from qaldgen.model import Answers, Cell

#: The fields of an object that may hold the words of an answer, in the order in which they are preferred.
_WORDS = ("text", "value", "answer", "answer_text", "string", "label", "name", "content", "normalized_value")
_IRIS = ("uri", "iri", "url")
_ALIASES = ("aliases", "answer_aliases", "alternatives", "variants", "wordings", "synonyms", "human_answers")
#: An object with one of these is a place in a passage; several are what several people marked for one answer.
_SPAN = frozenset({"answer_start", "start", "start_char", "span"})
_ARRAY = re.compile(r"array\((\[.*\])(?:,\s*dtype=\w+)?\)", re.DOTALL)
_STYLES = {"wikidata": re.compile(r"(?:wd:)?Q[0-9]+"), "freebase": re.compile(r"(?:ns:)?[mg]\.[0-9a-z_]+")}
#: A list that is longer as text is no list of answers.
_LONGEST = 200_000


def readable(value: object) -> bool:
    """Say whether a value can hold answers; an object can if it has words, an IRI, or the results of a query."""
    if isinstance(value, list):
        return not value or any(readable(item) for item in value)
    if isinstance(value, dict):
        return _is_results(value) or _is_binding(value) or _part_of(value) is not None or "spans" in value
    return value is not None


def gold_answers(
    value: object, record: Fields, name: str, *, several: bool, bars: bool = True, separator: str = ""
) -> Answers | None:
    r"""Return the answers that a value holds; None if it says nothing.

    Parameters
    ----------
    value
        The value of the field, or the text of the cell.
    record, name
        Where it stands.
    several
        Whether the entries of a list are several answers; else they are wordings of one.
    bars
        Whether a bar in a text separates answers; ``\\|`` is a bar in an answer.
    separator
        What else separates answers in one text.

    Raises
    ------
    DataError
        If it is an object, or a list of such, that nothing can be made of.
    """
    if isinstance(value, str):
        value = _from_text(value.strip())
    if isinstance(value, str):
        parts = _divided(value, separator, bars=bars)
        value, several = (parts, True) if len(parts) > 1 else ("".join(parts), several)
    if value is None or value == "":
        return None
    if value == []:
        return Answers()
    if isinstance(value, bool):
        return Answers(boolean=value)
    if isinstance(value, dict):
        return _from_object(value, record, name, several=several)
    if not isinstance(value, list):
        return Answers(texts=((scalar_text(value).strip(),),))
    return _from_list(value, record, name, several=several)


def list_in(text: str) -> list[object] | None:
    """Return the list that a text holds, in the notation of JSON, Python or numpy; None if it holds none.

    Examples
    --------
    >>> list_in("['a', 'b']"), list_in("['a' 'b']"), list_in("[Ben]")
    (['a', 'b'], ['a', 'b'], None)
    """
    text = text.strip()
    if text.startswith("array("):
        array = _ARRAY.fullmatch(text)
        text = array[1] if array else text
    if not (text.startswith("[") and text.endswith("]")) or len(text) > _LONGEST:
        return None
    for parse in (json.loads, _python_list):
        try:
            found = parse(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError, tokenize.TokenError):
            continue
        if isinstance(found, list):
            return found
    return None


def as_cells(answers: Answers | None, *, queried: bool, style: str = "") -> Answers | None:
    """Return answers in words as cells of a knowledge graph, if the question has a query or one of them is an IRI.

    `style` is what `name_style` says of all answers of the set. ``true`` and ``false`` alone are a boolean.
    """
    if answers is None or not answers.texts:
        return answers
    cells = [[_cell(word, style) for word in wordings] for wordings in answers.texts]
    first = [wordings[0] for wordings in cells]
    if len(first) == 1 and first[0].value.lower() in {"true", "false"}:
        return Answers(boolean=first[0].value.lower() == "true")
    if any(cell.type == "uri" for cell in first):  # an IRI is no wording of another, so each is an answer
        return column(cell for wordings in cells for cell in (wordings if wordings[-1].type == "uri" else wordings[:1]))
    return column(first) if queried and all(len(wordings) == 1 for wordings in cells) else answers


def name_style(values: Iterable[object]) -> str:
    """Return the knowledge graph whose names all these answers are (``Q64``, ``m.0d05w3``); empty if they are words."""
    found = ""
    for word in (word for value in values for word in _plain_words(value)):
        style = _style_of(word)
        if not style or found not in {"", style}:
            return ""
        found = style
    return found


def _plain_words(value: object) -> Iterator[str]:
    """Yield the answers in a value that is a text or a list of texts, as far as their names show a knowledge graph."""
    if isinstance(value, str):
        value = list_in(value) or value.split("|")
    yield from _flat_words(value)


def _style_of(word: str) -> str:
    return next((style for style, shape in _STYLES.items() if shape.fullmatch(word)), "")


def _cell(word: str, style: str) -> Cell:
    if style == "wikidata":
        return wikidata_cell(word.removeprefix("wd:"))
    if style == "freebase":
        return freebase_cell(word.removeprefix("ns:"))
    return plain_cell(word[1:-1] if re.fullmatch(r"<\S+>", word) else word)


def _from_text(text: str) -> object:
    """Return what a text holds: the results of a query, a list, or itself."""
    if text[:1] == "{":
        try:
            results = json.loads(text)
        except (ValueError, RecursionError):
            results = None
        if isinstance(results, dict) and _is_results(results):
            return results
    listed = list_in(text)
    return text if listed is None else listed


def _divided(text: str, separator: str, *, bars: bool) -> list[str]:
    """Return the answers that bars or the separator divide."""
    parts = re.split(r"(?<!\\)\|", text) if bars else [text]
    parts = [part.replace("\\|", "|") for part in parts] if bars else parts
    if separator:
        parts = [piece for part in parts for piece in part.split(separator)]
    return [part.strip() for part in parts if part.strip()]


def _from_list(values: list[object], record: Fields, name: str, *, several: bool) -> Answers | None:
    if len(values) == 1 and isinstance(values[0], bool):
        return Answers(boolean=values[0])
    if values and all(isinstance(item, dict) and _is_results(item) for item in values):
        return merge_answers([results_answers(record.inside(f"{name}[{at}]", item)) for at, item in enumerate(values)])
    if all(isinstance(item, dict) and _is_binding(item) for item in values):
        bindings = [_binding(item) for item in values if isinstance(item, dict)]
        return results_answers(record.inside(name, {"results": {"bindings": bindings}}))
    parts = [part for item in values for part in [_part(item, record, name)] if part]
    if not parts:
        return Answers() if all(isinstance(item, dict) for item in values) else None
    spans = any(isinstance(item, dict) and _SPAN & item.keys() for item in values)
    if all(isinstance(item, list) for item in values) or (several and not spans):
        return Answers(texts=tuple(parts))
    return Answers(texts=(tuple(dict.fromkeys(word for part in parts for word in part)),))


def _from_object(value: dict[str, object], record: Fields, name: str, *, several: bool) -> Answers | None:
    if _is_results(value):
        return results_answers(record.inside(name, value))
    if _is_binding(value):
        return results_answers(record.inside(name, {"results": {"bindings": [_binding(value)]}}))
    spans = value.get("spans")
    if isinstance(spans, list):
        return _from_list(spans, record, name, several=True) if spans else Answers()
    if isinstance(value.get("text"), list):  # SQuAD at Hugging Face: an object of lists
        texts = list(_flat_words(value["text"]))
        return Answers(texts=(tuple(dict.fromkeys(texts)),)) if texts else Answers()
    part = _part(value, record, name)
    return Answers(texts=(part,)) if part else None


def _part(item: object, record: Fields, name: str) -> tuple[str, ...]:
    """Return the wordings of one answer, the main one first; none for what says nothing."""
    if isinstance(item, dict):
        part = _part_of(item)
        if part is None:
            raise record.error(name, f"answers as texts, or objects with {', '.join(_WORDS[:3])} or {_IRIS[0]}")
        return part
    return tuple(dict.fromkeys(_flat_words(item)))


def _part_of(item: Mapping[str, object]) -> tuple[str, ...] | None:
    """Return the wordings in an object; None if it has neither words nor an IRI.

    Of an object with tags they count only if one tag is ``correct``.
    """
    folded = {key.casefold(): value for key, value in item.items()}
    tags = folded.get("tags")
    if isinstance(tags, list) and "correct" not in tags:
        return ()
    inner = folded.get("output")
    if isinstance(inner, dict):  # HELM
        return _part_of(inner)
    for key in (*_IRIS, *_WORDS):
        words = list(_flat_words(folded.get(key)))
        if words:
            more = [word for alias in _ALIASES for word in _flat_words(folded.get(alias))]
            return tuple(dict.fromkeys(words if key in _IRIS else [*words, *more]))
    return None if not any(key in folded for key in (*_IRIS, *_WORDS)) else ()


def _flat_words(value: object) -> Iterator[str]:
    values = value if isinstance(value, list) else [value]
    for item in values:
        if item is not None and not isinstance(item, (dict, list)):
            text = scalar_text(item).strip()
            if text:
                yield text


def _is_results(value: Mapping[str, object]) -> bool:
    return isinstance(value.get("results"), dict) or (
        isinstance(value.get("boolean"), bool) and value.keys() <= {"head", "boolean", "link"}
    )


def _is_binding(value: Mapping[str, object]) -> bool:
    """Say whether this is one row of SPARQL results, or one cell of it."""
    if value.get("type") in {"uri", "literal", "typed-literal", "bnode"} and "value" in value:
        return True
    return bool(value) and all(isinstance(cell, dict) and {"type", "value"} <= cell.keys() for cell in value.values())


def _binding(value: dict[str, object]) -> dict[str, object]:
    return {"answer": value} if not isinstance(next(iter(value.values())), dict) else value


def _python_list(text: str) -> object:
    """Parse a list in the notation of Python; of numpy's notation, without commas, the texts that stand side by side."""
    found = ast.literal_eval(text)
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    strings = [token.string for token in tokens if token.type == tokenize.STRING]
    if isinstance(found, list) and all(isinstance(item, str) for item in found) and len(strings) > len(found):
        return [ast.literal_eval(string) for string in strings]
    return found
