"""Matchers for short text answers: exact match, token F1 (SQuAD), and the first answer."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from qaldgen.model import Question
from qaldgen.runs.record import Response
from qaldgen.scoring.counts import Count
from qaldgen.scoring.words.extraction import Extractor
from qaldgen.scoring.words.gold_key import Aliases, GoldKey, cannot_be_named, gold_truth
from qaldgen.scoring.words.lexicon import ARTICLES, primary
from qaldgen.scoring.words.numbers import NUMBER, canonical, read_number, readings
from qaldgen.scoring.words.polarity import has_rules
from qaldgen.scoring.words.wordings import boolean_wordings, given_texts, gold_wordings


def normalise(text: str, language: str = "en") -> str:
    """Return a short answer as it is compared: SQuAD's normalisation, for more languages.

    Lower case, no punctuation, no articles, one space between words (Rajpurkar et al. 2016, SQuAD
    1.1 evaluation), after Unicode NFKC and with case folding. Unlike SQuAD's, a number keeps its
    sign and decimal sign and loses its grouping. Accents and inflections stay.

    Parameters
    ----------
    text
        The answer.
    language
        Decides which articles are removed, and how numbers are written.

    Returns
    -------
    str
        May be empty.

    Examples
    --------
    >>> normalise("The  Mill!"), normalise("L'Étoile", "fr"), normalise("1.234,50 km", "de")
    ('mill', 'étoile', '1234.5 km')
    """
    articles = ARTICLES.get(primary(language), frozenset())
    text = unicodedata.normalize("NFKC", text)
    if "l" in articles:
        # Elided articles (l'étoile) are not words of their own yet.
        text = re.sub(r"\b([lL]|[uU]n)['’]", " ", text)
    parts, end = [], 0
    for match in NUMBER.finditer(text):
        value = (
            None
            if match["date"] or re.fullmatch(r"0\d+", match[0])
            else read_number(match[0], language)
        )
        if value is not None:
            parts += [_bare(text[end : match.start()]), canonical(value)]
            end = match.end()
    words = "".join([*parts, _bare(text[end:])]).split()
    return " ".join(word for word in words if word not in articles)


def _bare(text: str) -> str:
    return "".join(char for char in text.casefold() if unicodedata.category(char)[0] not in "PS")


def _forms(row: Sequence[str], language: str) -> frozenset[str]:
    """Return the normalised variants of one gold answer.

    A number counts as XSD writes it and as the language does.
    """
    values = {canonical(value) for text in row[:1] for value in readings(text, language)}
    return frozenset(values | {normalise(text, language) for text in row}) - {""}


@functools.lru_cache(maxsize=4096)
def _gold_forms(key: GoldKey) -> tuple[frozenset[str], ...]:
    return tuple(
        _forms(row, key.language) for row in gold_wordings(key.question, key.language, key.aliases)
    )


@functools.lru_cache(maxsize=4096)
def _gold_words(key: GoldKey) -> tuple[tuple[Counter[str], ...], ...]:
    """Return the words of each variant of each gold answer, in the order of the variants."""
    words = []
    for row in gold_wordings(key.question, key.language, key.aliases):
        numbers = [
            canonical(value) for text in row[:1] for value in sorted(readings(text, key.language))
        ]
        forms = dict.fromkeys([*(normalise(text, key.language) for text in row), *numbers])
        words.append(tuple(Counter(form.split()) for form in forms))
    return tuple(words)


def _cannot_judge(
    question: Question, response: Response, given: Sequence[str], key: GoldKey
) -> bool:
    """Tell whether an answer in words cannot be judged here.

    No gold answer has a name; or the question is a yes-no question, and the answer is not a word
    for yes or no in a language without rules.
    """
    if cannot_be_named(question, response, key.aliases):
        return True
    answers = response.answers
    if gold_truth(question, key.language) is None or answers is None or answers.boolean is not None:
        return False
    if not given or has_rules(key.language):
        return False
    words = {
        normalise(word, key.language)
        for truth in (True, False)
        for word in boolean_wordings(truth, key.language)
    }
    return words.isdisjoint(given)


def exact_match(
    question: Question,
    response: Response,
    *,
    language: str = "en",
    aliases: Aliases | None = None,
    extract: Extractor | None = None,
) -> Count | None:
    """Count the answers that equal an accepted variant after `normalise`.

    Parameters
    ----------
    question
        With its gold answers; a question without any expects no answer.
    response
        Its answers, each a whole answer; equal ones count once.
    language
        Language of the answers.
    aliases
        Further accepted names of gold answers, see `qaldgen.scoring.words.wordings`.
    extract
        Finds the answers in a reply; by default the marked one, or else the whole reply.

    Returns
    -------
    Count or None
        Over answers: each given answer meets at most one gold answer, and the pairing meets as many
        as possible. A gold answer without a name is never met; if none has one, the question cannot
        be judged (None). An answer that is only punctuation counts as no answer.

    Examples
    --------
    >>> from qaldgen.model import Answers
    >>> gold = Answers(texts=(("Ada Mill",), ("Ben Weir", "B. Weir")))
    >>> question = Question("1", {}, answers=gold)
    >>> exact_match(question, Response("1", answers=Answers(texts=(("b weir",), ("Ulm",)))))
    Count(tp=1, fp=1, fn=1)
    """
    key = GoldKey(question, aliases, language)
    gold, given = _gold_forms(key), _given_forms(response, language, extract)
    if _cannot_judge(question, response, given, key):
        return None
    met = _pairs([[g for g, forms in enumerate(gold) if form in forms] for form in given])
    return Count(met, len(given) - met, len(gold) - met)


def _given_forms(response: Response, language: str, extract: Extractor | None) -> list[str]:
    texts = given_texts(response, extract)
    return list(dict.fromkeys(form for text in texts if (form := normalise(text, language))))


def _pairs(choices: Sequence[Sequence[int]]) -> int:
    """Return how many rows can have a choice of their own (Kuhn's augmenting paths)."""
    owner: dict[int, int] = {}

    def place(row: int, seen: set[int]) -> bool:
        for choice in choices[row]:
            if choice not in seen:
                seen.add(choice)
                if choice not in owner or place(owner[choice], seen):
                    owner[choice] = row
                    return True
        return False

    return sum(place(row, set()) for row in range(len(choices)))


def token_f1(
    question: Question,
    response: Response,
    *,
    language: str = "en",
    aliases: Aliases | None = None,
    extract: Extractor | None = None,
) -> Count | None:
    """Count the common words of answer and gold answer: SQuAD's F1 is the `f1` of these counts.

    Among the accepted variants the one with the best F1 counts, the first of equals. Several given
    answers are read as one text; each of several gold answers contributes its best variant, and
    these are read as one text too, so that a missing answer costs recall.

    Parameters
    ----------
    question, response, language, aliases, extract
        As in `exact_match`.

    Returns
    -------
    Count or None
        Over words, with multiplicity. Two empty texts are (0, 0, 0), with F1 1. None as in
        `exact_match`.

    Examples
    --------
    >>> from qaldgen.model import Answers
    >>> question = Question("1", {}, answers=Answers(texts=(("The Old Mill of Ulm", "Ulm mill"),)))
    >>> token_f1(question, Response("1", answers=Answers(texts=(("old mill",),))))
    Count(tp=2, fp=0, fn=2)
    """
    key = GoldKey(question, aliases, language)
    texts = [normalise(text, language) for text in given_texts(response, extract)]
    if _cannot_judge(question, response, [text for text in texts if text], key):
        return None
    given = Counter(word for text in texts for word in text.split())
    best: Counter[str] = Counter()
    for row in _gold_words(key):
        best += max(row, key=functools.partial(_f1, given), default=Counter())
    return _overlap(best, given)


def _f1(given: Counter[str], gold: Counter[str]) -> float:
    if gold.keys().isdisjoint(given):
        return float(not gold and not given)
    return _overlap(gold, given).f1


def _overlap(gold: Counter[str], given: Counter[str]) -> Count:
    common = (gold & given).total()
    return Count(common, given.total() - common, gold.total() - common)


def exact_first(
    question: Question,
    response: Response,
    *,
    language: str = "en",
    aliases: Aliases | None = None,
    extract: Extractor | None = None,
) -> Count | None:
    """Tell whether the first given answer equals any gold answer.

    Parameters
    ----------
    question, response, language, aliases, extract
        As in `exact_match`. Without gold answers, no answer is right: (0, 0, 0).

    Returns
    -------
    Count or None
        (1, 0, 0), or else (0, 1, 1), (0, 0, 1) without an answer. None as in `exact_match`.

    Examples
    --------
    >>> from qaldgen.model import Answers
    >>> question = Question("1", {}, answers=Answers(texts=(("Ada",), ("Ben",))))
    >>> exact_first(question, Response("1", answers=Answers(texts=(("Ben",), ("Ulm",)))))
    Count(tp=1, fp=0, fn=0)
    """
    key = GoldKey(question, aliases, language)
    gold, given = _gold_forms(key), _given_forms(response, language, extract)
    if _cannot_judge(question, response, given[:1], key):
        return None
    if given and any(given[0] in forms for forms in gold):
        return Count(1, 0, 0)
    return Count(0, int(bool(given)), int(bool(gold)))
