"""Match responses to the gold questions, by id, text, language and wording.

``7@de.2`` is question 7, asked in its second German wording.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path

from qaldgen.answers.record import ParsedResponse, Run
from qaldgen.errors import DataError
from qaldgen.io.notes import collecting, note
from qaldgen.io.text import count, few_quoted
from qaldgen.model import Question, QuestionSet
from qaldgen.questions.file_content import load_content
from qaldgen.questions.question_texts import add_wording, language_tag
from qaldgen.questions.records import record_fields

#: The suffix that readers add to the id of the second and each further question with it.
_COPY_SUFFIX = re.compile(r"#[0-9]+$")
#: The end of a whole number that was written as a float.
_DECIMAL_ZERO = re.compile(r"(?<=[0-9])\.0$")
#: An id that ends in a number.
_NUMBERED_ID = re.compile(r"(?P<prefix>|.*[^0-9])(?P<number>[0-9]+)", re.DOTALL)
#: Marks that may end a question.
_END_MARKS = " ?.!"
#: The share without a match, of both the run and the questions, that suggests a wrong set.
_WRONG_SET_SHARE = 0.75
#: Stands for the wordings that are in the set itself.
OF_SET = "set"
_ASKED_AS = re.compile(r"(?P<id>.+)@(?P<as>[a-z]{2,3}(?:-[A-Za-z0-9-]+)?(?:\.\d+)?)")
_TEXT_FIELDS = ("wording", "question", "paraphrase", "text")
#: A key with the name of the set and the language, as in TEXT2SPARQL: ``db25:1-en``.
_ID_WITH_LANGUAGE = re.compile(r"(?P<whole>(?:[^:\s]+:)?(?P<id>[^:\s]+))[-_](?P<as>[a-z]{2})")


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


def ids_as_in_gold(
    responses: Sequence[ParsedResponse], gold: QuestionSet
) -> Sequence[ParsedResponse]:
    """Return responses with the ids of the gold if theirs are ``7.0``, ``Q7`` or an IRI instead.

    Spreadsheets change the id 7 to 7.0, and people may write Q7.
    """
    if any(item.response.id in gold.by_id for item in responses):
        return responses
    gold_ids = {_DECIMAL_ZERO.sub("", question_id): question_id for question_id in gold.by_id}
    gold_ids |= {question.iri: question.id for question in gold.questions if question.iri}
    renamed = []
    for item in responses:
        question_id = item.response.id
        renamed.append(
            _with_id(item, gold_ids.get(_DECIMAL_ZERO.sub("", question_id), question_id))
        )
    if gold.numbered or any(item.response.id in gold.by_id for item in renamed):
        return renamed
    if any(item.text for item in responses):  # texts say more than numbers
        return renamed
    matches = [_NUMBERED_ID.fullmatch(item.response.id) for item in responses]
    prefixes = {match and match["prefix"] for match in matches}
    numbers = [match["number"] for match in matches if match]
    n_known = sum(question_id in gold.by_id for question_id in numbers)
    if len(prefixes) != 1 or 2 * n_known <= len(responses):
        return renamed
    note(f"its ids are those of {gold.name} behind {prefixes.pop()!r}")
    return [
        _with_id(item, question_id) for item, question_id in zip(responses, numbers, strict=True)
    ]


def number_parts_of_records(
    responses: Sequence[ParsedResponse], gold: QuestionSet
) -> Sequence[ParsedResponse]:
    """Return responses with the id 7 as 7.1, 7.2, ... if the gold has such ids."""
    ids = [item.response.id for item in responses]
    if not gold.by_id.keys().isdisjoint(ids):
        return responses
    numbers: Counter[str] = Counter()
    part_ids = []
    for question_id in ids:
        numbers[question_id] += 1
        part_ids.append(f"{question_id}.{numbers[question_id]}")
    if gold.by_id.keys().isdisjoint(part_ids):
        return responses
    return [_with_id(item, part_id) for item, part_id in zip(responses, part_ids, strict=True)]


def other_ids(responses: Sequence[ParsedResponse], gold: QuestionSet) -> dict[str, str]:
    """Return the ids of the questions by the ids of a run if these refer to other questions.

    They do if they count the questions, or if their texts are those of other questions. The result
    is empty if the ids are the same.
    """
    ids = _ids_by_count(responses, gold)
    if ids:
        first_id = min(ids, key=lambda run_id: int(ids[run_id]))
        note(
            f"its ids count the questions (first: {first_id}), and {gold.name} has no ids of"
            " its own; the answers are taken to be in the order of the questions"
        )
        return ids
    with collecting() as notes:
        joined = join_by_text(responses, gold)
    ids = {
        item.response.id: match.response.id
        for item, match in zip(responses, joined, strict=True)
        if item.text
    }
    mean_others = any(
        question_id in gold.by_id and question_id != ids[question_id] for question_id in ids
    )
    is_one_to_one = len(set(ids.values())) == len(ids) == len({item.text for item in responses})
    if not mean_others or not is_one_to_one:
        return {}
    note(*notes)
    return ids


def _ids_by_count(responses: Sequence[ParsedResponse], gold: QuestionSet) -> dict[str, str]:
    """Return the ids of numbered questions by those of a run that counts them differently; else {}.

    The run may count from 0, or after a prefix (``task-0``). If it has texts of the gold questions,
    its ids are not used.
    """
    if not gold.numbered:
        return {}
    numbers: dict[str, int] = {}
    prefixes = set()
    for item in responses:
        match = _NUMBERED_ID.fullmatch(item.response.id)
        if match is None:
            return {}
        numbers[item.response.id] = int(match["number"])
        prefixes.add(match["prefix"])
    if len(prefixes) != 1:
        return {}
    first = 0 if 0 in numbers.values() else 1
    # numbers from 1 after a prefix may begin with 0, unless the last one is there
    if first == 1 and (prefixes == {""} or max(numbers.values()) != len(gold.questions)):
        return {}
    ids = {run_id: str(number + 1 - first) for run_id, number in numbers.items()}
    gold_ids = {*gold.by_id, *(record.record for record in gold.left_out)}
    is_one_to_one = len(set(ids.values())) == len(ids)
    if not is_one_to_one or not gold_ids.issuperset(ids.values()):
        return {}
    texts = {_fold(text) for text in gold.by_text}
    if any(item.text and _fold(item.text) in texts for item in responses):
        return {}
    return ids


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
    return [_with_id(item, ids.get(item.response.id, item.response.id)) for item in responses]


def join_by_text(
    responses: Sequence[ParsedResponse], gold: QuestionSet
) -> Sequence[ParsedResponse]:
    """Give responses the ids of the gold questions with the same text, if the ids do not match.

    An unknown id may be the text of the question. The ids are kept if they agree with the texts for
    at least half of the questions that are found by text. Other questions get their text as id.
    """
    if _ids_agree_with_texts(responses, gold.by_id):
        return responses
    if all(not item.text and item.response.id in gold.by_id for item in responses):
        return responses
    # punctuation may distinguish questions, but is ignored if there is no exact match
    folds: tuple[Callable[[str], str], ...] = (_fold, _fold_without_end, _fold_letters)
    ids_by_fold: list[dict[str, list[str]]] = [defaultdict(list) for _ in folds]
    for question in gold.questions:
        for wording in chain(*question.texts.values()):
            for ids_by_text, fold in zip(ids_by_fold, folds, strict=True):
                ids_by_text[fold(wording)].append(question.id)
    # the ids of the questions with the text of each response
    questions_of_text: list[list[str]] = []
    for item in responses:
        text = item.text or item.response.id
        ids: list[str] = []
        for ids_by_text, fold in zip(ids_by_fold, folds, strict=True):
            ids = ids or ids_by_text.get(fold(text), [])
        questions_of_text.append(ids)
    matches = sum(map(bool, questions_of_text))
    if not matches:
        note(*_note_other_texts(responses, gold))
        return responses
    # Ids such as 1, 2, 3 occur in every set, so they do not show that the questions are the same.
    agreeing = sum(
        bool(item.text) and item.response.id in names
        for item, names in zip(responses, questions_of_text, strict=True)
    )
    if 2 * agreeing >= matches:
        return responses
    renamed = []
    for item, names in zip(responses, questions_of_text, strict=True):
        question_id = item.text or item.response.id
        if names:
            question_id = names[0]
        renamed.append(_with_id(item, question_id))
    by_text = f"{count(matches, 'question')} of {len(responses):,} were found by their text"
    # the id of an answer without an id is the text of its question
    nameless = all(item.response.id in {item.text, ""} or not item.text for item in responses)
    if not nameless:
        note(f"the ids are not those of {gold.name}; {by_text}")
    elif matches < len(responses):
        note(by_text)
    return renamed


def _note_other_texts(responses: Sequence[ParsedResponse], gold: QuestionSet) -> list[str]:
    """Return a note if the run has the ids of the questions, but other texts.

    Texts of a run may be whole prompts, which contain the question.
    """
    texts = {
        question.id: list(map(_fold, chain(*question.texts.values())))
        for question in gold.questions
    }
    shared = [item for item in responses if item.text and texts.get(item.response.id)]
    for item in shared:
        if any(text in _fold(item.text) for text in texts[item.response.id]):
            return []
    if not shared:
        return []
    return [
        f"{count(len(shared), 'question')} of {len(responses):,} have ids of {gold.name}, but none"
        " has the text of its question there; if that is the wrong set, give the questions that"
        " this system was asked"
    ]


def _ids_agree_with_texts(
    responses: Sequence[ParsedResponse], gold_questions: Mapping[str, Question]
) -> bool:
    """Return whether ids and exact texts agree for half of the questions, a fast check."""
    n_agreeing = 0
    for item in responses:
        question = gold_questions.get(item.response.id)
        if question is None or not item.text:
            continue
        if item.text in chain.from_iterable(question.texts.values()):
            n_agreeing += 1
            if 2 * n_agreeing >= len(responses):
                return True
    return False


def _with_id(item: ParsedResponse, question_id: str) -> ParsedResponse:
    return item._replace(response=dataclasses.replace(item.response, id=question_id))


@functools.lru_cache(maxsize=1 << 14)
def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()


def _fold_without_end(text: str) -> str:
    return _fold(text).rstrip(_END_MARKS)


@functools.lru_cache(maxsize=1 << 14)
def _fold_letters(text: str) -> str:
    """Return the letters and digits of a text in lower case; the text itself if it has none."""
    letters = re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", text)).casefold().strip()
    return letters or text


def expand_wordings(
    questions: QuestionSet, languages: Sequence[str], *, wordings: bool
) -> QuestionSet:
    """Return a set with a question for each language, and with `wordings` for each wording."""
    tags = [language_tag(language) for language in languages]
    expanded = []
    for question in questions:
        for tag in tags:
            texts = question.texts.get(tag, ())
            if not wordings:
                texts = texts[:1]
            for number, text in enumerate(texts, 1):
                question_id = f"{question.id}@{tag}"
                if number > 1:
                    question_id += f".{number}"
                expanded.append(dataclasses.replace(question, id=question_id, texts={tag: (text,)}))
    n_missing = {tag: sum(not question.texts.get(tag) for question in questions) for tag in tags}
    unavailable = [tag for tag, number in n_missing.items() if number == len(questions)]
    if unavailable:
        available = ", ".join(sorted({tag for question in questions for tag in question.texts}))
        raise DataError(
            f"{questions.name}: no question has a text in {', '.join(unavailable)};"
            f" there are {available}"
        )
    notes = [
        f"{number:,} of {len(questions):,} questions have no text in {tag!r}, and are not asked"
        " in it"
        for tag, number in n_missing.items()
        if number
    ]
    return dataclasses.replace(
        questions, questions=tuple(expanded), notes=(*questions.notes, *notes)
    )


def with_wordings(questions: QuestionSet, table: str | Path, language: str) -> QuestionSet:
    """Add wordings from a table with id and wording, and optionally language, to a set."""
    content = load_content(Path(table), "table of wordings")
    texts = {question.id: dict(question.texts) for question in questions}
    for record in record_fields(content, ["id"], content.lower_rows):
        text = next((record.scalar(name) for name in _TEXT_FIELDS if record.has(name)), "")
        if not text.strip():
            raise record.error("wording", "another wording of the question")
        if record.required("id") not in texts:
            raise DataError(
                f"question {record.scalar('id')} is not in {questions.name}; a table of wordings"
                " has the ids of the questions",
                where=table,
            )
        add_wording(texts[record.scalar("id")], record.scalar("language") or language, text)
    extended = (dataclasses.replace(question, texts=texts[question.id]) for question in questions)
    return dataclasses.replace(questions, questions=tuple(extended))


def _split_language(item: ParsedResponse, gold_questions: Mapping[str, Question]) -> ParsedResponse:
    """Split the id of a response into the id of a gold question and a language, if possible."""
    if item.response.id in gold_questions or item.asked_as:
        return item
    match = _ID_WITH_LANGUAGE.fullmatch(item.response.id)
    if match is None:
        return item
    for group in ("whole", "id"):
        if match[group] in gold_questions:
            return _with_id(item._replace(asked_as=match["as"]), match[group])
    return item


def split_asked_ids(
    responses: Iterable[ParsedResponse], gold: QuestionSet | None = None
) -> list[ParsedResponse]:
    """Split ids such as ``7@de.2`` into the id 7 and the wording de.2, unless they are known ids.

    If the gold questions are given, ids such as ``set:7-de`` are split too.
    """
    if gold is not None:
        responses = [_split_language(item, gold.by_id) for item in responses]
    split = []
    for item in responses:
        question_id = item.response.id
        match = None
        if "@" in question_id and not item.asked_as:
            match = _ASKED_AS.fullmatch(question_id)
        if (
            match
            and gold is not None
            and (question_id in gold.by_id or match["id"] not in gold.by_id)
        ):
            match = None
        if match:
            item = _with_id(item._replace(asked_as=match["as"]), match["id"])
        split.append(item)
    return split


def choose_asked_as(responses: Sequence[ParsedResponse], language: str, where: str | Path) -> str:
    """Return the wording to read, in the wanted language; empty if the responses state none."""
    wordings = {item.asked_as for item in responses}
    if "" in wordings or not wordings:
        return ""
    tag = language_tag(language)
    if tag not in wordings:
        available = ", ".join(sorted(wordings))
        raise DataError(
            f"has answers in {available}, none in {tag!r}; choose one of these languages",
            where=where,
        )
    return tag
