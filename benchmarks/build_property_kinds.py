"""Make qaldgen/features/text/data/property_kinds.tsv: what the properties of Wikidata ask for.

"Atomic number" asks for a number, "inception" for a date, "PubMed Health" for a string: the labels
and datatypes are facts of Wikidata (CC0), read from the list in the package kif-lib 0.13.0
(kif_lib/vocabulary/wd/property.py in its wheel). Left out are properties with items as values, the
usual case, and names of identifiers that say so ("VIAF ID").

    python benchmarks/build_property_kinds.py property.py
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import qaldgen
from qaldgen.features.text.answer_type import PROPERTIES, property_words

KINDS = {
    "Quantity": "number", "Time": "date", "String": "string", "Text": "string",
    "ExternalId": "string", "IRI_": "string",
}  # fmt: skip
_LINE = re.compile(
    r"entity/P(\d+)'\), (\w+?)Datatype\(\)\)\.register\(labels=\[Text\((.*?), 'en'\)\]"
)
_SAYS_SO = re.compile(r"\b(?:ID|identifier|number|code)\b")
HEADER = (
    "# Labels of Wikidata's properties and what they ask for (CC0); made by"
    " benchmarks/build_property_kinds.py.\n"
)


def kinds(listing: str) -> dict[str, str]:
    """Return label to kind; the oldest property wins where two have a label in common."""
    found: dict[str, str] = {}
    for _, datatype, quoted in sorted(_LINE.findall(listing), key=lambda row: int(row[0])):
        label = str(ast.literal_eval(quoted))
        words = property_words(re.sub(r"\s*\(.*?\)", "", label))
        known = datatype == "ExternalId" and _SAYS_SO.search(label)
        if words and datatype in KINDS and not known and "sandbox" not in words:
            found.setdefault(" ".join(words), KINDS[datatype])
    return found


if __name__ == "__main__":
    found = kinds(Path(sys.argv[1]).read_text(encoding="utf-8"))
    lines = "".join(f"{label}\t{kind}\n" for label, kind in sorted(found.items()))
    Path(qaldgen.__file__).with_name(PROPERTIES).write_text(HEADER + lines, encoding="utf-8")
    print(f"{len(found)} labels")
