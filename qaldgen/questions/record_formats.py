"""Data sets of JSON records: a `RecordFormat` says what each field holds.

Fields that the format does not name are kept as metadata, if they are scalars or lists of scalars.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from qaldgen.errors import DataError
from qaldgen.io.json_text import as_list, member
from qaldgen.io.notes import note
from qaldgen.io.text import count
from qaldgen.model import Answers, LeftOut, Mention, Question
from qaldgen.questions.answer_objects import names_by_iri
from qaldgen.questions.cells import parse_term
from qaldgen.questions.column_values import first_filled
from qaldgen.questions.fields import may_hold_gold
from qaldgen.questions.file_content import Content
from qaldgen.questions.json_documents import Unparsed
from qaldgen.questions.nested_records import rows_of_columns
from qaldgen.questions.question_texts import (
    UNANSWERABLE,
    answer_type,
    find_split,
    is_out_of_scope,
    language_tag,
)
from qaldgen.questions.records import (
    Fields,
    Item,
    Numbered,
    ReadOptions,
    add_texts,
    document_fields,
    each_record,
    flat_texts,
    is_text_by_language,
    parse_boolean,
    scalar_text,
)
from qaldgen.questions.results_json import iri_or_literal
from qaldgen.questions.values import Expected, answers_in_column, answers_in_value, as_terms
from qaldgen.questions.worked_solutions import RESULT, marked_result
from qaldgen.rdf.knowledge_graphs import graph_of_query
from qaldgen.rdf.terms import last_part

#: Texts that mean "no text".
_NO_TEXT = frozenset({"n/a", "na", "null", "none", "nan"})
_LOOKED_AT = 50
Records: TypeAlias = Sequence[Mapping[str, object]]
_Gold: TypeAlias = Callable[[Fields], Answers | None]
#: What LC-QuAD 2 fills into a template.
_BRACES = re.compile(r"\{([^{}]*[^\W\d_][^{}]*)\}")
_TEXT2SPARQL_FIELDS = frozenset({"id", "question", "query", "features"})
#: Hugging Face has numbers, -1 for neither.
_NQ_TRUTHS = {"YES": "yes", "1": "yes", "NO": "no", "0": "no"}


def keys(*names: str) -> frozenset[str]:
    """Return the names of fields as a set."""
    return frozenset(names)


class RecordFormat(NamedTuple):
    """What the fields of a record hold."""

    help: str  # the format in one line
    origin: str  # the name of the data set
    #: The fields that may hold the id; without an id, the number of the record if `numbered`.
    ids: tuple[str, ...]
    #: Field to language, the main text first; ``*`` for the language of the options, or for a field
    #: with a text per language.
    texts: Mapping[str, str]
    #: A file has this format if its records have all the keys of one of these sets.
    shown_by: tuple[frozenset[str], ...] = ()
    #: Whether the values of the first records have this format, if their keys are too common.
    values_fit: Callable[[Records], bool] = lambda rows: True
    #: Whether a file has this format, if its records are nested in some other way than usual, and
    #: what takes them out.
    recognises: Callable[[Content], bool] | None = None
    rows: Callable[[Content, ReadOptions], Iterable[object]] = lambda content, options: content.rows
    #: From the record to the object in it with query and answers.
    parsed: Callable[[Fields], Fields] = lambda record: record
    #: From the record to the name of the data set, if it is not `origin`, and to its split.
    variant: Callable[[Fields], str] = lambda record: ""
    split: Callable[[Fields], str] = lambda record: ""
    queries: Mapping[str, str] = {}  # field to knowledge graph; empty to judge by the query
    #: From the record to its answers.
    answers: _Gold = lambda record: None
    #: From the record to the name of its answer type.
    answer_type: Callable[[Fields], str] = lambda record: ""
    #: From the record to its annotations of what the question names.
    mentions: Callable[[Fields], tuple[Mention, ...]] = lambda record: ()
    renamed: Mapping[str, str] = {}  # field to its name in the metadata
    unkept: frozenset[str] = frozenset()  # fields that are not kept as metadata
    numbered: bool = False  # whether records may lack an id

    def claims(self, content: Content) -> bool:
        """Return whether a file has this format."""
        if self.recognises is not None:
            return self.recognises(content)
        return any(keys <= content.row_keys for keys in self.shown_by) and self.values_fit(
            [row for row in content.rows[:_LOOKED_AT] if isinstance(row, dict)]
        )

    def read(self, content: Content, options: ReadOptions) -> Iterator[Item]:
        """Yield the questions of a file."""

        def _read(record: Fields, number: int) -> Item:
            return _question(self, record, number, options.language)

        if self.numbered and content.row_keys.isdisjoint(self.ids):
            yield Numbered()
        yield from each_record(content, self.ids, _read, self.rows(content, options))


def _question(form: RecordFormat, record: Fields, number: int, language: str) -> Question | LeftOut:
    name = next((record.scalar(field) for field in form.ids if record.has(field)), "")
    if not name and not form.numbered:
        name = record.required(*form.ids)
    name = name or str(number)
    if not any(field in record.data for field in form.texts):
        raise record.error(next(iter(form.texts)), "the text of the question")
    texts: dict[str, tuple[str, ...]] = {}
    for field, tag in form.texts.items():
        if tag == "*":
            tag = language
        add_texts(texts, record, field, tag)
    for tag, wordings in [*texts.items()]:
        texts[tag] = tuple(text for text in wordings if text.lower() not in _NO_TEXT)
        if not texts[tag]:
            del texts[tag]
    parsed = form.parsed(record)
    queries = queries_in(parsed, form.queries)
    if any(is_out_of_scope(query) for query in queries.values()):
        return LeftOut(name, UNANSWERABLE)
    metadata = record.rest({*form.ids, *form.texts, *form.queries, *form.unkept})
    return Question(
        id=name,
        texts=texts,
        queries=queries,
        answers=form.answers(parsed),
        answer_type=answer_type(form.answer_type(record)),
        origin=form.variant(record) or form.origin,
        split=form.split(record),
        mentions=form.mentions(record),
        names=names_by_iri(record.data),
        metadata={form.renamed.get(field, field): value for field, value in metadata.items()},
    )


def queries_in(
    record: Fields, columns: Mapping[str, str], further: dict[str, str] | None = None
) -> dict[str, str]:
    """Return the first query of each knowledge graph; others go to `further` by their columns.

    Queries are texts, or in an object under ``sparql``.
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
        first = queries.setdefault(graph or graph_of_query(query), query)
        if first != query and further is not None:
            further[column] = query
    return queries


def gold(*fields: str, several: bool = True) -> _Gold:
    """Return the reader of the gold in the first of these fields that a record fills.

    Entries of a list are several answers, or else names of one.
    """

    def answers(record: Fields) -> Answers | None:
        field = first_filled(record.data, fields) or fields[0]
        return answers_in_value(record.data.get(field), record, field, several=several, bars=False)

    return answers


def _cells(*fields: str, graph: str = "") -> _Gold:
    """Return the same for gold of a knowledge graph, with identifiers of this one."""
    plain = gold(*fields)
    return lambda record: as_terms(plain(record), Expected(graph=graph), queried=True)


def _known(read: _Gold) -> _Gold:
    """Return the same for sets in which an empty list means that the answers are unknown."""

    def read_known(record: Fields) -> Answers | None:
        answers = read(record)
        if answers is None or not answers.values():
            return None
        return answers

    return read_known


def _named_by(names: Mapping[str, str]) -> Callable[[Fields], str]:
    """Return a function that names a data set by the first of these fields that a record has."""
    return lambda record: next((names[field] for field in names if field in record.data), "")


def _earl_mentions(record: Fields) -> tuple[Mention, ...]:
    """Return EARL's annotations of LC-QuAD; a predicate that starts with a capital is a class."""
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
    """Return what stands in braces in LC-QuAD 2: names of entities, labels of relations."""
    texts = (name.replace("_", " ") for name in _BRACES.findall(record.scalar("NNQT_question")))
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
    kind, values = answer.scalar("answerType"), answer.values("answer")
    if not values:
        mention = answer.scalar("mention")
        return Answers(texts=((mention,),)) if mention else None
    if kind == "entity":
        return answers_in_column(
            parse_term(item.required("name")) for item in answer.objects("answer")
        )
    if kind == "boolean" and (truth := parse_boolean(scalar_text(values[0]))) is not None:
        return Answers(boolean=truth)
    return answers_in_column(map(iri_or_literal, answer.strings("answer")))


def _mintaka_mentions(record: Fields) -> tuple[Mention, ...]:
    """Return the entities named in the question."""
    return tuple(
        Mention(item.scalar("mention"), cell.value if cell.type == "uri" else "")
        for item in record.objects("questionEntity")
        if item.scalar("entityType") == "entity"
        for cell in [parse_term(item.scalar("name"))]
    )


def _mkqa_rows(content: Content, options: ReadOptions) -> Iterator[object]:
    """Yield the records with the answers in the requested language, else English, else any."""
    tag_wanted = language_tag(options.language).lower()
    for row in content.rows:
        answers = member(row, "answers")
        if not isinstance(row, dict) or not isinstance(answers, dict):
            yield row
            continue
        by_tag = {language_tag(name).lower(): tag_answers for name, tag_answers in answers.items()}
        chosen = next((by_tag[tag] for tag in (tag_wanted, "en", *by_tag) if tag in by_tag), None)
        first = chosen[0] if isinstance(chosen, list) and chosen else None
        yield {**row, "answers": chosen, "answer_kind": member(first, "type")}


def _mkqa_answers(record: Fields) -> Answers | None:
    """Return the accepted names; ``unanswerable`` is an empty answer, a long one is unknown."""
    kinds = {answer.scalar("type") for answer in record.objects("answers")}
    answers = gold("answers")(record)
    if answers is not None and answers.texts:
        if kinds == {"binary"} and (truth := parse_boolean(answers.texts[0][0])) is not None:
            return Answers(boolean=truth)
        return answers
    return Answers() if "unanswerable" in kinds else None


def _is_squad(content: Content) -> bool:
    """Return whether this has the form of SQuAD: paragraphs, each with its questions in ``qas``."""
    first = next(iter(_articles(content)), None)
    if not isinstance(first, dict) or "qas" in first:
        return isinstance(first, dict)
    paragraphs = first.get("paragraphs")
    # those of other sets are passages of one question, or of several beside them
    return isinstance(paragraphs, list) and any(
        isinstance(paragraph, dict) and "qas" in paragraph for paragraph in paragraphs
    )


def _articles(content: Content) -> list[object]:
    """Return what holds the paragraphs: under ``data``, in a list, or one a line after a header."""
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
    """Yield the questions with their place, the title of the article, and where the answer begins.

    Collections of passages cut the same paragraphs.
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
                yield _with_place(entry, article, f"{i}.{j}", k)


def _with_place(entry: object, article: Fields, paragraph: str, number: int) -> object:
    if not isinstance(entry, dict):
        return entry
    # the two sets have the same format, but only PoQuAD has summaries
    if article.has("summary") and "question" in entry:
        entry["question_pl"] = entry.pop("question")
    spans = entry.get("answers")
    first = spans[0] if isinstance(spans, list) and spans else None
    start = member(first, "answer_start")
    place = {} if start is None else {"paragraph": paragraph, "answer_start": start}
    title = article.data.get("title", "")
    return {**entry, **place, "title": title, "number": f"{paragraph}.{number}"}


def _squad_answers(record: Fields) -> Answers | None:
    # several annotators marked the same answer, as a span or as its words
    answers = gold("answers", several=False)(record)
    if answers is None and record.flag("is_impossible"):
        return Answers()
    return answers


def _is_webqsp(content: Content) -> bool:
    """Whether this is WebQSP or FreebaseQA: an object with ``Questions`` that have parses."""
    questions = content.listed("Questions")
    if questions is None:
        return False
    return not questions or any(
        isinstance(entry, dict) and {"Parses", "RawQuestion"} & entry.keys()
        for entry in questions[:_LOOKED_AT]
    )


def _webqsp_rows(content: Content, options: ReadOptions) -> list[object]:
    """Return the questions, and say how many have parses that differ in their answers."""
    rows = document_fields(content).values("Questions")
    several = 0
    for row in rows:
        parses = member(row, "Parses")
        if isinstance(parses, list):
            complete = [parse for parse in parses if member(parse, "Sparql")]
            several += len({repr(member(parse, "Answers")) for parse in complete}) > 1
    if several:
        note(
            f"{count(several, 'question')} with several parses whose answers differ: those of the"
            " first are gold; WebQSP's own script takes the parse that suits the answer best"
        )
    return rows


def _webqsp_parse(record: Fields) -> Fields:
    """Return the first parse with a query; those without are incomplete annotations."""
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
    name = record.scalar("QuestionId")
    if name.startswith("WebQTrn"):
        return "train"
    return "test" if name.startswith("WebQTest") else ""


def _is_text2sparql(content: Content) -> bool:
    """Whether this is TEXT2SPARQL: ``dataset`` and ``questions``, with their texts by language."""
    first = content.first_listed("questions") or {}
    further = first.keys() - _TEXT2SPARQL_FIELDS
    return is_text_by_language(first.get("question")) and not any(map(may_hold_gold, further))


def _text2sparql_rows(content: Content, options: ReadOptions) -> Iterator[object]:
    """Yield the questions, each with the name of the data set."""
    document = document_fields(content)
    data_set = {"dataset": document.nested("dataset").scalar("id")}
    for row in document.values("questions"):
        yield {**row, **data_set} if isinstance(row, dict) else row


_NQ_OPEN = keys(
    "question",
    "answer",
    "def_correct_predictions",
    "poss_correct_predictions",
    "answer_and_def_correct_predictions",
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


def _nq_rows(content: Content, options: ReadOptions) -> Iterator[object]:
    """Yield the questions with the words of their short answers, which are places of tokens.

    As in NQ's own evaluation a question of five annotators has an answer if two of them gave one.
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
        answered = 0
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
            answered += bool(texts)
            answers += texts
        if answered < min(2, len(annotations)):
            answers = []
        yield {**row, "answers": list(dict.fromkeys(answers))}


def _nq_answers(record: Fields) -> Answers | None:
    """Return the words as names of one answer; yes or no alone as a truth value."""
    truth = {"yes": True, "no": False}.get("".join(record.strings("answers")))
    if truth is not None:
        return Answers(boolean=truth)
    return gold("answers", several=False)(record)


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
    category, kinds = record.scalar("category"), record.strings("type")
    return kinds[0] if category == "literal" and kinds else category


def _trivia_type(record: Fields) -> str:
    answer = record.nested("Answer" if record.has("Answer") else "answer")
    return answer.scalar("Type") or answer.scalar("type")


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


#: Data sets by the name of the format.
RECORD_FORMATS: dict[str, RecordFormat] = {
    "lc-quad": RecordFormat(
        "LC-QuAD 1 JSON, also with the annotations of EARL",
        "LC-QuAD",
        ("_id", "SerialNumber", "id"),
        {"corrected_question": "en", "question": "en"},
        (keys("corrected_question", "sparql_query"), keys("question", "entity mapping")),
        queries={"sparql_query": "dbpedia"},
        mentions=_earl_mentions,
        renamed={"sparql_template_id": "template"},
        unkept=keys("entity mapping", "predicate mapping"),
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
        answers=_known(_cells("answer")),
        mentions=_template_mentions,
        unkept=keys("answer"),
    ),
    "vquanda": RecordFormat(
        "VQuAnDa and ParaQA JSON: questions of LC-QuAD with answers in sentences",
        "VQuAnDa",
        ("uid",),
        {"question": "en"},
        (keys("uid", "question", "verbalized_answer", "query"),),
        variant=_named_by({"verbalized_answer_2": "ParaQA"}),
        queries={"query": "dbpedia"},
    ),
    "dblp-quad": RecordFormat(
        "DBLP-QuAD JSON",
        "DBLP-QuAD",
        ("id",),
        {"question": "en", "paraphrased_question": "en"},
        (keys("question", "query", "query_type", "template_id"),),
        queries={"query": ""},
        answers=_cells("answer"),
        unkept=keys("answer"),
    ),
    "geoquestions": RecordFormat(
        "GeoQuestions1089 JSON",
        "GeoQuestions1089",
        ("id",),
        {"Question": "en"},
        (keys("Question", "Query", "Category"),),
        queries={"Query": ""},
        answers=_cells("Answer"),
        renamed={"Category": "category"},
        unkept=keys("Answer"),
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
        answers=_cells("answers"),
        unkept=keys("answers", "RuBQ_version", "paragraphs_uids"),
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
        renamed={"complexityType": "complexity"},
        unkept=keys("answer", "questionEntity", "answerEntity", "answerText"),
    ),
    "webqsp": RecordFormat(
        "WebQSP and FreebaseQA JSON",
        "WebQSP",
        ("QuestionId", "Question-ID"),
        {"RawQuestion": "en"},
        recognises=_is_webqsp,
        rows=_webqsp_rows,
        parsed=_webqsp_parse,
        variant=_named_by({"Question-ID": "FreebaseQA"}),
        split=_webqsp_split,
        queries={"Sparql": "freebase"},
        answers=_cells("Answers", graph="freebase"),
        mentions=_webqsp_mentions,
        unkept=keys("Parses"),
    ),
    "complexwebquestions": RecordFormat(
        "ComplexWebQuestions JSON",
        "ComplexWebQuestions",
        ("ID",),
        {"question": "en"},
        (keys("ID", "machine_question"), keys("ID", "compositionality_type")),
        queries={"sparql": "freebase"},
        answers=_cells("answers", graph="freebase"),
        unkept=keys("answers"),
    ),
    "grailqa": RecordFormat(
        "GrailQA JSON",
        "GrailQA",
        ("qid",),
        {"question": "en"},
        tuple(
            keys("qid", "question", name)
            for name in ("s_expression", "graph_query", "level", "domains")
        ),
        queries={"sparql_query": "freebase"},
        answers=_cells("answer", graph="freebase"),
        renamed={"domains": "domain"},
        unkept=keys("answer", "graph_query"),
    ),
    "kqa-pro": RecordFormat(
        "KQA Pro JSON",
        "KQA Pro",
        ("id",),
        {"question": "en"},
        (keys("question", "choices", "program"),),
        queries={"sparql": ""},
        answers=gold("answer"),
        unkept=keys("answer", "program"),
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
        unkept=keys("answers"),
    ),
    "squad": RecordFormat(
        "SQuAD JSON, also PoQuAD, CMRC and MRQA",
        "SQuAD",
        ("id", "qid", "query_id", "number"),
        {"question": "*", "query_text": "*", "query": "*", "question_pl": "pl"},
        recognises=_is_squad,
        rows=_squad_rows,
        variant=_named_by({"question_pl": "PoQuAD", "query_text": "CMRC"}),
        answers=_squad_answers,
        renamed={"is_impossible": "unanswerable"},
        unkept=keys("answers", "plausible_answers"),
    ),
    "nq": RecordFormat(
        "Natural Questions JSON Lines, the original, simplified, and of Hugging Face",
        "Natural Questions",
        ("example_id", "id"),
        {"question_text": "en", "question": "en"},
        tuple(
            keys("annotations", *names)
            for names in (
                ("question_text", "document_text"),
                ("question_text", "document_tokens"),
                ("question", "document", "long_answer_candidates"),
            )
        ),
        rows=_nq_rows,
        answers=_nq_answers,
        unkept=keys(
            "annotations",
            "answers",
            "document",
            "document_html",
            "document_text",
            "document_tokens",
            "long_answer_candidates",
            "question_tokens",
        ),
    ),
    "nq-open": RecordFormat(
        "NQ-open and EfficientQA JSON Lines",
        "NQ-open",
        (),
        {"question": "*"},
        (keys("question", "answer"),),
        values_fit=_is_nq_open,
        variant=_named_by({"def_correct_predictions": "EfficientQA"}),
        answers=gold("answer", several=False),
        unkept=keys("answer"),
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
        answers=gold("Answer", "answer", several=False),
        answer_type=_trivia_type,
        unkept=keys(
            "Answer", "answer", "EntityPages", "SearchResults", "entity_pages", "search_results"
        ),
    ),
    "webquestions": RecordFormat(
        "WebQuestions JSON",
        "WebQuestions",
        (),
        {"utterance": "en"},
        (keys("utterance", "targetValue"),),
        answers=_described_answers,
        unkept=keys("targetValue"),
        numbered=True,
    ),
    "factoid-webquestions": RecordFormat(
        "factoid-webquestions JSON",
        "factoid-webquestions",
        ("qId",),
        {"qText": "en"},
        (keys("qId", "qText", "answers"),),
        answers=gold("answers"),
        unkept=keys("answers"),
    ),
    "gsm8k": RecordFormat(
        "GSM8K JSON Lines: the answer follows ####",
        "GSM8K",
        ("id",),
        {"question": "*"},
        (keys("question", "answer"),),
        values_fit=_is_gsm8k,
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
        answers=_known(gold("answer")),
        mentions=lambda record: tuple(map(Mention, record.strings("question_entity_label"))),
        unkept=keys("answer", "question_entity_label"),
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
        unkept=keys("dataset"),
        numbered=True,
    ),
    "smart": RecordFormat(
        "SMART JSON: questions with answer category and type",
        "SMART",
        ("id",),
        {"question": "en"},
        (keys("id", "question", "category", "type"),),
        values_fit=lambda rows: (
            {str(row["category"]) for row in rows if row.get("category")}
            <= {"boolean", "literal", "resource"}
        ),
        answer_type=_smart_type,
        renamed={"category": "answer_category", "type": "answer_class"},
    ),
    "gpt-family": RecordFormat(
        "JSON of Complex-Question-Answering-Evaluation-of-GPT-family",
        "Complex-Question-Answering-Evaluation-of-GPT-family",
        ("ID",),
        {"question": "*"},
        (keys("ID", "question", "ans"),),
        values_fit=lambda rows: any(isinstance(row.get("question"), list) for row in rows),
        queries={"sparql": "dbpedia"},
        answers=gold("ans"),
        unkept=keys("ans"),
    ),
}
