"""Match responses to the gold questions, by their ids or their texts."""

from __future__ import annotations

import dataclasses
import functools
import html
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from qaldgen.answers.record import ParsedResponse, Run
from qaldgen.errors import DataError
from qaldgen.io.notes import note
from qaldgen.io.text import count, few_quoted
from qaldgen.model import QuestionSet

#: The suffix that readers add to the id of the second and each further question with it.
_COPY_SUFFIX = re.compile(r"#[0-9]+$")
#: The end of a whole number that was written as a float.
_DECIMAL_ZERO = re.compile(r"(?<=[0-9])\.0$")
#: The zeros before a whole number.
_LEADING_ZEROS = re.compile(r"(?<![0-9.])0+(?=[0-9])")
#: An id that ends in a number.
_NUMBERED_ID = re.compile(r"(?P<prefix>|.*[^0-9])(?P<number>[0-9]+)", re.DOTALL)
#: What stands before and behind the lines of a prompt, and behind the label of one.
_PROMPT_BREAK = re.compile(r"\n|:\s")
#: Marks that may end a question.
_END_MARKS = " ?.!"
#: The share from which on ids or texts are taken for those of the gold: some ids, such as 1, 2, 3,
#: occur in every set, so a few that agree show nothing.
_ENOUGH = 0.5
#: The share without a match, of both the run and the questions, that suggests a wrong set.
_WRONG_SET_SHARE = 0.75


def match_report(run: Run, questions: QuestionSet) -> list[str]:
    """Return notes on questions that only the run or only the gold has.

    >>> from qaldgen.model import Question
    >>> from qaldgen.answers.record import Response
    >>> gold = QuestionSet("gold", "table", (Question("1", {}), Question("2", {})))
    >>> match_report(Run("mine", "table", {"1": Response("1")}), gold)
    ["mine has no record for 1 of 2 questions (first: 2); their status is 'not asked'"]
    """
    gold_questions = questions.by_id
    if gold_questions.keys().isdisjoint(run.responses):
        raise DataError(
            f"{run.name} and {questions.name} have no id in common: the run has"
            f" {few_quoted(run.responses)}, the gold questions have {few_quoted(gold_questions)};"
            " give the questions that this system was asked"
        )
    notes = []
    missing = [
        question_id
        for question_id in gold_questions
        if question_id not in run.responses
        and _COPY_SUFFIX.sub("", question_id) not in run.responses
    ]
    unknown = [question_id for question_id in run.responses if question_id not in gold_questions]
    if missing:
        notes.append(
            f"{run.name} has no record for {len(missing):,} of"
            f" {count(len(gold_questions), 'question')} (first: {missing[0]}); their"
            " status is 'not asked'"
        )
    if unknown:
        verb = "is" if len(unknown) == 1 else "are"
        notes.append(
            f"{count(len(unknown), 'question')} of {run.name} {verb} not in {questions.name}"
            f" (first: {unknown[0]}); what was answered there is not counted"
        )
    most_missing = len(missing) > _WRONG_SET_SHARE * len(gold_questions)
    if most_missing and len(unknown) > _WRONG_SET_SHARE * len(run.responses):
        notes.append(
            f"{run.name} answers mostly other questions than those of {questions.name}; if that is"
            " the wrong set, give the questions that this system was asked"
        )
    return notes


class Match(NamedTuple):
    """The ids of the questions to which responses belong, and a note for users on this."""

    ids: Sequence[str]
    note: str = ""


def _match_respelled(ids: Sequence[str], texts: Sequence[str], gold: QuestionSet) -> Match | None:
    """Read ``7.0``, which spreadsheets make of 7, as 7, and the IRI of a question as its id."""
    if not gold.by_id.keys().isdisjoint(ids):
        return None
    gold_ids = {_DECIMAL_ZERO.sub("", question_id): question_id for question_id in gold.by_id}
    gold_ids |= {question.iri: question.id for question in gold.questions if question.iri}
    return Match([gold_ids.get(_DECIMAL_ZERO.sub("", run_id), run_id) for run_id in ids])


def _match_padded(ids: Sequence[str], texts: Sequence[str], gold: QuestionSet) -> Match | None:
    """Read 7, which spreadsheets make of 007, as 007, if no two questions differ by zeros alone."""
    if gold.by_id.keys() >= set(ids):
        return None
    gold_ids = {_LEADING_ZEROS.sub("", question_id): question_id for question_id in gold.by_id}
    if len(gold_ids) < len(gold.by_id):
        return None
    new_ids = []
    for run_id in ids:
        if run_id in gold.by_id:
            new_ids.append(run_id)
        else:
            new_ids.append(gold_ids.get(_LEADING_ZEROS.sub("", run_id), run_id))
    if new_ids == list(ids) or len(set(new_ids)) < len(set(ids)):
        return None
    return Match(new_ids, f"its ids are those of {gold.name} but for zeros before numbers")


def _match_prefixed(ids: Sequence[str], texts: Sequence[str], gold: QuestionSet) -> Match | None:
    """Read ``Q7`` as 7, if all ids of the run have this prefix and most of the rest are known."""
    # texts say more than numbers, and numbers that the reader gave to questions say nothing
    if any(texts) or gold.numbered or not gold.by_id.keys().isdisjoint(ids):
        return None
    matches = [_NUMBERED_ID.fullmatch(run_id) for run_id in ids]
    prefixes = {match and match["prefix"] for match in matches}
    numbers = [match["number"] for match in matches if match]
    n_known = sum(number in gold.by_id for number in numbers)
    if len(prefixes) != 1 or n_known <= _ENOUGH * len(ids):
        return None
    return Match(numbers, f"its ids are those of {gold.name} behind {prefixes.pop()!r}")


def _match_beginnings(ids: Sequence[str], texts: Sequence[str], gold: QuestionSet) -> Match | None:
    """Read ``tc_7--Ulm.txt``, the id of a question and of its document, as tc_7."""
    if any(texts) or gold.numbered or not gold.by_id.keys().isdisjoint(ids):
        return None
    new_ids = []
    for run_id in ids:
        beginnings = [run_id[: match.start()] for match in re.finditer(r"--|__|[#/:|@]", run_id)]
        known = [beginning for beginning in beginnings if beginning in gold.by_id]
        new_ids.append(known[-1] if known else run_id)
    if sum(new_id in gold.by_id for new_id in new_ids) <= _ENOUGH * len(ids):
        return None
    return Match(new_ids, f"its ids begin with those of {gold.name} (first: {ids[0]})")


def _match_shifted(ids: Sequence[str], texts: Sequence[str], gold: QuestionSet) -> Match | None:
    """Read 1 to n as 0 to n - 1, if these are the ids of all questions, as pandas counts rows."""
    from_one = [str(number) for number in range(1, len(gold.by_id) + 1)]
    from_zero = [str(number) for number in range(len(gold.by_id))]
    if any(texts) or list(gold.by_id) != from_zero or set(ids) != set(from_one):
        return None
    gold_ids = dict(zip(from_one, from_zero, strict=True))
    text = (
        f"its ids count the questions from 1, those of {gold.name} from 0; they are taken as such"
    )
    return Match([gold_ids[run_id] for run_id in ids], text)


def _match_parts(ids: Sequence[str], texts: Sequence[str], gold: QuestionSet) -> Match | None:
    """Read the first answer to 7 as that to 7.1, the second as that to 7.2, ..."""
    if not gold.by_id.keys().isdisjoint(ids):
        return None
    numbers: Counter[str] = Counter()
    part_ids = []
    for run_id in ids:
        numbers[run_id] += 1
        part_ids.append(f"{run_id}.{numbers[run_id]}")
    return None if gold.by_id.keys().isdisjoint(part_ids) else Match(part_ids)


def _match_by_text(ids: Sequence[str], texts: Sequence[str], gold: QuestionSet) -> Match | None:
    """Find the gold questions with the same texts, if the ids do not agree with the texts.

    An unknown id may be the text of the question. Questions that are not found get their text as
    id.
    """
    if _agree_exactly(ids, texts, gold):
        return _match_by_other_text(ids, texts, gold)
    if all(not text and run_id in gold.by_id for run_id, text in zip(ids, texts, strict=True)):
        return None
    keys = [text or run_id for run_id, text in zip(ids, texts, strict=True)]
    ids_of_keys = _questions_by_text(keys, gold)
    n_found = sum(question_ids != [] for question_ids in ids_of_keys)
    if not n_found:
        return Match(ids, _other_texts_note(ids, texts, gold))
    n_agreeing = sum(
        bool(text) and run_id in question_ids
        for run_id, text, question_ids in zip(ids, texts, ids_of_keys, strict=True)
    )
    if n_agreeing >= _ENOUGH * n_found:
        return _match_by_other_text(ids, texts, gold)
    gold_ids = _first_unread(keys, ids_of_keys)
    has_same_texts = len(set(gold_ids)) > len(set(keys))
    by_text = f"{count(n_found, 'question')} of {len(ids):,} were found by their text"
    if has_same_texts:
        by_text += ", those of the same text in the order of the questions"
    # the id of an answer without an id is the text of its question
    if any(text and run_id not in {text, ""} for run_id, text in zip(ids, texts, strict=True)):
        return Match(gold_ids, f"the ids are not those of {gold.name}; {by_text}")
    if has_same_texts or n_found < len(ids):
        return Match(gold_ids, by_text)
    return Match(gold_ids)


def _first_unread(texts: Sequence[str], ids_of_texts: Sequence[Sequence[str]]) -> list[str]:
    """Return a question for each text, or the text itself.

    As many questions as answers have the same text, such as one about several passages: then they
    are in the same order; else the first counts.

    >>> _first_unread(["Who?", "Who?", "When?"], [["1", "2"], ["1", "2"], []])
    ['1', '2', 'When?']
    """
    n_rows = Counter(texts)
    n_read: Counter[str] = Counter()
    question_ids = []
    for text, ids in zip(texts, ids_of_texts, strict=True):
        if not ids:
            question_ids.append(text)
        elif len(ids) == n_rows[text]:
            question_ids.append(ids[n_read[text]])
            n_read[text] += 1
        else:
            question_ids.append(ids[0])
    return question_ids


def _match_by_other_text(
    ids: Sequence[str], texts: Sequence[str], gold: QuestionSet
) -> Match | None:
    """Find the gold questions of answers whose id is that of one question, and whose text another.

    The text says what the system was asked. None if all ids and texts agree.
    """
    asked_ids: dict[int, str] = {}
    for index, (run_id, text) in enumerate(zip(ids, texts, strict=True)):
        asked = gold.by_text.get(text)
        if asked is None or asked.id == run_id:  # as of nearly all
            continue
        question = gold.by_id.get(run_id)
        if question and _fold(text) not in map(_fold, chain(*question.texts.values())):
            asked_ids[index] = asked.id
    if not asked_ids:
        return None
    new_ids = []
    taken_ids = set(asked_ids.values())
    for index, (run_id, text) in enumerate(zip(ids, texts, strict=True)):
        # the answer to a question that the gold does not have leaves its id to the right one
        is_taken = run_id in taken_ids and text and text not in gold.by_text
        new_ids.append(asked_ids.get(index, text if is_taken else run_id))
    first = next(iter(asked_ids))
    others = (
        f"has {count(len(asked_ids), 'answer')} to other questions than the ids say (first:"
        f" {ids[first]}, whose text is that of {asked_ids[first]})"
    )
    if len(set(new_ids)) < len(set(ids)):
        return Match(ids, f"{others}; the ids count")
    return Match(new_ids, f"{others}; the texts count")


def _match_by_column(ids: Sequence[str], texts: Sequence[str], gold: QuestionSet) -> Match | None:
    """Find the gold questions by another column of theirs that has the ids or texts of the run."""
    if not gold.by_id.keys().isdisjoint(ids):
        return None
    keys = [text or run_id for run_id, text in zip(ids, texts, strict=True)]
    return _match_in_column(keys, gold, n_needed=math.floor(_ENOUGH * len(keys)) + 1)


def _match_in_column(keys: Sequence[str], gold: QuestionSet, *, n_needed: int) -> Match | None:
    """Find the gold questions by a column with a value of its own for each, if it has many keys."""
    ids_by_column: dict[str, dict[str, str]] = defaultdict(dict)
    for question in gold.questions:
        for column, value in question.metadata.items():
            if isinstance(value, (str, int)):
                ids_by_column[column].setdefault(str(value), question.id)
    for column, ids_by_value in ids_by_column.items():
        is_key = len(ids_by_value) == len(gold.questions)
        if is_key and sum(key in ids_by_value for key in keys) >= n_needed:
            new_ids = [ids_by_value.get(key, key) for key in keys]
            return Match(new_ids, f"its questions are known by {column!r} of {gold.name}")
    return None


def _questions_by_text(texts: Sequence[str], gold: QuestionSet) -> list[list[str]]:
    """Return for each text the ids of the gold questions with it; empty if there are none.

    Case and spaces are ignored. If no question matches, marks at the end are ignored as well, and
    then all punctuation.
    """
    folds: tuple[Callable[[str], str], ...] = (
        _fold,
        lambda text: _fold(text).rstrip(_END_MARKS),
        fold_letters,
    )
    ids_by_fold: list[dict[str, list[str]]] = [defaultdict(list) for _ in folds]
    for question in gold.questions:
        for wording in chain(*question.texts.values()):
            for ids_by_text, fold in zip(ids_by_fold, folds, strict=True):
                ids_by_text[fold(wording)].append(question.id)
    ids_of_texts = []
    for text in texts:
        question_ids: list[str] = []
        for ids_by_text, fold in zip(ids_by_fold, folds, strict=True):
            question_ids = question_ids or ids_by_text.get(fold(text), [])
        ids_of_texts.append(question_ids)
    return ids_of_texts


def _agree_exactly(ids: Sequence[str], texts: Sequence[str], gold: QuestionSet) -> bool:
    """Return whether enough ids and exact texts are those of one question, a fast check."""
    n_agreeing = 0
    for run_id, text in zip(ids, texts, strict=True):
        question = gold.by_id.get(run_id)
        if question is None or not text:
            continue
        if text in chain.from_iterable(question.texts.values()):
            n_agreeing += 1
            if n_agreeing >= _ENOUGH * len(ids):
                return True
    return False


def _other_texts_note(ids: Sequence[str], texts: Sequence[str], gold: QuestionSet) -> str:
    """Return a note if the run has the ids of the questions, but other texts.

    Texts of a run may be whole prompts, which contain the question.
    """
    n_shared = 0
    for run_id, text in zip(ids, texts, strict=True):
        question = gold.by_id.get(run_id)
        wordings = list(chain(*question.texts.values())) if question and text else []
        if any(_fold(wording) in _fold(text) for wording in wordings):
            return ""
        n_shared += bool(wordings)
    if not n_shared:
        return ""
    return (
        f"{count(n_shared, 'question')} of {len(ids):,} have ids of {gold.name}, but none"
        " has the text of its question there; if that is the wrong set, give the questions that"
        " this system was asked"
    )


def _texts_in_prompts(texts: Sequence[str], gold: QuestionSet) -> Sequence[str]:
    """Return the texts of the questions at the end of prompts; all other texts are unchanged.

    A line of a prompt has the question, perhaps behind a label such as ``Question:``.
    """
    if not any(_PROMPT_BREAK.search(text) for text in texts):
        return texts
    gold_texts = {fold_letters(text): text for text in gold.by_text}
    questions = []
    for text in texts:
        if fold_letters(text) not in gold_texts:
            parts = map(fold_letters, _PROMPT_BREAK.split(text))
            known = [gold_texts[part] for part in parts if part in gold_texts]
            if known:
                text = known[-1]
        questions.append(text)
    return questions


#: How the gold questions of responses are found, by the ids and the texts of the run. Each strategy
#: gets the ids that the one before found.
STRATEGIES = (
    _match_respelled,
    _match_padded,
    _match_prefixed,
    _match_beginnings,
    _match_shifted,
    _match_parts,
    _match_by_text,
    _match_by_column,
)


def match_questions(
    responses: Sequence[ParsedResponse], gold: QuestionSet
) -> Sequence[ParsedResponse]:
    """Return responses with the ids of the gold questions to which they belong; note how."""
    ids: Sequence[str] = [item.response.id for item in responses]
    texts = _texts_in_prompts([item.text for item in responses], gold)
    for find_ids in STRATEGIES:
        match = find_ids(ids, texts, gold)
        if match is not None:
            note(match.note)
            ids = match.ids
    return _with_ids(responses, ids)


def other_ids(responses: Sequence[ParsedResponse], gold: QuestionSet) -> dict[str, str]:
    """Return the gold ids by those of a run that uses the ids of the gold for other questions.

    Either its ids are the numbers of the questions, counted in its own way or in a column of the
    gold, or its texts are those of other questions. For all other runs, the result is empty.
    """
    ids = [item.response.id for item in responses]
    texts = _texts_in_prompts([item.text for item in responses], gold)
    match = _match_by_number(ids, texts, gold)
    if match is None and gold.numbered and not (any(texts) or gold.by_id.keys() >= set(ids)):
        # a column that has all ids knows better than the numbers that the reader gave
        match = _match_in_column(ids, gold, n_needed=len(ids))
    if match is not None:
        note(match.note)
        return dict(zip(ids, match.ids, strict=True))
    match = _match_by_text(ids, texts, gold) if any(texts) else None
    if match is None:
        return {}
    found = zip(ids, match.ids, texts, strict=True)
    gold_ids = {run_id: question_id for run_id, question_id, text in found if text}
    are_other = any(run_id in gold.by_id and run_id != gold_ids[run_id] for run_id in gold_ids)
    if not are_other or not len(set(gold_ids.values())) == len(gold_ids) == len(set(texts)):
        return {}
    note(match.note)
    return gold_ids


def _match_by_number(ids: Sequence[str], texts: Sequence[str], gold: QuestionSet) -> Match | None:
    """Find the gold questions that a run counts from 0 or after a prefix, as in ``task-0``.

    The gold must have no ids but numbers, and the run no texts of its questions.
    """
    if not gold.numbered:
        return None
    matches = [match for match in map(_NUMBERED_ID.fullmatch, ids) if match]
    if len(matches) < len(ids) or len({match["prefix"] for match in matches}) != 1:
        return None
    numbers = [int(match["number"]) for match in matches]
    first = 0 if 0 in numbers else 1
    # numbers from 1 after a prefix may begin with 0, unless the last one is there
    if first == 1 and (not matches[0]["prefix"] or max(numbers) != len(gold.questions)):
        return None
    gold_ids = [str(number + 1 - first) for number in numbers]
    known_ids = {*gold.by_id, *(record.record for record in gold.left_out)}
    if len(set(gold_ids)) < len(set(ids)) or not known_ids.issuperset(gold_ids):
        return None
    gold_texts = {_fold(text) for text in gold.by_text}
    if any(text and _fold(text) in gold_texts for text in texts):
        return None
    return Match(
        gold_ids,
        f"its ids count the questions (first: {ids[numbers.index(min(numbers))]}), and {gold.name}"
        " has no ids of its own; the answers are taken to be in the order of the questions",
    )


def rename_questions(gold: QuestionSet, ids: Mapping[str, str]) -> QuestionSet:
    """Return questions with the ids of a run; `ids` are those of `other_ids`."""
    run_ids = {gold_id: run_id for run_id, gold_id in ids.items()}
    questions = []
    for question in gold.questions:
        question_id = run_ids.get(question.id, f"not asked {question.id}")
        questions.append(dataclasses.replace(question, id=question_id))
    return dataclasses.replace(gold, questions=tuple(questions))


def rename_responses(
    responses: Sequence[ParsedResponse], ids: Mapping[str, str]
) -> list[ParsedResponse]:
    """Return responses with the ids of the questions; `ids` are those of `other_ids`."""
    return _with_ids(responses, [ids.get(item.response.id, item.response.id) for item in responses])


def _with_ids(responses: Sequence[ParsedResponse], ids: Sequence[str]) -> list[ParsedResponse]:
    return [with_id(item, new_id) for item, new_id in zip(responses, ids, strict=True)]


def with_id(item: ParsedResponse, question_id: str) -> ParsedResponse:
    """Return a response with another id."""
    if item.response.id == question_id:
        return item
    return item._replace(response=dataclasses.replace(item.response, id=question_id))


@functools.lru_cache(maxsize=1 << 14)
def _fold(text: str) -> str:
    return " ".join(html.unescape(text).split()).casefold()


@functools.lru_cache(maxsize=1 << 14)
def fold_letters(text: str) -> str:
    """Return the letters and digits of a text in lower case; the text itself if it has none."""
    plain = unicodedata.normalize("NFKC", html.unescape(text))
    return re.sub(r"[\W_]+", " ", plain).casefold().strip() or text
