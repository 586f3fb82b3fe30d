"""Formats of data sets in JSON records: a `RecordFormat` says what each field holds.

Fields that the format does not name are kept as metadata if they are scalars or lists of scalars.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

from qaldgen.errors import DataError
from qaldgen.io.json_text import as_list, member
from qaldgen.io.notes import note
from qaldgen.io.text import count
from qaldgen.model import Answers, LeftOut, Mention, Question
from qaldgen.questions.answer_objects import names_by_iri
from qaldgen.questions.cells import parse_term
from qaldgen.questions.collecting import ReadOptions, ReadSet, each_record
from qaldgen.questions.column_values import first_filled, parse_verdict
from qaldgen.questions.fields import has_role, is_prediction_name, may_hold_gold
from qaldgen.questions.file_content import Content
from qaldgen.questions.json_documents import Unparsed
from qaldgen.questions.question_texts import (
    UNANSWERABLE,
    answer_type,
    find_split,
    is_out_of_scope,
    language_tag,
)
from qaldgen.questions.record_kinds import rows_of_columns
from qaldgen.questions.records import (
    Fields,
    add_texts,
    document_fields,
    flat_texts,
    is_text_by_language,
    scalar_text,
)
from qaldgen.questions.results_json import iri_or_literal
from qaldgen.questions.truth_values import parse_boolean
from qaldgen.questions.values import Expected, answers_in_column, answers_in_value, as_terms
from qaldgen.questions.worked_solutions import RESULT, marked_result
from qaldgen.rdf.knowledge_graphs import graph_of_query
from qaldgen.rdf.terms import last_part

#: Texts that stand for a missing text.
_NO_TEXT = frozenset({"n/a", "na", "null", "none", "nan"})
#: The most records that are looked at to recognise a format.
_LOOKED_AT = 50
Records: TypeAlias = Sequence[Mapping[str, object]]
_ReadGold: TypeAlias = Callable[[Fields], Answers | None]
#: The words that LC-QuAD 2 fills into a template.
_TEMPLATE_SLOT = re.compile(r"\{([^{}]*[^\W\d_][^{}]*)\}")
_TEXT2SPARQL_FIELDS = frozenset({"id", "question", "query", "features"})
#: Fields of Natural Questions with the document, and with the answers as positions in it.
_NQ_DOCUMENT_FIELDS = frozenset({
    "annotations", "answers", "document", "document_html", "document_text", "document_tokens",
    "long_answer_candidates", "question_tokens",
})  # fmt: skip
_TRIVIA_FIELDS = frozenset({
    "Answer", "answer", "EntityPages", "SearchResults", "entity_pages", "search_results",
})  # fmt: skip
_GRAIL_FIELDS = ("s_expression", "graph_query", "level", "domains")
#: The answers that Natural Questions writes as ``YES``, and on Hugging Face as numbers.
_NQ_TRUTHS = {"YES": "yes", "1": "yes", "NO": "no", "0": "no"}


def keys(*names: str) -> frozenset[str]:
    """Return a set of field names."""
    return frozenset(names)


class RecordFormat(NamedTuple):
    """What the fields of a record hold."""

    help: str  # the format in one line
    origin: str  # the name of the data set
    #: The fields that may hold the id.
    ids: tuple[str, ...]
    #: The languages of the fields with texts, the main text first. ``*`` is the language of the
    #: options, or stands for a field with a text per language.
    texts: Mapping[str, str]
    #: A file has this format if its records have all the keys of one of these sets.
    required_keys: tuple[frozenset[str], ...] = ()
    #: Checks the values of the first records, for formats with common keys.
    values_match: Callable[[Records], bool] = lambda rows: True
    #: Recognises a file, in place of `required_keys`, for formats with nested records.
    recognises: Callable[[Content], bool] | None = None
    #: Extracts the records from a file.
    rows: Callable[[Content, ReadOptions], Iterable[object]] = lambda content, options: content.rows
    #: The remaining callables get a record. This one returns the object in it that holds the query
    #: and the answers.
    query_object: Callable[[Fields], Fields] = lambda record: record
    #: Returns the name of the data set if it is not `origin`, else an empty string.
    variant: Callable[[Fields], str] = lambda record: ""
    split: Callable[[Fields], str] = lambda record: ""
    #: The knowledge graphs of the fields with queries; empty if the query itself shows it.
    queries: Mapping[str, str] = {}
    #: Returns the answers, given the `query_object`.
    answers: _ReadGold = lambda record: None
    #: Returns the name of the answer type in the data.
    answer_type: Callable[[Fields], str] = lambda record: ""
    #: Returns the annotated mentions of the question.
    mentions: Callable[[Fields], tuple[Mention, ...]] = lambda record: ()
    metadata_names: Mapping[str, str] = {}  # names in the metadata of fields with other names
    dropped: frozenset[str] = frozenset()  # fields that are not kept as metadata
    numbered: bool = False  # whether records may lack an id: their number takes its place

    def matches(self, content: Content) -> bool:
        """Return whether a file has this format."""
        if self.recognises is not None:
            return self.recognises(content)
        if not any(required <= content.row_keys for required in self.required_keys):
            return False
        return self.values_match(
            [row for row in content.rows[:_LOOKED_AT] if isinstance(row, dict)]
        )

    def read(self, content: Content, options: ReadOptions) -> ReadSet:
        """Return the questions of a file."""
        read = partial(_read_question, self, options.language)
        items = each_record(content, self.ids, read, self.rows(content, options))
        numbered = self.numbered and content.row_keys.isdisjoint(self.ids)
        return ReadSet(items, numbered=numbered)


def _read_question(
    record_format: RecordFormat, language: str, record: Fields, number: int
) -> Question | LeftOut:
    ids = (record.scalar(field) for field in record_format.ids if record.has(field))
    question_id = next(ids, "")
    if not question_id and record_format.numbered:
        question_id = str(number)
    elif not question_id:
        question_id = record.required(*record_format.ids)
    if not any(field in record.data for field in record_format.texts):
        raise record.error(next(iter(record_format.texts)), "the text of the question")
    texts: dict[str, tuple[str, ...]] = {}
    for field, tag in record_format.texts.items():
        add_texts(texts, record, field, language if tag == "*" else tag)
    for tag, wordings in list(texts.items()):
        texts[tag] = tuple(text for text in wordings if text.lower() not in _NO_TEXT)
        if not texts[tag]:
            del texts[tag]
    query_object = record_format.query_object(record)
    queries = queries_in(query_object, record_format.queries)
    if any(is_out_of_scope(query) for query in queries.values()):
        return LeftOut(question_id, UNANSWERABLE)
    fields = {*record_format.ids, *record_format.texts, *record_format.queries}
    if any(map(is_prediction_name, record.data)):  # verdicts on it are no features of the question
        for name, value in record.data.items():
            if has_role(name, "verdict") and parse_verdict(value) is not None:
                fields.add(name)
    metadata = record.rest(fields | record_format.dropped)
    names = record_format.metadata_names
    return Question(
        id=question_id,
        texts=texts,
        queries=queries,
        answers=record_format.answers(query_object),
        answer_type=answer_type(record_format.answer_type(record)),
        origin=record_format.variant(record) or record_format.origin,
        split=record_format.split(record),
        mentions=record_format.mentions(record),
        names=names_by_iri(record.data),
        metadata={names.get(field, field): value for field, value in metadata.items()},
    )


def queries_in(
    record: Fields, columns: Mapping[str, str], extra_queries: dict[str, str] | None = None
) -> dict[str, str]:
    """Return the first query of each knowledge graph in a record.

    `columns` are the fields with queries and their knowledge graphs, empty if the query shows it.
    Queries are texts, or in an object under ``sparql``. Other queries for the same graph are added
    to `extra_queries`, by field.
    """
    queries: dict[str, str] = {}
    for column, graph in columns.items():
        if isinstance(record.data.get(column), dict):
            texts = record.nested(column).strings("sparql")
        else:
            texts = record.strings(column)
        if not texts:
            continue
        query = texts[0]
        query_of_graph = queries.setdefault(graph or graph_of_query(query), query)
        if query_of_graph != query and extra_queries is not None:
            extra_queries[column] = query
    return queries


def gold_from(*fields: str, several: bool = True) -> _ReadGold:
    """Return a function that reads the gold answers in the first of these fields with a value.

    Items of a list are different answers, or names of one answer if not `several`.
    """
    expected = Expected(names_in_lists=not several)

    def read_gold(record: Fields) -> Answers | None:
        field = first_filled(record.data, fields) or fields[0]
        return answers_in_value(record.data.get(field), record, field, expected)

    return read_gold


def _terms_from(*fields: str, graph: str = "") -> _ReadGold:
    """Return a function that reads the gold answers of a knowledge graph, as terms of it."""
    read_gold = gold_from(*fields)
    expected = Expected(graph=graph, only_terms=True)
    return lambda record: as_terms(read_gold(record), expected)


def _unless_empty(read_gold: _ReadGold) -> _ReadGold:
    """Return a function that reads gold answers, taking an empty list for unknown answers."""

    def read_known(record: Fields) -> Answers | None:
        answers = read_gold(record)
        return answers if answers is not None and answers.values() else None

    return read_known


#: Reads the answers that people add to sets of queries.
_known_terms = _unless_empty(_terms_from("answers", "answer"))


def _origin_by_field(names: Mapping[str, str]) -> Callable[[Fields], str]:
    """Return a function that names the data set by the first of some fields that a record has."""
    return lambda record: next((names[field] for field in names if field in record.data), "")


def _earl_mentions(record: Fields) -> tuple[Mention, ...]:
    """Return EARL's annotations of LC-QuAD; a predicate that begins with a capital is a class."""
    mentions = [
        Mention(item.scalar("label"), item.scalar("uri"), "entity")
        for item in record.objects("entity mapping")
    ]
    for item in record.objects("predicate mapping"):
        iri = item.scalar("uri")
        kind = "class" if last_part(iri)[:1].isupper() else "relation"
        mentions.append(Mention(item.scalar("label"), iri, kind))
    return tuple(mention for mention in mentions if mention.text or mention.iri)


def _template_mentions(record: Fields) -> tuple[Mention, ...]:
    """Return the words in braces of LC-QuAD 2: names of entities, labels of relations."""
    slots = _TEMPLATE_SLOT.findall(record.scalar("NNQT_question"))
    texts = (slot.replace("_", " ") for slot in slots)
    return tuple(
        Mention(text, kind="relation" if text.islower() else "entity")
        for text in dict.fromkeys(texts)
    )


def _mintaka_answers(record: Fields) -> Answers | None:
    if not record.has("answer"):  # as on the Hub of Hugging Face
        entities = record.objects("answerEntity")
        text = record.scalar("answerText")
        if entities:
            return answers_in_column(parse_term(item.required("name")) for item in entities)
        if text in {"Yes", "No"}:
            return Answers(boolean=text == "Yes")
        return Answers(texts=((text,),)) if text else None
    answer = record.nested("answer")
    type_name = answer.scalar("answerType")
    values = answer.values("answer")
    if not values:
        mention = answer.scalar("mention")
        return Answers(texts=((mention,),)) if mention else None
    if type_name == "entity":
        return answers_in_column(
            parse_term(item.required("name")) for item in answer.objects("answer")
        )
    if type_name == "boolean":
        truth = parse_boolean(scalar_text(values[0]))
        if truth is not None:
            return Answers(boolean=truth)
    return answers_in_column(map(iri_or_literal, answer.strings("answer")))


def _mintaka_mentions(record: Fields) -> tuple[Mention, ...]:
    """Return the entities named in the question."""
    mentions = []
    for item in record.objects("questionEntity"):
        if item.scalar("entityType") == "entity":
            name = parse_term(item.scalar("name"))
            iri = name.value if name.type == "uri" else ""
            mentions.append(Mention(item.scalar("mention"), iri))
    return tuple(mentions)


def _mkqa_rows(content: Content, options: ReadOptions) -> Iterator[object]:
    """Yield the records with their answers in the wanted language, else English, else any."""
    wanted = language_tag(options.language).lower()
    for row in content.rows:
        answers = member(row, "answers")
        if not isinstance(row, dict) or not isinstance(answers, dict):
            yield row
            continue
        by_tag = {language_tag(name).lower(): tag_answers for name, tag_answers in answers.items()}
        chosen = next((by_tag[tag] for tag in (wanted, "en", *by_tag) if tag in by_tag), None)
        first_answer = chosen[0] if isinstance(chosen, list) and chosen else None
        yield {**row, "answers": chosen, "answer_kind": member(first_answer, "type")}


def _mkqa_answers(record: Fields) -> Answers | None:
    """Return the accepted names; ``unanswerable`` is an empty answer, a long answer is unknown."""
    types = {answer.scalar("type") for answer in record.objects("answers")}
    answers = gold_from("answers")(record)
    if answers is None or not answers.texts:
        return Answers() if "unanswerable" in types else None
    if types == {"binary"}:
        truth = parse_boolean(answers.texts[0][0])
        if truth is not None:
            return Answers(boolean=truth)
    return answers


def _is_squad(content: Content) -> bool:
    """Return whether this is laid out as SQuAD: paragraphs, each with its questions in ``qas``."""
    article = next(iter(_articles(content)), None)
    if not isinstance(article, dict):
        return False
    if "qas" in article:
        return True
    paragraphs = article.get("paragraphs")
    # in other sets, paragraphs are the passages of one question
    return isinstance(paragraphs, list) and any(
        isinstance(paragraph, dict) and "qas" in paragraph for paragraph in paragraphs
    )


def _articles(content: Content) -> list[object]:
    """Return the articles of SQuAD: under ``data``, in a list, or one per line after a header."""
    if content.kind not in {"json", "jsonl"}:
        return []
    articles = content.document
    if isinstance(articles, dict):
        articles = articles.get("data")
    if not isinstance(articles, list):
        return []
    return [
        article
        for article in articles
        if not (isinstance(article, dict) and article.keys() == {"header"})
    ]


def _squad_rows(content: Content, options: ReadOptions) -> Iterator[object]:
    """Yield the questions with the title of the article, their position, and that of the answer.

    Collections of passages consist of the same paragraphs, and find the answer by its position.
    """
    for i, value in enumerate(_articles(content), 1):
        try:
            article = Fields(value, (str(content.path),), f"data[{i - 1}].")
            paragraphs = article.values("paragraphs") if "qas" not in article.data else [value]
        except DataError as error:
            yield Unparsed(error.without(content.path))
            continue
        for j, paragraph in enumerate(paragraphs, 1):
            try:
                entries = article.inside(f"paragraphs[{j - 1}]", paragraph).values("qas")
            except DataError as error:
                yield Unparsed(error.without(content.path))
                continue
            for k, entry in enumerate(entries, 1):
                yield _add_position(entry, article, f"{i}.{j}", k)


def _add_position(entry: object, article: Fields, paragraph: str, number: int) -> object:
    if not isinstance(entry, dict):
        return entry
    # the two sets have the same format, but only PoQuAD has summaries
    if article.has("summary") and "question" in entry:
        entry["question_pl"] = entry.pop("question")
    title = article.data.get("title", "")
    positioned = {**entry, "title": title, "number": f"{paragraph}.{number}"}
    spans = entry.get("answers")
    if isinstance(spans, list) and spans:
        start = member(spans[0], "answer_start")
        if start is not None:
            positioned |= {"paragraph": paragraph, "answer_start": start}
    return positioned


def _squad_answers(record: Fields) -> Answers | None:
    # several annotators marked the same answer, as a span or as its words
    answers = gold_from("answers", several=False)(record)
    if answers is None and record.flag("is_impossible"):
        return Answers()
    return answers


def _webqsp_rows(content: Content, options: ReadOptions) -> list[object]:
    """Return the questions, and note how many have parses with different answers."""
    n_ambiguous = 0
    for row in content.rows:
        parses = member(row, "Parses")
        if isinstance(parses, list):
            complete = [parse for parse in parses if member(parse, "Sparql")]
            if len({repr(member(parse, "Answers")) for parse in complete}) > 1:
                n_ambiguous += 1
    if n_ambiguous:
        note(
            f"{count(n_ambiguous, 'question')} with several parses whose answers differ: those of"
            " the first are gold; WebQSP's own script takes the parse that suits the answer best"
        )
    return content.rows


def _webqsp_parse(record: Fields) -> Fields:
    """Return the first parse with a query; parses without one are incomplete annotations."""
    parses = [*record.objects("Parses"), record.inside("Parses", {})]
    complete = (parse for parse in parses if parse.scalar("Sparql"))
    return next(complete, parses[0])


def _webqsp_mentions(record: Fields) -> tuple[Mention, ...]:
    mentions = [
        Mention(
            parse.scalar("PotentialTopicEntityMention"),
            parse_term(parse.scalar("TopicEntityMid"), "freebase").value,
        )
        for parse in record.objects("Parses")
        if parse.has("PotentialTopicEntityMention") or parse.has("TopicEntityMid")
    ]
    return tuple(dict.fromkeys(mentions))


def _webqsp_split(record: Fields) -> str:
    question_id = record.scalar("QuestionId")
    if question_id.startswith("WebQTrn"):
        return "train"
    return "test" if question_id.startswith("WebQTest") else ""


def _is_text2sparql(content: Content) -> bool:
    """Return whether this is TEXT2SPARQL: ``questions`` with their texts by language."""
    question = content.first_object_under("questions") or {}
    other_fields = question.keys() - _TEXT2SPARQL_FIELDS
    return is_text_by_language(question.get("question")) and not any(
        map(may_hold_gold, other_fields)
    )


def _text2sparql_rows(content: Content, options: ReadOptions) -> Iterator[object]:
    """Yield the questions, each with the name of the data set."""
    document = document_fields(content)
    data_set = {"dataset": document.nested("dataset").scalar("id")}
    for row in document.values("questions"):
        if isinstance(row, dict):
            row = {**row, **data_set}
        yield row


_NQ_OPEN = frozenset({
    "question", "answer", "def_correct_predictions", "poss_correct_predictions",
    "answer_and_def_correct_predictions",
})  # fmt: skip


def _is_nq_open(rows: Records) -> bool:
    """Return whether these are records of NQ-open: search queries with lists of answers."""
    if not all(row.keys() <= _NQ_OPEN and isinstance(row.get("answer"), list) for row in rows):
        return False
    # unlike the questions of other sets with these two fields, search queries have no question mark
    are_search_queries = all(
        isinstance(row["question"], str) and not row["question"].rstrip().endswith("?")
        for row in rows
        if row.get("question")
    )
    return are_search_queries or any("def_correct_predictions" in row for row in rows)


def _multispan_rows(content: Content, options: ReadOptions) -> Iterator[object]:
    """Yield the records with their words as texts, and the answers, which labels mark, as spans."""
    for row in content.rows:
        words, labels = member(row, "context"), member(row, "label")
        if not isinstance(row, dict) or not isinstance(words, list) or not isinstance(labels, list):
            yield row
            continue
        spans: list[str] = []
        for word, label in zip(words, labels, strict=False):
            if label == "B":
                spans.append(str(word))
            elif label == "I" and spans:
                spans[-1] += f" {word}"
        question = " ".join(map(str, as_list(row["question"])))
        yield {**row, "question": question, "spans": spans}


def _nq_rows(content: Content, options: ReadOptions) -> Iterator[object]:
    """Yield the records with the texts of their short answers, which are given as token positions.

    As in NQ's own evaluation, a question of five annotators has an answer if two of them gave one.
    """
    for row in content.rows:
        annotations = member(row, "annotations")
        if isinstance(annotations, dict):  # as on the Hub of Hugging Face
            annotations = rows_of_columns(annotations)
        if not isinstance(row, dict) or not isinstance(annotations, list):
            yield row
            continue
        tokens = str(row.get("document_text") or "").split(" ")
        if "document_tokens" in row:
            tokens = [str(member(token, "token")) for token in as_list(row["document_tokens"])]
        answers: list[str] = []
        n_answered = 0
        for annotation in annotations:
            texts: list[str] = []
            for span in as_list(member(annotation, "short_answers") or []):
                start, end = member(span, "start_token"), member(span, "end_token")
                if isinstance(start, int) and isinstance(end, int):
                    texts.append(" ".join(tokens[start:end]))
                else:
                    texts += flat_texts(member(span, "text"))
            truth = str(member(annotation, "yes_no_answer"))
            if truth in _NQ_TRUTHS:
                texts = [_NQ_TRUTHS[truth]]
            if texts:
                n_answered += 1
                answers += texts
        if n_answered < min(2, len(annotations)):
            answers = []
        yield {**row, "answers": list(dict.fromkeys(answers))}


def _nq_answers(record: Fields) -> Answers | None:
    """Return the short answers as names of one answer, or a single yes or no as a boolean."""
    truth = {"yes": True, "no": False}.get("".join(record.strings("answers")))
    if truth is not None:
        return Answers(boolean=truth)
    return gold_from("answers", several=False)(record)


def _is_gsm8k(rows: Records) -> bool:
    solutions = [row["answer"] for row in rows if row.get("answer")]
    marked = [text for text in solutions if isinstance(text, str) and RESULT in text]
    return 2 * len(marked) > len(solutions)


def _gsm8k_answers(record: Fields) -> Answers | None:
    """Return the number after ``####``, first without thousands separators."""
    solution = record.scalar("answer")
    if solution and RESULT not in solution:
        raise record.error("answer", f"a solution with the result behind {RESULT}")
    result = marked_result(solution)
    return Answers(texts=(result,)) if result else None


def _smart_type(record: Fields) -> str:
    category = record.scalar("category")
    types = record.strings("type")
    return types[0] if category == "literal" and types else category


def _trivia_type(record: Fields) -> str:
    answer = record.nested("Answer" if record.has("Answer") else "answer")
    return answer.scalar("Type") or answer.scalar("type")


def _webquestions_answers(record: Fields) -> Answers | None:
    """Return the descriptions in a list that is written in Lisp."""
    value = record.scalar("targetValue")
    if not value:
        return None
    descriptions = re.findall(r'\(description\s+(?:"((?:[^"\\]|\\.)*)"|([^\s()"]+))\s*\)', value)
    if len(descriptions) != value.count("(description "):
        raise record.error("targetValue", 'a list such as (list (description "Ann"))')
    return Answers(
        texts=tuple((re.sub(r"\\(.)", r"\1", quoted) or bare,) for quoted, bare in descriptions)
    )


#: Data sets by the name of the format.
RECORD_FORMATS: dict[str, RecordFormat] = {
    "lc-quad": RecordFormat(
        "LC-QuAD 1 JSON, also with the annotations of EARL",
        "LC-QuAD",
        ("_id", "SerialNumber", "id"),
        {"corrected_question": "en", "question": "en"},
        (keys("corrected_question", "sparql_query"), keys("question", "entity mapping")),
        queries={"sparql_query": "dbpedia"},
        answers=_known_terms,
        mentions=_earl_mentions,
        metadata_names={"sparql_template_id": "template"},
        dropped=keys("entity mapping", "predicate mapping"),
        numbered=True,
    ),
    "lc-quad-2": RecordFormat(
        "LC-QuAD 2.0 JSON",
        "LC-QuAD 2.0",
        ("uid",),
        {"question": "en", "paraphrased_question": "en"},
        tuple(
            keys("uid", name) for name in ("sparql_wikidata", "sparql_dbpedia18", "NNQT_question")
        ),
        queries={"sparql_wikidata": "wikidata", "sparql_dbpedia18": "dbpedia"},
        answers=_unless_empty(_terms_from("answer")),
        mentions=_template_mentions,
        dropped=keys("answer"),
    ),
    "vquanda": RecordFormat(
        "VQuAnDa and ParaQA JSON: questions of LC-QuAD with answers in sentences",
        "VQuAnDa",
        ("uid",),
        {"question": "en"},
        (keys("uid", "question", "verbalized_answer", "query"),),
        variant=_origin_by_field({"verbalized_answer_2": "ParaQA"}),
        queries={"query": "dbpedia"},
        answers=_known_terms,
    ),
    "dblp-quad": RecordFormat(
        "DBLP-QuAD JSON",
        "DBLP-QuAD",
        ("id",),
        {"question": "en", "paraphrased_question": "en"},
        (keys("question", "query", "query_type", "template_id"),),
        queries={"query": ""},
        answers=_terms_from("answer"),
        dropped=keys("answer"),
    ),
    "geoquestions": RecordFormat(
        "GeoQuestions1089 JSON",
        "GeoQuestions1089",
        ("id",),
        {"Question": "en"},
        (keys("Question", "Query", "Category"),),
        queries={"Query": ""},
        answers=_terms_from("Answer"),
        metadata_names={"Category": "category"},
        dropped=keys("Answer"),
        numbered=True,
    ),
    "rubq": RecordFormat(
        "RuBQ 1.0 and 2.0 JSON",
        "RuBQ",
        ("uid",),
        {"question_text": "ru", "question_eng": "en"},
        tuple(keys("uid", "question_text", name) for name in ("question_eng", "RuBQ_version")),
        variant=lambda record: (
            f"RuBQ {record.scalar('RuBQ_version')}" if record.has("RuBQ_version") else ""
        ),
        queries={"query": "wikidata"},
        answers=_terms_from("answers"),
        dropped=keys("answers", "RuBQ_version", "paragraphs_uids"),
    ),
    "mintaka": RecordFormat(
        "Mintaka JSON",
        "Mintaka",
        ("id",),
        {"question": "en", "translations": "*"},
        (keys("question", "questionEntity"), keys("question", "complexityType")),
        answers=_mintaka_answers,
        answer_type=lambda record: record.nested("answer").scalar("answerType"),
        mentions=_mintaka_mentions,
        metadata_names={"complexityType": "complexity"},
        dropped=keys("answer", "questionEntity", "answerEntity", "answerText"),
    ),
    "webqsp": RecordFormat(
        "WebQSP and FreebaseQA JSON",
        "WebQSP",
        ("QuestionId", "Question-ID"),
        {"RawQuestion": "en"},
        (keys("RawQuestion", "Parses"),),
        rows=_webqsp_rows,
        query_object=_webqsp_parse,
        variant=_origin_by_field({"Question-ID": "FreebaseQA"}),
        split=_webqsp_split,
        queries={"Sparql": "freebase"},
        answers=_terms_from("Answers", graph="freebase"),
        mentions=_webqsp_mentions,
        dropped=keys("Parses"),
    ),
    "complexwebquestions": RecordFormat(
        "ComplexWebQuestions JSON",
        "ComplexWebQuestions",
        ("ID",),
        {"question": "en"},
        (keys("ID", "machine_question"), keys("ID", "compositionality_type")),
        queries={"sparql": "freebase"},
        answers=_terms_from("answers", graph="freebase"),
        dropped=keys("answers"),
    ),
    "grailqa": RecordFormat(
        "GrailQA JSON",
        "GrailQA",
        ("qid",),
        {"question": "en"},
        tuple(keys("qid", "question", name) for name in _GRAIL_FIELDS),
        queries={"sparql_query": "freebase"},
        answers=_terms_from("answer", graph="freebase"),
        metadata_names={"domains": "domain"},
        dropped=keys("answer", "graph_query"),
    ),
    "kqa-pro": RecordFormat(
        "KQA Pro JSON",
        "KQA Pro",
        ("id",),
        {"question": "en"},
        (keys("question", "choices", "program"),),
        queries={"sparql": ""},
        answers=gold_from("answer"),
        dropped=keys("answer", "program"),
        numbered=True,
    ),
    "mkqa": RecordFormat(
        "MKQA JSON Lines",
        "MKQA",
        ("example_id",),
        {"query": "en", "queries": "*"},
        (keys("example_id", "queries"),),
        rows=_mkqa_rows,
        answers=_mkqa_answers,
        answer_type=lambda record: record.scalar("answer_kind"),
        dropped=keys("answers"),
    ),
    "squad": RecordFormat(
        "SQuAD JSON, also PoQuAD, CMRC and MRQA",
        "SQuAD",
        ("id", "qid", "query_id", "number"),
        {"question": "*", "query_text": "*", "query": "*", "question_pl": "pl"},
        recognises=_is_squad,
        rows=_squad_rows,
        variant=_origin_by_field({"question_pl": "PoQuAD", "query_text": "CMRC"}),
        answers=_squad_answers,
        metadata_names={"is_impossible": "unanswerable"},
        dropped=keys("answers", "plausible_answers"),
    ),
    "multispanqa": RecordFormat(
        "MultiSpanQA JSON",
        "MultiSpanQA",
        ("id",),
        {"question": "en"},
        (keys("question", "context", "label", "num_span"),),
        rows=_multispan_rows,
        answers=gold_from("spans"),
        dropped=keys("context", "label", "spans"),
    ),
    "nq": RecordFormat(
        "Natural Questions JSON Lines, the original, simplified, and of Hugging Face",
        "Natural Questions",
        ("example_id", "id"),
        {"question_text": "en", "question": "en"},
        (
            keys("annotations", "question_text", "document_text"),
            keys("annotations", "question_text", "document_tokens"),
            keys("annotations", "question", "document", "long_answer_candidates"),
        ),
        rows=_nq_rows,
        answers=_nq_answers,
        dropped=_NQ_DOCUMENT_FIELDS,
    ),
    "nq-open": RecordFormat(
        "NQ-open and EfficientQA JSON Lines",
        "NQ-open",
        (),
        {"question": "*"},
        (keys("question", "answer"),),
        values_match=_is_nq_open,
        variant=_origin_by_field({"def_correct_predictions": "EfficientQA"}),
        answers=gold_from("answer", several=False),
        dropped=keys("answer"),
        numbered=True,
    ),
    "triviaqa": RecordFormat(
        "TriviaQA JSON",
        "TriviaQA",
        ("QuestionId", "question_id"),
        {"Question": "en", "question": "en"},
        (
            keys("QuestionId", "Question", "QuestionSource"),
            keys("question_id", "question", "question_source"),
        ),
        answers=gold_from("Answer", "answer", several=False),
        answer_type=_trivia_type,
        dropped=_TRIVIA_FIELDS,
    ),
    "webquestions": RecordFormat(
        "WebQuestions JSON",
        "WebQuestions",
        (),
        {"utterance": "en"},
        (keys("utterance", "targetValue"),),
        answers=_webquestions_answers,
        dropped=keys("targetValue"),
        numbered=True,
    ),
    "factoid-webquestions": RecordFormat(
        "factoid-webquestions JSON",
        "factoid-webquestions",
        ("qId",),
        {"qText": "en"},
        (keys("qId", "qText", "answers"),),
        answers=gold_from("answers"),
        dropped=keys("answers"),
    ),
    "gsm8k": RecordFormat(
        "GSM8K JSON Lines: the answer follows ####",
        "GSM8K",
        ("id",),
        {"question": "*"},
        (keys("question", "answer"),),
        values_match=_is_gsm8k,
        answers=_gsm8k_answers,
        answer_type=lambda record: "number",
        numbered=True,
    ),
    "vanilla": RecordFormat(
        "VANiLLa JSON Lines: questions with answers in sentences",
        "VANiLLa",
        ("question_id",),
        {"question": "en"},
        (keys("question", "answer", "answer_sentence"),),
        answers=_unless_empty(gold_from("answer")),
        mentions=lambda record: tuple(map(Mention, record.strings("question_entity_label"))),
        dropped=keys("answer", "question_entity_label"),
        numbered=True,
    ),
    "text2sparql": RecordFormat(
        "TEXT2SPARQL YAML or JSON",
        "",
        ("id",),
        {"question": "*"},
        recognises=_is_text2sparql,
        rows=_text2sparql_rows,
        variant=lambda record: record.scalar("dataset"),
        split=lambda record: find_split(record.scalar("dataset")),
        queries={"query": ""},
        answers=_known_terms,
        dropped=keys("dataset"),
        numbered=True,
    ),
    "smart": RecordFormat(
        "SMART JSON: questions with answer category and type",
        "SMART",
        ("id",),
        {"question": "en"},
        (keys("id", "question", "category", "type"),),
        values_match=lambda rows: (
            {str(row["category"]) for row in rows if row.get("category")}
            <= {"boolean", "literal", "resource"}
        ),
        answer_type=_smart_type,
        metadata_names={"category": "answer_category", "type": "answer_class"},
    ),
    "gpt-family": RecordFormat(
        "JSON of Complex-Question-Answering-Evaluation-of-GPT-family",
        "Complex-Question-Answering-Evaluation-of-GPT-family",
        ("ID",),
        {"question": "*"},
        (keys("ID", "question", "ans"),),
        values_match=lambda rows: any(isinstance(row.get("question"), list) for row in rows),
        queries={"sparql": "dbpedia"},
        answers=gold_from("ans"),
        dropped=keys("ans"),
    ),
}
