"""Read data sets without a knowledge graph: MKQA, SQuAD and PoQuAD, PolEval 2021, PolQA."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from qaldgen.errors import DataError
from qaldgen.files import open_content
from qaldgen.formats.content import Content, decode, split_lines
from qaldgen.formats.fields import Fields, document_fields, record_fields
from qaldgen.formats.gather import add_wording, answer_type, language_tag
from qaldgen.formats.tables import table_columns, table_records
from qaldgen.inputs import is_file, is_folder
from qaldgen.model import Answers, LeftOut, Question

QUESTIONS, EXPECTED = "in.tsv", "expected.tsv"
_PASSAGES = frozenset({
    "passage_title", "passage_text", "passage_wiki", "passage_id", "duplicate", "relevant", "annotated_by", "passage_source"
})  # fmt: skip
_POLQA = frozenset({"question_id", "question", "answers", "split", *_PASSAGES})


def recognises_mkqa(content: Content) -> bool:
    """Say whether these are the records of MKQA."""
    return content.kind in {"json", "jsonl"} and {"example_id", "queries"} <= content.keys


def read_mkqa(content: Content, language: str) -> Iterator[Question | LeftOut]:
    """Yield the questions of MKQA, with the answers in `language`, or else in English, or else in the first language."""
    for record in record_fields(content, ["example_id"]):
        texts: dict[str, tuple[str, ...]] = {}
        add_wording(texts, "en", record.scalar("query"))
        queries = record.nested("queries")
        for tag in queries.data:
            add_wording(texts, tag, queries.scalar(tag))
        answers = _mkqa_answers(record, language)
        kind = answers[0].scalar("type") if answers else ""
        entities = ", ".join(dict.fromkeys(name for answer in answers if (name := answer.scalar("entity"))))
        metadata = {"answer_kind": kind, "answer_entities": entities}
        yield Question(
            id=record.required("example_id"),
            texts=texts,
            answers=_mkqa_gold(answers),
            answer_type=answer_type(kind),
            origin="MKQA",
            metadata={name: value for name, value in metadata.items() if value},
        )


def _mkqa_answers(record: Fields, language: str) -> list[Fields]:
    languages = record.nested("answers")
    by_tag = {language_tag(name).lower(): name for name in languages.data}
    wanted = [by_tag.get(language_tag(language).lower()), by_tag.get("en"), next(iter(languages.data), None)]
    name = next((name for name in wanted if name is not None), None)
    return [] if name is None else languages.objects(name)


def _mkqa_gold(answers: Sequence[Fields]) -> Answers | None:
    """Return the accepted wordings; ``unanswerable`` is an empty answer, a long answer is not in the data."""
    kinds = {answer.scalar("type") for answer in answers}
    texts = [(answer.scalar("text"), *answer.strings("aliases")) for answer in answers]
    known = tuple(tuple(dict.fromkeys(text for text in wordings if text)) for wordings in texts if any(wordings))
    words = known[0][0].lower() if known else ""
    if kinds == {"binary"} and words in {"yes", "no"}:
        return Answers(boolean=words == "yes")
    if known:
        return Answers(texts=known)
    return Answers() if "unanswerable" in kinds else None


def recognises_squad(content: Content) -> bool:
    """Say whether this is SQuAD JSON: ``data`` with paragraphs."""
    data = content.document.get("data") if isinstance(content.document, dict) else None
    return (
        content.kind == "json" and isinstance(data, list) and bool(data) and isinstance(data[0], dict) and "paragraphs" in data[0]
    )


def read_squad(content: Content, language: str) -> Iterator[Question | LeftOut]:
    """Yield the questions of SQuAD and PoQuAD JSON; without id the number of article, paragraph and question is the id."""
    document = document_fields(content)
    for i, article in enumerate(document.objects("data"), 1):
        for j, paragraph in enumerate(article.objects("paragraphs"), 1):
            for k, entry in enumerate(paragraph.objects("qas"), 1):
                yield _squad_question(entry, f"{i}.{j}.{k}", article, language)


def _squad_question(entry: Fields, number: str, article: Fields, language: str) -> Question:
    if "question" not in entry.data:
        raise entry.error("question", "the text of the question")
    polish = article.has("summary")  # only PoQuAD has it
    texts: dict[str, tuple[str, ...]] = {}
    add_wording(texts, "pl" if polish else language, entry.scalar("question"))
    impossible = entry.flag("is_impossible")
    spans = entry.objects("answers")
    wordings = [text for span in spans for field in ("text", "generative_answer") if (text := span.scalar(field))]
    known = entry.has("answers") or bool(impossible)
    metadata = {"title": article.scalar("title"), "unanswerable": entry.scalar("is_impossible")}
    return Question(
        id=entry.scalar("id") or number,
        texts=texts,
        answers=Answers(texts=(tuple(dict.fromkeys(wordings)),) if wordings else ()) if known else None,
        origin="PoQuAD" if polish else "SQuAD",
        metadata={name: value for name, value in metadata.items() if value},
    )


def load_poleval(path: Path) -> Content | None:
    """Return the questions of PolEval, if the path is its folder or its ``in.tsv`` (lines without tabs); None for anything else.

    Where ``expected.tsv`` stands beside, it belongs to the content: the sha256 is then of both files, one after the other.

    Raises
    ------
    DataError
        If the path is a folder without ``in.tsv``, or a file cannot be read.
    """
    file = path / QUESTIONS if is_folder(path) else path
    if is_folder(path) and not is_file(file):
        raise DataError(f"{path}: is a folder without {QUESTIONS}; name a file, or a folder of PolEval 2021")
    if file.name != QUESTIONS or not is_file(file):
        return None
    questions, expected = _bytes(file), file.with_name(EXPECTED)
    text = decode(file, questions)
    if "\t" in text.split("\n", 1)[0]:
        return None
    gold = _bytes(expected) if is_file(expected) else b""
    document = decode(expected, gold) if is_file(expected) else None
    return Content(file, "poleval", text, hashlib.sha256(questions + gold).hexdigest(), document)


def recognises_poleval(content: Content) -> bool:
    """Say whether this is the questions of PolEval 2021, task 4: the file ``in.tsv``, for a list of lines shows no form."""
    return content.kind == "poleval"


def read_poleval(content: Content, language: str) -> Iterator[Question | LeftOut]:
    """Yield the questions of PolEval; the id is the number of the line."""
    lines = content.lines
    variants = _variants(content, len(lines))
    folder = content.path.resolve().parent.name
    split = folder if folder in {"dev-0", "test-A", "test-B", "train"} else ""
    for number, line in enumerate(lines, 1):
        texts: dict[str, tuple[str, ...]] = {}
        add_wording(texts, "pl", line)
        yield Question(id=str(number), texts=texts, answers=variants.get(number), origin="PolEval 2021", split=split)


def _variants(content: Content, count: int) -> dict[int, Answers]:
    """Return the accepted variants by line; they are separated by tabs, the line is stripped only as a whole."""
    if not isinstance(content.document, str):
        return {}
    lines = split_lines(content.document)
    if len(lines) != count:
        raise DataError(
            f"{content.path.with_name(EXPECTED)}: has {len(lines)} lines, {content.path.name} has {count}; they must be equal"
        )
    return {n: Answers(texts=(tuple(text.split("\t")),) if (text := line.strip()) else ()) for n, line in enumerate(lines, 1)}


def _bytes(path: Path) -> bytes:
    with open_content(path) as reader:
        return reader.read()


def recognises_polqa(content: Content) -> bool:
    """Say whether these are the rows of PolQA, as CSV, JSON or JSON Lines."""
    keys = frozenset(table_columns(content)) if content.kind == "text" else content.keys
    return {"question_id", "question"} <= keys and not keys.isdisjoint({"question_formulation", "passage_id"})


def read_polqa(content: Content, language: str) -> Iterator[Question | LeftOut]:
    """Yield the questions of PolQA; its rows are pairs of question and passage, and become one question each."""
    rows = table_records(content) if content.kind == "text" else content.records
    groups: dict[str, list[Fields]] = {}
    for row in record_fields(content, ["question_id"], rows):
        groups.setdefault(row.required("question_id"), []).append(row)
    for name, group in groups.items():
        first = group[0]
        if "question" not in first.data:
            raise first.error("question", "the text of the question")
        texts: dict[str, tuple[str, ...]] = {}
        add_wording(texts, "pl", first.scalar("question"))
        metadata = {field: " ".join(value.split()) for field, value in first.rest(_POLQA).items() if value != "-"}
        relevant = [row.scalar("passage_id") for row in group if row.has("relevant") and row.flag("relevant")]
        if relevant:
            metadata["relevant_passages"] = " ".join(dict.fromkeys(relevant))
        yield Question(
            id=name,
            texts=texts,
            answers=_polqa_answers(first),
            answer_type=answer_type(_kind(metadata)),
            origin="PolQA",
            split=first.scalar("split"),
            metadata=metadata,
        )


def _kind(metadata: Mapping[str, str]) -> str:
    return "boolean" if metadata.get("question_type") == "YES/NO" else ""


def _polqa_answers(row: Fields) -> Answers | None:
    """Return the variants; in CSV they are a list in the notation of Python."""
    if not isinstance(row.data.get("answers"), str):
        variants = row.strings("answers")
        return Answers(texts=(variants,) if variants else ()) if row.has("answers") else None
    text = row.scalar("answers")
    if not text.startswith("["):
        return Answers(texts=((text,),)) if text else None
    try:
        parsed = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise DataError(f"{row.where}: field 'answers' is {text[:40]!r}; a list such as ['tak'] is expected") from error
    variants = row.inside("answers", {"variants": parsed}).strings("variants")
    return Answers(texts=(variants,) if variants else ())
