"""Matchers for short text answers: exact match and token F1 (SQuAD)."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from qaldgen.answers.record import Response
from qaldgen.defaults import LANGUAGE
from qaldgen.model import Question
from qaldgen.scoring.counts import Count
from qaldgen.scoring.words.dates import (
    Day,
    date_in_digits,
    date_in_words,
    day_in_words,
    read_date,
)
from qaldgen.scoring.words.extraction import Extractor
from qaldgen.scoring.words.gold_names import (
    Aliases,
    GoldKey,
    boolean_wordings,
    cannot_be_named,
    given_texts,
    gold_truths,
    gold_wordings,
)
from qaldgen.scoring.words.numbers import NUMBER, gold_numbers, number_text, plain_number
from qaldgen.scoring.words.phrases import main_language, phrases, respelled
from qaldgen.scoring.words.reading import split_list
from qaldgen.scoring.words.tokens import joiners, plain_word
from qaldgen.scoring.words.yes_no import is_negated

#: The beginning of a note behind the name of an item in a list.
_NOTE = re.compile(r"\s+[(\[]|\s+[-–—]\s|:\s|,\s(?=\d{4}\b)")


def normalise(text: str, language: str = LANGUAGE) -> str:
    """Return a short answer as it is compared: SQuAD's normalisation, for more languages.

    Lower case, no punctuation, no articles, one space between words (Rajpurkar et al. 2016, SQuAD
    1.1 evaluation), after Unicode NFKC and with case folding. Unlike SQuAD's, a number keeps its
    sign and decimal sign and loses its grouping, and a date has one form. Accents and inflections
    stay.

    >>> normalise("The  Mill!"), normalise("L'Étoile", "fr"), normalise("1.234,50 km", "de")
    ('mill', 'étoile', '1234.5 km')
    >>> normalise("April 3rd, 1999"), normalise("1999-04-03"), normalise("3. avril 1999", "fr")
    ('3 april 1999', '3 april 1999', '3 april 1999')
    """
    text = unicodedata.normalize("NFKC", text)
    if xsd_date := day_in_words(read_date(text) or Day()):
        return xsd_date
    articles = phrases("article").get(main_language(language), ())
    if "l" in articles:  # French, Italian: elided articles (l'étoile) are no words of their own yet
        text = re.sub(r"\b([lL]|[uU]n)['’]", " ", text)
    text = respelled(text, "date")
    # numbers and dates get one form, all between them loses its punctuation
    parts = []
    end = 0
    for match in NUMBER.finditer(text):
        if match["date"]:
            number = date_in_digits(match["date"], language)
        else:
            number = plain_number(match[0], language)
        if number:
            parts += [_without_punctuation(text[end : match.start()]), number]
            end = match.end()
    parts.append(_without_punctuation(text[end:]))
    words = [
        word
        for word in "".join(parts).split()
        if word not in articles and any(map(str.isalnum, word))
    ]
    day = date_in_words([plain_word(word) or word for word in words], language)
    return day_in_words(day or Day()) or " ".join(words)


def _without_punctuation(text: str) -> str:
    return "".join(
        char
        for char in text.casefold()
        if unicodedata.category(char)[0] not in "PS" and char not in "\ufe0e\ufe0f"
    )


def form_of(text: str, language: str) -> str:
    """Return the normal form of a text; "the" alone stays, and without letters it is empty."""
    return normalise(text, language) or " ".join(
        filter(str.isalnum, _without_punctuation(text).split())
    )


@functools.lru_cache(maxsize=4096)
def _gold_forms(key: GoldKey) -> tuple[tuple[str, ...], ...]:
    """Return the normalised variants of each gold answer; a number also as XSD writes it."""
    rows = []
    for row in gold_wordings(key):
        numbers = sorted(value for text in row[:1] for value in gold_numbers(text, key.language))
        forms = [form for text in row if (form := form_of(text, key.language))]
        rows.append(tuple(dict.fromkeys([*forms, *map(number_text, numbers)])))
    return tuple(rows)


def _cannot_judge(response: Response, forms: Sequence[str], key: GoldKey) -> bool:
    """Tell whether no gold answer has a name, or a yes-no answer is in a language without rules."""
    if cannot_be_named(key.question, response, key.aliases):
        return True
    has_rules = main_language(key.language) in phrases("no")
    if has_rules or not forms or response.given.boolean is not None or not gold_truths(key):
        return False
    rows = [boolean_wordings(truth, key.language) for truth in (True, False)]
    return not any(normalise(word, key.language) in forms for row in rows for word in row)


def exact_match(
    question: Question,
    response: Response,
    *,
    language: str = LANGUAGE,
    aliases: Aliases | None = None,
    extract: Extractor | None = None,
) -> Count | None:
    """Count the answers that equal an accepted variant after `normalise`.

    Several names of one gold answer count once. A text that lists gold answers and nothing else is
    these answers.

    >>> from qaldgen.model import Answers
    >>> gold = Answers(texts=(("Ada Mill",), ("Ben Weir", "B. Weir")))
    >>> question = Question("1", {}, answers=gold)
    >>> exact_match(question, Response("1", answers=Answers(texts=(("b weir",), ("Ulm",)))))
    Count(tp=1, fp=1, fn=1)
    >>> exact_match(question, Response("1", answers=Answers(texts=(("B. Weir and Ada Mill",),))))
    Count(tp=2, fp=0, fn=0)
    """
    key = GoldKey(question, aliases, language)
    gold = list(dict.fromkeys(_gold_forms(key)))
    answers = list(dict.fromkeys(_answer_forms(response, key, extract)))
    if _cannot_judge(response, answers, key):
        return None
    equal = [[answer in forms for forms in gold] for answer in answers]
    wrong = sum(not any(row) for row in equal)
    right = int(any(map(any, equal)))
    if len(answers) > 1 and len(gold) > 1:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import maximum_bipartite_matching

        # each answer of the system has at most one gold answer of its own
        right = int((maximum_bipartite_matching(csr_array(equal)) >= 0).sum())
    return Count(right, wrong, len(gold) - right)


def _answer_forms(response: Response, key: GoldKey, extract: Extractor | None) -> list[str]:
    """Return the answers of a system in their normal form; a list of gold answers is these."""
    language, gold = key.language, _gold_forms(key)
    accepted = frozenset[str]().union(*gold)
    answers = []
    texts = given_texts(response, extract, key.aliases)
    for text in texts:
        form = form_of(text, language)
        if len(texts) > 1 and form not in accepted:
            # an item may have a note: "The Old Mill (1912)", "Ulm: a town"
            name, *notes = _NOTE.split(text, maxsplit=1)
            is_name = form_of(name, language) in accepted and any(map(str.isalpha, name))
            if is_name and not any(is_negated(text, language) for text in notes):
                form = form_of(name, language)
        items = [form]
        if len(gold) > 1 and form not in accepted:
            parts = split_list(text, joiners("standard", language))
            forms = [form_of(part, language) for part in parts]
            if accepted.issuperset(forms):
                items = forms
        answers += items
    return list(filter(None, answers))


def token_f1(
    question: Question,
    response: Response,
    *,
    language: str = LANGUAGE,
    aliases: Aliases | None = None,
    extract: Extractor | None = None,
) -> Count | None:
    """Count the common words of answer and gold answer: SQuAD's F1 is the `f1` of these counts.

    Among the accepted variants the one with the best F1 counts, the first of equals. Several given
    answers are read as one text; each of several gold answers contributes its best variant, and
    these are read as one text too, so that a missing answer costs recall.

    >>> from qaldgen.model import Answers
    >>> question = Question("1", {}, answers=Answers(texts=(("The Old Mill of Ulm", "Ulm mill"),)))
    >>> token_f1(question, Response("1", answers=Answers(texts=(("old mill",),))))
    Count(tp=2, fp=0, fn=2)
    """
    key = GoldKey(question, aliases, language)
    answers = _answer_forms(response, key, extract)
    if _cannot_judge(response, answers, key):
        return None
    words = Counter(" ".join(answers).split())
    best: Counter[str] = Counter()
    for forms in _gold_forms(key):
        # a gold answer without words has one that no answer has, ""
        variants = [Counter(form.split() or [""]) for form in forms or [""]]
        best_variant = max(variants, key=lambda variant: _overlap(variant, words).f1)
        best.update(best_variant)
    return _overlap(best, words)


def _overlap(gold: Counter[str], answer: Counter[str]) -> Count:
    common = (gold & answer).total()
    return Count(common, answer.total() - common, gold.total() - common)
