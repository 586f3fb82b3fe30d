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
from qaldgen.questions.csv_tables import table_records
from qaldgen.questions.file_content import load_content
from qaldgen.questions.question_texts import add_wording, language_tag
from qaldgen.questions.records import record_fields

#: The suffix that readers add to the id of the second and each further question with it.
_COPY = re.compile(r"#[0-9]+$")
#: What a whole number has if it was written as any number.
_WHOLE = re.compile(r"(?<=[0-9])\.0$")
_COUNTED = re.compile(r"(?P<prefix>|.*[^0-9])(?P<number>[0-9]+)", re.DOTALL)
#: Marks at the end of a question.
_END = " ?.!"
#: The share of both the run and the questions without a partner that suggests the wrong set.
_MOST = 0.75
#: Stands for the wordings that a set has itself.
OF_SET = "set"
_ASKED_AS = re.compile(r"(?P<id>.+)@(?P<as>[a-z]{2,3}(?:-[A-Za-z0-9-]+)?(?:\.\d+)?)")
_TEXTS = ("wording", "question", "paraphrase", "text")
#: A key with the name of the set and the language, as in TEXT2SPARQL: ``db25:1-en``.
_IN_LANGUAGE = re.compile(r"(?P<whole>(?:[^:\s]+:)?(?P<id>[^:\s]+))[-_](?P<as>[a-z]{2})")


def match_report(run: Run, questions: QuestionSet) -> list[str]:
    """Return what a user should know about the questions of a run and the gold questions.

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
        name
        for name in gold_questions
        if name not in run.responses and _COPY.sub("", name) not in run.responses
    ]
    foreign = [name for name in run.responses if name not in gold_questions]
    if missing:
        notes.append(
            f"{run.name} has no record for {len(missing):,} of"
            f" {count(len(gold_questions), 'question')} (first: {missing[0]}); their"
            " status is 'not asked'"
        )
    if foreign:
        verb = "is" if len(foreign) == 1 else "are"
        notes.append(
            f"{count(len(foreign), 'question')} of {run.name} {verb} not in {questions.name}"
            f" (first: {foreign[0]}); what was answered there is not counted"
        )
    if len(missing) > _MOST * len(gold_questions) and len(foreign) > _MOST * len(run.responses):
        notes.append(
            f"{run.name} answers mostly other questions than those of {questions.name}; if that is"
            " the wrong set, give the questions that this system was asked"
        )
    return notes


def ids_as_in_gold(
    responses: Sequence[ParsedResponse], gold: QuestionSet
) -> Sequence[ParsedResponse]:
    """Return responses with the ids of the gold, where theirs are ``7.0`` or the IRI of a question.

    Spreadsheets make 7.0 of the id 7, and people write Q7.
    """
    if any(item.response.id in gold.by_id for item in responses):
        return responses
    gold_ids = {_WHOLE.sub("", name): name for name in gold.by_id}
    gold_ids |= {question.iri: question.id for question in gold.questions if question.iri}
    renamed = []
    for item in responses:
        name = item.response.id
        renamed.append(_with_id(item, gold_ids.get(_WHOLE.sub("", name), name)))
    if gold.numbered or any(item.response.id in gold.by_id for item in renamed):
        return renamed
    if any(item.text for item in responses):  # texts say more than numbers
        return renamed
    matches = [_COUNTED.fullmatch(item.response.id) for item in responses]
    prefixes = {match and match["prefix"] for match in matches}
    numbers = [match["number"] for match in matches if match]
    if len(prefixes) != 1 or 2 * sum(name in gold.by_id for name in numbers) <= len(responses):
        return renamed
    note(f"its ids are those of {gold.name} behind {prefixes.pop()!r}")
    return [_with_id(item, name) for item, name in zip(responses, numbers, strict=True)]


def number_parts_of_records(
    responses: Sequence[ParsedResponse], gold: QuestionSet
) -> Sequence[ParsedResponse]:
    """Return responses that repeat the id of a record with the ids of its questions.

    Readers number the questions of record 7 as 7.1, 7.2, ...
    """
    ids = [item.response.id for item in responses]
    if not gold.by_id.keys().isdisjoint(ids):
        return responses
    numbers: Counter[str] = Counter()
    part_ids = []
    for name in ids:
        numbers[name] += 1
        part_ids.append(f"{name}.{numbers[name]}")
    if gold.by_id.keys().isdisjoint(part_ids):
        return responses
    return [_with_id(item, part_id) for item, part_id in zip(responses, part_ids, strict=True)]


def other_ids(responses: Sequence[ParsedResponse], gold: QuestionSet) -> dict[str, str]:
    """Return the ids of questions by those of a run, if these mean other questions; else {}.

    So do ids that count questions, and ids that by the texts beside them belong to others.
    """
    ids = _counted_ids(responses, gold)
    if ids:
        first = min(ids, key=lambda name: int(ids[name]))
        note(
            f"its ids count the questions (first: {first}), and {gold.name} has no ids of"
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
    mean_others = any(name in gold.by_id and name != ids[name] for name in ids)
    is_one_to_one = len({*ids.values()}) == len(ids) == len({item.text for item in responses})
    if not mean_others or not is_one_to_one:
        return {}
    note(*notes)
    return ids


def _counted_ids(responses: Sequence[ParsedResponse], gold: QuestionSet) -> dict[str, str]:
    """Return the ids of questions by those of a run that counts them; {} if it does not.

    The questions are numbered for want of ids. The run counts from 0, or behind one prefix
    (``task-0``). Texts of questions that the gold has say more than numbers.
    """
    if not gold.numbered:
        return {}
    numbers: dict[str, int] = {}
    prefixes = set()
    for item in responses:
        match = _COUNTED.fullmatch(item.response.id)
        if match is None:
            return {}
        numbers[item.response.id] = int(match["number"])
        prefixes.add(match["prefix"])
    if len(prefixes) != 1:
        return {}
    first = 0 if 0 in numbers.values() else 1
    # whether numbers from 1 behind a prefix begin with 0 is known only if the last one is there
    if first == 1 and (prefixes == {""} or max(numbers.values()) != len(gold.questions)):
        return {}
    ids = {run_id: str(number + 1 - first) for run_id, number in numbers.items()}
    gold_ids = {*gold.by_id, *(record.record for record in gold.left_out)}
    is_one_to_one = len({*ids.values()}) == len(ids)
    if not is_one_to_one or not gold_ids.issuperset(ids.values()):
        return {}
    texts = {_folded(text) for text in gold.by_text}
    if any(item.text and _folded(item.text) in texts for item in responses):
        return {}
    return ids


def rename_questions(gold: QuestionSet, ids: Mapping[str, str]) -> QuestionSet:
    """Return questions with the ids that a run has for them, by `other_ids`."""
    run_ids = {gold_id: run_id for run_id, gold_id in ids.items()}
    questions = []
    for question in gold.questions:
        name = run_ids.get(question.id, f"not asked {question.id}")
        questions.append(dataclasses.replace(question, id=name))
    return dataclasses.replace(gold, questions=tuple(questions))


def rename_responses(
    responses: Sequence[ParsedResponse], ids: Mapping[str, str]
) -> list[ParsedResponse]:
    """Return responses with the ids of the questions, by `other_ids`."""
    return [_with_id(item, ids.get(item.response.id, item.response.id)) for item in responses]


def join_by_text(
    responses: Sequence[ParsedResponse], gold: QuestionSet
) -> Sequence[ParsedResponse]:
    """Give responses the ids of the gold questions with the same text, if the ids do not match.

    A key that is not an id may be the text of the question. The ids stay if the texts agree with
    them for at least half of the questions that are found by text. Questions whose text the gold
    questions do not have get their text as id.
    """
    if _agree(responses, gold.by_id):
        return responses
    if all(not item.text and item.response.id in gold.by_id for item in responses):
        return responses
    # a mark tells questions apart, but where it does not, it may be missing or another one
    forms: tuple[Callable[[str], str], ...] = (_folded, _without_end, _without_marks)
    ids_by_form: list[dict[str, list[str]]] = [defaultdict(list) for _ in forms]
    for question in gold.questions:
        for wording in chain(*question.texts.values()):
            for ids_by_text, form in zip(ids_by_form, forms, strict=True):
                ids_by_text[form(wording)].append(question.id)
    # the ids of the questions with the text of each response
    questions_of_text: list[list[str]] = []
    for item in responses:
        text = item.text or item.response.id
        ids: list[str] = []
        for ids_by_text, form in zip(ids_by_form, forms, strict=True):
            ids = ids or ids_by_text.get(form(text), [])
        questions_of_text.append(ids)
    matches = sum(map(bool, questions_of_text))
    if not matches:
        note(*_other_texts(responses, gold))
        return responses
    # Ids such as 1, 2, 3 occur in every set, so they alone do not prove that the questions are the
    # same.
    agreeing = sum(
        bool(item.text) and item.response.id in names
        for item, names in zip(responses, questions_of_text, strict=True)
    )
    if 2 * agreeing >= matches:
        return responses
    renamed = []
    for item, names in zip(responses, questions_of_text, strict=True):
        name = item.text or item.response.id
        if names:
            name = names[0]
        renamed.append(_with_id(item, name))
    by_text = f"{count(matches, 'question')} of {len(responses):,} were found by their text"
    # an answer without an id has the text of its question in its place
    nameless = all(item.response.id in {item.text, ""} or not item.text for item in responses)
    if not nameless:
        note(f"the ids are not those of {gold.name}; {by_text}")
    elif matches < len(responses):
        note(by_text)
    return renamed


def _other_texts(responses: Sequence[ParsedResponse], gold: QuestionSet) -> list[str]:
    """Return a note if the run has the ids of the questions, but other texts.

    Texts of a run may be whole prompts, which contain the question.
    """
    texts = {
        question.id: [*map(_folded, chain(*question.texts.values()))] for question in gold.questions
    }
    shared = [item for item in responses if item.text and texts.get(item.response.id)]
    for item in shared:
        if any(text in _folded(item.text) for text in texts[item.response.id]):
            return []
    if not shared:
        return []
    return [
        f"{count(len(shared), 'question')} of {len(responses):,} have ids of {gold.name}, but none"
        " has the text of its question there; if that is the wrong set, give the questions that"
        " this system was asked"
    ]


def _agree(responses: Sequence[ParsedResponse], gold_questions: Mapping[str, Question]) -> bool:
    """Return whether texts and ids agree in half of all questions, letter by letter.

    A quick check: then nothing needs to be looked up.
    """
    agreeing = 0
    for item in responses:
        question = gold_questions.get(item.response.id)
        if question is None or not item.text:
            continue
        if item.text in chain.from_iterable(question.texts.values()):
            agreeing += 1
            if 2 * agreeing >= len(responses):
                return True
    return False


def _with_id(item: ParsedResponse, name: str) -> ParsedResponse:
    return item._replace(response=dataclasses.replace(item.response, id=name))


@functools.lru_cache(maxsize=1 << 14)
def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _without_end(text: str) -> str:
    return _folded(text).rstrip(_END)


@functools.lru_cache(maxsize=1 << 14)
def _without_marks(text: str) -> str:
    """Return the letters and digits of a text; the text itself if it has none."""
    letters = re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", text)).casefold().strip()
    return letters or text


def expand_wordings(
    questions: QuestionSet, languages: Sequence[str], *, wordings: bool
) -> QuestionSet:
    """Return a set with a question for each language, and for each wording if they are wanted."""
    tags = [language_tag(language) for language in languages]
    expanded = []
    for question in questions:
        for tag in tags:
            texts = question.texts.get(tag, ())
            if not wordings:
                texts = texts[:1]
            for number, text in enumerate(texts, 1):
                name = f"{question.id}@{tag}"
                if number > 1:
                    name += f".{number}"
                expanded.append(dataclasses.replace(question, id=name, texts={tag: (text,)}))
    lacking = {tag: sum(not question.texts.get(tag) for question in questions) for tag in tags}
    absent = [tag for tag, number in lacking.items() if number == len(questions)]
    if absent:
        available = ", ".join(sorted({tag for question in questions for tag in question.texts}))
        raise DataError(
            f"{questions.name}: no question has a text in {', '.join(absent)};"
            f" there are {available}"
        )
    notes = [
        f"{number:,} of {len(questions):,} questions have no text in {tag!r}, and are not asked"
        " in it"
        for tag, number in lacking.items()
        if number
    ]
    return dataclasses.replace(
        questions, questions=tuple(expanded), notes=(*questions.notes, *notes)
    )


def with_wordings(questions: QuestionSet, table: str | Path, language: str) -> QuestionSet:
    """Add wordings from a table with id and wording, and optionally language, to a set."""
    content = load_content(Path(table), "table of wordings")
    rows = table_records(content) if content.kind == "text" else content.records
    texts = {question.id: dict(question.texts) for question in questions}
    for record in record_fields(content, ["id"], rows):
        text = next((record.scalar(name) for name in _TEXTS if record.has(name)), "")
        if not text.strip():
            raise record.error("wording", "another wording of the question")
        if record.required("id") not in texts:
            raise DataError(
                f"question {record.scalar('id')} is not in {questions.name}; a table of wordings"
                " has the ids of the questions",
                where=table,
            )
        add_wording(texts[record.scalar("id")], record.scalar("language") or language, text)
    asked = tuple(dataclasses.replace(question, texts=texts[question.id]) for question in questions)
    return dataclasses.replace(questions, questions=asked)


def _in_language(item: ParsedResponse, gold_questions: Mapping[str, Question]) -> ParsedResponse:
    """Return a response with the id and the language that its key has together."""
    name = item.response.id
    if name in gold_questions or item.asked_as:
        return item
    key = _IN_LANGUAGE.fullmatch(name)
    if key is None:
        return item
    for part in ("whole", "id"):
        if key[part] in gold_questions:
            return _with_id(item._replace(asked_as=key["as"]), key[part])
    return item


def split_asked_ids(
    responses: Iterable[ParsedResponse], gold: QuestionSet | None = None
) -> list[ParsedResponse]:
    """Return responses to ``7@de.2`` as such to 7, asked as de.2, unless that is a known id.

    Where the questions are known, so are those to ``set:7-de``.
    """
    if gold is not None:
        responses = [_in_language(item, gold.by_id) for item in responses]
    split = []
    for item in responses:
        name = item.response.id
        match = None
        if "@" in name and not item.asked_as:
            match = _ASKED_AS.fullmatch(name)
        if match and gold is not None and (name in gold.by_id or match["id"] not in gold.by_id):
            match = None
        if match:
            item = _with_id(item._replace(asked_as=match["as"]), match["id"])
        split.append(item)
    return split


def choose_asked_as(responses: Sequence[ParsedResponse], language: str, where: str | Path) -> str:
    """Return the language, and wording, of the wanted responses; empty if they do not say."""
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
