"""PolEval's metric as a matcher: the variants, the answer, and the rule that decided."""

from __future__ import annotations

from collections.abc import Sequence

from qaldgen.model import Question
from qaldgen.runs.record import Response
from qaldgen.scoring.counts import Count
from qaldgen.scoring.poleval.metric import GEVAL, SPACE, Reading, Verdict, accepts, judge, lower
from qaldgen.scoring.words.gold import Aliases, boolean_wordings, gold_cells, wordings
from qaldgen.scoring.words.lexicon import phrases, primary
from qaldgen.scoring.words.replies import Extractor


def variants(
    question: Question, language: str = "pl", aliases: Aliases | None = None
) -> tuple[str, ...]:
    """Return the accepted answers to a question: the variants in the data, unchanged.

    Parameters
    ----------
    question
        With its gold answers. PolEval has one answer in several variants; in sets with several
        answers any of them will do.
    language
        Language of the words for yes and no, if the data has a boolean.
    aliases
        Further accepted names.

    Returns
    -------
    tuple[str, ...]
        Empty without gold answers.
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
    """Return the answer of a system as one line.

    Several answers are joined by commas, since GEval reads one line.

    Parameters
    ----------
    response
        The response of the system.
    language
        Language of the word for yes or no, if the system gave a boolean.
    extract
        Finds the answer in a reply; None for the reply as it is.

    Returns
    -------
    str
        Empty without an answer.
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

    Parameters
    ----------
    question, response
        The gold answers and the response.
    language, aliases, extract
        See `variants` and `said`.
    reading
        How the rules are read.

    Returns
    -------
    Count
        (1, 0, 0), or else (0, 1, 1), (0, 0, 1) without an answer. A question whose gold answer is
        empty is never answered right, as in GEval.

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
    return Count(0, int(bool(answer)), 1)


def explain(
    question: Question,
    response: Response,
    *,
    language: str = "pl",
    aliases: Aliases | None = None,
    extract: Extractor | None = None,
    reading: Reading = GEVAL,
) -> list[Verdict]:
    """Return the variant and rule that accepted an answer, or why each variant rejected it.

    Parameters
    ----------
    question, response, language, aliases, extract, reading
        See `poleval_match`.

    Returns
    -------
    list[Verdict]
        One accepting verdict, or all rejecting ones.
    """
    verdicts = judge(
        variants(question, language, aliases), said(response, language, extract), reading
    )
    return verdicts[-1:] if verdicts and verdicts[-1].accepted else verdicts


def same_text(gold: Sequence[str], answer: str) -> bool:
    """Tell whether an answer equals a variant letter by letter, except for case.

    Parameters
    ----------
    gold
        The variants.
    answer
        The answer.

    Returns
    -------
    bool
        Whether it does.
    """
    return lower(answer) in {lower(variant.strip(SPACE)) for variant in gold}
