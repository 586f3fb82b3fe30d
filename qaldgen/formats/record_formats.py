"""Data sets of flat JSON objects: a `RecordFormat` says what each field holds.

Fields that the format does not name are kept as metadata, if they are scalars or lists of scalars.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from qaldgen.formats.answer_values import answers_in_column, as_cells, gold_answers, wikidata_cell
from qaldgen.formats.file_content import Content
from qaldgen.formats.nested_formats import complex_web_answers, grailqa_answers
from qaldgen.formats.question_texts import UNANSWERABLE, answer_type, is_out_of_scope
from qaldgen.formats.records import (
    Fields,
    Item,
    Read,
    ReadOptions,
    add_texts,
    boolean_of,
    each_record,
    scalar_text,
)
from qaldgen.formats.results_json import plain_cell, results_answers
from qaldgen.model import Answers, LeftOut, Mention, Question
from qaldgen.rdf.knowledge_graphs import graph_of_query

#: Texts that mean "no text".
_NO_TEXT = frozenset({"n/a", "na", "null", "none", "nan"})
_LOOKED_AT = 50
Records: TypeAlias = Sequence[Mapping[str, object]]


class RecordFormat(NamedTuple):
    """What the fields of a record hold."""

    origin: str  # the name of the data set
    #: A file has this format if its records have all the keys of one of these sets.
    shown_by: tuple[frozenset[str], ...]
    #: The fields that may hold the id; without an id, the number of the record if `numbered`.
    ids: tuple[str, ...]
    #: Field to language, the main text first; ``*`` for the language of the options, or for a field
    #: with a text per language.
    texts: Mapping[str, str]
    #: Whether the values of the first records have this format, if their keys are too common.
    also: Callable[[Records], bool] = lambda rows: True
    #: From the record to the name of the data set, if it is not `origin`.
    variant: Callable[[Fields], str] = lambda record: ""
    queries: Mapping[str, str] = {}  # field to knowledge graph; empty to judge by the query
    #: From the record to its answers.
    answers: Callable[[Fields], Answers | None] = lambda record: None
    #: From the record to the name of its answer type.
    answer_type: Callable[[Fields], str] = lambda record: ""
    #: From the record to its annotations of what the question names.
    mentions: Callable[[Fields], tuple[Mention, ...]] = lambda record: ()
    #: From the record to metadata that must be computed from nested fields.
    more: Callable[[Fields], dict[str, str]] = lambda record: {}
    renamed: Mapping[str, str] = {}  # field to its name in the metadata
    unkept: frozenset[str] = frozenset()  # fields that are not kept as metadata
    numbered: bool = False  # whether records may lack an id


def recognises_form(form: RecordFormat) -> Callable[[Content], bool]:
    """Return the function that recognises files of a format."""

    def recognises(content: Content) -> bool:
        if not any(keys <= content.row_keys for keys in form.shown_by):
            return False
        return form.also([row for row in content.rows[:_LOOKED_AT] if isinstance(row, dict)])

    return recognises


def read_form(form: RecordFormat) -> Read:
    """Return the function that yields the questions of a file of a format."""

    def _read(content: Content, options: ReadOptions) -> Iterator[Item]:
        def _read_one(record: Fields, number: int) -> Item:
            if not form.numbered:
                return _question(form, record, record.required(*form.ids), options.language)
            name = next((record.scalar(field) for field in form.ids if record.has(field)), "")
            return _question(form, record, name or str(number), options.language)

        return each_record(content, form.ids, _read_one)

    return _read


def keys(*names: str) -> frozenset[str]:
    """Return the names of fields as a set."""
    return frozenset(names)


def _question(form: RecordFormat, record: Fields, name: str, language: str) -> Question | LeftOut:
    if not any(field in record.data for field in form.texts):
        raise record.error(next(iter(form.texts)), "the text of the question")
    queries = dict(_queries(form, record))
    if any(is_out_of_scope(query) for query in queries.values()):
        return LeftOut(name, UNANSWERABLE)
    metadata = {
        form.renamed.get(field, field): value
        for field, value in record.rest(
            {*form.ids, *form.texts, *form.queries, *form.unkept}
        ).items()
    }
    return Question(
        id=name,
        texts=_texts(form, record, language),
        queries=queries,
        answers=form.answers(record),
        answer_type=answer_type(form.answer_type(record)),
        origin=form.variant(record) or form.origin,
        mentions=form.mentions(record),
        metadata={**metadata, **form.more(record)},
    )


def _texts(form: RecordFormat, record: Fields, language: str) -> dict[str, tuple[str, ...]]:
    texts: dict[str, tuple[str, ...]] = {}
    for field, tag in form.texts.items():
        add_texts(texts, record, field, language if tag == "*" else tag)
    known = {
        tag: tuple(text for text in wordings if text.lower() not in _NO_TEXT)
        for tag, wordings in texts.items()
    }
    return {tag: wordings for tag, wordings in known.items() if wordings}


def _queries(form: RecordFormat, record: Fields) -> Iterator[tuple[str, str]]:
    """Yield the queries; they are in a field, or in an object under ``sparql``."""
    for field, graph in form.queries.items():
        inside = record.nested(field) if isinstance(record.data.get(field), dict) else None
        queries = record.strings(field) if inside is None else inside.strings("sparql")
        if queries:
            yield graph or graph_of_query(queries[0]), queries[0]


def _listed(field: str) -> Callable[[Fields], Answers | None]:
    """Return a reader of a list of answers, where an empty list means that they are unknown."""

    def answers(record: Fields) -> Answers | None:
        value = record.data.get(field)
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            return _cells(record, field)
        texts = record.strings(field)
        return answers_in_column(plain_cell(text) for text in texts) if texts else None

    return answers


def _labels(field: str, *, may_be_empty: bool = True) -> Callable[[Fields], Answers | None]:
    """Return a reader of a list of names, each an answer, or of one boolean."""

    def answers(record: Fields) -> Answers | None:
        value = record.data.get(field)
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], bool):
            return Answers(boolean=value[0])
        texts = tuple((text,) for text in record.strings(field))
        return Answers(texts=texts) if texts or (may_be_empty and record.has(field)) else None

    return answers


def _earl_mentions(record: Fields) -> tuple[Mention, ...]:
    """Return EARL's annotations of LC-QuAD; a predicate that starts with a capital is a class."""
    mentions = [
        Mention(item.scalar("label"), item.scalar("uri"), "entity")
        for item in record.objects("entity mapping")
    ]
    for item in record.objects("predicate mapping"):
        iri = item.scalar("uri")
        local = iri.rsplit("/", 1)[-1].rsplit("#", 1)[-1]
        mentions.append(
            Mention(item.scalar("label"), iri, "class" if local[:1].isupper() else "relation")
        )
    return tuple(mention for mention in mentions if mention.text or mention.iri)


def _rubq_answers(record: Fields) -> Answers | None:
    """Return the answers; an empty list is an empty answer, as RuBQ has unanswerable questions."""
    return _cells(record, "answers") if record.has("answers") else None


def _cells(record: Fields, field: str) -> Answers:
    """Return the answers in a list of cells as in SPARQL results."""
    bindings = [{"answer": item.data} for item in record.objects(field)]
    return results_answers(record.inside(field, {"results": {"bindings": bindings}}))


def _mintaka_answers(record: Fields) -> Answers | None:
    if not record.has("answer"):
        return None
    answer = record.nested("answer")
    kind, values = answer.scalar("answerType"), answer.values("answer")
    if kind == "entity" and values:
        return answers_in_column(
            wikidata_cell(item.required("name")) for item in answer.objects("answer")
        )
    truth = boolean_of(scalar_text(values[0])) if kind == "boolean" and values else None
    if truth is not None:
        return Answers(boolean=truth)
    if values:
        return answers_in_column(plain_cell(text) for text in answer.strings("answer"))
    mention = answer.scalar("mention")
    return Answers(texts=((mention,),)) if mention else None


def _mintaka_mentions(record: Fields) -> tuple[Mention, ...]:
    """Return the entities named in the question; numbers and dates go to `_mintaka_more`."""
    return tuple(
        Mention(item.scalar("mention"), cell.value if cell.type == "uri" else "")
        for item in record.objects("questionEntity")
        if item.scalar("entityType") == "entity"
        for cell in [wikidata_cell(item.scalar("name"))]
    )


def _mintaka_more(record: Fields) -> dict[str, str]:
    answer = record.nested("answer")
    values = [
        f"{item.scalar('entityType')}: {item.scalar('mention') or item.scalar('name')}"
        for item in record.objects("questionEntity")
        if item.scalar("entityType") != "entity"
    ]
    more = {"answer_mention": answer.scalar("mention"), "question_values": ", ".join(values)}
    return {name: value for name, value in more.items() if value}


def _kqapro_more(record: Fields) -> dict[str, str]:
    functions = " ".join(step.scalar("function") for step in record.objects("program"))
    return {"program": functions} if functions else {}


def _results(field: str) -> Callable[[Fields], Answers | None]:
    """Return a reader of query results, or of other answers in a field, as cells."""

    def answers(record: Fields) -> Answers | None:
        return as_cells(
            gold_answers(record.data.get(field), record, field, several=True), queried=True
        )

    return answers


LC_QUAD = RecordFormat(
    origin="LC-QuAD",
    shown_by=(keys("corrected_question", "sparql_query"), keys("question", "entity mapping")),
    ids=("_id", "SerialNumber", "id"),
    texts={"corrected_question": "en", "question": "en"},
    queries={"sparql_query": "dbpedia"},
    mentions=_earl_mentions,
    renamed={"sparql_template_id": "template"},
    unkept=keys("entity mapping", "predicate mapping"),
    numbered=True,
)
LC_QUAD_2 = RecordFormat(
    origin="LC-QuAD 2.0",
    shown_by=(
        keys("uid", "sparql_wikidata"),
        keys("uid", "sparql_dbpedia18"),
        keys("uid", "NNQT_question"),
    ),
    ids=("uid",),
    texts={"question": "en", "paraphrased_question": "en"},
    queries={"sparql_wikidata": "wikidata", "sparql_dbpedia18": "dbpedia"},
    answers=_listed("answer"),
    unkept=keys("answer"),
)
RUBQ = RecordFormat(
    origin="RuBQ",
    shown_by=(
        keys("uid", "question_text", "question_eng"),
        keys("uid", "question_text", "RuBQ_version"),
    ),
    ids=("uid",),
    texts={"question_text": "ru", "question_eng": "en"},
    variant=lambda record: (
        f"RuBQ {record.scalar('RuBQ_version')}" if record.has("RuBQ_version") else ""
    ),
    queries={"query": "wikidata"},
    answers=_rubq_answers,
    unkept=keys("answers", "RuBQ_version", "paragraphs_uids"),
)
MINTAKA = RecordFormat(
    origin="Mintaka",
    shown_by=(keys("question", "questionEntity"), keys("question", "complexityType")),
    ids=("id",),
    texts={"question": "en", "translations": "*"},
    answers=_mintaka_answers,
    answer_type=lambda record: record.nested("answer").scalar("answerType"),
    mentions=_mintaka_mentions,
    more=_mintaka_more,
    renamed={"complexityType": "complexity"},
    unkept=keys("answer", "questionEntity"),
)
COMPLEX_WEB = RecordFormat(
    origin="ComplexWebQuestions",
    shown_by=(keys("ID", "machine_question"), keys("ID", "compositionality_type")),
    ids=("ID",),
    texts={"question": "en"},
    queries={"sparql": "freebase"},
    answers=complex_web_answers,
    unkept=keys("answers"),
)
GRAILQA = RecordFormat(
    origin="GrailQA",
    shown_by=tuple(
        keys("qid", "question", name)
        for name in ("s_expression", "graph_query", "level", "domains")
    ),
    ids=("qid",),
    texts={"question": "en"},
    queries={"sparql_query": "freebase"},
    answers=grailqa_answers,
    renamed={"domains": "domain"},
    unkept=keys("answer", "graph_query"),
)
KQA_PRO = RecordFormat(
    origin="KQA Pro",
    shown_by=(keys("question", "choices", "program"),),
    ids=("id",),
    texts={"question": "en"},
    queries={"sparql": ""},
    answers=_labels("answer", may_be_empty=False),
    more=_kqapro_more,
    unkept=keys("answer", "program"),
    numbered=True,
)
GPT_FAMILY = RecordFormat(
    origin="Complex-Question-Answering-Evaluation-of-GPT-family",
    shown_by=(keys("ID", "question", "ans"),),
    ids=("ID",),
    also=lambda rows: any(isinstance(row.get("question"), list) for row in rows),
    texts={"question": "*"},
    queries={"sparql": "dbpedia"},
    answers=_labels("ans"),
    unkept=keys("ans"),
)
VQUANDA = RecordFormat(
    origin="VQuAnDa",
    shown_by=(keys("uid", "question", "verbalized_answer", "query"),),
    ids=("uid",),
    texts={"question": "en"},
    variant=lambda record: "ParaQA" if "verbalized_answer_2" in record.data else "",
    queries={"query": "dbpedia"},
)
DBLP_QUAD = RecordFormat(
    origin="DBLP-QuAD",
    shown_by=(keys("question", "query", "query_type", "template_id"),),
    ids=("id",),
    texts={"question": "en", "paraphrased_question": "en"},
    queries={"query": ""},
    answers=_results("answer"),
    unkept=keys("answer"),
)
GEOQUESTIONS = RecordFormat(
    origin="GeoQuestions1089",
    shown_by=(keys("Question", "Query", "Category"),),
    ids=("id",),
    texts={"Question": "en"},
    queries={"Query": ""},
    answers=_results("Answer"),
    renamed={"Category": "category"},
    unkept=keys("Answer"),
    numbered=True,
)


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
    category, kinds = record.scalar("category"), record.strings("type")
    return kinds[0] if category == "literal" and kinds else category


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
    if not wordings:
        return Answers() if record.data.get("answer") == [] else None
    return Answers(texts=(wordings,))


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


def _described_answers(record: Fields) -> Answers | None:
    """Return the descriptions in a list in the notation of Lisp."""
    value = record.scalar("targetValue")
    if not value:
        return None
    descriptions = re.findall(r'\(description\s+(?:"((?:[^"\\]|\\.)*)"|([^\s()"]+))\s*\)', value)
    if len(descriptions) != value.count("(description "):
        raise record.error("targetValue", 'a list such as (list (description "Ann"))')
    return Answers(
        texts=tuple((re.sub(r"\\(.)", r"\1", quoted) or plain,) for quoted, plain in descriptions)
    )


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
    answers=_labels("answer", may_be_empty=False),
    mentions=lambda record: tuple(map(Mention, record.strings("question_entity_label"))),
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
    answer_type=lambda record: _trivia_more(record).get("answer_kind", ""),
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
    answers=_labels("answers"),
    unkept=keys("answers"),
)
