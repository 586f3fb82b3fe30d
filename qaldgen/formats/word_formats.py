"""Formats of data sets without a knowledge graph whose records are flat."""

from __future__ import annotations

import re

from qaldgen.formats.fields import Fields
from qaldgen.formats.records import RecordFormat, Records, keys
from qaldgen.model import Answers, Mention

_NQ_OPEN = keys(
    "question",
    "answer",
    "def_correct_predictions",
    "poss_correct_predictions",
    "answer_and_def_correct_predictions",
)
_SMART = frozenset({"boolean", "literal", "resource"})
#: The mark before the result of a worked solution.
_RESULT = "####"


def _is_smart(rows: Records) -> bool:
    return {str(row["category"]) for row in rows if row.get("category")} <= _SMART


def _smart_type(record: Fields) -> str:
    kinds = record.strings("type")
    return (
        kinds[0] if record.scalar("category") == "literal" and kinds else record.scalar("category")
    )


def _is_nq_open(rows: Records) -> bool:
    """Whether these are records of NQ-open: lists of answers, questions typed into a search."""
    if not all(row.keys() <= _NQ_OPEN and isinstance(row.get("answer"), list) for row in rows):
        return False
    # search queries have no question mark; other sets with these two fields do
    typed = all(
        isinstance(row["question"], str) and not row["question"].rstrip().endswith("?")
        for row in rows
        if row.get("question")
    )
    return typed or any("def_correct_predictions" in row for row in rows)


def _wordings(record: Fields) -> Answers | None:
    """Return one answer with all its accepted names."""
    wordings = tuple(dict.fromkeys(record.strings("answer")))
    return (
        Answers(texts=(wordings,))
        if wordings
        else Answers()
        if record.data.get("answer") == []
        else None
    )


def _is_gsm8k(rows: Records) -> bool:
    solutions = [row["answer"] for row in rows if row.get("answer")]
    marked = [text for text in solutions if isinstance(text, str) and _RESULT in text]
    return 2 * len(marked) > len(solutions)


def _gsm8k_answers(record: Fields) -> Answers | None:
    """Return the number after ``####``, first without thousands separators."""
    _, mark, said = record.scalar("answer").rpartition(_RESULT)
    if said and not mark:
        raise record.error("answer", f"a solution with the result behind {_RESULT.strip()}")
    said = said.strip()
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", said)
    return Answers(texts=(tuple(dict.fromkeys((plain, said))),)) if said else None


def _gsm8k_solution(record: Fields) -> dict[str, str]:
    solution = " ".join(record.scalar("answer").rpartition(_RESULT)[0].split())
    return {"solution": solution} if solution else {}


def _vanilla_answers(record: Fields) -> Answers | None:
    texts = record.strings("answer")
    return Answers(texts=tuple((text,) for text in texts)) if texts else None


def _vanilla_mentions(record: Fields) -> tuple[Mention, ...]:
    label = record.scalar("question_entity_label")
    return (Mention(label),) if label else ()


def _trivia_answers(record: Fields) -> Answers | None:
    """Return one answer with its aliases; normalised ones only if there are no others."""
    answer = _trivia_answer(record)
    human = answer.strings("HumanAnswers") or answer.strings("human_answers")
    aliases = answer.strings("Aliases") or answer.strings("aliases")
    # the normalised ones lack case and punctuation
    aliases = aliases or answer.strings("NormalizedAliases") or answer.strings("normalized_aliases")
    wordings = (answer.scalar("Value") or answer.scalar("value"), *aliases, *human)
    known = tuple(dict.fromkeys(text for text in wordings if text and text != "<unk>"))
    return Answers(texts=(known,)) if known else None


def _trivia_more(record: Fields) -> dict[str, str]:
    answer = _trivia_answer(record)
    more = {
        "answer_kind": answer.scalar("Type") or answer.scalar("type"),
        "answer_entities": answer.scalar("MatchedWikiEntityName")
        or answer.scalar("matched_wiki_entity_name"),
    }
    return {name: value for name, value in more.items() if value and value != "<unk>"}


def _trivia_answer(record: Fields) -> Fields:
    return record.nested("Answer" if record.has("Answer") else "answer")


def _trivia_type(record: Fields) -> str:
    return _trivia_more(record).get("answer_kind", "")


def _described_answers(record: Fields) -> Answers | None:
    """Return the descriptions in a list in the notation of Lisp."""
    value = record.scalar("targetValue")
    if not value:
        return None
    found = re.findall(r'\(description\s+(?:"((?:[^"\\]|\\.)*)"|([^\s()"]+))\s*\)', value)
    if len(found) != value.count("(description "):
        raise record.error("targetValue", 'a list such as (list (description "Ann"))')
    return Answers(
        texts=tuple((re.sub(r"\\(.)", r"\1", quoted) or plain,) for quoted, plain in found)
    )


def _listed_answers(record: Fields) -> Answers | None:
    texts = tuple((text,) for text in record.strings("answers"))
    return Answers(texts=texts) if texts or record.has("answers") else None


SMART = RecordFormat(
    origin="SMART",
    shown_by=(keys("id", "question", "category", "type"),),
    ids=("id",),
    texts={"question": "en"},
    also=_is_smart,
    answer_type=_smart_type,
    renamed={"category": "answer_category", "type": "answer_class"},
)
NQ_OPEN = RecordFormat(
    origin="NQ-open",
    shown_by=(keys("question", "answer"),),
    ids=(),
    texts={"question": "*"},
    also=_is_nq_open,
    variant=lambda record: "EfficientQA" if "def_correct_predictions" in record.data else "",
    answers=_wordings,
    unkept=keys("answer"),
    numbered=True,
)
GSM8K = RecordFormat(
    origin="GSM8K",
    shown_by=(keys("question", "answer"),),
    ids=("id",),
    texts={"question": "*"},
    also=_is_gsm8k,
    answers=_gsm8k_answers,
    answer_type=lambda record: "number",
    more=_gsm8k_solution,
    unkept=keys("answer"),
    numbered=True,
)
VANILLA = RecordFormat(
    origin="VANiLLa",
    shown_by=(keys("question", "answer", "answer_sentence"),),
    ids=("question_id",),
    texts={"question": "en"},
    answers=_vanilla_answers,
    mentions=_vanilla_mentions,
    unkept=keys("answer", "question_entity_label"),
    numbered=True,
)
TRIVIA_QA = RecordFormat(
    origin="TriviaQA",
    shown_by=(
        keys("QuestionId", "Question", "QuestionSource"),
        keys("question_id", "question", "question_source"),
    ),
    ids=("QuestionId", "question_id"),
    texts={"Question": "en", "question": "en"},
    answers=_trivia_answers,
    answer_type=_trivia_type,
    more=_trivia_more,
    unkept=keys(
        "Answer", "answer", "EntityPages", "SearchResults", "entity_pages", "search_results"
    ),
)
WEB_QUESTIONS = RecordFormat(
    origin="WebQuestions",
    shown_by=(keys("utterance", "targetValue"),),
    ids=(),
    texts={"utterance": "en"},
    answers=_described_answers,
    unkept=keys("targetValue"),
    numbered=True,
)
FACTOID_WEB = RecordFormat(
    origin="factoid-webquestions",
    shown_by=(keys("qId", "qText", "answers"),),
    ids=("qId",),
    texts={"qText": "en"},
    answers=_listed_answers,
    unkept=keys("answers"),
)
