"""PolEval's metric as a matcher.

What counts as the variants and as the answer, and which rule decided.
"""

from __future__ import annotations

from collections.abc import Sequence

from qaldgen.model import Question
from qaldgen.runs.record import Response
from qaldgen.scoring.counts import Count
from qaldgen.scoring.poleval.metric import GEVAL, SPACE, Reading, Verdict, accepts, judge, lower
from qaldgen.scoring.words.extraction import Extractor
from qaldgen.scoring.words.lexicon import phrases, primary
from qaldgen.scoring.words.wordings import Aliases, boolean_wordings, gold_cells, wordings


def variants(
    question: Question, language: str = "pl", aliases: Aliases | None = None
) -> tuple[str, ...]:
    """Return what is accepted as the answer to a question.

    The wordings that the data has, as they are.

    Parameters
    ----------
    question
        Its gold answers. PolEval has one answer in several wordings; of sets with several answers
        each one will do.
    language
        Of the words for yes and no, where the data has a boolean.
    aliases
        Further wordings.
    """
    answers, table = question.answers, aliases or {}
    if answers is None:
        return ()
    if answers.boolean is not None:
        return boolean_wordings(answers.boolean, language)
    cells = [text for cell in gold_cells(answers) for text in wordings(cell, aliases)]
    own = [text for row in answers.texts for text in row]
    return (
        *cells,
        *own,
        *(text for row in answers.texts for name in row[:1] for text in table.get(name, ())),
    )


def said(response: Response, language: str = "pl", extract: Extractor | None = None) -> str:
    """Return the one line that a system answered.

    Several answers are one text with commas, as GEval reads one line.

    Parameters
    ----------
    response
        What the system gave.
    language
        Of the word for yes or no, where the system gave a boolean.
    extract
        Finds the answer in a reply; None for the reply as it is.
    """
    answers = response.answers
    if answers is None:
        return ""
    if answers.boolean is not None:
        return _word_for(answers.boolean, language)
    texts = [wordings(cell)[0] for cell in gold_cells(answers)]
    for row in answers.texts:
        texts += (row[:1] if extract is None else extract(row[0]).texts) if row else ()
    return ", ".join(texts).strip(SPACE)


def _word_for(truth: bool, language: str) -> str:
    kind = "yes" if truth else "no"
    own = [
        word for part in (f"{kind}-word", kind) for word in phrases(part).get(primary(language), ())
    ]
    return own[0] if own else str(truth).lower()


def poleval_match(
    question: Question,
    response: Response,
    *,
    language: str = "pl",
    aliases: Aliases | None = None,
    extract: Extractor | None = None,
    reading: Reading = GEVAL,
) -> Count:
    """Tell whether the answer is right by PolEval's metric.

    (1, 0, 0), or else (0, 1, 1), (0, 0, 1) without an answer.

    Parameters
    ----------
    question, response
        The gold answers and what was answered.
    language, aliases, extract
        See `variants` and `said`.
    reading
        How the rules are read.

    Examples
    --------
    >>> from qaldgen.model import Answers
    >>> question = Question("1", {}, answers=Answers(texts=(("w XVI", "16"),)))
    >>> poleval_match(question, Response("1", answers=Answers(texts=(("w XVI wieku",),))))
    Count(tp=1, fp=0, fn=0)
    """
    gold, answer = variants(question, language, aliases), said(response, language, extract)
    if accepts(gold, answer, reading):
        return Count(1, 0, 0)
    return Count(0, int(bool(answer)), int(bool(gold)))


def explain(
    question: Question,
    response: Response,
    *,
    language: str = "pl",
    aliases: Aliases | None = None,
    extract: Extractor | None = None,
    reading: Reading = GEVAL,
) -> list[Verdict]:
    """Return which variant and which rule accepted an answer, or why each variant rejected it.

    Parameters
    ----------
    question, response, language, aliases, extract, reading
        See `poleval_match`.
    """
    found = judge(variants(question, language, aliases), said(response, language, extract), reading)
    return found[-1:] if found and found[-1].accepted else found


def same_text(gold: Sequence[str], answer: str) -> bool:
    """Tell whether an answer is a variant letter by letter, but for case.

    Parameters
    ----------
    gold
        The variants.
    answer
        What was answered.
    """
    return lower(answer) in {lower(variant.strip(SPACE)) for variant in gold}
