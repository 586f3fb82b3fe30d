"""Check arguments, and suggest what may be meant by an unknown name."""

from __future__ import annotations

import difflib
import math
import numbers
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeGuard

from qaldgen.errors import UsageError

#: A name is suggested if its similarity to the unknown one is at least this.
_MIN_SIMILARITY = 0.55
#: A further suggestion may be this much less similar than the best one.
_MAX_DIFFERENCE = 0.1
#: More names than this are not listed in a message.
_MAX_LISTED = 40


def did_you_mean(name: str, names: Iterable[str], *, limit: int = 2) -> str:
    """Return a hint for an unknown name, followed by a space.

    Names that are much less similar than the best one are left out.

    >>> did_you_mean("lmp", ["lpm", "random"]), did_you_mean("zzz", ["lpm"])
    ('did you mean lpm? ', '')
    >>> did_you_mean("macro_F1", ["micro-f1", "macro-f1"])
    'did you mean macro-f1? '
    """
    suggestions = nearest(name, names, limit=limit)
    if not suggestions:
        return ""
    return f"did you mean {' or '.join(suggestions)}? "


def nearest(name: str, names: Iterable[str], *, limit: int = 2) -> list[str]:
    """Return the names that may be meant: the most similar, else those that end with the name.

    >>> nearest("f1", ["micro-f1", "macro-f1", "recall"])
    ['micro-f1', 'macro-f1']
    """
    name_of: dict[str, str] = {}
    for known_name in names:
        name_of.setdefault(_normalise(known_name), known_name)
    wanted = _normalise(name)
    candidates = difflib.get_close_matches(wanted, name_of, n=limit, cutoff=_MIN_SIMILARITY)
    if not candidates:
        endings = [candidate for candidate in name_of if candidate.endswith(f"-{wanted}")]
        return [name_of[candidate] for candidate in endings[:limit]]
    ratios = [difflib.SequenceMatcher(None, candidate, wanted).ratio() for candidate in candidates]
    return [
        name_of[candidate]
        for candidate, ratio in zip(candidates, ratios, strict=True)
        if ratio > ratios[0] - _MAX_DIFFERENCE
    ]


def _normalise(name: str) -> str:
    return name.lower().replace("_", "-")


def one_of(name: str, choices: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: a hint, and all known names.

    >>> one_of("holn", ["holm", "bh"])
    'did you mean holm? choose one of holm, bh'
    """
    names = list(choices)
    hint = did_you_mean(name, names)
    if len(names) > _MAX_LISTED:
        return hint.strip() or f"there are {len(names)}, such as {', '.join(names[:3])}"
    return f"{hint}choose one of {', '.join(names)}"


def file_hint(path: str | Path) -> str:
    """Return a hint for the name of a missing file: a similar name in its folder."""
    path = Path(path)
    try:
        names = sorted(file.name for file in path.parent.iterdir() if file.name[0] != ".")
    except OSError:
        return "check the name"
    # names are compared without suffixes, which would make them similar
    similar = [name for name in names if did_you_mean(path.stem, [Path(name).stem])]
    return did_you_mean(path.name, similar, limit=1).strip() or "check the name"


def check_choice(option: str, value: str, choices: Iterable[str]) -> None:
    """Reject an unknown name, and suggest similar ones.

    >>> check_choice("`correct`", "hulm", ["holm", "bh"])
    Traceback (most recent call last):
    qaldgen.errors.UsageError: `correct`: unknown name 'hulm'; did you mean holm? \
choose one of holm, bh
    """
    names = list(choices)
    if value not in names:
        raise UsageError(f"{option}: unknown name {value!r}; {one_of(value, names)}")


def as_texts(values: str | Sequence[str]) -> list[str]:
    """Return a list of texts; a single text becomes a list.

    >>> as_texts("answerType"), as_texts(["answerType", "tpCount"])
    (['answerType'], ['answerType', 'tpCount'])
    """
    if isinstance(values, str):
        return [values]
    return list(values)


def check_integer(name: str, value: object, minimum: int, maximum: int | None = None) -> None:
    """Check that a value is an integer within bounds.

    >>> check_integer("random_state", -1, 0)
    Traceback (most recent call last):
    qaldgen.errors.UsageError: random_state is -1; expected an integer of 0 or more
    """
    if not _is_integer(value) or value < minimum or (maximum is not None and value > maximum):
        bounds = f"of {minimum} or more" if maximum is None else f"from {minimum} to {maximum}"
        raise UsageError(f"{name} is {value!r}; expected an integer {bounds}")


def check_positive(name: str, value: object) -> None:
    """Check that a value is a finite number above 0."""
    if not _is_number(value) or value <= 0:
        raise UsageError(f"{name} is {value!r}; expected a number above 0")


def check_share(name: str, value: object) -> None:
    """Check that a value is a number strictly between 0 and 1, such as a level or probability.

    >>> check_share("alpha", 7)
    Traceback (most recent call last):
    qaldgen.errors.UsageError: alpha is 7; expected a number between 0 and 1
    """
    if not _is_number(value) or not 0 < value < 1:
        raise UsageError(f"{name} is {value!r}; expected a number between 0 and 1")


def check_date(date: str) -> str:
    """Return a date; it must be empty, or in the notation of ISO 8601.

    >>> check_date("27.11.2026")
    Traceback (most recent call last):
    qaldgen.errors.UsageError: the date is '27.11.2026'; write it as 2026-11-27, 2026-11 or 2026
    """
    if date and not re.fullmatch(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?", date):
        raise UsageError(f"the date is {date!r}; write it as 2026-11-27, 2026-11 or 2026")
    return date


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)
