"""The rows of the feature catalogue that come from the SPARQL query, and from what it names."""

from __future__ import annotations

from qaldgen.features import evidence as known
from qaldgen.features.evidence import pick
from qaldgen.features.record import Feature, row
from qaldgen.rdf.terms import LSQ, QALDGEN

_THINGS = (
    ("Entity", "Entities", "entity"),
    ("Relation", "Relations", "relation"),
    ("Class", "Classes", "class"),
)

# names and definitions are LSQ's where the property is one of LSQ's
QUERY_FEATURES: tuple[Feature, ...] = (
    row("tpCount", "integer", "S",
        "Number of distinct triple patterns outside EXISTS; a property path counts as one.",
        term=LSQ + "tpCount"),
    row("bgpCount", "integer", "S",
        "Number of blocks of adjacent triple patterns outside EXISTS.", term=LSQ + "bgpCount"),
    row("projectVarCount", "integer", "S",
        "Number of projected variables, 0 for ASK.", term=LSQ + "projectVarCount"),
    row("usesFeature", "iri", "S",
        "SPARQL features used, as named by LSQ.", term=LSQ + "usesFeature", several=True),
    row("queryForm", "categorical", "S", "Query form.", "select ask construct describe"),
    row("tripleCountAll", "integer", "S",
        "Number of triple patterns, counting repetitions and those inside EXISTS."),
    row("existsTripleCount", "integer", "S", "Number of triple patterns inside EXISTS."),
    row("tpInBgpCountMin", "integer", "S",
        "Number of triple patterns in the smallest block.", term=LSQ + "tpInBgpCountMin"),
    row("tpInBgpCountMax", "integer", "S",
        "Number of triple patterns in the largest block.", term=LSQ + "tpInBgpCountMax"),
    row("tpInBgpCountMean", "decimal", "S",
        "Mean number of triple patterns per block.", term=LSQ + "tpInBgpCountMean"),
    row("tpInBgpCountMedian", "decimal", "S",
        "Median number of triple patterns per block.", term=LSQ + "tpInBgpCountMedian"),
    row("joinVertexCount", "integer", "S",
        "Number of join vertices, where triple patterns meet.", term=LSQ + "joinVertexCount"),
    row("joinVertexDegreeMax", "integer", "S",
        "Number of triple patterns at the busiest join vertex.",
        term=QALDGEN + "joinVertexDegreeMax"),
    row("joinVertexDegreeMean", "decimal", "S",
        "Mean number of triple patterns per join vertex.", term=LSQ + "joinVertexDegreeMean"),
    row("joinVertexDegreeMedian", "decimal", "S",
        "Median number of triple patterns per join vertex.", term=LSQ + "joinVertexDegreeMedian"),
    row("joinVertexTypes", "categorical", "S",
        "Kinds of join vertices.", "star path hybrid sink", several=True),
    row("queryShape", "categorical", "S",
        "Shape of the query graph.", "edge chain star star-chain tree cycle disconnected empty"),
    row("hopCount", "integer", "S",
        "Longest shortest path from the answer variable to a constant, without type patterns."),
    row("answerDirection", "categorical", "S",
        "Position of the answer variable in its patterns.", "subject object both none"),
    row("variableCount", "integer", "S", "Number of distinct variables."),
    row("constantCount", "integer", "S",
        "Number of distinct IRIs and literals in subject or object position or in expressions."),
    row("literalCount", "integer", "S", "Number of distinct literals."),
    row("knowledgeGraph", "categorical", "S",
        "Queried knowledge graph, by namespaces.", "dbpedia wikidata freebase other"),
    row("namespacesUsed", "iri", "S", "Namespaces of the IRIs in the query.", several=True),
    row("hasAggregation", "boolean", "S", "The query uses an aggregate."),
    row("aggregateFunctions", "categorical", "S",
        "Aggregates used by the query.", "count sum avg min max sample group_concat", several=True),
    row("isCount", "boolean", "S", "The answer is a COUNT."),
    row("isSuperlative", "boolean", "S", "The query combines ORDER BY with LIMIT."),
    row("hasComparison", "boolean", "S", "A filter compares by <, >, <= or >=."),
    Feature("queryHasNegation", "boolean", "S",
        "The query contains NOT EXISTS, MINUS, != or NOT IN.", pick("query", "hasNegation"),
        QALDGEN + "queryHasNegation"),
    row("hasRegex", "boolean", "S", "A filter matches a regular expression."),
    row("hasLangFilter", "boolean", "S", "A filter tests a language tag."),
    row("hasUnion", "boolean", "S", "The query contains UNION."),
    row("hasOptional", "boolean", "S", "The query contains OPTIONAL."),
    row("hasSubquery", "boolean", "S", "The query contains a subquery."),
    row("hasPropertyPath", "boolean", "S", "The query contains a property path."),
    row("hasQualifier", "boolean", "S", "The query uses a Wikidata qualifier."),
    row("hasTypeConstraint", "boolean", "S", "The query asks for instances of a class."),
    row("hasTemporalLiteral", "boolean", "S", "The query contains a date or time literal."),
    row("queryRepaired", "boolean", "S",
        "The query could only be parsed after repair; the stored text is unchanged."
        )._replace(searched=False),
    row("repairKinds", "string", "S", "Repairs applied to the query.", several=True
        )._replace(searched=False),
)  # fmt: skip


def resource_rows() -> list[Feature]:
    """Return the features of the IRIs in the query: subjects, predicates, objects."""
    rows = []
    for one, many, word in _THINGS:
        plural = many.lower()
        count = f"Number of distinct IRIs that the query uses as {plural}."
        rows.append(row(f"total{many}", "integer", "R", count))
        words = f"Mean number of words in the labels of the {plural}."
        rows.append(row(f"avg{many}Words", "decimal", "R", words))
        for nth, ordinal in ((1, "first"), (2, "second"), (3, "third")):
            rows += _nth_rows(one, nth, f"{ordinal} {word}")
        iris = f"IRIs that the query uses as {plural}."
        rows.append(row(f"{word}Iris", "iri", "R", iris, term=QALDGEN + word, several=True))
        labels, term = f"Labels of the {plural}.", f"{QALDGEN}{word}Label"
        rows.append(row(f"{word}Labels", "string", "R", labels, term=term, several=True))
    return rows


def _nth_rows(one: str, nth: int, which: str) -> list[Feature]:
    """Return the features of one IRI, as of the first entity."""
    says = f"The question contains the label of the {which}"
    name = f"isExplicitLemma{one}{nth}"
    lemma = known.explicit_lemma(one, nth)
    words = f"Number of words in the label of the {which}."
    bare = f"{says} without its qualifier in brackets."
    return [
        row(f"totalWords{one}{nth}", "integer", "R", words),
        row(f"isExplicit{one}{nth}", "boolean", "R", f"{says}."),
        row(f"isExplicitNoQualifier{one}{nth}", "boolean", "R", bare),
        Feature(name, "boolean", "S", f"{says}, in any inflection.", lemma, QALDGEN + name),
    ]
