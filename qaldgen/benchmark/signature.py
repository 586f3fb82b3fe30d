"""How a sample was made: the record that is stored, and the line from which it can be rebuilt."""

from __future__ import annotations

import dataclasses
import platform
import re
from collections.abc import Mapping
from urllib.parse import quote, unquote

from qaldgen import __version__
from qaldgen.errors import UsageError
from qaldgen.io.packages import versions_of
from qaldgen.selection.where import conditions_of

TIE_RULE = "id"
#: Digits of a hash in the line.
_HASH_DIGITS = 8
_PACKAGES = ("numpy", "pyoxigraph", "scikit-learn", "scipy")
#: Characters that are allowed in options; others are percent-encoded, in quotes.
_SAFE_CHARACTERS = " !#$&()*+,/:;<=>?@[]^{}"
_OPTION_KEYS = {"iterations": "i", "trials": "t", "radius": "r", "min_points": "p"}
#: The keys of the parts that are not options of the method.
_KEYS = frozenset(
    ["table", "q", "where", "scale", "missing", "m", "n", "seed", "ties", "gold", "v"]
)


@dataclasses.dataclass(frozen=True)
class Provenance:
    """Everything that decides which questions a sample has."""

    #: The name of the file or endpoint, and the hash of the unpacked file; empty without a file.
    data_name: str
    data_sha256: str
    table_sha256: str  # the hash of the selected table: ids, features, raw values
    #: The selection query, and the hash of its text.
    query_name: str
    query_text: str
    query_sha256: str
    #: The names of scaling, missing-value rule and sampling method.
    scaling: str
    missing: str
    method: str
    #: Sample size and seed.
    size: int
    random_state: int
    #: Every option of the method that is not off.
    options: Mapping[str, float | str] = dataclasses.field(default_factory=dict, hash=False)
    tie_rule: str = TIE_RULE  # ``id``: the first of equals in natural order of ids wins
    #: The versions of qaldgen, Python, and the packages that compute.
    versions: Mapping[str, str] = dataclasses.field(default_factory=dict, hash=False)
    gold: str = ""  # the edition of the gold: date, hash and source; empty if it has none

    def signature(self) -> str:
        """Return the signature line: equal tables have equal lines, wherever the data are.

        It reads ``table:1f2e3d4c|q:mine@9be01234|scale:max|...|n:20|seed:7|ties:id|v:0.2.0``.
        """
        conditions = conditions_of(self.query_text)
        query_name = re.sub(r"[^\w.+-]+", "_", self.query_name) or "data"
        parts = [
            f"table:{self.table_sha256[:_HASH_DIGITS]}",
            f"q:{query_name}@{self.query_sha256[:_HASH_DIGITS]}",
        ]
        if conditions:
            parts.append(f"where:{option_text(' and '.join(conditions))}")
        parts += [f"scale:{self.scaling}", f"missing:{self.missing}", f"m:{self.method}"]
        parts += [
            f"{_OPTION_KEYS.get(name, name)}:{option_text(value)}"
            for name, value in self.options.items()
        ]
        parts += [f"n:{self.size}", f"seed:{self.random_state}", f"ties:{self.tie_rule}"]
        if self.gold:
            parts.append(f"gold:{option_text(self.gold)}")
        return "|".join([*parts, f"v:{self.versions.get('qaldgen', __version__)}"])


@dataclasses.dataclass(frozen=True)
class Signature:
    """The content of a signature line.

    >>> line = "table:1f2e3d4c|q:mine@2e3d4c5b|scale:max|missing:drop|m:km++|i:10|t:5|n:20"
    >>> parse_signature(f"{line}|seed:7|ties:id|v:0.2.0").options
    {'iterations': 10.0, 'trials': 5.0}
    """

    table_hash: str  # the start of the hash of the selected table
    #: The query and the start of the hash of its text.
    query_name: str
    query_hash: str
    #: As in `Provenance`.
    scaling: str
    missing: str
    method: str
    size: int
    random_state: int
    options: Mapping[str, float | str]
    version: str  # the version of qaldgen that made the sample
    where: str = ""  # the conditions that were added to the query


def parse_signature(line: str) -> Signature:
    """Read a signature line."""
    parts = line.strip().split("|")
    fields = {}
    for part in parts:
        key, _, value = part.partition(":")
        fields[key] = value

    names = {key: name for name, key in _OPTION_KEYS.items()}
    options = {
        names.get(key, key): read_option(value) for key, value in fields.items() if key not in _KEYS
    }

    try:
        if len(fields) < len(parts):
            raise ValueError("a part is repeated")
        if fields["ties"] != TIE_RULE:
            raise ValueError("the tie rule is not 'id'")

        query_name, query_hash = fields["q"].rsplit("@", 1)
        signature = Signature(
            table_hash=fields["table"],
            query_name=query_name,
            query_hash=query_hash,
            scaling=fields["scale"],
            missing=fields["missing"],
            method=fields["m"],
            size=int(fields["n"]),
            random_state=int(fields["seed"]),
            options=options,
            version=fields["v"],
            where=str(read_option(fields.get("where", ""))),
        )

        for text in (query_hash, signature.table_hash):
            if not re.fullmatch("[0-9a-f]{8,64}", text):
                raise ValueError("a hash is invalid")
    except (KeyError, ValueError) as error:
        reason = f"no part {error.args[0]!r}" if isinstance(error, KeyError) else str(error)
        raise UsageError(
            f"invalid signature {line.strip()[:60]!r} ({reason}); expected"
            " table:hash|q:query@hash|scale:max|..."
        ) from error

    return signature


def current_versions() -> dict[str, str]:
    """Return the versions of qaldgen, Python and the packages that compute."""
    own = {"qaldgen": __version__, "python": platform.python_version()}
    return own | versions_of(_PACKAGES)


def option_text(value: float | str) -> str:
    """Return an option as text from which `read_option` restores the same value.

    >>> option_text(1.0), option_text(0.1), option_text(0.13749033305079908)
    ('1', '0.1', '0.13749033305079908')
    >>> option_text("whType"), option_text("1"), option_text("kind=a|b")
    ('whType', "'1'", "'kind=a%7Cb'")
    """
    if isinstance(value, str):
        quoted = quote(value, safe=_SAFE_CHARACTERS)
        if quoted == value and isinstance(read_option(value), str):
            return value
        return f"'{quoted}'"
    if float(value).is_integer():
        return str(int(value))
    return repr(value)


def read_option(text: str) -> float | str:
    """Return the option that `option_text` wrote; text in quotes is never a number."""
    if len(text) > 1 and text[0] == text[-1] == "'":
        return unquote(text[1:-1])
    try:
        return float(text)
    except ValueError:
        return text
