"""Print the feature catalogue."""

from __future__ import annotations

from pyoxigraph import NamedNode, parse

from qaldgen.errors import UsageError
from qaldgen.features.catalogue import Feature, all_features, feature_hint
from qaldgen.features.labels import label_of, value_in_words
from qaldgen.features.vocabulary import shapes, vocabulary
from qaldgen.io.files import resource_dir
from qaldgen.io.text import dump_csv, markdown_table, text_table

_HEAD = ("name", "label", "type", "source", "definition", "property")


_SOURCES = {
    "T": "the text of the question", "S": "the query", "A": "the gold answers",
    "M": "what the data set says",
}  # fmt: skip


def describe(form: str) -> str:
    """Return the catalogue of all features, including those of other packages."""
    if form in {"turtle", "shapes"}:
        elsewhere = _declared_elsewhere()
        return vocabulary(elsewhere) if form == "turtle" else shapes(elsewhere)
    rows = [_row(feature) for feature in all_features().values()]
    if form == "csv":
        return dump_csv(_HEAD, rows)
    if form == "markdown":
        escaped = [[cell.replace("|", r"\|") for cell in row] for row in rows]
        return markdown_table([_HEAD, ("---",) * len(_HEAD), *escaped])
    return text_table([row[:5] for row in (_HEAD, *rows)])  # a property is too long for a line


def explain(name: str) -> str:
    """Return a description of one feature for people, with the words for its values.

    >>> print(explain("isCount").splitlines()[0])
    isCount: the query counts
    """
    features = all_features()
    if name not in features:
        raise UsageError(f"there is no feature {name!r}; {feature_hint(name, features)}")
    feature = features[name]
    sources = [_SOURCES[letter] for letter in feature.source.split(">")]
    lines = [
        f"{name}: {label_of(name)}",
        f"  {feature.definition}",
        (
            f"  from {', else '.join(sources)}; "
            f"{feature.kind}{', several values' if feature.several else ''}"
        ),
        f"  property: {feature.term}",
    ]
    if feature.codes:
        lines += [
            "  values:",
            *(f"    {code}: {value_in_words(name, code)}" for code in feature.codes),
        ]
    return "\n".join(lines) + "\n"


def _declared_elsewhere() -> frozenset[str]:
    """Return the properties declared in `vocab/qaldgen.ttl`: those of the published data."""
    quads = parse(path=str(resource_dir("vocab") / "qaldgen.ttl"))
    return frozenset(quad.subject.value for quad in quads if isinstance(quad.subject, NamedNode))


def _row(feature: Feature) -> tuple[str, str, str, str, str, str]:
    codes = f" One of {', '.join(feature.codes)}." if feature.codes else ""
    return (
        feature.name,
        label_of(feature.name),
        feature.kind,
        feature.source,
        feature.definition + codes,
        feature.term,
    )
