"""Judge the columns of some records by their values: what they look like, and how they agree."""

from __future__ import annotations

import copy
import itertools
import re
import string
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from qaldgen.io.json_text import as_list, member
from qaldgen.questions.answer_objects import holds_answers, objects_marked_correct
from qaldgen.questions.cells import parse_number
from qaldgen.questions.choices import choices_in_columns, match_choices, read_choices
from qaldgen.questions.conversations import ANSWERING, conversation
from qaldgen.questions.fields import (
    ROLE_NAMES,
    has_no_role,
    has_role,
    is_gold_abroad,
    is_gold_name,
    is_prediction_name,
    normalize_name,
    roles_of,
    without_number,
)
from qaldgen.questions.question_texts import is_out_of_scope, looks_like_question
from qaldgen.questions.records import flat_texts, scalar_text
from qaldgen.questions.system_columns import (
    answer_columns,
    is_model_name,
    is_system_name,
    system_in_name,
    verdict_names,
)
from qaldgen.questions.truth_values import parse_boolean, parse_yes_or_no
from qaldgen.questions.written_lists import parse_list, parse_written

#: The most records in a sample: enough to judge a column, and fast for millions of records.
SAMPLED_ROWS = 1000
#: The most values that are taken from other records if no sampled record has a column.
_FEW = 20
_SQL = re.compile(r"\s*(?:select|with)\b.+\bfrom\b", re.IGNORECASE | re.DOTALL)
_QUERY_FORM = re.compile(r"\b(?:select|ask|construct|describe)\b", re.IGNORECASE)
#: Where a text comes from: an address, a file, a page.
_SOURCE = re.compile(
    r"(?!\S+/(?:entity|resource|ns|wiki/Q\d))(?:https?://|www\.|[\w.-]+\.[a-z]{2,}/)\S*"
    r"(?:[,;\s]+https?://\S+)*"
    r"|[\w ()-]{1,80}\.(?:pdf|html?|txt|md|docx?|json)(?:\W+(?:p|pp|page|pages)\.? ?\d[\d–-]*)?"
    r"|.+\bpp?\.\s?\d[\d–-]*\W*",
    re.IGNORECASE,
)
#: Roles of columns whose values are usually not answers, but may be.
_NO_TEXTS = ("question", "candidate", "system", "repeat")
#: The words of evaluators for right and wrong answers.
_VERDICTS = {
    **dict.fromkeys(["pass", "passed", "correct", "right"], 1.0),
    **dict.fromkeys(["partial", "partially correct"], 0.5),
    **dict.fromkeys(["fail", "failed", "incorrect", "wrong", "not_attempted", "error"], 0.0),
}
#: A column with at most so many different values may agree with another by chance.
_FEW_VALUES = 2
#: Fewer or more texts are names of one answer rather than choices.
_MIN_CHOICES, _MAX_CHOICES = 3, 20
#: A column that equals the gold in at least this share of the records holds answers.
MIN_AGREEMENT = 0.2


class RecordTable:
    """The columns of some records, with samples of their values.

    `names` are further columns, which no record has to fill. Methods that return columns look for
    them in `names`, from which `without` takes those that are known.
    """

    def __init__(self, rows: Sequence[object], names: Iterable[str] = ()) -> None:
        objects = [row for row in rows if isinstance(row, dict)]
        self._sample = objects[:: max(1, len(objects) // SAMPLED_ROWS)]
        self.names: list[str] = list(dict.fromkeys(chain(names, *objects)))
        self.values: dict[str, list[object]] = {}
        for name in self.names:
            filled = self._filled(name) or islice(_filled_in(objects, name), _FEW)
            self.values[name] = [row[name] for row in filled]

    def without(self, *known: str) -> RecordTable:
        """Return the table with fewer columns in `names`; the values of all can still be asked."""
        table = copy.copy(self)
        table.names = [name for name in self.names if name not in known]
        return table

    def _filled(self, name: str) -> list[dict[str, object]]:
        """Return the sampled records that have a value in a column."""
        return list(_filled_in(self._sample, name))

    def columns_named(self, *roles: str) -> list[str]:
        """Return the filled columns with a known name for these roles, preferred ones first."""
        ranks = {name: rank for rank, name in enumerate(_known_names(roles))}
        columns = [
            name for name in self.names if normalize_name(name) in ranks and self.values[name]
        ]
        return sorted(columns, key=lambda name: ranks[normalize_name(name)])

    def columns_numbered(self, *roles: str) -> list[str]:
        """Return the columns with a known name for these roles that ends in a number."""
        known = _known_names(roles)
        return [name for name in self.names if has_no_role(name) and without_number(name) in known]

    def columns_in_languages(self, tags: Collection[str], *roles: str) -> list[str]:
        """Return the columns with a known name for these roles and one of the tags behind it."""
        known = _known_names(roles)
        columns = []
        for name in self.names:
            base, _, tag = name.replace("-", "_").rpartition("_")
            if tag in tags and normalize_name(base) in known:
                columns.append(name)
        return columns

    def gold_columns(self) -> list[str]:
        """Return the columns whose names say that they are gold, known names first.

        If there are predicted answers, "actual" answers are gold, and what is "correct" in words.
        """
        columns = self.columns_named("gold")
        columns += filter(is_gold_name, self.without(*columns).names)
        # beside an answer, its source and a verdict on it are no gold
        answers = self.columns_named("answer")
        columns = [
            name
            for name in columns
            if not self.holds_sources(name, [*columns, *answers])
            and not self.holds_verdicts_abroad(name, answers)
        ]
        actual = [name for name in self.names if normalize_name(name).startswith("actual")]
        if not columns and any(map(is_prediction_name, self.without(*actual).names)):
            correct = [name for name in self.names if normalize_name(name) == "correct"]
            if actual or self.columns_named("answer"):
                return actual
            return [name for name in correct if self.holds_words(name)]
        return columns

    def holds_sources(self, name: str, answers: Iterable[str]) -> bool:
        """Return whether references are mostly addresses or pages of documents, and others not."""
        if not has_role(name, "maybe source"):
            return False
        n_filled = len(self.values[name])
        others = [
            other
            for other in answers
            if other != name and 2 * self._n_sources(other) < len(self.values[other])
        ]
        return others != [] and 0 < n_filled <= 2 * self._n_sources(name)

    def _n_sources(self, name: str) -> int:
        """Return how many values are addresses, pages or files, or lists or objects with one."""
        number = 0
        for value in self.values[name]:
            items: list[object] = []
            for item in as_list(value):
                items += item.values() if isinstance(item, dict) else [item]
            number += any(_SOURCE.fullmatch(text) for text in flat_texts(items))
        return number

    def holds_verdicts_abroad(self, name: str, answers: Iterable[str]) -> bool:
        """Return whether truth values under a name such as "svar korrekt" judge other answers."""
        if not is_gold_abroad(name) or not all(map(_is_truth, self.values[name])):
            return False
        return not all(_is_truth(value) for other in answers for value in self.values[other])

    def holds_words(self, name: str) -> bool:
        """Return whether there are several texts, and no number, truth value or verdict."""
        values = self.values[name]
        return len(set(map(str, values))) > _FEW_VALUES and all(
            isinstance(value, str)
            and parse_number(value) is None
            and parse_boolean(value) is None
            and value.strip().casefold() not in _VERDICTS
            for value in values
        )

    def other_columns(self, gold: Sequence[str]) -> list[str]:
        """Return all columns but those with scores, settings or queries of systems.

        The names of scores may begin with that of the column with the answers: ``GPT-4 ok?``.
        Queries are left out if another column, by its name, has answers.
        """
        models = tuple(f"{name} " for name in self.names if is_model_name(name))
        columns = []
        for name in self.names:
            is_of_system = is_system_name(name) or name.startswith(models)
            values = self.values[name]
            has_settings = bool(values) and not any(map(holds_answers, values))
            is_beside = is_of_system and (
                has_settings or self.is_measure(name, gold) or self.is_detail(name)
            )
            names_model = self.is_constant(name) and is_model_name(str(values[0]))
            if not (is_beside or names_model or self.holds_verdicts(name, gold)):
                columns.append(name)
        others = [name for name in columns if not self.holds_queries(name)]
        are_named = any(is_prediction_name(name) or is_system_name(name) for name in others)
        if any(map(is_gold_name, gold)):
            are_named = are_named or any(has_role(name, "bare answer") for name in others)
        return others if are_named else columns

    def agreeing_columns(self, names: Iterable[str], gold: Sequence[str]) -> list[str]:
        """Return the columns that agree with the gold, and could be called after systems."""
        unknown = []
        for name in names:
            may_be_answer = has_no_role(name) or has_role(name, *_NO_TEXTS)
            if roles_of(name) == {"verdict"} and "." not in name:  # on a claim
                may_be_answer = not are_verdicts(name, self.values[name])
            if may_be_answer:
                unknown.append(name)
        return [name for name in unknown if self.agreement(name, gold) >= MIN_AGREEMENT]

    def _text_pairs(self, name: str, columns: Sequence[str]) -> list[tuple[set[str], set[str]]]:
        """Return the texts of a column, and those of some others, in each record that has it."""
        return [
            (
                set(_folded(row[name])),
                set(chain.from_iterable(_folded(row.get(column)) for column in columns)),
            )
            for row in self._filled(name)
        ]

    def agreement(self, name: str, columns: Sequence[str]) -> float:
        """Return the share of records in which a column and one of the others have the same text.

        It is 0 for a copy, and for a column with few different values, which may agree by chance.
        """
        pairs = self._text_pairs(name, columns)
        values = {text for texts, _ in pairs for text in texts}
        n_equal = sum(not others.isdisjoint(texts) for texts, others in pairs)
        if len(values) <= _FEW_VALUES or n_equal == len(pairs):
            return 0.0
        return n_equal / len(pairs)

    def shares_texts(self, name: str, columns: Sequence[str]) -> bool:
        """Return whether in half of the records a column has a text of one of the others."""
        pairs = self._text_pairs(name, columns)
        return 2 * sum(not others.isdisjoint(texts) for texts, others in pairs) >= len(pairs)

    def verdict_columns(
        self, systems: Mapping[str, Sequence[str]], *, has_choices: bool = False
    ) -> dict[str, dict[str, str]]:
        """Return the columns with another evaluator's verdicts on the answers of each system.

        Each has the name of the verdict, which is that of the column without the system's. Beside
        choices (`has_choices`), "correct" may be the number of one.
        """
        names = list(self.names)
        if has_choices:
            names = [
                name
                for name in names
                if not has_role(name, "choice")
                or not all(str(value).isdecimal() for value in self.values[name])
            ]
        columns = verdict_names(names, systems)
        return {
            system: {
                name: verdict
                for name, verdict in names.items()
                if are_verdicts(verdict, self.values[name])
            }
            for system, names in columns.items()
        }

    def is_measure(self, name: str, gold: Sequence[str]) -> bool:
        """Return whether a column holds scores from 0 to 1 or verdicts, while the gold does not."""
        scores = list(map(_share, self.values[name]))
        if not scores or None in scores:
            return False
        gold_values = chain.from_iterable(self.values[column] for column in gold)
        return any(_share(value) is None for value in gold_values)

    def is_detail(self, name: str) -> bool:
        """Return whether a column has numbers or truth values, and is called after a system.

        The system has a column of its own, most of whose values are neither.
        """
        system = system_in_name(name)
        if not self.values[name] or not all(map(_is_number_or_truth, self.values[name])):
            return False
        for other in self.names:
            owner = system_in_name(other)
            if (
                other != name
                and is_system_name(other)
                and system.startswith((f"{owner}_", f"{owner} "))
            ):
                values = self.values[other]
                if 2 * sum(map(_is_number_or_truth, values)) < len(values):
                    return True
        return False

    def holds_verdicts(self, name: str, gold: Sequence[str]) -> bool:
        """Return whether all values are verdicts such as ``Pass``, while the gold has others.

        So are those of graders, in objects that each say whether an answer has passed.
        """
        graders = list(chain.from_iterable(map(as_list, self.values[name])))
        if graders and all(isinstance(member(grader, "passed"), bool) for grader in graders):
            return True
        gold_values = chain.from_iterable(self.values[column] for column in gold)
        gold_texts = {str(value).strip().casefold() for value in gold_values}
        return self.has_verdicts_alone(name) and not gold_texts <= _VERDICTS.keys()

    def has_verdicts_alone(self, name: str) -> bool:
        """Return whether there are values, and all are words for right and wrong answers."""
        texts = {str(value).strip().casefold() for value in self.values[name]}
        return bool(texts) and texts <= _VERDICTS.keys()

    def offers(self, name: str, gold: Sequence[str]) -> bool:
        """Return whether a column has several values in each record, one of which is the gold.

        The gold is the text or the letter of that value. Then these are choices rather than other
        names of the answer.
        """
        rows = self._filled(name)
        for row in rows:
            offered = read_choices(row[name])
            answers = [scalar_text(row.get(column)) for column in gold]
            # a number is no place here: 2 may have the names "two" and "II"
            chosen = [text for text in answers if text in offered.texts or not text.isdecimal()]
            if len(offered.texts) < 2 or not any(match_choices(text, offered) for text in chosen):
                return False
        return bool(rows)

    def holds_questions(self, name: str) -> bool:
        """Return whether at least half of the values look like questions."""
        values = self.values[name]
        questions = [text for text in values if isinstance(text, str) and looks_like_question(text)]
        return 2 * len(questions) >= len(values)

    def lists_choices(self, name: str) -> bool:
        """Return whether most values are texts with choices, each in a line behind its letter."""
        texts = [value for value in self.values[name] if isinstance(value, str)]
        return 2 * sum(len(read_choices(text).texts) > 1 for text in texts) > len(texts)

    def marks_choices(self, name: str) -> bool:
        """Return whether all values are lists of choices, some of which are marked as correct."""
        values = self.values[name]
        return bool(values) and all(
            isinstance(value, list) and objects_marked_correct(value) is not None
            for value in values
        )

    def holds_metadata(self, name: str) -> bool:
        """Return whether all values are flat objects without an answer: how something was made."""
        return bool(self.values[name]) and all(
            isinstance(value, dict)
            and not (holds_answers(value) or answer_columns(value))
            and not any(isinstance(inner, (dict, list)) for inner in value.values())
            for value in self.values[name]
        )

    def holds_replies(self, name: str) -> bool:
        """Return whether all values are conversations that end with the reply of a system."""
        if not has_role(name, "transcript") or not self.values[name]:
            return False
        last = [conversation(parse_written(value))[-1:] for value in self.values[name]]
        return all(messages and messages[0].speaker in ANSWERING for messages in last)

    def holds_queries(self, name: str) -> bool:
        """Return whether all values are queries in SPARQL or SQL."""
        values = self.values[name]
        return bool(values) and all(
            looks_like_sparql(value) or _SQL.match(str(value)) for value in values
        )

    def holds_sparql(self, name: str) -> bool:
        """Return whether at least half of the values are SPARQL."""
        values = self.values[name]
        return bool(values) and 2 * sum(map(looks_like_sparql, values)) >= len(values)

    def with_complements(self, chosen: Sequence[str], candidates: Sequence[str]) -> tuple[str, ...]:
        """Return the chosen columns, and those candidates that fill their gaps.

        A candidate must not have a value in any record in which they have one.
        """
        columns = list(chosen)
        for name in candidates:
            overlap = any(first_filled(row, columns) is not None for row in self._filled(name))
            if name not in columns and self.values[name] and not overlap:
                columns.append(name)
        return tuple(columns)

    def is_key(self, name: str, questions: Sequence[str]) -> bool:
        """Return whether all records have a value, and none belongs to two different questions."""
        rows = self._filled(name)
        pairs = {(str(row[name]), str([row.get(column) for column in questions])) for row in rows}
        values = {value for value, _ in pairs}
        is_complete = self.has_scalars(name) and len(rows) == len(self._sample)
        return is_complete and len(values) == len(pairs)

    def has_scalars(self, name: str) -> bool:
        """Return whether there are values, and none is a list or an object."""
        values = self.values[name]
        return bool(values) and not any(isinstance(value, (dict, list)) for value in values)

    def points_to(self, name: str, options: str, *, texts: bool) -> bool:
        """Return whether all values of a column are numbers, letters, labels or texts of options.

        Texts count only if `texts` is true. A value may be a list.
        """
        rows = self._filled(name)
        for row in rows:
            choices = read_choices(row.get(options))
            if len(choices.texts) < 2:
                return False
            for item in as_list(row[name]):
                value = scalar_text(item).strip()
                is_number = value.isdecimal() and int(value) <= len(choices.texts)
                letters = string.ascii_uppercase[: len(choices.texts)]
                is_label = value in choices.labels or (len(value) == 1 and value.upper() in letters)
                is_text = value in choices.texts
                if (is_text and not texts) or not (is_text or is_number or is_label):
                    return False
        return len(rows) > 1

    def is_among_choices(self, name: str, options: str) -> bool:
        """Return whether the values of a column are among lists of choices, not of their own names.

        Names of one answer are often two, the main one first, and one has the words of another.
        """
        rows = self._filled(name)
        n_first = 0
        n_like_names = 0
        for row in rows:
            texts = read_choices(row.get(options)).texts
            values = [scalar_text(item).strip() for item in as_list(row[name])]
            words = [set(text.casefold().split()) for text in texts]
            n_first += texts[:1] == tuple(values[:1])
            n_like_names += not _MIN_CHOICES <= len(texts) <= _MAX_CHOICES or any(
                one <= other for one, other in itertools.permutations(words, 2)
            )
        return 2 * n_first < len(rows) and 2 * n_like_names < len(rows)

    def refers_to_choices(self, name: str, columns: Sequence[str]) -> bool:
        """Return whether at least half of the values are choices, which are in some columns."""
        rows = self._filled(name)
        n_choices = sum(
            match_choices(row[name], choices_in_columns(row, columns)) != () for row in rows
        )
        return 0 < len(rows) <= 2 * n_choices

    def is_flat(self, name: str) -> bool:
        """Return whether the values are scalars or lists of scalars."""
        items = chain.from_iterable(map(as_list, self.values[name]))
        return not any(isinstance(item, (dict, list)) for item in items)

    def is_constant(self, name: str) -> bool:
        """Return whether all values are the same."""
        values = self.values[name]
        return len(values) > 1 and all(value == values[0] for value in values)


def _known_names(roles: Iterable[str]) -> list[str]:
    """Return the known names for some roles, preferred ones first."""
    return [name for role in roles for name in ROLE_NAMES[role]]


def parse_verdict(value: object) -> float | None:
    """Return what an evaluator says of an answer: 1 if it is right, 0 if wrong, or a share.

    None for any other value.

    >>> parse_verdict("Passed"), parse_verdict(False), parse_verdict("0.5"), parse_verdict("Ulm")
    (1.0, 0.0, 0.5, None)
    """
    text = str(value).strip().casefold()
    truth = parse_boolean(text)
    if truth is not None:
        return float(truth)
    return _VERDICTS[text] if text in _VERDICTS else _share(value)


def are_verdicts(name: str, values: Iterable[object]) -> bool:
    """Return whether there are values, and all are verdicts; a score may be a system's confidence.

    >>> are_verdicts("correct", [0.5, 1]), are_verdicts("score", [0.5, 1])
    (True, False)
    """
    verdicts = set(map(parse_verdict, values))
    is_confidence = has_role(name, "confidence") and not verdicts <= {0.0, 1.0}
    return bool(verdicts) and None not in verdicts and not is_confidence


def _share(value: object) -> float | None:
    """Return a value as a number from 0 to 1, also if it is a boolean; None for any other value."""
    number = float(value) if isinstance(value, bool) else parse_number(str(value))
    if number is None or not 0 <= number <= 1:
        return None
    return number


def _is_number_or_truth(value: object) -> bool:
    return parse_number(str(value)) is not None or parse_boolean(str(value)) is not None


def _folded(value: object) -> list[str]:
    """Return the texts of a value without case and punctuation."""
    values = parse_list(value)
    if values is None:
        values = [value]
    # items may be pairs of an answer and its score
    texts = chain.from_iterable(map(flat_texts, values))
    folded = (re.sub(r"[\W_]+", " ", text).strip().casefold() for text in texts)
    return list(filter(None, folded))


def _is_truth(value: object) -> bool:
    text = str(value)
    return parse_boolean(text) is not None or parse_yes_or_no(text) is not None


def is_blank(value: object) -> bool:
    """Return whether a value is missing or a blank text; an empty list is a value."""
    return value is None or (isinstance(value, str) and not value.strip())


def first_filled(row: Mapping[str, object], names: Sequence[str]) -> str | None:
    """Return the first of several columns that has a value in a record; None if none has."""
    for name in names:
        if not is_blank(row.get(name)):
            return name
    return None


def looks_like_sparql(value: object) -> bool:
    """Return whether a value is a SPARQL query, or says in its place that there is none."""
    if isinstance(value, dict):  # QALD and others keep the query in an object
        value = value.get("sparql")
    queries = as_list(value)
    if not queries or not isinstance(queries[0], str):
        return False
    query = queries[0]
    query_form = _QUERY_FORM.search(query)
    return is_out_of_scope(query) or (query_form is not None and "{" in query[query_form.end() :])


def _filled_in(rows: Iterable[dict[str, object]], name: str) -> Iterator[dict[str, object]]:
    return (row for row in rows if not is_blank(row.get(name)))
