"""The rule about files that GERBIL refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from qaldgen.checking.record import Case, Hit
from qaldgen.formats.content import load_content
from qaldgen.formats.gerbil.loader import gerbil_complaints

_ID = re.compile(r"question \d+ \(id (.+?)\)(?:, |$)")


def refused(case: Case) -> Iterator[Hit]:
    """Find every place for which GERBIL refuses a file in QALD JSON or extended QALD JSON."""
    if case.format not in {"qald-json", "qald-extended"}:
        return
    for place, rule in gerbil_complaints(load_content(Path(case.path)).text):
        named = _ID.match(place)
        yield Hit(
            named[1] if named else "",
            f"{place[named.end() :] or place if named else place}: {rule}",
        )
