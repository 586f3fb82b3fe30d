"""The entities, relations and classes of a query.

Small queries for every rule, then the published data.
"""

from __future__ import annotations

import re

import pytest
from published import FULL, R1_TEXT, published_r1, with_right_type

from qaldgen.features.query.query_features import QueryError, parse_query
from qaldgen.features.resources import (
    is_explicit,
    is_explicit_lemma,
    label_in_iri,
    resource_features,
    resources_of,
    without_qualifier,
)
from qaldgen.features.text.words import base_forms

R1 = "http://qald-gen.aksw.org/vocab#"
DBO, DBR, WD = (
    "http://dbpedia.org/ontology/",
    "http://dbpedia.org/resource/",
    "http://www.wikidata.org/entity/",
)


def names(iris: tuple[str, ...]) -> str:
    return " ".join(re.split(r"[/#]", iri)[-1] for iri in iris)


@pytest.mark.parametrize(
    ("query", "entities", "relations", "classes"),
    [
        ("ASK { ?x ?p ?y }", "", "", ""),
        ("ASK { dbr:A dbo:p dbr:B }", "A B", "p", ""),
        ("ASK { ?x dbo:q dbr:B . dbr:A dbo:p ?x , 'literal' }", "B A", "q p", ""),
        ("ASK { dbr:A dbo:p ?x . ?x dbo:p dbr:A }", "A", "p", ""),
        ("ASK { ?x a dbo:C ; rdf:type dbo:D }", "", "", "C D"),
        ("ASK { dbr:A a ?c }", "A", "", ""),
        ("ASK { ?x a dbr:C . ?y dbo:p dbr:C }", "", "p", "C"),
        ("ASK { ?x dbo:p dbo:p }", "", "p", ""),
        ("ASK { ?x rdfs:subClassOf dbo:C }", "", "subClassOf", "C"),
        ("ASK { { ?x dbo:p dbr:A } UNION { ?x dbo:q dbr:B } }", "A B", "p q", ""),
        (
            "ASK { ?x dbo:p dbr:A FILTER NOT EXISTS { ?x dbo:q dbr:B ; a dbo:C } }",
            "A B",
            "p q",
            "C",
        ),
        ("ASK { ?x dbo:p ?y FILTER(?y != dbr:A) VALUES ?x { dbr:B } }", "", "p", ""),
        ("ASK { ?x dbo:p/^dbo:q|!(dbo:r) dbr:A }", "A", "p q r", ""),
        ("ASK { ?x (dbo:p*) dbr:A }", "A", "p", ""),
        ('ASK { ?x dbo:p "1"^^<http://dbpedia.org/datatype/day> }', "", "p", ""),
        ("ASK { wd:Q1 wdt:P1 ?x . ?x wdt:P31 wd:Q5 }", "Q1", "P1", "Q5"),
        ("ASK { wd:Q1 wdt:P31 ?x }", "Q1", "", ""),
        ("ASK { ?x wdt:P31/wdt:P279* wd:Q5 }", "", "", "Q5"),
        ("ASK { ?x wdt:P1/wdt:P31 wd:Q5 }", "", "P1", "Q5"),
        ("ASK { ?x ^wdt:P31 wd:Q5 }", "Q5", "", ""),
        ("ASK { ?x wdt:P279* wd:Q5 }", "", "P279", "Q5"),
        ("ASK { wd:Q5 wdt:P279 ?x }", "Q5", "P279", ""),
        ("ASK { ?x p:P279/ps:P279 wd:Q5 }", "", "P279 P279", "Q5"),
        ("ASK { ?x p:P31/ps:P31 wd:Q5 }", "", "", "Q5"),
        ("ASK { wd:Q1 p:P1 [ ps:P1 wd:Q2 ; pq:P3 wd:Q3 ] }", "Q1 Q2 Q3", "P1 P1 P3", ""),
        ("ASK { ?x ns:type.object.type ns:people.person }", "", "", "people.person"),
        (
            (
                "ASK { wd:Q1 wdt:P1 ?x SERVICE wikibase:label { bd:serviceParam "
                "wikibase:language 'en' } }"
            ),
            "Q1",
            "P1",
            "",
        ),
    ],
)
def test_resources(query: str, entities: str, relations: str, classes: str) -> None:
    assert tuple(names(iris) for iris in resources_of(query)) == (entities, relations, classes)


def test_resources_of_a_parsed_query() -> None:
    query = "ASK { dbr:A a dbo:C }"
    assert (
        resources_of(parse_query(query)) == resources_of(query) == ((f"{DBR}A",), (), (f"{DBO}C",))
    )


def test_unreadable_query() -> None:
    with pytest.raises(QueryError):
        resource_features("OUT OF SCOPE")


@pytest.mark.parametrize(
    ("iri", "kind", "label"),
    [
        (f"{DBR}Ann_Lee", "entity", "Ann Lee"),
        (f"{DBR}Ann_Lee_(poet)", "entity", "Ann Lee (poet)"),
        (f"{DBR}Caf%C3%A9_%22X%22", "entity", 'Café "X"'),
        (f"{DBR}Either/Or_II", "entity", "Either/Or II"),
        ("http://de.dbpedia.org/resource/Either/Or", "entity", "Either/Or"),
        (f"{DBR}St._Mary,_Kent", "entity", "St. Mary, Kent"),
        (f"{DBR}Category:Ships_of_1900", "entity", "Ships of 1900"),
        (f"{DBR}McLean", "entity", "McLean"),
        (f"{DBO}birthPlace", "relation", "birth place"),
        ("http://dbpedia.org/property/postalCode2", "relation", "postal code 2"),
        (f"{DBO}areaTotalKM", "relation", "area total KM"),
        (f"{DBO}wikiPageWikiLink", "relation", "wiki page wiki link"),
        (f"{DBO}TVShow", "class", "TV show"),
        (f"{DBO}BasketballPlayer", "class", "basketball player"),
        ("http://dbpedia.org/class/yago/WikicatIslandsOfChile", "class", "islands of chile"),
        ("http://dbpedia.org/class/yago/Ship104194289", "class", "ship"),
        ("http://xmlns.com/foaf/0.1/homepage", "relation", "homepage"),
        ("http://www.w3.org/2000/01/rdf-schema#label", "relation", "label"),
        ("http://rdf.freebase.com/ns/people.person.place_of_birth", "relation", "place of birth"),
        ("http://rdf.freebase.com/ns/m.0x1", "entity", ""),
        (f"{WD}Q42", "entity", ""),
        ("http://www.wikidata.org/prop/direct/P31", "relation", ""),
        ("http://www.wikidata.org/prop/qualifier/P31", "relation", ""),
        ("http://x.org/", "entity", ""),
    ],
)
def test_label(iri: str, kind: str, label: str) -> None:
    assert label_in_iri(iri, kind) == label


@pytest.mark.parametrize(
    ("label", "short"),
    [
        ("Ann Lee (poet)", "Ann Lee"),
        ("Ann Lee", "Ann Lee"),
        ("(poet)", "(poet)"),
        ("A (b) C", "A (b) C"),
        ("A (b) (c)", "A (b)"),
    ],
)
def test_label_without_qualifier(label: str, short: str) -> None:
    assert without_qualifier(label) == short


@pytest.mark.parametrize(
    ("label", "question", "explicit"),
    [
        ("Ann Lee", "Did Ann Lee write it?", True),
        ("Ann Lee", "did ANN LEE's brother?", True),
        ("Ann Lee", "Did Ann marry Lee?", False),
        ("Ann Lee", "Did Lee Ann?", False),
        ("river", "Which rivers are long?", False),
        ("St. Mary", "Where is St Mary", True),
        ("Cafe\u0301", "Which café?", True),
        ("Ann Lee", "Ann", False),
        ("", "Who?", False),
        ("?", "Who?", False),
    ],
)
def test_explicit(label: str, question: str, explicit: bool) -> None:
    assert is_explicit(label, question) is explicit


RIVER_FORMS = ("which which", "Rivers river", "flowed flow", "through through", "it it", "? ?")


@pytest.mark.parametrize(
    ("label", "explicit"),
    [
        ("river", True),
        ("RIVERS", True),
        ("river flow", True),
        ("flowing", True),
        ("flow river", False),
        ("river through", False),
        ("lake", False),
        ("it", True),
        ("", False),
    ],
)
def test_explicit_by_lemma(label: str, explicit: bool) -> None:
    assert is_explicit_lemma(label, tuple(forms.lower() for forms in RIVER_FORMS)) is explicit


@pytest.mark.parametrize(
    ("word", "form"),
    [
        ("starring", "star"),
        ("directed", "direct"),
        ("located", "locate"),
        ("written", "write"),
        ("cities", "city"),
    ],
)
def test_base_forms(word: str, form: str) -> None:
    assert {word, form} <= base_forms(word)


def test_base_forms_leave_short_words() -> None:
    assert base_forms("red") == {"red"}
    assert base_forms("king") == {"king"}


def test_names_of_resources_are_given_one_by_one() -> None:
    found = resource_features("ASK { wd:Q1 dbo:birthPlace dbr:Old_Town }", "")
    assert "labelEntity1" not in found
    assert (found["labelEntity2"], found["labelRelation1"]) == ("Old Town", "birth place")


def test_features_of_resources() -> None:
    query = (
        "SELECT ?x { ?x dbo:birthPlace dbr:New_Ulm_\\(city\\) ; a dbo:Poet . dbr:Ann_Lee ?p ?x }"
    )
    assert resource_features(query, "Which poet was born in New Ulm?") == {
        "totalEntities": 2,
        "entityIris": (f"{DBR}New_Ulm_(city)", f"{DBR}Ann_Lee"),
        "entityLabels": ("New Ulm (city)", "Ann Lee"),
        "labelEntity1": "New Ulm (city)",
        "labelEntity2": "Ann Lee",
        "labelRelation1": "birth place",
        "labelClass1": "poet",
        "totalWordsEntity1": 3,
        "totalWordsEntity2": 2,
        "avgEntitiesWords": 2.5,
        "isExplicitEntity1": False,
        "isExplicitEntity2": False,
        "isExplicitNoQualifierEntity1": True,
        "isExplicitNoQualifierEntity2": False,
        "totalRelations": 1,
        "relationIris": (f"{DBO}birthPlace",),
        "relationLabels": ("birth place",),
        "totalWordsRelation1": 2,
        "avgRelationsWords": 2,
        "isExplicitRelation1": False,
        "isExplicitNoQualifierRelation1": False,
        "totalClasses": 1,
        "classIris": (f"{DBO}Poet",),
        "classLabels": ("poet",),
        "totalWordsClass1": 1,
        "avgClassesWords": 1,
        "isExplicitClass1": True,
        "isExplicitNoQualifierClass1": True,
    }


def test_nothing_is_invented() -> None:
    assert resource_features("ASK { ?x ?p ?y }", "Is it?") == {
        "totalEntities": 0,
        "totalRelations": 0,
        "totalClasses": 0,
    }


def test_no_question_no_explicit_features() -> None:
    assert not [
        name
        for name in resource_features("ASK { dbr:A dbo:p ?x }", " ")
        if name.startswith("isExplicit")
    ]


def test_labels_are_preferred_to_names() -> None:
    query = "ASK { wd:Q1 wdt:P1 wd:Q2 . dbr:Old_name dbo:p ?x }"
    features = resource_features(
        query, "What of the sea?", {f"{WD}Q2": "The Sea", f"{DBR}Old_name": "New"}
    )
    assert features["entityLabels"] == ("The Sea", "New")
    assert (
        features["totalEntities"],
        features["totalWordsEntity2"],
        features["totalWordsEntity3"],
    ) == (3, 2, 1)
    assert features["avgEntitiesWords"] == 1.5
    assert features["isExplicitEntity2"] is True
    assert features["relationLabels"] == ("p",)
    assert (
        not {
            "totalWordsEntity1",
            "isExplicitEntity1",
            "isExplicitNoQualifierEntity1",
            "totalWordsRelation1",
        }
        & features.keys()
    )


def test_totals_of_the_published_r1() -> None:
    """They differ from LC-QuAD's only where R1 takes a name with a slash for a class.

    Or where it counts a class twice.
    """
    totals = ("totalEntities", "totalClasses")
    questions = published_r1(R1_TEXT, f"{R1}questionOrigin", *(R1 + total for total in totals))
    lc_quad = [
        values for values in questions.values() if values[f"{R1}questionOrigin"] == ["SDA-5000-QA"]
    ]
    odd = re.compile(r"/resource/[^>]*/|(#type> <[^>]*>).*\1")
    different = 0
    for values in lc_quad if FULL else lc_quad[::10]:
        features = resource_features(with_right_type(values[R1_TEXT][0]))
        if any(features[total] != int(values[R1 + total][0]) for total in totals):
            different += 1
            assert odd.search(values[R1_TEXT][0])
    assert not FULL or different == 9


RHINE = "SELECT ?l { <http://dbpedia.org/resource/Rhine> <http://x.org/length> ?l }"
RHEIN = RHINE.replace("dbpedia.org/resource/Rhine", "de.dbpedia.org/resource/Rhein")


@pytest.mark.parametrize(
    ("query", "question", "language", "labels", "explicit"),
    [
        (RHINE, "How long is the Rhine?", "en", {}, True),
        (RHINE, "How long is it?", "en", {}, False),
        (RHINE, "Wie lang ist der Rhein?", "de", {}, None),
        (RHINE, "राइन कितनी लंबी है?", "hi", {}, None),
        (
            RHINE,
            "Wie lang ist der Rhein?",
            "de-AT",
            {"http://dbpedia.org/resource/Rhine": "Rhein"},
            True,
        ),
        (RHINE, "Wie lang ist er?", "de", {"http://dbpedia.org/resource/Rhine": "Rhein"}, False),
        (RHINE, "राइन कितनी लंबी है?", "hi", {"http://dbpedia.org/resource/Rhine": "Rhine"}, None),
        (RHINE, "राइन कितनी लंबी है?", "hi", {"http://dbpedia.org/resource/Rhine": "राइन"}, True),
        (RHINE, "莱茵河有多长？", "zh", {"http://dbpedia.org/resource/Rhine": "莱茵河"}, True),
        (RHEIN, "Wie lang ist der Rhein?", "de", {}, True),
        (RHEIN, "How long is the Rhine?", "en", {}, None),
    ],
)
def test_a_name_in_another_language_says_nothing(
    query: str, question: str, language: str, labels: dict[str, str], explicit: bool | None
) -> None:
    found = resource_features(query, question, labels, language=language)
    assert found.get("isExplicitEntity1") is explicit
    assert found.get("isExplicitNoQualifierEntity1") is explicit
