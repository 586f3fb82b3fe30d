"""Selection queries: a file, the name of a ready query, or text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from qaldgen.errors import DataError, UsageError
from qaldgen.io.arguments import did_you_mean
from qaldgen.io.inputs import input_exists, is_file, is_folder, open_input, shown_name
from qaldgen.io.packages import resource_dir
from qaldgen.sparql.clauses import query_form, with_article

#: A comment in a query: it selects questions because this system is weak on them.
_CHOSEN_BY = re.compile(r"^# chosen by: (.+?)[ \t\r]*$", re.MULTILINE)


class Query(NamedTuple):
    """A selection query: its name for messages and the signature, and its text."""

    name: str
    text: str

    @property
    def sha256(self) -> str:
        """The sha256 of the text, in hexadecimal."""
        return hashlib.sha256(self.text.encode("utf-8")).hexdigest()


def ready_queries() -> list[str]:
    """Return the names of the queries that come with qaldgen."""
    return sorted(path.stem for path in resource_dir("queries").glob("*.rq"))


def read_query(source: str | Path | Query) -> Query:
    """Return the SELECT query that `source` is, or names as a file or ready query.

    >>> read_query("listing-1.2").name
    'listing-1.2'
    >>> read_query("SELECT ?qId ?x { ?qId <http://x.org/p> ?x }").name
    'query'
    """
    query = source if isinstance(source, Query) else _load_query(source)
    form = query_form(query.text)
    if form == "SELECT":
        return query
    problem = "there is no SELECT"
    if form:
        problem = f"this is {with_article(form)}"
    # the name of a file with its ending: data.ttl was meant for another argument
    name = str(source)
    if isinstance(source, Query) or "{" in name:
        name = query.name
    raise UsageError(
        f"{problem}; questions are selected with one SELECT query: SELECT ?qId ?feature ... WHERE"
        f" {{ ... }}",
        where=name,
    )


def chosen_by(text: str) -> tuple[str, ...]:
    """Return the systems whose low scores led to a query, from its comments.

    >>> chosen_by(with_choice("SELECT ?qId { ?qId ?p ?o }", ["mine", "my other"]))
    ('mine', 'my other')
    """
    return tuple(dict.fromkeys(_CHOSEN_BY.findall(text)))


def with_choice(text: str, systems: Iterable[str]) -> str:
    """Return a query with comments that name the systems whose low scores led to it."""
    present_names = chosen_by(text)
    names = (" ".join(name.split()) for name in systems)
    return "".join(f"# chosen by: {name}\n" for name in names if name not in present_names) + text


def _load_query(source: str | Path) -> Query:
    """Return a query given as text, as the name of a ready-made query, or as a file."""
    if isinstance(source, str) and "{" in source:
        return Query("query", source)

    path = Path(source)
    ready_path = resource_dir("queries") / f"{path}.rq"
    try:
        if is_file(ready_path) and (not input_exists(path) or is_folder(path)):
            path = ready_path
        with open_input(path) as file:
            return Query(Path(shown_name(path)).stem, file.read().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(
            f"is not UTF-8 (byte {error.start}); save it as UTF-8", where=path
        ) from error
    except DataError as error:
        problem = str(error)
        reason = getattr(error.__cause__, "strerror", None)
        if reason:
            problem = f"{path}: no such query ({reason}); name a file"
        message = f"{problem}, or one of: {', '.join(ready_queries())}"
        hint = did_you_mean(str(source), ready_queries()).strip()
        if hint:
            message += f"; {hint}"
        raise UsageError(message) from error
