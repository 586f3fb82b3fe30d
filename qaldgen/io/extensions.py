"""Tables that other packages extend by entry points.

One class, one rule for names, and robust against broken packages.
"""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

Row = TypeVar("Row")


class ExtensionWarning(UserWarning):
    """A row of another package is ignored."""


class Table(MutableMapping[str, Row], Generic[Row]):
    """Rows by name: ours, and those of other packages.

    Other packages add rows through the entry point group ``qaldgen.<group>``. A name of qaldgen
    stays ours, so that it means the same on every machine; if two packages have the same name, the
    one counts whose distribution comes first in the alphabet. A row that does not count, or cannot
    be loaded, is left out with a warning. Entry points are loaded when the table is first used.

    Parameters
    ----------
    group
        The last part of the name of the group.
    kind
        The type of a row; everything else is refused.
    rows
        Our rows.
    last
        More rows of ours, which come after those of other packages, where the order matters.
    key
        Returns the name of a row, if it has one itself; by default the name of its entry point.

    Examples
    --------
    >>> table = Table("doctests", int, {"one": 1})
    >>> list(table), table["one"]
    (['one'], 1)
    """

    def __init__(
        self,
        group: str,
        kind: type[Row],
        rows: Mapping[str, Row],
        *,
        last: Mapping[str, Row] | None = None,
        key: Callable[[Row], str] | None = None,
    ) -> None:
        self.group, self._kind, self._key = f"qaldgen.{group}", kind, key
        self._first, self._last = dict(rows), dict(last or {})

    @cached_property
    def _rows(self) -> dict[str, Row]:
        # While a package is loaded that builds on our rows, it must already see them.
        self.__dict__["_rows"] = {**self._first, **self._last}
        return {**self._first, **self._added(), **self._last}

    def _added(self) -> dict[str, Row]:
        added: dict[str, Row] = {}
        for point in sorted(entry_points(group=self.group), key=_origin):
            row = self._loaded(point)
            if row is None:
                continue
            name = self._key(row) if self._key is not None else point.name
            if name in self._first or name in self._last:
                self._warn(point, f"the name {name!r} belongs to qaldgen")
            elif name in added:
                self._warn(point, f"another package that takes precedence has {name!r} too")
            else:
                added[name] = row
        return added

    def _loaded(self, point: EntryPoint) -> Row | None:
        """Return the row; None if it cannot be loaded."""
        try:
            row = point.load()
        except Exception as error:  # one broken package must not affect the others
            self._warn(
                point,
                f"it cannot be loaded ({type(error).__name__}:"
                f" {' '.join(str(error).split())[:200]})",
            )
            return None
        if not isinstance(row, self._kind):
            self._warn(
                point,
                f"it is of type {type(row).__name__}; a"
                f" {self._kind.__module__}.{self._kind.__name__} is expected",
            )
            return None
        return row

    def _warn(self, point: EntryPoint, why: str) -> None:
        warnings.warn(
            f"{self.group}: {point.name!r} of {_origin(point)[0]} is ignored: {why}",
            ExtensionWarning,
            stacklevel=2,
        )

    def __getitem__(self, name: str) -> Row:
        """Return a row.

        One of ours without loading the others, so that a module with rows for several tables can
        build on it.
        """
        if "_rows" not in self.__dict__ and (name in self._first or name in self._last):
            return {**self._first, **self._last}[name]
        return self._rows[name]

    def __setitem__(self, name: str, row: Row) -> None:
        """Add or replace a row in this process."""
        self._rows[name] = row

    def __delitem__(self, name: str) -> None:
        """Remove a row in this process."""
        del self._rows[name]

    def __iter__(self) -> Iterator[str]:
        """Return the names."""
        return iter(self._rows)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._rows)

    def __repr__(self) -> str:
        """Return the group and the names."""
        return f"<Table {self.group}: {', '.join(self)}>"


def other_package(error: BaseException) -> str | None:
    """Return the package that extends qaldgen and that an exception passed through, and where.

    Parameters
    ----------
    error
        The exception.

    Returns
    -------
    str or None
        None if no extension was involved.
    """
    # by the first part of the module: rows often call helpers elsewhere in their package
    owners = {
        point.module.partition(".")[0]: _origin(point)[0]
        for group in sorted(entry_points().groups)
        if group.startswith("qaldgen.")
        for point in entry_points(group=group)
    }
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        module = str(frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] in owners:
            return f"{owners[module.partition('.')[0]]} ({module}, line {line})"
    return None


def _origin(point: EntryPoint) -> tuple[str, str, str]:
    return (
        point.dist.name if point.dist is not None else "an unnamed package",
        point.name,
        point.value,
    )
