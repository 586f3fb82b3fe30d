"""Whether a free text says yes, no, or nothing at all; without rules there is no verdict."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping, Sequence

from qaldgen.scoring.words.languages import answer_language
from qaldgen.scoring.words.lexicon import SIGNS, phrases, primary
from qaldgen.scoring.words.sentences import is_question, refuses, sentences
from qaldgen.scoring.words.spans import Word, marked
from qaldgen.scoring.words.statements import UNSPACED, is_negated, states
from qaldgen.scoring.words.tokens import tokens
from qaldgen.scoring.words.word_lists import listed_phrases, phrases_in, word_set

#: Words that may precede the word that decides.
_FILLERS = word_set(
    "well so oh hmm ok okay unfortunately actually also then therefore thus hence and but"
)
_NOR = word_set("nor noch ni né nem ani ни ні și nici")
_AND = word_set("and und et y e en og och i и та ja és ve si și or oder ou o")
#: "That" after a verdict: "It is a myth that she did."
_THAT = word_set("that dass que che dat att at że že что що hogy että ότι că da")
_STOP = re.compile(r"[.,;:!?…—–()\n。，、！：；।؟،؛]|\s-\s")
_CLAUSE_END = re.compile(r"[;；]|\s[–—-]\s")
_LONGEST = 8
#: Limits in words: what may follow an opening phrase without a stop, the length of a sentence that
#: is judged by its last word, and the words besides a verdict ("is false") that is believed.
_REST, _LAST_WORD, _MORE = 2, 14, 4
#: The most words before a verdict that is followed by "that".
_IT = 4


class Polarity(enum.Enum):
    """What an answer to a yes-no question says; `UNJUDGED` if there are no rules to tell."""

    YES = "yes"
    NO = "no"
    NEITHER = "neither"
    UNJUDGED = "unjudged"


def has_sign(text: str) -> bool:
    """Tell whether a text begins with a sign for yes or no: a check mark, a cross, a thumb.

    Parameters
    ----------
    text
        An answer.

    Returns
    -------
    bool
        Whether it does.
    """
    return text.lstrip()[:1] in SIGNS


def has_rules(language: str) -> bool:
    """Tell whether there are rules for yes and no in a language.

    Parameters
    ----------
    language
        A language tag.

    Returns
    -------
    bool
        Whether there are.

    Examples
    --------
    >>> has_rules("pt-BR"), has_rules("sw")
    (True, False)
    """
    return primary(language) in phrases("no")


def polarity(
    text: str, language: str = "en", questions: Mapping[str, Sequence[str]] | None = None
) -> Polarity:
    """Tell whether an answer to a yes-no question says yes.

    By the word or phrase that opens it; by a short sentence about the question ("That is false.");
    by the last word ("... so, no."); otherwise by a statement with the question's content, with a
    negation or without (`statements.states`).

    Parameters
    ----------
    text
        The answer.
    language
        The expected language; that of the text counts if it is plain to see.
    questions
        The texts of the question by language. Without one in the language of the answer, a mere
        statement is not judged.

    Returns
    -------
    Polarity
        ``NEITHER`` for no words at all, a refusal, a question back, or a statement about something
        else.

    Examples
    --------
    >>> asked = {"en": ["Did she ever mill?"], "fr": ["Est-elle née ici ?"]}
    >>> [polarity(text, questions=asked).value for text in ("Yes, she did.", "She never milled.")]
    ['yes', 'no']
    >>> polarity("Elle est née ici.", "fr", asked).value, polarity("Ndiyo.", "sw").value
    ('yes', 'unjudged')
    """
    sign = SIGNS.get(text.lstrip()[:1])
    if sign is not None:
        return _as(sign)
    spoken = answer_language(text, tokens(text), language)
    parts = [
        part
        for part in sentences(text)
        if not is_question(part)
        and not refuses(words := tokens(part, spoken))
        and not _knows_nothing(words, spoken, primary(language))
    ]
    if not parts:
        return Polarity.NEITHER
    for own in dict.fromkeys([spoken, primary(language), "en"]):
        # English is tried too, except in Portuguese, where "no" means "in the".
        truth = (
            _explicit(parts, own, spoken)
            if has_rules(own) and not (own == "en" and spoken == "pt")
            else None
        )
        if truth is not None:
            return truth
    if not has_rules(spoken):
        return Polarity.UNJUDGED
    return _stated(parts, spoken, questions or {})


def _knows_nothing(words: tuple[str, ...], *languages: str) -> bool:
    """Tell whether a sentence opens with "No idea", "Not sure": that is neither yes nor no."""
    return any(
        words[: len(phrase)] == phrase
        for own in {*languages, "en"}
        for phrase in listed_phrases("no-knowledge", own)
    )


def _as(truth: bool) -> Polarity:
    return Polarity.YES if truth else Polarity.NO


def _stated(parts: Sequence[str], spoken: str, questions: Mapping[str, Sequence[str]]) -> Polarity:
    asked = {primary(own): texts for own, texts in questions.items()}
    for part in parts:
        truth = states(part, spoken, asked)
        if truth is not None:
            return _as(truth)
    return Polarity.NEITHER if any(filter(None, asked.get(spoken, ()))) else Polarity.UNJUDGED


def _explicit(parts: Sequence[str], language: str, spoken: str) -> Polarity | None:
    """Return what an answer says explicitly; None if nothing.

    By the rules of a language, which may be another than the spoken one.
    """
    opening = _opening(parts[0], language, spoken)
    if opening is not None:
        return opening
    for part in dict.fromkeys([parts[0], parts[-1]]):
        truth = _verdict(part, language)
        if truth is None:
            truth = _verdict(_CLAUSE_END.split(part, maxsplit=1)[0], language)
        if truth is not None:
            return _as(truth)
    last = parts[-1]
    return _set_off(last, language) or _labelled(last, language) or _last_word(last, language)


def _set_off(sentence: str, language: str) -> Polarity | None:
    """Return what the first word of a last sentence says, if set off: "No, it isn't"."""
    word, comma, _ = sentence.partition(",")
    for kind, truth in (("yes-word", True), ("no-word", False)):
        if comma and tokens(word, language) in listed_phrases(kind, language):
            return _as(truth)
    return None


def _labelled(sentence: str, language: str) -> Polarity | None:
    """Return the verdict at the end of a sentence: "The whale is a fish: False"."""
    _, colon, label = sentence.rpartition(":")
    said = tokens(label, language)
    for kind, truth in (("yes", True), ("no", False)):
        if colon and (
            said in listed_phrases(f"{kind}-word", language)
            or said in listed_phrases(kind, language)
        ):
            return _as(truth)
    return None


def _opening(sentence: str, language: str, spoken: str) -> Polarity | None:
    """Return what the first words of a sentence say."""
    source, words = marked(sentence, language)
    forms = tuple(word.form for word in words)
    start = 0
    while start < len(words) - 1 and forms[start] in _FILLERS:
        start += 1
    for end in range(min(start + _LONGEST, len(words)), start, -1):
        phrase = forms[start:end]
        for kind, truth in (("yes", True), ("no", False)):
            decides = phrase in listed_phrases(f"{kind}-word", language)
            weak = (
                not decides
                and phrase in listed_phrases(kind, language)
                and _stops(source, words, end)
            )
            rest = source[words[end - 1].end :].lstrip()
            if weak and truth and not _STOP.match(rest) and is_negated(rest, language):
                return None  # "It has not happened."
            if decides or weak:
                # "No cabe duda" opens with an English "no", too.
                if not truth and any(
                    _is_harmless(forms[start:], one) for one in {language, spoken}
                ):
                    return None
                return _both(forms[end:], language) or _as(truth)
    return None


def _stops(source: str, words: Sequence[Word], end: int) -> bool:
    """Tell whether a phrase stands on its own: a stop follows, or hardly another word."""
    if len(words) - end <= _REST:
        return True
    return _STOP.search(source[words[end - 1].end : words[end].start]) is not None


def _is_harmless(forms: tuple[str, ...], language: str) -> bool:
    """Tell whether a sentence opens with an apparent negation: "Not only that", "No doubt"."""
    return any(forms[: len(phrase)] == phrase for phrase in listed_phrases("not-only", language))


def _both(rest: tuple[str, ...], language: str) -> Polarity | None:
    """Return `NEITHER` for "yes and no"."""
    says = rest[1:2] in listed_phrases("yes-word", language) or rest[1:2] in listed_phrases(
        "no-word", language
    )
    return Polarity.NEITHER if rest[:1] and rest[0] in _AND and says else None


def _verdict(sentence: str, language: str) -> bool | None:
    """Return what a short sentence says of the question, such as "That is false"."""
    forms = tokens(sentence, language)
    harmless = list(phrases_in(forms, "not-only", language))
    for kind, truth in (("false", False), ("true", True)):
        for start, end in phrases_in(forms, kind, language):
            if not truth and any(first <= start < last for first, last in harmless):
                continue  # "No doubt that she did" does not doubt it.
            if len(forms) <= end - start + _MORE or end == len(forms):
                return truth
            if not truth and start <= _IT and forms[end] in _THAT:
                return truth
    return None


def _last_word(sentence: str, language: str) -> Polarity | None:
    """Return what the last word of a sentence says, as in "... so, no"."""
    forms = tokens(sentence, language)
    if (
        language in UNSPACED
        or not 1 < len(forms) <= _LAST_WORD
        or (forms[-2],) in listed_phrases("or", language)
    ):
        return None
    if forms[-2] in _NOR and not listed_phrases("yes-word", language).isdisjoint(
        (form,) for form in forms
    ):
        return Polarity.NEITHER
    for kind, truth in (("yes", True), ("no", False)):
        if forms[-1:] in listed_phrases(f"{kind}-word", language):
            return _as(truth)
    return None
