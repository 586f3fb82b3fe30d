"""The card of a benchmark: what it is, where it comes from, and what its weights mean."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from qaldgen.formats.results_json import Json

if TYPE_CHECKING:
    from qaldgen.benchmark.benchmark import Benchmark, ExportOptions

#: Hugging Face's names of licences, by the start of their address.
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
#: Upper bound to the size category of Hugging Face.
_SIZES = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M"}


def dump_card(
    benchmark: Benchmark, rows: Sequence[Mapping[str, Json]], options: ExportOptions, lead: str
) -> bytes:
    """Return the card as Markdown with front matter."""
    languages = sorted({str(row["language"]) for row in rows if row["language"]})
    front: dict[str, Json] = {
        "pretty_name": benchmark.title,
        **licence_fields(options.licence),
        "language": list(languages),
        "task_categories": ["question-answering"],
        "size_categories": [
            next((name for most, name in _SIZES.items() if len(rows) < most), "n>1M")
        ],
        "configs": [
            {"config_name": "default", "data_files": [{"split": "test", "path": _data_path(lead)}]}
        ],
    }
    head = "".join(
        f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in front.items()
    )
    return f"---\n{head}---\n\n{_body(benchmark, options, lead)}".encode(
        "utf-8", "backslashreplace"
    )


def licence_fields(said: str) -> dict[str, Json]:
    """Return a card's fields for a licence: the name that Hugging Face knows, or the address.

    >>> licence_fields("https://creativecommons.org/licenses/by/4.0/")
    {'license': 'cc-by-4.0'}
    >>> licence_fields("https://example.org/mine")
    {'license': 'other', 'license_name': 'other', 'license_link': 'https://example.org/mine'}
    """
    if not said:
        return {"license": "unknown"}
    # http and https, with and without www, name the same licence.
    place = said.lower().partition("://")[2].removeprefix("www.")
    known = next((name for part, name in _LICENCES.items() if place.startswith(part)), "")
    if known or (not place and _NAME.fullmatch(said.lower())):
        return {"license": known or said.lower()}
    return (
        {"license": "other", "license_name": "other", "license_link": said}
        if place
        else {"license": "other", "license_name": said}
    )


def _data_path(lead: str) -> str:
    return "questions.jsonl" if lead else "data/test-*.parquet"


def _body(benchmark: Benchmark, options: ExportOptions, lead: str) -> str:
    how = benchmark.provenance
    licence = options.licence or "that of their source, which the data does not name"
    design = {
        "probability": (
            "a weight is the share of the pool that a question stands for: the weighted mean of"
            " scores estimates the score on the whole pool, and `inclusion_probability` is the"
            " chance of the question to be chosen"
        ),
        "purposive": (
            "a weight is the share of the pool in the question's cluster; the "
            "questions were chosen on purpose, so a weighted mean describes "
            "them and is no unbiased estimate for the pool"
        ),
    }[benchmark.design]
    data = f"`{how.data_name}`" + (f", SHA-256 `{how.data_sha256}`" if how.data_sha256 else "")
    versions = ", ".join(f"{name} {number}" for name, number in how.versions.items())
    query = how.query_text.strip()
    return f"""# {_one_line(benchmark.title)}

{lead + " " if lead else ""}{len(benchmark)} of {benchmark.pool_size:,} questions, \
chosen by qaldgen.

- Signature, the line that rebuilds this sample: `{benchmark.signature}`
- Benchmark: <{benchmark.iri}>
- Source: {data}
- Method: `{how.method}`, {how.size} questions, seed {how.random_state}
- Software: {versions}
- Licence of the questions: {licence}

## Fields

`answers` are the main wordings of the gold answers, all of which a full answer names; \
`answer_wordings` has for each of them the
wordings that are accepted, `answer_iris` those that are resources of a knowledge graph. \
`weight`: {design}.

## Selection

The questions of the pool are what this query selects \
({how.query_name}, SHA-256 `{how.query_sha256}`), features scaled by
`{how.scaling}`, missing values: `{how.missing}`.

{_fence(query)}sparql
{query}
{_fence(query)}
"""


def _fence(text: str) -> str:
    """Return a fence that is longer than any run of backticks in a text."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    # A query may contain backticks in strings, which would end the block early.
    return "`" * max(3, longest + 1)


def _one_line(text: str) -> str:
    return " ".join(text.split())
