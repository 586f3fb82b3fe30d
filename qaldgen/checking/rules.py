"""The table of rules: what each rule finds, how serious it is, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from qaldgen.checking import question_rules, run_rules
from qaldgen.checking.findings import Case, Hit, Rule
from qaldgen.errors import UsageError
from qaldgen.io.arguments import did_you_mean
from qaldgen.io.text import text_table


def _elsewhere(case: Case) -> Iterator[Hit]:
    """Find nothing: these problems surface while a file is read or validated."""
    yield from ()


#: All rules by name; `run-...` rules apply to runs.
RULES: dict[str, Rule] = {
    "unreadable": Rule(
        "error", "file", "the file cannot be read", "Fix the file, or name another one", _elsewhere,
    ),
    # ids and records
    "id-duplicate": Rule(
        "error", "questions", "an id occurs twice",
        "Answers are joined by id, so one question gets the answers of the other; give every "
        "question its own id", question_rules.duplicate_ids,
    ),
    "left-out": Rule(
        "warning", "questions", "a record contains no question",
        "It is not counted; complete or remove it", question_rules.left_out,
    ),
    "record-broken": Rule(
        "error", "questions", "a record cannot be read",
        "Other commands reject the file, or skip the record with --skip-broken; fix it",
        question_rules.broken_records,
    ),
    "set-note": Rule(
        "note", "questions", "the reader of the question set has a note",
        "The file was read nevertheless", question_rules.reader_notes,
    ),
    "out-of-scope": Rule(
        "note", "questions", "a question is marked OUT OF SCOPE",
        "qaldgen skips it, but GERBIL counts it, and an empty answer scores 1 there",
        question_rules.out_of_scope,
    ),
    # texts
    "text-empty": Rule(
        "error", "questions", "a question has no text", "It is skipped; add its text or remove it",
        question_rules.empty_texts,
    ),
    "text-duplicate": Rule(
        "warning", "questions",
        "two questions have the same text, apart from case, punctuation and spaces",
        "It counts twice, and may be in both train and test; keep one",
        question_rules.duplicate_texts,
    ),
    "text-damaged": Rule(
        "warning", "questions", "a text shows signs of a wrong encoding, or escaped HTML",
        "Systems receive these characters as they are; restore the text",
        question_rules.damaged_texts,
    ),
    "text-fragment": Rule(
        "warning", "questions", "a text contains a placeholder, or only question words",
        "It cannot be answered; write the question out or remove it", question_rules.fragments,
    ),
    "text-untrimmed": Rule(
        "note", "questions", "a text has leading, trailing or repeated white space",
        "Texts are compared and counted as they are; remove the extra space",
        question_rules.loose_spaces,
    ),
    "text-untranslated": Rule(
        "note", "questions", "a text is the same in two languages",
        "Results by language count it under the wrong language; translate or remove it",
        question_rules.untranslated,
    ),
    "language-missing": Rule(
        "warning", "questions",
        "a question lacks a language that at least half of the questions have",
        "GERBIL drops it from experiments in that language, so averages cover fewer questions; "
        "add the text, or report the number of questions", question_rules.missing_languages,
    ),
    "language-other": Rule(
        "warning", "questions", "a text reads like another language than its tag or --lang says",
        "Its features are computed by the rules of the wrong language; correct the tag, or set "
        "the language with --lang", question_rules.in_other_languages,
    ),
    "language-tag": Rule(
        "warning", "questions", "a language tag is invalid",
        "RDF and systems need BCP 47 tags such as en or pt-BR; correct it",
        question_rules.odd_language_tags,
    ),
    # queries
    "query-unparsable": Rule(
        "error", "both", "a query cannot be parsed, even after repair",
        "It has no features and cannot be executed; correct it", question_rules.unparsable_queries,
    ),
    "query-repaired": Rule(
        "warning", "both", "a query is valid SPARQL 1.1 only after repair",
        "Strict parsers and endpoints reject the stored text; write it in standard SPARQL",
        question_rules.repaired_queries,
    ),
    "query-prefix": Rule(
        "error", "both", "a query uses an unknown prefix",
        "It cannot be executed, and only its structure has features; declare the prefix",
        question_rules.unknown_prefix,
    ),
    "query-missing": Rule(
        "note", "questions", "a question has no query, although most questions have one",
        "It has no query features", question_rules.missing_queries,
    ),
    "query-answer-form": Rule(
        "error", "questions",
        "an ASK query has rows as gold answer, or a SELECT query has a boolean",
        "One of the two is wrong; compare them", question_rules.form_mismatch,
    ),
    "iri-look-alike": Rule(
        "error", "both",
        "an IRI is the web address of a page about the resource, or has https instead of http",
        "IRIs are compared character by character, so it matches nothing and such a query finds"
        " nothing; correct it", question_rules.look_alikes,
    ),
    # answers
    "iri-invalid": Rule(
        "error", "both", "an answer is declared as an IRI but is not a valid one",
        "GERBIL treats it as text, and with it all answers of the question; encode it or "
        "declare it as a literal", question_rules.invalid_iris,
    ),
    "datatype-invalid": Rule(
        "warning", "both", "the datatype of an answer is not an IRI",
        "RDF cannot represent it, so it is missing from the features; write it in full, such as"
        " http://www.w3.org/2001/XMLSchema#integer", question_rules.odd_datatypes,
    ),
    "answer-without-value": Rule(
        "error", "both", "an answer has no value",
        "It counts as an answer that no system can give; fill it in or remove it",
        question_rules.without_value,
    ),
    "answer-damaged": Rule(
        "warning", "both",
        "a literal has leading or trailing white space, or signs of a wrong encoding",
        "Literals are compared character by character; correct it", question_rules.damaged_answers,
    ),
    "answer-list": Rule(
        "warning", "questions", "a gold answer looks like several answers in one text",
        "As it is, only the whole text is correct; separate the answers with |, or split them "
        "with --split-answers", question_rules.listed_in_text,
    ),
    "answer-duplicate": Rule(
        "note", "both", "an answer occurs twice", "It counts once; remove the duplicate",
        question_rules.duplicate_answers,
    ),
    "answers-none": Rule(
        "note", "questions", "no question has gold answers",
        "Nothing can be scored; execute the queries with 'qaldgen annotate --kg FILE' or '--"
        "endpoint URL'", question_rules.none_at_all,
    ),
    "answers-missing": Rule(
        "warning", "questions", "a question has no gold answers, although others do",
        "GERBIL treats them as empty, so an empty answer scores 1; add the answers or remove "
        "the question", question_rules.missing_answers,
    ),
    "answers-empty": Rule(
        "warning", "questions", "a gold answer is empty",
        "An empty answer scores 1 there; check that this is intended", question_rules.empty_answers,
    ),
    "answers-contradict": Rule(
        "warning", "questions", "the gold answers of a question are both yes and no",
        "The text matchers accept either; keep the right one", question_rules.contradicting,
    ),
    "answers-constant": Rule(
        "warning", "questions", "all yes/no questions have the same answer",
        "A system that always gives it gets all of them right; add questions with the other answer",
        question_rules.always_same,
    ),
    "answer-type-mismatch": Rule(
        "warning", "questions", "the gold answers do not have the declared answer type",
        "Results by answer type count it under the wrong type; correct the type or the answers",
        question_rules.type_mismatch,
    ),
    "gold-mixed": Rule(
        "warning", "questions",
        "the gold answers mix IRIs with values that GERBIL does not treat as IRIs",
        "GERBIL then compares all of them as text and matches no IRI, so the correct answer "
        "scores below 1; keep one kind", question_rules.mixed_kinds,
    ),
    "gold-same-twice": Rule(
        "note", "questions",
        "two gold answers are the same resource to GERBIL, which resolves equivalent IRIs",
        "A system that gives both gets credit for one (score --same-as offline shows it); keep one",
        question_rules.same_twice,
    ),
    "gold-by-wording": Rule(
        "warning", "questions",
        "two wordings of a question, by their query or in two languages, have other gold answers",
        "A system cannot be right in both, and looks inconsistent (compare --by language); compare"
        " the gold answers", question_rules.gold_differs,
    ),
    "gold-several-variables": Rule(
        "warning", "questions", "gold rows have several variables",
        "GERBIL counts every value of a row as an answer; select only the answer variable",
        question_rules.several_variables,
    ),
    "query-answers-disagree": Rule(
        "error", "questions",
        "the knowledge graph gives other answers than the gold answers (needs --kg or -e)",
        "The graph may be another version, or the gold answers are wrong; compare them",
        question_rules.graph_disagrees,
    ),
    "gold-changed": Rule(
        "warning", "questions",
        "the gold answer differs in another edition of the gold (needs --against)",
        "A score holds for one edition; name it, or score on both with score --also-gold",
        question_rules.gold_changed,
    ),
    "query-not-executed": Rule(
        "warning", "questions",
        "a query could not be executed, or its answer may be truncated (needs --kg or -e)",
        "Its answers were not checked; try again, or use another endpoint",
        question_rules.not_executed,
    ),
    "gerbil-refuses": Rule(
        "error", "both", "GERBIL rejects the file (QALD JSON only)",
        "One such place makes GERBIL reject the whole file; remove or correct it",
        question_rules.refused_by_gerbil,
    ),
    # runs
    "run-duplicate-id": Rule(
        "error", "run", "a run answers a question twice",
        "Only one of the answers counts; keep one", run_rules.duplicate_ids,
    ),
    "run-unknown-question": Rule(
        "warning", "run", "a run answers a question that is not in the gold file (needs --gold)",
        "The answer is not counted; check that this is the right gold file",
        run_rules.unknown_questions,
    ),
    "run-not-asked": Rule(
        "warning", "run", "a run has no record of a gold question (needs --gold)",
        "It counts as wrong; ask it, or exclude it with --missing", run_rules.not_asked,
    ),
    "run-failed": Rule(
        "warning", "run", "a call failed or timed out",
        "It counts as wrong, although the system might know the answer; ask again",
        run_rules.failed,
    ),
    "run-empty-answer": Rule(
        "note", "run", "a run has an empty answer",
        "It scores only where the gold answer is empty too", run_rules.empty,
    ),
    "run-constant": Rule(
        "warning", "run", "a run gives the same answer to every question",
        "It is either a baseline or a mistake", run_rules.always_same,
    ),
    "run-is-gold": Rule(
        "warning", "run", "a run gives the gold answer to every question (needs --gold)",
        "Check that it is not the gold file itself", run_rules.is_gold,
    ),
    "run-note": Rule(
        "note", "run", "the reader of the run has a note", "The file was read nevertheless",
        run_rules.reader_notes,
    ),
    "shacl-violation": Rule(
        "error", "file", "a SHACL shape of the vocabulary is violated",
        "A query would fail or count wrongly", _elsewhere,
    ),
    "shacl-warning": Rule(
        "warning", "file", "a construct that only older data use", "Queries have to allow for it",
        _elsewhere,
    ),
    "shacl-info": Rule(
        "note", "file", "a construct that could be improved", "Nothing fails because of it",
        _elsewhere,
    ),
    "shacl-absent": Rule(
        "note", "file", "pyshacl is not installed",
        "The SHACL shapes were not checked; run pip install 'qaldgen[shacl]'", _elsewhere,
    ),
}  # fmt: skip


def chosen_rules(select: Iterable[str] = (), ignore: Iterable[str] = ()) -> dict[str, Rule]:
    """Return the selected rules (all by default), without the ignored ones.

    >>> list(chosen_rules(select=["text-empty", "left-out"], ignore=["left-out"]))
    ['text-empty']
    """
    selected, ignored = list(select), set(ignore)
    unknown = next((name for name in [*selected, *ignored] if name not in RULES), None)
    if unknown is not None:
        hint = did_you_mean(unknown, RULES)
        raise UsageError(f"unknown rule {unknown!r}; {hint}--rules lists all rules")
    return {
        name: rule
        for name, rule in RULES.items()
        if name not in ignored and (not selected or name in selected)
    }


def describe_rules() -> str:
    """Return the table of rules as text."""
    return text_table([(name, rule.level, rule.help) for name, rule in RULES.items()])
