"""Reject invalid arguments where they enter, with a hint to what may be meant."""

from __future__ import annotations

import difflib
import math
import numbers
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path

from qaldgen.errors import UsageError

#: A name is suggested if its similarity to the unknown one is at least this.
_ALIKE = 0.55
#: A further suggestion may be this much less similar than the best one.
_LESS = 0.1
#: More names than this are not listed in a message.
_LISTED = 40


def did_you_mean(name: str, names: Iterable[str], *, most: int = 2) -> str:
    """Return a hint for an unknown name, followed by a space.

    Names that are much less similar than the best one are left out.

    >>> did_you_mean("lmp", ["lpm", "random"]), did_you_mean("zzz", ["lpm"])
    ('did you mean lpm? ', '')
    >>> did_you_mean("macro_F1", ["micro-f1", "macro-f1"])
    'did you mean macro-f1? '
    """
    near = nearest(name, names, most=most)
    if not near:
        return ""
    return f"did you mean {' or '.join(near)}? "


def nearest(name: str, names: Iterable[str], *, most: int = 2) -> list[str]:
    """Return the names that may be meant: the most alike, else names that end with the name.

    >>> nearest("f1", ["micro-f1", "macro-f1", "recall"])
    ['micro-f1', 'macro-f1']
    """
    by_plain: dict[str, str] = {}
    for candidate in names:
        by_plain.setdefault(_plain(candidate), candidate)
    plain_name = _plain(name)
    near = difflib.get_close_matches(plain_name, by_plain, n=most, cutoff=_ALIKE)
    if not near:
        near = [plain for plain in by_plain if plain.endswith(f"-{plain_name}")]
        return [by_plain[plain] for plain in near[:most]]
    ratios = [difflib.SequenceMatcher(None, plain, plain_name).ratio() for plain in near]
    return [
        by_plain[plain]
        for plain, ratio in zip(near, ratios, strict=True)
        if ratio > ratios[0] - _LESS
    ]


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


def one_of(name: str, choices: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: a hint, and all names there are.

    >>> one_of("holn", ["holm", "bh"])
    'did you mean holm? choose one of holm, bh'
    """
    names = list(choices)
    near = did_you_mean(name, names)
    if len(names) > _LISTED:
        return near.strip() or f"there are {len(names)}, such as {', '.join(names[:3])}"
    return f"{near}choose one of {', '.join(names)}"


def file_hint(path: str | Path) -> str:
    """Return a hint for the name of a missing file: a similar name in its folder."""
    path = Path(path)
    try:
        names = sorted(file.name for file in path.parent.iterdir() if file.name[0] != ".")
    except OSError:
        return "check the name"
    # names are not similar because of their endings
    alike = [name for name in names if did_you_mean(path.stem, [Path(name).stem])]
    return did_you_mean(path.name, alike, most=1).strip() or "check the name"


def check_choice(option: str, value: str, choices: Iterable[str]) -> None:
    """Reject an unknown name, and suggest what was probably meant.

    >>> check_choice("`correct`", "hulm", ["holm", "bh"])
    Traceback (most recent call last):
    qaldgen.errors.UsageError: `correct`: unknown name 'hulm'; did you mean holm? \
choose one of holm, bh
    """
    names = list(choices)
    if value not in names:
        raise UsageError(f"{option}: unknown name {value!r}; {one_of(value, names)}")


def texts(values: str | Sequence[str]) -> list[str]:
    """Return a list of texts that may have been given as a single text.

    >>> texts("answerType"), texts(["answerType", "tpCount"])
    (['answerType'], ['answerType', 'tpCount'])
    """
    if isinstance(values, str):
        return [values]
    return list(values)


def check_whole(name: str, value: object, least: int, most: int | None = None) -> None:
    """Check that a value is an integer within bounds.

    >>> check_whole("random_state", -1, 0)
    Traceback (most recent call last):
    qaldgen.errors.UsageError: random_state is -1; expected an integer of 0 or more
    """
    is_integer = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_integer or value < least or (most is not None and value > most):  # type: ignore[operator]
        bounds = f"of {least} or more" if most is None else f"from {least} to {most}"
        raise UsageError(f"{name} is {value!r}; expected an integer {bounds}")


def check_number(name: str, value: object, *, above: float) -> None:
    """Check that a value is a finite number larger than `above`."""
    if not _is_number(value) or value <= above:  # type: ignore[operator]
        raise UsageError(f"{name} is {value!r}; expected a number above {above:g}")


def check_share(name: str, value: object) -> None:
    """Check that a value is a number strictly between 0 and 1, such as a level or probability.

    >>> check_share("alpha", 7)
    Traceback (most recent call last):
    qaldgen.errors.UsageError: alpha is 7; expected a number between 0 and 1
    """
    if not _is_number(value) or not 0 < value < 1:  # type: ignore[operator]
        raise UsageError(f"{name} is {value!r}; expected a number between 0 and 1")


def check_date(date: str) -> str:
    """Return a date, which must be empty or written as in ISO 8601.

    >>> check_date("27.11.2026")
    Traceback (most recent call last):
    qaldgen.errors.UsageError: the date is '27.11.2026'; write it as 2026-11-27, 2026-11 or 2026
    """
    if date and not re.fullmatch(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?", date):
        raise UsageError(f"the date is {date!r}; write it as 2026-11-27, 2026-11 or 2026")
    return date


def check_wordings(name: str, value: object) -> None:
    """Check that a value maps strings to lists of strings."""
    if not isinstance(value, Mapping):
        raise UsageError(
            f"{name} is of type {type(value).__name__};"
            " expected a mapping from gold answers to lists of aliases"
        )
    for answer, wordings in value.items():
        is_list = isinstance(wordings, (Sequence, Set)) and not isinstance(wordings, str)
        if not is_list or not all(isinstance(text, str) for text in (answer, *wordings)):
            raise UsageError(
                f"{name}: {answer!r} has {str(wordings)[:60]}; expected a list of strings"
            )


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)
