"""Notes on a judged run: how answers were read, which look wrong, which could not be judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean

import pandas as pd

from qaldgen.annotation.language_detection import other_languages
from qaldgen.answers import near_misses
from qaldgen.answers.changes import answers_equal
from qaldgen.answers.record import Run
from qaldgen.defaults import DECIMALS
from qaldgen.errors import DataError
from qaldgen.io.text import count
from qaldgen.model import Question
from qaldgen.scoring.count_table import Answered, texts_of
from qaldgen.scoring.guesses import count_guesses
from qaldgen.scoring.matchers import LISTS, MATCHERS, WORDS, extraction_for
from qaldgen.scoring.own_languages import text_sample
from qaldgen.scoring.repeats import Aggregation, repeats_sentence
from qaldgen.scoring.risk_coverage import risk_coverage_notes
from qaldgen.scoring.rules import AUTO, LOGGED, Rules
from qaldgen.scoring.score import Scores
from qaldgen.scoring.verdicts import UNCHECKED, log_notes, unjudged_ids, unjudged_notes
from qaldgen.scoring.words.extraction import EXTRACTIONS, count_rules
from qaldgen.scoring.words.gold_names import Aliases, count_nameless, gold_size
from qaldgen.scoring.words.phrases import main_language

#: The fewest answers for a note; fewer prove nothing.
_MIN_ANSWERS = 5
#: If fewer verdicts that a file states agree with ours, there is a note.
_MIN_STATED_AGREEMENT = 0.8
#: The least difference, for a note, of the accuracies where yes and where no is the answer.
_MIN_ONE_SIDED_LEAD = 0.5
#: The largest p value of that difference (Fisher's exact test).
_MAX_P = 0.01
_FAILED = "the judge failed there; they are neither right nor wrong"
_NO_NAME = "no gold answer has a name, and the answer is in words"
_CODES = "the answer has no name, only a code, and the gold answers are in words"
_NO_RULES = "yes or no is asked, and there are no rules for that in the language of the answer"


def method_sentence(answered: Answered, scores: Scores, aggregation: Aggregation) -> str:
    """Return how answers in words were read, and how several to one question are combined."""
    sentences = []
    if scores.rules.verdicts is not None:
        sentences.append(scores.rules.verdicts.method)
    elif scores.rules.match != LOGGED:
        names = _word_matchers(scores)
        replies = texts_of(_answers_of(answered, scores, names))
        if replies:
            extract = extraction_for(names[0], scores.rules.extract)
            counts = count_rules(replies, extract).most_common()
            numbers = ", ".join(f"{name} {number:,}" for name, number in counts)
            explanation = EXTRACTIONS.get(extract, "the last match of the regular expression")
            sentences.append(
                f"answers are read as `extract={extract!r}` says ({explanation}): {numbers}"
            )

    sizes = _repeat_counts(answered)
    if sizes:
        sentences.append(repeats_sentence(aggregation, sizes))
    return "; ".join(sentences)


def run_notes(answered: Answered, scores: Scores, aggregation: Aggregation) -> Iterator[str]:
    """Yield the notes on a run."""
    name = scores.name
    counts = scores.counts

    sizes = _repeat_counts(answered)
    if sizes:
        yield f"{name}: {repeats_sentence(aggregation, sizes)}"
    n_equal = answers_equal([question for question, _ in answered], scores.run)
    if n_equal:
        yield (
            f"{name}: all {n_equal:,} answers equal the gold; check that it is not the gold itself"
        )
    responses = scores.run.responses.values()
    n_mentions = sum(bool(item.mentions and not item.given.values()) for item in responses)
    if n_mentions and scores.rules.match == AUTO:
        yield (
            f"{name}: {count(n_mentions, 'response')} with the mentions of a linker and no answers;"
            " only a matcher of links compares these, see 'qaldgen list matchers'"
        )
    yield from _named_gold_notes(answered, scores)

    if scores.rules.match == LOGGED:
        yield from log_notes(scores.run, counts)
    elif scores.rules.verdicts is not None:
        yield UNCHECKED
        yield from unjudged_notes(scores.run, unjudged_ids(counts), counts, _FAILED)
    else:
        yield from _answer_notes(answered, scores)

    if scores.rules.match != LOGGED:
        yield from _stated_verdict_warnings(answered, scores)
    verdicts = count_guesses(counts, scores.rules.prior)
    if verdicts and verdicts.guesses:
        yield f"{name}: {verdicts}"

    n_unjudged = len(unjudged_ids(counts))
    if n_unjudged:
        yield (
            f"{name}: {count(n_unjudged, 'question')} not judged count as not right: macro F1 lies"
            f" between {scores['macro-f1']:.{DECIMALS}f} and {scores.most():.{DECIMALS}f}, which it"
            " were if all of them were right"
        )
    yield from risk_coverage_notes(name, counts, scores.confidence)

    # wrong answers that equal gold ones but for their spelling, and what they would score
    f1 = counts["f1"].astype(float).to_dict()
    not_right = [question for question, _ in answered if question.answers and f1[question.id] < 1]
    misses = near_misses.near_misses(not_right, scores.run)
    better = [miss for miss in misses if miss.f1 > f1[miss.id]]
    if better:
        f1 |= {miss.id: miss.f1 for miss in better}
        yield near_misses.describe_near_misses(better, name, fmean(f1.values()))


def _repeat_counts(answered: Answered) -> list[int]:
    """Return the numbers of answers to questions with several."""
    return [len(responses) for _, responses in answered if len(responses) > 1]


def _named_gold_notes(answered: Answered, scores: Scores) -> Iterator[str]:
    """Yield notes on right answers that name some gold answers, and on lists that name more."""
    counts = scores.counts[scores.counts["matcher"].isin([WORDS, LISTS])]
    matchers = counts["matcher"].to_dict()
    n_right = counts["tp"].to_dict()

    partial_ids = []
    longer_ids = []
    for question, responses in answered:
        if question.id not in matchers:
            continue
        matcher = matchers[question.id]
        reply = " ".join(texts_of([(question, responses)])).casefold()
        n_named = 0
        for wordings in question.gold.texts:
            n_named += any(text.casefold() in reply for text in wordings)

        is_right = n_right[question.id] > 0
        if matcher == WORDS and is_right and 0 < n_named < len(question.gold.texts):
            partial_ids.append(question.id)
        if matcher == LISTS and n_named > n_right[question.id]:
            longer_ids.append(question.id)

    if partial_ids:
        yield (
            f"{scores.name}: `contains` takes one of several gold answers for right in"
            f" {count(len(partial_ids), 'question')} (first: {partial_ids[0]}); if they are no"
            " names of one answer, `match='exact'` and 'token-f1' count how many are given"
        )
    if longer_ids:
        yield (
            f"{scores.name}: lists of answers are compared as sets; in"
            f" {count(len(longer_ids), 'question')} (first: {longer_ids[0]}) one of them says"
            " a gold answer in more words, which does not count; `match='contains'` takes it for"
            " right"
        )


def _word_matchers(scores: Scores) -> list[str]:
    """Return the names of the matchers that compared words, in the order of the questions."""
    names = map(str, scores.counts["matcher"].unique())
    return [name for name in names if MATCHERS[name].words]


def _answers_of(answered: Answered, scores: Scores, names: Sequence[str]) -> Answered:
    """Return the answers that some matchers judged."""
    ids = scores.counts.index[scores.counts["matcher"].isin(names)]
    return [pair for pair in answered if pair[0].id in ids]


def _answer_notes(answered: Answered, scores: Scores) -> Iterator[str]:
    """Yield notes on answers that rules judged."""
    run, counts, rules = scores.run, scores.counts, scores.rules

    names = _word_matchers(scores)
    if names:
        text_answers = _answers_of(answered, scores, names)
        replies = texts_of(text_answers)
        questions = [question for question, _ in text_answers]
        for warning in _language_warnings(text_answers, counts, rules):
            yield f"{run.name}: {warning}"
        if extraction_for(names[0], rules.extract) == "auto":
            n_marked = len(replies) - count_rules(replies, "auto")["whole reply"]
            if n_marked:
                yield (
                    f"{run.name}: in {n_marked:,} of {len(replies):,} replies the answer is marked,"
                    " and only what is marked counts; `extract='raw'` takes whole replies"
                )
        yield from _nameless_notes(questions, rules.aliases)
        yield from _reasons_not_judged(text_answers, run, counts, rules.aliases)
    else:
        yield from _wrong_matcher_warnings(run, counts, rules.match)

    n_answered = int((counts["status"] == "answered").sum())
    if n_answered >= _MIN_ANSWERS and not counts["tp"].any():
        yield (
            f"{run.name}: none of {count(n_answered, 'answer')} is right; check that these are"
            " answers to these questions, not to another edition of the set with the same ids,"
            " and that `match` and `language` fit"
        )

    yield from _one_sided_warnings([question for question, _ in answered], run, counts)


def _language_warnings(text_answers: Answered, counts: pd.DataFrame, rules: Rules) -> Iterator[str]:
    """Say in which language answers are read where it is not the one of the run, or seems not."""
    main_answered = [pair for pair in text_answers if pair[0].id not in rules.own_languages]
    n_others = len(text_answers) - len(main_answered)
    if n_others:
        tags = ", ".join(sorted(set(rules.own_languages.values())))
        yield (
            f"{n_others:,} of {count(len(text_answers), 'question')} are not in"
            f" {rules.language!r}: their answers are read in the language of the question ({tags})"
        )
    if not main_answered:
        return

    is_low = counts["f1"][[question.id for question, _ in main_answered]].mean() <= 1 / 2
    if is_low:
        question_texts = list[str]()
        for question, _ in main_answered:
            question_texts += question.texts.get(rules.language, ())
        yield from _foreign_warnings("question", question_texts, rules.language)
        yield from _foreign_warnings("answer", texts_of(main_answered), rules.language)


def _foreign_warnings(noun: str, texts: Sequence[str], language: str) -> Iterator[str]:
    """Warn if most of these texts are plainly in another language, or in others."""
    base = main_language(language)
    sample = text_sample(texts)
    try:
        texts_by_index = {str(index): text for index, text in enumerate(sample)}
        languages = other_languages(texts_by_index, base)
    except DataError as error:  # no score depends on it
        yield str(error)
        return

    # of fewer texts, all must be, and one proves nothing
    min_texts = max(2, min(len(sample), _MIN_ANSWERS), len(sample) // 2 + 1)
    if len(languages) < min_texts:
        return

    tag, n_texts = Counter(languages.values()).most_common(1)[0]
    looked_at = f"{count(len(sample), noun)} looked at are in"
    if n_texts >= min_texts:
        yield (
            f"{n_texts:,} of {looked_at} {tag!r}, not in {base!r};"
            f" `language={tag!r}` reads words in that language"
        )
    else:
        yield (
            f"{len(languages):,} of {looked_at} other languages than {base!r}"
            f" ({', '.join(sorted(set(languages.values())))}); where each question says its own in"
            " a field 'language', its answer is read in it"
        )


def _nameless_notes(questions: Sequence[Question], aliases: Aliases | None) -> Iterator[str]:
    """Say how many gold answers are codes that no answer in words can match."""
    n_codes = 0
    n_answers = 0
    ids = []
    for question in questions:
        n_codes_of_question = count_nameless(question, aliases)
        if n_codes_of_question:
            ids.append(question.id)
        n_codes += n_codes_of_question
        if question.gold.boolean is None:
            n_answers += gold_size(question)
    if n_codes:
        have = "has" if n_codes == 1 else "have"
        yield (
            f"{n_codes:,} of {count(n_answers, 'gold answer')} {have} no name, only a number or a"
            f" code such as Q64 (first: question {ids[0]}), and no answer in words can be compared"
            " with them; `labels`, a file or URL, names them, a file of `aliases` too"
        )


def _reasons_not_judged(
    answered: Answered, run: Run, counts: pd.DataFrame, aliases: Aliases | None
) -> Iterator[str]:
    """Yield a note for each reason why questions could not be judged."""
    ids_by_reason: dict[str, list[str]] = {_NO_NAME: [], _CODES: [], _NO_RULES: []}
    ids = set(unjudged_ids(counts))
    for question, responses in answered:
        if question.id not in ids:
            continue
        if count_nameless(question, aliases):
            reason = _NO_NAME
        elif any(response.given.rows for response in responses):
            reason = _CODES
        else:
            reason = _NO_RULES
        ids_by_reason[reason].append(question.id)
    for reason, reason_ids in ids_by_reason.items():
        yield from unjudged_notes(run, reason_ids, counts, reason)


def _wrong_matcher_warnings(run: Run, counts: pd.DataFrame, match: str) -> Iterator[str]:
    """Warn if answers are free text and the matcher compares IRIs and literals."""
    if match == AUTO or not MATCHERS[match].answers or counts["tp"].any():
        return
    n_answered = 0
    n_in_words = 0
    for response in run.responses.values():
        if response.answers is not None and response.status == "answered":
            n_answered += 1
            n_in_words += bool(response.given.texts)
    if n_in_words > n_answered / 2:
        yield (
            "the answers are in words, and none equals a gold answer; `match` contains, exact or"
            " token-f1 compares words"
        )


def _stated_verdict_warnings(answered: Answered, scores: Scores) -> Iterator[str]:
    """Warn if the verdicts that the file states on its answers are mostly others than ours.

    Of several such, the one that agrees best counts: another evaluator may ask something else.
    """
    hits = scores.counts["hit"].astype(float)
    pairs: dict[str, list[tuple[bool, float]]] = {}
    for question, responses in answered:
        if len(responses) != 1 or question.answers is None:
            continue
        for verdict, value in responses[0].verdicts:
            pairs.setdefault(verdict, []).append((hits[question.id] > 1 / 2, value))
    stated = {name: own for name, own in pairs.items() if {value for _, value in own} <= {0, 1}}
    if not stated:
        return
    agreement = {name: sum(hit == right for hit, right in own) for name, own in stated.items()}
    name = max(agreement, key=lambda name: agreement[name] / len(stated[name]))
    n_answers = len(stated[name])
    if n_answers >= _MIN_ANSWERS and agreement[name] < _MIN_STATED_AGREEMENT * n_answers:
        n_right = sum(right for _, right in stated[name])
        n_hits = sum(hit for hit, _ in stated[name])
        yield (
            f"{scores.name}: by {name!r} in its file, {n_right:,.0f} of {n_answers:,} answers are"
            f" right, here {n_hits:,}, and only {agreement[name]:,} verdicts agree; see whether the"
            " fields that were read as gold and as answers are the right ones, and whether `match`"
            " suits them"
        )


def _one_sided_warnings(
    questions: Sequence[Question], run: Run, counts: pd.DataFrame
) -> Iterator[str]:
    """Warn if a system is right on yes-no questions only where it is yes, or only where it is no.

    A system that says no to everything looks good wherever most answers are no.
    """
    is_right_by_gold: dict[bool, list[bool]] = {True: [], False: []}
    for question in questions:
        if question.gold.boolean is None:
            continue
        if question.id in counts.index:
            is_right = bool(counts["tp"][question.id] > 0)
            is_right_by_gold[question.gold.boolean].append(is_right)
    yes = is_right_by_gold[True]
    no = is_right_by_gold[False]
    if min(len(yes), len(no)) < _MIN_ANSWERS:
        return
    lead = sum(yes) / len(yes) - sum(no) / len(no)
    if abs(lead) < _MIN_ONE_SIDED_LEAD:
        return
    # scipy is slow to import
    from scipy.stats import fisher_exact

    table = [[sum(yes), len(yes) - sum(yes)], [sum(no), len(no) - sum(no)]]
    if fisher_exact(table).pvalue <= _MAX_P:
        word = "yes" if lead > 0 else "no"
        yield (
            f"{run.name}: of yes-no questions, {sum(yes):,} of {len(yes):,} are right where the"
            f" answer is yes, {sum(no):,} of {len(no):,} where it is no; it may say {word} whatever"
            " is asked"
        )
