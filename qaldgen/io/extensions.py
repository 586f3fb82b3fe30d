"""Tables of rows by name, which plug-ins extend by entry points, as do other packages if public."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import ItemsView, Iterator, Mapping, MutableMapping, ValuesView
from functools import cache, cached_property
from importlib.metadata import Distribution, EntryPoint, EntryPoints, entry_points
from typing import Any, Generic, TypeGuard, TypeVar, cast

from qaldgen.errors import UsageError
from qaldgen.io.text import one_line

Row = TypeVar("Row")
#: The tables that other packages may extend; the others belong to the core and our plug-ins.
PUBLIC = ("formats", "runs", "matchers", "measures", "samplers", "features", "protocols", "verbs")
#: The distribution whose rows win a name, so that it means the same on every machine.
_QALDGEN = "qaldgen"


class ExtensionWarning(UserWarning):
    """A row of another package is ignored."""


class BrokenRow(UsageError, KeyError):
    """A row was looked up that cannot be loaded."""

    # KeyError would show the message in quotes
    __str__ = UsageError.__str__


class Table(MutableMapping[str, Row], Generic[Row]):
    """Rows by name: of the core, of our plug-ins and, if the table is public, of other packages.

    Rows are added through the entry point group ``qaldgen.<group>``. If several have one name, that
    of the core wins, then that of a plug-in of qaldgen, then that of the distribution that comes
    first in the alphabet. Names are listed without importing rows: a row is loaded when it is
    looked up. A row that loses its name, or cannot be loaded, is left out with a warning.

    Parameters
    ----------
    group
        The last part of the name of the group.
    row_type
        The type of a row; objects of other types are refused.
    rows
        Rows of the core; an entry point in place of a row is loaded when it is used.
    final
        Further rows of the core, which come after those of plug-ins where the order matters.

    Examples
    --------
    >>> table = Table("doctests", int, {"one": 1})
    >>> list(table), table["one"]
    (['one'], 1)
    """

    def __init__(
        self,
        group: str,
        row_type: type[Row],
        rows: Mapping[str, Row | EntryPoint],
        *,
        final: Mapping[str, Row] | None = None,
    ) -> None:
        # a hyphen is not allowed in a group of entry points: some versions of pip stop at it
        self.group = f"qaldgen.{group.replace('-', '_')}"
        self._row_type = row_type
        self._core_rows = dict(rows)
        self._final_rows = dict(final or {})

    @cached_property
    def _rows(self) -> dict[str, Row | EntryPoint]:
        def precedence(point: EntryPoint) -> tuple[bool, str, str, str]:
            origin = _origin(point)
            return origin != _QALDGEN, origin, point.name, point.value

        plugin_rows: dict[str, EntryPoint] = {}
        for point in sorted(entry_points_of(self.group), key=precedence):
            if point.name in self._core_rows or point.name in self._final_rows:
                _warn(point, f"the name {point.name!r} belongs to qaldgen")
            elif point.name in plugin_rows:
                _warn(point, f"another package that takes precedence has {point.name!r} too")
            else:
                plugin_rows[point.name] = point
        return {**self._core_rows, **plugin_rows, **self._final_rows}

    def _is_loaded(self, row: Row | EntryPoint) -> TypeGuard[Row]:
        # isinstance(row, EntryPoint) would not do: the backport of importlib.metadata, once some
        # package imports it, makes entry points of a class of its own
        return isinstance(row, self._row_type)

    def point(self, name: str) -> EntryPoint | None:
        """Return the entry point of a row that is not loaded yet; None for one that is."""
        row = self._rows[name]
        if self._is_loaded(row):
            return None
        return cast("EntryPoint", row)

    def __getitem__(self, name: str) -> Row:
        """Return a row; entry points are not read for a row of the core."""
        if "_rows" not in self.__dict__ and (name in self._core_rows or name in self._final_rows):
            row = {**self._core_rows, **self._final_rows}[name]
            if self._is_loaded(row):
                return row

        row = self._rows[name]
        if self._is_loaded(row):
            return row

        point = cast("EntryPoint", row)
        try:
            row = point.load()
        except Exception as error:  # one broken package must not affect the others
            reason = f"it cannot be loaded ({type(error).__name__}: {one_line(str(error))})"
        else:
            if self._is_loaded(row):
                self._rows[name] = row
                return row
            reason = (
                f"it is of type {type(row).__name__}; a"
                f" {self._row_type.__module__}.{self._row_type.__name__} is expected"
            )

        self._rows.pop(name, None)
        _warn(point, reason)
        raise BrokenRow(f"{self.group}: {name!r} of {_origin(point)} cannot be used: {reason}")

    def __contains__(self, name: object) -> bool:
        """Return whether there is a row with this name, without loading it."""
        return name in self._rows

    def items(self) -> ItemsView[str, Row]:
        """Return names and rows, loading them; rows that cannot be loaded are left out."""
        items = {}
        for name in list(self._rows):
            try:
                items[name] = self[name]
            except BrokenRow:  # the warning has said why
                continue
        return items.items()

    def values(self) -> ValuesView[Row]:
        """Return the rows, loading them; rows that cannot be loaded are left out."""
        return dict(self.items()).values()

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


def entry_points_of(group: str) -> list[EntryPoint]:
    """Return the entry points of a group; those of a table that is not public are qaldgen's."""
    all_points: EntryPoints = _all_points(tuple(sys.path)).select(group=group)
    if group.removeprefix("qaldgen.") in PUBLIC:
        return list(all_points)
    own_points = []
    for point in all_points:
        if _origin(point) == _QALDGEN:
            own_points.append(point)
        else:
            _warn(point, "only plug-ins of qaldgen extend this table")
    return own_points


@cache
def _all_points(path: tuple[str, ...]) -> Any:  # noqa: ANN401 - its type depends on the version
    """Return the entry points of all packages on a path; it reads a file of each, once."""
    return entry_points()


def _warn(point: EntryPoint, reason: str) -> None:
    warnings.warn(
        f"{point.group}: {point.name!r} of {_origin(point)} is ignored: {reason}",
        ExtensionWarning,
        stacklevel=2,
    )


def other_package(error: BaseException) -> str | None:
    """Return the extension of qaldgen in which an exception arose, with module and line.

    A package is recognised by the first part of its modules: rows often call helpers elsewhere.
    """
    owners = {}
    for group in sorted(_all_points(tuple(sys.path)).groups):
        if not group.startswith("qaldgen."):
            continue
        for point in entry_points_of(group):
            if _origin(point) != _QALDGEN:
                owners[point.module.partition(".")[0]] = _origin(point)
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        module = str(frame.f_globals.get("__name__", ""))
        package = module.partition(".")[0]
        if package in owners:
            return f"{owners[package]} ({module}, line {line})"
    return None


def _origin(point: EntryPoint) -> str:
    if point.dist is None:
        return "an unnamed package"
    return _distribution_name(point.dist)


@cache
def _distribution_name(distribution: Distribution) -> str:
    return distribution.name  # reads a file
