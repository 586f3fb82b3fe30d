"""Rules on questions: ids, texts, languages, queries, gold answers, what GERBIL refuses."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeAlias

from qaldgen.annotation.language_detection import other_languages
from qaldgen.answers.changes import comparable_cell, is_change
from qaldgen.benchmark.editions import Change, change_in_words
from qaldgen.features.query.query_features import QueryError, parse_query
from qaldgen.io.text import count
from qaldgen.model import Answers, Cell, LeftOut, Question, Remark
from qaldgen.plugins.checking.findings import (
    Case,
    Hit,
    each_answers,
    each_query,
    each_question,
    quoted,
)
from qaldgen.questions.file_content import load_content
from qaldgen.questions.gerbil import (
    answer_strings,
    gerbil_complaints,
    illegal_iris,
    is_gerbil_iri,
    never_matched,
)
from qaldgen.questions.listed_answers import LOOKS_LIKE_LISTS, listed_answers
from qaldgen.questions.question_texts import NO_TEXT, UNANSWERABLE
from qaldgen.questions.reading import read_questions
from qaldgen.questions.records import ReadOptions
from qaldgen.rdf.terms import is_iri
from qaldgen.scoring.gerbil.same_as import same_to_gerbil
from qaldgen.scoring.worded_answers import is_contradicted
from qaldgen.sparql.grammar import NotSparqlError, parse
from qaldgen.sparql.repair import repair, unknown_prefixes
from qaldgen.sparql.tokens import tokens
from qaldgen.sparql.tree import Aggregate, Query, all_queries

_HTML_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]+|#x[0-9A-Fa-f]+);")
#: UTF-8 that was decoded as Latin-1 or Windows-1252.
_MOJIBAKE = re.compile("Ã[\x80-\xbf]|Â[\xa0-\xbf]|â€|Ð[\x80-\xbf]Ð|[ÄÅ][\x80-\xbf]")
#: Control characters, zero-width space and byte order mark.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\ufeff]")
#: Marks of templates before a word, or a text that says "no text".
_PLACEHOLDER = re.compile(
    r"@@@|\{\{\s*[^\W\d]|\[\[\s*[^\W\d]|(?i:^\W*(?:n/a|null|none|nan|tbd|todo)\W*$)"
)
#: A command of LaTeX, a subscript or a power: braces in such a text belong to a formula.
_FORMULA = re.compile(r"\\[A-Za-z]+|[_^]\{")
#: A text with only these words is the start of a question.
_OPENERS = frozenset([
    "how", "many", "much", "what", "which", "who", "whom", "whose", "when", "where", "why", "is",
    "are", "was", "were", "did", "does", "do", "the", "a", "an", "of", "in", "give", "name", "list",
    "tell", "me",
])  # fmt: skip
_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*")


def id_duplicate(case: Case) -> Iterator[Hit]:
    """Find ids that the reader had to make unique by a number."""
    ids = {member.id for member in case.members}
    for member in case.members:
        first, _, number = member.id.rpartition("#")
        if first in ids and number.isdigit():
            yield Hit(
                member.id,
                f"id {quoted(first)} occurs {number} times; this question becomes"
                f" {quoted(member.id)}",
            )


def left_out(case: Case) -> Iterator[Hit]:
    """Find records without a question, except records without text or out of scope."""
    for record, reason, is_broken in _left_out(case):
        if not is_broken and Remark(reason).rule not in {NO_TEXT.rule, UNANSWERABLE.rule}:
            yield Hit(record, f"the record was skipped: {reason}")


def record_broken(case: Case) -> Iterator[Hit]:
    """Find the records that cannot be read."""
    yield from (Hit(record, reason) for record, reason, is_broken in _left_out(case) if is_broken)


def _left_out(case: Case) -> tuple[LeftOut, ...]:
    if not case.questions:
        return ()
    return case.questions.left_out


def _left_out_by(rule: Remark, case: Case, complaint: str) -> Iterator[Hit]:
    for record, reason, _ in _left_out(case):
        if Remark(reason).rule == rule.rule:
            yield Hit(record, complaint)


def set_note(case: Case) -> Iterator[Hit]:
    """Repeat the notes made while reading the set, except notes that a rule covers by question."""
    if not case.questions:
        return
    for note in case.questions.notes:
        if Remark(note).rule != LOOKS_LIKE_LISTS:
            yield Hit("", note)


def out_of_scope(case: Case) -> Iterator[Hit]:
    """Find questions that are marked as unanswerable."""
    yield from _left_out_by(UNANSWERABLE, case, "is marked OUT OF SCOPE")


def text_empty(case: Case) -> Iterator[Hit]:
    """Find the records without any text."""
    yield from _left_out_by(NO_TEXT, case, "has no text in any language")


def text_duplicate(case: Case) -> Iterator[Hit]:
    """Find questions that repeat a main text, ignoring case, punctuation and spaces."""
    first: dict[tuple[str, ...], Question] = {}
    for member in case.members:
        folded = tuple(re.findall(r"\w+", member.text().casefold()))
        earlier = first.setdefault(folded, member)
        if earlier is not member and folded:
            complaint = f"{quoted(member.text())} repeats question {quoted(earlier.id)}"
            differences = []
            if earlier.sparql != member.sparql:
                differences.append("another query")
            if earlier.answers != member.answers:
                differences.append("other answers")
            if differences:
                complaint += f", with {' and '.join(differences)}"
            yield Hit(member.id, complaint)


def language_missing(case: Case) -> Iterator[Hit]:
    """Find questions without a text in a language that at least half of all questions have."""
    counts = Counter[str]()
    for member in case.members:
        counts.update(language for language, texts in member.texts.items() if any(texts))
    frequent = [language for language, count in counts.items() if 2 * count >= len(case.members)]
    for member in case.members:
        absent = [language for language in frequent if not any(member.texts.get(language, ()))]
        if absent:
            yield Hit(member.id, f"has no text in {', '.join(absent)}")


def language_tag(case: Case) -> Iterator[Hit]:
    """Find invalid language tags."""
    examples: dict[str, str] = {}
    for name, language, _ in case.texts():
        if not _TAG.fullmatch(language):
            examples.setdefault(language, name)
    for language, name in examples.items():
        yield Hit(name, f"{quoted(language)} is not a language tag")


def text_damaged(case: Case) -> Iterator[Hit]:
    """Find texts with signs of a wrong encoding or of escaped HTML."""
    for name, language, text in case.texts():
        damage = find_damage(text)
        if damage:
            yield Hit(name, f"the text in {language} has {damage}: {quoted(text)}")


def find_damage(text: str) -> str | None:
    """Return the sign of damage in a text; None if there is none.

    >>> find_damage("Who wrote Caf" + chr(0xC3) + chr(0xA9) + "?"), find_damage("Who wrote this?")
    ('bytes decoded with the wrong encoding', None)
    """
    damages = {
        "U+FFFD, the replacement of a lost character": "\ufffd" in text,
        "a control character or an invisible space": (
            _CONTROL.search(text) is not None and not _MOJIBAKE.search(text)
        ),
        "bytes decoded with the wrong encoding": _MOJIBAKE.search(text) is not None,
        "an HTML entity": _HTML_ENTITY.search(text) is not None,
    }
    return next((name for name, has_it in damages.items() if has_it), None)


def text_untrimmed(case: Case) -> Iterator[Hit]:
    """Find texts with leading, trailing or repeated white space."""
    fields: dict[str, dict[str, None]] = {}
    for name, language, text in case.texts():
        if text != text.strip() or re.search(r"\s{2,}|\t", text):
            fields.setdefault(name, {})[language] = None
    for name, languages in fields.items():
        yield Hit(name, f"has superfluous white space in {', '.join(languages)}")


@each_question
def text_fragment(question: Question) -> str:
    """Find texts with a placeholder, or with question words only."""
    text = question.text()
    words = {*re.findall(r"\w+", text.casefold())}
    if _PLACEHOLDER.search(text) and not _FORMULA.search(text):
        return f"the text contains a placeholder: {quoted(text)}"
    if words <= _OPENERS:
        return f"the text contains only question words: {quoted(text)}"
    return ""


def language_other(case: Case) -> Iterator[Hit]:
    """Find texts that are clearly in another language than their tag says."""
    for language in dict.fromkeys(language for member in case.members for language in member.texts):
        main = {
            member.id: member.texts[language][0]
            for member in case.members
            if member.texts.get(language)
        }
        for name, detected in other_languages(main, language).items():
            yield Hit(name, f"the text in {language} reads like {detected}: {quoted(main[name])}")


def text_untranslated(case: Case) -> Iterator[Hit]:
    """Find texts that are equal in two languages."""
    for member in case.members:
        first: dict[str, str] = {}
        for language, texts in member.texts.items():
            main = texts[0] if texts else ""
            earlier = first.setdefault(main, language)
            # one or two words may be a name, the same in all languages
            if earlier != language and len(main.split()) > 2:
                yield Hit(
                    member.id,
                    f"the text in {language} is identical to that in {earlier}: {quoted(main)}",
                )


#: Addresses of pages that people use as IRIs, and the right IRIs.
_LOOK_ALIKE = (
    (
        re.compile(
            r"https(://www\.w3\.org/(?:1999/02/22-rdf-syntax-ns|2000/01/rdf-schema|"
            r"2001/XMLSchema|2002/07/owl)#)"
        ),
        r"http\1",
    ),
    (re.compile(r"https(://dbpedia\.org/(?:resource|ontology|property|class)/)"), r"http\1"),
    (re.compile(r"https?(://dbpedia\.org/)page/"), r"http\1resource/"),
    (re.compile(r"https(://www\.wikidata\.org/(?:entity|prop)/)"), r"http\1"),
    (
        re.compile(r"https?://(?:www\.|m\.)?wikidata\.org/wiki/(?:Property:)?(?=[QPL][0-9])"),
        "http://www.wikidata.org/entity/",
    ),
    (re.compile(r"https?://wikidata\.org/(?=entity/|prop/)"), "http://www.wikidata.org/"),
)


class Diagnosis(NamedTuple):
    """The faults of a query: the repairs that it needed, or why it cannot be parsed."""

    repairs: tuple[str, ...] = ()
    error: str = ""


@functools.lru_cache(maxsize=20_000)
def diagnose(query: str) -> Diagnosis:
    """Return whether a query is standard SPARQL, needs repair, or cannot be parsed.

    The parser is that of the features.

    >>> diagnose("SELECT COUNT(?x) { ?x ?y ?z }").repairs
    ('bare-aggregate',)
    """
    try:
        return Diagnosis(parse_query(query).repairs)
    except QueryError as error:
        return Diagnosis(error=str(error))


@each_query
def query_unparsable(query: str) -> str:
    """Find queries that cannot be parsed, even after the repair."""
    return diagnose(query).error


@each_query
def query_repaired(query: str) -> str:
    """Find the queries that are SPARQL only after a repair."""
    repairs = [code for code in diagnose(query).repairs if code != "unknown-prefix"]
    if not repairs:
        return ""
    return f"the query is not standard SPARQL ({', '.join(repairs)})"


@each_query
def query_prefix(query: str) -> str:
    """Find queries with a prefix that is neither declared nor well known."""
    if "unknown-prefix" not in diagnose(query).repairs:
        return ""
    return f"the query uses {' and '.join(unknown_prefixes(query))} without declaring it"


#: The aggregates whose result depends on repetitions.
_COUNTING = {"COUNT", "SUM", "AVG"}


@each_query
def query_distinct_count(query: str) -> str:
    """Find DISTINCT in front of an aggregate that counts repetitions."""
    for select in _queries(query):
        if select.modifier != "DISTINCT" or select.group_by:
            continue
        for column in select.columns:
            value = column.expression
            if isinstance(value, Aggregate) and not value.distinct and value.name in _COUNTING:
                return f"DISTINCT stands in front of {value.name}, where it changes nothing"
    return ""


@each_query
def query_limit_unordered(query: str) -> str:
    """Find queries that choose some of their rows without an order."""
    for select in _queries(query):
        if select.form != "SELECT" or select.order_by:
            continue
        has_aggregates = all(isinstance(column.expression, Aggregate) for column in select.columns)
        has_one_row = bool(select.columns) and has_aggregates and not select.group_by
        is_cut = select.limit is not None or bool(select.offset)
        if is_cut and not has_one_row:
            return "LIMIT or OFFSET without ORDER BY takes whatever rows come first"
    return ""


@each_query
def query_changing(query: str) -> str:
    """Find queries whose answer is another one each time."""
    for token, following in pairwise(tokens(query)):
        if following.text == "(" and token.word in {"NOW", "RAND", "UUID", "STRUUID"}:
            return f"{token.word}() gives another value each time"
    return ""


def _queries(text: str) -> Iterator[Query]:
    """Yield a query and its sub-queries; none if it does not parse."""
    try:
        yield from all_queries(parse(repair(text, bind_unknown=True).text))
    except NotSparqlError:
        return


def query_missing(case: Case) -> Iterator[Hit]:
    """Find questions without a query, if at least half of all questions have one."""
    without = [member for member in case.members if not member.sparql]
    if 2 * len(without) <= len(case.members):
        yield from (Hit(question.id, "has no query") for question in without)


def resource_iri(address: str) -> str | None:
    """Return the IRI that is meant by the address of a page; None if the address is no such one.

    >>> resource_iri("https://www.wikidata.org/wiki/Q64")
    'http://www.wikidata.org/entity/Q64'
    >>> resource_iri("http://www.wikidata.org/entity/Q64")
    """
    for pattern, replacement in _LOOK_ALIKE:
        if pattern.match(address):
            return pattern.sub(replacement, address, count=1)
    return None


def iri_look_alike(case: Case) -> Iterator[Hit]:
    """Find IRIs in queries and answers that are the address of a page about the resource."""
    for name, query in case.queries():
        iris = (token.text[1:-1] for token in tokens(query) if token.kind == "iri")
        for iri in dict.fromkeys(iris):
            if right := resource_iri(iri):
                yield Hit(name, f"the query has <{iri}>, probably instead of <{right}>")
    for name, answers in case.answers():
        wrong = {}
        for cell in answers.cells():
            if cell.type == "uri" and (right := resource_iri(cell.value)):
                wrong[cell.value] = right
        if wrong:
            value, right = next(iter(wrong.items()))
            yield Hit(
                name,
                f"{count(len(wrong), 'answer')} with the wrong IRI, such as {quoted(value)},"
                f" probably instead of <{right}>",
            )


@each_question
def query_answer_form(question: Question) -> str:
    """Find ASK queries with rows as answer, and SELECT queries with a boolean."""
    query = question.sparql
    answers = question.answers
    form = next((token.word for token in tokens(query) if token.word in {"ASK", "SELECT"}), "")
    # ``ASK {}`` is a placeholder where a query is mandatory
    if answers is None or not form or re.search(r"\{\s*\}\s*$", query):
        return ""
    if not answers.rows and answers.boolean is None:
        return ""
    words = {value.lower() for value in answers.values()}
    is_boolean = answers.boolean is not None or words <= {"true", "false"}
    if is_boolean == (form == "ASK"):
        return ""
    result = "true or false" if is_boolean else count(len(answers.rows), "row")
    return f"the query is {form}, but the gold answer is {result}"


#: The number of yes/no questions from which equal answers are unlikely to be a coincidence.
_ENOUGH = 20
#: Formats whose answers people type into cells.
_OWN_FORMS = frozenset({"table", "json-records"})
#: IRIs of entities, as opposed to addresses of web pages, which sets declare as strings.
_ENTITY_IRI = re.compile(
    r"https?://(?:dbpedia\.org/resource|www\.wikidata\.org/entity|rdf\.freebase\.com/ns)/"
)


#: Texts that may be booleans.
_TRUTHS = frozenset({"true", "false", "1", "0", "yes", "no"})


def answers_missing(case: Case) -> Iterator[Hit]:
    """Find questions without gold answers, if others have them."""
    with_answers = sum(member.answers is not None for member in case.members)
    for member in case.members:
        # without any gold answers, `answers_none` reports it once for the whole set
        if member.answers is None and with_answers:
            yield Hit(member.id, "has no gold answers")


def answers_none(case: Case) -> Iterator[Hit]:
    """Report that no question of a set has gold answers."""
    if case.members and all(member.answers is None for member in case.members):
        yield Hit("", f"none of the {len(case.members):,} questions has gold answers")


@each_question
def answers_empty(question: Question) -> str:
    """Find questions whose gold answer is empty."""
    if question.answers and not question.answers.values():
        return "has an empty gold answer"
    return ""


@each_question
def answers_contradict(question: Question) -> str:
    """Find questions whose gold answers are both yes and no."""
    if is_contradicted(question):
        return "the gold answers are both yes and no"
    return ""


@each_question
def answer_type_mismatch(question: Question) -> str:
    """Find questions whose gold answers cannot have the declared answer type."""
    kind, answers = question.answer_type, question.answers
    if answers is None or not kind or not _cannot_be(answers, kind):
        return ""
    described = "a boolean"
    if answers.boolean is None:
        described = f"{count(len(answers.rows), 'row')} such as {quoted(answers.values()[0])}"
    return f"the answer type is {kind}, but the gold answers are {described}"


def _cannot_be(answers: Answers, kind: str) -> bool:
    """Return whether answers cannot have a type; generous, since sets often omit datatypes."""
    if answers.boolean is not None:
        return kind != "boolean"
    cells = answers.cells()
    if not cells:
        return False
    iris = [cell.type != "literal" for cell in cells]
    if kind == "resource":
        return not any(iris)
    if kind == "boolean":
        return any(iris) or not {cell.value.lower() for cell in cells} <= _TRUTHS
    if kind in {"number", "date"}:
        return all(iris) or not any(re.search(r"\d", cell.value) for cell in cells)
    return all(cell.type == "uri" and _ENTITY_IRI.match(cell.value) for cell in cells)


@each_question
def gold_mixed(question: Question) -> str:
    """Find gold answers that GERBIL never matches: other answers of the question are not IRIs."""
    values = dict.fromkeys(answer_strings(question.answers))
    unmatched = never_matched(values)
    if not unmatched:
        return ""
    text = next(value for value in values if not is_gerbil_iri(value))
    iris = f"{count(len(unmatched), 'IRI')} (such as {quoted(unmatched[0])})"
    return f"GERBIL cannot match {iris}, because the gold answers also contain {quoted(text)}"


@each_question
def gold_same_twice(question: Question) -> str:
    """Find gold answers that are one resource to GERBIL; the first pair is enough."""
    pairs = same_to_gerbil(answer_strings(question.answers))
    if not pairs:
        return ""
    return f"{' and '.join(map(quoted, pairs[0]))} are the same resource to GERBIL"


@each_question
def gold_several_variables(question: Question) -> str:
    """Find gold answers with more than one variable."""
    answers = question.answers
    if answers and answers.rows and len(answers.variables) > 1:
        return f"the gold rows have the variables {', '.join(answers.variables)}"
    return ""


def answers_constant(case: Case) -> Iterator[Hit]:
    """Report that all yes/no questions of a set have one answer."""
    booleans = Counter(
        member.answers.boolean
        for member in case.members
        if member.answers and member.answers.boolean is not None
    )
    # a few yes/no questions may all be true by chance
    if len(booleans) == 1 and booleans.total() >= _ENOUGH:
        (value,) = booleans
        yield Hit(
            "", f"all {booleans.total():,} yes/no questions have the answer {str(value).lower()}"
        )


@each_answers
def iri_invalid(answers: Answers) -> str:
    """Find answers that are declared as IRIs but are not valid ones."""
    return _with_example([cell.value for cell in illegal_iris(answers)], "invalid IRI")


@each_answers
def datatype_invalid(answers: Answers) -> str:
    """Find literals whose datatype is not an IRI."""
    datatypes = (cell.datatype for cell in answers.cells())
    invalid = [datatype for datatype in datatypes if datatype and not is_iri(datatype)]
    return _with_example(invalid, "invalid datatype IRI")


def _with_example(values: Sequence[str], noun: str) -> str:
    """Return how many values there are and the first of them; empty for none."""
    if not values:
        return ""
    return f"{count(len(values), noun)}, such as {quoted(values[0])}"


@each_answers
def answer_without_value(answers: Answers) -> str:
    """Find blank answers."""
    blank = sum(not cell.value.strip() for cell in answers.cells())
    for wordings in answers.texts:
        if not any(wording.strip() for wording in wordings):
            blank += 1
    if not blank:
        return ""
    return count(blank, "blank answer")


@each_answers
def answer_damaged(answers: Answers) -> str:
    """Find literals with leading or trailing white space, or signs of a wrong encoding."""
    literals = (cell.value for cell in answers.cells() if cell.type == "literal")
    for value in filter(str.strip, literals):
        damage = find_damage(value)
        if not damage and value != value.strip():
            damage = "leading or trailing white space"
        if damage:
            return f"an answer has {damage}: {quoted(value)}"
    return ""


def answer_list(case: Case) -> Iterator[Hit]:
    """Find gold answers that look like several answers in one text.

    In formats with lists of answers, a bar or comma in an answer is part of a name.
    """
    if case.format not in _OWN_FORMS:
        return
    listed = listed_answers(case.members)
    for member in case.members:
        if member.id in listed and member.answers is not None:
            yield Hit(
                member.id,
                f"{quoted(member.answers.values()[0])} looks like several answers separated by"
                f" {listed[member.id]!r}",
            )


@each_answers
def answer_duplicate(answers: Answers) -> str:
    """Find duplicate answers."""
    extra = len(answers.rows) - len(set(answers.rows))
    if not extra:
        return ""
    return f"{extra:,} of {len(answers.rows):,} rows are duplicates"


def gold_by_wording(case: Case) -> Iterator[Hit]:
    """Find gold answers that differ for one query, or between the languages of a question.

    Names differ between languages, so only the number of answers, yes and no, and the digits of
    numbers and dates are compared.
    """
    first: dict[str, Question] = {}
    for member in case.members:
        if member.sparql and member.answers is not None:
            earlier = first.setdefault(" ".join(member.sparql.split()), member)
            if earlier.answers and {*earlier.answers.values()} != {*member.answers.values()}:
                yield Hit(member.id, f"has the query of question {earlier.id!r} and another answer")
    if case.format != "mkqa":  # the only format with gold answers for each language
        return
    for tag in sorted({tag for member in case.members for tag in member.texts}):
        translations = read_questions(case.path, ReadOptions(language=tag)).by_id
        for member in case.members:
            translation = translations.get(member.id)
            if translation is not None and tag in translation.texts:
                difference = _gold_difference(member, translation)
                if difference:
                    yield Hit(member.id, f"the gold answer in {tag!r} has {difference}")


def _gold_difference(question: Question, translation: Question) -> str:
    answers, translated = question.answers, translation.answers
    if not answers or not translated:
        return ""
    if answers.boolean != translated.boolean:
        return "another truth value"
    if len(answers.texts) != len(translated.texts):
        return f"{count(len(translated.texts), 'answer')} and not {len(answers.texts)}"
    if question.answer_type in {"number", "date"} and _digits(answers) != _digits(translated):
        return f"other figures: {translated.texts[0][0]!r}, {answers.texts[0][0]!r}"
    return ""


def _digits(answers: Answers) -> list[list[str]]:
    """Return the digits of each answer, in any order."""
    return sorted(sorted(re.findall(r"\d+", wordings[0])) for wordings in answers.texts)


_Value: TypeAlias = bool | Cell


def query_not_executed(case: Case) -> Iterator[Hit]:
    """Find queries that could not be executed, or whose answer may be truncated."""
    for name, response in case.executed.items():
        if response.answers is None:
            yield Hit(name, f"the query was not executed: {response.error}")
        elif response.error:
            yield Hit(name, f"the result of the query may be incomplete: {response.error}")


def query_answers_disagree(case: Case) -> Iterator[Hit]:
    """Find questions whose gold answers differ from the results; failed queries are skipped."""
    for member in case.members:
        response = case.executed.get(member.id)
        if response is None or response.answers is None or response.error or member.answers is None:
            continue
        gold = typed_values(member.answers)
        result = typed_values(response.answers)
        if gold != result:
            complaint = _graph_difference(gold, result)
            row = next((row for row in _changes(case) if row.question == member.id), None)
            if row and is_change(row.change):
                complaint = f"{change_in_words(row.change)}: {complaint}"
            if row and row.reason:
                complaint = f"{complaint}; {row.reason}"
            yield Hit(member.id, complaint)


def gold_changed(case: Case) -> Iterator[Hit]:
    """Find questions whose gold answers differ in another edition."""
    if not case.executed:  # `query_answers_disagree` is about the results of a knowledge graph
        yield from (Hit(row.question, row.words) for row in _changes(case) if is_change(row.change))


def _changes(case: Case) -> tuple[Change, ...]:
    if not case.changes:
        return ()
    return case.changes.rows


def typed_values(answers: Answers) -> frozenset[_Value]:
    """Return the values of answers with kind, datatype and language; xsd:string counts as none.

    >>> typed_values(Answers(boolean=True))
    frozenset({True})
    """
    if answers.boolean is not None:
        return frozenset([answers.boolean])
    return frozenset(map(comparable_cell, answers.cells()))


def _graph_difference(gold: frozenset[_Value], result: frozenset[_Value]) -> str:
    gold_values = _plain_values(gold)
    result_values = _plain_values(result)
    if gold_values == result_values:
        return (
            "gold answers and knowledge graph have the same values, but different kinds, datatypes"
            " or languages"
        )
    only_gold = sorted(gold_values - result_values)
    only_graph = sorted(result_values - gold_values)
    parts = [
        f"{len(values):,} only in the {place} (such as {quoted(values[0])})"
        for place, values in (("gold", only_gold), ("knowledge graph", only_graph))
        if values
    ]
    return (
        f"of {len(gold):,} gold answers and {len(result):,} of the knowledge graph"
        f" {' and '.join(parts)}"
    )


def _plain_values(values: frozenset[_Value]) -> set[str]:
    return {value.value if isinstance(value, Cell) else str(value).lower() for value in values}


_ID = re.compile(r"question \d+ \(id (.+?)\)(?:, |$)")


def gerbil_refuses(case: Case) -> Iterator[Hit]:
    """Find every place for which GERBIL refuses a file in QALD JSON or extended QALD JSON."""
    if case.format not in {"qald-json", "qald-extended"}:
        return
    for place, rule in gerbil_complaints(load_content(Path(case.path)).text):
        id_match = _ID.match(place)
        if id_match is None:
            yield Hit("", f"{place}: {rule}")
            continue
        place_in_question = place[id_match.end() :] or place
        yield Hit(id_match[1], f"{place_in_question}: {rule}")
