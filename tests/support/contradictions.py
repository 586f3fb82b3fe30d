"""Relations between the features of one question's text; breaking one is a contradiction.

A line of the table says: if the feature on the left has one of these values, the feature on the
right has one of those, or is absent; ``-`` means that it must be absent, ``*`` that it must be
there. Relations between counts follow as functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from qaldgen.features.text.letters import FeatureValue

Features = Mapping[str, FeatureValue]

_ONE = "single-entity|entity-choice|gap-filling"
_WORDS = "literal-string|resource"
_GROUPS = "organisation|company|band"
_PLACES = (
    "place|building|country|state|city|mountain|lake|island|sea|river|range|archipelago|continent"
)
_TABLE = f"""
    whType=yes-no                            -> expectedAnswerCategory=boolean
    whType=how-many|how-much|how-adj         -> expectedAnswerCategory=literal-number
    whType=when                              -> expectedAnswerCategory=literal-date
    whType=whom|whose|where                  -> expectedAnswerCategory=resource
    whType=why|how                           -> expectedAnswerCategory=literal-string|resource
    expectedAnswerCategory=boolean           -> whType=yes-no|command|none

    expectedAnswerCategory=boolean           -> expectedAnswerType=boolean
    expectedAnswerCategory=literal-number    -> expectedAnswerType=number
    expectedAnswerCategory=literal-date      -> expectedAnswerType=date
    expectedAnswerCategory=literal-string    -> expectedAnswerType=string
    expectedAnswerCategory=resource          -> expectedAnswerType=resource

    expectedAnswerCategory=boolean           -> informationSought=yes-no
    informationSought=yes-no                 -> expectedAnswerCategory=boolean
    whType=how-many|how-much|how-adj|when|where -> informationSought={_ONE}
    whType=why|how                           -> informationSought={_ONE}|other-name
    informationSought=multiple-entities -> expectedAnswerCategory=literal-date|{_WORDS}
    informationSought=other-name             -> expectedAnswerCategory=literal-string|resource
    informationSought=entity-choice          -> hasConjunction=true

    expectedAnswerCategory=boolean           -> answerEntityKind=yes-no
    answerEntityKind=yes-no                  -> expectedAnswerCategory=boolean
    expectedAnswerCategory=literal-number|literal-date -> answerEntityKind=named
    whType=who|whose|where                   -> answerEntityKind=named
    whType=why|how                           -> answerEntityKind=unnamed
    answerEntityKind=named                   -> answerEntityType=*
    answerEntityKind=unnamed|yes-no          -> answerEntityType=-

    expectedAnswerCategory=literal-number    -> answerEntityType=count|quantity
    expectedAnswerCategory=literal-date      -> answerEntityType=day|year|century|period
    expectedAnswerCategory=literal-string    -> answerEntityType=name|surname|symbol|title|other
    answerEntityType=count|quantity          -> expectedAnswerCategory=literal-number
    answerEntityType=day|year|century        -> expectedAnswerCategory=literal-date
    answerEntityType=period                  -> expectedAnswerCategory=literal-date|resource
    whType=how-much|how-adj                  -> answerEntityType=quantity
    whType=whom|whose            -> answerEntityType=person|{_GROUPS}|dynasty|nationality
    whType=where                             -> answerEntityType={_PLACES}

    expectedAnswerCategory=boolean           -> expectedAnswerTREC=-
    expectedAnswerCategory=literal-number|literal-date -> expectedAnswerTREC=numeric
    expectedAnswerTREC=numeric       -> answerEntityType=count|quantity|day|year|century|period
    expectedAnswerTREC=abbreviation          -> expectedAnswerCategory=literal-string
    expectedAnswerTREC=description           -> answerEntityKind=unnamed
    expectedAnswerTREC=human -> answerEntityType=person|name|surname|dynasty|{_GROUPS}|nationality
    expectedAnswerTREC=location              -> answerEntityType={_PLACES}
    whType=whom|whose                        -> expectedAnswerTREC=human
    whType=where                             -> expectedAnswerTREC=location
    whType=why|how                           -> expectedAnswerTREC=description

    whType=yes-no|whose|when|where|why|how|how-adj -> headword=-
    questionFormulation=command              -> whType=command
    whType=command                           -> questionFormulation=command|compound
    expectedAnswerCategory=literal-date      -> hasTemporal=true
    valueTypes=ORDINAL                       -> hasOrdinal=true
    valueTypes=CARDINAL|MONEY|PERCENT|QUANTITY -> hasNumber=true
    valueTypes=DATE|TIME                     -> hasTemporal=true
"""


class Relation(NamedTuple):
    """A relation between the features of a question."""

    text: str  # the relation in words, or the line of the table
    #: Whether the features of a question satisfy it; true if a feature that it needs is absent.
    holds: Callable[[Features], bool]


def _of_line(line: str) -> Relation:
    left, right = (part.strip().partition("=") for part in line.split("->"))
    given, wanted = set(left[2].split("|")), set(right[2].split("|"))

    def holds(features: Features) -> bool:
        return not given & _values(features, left[0]) or _fits(_values(features, right[0]), wanted)

    return Relation(" ".join(line.split()), holds)


def _values(features: Features, name: str) -> set[str]:
    """Return the values of a feature as they are in the table; none if it is absent."""
    value = features.get(name, ())
    many = value if isinstance(value, tuple) else (value,)
    return {str(one).lower() if isinstance(one, bool) else str(one) for one in many}


def _fits(values: set[str], wanted: set[str]) -> bool:
    if wanted == {"*"}:
        return bool(values)
    return not values if wanted == {"-"} else values <= wanted


def _number(features: Features, name: str) -> int | None:
    value = features.get(name)
    return int(value) if isinstance(value, (int, float)) else None


def _counts(name: str, *flags: str) -> Callable[[Features], bool]:
    """Make the test that a count is over 0 if and only if one of the flags is true."""

    def holds(features: Features) -> bool:
        count, known = (
            _number(features, name),
            [features[flag] for flag in flags if flag in features],
        )
        return count is None or len(known) < len(flags) or (count > 0) == any(known)

    return holds


def _not_more(name: str, limit: str) -> Callable[[Features], bool]:
    """Make the test that a feature has at most as many values as a count says."""

    def holds(features: Features) -> bool:
        most, values = _number(features, limit), features.get(name, ())
        return most is None or not isinstance(values, tuple) or len(set(values)) <= most

    return holds


def _compound(features: Features) -> bool:
    count, form = _number(features, "sentenceCount"), features.get("questionFormulation")
    return count is None or form is None or count <= 1 or form == "compound"


def _who(features: Features) -> bool:
    """Who asks for people, unless for a literal ("who gave the birth date of")."""
    asked = (features.get("whType"), features.get("expectedAnswerCategory"))
    return asked != ("who", "resource") or features.get("expectedAnswerTREC", "human") == "human"


def _heads(features: Features) -> bool:
    return ("headword" in features) == ("headwordLemma" in features)


#: Everything that must hold between the features of a text.
RELATIONS: tuple[Relation, ...] = (
    *(_of_line(line) for line in _TABLE.splitlines() if line.strip()),
    Relation(
        "hasNamedEntity where namedEntityCount is over 0",
        _counts("namedEntityCount", "hasNamedEntity"),
    ),
    Relation(
        "not more namedEntityTypes than namedEntityCount",
        _not_more("namedEntityTypes", "namedEntityCount"),
    ),
    Relation(
        "totalNouns is over 0 where NN, NNS, NNP or NNPS",
        _counts("totalNouns", "NN", "NNS", "NNP", "NNPS"),
    ),
    Relation(
        "totalAdjectives is over 0 where JJ, JJR or JJS",
        _counts("totalAdjectives", "JJ", "JJR", "JJS"),
    ),
    Relation(
        "totalVerbs is over 0 where a tag of verbs",
        _counts("totalVerbs", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ"),
    ),
    Relation("not more nouns than totalNouns", _not_more("nouns", "totalNouns")),
    Relation(
        "not more adjectives than totalAdjectives", _not_more("adjectives", "totalAdjectives")
    ),
    Relation("not more verbs than totalVerbs", _not_more("verbs", "totalVerbs")),
    Relation("compound where sentenceCount is over 1", _compound),
    Relation("who asks for people or for a literal", _who),
    Relation("headword where headwordLemma", _heads),
)


def contradictions(features: Features) -> Iterator[str]:
    """Yield the relations that the features of a question break.

    >>> list(contradictions({"whType": "when", "expectedAnswerCategory": "resource"}))
    ['whType=when -> expectedAnswerCategory=literal-date']
    """
    yield from (relation.text for relation in RELATIONS if not relation.holds(features))
