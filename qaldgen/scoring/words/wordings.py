"""The variants of an answer: names of IRIs, aliases, names in other languages, yes and no."""

from __future__ import annotations

import functools

from qaldgen.model import Cell, Question
from qaldgen.runs.record import Response
from qaldgen.scoring.words.cldr import translations
from qaldgen.scoring.words.extraction import Extractor, make_extractor
from qaldgen.scoring.words.gold_key import Aliases, gold_cells, gold_truths
from qaldgen.scoring.words.iri_names import local_name, plain_name
from qaldgen.scoring.words.lexicon import phrases, primary
from qaldgen.scoring.words.timezones import zone_names
from qaldgen.scoring.words.tokens import signs


def wordings(cell: Cell, labels: Aliases | None = None) -> tuple[str, ...]:
    """Return the variants of a gold answer, the main one first.

    For an IRI these are its labels, then its local name decoded (underscores become spaces, a
    qualifier in brackets is dropped) and the table's entries for the local name; for a literal the
    lexical form and the table's entries for it.

    Parameters
    ----------
    cell
        A gold answer.
    labels
        Further names.

    Returns
    -------
    tuple[str, ...]
        At least one.

    Examples
    --------
    >>> aliases = {"Old_Mill_(Ulm)": ["Alte Mühle"]}
    >>> wordings(Cell("uri", "http://x.org/resource/Old_Mill_(Ulm)"), aliases)
    ('Old Mill', 'Alte Mühle')
    """
    table = labels or {}
    if cell.type != "uri":
        return (cell.value, *table.get(cell.value, ()))
    local = local_name(cell.value)
    labelled = table.get(cell.value, ()) if local != cell.value else ()
    return (*labelled, plain_name(local), *table.get(local, ()))


_AUTO = make_extractor()


@functools.cache
def boolean_wordings(truth: bool, language: str) -> tuple[str, ...]:
    """Return the words for yes (or no) of a language and of English, single words only.

    Parameters
    ----------
    truth
        True for yes.
    language
        A language tag.

    Returns
    -------
    tuple[str, ...]
        English words first.
    """
    kind = "yes" if truth else "no"
    words = ["true", "yes", "correct"] if truth else ["false", "no", "incorrect"]
    for own in dict.fromkeys(["en", primary(language)]):
        words += [
            phrase
            for part in (f"{kind}-word", kind)
            for phrase in phrases(part).get(own, ())
            if " " not in phrase
        ]
    return tuple(dict.fromkeys(words))


def gold_wordings(
    question: Question, language: str = "en", aliases: Aliases | None = None
) -> list[tuple[str, ...]]:
    """Return the accepted variants of each gold answer, also in the language.

    A boolean, or yes and no in words, is one row of words of the language and of English.

    Parameters
    ----------
    question
        With its gold answers.
    language
        Language of the answers.
    aliases
        Further names.

    Returns
    -------
    list[tuple[str, ...]]
        One row per gold answer, its main name first.
    """
    answers = question.answers
    if answers is None:
        return []
    truths = sorted(gold_truths(question, language))
    if truths:
        own = () if answers.boolean is not None else answers.values()
        return [(*own, *(word for truth in truths for word in boolean_wordings(truth, language)))]
    table = aliases or {}
    texts = [
        (*row, *(alias for name in row[:1] for alias in table.get(name, ())))
        for row in answers.texts
    ]
    rows = [*(wordings(cell, aliases) for cell in gold_cells(answers)), *texts]
    return [(*row, *_translated(row[0], language)) if row else row for row in rows]


@functools.lru_cache(maxsize=1 << 16)
def _translated(name: str, language: str) -> tuple[str, ...]:
    return tuple(
        text
        for text in (*translations(name, language), *zone_names(name, language))
        if text != name
    )


def given_texts(response: Response, extract: Extractor | None = None) -> list[str]:
    """Return the answers that a system gave as texts: names of IRIs, and the answers in replies.

    Parameters
    ----------
    response
        The response of the system.
    extract
        Finds the answers in a reply; by default the marked one, or else the whole reply.

    Returns
    -------
    list[str]
        Empty without an answer.
    """
    answers = response.answers
    if answers is None:
        return []
    if answers.boolean is not None:
        return answers.values()
    read = extract or _AUTO
    said = [
        text
        for row in answers.texts
        if row
        for text in read(row[0]).texts or filter(None, [signs(row[0])])
    ]
    return [*(wordings(cell)[0] for cell in gold_cells(answers)), *said] if answers.rows else said
