"""Decide what each column of a table, or field of records, holds: by its name, else its values."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, product
from typing import Any, NamedTuple

from qaldgen.errors import DataError, UsageError
from qaldgen.io.json_text import as_list, member
from qaldgen.io.notes import note
from qaldgen.io.text import few_and_more
from qaldgen.model import CHOSEN_BY
from qaldgen.questions.answer_objects import holds_answers
from qaldgen.questions.cells import number_in
from qaldgen.questions.choices import read_choices
from qaldgen.questions.fields import (
    NAMES,
    choice_mark,
    is_a,
    is_unknown,
    is_wrong_answer,
    may_be_id,
    names_model,
    plain_name,
    question_language,
    says_gold,
    says_prediction,
    says_system,
    system_in,
    without_number,
)
from qaldgen.questions.question_texts import asks, is_out_of_scope
from qaldgen.questions.records import flat_texts, scalar_text
from qaldgen.questions.written_lists import list_in

#: Records that are sampled: enough to judge a column, and fast for millions of records.
_SAMPLED = 1000
#: Values taken from anywhere, for a column that none of the sampled records has.
_FEW = 20
_QUERY_FORM = re.compile(r"\b(?:select|ask|construct|describe)\b", re.IGNORECASE)
#: Roles whose usual values are no answers.
_NO_TEXTS = ("question", "candidate", "system", "repeat")
#: A column with no more different values than these may agree with another by chance.
_FEW_VALUES = 2
#: A column that says what the gold says in such a share of the records holds answers too.
AGREES = 0.2
#: A column with longer values holds passages, and is not kept as metadata.
_LONGEST = 1000
#: Metadata that other parts use: the ids of the passages that answer a question, and the systems
#: whose low scores chose it.
_USED_ELSEWHERE = frozenset({"relevant_passages", CHOSEN_BY})
#: Columns that a note lists.
_NAMED = 50
#: The names of row numbers in tables written by pandas.
ROW_NUMBERS = frozenset({"", "unnamed0"})
_GRAPHS = ("wikidata", "dbpedia", "freebase")
#: Names that need no note: those of our own tables, and ``answer``.
_OURS = frozenset({
    "id", "text", "question", "language", "sparql", "answers", "answer", "answer_type", "split",
    "origin",
})  # fmt: skip
#: Kinds of columns with one value per question.
ONE_VALUE = ("id", "language", "type", "split", "origin", "impossible", "answerable")
_PREDICTIONS = (*NAMES["prediction"], *NAMES["prediction yes or no"])
#: Names that a run may have for its answers, each only where it has none of those before.
_RATHER_GOLD = [
    NAMES["bare answer"], NAMES["candidates"], *([name] for name in NAMES["answer"]),
    NAMES["transcript"],
]  # fmt: skip
#: The marks of choices in their order.
_MARKS = "0123456789 ABCDEFGH"


class ChosenFields(NamedTuple):
    """Which fields hold what, where the user says so."""

    gold: str = ""  # the field with the gold answers
    answers: tuple[str, ...] = ()  # the field of each system with its answers

    def check(self, names: Sequence[str]) -> None:
        """Refuse a field that the records do not have."""
        options = {self.gold: "gold_field"} | dict.fromkeys(self.answers, "answer_field")
        for name, option in options.items():
            if name and name not in names:
                raise UsageError(
                    f"there is no field {name!r} for `{option}`; the fields are"
                    f" {', '.join(map(repr, names))}"
                )

    def systems(self) -> dict[str, tuple[str, ...]]:
        """Return the columns with the answers of each system; "" for the only one."""
        if len(self.answers) == 1:
            return {"": self.answers}
        return {name: (name,) for name in self.answers}


NOTHING_CHOSEN = ChosenFields()


class Table:
    """The columns of some records, with a sample of their values."""

    def __init__(self, rows: Sequence[object], names: Iterable[str] = ()) -> None:
        objects = [row for row in rows if isinstance(row, dict)]
        self._sample = objects[:: max(1, len(objects) // _SAMPLED)]
        self.names: list[str] = list(dict.fromkeys(chain(names, *objects)))
        self.values: dict[str, list[object]] = {}
        for name in self.names:
            filled = self._filled(name) or islice(_filled_in(objects, name), _FEW)
            self.values[name] = [row[name] for row in filled]

    def _filled(self, name: str) -> list[dict[str, object]]:
        """Return the sampled records that have a value in a column."""
        return list(_filled_in(self._sample, name))

    def named(self, *kinds: str, besides: Collection[str] = ()) -> list[str]:
        """Return the filled columns with a usual name of these kinds, preferred ones first."""
        usual = chain.from_iterable(NAMES[kind] for kind in kinds)
        places = {name: place for place, name in enumerate(usual)}
        columns = [
            name
            for name in self.names
            if plain_name(name) in places and self.values[name] and name not in besides
        ]
        return sorted(columns, key=lambda name: places[plain_name(name)])

    def numbered(self, *kinds: str, besides: Collection[str] = ()) -> list[str]:
        """Return the columns with a usual name of these kinds and a number behind it."""
        usual = {*chain.from_iterable(NAMES[kind] for kind in kinds)}
        return [
            name
            for name in self.names
            if name not in besides and is_unknown(name) and without_number(name) in usual
        ]

    def gold(self, besides: Collection[str] = ()) -> list[str]:
        """Return the columns that say that they are gold, those with a usual name first.

        Actual answers are gold beside predicted ones.
        """
        usual = self.named("gold", besides=besides)
        actual = [name for name in self.names if plain_name(name).startswith("actual")]
        further = [name for name in self.names if name not in {*actual, *besides}]
        if not usual and any(map(says_prediction, further)):
            usual = actual
        remaining = [name for name in self.names if name not in {*usual, *besides}]
        return [*usual, *filter(says_gold, remaining)]

    def others(self, besides: Collection[str], gold: Sequence[str]) -> list[str]:
        """Return the other columns, without measures of a system beside the gold."""
        return [
            name
            for name in self.names
            if name not in besides and not (says_system(name) and self.is_measure(name, gold))
        ]

    def alike(self, names: Iterable[str], gold: Sequence[str]) -> list[str]:
        """Return those that agree with the gold and whose name has no role, or one of no texts."""
        unknown = [name for name in names if is_unknown(name) or is_a(name, *_NO_TEXTS)]
        return [name for name in unknown if self.agreement(name, gold) >= AGREES]

    def _beside(self, name: str, columns: Sequence[str]) -> list[tuple[set[str], set[str]]]:
        """Return what a column says in each record that has it, and what the others say there."""
        return [
            (
                {*_folded(row[name])},
                {*chain.from_iterable(_folded(row.get(column)) for column in columns)},
            )
            for row in self._filled(name)
        ]

    def agreement(self, name: str, columns: Sequence[str]) -> float:
        """Return the share of records in which a column says what one of the others says.

        0 for a column with a few values only, whose equality may be chance, and for a copy.
        """
        pairs = self._beside(name, columns)
        values = {text for texts, _ in pairs for text in texts}
        same = sum(not gold.isdisjoint(texts) for texts, gold in pairs)
        if len(values) <= _FEW_VALUES or same == len(pairs):
            return 0.0
        return same / len(pairs)

    def is_measure(self, name: str, gold: Sequence[str]) -> bool:
        """Return whether a column holds shares or verdicts, beside a gold that is in words."""
        values = list(map(_share, self.values[name]))
        gold_values = chain.from_iterable(self.values[column] for column in gold)
        return (
            bool(values)
            and None not in values
            and any(_share(value) is None for value in gold_values)
        )

    def offers(self, name: str, gold: Sequence[str]) -> bool:
        """Return whether a column has several values in each record, and the gold among them.

        So have choices, which are no further names of the answer.
        """
        if not is_a(name, "maybe variants"):
            return False
        pairs = self._beside(name, gold)
        return bool(pairs) and all(
            len(offered) > 1 and not offered.isdisjoint(right) for offered, right in pairs
        )

    def holds_questions(self, name: str) -> bool:
        """Return whether at least half of the values look like questions."""
        values = self.values[name]
        return 2 * sum(isinstance(value, str) and asks(value) for value in values) >= len(values)

    def holds_sparql(self, name: str) -> bool:
        """Return whether at least half of the values are SPARQL."""
        values = self.values[name]
        return bool(values) and 2 * sum(looks_like_sparql(value) for value in values) >= len(values)

    def with_complements(self, chosen: Sequence[str], candidates: Sequence[str]) -> tuple[str, ...]:
        """Return the chosen columns together with others that fill their gaps.

        Only columns that never have a value in the same record complement each other.
        """
        columns = list(chosen)
        for name in candidates:
            overlap = any(first_filled(row, columns) is not None for row in self._filled(name))
            if name not in columns and self.values[name] and not overlap:
                columns.append(name)
        return tuple(columns)

    def is_key(self, name: str) -> bool:
        """Return whether each record has a value of its own."""
        values = {str(row[name]) for row in self._filled(name)}
        return self.has_scalars(name) and len(values) == len(self._sample)

    def has_scalars(self, name: str) -> bool:
        """Return whether there are values, and none is a list or an object."""
        values = self.values[name]
        return bool(values) and not any(isinstance(value, (dict, list)) for value in values)

    def points_to(self, name: str, options: str, *, texts: bool) -> bool:
        """Return whether a column has the place, or the text, of one of the options everywhere."""
        rows = self._filled(name)
        for row in rows:
            offered = read_choices(row.get(options)).texts
            if len(offered) < 2 or isinstance(row[name], list):
                return False
            value = scalar_text(row[name]).strip()
            if value in offered:
                right = texts
            else:
                right = value.isdecimal() and int(value) <= len(offered)
            if not right:
                return False
        return len(rows) > 1

    def is_flat(self, name: str) -> bool:
        """Return whether the values are scalars or lists of scalars."""
        items = chain.from_iterable(map(as_list, self.values[name]))
        return not any(isinstance(item, (dict, list)) for item in items)

    def is_constant(self, name: str) -> bool:
        """Return whether all values are the same."""
        values = self.values[name]
        return len(values) > 1 and all(value == values[0] for value in values)


def _share(value: object) -> float | None:
    """Return a number from 0 to 1, also of a verdict; None for any other value."""
    number = float(value) if isinstance(value, bool) else number_in(str(value))
    if number is None or not 0 <= number <= 1:
        return None
    return number


def _folded(value: object) -> list[str]:
    """Return the texts of a value without case and punctuation."""
    values = list_in(value)
    if values is None:
        values = [value]
    # pairs of an answer and its score, too
    texts = chain.from_iterable(map(flat_texts, values))
    plain = (re.sub(r"[\W_]+", " ", text).strip().casefold() for text in texts)
    return list(filter(None, plain))


def is_blank(value: object) -> bool:
    """Return whether a value is blank; an empty list means that there is no answer."""
    return value is None or (isinstance(value, str) and not value.strip())


def first_filled(row: Mapping[str, object], names: Sequence[str]) -> str | None:
    """Return the first of several columns that has a value in a record; None if none has."""
    for name in names:
        if not is_blank(row.get(name)):
            return name
    return None


def looks_like_sparql(value: object) -> bool:
    """Return whether a value is a SPARQL query, or is in the place of one."""
    if isinstance(value, dict):
        # QALD and others keep the query in an object
        value = value.get("sparql")
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, str):
        return False
    form = _QUERY_FORM.search(value)
    return is_out_of_scope(value) or (form is not None and value.find("{", form.end()) > 0)


def _filled_in(rows: Iterable[dict[str, object]], name: str) -> Iterator[dict[str, object]]:
    return (row for row in rows if not is_blank(row.get(name)))


class Columns(NamedTuple):
    """The columns by their content; an empty tuple or name for a column that is missing."""

    #: Columns with the question; the first one that a record fills counts.
    question: tuple[str, ...] = ()
    #: Column to language, for translations in columns of their own.
    translations: Mapping[str, str] = {}
    wordings: tuple[str, ...] = ()  # columns with paraphrases of the question
    #: Column to knowledge graph; empty if its name does not state it.
    queries: Mapping[str, str] = {}
    #: Columns with the gold answers; the first one that a record fills counts.
    gold: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()  # columns with further names of the answer
    #: System to the columns with its answers; "" for the one that none names.
    systems: Mapping[str, tuple[str, ...]] = {}
    choices: tuple[str, ...] = ()  # one column with all choices, or one column per choice
    #: Kind of content, of `ONE_VALUE`, to the column with that value.
    one: Mapping[str, str] = {}
    #: Columns that are not kept as metadata: those in use, copies of the gold, and long texts.
    ours: frozenset[str] = frozenset()
    long: frozenset[str] = frozenset()  # columns with long texts, such as passages
    notes: tuple[str, ...] = ()  # what a user should know
    yes_no: tuple[str, ...] = ()  # columns of a run with yes or no, in place of an answer in words


def find_columns(
    rows: Sequence[object], chosen_fields: ChosenFields = NOTHING_CHOSEN, names: Iterable[str] = ()
) -> Columns | None:
    """Return what the columns of some records hold; None if none of them holds questions.

    `names` has columns that no record fills, too.
    """
    table = Table(rows, names)
    chosen_fields._replace(answers=()).check(table.names)
    # the answers of systems may stand in another file
    chosen_fields = chosen_fields._replace(
        answers=tuple(name for name in chosen_fields.answers if name in table.names)
    )
    # an ambiguous name is judged by its values
    certain = table.named("sparql")
    perhaps = filter(table.holds_sparql, table.named("maybe sparql", besides=certain))
    queries = {
        name: next((graph for graph in _GRAPHS if graph in plain_name(name)), "")
        for name in [*certain, *perhaps]
    }
    tags = {name: question_language(name) for name in table.names if table.values[name]}
    translations = {name: tag for name, tag in tags.items() if tag}
    question = tuple(name for name in _question(table, queries) if name not in translations)
    if not question and not translations:
        return None
    # each column is read once: what one part claims, later ones no longer see
    used = {*question, *translations, *queries}
    wordings = tuple(table.named("wordings", besides=used))
    used |= {*wordings, *chosen_fields.answers}
    explicit = table.gold(used)
    perhaps_gold = [*explicit, *table.named("answer", besides={*explicit, *used})]
    perhaps_gold = perhaps_gold or table.numbered("gold", "answer", besides=used)[:1]
    answers = [name for name in perhaps_gold if any(map(holds_answers, table.values[name]))]
    options, right = _options(table, used)
    if chosen_fields.gold:
        gold: tuple[str, ...] = (chosen_fields.gold,)
    elif options:
        gold = (right,)
    else:
        gold = table.with_complements(answers[:1], answers)
    choices = (options,) if options else _choices(table, {*used, *gold})
    asked = chain.from_iterable(table.values[name] for name in question)
    inside = any(isinstance(value, dict) and "choices" in value for value in asked)
    if not gold and (choices or inside):
        # a column "label" is gold only where there are choices that it can name
        gold = tuple(table.named("choice", besides=used)[:1])
    # without gold, predictions make it a run: `runs` reads it
    if not (gold or queries) and any(map(says_prediction, table.names)):
        return None
    used |= {*gold, *choices}
    if choices and gold:
        used |= {*table.named("choice", besides=used)}
    kinds_of_gold = {without_number(name) for name in gold}
    further = [
        name
        for name in table.numbered("gold", "answer", besides=used)
        if without_number(name) in kinds_of_gold  # answer_2 behind answer_1
    ]
    variants = tuple(
        name
        for name in (*table.named("variants", "maybe variants", besides=used), *further)
        if any(map(holds_answers, table.values[name])) and not table.offers(name, gold)
    )
    one = _single_columns(table, {*used, *variants})
    used |= {*variants, *one.values()}
    systems = chosen_fields.systems()
    if not systems:
        sure = not {chosen_fields.gold, *explicit}.isdisjoint(gold[:1])
        systems = _systems(table, gold, used, explicit=sure)
    columns = Columns(
        question, translations, wordings, queries, gold, variants, systems, choices, one
    )
    return _with_rest(table, columns, used)


def _systems(
    table: Table, gold: Sequence[str], used: Collection[str], *, explicit: bool
) -> dict[str, tuple[str, ...]]:
    """Return the columns with answers of systems beside gold answers.

    An ``answer`` is a system's only where another column is explicitly gold; so is a column of
    another name if it agrees with the gold here and there.
    """
    rather_gold = {*NAMES["candidates"], *NAMES["answer"]} - {*NAMES["prediction"]}
    if explicit:
        rather_gold -= {*NAMES["bare answer"]}
    remaining = [
        name for name in table.others(used, gold) if without_number(name) not in rather_gold
    ]
    systems = answers_of_systems(remaining)
    system_columns = {*chain.from_iterable(systems.values())}
    if not any(table.values[name] for name in system_columns):
        systems, system_columns = {}, set()
    if explicit and "" not in systems:
        remaining = [name for name in remaining if name not in system_columns]
        systems |= {name: (name,) for name in table.alike(remaining, gold)}
    return systems


def find_answers(
    rows: Sequence[object],
    chosen_fields: ChosenFields = NOTHING_CHOSEN,
    names: Iterable[str] = (),
    repeated: Collection[str] = (),
) -> Columns:
    """Return which columns of a run hold the answers of systems, and which the gold.

    Columns that are `repeated` say what the gold says of every question: beside another that says
    it here and there, they are the gold.

    >>> rows = [{"id": "1", "truth": "Ulm", "answer": "Bonn"}]
    >>> find_answers(rows).systems, find_answers(rows).gold
    ({'': ('answer',)}, ('truth',))
    """
    table = Table(rows, names)
    chosen_fields.check(table.names)
    yes_no = tuple(name for name in table.names if is_a(name, "prediction yes or no"))
    gold = [chosen_fields.gold] if chosen_fields.gold else table.gold()
    remaining = table.others({*gold, *yes_no}, gold)
    unrepeated = [name for name in remaining if name not in repeated]
    systems = chosen_fields.systems()
    if not systems and len(unrepeated) < len(remaining):
        same = [name for name in remaining if name in repeated]
        systems = answers_of_systems(
            name for name in unrepeated if says_prediction(name) or is_a(name, "candidates")
        )
        if not systems:
            agreeing = [name for name in unrepeated if table.agreement(name, same) >= AGREES]
            systems = {name: (name,) for name in agreeing}
        if systems:
            gold, remaining = [*gold, *same], unrepeated
    systems = systems or answers_of_systems(remaining)
    bare = [name for name in remaining if is_a(name, "bare answer")]
    system_columns = {*chain.from_iterable(systems.values())}
    gold = gold or [name for name in bare if name not in system_columns]
    if not chosen_fields.answers and ("" not in systems or {*bare} & system_columns):
        alike = table.alike(
            [name for name in remaining if name not in system_columns], gold or bare
        )
        if alike and not gold:
            raise DataError(
                f"{bare[0]!r} may be the gold or the system's, and {alike[0]!r} too; say which with"
                " `gold_field` or `answer_field`"
            )
        if "" not in systems:
            systems = {**systems, **{name: (name,) for name in alike}}
    if yes_no and not systems:
        systems = {"": yes_no}
    return Columns(gold=tuple(gold), systems=systems, yes_no=yes_no)


def best_candidates(rows: Sequence[object]) -> list[object]:
    """Return the rows without lower candidates for the same question, and say how many these are.

    >>> best_candidates([{"id": 7, "rank": 2, "answer": "B"}, {"id": 7, "rank": 1, "answer": "A"}])
    [{'id': 7, 'rank': 1, 'answer': 'A'}]
    """
    first = next((row for row in rows if isinstance(row, dict)), {})
    ranked = [name for name in first if is_a(name, "candidate")]
    keys = [name for name in first if is_a(name, "question", "maybe question")]
    keys += [name for name in first if is_a(name, "id", "run id")]
    if not ranked or not keys:
        return list(rows)
    best: dict[object, tuple[float, object]] = {}
    for number, row in enumerate(rows):
        question = member(row, keys[0])
        place = number_in(str(member(row, ranked[0])))
        if place is None or isinstance(question, (dict, list)):
            return list(rows)
        key = number if is_blank(question) else str(question)
        if key not in best or place < best[key][0]:
            best[key] = (place, row)
    if lower := len(rows) - len(best):
        note(f"{lower:,} further candidates are not read, only the first of each question")
    return [row for _, row in best.values()]


def rows_by_system(
    rows: Sequence[object],
    keys: Collection[str] = frozenset([*NAMES["id"], *NAMES["question"], *NAMES["maybe question"]]),
    column: str = "",
) -> dict[str, list[Any]]:
    """Return the rows of each system if they are one for each question and system; else {}.

    Rows of a question have the same ``id``, its number if there is no other. The column with the
    system is left out; without one that is known to have it, one with a usual name may.

    >>> rows = [{"q": "Who?", "model": name, "said": "Ann"} for name in "AB"]
    >>> rows_by_system(rows, ["q"])["B"]
    [{'id': '1', 'q': 'Who?', 'said': 'Ann'}]
    """
    objects = [row for row in rows if isinstance(row, dict)]
    names = dict.fromkeys(chain.from_iterable(objects[:_SAMPLED]))
    system_columns = [column] if column else [name for name in names if is_a(name, "system")]
    key_columns = [name for name in names if plain_name(name) in keys]
    for column, key in product(system_columns, key_columns):
        if any(is_blank(row.get(column)) or is_blank(row.get(key)) for row in objects):
            continue
        questions = dict.fromkeys(str(row[key]) for row in objects)
        if 10 * len({(str(row[key]), str(row[column])) for row in objects}) < 11 * len(questions):
            continue  # nearly all questions were asked of one system only
        ids = {name: str(number) for number, name in enumerate(questions, 1)}
        without = {"id", column}
        if plain_name(key) in NAMES["id"]:
            ids = {name: name for name in questions}
            without.add(key)
        parts: dict[str, list[dict[str, Any]]] = {}
        for row in objects:
            further = {field: value for field, value in row.items() if field not in without}
            record = {"id": ids[str(row[key])], **further}
            parts.setdefault(str(row[column]), []).append(record)
        return parts
    return {}


def answers_of_systems(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the columns with answers of systems, by system; "" for the one that none names.

    >>> answers_of_systems(["id", "gold", "Llama output", "answer_gpt"])
    {'Llama': ('Llama output',), 'gpt': ('answer_gpt',)}
    >>> answers_of_systems(["id", "answer", "gpt-4", "flan_t5"])
    {'gpt-4': ('gpt-4',), 'flan_t5': ('flan_t5',)}
    """
    names = tuple(names)
    if any(map(says_prediction, names)):
        return {"": answer_columns(names)}
    columns = {name: system_in(name) for name in names if says_system(name)}
    models = [name for name in names if is_unknown(name) and names_model(name)]
    columns |= {name: name for name in models if name not in columns}
    if len({*columns.values()}) < len(columns):
        columns = {name: name for name in columns}
    if columns:
        return {system: (name,) for name, system in columns.items()}
    usual_columns = answer_columns(names)
    if usual_columns:
        return {"": usual_columns}
    return {}


def answer_columns(names: Iterable[str]) -> tuple[str, ...]:
    """Return the columns with the usual names of the answers of one system.

    >>> answer_columns(["id", "output", "answer", "prediction1", "prediction2"])
    ('prediction1', 'prediction2')
    """
    bases = {name: without_number(name) for name in names}
    predictions = sorted({base for base in bases.values() if says_prediction(base)})
    # Only one kind counts: "prediction" and "output" of one record are usually the same answer.
    best = [name for name in _PREDICTIONS if name in predictions] or predictions
    for usual in (best[:1], *_RATHER_GOLD):
        columns = tuple(name for name, base in bases.items() if base in usual)
        if columns:
            return columns
    return ()


def _question(table: Table, queries: Collection[str]) -> tuple[str, ...]:
    """Return the columns with the questions.

    A general name such as ``input`` counts only beside a column with answers or queries.
    """
    telling_names = table.named("question", besides=queries)
    names = telling_names or table.named("maybe question", "transcript", besides=queries)
    # a telling name wins over a general one, whatever the values
    if not telling_names and not queries:
        gold = (*table.gold(names), *table.named("answer", besides=names))
        answers = (*gold, *table.named("choice", besides=names))
        if not any(table.values[name] for name in answers):  # the texts have to look like questions
            names = [name for name in names if table.holds_questions(name)]
    most = max((len(table.values[name]) for name in names), default=0)
    # a half-empty or constant column, such as an instruction, is a by-product, whatever its name
    telling = [
        name
        for name in names
        if 2 * len(table.values[name]) >= most and not table.is_constant(name)
    ]
    return table.with_complements((telling or names)[:1], telling_names)


def _options(table: Table, used: Collection[str]) -> tuple[str, str]:
    """Return the column whose answers are choices, and the one that says which is right; or blanks.

    So do numbers in a column with a name of answers, and texts in one with a name of choices.
    """
    for options in table.named("answer", besides=used):
        used_too = {*used, options}
        for right in table.named("choice", "gold", "answer", besides=used_too):
            if table.points_to(right, options, texts=is_a(right, "choice")):
                return options, right
    return "", ""


def _choices(table: Table, used: Collection[str]) -> tuple[str, ...]:
    """Return the column with the choices, or two or more columns with one choice each."""
    for name in table.named("choices", besides=used):
        if any(table.values[name]):
            return (name,)
    marked = {choice_mark(name): name for name in table.names if name not in used}
    marked.pop("", None)
    marks = "".join(sorted(marked))
    # a table with columns A and C, but no B, has no choices
    if len(marks) < 2 or marks[0] not in "01A" or marks not in _MARKS:
        return ()
    return tuple(marked[mark] for mark in marks)


def _single_columns(table: Table, used: set[str]) -> dict[str, str]:
    """Return the columns with one value per question; pandas' row numbers count as ids."""
    columns: dict[str, str] = {}
    for kind in ONE_VALUE:
        for name in table.named(kind, besides={*used, *columns.values()}):
            if table.has_scalars(name):
                columns[kind] = name
                break
    if "id" in columns:
        return columns
    for name in table.names:
        if name in used or name in columns.values():
            continue
        if may_be_id(name) and table.is_key(name):
            return {**columns, "id": name}
    return columns


def _with_rest(table: Table, columns: Columns, used: set[str]) -> Columns:
    """Return the columns with the fate of the unused ones, and notes about them."""
    unused = [
        name
        for name in table.names
        if name not in used and any(value not in ([], {}) for value in table.values[name])
    ]
    # a copy of the gold is not metadata
    golds = [table.values[name] for name in columns.gold[:1]]
    same = {name for name in unused if table.values[name] in golds}
    long = frozenset(
        name
        for name in unused
        if name not in _USED_ELSEWHERE
        if any(isinstance(value, str) and len(value) > _LONGEST for value in table.values[name])
    )
    # `runs` reads the answers of systems; pandas writes row numbers without a name
    answers = {*chain.from_iterable(columns.systems.values())}
    flat = [name for name in unused if name not in {*same, *long} and table.is_flat(name)]
    named_elsewhere = {"", *answers, *_USED_ELSEWHERE}
    strange = [
        repr(name) for name in flat if name not in named_elsewhere and not is_wrong_answer(name)
    ]
    notes = list(_how_understood(columns))
    if strange:
        notes.append(f"features under their own names: {few_and_more(strange, _NAMED)}")
    ours = frozenset({*used, *same, *long, *(answers - {*flat})})
    return columns._replace(ours=ours, long=long - answers, notes=tuple(notes))


def _how_understood(understood: Columns) -> Iterator[str]:
    """Yield how the columns were understood, unless they have the names of our own tables."""
    id_ = understood.one.get("id", "")
    if plain_name(id_) in ROW_NUMBERS:
        id_ = ""
    answers = [*chain.from_iterable(understood.systems.values())]
    parts = {
        "the id": (id_,),
        "the question": (*understood.question, *understood.translations, *understood.wordings),
        "the query": tuple(understood.queries),
        "the gold answers": understood.gold,
        "further names of the gold answer": understood.variants,
        "the choices": understood.choices,
        "answers of systems": tuple(name for name in answers if not says_system(name)),
        "what may be answers of systems": tuple(filter(says_system, answers)),
    }
    parts_read = []
    for part, columns in parts.items():
        names = [name for name in columns if name]
        if any(name.lower() not in _OURS for name in names):
            joint = " and " if len(names) < 3 else ", "
            parts_read.append(f"{part} from {joint.join(map(repr, names))}")
    if parts_read:
        yield f"reads {', '.join(parts_read)}"
