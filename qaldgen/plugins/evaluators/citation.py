"""CITATION.cff: how a benchmark is cited, for programs."""

from __future__ import annotations

import json
import re

from qaldgen.benchmark.benchmark import Benchmark


def dump_cff(benchmark: Benchmark) -> bytes:
    """Return a CITATION.cff; values are written as JSON, which YAML includes."""
    fields: dict[str, object] = {
        "cff-version": "1.2.0",
        "message": "Please cite this benchmark and the question sets that it comes from.",
        "type": "dataset",
        "title": benchmark.title,
        "abstract": benchmark.citation,
        "authors": [{"name": benchmark.publisher or "unknown"}],
        "identifiers": [{"type": "url", "value": benchmark.iri}],
    }
    if re.fullmatch(r"\d{4}-\d\d-\d\d", benchmark.date):
        fields["date-released"] = benchmark.date
    if benchmark.licence:
        fields["license-url"] = benchmark.licence
    if benchmark.sources:
        fields["references"] = [
            {
                "type": "data",
                "title": source.name,
                "authors": [{"name": "see the notes"}],
                "notes": source.reference,
            }
            for source in benchmark.sources
        ]
    lines = (f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in fields.items())
    return "".join(lines).encode("utf-8", "backslashreplace")
