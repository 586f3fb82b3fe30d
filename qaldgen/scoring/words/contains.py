"""A matcher for long free text, as language models write it: a gold answer occurs and is meant."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Literal, TypeAlias

from qaldgen.model import Question
from qaldgen.runs.record import Response
from qaldgen.scoring.counts import Count
from qaldgen.scoring.words.adjectives import names_country
from qaldgen.scoring.words.calendars import Day
from qaldgen.scoring.words.context import is_said, only_offers
from qaldgen.scoring.words.dates import date_at, has_date, is_decade
from qaldgen.scoring.words.denial import is_denied
from qaldgen.scoring.words.extraction import Extractor
from qaldgen.scoring.words.gold_key import Aliases, GoldKey, cannot_be_named, gold_size, gold_truths
from qaldgen.scoring.words.languages import answer_language
from qaldgen.scoring.words.names import Place
from qaldgen.scoring.words.numbers import number_style
from qaldgen.scoring.words.polarity import Polarity, has_sign, polarity
from qaldgen.scoring.words.prepared import Prepared, Value, prepare
from qaldgen.scoring.words.quantities import Quantity, quantities, spell_signs
from qaldgen.scoring.words.reading import Reading
from qaldgen.scoring.words.same_quantity import same_quantity
from qaldgen.scoring.words.sentences import assertions, needs_care
from qaldgen.scoring.words.timezones import names_zone
from qaldgen.scoring.words.tokens import signs, tokens
from qaldgen.scoring.words.wordings import given_texts, gold_wordings

#: Whether one gold answer in the text is enough, or all of them are wanted.
Need: TypeAlias = Literal["any", "all"]


def _read(
    text: str, question: Question, aliases: Aliases | None, language: str
) -> tuple[Prepared, Reading]:
    """Return the gold answers in the language of a text, and the text with its tokens."""
    forms = tokens(text, language)
    spoken = answer_language(text, forms, language)
    gold = prepare(GoldKey(question, aliases, spoken))
    if number_style(spoken) != number_style(language):
        forms = tokens(text, spoken)
    return gold, Reading(text, spoken, gold.words_asked, forms)


def _asserted(gold: Prepared, text: Reading) -> Reading:
    """Return the part of a text that is asserted.

    Without refusals, questions, echoes of the question, and mere offers.
    """
    asked = gold.asked if gold.echoes else ()
    if not needs_care(text.text, text.forms, asked, text.language):
        return text
    parts = assertions(text.text, asked, text.language)
    kept = "\n".join(part for part in parts if not only_offers(part, text.language))
    return Reading(kept, text.language, text.asked)


def _found(gold: Prepared, whole: Reading) -> Iterator[int]:
    """Yield the gold answers that a text names and means, some of them more than once.

    The whole text is scanned quickly first; the sentences are looked at only if it names something.
    """
    places = _places(gold, whole)
    first = next(places, None)
    if first is None and not _names_otherwise(gold, whole):
        return
    text = _asserted(gold, whole)
    places = (
        itertools.chain([first] if first else [], places) if text is whole else _places(gold, text)
    )
    rival = next((at for at, form in enumerate(text.forms) if form in gold.rivals), len(text.forms))
    for place in places:
        if place.start < rival and _is_cased(place, text) and is_said(place, text):
            yield place.name.gold
    yield from (
        index for index, main in gold.countries if names_country(text.forms, main, text.language)
    )
    yield from (index for index, main in gold.zones if names_zone(text.text, main))
    for index, date in gold.dates:
        if has_date(text.forms, date, text.language) and not _all_denied(date, text):
            yield index
    if gold.values:
        yield from _found_values(gold, text)


def _names_otherwise(gold: Prepared, text: Reading) -> bool:
    """Tell whether a text may contain a gold answer that is not a name."""
    return (
        bool(gold.values)
        or bool(gold.zones)
        or any(has_date(text.forms, date, text.language) for _, date in gold.dates)
        or any(names_country(text.forms, main, text.language) for _, main in gold.countries)
    )


def _places(gold: Prepared, text: Reading) -> Iterator[Place]:
    """Yield where a text has names of gold answers.

    Word for word, in another grammatical case, in another script.
    """
    yield from gold.names.exact(text.forms)
    others = [gold.names.inflected(text.forms, text.language)]
    if not text.text.isascii():
        others.append(gold.names.sounding(text.surfaces, text.places))
    for place in itertools.chain(*others):
        # An inflected word of the question proves nothing, just like the word itself.
        if not text.asked.issuperset(text.forms[place.start : place.end]):
            yield place


def _is_cased(place: Place, text: Reading) -> bool:
    words = place.end - place.start
    if not place.name.cased or len(text.forms) == words:
        return True
    return (
        text.source[text.places[place.start][0] : text.places[place.end - 1][1]] == place.name.cased
    )


def _all_denied(date: Day, text: Reading) -> bool:
    forms, year = text.forms, str(date.year)
    places = [
        at
        for at, form in enumerate(forms)
        if form == year and date_at(forms, date, at, text.language)
    ]
    return bool(places) and all(is_denied(at, at + 1, text) for at in places)


def _found_values(gold: Prepared, text: Reading) -> Iterator[int]:
    """Yield the gold values that a text gives, in any unit."""
    spelled = Reading(spell_signs(text.text), text.language, text.asked)
    given = quantities(spelled.forms, text.language, spelled.gap)
    for index, value in gold.values:
        if any(_is_value(value, one) and not _is_no_value(one, spelled) for one in given):
            yield index


def _is_no_value(one: Quantity, text: Reading) -> bool:
    single = one.end - one.start == 1
    return (single and is_decade(text.forms, one.start, text.language)) or is_denied(
        one.start, one.end, text
    )


def _is_value(value: Value, given: Quantity) -> bool:
    if any(same_quantity(number, given, measured=value.decimal) for number in value.readings):
        return True
    return value.decimal and given.times > 1 and given.value / given.times in value.readings


def contains(
    question: Question,
    response: Response,
    *,
    language: str = "en",
    aliases: Aliases | None = None,
    need: Need = "any",
    extract: Extractor | None = None,
) -> Count | None:
    """Tell whether gold answers occur in a free text, and are meant there.

    Names are compared word by word, also in the answer's language as far as CLDR knows them, in
    other grammatical cases, scripts and usual variants; numbers by value in any usual unit,
    sensibly rounded; dates by their year, unless the text gives another day; yes and no as in
    `qaldgen.scoring.words.polarity`. A part of another name, a denied name, one of several that are
    merely offered, and an echo of the question do not count; refusals are not read.
    docs/scoring-text.md has all rules.

    Parameters
    ----------
    question
        With its gold answers.
    response
        The replies, read as one text.
    language
        The expected language; that of the text counts if it is plain to see.
    aliases
        Further accepted names of gold answers, see `qaldgen.scoring.words.wordings`.
    need
        Whether one gold answer is enough (``any``), or each of them counts (``all``).
    extract
        Finds the answer in a reply; by default the marked one, or else the whole reply.

    Returns
    -------
    Count or None
        With ``any`` (1, 0, 0) for a hit, (0, 1, 1) for an answer without one, (0, 0, 1) for no
        answer. With ``all`` the gold answers found and missed; other statements of the text cannot
        be counted, so an answer without any hit has one false positive, and one with a hit none. A
        question without gold answers expects no answer: (0, 0, 0) or (0, 1, 0). None if it cannot
        be judged: no gold answer has a name, or there are no rules for yes and no in the language.

    Examples
    --------
    >>> from qaldgen.model import Answers
    >>> question = Question("1", {}, answers=Answers(texts=(("Ada Mill",), ("Ben Weir",))))
    >>> response = Response("1", answers=Answers(texts=(("The owner is Ben Weir.",),)))
    >>> contains(question, response), contains(question, response, need="all")
    (Count(tp=1, fp=0, fn=0), Count(tp=1, fp=0, fn=1))
    """
    text = "\n".join(given_texts(response, extract))
    answered = (
        any(map(str.isalnum, text))
        or has_sign(text)
        or bool(_only_signs(question, text, aliases, language))
    )
    size = 1 if gold_truths(question, language) else gold_size(question)
    if not answered or not size:
        return Count(0, int(answered), min(size, 1) if need == "any" else size)
    hits = _hits(question, response, text, aliases, language, need)
    if hits is None:
        return None
    if need == "any":
        return Count(1, 0, 0) if hits else Count(0, 1, 1)
    return Count(hits, int(not hits), size - hits)


def _only_signs(question: Question, text: str, aliases: Aliases | None, language: str) -> list[int]:
    """Return the gold answers of signs alone (the band !!!) that are the whole text."""
    said = signs(text)
    rows = gold_wordings(question, language, aliases) if said else []
    return [at for at, row in enumerate(rows) if said in map(signs, row)]


def _hits(
    question: Question,
    response: Response,
    text: str,
    aliases: Aliases | None,
    language: str,
    need: Need,
) -> int | None:
    """Return how many gold answers a text gives, at most 1 if one is enough.

    None if it cannot be judged.
    """
    truths = gold_truths(question, language)
    if truths:
        said = polarity(text, language, question.texts)
        right = {Polarity.YES if truth else Polarity.NO for truth in truths}
        return None if said is Polarity.UNJUDGED else int(said in right)
    if cannot_be_named(question, response, aliases):
        return None
    matches = itertools.chain(
        _only_signs(question, text, aliases, language),
        _found(*_read(text, question, aliases, language)),
    )
    return int(next(matches, None) is not None) if need == "any" else len(set(matches))
