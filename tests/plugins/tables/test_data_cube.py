"""The integrity constraints IC-1 to IC-21 of the RDF Data Cube (W3C, 2014, section 11)."""

from __future__ import annotations

import pytest
from pyoxigraph import RdfFormat, Store

from qaldgen.answers.record import Response, Run
from qaldgen.benchmark.gold import Gold
from qaldgen.model import Answers, Cell, Question, QuestionSet
from qaldgen.plugins.tables.cube import dump_cube
from qaldgen.scoring.evaluation import score
from qaldgen.scoring.score import Scores

PREFIXES = """
PREFIX qb: <http://purl.org/linked-data/cube#> PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
PREFIX : <http://example.org/>
"""
#: What the recommendation's normalisation adds (section 10): types, and what sub-properties of
#: componentProperty imply.
NORMALISED = [
    (
        "INSERT { ?p qb:componentProperty ?x . ?x a ?kind } WHERE { VALUES (?property ?kind) {"
        " (qb:dimension qb:DimensionProperty) (qb:measure qb:MeasureProperty) (qb:attribute"
        " qb:AttributeProperty) } ?p ?property ?x }"
    ),
    "INSERT { ?o a qb:Observation } WHERE { ?o qb:dataSet ?d }",
    "INSERT { ?o a qb:Observation } WHERE { ?s qb:observation ?o }",
    "INSERT { ?s a qb:Slice } WHERE { ?d qb:slice ?s }",
    (
        "INSERT { ?o qb:dataSet ?d } WHERE { ?d qb:slice/qb:observation ?o FILTER NOT EXISTS { ?o"
        " qb:dataSet ?other } }"
    ),
]
STRUCTURE = "?o qb:dataSet/qb:structure ?dsd . ?dsd qb:component ?c . ?c qb:componentProperty"
#: By constraint: a pattern that finds what breaks it, and a cube (without prefixes) that does.
CONSTRAINTS: dict[str, tuple[str, str]] = {
    "IC-1 one data set": (
        (
            "?o a qb:Observation . OPTIONAL { ?o qb:dataSet ?d } OPTIONAL { ?o qb:dataSet ?e FILTER"
            " (?e != ?d) } FILTER (!BOUND(?d) || BOUND(?e))"
        ),
        ":o a qb:Observation ; qb:dataSet :d, :e .",
    ),
    "IC-2 one structure": (
        (
            "?d a qb:DataSet . OPTIONAL { ?d qb:structure ?s } OPTIONAL { ?d qb:structure ?t FILTER"
            " (?s != ?t) } FILTER (!BOUND(?s) || BOUND(?t))"
        ),
        ":d a qb:DataSet .",
    ),
    "IC-3 a measure": (
        (
            "?s a qb:DataStructureDefinition FILTER NOT EXISTS { ?s"
            " qb:component/qb:componentProperty ?m . ?m a qb:MeasureProperty }"
        ),
        ":s a qb:DataStructureDefinition ; qb:component [ qb:dimension :x ] .",
    ),
    "IC-4 ranges of dimensions": (
        "?x a qb:DimensionProperty FILTER NOT EXISTS { ?x rdfs:range ?range }",
        ":x a qb:DimensionProperty .",
    ),
    "IC-5 code lists of concepts": (
        (
            "?x a qb:DimensionProperty ; rdfs:range skos:Concept FILTER NOT EXISTS { ?x qb:codeList"
            " ?list }"
        ),
        ":x a qb:DimensionProperty ; rdfs:range skos:Concept .",
    ),
    "IC-6 only attributes are optional": (
        (
            "?s qb:component ?c . ?c qb:componentRequired false ; qb:componentProperty ?x FILTER"
            " NOT EXISTS { ?x a qb:AttributeProperty }"
        ),
        ":s qb:component [ qb:componentRequired false ; qb:dimension :x ] .",
    ),
    "IC-7 slice keys are declared": (
        "?k a qb:SliceKey FILTER NOT EXISTS { ?s a qb:DataStructureDefinition ; qb:sliceKey ?k }",
        ":k a qb:SliceKey .",
    ),
    "IC-8 slice keys are of the structure": (
        (
            "?k a qb:SliceKey ; qb:componentProperty ?x . ?s qb:sliceKey ?k FILTER NOT EXISTS { ?s"
            " qb:component/qb:componentProperty ?x }"
        ),
        (
            ":s a qb:DataStructureDefinition ; qb:sliceKey :k . :k a qb:SliceKey ;"
            " qb:componentProperty :x ."
        ),
    ),
    "IC-9 one slice structure": (
        (
            "?s a qb:Slice . OPTIONAL { ?s qb:sliceStructure ?k } OPTIONAL { ?s qb:sliceStructure"
            " ?l FILTER (?k != ?l) } FILTER (!BOUND(?k) || BOUND(?l))"
        ),
        ":s a qb:Slice .",
    ),
    "IC-10 slices have their dimensions": (
        "?s qb:sliceStructure/qb:componentProperty ?x FILTER NOT EXISTS { ?s ?x ?value }",
        ":s qb:sliceStructure :k . :k qb:componentProperty :x .",
    ),
    "IC-11 all dimensions": (
        f"{STRUCTURE} ?x . ?x a qb:DimensionProperty FILTER NOT EXISTS {{ ?o ?x ?value }}",
        ":o qb:dataSet :d . :d qb:structure :s . :s qb:component [ qb:dimension :x ] .",
    ),
    "IC-12 no observation twice": (
        (
            "?o qb:dataSet ?d . ?p qb:dataSet ?d FILTER (STR(?o) < STR(?p)) FILTER NOT EXISTS { ?d"
            " qb:structure/qb:component/qb:componentProperty ?x . ?x a qb:DimensionProperty . ?o ?x"
            " ?a . ?p ?x ?b FILTER (?a != ?b) }"
        ),
        (
            ":o qb:dataSet :d ; :x 1 . :p qb:dataSet :d ; :x 1 . :d qb:structure [ qb:component ["
            " qb:dimension :x ] ] ."
        ),
    ),
    "IC-13 required attributes": (
        (
            f"{STRUCTURE} ?x . ?c qb:componentRequired true . ?x a qb:AttributeProperty FILTER NOT"
            " EXISTS { ?o ?x ?value }"
        ),
        (
            ":o qb:dataSet :d . :d qb:structure [ qb:component [ qb:componentRequired true ;"
            " qb:attribute :x ] ] ."
        ),
    ),
    "IC-14 all measures": (
        (
            f"{STRUCTURE} ?x . ?x a qb:MeasureProperty FILTER NOT EXISTS {{ ?dsd"
            " qb:component/qb:componentProperty qb:measureType } FILTER NOT EXISTS { ?o ?x"
            " ?value }"
        ),
        (
            ":o qb:dataSet :d ; :x 1 . :d qb:structure [ qb:component [ qb:measure :x ], ["
            " qb:measure :y ] ] ."
        ),
    ),
    "IC-15 the measure of a measure dimension": (
        f"{STRUCTURE} qb:measureType . ?o qb:measureType ?x FILTER NOT EXISTS {{ ?o ?x ?value }}",
        (
            ":o qb:dataSet :d ; qb:measureType :x . :d qb:structure [ qb:component [ qb:dimension"
            " qb:measureType ] ] ."
        ),
    ),
    "IC-16 no other measure on a measure dimension": (
        (
            f"{STRUCTURE} qb:measureType . ?o qb:measureType ?x . ?dsd"
            " qb:component/qb:componentProperty ?y . ?y a qb:MeasureProperty . ?o ?y ?value FILTER"
            " (?y != ?x)"
        ),
        (
            ":o qb:dataSet :d ; qb:measureType :x ; :x 1 ; :y 1 . :d qb:structure [ qb:component ["
            " qb:dimension qb:measureType ], [ qb:measure :x ], [ qb:measure :y ] ] ."
        ),
    ),
    "IC-17 all measures of a measure dimension": (
        (
            f"{STRUCTURE} qb:measureType . ?dsd qb:component/qb:componentProperty ?y . ?y a"
            " qb:MeasureProperty FILTER NOT EXISTS { ?p qb:dataSet/qb:structure ?dsd ;"
            " qb:measureType ?y FILTER NOT EXISTS { ?dsd qb:component/qb:componentProperty ?z ."
            " ?z a qb:DimensionProperty . ?o ?z ?a . ?p ?z ?b FILTER (?z != qb:measureType && ?a"
            " != ?b) } }"
        ),
        (
            ":o qb:dataSet :d ; qb:measureType :x ; :x 1 . :d qb:structure [ qb:component ["
            " qb:dimension qb:measureType ], [ qb:measure :x ], [ qb:measure :y ] ] ."
        ),
    ),
    "IC-18 slices of their data set": (
        "?d qb:slice/qb:observation ?o FILTER NOT EXISTS { ?o qb:dataSet ?d }",
        ":d qb:slice [ qb:observation :o ] . :o qb:dataSet :e .",
    ),
    "IC-19 codes of the code list": (
        (
            f"{STRUCTURE} ?x . ?x a qb:DimensionProperty ; qb:codeList ?list . ?o ?x ?value . {{"
            " ?list a skos:ConceptScheme FILTER NOT EXISTS { ?value a skos:Concept ;"
            " skos:inScheme ?list } } UNION { ?list a skos:Collection FILTER NOT EXISTS {"
            " ?list skos:member+ ?value } }"
        ),
        (
            ":o qb:dataSet :d ; :x :other . :d qb:structure [ qb:component [ qb:dimension :x ] ] ."
            " :x qb:codeList :list . :list a skos:ConceptScheme ."
        ),
    ),
    "IC-20 codes of the hierarchy": (
        (
            f"{STRUCTURE} ?x . ?x qb:codeList ?list . ?list a qb:HierarchicalCodeList ;"
            " qb:parentChildProperty :part . ?o ?x ?value FILTER NOT EXISTS { ?list"
            " qb:hierarchyRoot/:part* ?value }"
        ),
        (
            ":o qb:dataSet :d ; :x :other . :d qb:structure [ qb:component [ qb:dimension :x ] ] ."
            " :x qb:codeList :list . :list a qb:HierarchicalCodeList ; qb:parentChildProperty :part"
            " ; qb:hierarchyRoot :root ."
        ),
    ),
    "IC-21 codes of the inverse hierarchy": (
        (
            f"{STRUCTURE} ?x . ?x qb:codeList ?list . ?list a qb:HierarchicalCodeList ;"
            " qb:parentChildProperty/<http://www.w3.org/2002/07/owl#inverseOf> :part . ?o ?x"
            " ?value FILTER NOT EXISTS { ?list qb:hierarchyRoot/^:part* ?value }"
        ),
        (
            ":o qb:dataSet :d ; :x :other . :d qb:structure [ qb:component [ qb:dimension :x ] ] ."
            " :x qb:codeList :list . :list a qb:HierarchicalCodeList ; qb:hierarchyRoot :root ;"
            " qb:parentChildProperty [ <http://www.w3.org/2002/07/owl#inverseOf> :part ] ."
        ),
    ),
}


def normalised(turtle: bytes) -> Store:
    store = Store()
    store.load(turtle, format=RdfFormat.TURTLE)
    for update in NORMALISED:
        store.update(PREFIXES + update)
    return store


def broken(store: Store, constraint: str) -> bool:
    return bool(store.query(f"{PREFIXES} ASK {{ {CONSTRAINTS[constraint][0]} }}"))


def cells(name: str) -> Answers:
    return Answers(variables=("x",), rows=((Cell("uri", f"http://example.org/{name}"),),))


@pytest.fixture(scope="module")
def cube() -> Store:
    """Three systems.

    One right in part, one wrong everywhere (its Macro F1 QALD is undefined), one that was asked
    little.
    """
    ids = [str(at) for at in range(6)]
    gold = Gold(
        QuestionSet(
            "set",
            "table",
            tuple(Question(id_, {"en": ("What?",)}, answers=cells(id_)) for id_ in ids),
        )
    )

    def made(name: str, right: int, asked: int) -> Scores:
        given = {
            id_: Response(id_, answers=cells(id_ if at < right else "wrong"))
            for at, id_ in enumerate(ids[:asked])
        }
        return score(gold, Run(name, "table", given))

    return normalised(
        dump_cube(gold, [made("half", 3, 6), made("wrong", 0, 6), made("few <1>", 1, 2)])
    )


def test_all_constraints_are_there() -> None:
    assert [name.split(" ")[0] for name in CONSTRAINTS] == [
        f"IC-{number}" for number in range(1, 22)
    ]


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_the_cube_keeps_the_constraint(cube: Store, constraint: str) -> None:
    assert not broken(cube, constraint)


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_the_constraint_finds_what_breaks_it(constraint: str) -> None:
    prefixes = PREFIXES.replace("PREFIX", "\n@prefix").replace(">", "> .")
    assert broken(normalised((prefixes + CONSTRAINTS[constraint][1]).encode()), constraint)


def test_the_cube_has_data_to_check(cube: Store) -> None:
    found = cube.query(
        PREFIXES + "SELECT ?d (COUNT(?o) AS ?n) { ?o qb:dataSet ?d } GROUP BY ?d ORDER BY ?n"
    )
    assert [int(row["n"].value) for row in found] == [3, 18]  # type: ignore[union-attr]
