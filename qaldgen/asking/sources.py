"""What systems get besides the question: where to look things up, and texts for prompts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from qaldgen.io.extensions import Table
from qaldgen.options import Option


class Source(NamedTuple):
    """A source that options describe.

    Attributes
    ----------
    files : callable
        ``(**options) -> sequence or None``: the files that it reads; None if the options do not ask
        for it. It refuses options that do not fit, before anything is read.
    open : callable
        ``(language, **options)`` returns the `Search` for systems that look things up;
        ``(questions, language, **options)`` the text of each question for prompts, by its id.
    where : str
        The options that ask for it, for messages.
    options : tuple of Option
        Its options, which become arguments of the functions here and options of the command line.
    """

    files: Callable[..., Sequence[str] | None]
    open: Callable[..., Any]
    where: str
    options: tuple[Option, ...]


#: Where systems look things up. Other packages can add some by the entry point group
#: qaldgen.searches.
SEARCHES: Table[Source] = Table("searches", Source, {})
#: Where texts for prompts come from; those of the group qaldgen.contexts.
CONTEXTS: Table[Source] = Table("contexts", Source, {})


class Chosen(NamedTuple):
    """A source with its options, and the files that it reads."""

    source: Source
    options: Mapping[str, Any]
    files: Sequence[str]

    def open(self, *arguments: object) -> Any:  # noqa: ANN401 - a search or texts
        """Return the search, or the texts; see `Source`."""
        return self.source.open(*arguments, **self.options)


def chosen_source(table: Table[Source], given: Mapping[str, object]) -> Chosen | None:
    """Return the source that options ask for; None if they ask for none."""
    for source in table.values():
        options = {one.name: given.get(one.name, one.default) for one in source.options}
        files = source.files(**options)
        if files is not None:
            return Chosen(source, options, files)
    return None


def places(table: Table[Source]) -> str:
    """Return the options by which sources are asked for, for messages."""
    return " or ".join(source.where for source in table.values()) or "nothing here"
