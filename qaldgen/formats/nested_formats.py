"""Data sets of nested JSON: MKQA, SQuAD, WebQSP, TEXT2SPARQL, result sets."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from qaldgen.errors import DataError
from qaldgen.formats.answer_values import answers_in_column, freebase_cell
from qaldgen.formats.column_names import holds_gold
from qaldgen.formats.file_content import Content
from qaldgen.formats.question_texts import (
    UNANSWERABLE,
    add_wording,
    answer_type,
    is_out_of_scope,
    language_tag,
    split_in,
)
from qaldgen.formats.records import (
    Fields,
    Item,
    Note,
    ReadOptions,
    broken,
    by_language,
    document_fields,
    each_record,
    id_of,
    scalar_text,
    unread_note,
)
from qaldgen.formats.results_json import plain_cell
from qaldgen.model import Answers, LeftOut, Mention, Question
from qaldgen.rdf.knowledge_graphs import graph_of_query

_MKQA_FIELDS = frozenset({"example_id", "query", "queries", "answers"})
#: The field with the question, and the set that has it; the fields with its id.
_SQUAD_TEXT = {"question": "SQuAD", "query_text": "CMRC"}
_SQUAD_ID = ("id", "qid", "query_id")
_SQUAD_FIELDS = frozenset({
    *_SQUAD_TEXT, *_SQUAD_ID, "answers", "is_impossible", "plausible_answers"
})  # fmt: skip


def recognises_mkqa(content: Content) -> bool:
    """Return whether these are the records of MKQA."""
    return {"example_id", "queries"} <= content.row_keys


def read_mkqa(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of MKQA, answers in the requested language, else English, else any."""
    return each_record(
        content, ["example_id"], lambda record, _: _mkqa_question(record, options.language)
    )


def _mkqa_question(record: Fields, language: str) -> Question:
    texts: dict[str, tuple[str, ...]] = {}
    add_wording(texts, "en", record.scalar("query"))
    queries = record.nested("queries")
    for tag in queries.data:
        add_wording(texts, tag, queries.scalar(tag))
    answers = _mkqa_answers(record, language)
    kind = answers[0].scalar("type") if answers else ""
    entities = ", ".join(
        dict.fromkeys(name for answer in answers if (name := answer.scalar("entity")))
    )
    metadata = {"answer_kind": kind, "answer_entities": entities}
    return Question(
        id=record.required("example_id"),
        texts=texts,
        answers=_mkqa_gold(answers),
        answer_type=answer_type(kind),
        origin="MKQA",
        metadata={
            **record.rest(_MKQA_FIELDS),
            **{name: value for name, value in metadata.items() if value},
        },
    )


def _mkqa_answers(record: Fields, language: str) -> list[Fields]:
    languages = record.nested("answers")
    by_tag = {language_tag(name).lower(): name for name in languages.data}
    wanted = [
        by_tag.get(language_tag(language).lower()),
        by_tag.get("en"),
        next(iter(languages.data), None),
    ]
    name = next((name for name in wanted if name is not None), None)
    return [] if name is None else languages.objects(name)


def _mkqa_gold(answers: Sequence[Fields]) -> Answers | None:
    """Return the accepted names; ``unanswerable`` is an empty answer, a long one is unknown."""
    kinds = {answer.scalar("type") for answer in answers}
    texts = [(answer.scalar("text"), *answer.strings("aliases")) for answer in answers]
    known = tuple(
        tuple(dict.fromkeys(text for text in wordings if text))
        for wordings in texts
        if any(wordings)
    )
    words = known[0][0].lower() if known else ""
    if kinds == {"binary"} and words in {"yes", "no"}:
        return Answers(boolean=words == "yes")
    if known:
        return Answers(texts=known)
    return Answers() if "unanswerable" in kinds else None


def recognises_squad(content: Content) -> bool:
    """Return whether this has the form of SQuAD: paragraphs, each with its questions in ``qas``."""
    first = next(iter(_articles(content)), None)
    return isinstance(first, dict) and bool({"paragraphs", "qas"} & first.keys())


def _articles(content: Content) -> list[object]:
    """Return what holds the paragraphs: under ``data``, in a list, or one a line after a header."""
    if content.kind not in {"json", "jsonl"}:
        return []
    articles = content.document
    articles = articles.get("data") if isinstance(articles, dict) else articles
    known = articles if isinstance(articles, list) else []
    return [
        article
        for article in known
        if not (isinstance(article, dict) and article.keys() == {"header"})
    ]


def read_squad(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of SQuAD, PoQuAD and others of this form, such as CMRC and MRQA.

    Without an id, the position in the file is the id.
    """
    unread: Counter[str] = Counter()
    for i, value in enumerate(_articles(content), 1):
        try:
            article = Fields(value, (str(content.path),), f"data[{i - 1}].")
            paragraphs = article.objects("paragraphs") if "qas" not in article.data else [article]
        except DataError as error:
            yield broken(content, f"article {i}", "", error)
            continue
        for j, paragraph in enumerate(paragraphs, 1):
            yield from _squad_paragraph(
                content, (i, j), article, paragraph, options.language, unread
            )
    yield from unread_note(unread)


def _squad_paragraph(
    content: Content,
    place: tuple[int, int],
    article: Fields,
    paragraph: Fields,
    language: str,
    unread: Counter[str],
) -> Iterator[Item]:
    i, j = place
    try:
        entries = paragraph.values("qas")
    except DataError as error:
        yield broken(content, f"paragraph {i}.{j}", "", error)
        return
    for k, value in enumerate(entries, 1):
        try:
            entry = paragraph.inside(f"qas[{k - 1}]", value)
            question = _squad_question(entry, f"{i}.{j}.{k}", article, language)
            yield dataclasses.replace(
                question, metadata={**question.metadata, **_answer_place(entry, f"{i}.{j}")}
            )
            unread.update(name.rpartition(".")[2] for name in entry.unread)
        except DataError as error:
            name = id_of(value, ["id"])
            yield broken(
                content, f"question {i}.{j}.{k}{f' (id {name})' if name else ''}", name, error
            )


def _answer_place(entry: Fields, paragraph: str) -> dict[str, str]:
    """Return where the answer begins, because collections of passages cut the same paragraphs."""
    starts = [
        Fields(span, entry.where).scalar("answer_start")
        for span in entry.values("answers")
        if isinstance(span, dict)
    ]
    return {"paragraph": paragraph, "answer_start": starts[0]} if starts and starts[0] else {}


def _squad_question(entry: Fields, number: str, article: Fields, language: str) -> Question:
    text = next((name for name in _SQUAD_TEXT if name in entry.data), "")
    if not text:
        raise entry.error("question", "the text of the question")
    # the two sets have the same format
    polish = article.has("summary")  # only PoQuAD has summaries
    texts: dict[str, tuple[str, ...]] = {}
    add_wording(texts, "pl" if polish else language, entry.scalar(text))
    impossible = entry.flag("is_impossible")
    # several annotators marked the same answer, as a span or as its words
    wordings = [
        said
        for at, span in enumerate(entry.values("answers"))
        for said in (
            [scalar_text(span).strip()]
            if isinstance(span, (str, int, float))
            else map(entry.inside(f"answers[{at}]", span).scalar, ("text", "generative_answer"))
        )
        if said
    ]
    known = entry.has("answers") or bool(impossible)
    metadata = {"title": article.scalar("title"), "unanswerable": entry.scalar("is_impossible")}
    return Question(
        id=next((entry.scalar(name) for name in _SQUAD_ID if entry.has(name)), "") or number,
        texts=texts,
        answers=(
            Answers(texts=(tuple(dict.fromkeys(wordings)),) if wordings else ()) if known else None
        ),
        origin="PoQuAD" if polish else _SQUAD_TEXT[text],
        metadata={
            **entry.rest(_SQUAD_FIELDS),
            **{name: value for name, value in metadata.items() if value},
        },
    )


_WEBQSP_FIELDS = frozenset({"QuestionId", "Question-ID", "RawQuestion", "Parses"})


def recognises_webqsp(content: Content) -> bool:
    """Whether this is WebQSP or FreebaseQA: an object with ``Questions`` that have parses."""
    questions = (
        content.document.get("Questions")
        if content.kind == "json" and isinstance(content.document, dict)
        else None
    )
    if not isinstance(questions, list):
        return False
    return not questions or any(
        isinstance(entry, dict) and {"Parses", "RawQuestion"} & entry.keys()
        for entry in questions[:50]
    )


def read_webqsp(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of WebQSP and FreebaseQA.

    The first parse with a query supplies query and answers.
    """
    questions = document_fields(content).values("Questions")
    return each_record(
        content,
        ["QuestionId", "Question-ID"],
        lambda record, _: _webqsp_question(record),
        questions,
    )


def _webqsp_question(record: Fields) -> Question:
    name = record.required("QuestionId", "Question-ID")
    texts: dict[str, tuple[str, ...]] = {}
    add_wording(texts, "en", record.scalar("RawQuestion") or record.scalar("ProcessedQuestion"))
    parses = record.objects("Parses")
    # parses without a query are incomplete annotations
    parse = next(
        (parse for parse in parses if parse.scalar("Sparql")), parses[0] if parses else None
    )
    return Question(
        id=name,
        texts=texts,
        queries={"freebase": parse.scalar("Sparql")}
        if parse is not None and parse.scalar("Sparql")
        else {},
        answers=None if parse is None or not parse.has("Answers") else _webqsp_answers(parse),
        origin="FreebaseQA" if record.has("Question-ID") else "WebQSP",
        split="train"
        if name.startswith("WebQTrn")
        else "test"
        if name.startswith("WebQTest")
        else "",
        mentions=_webqsp_mentions(parses),
        metadata={**record.rest(_WEBQSP_FIELDS), **_webqsp_metadata(parse, len(parses))},
    )


def complex_web_answers(record: Fields) -> Answers | None:
    """Return the answers of ComplexWebQuestions; None in its test set, which has none."""
    if not record.has("answers"):
        return None
    return answers_in_column(
        freebase_cell(name)
        for item in record.objects("answers")
        if (name := _either(item, "answer_id", "answer"))
    )


def grailqa_answers(record: Fields) -> Answers | None:
    """Return the answers of GrailQA; None where they are masked.

    They are a list of objects, or at Hugging Face an object of lists.
    """
    if not record.has("answer"):
        return None
    if isinstance(record.data["answer"], dict):
        return answers_in_column(
            freebase_cell(name) for name in record.nested("answer").strings("answer_argument")
        )
    return answers_in_column(
        freebase_cell(item.required("answer_argument")) for item in record.objects("answer")
    )


def _either(item: Fields, *names: str) -> str:
    return next((text for name in names if (text := item.scalar(name))), "")


def _webqsp_answers(parse: Fields) -> Answers:
    return answers_in_column(
        freebase_cell(item.required("AnswerArgument", "AnswersMid"))
        for item in parse.objects("Answers")
    )


def _webqsp_mentions(parses: list[Fields]) -> tuple[Mention, ...]:
    mentions = [
        Mention(
            parse.scalar("PotentialTopicEntityMention"),
            freebase_cell(parse.scalar("TopicEntityMid")).value,
        )
        for parse in parses
        if parse.has("PotentialTopicEntityMention") or parse.has("TopicEntityMid")
    ]
    return tuple(dict.fromkeys(mentions))


def _webqsp_metadata(parse: Fields | None, count: int) -> dict[str, str]:
    if parse is None:
        return {}
    comment = parse.nested("AnnotatorComment")
    said = {
        "parses": str(count),
        "inferential_chain": " ".join(parse.strings("InferentialChain")),
        "constraints": str(len(parse.values("Constraints"))),
        "parse_quality": comment.scalar("ParseQuality"),
        "question_quality": comment.scalar("QuestionQuality"),
    }
    return {name: value for name, value in said.items() if value}


_TEXT2SPARQL_FIELDS = frozenset({"id", "question", "query", "features"})


def recognises_text2sparql(content: Content) -> bool:
    """Whether this is TEXT2SPARQL: ``dataset`` and ``questions``, with their texts by language."""
    questions = (
        content.document.get("questions")
        if content.kind == "json" and isinstance(content.document, dict)
        else None
    )
    first = questions[0] if isinstance(questions, list) and questions else None
    return (
        isinstance(first, dict)
        and by_language(first.get("question"))
        and not any(map(holds_gold, first.keys() - _TEXT2SPARQL_FIELDS))
    )


def read_text2sparql(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield the questions of a TEXT2SPARQL file.

    Without an id, the number of the question is the id.
    """
    document = document_fields(content)
    origin = document.nested("dataset").scalar("id")
    return each_record(
        content,
        ["id"],
        lambda record, number: _text2sparql_question(record, number, origin),
        document.values("questions"),
    )


def _text2sparql_question(record: Fields, number: int, origin: str) -> Question | LeftOut:
    name = record.scalar("id") or str(number)
    if "question" not in record.data:
        raise record.error("question", "an object of languages")
    texts: dict[str, tuple[str, ...]] = {}
    wordings = record.nested("question")
    for tag in wordings.data:
        add_wording(texts, tag, wordings.scalar(tag))
    sparql = record.nested("query").scalar("sparql") if record.data.get("query") else ""
    if is_out_of_scope(sparql):
        return LeftOut(name, UNANSWERABLE)
    features = record.strings("features")
    return Question(
        id=name,
        texts=texts,
        queries={graph_of_query(sparql): sparql} if sparql else {},
        origin=origin,
        split=split_in(origin),
        metadata={
            **record.rest(_TEXT2SPARQL_FIELDS),
            **({"features": ", ".join(features)} if features else {}),
        },
    )


#: The name of a question: that of the set, its id, and the language.
QNAME = re.compile(r"(?P<set>[^:\s]+):(?P<id>.+)-(?P<language>[a-z]{2,3})")
#: The field with the questions whose results have an order.
_ORDERED = "order_required"


def recognises_result_sets(content: Content) -> bool:
    """Whether this is one object of objects from values to 0 or 1, by names of questions."""
    document = content.document
    if content.kind != "json" or not isinstance(document, dict) or not document:
        return False
    return all(
        name == _ORDERED
        or (
            QNAME.fullmatch(name) is not None
            and isinstance(values, dict)
            and all(isinstance(value, int) and value in {0, 1} for value in values.values())
        )
        for name, values in document.items()
    )


def result_sets(content: Content) -> dict[str, Answers]:
    """Return the answers by question; a query that failed is an empty answer in such files."""
    document: Mapping[str, dict[str, int]] = content.document  # type: ignore[assignment]
    if not recognises_result_sets(content):
        raise DataError("values with 0 or 1 are expected, by questions", where=content.path)
    return {
        name: _result_set_answers(values) for name, values in document.items() if name != _ORDERED
    }


def read_result_sets(content: Content, options: ReadOptions) -> Iterator[Item]:
    """Yield gold questions in all languages of the file, with their names for texts."""
    results = result_sets(content)
    for name, answers in results.items():
        match = QNAME.fullmatch(name)
        language = match["language"] if match else options.language
        origin = match["set"] if match else ""
        yield Question(id=name, texts={language: (name,)}, answers=answers, origin=origin)
    empty = sum(not answers.values() for answers in results.values())
    yield Note("has results and no questions; names stand for texts, whose features mean nothing")
    if empty:
        yield Note(f"results of {empty:,} are empty, which may also be a query that failed")


def _result_set_answers(values: Mapping[str, int]) -> Answers:
    # an ASK query has the one value "true", with 0 for false
    if values.keys() == {"true"}:
        return Answers(boolean=values["true"] == 1)
    return answers_in_column(plain_cell(value) for value, present in values.items() if present)
