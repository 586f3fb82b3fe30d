"""Names that there are not: what may be meant instead."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

#: How alike two names must be for one to be suggested for the other.
_ALIKE = 0.55
#: More names than this are not listed in a message.
_LISTED = 30


def did_you_mean(name: str, known: Iterable[str], *, most: int = 2) -> str:
    """Return the hint for a name that there is not, with a space behind it.

    Empty if nothing is like it.

    Parameters
    ----------
    name
        What was given.
    known
        What there is.
    most
        How many names are suggested.

    Examples
    --------
    >>> did_you_mean("lmp", ["lpm", "random"]), did_you_mean("ISCOUNT", ["isCount"]), did_you_mean("zzz", ["lpm"])
    ('did you mean lpm? ', 'did you mean isCount? ', '')
    """
    spelt: dict[str, str] = {}
    for one in known:
        spelt.setdefault(one.lower(), one)
    near = difflib.get_close_matches(name.lower(), spelt, n=most, cutoff=_ALIKE)
    return f"did you mean {' or '.join(spelt[one] for one in near)}? " if near else ""


def one_of(name: str, known: Iterable[str]) -> str:
    """Return how a message about an unknown name ends: what may be meant, and all that there is.

    Parameters
    ----------
    name
        What was given.
    known
        What there is.

    Examples
    --------
    >>> one_of("holn", ["holm", "bh"])
    'did you mean holm? choose one of holm, bh'
    """
    names = list(known)
    near = did_you_mean(name, names)
    if len(names) > _LISTED:
        return near.strip() or f"there are {len(names)}, such as {', '.join(names[:3])}"
    return f"{near}choose one of {', '.join(names)}"


def file_hint(path: str | Path) -> str:
    """Return what may be meant by the name of a file that is not there.

    One like it in the same folder.

    Parameters
    ----------
    path
        What was given.
    """
    wanted = Path(path)
    try:
        beside = sorted(one.name for one in wanted.parent.iterdir() if not one.name.startswith("."))
    except OSError:
        return "check the name"
    found = did_you_mean(wanted.name, beside, most=1)
    return found.strip() or "check the name"
