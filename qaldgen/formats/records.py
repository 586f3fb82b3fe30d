"""Read data sets whose records are flat JSON objects; a `RecordForm` says which field is what.

What no part of a form names is kept as metadata, if it is one value or a list of such.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from qaldgen.formats.cells import boolean_of, column, plain_cell, results_answers, wikidata_cell
from qaldgen.formats.content import Content
from qaldgen.formats.fields import Fields, record_fields, scalar_text
from qaldgen.formats.freebase import complex_web_answers, grailqa_answers
from qaldgen.formats.gather import add_wording, answer_type, is_out_of_scope
from qaldgen.model import Answers, LeftOut, Mention, Question

#: Texts that mean that there is none.
_NO_TEXT = frozenset({"n/a", "na", "null", "none", "nan"})


class RecordForm(NamedTuple):
    """Which field of a record is what.

    Attributes
    ----------
    origin : str
        The name of the data set.
    shown_by : tuple of sets of str
        A file is of this form if its records have all the keys of one of these sets.
    ids : tuple of str
        The fields that may hold the id; if there are none, or `numbered`, the number of the record is its id.
    texts : mapping of str to str
        Field to language, the main wording first; a language may also be ``*``, for an object of languages.
    queries : mapping of str to str
        Field to knowledge graph.
    answers : callable
        From the record to its answers.
    answer_type : callable
        From the record to the name of its answer type.
    mentions : callable
        From the record to what it says is named in the question.
    more : callable
        From the record to metadata that are not a field of one value.
    renamed : mapping of str to str
        Field to its name in the metadata.
    unkept : frozenset of str
        Fields that are not kept as metadata.
    numbered : bool
        Whether records may lack an id.
    """

    origin: str
    shown_by: tuple[frozenset[str], ...]
    ids: tuple[str, ...]
    texts: Mapping[str, str]
    queries: Mapping[str, str] = {}
    answers: Callable[[Fields], Answers | None] = lambda record: None
    answer_type: Callable[[Fields], str] = lambda record: ""
    mentions: Callable[[Fields], tuple[Mention, ...]] = lambda record: ()
    more: Callable[[Fields], dict[str, str]] = lambda record: {}
    renamed: Mapping[str, str] = {}
    unkept: frozenset[str] = frozenset()
    numbered: bool = False


def recognises_form(form: RecordForm) -> Callable[[Content], bool]:
    """Return the function that says whether a file is of a form."""
    return lambda content: content.kind in {"json", "jsonl"} and any(keys <= content.keys for keys in form.shown_by)


def read_form(form: RecordForm) -> Callable[[Content, str], Iterator[Question | LeftOut]]:
    """Return the function that yields the questions of a file of a form."""

    def read(content: Content, language: str) -> Iterator[Question | LeftOut]:
        for number, record in enumerate(record_fields(content, form.ids), 1):
            name = next((record.scalar(field) for field in form.ids if record.has(field)), "") if form.numbered else ""
            yield _question(form, record, name or (str(number) if form.numbered else record.required(*form.ids)))

    return read


def _question(form: RecordForm, record: Fields, name: str) -> Question | LeftOut:
    if not any(field in record.data for field in form.texts):
        raise record.error(next(iter(form.texts)), "the text of the question")
    texts: dict[str, tuple[str, ...]] = {}
    for field, tag in form.texts.items():
        for language, text in _wordings(record, field, tag):
            if text.lower() not in _NO_TEXT:
                add_wording(texts, language, text)
    queries = {graph: query for field, graph in form.queries.items() if (query := next(iter(record.strings(field)), ""))}
    if any(is_out_of_scope(query) for query in queries.values()):
        return LeftOut(name, "OUT OF SCOPE: cannot be answered from the data")
    used = {*form.ids, *form.texts, *form.queries, *form.unkept}
    metadata = {form.renamed.get(field, field): value for field, value in record.rest(used).items()}
    origin = form.origin
    if "RuBQ_version" in metadata:
        origin = f"RuBQ {metadata.pop('RuBQ_version')}"
    return Question(
        id=name,
        texts=texts,
        queries=queries,
        answers=form.answers(record),
        answer_type=answer_type(form.answer_type(record)),
        origin=origin,
        mentions=form.mentions(record),
        metadata={**metadata, **form.more(record)},
    )


def _wordings(record: Fields, field: str, tag: str) -> list[tuple[str, str]]:
    if tag != "*":
        return [(tag, text) for text in record.strings(field)]
    if isinstance(record.data.get(field), list):
        return [(item.scalar("language"), item.scalar("string")) for item in record.objects(field)]
    languages = record.nested(field)
    return [(language, text) for language in languages.data for text in languages.strings(language)]


def _listed(field: str) -> Callable[[Fields], Answers | None]:
    """Return a reader of answers in a list that may be empty because there are none in the data."""

    def answers(record: Fields) -> Answers | None:
        value = record.data.get(field)
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            bindings = [{"answer": item} for item in value]
            return results_answers(record.inside(field, {"results": {"bindings": bindings}}))
        texts = record.strings(field)
        return column(plain_cell(text) for text in texts) if texts else None

    return answers


def _label_answers(record: Fields) -> Answers | None:
    """Return answers that are labels, or one boolean."""
    values = record.values("ans")
    if len(values) == 1 and isinstance(values[0], bool):
        return Answers(boolean=values[0])
    return Answers(texts=tuple((text,) for text in record.strings("ans"))) if record.has("ans") else None


def _earl_mentions(record: Fields) -> tuple[Mention, ...]:
    """Return what the annotation of LC-QuAD by EARL says; a predicate in upper case is a class."""
    mentions = [Mention(item.scalar("label"), item.scalar("uri"), "entity") for item in record.objects("entity mapping")]
    for item in record.objects("predicate mapping"):
        iri = item.scalar("uri")
        local = iri.rsplit("/", 1)[-1].rsplit("#", 1)[-1]
        mentions.append(Mention(item.scalar("label"), iri, "class" if local[:1].isupper() else "relation"))
    return tuple(mention for mention in mentions if mention.text or mention.iri)


def _rubq_answers(record: Fields) -> Answers | None:
    """Return the answers; an empty list is an empty answer, for these are questions that Wikidata cannot answer."""
    if not record.has("answers"):
        return None
    bindings = [{"answer": item.data} for item in record.objects("answers")]
    return results_answers(record.inside("answers", {"results": {"bindings": bindings}}))


def _mintaka_answers(record: Fields) -> Answers | None:
    if not record.has("answer"):
        return None
    answer = record.nested("answer")
    kind, values = answer.scalar("answerType"), answer.values("answer")
    if kind == "entity" and values:
        return column(wikidata_cell(item.required("name")) for item in answer.objects("answer"))
    truth = boolean_of(scalar_text(values[0])) if kind == "boolean" and values else None
    if truth is not None:
        return Answers(boolean=truth)
    if values:
        return column(plain_cell(text) for text in answer.strings("answer"))
    mention = answer.scalar("mention")
    return Answers(texts=((mention,),)) if mention else None


def _mintaka_mentions(record: Fields) -> tuple[Mention, ...]:
    """Return the entities named in the question; numbers and dates are no entities (see `_mintaka_more`)."""
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


def _kqapro_answers(record: Fields) -> Answers | None:
    text = record.scalar("answer")
    return Answers(texts=((text,),)) if text else None


def _kqapro_more(record: Fields) -> dict[str, str]:
    functions = " ".join(step.scalar("function") for step in record.objects("program"))
    return {"program": functions} if functions else {}


def _smart_type(record: Fields) -> str:
    kinds = record.strings("type")
    return kinds[0] if record.scalar("category") == "literal" and kinds else record.scalar("category")


def _keys(*names: str) -> frozenset[str]:
    return frozenset(names)


LC_QUAD = RecordForm(
    origin="LC-QuAD",
    shown_by=(_keys("corrected_question", "sparql_query"), _keys("question", "entity mapping")),
    ids=("_id", "SerialNumber", "id"),
    texts={"corrected_question": "en", "question": "en"},
    queries={"sparql_query": "dbpedia"},
    mentions=_earl_mentions,
    renamed={"sparql_template_id": "template"},
    numbered=True,
)
LC_QUAD_2 = RecordForm(
    origin="LC-QuAD 2.0",
    shown_by=(_keys("uid", "sparql_wikidata"), _keys("uid", "sparql_dbpedia18"), _keys("uid", "NNQT_question")),
    ids=("uid",),
    texts={"question": "en", "paraphrased_question": "en"},
    queries={"sparql_wikidata": "wikidata", "sparql_dbpedia18": "dbpedia"},
    answers=_listed("answer"),
    unkept=_keys("answer"),
)
RUBQ = RecordForm(
    origin="RuBQ",
    shown_by=(_keys("uid", "question_text"),),
    ids=("uid",),
    texts={"question_text": "ru", "question_eng": "en"},
    queries={"query": "wikidata"},
    answers=_rubq_answers,
)
MINTAKA = RecordForm(
    origin="Mintaka",
    shown_by=(_keys("question", "questionEntity"), _keys("question", "complexityType")),
    ids=("id",),
    texts={"question": "en", "translations": "*"},
    answers=_mintaka_answers,
    answer_type=lambda record: record.nested("answer").scalar("answerType"),
    mentions=_mintaka_mentions,
    more=_mintaka_more,
    renamed={"complexityType": "complexity"},
)
COMPLEX_WEB = RecordForm(
    origin="ComplexWebQuestions",
    shown_by=(_keys("ID", "machine_question"), _keys("ID", "compositionality_type")),
    ids=("ID",),
    texts={"question": "en"},
    queries={"sparql": "freebase"},
    answers=complex_web_answers,
)
GRAILQA = RecordForm(
    origin="GrailQA",
    shown_by=(_keys("qid", "question"),),
    ids=("qid",),
    texts={"question": "en"},
    queries={"sparql_query": "freebase"},
    answers=grailqa_answers,
    renamed={"domains": "domain"},
    unkept=_keys("answer"),
)
KQA_PRO = RecordForm(
    origin="KQA Pro",
    shown_by=(_keys("question", "choices"),),
    ids=("id",),
    texts={"question": "en"},
    queries={"sparql": ""},
    answers=_kqapro_answers,
    more=_kqapro_more,
    unkept=_keys("answer"),
    numbered=True,
)
SMART = RecordForm(
    origin="SMART",
    shown_by=(_keys("id", "question", "category", "type"),),
    ids=("id",),
    texts={"question": "en"},
    answer_type=_smart_type,
    renamed={"category": "answer_category", "type": "answer_class"},
)
GPT_FAMILY = RecordForm(
    origin="Complex-Question-Answering-Evaluation-of-GPT-family",
    shown_by=(_keys("ID", "question", "ans"),),
    ids=("ID",),
    texts={"question": "*"},
    queries={"sparql": "dbpedia"},
    answers=_label_answers,
    unkept=_keys("ans"),
)
