"""Describe a benchmark beside its files: a card in Markdown, and CITATION.cff."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

from qaldgen.benchmark.benchmark import Benchmark
from qaldgen.io.packages import package_path
from qaldgen.questions.results_json import Json

#: Hugging Face's names of licences by the start of their address.
_LICENCES = {
    "creativecommons.org/licenses/by/4.0": "cc-by-4.0",
    "creativecommons.org/licenses/by/3.0": "cc-by-3.0",
    "creativecommons.org/licenses/by-sa/4.0": "cc-by-sa-4.0",
    "creativecommons.org/licenses/by-sa/3.0": "cc-by-sa-3.0",
    "creativecommons.org/licenses/by-nc/4.0": "cc-by-nc-4.0",
    "creativecommons.org/licenses/by-nc-sa/4.0": "cc-by-nc-sa-4.0",
    "creativecommons.org/publicdomain/zero/1.0": "cc0-1.0",
    "apache.org/licenses/license-2.0": "apache-2.0",
    "opensource.org/licenses/mit": "mit",
    "gnu.org/licenses/gpl-3.0": "gpl-3.0",
    "gnu.org/licenses/agpl-3.0": "agpl-3.0",
}
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]*")
#: The size categories of Hugging Face by their upper bounds.
_SIZE_CATEGORIES = {
    1_000: "n<1K",
    10_000: "1K<n<10K",
    100_000: "10K<n<100K",
    1_000_000: "100K<n<1M",
}
#: What a card says about weights, by the design of the sample.
_DESIGNS = {
    "probability": (
        "a weight is the share of the pool that a question stands for: the weighted mean of"
        " scores estimates the score on the whole pool, and `inclusion_probability` is the"
        " chance of the question to be chosen"
    ),
    "purposive": (
        "a weight is the share of the pool in the question's cluster; the questions were chosen on"
        " purpose, so a weighted mean describes them and is no unbiased estimate for the pool"
    ),
}
_TEMPLATES = package_path(Path(__file__).with_name("templates"))


def dump_card(benchmark: Benchmark, rows: Sequence[Mapping[str, Json]], lead: str) -> bytes:
    """Return the card as Markdown with front matter; `lead` is its first sentence."""
    path = "questions.jsonl" if lead else "data/test-*.parquet"
    languages = sorted({str(row["language"]) for row in rows if row["language"]})
    sizes = [name for bound, name in _SIZE_CATEGORIES.items() if len(rows) < bound]
    # the part of a card that Hugging Face reads
    front_matter: dict[str, object] = {
        "pretty_name": benchmark.title,
        **licence_fields(benchmark.licence),
        "language": list(languages),
        "task_categories": ["question-answering"],
        "size_categories": [sizes[0] if sizes else "n>1M"],
        "configs": [{"config_name": "default", "data_files": [{"split": "test", "path": path}]}],
    }

    provenance = benchmark.provenance
    query = provenance.query_text.strip()
    # a query may contain backticks in strings, which would end the block early
    longest = max((len(ticks) for ticks in re.findall(r"`+", query)), default=0)
    sources = "; ".join(source.reference for source in benchmark.sources)
    values = {
        "front": _dump_yaml(front_matter),
        "title": " ".join(benchmark.title.split()),
        "lead": f"{lead} " if lead else "",
        "n": len(benchmark),
        "pool": f"{benchmark.pool_size:,}",
        "signature": benchmark.signature,
        "iri": benchmark.iri,
        "data": sources or f"`{provenance.data_name}`",
        "method": provenance.method,
        "size": provenance.size,
        "random_state": provenance.random_state,
        "published": ", ".join(filter(None, (benchmark.publisher, benchmark.date))) or "not said",
        "citation": benchmark.citation,
        "versions": ", ".join(f"{name} {number}" for name, number in provenance.versions.items()),
        "licence": benchmark.licence or "that of their source, which the data does not name",
        "design": _DESIGNS[benchmark.design],
        "query_name": provenance.query_name,
        "query_sha256": provenance.query_sha256,
        "scaling": provenance.scaling,
        "missing": provenance.missing,
        "query": query,
        "fence": "`" * max(3, longest + 1),
    }
    return fill_template("card.md.txt", values).encode("utf-8", "backslashreplace")


def fill_template(template: str, values: Mapping[str, object]) -> str:
    """Return a template of the folder ``templates`` with values filled in."""
    return Template((_TEMPLATES / template).read_text("utf-8")).substitute(values)


def dump_cff(benchmark: Benchmark) -> bytes:
    """Return the CITATION.cff, which says to programs how a benchmark is cited."""
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

    return _dump_yaml(fields).encode("utf-8", "backslashreplace")


def _dump_yaml(fields: Mapping[str, object]) -> str:
    """Return fields as YAML, one on each line; values are JSON, which is YAML as well."""
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in fields.items()]
    return "".join(lines)


def licence_fields(licence: str) -> dict[str, Json]:
    """Return a card's fields for a licence: the name that Hugging Face knows, or the address.

    >>> licence_fields("https://creativecommons.org/licenses/by/4.0/")
    {'license': 'cc-by-4.0'}
    >>> licence_fields("https://example.org/mine")
    {'license': 'other', 'license_name': 'other', 'license_link': 'https://example.org/mine'}
    """
    if not licence:
        return {"license": "unknown"}
    # http and https, with and without www, name the same licence
    address = licence.lower().partition("://")[2].removeprefix("www.")
    if not address:
        if _NAME.fullmatch(licence.lower()):
            return {"license": licence.lower()}
        return {"license": "other", "license_name": licence}
    for start, name in _LICENCES.items():
        if address.startswith(start):
            return {"license": name}
    return {"license": "other", "license_name": "other", "license_link": licence}
