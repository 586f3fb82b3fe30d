"""Yes-or-no features of a question's words, by tables of words.

Quotations and names are masked before, so that their words do not count.

The kinds are those of Mintaka (Sen et al. 2022: superlative, comparative, ordinal, count) and
ComplexWebQuestions (Talmor and Berant 2018: conjunction, comparative, superlative), with negation,
time, quantifiers and numbers added.
"""

from __future__ import annotations

import functools
import re

from qaldgen.features.text.languages import LANGUAGES
from qaldgen.features.text.letters import FeatureValue, without_quotes

#: Words in -est that are not superlatives, including names that people search for in lower case.
_NOT_SUPERLATIVE = (
    "west|midwest|northwest|southwest|forest|rainforest|test|contest|protest|interest|"
    "disinterest|guest|quest|request|conquest|inquest|bequest|nest|chest|priest|harvest|arrest|"
    "unrest|armrest|headrest|footrest|invest|divest|reinvest|suggest|digest|ingest|congest|"
    "manifest|honest|dishonest|modest|immodest|earnest|incest|behest|rest|crest|vest|pest|fest|"
    "\\w+fest|attest|detest|retest|pretest|jest|zest|tempest|wrest|lest|molest|infest|amethyst|"
    "everest|budapest|bucharest|brest|ernest|forrest"
)
_EN_NUMBER = (
    "zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|"
    "sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|"
    "hundreds?|thousands?|millions?|billions?|trillions?|dozens?"
)
#: "One" is a number only where it counts things: mostly it is a pronoun.
_EN_ONE = (
    "(?:at least|at most|more than|less than|exactly|only|just) one|one(?= (?:hundred|thousand|"
    "million|billion|or more))"
)
_EN_DIGITS = r"\d(?![\d.,]*(?:st|nd|rd|th)\b)[\d.,]*\w*"
_EN_ORDINAL = (
    "first(?! (?:names?|lad(?:y|ies))\\b)|(?<!per )(?<!a )(?<!every )second|third|fourth|fifth|"
    "sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|"
    "seventeenth|eighteenth|nineteenth|twentieth|thirtieth|hundredth|last(?! (?:names?|night|"
    "week|month|year|century|decade)\\b)|\\d+(?:st|nd|rd|th)"
)
_EN_SUPERLATIVE = (
    rf"(?!(?:{_NOT_SUPERLATIVE})\b)\w{{2,}}est|best|worst|\w+most(?<!almost)|(?<!at )(?<!not )least"
    r"|(?<!at )(?<!do )(?<!did )(?<!does )(?<!by )(?<!for )most(?! of\b)"
    r"|top(?=[ -](?:\d|ten\b|five\b|three\b|scor|rated|ranked|selling|grossing|earning|paid|speed))"
)
_EN_COMPARED = (
    "more(?! (?:or less|about)\\b)|(?<!more or )less|fewer|larger|bigger|smaller|higher(?! "
    "(?:education|learning)\\b)|taller|lower(?! (?:house|court)\\b)|shorter|older|younger|"
    "(?<!no )longer|greater|better(?! known\\b)|worse|earlier|faster|slower|richer|poorer|"
    "heavier|lighter|deeper|wider|narrower|thicker|thinner|hotter|colder|warmer|cooler|newer|"
    "farther|closer|nearer|stronger|weaker|harder|softer|denser|brighter|darker|louder|cheaper|"
    "safer|smarter|rarer|busier|happier|later(?=, | or )"
)
_EN_COMPARATIVE = (
    rf"{_EN_COMPARED}|\w+er than|rather than|than|compared (?:to|with)|same \w+ as|at least|at most"
    r"|as (?!well\b|soon\b|long\b|far\b)\w+ as"
    rf"|(?:over|above|below|under|exceed(?:s|ing)?) (?:\d[\d.,]*|{_EN_NUMBER})(?! year)"
)
_EN_NEGATION = (
    r"(?<!or )not|no(?!\.? ?\d)|never|none|nobody|nothing|nowhere|neither|nor|without|except|"
    r"excluding|cannot|\w+n't|(?:did|does|do|is|are|was|were|has|have|had|could|would|should|wo|"
    r"ca)nt|other than|apart from"
)
_EN_YEAR = (
    r"(?<!than )(?<!least )(?<!most )(?<!over )(?<!under )(?<!above )(?<!below )(?<!with )"
    r"(?<!has )(?<!have )(?<!equal to )(?:1\d{3}|20\d{2})(?![\d.,]*\d)(?! (?:km|kilomet|met(?:er|"
    r"re)|mile|feet|ft\b|m\b|people|inhabitants|students|employees|seats|kg|pounds|dollars|euros|"
    r"points|pages|square))"
)
_EN_TEMPORAL = (
    r"when|before|(?<!named )(?<!called )(?<!look )(?<!looks )after(?! (?:who|whom|what|"
    r"which)\b[^?]*\bnamed\b)|during|since|until|till|ago|years?|months?|weeks?|weekends?|days?|"
    r"dates?|hours?|minutes?|seconds|birthdays?|birthdates?|deathdate|dob|centur(?:y|ies)|"
    r"decades?|millenni(?:um|a)|eras?|epochs?|anniversary|duration|today|tonight|yesterday|"
    r"tomorrow|current(?:ly)?|now|nowadays|presently|recent(?:ly)?|latest|earlier|earliest|"
    rf"later|{_EN_YEAR}|(?:1\d|20)?\d0s|january|february|april|(?:in|on|since|of|until|by) march|"
    r"march \d+|june|july|august|september|october|november|december|in may|may \d+|(?:mon|tues|"
    r"wednes|thurs|fri|satur|sun)days?|christmas|halloween|easter|(?:what|which|same|first|last|"
    r"start|end|release) times?(?! (?:zone|signature))|time(?= (?:of|periods?)\b)|point in time|"
    r"how long(?! (?:is|are|was|were)\b)"
)
#: Feature to the words and phrases that set it.
_ENGLISH = {
    "hasSuperlative": _EN_SUPERLATIVE,
    "hasComparative": _EN_COMPARATIVE,
    "hasNegation": _EN_NEGATION,
    "hasTemporal": _EN_TEMPORAL,
    "hasOrdinal": _EN_ORDINAL,
    "hasQuantifier": (
        r"all|every|each|some|any|(?<!the )(?<!at )most(?= of\b| (?!\w+ous\b)\w+s\b)|many|"
        r"several|few|both|none|at least|at most|more than|less than|fewer than|exactly|only|"
        r"half|majority|everyone|everybody|anyone"
    ),
    "hasConjunction": r"and|or|but|as well as|both|either|neither|nor|&",
    "hasNumber": rf"{_EN_DIGITS}|{_EN_NUMBER}|{_EN_ONE}",
}


@functools.cache
def _flags_of(language: str) -> dict[str, re.Pattern[str]]:
    """Return the patterns for a language; none if there are no rules for it."""
    language_flags = LANGUAGES.get(language)
    table = (
        _ENGLISH if language == "en" else language_flags.flags if language_flags is not None else {}
    )
    return {
        name: re.compile(rf"(?<![\w'])(?:{words})(?!\w)", re.IGNORECASE)
        for name, words in table.items()
    }


_DIGIT = re.compile(r"\d")
#: A question word, not a quantifier.
_HOW_MANY = re.compile(r"\bhow (?:many|much)\b", re.IGNORECASE)
#: The features of this module.
NAMES = tuple(_ENGLISH)


def flags(text: str, language: str) -> dict[str, FeatureValue]:
    """Return the flags that the words of a question set.

    >>> flags("Wer hat 2 Mühlen?", "de"), flags("Wer hat zwei Mühlen?", "de")
    ({'hasNumber': True}, {})
    """
    plain = " ".join(without_quotes(text.replace("’", "'")).split())
    table = _flags_of(language)
    if not table:
        return {"hasNumber": True} if _DIGIT.search(plain) else {}
    if language == "en":
        plain = _HOW_MANY.sub(" ", plain)
    return {name: rule.search(plain) is not None for name, rule in table.items()}
