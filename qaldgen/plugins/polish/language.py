"""Polish questions by their form: question words, commands, and PolQA's question types.

Our own rules, on the text alone, for the classes that Rybak et al. (PolQA, 2022) labelled by hand:
formulation (plain, command, compound), information sought (six classes) and kind of answer entity
(named, unnamed, yes-no). The gold answers are not used, so the kind of entity is a guess, which is
correct in about 85 %.

`code` is the class of a question by `wh_type`, `category` that of its answer by
`expected_category`, and `normalised` a sentence by `normalise`.
"""

from __future__ import annotations

import re

from qaldgen.features.text.answer_type import CATEGORIES
from qaldgen.features.text.languages import LabelWithRule, Language, label_features
from qaldgen.features.text.letters import FeatureValue, sentences, without_quotes
from qaldgen.plugins.polish.nouns import (
    entity_type,
    find_noun_type,
    is_unnamed_noun,
    normalise,
    type_of_noun,
)
from qaldgen.plugins.polish.word_tables import WORD, pattern, pattern_texts, word_lists

#: The class of a question by its question word.
_QUESTION_WORDS: dict[str, str] = {}
for _code in ("who", "whom", "whose", "what", "which", "where", "when", "why", "how-many", "how"):
    _QUESTION_WORDS |= dict.fromkeys(word_lists()[_code], _code)
#: The features that words and phrases set.
_FLAG_PATTERNS = {name: text for name, text in pattern_texts().items() if name.startswith("has")}
#: Things that have names however they are described.
_ALWAYS_NAMED = frozenset({"name", "surname", "country", "state", "city", "continent"})
#: Types whose names are words rather than things.
_STRINGS = frozenset({"name", "surname", "symbol", "title", "other"})
_TIMES = frozenset({"day", "year", "century"})


def wh_type(text: str) -> str:
    """Return the class of a Polish question, one of the classes for English.

    *Jaki* counts as what, *który* as which, *kogo, komu, kim* as whom, *ile* before a measure as
    how-much, *jak długo* etc. as how-adj, and *jak się nazywa* as what, because it asks for
    a name.

    >>> texts = ("Czy pada?", "W którym roku?", "Ile waży słoń?", "Jak się nazywa?", "Podaj wzór.")
    >>> [wh_type(text) for text in texts]
    ['yes-no', 'which', 'how-much', 'what', 'command']
    """
    codes = [_sentence_type(normalise(sentence)) for sentence in sentences(text)]
    if "command" in codes:
        return "command"
    if is_yes_no(text):
        return "yes-no"
    interrogative = [code for code in codes if code not in {"none", "yes-no"}]
    return interrogative[-1] if interrogative else "none"


def is_yes_no(text: str) -> bool:
    """Return whether the last sentence is a yes/no question without a gap to fill."""
    return pattern("gap").search(normalise(text)) is None and _opens_with_czy(_last_sentence(text))


def _last_sentence(text: str) -> str:
    """Return the last sentence of a question, normalised."""
    if not text.strip():
        return ""
    return normalise(sentences(text)[-1])


def _sentence_type(normalised: str) -> str:
    """Return the class of a question by one sentence; ``none`` if it asks nothing."""
    if pattern("imperative").match(normalised):
        return "command"
    if _opens_with_czy(normalised):
        return "yes-no"

    words = WORD.findall(normalised)
    for index, word in enumerate(words):
        code = _QUESTION_WORDS.get(word)
        if code is None or not _is_interrogative(words, index, normalised):
            continue

        if code == "how" and pattern("how called").search(normalised):
            return "what"
        if code == "how" and pattern("how adverb").search(normalised):
            return "how-adj"
        next_words = " ".join(words[index + 1 : index + 3])
        if code == "how-many" and pattern("how much").search(next_words):
            return "how-much"
        return code
    return "none"


def _is_interrogative(words: list[str], index: int, normalised: str) -> bool:
    """Return whether a question word of a sentence asks rather than opens a relative clause."""
    if index == 0 or words[index - 1] in {"a", "ale", "i", "to"}:
        return True
    # Polish puts a comma before every relative clause, before the preposition if there is one
    start = index
    if words[index - 1] in word_lists()["before question word"]:
        start = index - 1
    if start == 0 or index == len(words) - 1:
        return True
    comma = rf"{re.escape(words[start - 1])}\W*,\W*{re.escape(words[start])}\b"
    return re.search(comma, normalised) is None


def _opens_with_czy(normalised: str) -> bool:
    """Return whether a sentence has one *czy*, which opens it or follows a topic and a dash."""
    count = len(pattern("czy").findall(pattern("czy between numbers").sub(" ", normalised)))
    if pattern("opens with czy").match(normalised):
        return count == 1 and not pattern("czy between numbers").search(normalised)
    if count != 1 or not pattern("topic before czy").search(normalised):
        return False
    return not any(word in _QUESTION_WORDS for word in WORD.findall(normalised.split("czy")[0]))


def formulation(text: str, code: str) -> LabelWithRule:
    """Return the formulation of a question, and the rule behind it.

    >>> formulation("Młyn spłonął. Kto go podpalił?", "who")
    LabelWithRule(label='compound', rule='2 sentences')
    """
    count = len(sentences(text))
    if count > 1:
        return LabelWithRule("compound", f"{count} sentences")
    if code != "command":
        return LabelWithRule("plain", "one sentence that opens with no imperative")
    return LabelWithRule("command", f"opens with {normalise(text).partition(' ')[0]!r}")


def information_sought(text: str, category: str = "resource") -> LabelWithRule:
    """Return PolQA's class of the information that a question asks for, and the rule behind it.

    The first that applies, by the last sentence: gap-filling, yes-no, entity-choice (a *czy*
    inside, or a choice of *lub, albo* after a colon or dash), multiple-entities, other-name,
    single-entity. A number or date is a single entity without another name.

    >>> information_sought("Młyn stoi w lesie czy nad stawem?")
    LabelWithRule(label='entity-choice', rule="'czy' inside the sentence")
    """
    normalised = _last_sentence(text)
    gap_match = pattern("gap").search(normalise(text))
    if gap_match:
        return LabelWithRule("gap-filling", f"asks to complete ({gap_match[0].strip()!r})")
    if _opens_with_czy(normalised):
        return LabelWithRule("yes-no", "one 'czy', which opens the question or follows its topic")
    if pattern("czy").search(normalised):
        return LabelWithRule("entity-choice", "'czy' inside the sentence")
    if pattern("choice after dash").search(normalised):
        return LabelWithRule(
            "entity-choice", "a list with 'lub', 'albo' or 'bądź' behind a colon or dash"
        )

    several_match = pattern("several").search(normalised)
    if several_match is None and pattern("imperative").match(normalised):
        several_match = pattern("several to name").search(normalised)
    if category != "literal-number" and several_match:
        return LabelWithRule("multiple-entities", f"asks for several ({several_match[0]!r})")

    has_names = category in {"literal-string", "resource"}
    may_want_other_name = has_names and not pattern("no other name").search(normalised)
    other_name_match = pattern("another name").search(normalised)
    if may_want_other_name and other_name_match:
        return LabelWithRule("other-name", f"asks for another name ({other_name_match[0]!r})")
    return LabelWithRule("single-entity", "no other rule")


def entity_kind(text: str, code: str, category: str) -> LabelWithRule:
    """Return whether the answer is ``named``, ``unnamed`` or ``yes-no``, and the rule behind it.

    >>> text = "Jak nazywa się koło młyna?"
    >>> entity_kind(text, wh_type(text), "resource").rule
    'a definition: no name, number or superlative tells a single thing'
    """
    if category == "boolean":
        return LabelWithRule("yes-no", "yes or no is asked for")
    if category in {"literal-number", "literal-date"}:
        return LabelWithRule("named", "a number or a date is asked for")

    normalised = _last_sentence(text)
    if code == "whom" and pattern("what someone is").match(normalised):
        return LabelWithRule("unnamed", "asks what someone is ('kim')")
    if code in {"who", "whom", "whose", "where"}:
        return LabelWithRule("named", f"question class {code}")
    if code in {"why", "how"}:
        return LabelWithRule("unnamed", f"question class {code}")
    if _is_definition(text, normalised, code):
        return LabelWithRule(
            "unnamed", "a definition: no name, number or superlative tells a single thing"
        )
    if pattern("opens with co").match(normalised):
        return LabelWithRule("unnamed", "opens with co, czego or czym")

    noun = _find_unnamed_noun(normalised)
    if noun:
        return LabelWithRule("unnamed", f"a kind of thing without a name is asked for ({noun!r})")
    own_name_match = pattern("own name").search(normalised)
    if own_name_match:
        return LabelWithRule("named", f"a name of its own is asked for ({own_name_match[0]!r})")

    if information_sought(text, category).label == "entity-choice":
        # by the words after the last *czy*, *lub* or *albo*
        _, *choices = pattern("or").split(sentences(text)[-1])
        last_choice = WORD.findall(choices[-1]) if choices else []
        if any(word[:1].isupper() or word[:1].isdigit() for word in last_choice):
            rule = "the last choice is written with a capital or has a number"
            return LabelWithRule("named", rule)
        return LabelWithRule("unnamed", "the last choice is written small")

    # most things with a type have names
    noun_type = find_noun_type(text, code)
    if noun_type.known:
        return LabelWithRule("named", f"{noun_type.type}: {noun_type.rule}")
    past_match = pattern("was called").search(normalised)
    if past_match:
        return LabelWithRule("named", f"asks what one thing was called ({past_match[0]!r})")

    if code != "none":
        return LabelWithRule("unnamed", "no noun tells what kind of name is asked for")
    unique_match = pattern("only one").search(normalised)
    if normalised.endswith("?") and unique_match:
        return LabelWithRule("named", f"asks for one thing of its kind ({unique_match[0]!r})")
    return LabelWithRule("unnamed", "no question word")


def _is_definition(text: str, normalised: str, code: str) -> bool:
    """Return whether a question defines the thing that it asks for, as a dictionary does."""
    if not pattern("is or was called").search(normalised) or pattern("only one").search(normalised):
        return False
    noun_type = find_noun_type(text, code)
    # "What was the ship called?" is about one ship
    is_one_thing = noun_type.known and pattern("was called").search(normalised)
    if is_one_thing or noun_type.type in _ALWAYS_NAMED:
        return False
    is_quoted = without_quotes(text) != text
    return not is_quoted and pattern("name or number").search(text.strip()[1:]) is None


def _find_unnamed_noun(normalised: str) -> str | None:
    """Return the noun that asks for a thing without a name; None without one.

    The noun is one of the two words after the question word.
    """
    question_word_match = pattern("words after").search(normalised)
    noun_phrase = question_word_match[1] if question_word_match else normalised
    words: list[str] = WORD.findall(noun_phrase)
    for word in words:
        if is_unnamed_noun(word):
            return word
        if type_of_noun(word):
            break
    no_name_match = pattern("nothing named").search(normalised)
    return no_name_match[0] if no_name_match else None


def expected_category(text: str, code: str) -> str:
    """Return the answer category (SMART) of a Polish question, by question word and noun."""
    if code == "yes-no" or (code == "command" and is_yes_no(text)):
        return "boolean"
    if code in {"how-many", "how-much", "how-adj"}:
        return "literal-number"
    if code in {"who", "whom", "whose", "where"}:
        return "resource"

    normalised = normalise(text)
    if code in {"how", "why"}:
        return "literal-string"

    noun = find_noun_type(text, code)
    # the name of a thing is not a number
    is_amount = noun.known and noun.type in {"count", "quantity"}
    if is_amount and not pattern("is or was called").search(normalised):
        return "literal-number"
    if code == "when" or pattern("date").search(normalised) or (noun.known and noun.type in _TIMES):
        return "literal-date"

    wants_wording = information_sought(text).label in {"gap-filling", "other-name"}
    # another name of an organisation, an event... still is the thing itself
    is_entity = noun.known and noun.type not in _STRINGS
    if wants_wording and not is_entity:
        return "literal-string"
    return "resource"


def question_features(text: str) -> dict[str, FeatureValue]:
    """Return the features that the words of a Polish question show."""
    code = wh_type(text)
    category = expected_category(text, code)
    kind = entity_kind(text, code, category)
    features: dict[str, FeatureValue] = {
        "whType": code,
        **label_features("questionFormulation", formulation(text, code)),
        **label_features("informationSought", information_sought(text, category)),
        **label_features("answerEntityKind", kind),
    }
    type_ = "other" if category == "boolean" else entity_type(text, code, category)
    if kind.label == "named":
        features["answerEntityType"] = type_
        features["answerEntityTypeRule"] = find_noun_type(text, code).rule
    features["answerEntityTypeTold"] = type_
    features["expectedAnswerCategory"] = category
    features["expectedAnswerType"] = CATEGORIES[category]
    return features


POLISH = Language(question_features, _FLAG_PATTERNS, word_lists()["before name"])
