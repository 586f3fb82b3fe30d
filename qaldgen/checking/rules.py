"""The table of rules: what is looked for, how bad it is, and what to do about it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from qaldgen.checking import answers, executed, feature_data, gerbil, queries, runs, texts
from qaldgen.checking.record import Case, Hit, Rule
from qaldgen.errors import UsageError
from qaldgen.io.text_tables import text_table


def _elsewhere(case: Case) -> Iterator[Hit]:
    """Find nothing: what this rule is about shows while a file is read or validated."""
    yield from ()


#: Every rule by its name; `run-...` is about runs, `rdf-...` about features.
RULES: dict[str, Rule] = {
    "unreadable": Rule("error", "file", "the file cannot be read", "Correct it, or name another file", _elsewhere),
    # ids and records
    "id-duplicate": Rule(
        "error", "questions", "an id stands there twice",
        "Answers are joined by id, so one of the two gets the other's; give every question its own id", texts.duplicate_ids,
    ),
    "left-out": Rule(
        "warning", "questions", "a record holds no question", "It is in no count; complete or remove it", texts.left_out,
    ),
    "record-broken": Rule(
        "error", "questions", "a record cannot be read",
        "Other verbs refuse the file, or leave the record out with --skip-broken; correct it", texts.broken_records,
    ),
    "set-note": Rule(
        "note", "questions", "the reader of the set noticed something", "It was read all the same", texts.reader_notes,
    ),
    "out-of-scope": Rule(
        "note", "questions", "a question is marked OUT OF SCOPE",
        "It is left out here, but counts for GERBIL, where silence scores 1", texts.out_of_scope,
    ),
    # wordings
    "text-empty": Rule(
        "error", "questions", "a question has no text", "It is left out; write its text or remove it", texts.empty_texts,
    ),
    "text-duplicate": Rule(
        "warning", "questions", "two questions have the same text, but for case, punctuation and spaces",
        "It counts twice, and may stand in train and test; keep one", texts.duplicate_texts,
    ),
    "text-damaged": Rule(
        "warning", "questions", "a wording has marks of a wrong encoding, or escaped HTML",
        "Systems get these characters as they are; restore the text", texts.damaged_texts,
    ),
    "text-fragment": Rule(
        "warning", "questions", "a text holds a placeholder, or question words only",
        "It cannot be answered; write the text out or remove the question", texts.fragments,
    ),
    "text-untrimmed": Rule(
        "note", "questions", "a wording has white space at an end, or several spaces in a row",
        "Texts are compared and counted as they are; take it out", texts.loose_spaces,
    ),
    "text-untranslated": Rule(
        "note", "questions", "a wording is the same in two languages",
        "Results by language count it in a language that it is not in; translate or remove it", texts.untranslated,
    ),
    "language-missing": Rule(
        "warning", "questions", "a question lacks a language that at least half of the questions have",
        "GERBIL drops it from an experiment in that language, so averages are over fewer questions; add it or say so",
        texts.missing_languages,
    ),
    "language-other": Rule(
        "warning", "questions", "a wording reads like another language than its tag or --lang says",
        "It gets features by the rules of the wrong language; correct the tag, or name the language by --lang",
        texts.in_other_languages,
    ),
    "language-tag": Rule(
        "warning", "questions", "a language tag is none", "RDF and systems need BCP 47 tags such as en or pt-BR; correct it",
        texts.odd_language_tags,
    ),
    # queries
    "query-unparsable": Rule(
        "error", "both", "a query cannot be read, even after the repair",
        "It has no features and cannot be executed; correct it", queries.unparsable,
    ),
    "query-repaired": Rule(
        "warning", "both", "a query is SPARQL 1.1 only after a repair",
        "Strict parsers and endpoints refuse it as it stands; write it in standard SPARQL", queries.repaired,
    ),
    "query-prefix": Rule(
        "error", "both", "a query uses a prefix that nobody declares",
        "It runs nowhere, and what it names is unknown; only its structure gives features. Declare the prefix",
        queries.unknown_prefix,
    ),
    "query-missing": Rule(
        "note", "questions", "a question has no query where most have one", "It has no features of the query", queries.missing,
    ),
    "query-answer-form": Rule(
        "error", "questions", "an ASK query with rows as gold answer, or a SELECT query with a boolean",
        "One of the two is wrong; compare them", queries.form_mismatch,
    ),
    "iri-look-alike": Rule(
        "error", "both", "an IRI is the address of a thing, or has https where its name has http",
        "IRIs are compared letter by letter, so it matches nothing and such a query gives nothing; correct it",
        queries.look_alikes,
    ),
    # answers
    "iri-invalid": Rule(
        "error", "both", "an answer is called an IRI and is none",
        "GERBIL takes it for text, and then all answers of the question; encode it or call it a literal", answers.invalid_iris,
    ),
    "datatype-invalid": Rule(
        "warning", "both", "the datatype of an answer is no IRI",
        "RDF cannot hold it, so it is not among the features; write it out, such as http://www.w3.org/2001/XMLSchema#integer",
        answers.odd_datatypes,
    ),
    "answer-without-value": Rule(
        "error", "both", "an answer is blank", "It counts as an answer that nobody can give; fill it in or remove it",
        answers.without_value,
    ),
    "answer-damaged": Rule(
        "warning", "both", "a literal has white space at an end, or marks of a wrong encoding",
        "Literals are compared letter by letter; correct it", answers.damaged,
    ),
    "answer-list": Rule(
        "warning", "questions", "a gold answer looks like several in one text",
        "As it stands only the whole text is right; write | between them, or divide them by --split-answers", answers.lists,
    ),
    "answer-duplicate": Rule(
        "note", "both", "an answer stands there twice", "It counts once; remove it", answers.duplicates,
    ),
    "answers-none": Rule(
        "note", "questions", "no question has gold answers",
        "Nothing can be scored; execute the queries with 'qaldgen annotate --kg FILE' or '--endpoint URL'", answers.none_at_all,
    ),
    "answers-missing": Rule(
        "warning", "questions", "a question has no gold answers where others have them",
        "GERBIL takes them as empty, so that silence scores 1; add or remove it", answers.missing,
    ),
    "answers-empty": Rule(
        "warning", "questions", "a gold answer is empty",
        "A system that stays silent scores 1 there; is it meant?", answers.empty,
    ),
    "answers-cut": Rule(
        "warning", "questions", "a gold answer has just as many rows as endpoints give at most",
        "It may be cut off; execute the query in pages", answers.cut_off,
    ),
    "answers-constant": Rule(
        "warning", "questions", "all yes/no questions have the same answer",
        "A system that always says so is right in all of them; add questions with the other answer", answers.always_same,
    ),
    "answer-type-mismatch": Rule(
        "warning", "questions", "the gold answers cannot be of the answer type that is named",
        "Results by answer type go to the wrong line; correct the type or the answers", answers.type_mismatch,
    ),
    "gold-mixed": Rule(
        "warning", "questions", "the gold has both IRIs and what GERBIL does not take for one",
        "GERBIL then compares all of the gold as text and finds no IRI, so that the right answer scores below 1; keep one kind",
        answers.mixed,
    ),
    "gold-same-twice": Rule(
        "note", "questions", "two gold answers are one thing to GERBIL, which looks for IRIs that mean the same",
        "A system that gives both gets one of them (score --same-as offline shows it); keep one", answers.same_twice,
    ),
    "gold-several-variables": Rule(
        "warning", "questions", "gold rows have several variables",
        "GERBIL counts every value of a row as an answer; select the answer variable only", answers.several_variables,
    ),
    "query-answers-disagree": Rule(
        "error", "questions", "a knowledge graph gives other answers than the gold (needs --kg or -e)",
        "The graph may be another version, or the gold is wrong; compare them", executed.disagree,
    ),
    "query-not-executed": Rule(
        "warning", "questions", "a query could not be executed, or its answer may be cut (needs --kg or -e)",
        "Nothing is said about its answers; try again, or ask another endpoint", executed.not_executed,
    ),
    "gerbil-refuses": Rule(
        "error", "both", "GERBIL refuses the file (QALD JSON only)",
        "One such place makes GERBIL refuse the whole file; remove or correct it", gerbil.refused,
    ),
    # runs
    "run-duplicate-id": Rule(
        "error", "run", "a run answers a question twice", "Only one of the answers counts; keep one", runs.duplicate_ids,
    ),
    "run-unknown-question": Rule(
        "warning", "run", "a run answers a question that is not in the gold (needs --gold)",
        "The answer is in no count; is it the right gold?", runs.unknown_questions,
    ),
    "run-not-asked": Rule(
        "warning", "run", "a run does not speak of a gold question (needs --gold)",
        "It counts as wrong; ask it, or say that it was left out", runs.not_asked,
    ),
    "run-failed": Rule(
        "warning", "run", "a call failed or took too long", "It counts as wrong, although the system may know; ask again",
        runs.failed,
    ),
    "run-empty-answer": Rule(
        "note", "run", "a run has an empty answer", "It scores only where the gold is empty too", runs.empty,
    ),
    "run-constant": Rule(
        "warning", "run", "a run answers everything in the same way", "This is a baseline, or an error", runs.always_same,
    ),
    "run-is-gold": Rule(
        "warning", "run", "a run gives the gold answer to every question (needs --gold)",
        "Is it the gold file itself?", runs.is_gold,
    ),
    "run-note": Rule("note", "run", "the reader of the run noticed something", "It was read all the same", runs.reader_notes),
    # features
    "rdf-empty-value": Rule(
        "warning", "rdf", "a missing value is written as an empty text",
        "A query takes it for a value; leave the property out", feature_data.empty_values,
    ),
    "rdf-placeholder": Rule(
        "warning", "rdf", "a value is a placeholder", "A query takes it for a value; leave the property out",
        feature_data.placeholders,
    ),
    "rdf-packed-list": Rule(
        "warning", "rdf", "several values stand in one text", "A query for one of them finds nothing; give one value a triple",
        feature_data.trailing_commas,
    ),
    "rdf-iri-as-text": Rule(
        "warning", "rdf", "an IRI is written as text", "It cannot be followed or joined; write <...>", feature_data.iris_as_text,
    ),
    "rdf-constant": Rule(
        "note", "rdf", "a feature has the same value in all questions",
        "It tells no question from another, and no sample can be spread over it", feature_data.constants,
    ),
    "rdf-copied-flag": Rule(
        "warning", "rdf", "the flag of the second entity, relation or class is that of the first in all questions",
        "It was copied, so it says nothing; compute it anew", feature_data.copies,
    ),
    "rdf-total-without-name": Rule(
        "warning", "rdf", "a question counts entities, relations or classes and names none",
        "Total or name is wrong; compute them anew", feature_data.totals_without_names,
    ),
    "rdf-answer-type": Rule(
        "warning", "rdf", "an answer type is none of boolean, number, date, string and resource",
        "A selection by answer type misses these questions; use one set of names", feature_data.unknown_answer_types,
    ),
    "shacl-violation": Rule(
        "error", "file", "a shape of the vocabulary is broken", "A query would fail or count wrongly", _elsewhere,
    ),
    "shacl-warning": Rule("warning", "file", "a habit of older data", "A query must know about it", _elsewhere),
    "shacl-info": Rule("note", "file", "something could be said better", "Nothing fails because of it", _elsewhere),
    "shacl-absent": Rule(
        "note", "file", "pyshacl is not installed", "The shapes were not looked at; pip install 'qaldgen[shacl]'", _elsewhere,
    ),
}  # fmt: skip


def chosen_rules(select: Iterable[str] = (), ignore: Iterable[str] = ()) -> dict[str, Rule]:
    """Return the rules to look at: those selected, or else all, without those to ignore.

    Raises
    ------
    UsageError
        If there is no such rule.

    Examples
    --------
    >>> list(chosen_rules(select=["text-empty", "left-out"], ignore=["left-out"]))
    ['text-empty']
    """
    selected, ignored = list(select), set(ignore)
    unknown = next((name for name in [*selected, *ignored] if name not in RULES), None)
    if unknown is not None:
        near = difflib.get_close_matches(unknown, RULES, n=3)
        hint = f"near it are {', '.join(near)}; " if near else ""
        raise UsageError(f"there is no rule {unknown!r}; {hint}--rules lists them all")
    return {name: rule for name, rule in RULES.items() if name not in ignored and (not selected or name in selected)}


def describe_rules() -> str:
    """Return the table of rules as text."""
    return text_table([(name, rule.level, rule.help) for name, rule in RULES.items()])
